//! The journal beside a file of SQLite.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Where SQLite has the journal of a file.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-journal");
    PathBuf::from(name)
}

/// Whether a journal that is no longer one lies about, as erasing leaves it when it is interrupted.
/// Only who may write can tell, since journals begin like that.
pub(crate) fn is_left_over(file: &Path) -> bool {
    let mut beginning = [1; 8];
    File::open(beside(file))
        .and_then(|mut journal| journal.read_exact(&mut beginning))
        .is_ok_and(|()| beginning == [0; 8])
}

/// Overwrites the journal, if there is one, and waits until that is on the disk.
pub(crate) fn overwrite(file: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).open(beside(file)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        opened => overwrite_file(&opened?),
    }
}

/// Overwrites a file from its beginning, and waits until that is on the disk.
pub(crate) fn overwrite_file(mut file: &File) -> io::Result<()> {
    let mut left = file.metadata()?.len();
    let zeros = [0; 1 << 16];
    while left > 0 {
        let part = left.min(zeros.len() as u64);
        file.write_all(&zeros[..part as usize])?;
        left -= part;
    }
    file.sync_all()
}
