//! The method `population`.

use std::time::Instant;

use rayon::prelude::*;

use super::learn::interrupted;
use super::{Population, PopulationGallery, ReaderPosterior, grouped};
use crate::inference::{Engine, Laplace};
use crate::method::{
    DensityReport, FitError, FitReport, Fitted, Fold, Method, Monitor, Occasion, SharedDensity,
    Training,
};
use crate::random::{Stream, stream};
use crate::saccade::{DensityId, Reading};

/// Readers around a population learned from all of them.
#[derive(Debug)]
pub struct PopulationMethod {
    engine: Engine,
}

/// The method `population`: its posteriors are computed by `laplace`.
pub fn population() -> PopulationMethod {
    PopulationMethod { engine: Engine::Laplace(Laplace::default()) }
}

/// A population with its readers.
struct Part {
    population: Population,
    posteriors: Vec<ReaderPosterior>,
    gallery: PopulationGallery,
}

/// The day that readers are learned on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Day {
    /// As it was.
    Recorded,
    /// As another one might have been; each number is another day.
    Imagined(u64),
}

impl PopulationMethod {
    fn fit_part(
        &self,
        readers: usize,
        readings: &[(usize, &Reading)],
        day: Day,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Part, FitError> {
        let population = Population::learn(readers, readings, monitor)?;
        let enroll = |reader: usize, readings: &[&Reading]| {
            let stream = |density: &SharedDensity| density.stream(seed, reader);
            population.enroll(&self.engine, readings, stream)
        };
        let mut posteriors = grouped(readers, readings)
            .par_iter()
            .enumerate()
            .map(|(reader, readings)| {
                if monitor.stop() {
                    return Err(interrupted());
                }
                let posterior = enroll(reader, readings);
                monitor.advance(DensityId::ALL.len() as u64);
                Ok(posterior)
            })
            .collect::<Result<Vec<_>, _>>()?;
        if let Day::Imagined(number) = day {
            let index = |reader: usize| stream::ANOTHER_DAY + (number << 24) + reader as u64;
            let stream = |reader: usize| Stream { seed, index: index(reader) };
            posteriors = population.on_another_day(&posteriors, stream);
        }
        let gallery = population.gallery(&posteriors, &enroll(readers, &[]));
        Ok(Part { population, posteriors, gallery })
    }
}

impl Method for PopulationMethod {
    fn name(&self) -> &str {
        "population"
    }

    fn engine(&self) -> Option<&str> {
        Some(self.engine.name())
    }

    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError> {
        let readers = training.readers();
        let enrolling = (DensityId::ALL.len() * readers) as u64;
        monitor.expect(3 * (Population::cost(readers) + enrolling));
        let start = Instant::now();
        let mut folds = Vec::new();
        for (number, held_out) in training.halves(seed).into_iter().flatten().enumerate() {
            // Held-out texts of the same day say little about another one.
            let day = match training.occasion() {
                Occasion::Another if !training.has_sessions() => Day::Imagined(number as u64),
                _ => Day::Recorded,
            };
            let readings = training.readings().iter().zip(&held_out);
            let kept: Vec<(usize, &Reading)> =
                readings.filter(|(_, held_out)| !**held_out).map(|(r, _)| *r).collect();
            let part = self.fit_part(readers, &kept, day, seed, monitor)?;
            folds.push(Fold::new(Box::new(part.gallery), training, &held_out));
        }
        let tune_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let all = training.readings();
        let part = self.fit_part(readers, all, Day::Recorded, seed, monitor)?;
        let densities = part.population.densities.iter().enumerate();
        let densities = densities.map(|(i, density)| {
            let outcomes: Vec<_> =
                part.posteriors.iter().filter_map(|p| p.densities[i].outcome).collect();
            DensityReport::of(density.id, &outcomes)
        });
        let report = FitReport {
            densities: densities.collect(),
            fell: part.population.fell,
            tune_seconds,
            fit_seconds: start.elapsed().as_secs_f64(),
            ..FitReport::default()
        };
        Ok(Fitted { gallery: Box::new(part.gallery), folds, report })
    }
}
