//! The feature comparison of Holland & Komogortsev (2012), as far as fixations on words carry it.

use std::time::Instant;

use statrs::function::erf::erfc;

use super::{
    FitError, FitReport, Fitted, Fold, LearnedReaders, Method, Monitor, Score, Training, Weights,
};
use crate::kernels;
use crate::saccade::Reading;
use crate::score::{Scorer, Tally};
use crate::template::Probe;

/// Number of features of a sentence.
const FEATURES: usize = 7;

/// Weights of the features in `holland-weighted`.
const WEIGHTS: [f64; FEATURES] = [
    25.0, // fixation count
    75.0, // mean fixation duration
    10.0, // mean absolute amplitude
    1.0,  // mean forward amplitude
    1.0,  // scanpath length
    10.0, // extent
    10.0, // direction changes
];

/// Compares means of simple features.
#[derive(Debug, Clone)]
pub struct Holland {
    name: &'static str,
    weights: [f64; FEATURES],
}

impl Holland {
    /// The method `holland-unweighted`.
    pub fn unweighted() -> Self {
        Self { name: "holland-unweighted", weights: [1.0; FEATURES] }
    }

    /// The method `holland-weighted`.
    pub fn weighted() -> Self {
        Self { name: "holland-weighted", weights: WEIGHTS }
    }
}

/// The features of one reading; one that the reading does not show is `None`.
fn features(reading: &Reading) -> [Option<f64>; FEATURES] {
    if reading.events.is_empty() {
        return [None; FEATURES];
    }
    let steps: Vec<f64> = reading.events.iter().filter_map(|e| e.step()).collect();
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let (mut sum, mut n) = (0.0, 0.0);
        for v in values {
            sum += v;
            n += 1.0;
        }
        (n > 0.0).then(|| sum / n)
    };
    let leftmost = reading.events.iter().map(|e| e.x).fold(f64::INFINITY, f64::min);
    let rightmost = reading.events.iter().map(|e| e.x).fold(f64::NEG_INFINITY, f64::max);
    // Within a pass: no saccade leads from one pass to the next.
    let turns = reading
        .events
        .windows(2)
        .filter_map(|pair| Some((pair[0].step()?, pair[1].step()?)))
        .filter(|(a, b)| (*a > 0.0) != (*b > 0.0))
        .count();
    [
        Some(reading.events.len() as f64),
        mean(&mut reading.events.iter().map(|e| e.duration)),
        mean(&mut steps.iter().map(|a| a.abs())),
        mean(&mut steps.iter().copied().filter(|a| *a > 0.0)),
        Some(steps.iter().map(|a| a.abs()).sum()),
        Some(rightmost - leftmost),
        Some(turns as f64),
    ]
}

/// Means of features by reader.
#[derive(Debug, Clone)]
pub struct HollandScorer {
    weights: [f64; FEATURES],
    templates: Vec<[f64; FEATURES]>,
    scales: [f64; FEATURES],
}

impl Method for Holland {
    fn name(&self) -> &str {
        self.name
    }

    fn score(&self) -> Score {
        Score::LogSimilarity
    }

