//! How sights of people are spread.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Sight;

/// Least part of what differs between people that stays with them from day to day.
const LEAST_LASTING: f64 = 0.02;
/// Variances whose product is taken before its logarithm: neither overflows nor vanishes.
const PRODUCT: usize = 16;

/// Spreads between people, between sessions of one person, and within a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Spread {
    /// Of all people.
    mean: Vec<f64>,
    /// Direction after direction, each as long as a vector: within a session, a reading of weight 1
    /// has variance 1 along each, and no two go together.
    basis: Vec<f64>,
    /// Variance between people on one day, by direction: B + W.
    between: Vec<f64>,
    /// The part of it that is between days of one person: W.
    session: Vec<f64>,
}

/// A spread as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    mean: Vec<f64>,
    basis: Vec<f64>,
    between: Vec<f64>,
    session: Vec<f64>,
}

/// What can be wrong with a stored spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SpreadError {
    /// Numbers that do not go together.
    #[error(
        "found a mean of {mean}, a basis of {basis}, and variances of {between} and {session} numbers, which do not go together"
    )]
    Lengths {
        /// Numbers of the mean.
        mean: usize,
        /// Of the basis.
        basis: usize,
        /// Variances between people.
        between: usize,
        /// Variances between days.
        session: usize,
    },
    /// Numbers that nothing can be computed with.
    #[error(
        "found variances that are not positive and finite, or more between days than between people"
    )]
    Variances,
}

impl From<Spread> for Stored {
    fn from(Spread { mean, basis, between, session }: Spread) -> Self {
        Self { mean, basis, between, session }
    }
}

impl TryFrom<Stored> for Spread {
    type Error = SpreadError;

    fn try_from(Stored { mean, basis, between, session }: Stored) -> Result<Self, SpreadError> {
        Self::new(mean, basis, between, session)
    }
}

impl Spread {
    /// A spread in directions given one after the other.
    ///
    /// # Errors
    /// If lengths do not go together, or a variance cannot be.
    pub fn new(
        mean: Vec<f64>,
        basis: Vec<f64>,
        between: Vec<f64>,
        session: Vec<f64>,
    ) -> Result<Self, SpreadError> {
        let lengths = [mean.len(), basis.len(), between.len(), session.len()];
        if basis.len() != mean.len() * between.len() || session.len() != between.len() {
            let [mean, basis, between, session] = lengths;
            return Err(SpreadError::Lengths { mean, basis, between, session });
        }
        let are_finite = mean.iter().chain(&basis).all(|v| v.is_finite());
        let is_possible = |(t, w): (&f64, &f64)| t.is_finite() && *t > 0.0 && (0.0..*t).contains(w);
        match are_finite && between.iter().zip(&session).all(is_possible) {
            true => Ok(Self { mean, basis, between, session }),
            false => Err(SpreadError::Variances),
        }
    }

    /// Numbers of a vector.
    pub fn vector_len(&self) -> usize {
        self.mean.len()
    }

    /// Directions in which people differ.
    pub fn directions(&self) -> usize {
        self.between.len()
    }

    /// Variance between people on one day, by direction.
    pub fn between(&self) -> &[f64] {
        &self.between
    }

    /// The same spread where so much of what differs between people differs between days, too.
    pub fn with_session_share(mut self, share: f64) -> Self {
        let share = share.clamp(0.0, 1.0 - LEAST_LASTING);
        self.session = self.between.iter().map(|t| share * t).collect();
        self
    }

    /// The same spread around another mean.
    pub fn around(self, mean: Vec<f64>) -> Self {
        match mean.len() == self.mean.len() && mean.iter().all(|v| v.is_finite()) {
            true => Self { mean, ..self },
            false => self,
        }
    }

    /// A vector in the directions of the spread.
    pub fn place(&self, vector: &[f64]) -> Vec<f64> {
        let centred: Vec<f64> = vector.iter().zip(&self.mean).map(|(v, m)| v - m).collect();
        let d = self.mean.len().max(1);
        self.basis.chunks(d).map(|direction| crate::kernels::dot(direction, &centred)).collect()
    }

