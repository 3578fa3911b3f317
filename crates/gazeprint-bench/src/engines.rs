//! Do the engines agree? Posterior-mean densities of `laplace` and `metropolis` beside four chains of
//! `nuts`.
//!
//! Distances are total variations over where half of the observations could have been (D9). Chains are
//! made longer until the largest distance of one from their mean is a third of the bound that `laplace`
//! is held to.

use gazeprint::corpus::Limits;
use gazeprint::inference::{Engine, InferenceError, Laplace, Metropolis, Nuts, Scratch};
use gazeprint::method::{Family, Observations, SharedDensity, Training};
use gazeprint::random::Stream;
use gazeprint::saccade::{DensityId, Truncation, readings_of_words};
use rayon::prelude::*;
use serde::Serialize;

use crate::density::{Case, Region};
use crate::numbers::{largest, mean};
use crate::{BenchError, Part, Suite};

/// Readers of each size, the first who have as many observations.
const READERS: usize = 8;
const SIZES: [usize; 7] = [2, 5, 10, 20, 50, 100, 300];
const CHAINS: usize = 4;
/// Draws a chain at first; doubled until the chains agree.
const FIRST_DRAWS: usize = 2000;
const MOST_DRAWS: usize = 64_000;
const SEED: u64 = 1;

/// How closely engines agree.
#[derive(Debug, Serialize)]
pub struct EngineAgreement {
    /// Density by density, and by the number of observations.
    pub densities: Vec<DensityAgreement>,
}

/// How closely engines agree on a density from so many observations.
#[derive(Debug, Serialize)]
pub struct DensityAgreement {
    /// Its name.
    pub density: &'static str,
    /// The variance A of its process.
    pub amplitude: Option<f64>,
    /// Of a reader.
    pub observations: usize,
    /// Those whose density was inferred.
    pub readers: usize,
    /// The mean of `laplace`, from that of the chains.
    pub laplace: Distance,
    /// The mode.
    pub mode: Distance,
    /// The mean of `metropolis`.
    pub metropolis: Distance,
    /// What `laplace` is held to.
    pub bound: f64,
    /// The largest distance of a chain from their mean.
    pub spread: f64,
    /// The worst tail of importance weights of `laplace`.
    pub k_hat: Option<f64>,
    /// Effective draws of `laplace`, on average.
    pub effective: f64,
    /// Those of `metropolis`.
    pub metropolis_effective: f64,
}

/// Total variations over readers.
#[derive(Debug, Serialize)]
pub struct Distance {
    /// On average.
    pub mean: f64,
    /// The largest.
    pub largest: f64,
}

/// How far engines are from the chains for one reader.
struct Deviation {
    laplace: f64,
    mode: f64,
    metropolis: f64,
    spread: f64,
    k_hat: Option<f64>,
    effective: f64,
    metropolis_effective: f64,
}

/// The total variation that `laplace` is held to.
fn bound(id: DensityId, observations: usize) -> f64 {
    match observations {
        ..6 => 0.04,
        6..21 => 0.03,
        300.. if id.truncation() == Truncation::Full => 0.005,
        100.. => 0.01,
        _ => 0.03,
    }
}

