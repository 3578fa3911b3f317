//! Readers around a population that is learned from all of them (section 7 of the model).
//!
//! | file | has |
//! |---|---|
//! | `types` | the regression of the types, for one reader |
//! | `aims` | where saccades land, for one reader |
//! | `durations` | the regression of the log durations, for one reader |
//! | `gaussian` | a Gaussian over readers |
//! | `learn` | the population, from all readers |
//! | `joint` | what the parts of a reader have to do with each other |
//! | `sessions` | how a reader differs from one day to another |
//! | `enroll` | what is known of a reader |
//! | `lanes` | scores of some readers at once |
//! | `scorer` | scores of all |
//! | `forge` | readings drawn from a template |
//! | `imagine` | readers drawn from the population |
//! | `method` | the method `population` |
//! | `surprise` | readings held against a template |
//! | `slope` | readers as vectors, probes as slopes |
//! | `stored` | the population as it is stored |
//! | `template` | readers as they are stored and compared |
//! | `traits` | the population in numbers for people |

mod aims;
mod durations;
mod enroll;
mod forge;
mod gaussian;
mod imagine;
mod joint;
mod lanes;
mod learn;
mod method;
mod scorer;
mod sessions;
mod slope;
mod space;
mod stored;
mod surprise;
mod template;
mod traits;
mod types;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::aims::Aimed;
pub use self::enroll::ReaderPosterior;
use self::enroll::{Beliefs, mode};
use self::gaussian::Message;
use self::joint::Joint;
pub(super) use self::method::LearnedPopulation;
pub use self::method::{PopulationMethod, population};
pub use self::scorer::{Evidence, PopulationScorer};
pub use self::sessions::DayShares;
pub use self::slope::Slopes;
use self::stored::StoredPopulation;
pub use self::stored::StoredPopulationError;
pub use self::template::{Background, Template, TemplateError};
pub use self::traits::{DensityTraits, RegressionTraits, SessionShare, Trait, Traits};
use super::{FitError, Monitor, Observations, SharedDensity};
use crate::density::GaussianPrior;
use crate::glance::features::{self, DURATION_FEATURES};
use crate::glance::{AimKind, Choice, Glance, Stay};
use crate::kinds::Kind as _;
use crate::saccade::{DensityId, Event, Reading};

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
    /// In the order of [`AimKind::ALL`].
    aims: Vec<GaussianPrior>,
    /// Means of the features of durations.
    centre: [f64; DURATION_FEATURES],
    /// Variance of log durations around a reader's regression.
    variance: f64,
    /// How much of each part's covariance lies between the sessions of a reader, in the order of
    /// [`Population::priors`].
    shares: Vec<f64>,
    /// How the parts of a reader go together.
    joint: Joint,
    /// Gaussians that ran away or lost evidence while they were learned.
    fell: usize,
}

fn choices(glances: &[Glance]) -> Vec<Choice> {
    glances.iter().filter_map(|s| s.choice).collect()
}

fn stays(glances: &[Glance]) -> Vec<Stay> {
    glances.iter().map(|s| s.stay).collect()
}

/// The saccades of one kind, with a reader's density of their amplitudes.
fn aimed<'a>(
    kind: AimKind,
    density: &SharedDensity,
    glances: &'a [Glance],
    log_f: &[f64],
) -> Vec<Aimed<'a>> {
    let aims = glances.iter().filter_map(|s| s.aim.as_ref()).filter(|aim| aim.kind == kind);
    aims.map(|aim| Aimed::new(aim, density.features.grid(), log_f)).collect()
}

/// Readings by reader.
fn grouped<'a>(readers: usize, readings: &[(usize, &'a Reading)]) -> Vec<Vec<&'a Reading>> {
    let mut by_reader = vec![Vec::new(); readers];
    readings.iter().for_each(|(reader, reading)| by_reader[*reader].push(*reading));
    by_reader
}

impl Population {
    /// Learns from readings, each with its reader's place among `readers`. Other people's days are
    /// `usual`, for what these readers do not show.
    ///
    /// # Errors
    /// If nothing was read, or nothing on words that are known, a reader's place is not below `readers`, a pooled fit fails or the
    /// monitor says stop.
    pub fn learn(
        readers: usize,
        readings: &[(usize, &Reading)],
        usual: &DayShares,
        monitor: &dyn Monitor,
    ) -> Result<Self, FitError> {
        Ok(Self::learn_with_beliefs(readers, readings, usual, monitor)?.0)
    }

