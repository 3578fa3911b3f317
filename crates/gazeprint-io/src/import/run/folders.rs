//! Folders in the place of files.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::Request;
use crate::import::bids;
use crate::import::error::{At, ImportError};
use crate::import::setting::{Phrase, Setting, phrase};

/// How files of recordings end, packed or not.
const RECORDINGS: [&str; 13] = [
    "asc", "csv", "tsv", "tab", "txt", "dat", "da1", "json", "parquet", "arrow", "feather", "xlsx",
    "xls",
];

/// What files are called that tell people about the others.
const FOR_PEOPLE: [&str; 6] = ["readme", "license", "licence", "changes", "changelog", "citation"];

/// Folders within folders that are looked into.
const DEPTH: usize = 16;

/// Files of recordings, and those that folders hold beside them.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) files: Vec<PathBuf>,
    /// What was found in folders, in words.
    pub(super) notes: Vec<String>,
    /// What was left out of them, and should perhaps not be.
    pub(super) warnings: Vec<Phrase>,
}

/// The files that a request is about: those that are named, and those that named folders hold, in the
/// order of their names. Of a data set of BIDS, these are the recordings: the others are read with them.
///
/// # Errors
/// If a folder cannot be read, has no recording, or is a corpus already.
pub fn input_files(request: &Request) -> Result<Vec<PathBuf>, ImportError> {
    Ok(find(request)?.files)
}

/// As [`input_files`], with notes.
pub(super) fn find(request: &Request) -> Result<Found, ImportError> {
    let mut found = Found::default();
    for input in &request.inputs {
        if input.is_dir() {
            folder(input, request, &mut found)?;
        } else {
            found.files.push(input.clone());
        }
    }
    Ok(found)
}

fn folder(folder: &Path, request: &Request, found: &mut Found) -> Result<(), ImportError> {
    if request.words.is_none()
        && ["fixations.csv", "words.csv"].iter().all(|f| folder.join(f).is_file())
    {
        return Err(ImportError::value(
            At::file(folder),
            "the folder of a corpus, with fixations.csv and words.csv",
            "recordings",
            phrase![
                "use it as it is; or give the tables one by one, the words with ",
                Setting::Words
            ],
        ));
    }
    let mut all = Vec::new();
    walk(folder, DEPTH, &mut all)?;
    all.sort();
    let beside = [&request.words, &request.text, &request.trials];
    let beside: Vec<PathBuf> = beside.into_iter().flatten().map(|path| real(path)).collect();
    all.retain(|path| !beside.contains(&real(path)));
    let is_bids = all.iter().any(|path| bids::side_files(path).is_some());
    let is_taken = |path: &PathBuf| match is_bids {
        true => bids::side_files(path).is_some(),
        false => is_recording(path),
    };
    let (taken, left): (Vec<PathBuf>, Vec<PathBuf>) = all.into_iter().partition(is_taken);
    if taken.is_empty() {
        return Err(ImportError::value(
            At::file(folder),
            format!("a folder with {} files", left.len()),
            format!("recordings in it: files that end with {}", RECORDINGS.join(", ")),
            "give the files themselves",
        ));
    }
    let fits = |path: &PathBuf| request.from_name.as_ref().is_none_or(|names| names.fits(path));
    let (taken, unlike): (Vec<PathBuf>, Vec<PathBuf>) = taken.into_iter().partition(fits);
    let name = folder.display();
    if let Some(pattern) = request.from_name.as_ref().filter(|_| !unlike.is_empty()) {
        let (pattern, names) = (pattern.as_str(), named(&unlike, folder));
        if taken.is_empty() {
            return Err(ImportError::value(
                At::file(folder),
                format!("recordings that are called {names}"),
                format!("names like {pattern}"),
                phrase![
                    "correct ",
                    Setting::FromName,
                    "; a pattern with / is about folders as well"
                ],
            ));
        }
        found.warnings.push(phrase![
            format!(
                "{name}: left out as they are not called like {pattern}: {names}; if they should \
                     not be, correct "
            ),
            Setting::FromName
        ]);
    }
    found.notes.push(format!("{name}: a folder, of which {} files are read", taken.len()));
    if !left.is_empty() && !is_bids {
        let names = named(&left, folder);
        found.notes.push(format!("{name}: left out as no recordings are called so: {names}"));
    }
    found.files.extend(taken);
    Ok(())
}

