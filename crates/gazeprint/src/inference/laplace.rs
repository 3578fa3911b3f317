//! Newton to the mode, then importance-weighted quasi-random draws around it.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::Llt;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, Mat, MatRef, Par, Side};
use rand::RngExt;
use rand::seq::SliceRandom;

use super::diagnostics::pareto_smooth;
use super::newton::{Mode, Scratch};
use super::standard::{DEGREES, GAMMA_DEGREES, MOST, StandardDraws};
use super::{Diagnostics, InferenceError, Nuts, Posterior, Problem};
use crate::random::Stream;

/// Number of coefficients of the gamma part.
const GAMMA_LEN: usize = 2;
/// Scale of the heavy-tailed parts relative to the curvature at the mode.
const SCALE: f64 = 1.2;
/// A coefficient of which the data say less than this part of what the prior says is drawn from a
/// Gaussian: its posterior is one, and heavy tails would only cost effective draws.
const INFORMED: f64 = 0.1;
/// Draws of a first look.
const FIRST_LOOK: usize = 256;
/// Where importance weights are unreliable, proposals are matched to the moments of the draws so
/// far, this often at most...
const RETRIES: usize = 3;
/// ... with this many times the draws of a first look.
const RETRY_FACTOR: usize = 8;
/// The number of draws is estimated anew at most this often.
const ROUNDS: usize = 4;
/// Draws that are kept are picked from at least this many times as many.
const DRAWS_PER_KEPT: usize = 8;
/// Chain of random numbers for shuffling; the first picks the draws that are kept.
const SHUFFLE_CHAIN: u64 = 1;
/// The error is estimated on every so many nodes.
const COARSE: usize = 4;
/// Densities evaluated together; chosen to stay in the second-level cache.
const BATCH: usize = 64;

/// The default engine.
///
/// It draws until the estimated Monte Carlo error of the posterior-mean density, as a total
/// variation where there are data, falls under a tolerance.
#[derive(Debug)]
pub struct Laplace {
    /// The tolerance is this over the root of the number of observations...
    pub tolerance: f64,
    /// ... and at most this.
    pub max_tolerance: f64,
    /// Never more draws than this for one proposal.
    max_draws: usize,
    /// What to turn to where the importance weights stay unreliable.
    pub fallback: Option<Nuts>,
}

impl Default for Laplace {
    fn default() -> Self {
        Self::new(0.04, 0.012, MOST, None)
    }
}

/// A proposal: draws `centre + root^-T z`, the first coordinates of z from a multivariate t, the
/// others standard normal.
struct Proposal<'a> {
    centre: &'a [f64],
    root: MatRef<'a, f64>,
    heavy: usize,
    standard: &'a StandardDraws,
    /// Which coordinate of the standard draws each coordinate of z takes, and with which sign.
    shuffle: &'a [(usize, f64)],
}

/// A random permutation of coordinates with random signs. All problems share their standard draws;
/// shuffled, they do not share the errors.
fn shuffle(len: usize, stream: Stream) -> Vec<(usize, f64)> {
    let mut rng = stream.chain(SHUFFLE_CHAIN);
    let mut places: Vec<(usize, f64)> =
        (0..len).map(|a| (a, if rng.random() { 1.0 } else { -1.0 })).collect();
    places.shuffle(&mut rng);
    places
}

/// Draws with everything that is computed of them.
struct Weighted {
    /// A density per column, at the nodes, normalised over the support.
    densities: Mat<f64>,
    thetas: Mat<f64>,
    log_weights: Vec<f64>,
    weights: Vec<f64>,
    k_hat: f64,
    effective: f64,
}

impl Laplace {
    /// An engine with these settings, and 256 to 8192 draws a proposal.
    pub fn new(
        tolerance: f64,
        max_tolerance: f64,
        max_draws: usize,
        fallback: Option<Nuts>,
    ) -> Self {
        let max_draws = max_draws.clamp(FIRST_LOOK, MOST);
        Self { tolerance, max_tolerance, max_draws, fallback }
    }

