//! Readers, sessions, texts and trials that the names of files tell.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use regex::{Captures, Regex};
use thiserror::Error;

use crate::import::error::{At, ImportError};
use crate::import::format::stem;
use crate::import::remark::Remark;
use crate::import::setting::{Phrase, Setting, phrase};
use crate::import::values::composed;

/// What a name can tell.
const GROUPS: [&str; 4] = ["reader", "session", "text", "trial"];

/// What the name of a reader does not.
const OF_TEXTS: [&str; 2] = ["text", "trial"];

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NamePatternError {
    /// Not a regular expression.
    #[error("{pattern:?} is no regular expression: {problem}")]
    Syntax {
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Nothing that is to be taken from a name, or something unknown.
    #[error(
        "{pattern:?} must have groups among reader, session, text and trial, such as \
         (?<reader>\\d+)_(?<session>\\d)"
    )]
    Groups {
        /// The pattern.
        pattern: String,
    },
    /// Something else than readers and sessions, or no reader.
    #[error(
        "{pattern:?} must have a group reader, and may have a group session, such as \
         (?<reader>[^_]+)_(?<session>[^_]+)"
    )]
    Readers {
        /// The pattern.
        pattern: String,
    },
}

/// How names of files tell who read what, and when.
#[derive(Debug, Clone)]
pub struct NamePattern(Regex);

impl NamePattern {
    /// A regular expression with groups `reader`, `session`, `text` or `trial`.
    ///
    /// # Errors
    /// If it is none, or has no group of these, or others.
    pub fn new(pattern: &str) -> Result<Self, NamePatternError> {
        let regex = crate::import::trials::compile(pattern).map_err(|error| {
            let (pattern, problem) = (pattern.to_owned(), error.to_string());
            NamePatternError::Syntax { pattern, problem }
        })?;
        let mut groups = regex.capture_names().flatten().peekable();
        if groups.peek().is_none() || !groups.all(|group| GROUPS.contains(&group)) {
            return Err(NamePatternError::Groups { pattern: pattern.to_owned() });
        }
        Ok(Self(regex))
    }

    /// The pattern as it was given.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// A regular expression with groups `reader` and `session`, for the names of readers.
    ///
    /// # Errors
    /// If it is none, or has no group `reader`, or others.
    pub fn of_readers(pattern: &str) -> Result<Self, NamePatternError> {
        let found = Self::new(pattern)?;
        let groups: Vec<&str> = found.0.capture_names().flatten().collect();
        match groups.contains(&"reader") && !groups.iter().any(|group| OF_TEXTS.contains(group)) {
            true => Ok(found),
            false => Err(NamePatternError::Readers { pattern: pattern.to_owned() }),
        }
    }

    /// The same pattern without some groups, as it may be given in its place: what named a text names
    /// sessions, so that recordings are told apart. `None` where no group is left.
    pub(super) fn without(&self, groups: &[&str]) -> Option<String> {
        let has_session = self.0.capture_names().flatten().any(|group| group == "session");
        let mut pattern = self.0.as_str().to_owned();
        let mut sessions = usize::from(has_session);
        for group in groups {
            let instead = match OF_TEXTS.contains(group) && sessions == 0 {
                true => "(?<session>",
                false => "(?:",
            };
            sessions += usize::from(instead != "(?:");
            for named in [format!("(?<{group}>"), format!("(?P<{group}>")] {
                pattern = pattern.replace(&named, instead);
            }
        }
        Self::new(&pattern).is_ok().then_some(pattern)
    }

