//! Readers around a population that is learned from all of them (section 7 of the model).
//!
//! | file | has |
//! |---|---|
//! | `features` | what saccades and durations are regressed on |
//! | `types` | the regression of the types, for one reader |
//! | `aims` | where saccades land, for one reader |
//! | `durations` | the regression of the log durations, for one reader |
//! | `gaussian` | a Gaussian over readers |
//! | `learn` | the population, from all readers |
//! | `gallery` | scores |
//! | `method` | the method `population` |

mod aims;
mod durations;
mod features;
mod gallery;
mod gaussian;
mod learn;
mod method;
mod types;

use std::sync::Arc;

use rayon::prelude::*;

use self::aims::{AIMED, Aimed};
use self::durations::{Stay, Sums};
use self::features::DURATION_FEATURES;
pub use self::gallery::PopulationGallery;
pub(crate) use self::gallery::Seen;
use self::gallery::{Common, Lane, Lanes};
pub use self::method::{PopulationMethod, population};
use self::types::Choice;
use super::{FitError, Monitor, Observations, SharedDensity};
use crate::density::GaussianPrior;
use crate::gallery::TemplateGallery;
use crate::inference::{Diagnostics, Engine, Scratch};
use crate::random::Stream;
use crate::saccade::{DensityId, Event, Reading};
use crate::template::{Layout, Parts, ReaderModel};

/// Rounds between a reader's regression of durations and the variance around it.
const VARIANCE_ROUNDS: usize = 3;

/// What readers have in common, and how they differ.
#[derive(Debug, Clone)]
pub struct Population {
    /// The densities with their learned priors, in the order of [`DensityId::ALL`].
    densities: Vec<SharedDensity>,
    types: GaussianPrior,
    durations: GaussianPrior,
    /// In the order of [`AIMED`].
    aims: Vec<GaussianPrior>,
    /// Means of the features of durations.
    centre: [f64; DURATION_FEATURES],
    /// Variance of log durations around a reader's regression.
    variance: f64,
    /// Gaussians whose evidence fell while they were learned.
    fell: usize,
}

/// What is known of one reader.
#[derive(Debug, Clone)]
pub struct ReaderPosterior {
    /// Posterior means at the nodes, in the order of [`DensityId::ALL`].
    log_densities: Vec<Vec<f64>>,
    types: Vec<f64>,
    durations: Vec<f64>,
    /// In the order of [`AIMED`].
    aims: Vec<Vec<f64>>,
    /// By density: nothing without observations; no diagnostics where the fit failed.
    outcomes: Vec<Option<Option<Diagnostics>>>,
}

fn choices(seen: &[Seen]) -> Vec<Choice> {
    seen.iter().filter_map(|s| s.choice).collect()
}

fn stays(seen: &[Seen]) -> Vec<Stay> {
    seen.iter().map(|s| s.stay).collect()
}

