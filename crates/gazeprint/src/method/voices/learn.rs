//! People, learned from corpora.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::Voice;
use super::ground::embedded;
use super::method::{fusion, voices_of};
use super::motion::MotionSpread;
use super::people::{LearnedEmbedding, People, PeopleOrigin};
use super::weights::Weights;
use crate::method::{DayShares, Method as _, Occasion, Population, Training, Unwatched};
use crate::network::Scaling;
use crate::saccade::Reading;
use crate::sight::{PriorSpread, Seen, Sight, Spread, SpreadParams, session_share};
use rayon::prelude::*;

/// How much of what differs between people differs between days, where nobody came twice: what people
/// of GazeBase showed whom no network had seen.
const USUAL_SHARE: f64 = 0.3;
/// Days of people who came again that it counts for.
const USUAL_DAYS: f64 = 30.0;
/// Fewest people who came twice from whom weights of voices are learned.
const FEWEST_TWICE: usize = 10;
/// Distance of the numbers of people of one corpus and the next.
const NEXT: usize = 1 << 20;

/// What was read in a corpus.
pub struct LearnedCorpus {
    /// The readings.
    pub readings: Vec<Reading>,
    /// By reader: whether they had a part in training the network. What it makes of the others shows
    /// how people differ whom it never met.
    pub trained: Vec<bool>,
}

impl LearnedCorpus {
    /// Whether the network was trained with the reader of a reading.
    fn has_trained(&self, reading: &Reading) -> bool {
        self.trained.get(reading.reader).copied().unwrap_or(false)
    }
}

impl People {
    /// The same network, with spreads learned from corpora: those of embeddings from people it never
    /// met, those of the eye's motion and of reading from all who came twice. Where those of embeddings
    /// are too few, they stay; where nobody came twice, days are as usual.
    pub fn relearned(&self, origin: PeopleOrigin, corpora: &[LearnedCorpus]) -> Self {
        let embedding = self.embedding_of(corpora).unwrap_or_else(|| self.embedding().clone());
        let motions: Vec<(usize, &Reading)> = corpora
            .iter()
            .enumerate()
            .flat_map(|(number, corpus)| {
                corpus.readings.iter().map(move |r| (number * NEXT + r.reader, r))
            })
            .filter(|(_, reading)| !reading.motions.is_empty())
            .collect();
        let seen: Vec<(DayShares, f64)> = corpora.iter().filter_map(days_of).collect();
        let (motion, shares) = (MotionSpread::learn(&motions), DayShares::mean(&seen));
        let people = self.with(origin, embedding, motion, *self.weights(), shares);
        let weights = people.weights_of_days(corpora);
        people.with_day_weights(weights)
    }

    /// How much voices count from one day to the next, from people who came twice and whom the network
    /// never met: of each the first two days, either of which is compared with the other.
    fn weights_of_days(&self, corpora: &[LearnedCorpus]) -> Option<Weights> {
        let people = Arc::new(self.clone());
        let learned: Vec<(Weights, Vec<Voice>, f64)> = corpora
            .iter()
            .filter_map(|corpus| {
                let (readers, readings) = twice(corpus);
                let training = Training::new(readers, readings).ok()?;
                let training = training.for_probes_of(Occasion::Another);
                let voices = voices_of(&people, &Voice::ALL, training.readings()).ok()?;
                let fitted = fusion(Arc::clone(&people)).fit(&training, 0, &Unwatched).ok()?;
                Some((fitted.weights, voices, readers as f64))
            })
            .collect();
        Weights::mean(*self.weights(), &learned)
    }

    fn embedding_of(&self, corpora: &[LearnedCorpus]) -> Option<LearnedEmbedding> {
        let network = self.network();
        let len = network.len();
        let mut pooled: Option<(PriorSpread, [f64; 2])> = None;
        let mut shares = Vec::new();
        let mut centre = Sight::default();
        for (number, corpus) in corpora.iter().enumerate() {
            let readings: Vec<&Reading> =
                corpus.readings.iter().filter(|reading| !corpus.has_trained(reading)).collect();
            // Inputs are standardised by all readers of a corpus, as in a gallery of them.
            let scaling = Scaling::learn(corpus.readings.iter());
            let seen: Vec<Seen> = readings
                .par_iter()
                .map(|reading| Seen {
                    person: number * NEXT + reading.reader,
                    session: reading.session,
                    sight: embedded(network, &scaling, reading),
                })
                .collect();
            if let Some((learned, counts)) = PriorSpread::learn(len, &seen) {
                pooled = Some(match pooled {
                    None => (learned, counts),
                    Some((before, sums)) => {
                        let total = [sums[0] + counts[0], sums[1] + counts[1]];
                        (before.mixed(sums, &learned, counts), total)
                    }
                });
            }
            seen.iter().for_each(|one| centre.add(1.0, &one.sight));
            // Errors within a session are those of the corpus: texts are long here and short there.
            let own = Spread::learn(len, &seen, None, &SpreadParams::default());
            shares.extend(own.and_then(|own| session_share(&own, &seen)));
        }
        let (prior, _) = pooled?;
        let session_share = held_back(&shares);
        let scaling = Scaling::learn(corpora.iter().flat_map(|corpus| &corpus.readings));
        let mean = centre.mean()?;
        Some(LearnedEmbedding { scaling, mean, prior, session_share })
    }
}

/// What people whom the network never met read on their first two days, with their number; nothing where
/// they are too few.
fn twice(corpus: &LearnedCorpus) -> (usize, Vec<(usize, &Reading)>) {
    let mut days = BTreeMap::<usize, BTreeSet<usize>>::new();
    for reading in corpus.readings.iter().filter(|reading| !corpus.has_trained(reading)) {
        days.entry(reading.reader).or_default().insert(reading.session);
    }
    days.retain(|_, days| days.len() > 1);
    if days.len() < FEWEST_TWICE {
        return (0, Vec::new());
    }
    let place: BTreeMap<usize, usize> = days.keys().enumerate().map(|(i, r)| (*r, i)).collect();
    let early = |reading: &&Reading| {
        let days = days.get(&reading.reader);
        days.is_some_and(|days| days.iter().take(2).any(|day| *day == reading.session))
    };
    let readings = corpus.readings.iter().filter(early);
    (place.len(), readings.map(|reading| (place[&reading.reader], reading)).collect())
}

/// How readers of words differ from day to day in a corpus, with the number of days that they came
/// again; nothing where nobody did.
fn days_of(corpus: &LearnedCorpus) -> Option<(DayShares, f64)> {
    let read = corpus.readings.iter().filter(|reading| reading.has_words());
    let read: Vec<(usize, &Reading)> = read.map(|reading| (reading.reader, reading)).collect();
    let days: HashSet<(usize, usize)> = read.iter().map(|(who, r)| (*who, r.session)).collect();
    let people: HashSet<usize> = days.iter().map(|(who, _)| *who).collect();
    let again = days.len().checked_sub(people.len()).filter(|again| *again > 0)?;
    let (usual, readers) = (DayShares::default(), 1 + read.iter().map(|(who, _)| *who).max()?);
    let population = Population::learn(readers, &read, &usual, &Unwatched).ok()?;
    Some((population.day_shares()?, again as f64))
}

/// The mean of some shares, each with its number of days, held back to the usual one.
fn held_back(shares: &[(f64, f64)]) -> f64 {
    let days: f64 = shares.iter().map(|(_, days)| days).sum();
    let sum: f64 = shares.iter().map(|(share, days)| share * days).sum();
    (sum + USUAL_SHARE * USUAL_DAYS) / (days + USUAL_DAYS)
}
