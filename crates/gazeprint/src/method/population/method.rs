//! The method `population`.

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::enroll::{Before, Beliefs};
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

    /// Readers learned from a half of what they read, on a day; `before` says what is known of each.
    fn half<'a>(
        &self,
        by_reader: &[Vec<&Reading>],
        before: impl Fn(usize, &[&Reading]) -> Before<'a> + Sync,
        day: Day,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Vec<ReaderPosterior>, FitError> {
        let engine = Engine::Laplace(Laplace::default());
        let known = |reader: usize, readings: &[&Reading]| {
            let stream = |density: &SharedDensity| density.stream(seed, reader);
            self.enroll_after(before(reader, readings), &engine, readings, stream)
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
        self.known_after(Before::Nothing, readings)
    }

    fn known_after(&self, before: Before<'_>, readings: &[&Reading]) -> ReaderPosterior {
        let engine = Engine::Laplace(Laplace::default());
        self.enroll_after(before, &engine, readings, |density| density.stream(0, 0))
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
        let halves = self.template_halves(training, None, monitor)?.into_iter();
        let scorer = |templates: Vec<Template>| background.side_by_side(&templates, &[]);
        Ok(halves.map(|(templates, held_out)| (scorer(templates), held_out)).collect())
    }

    /// `beliefs` are those of all readings of each reader, where they are known.
    fn template_halves(
        &self,
        training: &Training<'_>,
        beliefs: Option<&[Beliefs]>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Half>, FitError> {
        let all = grouped(training.readers(), training.readings());
        let before = |reader: usize, kept: &[&Reading]| {
            let part = || fixations(kept) as f64 / fixations(&all[reader]).max(1) as f64;
            beliefs.map_or(Before::Nothing, |beliefs| Before::More(&beliefs[reader], part()))
        };
        let halves = training.halves(SEED).into_iter().flatten().enumerate();
        halves
            .map(|(number, held_out)| {
                let by_reader = grouped(training.readers(), &kept(training, &held_out));
                let day = Day::of_fold(training, number);
                let posteriors = self.half(&by_reader, before, day, SEED, monitor)?;
                Ok((self.templates(posteriors, training), held_out))
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
        let halves = self.halves(training, monitor)?;
        Ok(fitted(scorer, halves, training, FitReport::default()))
    }
}

/// Readers learned from a half of a training, with what was held out.
type Half = (Vec<Template>, Vec<bool>);

/// Readers, and the same learned from halves of `training`.
fn fitted(
    scorer: PopulationScorer,
    halves: Vec<(PopulationScorer, Vec<bool>)>,
    training: &Training<'_>,
    report: FitReport,
) -> Fitted {
    let fold = |(scorer, held_out): (PopulationScorer, Vec<bool>)| {
        Fold::new(Box::new(scorer), training, &held_out)
    };
    Fitted {
        scorer: Box::new(scorer),
        folds: halves.into_iter().map(fold).collect(),
        report,
        weights: Weights::ALONE,
        admission: None,
        sights: Vec::new(),
    }
}

/// A population learned from a training, with its readers and those learned from either half.
#[derive(Debug)]
pub(in crate::method) struct LearnedPopulation {
    usual: DayShares,
    population: Population,
    readers: Vec<Template>,
    halves: Vec<Half>,
    /// With the seconds that all of it took, whoever asked first.
    pub(in crate::method) report: FitReport,
}

impl LearnedPopulation {
    /// Learns it, unless another method did.
    pub(in crate::method) fn of(
        training: &Training<'_>,
        usual: &DayShares,
        monitor: &dyn Monitor,
    ) -> Result<Arc<Self>, FitError> {
        let known = training.common.population.get();
        if let Some(known) = known.filter(|known| known.usual == *usual) {
            return Ok(Arc::clone(known));
        }
        let learned = Arc::new(Self::learn(training, usual, monitor)?);
        // Where others were learned meanwhile, they are the same, or stay.
        _ = training.common.population.set(Arc::clone(&learned));
        Ok(learned)
    }

    fn learn(
        training: &Training<'_>,
        usual: &DayShares,
        monitor: &dyn Monitor,
    ) -> Result<Self, FitError> {
        let readers = training.readers();
        let enrolling = (DensityId::ALL.len() * readers) as u64;
        monitor.expect(Population::cost(readers) + 3 * enrolling);
        let start = Instant::now();
        let (population, beliefs) =
            Population::learn_with_beliefs(readers, training.readings(), usual, monitor)?;
        let by_reader = grouped(readers, training.readings());
        let known = |reader: usize, readings: &[&Reading]| {
            population.known_after(Before::All(&beliefs[reader]), readings)
        };
        let posteriors = population.posteriors(&by_reader, known, monitor)?;
        let densities = population.densities.iter().enumerate();
        let densities = densities.map(|(i, density)| {
            let outcomes: Vec<_> =
                posteriors.iter().filter_map(|p| p.densities[i].outcome).collect();
            DensityReport::of(density.id, &outcomes)
        });
        let densities = densities.collect();
        let readers = population.templates(posteriors, training);
        let fit_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let halves = population.template_halves(training, Some(&beliefs), monitor)?;
        let tune_seconds = start.elapsed().as_secs_f64();
        let fell = population.fell;
        let report =
            FitReport { densities, fell, fit_seconds, tune_seconds, ..FitReport::default() };
        Ok(Self { usual: *usual, population, readers, halves, report })
    }

    /// The readers, side by side with imagined ones where that is asked.
    pub(in crate::method) fn scorer(&self, among_imagined: bool) -> PopulationScorer {
        let cohort = if among_imagined { self.population.cohort() } else { Vec::new() };
        self.population.background().side_by_side(&self.readers, &cohort)
    }

    /// The readers learned from either half, with what was held out.
    pub(in crate::method) fn halves(&self) -> Vec<(PopulationScorer, Vec<bool>)> {
        let background = self.population.background();
        let scorer = |templates: &[Template]| background.side_by_side(templates, &[]);
        let halves = self.halves.iter();
        halves.map(|(templates, held_out)| (scorer(templates), held_out.clone())).collect()
    }
}

/// Fixations on words.
fn fixations(readings: &[&Reading]) -> usize {
    readings.iter().map(|reading| reading.events.len()).sum()
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
        let learned = LearnedPopulation::of(training, &self.usual, monitor)?;
        Ok(fitted(learned.scorer(false), learned.halves(), training, learned.report.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Limits;
    use crate::method::Unwatched;
    use crate::saccade::readings;
    use crate::score::Scorer as _;
    use crate::simulate::SimulationParams;

    /// A study begins where other searches ended, and has the readers that a gallery would have.
    #[test]
    fn readers_do_not_depend_on_where_searches_begin() {
        let params = SimulationParams { readers: 6, texts: 16, ..SimulationParams::default() };
        let corpus = params.build().unwrap().run();
        let (readings, _) = readings(&corpus, Limits::default());
        let own = readings.iter().map(|r| (r.reader, r)).collect();
        let training = Training::new(6, own).unwrap();
        let learned = LearnedPopulation::of(&training, &DayShares::default(), &Unwatched).unwrap();
        let population = &learned.population;
        let cold: Vec<ReaderPosterior> =
            grouped(6, training.readings()).iter().map(|own| population.known(own)).collect();
        let cold = population.templates(cold, &training);
        let enrolled = [population.background().side_by_side(&cold, &[]), learned.scorer(false)];
        let halves = population.halves(&training, &Unwatched).unwrap().into_iter();
        let halves = halves.zip(learned.halves()).map(|((cold, _), (warm, _))| [cold, warm]);
        for scorers in halves.chain([enrolled]) {
            for reading in &readings {
                let of = |scorer: &PopulationScorer| scorer.scores(&scorer.probe(reading));
                let scores = scorers.each_ref().map(of);
                for (cold, warm) in scores[0].iter().zip(&scores[1]) {
                    let off = (cold - warm).abs() / reading.fixations() as f64;
                    assert!(off < 1e-5, "{cold} {warm}");
                }
            }
        }
    }
}
