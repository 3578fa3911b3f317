//! Gathers what parsers find, and makes a corpus of it, or a recording without words.

mod agree;
mod copies;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gazeprint::corpus::{Chars, Corpus, CorpusError, Fixation, Line, Millis, Scanpath, Text, Word};

use super::error::{At, ImportError};
use super::gaze::{EyeChoice, OTHER_EYE};
use super::order::Onsets;
use super::recording::{
    Area, Eye, Position, RawFixation, RawWord, ReadingKey, Reason, RowPlace, Sink,
};
use super::remark::Remark;
use super::report::Drops;
use super::setting::{Phrase, Setting, phrase};
use super::table::RawTrial;
use crate::read::DEFAULT_NAME;
pub(in crate::import) use agree::Stated;

/// The place of what is in no row.
const NOWHERE: RowPlace = RowPlace { file: 0, row: 0 };

/// All that was found in the inputs of an import.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    /// Readings, in the order in which they first occur.
    pub readings: Vec<RawReading>,
    /// Texts of which words are known, in the order in which they first occur.
    pub texts: Vec<RawText>,
    /// What is known of readings beside their fixations.
    pub trials: Vec<(RowPlace, RawTrial)>,
    /// Rows that did not go on.
    pub dropped: Drops,
    /// What was decided, and what looks wrong.
    pub remarks: Vec<Remark>,
    /// Words that were told more than once, in the same way.
    pub repeated_words: u64,
    /// Which eye to take of a reading that has both.
    eye: EyeChoice,
    /// What the names of texts come from.
    pub(super) texts_named_by: TextNames,
    /// Of files whose fixations are in characters: what is to be held against the words.
    pub(super) stated: BTreeMap<usize, Stated>,
    places: HashMap<ReadingKey, usize>,
    text_places: HashMap<Arc<str>, usize>,
}

/// What the names of texts come from.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum TextNames {
    #[default]
    Columns,
    Messages,
    Files,
}

/// The fixations of one reading, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct RawReading {
    /// Where the first of them was found.
    pub place: RowPlace,
    /// The fixations; at least one.
    pub fixations: Vec<RawFixation>,
}

/// A text and its words.
#[derive(Debug, Clone, PartialEq)]
pub struct RawText {
    /// Its name.
    pub name: Arc<str>,
    /// Its words, and where they were found.
    pub words: Vec<(RowPlace, RawWord)>,
    indices: HashMap<u32, usize>,
}

impl Sink for Recording {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        // Most often the reading is that of the row before.
        if let Some(last) = self.readings.last_mut()
            && last.place.file == place.file
            && last.fixations.last().is_some_and(|before| before.is_of_same_reading(&fixation))
        {
            last.fixations.push(fixation);
            return Ok(());
        }
        match self.places.entry(fixation.key()) {
            Entry::Occupied(entry) => {
                let reading = &mut self.readings[*entry.get()];
                if reading.place.file != place.file {
                    return Err(twice(place, &fixation, reading.place));
                }
                reading.fixations.push(fixation);
            }
            Entry::Vacant(entry) => {
                entry.insert(self.readings.len());
                self.readings.push(RawReading { place, fixations: vec![fixation] });
            }
        }
        Ok(())
    }

    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError> {
        let text = *self.text_places.entry(Arc::clone(&word.text)).or_insert_with(|| {
            let name = Arc::clone(&word.text);
            self.texts.push(RawText { name, words: Vec::new(), indices: HashMap::new() });
            self.texts.len() - 1
        });
        let text = &mut self.texts[text];
        match text.indices.entry(word.index) {
            Entry::Vacant(entry) => {
                entry.insert(text.words.len());
                text.words.push((place, word));
            }
            // Reports of interest areas tell the words of a text again for every reader.
            Entry::Occupied(entry) if text.words[*entry.get()].1 == word => {
                self.repeated_words += 1;
            }
            Entry::Occupied(entry) => {
                let (first, _) = text.words[*entry.get()];
                let example = format!(
                    "word {} of text {}, which row {} has already, elsewhere",
                    word.index, word.text, first.row
                );
                self.dropped.count(place, Reason::CONTRADICTING_WORD, &example);
            }
        }
        Ok(())
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str) {
        self.dropped.count(place, reason, example);
    }

    fn note(&mut self, note: String) {
        self.remark(Remark::decision(note));
    }

    fn warn(&mut self, warning: Phrase) {
        self.remark(Remark::warning(warning));
    }
}

