//! Sights of a person: two noisy ones are of one person, or of two.
//!
//! What a voice makes of a reading is a vector. Vectors of one session lie around what the person is
//! on that day (covariance E, divided by the weight of what was read), days lie around the person (W),
//! and people around their mean (B). Enrolled and probe are then jointly Gaussian, and the score of a
//! reader is the log ratio of that to two Gaussians of their own (section 12 of the model):
//!
//! ```text
//! log N([e, p]; 0, [[B + W_e, X], [X', B + W_p]]) - log N(e; 0, B + W_e) - log N(p; 0, B + W_p)
//! ```
//!
//! [`Spread`] has all three in a basis in which E is the identity and B + W diagonal; W is taken as
//! diagonal there.

mod learn;
mod spread;
mod trend;

pub(crate) use self::learn::invert_lower;
pub use self::learn::{PriorSpread, Seen, SpreadParams, session_share};
pub use self::spread::{Placed, Sighted, Spread, SpreadError};
pub use self::trend::{Timed, Trend};

use serde::{Deserialize, Serialize};

/// A weighted sum of vectors: additive over what was seen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Sight {
    weight: f64,
    /// Empty where nothing was seen.
    sum: Vec<f64>,
}

impl Sight {
    /// A vector that counts so much.
    pub fn new(weight: f64, vector: impl IntoIterator<Item = f64>) -> Self {
        Self { weight, sum: vector.into_iter().map(|v| weight * v).collect() }
    }

    /// How much was seen.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Numbers of a vector; nought where nothing was seen.
    pub fn len(&self) -> usize {
        self.sum.len()
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.weight <= 0.0
    }

    /// The mean of what was seen; none where nothing was.
    pub fn mean(&self) -> Option<Vec<f64>> {
        (!self.is_empty()).then(|| self.sum.iter().map(|v| v / self.weight).collect())
    }

    /// Adds what else was seen, or with a factor of -1 takes it away.
    pub fn add(&mut self, factor: f64, other: &Self) {
        if self.sum.len() < other.sum.len() {
            self.sum.resize(other.sum.len(), 0.0);
        }
        self.weight += factor * other.weight;
        self.sum.iter_mut().zip(&other.sum).for_each(|(sum, v)| *sum += factor * v);
    }

    /// Whether all of it are numbers, as many as there should be.
    pub fn is_valid(&self, len: usize) -> bool {
        let finite = self.weight.is_finite() && self.sum.iter().all(|v| v.is_finite());
        finite && (self.is_empty() || self.sum.len() == len)
    }
}
