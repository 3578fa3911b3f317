//! People, learned from corpora.

use std::collections::HashSet;

use super::ground::embedded;
use super::motion::MotionSpread;
use super::people::{LearnedEmbedding, People, PeopleOrigin};
use crate::method::{DayShares, Population, Unwatched};
use crate::network::Scaling;
use crate::saccade::Reading;
use crate::sight::{PriorSpread, Seen, Sight, Spread, SpreadParams, session_share};
use rayon::prelude::*;

/// How much of what differs between people differs between days, where nobody came twice: what people
/// of GazeBase showed whom no network had seen.
const USUAL_SHARE: f64 = 0.3;
/// Days of people who came again that it counts for.
const USUAL_DAYS: f64 = 30.0;
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
        self.with(origin, embedding, motion, *self.weights(), shares)
    }

    fn embedding_of(&self, corpora: &[LearnedCorpus]) -> Option<LearnedEmbedding> {
        let network = self.network();
        let len = network.len();
        let mut pooled: Option<(PriorSpread, [f64; 2])> = None;
        let mut shares = Vec::new();
        let mut centre = Sight::default();
        for (number, corpus) in corpora.iter().enumerate() {
            let unknown = |r: &&Reading| !corpus.trained.get(r.reader).copied().unwrap_or(false);
            let readings: Vec<&Reading> = corpus.readings.iter().filter(unknown).collect();
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
