//! Reports of SR Research Data Viewer: a fixation report, with the interest-area report that says
//! where words stand, or with a map from characters to words.
//!
//! 1. [`areas::read`] takes the interest-area report and gives [`ScreenWords`]. Or
//!    [`characters::CharacterMap::read`] takes a map, where areas are single characters.
//! 2. [`read`] takes fixation reports, one after another, with those [`Words`].
//! 3. [`Words::finish`] hands over what is known only after all fixations.
//!
//! Areas may be numbered from 0 in one report and from 1 in the other: which is found out by looking
//! where fixations are, and noted.

pub mod areas;
mod base;
pub mod characters;
mod fixations;
mod saccades;
mod turns;

use std::sync::Arc;

use super::layout::lines::Method;
use super::{Choice, ImportError, Sink};

pub use areas::ScreenWords;
pub use characters::CharacterMap;
pub(super) use fixations::TurnedPages;
pub use fixations::read;

/// How to read a report.
#[derive(Clone, Copy)]
pub struct ReportOptions<'o> {
    /// Columns that the user chose; the others are found by their names.
    pub choices: &'o [Choice],
    /// How fixations get their lines, where words stand on several.
    pub lines: Method,
    /// Where fixations have no position but that of their areas: a fixation in no area is put on the
    /// nearest, if that is at most this many degrees away.
    pub nearest_within: f64,
    /// Who reads, where there is no column for it.
    pub reader: Option<&'o Arc<str>>,
    /// What is read, where there is no column for it.
    pub page: Option<&'o Arc<str>>,
}

impl<'o> ReportOptions<'o> {
    /// The usual ones.
    pub fn new(choices: &'o [Choice]) -> Self {
        let lines = Method::default();
        Self { choices, lines, nearest_within: 1.5, reader: None, page: None }
    }
}

/// What is known about the words of a recording.
#[derive(Debug, Default)]
pub enum Words {
    /// Nothing: fixations stay in pixels.
    #[default]
    Unknown,
    /// Where words stand on the screen.
    Screen(ScreenWords),
    /// Which characters are a word.
    Characters(CharacterMap),
}

impl Words {
    /// Hands over the words that are known only after all fixations have been read.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn finish(self, file: usize, sink: &mut dyn Sink) -> Result<(), ImportError> {
        match self {
            Self::Unknown | Self::Screen(_) => Ok(()),
            Self::Characters(map) => map.finish(file, sink),
        }
    }
}

#[cfg(test)]
mod tests;
