//! How cost grows with readers, fixations and threads.

use gazeprint::method::{Method, Unwatched, population};
use gazeprint::score::Scorer;
use gazeprint::search::{Row, scores};
use gazeprint::template::Probe;
use serde::Serialize;

use super::readers::{Many, Readers};
use super::{Bench, median_seconds};

/// Parts of the readers and of the texts to learn from.
const PARTS: [usize; 4] = [8, 4, 2, 1];
/// The fewest readers to learn a population from.
const FEWEST: usize = 4;
/// Readers where texts and threads vary.
const SOME: usize = 64;
/// The most readers that are scored in full.
const MOST_SCORED: usize = 10_000;
/// Readers that are scored where fixations and threads vary.
const SCORED: usize = 1000;
const TIMES: usize = 5;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    series: Vec<Series>,
}

/// Seconds that something takes, by what varies.
#[derive(Debug, Serialize)]
struct Series {
    what: &'static str,
    by: &'static str,
    points: Vec<(usize, f64)>,
    /// Of the power of what varies that seconds grow with; none of a single point.
    exponent: Option<f64>,
}

impl Series {
    fn of(what: &'static str, by: &'static str, points: Vec<(usize, f64)>) -> Self {
        let logs: Vec<(f64, f64)> =
            points.iter().map(|(n, s)| ((*n as f64).ln(), s.ln())).collect();
        let mean =
            |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
        let (x, y) = (mean(|l| l.0), mean(|l| l.1));
        let covariance: f64 = logs.iter().map(|l| (l.0 - x) * (l.1 - y)).sum();
        let variance: f64 = logs.iter().map(|l| (l.0 - x).powi(2)).sum();
        Self { what, by, points, exponent: (variance > 0.0).then_some(covariance / variance) }
    }

    fn text(&self) -> String {
        let points: Vec<String> =
            self.points.iter().map(|(n, s)| format!("{n}: {}", duration(*s))).collect();
        let exponent = self.exponent.map_or_else(|| "-".to_owned(), |e| format!("{e:.2}"));
        format!("{:<22} {:<21} {exponent:>8}  {}\n", self.what, self.by, points.join(", "))
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.2} ms", 1e3 * seconds) } else { format!("{seconds:.2} s") }
}

/// Powers of ten from one to another, and the other.
fn powers(from: usize, to: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(from), |n| n.checked_mul(10));
    powers.take_while(|n| *n < to).chain([to]).collect()
}

fn first(numbers: usize) -> Vec<usize> {
    (0..numbers).collect()
}

/// Seconds to learn the first readers from one text of so many.
fn learning(bench: &Bench, readers: usize, part: usize) -> anyhow::Result<f64> {
    let fitted = population().fit(&bench.training(readers, part)?, 1, &Unwatched)?;
    Ok(fitted.report.fit_seconds)
}

/// Seconds by the number of threads.
fn by_threads(
    seconds: impl Fn() -> anyhow::Result<f64> + Send + Sync,
) -> anyhow::Result<Vec<(usize, f64)>> {
    let most = rayon::current_num_threads();
    let counts = (1..=most).filter(|n| n.is_power_of_two() || *n == most);
    let point = |count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        Ok((count, pool.install(&seconds)?))
    };
    counts.map(point).collect()
}

pub(super) fn measure(
    bench: &Bench,
    readers: &Readers,
    many: &Many,
    say: impl Fn(&str),
) -> anyhow::Result<Report> {
    let mut series = Vec::new();
    say("scaling: learning");
    let mut counts = PARTS.map(|part| (bench.readers / part).max(FEWEST)).to_vec();
    counts.dedup();
    let by_readers = |count: usize| Ok((count, learning(bench, count, 1)?));
    let points: anyhow::Result<_> = counts.into_iter().map(by_readers).collect();
    series.push(Series::of("learning", "readers", points?));
    let some = bench.readers.min(SOME);
    let by_fixations = |part: usize| {
        let fixations: usize = bench.some(some, part).map(|r| r.events.len()).sum();
        Ok((fixations / some, learning(bench, some, part)?))
    };
    let points: anyhow::Result<_> = PARTS.into_iter().map(by_fixations).collect();
    series.push(Series::of("learning", "fixations of a reader", points?));
    let points = by_threads(|| learning(bench, some, 1))?;
    series.push(Series::of("learning", "threads", points));
    say("scaling: comparing");
    let scored = |gallery: &dyn Scorer, probe: &Probe| -> f64 {
        median_seconds(TIMES, || gallery.scores(probe))
    };
    let nobody = readers.background.scorer(&[])?;
    let sentences: Vec<Probe> = bench.of(0).map(|r| nobody.probe(r)).collect();
    let whole = Probe::merged(&sentences);
    let gallery = |count: usize| readers.background.scorer(&readers.templates(&first(count)));
    let by_readers = |count: usize| Ok((count, scored(&gallery(count)?, &whole)));
    let counts = powers(100, many.rows.len().min(MOST_SCORED));
    let points: anyhow::Result<_> = counts.into_iter().map(by_readers).collect();
    series.push(Series::of("full scores", "readers", points?));
    let gallery = gallery(SCORED)?;
    let by_fixations = |part: usize| {
        let probe = Probe::merged(&sentences[..sentences.len().div_ceil(part)]);
        (probe.fixations(), scored(&gallery, &probe))
    };
    let points = PARTS.into_iter().map(by_fixations).collect();
    series.push(Series::of("full scores", "fixations of a probe", points));
    let points = by_threads(|| Ok(scored(&gallery, &whole)))?;
    series.push(Series::of("full scores", "threads", points));
    say("scaling: searching");
    let query = many.query(&whole);
    let searched = |rows: &[Row]| median_seconds(TIMES, || scores(rows, &query));
    let counts = powers(1000, many.rows.len());
    let points = counts.into_iter().map(|count| (count, searched(&many.rows[..count]))).collect();
    series.push(Series::of("search", "readers", points));
    series.push(Series::of("search", "threads", by_threads(|| Ok(searched(&many.rows)))?));
    Ok(Report { series })
}

impl Report {
    pub(super) fn text(&self) -> String {
        let rows: String = self.series.iter().map(Series::text).collect();
        format!(
            "scaling: seconds grow with the power `exponent` of what varies\n\
             {:<22} {:<21} {:>8}\n{rows}",
            "what", "by", "exponent"
        )
    }
}
