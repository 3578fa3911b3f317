//! Readers around a population that is learned from all of them (section 7 of the model).
//!
//! | file | has |
//! |---|---|
//! | `features` | what saccade types and durations are regressed on |
//! | `types` | the regression of the types, for one reader |
//! | `durations` | the regression of the log durations, for one reader |
//! | `gaussian` | a Gaussian over readers |
//! | `learn` | the population, from all readers |
//! | `joint` | what the parts of a reader have to do with each other |
//! | `sessions` | how a reader differs from one day to another |
//! | `enroll` | what is known of a reader |
//! | `gallery` | scores |
//! | `method` | the method `population` |
//! | `stored` | the population as it is stored |
//! | `traits` | the population in numbers for people |

mod durations;
mod enroll;
mod features;
mod gallery;
mod gaussian;
mod joint;
mod learn;
mod method;
mod sessions;
mod stored;
mod traits;
mod types;

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::durations::Stay;
pub use self::enroll::ReaderPosterior;
use self::enroll::mode;
use self::features::DURATION_FEATURES;
pub use self::gallery::PopulationGallery;
pub(crate) use self::gallery::Seen;
use self::gallery::{Common, Lane, Lanes};
use self::gaussian::Message;
use self::joint::Joint;
pub use self::method::{PopulationMethod, population};
use self::sessions::Shares;
use self::stored::StoredPopulation;
pub use self::stored::StoredPopulationError;
pub use self::traits::{DensityTraits, Direction, MoveTraits, Trait, Traits};
use self::types::Choice;
use super::{FitError, Monitor, Observations, SharedDensity};
use crate::density::GaussianPrior;
use crate::gallery::TemplateGallery;
use crate::saccade::{DensityId, Event, Reading};
use crate::template::{Layout, Parts, ReaderModel};

/// What readers have in common, and how they differ.
///
/// It serialises to what it is computed from, and comes back the same to the last bit (on one type
/// of CPU). What is read is checked: whatever is accepted can be used.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredPopulation", into = "StoredPopulation")]
pub struct Population {
    /// The densities with their learned priors, in the order of [`DensityId::ALL`].
    densities: Vec<SharedDensity>,
    types: GaussianPrior,
    durations: GaussianPrior,
    /// Means of the features of durations.
    centre: [f64; DURATION_FEATURES],
    /// Variance of log durations around a reader's regression.
    variance: f64,
    /// How much of each Gaussian lies between the sessions of a reader.
    shares: Shares,
    /// How densities and regressions of a reader go together.
    joint: Joint,
    /// Concentrations of the direction of refixations.
    refixations: [f64; 2],
    max_width: usize,
    /// Gaussians whose evidence fell while they were learned.
    fell: usize,
}

fn choices(seen: &[Seen]) -> Vec<Choice> {
    seen.iter().filter_map(|s| s.choice).collect()
}

fn stays(seen: &[Seen]) -> Vec<Stay> {
    seen.iter().map(|s| s.stay).collect()
}

/// Readings by reader.
fn grouped<'a>(readers: usize, readings: &[(usize, &'a Reading)]) -> Vec<Vec<&'a Reading>> {
    let mut by_reader = vec![Vec::new(); readers];
    readings.iter().for_each(|(reader, reading)| by_reader[*reader].push(*reading));
    by_reader
}

