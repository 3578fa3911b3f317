//! A portrait of one reader: how the densities fit, whether they are calibrated, one reading, and
//! draws of the posterior.
//!
//! What readers share of a density comes from the training readings of all of them, the rest from
//! the reader's own. Densities are the reader's alone: nothing is mixed in from other readers (D7),
//! since a portrait is to show what this reader's data say.

mod data;
mod shown;

use gazeprint::corpus::{Corpus, Text, Word};
use gazeprint::density::Tabulated;
use gazeprint::inference::{Engine, Posterior, Scratch};
use gazeprint::method::{Family, FitError, Observations, SharedDensity, Training};
use gazeprint::saccade::{DensityId, Observation, Reading, Truncation};
use rayon::prelude::*;

pub use self::data::{
    DensityDraws, DensityFit, DensityTransform, Histogram, PlacedFixation, PlacedWord,
    ReaderCalibration, ReaderDensities, ScanpathData, TextLine,
};
pub use self::shown::{MOST_SHOWN, ShownReaders};
use crate::protocol::Split;
use crate::summary::Distribution;

/// Draws a density, those that are kept and those behind the bands.
const DRAWS: usize = 100;
/// Bins of a histogram up to the 95 % quantile: no fewer and no more, whatever the spread suggests.
const BINS: (f64, f64) = (10.0, 30.0);
/// Most bins in all: one stray value must not make millions.
const MOST_BINS: f64 = 400.0;

/// What is shown of one reader.
#[derive(Debug, Clone, PartialEq)]
pub struct Portrait {
    /// The densities that the reader showed in training, against the observations.
    pub densities: ReaderDensities,
    /// The same densities against the reader's test observations.
    pub calibration: ReaderCalibration,
    /// A test reading of median length.
    pub scanpath: ScanpathData,
    /// Draws of the posterior, of the densities shown.
    pub draws: Vec<DensityDraws>,
}

impl Portrait {
    /// The reader with the median number of fixations, as a place in the split; of two, the one
    /// with fewer.
    pub fn typical_reader(split: &Split, readings: &[Reading]) -> usize {
        let mut fixations = vec![0; split.readers.len()];
        for &(reader, reading) in split.train.iter().chain(&split.test) {
            fixations[reader] += readings[reading].fixations();
        }
        first_median(&fixations).unwrap_or(0)
    }

    /// The portrait of the reader at a place in the split. A density without training observations,
    /// or whose fit fails, is left out.
    ///
    /// The random numbers are those of the method `semiparametric` with the same seed.
    ///
    /// # Errors
    /// If there is no such reader, or a reader has nothing to learn from or to test.
    pub fn of(
        corpus: &Corpus,
        readings: &[Reading],
        split: &Split,
        reader: usize,
        engine: &Engine,
        seed: u64,
    ) -> Result<Self, FitError> {
        SharedDensities::of(corpus, readings, split, engine, seed)?.portrait(reader)
    }
}

/// What readers of a split share of their densities, learned once for all portraits of them.
struct SharedDensities<'a> {
    corpus: &'a Corpus,
    readings: &'a [Reading],
    split: &'a Split,
    engine: &'a Engine,
    seed: u64,
    seen: Observations,
    /// Semiparametric, and gamma where there is one.
    families: Vec<(SharedDensity, Option<SharedDensity>)>,
}

impl<'a> SharedDensities<'a> {
    fn of(
        corpus: &'a Corpus,
        readings: &'a [Reading],
        split: &'a Split,
        engine: &'a Engine,
        seed: u64,
    ) -> Result<Self, FitError> {
        let train = split.train.iter().map(|&(r, i)| (r, &readings[i])).collect();
        let seen = Observations::of(&Training::new(split.readers.len(), train)?);
        let learn = |id| {
            let of = |family| SharedDensity::learn(id, family, &seen).ok();
            Some((of(Family::Semiparametric)?, of(Family::Gamma)))
        };
        let families = DensityId::ALL.into_par_iter().filter_map(learn).collect();
        Ok(Self { corpus, readings, split, engine, seed, seen, families })
    }

