//! Files and folders that are there whole or not at all.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::error::{FileAction, FolderError};

/// Held by the study that writes to the folder.
const LOCK: &str = ".gazeprint.lock";

/// A file to write into, that only its owner may read where it is new: results name readers and show some of
/// them.
pub(super) fn create(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Writes a file whole or not at all.
pub(super) fn put(file: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    let partial = file.with_added_extension("partial");
    create(&partial)
        .and_then(|mut out| out.write_all(bytes).and_then(|()| out.sync_all()))
        .and_then(|()| fs::rename(&partial, file))
        .map_err(FileAction::Write.failed(file))
}

/// Removes a file, if it is there.
pub(super) fn remove(file: &Path) -> Result<(), FolderError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(FileAction::Remove.failed(file)(error))
        }
        _ => Ok(()),
    }
}

/// Folders that were made, to be taken away again if nothing comes of it.
#[derive(Default)]
pub(super) struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    pub(super) fn folder(&mut self, folder: &Path) -> Result<(), FolderError> {
        let missing: Vec<&Path> = folder.ancestors().take_while(|f| !f.exists()).collect();
        self.0.extend(missing.into_iter().rev().map(Path::to_owned));
        fs::create_dir_all(folder).map_err(FileAction::Make.failed(folder))
    }

    pub(super) fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        // Those that somebody has put something into stay.
        self.0.iter().rev().for_each(|folder| _ = fs::remove_dir(folder));
    }
}

/// Keeps other studies out of a folder. The system lets go of it however the program ends.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    pub(super) fn take(folder: &Path) -> Result<Self, FolderError> {
        let path = folder.join(LOCK);
        let file = File::create(&path).map_err(FileAction::Enter.failed(folder))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(FolderError::Taken(folder.to_owned())),
            // A file system without locks is given a try.
            Err(TryLockError::Error(_)) | Ok(()) => Ok(Self { path, _file: file }),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.path);
    }
}
