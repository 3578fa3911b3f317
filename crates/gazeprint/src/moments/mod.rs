//! Moments of how the eye moved: what the voice `oculomotor` looks at. No words are needed.
//!
//! Saccades are of three directions, and each block of numbers that are known together has its count,
//! sums, products and cubes. These add up over readings, so that a recording of any length is as
//! many numbers, and one more fixation costs the same however long somebody reads.

mod features;

pub use self::features::{FEATURES, MotionScale};

use serde::{Deserialize, Serialize};

use crate::kinematics::{Kinematics, Motion};

/// Saccades up to this amplitude that go along a line are forward or backward, deg.
const ALONG: f64 = 6.0;
/// Saccades along a line rise or fall by less than this, deg.
const LEVEL: f64 = 1.0;
/// Smallest amplitude that is told from smaller ones, deg.
const LEAST: f64 = 0.05;
/// Largest rise or fall that counts, deg.
const STEEPEST: f64 = 2.0;
/// Fastest drift that counts, deg/s.
const FASTEST: f64 = 8.0;

/// Directions of saccades: forward and backward along a line, and back to the start of one.
pub(super) const DIRECTIONS: usize = 3;
/// Numbers of each block, in the order in which they stand: for each direction where the saccade went,
/// how fast, and when it was fastest; the duration of fixations; and how still they were.
pub(super) const BLOCKS: [usize; 3 * DIRECTIONS + 2] = [2, 3, 2, 2, 3, 2, 2, 3, 2, 1, 6];
/// The block of durations of fixations, and the one of how still they were.
pub(super) const STAYS: usize = 3 * DIRECTIONS;
pub(super) const STILLNESS: usize = STAYS + 1;

/// Numbers that a block takes: count, sums, products and cubes.
const fn block_len(size: usize) -> usize {
    1 + size + size * (size + 1) / 2 + size
}

/// Where a block begins.
pub(super) const fn block_start(block: usize) -> usize {
    let (mut start, mut i) = (0, 0);
    while i < block {
        start += block_len(BLOCKS[i]);
        i += 1;
    }
    start
}

/// Numbers of all blocks.
const LEN: usize = block_start(BLOCKS.len());

/// Moments of what was seen; empty where nothing was.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Moments(Vec<f64>);

impl Moments {
    /// Those of some fixations.
    pub fn of<'a>(motions: impl IntoIterator<Item = &'a Motion>) -> Self {
        let mut moments = Self::default();
        motions.into_iter().for_each(|motion| moments.see(motion));
        moments
    }

    /// Adds a fixation.
    fn see(&mut self, motion: &Motion) {
        self.0.resize(LEN, 0.0);
        let stay = (motion.duration / 200.0).ln();
        self.count(STAYS, &[stay]);
        let k = &motion.kinematics;
        if let Some(still) = stillness(k) {
            self.count(STILLNESS, &[still[0], still[1], still[2], still[3], still[4], stay]);
        }
        let Some((direction, amplitude, rise)) = way(k) else { return };
        self.count(3 * direction, &[amplitude, rise]);
        if let Some([peak, duration]) = speed(k) {
            self.count(3 * direction + 1, &[amplitude, peak, duration]);
        }
        if let Some(skew) = k.skew {
            self.count(3 * direction + 2, &[amplitude, f64::from(skew) - 0.5]);
        }
    }

    /// Adds numbers that are known together to a block.
    fn count(&mut self, block: usize, numbers: &[f64]) {
        let size = BLOCKS[block];
        let sums = &mut self.0[block_start(block)..];
        sums[0] += 1.0;
        let mut product = 1 + size;
        for (i, x) in numbers.iter().enumerate() {
            sums[1 + i] += x;
            for y in &numbers[..=i] {
                sums[product] += x * y;
                product += 1;
            }
        }
        for (i, x) in numbers.iter().enumerate() {
            sums[product + i] += x * x * x;
        }
    }

    /// Adds what else was seen, or with a factor of -1 takes it away.
    pub fn add(&mut self, factor: f64, other: &Self) {
        if !other.0.is_empty() {
            self.0.resize(LEN, 0.0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(sum, v)| *sum += factor * v);
    }

    /// Fixations that were seen.
    pub fn count_of_fixations(&self) -> f64 {
        self.0.get(block_start(STAYS)).copied().unwrap_or(0.0)
    }

    /// Whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.count_of_fixations() < 0.5
    }

    /// Whether all of it are numbers, as many as there should be.
    pub fn is_valid(&self) -> bool {
        (self.0.is_empty() || self.0.len() == LEN) && self.0.iter().all(|v| v.is_finite())
    }

    pub(super) fn numbers(&self) -> &[f64] {
        &self.0
    }
}

