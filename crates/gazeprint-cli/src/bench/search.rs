//! Search among very many readers.

use gazeprint::score::Scorer;
use gazeprint::search::{Query, scores};
use gazeprint::template::Probe;
use serde::Serialize;

use super::readers::{Many, Readers};
use super::{Bench, median_seconds, timed};

/// Candidates that are scored in full.
const CANDIDATES: usize = 1000;
/// Readers up to which the best are also looked for by scoring all, for so many probes, so many readers
/// at a time.
const MOST_SCORED: usize = 100_000;
const SCORED_PROBES: usize = 16;
const SCORED_READERS: usize = 4096;
/// Shorter probes that one is cut into.
const PARTS: usize = 4;
const TIMES: usize = 15;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    readers: usize,
    /// To draw readers and to make their rows.
    rows_seconds: f64,
    row_mib: f64,
    /// Over all rows, for one probe.
    search_seconds: f64,
    /// To score the candidates in full, their templates at hand.
    rescore_seconds: f64,
    /// Probes of all test texts of a reader.
    whole: Found,
    /// The same in parts.
    parts: Found,
    /// None where there are too many readers to score.
    exact: Option<Exact>,
}

/// What is found for some probes: the best by full scores of the candidates.
#[derive(Debug, Serialize)]
struct Found {
    probes: usize,
    /// Of a probe, on average.
    fixations: f64,
    /// Probes that find the reader who made them.
    accuracy: f64,
}

/// Probes compared with all readers in full.
#[derive(Debug, Serialize)]
struct Exact {
    probes: usize,
    /// Probes whose best reader of all is found among the candidates.
    recall: f64,
    /// For a probe, templates at hand.
    seconds: f64,
}

/// A probe with the reader who made it.
struct Made {
    reader: usize,
    probe: Probe,
    query: Query,
}

pub(super) fn measure(
    bench: &Bench,
    readers: &Readers,
    many: &Many,
    say: impl Fn(&str),
) -> anyhow::Result<Report> {
    let whole = probes(bench, readers, many, 1)?;
    let parts = probes(bench, readers, many, PARTS)?;
    say("search: searching");
    let query = &whole[0].query;
    let search_seconds = median_seconds(TIMES, || scores(&many.rows, query));
    let candidates = candidates(many, query);
    let candidates = readers.background.scorer(&readers.templates(&candidates))?;
    let rescore_seconds = median_seconds(TIMES, || candidates.scores(&whole[0].probe));
    say("search: scoring candidates");
    let best = find(readers, many, &whole)?;
    let best_of_parts = find(readers, many, &parts)?;
    let exact = if many.rows.len() <= MOST_SCORED {
        say("search: scoring all");
        let scored = whole.len().min(SCORED_PROBES);
        Some(Exact::new(readers, many, &whole[..scored], &best)?)
    } else {
        None
    };
    Ok(Report {
        readers: many.rows.len(),
        rows_seconds: many.seconds,
        row_mib: size_of_val(&many.rows[..]) as f64 / f64::from(1 << 20),
        search_seconds,
        rescore_seconds,
        whole: Found::new(&whole, &best),
        parts: Found::new(&parts, &best_of_parts),
        exact,
    })
}

/// What each reader of the corpus read to be tested with, in so many parts.
fn probes(
    bench: &Bench,
    readers: &Readers,
    many: &Many,
    parts: usize,
) -> anyhow::Result<Vec<Made>> {
    let nobody = readers.background.scorer(&[])?;
    let of_reader = |reader: usize| {
        let sentences: Vec<Probe> = bench.of(reader).map(|r| nobody.probe(r)).collect();
        let made = sentences.chunks(sentences.len().div_ceil(parts).max(1)).map(|sentences| {
            let probe = Probe::merged(sentences);
            Made { reader, query: many.query(&probe), probe }
        });
        made.collect::<Vec<_>>()
    };
    Ok((0..bench.readers).flat_map(of_reader).collect())
}

/// The readers whose rows say most for a query, ascending.
fn candidates(many: &Many, query: &Query) -> Vec<usize> {
    let scores = scores(&many.rows, query);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order.truncate(CANDIDATES);
    order.sort_unstable();
    order
}

/// The best candidate for each probe, by full scores.
fn find(readers: &Readers, many: &Many, probes: &[Made]) -> anyhow::Result<Vec<usize>> {
    let best = probes.iter().map(|made| {
        let candidates = candidates(many, &made.query);
        let gallery = readers.background.scorer(&readers.templates(&candidates))?;
        let scores = gallery.scores(&made.probe);
        let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
        Ok(best.map_or(usize::MAX, |best| candidates[best]))
    });
    best.collect()
}

fn share(of: usize, is_so: impl Fn(usize) -> bool) -> f64 {
    (0..of).filter(|i| is_so(*i)).count() as f64 / of as f64
}

impl Found {
    fn new(probes: &[Made], best: &[usize]) -> Self {
        let fixations: usize = probes.iter().map(|made| made.probe.fixations()).sum();
        Self {
            probes: probes.len(),
            fixations: fixations as f64 / probes.len() as f64,
            accuracy: share(best.len(), |i| best[i] == probes[i].reader),
        }
    }

    fn text(&self) -> String {
        format!(
            "{:>5} probes of {:>4.0} fixations: {:.4} find who made them\n",
            self.probes, self.fixations, self.accuracy
        )
    }
}

impl Exact {
    /// Scores all readers for every probe.
    fn new(
        readers: &Readers,
        many: &Many,
        probes: &[Made],
        found: &[usize],
    ) -> anyhow::Result<Self> {
        let mut best = vec![(f64::NEG_INFINITY, usize::MAX); probes.len()];
        let mut seconds = 0.0;
        for start in (0..many.rows.len()).step_by(SCORED_READERS) {
            let numbers: Vec<usize> = (start..many.rows.len()).take(SCORED_READERS).collect();
            let gallery = readers.background.scorer(&readers.templates(&numbers))?;
            for (made, best) in probes.iter().zip(&mut best) {
                let (scores, taken) = timed(|| gallery.scores(&made.probe));
                seconds += taken;
                for (i, score) in scores.into_iter().enumerate() {
                    if score > best.0 {
                        *best = (score, start + i);
                    }
                }
            }
        }
        Ok(Self {
            probes: probes.len(),
            recall: share(best.len(), |i| best[i].1 == found[i]),
            seconds: seconds / probes.len() as f64,
        })
    }

    fn text(&self) -> String {
        format!(
            "{:>5} probes compared with all in full, {:.2} s each: {:.4} find the best of all by rows\n",
            self.probes, self.seconds, self.recall
        )
    }
}

impl Report {
    pub(super) fn text(&self) -> String {
        let exact = self.exact.as_ref().map_or_else(String::new, Exact::text);
        format!(
            "searching {} readers for the best {CANDIDATES}\n\
             rows {:.0} MiB, drawn and made in {:.1} s\n\
             all rows      {:>9.2} ms\n\
             full scores   {:>9.2} ms for the {CANDIDATES} candidates\n{}{}{exact}",
            self.readers,
            self.row_mib,
            self.rows_seconds,
            1e3 * self.search_seconds,
            1e3 * self.rescore_seconds,
            self.whole.text(),
            self.parts.text()
        )
    }
}
