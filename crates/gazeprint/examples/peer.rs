//! The densities of a few readers as problems that other software can solve too, and how long our
//! engines take for them. See `benches/peers/README.md`.
//!
//! ```text
//! cargo run --release -p gazeprint --example peer -- --problems FILE [--readers 0,125,250] [--ask]
//! ```
//!
//! writes the problems to FILE as JSON, then times every problem, and prints a line of JSON for
//! each. With `--ask` it waits for lines on the standard input instead, each with the number of a
//! problem and of a round, so that another process can take turns with it. Random numbers differ
//! from round to round.

#![allow(clippy::print_stdout)] // its output is what it is for

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::ops::Range;
use std::time::{Duration, Instant};

use gazeprint::corpus::Limits;
use gazeprint::inference::{Engine, InferenceError, Laplace, Mode, Nuts, Posterior, Scratch};
use gazeprint::method::{Family, Observations, SharedDensity, Training};
use gazeprint::saccade::{DensityId, Observation, Reading, readings};
use gazeprint::simulate::SimulationParams;
use serde::Serialize;

/// Fits are repeated for this long: most take less than the clock and the scheduler can resolve.
const AT_LEAST: Duration = Duration::from_millis(200);
const AT_LEAST_RUNS: usize = 3;
/// Posteriors by `laplace` in a round from different random numbers, to see how much they differ.
const REPLICATIONS: u64 = 8;

/// What to do.
struct Arguments {
    problems: String,
    /// Places of readers in the corpus.
    readers: Vec<usize>,
    ask: bool,
}

/// One density of one reader.
struct Case<'a> {
    reader: usize,
    semiparametric: &'a SharedDensity,
    gamma: &'a SharedDensity,
    observed: &'a [Observation],
}

/// The same, as another program needs it.
#[derive(Serialize)]
struct Exported<'a> {
    reader: &'a str,
    density: &'static str,
    truncation: String,
    /// The support.
    lower: f64,
    upper: f64,
    nodes: &'a [f64],
    widths: Vec<f64>,
    /// A row for each node.
    features: Vec<&'a [f64]>,
    prior_mean: &'a [f64],
    /// Lower triangle, row after row.
    prior_covariance: &'a [f64],
    /// The fit to all readers, from which Newton's method starts.
    pooled: &'a [f64],
    values: Vec<f64>,
    lowers: Vec<f64>,
    /// `None` is infinite.
    uppers: Vec<Option<f64>>,
}

/// Mean times of a fit.
#[derive(Serialize)]
struct Timing {
    runs: usize,
    seconds: f64,
    /// `None` where the system does not tell.
    cpu_seconds: Option<f64>,
}

/// A posterior by one of our engines.
#[derive(Serialize)]
struct Sampled {
    #[serde(flatten)]
    timing: Timing,
    draws: usize,
    effective: f64,
    k_hat: Option<f64>,
    divergences: usize,
    /// Draws of theta in the order they were made (`nuts`).
    thetas: Vec<Vec<f64>>,
    /// Log posterior means of the density at the nodes, one for each seed.
    log_means: Vec<Vec<f64>>,
}

/// A gamma density at its mode, `x^(shape - 1) exp(-rate x)` on the support.
#[derive(Serialize)]
struct GammaFit {
    #[serde(flatten)]
    timing: Timing,
    shape: f64,
    rate: f64,
}

/// All that is timed of a problem.
#[derive(Serialize)]
struct Answer {
    problem: usize,
    round: u64,
    laplace: Sampled,
    nuts: Sampled,
    gamma: GammaFit,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    let corpus = SimulationParams::default().build()?.run();
    let (all, _) = readings(&corpus, Limits::default());
    let train: Vec<(usize, &Reading)> =
        all.iter().filter(|r| r.text % 2 == 0).map(|r| (r.reader, r)).collect();
    let observations = Observations::of(&Training::new(corpus.readers().len(), train)?);
    if let Some(reader) = arguments.readers.iter().find(|r| **r >= observations.readers()) {
        return Err(format!("there are {} readers, no {reader}", observations.readers()).into());
    }
    let learn = |family| -> Result<Vec<SharedDensity>, InferenceError> {
        DensityId::ALL.iter().map(|id| SharedDensity::learn(*id, family, &observations)).collect()
    };
    let (semiparametric, gamma) = (learn(Family::Semiparametric)?, learn(Family::Gamma)?);

    let mut cases = Vec::new();
    for &reader in &arguments.readers {
        for (semiparametric, gamma) in semiparametric.iter().zip(&gamma) {
            let observed = observations.of_reader(semiparametric.id, reader);
            if !observed.is_empty() {
                cases.push(Case { reader, semiparametric, gamma, observed });
            }
        }
    }
    let exported: Vec<Exported<'_>> =
        cases.iter().map(|case| case.export(&corpus.readers()[case.reader])).collect();
    std::fs::write(&arguments.problems, serde_json::to_vec(&exported)?)?;

