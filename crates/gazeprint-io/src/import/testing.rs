//! What tests of parsers share: a sink that keeps everything, and mutated inputs.

use proptest::prelude::*;

use super::{ImportError, Phrase, RawFixation, RawWord, Reason, RowPlace, Sink, Source};

/// Text or bytes as a file that is read.
pub(crate) fn source<B: AsRef<[u8]> + ?Sized>(bytes: &B) -> Result<Source<'_>, ImportError> {
    Source::new(bytes.as_ref())
}

/// What a parser found.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) fixations: Vec<(RowPlace, RawFixation)>,
    pub(crate) words: Vec<RawWord>,
    pub(crate) dropped: Vec<(RowPlace, &'static str)>,
    pub(crate) notes: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

impl Collected {
    /// Rows dropped for a reason.
    pub(crate) fn rows(&self, reason: Reason) -> Vec<u64> {
        let is_for = |drop: &&(RowPlace, &str)| drop.1 == reason.name();
        self.dropped.iter().filter(is_for).map(|drop| drop.0.row).collect()
    }

    /// Whether a note holds these words.
    pub(crate) fn noted(&self, words: &str) -> bool {
        self.notes.iter().any(|note| note.contains(words))
    }

    /// Whether a warning holds these words.
    pub(crate) fn warned(&self, words: &str) -> bool {
        self.warnings.iter().any(|warning| warning.contains(words))
    }

    pub(crate) fn durations(&self) -> Vec<f64> {
        self.fixations.iter().filter_map(|(_, fixation)| fixation.duration_ms).collect()
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.fixations.iter().map(|(_, fixation)| fixation.text.as_ref()).collect()
    }

    pub(crate) fn gaps(&self) -> Vec<bool> {
        self.fixations.iter().map(|(_, fixation)| fixation.gap).collect()
    }

    /// Rows and reasons of what was dropped.
    pub(crate) fn drops(&self) -> Vec<(u64, &'static str)> {
        self.dropped.iter().map(|(place, reason)| (place.row, *reason)).collect()
    }
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

    fn warn(&mut self, warning: Phrase) {
        self.warnings.push(warning.to_string());
    }
}

/// Bytes of a seed with some of them changed, removed, repeated or put elsewhere.
pub(crate) fn mutated<S: AsRef<[u8]>>(seeds: &[S]) -> impl Strategy<Value = Vec<u8>> + use<S> {
    let seeds: Vec<Vec<u8>> = seeds.iter().map(|seed| seed.as_ref().to_vec()).collect();
    let edit = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..6_u8, any::<u8>());
    (prop::sample::select(seeds), prop::collection::vec(edit, 0..12)).prop_map(|(seed, edits)| {
        let mut bytes = seed;
        for (from, to, kind, byte) in edits {
            mutate(&mut bytes, (from, to), kind, byte);
        }
        bytes
    })
}

fn mutate(bytes: &mut Vec<u8>, at: (prop::sample::Index, prop::sample::Index), kind: u8, byte: u8) {
    if bytes.is_empty() {
        bytes.push(byte);
        return;
    }
    let (from, to) = (at.0.index(bytes.len()), at.1.index(bytes.len()));
    let (from, to) = (from.min(to), from.max(to));
    // Bytes that parsers look for are more telling than others.
    let telling = b"\n\r\t,;\".\0-+e9[]' ";
    match kind {
        0 => bytes[from] = byte,
        1 => bytes[from] = telling[usize::from(byte) % telling.len()],
        2 => bytes.insert(from, telling[usize::from(byte) % telling.len()]),
        3 => drop(bytes.drain(from..to.min(from + 40))),
        4 => {
            let part = bytes[from..to.min(from + 200)].to_vec();
            bytes.splice(to..to, part);
        }
        _ => bytes.swap(from, to),
    }
}
