//! The paper's model: Gaussian-process densities around the gamma family.

use super::{Family, Generative, Scoring};
use crate::inference::Engine;
use crate::template::Parts;

/// The method `semiparametric`.
pub fn semiparametric(engine: Engine, scoring: Scoring) -> Generative {
    Generative::new("semiparametric", Parts::ALL, Family::Semiparametric, Some(engine), scoring)
}
