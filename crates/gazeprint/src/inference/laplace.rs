//! Newton to the mode, then importance-weighted quasi-random draws around it.

use std::sync::OnceLock;

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Llt;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, MatRef, Par, Side};
use rand::RngExt;
use statrs::distribution::{ContinuousCDF, Gamma, Normal};

use super::diagnostics::pareto_smooth;
use super::newton::{Mode, Scratch};
use super::{Diagnostics, InferenceError, Nuts, Posterior, Problem, Stream};

/// Degrees of freedom of the multivariate t proposal.
const DEGREES: f64 = 5.0;
/// Its scale relative to the curvature at the mode.
const SCALE: f64 = 1.2;
/// How many more draws a second attempt gets.
const RETRY_FACTOR: usize = 8;
/// Densities evaluated together; chosen to stay in the second-level cache.
const BATCH: usize = 64;
/// Theta is never longer.
const MAX_LEN: usize = 64;

/// The default engine.
#[derive(Debug)]
pub struct Laplace {
    /// Draws per density, rounded up to an even number.
    pub draws: usize,
    /// What to turn to where the importance weights stay unreliable.
    pub fallback: Option<Nuts>,
    /// Standard draws by length of theta, for the first and the second attempt.
    tables: [Vec<OnceLock<StandardDraws>>; 2],
}

impl Default for Laplace {
    fn default() -> Self {
        Self::new(512, None)
    }
}

/// Draws from a standard multivariate t, shared by all densities of one length of theta.
#[derive(Debug)]
struct StandardDraws {
    /// A draw per column.
    z: Mat<f64>,
    /// Log density of each, up to a constant.
    log_density: Vec<f64>,
}

impl StandardDraws {
    /// `count` draws from Owen-scrambled Sobol points, half of them mirrored.
    fn new(len: usize, count: usize) -> Self {
        let normal = Normal::standard();
        let chi_square =
            Gamma::new(DEGREES / 2.0, 0.5).expect("a gamma distribution with positive parameters");
        // Points are single precision in [0, 1): keep clear of both ends.
        let uniform = |i: usize, dimension: usize| {
            (f64::from(sobol_burley::sample(i as u32, dimension as u32, 0)) + 1e-8).min(1.0 - 1e-7)
        };
        let half = count.div_ceil(2);
        let mut z = Mat::zeros(len, 2 * half);
        let mut log_density = Vec::with_capacity(2 * half);
        for i in 0..half {
            let stretch = (DEGREES / chi_square.inverse_cdf(uniform(i, 0))).sqrt();
            let mut square = 0.0;
            for a in 0..len {
                let value = stretch * normal.inverse_cdf(uniform(i, a + 1));
                z[(a, 2 * i)] = value;
                z[(a, 2 * i + 1)] = -value;
                square += value * value;
            }
            let log_t = -0.5 * (DEGREES + len as f64) * (square / DEGREES).ln_1p();
            log_density.extend([log_t, log_t]);
        }
        Self { z, log_density }
    }
}

/// A proposal: draws `centre + SCALE * root^-T z`.
struct Proposal<'a> {
    centre: &'a [f64],
    root: MatRef<'a, f64>,
    standard: &'a StandardDraws,
}

/// Densities (one per column, normalised), thetas and weights.
struct Weighted {
    densities: Mat<f64>,
    thetas: Mat<f64>,
    weights: Vec<f64>,
    k_hat: f64,
    effective: f64,
}

impl Laplace {
    /// `draws` draws a density, and what to do where they fail.
    pub fn new(draws: usize, fallback: Option<Nuts>) -> Self {
        let table = || (0..=MAX_LEN).map(|_| OnceLock::new()).collect();
        Self { draws, fallback, tables: [table(), table()] }
    }

    fn standard(&self, attempt: usize, len: usize) -> &StandardDraws {
        let count = if attempt == 0 { self.draws } else { self.draws * RETRY_FACTOR };
        self.tables[attempt][len].get_or_init(|| StandardDraws::new(len, count))
    }

    pub(super) fn posterior(
        &self,
        problem: &Problem<'_>,
        mode: &Mode,
        keep: usize,
        stream: Stream,
        scratch: &mut Scratch,
    ) -> Result<Posterior, InferenceError> {
        let len = mode.theta.len();
        let proposal = Proposal {
            centre: &mode.theta,
            root: mode.root.as_ref(),
            standard: self.standard(0, len),
        };
        let mut weighted = proposal.weigh(problem, scratch);
        let mut draws = weighted.weights.len();
        let retried = weighted.k_hat > Diagnostics::K_HAT_LIMIT;
        if retried {
            let (centre, root) = weighted.matched(mode);
            let standard = self.standard(1, len);
            let proposal = Proposal { centre: &centre, root: root.as_ref(), standard };
            let second = proposal.weigh(problem, scratch);
            draws += second.weights.len();
            // More draws from a proposal that fits better, unless it turned out not to.
            if second.effective > weighted.effective {
                weighted = second;
            }
            if weighted.k_hat > Diagnostics::K_HAT_LIMIT
                && let Some(nuts) = &self.fallback
            {
                return nuts.posterior(problem, mode, keep, stream, scratch);
            }
        }
        Ok(Posterior {
            log_mean: mode.log_of_mean(problem, weighted.mean_density()),
            draws: weighted.resample(keep, stream),
            diagnostics: Diagnostics {
                draws,
                effective: weighted.effective,
                k_hat: Some(weighted.k_hat),
                retried,
                acceptance: None,
                divergences: 0,
            },
        })
    }
}

