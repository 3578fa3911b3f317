//! The paper's sampler: the Gaussian process drawn afresh, the gamma part by a random walk.

use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{ColMut, Mat, Par};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::diagnostics::effective_sample_size;
use super::newton::{Mode, Scratch};
use super::{Diagnostics, Posterior, Problem};
use crate::density::{Features, GaussianPrior, Likelihood};
use crate::random::Stream;

/// How the gamma part moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// A Gaussian with the shape of the gamma fit's inverse Hessian. Burn-in tries several sizes;
    /// the one that moves the chain furthest is kept.
    Adapted,
    /// The paper's: a Gaussian with this standard deviation in each coefficient.
    Isotropic(f64),
}

/// The paper's engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metropolis {
    /// Iterations in all.
    pub iterations: usize,
    /// Of which are thrown away.
    pub burn_in: usize,
    /// How the gamma part moves.
    pub step: Step,
}

impl Default for Metropolis {
    fn default() -> Self {
        Self { iterations: 10_000, burn_in: 5_000, step: Step::Adapted }
    }
}

/// Sizes of the step that burn-in tries, relative to the gamma fit's standard deviations.
///
/// They are judged by how far they move the chain. An acceptance to aim at would not do: the
/// process that is drawn afresh sets a ceiling on it, and under a low ceiling the step would shrink
/// until the gamma part hardly moves.
const SIZES: [f64; 8] = [0.05, 0.1, 0.2, 0.4, 0.8, 1.2, 1.7, 2.4];
/// The size before anything is known, and where nothing moves.
const DEFAULT_SIZE: f64 = 1.2;

impl Metropolis {
    pub(super) fn posterior(
        &self,
        problem: &Problem<'_>,
        mode: &Mode,
        keep: usize,
        stream: Stream,
        scratch: &mut Scratch,
    ) -> Posterior {
        let features = problem.likelihood.features();
        let grid = features.grid();
        let mut rng = stream.chain(0);
        let mut walk = Walk::new(self.step, problem, mode);
        let mut theta = walk.start.clone();
        walk.refresh(problem.prior, &mut theta, &mut rng);
        let mut value = walk.target(problem, &theta, scratch);
        let mut candidate = theta.clone();

        let kept = self.iterations.saturating_sub(self.burn_in).max(1);
        let mut mean = vec![0.0; grid.nodes().len()];
        let mut density = mean.clone();
        let mut stay = 0.0;
        let mut traces: [Vec<f64>; 3] = std::array::from_fn(|_| Vec::with_capacity(kept));
        let mut draws = Vec::with_capacity(keep);
        let mut accepted = 0;
        let normalised = |scratch: &mut Scratch, theta: &[f64], density: &mut [f64]| {
            problem.likelihood.value(theta, &mut scratch.ws);
            grid.normalise(&scratch.ws.f, &scratch.ws.cells, density);
        };
        normalised(scratch, &theta, &mut density);
        for t in 0..self.burn_in + kept {
            if t < self.burn_in {
                walk.try_size(t);
            } else if t == self.burn_in {
                walk.settle();
            }
            walk.propose(&theta, &mut candidate, &mut rng);
            walk.refresh(problem.prior, &mut candidate, &mut rng);
            let there = walk.target(problem, &candidate, scratch);
            let ratio = there - value;
            let accept = rng.random::<f64>().ln() < ratio;
            if accept {
                // The density is added to the mean when it is left, as often as it was held.
                crate::kernels::axpy(stay, &density, &mut mean);
                stay = 0.0;
                std::mem::swap(&mut theta, &mut candidate);
                value = there;
                normalised(scratch, &theta, &mut density);
            }
            if t < self.burn_in {
                // The first half finds the way to where the posterior is.
                if 2 * t >= self.burn_in {
                    // A proposal whose likelihood is not a number is never accepted.
                    let probability = if ratio.is_nan() { 0.0 } else { ratio.exp().min(1.0) };
                    walk.judge(t, probability);
                }
                continue;
            }
            accepted += usize::from(accept);
            stay += 1.0 / kept as f64;
            for (trace, v) in traces.iter_mut().zip([theta[0], theta[1], value]) {
                trace.push(v);
            }
            let drawn = t - self.burn_in + 1;
            if drawn * keep / kept > draws.len() {
                draws.push(theta.clone());
            }
        }
        crate::kernels::axpy(stay, &density, &mut mean);
        let effective =
            traces.iter().map(|t| effective_sample_size(t)).fold(f64::INFINITY, f64::min);
        Posterior {
            log_mean: mode.log_of_mean(problem, mean),
            draws,
            diagnostics: Diagnostics {
                draws: self.burn_in + kept,
                effective,
                k_hat: None,
                error: None,
                retried: false,
                acceptance: Some(accepted as f64 / kept as f64),
                divergences: 0,
            },
        }
    }
}

/// The state of the random walk of the gamma part.
struct Walk {
    start: Vec<f64>,
    /// Upper triangular: steps are `size * root z`.
    root: [[f64; 2]; 2],
    size: f64,
    tuned: bool,
    /// The standard normal draw behind the last proposal.
    z: [f64; 2],
    /// Summed squared jumps that each size is expected to make.
    jumps: [f64; SIZES.len()],
}