    fn fit(
        &self,
        training: &Training<'_>,
        seed: u64,
        _monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError> {
        training.check_words()?;
        let start = Instant::now();
        let readings = training.readings();
        let folds = training.halves(seed).into_iter().flatten().map(|held_out| {
            let kept = readings.iter().zip(&held_out).filter(|(_, held_out)| !**held_out);
            let fitted = kept.map(|(reading, _)| *reading);
            let scorer = HollandScorer::learn(self.weights, training.readers(), fitted);
            Fold::new(Box::new(scorer), training, &held_out)
        });
        let all = readings.iter().copied();
        let scorer = Box::new(HollandScorer::learn(self.weights, training.readers(), all));
        let folds = folds.collect();
        let fit_seconds = start.elapsed().as_secs_f64();
        let report = FitReport { fit_seconds, ..FitReport::default() };
        let (weights, sights) = (Weights::ALONE, Vec::new());
        Ok(Fitted { scorer, folds, report, weights, admission: None, sights })
    }
}

impl HollandScorer {
    /// Means of the features over the readings of each reader. A reader without any is like nobody.
    fn learn<'a>(
        weights: [f64; FEATURES],
        readers: usize,
        readings: impl Iterator<Item = (usize, &'a Reading)>,
    ) -> Self {
        let mut values: Vec<[Vec<f64>; FEATURES]> = vec![Default::default(); readers];
        for (reader, reading) in readings {
            for (list, value) in values[reader].iter_mut().zip(features(reading)) {
                list.extend(value);
            }
        }
        let mut templates = vec![[f64::NAN; FEATURES]; readers];
        let mut scales = [0.0; FEATURES];
        for f in 0..FEATURES {
            let mut spreads = Vec::new();
            for (reader, lists) in values.iter().enumerate() {
                let list = &lists[f];
                let n = list.len() as f64;
                let mean = list.iter().sum::<f64>() / n;
                templates[reader][f] = mean;
                if list.len() > 1 {
                    let squares: f64 = list.iter().map(|v| (v - mean).powi(2)).sum();
                    spreads.push((squares / (n - 1.0)).sqrt());
                }
            }
            // Twice the spread of a reader's own sentences.
            scales[f] = 2.0 * spreads.iter().sum::<f64>() / spreads.len().max(1) as f64;
        }
        Self { weights, templates, scales }
    }

    /// 1 for equal means, towards 0 as they differ by more than readers do from themselves;
    /// nothing is known of a feature that one side never showed.
    fn similarity(&self, reader: usize, means: &[Option<f64>; FEATURES]) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        for f in 0..FEATURES {
            let template = self.templates[reader][f];
            if let Some(x) = means[f].filter(|_| !template.is_nan() && self.scales[f] > 0.0) {
                let z = (x - template) / self.scales[f];
                // 1 - abs(2 Phi(z) - 1), without cancellation.
                sum += self.weights[f] * erfc(z.abs() / std::f64::consts::SQRT_2);
                total += self.weights[f];
            }
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }
}

impl LearnedReaders for HollandScorer {}

impl Scorer for HollandScorer {
    fn len(&self) -> usize {
        self.templates.len()
    }

    /// Sums of the features, then how often each was shown.
    fn probe(&self, reading: &Reading) -> Probe {
        let entries = features(reading)
            .into_iter()
            .enumerate()
            .filter_map(|(f, value)| value.map(|v| (f as u32, v)))
            .flat_map(|(f, v)| [(f, v), (f + FEATURES as u32, 1.0)])
            .collect();
        Probe::new(entries, 0.0, reading.events.len())
    }

    fn tally(&self, probe: &Probe) -> Tally {
        Tally::whole(probe)
    }

    fn settle(&self, tally: &Tally) -> Vec<f64> {
        let probe = tally.probe();
        // Fixations one by one say how much each changed the score.
        if probe.fixations() == 0 {
            return tally.scores_of(self.len());
        }
        let mut sums = [0.0; 2 * FEATURES];
        for &(place, value) in probe.entries() {
            sums[place as usize] = value;
        }
        let means = std::array::from_fn(|f| {
            let n = sums[f + FEATURES];
            (n > 0.0).then(|| sums[f] / n)
        });
        (0..self.len())
            .map(|reader| self.similarity(reader, &means).max(f64::MIN_POSITIVE).ln())
            .collect()
    }

    /// The mean similarity over all readers of whom something is known: what the method's authors
    /// hold a similarity against.
    fn population(&self, _: &Probe, scores: &[f64]) -> f64 {
        let known = |template: &&[f64; FEATURES]| template.iter().any(|mean| !mean.is_nan());
        let readers = self.templates.iter().filter(known).count();
        kernels::log_sum_exp(scores) - (readers as f64).ln()
    }
}
