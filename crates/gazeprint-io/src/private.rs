//! Files for their owner alone: recordings, and what is learned from them, tell people apart.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A file to write into, that only its owner may read where it is new. One that is there is emptied.
pub(crate) fn create(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Writes a file, and waits until it is on the disk.
pub(crate) fn write(file: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = create(file)?;
    out.write_all(bytes.as_ref())?;
    out.sync_all()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn files_are_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        for content in ["more than that", "less"] {
            write(&file, content).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), content);
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
