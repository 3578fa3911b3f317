//! How long readers take to be learned, by method and engine.

use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts};
use gazeprint::method::{Fitted, Method, People, Scoring, Unwatched, by_name, semiparametric};
use serde::Serialize;

use crate::halves::Halves;
use crate::numbers::best;
use crate::{BenchError, Stage, Suite};

/// Readers that the slowest engine learns: the first ones.
const FEW: usize = 16;

/// Methods, the reference first: the paper's sampler with its number of iterations.
#[derive(Debug, Serialize)]
pub struct TrainingTimes {
    /// Readers of the corpus.
    pub readers: usize,
    /// Fixations that they are learned from.
    pub fixations: usize,
    /// Method by method.
    pub methods: Vec<MethodTimes>,
}

/// What a method took.
#[derive(Debug, Serialize)]
pub struct MethodTimes {
    /// Its name.
    pub method: String,
    /// That of its engine.
    pub engine: Option<String>,
    /// Those that were learned.
    pub readers: usize,
    /// Wall time, tuning aside.
    pub fit_seconds: f64,
    /// Wall time of tuning.
    pub tune_seconds: f64,
    /// A reader.
    pub reader_seconds: f64,
    /// How many times faster than the reference, by reader.
    pub speed: Option<f64>,
    /// Mean effective sample size of a density. Of a chain, the least of those of the two coefficients
    /// of the gamma family and of the log posterior (Geyer's initial monotone sequence); of
    /// weighted draws, independent ones that would leave the same error of the mean density.
    pub effective: Option<f64>,
    /// The same by seconds.
    pub effective_per_second: Option<f64>,
    /// How many times more of them a second.
    pub effective_speed: Option<f64>,
    /// Readers whose other texts are recognised; none where not all were learned.
    pub accuracy: Option<f64>,
}

pub(crate) fn measure(suite: &Suite<'_>) -> Result<TrainingTimes, BenchError> {
    let halves = suite.halves()?;
    let laplace = || Engine::Laplace(Laplace::default());
    let named = |name: &str| by_name(name, laplace(), Scoring::PosteriorMean, People::shipped());
    let metropolis = Engine::Metropolis(Metropolis::default());
    let sampled = |engine| Box::new(semiparametric(engine, Scoring::PosteriorMean));
    let few = halves.readers.min(FEW);
    let mut methods: Vec<(Box<dyn Method>, usize)> =
        vec![(sampled(metropolis), halves.readers), (sampled(Engine::Nuts(Nuts::default())), few)];
    let names = ["semiparametric", "population", "landwehr", "holland-weighted"];
    methods.extend(names.into_iter().filter_map(named).map(|method| (method, halves.readers)));
    let mut times: Vec<MethodTimes> = Vec::new();
    for (method, readers) in methods {
        suite.tell(Stage::Method { method: method.name(), engine: method.engine() });
        let fitted = method.fit(&halves.training(readers, 1)?, 1, &Unwatched)?;
        let of_method = MethodTimes::new(halves, readers, method.as_ref(), &fitted, times.first());
        times.push(of_method);
    }
    Ok(TrainingTimes { readers: halves.readers, fixations: halves.fixations(), methods: times })
}

impl MethodTimes {
    fn new(
        halves: &Halves,
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
            accuracy: (readers == halves.readers).then(|| accuracy(halves, fitted)),
        }
    }
}

fn accuracy(halves: &Halves, fitted: &Fitted) -> f64 {
    let scorer = fitted.scorer.as_ref();
    let known = (0..halves.readers)
        .filter(|&reader| best(&scorer.scores(&halves.probe(reader, scorer))) == Some(reader));
    known.count() as f64 / halves.readers as f64
}
