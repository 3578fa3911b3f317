//! Files whose start is known before they are read.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::collect::Recording;
use super::super::error::{At, ImportError};
use super::super::recording::Sink;
use super::super::remark::Remark;
use super::super::report::Shape;
use super::Open;
use crate::table::Source;

/// Bytes that formats are guessed by.
pub(super) const START: usize = 1 << 14;

/// A file whose start is known.
pub(super) struct Opened {
    pub(super) path: PathBuf,
    pub(super) source: Source<'static>,
    pub(super) start: String,
}

impl Opened {
    pub(super) fn new(path: &Path, open: &Open<'_>) -> Result<Self, ImportError> {
        let named = |error: ImportError| error.in_file(path);
        let input =
            open(path).map_err(|error| ImportError::Unreadable { at: At::file(path), error })?;
        let mut source = Source::open(path, input).map_err(named)?;
        let start = source.fill_buf().map_err(|error| named(ImportError::reading(1, error)))?;
        let start = String::from_utf8_lossy(&start[..start.len().min(START)]).into_owned();
        Ok(Self { path: path.to_owned(), source, start })
    }

    /// Calls a parser; what is wrong or decided then goes with the name of the file.
    pub(super) fn read(
        mut self,
        recording: &mut Recording,
        read: impl FnOnce(&mut dyn BufRead, &mut dyn Sink) -> Result<Shape, ImportError>,
    ) -> Result<Shape, ImportError> {
        let before = recording.remarks.len();
        let shape = read(&mut self.source, recording).map_err(|error| error.in_file(&self.path))?;
        let file: Arc<str> = self.path.file_name().unwrap_or_default().to_string_lossy().into();
        let opening = self.source.notes().iter().cloned().map(Remark::decision);
        recording.remarks.splice(before..before, opening);
        recording.remarks[before..].iter_mut().for_each(|remark| remark.file = Some(file.clone()));
        Ok(shape)
    }
}