    if arguments.ask {
        // The other side reads the file once it hears of it.
        say(&format!("{}", cases.len()))?;
        for line in std::io::stdin().lock().lines() {
            let line = line?;
            let (problem, round) = line.trim().split_once(' ').ok_or("expected two numbers")?;
            let (problem, round) = (problem.parse::<usize>()?, round.parse()?);
            let case = cases.get(problem).ok_or("no such problem")?;
            say(&serde_json::to_string(&case.answer(problem, round)?)?)?;
        }
    } else {
        for (problem, case) in cases.iter().enumerate() {
            say(&serde_json::to_string(&case.answer(problem, 0)?)?)?;
        }
    }
    Ok(())
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let mut given = std::env::args().skip(1);
    let mut found = Arguments { problems: String::new(), readers: vec![0], ask: false };
    while let Some(name) = given.next() {
        let mut value = || given.next().ok_or_else(|| format!("{name} needs a value"));
        match name.as_str() {
            "--problems" => found.problems = value()?,
            "--readers" => {
                found.readers = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            "--ask" => found.ask = true,
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    if found.problems.is_empty() {
        return Err("--problems FILE says where the problems are to be written".into());
    }
    Ok(found)
}

/// A line that is not held back in a buffer: someone may be waiting for it.
fn say(line: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

impl Case<'_> {
    fn export<'a>(&'a self, reader: &'a str) -> Exported<'a> {
        let density = self.semiparametric;
        let grid = density.features.grid();
        Exported {
            reader,
            density: density.id.name(),
            truncation: format!("{:?}", density.id.truncation()).to_lowercase(),
            lower: grid.lower(),
            upper: grid.upper(),
            nodes: grid.nodes(),
            widths: grid.nodes().windows(2).map(|x| x[1] - x[0]).collect(),
            features: (0..grid.nodes().len()).map(|j| density.features.row(j)).collect(),
            prior_mean: density.prior.mean(),
            prior_covariance: density.prior.covariance(),
            pooled: &density.pooled,
            values: self.observed.iter().map(|o| o.value).collect(),
            lowers: self.observed.iter().map(|o| o.lower).collect(),
            uppers: self.observed.iter().map(|o| Some(o.upper).filter(|r| r.is_finite())).collect(),
        }
    }

    fn answer(&self, problem: usize, round: u64) -> Result<Answer, InferenceError> {
        let nuts = Nuts::default();
        let keep = nuts.chains * nuts.draws;
        let seeds = 1 + round * REPLICATIONS..1 + (round + 1) * REPLICATIONS;
        let first = seeds.start..seeds.start + 1;
        Ok(Answer {
            problem,
            round,
            laplace: self.sampled(&Engine::Laplace(Laplace::default()), 0, seeds)?,
            nuts: self.sampled(&Engine::Nuts(nuts), keep, first)?,
            gamma: self.gamma_fit()?,
        })
    }

    /// One engine, timed from the observations to the posterior-mean density, as `semiparametric`
    /// runs it: memory is reused, nothing else is. The first seed is the one that is timed.
    fn sampled(
        &self,
        engine: &Engine,
        keep: usize,
        seeds: Range<u64>,
    ) -> Result<Sampled, InferenceError> {
        let density = self.semiparametric;
        let mut scratch = Scratch::new(&density.features);
        let mut fit = |seed: u64, keep: usize| -> Result<Posterior, InferenceError> {
            let sample = density.sample(self.observed);
            let problem = density.problem(&sample);
            let mode = problem.mode(&density.pooled, &mut scratch)?;
            let stream = density.stream(seed, self.reader);
            engine.posterior(&problem, &mode, keep, stream, &mut scratch)
        };
        let posterior = fit(seeds.start, keep)?;
        let timing = timed(|| fit(seeds.start, 0).map(|posterior| drop(black_box(posterior))))?;
        let log_means =
            seeds.map(|seed| Ok(fit(seed, 0)?.log_mean)).collect::<Result<_, InferenceError>>()?;
        Ok(Sampled {
            timing,
            draws: posterior.diagnostics.draws,
            effective: posterior.diagnostics.effective,
            k_hat: posterior.diagnostics.k_hat,
            divergences: posterior.diagnostics.divergences,
            thetas: posterior.draws,
            log_means,
        })
    }

    /// The gamma density of method `landwehr`.
    fn gamma_fit(&self) -> Result<GammaFit, InferenceError> {
        let density = self.gamma;
        let mut scratch = Scratch::new(&density.features);
        let mut fit = || -> Result<Mode, InferenceError> {
            let sample = density.sample(self.observed);
            density.problem(&sample).mode(&density.pooled, &mut scratch)
        };
        let mode = fit()?;
        let timing = timed(|| fit().map(|mode| drop(black_box(mode))))?;
        let scale = density.features.grid().upper() / 10.0;
        Ok(GammaFit { timing, shape: mode.theta[0] + 1.0, rate: -mode.theta[1] / scale })
    }
}

/// Runs `fit` for a while. What it needs once in a process has been computed by then.
fn timed(mut fit: impl FnMut() -> Result<(), InferenceError>) -> Result<Timing, InferenceError> {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let mut runs = 0;
    while runs < AT_LEAST_RUNS || start.elapsed() < AT_LEAST {
        fit()?;
        runs += 1;
    }
    let each = |total: f64| total / runs as f64;
    let cpu = cpu_seconds().zip(cpu).map(|(now, then)| each(now - then));
    Ok(Timing { runs, seconds: each(start.elapsed().as_secs_f64()), cpu_seconds: cpu })
}

/// What this thread has had of a processor; all of a fit happens in it.
fn cpu_seconds() -> Option<f64> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(times.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}
