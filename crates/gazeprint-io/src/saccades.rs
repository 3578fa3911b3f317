//! The fixations of a corpus as the models see them: a tidy table.
//!
//! `saccades` has a row for each fixation that was recorded, in the order of reading:
//!
//! | columns | what |
//! |---|---|
//! | `reader, text, session, trial, line, x_char, duration_ms` | as in the corpus |
//! | `fix_index` | the place in the reading, from 1 |
//! | `onset_ms`, `gap` | as in the corpus, where some are known |
//! | `dropped` | why it does not count; all that follows is then empty |
//! | `type` | `initial` for the first of a pass, or the type of the saccade that led here |
//! | `density` | of which density the amplitude is an observation |
//! | `step` | the move in characters, leftwards below zero; empty for the first of a pass |
//! | `amplitude, lower, upper` | the amplitude (for the first of a pass, the place on the line) and the interval that the words confine it to; `upper` is empty where nothing does |
//! | `word_index, word, word_length` | the word that is fixated |
//! | `next_length, after_next_length` | letters of the next word on the line, and of the one after it |
//! | `launch` | from the fixation before to the left end of the word, characters |
//! | `landing` | the place in the word, from its left end (0) to its right (1) |
//! | `to_word_end` | characters to the right end of the word |
//! | `words_before, words_after` | on the line |
//! | `place` | the part of the words of the text that come before |
//! | `new` | 1 where no word so far on has been fixated before in this reading |
//!
//! Words begin with the blank before them. Columns of kinematics follow where something was measured, named
//! as in a corpus. Differences of places are rounded to a thousand-millionth of a character.

use std::path::Path;

use gazeprint::corpus::{Corpus, DropReason, Fixation, Limits, Scanpath, Word};
use gazeprint::saccade::{DensityId, Event, SaccadeType, outcomes};

use crate::error::WriteError;
use crate::frame::{Frame, TableFormat};
use crate::results::put_tables;
use crate::write::check;

/// Name of the table of [`write_saccades`].
pub const SACCADES: &str = "saccades";

/// Writes the table `saccades` into a folder.
///
/// # Errors
/// If it is there already and `overwrite` is off, it cannot be written, or this build does not have the
/// format.
pub fn write_saccades(
    corpus: &Corpus,
    limits: Limits,
    folder: &Path,
    format: TableFormat,
    overwrite: bool,
) -> Result<(), WriteError> {
    check(corpus)?;
    put_tables(folder, [(SACCADES, &saccades(corpus, limits))], format, overwrite)
}

/// A fixation with what is known of it.
struct Row<'c> {
    path: &'c Scanpath,
    /// From 1.
    index: u32,
    fixation: &'c Fixation,
    dropped: Option<DropReason>,
    event: Option<Event>,
    /// The place on the line before, within a pass.
    from: Option<f64>,
}

impl<'c> Row<'c> {
    fn all_of(corpus: &'c Corpus, path: &'c Scanpath, limits: Limits) -> Vec<Self> {
        let seen = outcomes(&corpus.texts()[path.text], &path.fixations, limits);
        let mut before: Option<f64> = None;
        let rows = path.fixations.iter().zip(seen).zip(1..).map(|((fixation, seen), index)| {
            let event = seen.ok().flatten();
            let from = event.and_then(|event| before.filter(|_| event.kind.is_some()));
            before = event.map(|event| event.x).or(before);
            Self { path, index, fixation, dropped: seen.err(), event, from }
        });
        rows.collect()
    }

    fn number(&self, of: impl Fn(&Event) -> f64) -> Option<f64> {
        self.event.as_ref().map(of).map(rounded)
    }

