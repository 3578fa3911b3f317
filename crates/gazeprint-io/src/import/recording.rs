//! What a recording holds, before it becomes a corpus.

use std::sync::Arc;

use super::error::{ImportError, Reason};

/// One of two eyes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Eye {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// A fixation as a recording has it.
#[derive(Debug, Clone, PartialEq)]
pub struct RawFixation {
    /// Who reads.
    pub reader: Arc<str>,
    /// Text or trial id.
    pub text: Arc<str>,
    /// The session, where it is known.
    pub session: Option<Arc<str>>,
    /// The trial, where it is known.
    pub trial: Option<Arc<str>>,
    /// Where the eye is.
    pub position: Position,
    /// How long it rests, in milliseconds.
    pub duration_ms: Option<f64>,
    /// When it comes to rest, in milliseconds.
    pub onset_ms: Option<f64>,
    /// A blink or loss of signal right before.
    pub gap: bool,
    /// Which eye it is.
    pub eye: Option<Eye>,
    /// 1-based word index in the text, where the recording says so.
    pub word: Option<u32>,
}

/// Where the eye is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Position {
    /// Not known.
    Missing,
    /// Character coordinates.
    Chars {
        /// Characters from the left end of the line.
        x: f64,
        /// Line from 1; 0 is no line.
        line: u32,
    },
    /// Coordinates of the screen.
    Pixels {
        /// From the left.
        x: f64,
        /// From the top.
        y: f64,
    },
    /// A letter of a word, as SWIFT has it.
    Letter {
        /// Word from 1.
        word: u32,
        /// Letter position in it.
        letter: f64,
    },
}

/// A word on the screen or in characters (from AOIs, items, monospaced text).
#[derive(Debug, Clone, PartialEq)]
pub struct RawWord {
    /// The text it belongs to.
    pub text: Arc<str>,
    /// Its line, where it is known.
    pub line: Option<u32>,
    /// Its number in the text, from 1.
    pub index: u32,
    /// The word itself.
    pub label: Option<String>,
    /// What it covers.
    pub area: Area,
}

/// What a word covers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Area {
    /// Characters of a line.
    Chars {
        /// First character.
        start: u32,
        /// One past the last character.
        end: u32,
    },
    /// A rectangle of the screen.
    Pixels {
        /// Left edge.
        left: f64,
        /// Right edge.
        right: f64,
        /// Top edge.
        top: f64,
        /// Bottom edge.
        bottom: f64,
    },
}

/// Where in an input something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowPlace {
    /// Index of the input.
    pub file: usize,
    /// Row or line, from 1.
    pub row: u64,
}

/// Receives what a parser finds; nothing is dropped but through `dropped`.
pub trait Sink {
    /// Takes a fixation.
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError>;
    /// Takes a word.
    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError>;
    /// Counts something left out, by reason; three examples are kept.
    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str);
    /// Takes what was decided and why.
    fn note(&mut self, note: String);
}
