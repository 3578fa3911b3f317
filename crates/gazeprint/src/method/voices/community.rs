//! Readers as galleries keep them, by voice.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ground::{Ground, Signature, Wanted};
use super::method::{ReadingFit, VoiceFit, voices_of};
use super::people::People;
use super::scorer::FusionScorer;
use super::weights::Weights;
use crate::admission::{Admission, GROUNDS};
use crate::method::{
    Background, FitError, Fitted, Monitor, Occasion, Population, PopulationScorer, Template,
    TemplateError, Training,
};
use crate::network::Network;
use crate::saccade::Reading;
use crate::score::{Scorer as _, Tally};

/// Fixations of the parts that a reader's own readings are looked at in: about ten sentences.
const ENOUGH: usize = 100;

/// What readers are compared on, by voice.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Community {
    /// Of words, where they are known.
    reading: Option<Background>,
    ground: Ground,
}

/// What is compared of one reader, by voice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Likeness {
    reading: Option<Template>,
    signature: Signature,
    /// What a fixation of the reader's own readings says for them on average, where that is asked: kept beside it.
    #[serde(skip)]
    usual: Option<[f64; GROUNDS]>,
}

impl From<Background> for Community {
    /// Of words alone.
    fn from(background: Background) -> Self {
        Self { reading: Some(background), ground: Ground::default() }
    }
}

impl From<Template> for Likeness {
    /// Of words alone.
    fn from(template: Template) -> Self {
        Self { reading: Some(template), signature: Signature::default(), usual: None }
    }
}

impl Likeness {
    /// What words say of a reader, where they are known.
    pub fn template(&self) -> Option<&Template> {
        self.reading.as_ref()
    }

    /// What a fixation of the reader's own readings says for them on average, where that is asked.
    pub fn usual(&self) -> Option<[f64; GROUNDS]> {
        self.usual
    }

    /// The same, with that.
    pub fn with_usual(self, usual: Option<[f64; GROUNDS]>) -> Self {
        Self { usual, ..self }
    }
}

/// What is usual of each of some readers, where it is known of all.
fn usual(readers: &[&Likeness]) -> Vec<[f64; GROUNDS]> {
    readers.iter().map(|likeness| likeness.usual).collect::<Option<_>>().unwrap_or_default()
}

impl Community {
    /// Founds a community on readings with the places of their readers: all voices that these have. Where
    /// people are `given`, readers are compared on what is known of them alone: when somebody is enrolled
    /// makes no difference then.
    ///
    /// # Errors
    /// If there is nothing that any voice could speak of.
    pub fn learn(
        people: &People,
        population: Option<&Population>,
        readings: &[(usize, &Reading)],
        given: bool,
    ) -> Result<Self, FitError> {
        let voices = voices_of(people, &super::Voice::ALL, readings)?;
        if given {
            let ground = Ground::of_people(people, Wanted::of(&voices));
            return Ok(Self { reading: population.map(Population::background), ground });
        }
        // In the order in which galleries keep what was read, so that sums are the same to the last bit.
        let mut ordered = readings.to_vec();
        ordered.sort_by_key(|(reader, reading)| (*reader, reading.text, reading.session));
        let (ground, _) = Ground::learn(people, Wanted::of(&voices), &ordered, Occasion::Another);
        Ok(Self { reading: population.map(Population::background), ground })
    }

    /// The same around another population.
    pub fn around(self, population: Option<&Population>) -> Self {
        Self { reading: population.map(Population::background), ..self }
    }

    /// What words are compared on, where they are known.
    pub fn background(&self) -> Option<&Background> {
        self.reading.as_ref()
    }

    /// Whether claims have grounds that decisions about strangers are made on, held against imagined readers.
    fn has_grounds(&self) -> bool {
        self.reading.is_some() && self.ground.wanted().embedding
    }

