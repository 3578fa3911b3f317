//! People, learned from corpora.

use super::ground::embedded;
use super::motion::MotionSpread;
use super::people::{LearnedEmbedding, People, PeopleOrigin};
use crate::network::Scaling;
use crate::saccade::Reading;
use crate::sight::{PriorSpread, Seen, SpreadParams, session_share};
use rayon::prelude::*;

/// How much of what differs between people differs between days, where nobody came twice: what people
/// of GazeBase showed whom no network had seen.
const USUAL_SHARE: f64 = 0.3;
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
    /// met, those of the eye's motion from all who came twice. Where these are too few, they stay.
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
        self.with(origin, embedding, MotionSpread::learn(&motions), *self.weights())
    }

    fn embedding_of(&self, corpora: &[LearnedCorpus]) -> Option<LearnedEmbedding> {
        let network = self.network();
        let len = network.len();
        let mut pooled: Option<(PriorSpread, [f64; 2])> = None;
        let mut seen_all = Vec::new();
        for (number, corpus) in corpora.iter().enumerate() {
            let unknown = |r: &&Reading| !corpus.trained.get(r.reader).copied().unwrap_or(false);
            let readings: Vec<&Reading> = corpus.readings.iter().filter(unknown).collect();
            // Inputs are standardised by all readers of a corpus, as in a gallery of them.
            let scaling = Scaling::learn(corpus.readings.iter());
            let mut seen: Vec<Seen> = readings
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
            seen_all.append(&mut seen);
        }
        let (prior, _) = pooled?;
        let spread = prior.spread(vec![0.0; len], &SpreadParams::default())?;
        let session_share = session_share(&spread, &seen_all).unwrap_or(USUAL_SHARE);
        Some(LearnedEmbedding { prior, session_share })
    }
}