    /// A sight in the directions of the spread; none where nothing was seen.
    pub fn placed(&self, sight: &Sight) -> Option<Placed> {
        Some(Placed { weight: sight.weight(), at: self.place(&sight.mean()?) })
    }

    /// How somebody might have been seen on another day. Given one day, the other is regressed to the
    /// mean: days are exchangeable.
    pub fn on_another_day(&self, seen: &Placed, random: &mut impl Rng) -> Placed {
        let moved =
            seen.at.iter().zip(self.between.iter().zip(&self.session)).map(|(at, (t, w))| {
                let share = w / t;
                let noise: f64 = StandardNormal.sample(random);
                (1.0 - share) * at + (share * (2.0 - share) * t).sqrt() * noise
            });
        Placed { weight: seen.weight, at: moved.collect() }
    }

    /// What is known of somebody from sights of some sessions; probes are of another one unless
    /// `same_day`.
    pub fn sighted(&self, sessions: &[Placed], same_day: bool) -> Sighted {
        let n = self.directions();
        let (mut precision, mut pull) = (vec![0.0; n], vec![0.0; n]);
        for seen in sessions {
            for (k, at) in seen.at.iter().enumerate() {
                let by = 1.0 / (self.days(k, same_day) + 1.0 / seen.weight);
                precision[k] += by;
                pull[k] += by * at;
            }
        }
        let known = |k: usize| {
            let person = self.between[k] - self.days(k, same_day);
            // Of two Gaussians about the person: what was seen, and what people are like.
            let left = 1.0 / (precision[k] + 1.0 / person);
            (left * pull[k], left)
        };
        let (expected, left) = (0..n).map(known).unzip();
        Sighted { expected, left }
    }

    /// The variance between the days of one person that counts.
    fn days(&self, direction: usize, same_day: bool) -> f64 {
        if same_day { 0.0 } else { self.session[direction] }
    }

    /// The log ratio of a probe for each of some readers, to anybody.
    pub fn ratios(&self, readers: &[Sighted], probe: &Sight, same_day: bool) -> Vec<f64> {
        let Some(Placed { weight, at }) = self.placed(probe) else {
            return vec![0.0; readers.len()];
        };
        let error = 1.0 / weight;
        let anybody: Vec<f64> = self.between.iter().map(|t| t + error).collect();
        let around: Vec<f64> = (0..at.len()).map(|k| self.days(k, same_day) + error).collect();
        readers.iter().map(|reader| reader.ratio(&at, &around, &anybody)).collect()
    }
}

/// A sight in the directions of a spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    weight: f64,
    at: Vec<f64>,
}

/// What is known of somebody from what was seen of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Sighted {
    /// Where the person is, by direction.
    expected: Vec<f64>,
    /// The variance of that.
    left: Vec<f64>,
}

