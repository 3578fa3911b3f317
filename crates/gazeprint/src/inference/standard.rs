//! Standard draws that all proposals share.
//!
//! They depend on nothing, so that they are computed once in a process, and as far as they are used.

use std::sync::OnceLock;

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::gamma::{gamma_lr, ln_gamma};

use crate::density::Features;

/// Draws there are.
pub(super) const MOST: usize = PAIRS * MIRRORED;
/// Draws that share all but the sign.
pub(super) const MIRRORED: usize = 2;
const PAIRS: usize = 4096;
/// Degrees of freedom of the gamma part of a proposal. Few truncated observations leave a long
/// plateau far from the mode, which only very heavy tails find.
pub(super) const GAMMA_DEGREES: f64 = 2.0;
/// Degrees of freedom of the rest of its heavy-tailed part.
pub(super) const DEGREES: f64 = 20.0;

static NORMAL: [OnceLock<Vec<f64>>; Features::MAX_LEN] =
    [const { OnceLock::new() }; Features::MAX_LEN];
static STRETCHES: OnceLock<Vec<[f64; 2]>> = OnceLock::new();

/// Owen-scrambled Sobol points, half of them mirrored, as standard normal draws of so many
/// coordinates.
#[derive(Debug)]
pub(super) struct StandardDraws {
    coordinates: Vec<&'static [f64]>,
    stretches: &'static [[f64; 2]],
}

impl StandardDraws {
    pub(super) fn new(len: usize) -> Self {
        let coordinate = |a: usize| NORMAL[a].get_or_init(|| normal(a)).as_slice();
        Self {
            coordinates: (0..len).map(coordinate).collect(),
            stretches: STRETCHES.get_or_init(stretches),
        }
    }

    /// A coordinate of the first of a pair of draws, standard normal; that of the second is its
    /// negative.
    #[inline]
    pub(super) fn normal(&self, pair: usize, coordinate: usize) -> f64 {
        self.coordinates[coordinate][pair]
    }

    /// Roots of the degrees of freedom over a chi-square, for the gamma part and the rest: they turn
    /// a pair of normal draws into multivariate ts.
    #[inline]
    pub(super) fn stretch(&self, pair: usize) -> [f64; 2] {
        self.stretches[pair]
    }
}

/// Points are single precision in [0, 1): keeps clear of both ends.
fn uniform(point: usize, dimension: usize) -> f64 {
    let value = sobol_burley::sample(point as u32, dimension as u32, 0);
    (f64::from(value) + 1e-8).min(1.0 - 1e-7)
}

fn normal(coordinate: usize) -> Vec<f64> {
    let gaussian = Normal::standard();
    (0..PAIRS).map(|i| gaussian.inverse_cdf(uniform(i, coordinate + 2))).collect()
}

fn stretches() -> Vec<[f64; 2]> {
    let stretch = |degrees: f64, u: f64| (degrees / chi_square_quantile(degrees, u)).sqrt();
    let pair = |i| [stretch(GAMMA_DEGREES, uniform(i, 0)), stretch(DEGREES, uniform(i, 1))];
    (0..PAIRS).map(pair).collect()
}

/// By Newton's method in the logarithm, with steps that cannot run away.
fn chi_square_quantile(degrees: f64, u: f64) -> f64 {
    let shape = degrees / 2.0;
    // Where u is small, the leading term of the distribution function is all of it.
    let mut log_x = ((u.ln() + ln_gamma(shape + 1.0)) / shape).min(shape.ln());
    for _ in 0..100 {
        let x = log_x.exp();
        let slope = (shape * log_x - x - ln_gamma(shape)).exp();
        let step = (u - gamma_lr(shape, x)) / slope;
        log_x += step.clamp(-1.0, 1.0);
        if step.abs() < 1e-14 {
            break;
        }
    }
    2.0 * log_x.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_where_the_distribution_function_says() {
        for degrees in [GAMMA_DEGREES, DEGREES] {
            for u in (1..1000).map(|i| f64::from(i) / 1000.0).chain([1e-8, 1e-5, 1.0 - 1e-7]) {
                let x = chi_square_quantile(degrees, u);
                let found = gamma_lr(degrees / 2.0, x / 2.0);
                assert!((found - u).abs() < 1e-13 * (1.0 + u), "{degrees} {u}: {found}");
                if degrees == 2.0 {
                    assert!((x + 2.0 * (-u).ln_1p()).abs() < 1e-7 * x, "{u}: {x}");
                }
            }
        }
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let draws = StandardDraws::new(Features::MAX_LEN);
        for coordinate in 0..Features::MAX_LEN {
            let squares: f64 = (0..PAIRS).map(|pair| draws.normal(pair, coordinate).powi(2)).sum();
            assert!((squares / PAIRS as f64 - 1.0).abs() < 5e-3, "{coordinate}: {squares}");
        }
        // The mean of the inverse square of a stretch is that of a chi-square over its degrees.
        for part in 0..2 {
            let sum: f64 = (0..PAIRS).map(|pair| draws.stretch(pair)[part].powi(-2)).sum();
            assert!((sum / PAIRS as f64 - 1.0).abs() < 5e-3, "{part}: {sum}");
        }
    }
}
