//! What the draws of the engines are worth, by one measure for all: how much their results differ from
//! seed to seed.

use gazeprint::density::Tabulated;
use gazeprint::inference::{Engine, InferenceError, Laplace, Metropolis, Nuts, Scratch};
use gazeprint::method::{Family, Observations};
use rayon::prelude::*;
use serde::Serialize;

use crate::clock::timed;
use crate::density::{Case, Region, learned};
use crate::numbers::{mean, median};
use crate::{BenchError, Suite};

/// Readers whose densities are inferred, evenly chosen, each from so many seeds.
const READERS: usize = 6;
const SEEDS: u64 = 8;
/// Draws of a posterior that tell how much a density varies in it.
const KEPT: usize = 512;
/// Everything is held against the paper's sampler.
const REFERENCE: usize = 0;

/// Densities of a few readers, inferred by every engine from several seeds.
#[derive(Debug, Serialize)]
pub struct DrawWorth {
    /// How many densities.
    pub densities: usize,
    /// How many seeds.
    pub seeds: u64,
    /// Engine by engine, the reference first.
    pub engines: Vec<EngineDraws>,
}

/// The draws of one engine.
#[derive(Debug, Serialize)]
pub struct EngineDraws {
    /// Its name.
    pub engine: &'static str,
    /// For a density, on average; one thread.
    pub seconds: f64,
    /// Independent draws that would make the mean density differ as much from seed to seed; the median
    /// over densities.
    pub effective: f64,
    /// For the time of one such draw, on average.
    pub draw_seconds: f64,
    /// How many times faster than the reference.
    pub speed: f64,
}

/// What one engine took for one density, and what it gave for it.
struct Worth {
    seconds: f64,
    effective: f64,
}

/// How much the density varies in the posterior.
fn width(
    case: &Case<'_>,
    region: &Region<'_>,
    scratch: &mut Scratch,
) -> Result<f64, InferenceError> {
    let posterior = case.infer(&Engine::Laplace(Laplace::default()), KEPT, 0, scratch)?;
    let features = &case.shared.features;
    let log_density = |theta: &Vec<f64>| Tabulated::of(features, theta).into_log_f();
    Ok(region.spread(&posterior.draws.iter().map(log_density).collect::<Vec<_>>()))
}

impl Worth {
    /// Every engine's of one density, one after another, so that all see the same load.
    fn of_all(case: &Case<'_>, engines: &[Engine]) -> Result<Vec<Self>, InferenceError> {
        let scratch = &mut case.scratch();
        let region = Region::of(case.shared.features.grid(), case.observed.iter());
        let width = width(case, &region, scratch)?;
        let of = |engine: &Engine| {
            let (mut seconds, mut means) = (0.0, Vec::new());
            for seed in 1..=SEEDS {
                let (posterior, taken) = timed(|| case.infer(engine, 0, seed, scratch));
                seconds += taken / SEEDS as f64;
                means.push(posterior?.log_mean);
            }
            Ok(Self { seconds, effective: (width / region.spread(&means)).powi(2) })
        };
        engines.iter().map(of).collect()
    }
}

pub(crate) fn measure(suite: &Suite<'_>) -> Result<DrawWorth, BenchError> {
    let halves = suite.halves()?;
    let observations = Observations::of(&halves.all()?);
    let shared = learned(Family::Semiparametric, &observations)?;
    let count = halves.readers.min(READERS);
    let readers = (0..count).map(|i| i * halves.readers / count);
    let cases: Vec<Case<'_>> = readers
        .flat_map(|reader| shared.iter().map(move |shared| (reader, shared)))
        .map(|(reader, shared)| Case::new(shared, &observations, reader))
        .filter(|case| !case.observed.is_empty())
        .collect();
    let engines = [
        Engine::Metropolis(Metropolis::default()),
        Engine::Nuts(Nuts::default()),
        Engine::Laplace(Laplace::default()),
    ];
    let worths = cases
        .par_iter()
        .map(|case| Worth::of_all(case, &engines))
        .collect::<Result<Vec<_>, InferenceError>>()?;
    let mut draws: Vec<EngineDraws> = Vec::new();
    for (place, engine) in engines.iter().enumerate() {
        let of = |value: fn(&Worth) -> f64| -> Vec<f64> {
            worths.iter().map(|worths| value(&worths[place])).collect()
        };
        let draw_seconds = mean(&of(|worth| worth.seconds / worth.effective));
        draws.push(EngineDraws {
            engine: engine.name(),
            seconds: mean(&of(|worth| worth.seconds)),
            effective: median(of(|worth| worth.effective)),
            draw_seconds,
            speed: draws.get(REFERENCE).map_or(1.0, |first| first.draw_seconds / draw_seconds),
        });
    }
    Ok(DrawWorth { densities: cases.len(), seeds: SEEDS, engines: draws })
}
