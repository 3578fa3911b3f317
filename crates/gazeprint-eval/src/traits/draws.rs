//! Draws of the posterior of readers: saccade types and densities, in numbers that people know.
//!
//! | parameter | what |
//! |---|---|
//! | `pi_refixation`, ... | how often each type of saccade occurs: Dirichlet, under a flat prior |
//! | `mu` | the part of refixations that lead to the right: Beta, under a flat prior |
//! | `alpha0_mean`, `alpha0_sd`, ... | mean and standard deviation of each density, as an engine of inference draws it |
//!
//! What readers share of a density, its support and its prior, is learned from all of them. A density is
//! of amplitudes before words confine them, so that its mean is not that of the amplitudes observed;
//! durations are not confined.

use gazeprint::corpus::Corpus;
use gazeprint::density::Tabulated;
use gazeprint::inference::{Engine, InferenceError, Posterior, Scratch};
use gazeprint::method::{Family, FitError, Monitor, Observations, SharedDensity, Training};
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::{DensityId, Observation, Reading, SaccadeType, Truncation};
use rand_distr::{Distribution, Gamma};
use rayon::prelude::*;

/// Chains of each reader, each an independent run of the engine.
pub const CHAINS: usize = 4;
/// Draws a chain.
pub const DRAWS_A_CHAIN: usize = 250;

/// Parameters of saccade types: pi and mu.
const OF_TYPES: usize = SaccadeType::COUNT + 1;

/// Draws of some readers.
#[derive(Debug, Clone, PartialEq)]
pub struct PosteriorDraws {
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// By reader, in the order in which they were asked for.
    pub readers: Vec<ReaderDraws>,
}

/// Draws of one reader.
#[derive(Debug, Clone, PartialEq)]
pub struct ReaderDraws {
    /// The reader's name.
    pub reader: String,
    /// By parameter: chain after chain, NaN where the density is not known.
    pub values: Vec<Vec<f64>>,
    /// Of each density that was drawn, if that was asked for: by draw, the log-likelihood of each observation.
    pub log_likelihoods: Vec<(DensityId, Vec<Vec<f64>>)>,
    /// Densities of which the reader showed nothing.
    pub unseen: Vec<DensityId>,
    /// Densities whose inference failed.
    pub failed: Vec<DensityId>,
    /// Densities that the engine has doubts about.
    pub doubtful: Vec<DensityId>,
}

impl PosteriorDraws {
    /// Draws of readers, as places in the corpus. Whoever has no fixation on a word is left out. Log-likelihoods
    /// of observations take much memory: some megabytes a reader.
    ///
    /// # Errors
    /// If nobody has one, a density cannot be learned, or the monitor says stop.
    pub fn of(
        corpus: &Corpus,
        readings: &[Reading],
        chosen: &[usize],
        (engine, seed): (&Engine, u64),
        likelihoods: bool,
        monitor: &dyn Monitor,
    ) -> Result<Self, FitError> {
        let mut known: Vec<usize> =
            readings.iter().filter(|r| !r.events.is_empty()).map(|r| r.reader).collect();
        known.sort_unstable();
        known.dedup();
        let place = |reader: usize| known.binary_search(&reader).ok();
        let training = readings.iter().filter(|r| !r.events.is_empty());
        let training = training.filter_map(|r| Some((place(r.reader)?, r))).collect();
        let seen = Observations::of(&Training::new(known.len(), training)?);
        let chosen: Vec<usize> = chosen.iter().filter_map(|&reader| place(reader)).collect();
        monitor.expect(((1 + chosen.len()) * DensityId::COUNT) as u64);
        let shared = DensityId::ALL
            .into_par_iter()
            .map(|id| {
                let shared = SharedDensity::learn(id, Family::Semiparametric, &seen);
                monitor.advance(1);
                shared
            })
            .collect::<Result<Vec<_>, _>>()?;
        let readers = chosen
            .into_par_iter()
            .map(|reader| {
                let name = corpus.readers()[known[reader]].clone();
                let mut drawn = ReaderDraws::of_types(name, &seen, reader, known[reader], seed);
                for shared in &shared {
                    if monitor.stop() {
                        return Err(InferenceError::Interrupted);
                    }
                    drawn.add_density(shared, &seen, reader, (engine, seed), likelihoods);
                    monitor.advance(1);
                }
                Ok(drawn)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { parameters: parameters(), readers })
    }
}

fn parameters() -> Vec<String> {
    let types = SaccadeType::ALL.map(|kind| format!("pi_{}", kind.name()));
    let densities = DensityId::ALL
        .map(|id| ["mean", "sd"].map(|moment| format!("{}_{moment}", id.name())))
        .into_iter()
        .flatten();
    types.into_iter().chain(["mu".to_owned()]).chain(densities).collect()
}

impl ReaderDraws {
    /// Draws of pi and mu.
    fn of_types(name: String, seen: &Observations, reader: usize, place: usize, seed: u64) -> Self {
        let mut values = vec![Vec::new(); OF_TYPES];
        let stream = Stream { seed, index: stream::TYPE_DRAWS + place as u64 };
        for chain in 0..CHAINS {
            let mut rng = stream.chain(chain as u64);
            // Shares of gamma variables are Dirichlet, and those of two of them Beta.
            let mut shares = |counts: &[usize]| -> Vec<f64> {
                let drawn = counts.iter().map(|&count| {
                    // The shape is at least one, so that there is such a variable.
                    Gamma::new(count as f64 + 1.0, 1.0).map_or(1.0, |gamma| gamma.sample(&mut rng))
                });
                let drawn: Vec<f64> = drawn.collect();
                let total: f64 = drawn.iter().sum();
                drawn.into_iter().map(|value| value / total).collect()
            };
            for _ in 0..DRAWS_A_CHAIN {
                let mut drawn = shares(seen.types[reader].values());
                drawn.push(shares(&seen.refixations[reader])[0]);
                values.iter_mut().zip(drawn).for_each(|(values, value)| values.push(value));
            }
        }
        let [unseen, failed, doubtful] = Default::default();
        Self { reader: name, values, log_likelihoods: Vec::new(), unseen, failed, doubtful }
    }

