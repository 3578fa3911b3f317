//! Imports of made-up files, and what comes of them.

use std::path::Path;

use serde_json::Value;

use crate::common::{gazeprint_in, refused, succeeded};

pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    folder
}

pub(crate) fn import(folder: &Path, arguments: &[&str]) -> (Value, String) {
    let all = [&["import"], arguments, &["--out", "corpus", "--json", "--overwrite"]].concat();
    let report = serde_json::from_str(&succeeded(&gazeprint_in(folder, &all))).unwrap();
    (report, std::fs::read_to_string(folder.join("corpus/fixations.csv")).unwrap())
}

pub(crate) fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let all = [&["import"], arguments, &["--out", "refused"]].concat();
    let message = refused(&gazeprint_in(folder, &all), 1);
    assert!(!folder.join("refused").exists(), "something was written");
    message
}

/// The cells of some columns, row by row.
pub(crate) fn cells(table: &str, columns: &[&str]) -> Vec<String> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let places: Vec<usize> = columns
        .iter()
        .map(|column| names.iter().position(|name| name == column).unwrap())
        .collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            places.iter().map(|&place| cells[place]).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

pub(crate) fn warned(report: &Value, words: &str) {
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains(words), "{words:?} is not in {warnings}");
}

pub(crate) fn decided(report: &Value, words: &str) {
    let decisions = report["decisions"].to_string();
    assert!(decisions.contains(words), "{words:?} is not in {decisions}");
}
