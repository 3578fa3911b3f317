//! The truncated likelihood with its exact gradient and Hessian.
//!
//! ```text
//! log p(y | theta) = sum_i theta . phi(y_i) - log Z_i,   Z_i = sum_j W_ij exp(theta . phi_j)
//! gradient         = sum_i phi(y_i) - E_i[phi]
//! Hessian          = - sum_i Cov_i[phi]
//! ```
//!
//! with non-negative weights `W_ij` of the nodes in the interval of observation `i`. The sum over
//! observations of `E_i[phi phi']` needs only the summed node probabilities, so the cost of a
//! Hessian is that of one covariance plus one vector per truncated observation.

use faer::Mat;

use super::features::Features;
use super::grid::Interval;
use super::sample::Sample;
use super::sums::{BlockScatter, BlockSums, BlockVectorSums};
use crate::kernels::{self, LogProduct};

/// Relative to the peak over the support, the mass of an interval outside of this range is computed
/// anew from its own maximum: it holds next to nothing, or reaches below the support to where the
/// density is so large that its values at the nodes are capped.
pub(super) const PLAIN_MASS: std::ops::Range<f64> = 1e-250..1e200;

/// Scratch memory for likelihoods on grids and features of one size.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(crate) log_f: Vec<f64>,
    pub(crate) f: Vec<f64>,
    pub(crate) cells: BlockSums,
    scatter: BlockScatter,
    moments: BlockVectorSums,
    /// Weight of each node before multiplication with f.
    node_weights: Vec<f64>,
    /// Expected number of observations at each node.
    expected: Vec<f64>,
    weighted_column: Vec<f64>,
    mean: Vec<f64>,
}

impl Workspace {
    /// Scratch for `features`.
    pub fn new(features: &Features) -> Self {
        let (nodes, cells) = (features.grid().nodes().len(), features.grid().cells());
        Self {
            log_f: vec![0.0; nodes],
            f: vec![0.0; nodes],
            cells: BlockSums::new(cells),
            scatter: BlockScatter::new(cells),
            moments: BlockVectorSums::new(cells, features.len()),
            node_weights: vec![0.0; nodes],
            expected: vec![0.0; nodes],
            weighted_column: vec![0.0; nodes],
            mean: vec![0.0; features.len()],
        }
    }
}

/// The likelihood of a sample as a function of theta.
#[derive(Debug, Clone, Copy)]
pub struct Likelihood<'a> {
    features: &'a Features,
    sample: &'a Sample,
}

/// The mass of an interval relative to its own largest node: (log of that node's f, sum of weights
/// relative to it).
pub(super) fn local_mass(
    interval: &Interval,
    widths: &[f64],
    log_f: impl Fn(usize) -> f64,
) -> (f64, f64) {
    let mut peak = f64::NEG_INFINITY;
    interval.for_each_weight(widths, |node, _| peak = peak.max(log_f(node)));
    let mut mass = 0.0;
    interval.for_each_weight(widths, |node, w| mass += w * (log_f(node) - peak).exp());
    (peak, mass)
}

/// Log of the mass of an interval, where `f` is relative to its peak `exp(peak)`.
pub(super) fn log_mass(
    interval: &Interval,
    widths: &[f64],
    log_f: &[f64],
    f: &[f64],
    cells: &BlockSums,
    peak: f64,
) -> f64 {
    let mass = interval.mass(f, cells);
    if PLAIN_MASS.contains(&mass) {
        peak + mass.ln()
    } else {
        let (local_peak, mass) = local_mass(interval, widths, |node| log_f[node]);
        local_peak + mass.ln()
    }
}

impl<'a> Likelihood<'a> {
    /// The likelihood of `sample`, which must have been placed on the grid of `features`.
    pub fn new(features: &'a Features, sample: &'a Sample) -> Self {
        assert_eq!(features.grid().nodes().len(), sample.hits.len(), "sample on another grid");
        Self { features, sample }
    }