impl Sighted {
    /// The log ratio of a probe seen there, with a variance around the person, to one of anybody.
    fn ratio(&self, at: &[f64], around: &[f64], anybody: &[f64]) -> f64 {
        let (mut squares, mut logs) = (0.0, 0.0);
        for start in (0..at.len()).step_by(PRODUCT) {
            let mut product = 1.0;
            for k in start..(start + PRODUCT).min(at.len()) {
                let variance = self.left[k] + around[k];
                let off = at[k] - self.expected[k];
                squares += at[k] * at[k] / anybody[k] - off * off / variance;
                product *= anybody[k] / variance;
            }
            logs += product.ln();
        }
        0.5 * (squares + logs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// The log density of a Gaussian of mean nought, by elimination.
    fn log_gaussian(x: &[f64], covariance: &[Vec<f64>]) -> f64 {
        let n = x.len();
        let mut rows: Vec<Vec<f64>> = covariance.to_vec();
        let mut solved = x.to_vec();
        let (mut log_det, mut square) = (0.0, 0.0);
        for i in 0..n {
            log_det += rows[i][i].ln();
            square += solved[i] * solved[i] / rows[i][i];
            for j in i + 1..n {
                let factor = rows[j][i] / rows[i][i];
                for k in i..n {
                    rows[j][k] -= factor * rows[i][k];
                }
                solved[j] -= factor * solved[i];
            }
        }
        -0.5 * (square + log_det + n as f64 * std::f64::consts::TAU.ln())
    }

    fn spread() -> Spread {
        let basis = vec![1.0, 0.5, -0.3, 2.0];
        Spread::new(vec![0.2, -1.0], basis, vec![3.0, 0.4], vec![0.9, 0.1]).unwrap()
    }

    /// Two sessions and a probe, held against the joint Gaussian of all three.
    #[test]
    fn ratios_are_those_of_joint_gaussians() {
        let spread = spread();
        let sights = [Sight::new(2.0, [1.5, -0.4]), Sight::new(0.7, [0.9, -1.9])];
        let probe = Sight::new(1.3, [0.4, 0.6]);
        for same_day in [false, true] {
            let placed: Vec<Placed> = sights.iter().map(|s| spread.placed(s).unwrap()).collect();
            let known = spread.sighted(&placed, same_day);
            let found = spread.ratios(&[known], &probe, same_day)[0];
            let at = spread.placed(&probe).unwrap();
            let mut expected = 0.0;
            for k in 0..spread.directions() {
                let day = spread.days(k, same_day);
                let person = spread.between[k] - day;
                let noise: Vec<f64> =
                    sights.iter().chain([&probe]).map(|s| day + 1.0 / s.weight()).collect();
                let cov = |of: &[usize]| -> Vec<Vec<f64>> {
                    let entry = |i: usize, j: usize| person + if i == j { noise[i] } else { 0.0 };
                    of.iter().map(|&i| of.iter().map(|&j| entry(i, j)).collect()).collect()
                };
                let x = [placed[0].at[k], placed[1].at[k], at.at[k]];
                expected +=
                    log_gaussian(&x, &cov(&[0, 1, 2])) - log_gaussian(&x[..2], &cov(&[0, 1]));
                // Of anybody, the variance between days counts whether it is the same day or not.
                expected -=
                    log_gaussian(&x[2..], &[vec![spread.between[k] + 1.0 / probe.weight()]]);
            }
            assert!((found - expected).abs() < 1e-9, "{same_day}: {found} {expected}");
        }
        assert_eq!(spread.ratios(&[spread.sighted(&[], false)], &Sight::default(), false), [0.0]);
    }

    #[test]
    fn days_are_exchangeable() {
        let spread = spread();
        let mut random = Stream { seed: 3, index: 0 }.chain(0);
        let n = 20_000;
        let (mut square, mut product) = ([0.0; 2], [0.0; 2]);
        for _ in 0..n {
            let mut draw = |variance: f64| -> f64 {
                let z: f64 = StandardNormal.sample(&mut random);
                z * variance.sqrt()
            };
            let today = Placed { weight: 1.0, at: vec![draw(3.0), draw(0.4)] };
            let other = spread.on_another_day(&today, &mut random);
            for k in 0..2 {
                square[k] += other.at[k] * other.at[k] / f64::from(n);
                product[k] += other.at[k] * today.at[k] / f64::from(n);
            }
        }
        for (k, (t, w)) in [(3.0, 0.9), (0.4, 0.1)].into_iter().enumerate() {
            assert!((square[k] / t - 1.0).abs() < 0.05, "{k}: {}", square[k]);
            assert!((product[k] / (t - w) - 1.0).abs() < 0.05, "{k}: {}", product[k]);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let new = |between: Vec<f64>, session: Vec<f64>| {
            Spread::new(vec![0.0; 2], vec![1.0; 2 * between.len()], between, session)
        };
        assert!(new(vec![1.0], vec![0.2]).is_ok());
        assert!(new(vec![1.0], vec![0.2, 0.1]).is_err());
        assert_eq!(new(vec![1.0], vec![1.0]), Err(SpreadError::Variances));
        assert_eq!(new(vec![f64::NAN], vec![0.0]), Err(SpreadError::Variances));
    }
}
