//! Posteriors of densities (section 5 of the model): the mode, and three engines for the rest.
//!
//! | engine | what | for |
//! |---|---|---|
//! | [`Laplace`] | Newton to the mode, then importance-weighted draws | the default |
//! | [`Nuts`] | No-U-Turn on theta with exact gradients | the exact reference |
//! | [`Metropolis`] | the paper's sampler | fidelity |

mod diagnostics;
mod laplace;
mod metropolis;
mod newton;
mod nuts;
mod proposal;
mod standard;
mod weighted;

pub use diagnostics::{Pareto, effective_sample_size, pareto_smooth};
pub use laplace::Laplace;
pub use metropolis::{Metropolis, Step};
pub use newton::{Mode, Scratch};
pub use nuts::Nuts;

use thiserror::Error;

use crate::density::{Features, GaussianPrior, Likelihood, Tabulated};
use crate::random::Stream;

/// A density to be inferred: the likelihood of its observations and the prior over theta.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The truncated likelihood.
    pub likelihood: Likelihood<'a>,
    /// The prior.
    pub prior: &'a GaussianPrior,
}

/// Why an inference failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum InferenceError {
    /// Newton met something that is not a number, or did not arrive.
    #[error("no mode found after {steps} Newton steps (decrement {decrement:.2e})")]
    NoMode {
        /// Steps taken.
        steps: usize,
        /// Newton decrement at the end.
        decrement: f64,
    },
    /// The No-U-Turn sampler gave up.
    #[error("the No-U-Turn sampler failed: {0}")]
    Nuts(String),
    /// Asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// One engine with its settings.
#[derive(Debug)]
#[non_exhaustive]
pub enum Engine {
    /// Importance-weighted draws around the mode.
    Laplace(Laplace),
    /// The No-U-Turn sampler.
    Nuts(Nuts),
    /// The paper's sampler.
    Metropolis(Metropolis),
}

impl Engine {
    /// Names of the engines, the default first.
    pub const NAMES: [&'static str; 3] = ["laplace", "nuts", "metropolis"];

    /// The engine of that name with default settings.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "laplace" => Some(Self::Laplace(Laplace::default())),
            "nuts" => Some(Self::Nuts(Nuts::default())),
            "metropolis" => Some(Self::Metropolis(Metropolis::default())),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Laplace(_) => "laplace",
            Self::Nuts(_) => "nuts",
            Self::Metropolis(_) => "metropolis",
        }
    }

    /// What one posterior costs, roughly, relative to `laplace`.
    pub fn cost(&self) -> u64 {
        match self {
            Self::Laplace(_) => 1,
            // A draw or iteration costs about a thousandth of a posterior by `laplace`, and
            // No-U-Turn takes about ten gradients a draw, each worth three likelihoods.
            Self::Nuts(e) => 1 + (e.chains * (e.tune + e.draws) / 33) as u64,
            Self::Metropolis(e) => 1 + (e.iterations / 1000) as u64,
        }
    }

    /// The posterior of a problem whose mode is known.
    ///
    /// `keep` draws of theta, equally weighted, are kept for later use.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn posterior(
        &self,
        problem: &Problem<'_>,
        mode: &Mode,
        keep: usize,
        stream: Stream,
        scratch: &mut Scratch,
    ) -> Result<Posterior, InferenceError> {
        match self {
            Self::Laplace(e) => e.posterior(problem, mode, keep, stream, scratch),
            Self::Nuts(e) => e.posterior(problem, mode, keep, stream, scratch),
            Self::Metropolis(e) => Ok(e.posterior(problem, mode, keep, stream, scratch)),
        }
    }
}

/// What is known of a density after seeing its observations.
#[derive(Debug, Clone)]
pub struct Posterior {
    /// Log of the posterior mean of the density at the nodes; integrates to one over the support.
    pub log_mean: Vec<f64>,
    /// Equally weighted draws of theta, if they were asked for.
    pub draws: Vec<Vec<f64>>,
    /// How far to trust it.
    pub diagnostics: Diagnostics,
}

impl Mode {
    /// Log of a mean density; where every density of the mean vanished in double precision, the
    /// tail of the mode goes on.
    fn log_of_mean(&self, problem: &Problem<'_>, mean: Vec<f64>) -> Vec<f64> {
        if mean.iter().all(|&f| f > f64::MIN_POSITIVE) {
            return mean.into_iter().map(f64::ln).collect();
        }
        let tail = self.log_density(problem.likelihood.features());
        mean.into_iter()
            .zip(tail)
            .map(|(f, log_g)| if f > f64::MIN_POSITIVE { f.ln() } else { log_g })
            .collect()
    }

    /// Log of the density at the mode, at the nodes, normalised over the support.
    pub fn log_density(&self, features: &Features) -> Vec<f64> {
        Tabulated::of(features, &self.theta).into_log_f()
    }
}

/// How far a posterior can be trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diagnostics {
    /// Draws evaluated, all chains and retries together.
    pub draws: usize,
    /// Effective sample size. `laplace`: independent draws from the posterior that would leave the same
    /// error of its mean density. Chains: that of the likelihood or of the two coefficients of the
    /// gamma part, whichever has least.
    pub effective: f64,
    /// Shape of the tail of the importance weights (`laplace`); above 0.7 they are unreliable.
    pub k_hat: Option<f64>,
    /// Estimated Monte Carlo error of the posterior-mean density, and what was aimed at (`laplace`;
    /// total variation).
    pub error: Option<(f64, f64)>,
    /// Whether a second proposal was needed (`laplace`).
    pub retried: bool,
    /// Accepted part of the proposals after burn-in (`metropolis`).
    pub acceptance: Option<f64>,
    /// Divergent transitions (`nuts`).
    pub divergences: usize,
}

impl Diagnostics {
    /// Importance weights above this are unreliable.
    pub const K_HAT_LIMIT: f64 = 0.7;
    /// More than this part of divergent transitions is too much.
    pub const DIVERGENCE_LIMIT: f64 = 0.01;
    /// Under this many effective draws a chain has not mixed.
    pub const EFFECTIVE_LIMIT: f64 = 100.0;

    /// Of a density that is taken at its mode: no draws, no doubts.
    pub fn of_mode() -> Self {
        Self {
            draws: 0,
            effective: f64::INFINITY,
            k_hat: None,
            error: None,
            retried: false,
            acceptance: None,
            divergences: 0,
        }
    }

    /// Whether the engine itself has doubts.
    pub fn doubtful(&self) -> bool {
        let reliable = self.k_hat.is_none_or(|k| k <= Self::K_HAT_LIMIT)
            && self.error.is_none_or(|(error, tolerance)| error <= 2.0 * tolerance);
        let mixed = self.effective >= Self::EFFECTIVE_LIMIT || self.k_hat.is_some();
        let diverged = self.divergences as f64 > Self::DIVERGENCE_LIMIT * self.draws as f64;
        !reliable || !mixed || diverged
    }
}