    /// Draws of the mean and the standard deviation of a density.
    fn add_density(
        &mut self,
        shared: &SharedDensity,
        seen: &Observations,
        reader: usize,
        (engine, seed): (&Engine, u64),
        likelihoods: bool,
    ) {
        let id = shared.id;
        let unknown = || vec![f64::NAN; CHAINS * DRAWS_A_CHAIN];
        if seen.of_reader(id, reader).is_empty() {
            self.unseen.push(id);
            self.values.extend([unknown(), unknown()]);
            return;
        }
        let Ok(chains) = chains(shared, seen, reader, engine, seed) else {
            self.failed.push(id);
            self.values.extend([unknown(), unknown()]);
            return;
        };
        if chains.iter().any(|chain| chain.diagnostics.doubtful()) {
            self.doubtful.push(id);
        }
        let drawn = chains.iter().flat_map(|chain| &chain.draws);
        let drawn: Vec<Tabulated<'_>> =
            drawn.map(|theta| Tabulated::of(&shared.features, theta)).collect();
        let (means, spreads) = drawn.iter().map(Tabulated::moments).unzip();
        self.values.extend([means, spreads]);
        if likelihoods {
            let observed = seen.of_reader(id, reader);
            let of = |density| log_likelihood(density, id.truncation(), observed);
            self.log_likelihoods.push((id, drawn.iter().map(of).collect()));
        }
    }
}

/// The log-likelihood of each observation.
pub(crate) fn log_likelihood(
    density: &Tabulated<'_>,
    truncation: Truncation,
    observed: &[Observation],
) -> Vec<f64> {
    observed.iter().map(|o| density.log_truncated(truncation, o)).collect()
}

/// Independent runs of the engine for one density of one reader.
pub(crate) fn chains(
    shared: &SharedDensity,
    seen: &Observations,
    reader: usize,
    engine: &Engine,
    seed: u64,
) -> Result<Vec<Posterior>, InferenceError> {
    let sample = shared.sample(seen.of_reader(shared.id, reader));
    let problem = shared.problem(&sample);
    let mut scratch = Scratch::new(&shared.features);
    let mode = problem.mode(&shared.pooled, &mut scratch)?;
    let mut chain = |chain: usize| {
        // As if there were so many readers for every chain.
        let stream = shared.stream(seed, chain * seen.readers() + reader);
        engine.posterior(&problem, &mode, DRAWS_A_CHAIN, stream, &mut scratch)
    };
    (0..CHAINS).map(&mut chain).collect()
}
