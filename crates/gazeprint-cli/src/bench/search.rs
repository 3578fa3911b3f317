//! Search among very many readers.

use std::hint::black_box;

use gazeprint::score::Scorer;
use gazeprint::search::{Hit, Query};
use gazeprint::template::Probe;
use serde::Serialize;

use super::readers::{Many, Readers};
use super::{Bench, in_turns, median_seconds, read_once, timed};

/// Candidates that are scored in full.
pub(super) const CANDIDATES: usize = 1000;
/// Readers that coarse rows leave, to choose the candidates from.
pub(super) const LEFT: usize = 2 * CANDIDATES;
/// Probes that are searched for at once.
const TOGETHER: usize = 8;
/// Readers up to which the best are also looked for by scoring all, for so many probes, so many readers
/// at a time.
const MOST_SCORED: usize = 100_000;
const SCORED_PROBES: usize = 16;
const SCORED_READERS: usize = 4096;
/// Shorter probes that one is cut into.
const PARTS: usize = 4;
/// Strangers for each reader of the corpus, and the seed that they are drawn with.
const STRANGERS: usize = 3;
const STRANGERS_SEED: u64 = 2;
const TIMES: usize = 15;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    readers: usize,
    /// To draw readers and to make their rows.
    rows_seconds: f64,
    row_mib: f64,
    coarse_mib: f64,
    /// Over all rows, for one probe.
    search_seconds: f64,
    /// Of a plain sum over the rows.
    sum_seconds: f64,
    /// Of the memory that a plain sum reads.
    sum_gib_per_second: f64,
    /// The plain sum's time by the search's.
    bandwidth: f64,
    /// Over all rows, for each of several probes at once.
    together_seconds: f64,
    /// Over coarse rows, and over the rows of the readers that these leave.
    coarse_seconds: f64,
    /// How many times faster than over all rows.
    coarse_speed: f64,
    /// To score the candidates in full, their templates at hand.
    rescore_seconds: f64,
    /// Probes of all test texts of a reader.
    whole: Found,
    /// The same in parts.
    parts: Found,
    /// Probes like these of people who are nowhere else.
    strangers: Found,
    /// None where there are too many readers to score.
    exact: Option<Exact>,
}

/// What is found for some probes: the best by full scores of the candidates.
#[derive(Debug, Serialize)]
struct Found {
    probes: usize,
    /// Of a probe, on average.
    fixations: f64,
    /// Probes with the same best reader where coarse rows choose the candidates as where all rows do.
    coarse_recall: f64,
    /// Probes that find the reader who made them, where that is one of the readers.
    accuracy: Option<f64>,
}

/// Probes compared with all readers in full.
#[derive(Debug, Serialize)]
struct Exact {
    probes: usize,
    /// Probes whose best reader of all is found among the candidates of all rows, and of coarse rows.
    recall: f64,
    coarse_recall: f64,
    /// For a probe, templates at hand.
    seconds: f64,
}

