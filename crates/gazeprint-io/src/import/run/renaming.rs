//! Names of files and of recordings in the place of those that rows have.
//!
//! What a name says counts for all rows of a file. Rows that differ where the name says one thing would
//! become one reading, or readings of one text, in silence: that is refused.

use std::collections::HashMap;
use std::sync::Arc;

use super::named::{FileNames, NamePattern};
use crate::import::error::{At, ImportError};
use crate::import::recording::{RawFixation, RawWord, ReadingKey, Reason, RowPlace, Sink};
use crate::import::setting::{Phrase, Setting, phrase};

/// What rows said, where names say something else.
#[derive(Debug, Default)]
pub(in crate::import) struct RowNames {
    /// What the rows of a reading say that it is, by file and by what it is called.
    readings: HashMap<(usize, ReadingKey), ReadingKey>,
    /// Who reads by the rows of a file whose name says it.
    readers: HashMap<usize, Arc<str>>,
    /// The file and the text of the rows first called like a text of names.
    texts: HashMap<Arc<str>, (usize, Arc<str>)>,
}

/// The groups of patterns, in the order of a [`ReadingKey`].
const GROUPS: [&str; 4] = ["reader", "text", "session", "trial"];

/// What is asked of names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patterns<'p> {
    /// For names of files.
    pub(super) files: Option<&'p NamePattern>,
    /// For names of readers.
    pub(super) readers: Option<&'p NamePattern>,
}

/// Gives fixations the names that their file has.
pub(super) struct Renaming<'s> {
    pub(super) names: &'s FileNames,
    pub(super) patterns: Patterns<'s>,
    pub(super) rows: &'s mut RowNames,
    pub(super) sink: &'s mut dyn Sink,
}

impl Renaming<'_> {
    /// What the name of a reader tells.
    fn of_reader(&self, place: RowPlace, reader: &str) -> Result<FileNames, ImportError> {
        let Some(pattern) = self.patterns.readers else { return Ok(FileNames::default()) };
        pattern.read_reader(reader).ok_or_else(|| {
            ImportError::value(
                At::row(place.row),
                format!("the reader {reader}"),
                format!("a name like {}", pattern.as_str()),
                phrase!["correct ", Setting::FromReader],
            )
        })
    }

    /// Refuses rows that differ where names make one of them.
    fn check(
        &mut self,
        place: RowPlace,
        said: &RawFixation,
        named: &RawFixation,
    ) -> Result<(), ImportError> {
        let FileNames { reader, text, .. } = self.names;
        if reader.is_some() {
            let first = self.rows.readers.entry(place.file).or_insert_with(|| said.reader.clone());
            if *first != said.reader {
                let both = [Arc::clone(first), Arc::clone(&said.reader)];
                return Err(self.several(place, "reader", &["reader"], both));
            }
        }
        // Where nothing names the text, the trial may stand for it, and still tells rows apart.
        let is_text = said.trial.as_ref() != Some(&said.text);
        if let Some(text) = text.as_ref().filter(|text| is_text && **text != said.text) {
            let new = || (place.file, Arc::clone(&said.text));
            let (file, first) = self.rows.texts.entry(Arc::clone(text)).or_insert_with(new);
            let is_other = match *file == place.file {
                true => *first != said.text,
                // Trials are counted in each file.
                false => letters(first) != letters(&said.text),
            };
            if is_other {
                let both = [Arc::clone(first), Arc::clone(&said.text)];
                return Err(self.several(place, "text", &["text"], both));
            }
        }
        let key = said.key();
        let first = self.rows.readings.entry((place.file, named.key()));
        let first = first.or_insert_with(|| key.clone()).clone();
        if first == key {
            return Ok(());
        }
        let parts = |key: &ReadingKey| {
            let (reader, text, session, trial) = key.clone();
            [Some(reader), Some(text), session, trial]
        };
        let differ: Vec<(&str, [Arc<str>; 2])> = (GROUPS.into_iter().zip(parts(&first)))
            .zip(parts(&key))
            .filter(|((_, first), other)| first != other)
            .map(|((group, first), other)| (group, [first, other].map(Option::unwrap_or_default)))
            .collect();
        let groups: Vec<&str> = differ.iter().map(|(group, _)| *group).collect();
        match differ.into_iter().next() {
            Some((group, both)) => Err(self.several(place, group, &groups, both)),
            None => Ok(()),
        }
    }

    /// The error about rows that differ in a group, by these names, and perhaps in others.
    fn several(
        &self,
        place: RowPlace,
        group: &str,
        groups: &[&str],
        [first, other]: [Arc<str>; 2],
    ) -> ImportError {
        let is_told = |group: &str| match group {
            "reader" => self.names.reader.is_some(),
            "text" => self.names.text.is_some(),
            "session" => self.names.session.is_some(),
            _ => self.names.trial.is_some(),
        };
        let remedy = match self.patterns.files.filter(|_| is_told(group)) {
            Some(pattern) => match pattern.without(groups) {
                Some(pattern) => phrase![
                    format!("leave the {group} to the rows, with "),
                    Setting::FromName,
                    format!(" '{pattern}'")
                ]
                .and(match group {
                    "text" => phrase![
                        ", or, if rows of a table name trials of one text, choose their column with ",
                        Phrase::choice("trial", "COLUMN")
                    ],
                    _ => Phrase::default(),
                }),
                None => phrase!["leave the names to the rows, without ", Setting::FromName],
            },
            None => phrase![
                "let the names of readers tell sessions as well, with ",
                Setting::FromReader,
                " and a group session"
            ],
        };
        ImportError::value(
            At::row(place.row),
            format!("the {group} {other} where rows before have {first}, of which names make one"),
            format!("rows of one {group}"),
            remedy,
        )
    }
}

/// A name without the numbers in it.
fn letters(name: &str) -> String {
    name.chars().filter(|c| !c.is_ascii_digit()).collect()
}

impl Sink for Renaming<'_> {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        if self.patterns.files.is_none() && self.patterns.readers.is_none() {
            return self.sink.fixation(place, fixation);
        }
        let told = self.of_reader(place, &fixation.reader)?;
        let FileNames { reader, session, text, trial } = self.names;
        let name = |file: &Option<Arc<str>>, reader: Option<Arc<str>>| file.clone().or(reader);
        let named = RawFixation {
            reader: name(reader, told.reader).unwrap_or_else(|| Arc::clone(&fixation.reader)),
            text: text.clone().unwrap_or_else(|| Arc::clone(&fixation.text)),
            session: name(session, told.session).or_else(|| fixation.session.clone()),
            trial: trial.clone().or_else(|| fixation.trial.clone()),
            ..fixation.clone()
        };
        self.check(place, &fixation, &named)?;
        self.sink.fixation(place, named)
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

    fn warn(&mut self, warning: Phrase) {
        self.sink.warn(warning);
    }
}