/// The direction of a saccade, the logarithm of its amplitude, and how far it rose or fell; none where
/// it is not known, or of another kind.
fn way(k: &Kinematics) -> Option<(usize, f64, f64)> {
    let (dx, dy) = (f64::from(k.dx?), f64::from(k.dy?));
    let amplitude = dx.hypot(dy);
    let is_along = dy.abs() < LEVEL && amplitude < ALONG;
    let direction = if is_along {
        usize::from(dx <= 0.0)
    } else if dx < -ALONG {
        2
    } else {
        return None;
    };
    Some((direction, (amplitude.max(LEAST) / 2.5).ln(), dy.clamp(-STEEPEST, STEEPEST)))
}

/// Logarithms of peak velocity and duration of a saccade.
fn speed(k: &Kinematics) -> Option<[f64; 2]> {
    let log = |value: Option<f32>, unit: f64| value.map(|v| (f64::from(v) / unit).ln());
    let both = [log(k.peak_velocity, 100.0)?, log(k.duration, 30.0)?];
    both.iter().all(|v| v.is_finite()).then_some(both)
}

/// How still a fixation was: logarithms of the spreads, drifts, and the logarithm of their speed.
fn stillness(k: &Kinematics) -> Option<[f64; 5]> {
    let spread = |sd: Option<f32>| sd.map(|sd| (f64::from(sd) + 0.01).ln() + 2.0);
    let [x, y] = [f64::from(k.drift_x?), f64::from(k.drift_y?)];
    let drift = |v: f64| v.clamp(-FASTEST, FASTEST) / 3.0;
    Some([spread(k.sd_x)?, spread(k.sd_y)?, drift(x), drift(y), (x.hypot(y) + 0.2).ln()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion(i: usize) -> Motion {
        let x = (i as f32 * 0.7).sin();
        let saccade = Kinematics {
            dx: Some(2.0 + x),
            dy: Some(0.1 * x),
            duration: Some(30.0 + 5.0 * x),
            peak_velocity: Some(110.0 + 40.0 * x),
            ..Kinematics::default()
        };
        let fixation = Kinematics {
            skew: i.is_multiple_of(2).then_some(0.45 + 0.05 * x),
            sd_x: Some(0.05),
            sd_y: Some(0.06 + 0.01 * x),
            drift_x: Some(x),
            drift_y: Some(-0.5),
            ..saccade
        };
        Motion { duration: 200.0 + 30.0 * f64::from(x), kinematics: fixation }
    }

    #[test]
    fn moments_add_up() {
        let all: Vec<Motion> = (0..40).map(motion).collect();
        let whole = Moments::of(&all);
        let mut parts = Moments::of(&all[..13]);
        parts.add(1.0, &Moments::of(&all[13..]));
        assert_eq!(whole.count_of_fixations(), 40.0);
        for (a, b) in whole.0.iter().zip(&parts.0) {
            assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()));
        }
        parts.add(-1.0, &Moments::of(&all[13..]));
        assert_eq!(parts.count_of_fixations(), 13.0);
    }

    #[test]
    fn what_is_missing_is_as_for_everybody() {
        let people: Vec<Moments> = (0..9)
            .map(|p| Moments::of(&(0..30).map(|i| motion(i * (p + 1))).collect::<Vec<_>>()))
            .collect();
        let scale = MotionScale::learn(&people).unwrap();
        let blank = Motion { duration: 210.0, kinematics: Kinematics::default() };
        let features = scale.features(&Moments::of(&[blank; 50]));
        assert_eq!(features.len(), FEATURES);
        assert!(features.iter().all(|v| v.is_finite()));
        assert!(Moments::default().is_empty() && MotionScale::learn(&people[..1]).is_none());
    }
}