    /// A third of the precision for about a tenth of the draws.
    pub fn rough() -> Self {
        Self::new(0.12, 0.036, 1024, None)
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
        let sample = problem.likelihood.sample();
        let tolerance = (self.tolerance / (sample.len() as f64).sqrt()).min(self.max_tolerance);
        let standard = &StandardDraws::new(len);
        let heavy = informed(problem, mode);
        let shuffle = &shuffle(len, stream);
        let proposal =
            Proposal { centre: &mode.theta, root: mode.root.as_ref(), heavy, standard, shuffle };
        let mut weighted = Weighted::empty(problem);
        proposal.extend(&mut weighted, FIRST_LOOK, problem, scratch);
        let mut error = self.refine(&proposal, &mut weighted, tolerance, keep, problem, scratch);
        let mut draws = weighted.weights.len();
        let retried = weighted.k_hat > Diagnostics::K_HAT_LIMIT;
        for _ in 0..RETRIES {
            if weighted.k_hat <= Diagnostics::K_HAT_LIMIT {
                break;
            }
            let (centre, root) = weighted.matched(mode);
            let proposal =
                Proposal { centre: &centre, root: root.as_ref(), heavy: len, standard, shuffle };
            let mut next = Weighted::empty(problem);
            let wanted = (RETRY_FACTOR * FIRST_LOOK).min(self.max_draws);
            proposal.extend(&mut next, wanted, problem, scratch);
            let next_error = self.refine(&proposal, &mut next, tolerance, keep, problem, scratch);
            draws += next.weights.len();
            // A proposal that fits better, unless it turned out not to.
            if next.effective < weighted.effective {
                break;
            }
            (weighted, error) = (next, next_error);
        }
        if weighted.k_hat > Diagnostics::K_HAT_LIMIT
            && let Some(nuts) = &self.fallback
        {
            let mut posterior = nuts.posterior(problem, mode, keep, stream, scratch)?;
            posterior.diagnostics.retried = true;
            return Ok(posterior);
        }
        Ok(Posterior {
            log_mean: mode.log_of_mean(problem, weighted.mean_density()),
            draws: weighted.resample(keep, stream),
            diagnostics: Diagnostics {
                draws,
                effective: weighted.effective,
                k_hat: Some(weighted.k_hat),
                error: Some((error, tolerance)),
                retried,
                acceptance: None,
                divergences: 0,
            },
        })
    }
}

impl Laplace {
    /// Draws on until the error is small enough, and returns it. A bad proposal is not worth more.
    fn refine(
        &self,
        proposal: &Proposal<'_>,
        weighted: &mut Weighted,
        tolerance: f64,
        keep: usize,
        problem: &Problem<'_>,
        scratch: &mut Scratch,
    ) -> f64 {
        let mut error = weighted.error(problem);
        for _ in 0..ROUNDS {
            let done = weighted.weights.len();
            let wanted = (done as f64 * (error / tolerance).powi(2)) as usize;
            let wanted = wanted.max(DRAWS_PER_KEPT * keep).min(self.max_draws);
            let reliable = weighted.k_hat <= Diagnostics::K_HAT_LIMIT;
            if !reliable || wanted <= done {
                break;
            }
            let wanted = wanted.next_multiple_of(BATCH).min(self.max_draws);
            proposal.extend(weighted, wanted, problem, scratch);
            error = weighted.error(problem);
        }
        error
    }
}

/// Number of leading coefficients of which the data say something. The features are in the order
/// of their weight in the prior, so those that are left follow it.
fn informed(problem: &Problem<'_>, mode: &Mode) -> usize {
    let precision = problem.prior.precision();
    let p = mode.theta.len();
    (0..p)
        .rev()
        .find(|&i| {
            let information: f64 = (0..=i).map(|j| mode.root[(i, j)].powi(2)).sum();
            information > (1.0 + INFORMED) * precision[(i, i)]
        })
        .map_or(0, |i| i + 1)
}

