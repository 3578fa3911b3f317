//! A population in numbers for people: what readers have in common, and how they differ.

use rand_distr::{Distribution, StandardNormal};
use serde::Serialize;

use super::types::FREE;
use super::{DayShares, Population, learn};
use crate::density::{GaussianPrior, Tabulated};
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
    /// Whether readers showed nothing of it: it is where learning started.
    pub assumed: bool,
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
    /// Whether readers showed nothing of it: it is where learning started.
    pub assumed: bool,
}

/// How much of what a part varies between readers lies between sessions of one reader.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SessionShare {
    /// A regression, or a density.
    pub part: &'static str,
    /// From 0, readers never change, to 1, they change as much as they differ.
    pub share: f64,
    /// Whether no reader came twice: it is what others show.
    pub assumed: bool,
}

impl Population {
    /// The population in numbers for people; `usual` is what it took for the days of readers who came
    /// but once.
    pub fn traits(&self, usual: &DayShares) -> Traits {
        let coefficient = |feature, prior: &GaussianPrior, i: usize, start: f64| Trait {
            feature,
            mean: prior.mean()[i],
            between_readers: prior.sd(i),
            // What nobody showed is not in the pooled regression, either.
            assumed: is_start(prior, i, 0.0, start),
        };
        let moves = FREE.iter().enumerate().map(|(k, kind)| RegressionTraits {
            name: kind.name(),
            coefficients: features::OF_TYPE
                .iter()
                .enumerate()
                .map(|(f, feature)| {
                    let start = learn::start_of_types(f);
                    coefficient(feature.name, &self.types, k * TYPE_FEATURES + f, start)
                })
                .collect(),
        });
        let durations = features::OF_DURATION.iter().enumerate();
        let landings = self.aims.iter().zip(AimKind::ALL).map(|(prior, kind)| RegressionTraits {
            name: kind.density().name(),
            coefficients: (features::OF_AIM.iter().enumerate())
                .map(|(f, name)| coefficient(*name, prior, f, learn::START_AIMS))
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
            durations: durations
                .map(|(i, f)| coefficient(f.name, &self.durations, i, learn::START_DURATIONS))
                .collect(),
            log_duration_sd: self.variance.sqrt(),
            landings: landings.collect(),
            session_shares: parts
                .zip(&self.shares)
                .enumerate()
                .map(|(i, (part, &share))| SessionShare {
                    part,
                    share,
                    assumed: usual.are_taken(i, share),
                })
                .collect(),
            fell: self.fell,
        }
    }
}

fn density(shared: &SharedDensity) -> DensityTraits {
    let grid = shared.features.grid();
    let moments = |theta: &[f64]| Tabulated::of(&shared.features, theta).moments();
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
        assumed: (0..prior.len())
            .all(|i| is_start(prior, i, shared.pooled[i], learn::START_DENSITIES)),
    }
}

/// Files keep numbers in fewer digits than they were learned in.
const ROUNDED: f64 = 1e-3;

/// Whether a coefficient is where learning started: nobody showed how it is, or how it varies.
fn is_start(prior: &GaussianPrior, i: usize, mean: f64, variance: f64) -> bool {
    let sd = variance.sqrt();
    (prior.sd(i) - sd).abs() < ROUNDED * sd && (prior.mean()[i] - mean).abs() < ROUNDED * sd
}

#[cfg(test)]
mod tests {
    use crate::method::People;

    #[test]
    fn what_the_people_that_ship_could_not_show_was_not_said_to_be_assumed() {
        let people = People::shipped();
        let population = people.population().unwrap().unwrap();
        let traits = population.traits(people.day_shares());
        for of in &traits.landings {
            // A saccade within a word or to the next one has no other words to land on.
            let has_choice = matches!(of.name, "alpha3" | "alpha4");
            for coefficient in &of.coefficients {
                let is_level = coefficient.feature.starts_with("level");
                assert_eq!(coefficient.assumed, is_level && !has_choice, "{of:?}");
            }
        }
        assert!(!traits.densities.iter().any(|density| density.assumed));
        assert!(!traits.durations.iter().any(|coefficient| coefficient.assumed));
        assert!(!traits.moves.iter().any(|of| of.coefficients[0].assumed));
    }
}