    /// How somebody is taken for a reader of it on another day, where people showed that; whether it is known of
    /// all readers what is usual of them makes a difference.
    pub fn admission<'a>(&self, people: &'a People, is_usual_known: bool) -> Option<&'a Admission> {
        let admission = people.admission(Occasion::Another, &self.ground, is_usual_known);
        admission.filter(|_| self.has_grounds())
    }

    /// What is compared of a reader.
    pub fn likeness(
        &self,
        network: &Network,
        population: Option<&Population>,
        readings: &[&Reading],
    ) -> Likeness {
        let words: Vec<&Reading> = readings.iter().copied().filter(|r| r.has_words()).collect();
        Likeness {
            reading: population.map(|population| population.template(&words)),
            signature: self.ground.signature(network, readings),
            usual: None,
        }
    }

    /// The same with what is usual of the reader, where readers are compared on what is known of `people`
    /// alone: what sets their recordings apart from those speaks for each of them, whoever reads. Found from
    /// either half of the readings and what is learned from the other.
    pub fn likeness_among(
        &self,
        people: &People,
        population: Option<&Population>,
        cohort: &[Template],
        readings: &[&Reading],
    ) -> Likeness {
        let network = people.network();
        let likeness = self.likeness(network, population, readings);
        if cohort.is_empty() || !self.has_grounds() || !self.ground.is_of(people) {
            return likeness;
        }
        // Who read a single text is looked at from its beginning and its end.
        let parts = match readings {
            [one] => vec![one.until(one.fixations() / 2), one.since(one.fixations() / 2)],
            _ => Vec::new(),
        };
        let parts: Vec<&Reading> =
            if parts.is_empty() { readings.to_vec() } else { parts.iter().collect() };
        let half = |first: usize| -> Vec<&Reading> {
            parts.iter().skip(first).step_by(2).copied().collect()
        };
        let halves = [(half(0), half(1)), (half(1), half(0))];
        let said = halves.map(|(learned, met)| {
            let known = self.likeness(network, population, &learned);
            let weights = *people.weights_of_another_day();
            let scorer = self.scorer(network, &[&known], cohort, weights).ok()?;
            Some(said_by(&scorer, &met))
        });
        let [Some(one), Some(other)] = said else { return likeness };
        let fixations = one.1 + other.1;
        let rate = |i: usize| (one.0[i] + other.0[i]) / fixations;
        likeness.with_usual((fixations > 0.0).then(|| std::array::from_fn(rate)))
    }

    fn reading_scorer(
        &self,
        readers: &[&Likeness],
        cohort: &[Template],
    ) -> Result<Option<PopulationScorer>, TemplateError> {
        let Some(background) = &self.reading else { return Ok(None) };
        let missing =
            TemplateError::Length { part: "templates", found: 0, expected: readers.len() };
        let templates: Option<Vec<Template>> =
            readers.iter().map(|likeness| likeness.reading.clone()).collect();
        background.scorer_among(&templates.ok_or(missing)?, cohort).map(Some)
    }

    /// Scores of readers in probes of other days, held against imagined readers.
    ///
    /// # Errors
    /// If a likeness does not belong to this community.
    pub fn scorer(
        &self,
        network: &Arc<Network>,
        readers: &[&Likeness],
        cohort: &[Template],
        weights: Weights,
    ) -> Result<FusionScorer, TemplateError> {
        let valid = |likeness: &&&Likeness| likeness.signature.is_valid(network);
        if !self.ground.fits(network) || readers.iter().filter(valid).count() < readers.len() {
            return Err(TemplateError::NotFinite { part: "sights" });
        }
        let signatures: Vec<Signature> = readers.iter().map(|l| l.signature.clone()).collect();
        let (network, ground) = (Arc::clone(network), Arc::new(self.ground.clone()));
        let reading = self.reading_scorer(readers, cohort)?;
        let scorer = FusionScorer::new(reading, network, ground, &signatures, false, weights);
        Ok(scorer.with_usual(usual(readers)))
    }

    /// The readers of `training`, given as they are kept, learned from either half of what they read
    /// too, with how much each voice counts.
    ///
    /// # Errors
    /// If the monitor says stop, or a likeness does not belong to this community.
    pub fn fitted(
        &self,
        people: &People,
        population: Option<&Population>,
        readers: &[&Likeness],
        training: &Training<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError> {
        let cohort = population.map_or_else(Vec::new, Population::cohort);
        let reading = self.reading_scorer(readers, &cohort).map_err(|_| FitError::NoWords(0))?;
        let voices = self.ground.voices(reading.is_some());
        let fit = VoiceFit { people, voices: &voices, training, usual: &usual(readers) };
        let reading = match (reading, population) {
            (Some(scorer), Some(population)) => {
                Some(ReadingFit { scorer, halves: population.halves(training, monitor)? })
            }
            _ => None,
        };
        fit.fit(reading, Some(Arc::new(self.ground.clone())), monitor)
    }
}

/// What readings say for the one reader of a scorer, some at a time, with their fixations.
fn said_by(scorer: &FusionScorer, readings: &[&Reading]) -> ([f64; GROUNDS], f64) {
    let (mut said, mut fixations) = ([0.0; GROUNDS], 0.0);
    let mut probe = Tally::default();
    for (number, reading) in readings.iter().enumerate() {
        probe = Tally::total([&probe, &scorer.tally(&scorer.probe(reading))]);
        if probe.fixations() < ENOUGH && number + 1 < readings.len() {
            continue;
        }
        let claims = scorer.claims(&probe).unwrap_or_default();
        if let Some(claim) = claims.first() {
            said.iter_mut().zip(claim.grounds).for_each(|(sum, ground)| *sum += ground);
            fixations += probe.fixations() as f64;
        }
        probe = Tally::default();
    }
    (said, fixations)
}
