//! What the scores of a gallery are worth: learned from its readers, and anew when there are half as many more.

use gazeprint::decision::{Admission, FEWEST_READERS, Rules};
use gazeprint::method::{Community, Likeness, Occasion, Population, Template, Training};
use gazeprint::saccade::{Reading, readings};
use gazeprint_store::{Cursor, GalleryError, Learned, Loaded, RowsKept, VoicedRules, Whose};
use rayon::prelude::*;
use serde::Serialize;

use crate::enroll::learn_population;
use crate::warning::{RowsMissing, lowest_rate};
use crate::{Error, RecognitionMonitor, Recognizer, Stage, Warning};

/// Most readers that rules are learned from: with more, they cost time and change little.
const MOST_FOR_RULES: usize = 256;
/// Readers whose rows are made and written at once.
const ROWS_AT_ONCE: usize = 1024;
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

/// When it is learned anew how decisions are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// Where there are half as many readers more than it was learned from, or as many less.
    Outgrown,
    /// In any case.
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
        let loaded = self.facts()?;
        let people = self.people()?;
        let admission = loaded.community.admission(&people, loaded.is_usual_known);
        Ok(Standing::of(loaded.count, admission, loaded.rules.as_ref()))
    }

    /// What is known of the gallery without its readers; where these tell some of it, with them.
    fn facts(&self) -> Result<Loaded, Error> {
        let mut gallery = self.gallery();
        let whose = if gallery.is_old() { Whose::All } else { Whose::Nobody };
        let stored = gallery.stored_readers(whose)?;
        drop(gallery);
        Ok(stored.decoded()?)
    }

    /// Whether thresholds were learned from the readers as they are now.
    pub(crate) fn has_current_rules(&self) -> Result<bool, Error> {
        Ok(self.gallery().has_current_rules()?)
    }

    /// Learns how decisions are made from the readers as they are now, and makes their rows.
    ///
    /// # Errors
    /// If the gallery cannot be read or written, or the monitor says stop.
    pub fn calibrate(
        &self,
        keep_rows: KeepRows,
        monitor: &dyn RecognitionMonitor,
    ) -> Result<Standing, Error> {
        self.settle(When::Always, keep_rows, monitor)
    }

    /// The same after readers have changed: where they are about as many as before, decisions stay as they are.
    pub(crate) fn settle(
        &self,
        when: When,
        keep_rows: KeepRows,
        monitor: &dyn RecognitionMonitor,
    ) -> Result<Standing, Error> {
        self.check_writable()?;
        let loaded = self.facts()?;
        let people = self.people()?;
        let admission = loaded.community.admission(&people, loaded.is_usual_known).cloned();
        let wanted = keep_rows == KeepRows::Always || loaded.count >= MANY;
        let is_current = loaded.is_current && when == When::Outgrown;
        let rows_kept = match (wanted, when) {
            (false, _) => RowsKept::All,
            (true, When::Always) => RowsKept::Missing,
            (true, When::Outgrown) => self.gallery().rows_kept()?,
        };
        let rows_missing = rows_kept == RowsKept::Missing;
        let standing = |rules: Option<&VoicedRules>| {
            let mut standing = Standing::of(loaded.count, admission.as_ref(), rules);
            let why = RowsMissing::Indistinct;
            let is_impossible = rows_kept == RowsKept::Impossible;
            standing.warnings.extend(is_impossible.then_some(Warning::NoRows { why }));
            standing
        };
        if is_current && !rows_missing {
            return Ok(standing(loaded.rules.as_ref()));
        }
        let (population, ..) = self.stored_learning()?.decoded()?;
        let population = population.as_ref();
        let sample = Sample::read(self)?;
        let Loaded { community, generation, .. } = &loaded;
        let anew = match is_current {
            true => None,
            false => Some(sample.rules(self, population, community, monitor)?),
        };
        let rules = anew.as_ref().unwrap_or(&loaded.rules).as_ref();
        if monitor.stop() {
            return Err(Error::Interrupted { stage: Stage::Rules });
        }
        let learned = anew.as_ref().map_or(Learned::Before, |rules| Learned::Anew(rules.as_ref()));
        let mut standing = standing(rules);
        if !self.gallery().set_rules(learned, *generation)? {
            standing.warnings.push(Warning::RulesNotKept {});
        }
        let why = match (rows_missing, rules) {
            (false, _) => None,
            (true, None) => Some(RowsMissing::NoRules),
            (true, Some(_)) => {
                let made = self.make_rows(&sample, population, community, monitor)?;
                (!made).then_some(RowsMissing::Indistinct)
            }
        };
        match why {
            Some(why) if keep_rows == KeepRows::Always => {
                Err(Error::NoRows { at: self.location().clone(), why })
            }
            why => {
                standing.warnings.extend(why.map(|why| Warning::NoRows { why }));
                Ok(standing)
            }
        }
    }

    /// Makes the rows of all readers, some at a time, in a space that is learned from a sample. False where it
    /// does not tell readers apart, or their numbers are too large: that is kept in mind; or where others were
    /// faster.
    fn make_rows(
        &self,
        sample: &Sample,
        population: Option<&Population>,
        community: &Community,
        monitor: &dyn RecognitionMonitor,
    ) -> Result<bool, Error> {
        let space = population.zip(community.background()).and_then(|(population, background)| {
            let slopes = background.slopes();
            let readings: Vec<&Reading> = sample.readings.iter().collect();
            Some((population.space(&slopes, &readings)?.rounded(), slopes))
        });
        let indistinct = || {
            self.gallery().give_up_rows()?;
            Ok(false)
        };
        let Some((space, slopes)) = space else { return indistinct() };
        monitor.begin(Stage::Rows);
        let making = self.gallery().begin_rows(&space)?;
        let mut next = Some(Cursor::default());
        while let Some(from) = next {
            if monitor.stop() {
                return Err(Error::Interrupted { stage: Stage::Rows });
            }
            let (readers, after) =
                self.gallery().without_rows(making.number, from, ROWS_AT_ONCE)?;
            next = after;
            let templates: Option<Vec<Template>> =
                readers.iter().map(|reader| reader.likeness.template().cloned()).collect();
            let Some(templates) = templates else { return indistinct() };
            let rows = slopes.rows(&making.space, &templates);
            if !rows.as_flattened().iter().all(|number| number.is_finite()) {
                return indistinct();
            }
            let rows: Vec<_> = readers.into_iter().zip(rows).collect();
            self.gallery().add_rows(making.number, &rows)?;
        }
        Ok(self.gallery().end_rows(making.number)?)
    }

    /// Learns the population anew from the enrolled readers, every reader with it, and the thresholds
    /// of decisions.
    ///
    /// # Errors
    /// If readers are too few, the gallery cannot be read or written, or the monitor says stop.
    pub fn relearn(&self, monitor: &dyn RecognitionMonitor) -> Result<Standing, Error> {
        self.check_writable()?;
        let stored = self.gallery().stored_readers(Whose::All)?;
        let loaded = stored.decoded()?;
        let recorded = self.gallery().all_recordings()?;
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
        let of_words_alone = self.gallery().people()?.is_none();
        let community = match of_words_alone {
            true => loaded.community.clone().around(population),
            false => Community::learn(&people, population, &numbered, false).map_err(|source| {
                Error::of_fit("what readers are compared on", Stage::Population, source)
            })?,
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
        let names = loaded.readers.iter().map(|entry| entry.id.clone()).collect();
        let mut sample = Sample::of(self, names)?;
        sample.likenesses = sample.chosen.iter().map(|&place| likenesses[place].clone()).collect();
        let rules = sample.rules(self, population, &community, monitor)?;
        let readers = loaded.readers.into_iter().zip(likenesses).collect();
        let rules = rules.as_ref();
        self.gallery().relearn(population, &community, loaded.generation, readers, rules)?;
        // Rows, where there are many; rules were learned with all the rest.
        self.settle(When::Outgrown, KeepRows::OfMany, monitor)
    }
}