/// The best readers for a probe: of the candidates that all rows choose, and of those of coarse rows.
#[derive(Debug, Clone, Copy)]
struct Best {
    by_rows: usize,
    coarsely: usize,
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
    let strangers = Bench::new(STRANGERS * bench.readers, STRANGERS_SEED)?;
    let strangers = probes(&strangers, readers, many, 1)?;
    say("search: searching");
    let index = &many.index;
    let queries: Vec<Query> = whole.iter().take(TOGETHER).map(|made| made.query).collect();
    let [sum_seconds, search_seconds, coarse_seconds, together_seconds] = in_turns(
        TIMES,
        [
            &mut || read_once(index.rows().as_flattened()),
            &mut || drop(black_box(index.search(&queries[..1], CANDIDATES))),
            &mut || drop(black_box(index.search_coarsely(&queries[0], CANDIDATES, LEFT))),
            &mut || drop(black_box(index.search(&queries, CANDIDATES))),
        ],
    );
    let candidates = numbers(&index.search(&queries[..1], CANDIDATES)[0]);
    let candidates = readers.background.scorer(&readers.templates(&candidates))?;
    let rescore_seconds = median_seconds(TIMES, || candidates.scores(&whole[0].probe));
    say("search: scoring candidates");
    let best = find(readers, many, &whole)?;
    let best_of_parts = find(readers, many, &parts)?;
    let best_of_strangers = find(readers, many, &strangers)?;
    let exact = if index.len() <= MOST_SCORED {
        say("search: scoring all");
        let scored = whole.len().min(SCORED_PROBES);
        Some(Exact::new(readers, many, &whole[..scored], &best)?)
    } else {
        None
    };
    let [row_bytes, coarse_bytes] = index.bytes();
    let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    Ok(Report {
        readers: index.len(),
        rows_seconds: many.seconds,
        row_mib: mib(row_bytes),
        coarse_mib: mib(coarse_bytes),
        search_seconds,
        sum_seconds,
        sum_gib_per_second: mib(row_bytes) / 1024.0 / sum_seconds,
        bandwidth: sum_seconds / search_seconds,
        together_seconds: together_seconds / queries.len() as f64,
        coarse_seconds,
        coarse_speed: search_seconds / coarse_seconds,
        rescore_seconds,
        whole: Found::new(&whole, &best).among_readers(&whole, &best),
        parts: Found::new(&parts, &best_of_parts).among_readers(&parts, &best_of_parts),
        strangers: Found::new(&strangers, &best_of_strangers),
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

fn numbers(hits: &[Hit]) -> Vec<usize> {
    hits.iter().map(|hit| hit.reader).collect()
}

fn find(readers: &Readers, many: &Many, probes: &[Made]) -> anyhow::Result<Vec<Best>> {
    let mut best = Vec::with_capacity(probes.len());
    for probes in probes.chunks(TOGETHER) {
        let queries: Vec<Query> = probes.iter().map(|made| made.query).collect();
        for (made, by_rows) in probes.iter().zip(many.index.search(&queries, CANDIDATES)) {
            let coarsely = many.index.search_coarsely(&made.query, CANDIDATES, LEFT);
            let (by_rows, coarsely) = (numbers(&by_rows), numbers(&coarsely));
            let mut both = [&by_rows[..], &coarsely].concat();
            both.sort_unstable();
            both.dedup();
            let gallery = readers.background.scorer(&readers.templates(&both))?;
            let scores = gallery.scores(&made.probe);
            let score = |number: &usize| both.binary_search(number).map_or(f64::NAN, |i| scores[i]);
            let of = |candidates: &[usize]| {
                let best = candidates.iter().max_by(|a, b| score(a).total_cmp(&score(b)));
                best.copied().unwrap_or(usize::MAX)
            };
            best.push(Best { by_rows: of(&by_rows), coarsely: of(&coarsely) });
        }
    }
    Ok(best)
}

fn share(of: usize, is_so: impl Fn(usize) -> bool) -> f64 {
    (0..of).filter(|i| is_so(*i)).count() as f64 / of as f64
}

impl Found {
    fn new(probes: &[Made], best: &[Best]) -> Self {
        let fixations: usize = probes.iter().map(|made| made.probe.fixations()).sum();
        Self {
            probes: probes.len(),
            fixations: fixations as f64 / probes.len() as f64,
            coarse_recall: share(best.len(), |i| best[i].coarsely == best[i].by_rows),
            accuracy: None,
        }
    }

    fn among_readers(self, probes: &[Made], best: &[Best]) -> Self {
        let accuracy = share(best.len(), |i| best[i].by_rows == probes[i].reader);
        Self { accuracy: Some(accuracy), ..self }
    }

    fn text(&self) -> String {
        let made = match self.accuracy {
            Some(accuracy) => format!("{accuracy:.4} who made them"),
            None => "made by strangers".to_owned(),
        };
        format!(
            "{:>5} probes of {:>4.0} fixations: {:.4} find the same best by coarse rows as by all, \
             {made}\n",
            self.probes, self.fixations, self.coarse_recall
        )
    }
}

impl Exact {
    /// Scores all readers for every probe.
    fn new(
        readers: &Readers,
        many: &Many,
        probes: &[Made],
        found: &[Best],
    ) -> anyhow::Result<Self> {
        let mut best = vec![(f64::NEG_INFINITY, usize::MAX); probes.len()];
        let mut seconds = 0.0;
        for start in (0..many.index.len()).step_by(SCORED_READERS) {
            let numbers: Vec<usize> = (start..many.index.len()).take(SCORED_READERS).collect();
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
            recall: share(best.len(), |i| best[i].1 == found[i].by_rows),
            coarse_recall: share(best.len(), |i| best[i].1 == found[i].coarsely),
            seconds: seconds / probes.len() as f64,
        })
    }

    fn text(&self) -> String {
        format!(
            "{:>5} probes compared with all in full, {:.2} s each: {:.4} find the best of all by all \
             rows, {:.4} by coarse ones\n",
            self.probes, self.seconds, self.recall, self.coarse_recall
        )
    }
}

impl Report {
    pub(super) fn text(&self) -> String {
        let exact = self.exact.as_ref().map_or_else(String::new, Exact::text);
        format!(
            "searching {} readers for the best {CANDIDATES}\n\
             rows {:.0} MiB, coarse rows {:.0} MiB, drawn and made in {:.1} s\n\
             plain sum     {:>9.2} ms, {:.1} GiB a second\n\
             all rows      {:>9.2} ms, {:.2} of the speed of the plain sum over them\n\
             several probes{:>9.2} ms each\n\
             coarse rows   {:>9.2} ms, {:.1} times faster than all rows\n\
             full scores   {:>9.2} ms for the {CANDIDATES} candidates\n{}{}{}{exact}",
            self.readers,
            self.row_mib,
            self.coarse_mib,
            self.rows_seconds,
            1e3 * self.sum_seconds,
            self.sum_gib_per_second,
            1e3 * self.search_seconds,
            self.bandwidth,
            1e3 * self.together_seconds,
            1e3 * self.coarse_seconds,
            self.coarse_speed,
            1e3 * self.rescore_seconds,
            self.whole.text(),
            self.strangers.text(),
            self.parts.text()
        )
    }
}
