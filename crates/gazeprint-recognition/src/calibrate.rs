//! What the scores of a gallery are worth: learned from its readers whenever they change.

use gazeprint::decision::{Admission, FEWEST_READERS, Rules};
use gazeprint::method::{Community, Likeness, Occasion, Population, Template, Training};
use gazeprint::saccade::{Reading, readings};
use gazeprint_store::{Entry, Loaded, Rows, VoicedRules};
use rayon::prelude::*;
use serde::Serialize;

use crate::enroll::learn_population;
use crate::warning::{RowsMissing, lowest_rate};
use crate::{Error, RecognitionMonitor, Recognizer, Stage, Warning};

/// Most readers that rules are learned from: with more, they cost time and change little.
const MOST_FOR_RULES: usize = 256;
/// Readers from which on rows are kept: comparing a probe with so many takes as long as reading them.
const MANY: usize = 5_000;

/// When rows are kept by which a gallery is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepRows {
    /// Of so many readers that comparing with all takes long.
    OfMany,
    /// Of however few.
    Always,
}

/// What a gallery can promise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Readers.
    pub readers: usize,
    /// The lowest rates that its comparisons can show (rule of three); none without thresholds.
    pub lowest_rates: Option<LowestRates>,
    /// What else should be known.
    pub warnings: Vec<Warning>,
}

/// The lowest rates of errors that a gallery can show.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LowestRates {
    /// Of false claims that are accepted.
    pub fmr: f64,
    /// Of strangers who are taken for somebody.
    pub fpir: f64,
}

impl Standing {
    /// Of so many readers, by what people showed or, where they showed nothing, by the gallery's own rules.
    fn of(readers: usize, admission: Option<&Admission>, rules: Option<&VoicedRules>) -> Self {
        let comparisons = match admission.filter(|_| readers > 0) {
            Some(admission) => {
                let [strangers, pairs] = admission.support();
                Some([pairs, strangers])
            }
            None => rules.map(|rules| rules.rules.comparisons()),
        };
        let lowest_rates = comparisons.map(|comparisons| {
            let [fmr, fpir] = comparisons.map(lowest_rate);
            LowestRates { fmr, fpir }
        });
        Self { readers, lowest_rates, warnings: Vec::new() }
    }
}

impl Recognizer {
    /// What the gallery can promise as it is.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn standing(&self) -> Result<Standing, Error> {
        let stored = self.gallery().stored_readers()?;
        let loaded = stored.decoded()?;
        let people = self.people()?;
        let admission = loaded.community.admission(&people, &loaded.likenesses);
        Ok(Standing::of(loaded.readers.len(), admission, loaded.rules.as_ref()))
    }

    /// Whether thresholds were learned from the readers as they are now.
    pub(crate) fn has_current_rules(&self) -> Result<bool, Error> {
        Ok(self.gallery().has_current_rules()?)
    }

    /// Learns how decisions are made from the readers as they are now, and makes their rows, unless
    /// that is known.
    ///
    /// # Errors
    /// If the gallery cannot be read or written, or the monitor says stop.
    pub fn calibrate(
        &self,
        keep_rows: KeepRows,
        monitor: &dyn RecognitionMonitor,
    ) -> Result<Standing, Error> {
        let stored = self.gallery().stored_readers()?;
        let loaded = stored.decoded()?;
        let people = self.people()?;
        let admission = loaded.community.admission(&people, &loaded.likenesses).cloned();
        let wanted = keep_rows == KeepRows::Always || loaded.readers.len() >= MANY;
        let rows_missing = wanted && !self.gallery().has_rows()?;
        if loaded.is_current && !rows_missing {
            return Ok(Standing::of(
                loaded.readers.len(),
                admission.as_ref(),
                loaded.rules.as_ref(),
            ));
        }
        let (population, ..) = self.gallery().learning()?;
        let population = population.as_ref();
        let sample = Sample::read(self, &loaded.readers)?;
        let Loaded { community, readers, likenesses, rules, is_current, generation, .. } = loaded;
        let rules = match is_current {
            true => rules,
            false => sample.rules(self, population, &community, &likenesses, monitor)?,
        };
        let rows = match rows_missing && rules.is_some() {
            true => sample.rows(population, &community, &likenesses, monitor),
            false => None,
        };
        if monitor.stop() {
            let stage = if rows_missing { Stage::Rows } else { Stage::Rules };
            return Err(Error::Interrupted { stage });
        }
        let kept = rows.as_ref().map(|rows| (rows, &readers[..]));
        let mut standing = Standing::of(readers.len(), admission.as_ref(), rules.as_ref());
        if !self.gallery().set_rules(rules.as_ref(), kept, generation)? {
            standing.warnings.push(Warning::RulesNotKept {});
        }
        if rows_missing && rows.is_none() {
            let why = match rules {
                Some(_) => RowsMissing::Indistinct,
                None => RowsMissing::NoRules,
            };
            if keep_rows == KeepRows::Always {
                return Err(Error::NoRows { at: self.location().clone(), why });
            }
            standing.warnings.push(Warning::NoRows { why });
        }
        Ok(standing)
    }

    /// Learns the population anew from the enrolled readers, every reader with it, and the thresholds
    /// of decisions.
    ///
    /// # Errors
    /// If readers are too few, the gallery cannot be read or written, or the monitor says stop.
    pub fn relearn(&self, monitor: &dyn RecognitionMonitor) -> Result<Standing, Error> {
        let stored = self.gallery().stored_readers()?;
        let loaded = stored.decoded()?;
        let recorded = self.gallery().all_recordings(|_| true)?;
        if recorded.len() < FEWEST_READERS {
            let (at, readers) = (self.location().to_string(), recorded.len());
            return Err(Error::FewForPopulation { at, readers });
        }
        let corpus = gazeprint_store::corpus("gallery", &recorded)?;
        let (all, _) = readings(&corpus, self.limits());
        let people = self.people()?;
        let population = match all.iter().any(Reading::has_words) {
            true => Some(learn_population(recorded.len(), &all, people.day_shares(), monitor)?),
            false => None,
        };
        let population = population.as_ref();
        let numbered: Vec<(usize, &Reading)> = all.iter().map(|r| (r.reader, r)).collect();
        // A gallery of words alone stays one.
        let community = match self.gallery().people()? {
            Some(_) => {
                Community::learn(&people, population, &numbered, false).map_err(|source| {
                    Error::of_fit("what readers are compared on", Stage::Population, source)
                })?
            }
            None => loaded.community.clone().around(population),
        };
        let likenesses: Vec<Likeness> = (0..loaded.readers.len())
            .into_par_iter()
            .map(|place| {
                let own: Vec<&Reading> = all.iter().filter(|r| r.reader == place).collect();
                community.likeness(people.network(), population, &own)
            })
            .collect();
        if monitor.stop() {
            return Err(Error::Interrupted { stage: Stage::Population });
        }
        let sample = Sample::read(self, &loaded.readers)?;
        let rules = sample.rules(self, population, &community, &likenesses, monitor)?;
        let readers = loaded.readers.into_iter().zip(likenesses).collect();
        let rules = rules.as_ref();
        self.gallery().relearn(population, &community, loaded.era, readers, rules)?;
        // Rows, where there are many; rules were learned with all the rest.
        self.calibrate(KeepRows::OfMany, monitor)
    }
}

