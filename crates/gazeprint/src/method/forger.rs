//! Templates run forward: what whoever gets hold of them could do.

use crate::corpus::{Fixation, Limits, Text};
use crate::random::Stream;
use crate::saccade::Reading;
use crate::score::Scorer;

/// Readers that were learned: to be compared and, where templates say how to go through a text, to be
/// forged.
pub trait LearnedReaders: Scorer {
    /// What makes forgeries of them; none where templates do not say how to go through a text.
    fn forger(&self) -> Option<&dyn Forger> {
        None
    }
}

/// Reads as templates have it.
pub trait Forger: Send + Sync {
    /// A reading of a text as the template of a reader has it, drawn at random: what whoever gets
    /// hold of the template could forge. Without a reader, as somebody reads of whom nothing is
    /// known. None where there is no such reader.
    ///
    /// Durations lie within the limits, and all fixations on the text.
    fn forge(
        &self,
        reader: Option<usize>,
        text: &Text,
        limits: Limits,
        stream: Stream,
    ) -> Option<Vec<Fixation>>;

    /// How the fixations of a reading compare with what a reader's template expects of them: what
    /// tells people from what [`Forger::forge`] makes. None where there is no such reader.
    fn surprises(&self, reader: usize, reading: &Reading) -> Option<Vec<Surprise>>;
}

/// A fixation, held against a template.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surprise {
    /// Log probability of what the eye did next, less its mean; none where signal was lost.
    pub next: Option<f64>,
    /// Whether the next word was skipped, as 0 or 1, less the probability; none where it cannot be
    /// or signal was lost.
    pub skip: Option<f64>,
    /// The same of a refixation.
    pub refixation: Option<f64>,
    /// Log density of the place where the saccade ended, less its mean; none where a pass starts.
    pub landing: Option<f64>,
    /// How much too far it went, standardised; none where a pass starts.
    pub overshoot: Option<f64>,
    /// The duration, standardised to a normal distribution.
    pub duration: f64,
}
