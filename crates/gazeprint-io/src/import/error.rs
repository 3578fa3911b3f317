//! What can be wrong with a recording.
//!
//! Every message names file, row and column, says what was found and what was expected, and ends
//! with how to go on. Parsers do not know the names of files: [`ImportError::in_file`] fills them
//! in.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::setting::{Phrase, SettingNames, phrase};
use crate::WriteError;
use crate::table::Fault;

/// A place in an input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct At {
    /// The file; filled in by whoever opened it.
    pub file: Option<PathBuf>,
    /// The row or line, from 1; 0 is the file as a whole.
    pub row: u64,
    /// The column's name, where there is one.
    pub column: Option<String>,
}

impl At {
    /// A row of the file being read.
    pub fn row(row: u64) -> Box<Self> {
        Box::new(Self { row, ..Self::default() })
    }

    /// A cell of the file being read.
    pub fn cell(row: u64, column: impl Into<String>) -> Box<Self> {
        Box::new(Self { row, column: Some(column.into()), ..Self::default() })
    }

    /// A file as a whole.
    pub fn file(path: &Path) -> Box<Self> {
        Box::new(Self { file: Some(path.to_owned()), ..Self::default() })
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{}", file.display())?,
            None => f.write_str("input")?,
        }
        if self.row > 0 {
            write!(f, ", row {}", self.row)?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column {column}")?;
        }
        Ok(())
    }
}

/// Why a recording could not be imported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// Something that cannot be what it should be.
    #[error("{at}: found {found}, expected {expected}; {remedy}")]
    Value {
        /// The place.
        at: Box<At>,
        /// What stands there.
        found: Phrase,
        /// What should.
        expected: Phrase,
        /// What to do.
        remedy: Phrase,
    },
    /// A line without an end.
    #[error(
        "{at}: the line is longer than {limit} bytes; expected rows of a table or lines of a \
         recording; check that this is the right file"
    )]
    LongLine {
        /// The place.
        at: Box<At>,
        /// The most bytes that a line may have.
        limit: usize,
    },
    /// The operating system, or the compression, refused.
    #[error("{at}: cannot be read: {error}; check that it is a complete file that you may read")]
    Unreadable {
        /// The place.
        at: Box<At>,
        /// What the system said.
        error: io::Error,
    },
    /// Bytes that are no text in the encoding of the file.
    #[error(
        "{at}: found {found}, expected text in {encoding}; save the file as UTF-8, or check that \
         this is the right file"
    )]
    Encoding {
        /// The place.
        at: Box<At>,
        /// What stands there.
        found: String,
        /// The encoding that the start of the file has.
        encoding: &'static str,
    },
    /// A file with nothing in it, or with column names only.
    #[error("{at}: there are no rows; expected {expected}; check that this is the right file")]
    Empty {
        /// The place where it ends.
        at: Box<At>,
        /// What should be there.
        expected: &'static str,
    },
    /// Columns that were not found.
    #[error("{at}: no column for {} among {}; {remedy}", .roles.join(", "), .found.join(", "))]
    MissingColumns {
        /// The row of the column names.
        at: Box<At>,
        /// What there is no column for.
        roles: Vec<&'static str>,
        /// The columns that there are.
        found: Vec<String>,
        /// What to do.
        remedy: Phrase,
    },
    /// Several columns that may be meant alike.
    #[error("{at}: the {role} may be in {}; {remedy}", .candidates.join(" or in "))]
    AmbiguousColumn {
        /// The row of the column names.
        at: Box<At>,
        /// What is looked for.
        role: &'static str,
        /// The columns.
        candidates: Vec<String>,
        /// What to do.
        remedy: Phrase,
    },
    /// Two files that hold the same reading.
    #[error("{at}: the reading by {reading} is in {} as well; {remedy}", .other.display())]
    InTwoFiles {
        /// The place in the second file.
        at: Box<At>,
        /// Reader and text.
        reading: String,
        /// The first file; filled in by whoever opened it.
        other: PathBuf,
        /// Its index.
        first: usize,
        /// What to do.
        remedy: Phrase,
    },
    /// The corpus could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<Fault> for ImportError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unreadable { row, error } => Self::Unreadable { at: At::row(row), error },
            Fault::Encoding { row, found, encoding } => {
                Self::Encoding { at: At::row(row), found, encoding }
            }
            Fault::Foreign { found, expected, remedy } => {
                Self::value(At::row(0), found, expected, remedy)
            }
            Fault::LongLine { row, limit } => Self::LongLine { at: At::row(row), limit },
            Fault::Empty { row, expected } => Self::Empty { at: At::row(row), expected },
            Fault::OpenQuote { row, .. } => Self::value(
                At::row(row),
                "a quotation mark that is never closed",
                "a closing one before the end of the row",
                "remove the mark, or double it where it is part of the text",
            ),
        }
    }
}

