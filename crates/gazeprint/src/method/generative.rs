//! Generative models of reading: saccade types, amplitudes and durations of each reader, with
//! backoff to all readers (D7).

use std::time::Instant;

use rayon::prelude::*;

use super::report::DensityReport;
use super::{
    AverageScorer, Family, FitError, FitReport, Fitted, Fold, LearnedReaders, Method, Monitor,
    Observations, Scoring, SharedDensity, Training, Weights,
};
use crate::density::{Tabulated, mix};
use crate::inference::{Diagnostics, Engine, InferenceError, Laplace, Scratch};
use crate::random::Stream;
use crate::saccade::DensityId;
use crate::score::TemplateScorer;
use crate::template::{Layout, Parts};

/// The constants k of the backoff that are tried (D7).
const BACKOFFS: [f64; 5] = [0.0, 1.0, 4.0, 16.0, 64.0];
/// The constant where there is nothing to tune it on.
const UNTUNED_BACKOFF: f64 = 4.0;

/// A generative method.
#[derive(Debug)]
pub struct Generative {
    name: &'static str,
    parts: Parts,
    family: Family,
    engine: Option<Engine>,
    /// Tuning compares posterior means, which all engines agree on: it takes a fast and rough one.
    tuner: Option<Engine>,
    scoring: Scoring,
}

/// One density of one reader.
#[derive(Debug, Clone)]
struct ReaderDensity {
    /// At the nodes, before backoff.
    log_f: Vec<f64>,
    /// Draws at the nodes, where they are kept.
    log_draws: Vec<Vec<f64>>,
    observations: usize,
    /// `None` where there was nothing to fit.
    outcome: Option<Option<Diagnostics>>,
}

/// Weight of the reader's own density after `n` observations.
fn own_weight(n: usize, k: f64) -> f64 {
    if n == 0 { 0.0 } else { n as f64 / (n as f64 + k) }
}

impl Generative {
    /// A method from its parts; without an engine densities are taken at their mode.
    pub fn new(
        name: &'static str,
        parts: Parts,
        family: Family,
        engine: Option<Engine>,
        scoring: Scoring,
    ) -> Self {
        let tuner = engine.is_some().then(|| Engine::Laplace(Laplace::rough()));
        Self { name, parts, family, engine, tuner, scoring }
    }

    fn ids(&self) -> Vec<DensityId> {
        DensityId::ALL.into_iter().filter(|id| self.parts.uses(*id)).collect()
    }

    fn keep(&self) -> usize {
        match self.scoring {
            Scoring::PosteriorMean => 0,
            Scoring::FullAverage { draws } => draws.max(1),
        }
    }