    fn portrait(&self, reader: usize) -> Result<Portrait, FitError> {
        let Self { corpus, readings, split, seen, .. } = self;
        let readers = split.readers.len();
        let &index = split.readers.get(reader).ok_or(FitError::UnknownReader(reader, readers))?;
        let name = corpus.readers()[index].clone();
        let test: Vec<&Reading> =
            split.test.iter().filter(|t| t.0 == reader).map(|t| &readings[t.1]).collect();
        let held_out = Observations::of(&Training::new(1, test.iter().map(|&r| (0, r)).collect())?);
        let lengths: Vec<usize> = test.iter().map(|r| r.events.len()).collect();
        let typical = first_median(&lengths).ok_or(FitError::NothingRead(reader))?;

        let fits: Vec<Fit<'_>> =
            self.families.par_iter().filter_map(|family| self.fit(family, reader)).collect();
        let densities =
            fits.par_iter().map(|f| f.against(seen.of_reader(f.shared.id, reader))).collect();
        let transforms = fits
            .iter()
            .map(|f| f.transform(held_out.of_reader(f.shared.id, 0)))
            .filter(|t| !t.values.is_empty())
            .collect();
        Ok(Portrait {
            densities: ReaderDensities { reader: name.clone(), densities },
            calibration: ReaderCalibration { reader: name.clone(), densities: transforms },
            draws: fits.iter().map(Fit::draws).collect(),
            scanpath: placed(name, &corpus.texts()[test[typical].text], test[typical]),
        })
    }

    /// `None` where there is nothing to fit, or the fit fails.
    fn fit<'s>(
        &'s self,
        (shared, gamma): &'s (SharedDensity, Option<SharedDensity>),
        reader: usize,
    ) -> Option<Fit<'s>> {
        let own = self.seen.of_reader(shared.id, reader);
        if own.is_empty() {
            return None;
        }
        let sample = shared.sample(own);
        let problem = shared.problem(&sample);
        let mut scratch = Scratch::new(&shared.features);
        let mode = problem.mode(&shared.pooled, &mut scratch).ok()?;
        let stream = shared.stream(self.seed, reader);
        let posterior = self.engine.posterior(&problem, &mode, DRAWS, stream, &mut scratch).ok()?;
        Some(Fit { gamma: gamma.as_ref().and_then(|gamma| at_mode(gamma, own)), posterior, shared })
    }
}

/// The first place with the median value; of two medians, the smaller.
fn first_median(values: &[usize]) -> Option<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let median = sorted.get(values.len().saturating_sub(1) / 2)?;
    values.iter().position(|v| v == median)
}

/// One density of the reader.
struct Fit<'a> {
    shared: &'a SharedDensity,
    posterior: Posterior,
    /// The log density of the gamma fit at the nodes, where there is one.
    gamma: Option<Vec<f64>>,
}

impl Fit<'_> {
    fn mean(&self) -> Tabulated<'_> {
        Tabulated::new(self.shared.features.grid(), self.posterior.log_mean.clone())
    }

    fn draw(&self, theta: &[f64]) -> Tabulated<'_> {
        let grid = self.shared.features.grid();
        let mut log_f = vec![0.0; grid.nodes().len()];
        self.shared.features.log_density(theta, &mut log_f);
        Tabulated::new(grid, log_f)
    }

    /// The draws, and what they come to over the support.
    fn draws(&self) -> DensityDraws {
        let grid = self.shared.features.grid();
        let start = grid.lower().max(grid.nodes()[0]);
        let beyond = grid.nodes().iter().copied().filter(|&x| x > start);
        let x: Vec<f64> = std::iter::once(start).chain(beyond).collect();
        let values = |theta: &Vec<f64>| {
            let density = self.draw(theta);
            x.iter().map(|&x| density.log_density(x).exp()).collect()
        };
        DensityDraws {
            density: self.shared.id,
            values: self.posterior.draws.iter().map(values).collect(),
            coefficients: self.posterior.draws.clone(),
            x,
        }
    }

    /// The curves beside the histogram of the observations behind them.
    fn against(&self, observed: &[Observation]) -> DensityFit {
        let id = self.shared.id;
        let grid = self.shared.features.grid();
        let values: Vec<f64> = observed.iter().map(|o| o.value).collect();
        let (histogram, bin) = histogram(&values);
        let x = grid.nodes().to_vec();
        let curve = |density: &Tabulated<'_>| match id.truncation() {
            Truncation::Full => density.log_f().iter().map(|v| v.exp()).collect(),
            _ => confined(density, observed, &x, bin),
        };
        let draws: Vec<Vec<f64>> =
            self.posterior.draws.par_iter().map(|theta| curve(&self.draw(theta))).collect();
        let (low, high) = (0..x.len())
            .filter_map(|j| Distribution::of(draws.iter().map(|d| d[j])))
            .map(|d| (d.p5, d.p95))
            .unzip();
        let gamma = self.gamma.clone().map(|log_f| curve(&Tabulated::new(grid, log_f)));
        DensityFit {
            density: id,
            observations: observed.len(),
            histogram,
            gamma: gamma.unwrap_or_default(),
            mean: curve(&self.mean()),
            low,
            high,
            x,
        }
    }

    /// The probability integral transform of observations.
    fn transform(&self, observed: &[Observation]) -> DensityTransform {
        let density = self.mean();
        let values = observed.iter().map(|o| Shares::of(&density, o).below(o.value)).collect();
        DensityTransform { density: self.shared.id, values }
    }
}

