//! Saccade types by multinomial logistic regression, one a reader, around the population.

use super::features::TYPE_FEATURES;
use super::gaussian::{Belief, Local, climb};
use crate::density::GaussianPrior;
use crate::saccade::SaccadeType;

/// What the eye may do next: a saccade of one of the types, with refixations to the left apart, or
/// leave the line.
pub(super) const MOVES: usize = 6;
/// To leave the line, for another one or for good.
pub(super) const LEAVE: usize = 4;
/// To refixate further left; the type itself stands for refixations to the right.
pub(super) const BACK: usize = 5;
/// Moves with coefficients of their own; the next word is what they are held against.
pub(super) const FREE: [usize; 5] = [
    SaccadeType::Refixation as usize,
    SaccadeType::ForwardSkip as usize,
    SaccadeType::Regression as usize,
    LEAVE,
    BACK,
];
/// Coefficients of a reader.
pub(super) const TYPE_COEFFICIENTS: usize = FREE.len() * TYPE_FEATURES;

/// A saccade with what its type depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    pub(super) features: [f64; TYPE_FEATURES],
    pub(super) possible: [bool; MOVES],
    pub(super) chosen: usize,
}

impl Choice {
    /// Probabilities of all types, and the log of that of the chosen one.
    pub(super) fn probabilities(&self, free: &[f64; FREE.len()]) -> ([f64; MOVES], f64) {
        let mut logits = [0.0; MOVES];
        for (kind, value) in FREE.iter().zip(free) {
            logits[*kind] = *value;
        }
        let mut peak = f64::NEG_INFINITY;
        for (logit, possible) in logits.iter_mut().zip(self.possible) {
            if !possible {
                *logit = f64::NEG_INFINITY;
            }
            peak = peak.max(*logit);
        }
        let mut p = logits.map(|l| (l - peak).exp());
        let total: f64 = p.iter().sum();
        p.iter_mut().for_each(|p| *p /= total);
        (p, logits[self.chosen] - peak - total.ln())
    }

    fn predictors(&self, coefficients: &[f64]) -> [f64; FREE.len()] {
        std::array::from_fn(|k| {
            let of_type = &coefficients[k * TYPE_FEATURES..(k + 1) * TYPE_FEATURES];
            of_type.iter().zip(&self.features).map(|(b, x)| b * x).sum()
        })
    }
}

fn local(choices: &[Choice], prior: &GaussianPrior, at: &[f64]) -> Local {
    const F: usize = TYPE_FEATURES;
    const PAIRS: usize = FREE.len() * (FREE.len() + 1) / 2;
    let p = TYPE_COEFFICIENTS;
    let mut gradient = vec![0.0; p];
    let mut value = prior.log_density(at, &mut gradient);
    let mut blocks = vec![[[0.0; F]; F]; PAIRS];
    for choice in choices {
        let (probability, log_chosen) = choice.probabilities(&choice.predictors(at));
        value += log_chosen;
        let mut pair = 0;
        for (a, kind_a) in FREE.iter().enumerate() {
            let p_a = probability[*kind_a];
            let error = if *kind_a == choice.chosen { 1.0 - p_a } else { -p_a };
            for (g, x) in gradient[a * F..(a + 1) * F].iter_mut().zip(&choice.features) {
                *g += error * x;
            }
            for kind_b in &FREE[..=a] {
                let p_b = probability[*kind_b];
                let weight = if kind_a == kind_b { p_a * (1.0 - p_a) } else { -p_a * p_b };
                if weight != 0.0 {
                    // Many features are 0; whole rows are faster than half of them.
                    for i in (0..F).filter(|&i| choice.features[i] != 0.0) {
                        let scaled = weight * choice.features[i];
                        let row = blocks[pair][i].iter_mut();
                        row.zip(&choice.features).for_each(|(sum, x)| *sum += scaled * x);
                    }
                }
                pair += 1;
            }
        }
    }
    let mut information = prior.precision().clone();
    let mut pair = 0;
    for a in 0..FREE.len() {
        for b in 0..=a {
            for i in 0..F {
                for j in 0..F {
                    information[(a * F + i, b * F + j)] += blocks[pair][i][j];
                }
            }
            pair += 1;
        }
    }
    Local { value, gradient, information }
}