    fn word(&self, corpus: &'c Corpus) -> Option<&'c Word> {
        let event = self.event.as_ref()?;
        corpus.texts()[self.path.text].lines()[event.line].words().get(event.word)
    }

    /// From the fixation before to the left end of the word.
    fn launch(&self, corpus: &Corpus) -> Option<f64> {
        let event = self.event.as_ref()?;
        let line = &corpus.texts()[self.path.text].lines()[event.line];
        Some(rounded(line.region(event.word).0 - self.from?))
    }
}

/// A difference as the recorded digits have it, without the dust of subtraction.
fn rounded(value: f64) -> f64 {
    const DIGITS: f64 = 1e9;
    (value * DIGITS).round() / DIGITS
}

/// The table itself.
pub fn saccades(corpus: &Corpus, limits: Limits) -> Frame<'_> {
    let rows: Vec<Row<'_>> =
        corpus.scanpaths().iter().flat_map(|path| Row::all_of(corpus, path, limits)).collect();
    let rows = || rows.iter();
    let mut table = Frame::of_results();
    table.names("reader", rows().map(|row| corpus.readers()[row.path.reader].as_str()));
    table.names("text", rows().map(|row| corpus.texts()[row.path.text].id()));
    table.names("session", rows().map(|row| row.path.session.as_str()));
    table.names("trial", rows().map(|row| row.path.trial.as_str()));
    table.counts("fix_index", rows().map(|row| Some(row.index)));
    table.wholes("line", rows().map(|row| row.fixation.line));
    table.numbers("x_char", rows().map(|row| row.fixation.x.map(|x| x.0)));
    table.numbers("duration_ms", rows().map(|row| row.fixation.duration.map(|d| d.0)));
    if rows().any(|row| row.fixation.onset.is_some()) {
        table.numbers("onset_ms", rows().map(|row| row.fixation.onset.map(|onset| onset.0)));
    }
    if rows().any(|row| row.fixation.gap) {
        table.flags("gap", rows().map(|row| row.fixation.gap));
    }
    table.texts("dropped", rows().map(|row| row.dropped.map(DropReason::name)));
    let kind = |event: &Event| event.kind.map_or("initial", SaccadeType::name);
    table.texts("type", rows().map(|row| row.event.as_ref().map(kind)));
    let density = |event: &Event| DensityId::name(event.density);
    table.texts("density", rows().map(|row| row.event.as_ref().map(density)));
    table.numbers("step", rows().map(|row| row.event.as_ref().and_then(Event::step).map(rounded)));
    table.numbers("amplitude", rows().map(|row| row.number(|e| e.amplitude.value)));
    table.numbers("lower", rows().map(|row| row.number(|e| e.amplitude.lower)));
    let upper = |row: &Row<'_>| row.number(|e| e.amplitude.upper).filter(|v| v.is_finite());
    table.numbers("upper", rows().map(upper));
    table.counts("word_index", rows().map(|row| row.word(corpus).map(|word| word.index)));
    if rows().any(|row| row.word(corpus).is_some_and(|word| word.form.is_some())) {
        table.texts("word", rows().map(|row| row.word(corpus).and_then(|w| w.form.as_deref())));
    }
    for (ahead, name) in ["word_length", "next_length", "after_next_length"].into_iter().enumerate()
    {
        let length = |row: &Row<'_>| row.event.as_ref().and_then(|e| e.situation.lengths[ahead]);
        table.numbers(name, rows().map(length));
    }
    table.numbers("launch", rows().map(|row| row.launch(corpus)));
    table.numbers("landing", rows().map(|row| row.number(|e| e.situation.landing)));
    table.numbers("to_word_end", rows().map(|row| row.number(|e| e.situation.left)));
    for (side, name) in ["words_before", "words_after"].into_iter().enumerate() {
        let words = |row: &Row<'_>| row.event.as_ref().map(|e| e.situation.around[side] as u32);
        table.counts(name, rows().map(words));
    }
    table.numbers("place", rows().map(|row| row.number(|e| e.situation.place)));
    table.counts("new", rows().map(|row| row.event.as_ref().map(|e| u32::from(e.situation.new))));
    table.measures(false, || rows().map(|row| (row.fixation.place, row.fixation.kinematics)));
    table
}
