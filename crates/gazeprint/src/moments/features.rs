//! What moments say of a person.

use serde::{Deserialize, Serialize};

use super::{BLOCKS, DIRECTIONS, Moments, STAYS, STILLNESS, block_start};

/// Features of a direction of saccades.
const BY_DIRECTION: usize = 19;
/// Features of durations, and of stillness.
const OF_STAYS: usize = 3;
const OF_STILLNESS: usize = 15;
/// Numbers that a person is told by.
pub const FEATURES: usize = DIRECTIONS * BY_DIRECTION + OF_STAYS + OF_STILLNESS;
/// Events of people in general that stand beside those of a person, so that a few say little.
const OF_PEOPLE: f64 = 4.0;
/// Standardised features lie within this.
const FURTHEST: f64 = 4.0;
/// Least variance of numbers that vary.
const LEAST_VARIANCE: f64 = 1e-6;

/// Mean, covariance and skewness of the numbers of a block.
struct Shape {
    count: f64,
    mean: Vec<f64>,
    covariance: Vec<Vec<f64>>,
    /// Third central moments over the cube of the standard deviation.
    skewness: Vec<f64>,
}

impl Shape {
    /// Of a person, beside a few events of people in general.
    fn of(block: usize, person: &Moments, people: &Moments) -> Self {
        let (size, start) = (BLOCKS[block], block_start(block));
        let number = |of: &Moments, i: usize| of.numbers().get(start + i).copied().unwrap_or(0.0);
        let general = |i: usize| {
            let count = number(people, 0);
            if count > 0.0 { number(people, i) / count } else { 0.0 }
        };
        let count = number(person, 0) + OF_PEOPLE;
        let moment = |i: usize| (number(person, i) + OF_PEOPLE * general(i)) / count;
        let mean: Vec<f64> = (0..size).map(|i| moment(1 + i)).collect();
        let products = 1 + size;
        let covariance: Vec<Vec<f64>> = (0..size)
            .map(|i| {
                let entry = |j: usize| {
                    let (high, low) = (i.max(j), i.min(j));
                    let product = moment(products + high * (high + 1) / 2 + low);
                    product - mean[i] * mean[j] + if i == j { LEAST_VARIANCE } else { 0.0 }
                };
                (0..size).map(entry).collect()
            })
            .collect();
        let cubes = products + size * (size + 1) / 2;
        let skewness = (0..size).map(|i| {
            let (m, variance) = (mean[i], covariance[i][i].max(LEAST_VARIANCE));
            (moment(cubes + i) - 3.0 * m * variance - m * m * m) / variance.powf(1.5)
        });
        let skewness = skewness.collect();
        Self { count, mean, covariance, skewness }
    }

    fn log_sd(&self, i: usize) -> f64 {
        0.5 * self.covariance[i][i].max(LEAST_VARIANCE).ln()
    }

    fn correlation(&self, i: usize, j: usize) -> f64 {
        let scale =
            self.covariance[i][i].max(LEAST_VARIANCE) * self.covariance[j][j].max(LEAST_VARIANCE);
        self.covariance[i][j] / scale.sqrt()
    }

    /// The line of number `i` on the first: its height at nought, slope, and log residual deviation.
    fn line(&self, i: usize) -> [f64; 3] {
        let c = &self.covariance;
        let slope = c[0][i] / c[0][0].max(LEAST_VARIANCE);
        let residual = (c[i][i] - slope * c[0][i]).max(LEAST_VARIANCE);
        [self.mean[i] - slope * self.mean[0], slope, 0.5 * residual.ln()]
    }
}

/// What a recording says, before it is standardised.
fn raw(person: &Moments, people: &Moments) -> Vec<f64> {
    let shape = |block| Shape::of(block, person, people);
    let mut features = Vec::with_capacity(FEATURES);
    let ways: Vec<Shape> = (0..DIRECTIONS).map(|d| shape(3 * d)).collect();
    let saccades: f64 = ways.iter().map(|way| way.count).sum();
    for (direction, way) in ways.iter().enumerate() {
        let (speed, peak) = (shape(3 * direction + 1), shape(3 * direction + 2));
        let (velocity, duration) = (speed.line(1), speed.line(2));
        let residuals = speed.covariance[1][2] - velocity[1] * speed.covariance[0][2];
        features.extend([
            (way.count / saccades).ln(),
            way.mean[0],
            way.log_sd(0),
            way.skewness[0],
            way.mean[1],
            way.log_sd(1),
            velocity[0],
            velocity[1],
            velocity[2],
            duration[0],
            duration[1],
            duration[2],
            residuals / (velocity[2] + duration[2]).exp(),
            speed.mean[1],
            speed.mean[2],
            peak.mean[1],
            peak.log_sd(1),
            peak.line(1)[1],
            peak.skewness[1],
        ]);
    }
    let stays = shape(STAYS);
    features.extend([stays.mean[0], stays.log_sd(0), stays.skewness[0]]);
    let still = shape(STILLNESS);
    features.extend_from_slice(&still.mean[..5]);
    features.extend((0..5).map(|i| still.log_sd(i)));
    features.extend([still.correlation(0, 1), still.correlation(5, 0), still.correlation(5, 1)]);
    features.extend_from_slice(&still.skewness[..2]);
    features
}

/// What people are like in general: moments and features are held against it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MotionScale {
    people: Moments,
    mean: Vec<f64>,
    sd: Vec<f64>,
}

impl MotionScale {
    /// By some recordings; none where there are less than two.
    pub fn learn(recordings: &[Moments]) -> Option<Self> {
        if recordings.len() < 2 {
            return None;
        }
        let mut people = Moments::default();
        recordings.iter().for_each(|recording| people.add(1.0, recording));
        let features: Vec<Vec<f64>> = recordings.iter().map(|r| raw(r, &people)).collect();
        let n = features.len() as f64;
        let mean: Vec<f64> =
            (0..FEATURES).map(|i| features.iter().map(|f| f[i]).sum::<f64>() / n).collect();
        let variance =
            |i: usize| features.iter().map(|f| (f[i] - mean[i]).powi(2)).sum::<f64>() / n;
        let sd = (0..FEATURES).map(|i| variance(i).sqrt() + 1e-9).collect();
        Some(Self { people, mean, sd })
    }

    /// Whether features can be made by it.
    pub fn is_valid(&self) -> bool {
        let sd = |sd: &f64| sd.is_finite() && *sd > 0.0;
        let lengths = self.mean.len() == FEATURES && self.sd.len() == FEATURES;
        lengths
            && self.people.is_valid()
            && self.sd.iter().all(sd)
            && self.mean.iter().all(|v| v.is_finite())
    }

    /// A recording as numbers about nought.
    pub fn features(&self, recording: &Moments) -> Vec<f64> {
        let raw = raw(recording, &self.people);
        let scaled =
            raw.iter().zip(self.mean.iter().zip(&self.sd)).map(|(v, (m, sd))| (v - m) / sd);
        scaled.map(|v| if v.is_finite() { v.clamp(-FURTHEST, FURTHEST) } else { 0.0 }).collect()
    }
}