    /// What is matched of a path: its name, or all of it where the pattern is about folders.
    fn subject(&self, path: &Path) -> String {
        match self.0.as_str().contains('/') {
            true => path.to_string_lossy().replace('\\', "/"),
            false => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// Whether a file is called so.
    pub(super) fn fits(&self, path: &Path) -> bool {
        self.0.is_match(&self.subject(path))
    }

    /// What the name of a file tells.
    ///
    /// # Errors
    /// If it does not match.
    pub(super) fn read(&self, path: &Path) -> Result<FileNames, ImportError> {
        let name = self.subject(path);
        let Some(found) = self.0.captures(&name) else {
            return Err(ImportError::value(
                At::file(path),
                format!("the name {name}"),
                format!("one like {}", self.0.as_str()),
                phrase![
                    "rename the file, leave it out, or correct ",
                    Setting::FromName,
                    "; a pattern with / is about folders as well"
                ],
            ));
        };
        Ok(FileNames::of(&found))
    }

    /// What the name of a reader tells, where it is like the pattern.
    pub(super) fn read_reader(&self, reader: &str) -> Option<FileNames> {
        self.0.captures(reader).map(|found| FileNames::of(&found))
    }
}

/// What stands between the parts of names.
const SIGNS: [char; 4] = ['_', '-', '.', ' '];

/// The names of inputs, no two alike: of files alike in different folders with as many of those as it
/// takes, and with a number where that does not help.
pub(super) fn names(inputs: &[PathBuf]) -> Vec<Arc<str>> {
    /// Folders that are tried.
    const FOLDERS: usize = 8;
    let with_folders = |input: &Path, count: usize| -> String {
        let folders = input.parent().into_iter().flat_map(Path::ancestors);
        let folders = folders.filter_map(Path::file_name).take(count);
        let mut parts: Vec<String> = folders.map(|f| f.to_string_lossy().into_owned()).collect();
        parts.reverse();
        parts.push(stem(input).to_string());
        parts.join("-")
    };
    let alike = |names: &[String]| -> HashSet<String> {
        let mut seen = HashSet::new();
        names.iter().filter(|name| !seen.insert(name.as_str())).cloned().collect()
    };
    let mut names: Vec<String> = inputs.iter().map(|input| with_folders(input, 0)).collect();
    for count in 1..=FOLDERS {
        let alike = alike(&names);
        for (name, input) in names.iter_mut().zip(inputs).filter(|(name, _)| alike.contains(*name))
        {
            *name = with_folders(input, count);
        }
    }
    // The same file twice keeps its name, and is found out.
    let mut paths: HashMap<String, Vec<&Path>> = HashMap::new();
    for (name, input) in names.iter_mut().zip(inputs) {
        let alike = paths.entry(name.clone()).or_default();
        let at = alike.iter().position(|path| path == input).unwrap_or(alike.len());
        if at == alike.len() {
            alike.push(input);
        }
        if at > 0 {
            *name = format!("{name}-{}", at + 1);
        }
    }
    names.into_iter().map(Into::into).collect()
}

/// Where texts have their names from, as far as that says what the names of files may tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextsOf {
    /// Nothing in the files names them.
    Files,
    /// Columns or messages do: what differs between the files of a reader tells sessions.
    Rows,
}

/// What to say where readers are called as these files.
pub(super) fn named_as_files(files: &[(&Path, &str)], texts: TextsOf) -> Option<Remark> {
    let stems: Vec<Arc<str>> = files.iter().map(|(path, _)| stem(path)).collect();
    let stems: Vec<&str> = stems.iter().map(AsRef::as_ref).collect();
    let warning = Parts::of(&stems, texts).and_then(|parts| parts.warning()).map(Remark::warning);
    let names: Vec<&str> = files.iter().map(|(_, name)| *name).collect();
    warning.or_else(|| maybe_one_reader(&names).map(Remark::decision))
}

/// How names of files may tell recordings apart that are taken for one.
pub(super) fn told_apart(files: &[PathBuf], given: Option<&NamePattern>, texts: TextsOf) -> Phrase {
    let stems: Vec<Arc<str>> = files.iter().map(|path| stem(path)).collect();
    let stems: Vec<&str> = stems.iter().map(AsRef::as_ref).collect();
    let pattern = Parts::of(&stems, texts).and_then(|parts| parts.pattern());
    let by_names = phrase!["by the names of their files (", Setting::FromName];
    match (pattern, given) {
        (Some(pattern), given) if given.is_none_or(|given| given.0.as_str() != pattern) => {
            by_names.and(format!(" '{pattern}')"))
        }
        (_, None) => by_names
            .and(" '(?<reader>[^_]+)_(?<session>[^_.]+)' for files such as READER_SESSION.csv)"),
        (_, Some(_)) => phrase![
            "by further groups of ",
            Setting::FromName,
            ": session, text or trial; files of a folder that it does not match are left out"
        ],
    }
}

/// What to say where readers are called as recordings are, and several may be of one reader.
pub(super) fn named_as_recordings(readers: &[&str], column: &str) -> Option<Phrase> {
    let parts = Parts::of(readers, TextsOf::Rows)?;
    let pattern = parts.pattern().filter(|_| parts.recur())?;
    let [one, other] = parts.alike()?;
    Some(phrase![
        format!(
            "readers are called as {column} says, which names recordings, and {one} and {other} are two, \
             while parts of these names recur with others: if they are sessions of one reader, let the \
             names tell, with "
        ),
        Setting::FromReader,
        format!(" '{pattern}', and if not, say so with "),
        Phrase::choice("reader", column)
    ])
}

/// What to say where several files may be of one reader: those that begin alike, up to a sign.
fn maybe_one_reader(readers: &[&str]) -> Option<String> {
    let mut first: HashMap<&str, &str> = HashMap::new();
    let (mut alike, mut example) = (0, None);
    for &name in readers {
        let Some((start, _)) = name.split_once(SIGNS).filter(|(start, _)| !start.is_empty()) else {
            continue;
        };
        let earlier = *first.entry(start).or_insert(name);
        if earlier != name {
            alike += 1;
            example.get_or_insert((earlier, name));
        }
    }
    // Names that all begin alike begin with the study.
    let (one, other) = example.filter(|_| first.len() > 1 || alike == 1)?;
    Some(format!(
        "readers are called as their files, and {one} and {other} are two: if files of one reader begin \
         alike, let their names tell, by a pattern such as (?<reader>[^_]+)_(?<session>[^_.]+)"
    ))
}

/// Names of files in parts, of which some tell who read what.
struct Parts<'n> {
    /// The parts of each name.
    names: Vec<Vec<&'n str>>,
    /// What stands between them, the same in all.
    signs: Vec<&'n str>,
    reader: usize,
    /// The first and the last of the parts that tell sessions.
    session: Option<(usize, usize)>,
    text: Option<usize>,
}

