//! Fixation sequences of the SWIFT model family, with the list of items that were read.
//!
//! A sequence has a line for each fixation: sentence, word, letter, duration of the fixation, duration
//! of the saccade, and a flag that is 1 at the first fixation of a reading, 2 at the last, 3 at the
//! only one and 0 in between. Up to four more columns, such as the number of the fixation and of the
//! reader, are not used. Columns are separated by blanks or tabs and have no names. Sentences and
//! words count from 1. Letter positions count from the blank before the word: 0 to 1 is that blank,
//! and `k` to `k + 1` is letter `k`.
//!
//! The list of items is a text file with a sentence a line; line `n` is sentence `n`.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use super::error::{At, ImportError};
use super::format::stem;
use super::recording::{Area, Position, RawFixation, RawWord, Reason, RowPlace, Sink};
use super::report::Shape;
use super::values::{characters, number};
use crate::table::Lines;

/// A fixation in a sentence that is not in the list of items.
pub const UNKNOWN_SENTENCE: Reason = Reason::new("sentence_not_in_items");
/// A fixation on a word that its sentence does not have.
pub const UNKNOWN_WORD: Reason = Reason::new("word_not_in_sentence");
/// A letter position that its word does not have.
pub const UNKNOWN_LETTER: Reason = Reason::new("letter_not_in_word");

/// Cells that a line has at most. What those after the flag are differs; the number of the fixation and of
/// the reader may be among them.
pub(super) const MOST_CELLS: usize = 10;

/// A letter position may lie past the end of a sentence, where the eye overshoots.
const OVERSHOOT: f64 = 50.0;

/// The sentences that were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Items {
    sentences: Vec<Vec<Item>>,
}

/// A word of a sentence, in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    label: String,
    start: u32,
    end: u32,
}

impl Items {
    /// Reads a list of items.
    ///
    /// # Errors
    /// If it cannot be read, has a line without an end, or has no sentence.
    pub fn read(input: &mut dyn BufRead) -> Result<Self, ImportError> {
        let (mut sentences, mut line) = (Vec::new(), String::new());
        let mut lines = Lines::new(input);
        while lines.next(&mut line)? {
            sentences.push(split(&line));
            line.clear();
        }
        if sentences.iter().all(Vec::is_empty) {
            return Err(ImportError::Empty { at: At::row(1), expected: "a sentence a line" });
        }
        Ok(Self { sentences })
    }

    /// How many lines the list has.
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// Whether it has no lines.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Hands the words of all sentences over. An empty line is a sentence number that is not used.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn words(&self, file: usize, sink: &mut dyn Sink) -> Result<(), ImportError> {
        for (number, sentence) in (1_u64..).zip(&self.sentences) {
            let text: Arc<str> = number.to_string().into();
            for (index, word) in (1..).zip(sentence) {
                let text = Arc::clone(&text);
                let label = Some(word.label.clone());
                let area = Area::Chars { start: word.start, end: word.end };
                let word = RawWord { text, line: Some(1), index, label, area };
                sink.word(RowPlace { file, row: number }, word)?;
            }
        }
        Ok(())
    }

    /// Where in a sentence a letter position is.
    fn place(&self, fields: &Fields) -> Result<f64, Reason> {
        let sentence = fields.sentence.checked_sub(1).and_then(|n| self.sentences.get(n));
        let sentence = sentence.filter(|words| !words.is_empty()).ok_or(UNKNOWN_SENTENCE)?;
        let word = (fields.word as usize).checked_sub(1).and_then(|n| sentence.get(n));
        let word = word.ok_or(UNKNOWN_WORD)?;
        let room = f64::from(word.end - word.start) + OVERSHOOT;
        if !(0.0..=room).contains(&fields.letter) {
            return Err(UNKNOWN_LETTER);
        }
        Ok(f64::from(word.start) - 1.0 + fields.letter)
    }
}

/// The words of a sentence. Blanks are counted as they stand, since a character is a character.
fn split(sentence: &str) -> Vec<Item> {
    let mut words: Vec<Item> = Vec::new();
    let mut inside = false;
    for (at, character) in characters(sentence) {
        if character.is_whitespace() {
            inside = false;
            continue;
        }
        match words.last_mut().filter(|_| inside) {
            Some(word) => {
                word.label.push(character);
                word.end = at + 1;
            }
            None => words.push(Item { label: character.into(), start: at, end: at + 1 }),
        }
        inside = true;
    }
    words
}

/// How to read a sequence.
#[derive(Debug, Clone)]
pub struct SwiftOptions<'i> {
    /// Who read: the file does not say. See [`reader_of`].
    pub reader: Arc<str>,
    /// What was read.
    pub items: &'i Items,
}

/// The reader of a file: its name without extensions, and without the `fixseqin_` that SWIFT's files
/// start with.
pub fn reader_of(path: &Path) -> Arc<str> {
    let stem = stem(path);
    match stem.strip_prefix("fixseqin_").filter(|short| !short.is_empty()) {
        Some(short) => short.into(),
        None => stem,
    }
}