/// The readings of which one consists, each with the place of the whole.
fn told_apart(reading: RawReading) -> Vec<RawReading> {
    let RawReading { place, mut fixations } = reading;
    let mut parts = Vec::new();
    while let Some(first) = fixations.first() {
        let end = fixations.iter().position(|fixation| fixation.trial != first.trial);
        let rest = fixations.split_off(end.unwrap_or(fixations.len()));
        parts.push(RawReading { place, fixations });
        fixations = rest;
    }
    parts
}

/// Two files with one reading are two recordings, or one given twice.
fn twice(place: RowPlace, fixation: &RawFixation, first: RowPlace) -> ImportError {
    let RawFixation { reader, text, .. } = fixation;
    let reading = format!("{reader} of {text}");
    ImportError::in_two_files(At::row(place.row), reading, first.file)
}

/// What an import ends with.
#[derive(Debug, Clone)]
pub enum Imported {
    /// Words are known, and where on them the eyes were.
    Corpus(Corpus),
    /// Where the words are is not known: fixations only.
    Fixations(Vec<RawReading>),
}

impl Recording {
    /// Nothing yet; of readings by both eyes, this one will be taken.
    pub fn new(eye: EyeChoice) -> Self {
        Self { eye, ..Self::default() }
    }

    /// Takes a remark down once: several parts of a file are decided on alike.
    fn remark(&mut self, remark: Remark) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    /// How many fixations there are.
    pub fn fixation_count(&self) -> usize {
        self.readings.iter().map(|reading| reading.fixations.len()).sum()
    }

    /// A corpus where words are known, otherwise the fixations as they are. `files` are the paths of
    /// all files, for messages; `first` is the first with fixations.
    ///
    /// # Errors
    /// If there are no fixations, words overlap, or letters of unknown words are named.
    pub fn finish(
        &mut self,
        name: &str,
        files: &[&std::path::Path],
        first: usize,
    ) -> Result<Imported, ImportError> {
        let at = |place: RowPlace| {
            let file = files.get(place.file).map(|path| path.to_path_buf());
            Box::new(At { file, row: place.row, column: None })
        };
        if self.readings.is_empty() {
            return Err(self.nothing(at(RowPlace { file: first, row: 0 })));
        }
        self.choose_eyes();
        let mut onsets = Onsets::default();
        for reading in &mut self.readings {
            onsets.sort(&mut reading.fixations, |fixation| fixation.onset_ms, |fixation| fixation);
        }
        self.readings =
            std::mem::take(&mut self.readings).into_iter().flat_map(told_apart).collect();
        onsets.note(self);
        if let Some(warning) = copies::warning(&self.readings) {
            self.warn(warning);
        }
        let words_in_chars = |text: &RawText| {
            text.words.iter().all(|(_, word)| matches!(word.area, Area::Chars { .. }))
        };
        let in_pixels = |f: &RawFixation| matches!(f.position, Position::Pixels { .. });
        self.place_letters(&at)?;
        // Texts without words, such as those for practice, are left out and counted.
        let has_words = |reading: &&RawReading| {
            reading.fixations.first().is_some_and(|f| self.text_places.contains_key(&f.text))
        };
        let placed = !self.texts.is_empty()
            && self.texts.iter().all(words_in_chars)
            && !self.readings.iter().filter(has_words).any(|r| r.fixations.iter().any(in_pixels));
        if !placed {
            if !self.texts.is_empty() {
                self.note(
                    "the words are not used: they are in characters, and fixations on them in pixels"
                        .to_owned(),
                );
            }
            if !self.trials.is_empty() {
                self.note("the trials are not used: no words are known".to_owned());
            }
            return Ok(Imported::Fixations(std::mem::take(&mut self.readings)));
        }
        self.hold_against_words();
        self.corpus(name, &at).map(Imported::Corpus)
    }

