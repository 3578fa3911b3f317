//! How cost grows with readers, fixations and threads.

use gazeprint::method::{Method, Unwatched, population};
use serde::Serialize;

use super::Bench;

const READERS: [usize; 4] = [32, 64, 128, 251];
/// Parts of the texts.
const PARTS: [usize; 3] = [4, 2, 1];
/// Readers where texts vary.
const SOME: usize = 64;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    readers: Series,
    fixations: Series,
    threads: Vec<Threads>,
}

/// Seconds to learn readers with `population`, by what varies.
#[derive(Debug, Serialize)]
struct Series {
    points: Vec<(usize, f64)>,
    /// Of the power of what varies that seconds grow with.
    exponent: f64,
}

#[derive(Debug, Serialize)]
struct Threads {
    threads: usize,
    seconds: f64,
}

impl Series {
    fn of(points: Vec<(usize, f64)>) -> Self {
        let logs: Vec<(f64, f64)> =
            points.iter().map(|(n, s)| ((*n as f64).ln(), s.ln())).collect();
        let mean =
            |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
        let (x, y) = (mean(|l| l.0), mean(|l| l.1));
        let covariance: f64 = logs.iter().map(|l| (l.0 - x) * (l.1 - y)).sum();
        let variance: f64 = logs.iter().map(|l| (l.0 - x).powi(2)).sum();
        Self { points, exponent: covariance / variance }
    }

    fn text(&self, what: &str) -> String {
        let points: Vec<String> =
            self.points.iter().map(|(n, s)| format!("{n}: {s:.2} s")).collect();
        format!("by {what:<10} {}; exponent {:.2}\n", points.join(", "), self.exponent)
    }
}

fn seconds(bench: &Bench) -> anyhow::Result<f64> {
    let fitted = population().fit(&bench.training()?, 1, &Unwatched)?;
    Ok(fitted.report.fit_seconds)
}

pub(super) fn measure(texts: usize) -> anyhow::Result<Report> {
    let mut readers = Vec::new();
    for count in READERS {
        readers.push((count, seconds(&Bench::new(count, texts)?)?));
    }
    let mut fixations = Vec::new();
    for part in PARTS {
        let bench = Bench::new(SOME, texts / part)?;
        fixations.push((bench.fixations(), seconds(&bench)?));
    }
    let bench = Bench::new(SOME, texts)?;
    let most = rayon::current_num_threads();
    let mut threads = Vec::new();
    for count in (1..=most).filter(|n| n.is_power_of_two() || *n == most) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        let seconds = pool.install(|| seconds(&bench))?;
        threads.push(Threads { threads: count, seconds });
    }
    Ok(Report { readers: Series::of(readers), fixations: Series::of(fixations), threads })
}

impl Report {
    pub(super) fn text(&self) -> String {
        let threads: Vec<String> =
            self.threads.iter().map(|t| format!("{}: {:.2} s", t.threads, t.seconds)).collect();
        format!(
            "learning readers with `population`\n{}{}by {:<10} {}\n",
            self.readers.text("readers"),
            self.fixations.text("fixations"),
            "threads",
            threads.join(", ")
        )
    }
}
