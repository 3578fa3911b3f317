//! Recordings of several eyes of one run, of which one is taken.

use std::collections::HashMap;
use std::path::PathBuf;

use super::super::error::ImportError;
use super::super::gaze::OTHER_EYE;
use super::super::recording::{RawFixation, RawWord, Reason, RowPlace, Sink};
use super::super::report::Drops;
use super::super::setting::Phrase;
use super::side::stem;

/// Groups recordings that differ by their eye alone, in the order in which they first occur.
///
/// A path that is not called like a recording is a group of its own.
pub fn runs(paths: &[PathBuf]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for (i, path) in paths.iter().enumerate() {
        let run = stem(path).map_or_else(
            || path.clone(),
            |stem| {
                let parts = stem.split('_').filter(|part| !part.starts_with("recording-"));
                path.with_file_name(parts.collect::<Vec<_>>().join("_"))
            },
        );
        let place = *places.entry(run).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// Keeps what the recordings of one run hold, until it is known which eye has most fixations.
#[derive(Default)]
pub struct Eyes(Vec<EyeRecording>);

/// What one recording holds.
#[derive(Default)]
struct EyeRecording {
    fixations: Vec<(RowPlace, RawFixation)>,
    words: Vec<(RowPlace, RawWord)>,
    dropped: Drops,
    notes: Vec<String>,
    warnings: Vec<Phrase>,
}

impl Sink for EyeRecording {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        self.fixations.push((place, fixation));
        Ok(())
    }

    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError> {
        self.words.push((place, word));
        Ok(())
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str) {
        self.dropped.count(place, reason, example);
    }

    fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    fn warn(&mut self, warning: Phrase) {
        self.warnings.push(warning);
    }
}

impl Eyes {
    /// Where to put what the next recording holds.
    pub fn another(&mut self) -> &mut dyn Sink {
        self.0.push(EyeRecording::default());
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    /// Hands over the recording with most fixations, the first of several; those of the others are
    /// counted as left out.
    ///
    /// # Errors
    /// If the sink refuses.
    pub fn finish(self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let counts: Vec<usize> = self.0.iter().map(|held| held.fixations.len()).collect();
        let most = counts.iter().max();
        let best = most.and_then(|most| counts.iter().position(|count| count == most));
        if counts.len() > 1 {
            let counts: Vec<String> = counts.iter().map(ToString::to_string).collect();
            sink.note(format!("of {} fixations by eye, the most are taken", counts.join(" and ")));
        }
        for (i, held) in self.0.into_iter().enumerate() {
            held.notes.into_iter().for_each(|note| sink.note(note));
            held.warnings.into_iter().for_each(|warning| sink.warn(warning));
            held.dropped.hand_over(sink);
            for (place, word) in held.words {
                sink.word(place, word)?;
            }
            for (place, fixation) in held.fixations {
                if Some(i) == best {
                    sink.fixation(place, fixation)?;
                } else {
                    let onset = fixation.onset_ms.unwrap_or_default();
                    let example = format!("{:?} eye at {onset} ms", fixation.eye);
                    sink.dropped(place, OTHER_EYE, &example);
                }
            }
        }
        Ok(())
    }
}
