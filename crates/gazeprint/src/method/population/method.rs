//! The method `population`.

use std::time::Instant;

use rayon::prelude::*;

use super::learn::interrupted;
use super::{Background, Population, PopulationScorer, ReaderPosterior, Template, grouped};
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
    scorer: PopulationScorer,
}

/// The day that readers are learned on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Day {
    /// As it was.
    Recorded,
    /// As another one might have been; each number is another day.
    Imagined(u64),
}

impl Day {
    /// The day that a half of the readings is taken to be of.
    fn of_fold(training: &Training<'_>, number: usize) -> Self {
        // Held-out texts of the same day say little about another one.
        match training.occasion() {
            Occasion::Another if !training.has_sessions() => Self::Imagined(number as u64),
            _ => Self::Recorded,
        }
    }
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
        let readings = grouped(readers, readings);
        let posteriors = population.posteriors(&self.engine, &readings, day, seed, monitor)?;
        let stream = |density: &SharedDensity| density.stream(seed, readers);
        let nobody = population.enroll(&self.engine, &[], stream);
        let scorer = population.scorer(&posteriors, &nobody);
        Ok(Part { population, posteriors, scorer })
    }
}

impl Population {
    /// What is known of readers, by what each read, on a day.
    fn posteriors(
        &self,
        engine: &Engine,
        by_reader: &[Vec<&Reading>],
        day: Day,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Vec<ReaderPosterior>, FitError> {
        let posteriors = by_reader
            .par_iter()
            .enumerate()
            .map(|(reader, readings)| {
                if monitor.stop() {
                    return Err(interrupted());
                }
                let stream = |density: &SharedDensity| density.stream(seed, reader);
                let posterior = self.enroll(engine, readings, stream);
                monitor.advance(DensityId::ALL.len() as u64);
                Ok(posterior)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let Day::Imagined(number) = day else {
            return Ok(posteriors);
        };
        let index = |reader: usize| stream::ANOTHER_DAY + (number << 24) + reader as u64;
        let stream = |reader: usize| Stream { seed, index: index(reader) };
        Ok(self.on_another_day(&posteriors, stream))
    }

    /// The template of a reader who read this, and what templates are compared on where nothing was
    /// read. It depends on the readings alone, not on who else is enrolled, or when.
    pub fn template(&self, readings: &[&Reading]) -> Template {
        self.known(readings).template()
    }

    /// What templates of this population are compared on.
    pub fn background(&self) -> Background {
        self.background_with(&self.known(&[]))
    }

    fn known(&self, readings: &[&Reading]) -> ReaderPosterior {
        let engine = Engine::Laplace(Laplace::default());
        self.enroll(&engine, readings, |density| density.stream(0, 0))
    }

    /// The readers of `training` learned from either half of what they read, under this population:
    /// what the other half scores tells what scores are worth.
    ///
    /// # Errors
    /// If the monitor says stop.
    pub fn folds(
        &self,
        training: &Training<'_>,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fold>, FitError> {
        let engine = Engine::Laplace(Laplace::default());
        let background = self.background();
        let halves = training.halves(seed).into_iter().flatten().enumerate();
        halves
            .map(|(number, held_out)| {
                let by_reader = grouped(training.readers(), &kept(training, &held_out));
                let day = Day::of_fold(training, number);
                let posteriors = self.posteriors(&engine, &by_reader, day, seed, monitor)?;
                let templates: Vec<Template> =
                    posteriors.iter().map(ReaderPosterior::template).collect();
                let scorer = background.side_by_side(&templates);
                Ok(Fold::new(Box::new(scorer), training, &held_out))
            })
            .collect()
    }
}

/// The readings that are not held out.
fn kept<'a>(training: &Training<'a>, held_out: &[bool]) -> Vec<(usize, &'a Reading)> {
    let readings = training.readings().iter().zip(held_out);
    readings.filter(|(_, held_out)| !**held_out).map(|(r, _)| *r).collect()
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
            let day = Day::of_fold(training, number);
            let part = self.fit_part(readers, &kept(training, &held_out), day, seed, monitor)?;
            folds.push(Fold::new(Box::new(part.scorer), training, &held_out));
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
        Ok(Fitted { scorer: Box::new(part.scorer), folds, report })
    }
}
