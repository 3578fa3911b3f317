//! Methods that learn readers from what they read (sections 6 and 7 of the model).

mod average;
mod forger;
mod generative;
mod holland;
mod landwehr;
mod observations;
mod population;
mod report;
mod semiparametric;
mod shared;
mod stored;
mod voices;

pub use average::AverageScorer;
pub use forger::{Forger, LearnedReaders, Surprise};
pub use generative::Generative;
pub use holland::{Holland, HollandScorer};
pub use landwehr::{landwehr, landwehr_t, landwehr_ta};
pub use observations::Observations;
pub use population::{
    Background, DayShares, DensityTraits, Evidence, Population, PopulationMethod, PopulationScorer,
    ReaderPosterior, RegressionTraits, SessionShare, Slopes, StoredPopulationError, Template,
    TemplateError, Trait, Traits, population,
};
pub use report::{DensityReport, FitReport};
pub use semiparametric::semiparametric;
pub use shared::{Family, Process, SharedDensity};
pub use stored::StoredDensityError;
pub use voices::{
    Admissions, ByVoice, Community, FusionScorer, Ground, LearnedCorpus, LearnedEmbedding,
    Likeness, MotionSpread, People, PeopleError, PeopleOrigin, Signature, Voice, VoiceMethod,
    Weights, embedding, fusion, oculomotor,
};

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::population::LearnedPopulation;
use crate::admission::Admission;
use crate::inference::{Engine, InferenceError};
use crate::random::{Stream, stream};
use crate::saccade::Reading;
use crate::sight::Sight;

/// When probes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Occasion {
    /// In the sessions that readers are learned from.
    #[default]
    Same,
    /// On another day: readers are then no longer quite who they were.
    Another,
}

/// Readings with the readers to be learned from them.
#[derive(Debug, Clone)]
pub struct Training<'a> {
    readers: usize,
    readings: Vec<(usize, &'a Reading)>,
    occasion: Occasion,
    common: Arc<Common>,
}

/// What one method learned of a training, for others that learn the same of it.
#[derive(Debug, Default)]
pub struct Common {
    population: OnceLock<Arc<LearnedPopulation>>,
}

