//! Calibration: scores into log-likelihood ratios that mean what they say.

use rayon::prelude::*;

use super::threshold::cleaned;

/// Precision of the prior on the scale, in units of the scores' standard deviation.
///
/// Where scores overlap it is too weak to be seen, also where few of many widely spread scores
/// lie near the border. Where they do not, the likelihood alone would drive the scale to
/// infinity, and this holds the ratio of a score one deviation from the border near e^18.
const RIDGE: f64 = 1e-9;

const MAX_STEPS: usize = 100;
const MAX_HALVINGS: usize = 50;
/// Gain in cost at which to stop: where the cost is flattest, the scale is then known to 1e-9.
const CONVERGED: f64 = 1e-24;
/// Gain in cost that a comparison of costs can no longer show.
const BELIEVED: f64 = 1e-12;
const CHUNK: usize = 1 << 14;

/// A calibration: the log-likelihood ratio is `scale * score + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// Factor of the score; never negative, so that the order of scores stays.
    pub scale: f64,
    /// The log-likelihood ratio of the score 0.
    pub offset: f64,
}

impl Affine {
    /// The calibration under which these claims are likeliest: logistic regression with both sides
    /// weighted equally, whatever their numbers, so that log-odds are log-likelihood ratios.
    ///
    /// Minimises the mean cost of the log-likelihood ratios (Cllr, in nats) plus `RIDGE / 2` times the squared
    /// product of scale and standard deviation of the scores (both sides weighted equally), with
    /// `RIDGE` = 1e-9. If the best scale is negative, it is 0 and so is the offset: the scores say
    /// nothing. The prior makes scores that separate perfectly give finite numbers, and does not
    /// depend on the unit of the scores.
    ///
    /// Infinite scores that speak for the truth are left out: they cost nothing under any scale.
    /// `None` if one speaks for the wrong side, which no scale can mend, if a side has no finite
    /// score, or if the scores spread beyond the range of numbers.
    pub fn fit(genuine: &[f64], impostor: &[f64]) -> Option<Self> {
        let genuine = finite(genuine, f64::INFINITY)?;
        let impostor = finite(impostor, f64::NEG_INFINITY)?;
        let (mean, deviation) = moments(&genuine, &impostor);
        if !deviation.is_finite() {
            return None;
        }
        if deviation == 0.0 {
            return Some(Self { scale: 0.0, offset: 0.0 });
        }
        let standard = |scores: Vec<f64>| -> Vec<f64> {
            scores.into_iter().map(|s| (s - mean) / deviation).collect()
        };
        let [a, b] =
            Regression { genuine: standard(genuine), impostor: standard(impostor) }.solve();
        // The cost is convex, so on the border a = 0 its minimum is that of b alone, which is 0.
        let scale = a / deviation;
        Some(if scale > 0.0 {
            Self { scale, offset: b - scale * mean }
        } else {
            Self { scale: 0.0, offset: 0.0 }
        })
    }

    /// The log-likelihood ratio of a score.
    pub fn apply(self, score: f64) -> f64 {
        // Nothing can be learned from a scale of 0, not even from an infinite score.
        if self.scale == 0.0 { self.offset } else { self.scale * score + self.offset }
    }
}

/// The finite scores; none if there are none, or if an infinite one is not on its own side.
fn finite(scores: &[f64], own: f64) -> Option<Vec<f64>> {
    let scores = || scores.iter().copied().map(cleaned);
    if scores().any(|s| s.is_infinite() && s != own) {
        return None;
    }
    Some(scores().filter(|s| s.is_finite()).collect()).filter(|s: &Vec<f64>| !s.is_empty())
}

/// Mean and standard deviation with both sides weighted equally.
fn moments(genuine: &[f64], impostor: &[f64]) -> (f64, f64) {
    let over = |f: &dyn Fn(f64) -> f64| {
        let side = |s: &[f64]| s.iter().map(|x| f(*x)).sum::<f64>() / s.len() as f64;
        0.5 * side(genuine) + 0.5 * side(impostor)
    };
    let mean = over(&|x| x);
    (mean, over(&|x| (x - mean).powi(2)).sqrt())
}

/// Weighted logistic regression on standardised scores.
struct Regression {
    genuine: Vec<f64>,
    impostor: Vec<f64>,
}

/// The cost at (a, b) with its derivatives.
#[derive(Debug, Clone, Copy, Default)]
struct Local {
    cost: f64,
    gradient: [f64; 2],
    /// Entries (a, a), (a, b), (b, b).
    hessian: [f64; 3],
}

impl Local {
    fn add(&mut self, weight: f64, other: &Self) {
        self.cost += weight * other.cost;
        for (total, part) in self.gradient.iter_mut().zip(other.gradient) {
            *total += weight * part;
        }
        for (total, part) in self.hessian.iter_mut().zip(other.hessian) {
            *total += weight * part;
        }
    }

    /// Newton's step, and twice the gain in cost it promises.
    fn step(&self) -> ([f64; 2], f64) {
        let ([ga, gb], [aa, ab, bb]) = (self.gradient, self.hessian);
        let determinant = aa * bb - ab * ab;
        let step = [(ab * gb - bb * ga) / determinant, (ab * ga - aa * gb) / determinant];
        (step, -(ga * step[0] + gb * step[1]))
    }
}

