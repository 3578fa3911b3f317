//! What all readers share of a density: its grid, features, prior and pooled fit.

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Observations;
use super::stored::{MAX_LOWER, StoredDensity};
use crate::density::{
    Features, GaussianPrior, Grid, Likelihood, Sample, Tabulated, mean_pairwise_distance,
};
use crate::inference::{InferenceError, Mode, Problem, Scratch};
use crate::random::Stream;
use crate::saccade::{DensityId, Observation};

/// Grids end this far beyond the largest training value (D9).
const HEADROOM: f64 = 1.05;
/// The pooled fit takes at most this many observations (D7).
pub(super) const MAX_POOLED: usize = 20_000;
/// A is tuned on at most this many readers (D6).
const MAX_TUNING_READERS: usize = 64;
/// The variances of the Gaussian process that are tried: half-decades from 0.01 to 100 (D6).
const HALF_DECADES: std::ops::RangeInclusive<i32> = -4..=4;

/// What densities may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Gamma densities.
    Gamma,
    /// A Gaussian process around them.
    Semiparametric,
}

/// One density as far as all readers share it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredDensity", into = "StoredDensity")]
pub struct SharedDensity {
    /// Which one.
    pub id: DensityId,
    /// What its logarithm is linear in.
    pub features: Features,
    /// The prior over theta.
    pub prior: GaussianPrior,
    /// Theta of the fit to all readers together.
    pub pooled: Vec<f64>,
    /// Log density of that fit at the nodes.
    pub log_pooled: Vec<f64>,
    /// The Gaussian process around the gamma family, where there is one.
    pub process: Option<Process>,
}

/// The kernel of a Gaussian process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Process {
    /// The length sigma over which densities are alike (D5).
    pub sigma: f64,
    /// The variance A (D6).
    pub amplitude: f64,
}

impl Process {
    /// The gamma family with this process around it.
    pub(super) fn features(self, grid: Arc<Grid>) -> Features {
        Features::semiparametric(grid, self.sigma, 1.0).with_amplitude_scaled(self.amplitude)
    }
}

impl SharedDensity {
    /// Learns from the observations of all readers.
    ///
    /// # Errors
    /// If the pooled fit fails.
    pub fn learn(
        id: DensityId,
        family: Family,
        observations: &Observations,
    ) -> Result<Self, InferenceError> {
        let grid = Arc::new(grid(id, observations));
        match family {
            Family::Gamma => Self::with_features(id, Features::gamma(grid), None, observations),
            Family::Semiparametric => {
                let sigma = kernel_length(id, &grid, observations);
                let unit = Features::semiparametric(grid, sigma, 1.0);
                let amplitude = tune_amplitude(id, &unit, observations)?;
                let features = unit.with_amplitude_scaled(amplitude);
                let process = Some(Process { sigma, amplitude });
                Self::with_features(id, features, process, observations)
            }
        }
    }

    /// The same with a variance A of the Gaussian process that is given.
    ///
    /// # Errors
    /// If the pooled fit fails.
    pub(super) fn with_amplitude(
        id: DensityId,
        amplitude: f64,
        observations: &Observations,
    ) -> Result<Self, InferenceError> {
        let grid = Arc::new(grid(id, observations));
        let process = Process { sigma: kernel_length(id, &grid, observations), amplitude };
        Self::with_features(id, process.features(grid), Some(process), observations)
    }

    fn with_features(
        id: DensityId,
        features: Features,
        process: Option<Process>,
        observations: &Observations,
    ) -> Result<Self, InferenceError> {
        let prior = GaussianPrior::paper(features.len());
        let mode = pooled_mode(id, &features, &prior, observations, &vec![0.0; features.len()])?;
        let log_pooled = mode.log_density(&features);
        Ok(Self { id, features, prior, pooled: mode.theta, log_pooled, process })
    }

    /// The same grid, features and prior, but pooled over other observations.
    ///
    /// # Errors
    /// If the pooled fit fails.
    pub fn repooled(&self, observations: &Observations) -> Result<Self, InferenceError> {
        let mode = pooled_mode(self.id, &self.features, &self.prior, observations, &self.pooled)?;
        let log_pooled = mode.log_density(&self.features);
        Ok(Self { pooled: mode.theta, log_pooled, ..self.clone() })
    }

