//! How the eyes of a corpus moved: the main sequence, and what of it is not believed.

use std::collections::BTreeMap;

use gazeprint::corpus::Corpus;
use gazeprint::kinematics::{Doubt, Doubts, Kinematics, Motion};
use gazeprint::saccade::{Reading, doubts};
use serde::Serialize;

use super::Distribution;

/// The amplitude at which peak velocities are compared, deg: about that of a saccade in reading.
pub const AT_DEG: f64 = 2.5;
/// Fewest saccades that a line is fitted to.
const FEWEST: usize = 20;

/// Where saccades lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// All of them.
    Any,
    /// More to the right than up or down.
    Right,
    /// More to the left than up or down.
    Left,
    /// More up or down than to a side.
    Vertical,
}

impl Direction {
    const ALL: [Self; 4] = [Self::Any, Self::Right, Self::Left, Self::Vertical];

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "all",
            Self::Right => "rightwards",
            Self::Left => "leftwards",
            Self::Vertical => "up or down",
        }
    }

    fn has(self, dx: f64, dy: f64) -> bool {
        match self {
            Self::Any => true,
            Self::Right => dx >= dy.abs(),
            Self::Left => -dx >= dy.abs(),
            Self::Vertical => dy.abs() > dx.abs(),
        }
    }
}

/// The log of peak velocities on the log of amplitudes, by least squares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MainSequence {
    /// Of which saccades.
    pub direction: Direction,
    /// How many.
    pub saccades: usize,
    /// Peak velocity at [`AT_DEG`], deg/s.
    pub velocity: f64,
    /// By how much its logarithm grows with that of the amplitude.
    pub slope: f64,
    /// Standard deviation around the line, in natural logarithms.
    pub residual_sd: f64,
}

impl MainSequence {
    /// The line through (log amplitude, log velocity); none where they are few, or do not differ.
    fn of(direction: Direction, saccades: &[(f64, f64)]) -> Option<Self> {
        let n = saccades.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| saccades.iter().map(of).sum::<f64>() / n;
        let (mean_x, mean_y) = (mean(|s| s.0), mean(|s| s.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            saccades.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum()
        };
        let squares = sum(&|x, _| x * x);
        if saccades.len() < FEWEST || squares <= 1e-9 {
            return None;
        }
        let slope = sum(&|x, y| x * y) / squares;
        let residuals = sum(&|x, y| (y - slope * x).powi(2));
        Some(Self {
            direction,
            saccades: saccades.len(),
            velocity: (mean_y + slope * (AT_DEG.ln() - mean_x)).exp(),
            slope,
            residual_sd: (residuals / (n - 2.0)).sqrt(),
        })
    }
}

/// Kinematics of a corpus.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KinematicsSummary {
    /// Fixations that count, of whose kinematics something is known.
    pub fixations: usize,
    /// Those whose saccade has a known amplitude.
    pub saccades: usize,
    /// Those whose saccade has a known peak velocity as well.
    pub saccades_with_velocity: usize,
    /// Amplitudes, deg.
    pub amplitude: Option<Distribution>,
    /// Durations of saccades, ms.
    pub duration: Option<Distribution>,
    /// Peak velocities, deg/s.
    pub peak_velocity: Option<Distribution>,
    /// Standard deviations of the gaze in fixations, deg: the mean of both axes in squares.
    pub dispersion: Option<Distribution>,
    /// By direction, where there are enough saccades.
    pub main_sequence: Vec<MainSequence>,
    /// Values that are not believed, by reason; every reason is there.
    pub not_believed: BTreeMap<&'static str, usize>,
}

impl KinematicsSummary {
    /// Of a corpus; none where nothing was measured.
    pub(super) fn of(corpus: &Corpus, readings: &[Reading]) -> Option<Self> {
        let mut doubted = Doubts::default();
        for path in corpus.scanpaths() {
            doubted += doubts(&path.fixations);
        }
        let all = || readings.iter().flat_map(|r| &r.motions).map(|m: &Motion| m.kinematics);
        let known = || all().filter(|k| !k.is_empty());
        if known().next().is_none() && doubted.total() == 0 {
            return None;
        }
        let of = |value: fn(&Kinematics) -> Option<f32>| {
            Distribution::of(all().filter_map(|k| value(&k)).map(f64::from))
        };
        let dispersion = |k: &Kinematics| Some((k.sd_x?.powi(2) + k.sd_y?.powi(2)).sqrt());
        Some(Self {
            fixations: known().count(),
            saccades: all().filter(|k| k.amplitude().is_some()).count(),
            saccades_with_velocity: all().filter(|k| point(k).is_some()).count(),
            amplitude: of(Kinematics::amplitude),
            duration: of(|k| k.duration),
            peak_velocity: of(|k| k.peak_velocity),
            dispersion: Distribution::of(all().filter_map(|k| dispersion(&k)).map(f64::from)),
            main_sequence: main_sequence(all),
            not_believed: Doubt::ALL.iter().map(|&d| (d.name(), doubted.of(d))).collect(),
        })
    }
}

/// The logs of amplitude and peak velocity.
fn point(kinematics: &Kinematics) -> Option<(f64, f64)> {
    let (amplitude, velocity) = (kinematics.amplitude()?, kinematics.peak_velocity?);
    Some((f64::from(amplitude).ln(), f64::from(velocity).ln()))
}

fn main_sequence<I: Iterator<Item = Kinematics>>(all: impl Fn() -> I) -> Vec<MainSequence> {
    let of = |direction: Direction| {
        let leads = |k: &Kinematics| {
            k.dx.zip(k.dy).is_some_and(|(x, y)| direction.has(f64::from(x), f64::from(y)))
        };
        let points: Vec<_> = all().filter(leads).filter_map(|k| point(&k)).collect();
        MainSequence::of(direction, &points)
    };
    Direction::ALL.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_logs_is_found() {
        let saccades: Vec<(f64, f64)> = (1..60)
            .map(|i| {
                let amplitude = 0.2 * f64::from(i);
                (amplitude.ln(), (150.0 * (amplitude / AT_DEG).powf(0.6)).ln())
            })
            .collect();
        let line = MainSequence::of(Direction::Any, &saccades).unwrap();
        assert!((line.velocity - 150.0).abs() < 1e-9 && (line.slope - 0.6).abs() < 1e-12);
        assert!(line.residual_sd < 1e-9, "{line:?}");
        assert_eq!(MainSequence::of(Direction::Any, &saccades[..10]), None);
        assert_eq!(MainSequence::of(Direction::Any, &[(1.0, 2.0); 50]), None);
    }

    #[test]
    fn each_saccade_has_one_direction() {
        for (dx, dy) in [(1.0, 0.0), (-1.0, 1.0), (0.5, -2.0), (3.0, 3.0), (0.1, 0.2)] {
            let count = Direction::ALL[1..].iter().filter(|d| d.has(dx, dy)).count();
            assert_eq!(count, 1, "{dx} {dy}");
        }
    }
}