/// Some readers of a gallery, evenly chosen by name: who was enrolled when makes no difference.
struct Sample {
    /// Their places among all, by name.
    chosen: Vec<usize>,
    /// As they are kept.
    likenesses: Vec<Likeness>,
    readings: Vec<Reading>,
}

impl Sample {
    /// With what is compared of each. Without readings where readers are too few, or were changed meanwhile.
    fn read(desk: &Recognizer) -> Result<Self, Error> {
        let generation = desk.gallery().generation()?;
        let mut names = Vec::new();
        desk.gallery().each_entry(|entry| {
            names.push(entry.id);
            Ok(())
        })?;
        names.sort_unstable();
        let chosen = evenly(&names);
        let ids = chosen.iter().map(|&place| names[place].as_str());
        let likenesses = match desk.gallery().templates_of(ids, generation) {
            Err(GalleryError::Conflict { .. }) => return Ok(Self::empty()),
            likenesses => likenesses?,
        };
        Ok(Self { likenesses, ..Self::of(desk, names)? })
    }

    /// With what they read alone.
    fn of(desk: &Recognizer, names: Vec<String>) -> Result<Self, Error> {
        let chosen = evenly(&names);
        let ids: Vec<&str> = chosen.iter().map(|&place| names[place].as_str()).collect();
        let recorded = desk.gallery().recordings_of(&ids)?;
        if recorded.len() < FEWEST_READERS || recorded.len() != ids.len() {
            return Ok(Self::empty());
        }
        let corpus = gazeprint_store::corpus("gallery", &recorded)?;
        let (readings, _) = readings(&corpus, desk.limits());
        Ok(Self { chosen, likenesses: Vec::new(), readings })
    }

    fn empty() -> Self {
        Self { chosen: Vec::new(), likenesses: Vec::new(), readings: Vec::new() }
    }

    /// How decisions are made, learned from these readers. Nothing where they are too few or read too little.
    fn rules(
        &self,
        desk: &Recognizer,
        population: Option<&Population>,
        community: &Community,
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
        let readers: Vec<&Likeness> = self.likenesses.iter().collect();
        let people = desk.people()?;
        monitor.begin(Stage::Rules);
        let fitted = community.fitted(&people, population, &readers, &training, monitor);
        let fitted = fitted.map_err(failed)?;
        let learned = Rules::learn(&fitted, &training);
        Ok(learned.map(|learned| VoicedRules { rules: learned.rules, weights: fitted.weights }))
    }
}

/// Places evenly spread over names.
fn evenly(names: &[String]) -> Vec<usize> {
    let most = names.len().min(MOST_FOR_RULES);
    (0..most).map(|i| i * names.len() / most).collect()
}
