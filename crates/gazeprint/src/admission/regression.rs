//! The score of a claim: a logistic regression over its grounds.

use faer::linalg::solvers::Solve as _;
use faer::{Mat, Side};

use super::{COEFFICIENTS, Round, counted};

/// How firmly coefficients are held back to nought, in units of the spread of what they count.
const RIDGE: f64 = 1e-4;
const MOST_STEPS: usize = 50;
/// Claims of one side of a corpus that the regression is fitted to, at most.
const MOST_CLAIMS: usize = 5000;

/// At most `most` of many items, evenly chosen.
pub(crate) fn thinned<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let n = items.len();
    if n <= most {
        return items;
    }
    let chosen = |i: usize| i * most / n != (i + 1) * most / n;
    items.into_iter().enumerate().filter(|(i, _)| chosen(*i)).map(|(_, item)| item).collect()
}

/// The coefficients under which true claims and those of strangers are told apart best: corpora and sides
/// count alike. Strangers claim to be the reader whom they resemble most, and anybody.
pub(super) fn regression(corpora: &[&[Round]]) -> Option<[f64; COEFFICIENTS]> {
    let mut rows: Vec<([f64; COEFFICIENTS], f64, f64)> = Vec::new();
    for rounds in corpora {
        let (mut genuine, mut strangers) = (Vec::new(), Vec::new());
        let trials = rounds.iter().flat_map(|round| &round.trials);
        for (number, trial) in trials.enumerate() {
            let claim = |reader: usize| counted(&trial.claims[reader], trial.fixations);
            match trial.own {
                Some(own) => genuine.push(claim(own)),
                None => {
                    strangers.push(claim(trial.best));
                    strangers.push(claim((7919 * number) % trial.claims.len()));
                }
            }
        }
        for (claims, truth) in [(genuine, 1.0), (strangers, -1.0)] {
            let claims = thinned(claims, MOST_CLAIMS);
            let weight = 0.5 / (claims.len().max(1) * corpora.len()) as f64;
            rows.extend(claims.into_iter().map(|claim| (claim, truth, weight)));
        }
    }
    let has = |side: f64| rows.iter().any(|(_, truth, _)| *truth == side);
    if !has(1.0) || !has(-1.0) {
        return None;
    }
    let constant = COEFFICIENTS - 1;
    let mean: [f64; COEFFICIENTS] =
        std::array::from_fn(|i| rows.iter().map(|(x, _, w)| w * x[i]).sum());
    let spread: [f64; COEFFICIENTS] = std::array::from_fn(|i| {
        let variance = rows.iter().map(|(x, _, w)| w * (x[i] - mean[i]).powi(2)).sum::<f64>();
        variance.sqrt().max(1e-9)
    });
    let standard = |x: &[f64; COEFFICIENTS]| -> [f64; COEFFICIENTS] {
        std::array::from_fn(|i| if i == constant { 1.0 } else { (x[i] - mean[i]) / spread[i] })
    };
    rows.iter_mut().for_each(|(x, ..)| *x = standard(x));
    let cost = |at: &[f64; COEFFICIENTS]| -> f64 {
        let held: f64 = at[..constant].iter().map(|c| c * c).sum();
        let wrong = |x: &[f64; COEFFICIENTS], truth: f64| {
            let wrong = -truth * x.iter().zip(at).map(|(x, c)| x * c).sum::<f64>();
            wrong.max(0.0) + (-wrong.abs()).exp().ln_1p()
        };
        0.5 * RIDGE * held + rows.iter().map(|(x, truth, w)| w * wrong(x, *truth)).sum::<f64>()
    };
    let mut at = [0.0; COEFFICIENTS];
    let mut now = cost(&at);
    for _ in 0..MOST_STEPS {
        let mut slope = [0.0; COEFFICIENTS];
        let mut bend: Mat<f64> = Mat::zeros(COEFFICIENTS, COEFFICIENTS);
        for (x, truth, weight) in &rows {
            let said: f64 = x.iter().zip(&at).map(|(x, c)| x * c).sum();
            let p = 1.0 / (1.0 + (truth * said).exp());
            for i in 0..COEFFICIENTS {
                slope[i] -= weight * truth * p * x[i];
                for j in 0..=i {
                    bend[(i, j)] += weight * p * (1.0 - p) * x[i] * x[j];
                }
            }
        }
        for i in 0..constant {
            slope[i] += RIDGE * at[i];
            bend[(i, i)] += RIDGE;
        }
        bend[(constant, constant)] += 1e-12;
        let root = bend.llt(Side::Lower).ok()?;
        let step = root.solve(Mat::from_fn(COEFFICIENTS, 1, |i, _| slope[i]));
        // The cost is convex: a step that does not lower it is too long.
        let mut by = 1.0;
        let lower = (0..30).find_map(|_| {
            let there = std::array::from_fn(|i| at[i] - by * step[(i, 0)]);
            by *= 0.5;
            let value = cost(&there);
            (value < now).then_some((there, value))
        });
        let Some((there, value)) = lower else { break };
        let gained = now - value;
        (at, now) = (there, value);
        if gained < 1e-12 {
            break;
        }
    }
    let mut coefficients = [0.0; COEFFICIENTS];
    coefficients[constant] = at[constant];
    for i in 0..constant {
        coefficients[i] = at[i] / spread[i];
        coefficients[constant] -= at[i] * mean[i] / spread[i];
    }
    coefficients.iter().all(|c| c.is_finite()).then_some(coefficients)
}
