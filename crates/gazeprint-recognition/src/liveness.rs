//! Is it a person who reads, or a template that is run forward?
//!
//! It is learned from the recordings that the gallery keeps: readers are learned from either half of them, and
//! forged on the other half.

use std::sync::Arc;

use gazeprint::decision::FEWEST_READERS;
use gazeprint::liveness::{Liveness, Statistics, statistics, threshold};
use gazeprint::method::{Forger, Occasion, PopulationScorer, Training, Unwatched};
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::{Reading, readings};
use rayon::prelude::*;
use serde::Serialize;

use crate::{Error, Recognizer, Stage};

/// Most readers that it is learned from: more cost time and change little.
const MOST_READERS: usize = 64;
/// Probes of people that a threshold takes: one in a hundred of them may be refused.
const FEWEST_PROBES: usize = 100;
/// Readings of a probe that thresholds are for.
const SIZES: [usize; 5] = [1, 3, 5, 10, 20];
const SEED: u64 = 1;

/// How alive a probe is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LivenessFinding {
    /// Whether a person seems to have read.
    pub alive: bool,
    /// What speaks for a person against a forgery, nats a reading.
    pub score: f64,
    /// The score at and above which a probe is alive.
    pub threshold: f64,
    /// The threshold is for probes of so many readings or more.
    pub readings: usize,
}

/// What a gallery knows of people and forgeries.
#[derive(Debug)]
pub(crate) struct LearnedLiveness {
    liveness: Liveness,
    /// By readings of a probe, ascending.
    thresholds: Vec<(usize, f64)>,
    generation: u64,
}

impl LearnedLiveness {
    /// Learns it; nothing where the gallery has too few readers, too few readings, or no words.
    fn learn(desk: &Recognizer) -> Result<Option<Self>, Error> {
        let held = desk.readers()?;
        let (n, generation) = (held.names.len(), held.generation());
        let most = n.min(MOST_READERS);
        let chosen: Vec<&str> = (0..most).map(|i| held.names[i * n / most].as_str()).collect();
        let recorded = desk.gallery().recordings_of(&chosen)?;
        let (population, ..) = desk.stored_learning()?.decoded()?;
        let Some(population) = population.filter(|_| recorded.len() >= FEWEST_READERS) else {
            return Ok(None);
        };
        let corpus = gazeprint_store::corpus("gallery", &recorded)?;
        let (mut read, _) = readings(&corpus, desk.limits());
        read.retain(Reading::has_words);
        let failed = |source| Error::of_fit("liveness", Stage::Rules, source);
        let numbered = read.iter().map(|reading| (reading.reader, reading)).collect();
        let Ok(training) = Training::new(recorded.len(), numbered) else { return Ok(None) };
        // Probes come on other days than those on which readers were enrolled.
        let training = training.for_probes_of(Occasion::Another);
        let halves = population.halves(&training, &Unwatched).map_err(failed)?;
        let (mut people, mut forgeries) = (vec![None; read.len()], Vec::new());
        for (half, (scorer, held_out)) in halves.iter().enumerate() {
            let looked: Vec<(usize, Option<Statistics>, Option<Statistics>)> = held_out
                .par_iter()
                .enumerate()
                .filter(|(_, held_out)| **held_out)
                .map(|(i, _)| {
                    let reading = &read[i];
                    let text = &corpus.texts()[reading.text];
                    let index = stream::ATTACKS + ((half as u64) << 28) + i as u64;
                    let drawn = Stream { seed: SEED, index };
                    let forged = scorer.forge(Some(reading.reader), text, desk.limits(), drawn);
                    let forged = forged
                        .and_then(|forged| reading.with_fixations(text, &forged, desk.limits()));
                    let forged = forged.and_then(|forged| look(scorer, reading.reader, &forged));
                    (i, look(scorer, reading.reader, reading), forged)
                })
                .collect();
            for (i, person, forged) in looked {
                people[i] = person;
                forgeries.extend(forged);
            }
        }
        let alive: Vec<Statistics> = people.iter().flatten().copied().collect();
        if alive.len() < FEWEST_PROBES {
            return Ok(None);
        }
        let learned = Liveness::learn(&alive, &forgeries);
        Ok(learned.map(|liveness| {
            let thresholds = SIZES.into_iter().filter_map(|size| {
                let mut scores = Vec::new();
                for reader in 0..recorded.len() {
                    let own = read.iter().zip(&people).filter(|(r, _)| r.reader == reader);
                    let own: Vec<&Statistics> = own.filter_map(|(_, of)| of.as_ref()).collect();
                    scores
                        .extend(own.chunks_exact(size).map(|p| liveness.score(p.iter().copied())));
                }
                let enough = size == SIZES[0] || scores.len() >= FEWEST_PROBES;
                Some((size, threshold(scores)?)).filter(|_| enough)
            });
            Self { thresholds: thresholds.collect(), liveness, generation }
        }))
    }

    /// The gallery that it was learned from.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// How alive a probe is; nothing where it has no reading with words.
    pub(crate) fn judge(&self, probe: &[Statistics]) -> Option<LivenessFinding> {
        let fits = self.thresholds.iter().rfind(|(size, _)| *size <= probe.len());
        let &(readings, threshold) = fits?;
        let score = self.liveness.score(probe);
        Some(LivenessFinding { alive: score >= threshold, score, threshold, readings })
    }
}

/// A reading in numbers, held against a reader; galleries keep no words.
fn look(scorer: &PopulationScorer, reader: usize, reading: &Reading) -> Option<Statistics> {
    Some(statistics(reading, &scorer.surprises(reader, reading)?, None))
}

/// A reading in numbers, held against the template of a reader; nothing where it has no words, or the reader no
/// template.
pub(crate) fn look_as(
    forger: Option<&dyn Forger>,
    reader: usize,
    reading: &Reading,
) -> Option<Statistics> {
    if !reading.has_words() {
        return None;
    }
    Some(statistics(reading, &forger?.surprises(reader, reading)?, None))
}

impl Recognizer {
    /// What tells people from forgeries, as it is learned from the readers as they are now.
    pub(crate) fn liveness(&self) -> Result<Arc<LearnedLiveness>, Error> {
        let generation = self.readers()?.generation();
        if let Some(known) = self.last_liveness(generation) {
            return Ok(known);
        }
        let learned = LearnedLiveness::learn(self)?;
        let learned = learned.ok_or_else(|| Error::NoLiveness { at: self.location().clone() })?;
        Ok(self.keep_liveness(learned))
    }
}
