//! People who are strangers to galleries of others: what admissions are learned from.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::community::{Community, Likeness};
use super::method::fusion;
use super::people::People;
use crate::admission::{Claim, Insider, Round, Trial};
use crate::method::{FitError, Method as _, Monitor, Occasion, Population, Training};
use crate::random::{Stream, stream};
use crate::saccade::Reading;
use crate::score::{ScoredReadings, Scorer as _};

/// Seed of how people and texts are divided.
const SEED: u64 = 1;
/// Fewest people of whom half are strangers to the others.
const FEWEST: usize = 16;
/// Fewest fixations of somebody who is enrolled, as galleries have it.
const FEWEST_FIXATIONS: usize = 100;
/// Texts of a probe; all that there are come last.
const SIZES: [usize; 6] = [1, 3, 5, 10, 20, usize::MAX];
/// Probes of one person and size, at most.
const MOST_PROBES: usize = 4;

/// The readings of a corpus, divided into what readers are learned from and what they are met by.
struct Divided<'a> {
    readings: Vec<&'a Reading>,
    /// By reading: whether somebody is learned from it.
    learned: Vec<bool>,
    people: Vec<usize>,
}

impl<'a> Divided<'a> {
    fn new(readings: &'a [Reading], occasion: Occasion) -> Self {
        let readings: Vec<&Reading> = readings.iter().filter(|r| r.has_words()).collect();
        let mut days = BTreeMap::<usize, BTreeSet<usize>>::new();
        for reading in &readings {
            days.entry(reading.reader).or_default().insert(reading.session);
        }
        let units: BTreeSet<usize> = readings.iter().map(|reading| reading.unit).collect();
        let mut units: Vec<usize> = units.into_iter().collect();
        units.shuffle(&mut Stream { seed: SEED, index: stream::TRIALS }.chain(0));
        units.truncate(units.len().div_ceil(2));
        let half: HashSet<usize> = units.into_iter().collect();
        let learned = readings
            .iter()
            .map(|reading| match (occasion, &days[&reading.reader]) {
                // Who came twice is learned on the first day, and met on others.
                (Occasion::Another, days) if days.len() > 1 => {
                    days.first() == Some(&reading.session)
                }
                _ => half.contains(&reading.unit),
            })
            .collect();
        let mut people: Vec<usize> = days.into_keys().collect();
        people.shuffle(&mut Stream { seed: SEED, index: stream::TRIALS }.chain(1));
        Self { readings, learned, people }
    }

    /// Readings of a person, by place: those to learn from, or those to meet them by.
    fn of(&self, person: usize, learned: bool) -> impl Iterator<Item = usize> {
        let is = move |&i: &usize| self.readings[i].reader == person && self.learned[i] == learned;
        (0..self.readings.len()).filter(is)
    }

    /// Of some people, those who read enough to be enrolled.
    fn enrolled(&self, people: &[usize]) -> Vec<usize> {
        let fixations = |person: &usize| -> usize {
            self.of(*person, true).map(|i| self.readings[i].fixations()).sum()
        };
        let read_enough = |person: &usize| fixations(person) >= FEWEST_FIXATIONS;
        people.iter().copied().filter(read_enough).collect()
    }

    /// Probes of a person with the texts that were asked for: of what somebody is met by, or of what is learned
    /// from.
    fn probes(&self, person: usize, learned: bool) -> Vec<(usize, Vec<usize>)> {
        let mut own: Vec<usize> = self.of(person, learned).collect();
        let index = stream::TRIALS + 2 + person as u64;
        own.shuffle(&mut Stream { seed: SEED, index }.chain(0));
        let sized = |size: usize| {
            let texts = size.min(own.len()).max(1);
            let is_there = size == usize::MAX || size <= own.len();
            let probes = own.chunks_exact(texts).take(if is_there { MOST_PROBES } else { 0 });
            probes.map(move |probe| (size, probe.to_vec())).collect::<Vec<_>>()
        };
        SIZES.into_iter().flat_map(sized).collect()
    }
}

