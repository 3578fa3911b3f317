//! A Gaussian over readers, learned by expectation maximisation.

use faer::linalg::solvers::{DenseSolveCore, Llt, Solve};
use faer::{Col, Mat, Side};

use crate::density::GaussianPrior;

const MAX_STEPS: usize = 50;
/// Half the squared Newton decrement at which a mode is found, nats.
const TOLERANCE: f64 = 1e-8;
/// A step with a curvature from further down should leave no more than this part of the decrement.
const WORTHWHILE: f64 = 0.1;

/// What is known of one reader's coefficients: the mode and the covariance around it.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    pub(super) mode: Vec<f64>,
    pub(super) covariance: Mat<f64>,
    /// Laplace's approximation to the log evidence.
    pub(super) evidence: f64,
}

/// What data say of coefficients, in units of the population: `theta = m + L z` with `L L'` the
/// covariance, so that the prior of `z` is standard normal. Taken as Gaussian (Laplace): up to a
/// constant, the log-likelihood is `pull' z - z' precision z / 2`.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) precision: Mat<f64>,
    pub(super) pull: Col<f64>,
}

impl Message {
    /// Undoes the prior that a belief was formed under.
    pub(super) fn of(belief: &Belief, prior: &GaussianPrior) -> Option<Self> {
        let p = prior.len();
        let root = prior.root();
        let (information, _) = inverse(&belief.covariance)?;
        let half = &information * root;
        let mut precision = root.transpose() * &half;
        (0..p).for_each(|i| precision[(i, i)] -= 1.0);
        let offset = Col::from_fn(p, |i| belief.mode[i] - prior.mean()[i]);
        Some(Self { precision, pull: half.transpose() * offset })
    }
}

/// The value of a log posterior with its derivatives.
pub(super) struct Local {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// Negative Hessian, lower triangle; nothing where it was not asked for.
    pub(super) information: Option<Mat<f64>>,
}

/// How far a log posterior is to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    Slope,
    /// With the curvature, which takes most of the time.
    Curvature,
}

/// Newton's way up a concave log posterior, from a start anywhere. A curvature serves for as many
/// steps as it brings on well; that of a belief is the one at the mode.
pub(super) fn climb(
    prior: &GaussianPrior,
    start: &[f64],
    local: impl Fn(&[f64], Depth) -> Local,
) -> Option<Belief> {
    let curved = |at: &[f64]| -> Option<(Local, Llt<f64>)> {
        let here = local(at, Depth::Curvature);
        let llt = Llt::new(here.information.as_ref()?.as_ref(), Side::Lower).ok()?;
        Some((here, llt))
    };
    let mut at = start.to_vec();
    let (mut here, mut llt) = curved(&at)?;
    let (mut is_fresh, mut before) = (true, f64::INFINITY);
    for _ in 0..MAX_STEPS {
        let step = llt.solve(Col::from_fn(at.len(), |i| here.gradient[i]));
        let decrement: f64 = (0..at.len()).map(|i| step[i] * here.gradient[i]).sum();
        if !decrement.is_finite() {
            return None;
        }
        let is_there = decrement < 2.0 * TOLERANCE;
        if is_there && is_fresh {
            let evidence = here.value + 0.5 * prior.log_det_precision() - 0.5 * log_det(&llt);
            return Some(Belief { mode: at, covariance: llt.inverse(), evidence });
        }
        let next = if !is_fresh && (is_there || decrement > WORTHWHILE * before) {
            None
        } else {
            uphill(&at, &here, &step, &local)
        };
        match next {
            Some(next) => {
                (at, here) = next;
                (is_fresh, before) = (false, decrement);
            }
            None if is_fresh => return None,
            None => {
                (here, llt) = curved(&at)?;
                (is_fresh, before) = (true, f64::INFINITY);
            }
        }
    }
    None
}

/// As much of a step as leads up.
fn uphill(
    at: &[f64],
    here: &Local,
    step: &Col<f64>,
    local: impl Fn(&[f64], Depth) -> Local,
) -> Option<(Vec<f64>, Local)> {
    let mut length = 1.0;
    while length >= 1e-6 {
        let next: Vec<f64> = at.iter().zip(step.iter()).map(|(a, s)| a + length * s).collect();
        let there = local(&next, Depth::Slope);
        if there.value >= here.value - 1e-12 * here.value.abs() {
            return Some((next, there));
        }
        length *= 0.5;
    }
    None
}

/// How a covariance is held back where readers are few.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shrinkage {
    /// Readers' worth of the diagonal alone.
    pub(super) diagonal: f64,
    /// Part of the off-diagonal that is dropped, whatever the number of readers.
    pub(super) dropped: f64,
    /// Readers' worth of the covariance that learning started from.
    pub(super) start: f64,
}

/// The Gaussian under which these readers are likeliest, held back.
pub(super) fn fit(
    beliefs: &[Belief],
    start: &GaussianPrior,
    shrinkage: Shrinkage,
) -> Option<GaussianPrior> {
    let p = start.len();
    let readers = beliefs.len() as f64;
    let mut mean = vec![0.0; p];
    for belief in beliefs {
        mean.iter_mut().zip(&belief.mode).for_each(|(m, b)| *m += b / readers);
    }
    let mut covariance: Mat<f64> = Mat::zeros(p, p);
    for belief in beliefs {
        for j in 0..p {
            let d = belief.mode[j] - mean[j];
            for i in 0..p {
                covariance[(i, j)] +=
                    (belief.covariance[(i, j)] + (belief.mode[i] - mean[i]) * d) / readers;
            }
        }
    }
    let keep = (readers / (readers + shrinkage.diagonal)) * (1.0 - shrinkage.dropped);
    let own = readers / (readers + shrinkage.start);
    let start = start.root() * start.root().transpose();
    for j in 0..p {
        for i in 0..p {
            let learned = covariance[(i, j)] * if i == j { 1.0 } else { keep };
            let jitter = if i == j { 1e-6 } else { 0.0 };
            covariance[(i, j)] = own * learned + (1.0 - own) * start[(i, j)] + jitter;
        }
    }
    GaussianPrior::new(mean, &covariance).ok()
}

/// The inverse of a positive definite matrix whose lower triangle is given, with the log
/// determinant of the matrix.
pub(super) fn inverse(matrix: &Mat<f64>) -> Option<(Mat<f64>, f64)> {
    let llt = Llt::new(matrix.as_ref(), Side::Lower).ok()?;
    Some((llt.inverse(), log_det(&llt)))
}

/// The log determinant of a matrix that was taken apart.
fn log_det(llt: &Llt<f64>) -> f64 {
    let root = llt.L();
    2.0 * (0..root.nrows()).map(|i| root[(i, i)].ln()).sum::<f64>()
}
