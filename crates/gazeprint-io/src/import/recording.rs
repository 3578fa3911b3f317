//! What parsers of recordings hand over: fixations and words as a recording has them, in its own
//! units.
//!
//! A parser calls a [`Sink`] for everything it finds. Nothing is dropped but through
//! [`Sink::dropped`], so that the report can say how many rows went where.

use std::sync::Arc;

use gazeprint::kinematics::Kinematics;

use super::error::ImportError;
use super::setting::Phrase;

/// A fixation as a recording has it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawFixation {
    /// Who read.
    pub reader: Arc<str>,
    /// The text or trial read.
    pub text: Arc<str>,
    /// The session, where the recording tells sessions apart.
    pub session: Option<Arc<str>>,
    /// The trial, where the recording tells repeated readings of a text apart.
    pub trial: Option<Arc<str>>,
    /// Where the eye is.
    pub position: Position,
    /// How long, in ms.
    pub duration_ms: Option<f64>,
    /// Since when, in ms from the start of the recording.
    pub onset_ms: Option<f64>,
    /// A blink or loss of signal right before.
    pub gap: bool,
    /// Which eye.
    pub eye: Option<Eye>,
    /// The word looked at, from 1 in its text, where the recording says so.
    pub word: Option<u32>,
    /// Where the eye is in degrees, where that is known.
    pub place: Option<[f32; 2]>,
    /// How it came there and rested, where that was measured.
    pub kinematics: Kinematics,
}

/// What tells readings apart: reader, text, session and trial.
pub(crate) type ReadingKey = (Arc<str>, Arc<str>, Option<Arc<str>>, Option<Arc<str>>);

impl RawFixation {
    pub(crate) fn key(&self) -> ReadingKey {
        let Self { reader, text, session, trial, .. } = self;
        (Arc::clone(reader), Arc::clone(text), session.clone(), trial.clone())
    }

    pub(crate) fn is_of_same_reading(&self, other: &Self) -> bool {
        self.reader == other.reader
            && self.text == other.text
            && self.session == other.session
            && self.trial == other.trial
    }
}

/// Which eye was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Eye {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// Where the eye is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Position {
    /// Not known.
    #[default]
    Missing,
    /// In characters of a line.
    Chars {
        /// Character `k` covers `[k, k + 1)`.
        x: f64,
        /// The line, from 1; 0 is on no line.
        line: u32,
    },
    /// In characters, on no line that is known.
    OffLines {
        /// As above.
        x: f64,
    },
    /// In pixels of the screen.
    Pixels {
        /// From the left.
        x: f64,
        /// From the top.
        y: f64,
    },
    /// By the letters of a word, as SWIFT has it.
    Letter {
        /// The word, from 1.
        word: u32,
        /// The position in it.
        letter: f64,
    },
}

/// A word on the screen or in characters: from areas of interest, items or monospaced text.
#[derive(Debug, Clone, PartialEq)]
pub struct RawWord {
    /// The text it is part of.
    pub text: Arc<str>,
    /// Its line, where known.
    pub line: Option<u32>,
    /// Its number in the text, as the recording counts.
    pub index: u32,
    /// The word itself.
    pub label: Option<String>,
    /// The place it takes.
    pub area: Area,
}

/// The place that a word takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Area {
    /// Characters of its line.
    Chars {
        /// The first.
        start: u32,
        /// One past the last.
        end: u32,
    },
    /// A box on the screen.
    Pixels {
        /// From the left.
        left: f64,
        /// From the left.
        right: f64,
        /// From the top.
        top: f64,
        /// From the top.
        bottom: f64,
    },
}

/// Where in the inputs something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowPlace {
    /// Index of the input.
    pub file: usize,
    /// The row or line, from 1.
    pub row: u64,
}

/// Why a row was dropped: a short name with underscores, the same in every file of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reason {
    name: &'static str,
    /// Whether something that should be there is lost.
    is_loss: bool,
}

impl Reason {
    /// The row does not say who reads.
    pub const NO_READER: Self = Self::new("no_reader");
    /// The row does not say what is read.
    pub const NO_TEXT: Self = Self::new("no_text");
    /// The row has fewer or more cells than the header.
    pub const RAGGED: Self = Self::new("ragged");
    /// A cell that should hold a number holds something else.
    pub const NOT_A_NUMBER: Self = Self::new("not_a_number");
    /// A duration below zero.
    pub const NEGATIVE_DURATION: Self = Self::new("negative_duration");
    /// The row is about something else than a fixation: a saccade, a blink.
    pub const NOT_A_FIXATION: Self = Self::aside("not_a_fixation");
    /// A fixation on a text of which no words are known, where those of other texts are.
    pub const TEXT_WITHOUT_WORDS: Self = Self::new("text_without_words");
    /// A word that contradicts an earlier one of the same text and number.
    pub const CONTRADICTING_WORD: Self = Self::new("contradicting_word");
    /// A word that covers no character, or a part of another word.
    pub const MISPLACED_WORD: Self = Self::new("misplaced_word");

    /// A reason of a format's own.
    pub const fn new(name: &'static str) -> Self {
        Self { name, is_loss: true }
    }

    /// A reason of a format's own to leave out what is not wanted: nothing is lost by it.
    pub const fn aside(name: &'static str) -> Self {
        Self { name, is_loss: false }
    }

    /// Whether something that should be there is lost.
    pub const fn is_loss(self) -> bool {
        self.is_loss
    }

    /// The name used in files.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

/// Receives what a parser finds; nothing is dropped but through [`Sink::dropped`].
pub trait Sink {
    /// Takes a fixation, in the order of reading.
    ///
    /// # Errors
    /// If it contradicts what came before.
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError>;

    /// Takes a word.
    ///
    /// # Errors
    /// If it contradicts what came before.
    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError>;

    /// Counts a row that does not go on, by reason; the first examples are kept.
    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str);

    /// Takes down what was decided, and why: units, bases of numbers, mappings, fits.
    fn note(&mut self, note: String);

    /// Takes down what looks wrong, and how to go on: a strict import ends with it.
    fn warn(&mut self, warning: Phrase);
}