impl People {
    /// Readings of a corpus whose people the network never met, as rounds of trials: one half of the people is
    /// enrolled, and the other half are strangers; then the other way round. Nothing where people are too few.
    ///
    /// # Errors
    /// If readers cannot be learned, or the monitor says stop.
    pub fn trials(
        self: &Arc<Self>,
        readings: &[Reading],
        occasion: Occasion,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Round>, FitError> {
        let divided = Divided::new(readings, occasion);
        if divided.people.len() < FEWEST {
            return Ok(Vec::new());
        }
        let (first, second) = divided.people.split_at(divided.people.len() / 2);
        let mut rounds = Vec::new();
        for (enrolled, strangers) in [(first, second), (second, first)] {
            rounds.extend(self.round(&divided, enrolled, strangers, occasion, monitor)?);
        }
        Ok(rounds)
    }

    /// The same, on another day, where readers are compared on what is known of these people alone, whose
    /// population it is. Nobody has a part in how others are compared then, so that everybody is enrolled, and
    /// a stranger to all others.
    ///
    /// # Errors
    /// If there is nothing that any voice could speak of.
    pub fn given_trials(
        &self,
        population: &Population,
        readings: &[Reading],
    ) -> Result<Vec<Round>, FitError> {
        let divided = Divided::new(readings, Occasion::Another);
        let enrolled = divided.enrolled(&divided.people);
        if enrolled.len() < FEWEST {
            return Ok(Vec::new());
        }
        let all: Vec<(usize, &Reading)> = divided.readings.iter().map(|r| (r.reader, *r)).collect();
        let community = Community::learn(self, Some(population), &all, true)?;
        let cohort = population.cohort();
        let likeness = |person: &usize| {
            let own: Vec<&Reading> =
                divided.of(*person, true).map(|i| divided.readings[i]).collect();
            community.likeness_among(self, Some(population), &cohort, &own)
        };
        let likenesses: Vec<Likeness> = enrolled.par_iter().map(likeness).collect();
        let scorer = community
            .scorer(
                self.network(),
                &likenesses.iter().collect::<Vec<_>>(),
                &cohort,
                *self.weights_of_another_day(),
            )
            .map_err(|_| FitError::NoWords(0))?;
        let all = 0..divided.readings.len();
        let scored = ScoredReadings::encode(&scorer, all, &divided.readings);
        let trials = divided.people.par_iter().flat_map_iter(|&person| {
            let own = enrolled.iter().position(|enrolled| *enrolled == person);
            let (scored, scorer) = (&scored, &scorer);
            divided.probes(person, false).into_iter().flat_map(move |(texts, probe)| {
                let tally = scored.tally(&probe);
                let mut claims = scorer.claims(&tally).unwrap_or_default();
                let mut scores = scorer.settle(&tally);
                let trial = |claims: Vec<Claim>, best, own| Trial {
                    person,
                    texts,
                    fixations: tally.fixations(),
                    claims,
                    best,
                    own,
                };
                let genuine = own.filter(|_| !claims.is_empty()).map(|own| {
                    scores.remove(own);
                    trial(vec![claims.remove(own)], 0, Some(0))
                });
                let best = (0..claims.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
                [genuine, best.map(|best| trial(claims, best, None))].into_iter().flatten()
            })
        });
        let trials: Vec<Trial> = trials.collect();
        let insiders = insiders(&divided, &enrolled, &scored);
        Ok(vec![Round { trials, insiders }])
    }

    fn round(
        self: &Arc<Self>,
        divided: &Divided<'_>,
        enrolled: &[usize],
        strangers: &[usize],
        occasion: Occasion,
        monitor: &dyn Monitor,
    ) -> Result<Option<Round>, FitError> {
        let enrolled = divided.enrolled(enrolled);
        if enrolled.len() < FEWEST / 2 {
            return Ok(None);
        }
        let readings = enrolled.iter().enumerate().flat_map(|(place, person)| {
            divided.of(*person, true).map(move |i| (place, divided.readings[i]))
        });
        let training = Training::new(enrolled.len(), readings.collect())?.for_probes_of(occasion);
        let fitted = fusion(Arc::clone(self)).fit(&training, SEED, monitor)?;
        let all = 0..divided.readings.len();
        let scored = ScoredReadings::encode(&*fitted.scorer, all, &divided.readings);
        let own = enrolled.iter().enumerate().map(|(place, person)| (*person, Some(place)));
        let everybody: Vec<(usize, Option<usize>)> =
            own.chain(strangers.iter().map(|person| (*person, None))).collect();
        let trials = everybody.into_par_iter().flat_map_iter(|(person, own)| {
            let scored = &scored;
            divided.probes(person, false).into_iter().filter_map(move |(texts, probe)| {
                let tally = scored.tally(&probe);
                let claims = scored.scorer().claims(&tally)?;
                let scores = scored.scorer().settle(&tally);
                let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]))?;
                Some(Trial { person, texts, fixations: tally.fixations(), claims, best, own })
            })
        });
        let trials = trials.collect();
        let insiders = insiders(divided, &enrolled, &scored);
        Ok(Some(Round { trials, insiders }))
    }
}

/// What readers say for each other by what they are learned from.
fn insiders(
    divided: &Divided<'_>,
    enrolled: &[usize],
    scored: &ScoredReadings<'_>,
) -> Vec<Insider> {
    let insiders = enrolled.par_iter().enumerate().flat_map_iter(|(place, person)| {
        divided.probes(*person, true).into_iter().filter_map(move |(_, probe)| {
            let tally = scored.tally(&probe);
            let mut claims = scored.scorer().claims(&tally)?;
            claims.remove(place);
            Some(Insider { fixations: tally.fixations(), claims })
        })
    });
    insiders.collect()
}
