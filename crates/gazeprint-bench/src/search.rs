//! Search among very many readers.

use gazeprint::score::Scorer;
use gazeprint::search::{Query, scores};
use gazeprint::template::Probe;
use gazeprint_recognition::CANDIDATES;
use serde::Serialize;

use crate::clock::{median_seconds, timed};
use crate::halves::Halves;
use crate::numbers::best;
use crate::readers::{Readers, SearchRows};
use crate::{BenchError, Part, Suite};

/// Readers up to which the best are also looked for by scoring all, for so many probes, so many readers
/// at a time.
const MOST_SCORED: usize = 100_000;
const SCORED_PROBES: usize = 16;
const SCORED_READERS: usize = 4096;
/// Shorter probes that one is cut into.
const PARTS: usize = 4;
const TIMES: usize = 15;

/// A search by rows, and full scores of the candidates that it leaves.
#[derive(Debug, Serialize)]
pub struct SearchTimes {
    /// Readers that are searched.
    pub readers: usize,
    /// Those that are scored in full.
    pub candidates: usize,
    /// To draw readers and to make their rows.
    pub rows_seconds: f64,
    /// What the rows take.
    pub row_mib: f64,
    /// Over all rows, for one probe.
    pub search_seconds: f64,
    /// To score the candidates in full, their templates at hand.
    pub rescore_seconds: f64,
    /// Probes of all test texts of a reader.
    pub whole: ProbeAccuracy,
    /// The same in parts.
    pub parts: ProbeAccuracy,
    /// None where there are too many readers to score.
    pub exact: Option<FullSearch>,
}

/// Whom some probes find: the best by full scores of the candidates.
#[derive(Debug, Serialize)]
pub struct ProbeAccuracy {
    /// How many.
    pub probes: usize,
    /// Of a probe, on average.
    pub fixations: f64,
    /// Probes that find the reader who made them.
    pub accuracy: f64,
}

/// Probes compared with all readers in full.
#[derive(Debug, Serialize)]
pub struct FullSearch {
    /// How many.
    pub probes: usize,
    /// Probes whose best reader of all is found among the candidates.
    pub recall: f64,
    /// For a probe, templates at hand.
    pub seconds: f64,
}

/// A probe with the reader who made it.
struct SignedProbe {
    reader: usize,
    probe: Probe,
    query: Query,
}

/// Readers to search among, and those of the corpus.
struct Crowd<'a> {
    readers: &'a Readers,
    rows: &'a SearchRows,
}

pub(crate) fn measure(suite: &Suite<'_>) -> Result<SearchTimes, BenchError> {
    let (halves, readers, rows) = (suite.halves()?, suite.readers()?, suite.rows()?);
    let crowd = Crowd { readers, rows };
    let whole = crowd.probes(halves, 1)?;
    let parts = crowd.probes(halves, PARTS)?;
    let Some(first) = whole.first() else {
        return Err(BenchError::Indistinct);
    };
    suite.step(Part::Search, "all rows");
    let search_seconds = median_seconds(TIMES, || scores(&rows.rows, &first.query));
    let candidates = crowd.candidates(&first.query);
    let scorer = readers.background.scorer(&readers.templates(&candidates))?;
    let rescore_seconds = median_seconds(TIMES, || scorer.scores(&first.probe));
    suite.step(Part::Search, "candidates");
    let best = crowd.found(&whole)?;
    let best_of_parts = crowd.found(&parts)?;
    let exact = if rows.rows.len() <= MOST_SCORED {
        suite.step(Part::Search, "all readers in full");
        let scored = whole.len().min(SCORED_PROBES);
        Some(crowd.search_in_full(&whole[..scored], &best)?)
    } else {
        None
    };
    Ok(SearchTimes {
        readers: rows.rows.len(),
        candidates: candidates.len(),
        rows_seconds: rows.seconds,
        row_mib: size_of_val(&rows.rows[..]) as f64 / f64::from(1 << 20),
        search_seconds,
        rescore_seconds,
        whole: ProbeAccuracy::new(&whole, &best),
        parts: ProbeAccuracy::new(&parts, &best_of_parts),
        exact,
    })
}

impl Crowd<'_> {
    /// What each reader of the corpus read to be tested with, in so many parts.
    fn probes(&self, halves: &Halves, parts: usize) -> Result<Vec<SignedProbe>, BenchError> {
        let nobody = self.readers.background.scorer(&[])?;
        let of_reader = |reader: usize| {
            let sentences = halves.probes(reader, &nobody);
            let signed =
                sentences.chunks(sentences.len().div_ceil(parts).max(1)).map(|sentences| {
                    let probe = Probe::merged(sentences);
                    SignedProbe { reader, query: self.rows.query(&probe), probe }
                });
            signed.collect::<Vec<_>>()
        };
        Ok((0..halves.readers).flat_map(of_reader).collect())
    }

    /// The readers whose rows say most for a query, ascending.
    fn candidates(&self, query: &Query) -> Vec<usize> {
        let scores = scores(&self.rows.rows, query);
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        order.truncate(CANDIDATES);
        order.sort_unstable();
        order
    }

    /// The best candidate for each probe, by full scores.
    fn found(&self, probes: &[SignedProbe]) -> Result<Vec<usize>, BenchError> {
        let found = probes.iter().map(|signed| {
            let candidates = self.candidates(&signed.query);
            let scorer = self.readers.background.scorer(&self.readers.templates(&candidates))?;
            let best = best(&scorer.scores(&signed.probe));
            Ok(best.map_or(usize::MAX, |best| candidates[best]))
        });
        found.collect()
    }

    /// Scores all readers for every probe.
    fn search_in_full(
        &self,
        probes: &[SignedProbe],
        found: &[usize],
    ) -> Result<FullSearch, BenchError> {
        let mut best = vec![(f64::NEG_INFINITY, usize::MAX); probes.len()];
        let mut seconds = 0.0;
        let count = self.rows.rows.len();
        for start in (0..count).step_by(SCORED_READERS) {
            let numbers: Vec<usize> = (start..count).take(SCORED_READERS).collect();
            let scorer = self.readers.background.scorer(&self.readers.templates(&numbers))?;
            for (signed, best) in probes.iter().zip(&mut best) {
                let (scores, taken) = timed(|| scorer.scores(&signed.probe));
                seconds += taken;
                for (i, score) in scores.into_iter().enumerate() {
                    if score > best.0 {
                        *best = (score, start + i);
                    }
                }
            }
        }
        Ok(FullSearch {
            probes: probes.len(),
            recall: share(best.len(), |i| best[i].1 == found[i]),
            seconds: seconds / probes.len() as f64,
        })
    }
}

fn share(of: usize, is_so: impl Fn(usize) -> bool) -> f64 {
    (0..of).filter(|i| is_so(*i)).count() as f64 / of as f64
}

impl ProbeAccuracy {
    fn new(probes: &[SignedProbe], best: &[usize]) -> Self {
        let fixations: usize = probes.iter().map(|signed| signed.probe.fixations()).sum();
        Self {
            probes: probes.len(),
            fixations: fixations as f64 / probes.len() as f64,
            accuracy: share(best.len(), |i| best[i] == probes[i].reader),
        }
    }
}