impl Proposal<'_> {
    /// Evaluates all draws: a matrix product for the densities, then one likelihood each.
    fn weigh(&self, problem: &Problem<'_>, scratch: &mut Scratch) -> Weighted {
        let features = problem.likelihood.features();
        let grid = features.grid();
        let (p, nodes, count) = (features.len(), grid.nodes().len(), self.standard.z.ncols());
        // (Phi root^-T)', so that the log densities of all draws are one matrix product.
        let mut directions = MatRef::from_column_major_slice(features.rows(), p, nodes).to_owned();
        solve_lower_triangular_in_place(self.root, directions.as_mut(), Par::Seq);
        let mut base = vec![0.0; nodes];
        features.log_density(self.centre, &mut base);
        let mut thetas = self.standard.z.clone();
        solve_upper_triangular_in_place(self.root.transpose(), thetas.as_mut(), Par::Seq);

        let mut densities = Mat::zeros(nodes, count);
        let mut weights = Vec::with_capacity(count);
        for start in (0..count).step_by(BATCH) {
            let size = BATCH.min(count - start);
            matmul(
                densities.as_mut().subcols_mut(start, size),
                Accum::Replace,
                directions.transpose(),
                self.standard.z.subcols(start, size),
                SCALE,
                Par::Seq,
            );
            for s in start..start + size {
                let theta = thetas.col_as_slice_mut(s);
                for (t, c) in theta.iter_mut().zip(self.centre) {
                    *t = c + SCALE * *t;
                }
                let density = densities.col_as_slice_mut(s);
                for (d, b) in density.iter_mut().zip(&base) {
                    *d += b;
                }
                let Scratch { ws, prior_gradient, .. } = scratch;
                let log_likelihood =
                    problem.likelihood.value_of_density(density, &mut ws.f, &mut ws.cells);
                let log_prior = problem.prior.log_density(theta, prior_gradient);
                weights.push(log_likelihood + log_prior - self.standard.log_density[s]);
                let mass = grid.support().mass(&ws.f, &ws.cells);
                for (d, f) in density.iter_mut().zip(&ws.f) {
                    *d = f / mass;
                }
            }
        }
        // A draw so far out that its likelihood is not a number has no weight.
        weights.iter_mut().filter(|w| w.is_nan()).for_each(|w| *w = f64::NEG_INFINITY);
        let pareto = pareto_smooth(&mut weights);
        Weighted { densities, thetas, weights, k_hat: pareto.k_hat, effective: pareto.effective }
    }
}

impl Weighted {
    fn mean_density(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.densities.nrows()];
        for (s, &w) in self.weights.iter().enumerate() {
            if w > 0.0 {
                crate::kernels::axpy(w, self.densities.col_as_slice(s), &mut mean);
            }
        }
        mean
    }

    /// Centre and root precision of a Gaussian with the moments of the weighted draws, drawn
    /// towards those of the mode as far as the draws are few.
    fn matched(&self, mode: &Mode) -> (Vec<f64>, Mat<f64>) {
        let p = mode.theta.len();
        let mut centre = vec![0.0; p];
        for (s, w) in self.weights.iter().enumerate() {
            crate::kernels::axpy(*w, self.thetas.col_as_slice(s), &mut centre);
        }
        let identity = Mat::<f64>::identity(p, p);
        let mut covariance = identity.clone();
        solve_lower_triangular_in_place(mode.root.as_ref(), covariance.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(mode.root.transpose(), covariance.as_mut(), Par::Seq);
        let trust = self.effective / (self.effective + 2.0 * p as f64);
        covariance *= faer::Scale(1.0 - trust);
        let mut deviation = vec![0.0; p];
        for (s, w) in self.weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            for (d, (t, c)) in
                deviation.iter_mut().zip(self.thetas.col_as_slice(s).iter().zip(&centre))
            {
                *d = t - c;
            }
            for j in 0..p {
                let factor = trust * w * deviation[j];
                crate::kernels::axpy(factor, &deviation, covariance.col_as_slice_mut(j));
            }
        }
        let root = Llt::new(covariance.as_ref(), Side::Lower).ok().and_then(|llt| {
            let mut precision = identity;
            faer::linalg::solvers::Solve::solve_in_place(&llt, precision.as_mut());
            Llt::new(precision.as_ref(), Side::Lower).ok().map(|llt| llt.L().to_owned())
        });
        match root {
            Some(root) => (centre, root),
            None => (mode.theta.clone(), mode.root.clone()),
        }
    }

    /// `keep` equally weighted draws by systematic resampling, in random order.
    fn resample(&self, keep: usize, stream: Stream) -> Vec<Vec<f64>> {
        let mut rng = stream.chain(0);
        let offset: f64 = rng.random();
        let mut picked = Vec::with_capacity(keep);
        let (mut s, mut cumulative) = (0, self.weights[0]);
        for i in 0..keep {
            let target = (i as f64 + offset) / keep as f64;
            while cumulative < target && s + 1 < self.weights.len() {
                s += 1;
                cumulative += self.weights[s];
            }
            picked.push(self.thetas.col_as_slice(s).to_vec());
        }
        rand::seq::SliceRandom::shuffle(picked.as_mut_slice(), &mut rng);
        picked
    }
}