impl<'n> Parts<'n> {
    /// Of names without extensions; `None` where they are not in parts alike, or each may well be a
    /// reader's own.
    fn of(names: &[&'n str], texts: TextsOf) -> Option<Self> {
        let parts = |name: &'n str| name.split(SIGNS).collect::<Vec<_>>();
        let signs = |name: &'n str| name.matches(SIGNS).collect::<Vec<_>>();
        let signs = match names {
            [first, others @ ..] if others.iter().all(|name| signs(name) == signs(first)) => {
                signs(first)
            }
            _ => return None,
        };
        let names: Vec<Vec<&str>> = names.iter().map(|name| parts(name)).collect();
        if names.iter().flatten().any(|part| part.is_empty()) {
            return None;
        }
        let distinct =
            |at: usize| names.iter().map(|parts| parts[at]).collect::<HashSet<_>>().len();
        let varying: Vec<usize> = (0..=signs.len()).filter(|&at| distinct(at) > 1).collect();
        let (&reader, others) = varying.split_first()?;
        let (&first, &last) = (others.first()?, others.last()?);
        if distinct(reader) == names.len() {
            return None;
        }
        let are_sessions = |at: &usize| names.iter().all(|parts| is_session(parts[*at]));
        if texts == TextsOf::Rows {
            return Some(Self { names, signs, reader, session: Some((first, last)), text: None });
        }
        let is_session = are_sessions(&last);
        let session = match is_session {
            true => Some(last),
            false => (reader + 1..=signs.len()).filter(|&at| at != last).find(are_sessions),
        };
        let session = session.map(|at| (at, at));
        let text = (!is_session).then_some(last);
        Some(Self { names, signs, reader, session, text })
    }

    /// Whether what some readers' files are called recurs in files of others: then it is no part of what
    /// readers are called.
    fn recur(&self) -> bool {
        let mut readers: HashMap<&[&str], &str> = HashMap::new();
        self.names.iter().any(|parts| {
            let earlier = *readers.entry(&parts[self.reader + 1..]).or_insert(parts[self.reader]);
            earlier != parts[self.reader]
        })
    }

    /// A pattern that takes these names apart, each in its own way; `None` where there is none.
    fn pattern(&self) -> Option<String> {
        let mut others: Vec<char> = self.signs.iter().flat_map(|sign| sign.chars()).collect();
        others.push('.');
        others.sort_unstable();
        others.dedup();
        // Of signs in brackets, the last may be a hyphen.
        others.sort_by_key(|&sign| sign == '-');
        let part = format!("[^{}]+", others.iter().collect::<String>());
        let alone = |at: usize| (at, at);
        let groups = [
            (Some(alone(self.reader)), "reader"),
            (self.session, "session"),
            (self.text.map(alone), "text"),
        ];
        let mut pattern = "^".to_owned();
        for at in 0..=self.signs.len() {
            for (_, group) in groups.iter().filter(|(of, _)| of.is_some_and(|of| of.0 == at)) {
                pattern.push_str(&format!("(?<{group}>"));
            }
            pattern.push_str(&part);
            for _ in groups.iter().filter(|(of, _)| of.is_some_and(|of| of.1 == at)) {
                pattern.push(')');
            }
            pattern.push_str(&self.signs.get(at).map_or(String::new(), |sign| regex::escape(sign)));
        }
        let compiled = NamePattern::new(&pattern).ok()?;
        let taken = self.names.iter().map(|parts| {
            let mut name = String::new();
            for (at, part) in parts.iter().enumerate() {
                name.push_str(part);
                name.push_str(self.signs.get(at).unwrap_or(&""));
            }
            compiled.read(Path::new(&name)).ok()
        });
        let taken: Option<HashSet<FileNames>> = taken.collect();
        (taken?.len() == self.names.len()).then_some(pattern)
    }

    /// Two names of one reader, if it is one.
    fn alike(&self) -> Option<[String; 2]> {
        let whole = |parts: &[&str]| {
            let signs = self.signs.iter().copied().chain([""]);
            parts.iter().zip(signs).flat_map(|(part, sign)| [*part, sign]).collect::<String>()
        };
        let mut first: HashMap<&str, &[&str]> = HashMap::new();
        self.names.iter().find_map(|parts| {
            let earlier = *first.entry(parts[self.reader]).or_insert(parts);
            (earlier != parts).then(|| [whole(earlier), whole(parts)])
        })
    }

    /// What to say where readers are called as these files.
    fn warning(&self) -> Option<Phrase> {
        let pattern = self.pattern().filter(|_| self.recur())?;
        let [one, other] = self.alike()?;
        Some(phrase![
            format!(
                "readers are called as their files, and {one} and {other} are two, while parts of these \
                 names recur with others: if files of one reader begin alike, let their names tell, with "
            ),
            Setting::FromName,
            format!(" '{pattern}'"),
        ])
    }
}

/// Whether a part of a name counts sessions: `2`, `s2`, `ses-2`, `day1`.
fn is_session(part: &str) -> bool {
    let part = part.to_lowercase();
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let names = ["", "s", "ses", "sess", "session", "v", "visit", "day", "run", "r", "wave"];
    letters.len() < part.len() && part.len() - letters.len() <= 2 && names.contains(&letters)
}

/// What to say where names of readers differ in nothing but how they are written: in capitals, in zeros
/// before a number or behind its point.
pub(super) fn written_alike<'n>(readers: impl Iterator<Item = &'n str>) -> Option<Phrase> {
    let mut first: HashMap<String, &str> = HashMap::new();
    for name in readers {
        let plain = name.to_lowercase();
        let number = plain.strip_suffix(".0").unwrap_or(&plain).trim_start_matches('0');
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let key = if is_number { number.to_owned() } else { plain };
        let earlier = *first.entry(key).or_insert(name);
        if earlier != name {
            return Some(
                format!(
                    "readers {earlier} and {name} are two, and their names differ only in how they are \
                     written: if they are one, write them alike"
                )
                .into(),
            );
        }
    }
    None
}