impl Proposal<'_> {
    /// Evaluates draws until there are `count`: matrix products for the densities, then one
    /// likelihood each; then weighs all anew.
    fn extend(
        &self,
        weighted: &mut Weighted,
        count: usize,
        problem: &Problem<'_>,
        scratch: &mut Scratch,
    ) {
        let done = weighted.log_weights.len();
        let more = count.min(MOST).saturating_sub(done);
        if more == 0 {
            return;
        }
        let features = problem.likelihood.features();
        let grid = features.grid();
        let (p, nodes) = (features.len(), grid.nodes().len());
        // (Phi root^-T)', so that the log densities of all draws are one matrix product.
        let mut directions = MatRef::from_column_major_slice(features.rows(), p, nodes).to_owned();
        solve_lower_triangular_in_place(self.root, directions.as_mut(), Par::Seq);
        let mut base = vec![0.0; nodes];
        features.log_density(self.centre, &mut base);
        weighted.densities.resize_with(nodes, done + more, |_, _| 0.0);
        weighted.thetas.resize_with(p, done + more, |_, _| 0.0);
        let mut z = Mat::zeros(p, BATCH);
        for start in (done..done + more).step_by(BATCH) {
            let size = BATCH.min(done + more - start);
            let mut log_proposal = [0.0; BATCH];
            for s in 0..size {
                log_proposal[s] = self.draw(start + s, z.col_as_slice_mut(s));
            }
            let z = z.subcols(0, size);
            matmul(
                weighted.densities.as_mut().subcols_mut(start, size),
                Accum::Replace,
                directions.transpose(),
                z,
                1.0,
                Par::Seq,
            );
            let mut thetas = weighted.thetas.as_mut().subcols_mut(start, size);
            thetas.copy_from(z);
            solve_upper_triangular_in_place(self.root.transpose(), thetas, Par::Seq);
            for s in start..start + size {
                let theta = weighted.thetas.col_as_slice_mut(s);
                for (t, c) in theta.iter_mut().zip(self.centre) {
                    *t += c;
                }
                let density = weighted.densities.col_as_slice_mut(s);
                for (d, b) in density.iter_mut().zip(&base) {
                    *d += b;
                }
                let Scratch { ws, prior_gradient, .. } = scratch;
                let log_likelihood =
                    problem.likelihood.value_of_density(density, &mut ws.f, &mut ws.cells);
                let log_prior = problem.prior.log_density(theta, prior_gradient);
                let log_weight = log_likelihood + log_prior - log_proposal[s - start];
                // A draw so far out that its likelihood is not a number has no weight.
                let log_weight = if log_weight.is_nan() { f64::NEG_INFINITY } else { log_weight };
                weighted.log_weights.push(log_weight);
                grid.normalise(&ws.f, &ws.cells, density);
            }
        }
        weighted.weigh();
    }

    /// Fills in draw number `s`; returns its log density up to a constant.
    fn draw(&self, s: usize, z: &mut [f64]) -> f64 {
        for (z, &(place, sign)) in z.iter_mut().zip(self.shuffle) {
            *z = sign * self.standard.normal(s, place);
        }
        let (heavy, light) = z.split_at_mut(self.heavy.max(GAMMA_LEN));
        let (gamma, rest) = heavy.split_at_mut(GAMMA_LEN);
        let [gamma_stretch, stretch] = self.standard.stretch(s);
        let mut log_t = 0.0;
        for (part, degrees, stretch) in
            [(gamma, GAMMA_DEGREES, gamma_stretch), (rest, DEGREES, stretch)]
        {
            part.iter_mut().for_each(|v| *v *= stretch);
            let square: f64 = part.iter().map(|v| v * v).sum();
            log_t -= 0.5 * (degrees + part.len() as f64) * (square / degrees).ln_1p();
            part.iter_mut().for_each(|v| *v *= SCALE);
        }
        log_t - 0.5 * light.iter().map(|v| v * v).sum::<f64>()
    }
}

impl Weighted {
    fn empty(problem: &Problem<'_>) -> Self {
        let features = problem.likelihood.features();
        Self {
            densities: Mat::zeros(features.grid().nodes().len(), 0),
            thetas: Mat::zeros(features.len(), 0),
            log_weights: Vec::new(),
            weights: Vec::new(),
            k_hat: f64::INFINITY,
            effective: 0.0,
        }
    }

    /// Turns log weights into smoothed weights.
    fn weigh(&mut self) {
        self.weights.clone_from(&self.log_weights);
        let pareto = pareto_smooth(&mut self.weights);
        (self.k_hat, self.effective) = (pareto.k_hat, pareto.effective);
    }

    /// The Monte Carlo error of the mean density, estimated.
    ///
    /// It is a total variation from where half of the observations could have been: further
    /// left a truncated density is arbitrary. With `F` the mass there and `g` the mean normalised
    /// there, a draw deviates by `(f - g F) / mean F` (the delta method for a ratio).
    fn error(&self, problem: &Problem<'_>) -> f64 {
        let nodes = problem.likelihood.features().grid().nodes();
        let from = problem.likelihood.sample().median_lower;
        let places: Vec<usize> = (from..nodes.len()).step_by(COARSE).collect();
        let mass = |f: &[f64]| -> f64 {
            let cells = places.windows(2).map(|p| 0.5 * (nodes[p[1]] - nodes[p[0]]));
            cells.zip(f.windows(2)).map(|(w, f)| w * (f[0] + f[1])).sum()
        };
        let mean = self.mean_density();
        let mean: Vec<f64> = places.iter().map(|&j| mean[j]).collect();
        let total = mass(&mean);
        let mut variance = vec![0.0; mean.len()];
        let mut f = vec![0.0; mean.len()];
        for (s, &weight) in self.weights.iter().enumerate() {
            let density = self.densities.col_as_slice(s);
            f.iter_mut().zip(&places).for_each(|(f, &j)| *f = density[j]);
            let relative = mass(&f) / total;
            let square = (weight / total).powi(2);
            for (v, (f, m)) in variance.iter_mut().zip(f.iter().zip(&mean)) {
                *v += square * (f - m * relative).powi(2);
            }
        }
        variance.iter_mut().for_each(|v| *v = v.sqrt());
        // Half the expected absolute value of a Gaussian deviation.
        0.4 * mass(&variance)
    }

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
        picked.shuffle(&mut rng);
        picked
    }
}
