//! Files of results, in a folder that may hold others.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::error::WriteError;
use crate::frame::{Frame, TableFormat};
use crate::private;

/// Files that are not complete; what is left of them goes when this does.
#[derive(Default)]
struct Unfinished(Vec<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Those that are complete have another name by now.
        self.0.iter().for_each(|file| _ = fs::remove_file(file));
    }
}

/// Writes files into a folder, which is made where it is not there. Those that are there already stay
/// until all new ones are complete; those of `old` that are not among them then give way.
///
/// # Errors
/// If one of them is there already and `overwrite` is off, the path is that of a file, or they cannot be
/// written.
pub fn put_files(
    folder: &Path,
    files: &[(String, Vec<u8>)],
    old: &[String],
    overwrite: bool,
) -> Result<(), WriteError> {
    let names = || files.iter().map(|(name, _)| name.as_str());
    check_names(folder, names(), overwrite)?;
    let mut unfinished = Unfinished::default();
    let unwritable = |file: &Path| {
        let path = file.to_owned();
        move |error| WriteError::Unwritable { path, error }
    };
    for (name, bytes) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap_or(folder)).map_err(unwritable(&file))?;
        let partial = file.with_added_extension("partial");
        unfinished.0.push(partial.clone());
        private::write(&partial, bytes).map_err(unwritable(&file))?;
    }
    for (name, partial) in names().zip(&unfinished.0) {
        let file = folder.join(name);
        fs::rename(partial, &file).map_err(unwritable(&file))?;
    }
    for file in old.iter().filter(|old| names().all(|new| new != **old)) {
        let file = folder.join(file);
        fs::remove_file(&file).map_err(unwritable(&file))?;
    }
    Ok(())
}

/// Checks that files could be written into a folder, before what they are to hold is computed.
///
/// # Errors
/// If one of them is there already and `overwrite` is off, the path is that of a file, or the folder
/// cannot be written to.
pub fn check_files<'n>(
    folder: &Path,
    names: impl IntoIterator<Item = &'n str>,
    overwrite: bool,
) -> Result<(), WriteError> {
    check_names(folder, names, overwrite)?;
    try_folder(folder).map_err(|error| WriteError::Unwritable { path: folder.to_owned(), error })
}

fn check_names<'n>(
    folder: &Path,
    names: impl IntoIterator<Item = &'n str>,
    overwrite: bool,
) -> Result<(), WriteError> {
    if fs::metadata(folder).is_ok_and(|there| !there.is_dir()) {
        return Err(WriteError::NotAFolder { path: folder.to_owned() });
    }
    let mut files = names.into_iter().map(|name| folder.join(name));
    match files.find(|file| !overwrite && fs::symlink_metadata(file).is_ok()) {
        Some(file) => Err(WriteError::Exists { file }),
        None => Ok(()),
    }
}

/// Makes a folder and a file in it, and takes both away again: nothing else tells whether that is allowed.
fn try_folder(folder: &Path) -> io::Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    let tried = fs::create_dir_all(folder).and_then(|()| {
        let file = folder.join(".gazeprint.partial");
        fs::write(&file, [])?;
        fs::remove_file(&file)
    });
    missing.into_iter().for_each(|folder| _ = fs::remove_dir(folder));
    tried
}

/// Writes tables into a folder, each as a file of its name.
///
/// # Errors
/// As [`put_files`], and if this build does not have the format.
pub fn put_tables<'t, 'c: 't>(
    folder: &Path,
    tables: impl IntoIterator<Item = (&'t str, &'t Frame<'c>)>,
    format: TableFormat,
    overwrite: bool,
) -> Result<(), WriteError> {
    check_format(folder, format)?;
    let files = tables.into_iter().map(|(name, table)| {
        let name = format.file(name);
        let unwritable = |error| WriteError::Unwritable { path: folder.join(&name), error };
        let bytes = table.write(format).map_err(unwritable)?;
        Ok((name, bytes))
    });
    put_files(folder, &files.collect::<Result<Vec<_>, WriteError>>()?, &[], overwrite)
}

/// Checks that tables could be written into a folder, before they are made.
///
/// # Errors
/// As [`check_files`], and if this build does not have the format.
pub fn check_tables<'n>(
    folder: &Path,
    tables: impl IntoIterator<Item = &'n str>,
    format: TableFormat,
    overwrite: bool,
) -> Result<(), WriteError> {
    check_format(folder, format)?;
    let names: Vec<String> = tables.into_iter().map(|table| format.file(table)).collect();
    check_files(folder, names.iter().map(String::as_str), overwrite)
}

/// Checks that this build has a format.
///
/// # Errors
/// If it does not.
pub fn check_format(folder: &Path, format: TableFormat) -> Result<(), WriteError> {
    if format == TableFormat::Parquet && cfg!(not(feature = "columnar")) {
        return Err(WriteError::NoParquet { folder: folder.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> (String, Vec<u8>) {
        (name.to_owned(), vec![1, 2, 3])
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let names = fs::read_dir(folder).unwrap().map(|entry| name(entry).into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn partial_files_were_left_where_a_later_one_failed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("figures"), "a file where a folder should be").unwrap();
        let files = [file("a.csv"), file("figures/b.svg")];
        let failed = put_files(folder.path(), &files, &[], false);
        assert!(matches!(failed, Err(WriteError::Unwritable { .. })), "{failed:?}");
        assert_eq!(names(folder.path()), ["figures"]);
    }

    #[test]
    fn old_files_give_way_to_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        put_files(folder.path(), &[file("a.csv"), file("b.csv")], &[], false).unwrap();
        let old = ["a.csv", "b.csv"].map(str::to_owned);
        let again = put_files(folder.path(), &[file("a.csv")], &old, false);
        assert!(matches!(again, Err(WriteError::Exists { .. })), "{again:?}");
        put_files(folder.path(), &[file("a.csv")], &old, true).unwrap();
        assert_eq!(names(folder.path()), ["a.csv"]);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_known_before_and_trying_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        check_files(&folder.path().join("of/results"), ["a.csv"], false).unwrap();
        assert!(names(folder.path()).is_empty());
        fs::write(folder.path().join("of"), "a file").unwrap();
        let blocked = check_files(&folder.path().join("of/results"), ["a.csv"], false);
        assert!(matches!(blocked, Err(WriteError::Unwritable { .. })), "{blocked:?}");
        check_files(folder.path(), ["a.csv"], false).unwrap();
        assert_eq!(names(folder.path()), ["of"]);
    }
}
