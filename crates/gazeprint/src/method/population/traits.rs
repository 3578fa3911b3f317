//! A population in numbers for people: what readers have in common, and how they differ.

use rand_distr::{Distribution, StandardNormal};
use serde::Serialize;

use super::Population;
use super::types::FREE;
use crate::density::{GaussianPrior, Grid, Tabulated};
use crate::glance::AimKind;
use crate::glance::features::{self, TYPE_FEATURES};
use crate::method::SharedDensity;
use crate::random::{Stream, stream};
use crate::saccade::DensityId;

/// Readers drawn to see how their means differ: the standard deviation is off by 2 %.
const DRAWN: usize = 1000;

/// What a population says of readers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Traits {
    /// The densities, in the order of every table.
    pub densities: Vec<DensityTraits>,
    /// What the eye does next, against a move to the next word.
    pub moves: Vec<RegressionTraits>,
    /// The regression of log durations.
    pub durations: Vec<Trait>,
    /// Standard deviation of log durations around a reader's regression and kind of fixation.
    pub log_duration_sd: f64,
    /// Where saccades of each kind land, on top of the density of their amplitudes.
    pub landings: Vec<RegressionTraits>,
    /// How much of the differences between readers is found between sessions of one reader, too.
    pub session_shares: Vec<SessionShare>,
    /// Gaussians that ran away or lost evidence while they were learned.
    pub fell: usize,
}

/// A density in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DensityTraits {
    /// Which one.
    pub density: &'static str,
    /// `characters` or `ms`.
    pub unit: &'static str,
    /// Both ends of its support.
    pub support: [f64; 2],
    /// Mean of the density of an average reader.
    pub mean: f64,
    /// Its standard deviation: how much this reader varies.
    pub sd: f64,
    /// Standard deviation over readers of their means: how much readers differ.
    pub between_readers: f64,
}

/// One of several regressions on the same features.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RegressionTraits {
    /// Of a move: a saccade type, `refixation_left` or `leave`. Of landings: the density.
    pub name: &'static str,
    /// Log odds (moves) or log density (landings) a unit of each feature.
    pub coefficients: Vec<Trait>,
}

/// A coefficient over readers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Trait {
    /// What it belongs to.
    pub feature: &'static str,
    /// Mean over readers.
    pub mean: f64,
    /// Standard deviation over readers.
    pub between_readers: f64,
}

/// How much of what a part varies between readers lies between sessions of one reader.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SessionShare {
    /// A regression, or a density.
    pub part: &'static str,
    /// From 0, readers never change, to 1, they change as much as they differ.
    pub share: f64,
}

impl Population {
    /// The population in numbers for people.
    pub fn traits(&self) -> Traits {
        let coefficient = |feature, prior: &GaussianPrior, i: usize| Trait {
            feature,
            mean: prior.mean()[i],
            between_readers: prior.sd(i),
        };
        let moves = FREE.iter().enumerate().map(|(k, kind)| RegressionTraits {
            name: kind.name(),
            coefficients: features::OF_TYPE
                .iter()
                .enumerate()
                .map(|(f, feature)| coefficient(feature.name, &self.types, k * TYPE_FEATURES + f))
                .collect(),
        });
        let durations = features::OF_DURATION.iter().enumerate();
        let landings = self.aims.iter().zip(AimKind::ALL).map(|(prior, kind)| RegressionTraits {
            name: kind.density().name(),
            coefficients: (features::OF_AIM.iter().enumerate())
                .map(|(f, name)| coefficient(*name, prior, f))
                .collect(),
        });
        let parts = ["moves", "durations"].into_iter();
        let parts = parts.chain(AimKind::ALL.map(|kind| match kind {
            AimKind::Onward => "landings alpha1",
            AimKind::Back => "landings alpha1bar",
            AimKind::NextWord => "landings alpha2",
            AimKind::ForwardSkip => "landings alpha3",
            AimKind::Regression => "landings alpha4",
        }));
        let parts = parts.chain(DensityId::ALL.map(DensityId::name));
        Traits {
            densities: self.densities.iter().map(density).collect(),
            moves: moves.collect(),
            durations: durations.map(|(i, f)| coefficient(f.name, &self.durations, i)).collect(),
            log_duration_sd: self.variance.sqrt(),
            landings: landings.collect(),
            session_shares: parts
                .zip(&self.shares)
                .map(|(part, &share)| SessionShare { part, share })
                .collect(),
            fell: self.fell,
        }
    }
}

fn density(shared: &SharedDensity) -> DensityTraits {
    let grid = shared.features.grid();
    let moments = |theta: &[f64]| moments(grid, &Tabulated::of(&shared.features, theta));
    let prior = &shared.prior;
    let (mean, sd) = moments(prior.mean());
    let mut random = Stream { seed: 0, index: stream::TRAITS + shared.id as u64 }.chain(0);
    let mut means = Vec::with_capacity(DRAWN);
    for _ in 0..DRAWN {
        let z: Vec<f64> = StandardNormal.sample_iter(&mut random).take(prior.len()).collect();
        let theta: Vec<f64> = (0..prior.len())
            .map(|i| prior.mean()[i] + (0..=i).map(|j| prior.root()[(i, j)] * z[j]).sum::<f64>())
            .collect();
        means.push(moments(&theta).0);
    }
    let middle = means.iter().sum::<f64>() / DRAWN as f64;
    let variance = means.iter().map(|m| (m - middle).powi(2)).sum::<f64>() / (DRAWN - 1) as f64;
    DensityTraits {
        density: shared.id.name(),
        unit: if shared.id.is_duration() { "ms" } else { "characters" },
        support: [grid.lower(), grid.upper()],
        mean,
        sd,
        between_readers: variance.sqrt(),
    }
}

/// Mean and standard deviation over the support.
fn moments(grid: &Grid, density: &Tabulated<'_>) -> (f64, f64) {
    let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
    grid.support().for_each_weight(grid.widths(), |node, weight| {
        // In parts of the support's end, lest squares overflow.
        let (x, mass) = (grid.nodes()[node] / grid.upper(), weight * density.log_f()[node].exp());
        total += mass;
        first += mass * x;
        second += mass * x * x;
    });
    let mean = first / total;
    (mean * grid.upper(), (second / total - mean * mean).max(0.0).sqrt() * grid.upper())
}