    /// The error of an import without fixations: most often all rows were dropped, for a reason.
    fn nothing(&self, at: Box<At>) -> ImportError {
        let reasons: Vec<String> = self
            .dropped
            .iter()
            .map(|drop| {
                let example = drop.examples.first();
                let row = example.map(|e| format!(", first in row {}: {}", e.row, e.content));
                format!("{} {}{}", drop.rows, drop.reason, row.unwrap_or_default())
            })
            .collect();
        if reasons.is_empty() {
            return ImportError::Empty { at, expected: "at least one fixation" };
        }
        ImportError::value(
            at,
            format!("no row that can be used ({})", reasons.join("; ")),
            "at least one fixation",
            "check the columns and the format of the file",
        )
    }

    /// Where both eyes were recorded, one of them is taken for each reading.
    fn choose_eyes(&mut self) {
        let mut last: HashMap<Arc<str>, Eye> = HashMap::new();
        for RawReading { place, fixations } in &mut self.readings {
            let count = |eye| fixations.iter().filter(|f| f.eye == Some(eye)).count();
            let (left, right) = (count(Eye::Left), count(Eye::Right));
            if left == 0 || right == 0 {
                continue;
            }
            let Some(reader) = fixations.first().map(|f| Arc::clone(&f.reader)) else { continue };
            let eye = self.eye.choose(left, right, last.get(&reader).copied());
            let before = fixations.len();
            fixations.retain(|fixation| fixation.eye.is_none_or(|seen| seen == eye));
            let others = (before - fixations.len()) as u64;
            let example = format!("reader {reader}: {left} left, {right} right");
            self.dropped.count_all(*place, OTHER_EYE, others, &example);
            last.insert(reader, eye);
        }
    }

    /// Turns letters of words into characters of lines.
    fn place_letters(&mut self, at: &dyn Fn(RowPlace) -> Box<At>) -> Result<(), ImportError> {
        let Self { readings, texts, text_places, .. } = self;
        let mut unknown = 0_u64;
        for RawReading { place, fixations } in readings {
            let text = fixations.first().and_then(|first| text_places.get(&first.text));
            let text = text.map(|&text| &texts[text]);
            for fixation in fixations {
                let Position::Letter { word, letter } = fixation.position else { continue };
                let Some(text) = text else {
                    return Err(ImportError::value(
                        at(*place),
                        format!("positions by the letters of words of text {}", fixation.text),
                        "its words as well",
                        phrase!["give them with ", Setting::Text, " or ", Setting::Words],
                    ));
                };
                let word = text.indices.get(&word).map(|&i| &text.words[i].1);
                fixation.position = match word.map(|word| (word.area, word.line)) {
                    // As in SWIFT, letter 0 to 1 is the blank before the word.
                    Some((Area::Chars { start, .. }, line)) => Position::Chars {
                        x: f64::from(start) - 1.0 + letter,
                        line: line.unwrap_or(1),
                    },
                    _ => {
                        unknown += 1;
                        Position::Missing
                    }
                };
            }
        }
        if unknown > 0 {
            self.note(format!(
                "{unknown} fixations are on words that their text does not have: their positions \
                 are missing"
            ));
        }
        Ok(())
    }

