//! A sink that keeps everything, for tests.

use super::error::{ImportError, Reason};
use super::recording::{RawFixation, RawWord, RowPlace, Sink};

#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) fixations: Vec<(u64, RawFixation)>,
    pub(crate) dropped: Vec<(u64, Reason, String)>,
    pub(crate) notes: Vec<String>,
}

impl Kept {
    /// Lines dropped for a reason.
    pub(crate) fn rows(&self, reason: Reason) -> Vec<u64> {
        self.dropped.iter().filter(|drop| drop.1 == reason).map(|drop| drop.0).collect()
    }

    /// Whether a note holds these words.
    pub(crate) fn noted(&self, words: &str) -> bool {
        self.notes.iter().any(|note| note.contains(words))
    }

    pub(crate) fn durations(&self) -> Vec<f64> {
        self.fixations.iter().filter_map(|(_, fixation)| fixation.duration_ms).collect()
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.fixations.iter().map(|(_, fixation)| fixation.text.as_ref()).collect()
    }
}

impl Sink for Kept {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        self.fixations.push((place.row, fixation));
        Ok(())
    }

    fn word(&mut self, _: RowPlace, _: RawWord) -> Result<(), ImportError> {
        Ok(())
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str) {
        self.dropped.push((place.row, reason, example.to_owned()));
    }

    fn note(&mut self, note: String) {
        self.notes.push(note);
    }
}
