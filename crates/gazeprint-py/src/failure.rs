//! Errors as exceptions: a class for each kind.

use std::path::Path;

use gazeprint::corpus::CorpusError;
use gazeprint::inference::InferenceError;
use gazeprint::method::FitError;
use gazeprint_eval::density::DensityError;
use gazeprint_eval::protocol::ProtocolError;
use gazeprint_eval::study::StudyError;
use gazeprint_io::import::ImportError;
use gazeprint_io::{PeopleFileError, Place, ReadError, WriteError};
use gazeprint_recognition::{Error, ErrorKind};
use gazeprint_report::folder::FolderError;
use gazeprint_store::KeyFileError;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What went wrong.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: ErrorKind,
    message: String,
    /// The table, row and column that it is about.
    place: Option<At>,
}

/// Where something is wrong, as far as that is known.
#[derive(Debug)]
struct At {
    table: String,
    row: Option<u64>,
    column: Option<String>,
}

/// Where the first row of a frame is in the text that imports read of it: below the names of the columns.
const FIRST_OF_FRAME: u64 = 2;

/// What comes of something that may go wrong.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None }
    }

    /// Something was asked for that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Recordings that cannot be used.
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Input, message)
    }

    /// It was asked to stop.
    pub(crate) fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted")
    }

    /// As an exception, of the class that the front has for its kind.
    fn raised(self, py: Python<'_>) -> PyResult<PyErr> {
        if self.kind == ErrorKind::Interrupted {
            return Ok(PyKeyboardInterrupt::new_err(self.message));
        }
        let classes = py.import("gazeprint._errors")?.getattr("BY_KIND")?;
        let class = classes.get_item(self.kind.name())?;
        let places = PyDict::new(py);
        if let Some(At { table, row, column }) = self.place {
            places.set_item("table", table)?;
            places.set_item("row", row)?;
            places.set_item("column", column)?;
        }
        Ok(PyErr::from_value(class.call((self.message,), Some(&places))?))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| failure.raised(py).unwrap_or_else(|error| error))
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let kind = match &error {
            ReadError::NoFolder { .. } => ErrorKind::NotFound,
            ReadError::Unreadable { .. } => ErrorKind::Io,
            _ => ErrorKind::Input,
        };
        let place = error.place().map(|Place { file, row, column }| At {
            table: file.display().to_string(),
            row: Some(*row),
            column: Some(column.clone()),
        });
        Self { kind, message: error.to_string(), place }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let kind = match &error {
            WriteError::Exists { .. } | WriteError::Input { .. } => ErrorKind::Conflict,
            WriteError::Unwritable { .. } => ErrorKind::Io,
            _ => ErrorKind::Input,
        };
        Self::new(kind, error.to_string())
    }
}

impl Failure {
    /// What is wrong with recordings of other tools. Rows of what is a frame count from 0.
    pub(crate) fn import(error: &ImportError, is_frame: impl Fn(&Path) -> bool) -> Self {
        let kind = match error {
            ImportError::Unreadable { .. } => ErrorKind::Io,
            _ => ErrorKind::Input,
        };
        let mut message = error.to_string();
        let place = error.at().map(|at| {
            let table =
                at.file.as_ref().map_or("input".to_owned(), |file| file.display().to_string());
            let mut row = (at.row > 0).then_some(at.row);
            if at.file.as_deref().is_some_and(is_frame) {
                row = at.row.checked_sub(FIRST_OF_FRAME);
                let counted = row.map_or(String::new(), |row| format!(", row {row}"));
                let column = at.column.as_ref().map(|column| format!(", column {column}"));
                if let Some(rest) = message.strip_prefix(&at.to_string()) {
                    message = format!("{table}{counted}{}{rest}", column.unwrap_or_default());
                }
            }
            At { table, row, column: at.column.clone() }
        });
        Self { kind, message, place }
    }
}

impl From<PeopleFileError> for Failure {
    fn from(error: PeopleFileError) -> Self {
        let kind = match &error {
            PeopleFileError::Unreadable { .. } => ErrorKind::Io,
            _ => ErrorKind::Input,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<KeyFileError> for Failure {
    fn from(error: KeyFileError) -> Self {
        Self::new(ErrorKind::Locked, error.to_string())
    }
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Self {
        let kind = match &error {
            CorpusError::DurationLimits { .. } => ErrorKind::Usage,
            _ => ErrorKind::Input,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Inference(InferenceError::Interrupted) => Self::interrupted(),
            error => Self::input(error.to_string()),
        }
    }
}

impl From<DensityError> for Failure {
    fn from(error: DensityError) -> Self {
        match error {
            DensityError::Inference(InferenceError::Interrupted) => Self::interrupted(),
            error => Self::input(error.to_string()),
        }
    }
}

impl From<StudyError> for Failure {
    fn from(error: StudyError) -> Self {
        if error.is_interruption() {
            return Self::interrupted();
        }
        let kind = match &error {
            StudyError::Protocol(
                ProtocolError::TrainFraction(_)
                | ProtocolError::NoSplits
                | ProtocolError::EmptyProbe
                | ProtocolError::TooManyReaders { .. }
                | ProtocolError::TooFewDrawn(_),
            ) => ErrorKind::Usage,
            StudyError::Keep { .. } => ErrorKind::Io,
            _ => ErrorKind::Input,
        };
        Self::new(kind, chained(&error))
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        let kind = match &error {
            FolderError::Complete(_) => ErrorKind::Conflict,
            FolderError::OtherStudy { .. } | FolderError::Taken(_) => ErrorKind::Conflict,
            _ => ErrorKind::Io,
        };
        Self::new(kind, chained(&error))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), chained(&error))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::input(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(ErrorKind::Io, error.to_string())
    }
}

/// What an error says, with what it comes from as far as that is not in it already.
fn chained(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let said = cause.to_string();
        if !message.contains(&said) {
            message = format!("{message}: {said}");
        }
        source = cause.source();
    }
    message
}