    fn corpus(
        &mut self,
        name: &str,
        at: &dyn Fn(RowPlace) -> Box<At>,
    ) -> Result<Corpus, ImportError> {
        let mut texts = Vec::new();
        for text in std::mem::take(&mut self.texts) {
            texts.push(build_text(&text, at)?);
        }
        let known = self.text_places.keys().cloned().collect();
        let mut unknown = Vec::new();
        let first_place = self.readings.first().map_or(NOWHERE, |reading| reading.place);
        let mut readers: Vec<String> = Vec::new();
        let mut reader_places: HashMap<Arc<str>, usize> = HashMap::new();
        let mut scanpaths = Vec::new();
        let mut ids = HashMap::new();
        for RawReading { place, fixations } in std::mem::take(&mut self.readings) {
            let Some(first) = fixations.first() else { continue };
            let Some(&text) = self.text_places.get(&first.text) else {
                let example = format!("reader {}, text {}", first.reader, first.text);
                let rows = fixations.len() as u64;
                self.dropped.count_all(place, Reason::TEXT_WITHOUT_WORDS, rows, &example);
                unknown.push(Arc::clone(&first.text));
                continue;
            };
            let reader = *reader_places.entry(Arc::clone(&first.reader)).or_insert_with(|| {
                readers.push(first.reader.to_string());
                readers.len() - 1
            });
            let (session, trial) = (named(&first.session), named(&first.trial));
            let id =
                *ids.entry((reader, text, session.clone(), trial.clone())).or_insert_with(|| {
                    let (order, fixations) = (None, Vec::new());
                    scanpaths.push(Scanpath { reader, text, session, trial, order, fixations });
                    scanpaths.len() - 1
                });
            let is_line = texts[text].line_index(0).is_some();
            let built = fixations.iter().map(|fixation| build_fixation(fixation, is_line));
            scanpaths[id].fixations.extend(built);
        }
        let trials_without_fixations = self.apply_trials(&mut texts, &readers, &mut scanpaths);
        if trials_without_fixations > 0 {
            self.note(format!("{trials_without_fixations} trials have no fixations"));
        }
        if scanpaths.is_empty() {
            return Err(ImportError::value(
                at(first_place),
                format!("fixations on the texts {}", named_texts(unknown)),
                format!("the texts that words are known of: {}", named_texts(known)),
                self.same_texts(),
            ));
        }
        Corpus::new(name, readers, texts, scanpaths)
            .map_err(|error| wrong_words(at(NOWHERE), "the corpus", error))
    }

    /// How texts of fixations and of words get the same names.
    fn same_texts(&self) -> Phrase {
        let lines = phrase![Setting::Text, " by lines such as === NAME"];
        match self.texts_named_by {
            TextNames::Columns => phrase![
                "choose the column of the text with ",
                Phrase::choice("text", "COLUMN"),
                ", or name the texts of "
            ]
            .and(lines),
            TextNames::Messages => phrase![
                "say which messages name the texts with ",
                Setting::Patterns,
                " and a group text, or give texts these names: those of "
            ]
            .and(lines)
            .and(", those of ")
            .and(Setting::Words)
            .and(" in their column"),
            TextNames::Files => phrase![
                "say what the names of files tell with ",
                Setting::FromName,
                " and a group text, or name the texts of "
            ]
            .and(lines),
        }
    }

    /// Gives texts their groups and readings their places in the order; how many trials have no
    /// reading. A table without sessions or trials is about all of them.
    fn apply_trials(
        &self,
        texts: &mut [Text],
        readers: &[String],
        scanpaths: &mut [Scanpath],
    ) -> u64 {
        let mut pages: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, text) in texts.iter().enumerate() {
            pages.entry(first_page(text.id(), &self.text_places).to_owned()).or_default().push(i);
        }
        let mut readings: HashMap<(&str, usize), Vec<usize>> = HashMap::new();
        for (i, path) in scanpaths.iter().enumerate() {
            readings.entry((readers[path.reader].as_str(), path.text)).or_default().push(i);
        }
        let mut without_fixations = 0;
        for (_, trial) in &self.trials {
            let pages = pages.get(trial.text.as_ref()).map(Vec::as_slice).unwrap_or_default();
            let mut found = false;
            for &text in pages {
                if let Some(group) = &trial.group {
                    texts[text].group = Some(group.to_string());
                }
                let of_reader = readings.get(&(trial.reader.as_ref(), text));
                for &id in of_reader.into_iter().flatten() {
                    let path = &mut scanpaths[id];
                    let is = |named: &Option<Arc<str>>, name: &str| {
                        named.as_deref().is_none_or(|named| named == name)
                    };
                    if is(&trial.session, &path.session) && is(&trial.trial, &path.trial) {
                        path.order = trial.order.or(path.order);
                        found = true;
                    }
                }
            }
            without_fixations += u64::from(!found);
        }
        without_fixations
    }
}