impl Walk {
    fn new(step: Step, problem: &Problem<'_>, mode: &Mode) -> Self {
        let (eta, root) = gamma_fit(problem, mode);
        let mut start = mode.theta.clone();
        start[..2].copy_from_slice(&eta);
        let (root, size, tuned) = match step {
            Step::Adapted => (root, DEFAULT_SIZE, true),
            Step::Isotropic(sd) => ([[sd, 0.0], [0.0, sd]], 1.0, false),
        };
        Self { start, root, size, tuned, z: [0.0; 2], jumps: [0.0; SIZES.len()] }
    }

    fn propose(&mut self, theta: &[f64], candidate: &mut [f64], rng: &mut impl Rng) {
        self.z = std::array::from_fn(|_| rng.sample(StandardNormal));
        for a in 0..2 {
            let step = self.root[a][0] * self.z[0] + self.root[a][1] * self.z[1];
            candidate[a] = theta[a] + self.size * step;
        }
    }

    /// Draws the Gaussian process part from its prior given the gamma part.
    fn refresh(&self, prior: &GaussianPrior, theta: &mut [f64], rng: &mut impl Rng) {
        let (root, mean) = (prior.root(), prior.mean());
        let z0 = (theta[0] - mean[0]) / root[(0, 0)];
        let z1 = (theta[1] - mean[1] - root[(1, 0)] * z0) / root[(1, 1)];
        for i in 2..theta.len() {
            theta[i] = mean[i] + root[(i, 0)] * z0 + root[(i, 1)] * z1;
        }
        for j in 2..theta.len() {
            let z: f64 = rng.sample(StandardNormal);
            for i in j..theta.len() {
                theta[i] += root[(i, j)] * z;
            }
        }
    }

    /// Log-likelihood plus the log prior of the gamma part; the prior of the rest cancels against
    /// the proposal.
    fn target(&self, problem: &Problem<'_>, theta: &[f64], scratch: &mut Scratch) -> f64 {
        let (root, mean) = (problem.prior.root(), problem.prior.mean());
        let z0 = (theta[0] - mean[0]) / root[(0, 0)];
        let z1 = (theta[1] - mean[1] - root[(1, 0)] * z0) / root[(1, 1)];
        problem.likelihood.value(theta, &mut scratch.ws) - 0.5 * (z0 * z0 + z1 * z1)
    }

    /// Takes the next size in turn.
    fn try_size(&mut self, iteration: usize) {
        if self.tuned {
            self.size = SIZES[iteration % SIZES.len()];
        }
    }

    /// Credits the size of this iteration with its squared jump times the probability of making it.
    fn judge(&mut self, iteration: usize, probability: f64) {
        if probability.is_finite() {
            let [a, b] = self.z.map(|z| self.size * z);
            self.jumps[iteration % SIZES.len()] += probability * (a * a + b * b);
        }
    }

    /// Keeps the size that did best.
    fn settle(&mut self) {
        if self.tuned {
            let mut best = (DEFAULT_SIZE, 0.0);
            for (size, jump) in SIZES.into_iter().zip(self.jumps) {
                if jump > best.1 {
                    best = (size, jump);
                }
            }
            self.size = best.0;
        }
    }
}

/// The gamma part to start from with a root of its inverse Hessian: the maximum-likelihood gamma,
/// or where that is no gamma distribution (or there is none), the gamma part of the mode.
fn gamma_fit(problem: &Problem<'_>, mode: &Mode) -> ([f64; 2], [[f64; 2]; 2]) {
    let grid = problem.likelihood.features().grid();
    let features = Features::gamma(std::sync::Arc::clone(grid));
    let likelihood = Likelihood::new(&features, problem.likelihood.sample());
    let prior = GaussianPrior::paper(2);
    let mut scratch = Scratch::new(&features);
    let gamma = Problem { likelihood, prior: &prior };
    let fallback = [mode.theta[0], mode.theta[1]];
    match gamma.mode(&fallback, &mut scratch) {
        Ok(fit) if fit.theta[0] > -1.0 && fit.theta[1] < 0.0 => {
            ([fit.theta[0], fit.theta[1]], inverse_root(&fit.root, 2))
        }
        _ => (fallback, inverse_root(&mode.root, mode.theta.len())),
    }
}

/// The first two rows and columns of `root^-T`: a root of the gamma part's conditional covariance.
fn inverse_root(root: &Mat<f64>, len: usize) -> [[f64; 2]; 2] {
    let mut inverse = [[0.0; 2]; 2];
    for column in 0..2 {
        let mut unit = vec![0.0; len];
        unit[column] = 1.0;
        let rhs = ColMut::from_slice_mut(&mut unit).as_mat_mut();
        solve_upper_triangular_in_place(root.transpose(), rhs, Par::Seq);
        for row in 0..2 {
            inverse[row][column] = unit[row];
        }
    }
    inverse
}