/// Reads a sequence. Readings of one sentence are trials 1, 2, and so on.
///
/// # Errors
/// If the file cannot be read, a line has no end, or no line has the columns of a sequence.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &SwiftOptions<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut readings = Readings::default();
    let mut lines = Lines::new(input);
    let (mut line, mut read, mut sequences) = (String::new(), 0, 0_u64);
    loop {
        line.clear();
        if !lines.next(&mut line)? {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        read += 1;
        let place = RowPlace { file, row: lines.number() };
        let fields = match Fields::parse(&line) {
            Ok(fields) => fields,
            Err(reason) => {
                sink.dropped(place, reason, &line);
                continue;
            }
        };
        sequences += 1;
        // A row that is dropped still starts or ends a reading.
        let (text_id, trial) = readings.next(&fields);
        match options.items.place(&fields) {
            Ok(x) => sink.fixation(
                place,
                RawFixation {
                    reader: Arc::clone(&options.reader),
                    text: text_id,
                    session: None,
                    trial: Some(trial),
                    position: Position::Chars { x, line: 1 },
                    duration_ms: Some(fields.duration),
                    onset_ms: None,
                    gap: false,
                    eye: None,
                    word: Some(fields.word),
                    ..RawFixation::default()
                },
            )?,
            Err(reason) => sink.dropped(place, reason, &line),
        }
    }
    if sequences == 0 {
        return Err(ImportError::Empty {
            at: At::row(lines.number().max(1)),
            expected: "lines of sentence, word, letter, duration, saccade duration and flag",
        });
    }
    readings.note(&options.reader, sink);
    Ok(Shape { rows: read, ..Shape::default() })
}

/// A line of a sequence.
struct Fields {
    sentence: usize,
    word: u32,
    letter: f64,
    duration: f64,
    flag: Option<u8>,
}

impl Fields {
    fn parse(line: &str) -> Result<Self, Reason> {
        let mut cells = line.split_ascii_whitespace();
        let mut next = || cells.next().ok_or(Reason::RAGGED);
        let sentence = next()?.parse().map_err(|_| Reason::NOT_A_NUMBER)?;
        let word = next()?.parse().map_err(|_| Reason::NOT_A_NUMBER)?;
        let letter = number(next()?, true).ok_or(Reason::NOT_A_NUMBER)?;
        let duration = number(next()?, true).ok_or(Reason::NOT_A_NUMBER)?;
        if duration < 0.0 {
            return Err(Reason::NEGATIVE_DURATION);
        }
        let flag = match cells.nth(1) {
            None => None,
            Some(flag) => Some(flag.parse().map_err(|_| Reason::NOT_A_NUMBER)?),
        };
        if cells.count() > MOST_CELLS - 6 {
            return Err(Reason::RAGGED);
        }
        Ok(Self { sentence, word, letter, duration, flag })
    }
}

/// Tells the readings of a file apart.
#[derive(Default)]
struct Readings {
    current: Option<(usize, Arc<str>, Arc<str>)>,
    ended: bool,
    /// How often each sentence was read.
    counts: HashMap<usize, u32>,
    readings: u64,
    unflagged: u64,
    unended: u64,
}

impl Readings {
    /// The text and the trial of the next fixation.
    fn next(&mut self, fields: &Fields) -> (Arc<str>, Arc<str>) {
        let first = matches!(fields.flag, Some(1 | 3));
        let same = self.current.as_ref().filter(|(sentence, ..)| *sentence == fields.sentence);
        let (text, trial) = match same.filter(|_| !first && !self.ended) {
            Some((_, text, trial)) => (Arc::clone(text), Arc::clone(trial)),
            None => {
                self.unflagged += u64::from(!first);
                self.unended += u64::from(self.current.is_some() && !self.ended);
                self.start(fields.sentence)
            }
        };
        self.ended = matches!(fields.flag, Some(2 | 3));
        (text, trial)
    }

    fn start(&mut self, sentence: usize) -> (Arc<str>, Arc<str>) {
        self.readings += 1;
        let count = self.counts.entry(sentence).or_default();
        *count += 1;
        let text: Arc<str> = sentence.to_string().into();
        let trial: Arc<str> = count.to_string().into();
        self.current = Some((sentence, Arc::clone(&text), Arc::clone(&trial)));
        (text, trial)
    }

    fn note(&self, reader: &str, sink: &mut dyn Sink) {
        let repeated = self.counts.values().filter(|&&count| count > 1).count();
        sink.note(format!(
            "reader {reader}: {} readings of {} sentences, {repeated} read more than once; letter 0 \
             to 1 is taken as the blank before the word",
            self.readings,
            self.counts.len(),
        ));
        if self.unflagged + self.unended > 0 {
            sink.note(format!(
                "reader {reader}: {} readings start without flag 1 and {} end without flag 2; they \
                 were split where the sentence changes or a flag says so",
                self.unflagged, self.unended,
            ));
        }
    }
}

#[cfg(test)]
mod tests;