/// Some readers of a gallery, evenly chosen by name: who was enrolled when makes no difference.
struct Sample {
    /// Their places.
    chosen: Vec<usize>,
    readings: Vec<Reading>,
}

impl Sample {
    /// Without readings where readers are too few, or were changed meanwhile.
    fn read(desk: &Recognizer, readers: &[Entry]) -> Result<Self, Error> {
        let n = readers.len();
        let most = n.min(MOST_FOR_RULES);
        let chosen: Vec<usize> = (0..most).map(|i| i * n / most).collect();
        let names: Vec<&str> = chosen.iter().map(|&i| readers[i].id.as_str()).collect();
        let recorded = desk.gallery().all_recordings(|name| names.binary_search(&name).is_ok())?;
        if recorded.len() < FEWEST_READERS || recorded.len() != names.len() {
            return Ok(Self { chosen: Vec::new(), readings: Vec::new() });
        }
        let corpus = gazeprint_store::corpus("gallery", &recorded)?;
        let (readings, _) = readings(&corpus, desk.limits());
        Ok(Self { chosen, readings })
    }

    /// How decisions are made, learned from these readers; the templates of all are given. Nothing
    /// where they are too few or read too little.
    fn rules(
        &self,
        desk: &Recognizer,
        population: Option<&Population>,
        community: &Community,
        likenesses: &[Likeness],
        monitor: &dyn RecognitionMonitor,
    ) -> Result<Option<VoicedRules>, Error> {
        if self.readings.is_empty() {
            return Ok(None);
        }
        let failed = |source| Error::of_fit("what scores are worth", Stage::Rules, source);
        let numbered = self.readings.iter().map(|r| (r.reader, r)).collect();
        // Probes come on other days than those on which readers were enrolled.
        let training = Training::new(self.chosen.len(), numbered)
            .map_err(failed)?
            .for_probes_of(Occasion::Another);
        let readers: Vec<&Likeness> = self.chosen.iter().map(|&i| &likenesses[i]).collect();
        let people = desk.people()?;
        monitor.begin(Stage::Rules);
        let fitted = community.fitted(&people, population, &readers, &training, monitor);
        let fitted = fitted.map_err(failed)?;
        let learned = Rules::learn(&fitted, &training);
        Ok(learned.map(|learned| VoicedRules { rules: learned.rules, weights: fitted.weights }))
    }

    /// The rows of all readers. Nothing where they do not differ, or their numbers are too large.
    fn rows(
        &self,
        population: Option<&Population>,
        community: &Community,
        likenesses: &[Likeness],
        monitor: &dyn RecognitionMonitor,
    ) -> Option<Rows> {
        monitor.begin(Stage::Rows);
        let (population, slopes) = (population?, community.background()?.slopes());
        let templates: Vec<Template> =
            likenesses.iter().filter_map(|likeness| likeness.template().cloned()).collect();
        let space = population.space(&slopes, &self.readings.iter().collect::<Vec<_>>())?;
        let rows = slopes.rows(&space, &templates);
        let are_finite = rows.as_flattened().iter().all(|number| number.is_finite());
        are_finite.then(|| Rows { queries: space.queries().clone(), rows })
    }
}