impl<'a> Training<'a> {
    /// Readings, each with its reader's place among `readers`.
    ///
    /// # Errors
    /// If a place is not below `readers`, or a reader has no reading.
    pub fn new(readers: usize, readings: Vec<(usize, &'a Reading)>) -> Result<Self, FitError> {
        let mut seen = vec![false; readers];
        for (reader, _) in &readings {
            *seen.get_mut(*reader).ok_or(FitError::UnknownReader(*reader, readers))? = true;
        }
        match seen.iter().position(|s| !s) {
            Some(reader) => Err(FitError::NothingRead(reader)),
            None if readers == 0 => Err(FitError::NothingRead(0)),
            None => {
                let (occasion, common) = (Occasion::Same, Arc::default());
                Ok(Self { readers, readings, occasion, common })
            }
        }
    }

    /// Number of readers.
    pub fn readers(&self) -> usize {
        self.readers
    }

    /// The readings with their readers.
    pub fn readings(&self) -> &[(usize, &'a Reading)] {
        &self.readings
    }

    /// Refuses readers of whom no fixation on a word is known: most methods learn from nothing else.
    pub(crate) fn check_words(&self) -> Result<(), FitError> {
        let mut has_words = vec![false; self.readers];
        for (reader, reading) in &self.readings {
            has_words[*reader] |= !reading.events.is_empty();
        }
        let without = has_words.iter().position(|has| !has);
        without.map_or(Ok(()), |reader| Err(FitError::NoWords(reader)))
    }

    /// The same readings, for probes of that occasion.
    pub fn for_probes_of(self, occasion: Occasion) -> Self {
        Self { occasion, ..self }
    }

    /// The same, with what was learned of it by others. It belongs to these very readings and occasion.
    pub fn sharing(self, common: &Arc<Common>) -> Self {
        Self { common: Arc::clone(common), ..self }
    }

    /// When the probes are read.
    pub fn occasion(&self) -> Occasion {
        self.occasion
    }

    /// Two halves of the readings, of which each is to be held out in turn, as a mark for every
    /// reading; `None` where they cannot be divided.
    ///
    /// Probes of another day are foreseen by sessions that are held out, where readers have
    /// several; else halves are of the units that were read (see [`Reading::unit`]).
    pub(crate) fn halves(&self, seed: u64) -> Option<[Vec<bool>; 2]> {
        let first = match self.occasion {
            Occasion::Another if self.has_sessions() => self.every_second_session(),
            _ => self.half_of_units(seed)?,
        };
        let second = first.iter().map(|held_out| !held_out).collect();
        Some([first, second])
    }

    /// Whether most readers have several sessions.
    pub(crate) fn has_sessions(&self) -> bool {
        let several = self.sessions().iter().filter(|sessions| sessions.len() > 1).count();
        2 * several > self.readers
    }

    /// By reader: sessions, in order.
    fn sessions(&self) -> Vec<BTreeSet<usize>> {
        let mut sessions = vec![BTreeSet::new(); self.readers];
        for (reader, reading) in &self.readings {
            sessions[*reader].insert(reading.session);
        }
        sessions
    }

    fn every_second_session(&self) -> Vec<bool> {
        let sessions = self.sessions();
        let place = |reader: usize, reading: &Reading| {
            sessions[reader].iter().position(|s| *s == reading.session).unwrap_or(0)
        };
        self.readings.iter().map(|(reader, r)| place(*reader, r).is_multiple_of(2)).collect()
    }

    fn half_of_units(&self, seed: u64) -> Option<Vec<bool>> {
        let mut units: Vec<usize> = self.readings.iter().map(|(_, r)| r.unit).collect();
        units.sort_unstable();
        units.dedup();
        units.shuffle(&mut Stream { seed, index: stream::FOLDS }.chain(0));
        let (first, second) = units.split_at(units.len().div_ceil(2));
        let first: HashSet<usize> = first.iter().copied().collect();
        (!second.is_empty())
            .then(|| self.readings.iter().map(|(_, r)| first.contains(&r.unit)).collect())
    }
}

/// Why a method could not be fitted.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// A reading of a reader that is not among those to be learned.
    #[error("a reading belongs to reader {0}, but there are only {1}")]
    UnknownReader(usize, usize),
    /// A reader without training data.
    #[error("reader {0} has no training data")]
    NothingRead(usize),
    /// A reader without fixations on words, for a method that learns from nothing else.
    #[error(
        "of what reader {0} read no word is known, and this method learns from fixations on words; \
         add where words are (words.csv), or use the method `oculomotor`, which needs none"
    )]
    NoWords(usize),
    /// Recordings without kinematics.
    #[error(
        "there are no kinematics in what was read: saccades with their velocities, or places in degrees; \
         import them from samples or saccade events, or use a method that needs words"
    )]
    NoKinematics,
    /// Nobody is known of whom kinematics could be compared.
    #[error(
        "the people that were given have no kinematics, so that nothing can be compared; give others, \
         learned from recordings with kinematics and several sessions"
    )]
    NoMotionSpread,
    /// A density could not be inferred.
    #[error(transparent)]
    Inference(#[from] InferenceError),
}

/// How long work is watched and stopped.
pub trait Monitor: Sync {
    /// Work of this cost is to come: about the number of densities to be fitted by `laplace`.
    fn expect(&self, cost: u64);
    /// Part of it is done.
    fn advance(&self, cost: u64);
    /// Whether to stop as soon as possible.
    fn stop(&self) -> bool;
}

/// Watches nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Monitor for Unwatched {
    fn expect(&self, _: u64) {}
    fn advance(&self, _: u64) {}
    fn stop(&self) -> bool {
        false
    }
}

/// What a score is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Score {
    /// The logarithm of a likelihood, or of a ratio of likelihoods: nats.
    LogLikelihood,
    /// The logarithm of a similarity, which no model of data stands behind: it has no unit.
    LogSimilarity,
}

/// A way to learn readers.
pub trait Method: Send + Sync {
    /// The name used in tables and on the command line.
    fn name(&self) -> &str;

