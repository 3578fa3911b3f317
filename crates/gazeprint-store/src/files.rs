//! Files that come to be as a whole, for their owner alone.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A new and empty file that only its owner may read.
pub(crate) fn create_private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Waits until the folder of a file has it on the disk.
pub(crate) fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    sync(folder)
}

#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // What may not be read, or a file system that has no such thing.
        Err(error) if matches!(error.kind(), InvalidInput | PermissionDenied | Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// Elsewhere folders cannot be opened.
#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A path beside a file, for what is to stand there once it is whole.
pub(crate) fn draft_of(file: &Path, number: u64) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".new-{number:016x}"));
    PathBuf::from(name)
}

/// Gives a draft its name, if nothing has that name. The draft is gone then.
pub(crate) fn publish(draft: &Path, file: &Path) -> io::Result<()> {
    match fs::hard_link(draft, file) {
        // The name is taken: another one for the same file does no harm.
        Ok(()) => _ = fs::remove_file(draft),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
        // A file system without links. Nobody else takes the name between the two.
        Err(_) => {
            drop(create_private(file)?);
            if let Err(error) = fs::rename(draft, file) {
                _ = fs::remove_file(file);
                return Err(error);
            }
        }
    }
    sync_folder(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_takes_a_free_name_only() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        for (content, number) in [("first", 1), ("second", 2)] {
            let draft = draft_of(&file, number);
            fs::write(&draft, content).unwrap();
            let published = publish(&draft, &file);
            assert_eq!(published.is_ok(), number == 1);
            assert_eq!(draft.exists(), number == 2);
            assert_eq!(fs::read_to_string(&file).unwrap(), "first");
        }
    }
}