/// The log density of a gamma fit at its mode, as in the method `landwehr`. It has the grid of the
/// semiparametric fit: grids depend on the observations alone.
fn at_mode(shared: &SharedDensity, own: &[Observation]) -> Option<Vec<f64>> {
    let sample = shared.sample(own);
    let mut scratch = Scratch::new(&shared.features);
    let mode = shared.problem(&sample).mode(&shared.pooled, &mut scratch).ok()?;
    Some(mode.log_density(&shared.features))
}

/// A density confined to the interval of an observation.
struct Shares<'a> {
    density: &'a Tabulated<'a>,
    interval: &'a Observation,
    log_total: f64,
}

impl<'a> Shares<'a> {
    fn of(density: &'a Tabulated<'a>, interval: &'a Observation) -> Self {
        let log_total = density.log_mass(interval.lower, interval.upper);
        Self { density, interval, log_total }
    }

    /// The share of the mass in the interval that is below `x`. In logarithms: an interval may hold
    /// less mass than a number can tell from zero.
    fn below(&self, x: f64) -> f64 {
        if x <= self.interval.lower {
            0.0
        } else if x >= self.interval.upper {
            1.0
        } else {
            (self.density.log_mass(self.interval.lower, x) - self.log_total).exp().min(1.0)
        }
    }
}

/// What compares with a histogram of confined observations: at every `x`, the mean height that a
/// bin of width `bin` around it has if each observation comes from the density confined to its
/// interval. (At single points that mean jumps wherever an interval begins or ends.)
fn confined(density: &Tabulated<'_>, observed: &[Observation], x: &[f64], bin: f64) -> Vec<f64> {
    let bins: Vec<(f64, f64)> =
        x.iter().map(|x| ((x - 0.5 * bin).max(0.0), x + 0.5 * bin)).collect();
    let mut heights = vec![0.0; x.len()];
    for o in observed {
        let shares = Shares::of(density, o);
        for (height, &(left, right)) in heights.iter_mut().zip(&bins) {
            *height += shares.below(right) - shares.below(left);
        }
    }
    let each = 1.0 / observed.len() as f64;
    heights.iter().zip(&bins).map(|(h, (left, right))| h * each / (right - left)).collect()
}

/// A histogram from zero to the largest value, with the width of its bins: Freedman and Diaconis'
/// rule, rounded to 1, 2 or 5 times a power of ten.
fn histogram(values: &[f64]) -> (Histogram, f64) {
    let largest = values.iter().copied().fold(0.0, f64::max);
    let suggested = Distribution::of(values.iter().copied()).map_or(0.0, |d| {
        let width = 2.0 * (d.p75 - d.p25) / (d.count as f64).cbrt();
        width.clamp(d.p95 / BINS.1, d.p95 / BINS.0).max(largest / MOST_BINS)
    });
    let width = if suggested > 0.0 { rounded(suggested) } else { 1.0 };
    let bins = (largest / width).ceil().max(1.0);
    (Histogram::of(values, bins as usize, (0.0, bins * width)), width)
}

fn rounded(width: f64) -> f64 {
    let power = 10f64.powf(width.log10().floor());
    let factor = match width / power {
        f if f < 1.5 => 1.0,
        f if f < 3.5 => 2.0,
        f if f < 7.5 => 5.0,
        _ => 10.0,
    };
    factor * power
}

/// A reading over the words of its text. A word that the corpus does not spell is shown as so many
/// crosses.
fn placed(reader: String, text: &Text, reading: &Reading) -> ScanpathData {
    let word = |word: &Word| PlacedWord {
        form: word
            .form
            .clone()
            .unwrap_or_else(|| "x".repeat(word.end.abs_diff(word.start) as usize)),
        start: word.start,
        end: word.end,
    };
    let lines = text.lines().iter().map(|line| TextLine {
        line: line.number(),
        words: line.words().iter().map(word).collect(),
    });
    let fixations = reading.events.iter().map(|event| PlacedFixation {
        line: text.lines()[event.line].number(),
        x: event.x,
        duration: event.duration,
        kind: event.kind,
    });
    ScanpathData {
        reader,
        text: text.id().to_owned(),
        lines: lines.collect(),
        fixations: fixations.collect(),
    }
}