    /// One density of every reader, in parallel over readers.
    fn fit_density(
        &self,
        engine: Option<&Engine>,
        shared: &SharedDensity,
        observations: &Observations,
        keep: usize,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Vec<ReaderDensity>, FitError> {
        let cost = engine.map_or(1, Engine::cost);
        (0..observations.readers())
            .into_par_iter()
            .map_init(
                || Scratch::new(&shared.features),
                |scratch, reader| {
                    if monitor.stop() {
                        return Err(InferenceError::Interrupted.into());
                    }
                    let sample = shared.sample(observations.of_reader(shared.id, reader));
                    let mut fit = ReaderDensity {
                        log_f: shared.log_pooled.clone(),
                        log_draws: vec![shared.log_pooled.clone(); keep],
                        observations: sample.len(),
                        outcome: None,
                    };
                    if !sample.is_empty() {
                        let stream = shared.stream(seed, reader);
                        let outcome =
                            fit_reader(engine, shared, &sample, keep, stream, scratch, &mut fit);
                        if outcome.is_none() {
                            fit.observations = 0;
                        }
                        fit.outcome = Some(outcome);
                    }
                    monitor.advance(cost);
                    Ok(fit)
                },
            )
            .collect()
    }

    /// Every density of every reader, from a part of the training texts.
    fn fit_part(
        &self,
        shared: &[SharedDensity],
        observations: Observations,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Part, FitError> {
        let shared = shared
            .iter()
            .map(|density| density.repooled(&observations))
            .collect::<Result<Vec<_>, _>>()?;
        let densities = shared
            .iter()
            .map(|density| {
                let engine = self.tuner.as_ref();
                self.fit_density(engine, density, &observations, self.keep(), seed, monitor)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Part { shared, observations, densities })
    }

    /// Readers as a scorer.
    fn scorer(&self, layout: Layout, part: &Part, k: f64) -> Box<dyn LearnedReaders> {
        let Part { shared, observations, densities } = part;
        let backed_off = |density: usize, fit: &ReaderDensity, log_f: &[f64]| {
            mix(own_weight(fit.observations, k), log_f, &shared[density].log_pooled)
        };
        let population = layout.row(&observations.model(
            0..observations.readers(),
            shared.iter().map(|d| d.log_pooled.clone()).collect(),
        ));
        match self.scoring {
            Scoring::PosteriorMean => {
                let rows: Vec<Vec<f64>> = (0..observations.readers())
                    .into_par_iter()
                    .map(|reader| {
                        let fits = densities.iter().map(|d| &d[reader]).enumerate();
                        let log_densities = fits.map(|(i, fit)| backed_off(i, fit, &fit.log_f));
                        let model = observations.model(reader..reader + 1, log_densities.collect());
                        layout.row(&model)
                    })
                    .collect();
                Box::new(TemplateScorer::new(layout, &rows, population))
            }
            Scoring::FullAverage { .. } => {
                let log_draws: Vec<Vec<Vec<Vec<f64>>>> = densities
                    .par_iter()
                    .enumerate()
                    .map(|(i, fits)| {
                        let draws = |fit: &ReaderDensity| {
                            fit.log_draws.iter().map(|log_f| backed_off(i, fit, log_f)).collect()
                        };
                        fits.iter().map(draws).collect()
                    })
                    .collect();
                let keep = self.keep();
                Box::new(AverageScorer::new(layout, observations, &log_draws, keep, population))
            }
        }
    }
}

impl LearnedReaders for TemplateScorer {}

/// All densities of all readers, from the training texts or a part of them.
struct Part {
    shared: Vec<SharedDensity>,
    observations: Observations,
    /// By density, then reader; before backoff.
    densities: Vec<Vec<ReaderDensity>>,
}

impl Part {
    /// The likelihood of other observations of the same readers, by constant k of the backoff.
    fn held_out_likelihoods(&self, held_out: &Observations) -> [f64; BACKOFFS.len()] {
        let mut totals = [0.0; BACKOFFS.len()];
        for (density, fits) in self.shared.iter().zip(&self.densities) {
            let gains: Vec<[f64; BACKOFFS.len()]> = fits
                .par_iter()
                .enumerate()
                .map(|(reader, fit)| {
                    let observed = held_out.of_reader(density.id, reader);
                    BACKOFFS.map(|k| {
                        if observed.is_empty() {
                            return 0.0;
                        }
                        let weight = own_weight(fit.observations, k);
                        let log_f = mix(weight, &fit.log_f, &density.log_pooled);
                        let table = Tabulated::new(density.features.grid(), log_f);
                        let truncation = density.id.truncation();
                        observed.iter().map(|o| table.log_truncated(truncation, o)).sum()
                    })
                })
                .collect();
            for gain in gains {
                totals.iter_mut().zip(gain).for_each(|(t, g)| *t += g);
            }
        }
        totals
    }
}

/// The constant k with the highest held-out likelihood in two folds of the training texts (D7).
fn tuned_backoff(parts: &[Part; 2]) -> f64 {
    let mut totals = parts[0].held_out_likelihoods(&parts[1].observations);
    let second = parts[1].held_out_likelihoods(&parts[0].observations);
    totals.iter_mut().zip(second).for_each(|(t, g)| *t += g);
    // The largest k that is as good as any; minus infinity or worse never wins.
    let mut best = BACKOFFS.len() - 1;
    for i in (0..BACKOFFS.len() - 1).rev() {
        if totals[i] > totals[best] || totals[best].is_nan() {
            best = i;
        }
    }
    BACKOFFS[best]
}

/// Fits one density of one reader; `None` where it failed and the pooled density stands.
fn fit_reader(
    engine: Option<&Engine>,
    shared: &SharedDensity,
    sample: &crate::density::Sample,
    keep: usize,
    stream: Stream,
    scratch: &mut Scratch,
    fit: &mut ReaderDensity,
) -> Option<Diagnostics> {
    let problem = shared.problem(sample);
    let mode = problem.mode(&shared.pooled, scratch).ok()?;
    let Some(engine) = engine else {
        fit.log_f = mode.log_density(&shared.features);
        fit.log_draws = vec![fit.log_f.clone(); keep];
        return Some(Diagnostics::of_mode());
    };
    let posterior = engine.posterior(&problem, &mode, keep, stream, scratch).ok()?;
    fit.log_draws = posterior
        .draws
        .iter()
        .map(|theta| {
            let mut log_f = vec![0.0; shared.log_pooled.len()];
            shared.features.log_density(theta, &mut log_f);
            Tabulated::new(shared.features.grid(), log_f).into_log_f()
        })
        .collect();
    fit.log_f = posterior.log_mean;
    Some(posterior.diagnostics)
}

impl Method for Generative {
    fn name(&self) -> &str {
        self.name
    }

    fn engine(&self) -> Option<&str> {
        self.engine.as_ref().map(Engine::name)
    }

    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError> {
        training.check_words()?;
        let start = Instant::now();
        let observations = Observations::of(training);
        let ids = self.ids();
        // Two folds of tuning, then the fit itself.
        let cost = 2 * self.tuner.as_ref().map_or(1, Engine::cost)
            + self.engine.as_ref().map_or(1, Engine::cost);
        monitor.expect(cost * (ids.len() * training.readers()) as u64);
        let shared = ids
            .iter()
            .map(|id| SharedDensity::learn(*id, self.family, &observations))
            .collect::<Result<Vec<_>, _>>()?;
        let layout = Layout::new(
            self.parts,
            shared.iter().map(|d| (d.id, std::sync::Arc::clone(d.features.grid()))),
            observations.max_width(),
        );
        let halves = training.halves(seed);
        let parts = match &halves {
            None => None,
            Some(halves) => {
                let part = |i: usize| {
                    let kept = Observations::marked(training, &halves[i]);
                    self.fit_part(&shared, kept, seed, monitor)
                };
                Some([part(0)?, part(1)?])
            }
        };
        let k = parts.as_ref().map_or(UNTUNED_BACKOFF, tuned_backoff);
        let folds = parts.iter().flatten().zip(halves.iter().flatten().rev());
        let folds = folds
            .map(|(part, held_out)| {
                Fold::new(self.scorer(layout.clone(), part, k), training, held_out)
            })
            .collect();
        let tune_seconds = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let mut densities = Vec::with_capacity(ids.len());
        let mut reports = Vec::with_capacity(ids.len());
        for density in &shared {
            let engine = self.engine.as_ref();
            let fits =
                self.fit_density(engine, density, &observations, self.keep(), seed, monitor)?;
            let outcomes: Vec<_> = fits.iter().filter_map(|f| f.outcome).collect();
            reports.push(DensityReport::of(density.id, &outcomes));
            densities.push(fits);
        }
        let amplitudes = shared.iter().filter_map(|d| Some((d.id, d.process?.amplitude))).collect();
        let scorer = self.scorer(layout, &Part { shared, observations, densities }, k);
        let report = FitReport {
            amplitudes,
            backoff: (!ids.is_empty()).then_some(k),
            tune_seconds,
            fit_seconds: start.elapsed().as_secs_f64(),
            densities: reports,
            fell: 0,
        };
        let (weights, sights) = (Weights::ALONE, Vec::new());
        Ok(Fitted { scorer, folds, report, weights, admission: None, sights })
    }
}
