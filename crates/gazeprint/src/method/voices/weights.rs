//! How much each voice counts.
//!
//! Texts of one reader are not independent evidence, and each voice over-states itself in its own way.
//! The score of a reader is therefore `sum_v w_v(n) s_v` with `w_v(n) = exp(a_v + b_v ln(n / 50))` for
//! a probe of n fixations. The numbers are those under which held-out probes name their readers best
//! (multinomial logistic regression over readers), held back to what other people have shown.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{ByVoice, Voice};
use crate::kinds::Kind as _;

/// Fixations at which a weight is `exp(a)`.
const UNIT: f64 = 50.0;
/// Lengths beyond which weights stay what they are, in fixations.
const RANGE: [f64; 2] = [6.0, 2000.0];
/// How firmly weights are held back to those of other people, by number: a, then b. In nats of the mean
/// over probes.
const HELD_BACK: [f64; 2] = [0.003, 0.02];
/// Steps of the search, and the slope at which it has arrived.
const MOST_STEPS: usize = 60;
const ARRIVED: f64 = 1e-5;
/// Probes of a length that weights are learned from, at most.
const MOST_PROBES: usize = 1500;

/// How much each voice counts, by length of the probe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Weights([[f64; 2]; Voice::COUNT]);

/// What voices say of a probe whose reader is known.
pub(super) struct Heard {
    /// Place of the reader among those that were compared.
    pub(super) reader: usize,
    pub(super) fixations: usize,
    /// Of those who were compared.
    pub(super) said: ByVoice<Vec<f64>>,
}

impl Weights {
    /// Every voice counts as it is.
    pub const ALONE: Self = Self([[0.0; 2]; Voice::COUNT]);

    /// Weights that were learned elsewhere: by voice, a and b.
    pub fn new(by_voice: [[f64; 2]; Voice::COUNT]) -> Option<Self> {
        by_voice.iter().flatten().all(|v| v.abs() < 20.0).then_some(Self(by_voice))
    }

    /// Of weights with the voices that they were learned for and how much they count, those of each voice
    /// on average; `usual` for voices that none were learned for. Nothing without any.
    pub(super) fn mean(usual: Self, learned: &[(Self, Vec<Voice>, f64)]) -> Option<Self> {
        let mut mean = usual;
        for voice in Voice::ALL {
            let heard = learned.iter().filter(|(_, voices, _)| voices.contains(&voice));
            let total: f64 = heard.clone().map(|(.., counts)| counts).sum();
            if total > 0.0 {
                mean.0[voice.place()] = [0, 1].map(|i| {
                    heard.clone().map(|(w, _, counts)| counts * w.0[voice.place()][i]).sum::<f64>()
                        / total
                });
            }
        }
        (!learned.is_empty()).then_some(mean)
    }

    /// How much a voice counts in a probe of so many fixations.
    pub fn at(&self, voice: Voice, fixations: usize) -> f64 {
        let [a, b] = self.0[voice.place()];
        (a + b * length(fixations)).exp()
    }

    /// Weights under which probes of several lengths name their readers best, for some of the voices.
    pub(super) fn learn(start: Self, voices: &[Voice], lengths: &[Vec<Heard>]) -> Self {
        let problem = Problem {
            start,
            voices,
            lengths: lengths.iter().filter(|probes| !probes.is_empty()).collect(),
        };
        match problem.lengths.is_empty() {
            true => start,
            false => problem.weights(&problem.search()),
        }
    }
}

fn length(fixations: usize) -> f64 {
    ((fixations as f64).clamp(RANGE[0], RANGE[1]) / UNIT).ln()
}

struct Problem<'a> {
    start: Weights,
    voices: &'a [Voice],
    lengths: Vec<&'a Vec<Heard>>,
}

/// A value with its slope.
type Slope = (f64, Vec<f64>);