/// Some files of a folder, for messages.
fn named(files: &[PathBuf], folder: &Path) -> String {
    const NAMED: usize = 5;
    let names = files.iter().take(NAMED).filter_map(|path| path.strip_prefix(folder).ok());
    let names: Vec<String> = names.map(|name| name.display().to_string()).collect();
    let more = files.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.join(", ") + &more
}

/// A path by which files can be compared.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The files below a folder. Hidden ones are none of people's.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    let failed = |error| ImportError::Unreadable { at: At::file(folder), error };
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        // Links to folders may lead in circles.
        if entry.file_type().map_err(failed)?.is_dir() {
            if depth > 0 {
                walk(&path, depth - 1, files)?;
            }
        } else if path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}

fn is_recording(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.')
        .is_some_and(|(stem, end)| RECORDINGS.contains(&end) && !FOR_PEOPLE.contains(&stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str], request: Request) -> Result<(Vec<String>, Vec<String>), ImportError> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let inputs = vec![folder.path().to_owned()];
        let inside = |path: PathBuf| folder.path().join(path);
        let words = request.words.clone().map(inside);
        let found = find(&Request { inputs, words, ..request })?;
        let name = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
        Ok((found.files.iter().map(name).collect(), found.notes))
    }

    #[test]
    fn a_folder_stands_for_its_recordings() {
        let files = ["b/2.csv.gz", "b/1.CSV", "a.asc", "README.txt", ".hidden.csv", "words.csv"];
        let request = Request { words: Some("words.csv".into()), ..Request::default() };
        let (files, notes) = found(&files, request).unwrap();
        assert_eq!(files, ["a.asc", "b/1.CSV", "b/2.csv.gz"]);
        assert!(notes[0].ends_with("3 files are read"), "{notes:?}");
        assert!(notes[1].ends_with("are called so: README.txt"), "{notes:?}");
    }

    #[test]
    fn files_of_a_folder_with_other_names_are_left_out_aloud() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["P1_a.csv", "P2_a.csv", "list.csv"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let asked = |pattern: &str| {
            let from_name = Some(super::super::NamePattern::new(pattern).unwrap());
            let inputs = vec![folder.path().to_owned()];
            find(&Request { inputs, from_name, ..Request::default() })
        };
        let found = asked("(?<reader>P.)_").unwrap();
        let warning = found.warnings[0].to_string();
        assert!(found.files.len() == 2 && warning.contains("list.csv"), "{warning}");
        let error = asked("(?<reader>Q.)_").unwrap_err().to_string();
        assert!(error.contains("P1_a.csv") && error.contains("`from_name`"), "{error}");
    }

    #[test]
    fn of_a_data_set_of_bids_the_recordings_are_taken() {
        let files = [
            "participants.tsv",
            "sub-1/beh/sub-1_task-a_physio.tsv.gz",
            "sub-1/beh/sub-1_task-a_physio.json",
            "sub-1/beh/sub-1_task-a_physioevents.tsv.gz",
        ];
        let (files, notes) = found(&files, Request::default()).unwrap();
        assert_eq!(files, ["sub-1/beh/sub-1_task-a_physio.tsv.gz"]);
        assert_eq!(notes.len(), 1);
    }

    #[test]
    fn folders_of_something_else_are_refused() {
        let error = found(&["notes.pdf"], Request::default()).unwrap_err().to_string();
        assert!(error.contains("a folder with 1 files") && error.contains("csv"), "{error}");
        let corpus = ["fixations.csv", "words.csv"];
        let error = found(&corpus, Request::default()).unwrap_err().to_string();
        assert!(error.contains("use it as it is"), "{error}");
    }
}
