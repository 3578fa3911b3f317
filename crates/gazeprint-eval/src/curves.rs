//! How accuracy and errors change with the amount of reading and the number of readers.

use gazeprint::decision::{ScoredReadings, cohort_ratios};
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::Reading;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::beginning::Beginning;
use crate::measures::{Claims, Rank, cmc, rank_one};
use crate::protocol::{Protocol, Split};

/// Parts of the test readings that are tried.
pub const FRACTIONS: [f64; 10] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
/// Parts for which the whole curve of errors is kept (the paper's).
pub const ERROR_FRACTIONS: [f64; 4] = [0.4, 0.6, 0.8, 1.0];
/// Seconds of reading that are tried.
pub const SECONDS: [f64; 8] = [2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 240.0];
/// Ranks of the cumulative match characteristic.
pub const RANKS: [usize; 3] = [1, 5, 10];
/// Numbers of readers that are tried, and random draws of each.
const READER_STEPS: usize = 8;
const READER_DRAWS: usize = 10;

/// What one split shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    /// Accuracy by part of the test readings, at [`FRACTIONS`].
    pub by_fraction: Vec<f64>,
    /// (readers, accuracy), with all test readings.
    pub by_readers: Vec<(usize, f64)>,
    /// Accuracy by seconds of reading, at [`SECONDS`]; none where half of the readers did not read
    /// that long.
    pub by_seconds: Vec<Option<f64>>,
    /// Part of the probes whose reader is among the first k, at [`RANKS`].
    pub cmc: Vec<f64>,
    /// The same by reader, of whom there is one probe.
    pub cmc_by_reader: Vec<Vec<f64>>,
    /// Claims by part of the test readings, at [`ERROR_FRACTIONS`].
    pub claims: Vec<Claims>,
}

impl Curves {
    /// The curves of a split.
    pub(crate) fn of(
        sentences: &ScoredReadings<'_>,
        protocol: &Protocol,
        number: usize,
        split: &Split,
        readings: &[Reading],
        fewest_readers: usize,
    ) -> Self {
        // One random order of a reader's test readings, of which every probe is a beginning.
        let orders: Vec<Vec<usize>> = split
            .test_by_reader()
            .iter()
            .zip(&split.readers)
            .flat_map(|(test, &reader)| protocol.probes(number, reader, test, test.len()))
            .collect();
        let at_fraction = |fraction: f64| -> Vec<Vec<f64>> {
            orders
                .par_iter()
                .map(|order| {
                    let n = (fraction * order.len() as f64).ceil().max(1.0) as usize;
                    sentences.score(&order[..n.min(order.len())])
                })
                .collect()
        };
        let all = at_fraction(1.0);
        let ranks: Vec<Rank> = all.iter().enumerate().map(|(r, s)| Rank::of(s, r)).collect();
        Self {
            by_fraction: FRACTIONS.iter().map(|&f| accuracy(&at_fraction(f))).collect(),
            by_readers: by_readers(&all, fewest_readers, protocol.seed_of(number)),
            by_seconds: SECONDS
                .iter()
                .map(|&s| by_seconds(sentences, &orders, readings, s))
                .collect(),
            cmc: cmc(&ranks, &RANKS),
            cmc_by_reader: ranks.iter().map(|rank| cmc(&[*rank], &RANKS)).collect(),
            claims: ERROR_FRACTIONS
                .iter()
                .map(|&f| {
                    let mut claims = Claims::default();
                    for (reader, scores) in at_fraction(f).iter().enumerate() {
                        claims.push(&cohort_ratios(scores), reader);
                    }
                    claims
                })
                .collect(),
        }
    }
}

/// Part of the readers ranked first, given the scores of one probe each.
fn accuracy(scores: &[Vec<f64>]) -> f64 {
    let right: f64 = scores.iter().enumerate().map(|(reader, s)| rank_one(s, reader)).sum();
    right / scores.len() as f64
}

/// Accuracy among random subsets of the readers, up to as many as every split has.
fn by_readers(scores: &[Vec<f64>], most: usize, seed: u64) -> Vec<(usize, f64)> {
    let total = scores.len();
    let mut sizes: Vec<usize> =
        (1..=READER_STEPS).map(|k| (k * most).div_ceil(READER_STEPS).max(2)).collect();
    sizes.dedup();
    let mut rng = Stream { seed, index: stream::SUBSETS }.chain(0);
    sizes
        .into_iter()
        .map(|size| {
            let draws = if size == total { 1 } else { READER_DRAWS };
            let mut sum = 0.0;
            for _ in 0..draws {
                let mut readers: Vec<usize> = (0..total).collect();
                readers.shuffle(&mut rng);
                readers.truncate(size);
                let among: Vec<Vec<f64>> = readers
                    .iter()
                    .map(|&reader| readers.iter().map(|&r| scores[reader][r]).collect())
                    .collect();
                sum += accuracy(&among);
            }
            (size, sum / f64::from(draws as u32))
        })
        .collect()
}

/// Accuracy after so many seconds of fixations.
fn by_seconds(
    sentences: &ScoredReadings<'_>,
    orders: &[Vec<usize>],
    readings: &[Reading],
    seconds: f64,
) -> Option<f64> {
    let results: Vec<f64> = orders
        .par_iter()
        .enumerate()
        .filter_map(|(reader, order)| {
            let Beginning { whole, part } = Beginning::of(order, readings, seconds)?;
            Some(rank_one(&sentences.score_with(whole, &part), reader))
        })
        .collect();
    (2 * results.len() >= orders.len()).then(|| results.iter().sum::<f64>() / results.len() as f64)
}