    /// The features.
    pub fn features(&self) -> &'a Features {
        self.features
    }

    /// The sample.
    pub fn sample(&self) -> &'a Sample {
        self.sample
    }

    /// Log-likelihood at theta. Leaves the density relative to its peak in `ws.f`, its cell masses in
    /// `ws.cells`.
    pub fn value(&self, theta: &[f64], ws: &mut Workspace) -> f64 {
        self.features.log_density(theta, &mut ws.log_f);
        let Workspace { log_f, f, cells, .. } = ws;
        let grid = self.features.grid();
        let peak = grid.peak(log_f);
        kernels::exp_shifted(log_f, peak, f);
        cells.fill(f, grid.widths());
        let hits = kernels::dot(&self.sample.hits, log_f);
        let n = self.sample.len() as f64;
        if self.sample.intervals.is_empty() {
            return hits - n * (peak + grid.support().mass(f, cells).ln());
        }
        let mut product = LogProduct::new();
        let mut log_z = n * peak;
        for interval in &self.sample.intervals {
            let mass = interval.mass(f, cells);
            if PLAIN_MASS.contains(&mass) {
                product.push(mass);
            } else {
                let (local_peak, mass) = local_mass(interval, grid.widths(), |node| log_f[node]);
                log_z += local_peak - peak + mass.ln();
            }
        }
        hits - log_z - product.ln()
    }

    /// Log-likelihood and gradient at theta.
    pub fn gradient(&self, theta: &[f64], ws: &mut Workspace, gradient: &mut [f64]) -> f64 {
        let value = self.value(theta, ws);
        self.expect(ws, None);
        for (a, g) in gradient.iter_mut().enumerate() {
            let column = self.features.column(a);
            *g = kernels::dot(&self.sample.hits, column) - kernels::dot(&ws.expected, column);
        }
        value
    }

    /// Log-likelihood, gradient, and the negative Hessian (lower triangle, the summed
    /// covariances) at theta.
    pub fn derivatives(
        &self,
        theta: &[f64],
        ws: &mut Workspace,
        gradient: &mut [f64],
        information: &mut Mat<f64>,
    ) -> f64 {
        let value = self.value(theta, ws);
        information.fill(0.0);
        self.expect(ws, Some(information));
        let p = self.features.len();
        for a in 0..p {
            let column = self.features.column(a);
            gradient[a] =
                kernels::dot(&self.sample.hits, column) - kernels::dot(&ws.expected, column);
            for (out, (e, v)) in ws.weighted_column.iter_mut().zip(ws.expected.iter().zip(column)) {
                *out = e * v;
            }
            for b in 0..=a {
                information[(a, b)] += kernels::dot(&ws.weighted_column, self.features.column(b));
            }
        }
        value
    }

    /// Fills `ws.expected` with the summed node probabilities; where `outer` is given, subtracts
    /// the outer products of the expectations `E_i[phi]` from its lower triangle.
    fn expect(&self, ws: &mut Workspace, mut outer: Option<&mut Mat<f64>>) {
        let grid = self.features.grid();
        let widths = grid.widths();
        let Workspace { log_f, f, cells, scatter, moments, node_weights, expected, mean, .. } = ws;
        expected.fill(0.0);
        if self.sample.intervals.is_empty() {
            let n = self.sample.len() as f64;
            let mass = grid.support().mass(f, cells);
            grid.support().for_each_weight(widths, |j, w| expected[j] += n * w * f[j] / mass);
            if let Some(outer) = outer
                && n > 0.0
            {
                for (a, m) in mean.iter_mut().enumerate() {
                    *m = kernels::dot(expected, self.features.column(a)) / n;
                }
                subtract_outer(outer, mean, n);
            }
            return;
        }
        if outer.is_some() {
            moments.fill(f, self.features.rows(), widths);
        }
        node_weights.fill(0.0);
        scatter.clear();
        for interval in &self.sample.intervals {
            let mass = interval.mass(f, cells);
            if !PLAIN_MASS.contains(&mass) {
                let (peak, mass) = local_mass(interval, widths, |node| log_f[node]);
                mean.fill(0.0);
                interval.for_each_weight(widths, |j, w| {
                    let probability = w * (log_f[j] - peak).exp() / mass;
                    expected[j] += probability;
                    add_scaled(mean, probability, self.features.row(j));
                });
                if let Some(outer) = outer.as_deref_mut() {
                    subtract_outer(outer, mean, 1.0);
                }
                continue;
            }
            let inverse = 1.0 / mass;
            let (a, b) = (interval.first as usize, interval.last as usize);
            let ends = [
                (a, interval.left[0]),
                (a + 1, interval.left[1]),
                (b, interval.right[0]),
                (b + 1, interval.right[1]),
            ];
            for (node, weight) in ends {
                node_weights[node] += weight * inverse;
            }
            let (from, to) = interval.whole();
            if from < to {
                scatter.add(from, to, inverse);
            }
            if let Some(outer) = outer.as_deref_mut() {
                mean.fill(0.0);
                for (node, weight) in ends {
                    add_scaled(mean, weight * f[node], self.features.row(node));
                }
                if from < to && !moments.add_range(from, to, mean) {
                    for k in from..to {
                        add_scaled(mean, 0.5 * widths[k] * f[k], self.features.row(k));
                        add_scaled(mean, 0.5 * widths[k] * f[k + 1], self.features.row(k + 1));
                    }
                }
                mean.iter_mut().for_each(|m| *m *= inverse);
                subtract_outer(outer, mean, 1.0);
            }
        }
        for (k, weight) in scatter.collect().iter().enumerate() {
            node_weights[k] += 0.5 * widths[k] * weight;
            node_weights[k + 1] += 0.5 * widths[k] * weight;
        }
        for (e, (w, f)) in expected.iter_mut().zip(node_weights.iter().zip(f)) {
            *e += w * *f;
        }
    }
}

#[inline]
fn add_scaled(out: &mut [f64], scale: f64, x: &[f64]) {
    for (o, v) in out.iter_mut().zip(x) {
        *o += scale * v;
    }
}

/// `matrix -= scale v v'` on the lower triangle.
#[inline]
fn subtract_outer(matrix: &mut Mat<f64>, v: &[f64], scale: f64) {
    for j in 0..v.len() {
        let factor = scale * v[j];
        let column = matrix.col_as_slice_mut(j);
        for i in j..v.len() {
            column[i] -= factor * v[i];
        }
    }
}
