//! Search among very many readers, drawn from the population.

use anyhow::Context;
use gazeprint::gallery::Gallery;
use gazeprint::method::{Background, Population, Slopes, Template, Unwatched};
use gazeprint::random::Stream;
use gazeprint::saccade::Reading;
use gazeprint::search::{Hit, Index, Query, Row, Space};
use gazeprint::template::Probe;
use rayon::prelude::*;
use serde::Serialize;

use super::{Bench, median_seconds, sum_seconds, timed};

/// Readers drawn, and fixations, that the space of rows is learned from.
const LEARNED_READERS: usize = 1024;
const LEARNED_FIXATIONS: usize = 4096;
/// Candidates that are scored in full.
const CANDIDATES: usize = 1000;
/// Readers drawn at a time.
const BATCH: usize = 4096;
/// Readers up to which the best are also looked for by scoring all, for so many probes.
const MOST_SCORED: usize = 100_000;
const SCORED_PROBES: usize = 16;
const TIMES: usize = 7;

/// The population of a corpus.
pub(super) struct Readers {
    pub(super) population: Population,
    pub(super) background: Background,
}

impl Readers {
    pub(super) fn learn(bench: &Bench) -> anyhow::Result<Self> {
        let readings: Vec<(usize, &Reading)> = bench.train.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(bench.readers, &readings, &Unwatched)?;
        let background = population.background();
        Ok(Self { population, background })
    }

    /// The readers of the corpus.
    pub(super) fn enrolled(&self, bench: &Bench) -> Vec<Template> {
        let of = |reader: usize| -> Vec<&Reading> {
            bench.train.iter().filter(|r| r.reader == reader).collect()
        };
        (0..bench.readers).into_par_iter().map(|r| self.population.template(&of(r))).collect()
    }

    /// A reader who might exist.
    fn imagined(&self, number: usize) -> Template {
        self.population.imagined(Stream { seed: 1, index: number as u64 })
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Report {
    readers: usize,
    /// Fixations of a probe, on average.
    fixations: f64,
    probes: usize,
    /// To draw readers and to make their rows.
    rows_seconds: f64,
    row_mib: f64,
    coarse_mib: f64,
    /// Over all rows, for one probe.
    search_seconds: f64,
    /// Of a plain sum over the rows.
    sum_seconds: f64,
    /// The one by the other.
    bandwidth: f64,
    /// Over all rows, for each of several probes at once.
    together_seconds: f64,
    coarse_seconds: f64,
    /// How many times faster.
    coarse_speed: f64,
    /// To score the candidates in full, their templates at hand.
    rescore_seconds: f64,
    /// Probes whose best reader is the one found by a search over all rows and a full score of the
    /// candidates, if coarse rows choose these.
    coarse_recall: f64,
    /// Of some of the probes, those whose best reader of all, every one scored in full, is found; none
    /// where there are too many to score.
    exact: Option<f64>,
    /// Probes that find the reader who made them.
    accuracy: f64,
}

/// Everything that is searched.
struct Many<'a> {
    readers: &'a Readers,
    enrolled: Vec<Template>,
    slopes: Slopes,
    space: Space,
    index: Index,
}

pub(super) fn measure(bench: &Bench, count: usize, say: impl Fn(&str)) -> anyhow::Result<Report> {
    let readers = Readers::learn(bench)?;
    say(&format!("search: drawing {count} readers"));
    let (many, rows_seconds) = timed(|| Many::new(bench, &readers, count));
    let many = many?;
    let nobody = readers.background.gallery(&[])?;
    let probes: Vec<(usize, Probe)> = (0..bench.readers)
        .map(|reader| {
            let probes: Vec<Probe> = bench.of(reader).map(|r| nobody.probe(r)).collect();
            (reader, Probe::merged(&probes))
        })
        .collect();
    let query = |probe: &Probe| many.space.query(&many.slopes.slope(probe), probe.fixations());
    let queries: Vec<Query> = probes.iter().map(|(_, probe)| query(probe)).collect();
    say("search: searching");
    let search_seconds = median_seconds(TIMES, || many.index.search(&queries[..1], CANDIDATES));
    let sum_seconds = sum_seconds(TIMES, many.index.rows().as_flattened());
    let together = &queries[..queries.len().min(8)];
    let together_seconds = median_seconds(3, || many.index.search(together, CANDIDATES));
    let coarse_seconds =
        median_seconds(TIMES, || many.index.search_coarsely(&queries[0], CANDIDATES, CANDIDATES));
    let found: Vec<Found> = probes
        .iter()
        .zip(&queries)
        .map(|((_, probe), query)| many.find(probe, query))
        .collect::<anyhow::Result<_>>()?;
    let share = |right: usize| right as f64 / probes.len() as f64;
    let exact = if count <= MOST_SCORED {
        say("search: scoring all");
        Some(many.best_of_all(&probes[..probes.len().min(SCORED_PROBES)])?)
    } else {
        None
    };
    let right = |of: &dyn Fn(usize) -> bool| share((0..probes.len()).filter(|i| of(*i)).count());
    let candidates = many.templates(&many.index.search(&queries[..1], CANDIDATES)[0]);
    let candidates = readers.background.gallery(&candidates)?;
    let [row_bytes, coarse_bytes] = many.index.bytes();
    let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    Ok(Report {
        readers: many.index.len(),
        fixations: probes.iter().map(|(_, p)| p.fixations()).sum::<usize>() as f64
            / probes.len() as f64,
        probes: probes.len(),
        rows_seconds,
        row_mib: mib(row_bytes),
        coarse_mib: mib(coarse_bytes),
        search_seconds,
        sum_seconds,
        bandwidth: sum_seconds / search_seconds,
        together_seconds: together_seconds / together.len() as f64,
        coarse_seconds,
        coarse_speed: search_seconds / coarse_seconds,
        rescore_seconds: median_seconds(TIMES, || candidates.scores(&probes[0].1)),
        coarse_recall: right(&|i| found[i].coarsely == found[i].best),
        exact: exact.map(|exact| {
            let same = exact.iter().zip(&found).filter(|(best, found)| **best == found.best);
            same.count() as f64 / exact.len() as f64
        }),
        accuracy: right(&|i| found[i].best == probes[i].0),
    })
}

/// The best reader for a probe.
struct Found {
    best: usize,
    /// Where coarse rows choose the candidates.
    coarsely: usize,
}

impl<'a> Many<'a> {
    /// The readers of the corpus, and then as many as are missing.
    fn new(bench: &Bench, readers: &'a Readers, count: usize) -> anyhow::Result<Self> {
        let slopes = readers.background.slopes();
        let nobody = readers.background.gallery(&[])?;
        let step = (bench.fixations() / LEARNED_FIXATIONS).max(1);
        let fixations = bench.train.iter().flat_map(|r| slopes.slopes(&nobody.probe(r)));
        let fixations: Vec<Vec<f64>> = fixations.step_by(step).take(LEARNED_FIXATIONS).collect();
        let vectors: Vec<Vec<f64>> = (0..LEARNED_READERS)
            .into_par_iter()
            .map(|number| slopes.vector(&readers.imagined(usize::MAX - number)))
            .collect();
        let space = Space::learn(&vectors, &fixations).context("readers do not differ")?;
        let enrolled = readers.enrolled(bench);
        let row = |template: &Template| space.row(&slopes.vector(template));
        let mut rows: Vec<Row> = enrolled.par_iter().map(row).collect();
        rows.reserve_exact(count.saturating_sub(rows.len()));
        while rows.len() < count {
            let numbers = rows.len()..(rows.len() + BATCH).min(count);
            rows.par_extend(numbers.into_par_iter().map(|number| row(&readers.imagined(number))));
        }
        Ok(Self { readers, enrolled, slopes, space, index: Index::new(rows) })
    }

