//! Tables as they come: bytes become text, text becomes lines, lines become rows of cells.
//!
//! Corpora and imports read all their files here. [`Source`] unpacks and decodes, [`Lines`] cuts lines,
//! [`Rows`] finds the delimiter and cuts cells. Imports forgive what other tools do to tables; tables
//! of a corpus are read strictly.

mod lines;
mod rows;
mod source;
mod unpacked;

use std::io;

use thiserror::Error;

pub(crate) use lines::{Input, Lines};
pub(crate) use rows::{Row, Rows, SAMPLE, is_aside};
pub use source::Source;
#[cfg(feature = "columnar")]
pub(crate) use unpacked::{Count, Counted, Measured};

/// Why a file cannot be read as text, or as a table.
#[derive(Debug, Error)]
pub(crate) enum Fault {
    /// The operating system, or the compression, refused.
    #[error("row {row}: {error}")]
    Unreadable { row: u64, error: io::Error },
    /// Bytes that are no text in the encoding of the file.
    #[error("row {row}: found {found}, expected text in {encoding}")]
    Encoding { row: u64, found: String, encoding: &'static str },
    /// A file of another kind.
    #[error("found {found}, expected {expected}; {remedy}")]
    Foreign { found: &'static str, expected: &'static str, remedy: String },
    /// A line without an end.
    #[error("row {row}: found more than {limit} bytes in a line")]
    LongLine { row: u64, limit: usize },
    /// Nothing at all.
    #[error("row {row}: found nothing, expected {expected}")]
    Empty { row: u64, expected: &'static str },
    /// A quotation mark that is not closed where it should be.
    #[error("row {row}, column {}: found {found:?}, which is not closed", .column + 1)]
    OpenQuote { row: u64, column: usize, found: String },
}

impl Fault {
    /// An error of reading, with what a [`Source`] knows of it.
    pub(crate) fn reading(row: u64, error: io::Error) -> Self {
        error.downcast().unwrap_or_else(|error| Self::Unreadable { row, error })
    }
}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> Self {
        Self::new(io::ErrorKind::InvalidData, fault)
    }
}

/// A cell as a message shows it: long ones are cut.
pub(crate) fn shown(cell: &str) -> String {
    const LONGEST: usize = 40;
    match cell.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &cell[..end]),
        None => cell.to_owned(),
    }
}