/// What the name of a file tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(in crate::import) struct FileNames {
    pub(super) reader: Option<Arc<str>>,
    pub(super) session: Option<Arc<str>>,
    pub(super) text: Option<Arc<str>>,
    pub(super) trial: Option<Arc<str>>,
}

impl FileNames {
    fn of(found: &Captures<'_>) -> Self {
        let [reader, session, text, trial] = GROUPS.map(|group| {
            let name = found.name(group)?.as_str().trim();
            (!name.is_empty()).then(|| composed(name).into())
        });
        Self { reader, session, text, trial }
    }

    /// What a file is about that does not say it itself. Pages of different sessions are different
    /// ones, as far as anybody knows.
    pub(super) fn page(&self) -> Option<Arc<str>> {
        let of_session = || self.session.as_ref().map(|session| format!("page-{session}").into());
        self.text.clone().or_else(of_session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_readers_and_sessions() {
        let pattern = NamePattern::new(r"ID_(?<reader>\d+)_(?<session>\d)").unwrap();
        let names = pattern.read(Path::new("data/ID_007_2.txt")).unwrap();
        assert_eq!(names.reader.as_deref(), Some("007"));
        assert_eq!((names.page().as_deref(), names.text), (Some("page-2"), None));
        let error = pattern.read(Path::new("data/readme.txt")).unwrap_err().to_string();
        assert!(error.contains("readme.txt") && error.contains("`from_name`"), "{error}");
    }

    #[test]
    fn files_of_one_reader_are_asked_about() {
        let asked = maybe_one_reader;
        let names = ["anna_1", "anna_2", "ben_1", "cleo"];
        assert!(asked(&names).is_some_and(|note| note.contains("anna_1 and anna_2 are two")));
        assert_eq!(asked(&["anna", "ben_1", "cleo_1"]), None);
        assert_eq!(asked(&["study_1", "study_2", "study_3"]), None);
    }

    #[test]
    fn a_pattern_for_names_in_parts_takes_them_apart() {
        let found = |names: &[&str]| {
            let parts = Parts::of(names, TextsOf::Files)?;
            Some((parts.pattern()?, parts.recur()))
        };
        let of_texts = ["P01_s1_story1", "P01_s1_story2", "P02_s1_story1"];
        let pattern = "^(?<reader>[^._]+)_(?<session>[^._]+)_(?<text>[^._]+)";
        assert_eq!(found(&of_texts), Some((pattern.to_owned(), true)));
        let of_sessions = ["study-7 ses1", "study-7 ses2", "study-9 ses1"];
        let pattern = r"^[^ .-]+\-(?<reader>[^ .-]+) (?<session>[^ .-]+)";
        assert_eq!(found(&of_sessions), Some((pattern.to_owned(), true)));
        assert_eq!(found(&["smith_j", "smith_a", "jones_b"]).map(|found| found.1), Some(false));
        for names in
            [&["anna", "ben"][..], &["a_1", "b-1"], &["a_x", "b_x", "c_y"], &["a_1", "a_2"]]
        {
            assert_eq!(found(names), None, "{names:?}");
        }
    }

    #[test]
    fn where_rows_name_texts_names_of_files_tell_sessions() {
        let found = |names: &[&str]| Parts::of(names, TextsOf::Rows)?.pattern();
        let pattern = "^(?<reader>[^._]+)_(?<session>[^._]+)";
        assert_eq!(found(&["P01_A", "P01_B", "P02_A"]).as_deref(), Some(pattern));
        let pattern = "^(?<reader>[^._]+)_(?<session>[^._]+_[^._]+)";
        assert_eq!(found(&["P1_s1_a", "P1_s2_b", "P2_s1_b"]).as_deref(), Some(pattern));
    }

    #[test]
    fn groups_that_rows_contradict_are_left_out_of_a_pattern() {
        let without =
            |pattern: &str, groups: &[&str]| NamePattern::new(pattern).unwrap().without(groups);
        assert_eq!(
            without("(?<reader>.)_(?P<text>.)", &["text"]).as_deref(),
            Some("(?<reader>.)_(?<session>.)")
        );
        assert_eq!(
            without("(?<reader>.)_(?<session>.)_(?<text>.)", &["text"]).as_deref(),
            Some("(?<reader>.)_(?<session>.)_(?:.)")
        );
        assert_eq!(without("(?<reader>.)", &["reader"]), None);
        assert!(NamePattern::of_readers("(?<session>.)").is_err());
        assert!(NamePattern::of_readers("(?<reader>.)_(?<text>.)").is_err());
        assert!(NamePattern::of_readers("(?<reader>.)_(?<session>.)").is_ok());
    }

    #[test]
    fn readers_that_are_called_as_their_recordings_are_told() {
        let told =
            |names: &[&str]| named_as_recordings(names, "LABEL").map(|told| told.to_string());
        let told_of_two = told(&["S01_1", "S01_2", "S02_1", "S02_2"]).unwrap();
        let pattern = "'^(?<reader>[^._]+)_(?<session>[^._]+)'";
        assert!(told_of_two.contains("S01_1 and S01_2 are two"), "{told_of_two}");
        assert!(told_of_two.contains(pattern), "{told_of_two}");
        assert_eq!(told(&["S01_1", "S02_1", "S03_2"]), None);
    }

    #[test]
    fn folders_name_readers_where_the_pattern_has_some() {
        let pattern = NamePattern::new("(?<reader>[^/]+)/exports/").unwrap();
        let names = pattern.read(Path::new("all/P01/exports/000/fixations.csv")).unwrap();
        assert_eq!(names.reader.as_deref(), Some("P01"));
        assert!(!pattern.fits(Path::new("all/P01/fixations.csv")));
    }

    #[test]
    fn names_that_are_written_in_two_ways_are_told() {
        let told = |names: &[&str]| written_alike(names.iter().copied()).is_some();
        assert!(told(&["anna", "ben", "Anna"]) && told(&["1", "01"]) && told(&["7.0", "7"]));
        assert!(!told(&["anna", "anna", "ann"]) && !told(&["1", "10", "0", "00a"]));
    }

    #[test]
    fn a_pattern_names_what_it_takes() {
        let groups = |pattern: &str| NamePattern::new(pattern).unwrap_err().to_string();
        assert!(groups(r"(\d+)").contains("reader, session"));
        assert!(groups(r"(?<who>\d+)").contains("reader, session"));
        assert!(groups(r"(?<reader>").contains("regular expression"));
    }
}