impl Deviation {
    fn of(
        case: &Case<'_>,
        region: &Region<'_>,
        scratch: &mut Scratch,
    ) -> Result<Self, InferenceError> {
        let Case { shared, observed, reader } = case;
        let sample = shared.sample(*observed);
        let problem = shared.problem(&sample);
        let mode = problem.mode(&shared.pooled, scratch)?;
        let mut inferred = |engine: &Engine, index: usize| {
            let stream = Stream { seed: SEED, index: index as u64 };
            engine.posterior(&problem, &mode, 0, stream, scratch)
        };
        let laplace = inferred(&Engine::Laplace(Laplace::default()), *reader)?;
        let metropolis = inferred(&Engine::Metropolis(Metropolis::default()), *reader)?;
        let mut draws = FIRST_DRAWS;
        let (reference, spread) = loop {
            let nuts = Engine::Nuts(Nuts { chains: 1, tune: 500, draws });
            let chains = (0..CHAINS)
                .map(|chain| Ok(inferred(&nuts, reader * CHAINS + chain + 1_000_000)?.log_mean))
                .collect::<Result<Vec<Vec<f64>>, InferenceError>>()?;
            let at = |j: usize| {
                (chains.iter().map(|log_f| log_f[j].exp()).sum::<f64>() / CHAINS as f64).ln()
            };
            let reference: Vec<f64> = (0..chains[0].len()).map(at).collect();
            let distances = chains.iter().map(|log_f| region.total_variation(log_f, &reference));
            let spread = largest(&distances.collect::<Vec<_>>());
            // The reference must be sharper than what it judges.
            if spread < bound(shared.id, observed.len()) / 3.0 || draws >= MOST_DRAWS {
                break (reference, spread);
            }
            draws *= 2;
        };
        let distance = |log_f: &[f64]| region.total_variation(log_f, &reference);
        Ok(Self {
            laplace: distance(&laplace.log_mean),
            mode: distance(&mode.log_density(&shared.features)),
            metropolis: distance(&metropolis.log_mean),
            spread,
            k_hat: laplace.diagnostics.k_hat,
            effective: laplace.diagnostics.effective,
            metropolis_effective: metropolis.diagnostics.effective,
        })
    }
}

impl DensityAgreement {
    /// None where nobody has as many observations.
    fn of(
        shared: &SharedDensity,
        observations: &Observations,
        size: usize,
    ) -> Result<Option<Self>, InferenceError> {
        let region = Region::of(shared.features.grid(), observations.pooled(shared.id));
        let cases: Vec<Case<'_>> = (0..observations.readers())
            .map(|reader| Case::new(shared, observations, reader))
            .filter_map(|case| Some(Case { observed: case.observed.get(..size)?, ..case }))
            .take(READERS)
            .collect();
        let deviations = cases
            .par_iter()
            .map_init(
                || Scratch::new(&shared.features),
                |scratch, case| Deviation::of(case, &region, scratch),
            )
            .collect::<Result<Vec<_>, InferenceError>>()?;
        let all = |value: fn(&Deviation) -> f64| deviations.iter().map(value).collect::<Vec<_>>();
        let distance = |value| Distance { mean: mean(&all(value)), largest: largest(&all(value)) };
        Ok((!deviations.is_empty()).then(|| Self {
            density: shared.id.name(),
            amplitude: shared.process.map(|process| process.amplitude),
            observations: size,
            readers: deviations.len(),
            laplace: distance(|d| d.laplace),
            mode: distance(|d| d.mode),
            metropolis: distance(|d| d.metropolis),
            bound: bound(shared.id, size),
            spread: largest(&all(|d| d.spread)),
            k_hat: deviations.iter().filter_map(|d| d.k_hat).max_by(f64::total_cmp),
            effective: mean(&all(|d| d.effective)),
            metropolis_effective: mean(&all(|d| d.metropolis_effective)),
        }))
    }
}

pub(crate) fn measure(suite: &Suite<'_>) -> Result<EngineAgreement, BenchError> {
    let corpus = match &suite.options().corpus {
        Some(corpus) => corpus,
        None => suite.corpus()?,
    };
    let (readings, _) = readings_of_words(corpus, Limits::default());
    let train = readings.iter().map(|r| (r.reader, r)).collect();
    let observations = Observations::of(&Training::new(corpus.readers().len(), train)?);
    let mut densities = Vec::new();
    for id in DensityId::ALL {
        suite.step(Part::Engines, id.name());
        let shared = SharedDensity::learn(id, Family::Semiparametric, &observations)?;
        for size in SIZES {
            densities.extend(DensityAgreement::of(&shared, &observations, size)?);
        }
    }
    Ok(EngineAgreement { densities })
}
