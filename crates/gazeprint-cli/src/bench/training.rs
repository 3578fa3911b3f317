//! How long readers take to be learned, by method and engine.

use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts};
use gazeprint::method::{Fitted, Method, Scoring, Unwatched, by_name, semiparametric};
use gazeprint::template::Probe;
use serde::Serialize;

use super::Bench;

/// Everything is held against the paper's sampler with its number of iterations.
const REFERENCE: &str = "metropolis";
/// Readers that the slowest engine learns: the first ones.
const FEW: usize = 16;

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
    /// Those that were learned.
    readers: usize,
    /// Wall time, tuning aside.
    fit_seconds: f64,
    tune_seconds: f64,
    /// A reader.
    reader_seconds: f64,
    /// How many times faster than the reference, by reader.
    speed: Option<f64>,
    /// Mean effective sample size of a density. Of a chain, the least of those of the two coefficients
    /// of the gamma family and of the log posterior (Geyer's initial monotone sequence); of
    /// weighted draws, independent ones that would leave the same error of the mean density.
    effective: Option<f64>,
    effective_per_second: Option<f64>,
    /// How many times more of them a second.
    effective_speed: Option<f64>,
    /// Readers whose other texts are recognised; none where not all were learned.
    accuracy: Option<f64>,
}

pub(super) fn measure(bench: &Bench, say: impl Fn(&str)) -> anyhow::Result<Report> {
    let laplace = || Engine::Laplace(Laplace::default());
    let named = |name: &str| by_name(name, laplace(), Scoring::PosteriorMean);
    let metropolis = Engine::Metropolis(Metropolis::default());
    let sampled = |engine| Box::new(semiparametric(engine, Scoring::PosteriorMean));
    let few = bench.readers.min(FEW);
    let mut methods: Vec<(Box<dyn Method>, usize)> =
        vec![(sampled(metropolis), bench.readers), (sampled(Engine::Nuts(Nuts::default())), few)];
    let names = ["semiparametric", "population", "landwehr", "holland-weighted"];
    methods.extend(names.into_iter().filter_map(named).map(|method| (method, bench.readers)));
    let mut rows: Vec<Row> = Vec::new();
    for (method, readers) in methods {
        let engine = method.engine().unwrap_or("-");
        say(&format!("training: {} ({engine})", method.name()));
        let fitted = method.fit(&bench.training(readers, 1)?, 1, &Unwatched)?;
        let row = Row::new(bench, readers, method.as_ref(), &fitted, rows.first());
        rows.push(row);
    }
    Ok(Report { readers: bench.readers, fixations: bench.fixations(), methods: rows })
}

impl Row {
    fn new(
        bench: &Bench,
        readers: usize,
        method: &dyn Method,
        fitted: &Fitted,
        reference: Option<&Self>,
    ) -> Self {
        let report = &fitted.report;
        let (fits, sum) = report
            .densities
            .iter()
            .filter_map(|d| Some((d.fits, d.effective?)))
            .fold((0, 0.0), |(n, sum), (fits, e)| (n + fits, sum + fits as f64 * e));
        let reader_seconds = report.fit_seconds / readers as f64;
        let effective_per_second = (fits > 0).then(|| sum / report.fit_seconds);
        let ratio = |of: fn(&Self) -> Option<f64>, own: Option<f64>| Some(own? / of(reference?)?);
        Self {
            method: method.name().to_owned(),
            engine: method.engine().map(str::to_owned),
            readers,
            fit_seconds: report.fit_seconds,
            tune_seconds: report.tune_seconds,
            reader_seconds,
            speed: reference.map(|r| r.reader_seconds / reader_seconds),
            effective: (fits > 0).then(|| sum / fits as f64),
            effective_per_second,
            effective_speed: ratio(|r| r.effective_per_second, effective_per_second),
            accuracy: (readers == bench.readers).then(|| accuracy(bench, fitted)),
        }
    }
}

fn accuracy(bench: &Bench, fitted: &Fitted) -> f64 {
    let gallery = fitted.scorer.as_ref();
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
             effective draws: of a chain, the least of three (two coefficients, log posterior); of \
             weighted draws, independent ones with the same error of the mean density\n\
             {:<17} {:<11} {:>7} {:>8} {:>8} {:>10} {:>8} {:>9} {:>11} {:>9} {:>8}\n",
            self.readers,
            self.fixations,
            "method",
            "engine",
            "readers",
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
                "{:<17} {:<11} {:>7} {:>8.2} {:>8.2} {:>10.2} {:>8} {:>9} {:>11} {:>9} {:>8}\n",
                row.method,
                row.engine.as_deref().unwrap_or("-"),
                row.readers,
                row.fit_seconds,
                row.tune_seconds,
                1e3 * row.reader_seconds,
                number(row.speed, 1),
                number(row.effective, 0),
                number(row.effective_per_second, 0),
                number(row.effective_speed, 1),
                number(row.accuracy, 3)
            );
        }
        out
    }
}