impl Regression {
    /// Newton's method. The cost is convex, so this finds its one minimum from anywhere if steps
    /// that do not lower it are halved.
    fn solve(&self) -> [f64; 2] {
        let mut at = [0.0, 0.0];
        let mut local = self.local(at);
        for _ in 0..MAX_STEPS {
            let (mut step, gain) = local.step();
            if gain.is_nan() || gain <= CONVERGED {
                break;
            }
            let lower = (0..MAX_HALVINGS).find_map(|_| {
                let next = [at[0] + step[0], at[1] + step[1]];
                let there = self.local(next);
                step = step.map(|s| 0.5 * s);
                // A gain beneath the rounding of the cost is believed: the minimum is near.
                (there.cost < local.cost || gain < BELIEVED).then_some((next, there))
            });
            let Some(lower) = lower else { break };
            (at, local) = lower;
        }
        at
    }

    fn local(&self, at: [f64; 2]) -> Local {
        let mut local = Local {
            cost: 0.5 * RIDGE * at[0] * at[0],
            gradient: [RIDGE * at[0], 0.0],
            hessian: [RIDGE, 0.0, 0.0],
        };
        for (scores, truth) in [(&self.genuine, 1.0), (&self.impostor, -1.0)] {
            // Parts of fixed size, summed in order: the result does not depend on the threads.
            let parts: Vec<Local> = scores.par_chunks(CHUNK).map(|s| part(s, truth, at)).collect();
            parts.iter().for_each(|part| local.add(0.5 / scores.len() as f64, part));
        }
        local
    }
}

/// The cost of scores that should have the sign of `truth`, summed.
fn part(scores: &[f64], truth: f64, [a, b]: [f64; 2]) -> Local {
    let mut sum = Local::default();
    for &x in scores {
        let wrong = -truth * (a * x + b);
        let e = (-wrong.abs()).exp();
        // The probability of the wrong side.
        let p = if wrong > 0.0 { 1.0 } else { e } / (1.0 + e);
        let (slope, bend) = (-truth * p, e / ((1.0 + e) * (1.0 + e)));
        sum.cost += wrong.max(0.0) + e.ln_1p();
        sum.gradient[0] += slope * x;
        sum.gradient[1] += slope;
        sum.hessian[0] += bend * x * x;
        sum.hessian[1] += bend * x;
        sum.hessian[2] += bend;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_have_a_closed_form() {
        // Genuine: three of four high; impostor: one of eight high. The ratios are those of the
        // parts, 6 and 2/7, whatever the numbers of claims.
        let genuine = [1.0, 1.0, 1.0, -1.0];
        let impostor = [1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0];
        let fit = Affine::fit(&genuine, &impostor).unwrap();
        assert!((fit.apply(1.0) - 6.0_f64.ln()).abs() < 1e-4, "{fit:?}");
        assert!((fit.apply(-1.0) - (2.0_f64 / 7.0).ln()).abs() < 1e-4, "{fit:?}");
    }

    #[test]
    fn perfect_separation_is_finite_and_keeps_its_unit() {
        let fit = Affine::fit(&[2.0, 3.0], &[0.0, 1.0, 0.5]).unwrap();
        assert!(fit.scale > 1.0 && fit.scale.is_finite() && fit.offset.is_finite());
        assert!(fit.apply(2.0) > 3.0 && fit.apply(1.0) < -3.0 && fit.apply(3.0) < 80.0);
        let far = Affine::fit(&[2e9, 3e9], &[0.0, 1e9, 0.5e9]).unwrap();
        assert!((far.apply(2e9) - fit.apply(2.0)).abs() < 1e-6);
        let two = Affine::fit(&[1.0], &[-1.0]).unwrap();
        assert!((two.apply(1.0) - 17.841).abs() < 0.001 && two.offset.abs() < 1e-9, "{two:?}");
    }

    #[test]
    fn scores_that_say_nothing_get_a_ratio_of_one() {
        let nothing = Affine { scale: 0.0, offset: 0.0 };
        assert_eq!(Affine::fit(&[0.0, 1.0], &[2.0, 3.0]), Some(nothing));
        assert_eq!(Affine::fit(&[5.0; 3], &[5.0; 4]), Some(nothing));
        assert_eq!(nothing.apply(f64::INFINITY), 0.0);
    }

    #[test]
    fn infinite_scores_help_only_their_own_side() {
        let (inf, genuine, impostor) = (f64::INFINITY, [0.5, 2.0, 1.0], [0.0, 1.5, -1.0]);
        let fit = Affine::fit(&genuine, &impostor).unwrap();
        let with = Affine::fit(&[0.5, 2.0, inf, 1.0], &[f64::NAN, 0.0, 1.5, -1.0, -inf]);
        assert_eq!(with, Some(fit));
        assert_eq!(Affine::fit(&[1.0, -inf], &impostor), None);
        assert_eq!(Affine::fit(&[1.0, f64::NAN], &impostor), None);
        assert_eq!(Affine::fit(&genuine, &[inf]), None);
        assert_eq!(Affine::fit(&[], &impostor), None);
        assert_eq!(Affine::fit(&genuine, &[f64::NAN]), None);
    }
}