    /// The same, with what is known of each reader under it; nothing of those without words.
    fn learn_with_beliefs(
        readers: usize,
        readings: &[(usize, &Reading)],
        usual: &DayShares,
        monitor: &dyn Monitor,
    ) -> Result<(Self, Vec<Beliefs>), FitError> {
        if readings.is_empty() {
            return Err(FitError::NothingRead(0));
        }
        if let Some((reader, _)) = readings.iter().find(|(reader, _)| *reader >= readers) {
            return Err(FitError::UnknownReader(*reader, readers));
        }
        let mut by_reader = grouped(readers, readings);
        for readings in &mut by_reader {
            readings.retain(|reading| !reading.events.is_empty());
        }
        let places: Vec<usize> = (0..readers).filter(|r| !by_reader[*r].is_empty()).collect();
        by_reader.retain(|readings| !readings.is_empty());
        if by_reader.is_empty() {
            return Err(FitError::NoWords(readings[0].0));
        }
        let glances: Vec<Vec<Glance>> = by_reader
            .par_iter()
            .map(|readings| readings.iter().flat_map(|r| Glance::all(r)).collect())
            .collect();
        let check = || if monitor.stop() { Err(learn::interrupted()) } else { Ok(()) };
        check()?;
        let types = learn::types(&glances, monitor);
        check()?;
        let (durations, durations_fell, variance) = learn::durations(&glances);
        let mut population = Self {
            densities: Vec::with_capacity(DensityId::ALL.len()),
            types: types.prior,
            durations,
            aims: Vec::with_capacity(AimKind::COUNT),
            centre: learn::centre(&glances),
            variance,
            shares: Vec::new(),
            joint: Joint::independent(std::iter::empty()),
            fell: usize::from(types.fell) + usize::from(durations_fell),
        };
        let durations: Beliefs = glances
            .par_iter()
            .map(|glances| population.duration_belief(glances, &population.durations))
            .collect();
        let coefficients: Vec<Vec<f64>> =
            durations.iter().map(|belief| mode(belief.as_ref(), &population.durations)).collect();
        let numbered = by_reader.iter().enumerate();
        let observations = Observations::collect(
            by_reader.len(),
            numbered.flat_map(|(i, readings)| readings.iter().map(move |r| (i, *r))),
            |reader, previous, event| population.residual(&coefficients[reader], previous, event),
        );
        // By part, then reader.
        let mut densities: Vec<Beliefs> = Vec::with_capacity(DensityId::ALL.len());
        for id in DensityId::ALL {
            check()?;
            let (density, beliefs, fell) = learn::density(id, &observations)?;
            monitor.advance(readers as u64);
            population.densities.push(density);
            population.fell += usize::from(fell);
            densities.push(beliefs);
        }
        let mut parts = vec![types.beliefs, durations];
        for kind in AimKind::ALL {
            check()?;
            let id = kind.density().place();
            let density = &population.densities[id];
            let aims: Vec<Vec<Aimed<'_>>> = glances
                .par_iter()
                .zip(&densities[id])
                .map(|(glances, belief)| {
                    let log_f = density.log_density(&mode(belief.as_ref(), &density.prior));
                    aimed(kind, density, glances, &log_f)
                })
                .collect();
            let mut aims = learn::aims(&aims);
            // Who never moved so shows nothing of where such moves end.
            let shown = aims.beliefs.iter_mut().zip(&densities[id]);
            shown.filter(|(_, density)| density.is_none()).for_each(|(aims, _)| *aims = None);
            population.aims.push(aims.prior);
            population.fell += usize::from(aims.fell);
            parts.push(aims.beliefs);
        }
        parts.extend(densities);
        let mut beliefs: Vec<Beliefs> = vec![vec![None; parts.len()]; readers];
        for (part, of_readers) in parts.into_iter().enumerate() {
            for (reader, belief) in places.iter().zip(of_readers) {
                beliefs[*reader][part] = belief;
            }
        }
        let messages: Vec<Vec<Option<Message>>> =
            places.par_iter().map(|reader| population.messages_of(&beliefs[*reader])).collect();
        check()?;
        let lens = population.priors().into_iter().map(GaussianPrior::len);
        population.joint = Joint::learn(lens, &messages);
        check()?;
        population.shares = population.learn_shares(&by_reader, usual);
        check()?;
        Ok((population, beliefs))
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
    pub fn scorer(
        &self,
        readers: &[ReaderPosterior],
        nobody: &ReaderPosterior,
    ) -> PopulationScorer {
        let readers: Vec<Template> = readers.iter().map(ReaderPosterior::template).collect();
        self.background_with(nobody).side_by_side(&readers, &[])
    }
}
