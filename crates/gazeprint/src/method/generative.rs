//! Generative models of reading: saccade types, amplitudes and durations of each reader, with
//! backoff to all readers (D7).

use std::collections::HashSet;
use std::time::Instant;

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::report::DensityReport;
use super::{
    AverageGallery, Family, FitError, FitReport, Fitted, Method, Monitor, Observations, Scoring,
    SharedDensity, Training,
};
use crate::density::{Tabulated, mix};
use crate::gallery::{Gallery, TemplateGallery};
use crate::inference::{Diagnostics, Engine, InferenceError, Laplace, Scratch};
use crate::random::{Stream, stream};
use crate::saccade::DensityId;
use crate::template::{Layout, Parts, ReaderModel};

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
                    let index = (reader * DensityId::ALL.len() + shared.id as usize) as u64;
                    let sample = shared.sample(observations.of_reader(shared.id, reader));
                    let mut fit = ReaderDensity {
                        log_f: shared.log_pooled.clone(),
                        log_draws: vec![shared.log_pooled.clone(); keep],
                        observations: sample.len(),
                        outcome: None,
                    };
                    if !sample.is_empty() {
                        let stream = Stream { seed, index };
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

    /// The constant k with the highest held-out likelihood in two folds of the training texts.
    fn tune_backoff(
        &self,
        shared: &[SharedDensity],
        training: &Training<'_>,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<f64, FitError> {
        let mut units = training.units();
        if units.len() < 2 {
            return Ok(UNTUNED_BACKOFF);
        }
        units.shuffle(&mut Stream { seed, index: stream::FOLDS }.chain(0));
        let first: HashSet<usize> = units[..units.len().div_ceil(2)].iter().copied().collect();
        let folds = [true, false]
            .map(|side| Observations::filtered(training, |r| first.contains(&r.unit) == side));
        let mut totals = [0.0; BACKOFFS.len()];
        for (fitted, held_out) in [(&folds[0], &folds[1]), (&folds[1], &folds[0])] {
            for density in shared {
                let density = density.repooled(fitted)?;
                let engine = self.tuner.as_ref();
                let fits = self.fit_density(engine, &density, fitted, 0, seed, monitor)?;
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
        }
        // The largest k that is as good as any; minus infinity or worse never wins.
        let mut best = BACKOFFS.len() - 1;
        for i in (0..BACKOFFS.len() - 1).rev() {
            if totals[i] > totals[best] || totals[best].is_nan() {
                best = i;
            }
        }
        Ok(BACKOFFS[best])
    }
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
        let backoff = if ids.is_empty() {
            None
        } else {
            Some(self.tune_backoff(&shared, training, seed, monitor)?)
        };
        let tune_seconds = start.elapsed().as_secs_f64();

        let start = Instant::now();
        let k = backoff.unwrap_or(0.0);
        let keep = self.keep();
        let mut densities = Vec::with_capacity(ids.len());
        let mut reports = Vec::with_capacity(ids.len());
        for density in &shared {
            let engine = self.engine.as_ref();
            let mut fits = self.fit_density(engine, density, &observations, keep, seed, monitor)?;
            let outcomes: Vec<_> = fits.iter().filter_map(|f| f.outcome).collect();
            reports.push(DensityReport::of(density.id, &outcomes));
            for fit in &mut fits {
                let weight = own_weight(fit.observations, k);
                for log_f in std::iter::once(&mut fit.log_f).chain(&mut fit.log_draws) {
                    *log_f = mix(weight, log_f, &density.log_pooled);
                }
            }
            densities.push(fits);
        }
        let layout = Layout::new(
            self.parts,
            shared.iter().map(|d| (d.id, std::sync::Arc::clone(d.features.grid()))),
            observations.max_width(),
        );
        let gallery: Box<dyn Gallery> = match self.scoring {
            Scoring::PosteriorMean => {
                let rows: Vec<Vec<f64>> = (0..training.readers())
                    .into_par_iter()
                    .map(|reader| {
                        let log_densities =
                            densities.iter().map(|d| d[reader].log_f.clone()).collect();
                        layout.row(&reader_model(&observations, reader, log_densities))
                    })
                    .collect();
                Box::new(TemplateGallery::new(layout, &rows))
            }
            Scoring::FullAverage { .. } => {
                let log_draws: Vec<Vec<&[Vec<f64>]>> = densities
                    .iter()
                    .map(|d| d.iter().map(|fit| fit.log_draws.as_slice()).collect())
                    .collect();
                Box::new(AverageGallery::new(layout, &observations, &log_draws, keep))
            }
        };
        let report = FitReport {
            amplitudes: shared.iter().filter_map(|d| Some((d.id, d.amplitude?))).collect(),
            backoff,
            tune_seconds,
            fit_seconds: start.elapsed().as_secs_f64(),
            densities: reports,
        };
        Ok(Fitted { gallery, report })
    }
}

/// The posterior means of pi and mu under flat priors, with the densities.
fn reader_model(
    observations: &Observations,
    reader: usize,
    log_densities: Vec<Vec<f64>>,
) -> ReaderModel {
    let counts = observations.types[reader];
    let total = counts.iter().sum::<usize>() as f64;
    let [forward, backward] = observations.refixations[reader].map(|n| n as f64);
    ReaderModel {
        pi: counts.map(|n| (n as f64 + 1.0) / (total + 4.0)),
        mu: (forward + 1.0) / (forward + backward + 2.0),
        log_densities,
    }
}
