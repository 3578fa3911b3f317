//! How long readers take to be learned, by method and engine.

use gazeprint::inference::{Engine, Laplace, Metropolis};
use gazeprint::method::{Fitted, Method, Scoring, Unwatched, by_name, semiparametric};
use gazeprint::template::Probe;
use serde::Serialize;

use super::Bench;

/// Everything is held against the paper's sampler with its number of iterations.
const REFERENCE: &str = "metropolis";

#[derive(Debug, Serialize)]
pub(super) struct Report {
    readers: usize,
    fixations: usize,
    methods: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    method: String,
    engine: Option<String>,
    /// Wall time, tuning aside.
    fit_seconds: f64,
    tune_seconds: f64,
    /// A reader.
    reader_seconds: f64,
    /// How many times faster than the reference.
    speed: Option<f64>,
    /// Mean effective sample size of a density.
    effective: Option<f64>,
    effective_per_second: Option<f64>,
    /// How many times more of them a second.
    effective_speed: Option<f64>,
    /// Readers whose other texts are recognised.
    accuracy: f64,
}

pub(super) fn measure(bench: &Bench, say: impl Fn(&str)) -> anyhow::Result<Report> {
    let laplace = || Engine::Laplace(Laplace::default());
    let named = |name: &str| by_name(name, laplace(), Scoring::PosteriorMean);
    let metropolis = Engine::Metropolis(Metropolis::default());
    let mut methods: Vec<Box<dyn Method>> =
        vec![Box::new(semiparametric(metropolis, Scoring::PosteriorMean))];
    let names = ["semiparametric", "population", "landwehr", "holland-weighted"];
    methods.extend(names.into_iter().filter_map(named));
    let mut rows: Vec<Row> = Vec::new();
    for method in methods {
        let engine = method.engine().unwrap_or("-");
        say(&format!("training: {} ({engine})", method.name()));
        let training = bench.training()?;
        let fitted = method.fit(&training, 1, &Unwatched)?;
        let row = Row::new(bench, method.as_ref(), &fitted, rows.first());
        rows.push(row);
    }
    Ok(Report { readers: bench.readers, fixations: bench.fixations(), methods: rows })
}

impl Row {
    fn new(bench: &Bench, method: &dyn Method, fitted: &Fitted, reference: Option<&Self>) -> Self {
        let report = &fitted.report;
        let (fits, sum) = report
            .densities
            .iter()
            .filter_map(|d| Some((d.fits, d.effective?)))
            .fold((0, 0.0), |(n, sum), (fits, e)| (n + fits, sum + fits as f64 * e));
        let effective_per_second = (fits > 0).then(|| sum / report.fit_seconds);
        let ratio = |of: fn(&Self) -> Option<f64>, own: Option<f64>| Some(own? / of(reference?)?);
        Self {
            method: method.name().to_owned(),
            engine: method.engine().map(str::to_owned),
            fit_seconds: report.fit_seconds,
            tune_seconds: report.tune_seconds,
            reader_seconds: report.fit_seconds / bench.readers as f64,
            speed: reference.map(|r| r.fit_seconds / report.fit_seconds),
            effective: (fits > 0).then(|| sum / fits as f64),
            effective_per_second,
            effective_speed: ratio(|r| r.effective_per_second, effective_per_second),
            accuracy: accuracy(bench, fitted),
        }
    }
}

fn accuracy(bench: &Bench, fitted: &Fitted) -> f64 {
    let gallery = fitted.gallery.as_ref();
    let known = (0..bench.readers).filter(|&reader| {
        let probes: Vec<Probe> = bench.of(reader).map(|r| gallery.probe(r)).collect();
        let scores = gallery.scores(&Probe::merged(&probes));
        (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])) == Some(reader)
    });
    known.count() as f64 / bench.readers as f64
}

impl Report {
    pub(super) fn text(&self) -> String {
        let mut out = format!(
            "training: {} readers, {} fixations; ratios to {REFERENCE} with 10,000 iterations\n\
             {:<17} {:<11} {:>8} {:>8} {:>10} {:>8} {:>9} {:>11} {:>9} {:>8}\n",
            self.readers,
            self.fixations,
            "method",
            "engine",
            "fit s",
            "tune s",
            "reader ms",
            "speed",
            "effective",
            "effective/s",
            "speed",
            "accuracy"
        );
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
        };
        for row in &self.methods {
            out += &format!(
                "{:<17} {:<11} {:>8.2} {:>8.2} {:>10.2} {:>8} {:>9} {:>11} {:>9} {:>8.3}\n",
                row.method,
                row.engine.as_deref().unwrap_or("-"),
                row.fit_seconds,
                row.tune_seconds,
                1e3 * row.reader_seconds,
                number(row.speed, 1),
                number(row.effective, 0),
                number(row.effective_per_second, 0),
                number(row.effective_speed, 1),
                row.accuracy
            );
        }
        out
    }
}
