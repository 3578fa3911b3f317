//! Readers as galleries keep them, by voice.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ground::{Ground, Signature, Wanted};
use super::method::{VoiceFit, voices_of};
use super::people::People;
use super::scorer::FusionScorer;
use super::weights::Weights;
use crate::admission::Admission;
use crate::method::{
    Background, FitError, Fitted, Monitor, Occasion, Population, PopulationScorer, Template,
    TemplateError, Training,
};
use crate::network::Network;
use crate::saccade::Reading;

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
        Self { reading: Some(template), signature: Signature::default() }
    }
}

impl Likeness {
    /// What words say of a reader, where they are known.
    pub fn template(&self) -> Option<&Template> {
        self.reading.as_ref()
    }
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

    /// How somebody is taken for a reader of it on another day, where people showed that.
    pub fn admission<'a>(&self, people: &'a People) -> Option<&'a Admission> {
        people.admission(Occasion::Another, &self.ground).filter(|_| self.has_grounds())
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
        }
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
        Ok(FusionScorer::new(reading, network, ground, &signatures, false, weights))
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
        let fit = VoiceFit { people, voices: &voices, training };
        fit.fit(population, reading, Some(Arc::new(self.ground.clone())), monitor)
    }
}
