//! The book has all documents, and no link leads nowhere.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where the links of a document lead: files of the repository.
fn links(document: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(document).unwrap();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let local = targets.filter(|target| !target.is_empty() && !target.contains(':'));
    local.map(|target| document.parent().unwrap().join(target)).collect()
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The folder of the book, which mirrors the root.
fn book() -> PathBuf {
    root().join("book/src")
}

fn chapters() -> Vec<PathBuf> {
    links(&book().join("SUMMARY.md"))
}

/// A path without the parts that lead upwards, links or not: so a browser understands it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(plain.pop(), "{}", path.display()),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn links_of_the_book_led_out_of_it() {
    let book = book().canonicalize().unwrap();
    let chapters: HashSet<PathBuf> = chapters()
        .iter()
        .map(|chapter| book.join(chapter.strip_prefix(self::book()).unwrap()))
        .collect();
    for chapter in &chapters {
        for link in links(chapter) {
            let target = plain(&link);
            let told = || format!("{}: {}", chapter.display(), link.display());
            assert!(target.starts_with(&book) && target.is_file(), "{}", told());
            let is_document = target.extension().is_some_and(|extension| extension == "md");
            assert!(!is_document || chapters.contains(&target), "{} is no chapter", told());
        }
    }
}

#[test]
fn the_book_has_all_documents() {
    let chapters: HashSet<PathBuf> =
        chapters().iter().map(|chapter| chapter.canonicalize().unwrap()).collect();
    let mut all = Vec::new();
    documents(&root().join("docs"), &mut all);
    assert!(all.len() > 15, "{all:?}");
    for document in all {
        let document = document.canonicalize().unwrap();
        assert!(chapters.contains(&document), "{} is not in the book", document.display());
    }
}

#[test]
fn links_between_documents_hold() {
    let mut all = Vec::new();
    documents(&root().join("docs"), &mut all);
    let names = ["README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY"];
    all.extend(names.map(|name| root().join(format!("{name}.md"))));
    for document in all {
        for link in links(&document) {
            assert!(link.exists(), "{}: {}", document.display(), link.display());
        }
    }
}
