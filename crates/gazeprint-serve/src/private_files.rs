//! Files that only their owner can read. Who makes some for another, as root does by `sudo gazeprint token create` for the
//! user of the server, gives them to the owner of the folder that they are in.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// A folder that only its owner can look into, with those above it.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().unwrap_or(Path::new(""));
    make_private_folder(above)?;
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        Ok(()) => owner::give_folder(folder, above),
        // Another was a moment faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// A new file that only its owner can read. What lies at its place is not followed: it may be a link that somebody else
/// put there.
fn make(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.open(file)?;
    owner::give_file(&made, file.parent().unwrap_or(Path::new("")))?;
    Ok(made)
}

/// A file that is there, or a new one.
pub(crate) fn open_or_make(file: &Path) -> io::Result<File> {
    match make(file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            OpenOptions::new().write(true).open(file)
        }
        made => made,
    }
}

/// Puts a file into the place of another, as a whole: who reads it meanwhile sees the one or the other.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = file.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut out = make(&new)?;
    out.write_all(bytes)?;
    out.sync_all()?;
    fs::rename(&new, file)?;
    // The name is on the disk, too, where folders can be synchronised.
    _ = file.parent().map(|folder| File::open(folder).and_then(|folder| folder.sync_all()));
    Ok(())
}

#[cfg(unix)]
mod owner {
    use std::fs::{self, File};
    use std::io::{self, ErrorKind};
    use std::os::unix::fs::{MetadataExt as _, fchown, lchown};
    use std::path::Path;

    /// Owner and group of a folder, where they are not those of what was made in it.
    fn others(made: &fs::Metadata, folder: &Path) -> io::Result<Option<(u32, u32)>> {
        let here = Path::new(".");
        let folder = fs::metadata(if folder.as_os_str().is_empty() { here } else { folder })?;
        let owner = (folder.uid(), folder.gid());
        Ok((owner.0 != made.uid()).then_some(owner))
    }

    /// Whoever may not give files away keeps them.
    fn if_allowed(given: io::Result<()>) -> io::Result<()> {
        given.or_else(|error| match error.kind() {
            ErrorKind::PermissionDenied => Ok(()),
            _ => Err(error),
        })
    }

    pub(super) fn give_file(file: &File, folder: &Path) -> io::Result<()> {
        match others(&file.metadata()?, folder)? {
            Some((user, group)) => if_allowed(fchown(file, Some(user), Some(group))),
            None => Ok(()),
        }
    }

    pub(super) fn give_folder(made: &Path, above: &Path) -> io::Result<()> {
        match others(&fs::symlink_metadata(made)?, above)? {
            Some((user, group)) => if_allowed(lchown(made, Some(user), Some(group))),
            None => Ok(()),
        }
    }
}

#[cfg(not(unix))]
mod owner {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn give_file(_: &File, _: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn give_folder(_: &Path, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, chown, symlink};

    use super::*;

    /// A number that no user here has.
    const SOMEBODY: u32 = 54_321;

    #[test]
    fn what_root_makes_belongs_to_the_owner_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        if chown(folder.path(), Some(SOMEBODY), Some(SOMEBODY)).is_err() {
            eprintln!("skipped: only root can give folders away");
            return;
        }
        let own = folder.path().join("a/own.serve");
        make_private_folder(&own).unwrap();
        let file = own.join("tokens.json");
        replace(&file, b"1").unwrap();
        replace(&file, b"2").unwrap();
        drop(open_or_make(&own.join("tokens.lock")).unwrap());
        for made in [folder.path().join("a"), own.clone(), file.clone(), own.join("tokens.lock")] {
            let data = fs::metadata(&made).unwrap();
            assert_eq!((data.uid(), data.gid()), (SOMEBODY, SOMEBODY), "{}", made.display());
        }
        assert_eq!(fs::read(&file).unwrap(), b"2");
    }

    #[test]
    fn links_of_others_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "kept").unwrap();
        symlink(&victim, folder.path().join("tokens.new")).unwrap();
        replace(&folder.path().join("tokens.json"), b"1").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "kept");
        assert_eq!(fs::read(folder.path().join("tokens.json")).unwrap(), b"1");
    }
}
