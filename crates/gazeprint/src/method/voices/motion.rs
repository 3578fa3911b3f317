//! How far people and days differ in how the eye moves.

use std::collections::BTreeMap;

use faer::linalg::solvers::Llt;
use faer::{Mat, Side};
use serde::{Deserialize, Serialize};

use crate::kinematics::Motion;
use crate::moments::{FEATURES, Moments, MotionScale};
use crate::saccade::Reading;
use crate::sight::{Sight, Spread};

/// Fixations that a sight of weight 1 is of.
const UNIT: f64 = 100.0;
/// Part of the covariances within people, and of those between them, that is taken from each: there are
/// more features than people. Chosen on people held out.
const HELD_BACK: [f64; 2] = [0.7, 0.3];
/// Least variance between people, in units of that within them.
const LEAST: f64 = 1e-3;
/// Least part of the variance within people that is between days, and least that is not.
const LEAST_PART: f64 = 0.05;
/// Fewest people who came twice that anything is learned from.
const FEWEST: usize = 8;

/// How moments are turned into features, and how these are spread over people and days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MotionSpread {
    pub(super) scale: MotionScale,
    pub(super) spread: Spread,
}

/// A recording of one session: all of it, and either half.
struct Recording {
    whole: Moments,
    halves: [Moments; 2],
}

impl Recording {
    fn of(motions: &[&Motion]) -> Self {
        let half = |odd: usize| Moments::of(motions.iter().skip(odd).step_by(2).copied());
        Self { whole: Moments::of(motions.iter().copied()), halves: [half(0), half(1)] }
    }
}

/// A recording as a sight.
pub(super) fn sight(scale: &MotionScale, moments: &Moments) -> Sight {
    match moments.is_empty() {
        true => Sight::default(),
        false => Sight::new(moments.count_of_fixations() / UNIT, scale.features(moments)),
    }
}

fn outer(rows: &[Vec<f64>]) -> Mat<f64> {
    let x = Mat::from_fn(rows.len(), FEATURES, |i, j| rows[i][j]);
    x.transpose() * &x
}

fn mean(rows: &[&Vec<f64>]) -> Vec<f64> {
    (0..FEATURES).map(|i| rows.iter().map(|r| r[i]).sum::<f64>() / rows.len() as f64).collect()
}

fn less(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// A matrix with its entries off the diagonal held back.
fn held_back(m: &Mat<f64>, part: f64) -> Mat<f64> {
    Mat::from_fn(m.nrows(), m.ncols(), |i, j| {
        let both = 0.5 * (m[(i, j)] + m[(j, i)]);
        if i == j { both } else { (1.0 - part) * both }
    })
}

impl MotionSpread {
    /// From readings, each with the place of who read it. None where too few people came twice.
    pub fn learn(readings: &[(usize, &Reading)]) -> Option<Self> {
        let mut sessions = BTreeMap::<(usize, usize), Vec<&Motion>>::new();
        for (person, reading) in readings {
            sessions.entry((*person, reading.session)).or_default().extend(&reading.motions);
        }
        sessions.retain(|_, motions| !motions.is_empty());
        let recordings: Vec<(usize, Recording)> =
            sessions.iter().map(|((person, _), m)| (*person, Recording::of(m))).collect();
        let wholes: Vec<Moments> = recordings.iter().map(|(_, r)| r.whole.clone()).collect();
        let scale = MotionScale::learn(&wholes)?;
        let features: Vec<(usize, Vec<f64>)> =
            recordings.iter().map(|(p, r)| (*p, scale.features(&r.whole))).collect();
        let returned: Vec<&[(usize, Vec<f64>)]> =
            features.chunk_by(|a, b| a.0 == b.0).filter(|days| days.len() > 1).collect();
        if returned.len() < FEWEST {
            return None;
        }
        let people: Vec<Vec<f64>> = returned
            .iter()
            .map(|days| mean(&days.iter().map(|d| &d.1).collect::<Vec<_>>()))
            .collect();
        let around = returned.iter().zip(&people);
        let around: Vec<Vec<f64>> =
            around.flat_map(|(days, m)| days.iter().map(|d| less(&d.1, m))).collect();
        let days = (around.len() - returned.len()) as f64;
        let within = outer(&around) * (1.0 / days);
        let all = mean(&people.iter().collect::<Vec<_>>());
        let apart: Vec<Vec<f64>> = people.iter().map(|p| less(p, &all)).collect();
        let a_person: f64 = returned.iter().map(|days| 1.0 / days.len() as f64).sum();
        let between = outer(&apart) * (1.0 / (returned.len() - 1) as f64)
            - &within * (a_person / returned.len() as f64);
        let whiten = Llt::new(held_back(&within, HELD_BACK[0]).as_ref(), Side::Lower).ok()?;
        let whiten = crate::sight::invert_lower(&whiten.L().to_owned());
        let whitened = held_back(&(&whiten * between * whiten.transpose()), HELD_BACK[1]);
        let eigen = whitened.self_adjoint_eigen(Side::Lower).ok()?;
        let directions = eigen.U().transpose() * &whiten;
        let person: Vec<f64> = (0..FEATURES).map(|k| eigen.S()[k].max(LEAST)).collect();
        Self::in_directions(scale, all, &directions, &person, &recordings)
    }

    /// Tells what differs between days from what is measured with error, by halves of recordings.
    fn in_directions(
        scale: MotionScale,
        mean: Vec<f64>,
        directions: &Mat<f64>,
        person: &[f64],
        recordings: &[(usize, Recording)],
    ) -> Option<Self> {
        let n = recordings.len() as f64;
        let units = |m: &Moments| m.count_of_fixations() / UNIT;
        let halves: Vec<[&Moments; 2]> = recordings
            .iter()
            .map(|(_, r)| [&r.halves[0], &r.halves[1]])
            .filter(|halves| halves.iter().all(|half| !half.is_empty()))
            .collect();
        let apart: Vec<Vec<f64>> =
            halves.iter().map(|[a, b]| less(&scale.features(a), &scale.features(b))).collect();
        let expected: f64 = halves.iter().map(|[a, b]| 1.0 / units(a) + 1.0 / units(b)).sum();
        let usual = n / recordings.iter().map(|(_, r)| 1.0 / units(&r.whole)).sum::<f64>();
        let (mut basis, mut between, mut session) = (Vec::new(), Vec::new(), Vec::new());
        for (k, person) in person.iter().enumerate().rev() {
            let direction: Vec<f64> = (0..FEATURES).map(|j| directions[(k, j)]).collect();
            let squares: f64 =
                apart.iter().map(|d| crate::kernels::dot(&direction, d).powi(2)).sum();
            // Of a variance of 1 within a person, a recording's error is so much.
            let error = (squares / expected / usual).clamp(LEAST_PART, 1.0 - LEAST_PART);
            let unit = error * usual;
            basis.extend(direction.iter().map(|v| v / unit.sqrt()));
            session.push((1.0 - error) / unit);
            between.push((person + 1.0 - error) / unit);
        }
        let spread = Spread::new(mean, basis, between, session).ok()?;
        Some(Self { scale, spread })
    }

    /// Whether features can be made and compared by it.
    pub(super) fn is_valid(&self) -> bool {
        self.scale.is_valid() && self.spread.vector_len() == FEATURES
    }
}
