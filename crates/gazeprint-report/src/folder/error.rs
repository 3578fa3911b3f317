//! What can go wrong with a folder of results.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// Why results cannot be written, or taken up again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// There is a file where the folder should be.
    #[error("{} is a file, not a folder", .0.display())]
    IsFile(PathBuf),
    /// Another study holds the folder.
    #[error("another study is writing to {}", .0.display())]
    Taken(PathBuf),
    /// The study that waits there is not the one to go on with.
    #[error(
        "{} holds another study, which cannot be resumed with these options: {difference}",
        folder.display()
    )]
    OtherStudy {
        /// The folder.
        folder: PathBuf,
        /// What the two differ in.
        difference: String,
    },
    /// The study there is done, and not to be replaced.
    #[error("{} holds a complete study", .0.display())]
    Complete(PathBuf),
    /// The results may not fit.
    #[error(
        "{} has {} MB left, but the results may take {} MB",
        folder.display(),
        free >> 20,
        needed >> 20
    )]
    Full {
        /// The folder.
        folder: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that the results take at most.
        needed: u64,
    },
    /// A file or folder cannot be made, written or removed.
    #[error("cannot {} {}", action.words(), path.display())]
    File {
        /// What was tried.
        action: FileAction,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The report cannot be set as JSON.
    #[error("cannot write study.json")]
    Json(#[from] serde_json::Error),
    /// The table of splits cannot be written.
    #[error(transparent)]
    Splits(Box<dyn Error + Send + Sync>),
}

/// What is done to a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    /// Make a folder.
    Make,
    /// Write into a folder.
    Enter,
    /// Write a file.
    Write,
    /// Remove a file.
    Remove,
    /// Remove what is in a folder.
    Clear,
}

impl FileAction {
    fn words(self) -> &'static str {
        match self {
            Self::Make => "make the folder",
            Self::Enter => "write to the folder",
            Self::Write => "write",
            Self::Remove => "remove",
            Self::Clear => "clear",
        }
    }

    /// The error of this action.
    pub(super) fn failed(self, path: &Path) -> impl FnOnce(io::Error) -> FolderError {
        let path = path.to_owned();
        move |source| FolderError::File { action: self, path, source }
    }
}
