//! The method `population`.

use std::time::Instant;

use rayon::prelude::*;

use super::learn::interrupted;
use super::{
    Background, DayShares, Population, PopulationScorer, ReaderPosterior, Template, grouped,
};
use crate::inference::{Engine, Laplace};
use crate::method::{
    DensityReport, FitError, FitReport, Fitted, Fold, Method, Monitor, Occasion, SharedDensity,
    Training, Weights,
};
use crate::random::{Stream, stream};
use crate::saccade::{DensityId, Reading};

/// Seed of how readings are halved, and of the days that are imagined: what a gallery learns from its
/// readers must not depend on when.
const SEED: u64 = 1;

/// The method `population`: readers around a population learned from all of them. Its posteriors are
/// computed by `laplace`, and depend on no seed: a study has the readers that a gallery would have.
#[derive(Debug, Clone, Copy, Default)]
pub struct PopulationMethod {
    usual: DayShares,
}

/// The method `population`; other people's days are `usual`.
pub fn population(usual: DayShares) -> PopulationMethod {
    PopulationMethod { usual }
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

impl Population {
    /// What is known of readers, by what each read: `known` says it of one, by place.
    fn posteriors(
        &self,
        by_reader: &[Vec<&Reading>],
        known: impl Fn(usize, &[&Reading]) -> ReaderPosterior + Sync,
        monitor: &dyn Monitor,
    ) -> Result<Vec<ReaderPosterior>, FitError> {
        let posterior = |(reader, readings): (usize, &Vec<&Reading>)| {
            if monitor.stop() {
                return Err(interrupted());
            }
            let posterior = known(reader, readings);
            monitor.advance(DensityId::ALL.len() as u64);
            Ok(posterior)
        };
        by_reader.par_iter().enumerate().map(posterior).collect()
    }

    /// Templates of readers as they will be met. Those seen on several days are taken as they are.
    fn templates(&self, readers: Vec<ReaderPosterior>, training: &Training<'_>) -> Vec<Template> {
        let met = |reader: ReaderPosterior| match training.occasion() {
            Occasion::Another if !training.has_sessions() => self.expected(reader).template(),
            _ => reader.template(),
        };
        readers.into_iter().map(met).collect()
    }

    /// Readers learned from a half of what they read, on a day.
    fn half(
        &self,
        by_reader: &[Vec<&Reading>],
        day: Day,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Vec<ReaderPosterior>, FitError> {
        let engine = Engine::Laplace(Laplace::default());
        let known = |reader: usize, readings: &[&Reading]| {
            let stream = |density: &SharedDensity| density.stream(seed, reader);
            self.enroll(&engine, readings, stream)
        };
        let posteriors = self.posteriors(by_reader, known, monitor)?;
        let Day::Imagined(number) = day else {
            return Ok(posteriors);
        };
        let index = |reader: usize| stream::ANOTHER_DAY + (number << 24) + reader as u64;
        let stream = |reader: usize| Stream { seed, index: index(reader) };
        Ok(self.on_another_day(&posteriors, stream))
    }

    /// The template of a reader who read this and will be met on another day, and what templates are
    /// compared on where nothing was read. It depends on the readings alone, not on who else is
    /// enrolled, or when.
    pub fn template(&self, readings: &[&Reading]) -> Template {
        let known = self.known(readings);
        let first = readings.first().map(|reading| reading.session);
        let is_of_one_day = readings.iter().all(|reading| Some(reading.session) == first);
        if is_of_one_day { self.expected(known).template() } else { known.template() }
    }

    /// What templates of this population are compared on.
    pub fn background(&self) -> Background {
        self.background_with(&self.known(&[]))
    }

    fn known(&self, readings: &[&Reading]) -> ReaderPosterior {
        let engine = Engine::Laplace(Laplace::default());
        self.enroll(&engine, readings, |density| density.stream(0, 0))
    }

    /// The readers learned from either half of `training` under this population, with what was held
    /// out: what the other half scores tells what scores are worth.
    ///
    /// # Errors
    /// If the monitor says stop.
    pub fn halves(
        &self,
        training: &Training<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<(PopulationScorer, Vec<bool>)>, FitError> {
        let background = self.background();
        let halves = training.halves(SEED).into_iter().flatten().enumerate();
        halves
            .map(|(number, held_out)| {
                let by_reader = grouped(training.readers(), &kept(training, &held_out));
                let day = Day::of_fold(training, number);
                let posteriors = self.half(&by_reader, day, SEED, monitor)?;
                let templates = self.templates(posteriors, training);
                Ok((background.side_by_side(&templates, &[]), held_out))
            })
            .collect()
    }

    /// Readers with whom a gallery compares, and the same readers learned from either half of `training`
    /// under this population.
    ///
    /// # Errors
    /// If the monitor says stop.
    pub fn fitted(
        &self,
        scorer: PopulationScorer,
        training: &Training<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError> {
        let halves = self.halves(training, monitor)?.into_iter();
        let folds = halves
            .map(|(scorer, held_out)| Fold::new(Box::new(scorer), training, &held_out))
            .collect();
        Ok(Fitted {
            scorer: Box::new(scorer),
            folds,
            report: FitReport::default(),
            weights: Weights::ALONE,
            admission: None,
        })
    }

    /// Population and readers of `training`, with an account of the fit.
    pub(in crate::method) fn learn_readers(
        training: &Training<'_>,
        usual: &DayShares,
        among_imagined: bool,
        monitor: &dyn Monitor,
    ) -> Result<(Self, PopulationScorer, FitReport), FitError> {
        let readers = training.readers();
        let enrolling = (DensityId::ALL.len() * readers) as u64;
        monitor.expect(Population::cost(readers) + 3 * enrolling);
        let start = Instant::now();
        let population = Population::learn(readers, training.readings(), usual, monitor)?;
        let by_reader = grouped(readers, training.readings());
        let known = |_: usize, readings: &[&Reading]| population.known(readings);
        let posteriors = population.posteriors(&by_reader, known, monitor)?;
        let densities = population.densities.iter().enumerate();
        let densities = densities.map(|(i, density)| {
            let outcomes: Vec<_> =
                posteriors.iter().filter_map(|p| p.densities[i].outcome).collect();
            DensityReport::of(density.id, &outcomes)
        });
        let densities = densities.collect();
        let templates = population.templates(posteriors, training);
        let cohort = if among_imagined { population.cohort() } else { Vec::new() };
        let scorer = population.background().side_by_side(&templates, &cohort);
        let fit_seconds = start.elapsed().as_secs_f64();
        let report =
            FitReport { densities, fell: population.fell, fit_seconds, ..FitReport::default() };
        Ok((population, scorer, report))
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
        Some(Engine::Laplace(Laplace::default()).name())
    }

    fn fit(
        &self,
        training: &Training<'_>,
        _: u64,
        monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError> {
        training.check_words()?;
        let (population, scorer, report) =
            Population::learn_readers(training, &self.usual, false, monitor)?;
        let start = Instant::now();
        let fitted = population.fitted(scorer, training, monitor)?;
        let tune_seconds = start.elapsed().as_secs_f64();
        Ok(Fitted { report: FitReport { tune_seconds, ..report }, ..fitted })
    }
}
