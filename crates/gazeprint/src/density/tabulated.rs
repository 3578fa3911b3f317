//! A density given by its logarithm at the nodes, ready to be evaluated and integrated.

use super::features::Features;
use super::grid::{Grid, Interval};
use super::likelihood::log_mass;
use super::sums::BlockSums;
use crate::kernels;
use crate::saccade::{Observation, Truncation};

/// A fitted density: `log f` at the nodes, integrals over intervals of it.
#[derive(Debug, Clone)]
pub struct Tabulated<'a> {
    grid: &'a Grid,
    log_f: Vec<f64>,
    f: Vec<f64>,
    cells: BlockSums,
    peak: f64,
}

impl<'a> Tabulated<'a> {
    /// Takes unnormalised logarithms at the nodes and normalises them over the support.
    pub fn new(grid: &'a Grid, mut log_f: Vec<f64>) -> Self {
        let peak = kernels::max(&log_f);
        let mut f = vec![0.0; log_f.len()];
        kernels::exp_shifted(&log_f, peak, &mut f);
        let mut cells = BlockSums::new(grid.cells());
        cells.fill(&f, grid.widths());
        let log_total = log_mass(grid.support(), grid.widths(), &log_f, &f, &cells, peak);
        log_f.iter_mut().for_each(|v| *v -= log_total);
        Self { grid, log_f, f, cells, peak: peak - log_total }
    }

    /// The density with these coefficients of the features.
    pub fn of(features: &'a Features, theta: &[f64]) -> Self {
        let mut log_f = vec![0.0; features.grid().nodes().len()];
        features.log_density(theta, &mut log_f);
        Self::new(features.grid(), log_f)
    }

    /// The log density at the nodes.
    pub fn log_f(&self) -> &[f64] {
        &self.log_f
    }

    /// The log density at the nodes.
    pub fn into_log_f(self) -> Vec<f64> {
        self.log_f
    }

    /// The log density at `x`, which is clamped to the support.
    pub fn log_density(&self, x: f64) -> f64 {
        Grid::interpolate(&self.log_f, self.grid.place(x.max(self.grid.lower())))
    }

    /// Log of the mass between `lower` and `upper`, as far as that is on the support.
    pub fn log_mass(&self, lower: f64, upper: f64) -> f64 {
        self.log_mass_of(&self.grid.interval(lower, upper))
    }

    pub(crate) fn log_mass_of(&self, interval: &Interval) -> f64 {
        log_mass(interval, self.grid.widths(), &self.log_f, &self.f, &self.cells, self.peak)
    }

    /// Mean and standard deviation over the support.
    pub fn moments(&self) -> (f64, f64) {
        let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
        self.grid.support().for_each_weight(self.grid.widths(), |node, weight| {
            // In parts of the support's end, lest squares overflow.
            let x = self.grid.nodes()[node] / self.grid.upper();
            let mass = weight * self.log_f[node].exp();
            total += mass;
            first += mass * x;
            second += mass * x * x;
        });
        let mean = first / total;
        let spread = (second / total - mean * mean).max(0.0).sqrt();
        (mean * self.grid.upper(), spread * self.grid.upper())
    }

    /// The value below which a part of the mass between `lower` and `upper` lies, as far as that is
    /// on the support.
    pub fn quantile(&self, lower: f64, upper: f64, part: f64) -> f64 {
        let (lower, upper) = self.grid.clamped(lower, upper);
        let nodes = self.grid.nodes();
        // Straight lines through the nodes, as masses are those of straight lines.
        let pieces = (self.grid.place(lower).cell..=self.grid.place(upper).cell).map(|cell| {
            let f = |x: f64| {
                let t = (x - nodes[cell]) / self.grid.widths()[cell];
                self.f[cell] + t * (self.f[cell + 1] - self.f[cell])
            };
            let (from, to) = (lower.max(nodes[cell]), upper.min(nodes[cell + 1]));
            // Square roots may round a place into the next cell.
            let to = to.max(from);
            (from, to - from, f(from).max(0.0), f(to).max(0.0))
        });
        let mass = |&(_, width, p, q): &(f64, f64, f64, f64)| 0.5 * width * (p + q);
        let total: f64 = pieces.clone().map(|piece| mass(&piece)).sum();
        if total <= 0.0 {
            return lower + part * (upper - lower);
        }
        let mut rest = part * total;
        for piece in pieces {
            let here = mass(&piece);
            if here > 0.0 && rest <= here {
                let (from, width, p, q) = piece;
                let m = rest / width;
                let root = (p * p + 2.0 * (q - p) * m).max(0.0).sqrt();
                return (from + width * (2.0 * m / (p + root)).min(1.0)).min(upper);
            }
            rest -= here;
        }
        upper
    }

    /// Log density of an observation given that it lies in its interval.
    pub fn log_truncated(&self, truncation: Truncation, o: &Observation) -> f64 {
        let log_f = self.log_density(o.value);
        match truncation {
            Truncation::Full => log_f,
            _ => log_f - self.log_mass(o.lower, o.upper),
        }
    }
}

/// `log(weight f + (1 - weight) g)` at the nodes.
pub fn mix(weight: f64, log_f: &[f64], log_g: &[f64]) -> Vec<f64> {
    let (a, b) = (weight.ln(), (1.0 - weight).ln());
    log_f
        .iter()
        .zip(log_g)
        .map(|(f, g)| {
            let (f, g) = (a + f, b + g);
            let (low, high) = if f < g { (f, g) } else { (g, f) };
            if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_inverse_to_masses() {
        let grid = Grid::new(0.4, 30.0);
        let log_f = grid.nodes().iter().map(|x| 1.5 * x.ln() - 0.4 * x).collect();
        let table = Tabulated::new(&grid, log_f);
        for (lower, upper) in [(0.0, 99.0), (2.0, 9.0), (3.0, 3.01), (25.0, 90.0)] {
            let whole = table.log_mass(lower, upper).exp();
            let mut last = 0.0;
            for i in 0..=40 {
                let part = f64::from(i) / 40.0;
                let x = table.quantile(lower, upper, part);
                assert!(x >= last && x >= lower && x <= upper, "{x}");
                last = x;
                // Empty intervals keep some mass.
                if x > lower.max(0.4) + 0.01 {
                    let below = table.log_mass(lower, x).exp();
                    assert!((below / whole - part).abs() < 1e-9, "{part}: {x}, {below} of {whole}");
                }
            }
        }
        let far = Tabulated::new(&grid, grid.nodes().iter().map(|x| -400.0 * x).collect());
        assert!((far.quantile(20.0, 22.0, 0.5) - 21.0).abs() < 1e-9);
    }
}