    fn template(&self, reader: usize) -> Template {
        self.enrolled.get(reader).cloned().unwrap_or_else(|| self.readers.imagined(reader))
    }

    fn templates(&self, hits: &[Hit]) -> Vec<Template> {
        hits.par_iter().map(|hit| self.template(hit.reader)).collect()
    }

    fn find(&self, probe: &Probe, query: &Query) -> anyhow::Result<Found> {
        let best = |hits: &[Hit]| -> anyhow::Result<usize> {
            let scores = self.readers.background.gallery(&self.templates(hits))?.scores(probe);
            let best = (0..hits.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
            Ok(best.map_or(usize::MAX, |best| hits[best].reader))
        };
        Ok(Found {
            best: best(&self.index.search(std::slice::from_ref(query), CANDIDATES)[0])?,
            coarsely: best(&self.index.search_coarsely(query, CANDIDATES, CANDIDATES))?,
        })
    }

    /// The best of all readers for every probe, each scored in full.
    fn best_of_all(&self, probes: &[(usize, Probe)]) -> anyhow::Result<Vec<usize>> {
        let mut best = vec![(f64::NEG_INFINITY, usize::MAX); probes.len()];
        for start in (0..self.index.len()).step_by(BATCH) {
            let numbers = start..(start + BATCH).min(self.index.len());
            let templates: Vec<Template> =
                numbers.into_par_iter().map(|number| self.template(number)).collect();
            let gallery = self.readers.background.gallery(&templates)?;
            for ((_, probe), best) in probes.iter().zip(&mut best) {
                for (i, score) in gallery.scores(probe).into_iter().enumerate() {
                    if score > best.0 {
                        *best = (score, start + i);
                    }
                }
            }
        }
        Ok(best.into_iter().map(|(_, reader)| reader).collect())
    }
}

impl Report {
    pub(super) fn text(&self) -> String {
        let exact = self.exact.map_or_else(String::new, |exact| {
            format!(
                "the best of all, every reader scored in full: {exact:.4} of {} probes find it\n",
                self.probes.min(SCORED_PROBES)
            )
        });
        format!(
            "searching {} readers, {} probes of {:.0} fixations\n\
             rows {:.0} MiB, coarse rows {:.0} MiB, made in {:.1} s\n\
             all rows      {:>9.2} ms, {:.2} of the speed of a plain sum over them ({:.2} ms)\n\
             several probes{:>9.2} ms each\n\
             coarse rows   {:>9.2} ms, {:.1} times faster; {:.4} of the probes find the same best\n\
             full scores   {:>9.2} ms for the {CANDIDATES} candidates\n{exact}\
             {:.4} of the probes find the reader who made them\n",
            self.readers,
            self.probes,
            self.fixations,
            self.row_mib,
            self.coarse_mib,
            self.rows_seconds,
            1e3 * self.search_seconds,
            self.bandwidth,
            1e3 * self.sum_seconds,
            1e3 * self.together_seconds,
            1e3 * self.coarse_seconds,
            self.coarse_speed,
            self.coarse_recall,
            1e3 * self.rescore_seconds,
            self.accuracy
        )
    }
}