impl ImportError {
    /// An error of reading, with what a [`Source`](super::Source) knows of it.
    pub fn reading(row: u64, error: io::Error) -> Self {
        Fault::reading(row, error).into()
    }

    /// The error about something that cannot be what it should be.
    pub(crate) fn value(
        at: Box<At>,
        found: impl Into<Phrase>,
        expected: impl Into<Phrase>,
        remedy: impl Into<Phrase>,
    ) -> Self {
        Self::Value { at, found: found.into(), expected: expected.into(), remedy: remedy.into() }
    }

    /// The error about roles that no column was found for.
    pub(crate) fn missing(at: Box<At>, roles: Vec<&'static str>, found: Vec<String>) -> Self {
        let first = roles.first().copied().unwrap_or("role");
        let remedy = phrase!["name it with ", Phrase::choice(first, "COLUMN")];
        Self::MissingColumns { at, roles, found, remedy }
    }

    /// The error about a role that several columns may be for.
    pub(crate) fn ambiguous(at: Box<At>, role: &'static str, candidates: Vec<String>) -> Self {
        let first = candidates.first().map_or("COLUMN", String::as_str);
        let remedy = phrase!["choose one with ", Phrase::choice(role, first)];
        Self::AmbiguousColumn { at, role, candidates, remedy }
    }

    /// The error about a reading that is in two files, of which the first has this index.
    pub(crate) fn in_two_files(at: Box<At>, reading: String, first: usize) -> Self {
        let remedy = Phrase::default();
        Self::InTwoFiles { at, reading, other: PathBuf::new(), first, remedy }
    }

    /// The same error, with these names for settings.
    #[must_use]
    pub fn naming(mut self, names: &SettingNames<'_>) -> Self {
        match &mut self {
            Self::Value { found, expected, remedy, .. } => {
                [found, expected, remedy].into_iter().for_each(|phrase| phrase.settle_names(names));
            }
            Self::MissingColumns { remedy, .. }
            | Self::AmbiguousColumn { remedy, .. }
            | Self::InTwoFiles { remedy, .. } => remedy.settle_names(names),
            Self::LongLine { .. }
            | Self::Unreadable { .. }
            | Self::Encoding { .. }
            | Self::Empty { .. }
            | Self::Write(_) => {}
        }
        self
    }

    /// The same error, in a file that has a name.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        if let Some(at) = self.at_mut() {
            at.file.get_or_insert_with(|| path.to_owned());
        }
        self
    }

    /// The same error, where it is about two files and all of them have names.
    #[must_use]
    pub(crate) fn beside(mut self, paths: &[PathBuf]) -> Self {
        if let Self::InTwoFiles { other, first, .. } = &mut self
            && let Some(path) = paths.get(*first)
        {
            other.clone_from(path);
        }
        self
    }

    /// The same error, where it is about two files, with how names of files may tell them apart.
    #[must_use]
    pub(crate) fn advising(mut self, by_names: Phrase) -> Self {
        if let Self::InTwoFiles { remedy, .. } = &mut self {
            *remedy = phrase![
                "give every file once, and tell recordings apart by a column (",
                Phrase::choice("session", "COLUMN"),
                ") or ",
            ]
            .and(by_names);
        }
        self
    }

    /// Where it is, where it is about an input.
    pub fn at(&self) -> Option<&At> {
        match self {
            Self::Value { at, .. }
            | Self::LongLine { at, .. }
            | Self::Unreadable { at, .. }
            | Self::Encoding { at, .. }
            | Self::Empty { at, .. }
            | Self::MissingColumns { at, .. }
            | Self::AmbiguousColumn { at, .. }
            | Self::InTwoFiles { at, .. } => Some(at),
            Self::Write(_) => None,
        }
    }

    fn at_mut(&mut self) -> Option<&mut At> {
        match self {
            Self::Value { at, .. }
            | Self::LongLine { at, .. }
            | Self::Unreadable { at, .. }
            | Self::Encoding { at, .. }
            | Self::Empty { at, .. }
            | Self::MissingColumns { at, .. }
            | Self::AmbiguousColumn { at, .. }
            | Self::InTwoFiles { at, .. } => Some(at),
            Self::Write(_) => None,
        }
    }
}
