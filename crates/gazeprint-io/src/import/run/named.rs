//! Readers, sessions, texts and trials that the names of files tell.

use std::path::Path;
use std::sync::Arc;

use regex::Regex;
use thiserror::Error;

use crate::import::error::{At, ImportError};
use crate::import::recording::{RawFixation, RawWord, Reason, RowPlace, Sink};
use crate::import::setting::{Setting, phrase};

/// What a name can tell.
const GROUPS: [&str; 4] = ["reader", "session", "text", "trial"];

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

    /// What the name of a file tells.
    ///
    /// # Errors
    /// If it does not match.
    pub(super) fn read(&self, path: &Path) -> Result<FileNames, ImportError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(found) = self.0.captures(&name) else {
            return Err(ImportError::value(
                At::file(path),
                format!("the name {name}"),
                format!("one like {}", self.0.as_str()),
                phrase!["rename the file, leave it out, or correct ", Setting::FromName],
            ));
        };
        let [reader, session, text, trial] = GROUPS.map(|group| {
            let name = found.name(group)?.as_str().trim();
            (!name.is_empty()).then(|| Arc::from(name))
        });
        Ok(FileNames { reader, session, text, trial })
    }
}

/// What the name of a file tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::import) struct FileNames {
    pub(super) reader: Option<Arc<str>>,
    pub(super) session: Option<Arc<str>>,
    pub(super) text: Option<Arc<str>>,
    pub(super) trial: Option<Arc<str>>,
}

impl FileNames {
    /// What a file is about that does not say it itself. Pages of different sessions are different
    /// ones, as far as anybody knows.
    pub(super) fn page(&self) -> Option<Arc<str>> {
        let of_session = || self.session.as_ref().map(|session| format!("page-{session}").into());
        self.text.clone().or_else(of_session)
    }

    /// A sink in which fixations have these names, whatever their rows say.
    pub(super) fn renaming<'s>(&'s self, sink: &'s mut dyn Sink) -> Renaming<'s> {
        Renaming { names: self, sink }
    }
}

/// Gives fixations the names that their file has.
pub(super) struct Renaming<'s> {
    names: &'s FileNames,
    sink: &'s mut dyn Sink,
}

impl Sink for Renaming<'_> {
    fn fixation(&mut self, place: RowPlace, mut fixation: RawFixation) -> Result<(), ImportError> {
        let FileNames { reader, session, text, trial } = self.names;
        if let Some(reader) = reader {
            fixation.reader = Arc::clone(reader);
        }
        if let Some(text) = text {
            fixation.text = Arc::clone(text);
        }
        fixation.session = session.clone().or(fixation.session);
        fixation.trial = trial.clone().or(fixation.trial);
        self.sink.fixation(place, fixation)
    }

    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError> {
        self.sink.word(place, word)
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str) {
        self.sink.dropped(place, reason, example);
    }

    fn note(&mut self, note: String) {
        self.sink.note(note);
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
    fn a_pattern_names_what_it_takes() {
        let groups = |pattern: &str| NamePattern::new(pattern).unwrap_err().to_string();
        assert!(groups(r"(\d+)").contains("reader, session"));
        assert!(groups(r"(?<who>\d+)").contains("reader, session"));
        assert!(groups(r"(?<reader>").contains("regular expression"));
    }
}
