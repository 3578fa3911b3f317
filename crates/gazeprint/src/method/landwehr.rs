//! The gamma model of Landwehr, Arzt, Scheffer & Kliegl (2014): maximum likelihood, no posterior.

use super::{Family, Generative, Scoring};
use crate::template::Parts;

fn gamma(name: &'static str, parts: Parts) -> Generative {
    Generative::new(name, parts, Family::Gamma, None, Scoring::PosteriorMean)
}

/// The method `landwehr`: types, amplitudes and durations.
pub fn landwehr() -> Generative {
    gamma("landwehr", Parts::ALL)
}

/// The method `landwehr-ta`: types and amplitudes.
pub fn landwehr_ta() -> Generative {
    gamma("landwehr-ta", Parts { amplitudes: true, durations: false })
}

/// The method `landwehr-t`: types alone.
pub fn landwehr_t() -> Generative {
    gamma("landwehr-t", Parts { amplitudes: false, durations: false })
}