/// The name of a text of which this is a layout: `TEXT~2` is one of `TEXT`.
fn first_page<'t>(name: &'t str, texts: &HashMap<Arc<str>, usize>) -> &'t str {
    match name.rsplit_once('~') {
        Some((first, number)) if texts.contains_key(first) && number.parse::<u32>().is_ok() => {
            first
        }
        _ => name,
    }
}

/// Some names of texts, for messages.
fn named_texts(mut names: Vec<Arc<str>>) -> String {
    const NAMED: usize = 5;
    names.sort();
    names.dedup();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let shown = names.join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

fn named(name: &Option<Arc<str>>) -> String {
    name.as_deref().unwrap_or(DEFAULT_NAME).to_owned()
}

/// A fixation as it is in a corpus, on a text in which 0 may be a line.
fn build_fixation(raw: &RawFixation, is_line: bool) -> Fixation {
    let (x, line) = match raw.position {
        Position::Chars { x, line } => (Some(Chars(x)), i32::try_from(line).ok()),
        Position::OffLines { x } => (Some(Chars(x)), (!is_line).then_some(0)),
        _ => (None, None),
    };
    Fixation {
        line,
        x,
        duration: raw.duration_ms.map(Millis),
        onset: raw.onset_ms.map(Millis),
        gap: raw.gap,
        place: None,
        kinematics: raw.kinematics,
    }
}

fn build_text(text: &RawText, at: &dyn Fn(RowPlace) -> Box<At>) -> Result<Text, ImportError> {
    let mut lines: Vec<(i32, Vec<Word>)> = Vec::new();
    let mut places: HashMap<i32, usize> = HashMap::new();
    for (place, word) in &text.words {
        let Area::Chars { start, end } = word.area else { continue };
        let numbers = [word.line.unwrap_or(1), start, end].map(i32::try_from);
        let [Ok(line), Ok(start), Ok(end)] = numbers else {
            return Err(ImportError::Value {
                at: at(*place),
                found: format!("line {:?}, characters {start} to {end}", word.line).into(),
                expected: "numbers below 2147483648".into(),
                remedy: "correct the row".into(),
            });
        };
        let word = Word { index: word.index, form: word.label.clone(), start, end };
        let place = *places.entry(line).or_insert(lines.len());
        match lines.get_mut(place) {
            Some((_, words)) => words.push(word),
            None => lines.push((line, vec![word])),
        }
    }
    let place_of = |index: u32| {
        let place = text.indices.get(&index).and_then(|&i| text.words.get(i));
        place.map_or(NOWHERE, |(place, _)| *place)
    };
    let first = text.words.first().map_or(NOWHERE, |(place, _)| *place);
    let failed = |error: CorpusError| {
        let place = match error {
            CorpusError::EmptyWord { index, .. } => place_of(index),
            CorpusError::OverlappingWords { second, .. } => place_of(second),
            _ => first,
        };
        wrong_words(at(place), &text.name, error)
    };
    let lines: Result<_, _> =
        lines.into_iter().map(|(number, words)| Line::new(number, words)).collect();
    lines.and_then(|lines| Text::new(text.name.to_string(), lines)).map_err(failed)
}

fn wrong_words(at: Box<At>, text: &str, error: CorpusError) -> ImportError {
    ImportError::Value {
        at,
        found: format!("in text {text}: {error}").into(),
        expected: "words side by side on their lines".into(),
        remedy: "correct the table of words".into(),
    }
}

#[cfg(test)]
mod tests;