/// A reader's coefficients, from a start anywhere: the log posterior is concave.
pub(super) fn believe(choices: &[Choice], prior: &GaussianPrior, start: &[f64]) -> Option<Belief> {
    climb(prior, start, |at| local(choices, prior, at))
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    /// Choices in situations of all kinds.
    fn choices(n: usize) -> Vec<Choice> {
        let number = |i: usize| (i as f64 * 0.754_877_666).fract();
        (0..n)
            .map(|i| {
                let features =
                    std::array::from_fn(|f| if f == 0 { 1.0 } else { number(31 * i + f) - 0.4 });
                let possible = [true, i % 7 != 0, i % 5 != 0, i % 3 != 0, true, i % 4 != 0];
                let chosen = (0..MOVES).filter(|m| possible[*m]).nth(i % 2).unwrap();
                Choice { features, possible, chosen }
            })
            .collect()
    }

    fn prior(variance: f64) -> GaussianPrior {
        let p = TYPE_COEFFICIENTS;
        let covariance = Mat::from_fn(p, p, |i, j| if i == j { variance } else { 0.01 * variance });
        GaussianPrior::new((0..p).map(|i| 0.01 * i as f64 - 0.3).collect(), &covariance).unwrap()
    }

    #[test]
    fn probabilities_are_of_what_is_possible() {
        for choice in choices(50) {
            let (p, log_chosen) = choice.probabilities(&[0.3, -700.0, 2.0, 700.0, 1.0]);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (p, possible) in p.iter().zip(choice.possible) {
                assert!(possible || *p == 0.0);
            }
            assert!(log_chosen <= 0.0 && (log_chosen < -600.0 || log_chosen.exp() > 0.0));
        }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let (choices, prior) = (choices(40), prior(0.5));
        let at: Vec<f64> = (0..TYPE_COEFFICIENTS).map(|i| 0.3 * (i as f64).sin()).collect();
        let here = local(&choices, &prior, &at);
        let h = 1e-5;
        for i in (0..TYPE_COEFFICIENTS).step_by(3) {
            let moved = |by: f64| {
                let mut there = at.clone();
                there[i] += by;
                local(&choices, &prior, &there)
            };
            let (up, down) = (moved(h), moved(-h));
            let slope = (up.value - down.value) / (2.0 * h);
            assert!((slope - here.gradient[i]).abs() < 1e-6 * (1.0 + slope.abs()), "{i}");
            for j in (i..TYPE_COEFFICIENTS).step_by(5) {
                let bend = -(up.gradient[j] - down.gradient[j]) / (2.0 * h);
                let found = here.information[(j, i)];
                assert!((bend - found).abs() < 1e-6 * (1.0 + bend.abs()), "{i} {j}");
            }
        }
    }

    #[test]
    fn the_mode_is_flat_and_the_same_from_anywhere() {
        let (choices, prior) = (choices(300), prior(0.5));
        let one = believe(&choices, &prior, prior.mean()).unwrap();
        let other = believe(&choices, &prior, &[1.0; TYPE_COEFFICIENTS]).unwrap();
        let slope = local(&choices, &prior, &one.mode).gradient;
        assert!(slope.iter().all(|g| g.abs() < 1e-3), "{slope:?}");
        for (a, b) in one.mode.iter().zip(&other.mode) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
        // Without choices the prior stands, and the evidence is that of nothing.
        let nothing = believe(&[], &prior, prior.mean()).unwrap();
        assert_eq!(nothing.mode, prior.mean());
        assert!(nothing.evidence.abs() < 1e-9, "{}", nothing.evidence);
    }
}
