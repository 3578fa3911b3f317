//! Files that only their owner can read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// A folder that only its owner can look into.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A file that only its owner can read.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Puts a file into the place of another, as a whole: who reads it meanwhile sees the one or the other.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = file.with_extension("new");
    let mut out = private().create(true).truncate(true).open(&new)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    fs::rename(&new, file)?;
    // The name is on the disk, too, where folders can be synchronised.
    _ = file.parent().map(|folder| File::open(folder).and_then(|folder| folder.sync_all()));
    Ok(())
}
