//! Shared by the numerical tests: densities to try, samples of them, and sums written plainly.
#![allow(dead_code, reason = "every test file takes what it needs")]
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::sync::Arc;

use gazeprint::density::{Features, Grid, Tabulated};
use gazeprint::saccade::{Observation, Truncation};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) const TRUNCATIONS: [Truncation; 4] =
    [Truncation::Full, Truncation::Upper, Truncation::Lower, Truncation::Both];

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A bound on either side of some place of the grid, as saccades have them: words begin up to 8
/// characters away and are 1 to 12 characters wide.
pub(crate) fn bounds(truncation: Truncation, rng: &mut impl Rng) -> (f64, f64) {
    match truncation {
        Truncation::Full => (0.0, f64::INFINITY),
        Truncation::Upper => (0.0, rng.random_range(0.5..10.0)),
        Truncation::Lower => (rng.random_range(0.2..8.0), f64::INFINITY),
        Truncation::Both => {
            let lower = rng.random_range(0.1..8.0);
            (lower, lower + f64::from(rng.random_range(1..12)))
        }
    }
}

/// Values anywhere in their intervals.
pub(crate) fn uniform_observations(
    truncation: Truncation,
    upper: f64,
    n: usize,
    rng: &mut impl Rng,
) -> Vec<Observation> {
    (0..n)
        .map(|_| {
            let (l, r) = bounds(truncation, rng);
            Observation { value: rng.random_range(l..r.min(upper)), lower: l, upper: r }
        })
        .collect()
}

/// Draws from the density with these unnormalised logarithms at the nodes, given intervals.
///
/// The density is the one whose logarithm is interpolated between the nodes; it is inverted on
/// points that are 8 times as dense.
pub(crate) struct Sampler<'a> {
    table: Tabulated<'a>,
    grid: &'a Grid,
}

impl<'a> Sampler<'a> {
    pub(crate) fn new(features: &'a Features, theta: &[f64]) -> Self {
        let mut log_f = vec![0.0; features.grid().nodes().len()];
        features.log_density(theta, &mut log_f);
        Self { table: Tabulated::new(features.grid(), log_f), grid: features.grid() }
    }

    pub(crate) fn draw(&self, lower: f64, upper: f64, rng: &mut impl Rng) -> f64 {
        let first = self.grid.nodes()[0].max(self.grid.lower());
        let (a, b) = (lower.max(first).sqrt(), upper.min(self.grid.upper()).sqrt());
        let share = (b - a) / self.grid.upper().sqrt();
        let steps = ((8.0 * share * self.grid.cells() as f64).ceil() as usize).max(16);
        let x = |k: usize| (a + (b - a) * k as f64 / steps as f64).powi(2);
        let log_f: Vec<f64> = (0..=steps).map(|k| self.table.log_density(x(k))).collect();
        let peak = log_f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mass = |k: usize| {
            0.5 * (x(k + 1) - x(k)) * ((log_f[k] - peak).exp() + (log_f[k + 1] - peak).exp())
        };
        let total: f64 = (0..steps).map(mass).sum();
        let mut left = rng.random::<f64>() * total;
        for k in 0..steps {
            let m = mass(k);
            if left < m {
                return x(k) + (x(k + 1) - x(k)) * left / m;
            }
            left -= m;
        }
        upper.min(self.grid.upper())
    }

    pub(crate) fn observe(
        &self,
        truncation: Truncation,
        n: usize,
        rng: &mut impl Rng,
    ) -> Vec<Observation> {
        (0..n)
            .map(|_| {
                let (lower, upper) = bounds(truncation, rng);
                Observation { value: self.draw(lower, upper, rng), lower, upper }
            })
            .collect()
    }
}

/// Gamma features, and a Gaussian process around them, on one grid.
pub(crate) fn families(grid: &Arc<Grid>) -> [Features; 2] {
    [
        Features::gamma(Arc::clone(grid)),
        Features::semiparametric(Arc::clone(grid), 0.2 * grid.upper(), 0.5),
    ]
}

/// Rows of a small table with a header; lines that start with `#` are remarks.
pub(crate) fn fixture(name: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1)
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

/// Log of the weighted sum of exponentials.
pub(crate) fn log_sum(terms: &[(f64, f64)]) -> f64 {
    let peak = terms.iter().map(|t| t.1).fold(f64::NEG_INFINITY, f64::max);
    peak + terms.iter().map(|(w, l)| w * (l - peak).exp()).sum::<f64>().ln()
}

/// The trapezoid rule over `[lower, upper]` on straight lines through the nodes, written plainly:
/// every piece of a cell by its end values. Returns (weight, node) pairs.
pub(crate) fn plain_weights(grid: &Grid, lower: f64, upper: f64) -> Vec<(f64, usize)> {
    let nodes = grid.nodes();
    let (lower, upper) = (lower.max(nodes[0]), upper.min(grid.upper()));
    let mut weights = Vec::new();
    for k in 0..grid.cells() {
        let (a, b) = (lower.max(nodes[k]), upper.min(nodes[k + 1]));
        if a < b {
            let width = nodes[k + 1] - nodes[k];
            for x in [a, b] {
                let t = (x - nodes[k]) / width;
                weights.push((0.5 * (b - a) * (1.0 - t), k));
                weights.push((0.5 * (b - a) * t, k + 1));
            }
        }
    }
    weights
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(crate) fn variance(values: &[f64]) -> f64 {
    let m = mean(values);
    values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}