    /// The inference engine, where the method has one.
    fn engine(&self) -> Option<&str> {
        None
    }

    /// What its scores are.
    fn score(&self) -> Score {
        Score::LogLikelihood
    }

    /// Whether it learns from fixations on words alone. It is then given no readings without any.
    fn needs_words(&self) -> bool {
        true
    }

    /// Learns the readers of `training`. The result depends on `seed` but never on the number of
    /// threads.
    ///
    /// # Errors
    /// If a reader has no words where they are needed, inference fails or the monitor says stop.
    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError>;
}

/// Learned readers with an account of the learning.
pub struct Fitted {
    /// The readers.
    pub scorer: Box<dyn LearnedReaders>,
    /// The same readers learned from parts of the training texts: what is held out there shows how
    /// scores are distributed, for thresholds and calibration, without a look at test texts. Empty
    /// where training texts cannot be divided.
    pub folds: Vec<Fold>,
    /// What was tuned, how long it took, how far to trust it.
    pub report: FitReport,
    /// How much each voice counts, where there are several.
    pub weights: Weights,
    /// How somebody is taken for a reader, where people showed that.
    pub admission: Option<Admission>,
    /// What a network makes of each reading of the training, for readers and folds alike; empty where none
    /// looks at them.
    pub sights: Vec<Sight>,
}

/// Readers learned from a part of the training texts.
pub struct Fold {
    /// The readers.
    pub scorer: Box<dyn LearnedReaders>,
    /// The training readings that were held out, as indices into [`Training::readings`].
    pub held_out: Vec<usize>,
    /// By reader: whether they had a part in the other texts. The others are in the scorer, but
    /// nothing is known of them.
    pub learned: Vec<bool>,
}

impl Fold {
    /// A fold that held out some of the readings.
    fn new(scorer: Box<dyn LearnedReaders>, training: &Training<'_>, held_out: &[bool]) -> Self {
        let mut fold =
            Self { scorer, held_out: Vec::new(), learned: vec![false; training.readers()] };
        for (i, (reader, _)) in training.readings().iter().enumerate() {
            if held_out[i] {
                fold.held_out.push(i);
            } else {
                fold.learned[*reader] = true;
            }
        }
        fold
    }
}

impl std::fmt::Debug for Fitted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fitted")
            .field("readers", &self.scorer.len())
            .field("report", &self.report)
            .finish()
    }
}

/// How the posterior of a reader turns into a score (section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scoring {
    /// The paper's: under the posterior mean of each density.
    #[default]
    PosteriorMean,
    /// The posterior mean of the probe's likelihood, over this many draws a density.
    FullAverage {
        /// Draws a density and reader.
        draws: usize,
    },
}

/// Names of the methods, in the order of the paper's tables.
pub const NAMES: [&str; 10] = [
    "fusion",
    "population",
    "embedding",
    "oculomotor",
    "semiparametric",
    "landwehr",
    "landwehr-ta",
    "landwehr-t",
    "holland-unweighted",
    "holland-weighted",
];

/// The method of that name.
/// `people` are those that voices are compared with.
pub fn by_name(
    name: &str,
    engine: Engine,
    scoring: Scoring,
    people: &Arc<People>,
) -> Option<Box<dyn Method>> {
    match name {
        "fusion" => Some(Box::new(fusion(Arc::clone(people)))),
        "embedding" => Some(Box::new(embedding(Arc::clone(people)))),
        "oculomotor" => Some(Box::new(oculomotor(Arc::clone(people)))),
        "population" => Some(Box::new(population(*people.day_shares()))),
        "semiparametric" => Some(Box::new(semiparametric(engine, scoring))),
        "landwehr" => Some(Box::new(landwehr())),
        "landwehr-ta" => Some(Box::new(landwehr_ta())),
        "landwehr-t" => Some(Box::new(landwehr_t())),
        "holland-unweighted" => Some(Box::new(Holland::unweighted())),
        "holland-weighted" => Some(Box::new(Holland::weighted())),
        _ => None,
    }
}