    /// Places observations on the grid.
    pub fn sample<'a>(&self, observations: impl IntoIterator<Item = &'a Observation>) -> Sample {
        Sample::new(self.features.grid(), self.id.truncation(), observations)
    }

    /// The problem of inferring this density from a sample.
    pub fn problem<'a>(&'a self, sample: &'a Sample) -> Problem<'a> {
        Problem { likelihood: Likelihood::new(&self.features, sample), prior: &self.prior }
    }

    /// The log density at the nodes for some coefficients.
    pub(super) fn log_density(&self, theta: &[f64]) -> Vec<f64> {
        Tabulated::of(&self.features, theta).into_log_f()
    }

    /// The stream of a reader's posterior, named after the reader's place and the density alone.
    pub fn stream(&self, seed: u64, reader: usize) -> Stream {
        Stream { seed, index: (reader * DensityId::ALL.len() + self.id as usize) as u64 }
    }
}

/// The support of a density (D9).
fn grid(id: DensityId, observations: &Observations) -> Grid {
    let (mut lower, mut upper) = (f64::INFINITY, 0f64);
    for o in observations.pooled(id) {
        lower = lower.min(o.lower);
        upper = upper.max(o.value);
        if o.upper.is_finite() {
            upper = upper.max(o.upper);
        }
    }
    if upper == 0.0 {
        // Nobody showed this density: any support will do, since all readers get the same.
        return Grid::new(0.0, if id.is_duration() { 1500.0 } else { 20.0 });
    }
    let upper = (upper * HEADROOM).min(f64::MAX);
    Grid::new(lower.clamp(0.0, MAX_LOWER * upper), upper)
}

/// The length sigma of the Gaussian process' kernel (D5).
fn kernel_length(id: DensityId, grid: &Grid, observations: &Observations) -> f64 {
    let values: Vec<f64> = observations.pooled(id).map(|o| o.value).collect();
    // One value, or all the same: any length will do, since nothing varies.
    mean_pairwise_distance(&values)
        .filter(|s| *s > 1e-3 * grid.upper())
        .unwrap_or(grid.upper() / 4.0)
}

/// At most `most` of many items, evenly chosen.
fn thinned<T: Copy>(items: &[T], most: usize) -> Vec<T> {
    let n = most.min(items.len());
    (0..n).map(|i| items[i * items.len() / n]).collect()
}

fn pooled_mode(
    id: DensityId,
    features: &Features,
    prior: &GaussianPrior,
    observations: &Observations,
    start: &[f64],
) -> Result<Mode, InferenceError> {
    let pooled = thinned(&observations.pooled(id).collect::<Vec<_>>(), MAX_POOLED);
    let sample = Sample::new(features.grid(), id.truncation(), pooled);
    let problem = Problem { likelihood: Likelihood::new(features, &sample), prior };
    problem.mode(start, &mut Scratch::new(features))
}

/// The variance of the Gaussian process with the highest summed evidence (D6).
fn tune_amplitude(
    id: DensityId,
    unit: &Features,
    observations: &Observations,
) -> Result<f64, InferenceError> {
    let readers: Vec<usize> = (0..observations.readers())
        .filter(|&r| !observations.of_reader(id, r).is_empty())
        .collect();
    let readers = thinned(&readers, MAX_TUNING_READERS);
    let candidates: Vec<(f64, Features)> = HALF_DECADES
        .map(|h| 10f64.powf(f64::from(h) / 2.0))
        .map(|a| (a, unit.with_amplitude_scaled(a)))
        .collect();
    let prior = GaussianPrior::paper(unit.len());
    let middle = &candidates[candidates.len() / 2].1;
    let pooled = pooled_mode(id, middle, &prior, observations, &vec![0.0; unit.len()])?;
    let evidence = readers
        .par_iter()
        .map_init(
            || Scratch::new(unit),
            |scratch, &reader| {
                let sample =
                    Sample::new(unit.grid(), id.truncation(), observations.of_reader(id, reader));
                let mut theta = pooled.theta.clone();
                let mut scale = 1.0;
                candidates
                    .iter()
                    .map(|(a, features)| {
                        // The same function of x in the basis of this A.
                        theta[2..].iter_mut().for_each(|w| *w *= scale / a.sqrt());
                        scale = a.sqrt();
                        let likelihood = Likelihood::new(features, &sample);
                        let mode = Problem { likelihood, prior: &prior }.mode(&theta, scratch)?;
                        theta.copy_from_slice(&mode.theta);
                        Ok(mode.log_evidence)
                    })
                    .collect::<Result<Vec<f64>, InferenceError>>()
                    // A reader whose fit fails has no say in A.
                    .ok()
            },
        )
        .collect::<Vec<_>>();
    let mut best = (1.0, f64::NEG_INFINITY);
    for (i, (a, _)) in candidates.iter().enumerate() {
        let total: f64 = evidence.iter().flatten().map(|e| e[i]).sum();
        if total > best.1 {
            best = (*a, total);
        }
    }
    Ok(best.0)
}
