//! The No-U-Turn sampler on theta, in coordinates whitened by the curvature at the mode.

use std::collections::HashMap;

use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{ColMut, Mat, Par};
use nuts_rs::{
    Chain, CpuLogpFunc, CpuMath, CpuMathError, DiagNutsSettings, HasDims, LogpError, Settings,
};
use rand::RngExt;
use rand_distr::StandardNormal;
use thiserror::Error;

use super::diagnostics::effective_sample_size;
use super::newton::{Mode, Scratch};
use super::{Diagnostics, InferenceError, Posterior, Problem};
use crate::random::Stream;

/// The exact engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nuts {
    /// Independent chains.
    pub chains: usize,
    /// Tuning steps a chain.
    pub tune: usize,
    /// Draws a chain after tuning.
    pub draws: usize,
}

impl Default for Nuts {
    fn default() -> Self {
        Self { chains: 1, tune: 300, draws: 1000 }
    }
}

/// A stream has this many chains.
const MAX_CHAINS: usize = 64;
/// Small steps: with few observations one side of the posterior is a plateau, the other a cliff.
const TARGET_ACCEPTANCE: f64 = 0.95;
/// An energy error beyond which a trajectory has diverged, in nats; as in Stan.
const MAX_ENERGY_ERROR: f64 = 1000.0;

/// A log posterior that is not a number: the trajectory went too far, and is cut there.
#[derive(Debug, Error)]
#[error("the log posterior is not finite")]
struct NotFinite;

impl LogpError for NotFinite {
    fn is_recoverable(&self) -> bool {
        true
    }
}

/// The log posterior as a function of z, theta = mode + root^-T z.
struct Whitened<'a> {
    problem: &'a Problem<'a>,
    centre: &'a [f64],
    root: &'a Mat<f64>,
    scratch: &'a mut Scratch,
    theta: Vec<f64>,
}

/// `theta = centre + root^-T z`, in place.
fn unwhiten(root: &Mat<f64>, centre: &[f64], z: &mut [f64]) {
    solve_upper_triangular_in_place(
        root.transpose(),
        ColMut::from_slice_mut(z).as_mat_mut(),
        Par::Seq,
    );
    for (t, c) in z.iter_mut().zip(centre) {
        *t += c;
    }
}

impl HasDims for Whitened<'_> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        HashMap::from([("unconstrained_parameter".to_owned(), self.centre.len() as u64)])
    }
}

impl CpuLogpFunc for Whitened<'_> {
    type LogpError = NotFinite;
    type FlowParameters = ();
    type ExpandedVector = Vec<f64>;

    fn dim(&self) -> usize {
        self.centre.len()
    }

    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, NotFinite> {
        self.theta.copy_from_slice(position);
        unwhiten(self.root, self.centre, &mut self.theta);
        let value = self.problem.gradient(&self.theta, self.scratch, gradient);
        solve_lower_triangular_in_place(
            self.root.as_ref(),
            ColMut::from_slice_mut(gradient).as_mat_mut(),
            Par::Seq,
        );
        if value.is_finite() { Ok(value) } else { Err(NotFinite) }
    }

    fn expand_vector<R: rand::Rng + ?Sized>(
        &mut self,
        _: &mut R,
        position: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(position.to_vec())
    }
}

impl Nuts {
    pub(super) fn posterior(
        &self,
        problem: &Problem<'_>,
        mode: &Mode,
        keep: usize,
        stream: Stream,
        scratch: &mut Scratch,
    ) -> Result<Posterior, InferenceError> {
        let p = mode.theta.len();
        let failed = |e: &dyn std::fmt::Display| InferenceError::Nuts(e.to_string());
        let mut settings = DiagNutsSettings {
            num_tune: self.tune as u64,
            num_draws: self.draws as u64,
            max_energy_error: MAX_ENERGY_ERROR,
            ..DiagNutsSettings::default()
        };
        settings.adapt_options.step_size_settings.target_accept = TARGET_ACCEPTANCE;
        let mut thetas: Vec<Vec<f64>> = Vec::with_capacity(self.chains * self.draws);
        let mut divergences = 0;
        for chain in 0..self.chains.clamp(1, MAX_CHAINS) {
            let mut rng = stream.chain(chain as u64);
            let start: Vec<f64> = (0..p).map(|_| rng.sample(StandardNormal)).collect();
            let whitened = Whitened {
                problem,
                centre: &mode.theta,
                root: &mode.root,
                scratch: &mut *scratch,
                theta: vec![0.0; p],
            };
            let mut sampler = settings
                .new_chain(chain as u64, CpuMath::new(whitened), &mut rng)
                .map_err(|e| failed(&e))?;
            sampler.set_position(&start).map_err(|e| failed(&e))?;
            for t in 0..self.tune + self.draws.max(1) {
                let (position, progress) = sampler.draw().map_err(|e| failed(&e))?;
                if t >= self.tune {
                    divergences += usize::from(progress.diverging);
                    let mut theta = position.into_vec();
                    unwhiten(&mode.root, &mode.theta, &mut theta);
                    thetas.push(theta);
                }
            }
        }
        Ok(self.summarise(problem, mode, thetas, keep, divergences, scratch))
    }

    fn summarise(
        &self,
        problem: &Problem<'_>,
        mode: &Mode,
        thetas: Vec<Vec<f64>>,
        keep: usize,
        divergences: usize,
        scratch: &mut Scratch,
    ) -> Posterior {
        let grid = problem.likelihood.features().grid();
        let mut mean = vec![0.0; grid.nodes().len()];
        let mut density = mean.clone();
        let weight = 1.0 / thetas.len() as f64;
        let mut values = Vec::with_capacity(thetas.len());
        for theta in &thetas {
            values.push(problem.value(theta, scratch));
            grid.normalise(&scratch.ws.f, &scratch.ws.cells, &mut density);
            crate::kernels::axpy(weight, &density, &mut mean);
        }
        let traces = [
            thetas.iter().map(|t| t[0]).collect::<Vec<_>>(),
            thetas.iter().map(|t| t[1]).collect(),
            values,
        ];
        let effective = traces
            .iter()
            .map(|t| t.chunks(self.draws.max(1)).map(effective_sample_size).sum::<f64>())
            .fold(f64::INFINITY, f64::min);
        let total = thetas.len();
        let draws = (0..keep).map(|i| thetas[i * total / keep].clone()).collect();
        Posterior {
            log_mean: mode.log_of_mean(problem, mean),
            draws,
            diagnostics: Diagnostics {
                draws: total,
                effective,
                k_hat: None,
                error: None,
                retried: false,
                acceptance: None,
                divergences,
            },
        }
    }
}
