//! A sink that keeps everything, for tests.

use super::{ImportError, RawFixation, RawWord, Reason, RowPlace, Sink};

/// What a parser found.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) fixations: Vec<(RowPlace, RawFixation)>,
    pub(crate) words: Vec<RawWord>,
    pub(crate) dropped: Vec<(RowPlace, &'static str)>,
    pub(crate) notes: Vec<String>,
}

impl Sink for Collected {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        self.fixations.push((place, fixation));
        Ok(())
    }

    fn word(&mut self, _: RowPlace, word: RawWord) -> Result<(), ImportError> {
        self.words.push(word);
        Ok(())
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, _: &str) {
        self.dropped.push((place, reason.name()));
    }

    fn note(&mut self, note: String) {
        self.notes.push(note);
    }
}