impl Population {
    /// Learns from readings, each with its reader's place among `readers`.
    ///
    /// # Errors
    /// If a pooled fit fails or the monitor says stop.
    pub fn learn(
        readers: usize,
        readings: &[(usize, &Reading)],
        monitor: &dyn Monitor,
    ) -> Result<Self, FitError> {
        let mut by_reader = grouped(readers, readings);
        by_reader.retain(|readings| !readings.is_empty());
        let seen: Vec<Vec<Seen>> = by_reader
            .par_iter()
            .map(|readings| readings.iter().flat_map(|r| Seen::of(r)).collect())
            .collect();
        let check = || if monitor.stop() { Err(learn::interrupted()) } else { Ok(()) };
        check()?;
        let types = learn::types(&seen, monitor);
        check()?;
        let (durations, variance) = learn::durations(&seen);
        let mut population = Self {
            densities: Vec::with_capacity(DensityId::ALL.len()),
            types: types.prior,
            durations: durations.prior,
            centre: learn::centre(&seen),
            variance,
            shares: Shares::default(),
            joint: Joint::independent(std::iter::empty()),
            refixations: [1.0, 1.0],
            max_width: 1,
            fell: usize::from(types.fell) + usize::from(durations.fell),
        };
        let coefficients: Vec<Vec<f64>> = seen
            .par_iter()
            .map(|seen| {
                let belief = population.duration_belief(seen, &population.durations);
                mode(belief, &population.durations)
            })
            .collect();
        let numbered = by_reader.iter().enumerate();
        let observations = Observations::collect(
            by_reader.len(),
            numbered.flat_map(|(i, readings)| readings.iter().map(move |r| (i, *r))),
            |reader, previous, event| population.residual(&coefficients[reader], previous, event),
        );
        for id in DensityId::ALL {
            check()?;
            let (density, fell) = learn::density(id, &observations)?;
            monitor.advance(readers as u64);
            population.densities.push(density);
            population.fell += usize::from(fell);
        }
        population.refixations = learn::concentrations(&observations.refixations);
        population.max_width = observations.max_width();
        let messages: Vec<Vec<Option<Message>>> =
            by_reader.par_iter().map(|readings| population.messages(readings)).collect();
        check()?;
        let lens = population.priors().into_iter().map(GaussianPrior::len);
        population.joint = Joint::learn(lens, &messages);
        population.shares = population.learn_shares(&by_reader, &coefficients);
        Ok(population)
    }

    /// What [`Population::learn`] reports to its monitor in all, about.
    pub fn cost(readers: usize) -> u64 {
        (learn::TYPES_COST + DensityId::ALL.len() as u64) * readers as u64
    }

    /// A duration less its context part, ms.
    fn residual(&self, coefficients: &[f64], previous: Option<&Event>, event: &Event) -> f64 {
        let x = features::of_duration(previous, event);
        let shift: f64 = (0..x.len()).map(|i| coefficients[i] * (x[i] - self.centre[i])).sum();
        event.duration * (-shift).exp()
    }

    /// Readers that probes can be compared with; `nobody` is a reader of whom nothing is known.
    pub fn gallery(
        &self,
        readers: &[ReaderPosterior],
        nobody: &ReaderPosterior,
    ) -> PopulationGallery {
        let amplitudes: Vec<usize> =
            (0..self.densities.len()).filter(|&i| !self.densities[i].id.is_duration()).collect();
        let grid = |i: usize| Arc::clone(self.densities[i].features.grid());
        let layout = Layout::new(
            Parts { amplitudes: true, durations: false },
            amplitudes.iter().map(|&i| (self.densities[i].id, grid(i))),
            self.max_width,
        );
        let row = |reader: &ReaderPosterior| {
            let log_densities = amplitudes.iter().map(|&i| reader.densities[i].log_mean.clone());
            layout.row(&ReaderModel {
                // Types are scored by their situation.
                pi: [1.0; 4],
                mu: reader.mu,
                log_densities: log_densities.collect(),
            })
        };
        let rows: Vec<Vec<f64>> = readers.par_iter().map(row).collect();
        let population = row(nobody);
        let kinds = |kind: usize| DensityId::Delta0 as usize + kind;
        let lane = |reader: &ReaderPosterior| Lane {
            types: reader.types.clone(),
            durations: reader.durations.clone(),
            tables: std::array::from_fn(|kind| reader.densities[kinds(kind)].log_mean.clone()),
        };
        PopulationGallery {
            amplitudes: TemplateGallery::new(layout.clone(), &rows, population),
            common: Common {
                centre: self.centre,
                grids: std::array::from_fn(|kind| grid(kinds(kind))),
            },
            readers: Lanes::new(&readers.iter().map(lane).collect::<Vec<_>>()),
            population: Lanes::new(&[lane(nobody)]),
        }
    }
}