impl Problem<'_> {
    fn weights(&self, at: &[f64]) -> Weights {
        let mut weights = self.start;
        for (voice, numbers) in self.voices.iter().zip(at.chunks(2)) {
            weights.0[voice.place()] = [numbers[0], numbers[1]];
        }
        weights
    }

    fn origin(&self) -> Vec<f64> {
        self.voices.iter().flat_map(|voice| self.start.0[voice.place()]).collect()
    }

    /// How badly readers are named, in nats a probe.
    fn loss(&self, at: &[f64]) -> Slope {
        let mut total = (0.0, vec![0.0; at.len()]);
        for probes in &self.lengths {
            let step = probes.len().div_ceil(MOST_PROBES);
            let chosen: Vec<&Heard> = probes.iter().step_by(step).collect();
            let slopes: Vec<Slope> =
                chosen.par_iter().map(|heard| self.loss_of(heard, at)).collect();
            let share = 1.0 / (chosen.len() * self.lengths.len()) as f64;
            for (value, slope) in slopes {
                total.0 += share * value;
                total.1.iter_mut().zip(slope).for_each(|(sum, s)| *sum += share * s);
            }
        }
        for (i, origin) in self.origin().into_iter().enumerate() {
            let off = at[i] - origin;
            total.0 += HELD_BACK[i % 2] * off * off;
            total.1[i] += 2.0 * HELD_BACK[i % 2] * off;
        }
        total
    }

    fn loss_of(&self, heard: &Heard, at: &[f64]) -> Slope {
        let length = length(heard.fixations);
        let weight = |numbers: &[f64]| (numbers[0] + numbers[1] * length).exp();
        let weights: Vec<f64> = at.chunks(2).map(weight).collect();
        let mut scores = vec![0.0; heard.said[Voice::Reading].len()];
        for (voice, weight) in self.voices.iter().zip(&weights) {
            crate::kernels::axpy(*weight, &heard.said[*voice], &mut scores);
        }
        let total = crate::kernels::log_sum_exp(&scores);
        let part: Vec<f64> = scores.iter().map(|s| (s - total).exp()).collect();
        let mut slope = Vec::with_capacity(at.len());
        for (voice, weight) in self.voices.iter().zip(&weights) {
            let said = &heard.said[*voice];
            let off = crate::kernels::dot(&part, said) - said[heard.reader];
            slope.extend([weight * off, weight * off * length]);
        }
        (total - scores[heard.reader], slope)
    }

    /// Walks down by the method of Broyden, Fletcher, Goldfarb and Shanno.
    fn search(&self) -> Vec<f64> {
        let mut at = self.origin();
        let n = at.len();
        let mut inverse: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let (mut value, mut slope) = self.loss(&at);
        for _ in 0..MOST_STEPS {
            let way: Vec<f64> =
                inverse.iter().map(|row| -crate::kernels::dot(row, &slope)).collect();
            let down = crate::kernels::dot(&way, &slope);
            // Not down, or no number: what was found so far stands.
            if down.is_nan() || down >= -ARRIVED * ARRIVED {
                break;
            }
            let far = way.iter().fold(1.0_f64, |far, w| far.max(w.abs()));
            let Some((there, step)) = self.shorten(&at, &way, 1.0 / far, value, down) else {
                break;
            };
            let moved: Vec<f64> = way.iter().map(|w| step * w).collect();
            at.iter_mut().zip(&moved).for_each(|(a, m)| *a += m);
            let change: Vec<f64> = there.1.iter().zip(&slope).map(|(b, a)| b - a).collect();
            update(&mut inverse, &moved, &change);
            (value, slope) = there;
        }
        at
    }

    /// Halves a step until it leads down.
    fn shorten(
        &self,
        at: &[f64],
        way: &[f64],
        first: f64,
        value: f64,
        down: f64,
    ) -> Option<(Slope, f64)> {
        let mut step = first;
        for _ in 0..30 {
            let there: Vec<f64> = at.iter().zip(way).map(|(a, w)| a + step * w).collect();
            let found = self.loss(&there);
            if found.0 <= value + 1e-4 * step * down {
                return Some((found, step));
            }
            step *= 0.5;
        }
        None
    }
}

/// What a step shows of the curvature.
fn update(inverse: &mut [Vec<f64>], moved: &[f64], change: &[f64]) {
    let product = crate::kernels::dot(moved, change);
    if product <= 1e-12 {
        return;
    }
    let turned: Vec<f64> = inverse.iter().map(|row| crate::kernels::dot(row, change)).collect();
    let scale = 1.0 + crate::kernels::dot(change, &turned) / product;
    for (i, row) in inverse.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry += scale * moved[i] * moved[j] / product
                - (turned[i] * moved[j] + moved[i] * turned[j]) / product;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::Stream;

    /// Probes of which one voice over-states itself by a factor, and another says nothing.
    fn heard(fixations: usize, factor: f64, count: usize) -> Vec<Heard> {
        let mut random = Stream { seed: 9, index: fixations as u64 }.chain(0);
        let probe = |_| {
            let reader = random.random_range(0..20);
            let mut noise = || -> f64 { StandardNormal.sample(&mut random) };
            // Log-likelihoods of a Gaussian with deviation 1, for which the weight would be 1.
            let gain = 2.0;
            let x: Vec<f64> =
                (0..20).map(|r| noise() + if r == reader { gain } else { 0.0 }).collect();
            let said = x.iter().map(|x| factor * gain * x).collect();
            let nothing = (0..20).map(|_| noise()).collect();
            let said = ByVoice::from([said, nothing, vec![0.0; 20]]);
            Heard { reader, fixations, said }
        };
        (0..count).map(probe).collect()
    }

    #[test]
    fn what_is_over_stated_counts_less() {
        let lengths = [heard(50, 4.0, 1200), heard(500, 20.0, 1200)];
        let voices = [Voice::Reading, Voice::Embedding];
        let weights = Weights::learn(Weights::ALONE, &voices, &lengths);
        assert!((weights.at(Voice::Reading, 50) / 0.25).ln().abs() < 0.2, "{weights:?}");
        assert!((weights.at(Voice::Reading, 500) / 0.05).ln().abs() < 0.3, "{weights:?}");
        assert!(weights.at(Voice::Embedding, 50) < 0.2, "{weights:?}");
        assert_eq!(weights.at(Voice::Oculomotor, 50), 1.0);
    }

    #[test]
    fn without_probes_weights_stay() {
        let start = Weights::new([[-0.8, 0.1], [-1.0, 0.0], [0.0, 0.0]]).unwrap();
        assert_eq!(Weights::learn(start, &[Voice::Reading], &[]), start);
        assert_eq!(Weights::new([[f64::NAN; 2]; 3]), None);
    }
}
