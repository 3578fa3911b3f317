//! What the draws of the engines are worth, by one measure for all: how much their results differ from
//! seed to seed.

use gazeprint::density::Tabulated;
use gazeprint::inference::{Engine, InferenceError, Laplace, Metropolis, Nuts, Posterior, Scratch};
use gazeprint::method::{Family, Observations, SharedDensity};
use gazeprint::random::Stream;
use gazeprint::saccade::{DensityId, Observation};
use rayon::prelude::*;
use serde::Serialize;

use super::{Bench, timed};

/// Readers whose densities are inferred, evenly chosen, each from so many seeds.
const READERS: usize = 6;
const SEEDS: u64 = 8;
/// Draws of a posterior that tell how much a density varies in it.
const KEPT: usize = 512;
/// Everything is held against the paper's sampler.
const REFERENCE: usize = 0;

/// Densities of a few readers, inferred by every engine from several seeds.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    densities: usize,
    seeds: u64,
    engines: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    engine: &'static str,
    /// For a density, on average; one thread.
    seconds: f64,
    /// Independent draws that would make the mean density differ as much from seed to seed; the median
    /// over densities.
    effective: f64,
    /// For the time of one such draw, on average.
    draw_seconds: f64,
    /// How many times faster than the reference.
    speed: f64,
}

/// What was seen of a density.
struct Seen {
    seconds: f64,
    effective: f64,
}

/// One density of one reader.
struct Case<'a> {
    shared: &'a SharedDensity,
    observed: &'a [Observation],
    reader: usize,
}

impl Case<'_> {
    /// A posterior, and how long it took from the observations on.
    fn infer(
        &self,
        engine: &Engine,
        keep: usize,
        seed: u64,
        scratch: &mut Scratch,
    ) -> Result<(Posterior, f64), InferenceError> {
        let (posterior, seconds) = timed(|| {
            let sample = self.shared.sample(self.observed);
            let problem = self.shared.problem(&sample);
            let mode = problem.mode(&self.shared.pooled, scratch)?;
            let stream = Stream { seed, index: self.reader as u64 };
            engine.posterior(&problem, &mode, keep, stream, scratch)
        });
        Ok((posterior?, seconds))
    }

    /// Standard deviations of densities at the nodes, summed up from where half of the observations
    /// could have been on: further left a truncated density is arbitrary.
    fn spread(&self, log_densities: &[Vec<f64>]) -> f64 {
        let grid = self.shared.features.grid();
        let mut lowers: Vec<f64> = self.observed.iter().map(|o| o.lower).collect();
        lowers.sort_by(f64::total_cmp);
        let from = lowers.get(lowers.len() / 2).map_or(0, |lower| grid.place(*lower).cell);
        let x = &grid.nodes()[from..];
        let normalised = |log_f: &Vec<f64>| -> Vec<f64> {
            let f: Vec<f64> = log_f[from..].iter().map(|l| l.exp()).collect();
            let cells = f.windows(2).zip(x.windows(2));
            let mass: f64 = cells.map(|(f, x)| 0.5 * (x[1] - x[0]) * (f[0] + f[1])).sum();
            f.iter().map(|f| f / mass).collect()
        };
        let densities: Vec<Vec<f64>> = log_densities.iter().map(normalised).collect();
        let n = densities.len() as f64;
        let deviation = |j: usize| {
            let mean = densities.iter().map(|f| f[j]).sum::<f64>() / n;
            let square: f64 = densities.iter().map(|f| (f[j] - mean).powi(2)).sum();
            (square / (n - 1.0)).sqrt()
        };
        (1..x.len()).map(|j| (x[j] - x[j - 1]) * deviation(j)).sum()
    }

    /// How much the density varies in the posterior.
    fn width(&self, scratch: &mut Scratch) -> Result<f64, InferenceError> {
        let engine = Engine::Laplace(Laplace::default());
        let (posterior, _) = self.infer(&engine, KEPT, 0, scratch)?;
        let features = &self.shared.features;
        let log_density = |theta: &Vec<f64>| Tabulated::of(features, theta).into_log_f();
        Ok(self.spread(&posterior.draws.iter().map(log_density).collect::<Vec<_>>()))
    }

    fn see(
        &self,
        engine: &Engine,
        width: f64,
        scratch: &mut Scratch,
    ) -> Result<Seen, InferenceError> {
        let (mut seconds, mut means) = (0.0, Vec::new());
        for seed in 1..=SEEDS {
            let (posterior, taken) = self.infer(engine, 0, seed, scratch)?;
            seconds += taken / SEEDS as f64;
            means.push(posterior.log_mean);
        }
        Ok(Seen { seconds, effective: (width / self.spread(&means)).powi(2) })
    }
}

pub(super) fn measure(bench: &Bench) -> anyhow::Result<Report> {
    let observations = Observations::of(&bench.training(bench.readers, 1)?);
    let shared = DensityId::ALL
        .into_par_iter()
        .map(|id| SharedDensity::learn(id, Family::Semiparametric, &observations))
        .collect::<Result<Vec<_>, _>>()?;
    let readers = bench.readers.min(READERS);
    let readers = (0..readers).map(|i| i * bench.readers / readers);
    let cases: Vec<Case<'_>> = readers
        .flat_map(|reader| shared.iter().map(move |shared| (reader, shared)))
        .map(|(reader, shared)| Case {
            shared,
            observed: observations.of_reader(shared.id, reader),
            reader,
        })
        .filter(|case| !case.observed.is_empty())
        .collect();
    let engines = [
        Engine::Metropolis(Metropolis::default()),
        Engine::Nuts(Nuts::default()),
        Engine::Laplace(Laplace::default()),
    ];
    // Engine after engine for each density, so that all see the same load.
    let seen = cases
        .par_iter()
        .map(|case| {
            let scratch = &mut Scratch::new(&case.shared.features);
            let width = case.width(scratch)?;
            engines.iter().map(|engine| case.see(engine, width, scratch)).collect()
        })
        .collect::<Result<Vec<Vec<Seen>>, InferenceError>>()?;
    let mut rows: Vec<Row> = Vec::new();
    for (place, engine) in engines.iter().enumerate() {
        let of = |value: fn(&Seen) -> f64| -> Vec<f64> {
            seen.iter().map(|seen| value(&seen[place])).collect()
        };
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let mut effective = of(|seen| seen.effective);
        effective.sort_by(f64::total_cmp);
        let draw_seconds = mean(of(|seen| seen.seconds / seen.effective));
        rows.push(Row {
            engine: engine.name(),
            seconds: mean(of(|seen| seen.seconds)),
            effective: effective.get(effective.len() / 2).copied().unwrap_or(0.0),
            draw_seconds,
            speed: rows.get(REFERENCE).map_or(1.0, |row| row.draw_seconds / draw_seconds),
        });
    }
    Ok(Report { densities: cases.len(), seeds: SEEDS, engines: rows })
}

impl Report {
    pub(super) fn text(&self) -> String {
        let mut out = format!(
            "draws: {} densities, each from {} seeds; effective draws are as many independent ones as \
             would make means differ as much\n{:<11} {:>10} {:>10} {:>13} {:>8}\n",
            self.densities, self.seeds, "engine", "density ms", "effective", "effective/s", "speed"
        );
        for row in &self.engines {
            out += &format!(
                "{:<11} {:>10.2} {:>10.0} {:>13.0} {:>8.1}\n",
                row.engine,
                1e3 * row.seconds,
                row.effective,
                1.0 / row.draw_seconds,
                row.speed
            );
        }
        out
    }
}
