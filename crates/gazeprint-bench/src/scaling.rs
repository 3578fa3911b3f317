//! How cost grows with readers, fixations and threads.

use gazeprint::method::{DayShares, Method, Unwatched, population};
use gazeprint::score::Scorer;
use gazeprint::search::{Row, scores};
use gazeprint::template::Probe;
use serde::Serialize;

use crate::clock::median_seconds;
use crate::halves::Halves;
use crate::numbers::mean;
use crate::{BenchError, Part, Suite};

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

/// What cost grows with.
#[derive(Debug, Serialize)]
pub struct Scaling {
    /// One thing after another.
    pub series: Vec<Growth>,
}

/// Seconds that something takes, by what varies.
#[derive(Debug, Serialize)]
pub struct Growth {
    /// What takes them.
    pub what: &'static str,
    /// What varies.
    pub by: &'static str,
    /// How much of it there was, with the seconds.
    pub points: Vec<(usize, f64)>,
    /// Of the power of what varies that seconds grow with; none of a single point.
    pub exponent: Option<f64>,
}

impl Growth {
    fn of(what: &'static str, by: &'static str, points: Vec<(usize, f64)>) -> Self {
        let (x, y): (Vec<f64>, Vec<f64>) =
            points.iter().map(|(n, s)| ((*n as f64).ln(), s.ln())).unzip();
        let (x_mean, y_mean) = (mean(&x), mean(&y));
        let covariance: f64 = x.iter().zip(&y).map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
        let variance: f64 = x.iter().map(|x| (x - x_mean).powi(2)).sum();
        Self { what, by, points, exponent: (variance > 0.0).then_some(covariance / variance) }
    }
}

/// Powers of ten from one to another, and the other.
fn powers(from: usize, to: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(from), |n| n.checked_mul(10));
    powers.take_while(|n| *n < to).chain([to]).collect()
}

/// Seconds to learn the first readers from one text of so many.
fn learning(halves: &Halves, readers: usize, part: usize) -> Result<f64, BenchError> {
    let fitted =
        population(DayShares::default()).fit(&halves.training(readers, part)?, 1, &Unwatched)?;
    Ok(fitted.report.fit_seconds)
}

/// Seconds by the number of threads.
fn by_threads(
    seconds: impl Fn() -> Result<f64, BenchError> + Send + Sync,
) -> Result<Vec<(usize, f64)>, BenchError> {
    let most = rayon::current_num_threads();
    let counts = (1..=most).filter(|n| n.is_power_of_two() || *n == most);
    let point = |count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        Ok((count, pool.install(&seconds)?))
    };
    counts.map(point).collect()
}

pub(crate) fn measure(suite: &Suite<'_>) -> Result<Scaling, BenchError> {
    let mut series = Vec::from(of_learning(suite)?);
    series.extend(of_scores(suite)?);
    series.extend(of_search(suite)?);
    Ok(Scaling { series })
}

fn of_learning(suite: &Suite<'_>) -> Result<[Growth; 3], BenchError> {
    const WHAT: &str = "learning";
    suite.step(Part::Scaling, WHAT);
    let halves = suite.halves()?;
    let mut counts = PARTS.map(|part| (halves.readers / part).max(FEWEST)).to_vec();
    counts.dedup();
    let by_readers = |count: usize| Ok((count, learning(halves, count, 1)?));
    let by_readers: Result<_, BenchError> = counts.into_iter().map(by_readers).collect();
    let some = halves.readers.min(SOME);
    let by_fixations = |part: usize| {
        let fixations: usize = halves.some(some, part).map(|r| r.events.len()).sum();
        Ok((fixations / some, learning(halves, some, part)?))
    };
    let by_fixations: Result<_, BenchError> = PARTS.into_iter().map(by_fixations).collect();
    Ok([
        Growth::of(WHAT, "readers", by_readers?),
        Growth::of(WHAT, "fixations of a reader", by_fixations?),
        Growth::of(WHAT, "threads", by_threads(|| learning(halves, some, 1))?),
    ])
}

fn of_scores(suite: &Suite<'_>) -> Result<[Growth; 3], BenchError> {
    const WHAT: &str = "full scores";
    suite.step(Part::Scaling, WHAT);
    let (halves, readers, rows) = (suite.halves()?, suite.readers()?, suite.rows()?);
    let scored = |scorer: &dyn Scorer, probe: &Probe| -> f64 {
        median_seconds(TIMES, || scorer.scores(probe))
    };
    let sentences = halves.probes(0, &readers.background.scorer(&[])?);
    let whole = Probe::merged(&sentences);
    let scorer = |count: usize| {
        readers.background.scorer(&readers.templates(&(0..count).collect::<Vec<_>>()))
    };
    let by_readers = |count: usize| Ok((count, scored(&scorer(count)?, &whole)));
    let counts = powers(100, rows.rows.len().min(MOST_SCORED));
    let by_readers: Result<_, BenchError> = counts.into_iter().map(by_readers).collect();
    let scorer = scorer(SCORED)?;
    let by_fixations = |part: usize| {
        let probe = Probe::merged(&sentences[..sentences.len().div_ceil(part)]);
        (probe.fixations(), scored(&scorer, &probe))
    };
    let by_fixations = PARTS.into_iter().map(by_fixations).collect();
    Ok([
        Growth::of(WHAT, "readers", by_readers?),
        Growth::of(WHAT, "fixations of a probe", by_fixations),
        Growth::of(WHAT, "threads", by_threads(|| Ok(scored(&scorer, &whole)))?),
    ])
}

fn of_search(suite: &Suite<'_>) -> Result<[Growth; 2], BenchError> {
    const WHAT: &str = "search";
    suite.step(Part::Scaling, WHAT);
    let (halves, readers, rows) = (suite.halves()?, suite.readers()?, suite.rows()?);
    let query = rows.query(&halves.probe(0, &readers.background.scorer(&[])?));
    let rows = &rows.rows[..];
    let searched = |rows: &[Row]| median_seconds(TIMES, || scores(rows, &query));
    let counts = powers(1000, rows.len());
    let by_readers = counts.into_iter().map(|count| (count, searched(&rows[..count]))).collect();
    Ok([
        Growth::of(WHAT, "readers", by_readers),
        Growth::of(WHAT, "threads", by_threads(|| Ok(searched(rows)))?),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_that_double_with_readers_grow_with_their_first_power() {
        let growth = Growth::of("", "", vec![(10, 1.0), (20, 2.0), (40, 4.0)]);
        assert!((growth.exponent.unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(Growth::of("", "", vec![(10, 1.0)]).exponent, None);
    }

    #[test]
    fn the_largest_count_is_among_the_powers_once() {
        assert_eq!(powers(100, 2000), [100, 1000, 2000]);
        assert_eq!(powers(100, 1000), [100, 1000]);
    }
}
