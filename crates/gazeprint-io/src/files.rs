//! The kinds of tables, and which files make a corpus folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::ReadError;

/// What a table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Fixations,
    Words,
    Trials,
    Splits,
}

const EXTENSIONS: [&str; 3] = ["csv", "tsv", "parquet"];

impl Kind {
    /// The tables of a corpus folder.
    pub(crate) const CORPUS: [Self; 3] = [Self::Fixations, Self::Words, Self::Trials];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fixations => "fixations",
            Self::Words => "words",
            Self::Trials => "trials",
            Self::Splits => "splits",
        }
    }

    /// What a row stands for, to follow "one row each".
    pub(crate) fn content(self) -> &'static str {
        match self {
            Self::Fixations => "for every fixation",
            Self::Words => "for every word",
            Self::Trials => "for every reading",
            Self::Splits => "for every reading of every split",
        }
    }

    /// The error about a file of this table with nothing in it.
    pub(crate) fn empty(self, file: PathBuf) -> ReadError {
        ReadError::EmptyFile { file, content: self.content(), remedy: self.refill() }
    }

    /// What to do about a file without rows.
    pub(crate) fn refill(self) -> &'static str {
        match self {
            Self::Splits => "write the file again",
            _ => "write the file again, or remove it from the corpus",
        }
    }

    /// All files that may hold this table.
    pub(crate) fn candidates(self, folder: &Path) -> [PathBuf; 3] {
        EXTENSIONS.map(|extension| folder.join(format!("{}.{extension}", self.name())))
    }

    /// The one file that holds this table, if any does.
    ///
    /// # Errors
    /// If there are several, or the folder cannot be searched.
    pub(crate) fn find(self, folder: &Path) -> Result<Option<PathBuf>, ReadError> {
        let mut found: Option<PathBuf> = None;
        for file in self.candidates(folder) {
            let exists = file
                .try_exists()
                .map_err(|error| ReadError::Unreadable { path: file.clone(), error })?;
            if !exists {
                continue;
            }
            if let Some(first) = found {
                return Err(ReadError::AmbiguousTable {
                    folder: folder.to_owned(),
                    first: file_name(&first),
                    second: file_name(&file),
                });
            }
            found = Some(file);
        }
        Ok(found)
    }

    /// The file of a table that the corpus cannot do without.
    ///
    /// # Errors
    /// As [`Kind::find`], and if there is none.
    pub(crate) fn require(self, folder: &Path) -> Result<PathBuf, ReadError> {
        self.find(folder)?.ok_or_else(|| self.missing(folder))
    }

    /// The error about a table that the corpus cannot do without.
    pub(crate) fn missing(self, folder: &Path) -> ReadError {
        let (needed_for, columns) = match self {
            Self::Words => (
                "scoring needs the words and their places, unless fixations have x_deg and y_deg",
                "text, word_index, char_start, char_end (and line for texts of several lines)",
            ),
            _ => (
                "a corpus is made of fixations",
                "reader, text, x_char, duration_ms (and line for texts of several lines)",
            ),
        };
        ReadError::MissingTable {
            folder: folder.to_owned(),
            table: self.name(),
            needed_for,
            columns,
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Checks that there is a folder at all.
pub(crate) fn check_folder(folder: &Path) -> Result<(), ReadError> {
    match fs::metadata(folder) {
        Ok(data) if data.is_dir() => Ok(()),
        Ok(_) => Err(ReadError::NotAFolder { path: folder.to_owned() }),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(ReadError::NoFolder { folder: folder.to_owned() })
        }
        Err(error) => Err(ReadError::Unreadable { path: folder.to_owned(), error }),
    }
}

/// What a corpus in this folder is called: the folder's own name.
pub(crate) fn corpus_name(folder: &Path) -> String {
    // Only the full path of `.` or `..` has a name.
    let full = folder.file_name().is_none().then(|| folder.canonicalize().ok()).flatten();
    match file_name(full.as_deref().unwrap_or(folder)) {
        name if name.is_empty() => "corpus".to_owned(),
        name => name,
    }
}
