//! Newton to the mode, then importance-weighted quasi-random draws around it.

use super::newton::{Mode, Scratch};
use super::proposal::{Proposal, Shuffle};
use super::standard::MOST;
use super::weighted::{Precision, Weighted};
use super::{Diagnostics, InferenceError, Nuts, Posterior, Problem};
use crate::kernels::LANES;
use crate::random::Stream;

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

impl Laplace {
    /// An engine with these settings, and 256 to 8192 draws a proposal.
    pub fn new(
        tolerance: f64,
        max_tolerance: f64,
        max_draws: usize,
        fallback: Option<Nuts>,
    ) -> Self {
        let max_draws = max_draws.clamp(FIRST_LOOK, MOST).next_multiple_of(LANES);
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
        let sample = problem.likelihood.sample();
        let tolerance = (self.tolerance / (sample.len() as f64).sqrt()).min(self.max_tolerance);
        let shuffle = Shuffle::new(mode.theta.len(), stream);
        let mut proposal = Proposal::of_mode(problem, mode, &shuffle);
        let mut weighted = Weighted::empty(problem);
        proposal.extend(&mut weighted, FIRST_LOOK);
        let mut precision = self.refine(&proposal, &mut weighted, tolerance, keep);
        let mut draws = weighted.len();
        let retried = weighted.k_hat > Diagnostics::K_HAT_LIMIT;
        for _ in 0..RETRIES {
            if weighted.k_hat <= Diagnostics::K_HAT_LIMIT {
                break;
            }
            let next_proposal = proposal.matched(&weighted, mode);
            let mut next = Weighted::empty(problem);
            next_proposal.extend(&mut next, (RETRY_FACTOR * FIRST_LOOK).min(self.max_draws));
            let next_precision = self.refine(&next_proposal, &mut next, tolerance, keep);
            draws += next.len();
            // A proposal that fits better, unless it turned out not to.
            if next.effective_weights < weighted.effective_weights {
                break;
            }
            (proposal, weighted, precision) = (next_proposal, next, next_precision);
        }
        if weighted.k_hat > Diagnostics::K_HAT_LIMIT
            && let Some(nuts) = &self.fallback
        {
            let mut posterior = nuts.posterior(problem, mode, keep, stream, scratch)?;
            posterior.diagnostics.retried = true;
            return Ok(posterior);
        }
        let picked = weighted.picked(keep, stream);
        Ok(Posterior {
            log_mean: mode.log_of_mean(problem, weighted.mean_density()),
            draws: picked.into_iter().map(|draw| proposal.theta(draw)).collect(),
            diagnostics: Diagnostics {
                draws,
                effective: precision.effective,
                k_hat: Some(weighted.k_hat),
                error: Some((precision.error, tolerance)),
                retried,
                acceptance: None,
                divergences: 0,
            },
        })
    }

    /// Draws on until the error is small enough. A bad proposal is not worth more.
    fn refine(
        &self,
        proposal: &Proposal<'_>,
        weighted: &mut Weighted,
        tolerance: f64,
        keep: usize,
    ) -> Precision {
        let mut precision = weighted.precision();
        for _ in 0..ROUNDS {
            let done = weighted.len();
            let wanted = (done as f64 * (precision.error / tolerance).powi(2)) as usize;
            let wanted = wanted.max(DRAWS_PER_KEPT * keep).min(self.max_draws);
            let reliable = weighted.k_hat <= Diagnostics::K_HAT_LIMIT;
            if !reliable || wanted <= done {
                break;
            }
            proposal.extend(weighted, wanted.next_multiple_of(LANES));
            precision = weighted.precision();
        }
        precision
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::density::{Features, GaussianPrior, Grid, Likelihood, Sample};
    use crate::saccade::{Observation, Truncation};

    /// Observations at the very end of the support leave hardly anything to err about.
    #[test]
    fn precision_is_a_number_wherever_the_data_are() {
        let grid = Arc::new(Grid::new(0.0, 20.0));
        let features = Features::semiparametric(Arc::clone(&grid), 3.0, 0.5);
        let prior = GaussianPrior::paper(features.len());
        for lower in [19.0, 19.7, 19.99, 20.0, 25.0] {
            let observed = [Observation { value: 26.0, lower, upper: 30.0 }];
            let sample = Sample::new(&grid, Truncation::Both, &observed);
            let problem =
                Problem { likelihood: Likelihood::new(&features, &sample), prior: &prior };
            let mut scratch = Scratch::new(&features);
            let mode = problem.mode(&vec![0.0; features.len()], &mut scratch).unwrap();
            let stream = Stream { seed: 1, index: 0 };
            let posterior =
                Laplace::default().posterior(&problem, &mode, 0, stream, &mut scratch).unwrap();
            let Diagnostics { effective, error, .. } = posterior.diagnostics;
            assert!(effective.is_finite() && error.unwrap().0.is_finite(), "{lower}: {effective}");
            assert!(posterior.log_mean.iter().all(|l| l.is_finite()), "{lower}");
        }
    }

    /// What random numbers make a difference of is the error that is told.
    #[test]
    fn errors_are_those_between_seeds() {
        const SEEDS: u64 = 48;
        let grid = Arc::new(Grid::new(0.0, 20.0));
        let features = Features::semiparametric(Arc::clone(&grid), 3.0, 0.5);
        let prior = GaussianPrior::paper(features.len());
        let observed: Vec<Observation> = (0..60)
            .map(|i| {
                let value = 1.0 + 0.15 * f64::from(i) + 0.9 * f64::from(i * i % 11);
                Observation { value, lower: 0.5 * value, upper: 1.0 + 1.5 * value }
            })
            .collect();
        for truncation in [Truncation::Full, Truncation::Both] {
            let sample = Sample::new(&grid, truncation, &observed);
            let likelihood = Likelihood::new(&features, &sample);
            let problem = Problem { likelihood, prior: &prior };
            let mut scratch = Scratch::new(&features);
            let mode = problem.mode(&vec![0.0; features.len()], &mut scratch).unwrap();
            let engine = Laplace::new(0.04, 0.012, 1024, None);
            let from = sample.median_lower;
            let mut told = 0.0;
            let means: Vec<Vec<f64>> = (0..SEEDS)
                .map(|index| {
                    let stream = Stream { seed: 1, index };
                    let posterior =
                        engine.posterior(&problem, &mode, 0, stream, &mut scratch).unwrap();
                    told += posterior.diagnostics.error.unwrap().0 / SEEDS as f64;
                    let f: Vec<f64> = posterior.log_mean[from..].iter().map(|l| l.exp()).collect();
                    let x = &grid.nodes()[from..];
                    let mass: f64 =
                        (1..f.len()).map(|j| 0.5 * (x[j] - x[j - 1]) * (f[j] + f[j - 1])).sum();
                    f.iter().map(|f| f / mass).collect()
                })
                .collect();
            let x = &grid.nodes()[from..];
            let found: f64 = (1..x.len())
                .map(|j| {
                    let mean = means.iter().map(|f| f[j]).sum::<f64>() / SEEDS as f64;
                    let off = means.iter().map(|f| (f[j] - mean).abs()).sum::<f64>();
                    0.5 * (x[j] - x[j - 1]) * off / SEEDS as f64
                })
                .sum();
            // Quasi-random draws err by less than independent pairs would.
            assert!((0.3..1.1).contains(&(found / told)), "{truncation:?}: {found} {told}");
        }
    }
}
