//! How long a fixation lasts.
//!
//! Three components, so that no gamma density fits: a shifted log-normal decision time; a narrow
//! bump of short latencies, when the next move was under way before the eye landed; and fixations
//! prolonged because the next move was cancelled and programmed anew.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::person::{Person, normal};
use crate::saccade::SaccadeType;

/// Shortest duration, ms: what is less comes from the recorder, not from the reader.
const SHORTEST: f64 = 50.0;
/// Factor on the odds of a short latency after a move within or back to a word that has been seen:
/// there is less left to decide.
const SEEN_ODDS: f64 = 2.2;
/// The same where the eye landed at the very edge of a word, by a landing error that is corrected.
const EDGE_ODDS: f64 = 1.8;
/// Sd of the logarithm of the cost of a restart: some are restarted twice.
const RESTART_SPREAD: f64 = 0.5;

/// Where the eye is, as far as durations depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// How it came; `None` for the first fixation of a line.
    pub(super) kind: Option<SaccadeType>,
    /// Letters of the word.
    pub(super) length: f64,
    /// Landing position: -1 at the word's left edge, 0 at its centre, 1 at its right edge.
    pub(super) offset: f64,
}

/// Draws durations, and remembers the last one.
#[derive(Debug)]
pub(super) struct Clock<'a> {
    person: &'a Person,
    /// Deviation of the last log decision time from its mean.
    deviation: f64,
}

impl<'a> Clock<'a> {
    /// A clock at the start of a text.
    pub(super) fn new(person: &'a Person) -> Self {
        Self { person, deviation: 0.0 }
    }

    /// Draws the duration of a fixation, ms.
    pub(super) fn duration(&mut self, place: Place, rng: &mut ChaCha8Rng) -> f64 {
        let p = self.person;
        if rng.random_bool(short_share(p, place)) {
            self.deviation = 0.0;
            return (p.short_place + p.short_width * normal(rng)).max(SHORTEST);
        }
        let deviation = p.carry * self.deviation + p.spread * normal(rng);
        self.deviation = deviation;
        let decision = p.decision * (effects(p, place) + deviation).exp();
        let restart = if rng.random_bool(p.restart_share) {
            p.restart_delay * (RESTART_SPREAD * normal(rng)).exp()
        } else {
            0.0
        };
        (p.shift + decision + restart).max(SHORTEST)
    }
}

/// Probability of a short latency.
fn short_share(p: &Person, place: Place) -> f64 {
    let seen = matches!(place.kind, Some(SaccadeType::Refixation | SaccadeType::Regression));
    let odds = p.short_share / (1.0 - p.short_share)
        * if seen { SEEN_ODDS } else { 1.0 }
        * EDGE_ODDS.powf(place.offset * place.offset);
    odds / (1.0 + odds)
}

/// The systematic part of log decision time.
fn effects(p: &Person, place: Place) -> f64 {
    let kind = match place.kind {
        None => p.first_effect,
        Some(SaccadeType::Refixation) => p.refixation_effect,
        Some(SaccadeType::NextWord) => 0.0,
        Some(SaccadeType::ForwardSkip) => p.skip_effect,
        Some(SaccadeType::Regression) => p.regression_effect,
    };
    kind + p.length_effect * (place.length - 5.0) - p.edge_effect * place.offset * place.offset
}