/// The saccades of one kind, with a reader's density of their amplitudes.
fn aimed<'a>(
    kind: usize,
    density: &SharedDensity,
    seen: &'a [Seen],
    log_f: &[f64],
) -> Vec<Aimed<'a>> {
    let aims = seen.iter().filter_map(|s| s.aim.as_ref()).filter(|aim| aim.kind == kind);
    aims.map(|aim| Aimed::new(aim, density.features.grid(), log_f)).collect()
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
        let types = learn::types(&seen);
        let (durations, variance) = learn::durations(&seen);
        let mut population = Self {
            densities: Vec::with_capacity(DensityId::ALL.len()),
            types: types.prior,
            durations: durations.prior,
            aims: Vec::with_capacity(AIMED.len()),
            centre: learn::centre(&seen),
            variance,
            fell: usize::from(types.fell) + usize::from(durations.fell),
        };
        let coefficients: Vec<Vec<f64>> =
            seen.par_iter().map(|seen| population.duration_coefficients(seen)).collect();
        let numbered = by_reader.iter().enumerate();
        let observations = Observations::collect(
            by_reader.len(),
            numbered.flat_map(|(i, readings)| readings.iter().map(move |r| (i, *r))),
            |reader, previous, event| population.residual(&coefficients[reader], previous, event),
        );
        for id in DensityId::ALL {
            if monitor.stop() {
                return Err(learn::interrupted());
            }
            let (density, fell) = learn::density(id, &observations)?;
            population.densities.push(density);
            population.fell += usize::from(fell);
        }
        for (kind, id) in AIMED.into_iter().enumerate() {
            if monitor.stop() {
                return Err(learn::interrupted());
            }
            let density = &population.densities[id as usize];
            let aims: Vec<Vec<Aimed<'_>>> = (0..seen.len())
                .into_par_iter()
                .map(|reader| {
                    let sample = density.sample(observations.of_reader(id, reader));
                    aimed(kind, density, &seen[reader], &density.log_mode(&sample))
                })
                .collect();
            let aims = learn::aims(&aims);
            population.aims.push(aims.prior);
            population.fell += usize::from(aims.fell);
        }
        Ok(population)
    }

    fn duration_coefficients(&self, seen: &[Seen]) -> Vec<f64> {
        let sums = Sums::of(&stays(seen));
        let mut variance = self.variance;
        let mut mode = self.durations.mean().to_vec();
        for _ in 0..VARIANCE_ROUNDS {
            if let Some((belief, anew)) = sums.believe(&self.durations, variance) {
                mode = belief.mode;
                variance = anew;
            }
        }
        mode
    }

    /// A duration less its context part, ms.
    fn residual(&self, coefficients: &[f64], previous: Option<&Event>, event: &Event) -> f64 {
        let x = features::of_duration(previous, event);
        let shift: f64 = (0..x.len()).map(|i| coefficients[i] * (x[i] - self.centre[i])).sum();
        event.duration * (-shift).exp()
    }

    /// What is known of a reader after these readings; without any, of a reader of whom nothing is
    /// known. `stream` names the random numbers of each density.
    pub fn enroll(
        &self,
        engine: &Engine,
        readings: &[&Reading],
        stream: impl Fn(&SharedDensity) -> Stream,
    ) -> ReaderPosterior {
        let seen: Vec<Seen> = readings.iter().flat_map(|r| Seen::of(r)).collect();
        let mean = self.types.mean();
        let types = types::believe(&choices(&seen), &self.types, mean)
            .map_or_else(|| mean.to_vec(), |belief| belief.mode);
        let durations = self.duration_coefficients(&seen);
        let observations =
            Observations::collect(1, readings.iter().map(|r| (0, *r)), |_, previous, event| {
                self.residual(&durations, previous, event)
            });
        let mut log_densities = Vec::with_capacity(self.densities.len());
        let mut outcomes = Vec::with_capacity(self.densities.len());
        for density in &self.densities {
            let sample = density.sample(observations.of_reader(density.id, 0));
            let mut scratch = Scratch::new(&density.features);
            let problem = density.problem(&sample);
            let posterior = problem.mode(density.prior.mean(), &mut scratch).and_then(|mode| {
                engine.posterior(&problem, &mode, 0, stream(density), &mut scratch)
            });
            let (log_f, outcome) = match posterior {
                Ok(posterior) => (posterior.log_mean, Some(posterior.diagnostics)),
                Err(_) => (density.log_pooled.clone(), None),
            };
            log_densities.push(log_f);
            outcomes.push((!sample.is_empty()).then_some(outcome));
        }
        let aims = self.aims.iter().enumerate().map(|(kind, prior)| {
            let id = AIMED[kind] as usize;
            let aims = aimed(kind, &self.densities[id], &seen, &log_densities[id]);
            aims::believe(&aims, prior, prior.mean())
                .map_or_else(|| prior.mean().to_vec(), |belief| belief.mode)
        });
        let aims = aims.collect();
        ReaderPosterior { log_densities, types, durations, aims, outcomes }
    }

    /// Readers that probes can be compared with; `nobody` is a reader of whom nothing is known.
    pub fn gallery(
        &self,
        readers: &[ReaderPosterior],
        nobody: &ReaderPosterior,
    ) -> PopulationGallery {
        let grid = |id: DensityId| Arc::clone(self.densities[id as usize].features.grid());
        // Of what is alike in all situations, only the first place on a line is left.
        let first = DensityId::Alpha0;
        let parts = Parts { amplitudes: false, durations: false };
        let layout = Layout::new(parts, [(first, grid(first))], 1);
        let row = |reader: &ReaderPosterior| {
            let log_densities = vec![reader.log_densities[first as usize].clone()];
            layout.row(&ReaderModel { pi: [1.0; 4], mu: 0.5, log_densities })
        };
        let rows: Vec<Vec<f64>> = readers.par_iter().map(row).collect();
        let population = row(nobody);
        let durations = |kind: usize| DensityId::ALL[DensityId::Delta0 as usize + kind];
        let lane = |reader: &ReaderPosterior| Lane {
            types: reader.types.clone(),
            durations: reader.durations.clone(),
            tables: std::array::from_fn(|kind| {
                reader.log_densities[durations(kind) as usize].clone()
            }),
            aims: reader.aims.clone(),
            amplitudes: AIMED.map(|id| reader.log_densities[id as usize].clone()),
        };
        PopulationGallery {
            places: TemplateGallery::new(layout.clone(), &rows, population),
            common: Common {
                centre: self.centre,
                grids: std::array::from_fn(|kind| grid(durations(kind))),
                amplitudes: AIMED.map(grid),
            },
            readers: Lanes::new(&readers.iter().map(lane).collect::<Vec<_>>()),
            population: Lanes::new(&[lane(nobody)]),
        }
    }
}
