//! What is read once and goes wherever work is done: people, secrets, tables of splits.

use std::path::PathBuf;
use std::sync::Arc;

use gazeprint::method::People as Learned;
use gazeprint_io::Frame;
use gazeprint_recognition::{ErrorKind, Secret as Opening};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::PyRecordBatchReader;

use crate::corpus::{Stoppable, rows_of};
use crate::failure::Failure;
use crate::table::Table;
use crate::work::{left, watched};

/// People who were learned from once.
#[pyclass(frozen)]
pub(crate) struct People {
    learned: Arc<Learned>,
}

/// People who are given, or those that ship.
pub(crate) fn people(given: Option<&People>) -> Arc<Learned> {
    Arc::clone(given.map_or(Learned::shipped(), |people| &people.learned))
}

#[pymethods]
impl People {
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        left(py, move || Ok(Self { learned: gazeprint_io::read_people(&path)? }))
    }

    /// The people of such bytes.
    #[staticmethod]
    fn of_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Self> {
        left(py, move || {
            let learned = Learned::read(&bytes);
            let learned = learned.map_err(|error| Failure::input(error.to_string()))?;
            Ok(Self { learned: Arc::new(learned) })
        })
    }

    /// Everything about them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let learned = Arc::clone(&self.learned);
        let bytes =
            left(py, move || learned.write().map_err(|error| Failure::input(error.to_string())))?;
        Ok(PyBytes::new(py, &bytes))
    }
}

/// What opens a gallery.
#[pyclass(frozen)]
pub(crate) struct Secret {
    opening: Arc<Opening>,
}

/// The secret of a gallery that has one.
pub(crate) fn secret(given: Option<&Secret>) -> Option<Arc<Opening>> {
    given.map(|secret| Arc::clone(&secret.opening))
}

#[pymethods]
impl Secret {
    /// The key of a file.
    #[staticmethod]
    fn read_key(path: PathBuf) -> PyResult<Self> {
        let opening = Opening::read_key_file(&path).map_err(Failure::from)?;
        Ok(Self { opening: Arc::new(opening) })
    }

    #[staticmethod]
    fn of_key(key: [u8; 32]) -> Self {
        Self { opening: Arc::new(Opening::Key(key.into())) }
    }

    #[staticmethod]
    fn of_passphrase(passphrase: String) -> Self {
        Self { opening: Arc::new(Opening::Passphrase(passphrase.into())) }
    }

    /// The key, or else the passphrase.
    fn parts<'py>(&self, py: Python<'py>) -> (Option<Bound<'py, PyBytes>>, Option<String>) {
        match &*self.opening {
            Opening::Key(key) => (Some(PyBytes::new(py, key.as_ref())), None),
            Opening::Passphrase(text) => (None, Some(text.to_string())),
        }
    }
}

/// Reads a table of splits, from a file or a frame.
#[pyfunction]
#[pyo3(signature = (file=None, frame=None))]
pub(crate) fn read_splits(
    py: Python<'_>,
    file: Option<PathBuf>,
    frame: Option<PyRecordBatchReader>,
) -> PyResult<Table> {
    let frame = frame.map(rows_of).transpose()?;
    watched(py, None, move |work| {
        let rows = match (file, frame) {
            (Some(file), _) => gazeprint_io::read_splits(&file)?,
            (None, Some(frame)) => gazeprint_io::read_splits_frame(Stoppable::of(frame, work))?,
            (None, None) => {
                return Err(Failure::new(ErrorKind::Usage, "splits: found no file and no frame"));
            }
        };
        let mut table = Frame::default();
        table.counts("split", rows.iter().map(|row| Some(row.split)));
        table.names("reader", rows.iter().map(|row| row.reader.as_str()));
        table.names("text", rows.iter().map(|row| row.text.as_str()));
        table.texts("session", rows.iter().map(|row| row.session.as_deref()));
        table.texts("trial", rows.iter().map(|row| row.trial.as_deref()));
        table.names("role", rows.iter().map(|row| row.role.name()));
        Table::of(&table)
    })
}
