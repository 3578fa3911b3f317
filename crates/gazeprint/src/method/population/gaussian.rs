//! A Gaussian over readers, learned by expectation maximisation.

use faer::linalg::solvers::{DenseSolveCore, Llt, Solve};
use faer::{Col, Mat, Side};
use rayon::prelude::*;

use crate::density::GaussianPrior;

const MAX_STEPS: usize = 50;
/// Half the squared Newton decrement at which a mode is found, nats.
const TOLERANCE: f64 = 1e-8;
/// A step with a curvature from further down should leave no more than this part of the decrement.
const WORTHWHILE: f64 = 0.1;

/// What is known of one reader's coefficients: the mode and the curvature there.
#[derive(Debug, Clone)]
pub(super) struct Belief {
    pub(super) mode: Vec<f64>,
    /// Negative Hessian of the log posterior at the mode, the inverse of the covariance; lower triangle.
    pub(super) information: Mat<f64>,
    /// Laplace's approximation to the log evidence.
    pub(super) evidence: f64,
}

impl Belief {
    /// The covariance around the mode; none where it cannot be computed.
    pub(super) fn covariance(&self) -> Option<Mat<f64>> {
        inverse(&self.information).map(|(covariance, _)| covariance)
    }

    /// What data alone say of the curvature, the prior that they were held against taken off; lower
    /// triangle.
    pub(super) fn of_data(&self, prior: &GaussianPrior) -> Mat<f64> {
        &self.information - prior.precision()
    }
}

/// Where a way up begins.
#[derive(Debug, Clone)]
pub(super) struct Start<'a> {
    pub(super) at: &'a [f64],
    /// About the negative Hessian of the log-likelihood there, where it is known; lower triangle.
    pub(super) curvature: Option<Mat<f64>>,
}

impl<'a> Start<'a> {
    /// A place where nothing is known of the curvature.
    pub(super) fn at(at: &'a [f64]) -> Self {
        Self { at, curvature: None }
    }
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
    pub(super) fn of(belief: &Belief, prior: &GaussianPrior) -> Self {
        let p = prior.len();
        let root = prior.root();
        let lower = &belief.information;
        let information = Mat::from_fn(p, p, |i, j| lower[(i.max(j), i.min(j))]);
        let half = information * root;
        let mut precision = root.transpose() * &half;
        (0..p).for_each(|i| precision[(i, i)] -= 1.0);
        let offset = Col::from_fn(p, |i| belief.mode[i] - prior.mean()[i]);
        Self { precision, pull: half.transpose() * offset }
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

/// The end of a way up.
struct Peak {
    /// The last place, and the step that is left to the mode.
    at: Vec<f64>,
    step: Col<f64>,
    /// The value at the mode.
    value: f64,
    /// With the curvature at the last place, where it was asked for; else one from further down.
    information: Mat<f64>,
    llt: Llt<f64>,
}

impl Peak {
    fn mode(&self) -> Vec<f64> {
        self.at.iter().zip(self.step.iter()).map(|(a, s)| a + s).collect()
    }
}

/// Newton's way up a concave log posterior, from a start anywhere: what is known at its end. Where it
/// starts makes a difference of less than [`TOLERANCE`] nats.
pub(super) fn climb(
    prior: &GaussianPrior,
    start: Start<'_>,
    local: impl Fn(&[f64], Depth) -> Local,
) -> Option<Belief> {
    let peak = ascend(prior, start, Depth::Curvature, local)?;
    let evidence = peak.value + 0.5 * prior.log_det_precision() - 0.5 * log_det(&peak.llt);
    Some(Belief { mode: peak.mode(), information: peak.information, evidence })
}

/// The same way, where the mode alone is of interest.
pub(super) fn climb_to_mode(
    prior: &GaussianPrior,
    start: Start<'_>,
    local: impl Fn(&[f64], Depth) -> Local,
) -> Option<Vec<f64>> {
    ascend(prior, start, Depth::Slope, local).map(|peak| peak.mode())
}

/// The way up. A curvature serves for as many steps as it brings on well; where that of the end is asked
/// for, it is computed there.
fn ascend(
    prior: &GaussianPrior,
    start: Start<'_>,
    depth: Depth,
    local: impl Fn(&[f64], Depth) -> Local,
) -> Option<Peak> {
    let curved = |at: &[f64]| -> Option<(Local, Mat<f64>, Llt<f64>)> {
        let mut here = local(at, Depth::Curvature);
        let information = here.information.take()?;
        let llt = Llt::new(information.as_ref(), Side::Lower).ok()?;
        Some((here, information, llt))
    };
    let mut at = start.at.to_vec();
    let known = start.curvature.and_then(|of_data| {
        let information = of_data + prior.precision();
        let llt = Llt::new(information.as_ref(), Side::Lower).ok()?;
        Some((information, llt))
    });
    let mut is_fresh = known.is_none();
    let (mut here, mut information, mut llt) = match known {
        Some((information, llt)) => (local(&at, Depth::Slope), information, llt),
        None => curved(&at)?,
    };
    let mut before = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let step = llt.solve(Col::from_fn(at.len(), |i| here.gradient[i]));
        let decrement: f64 = (0..at.len()).map(|i| step[i] * here.gradient[i]).sum();
        if !decrement.is_finite() {
            return None;
        }
        let is_there = decrement < 2.0 * TOLERANCE;
        if is_there && (is_fresh || depth == Depth::Slope) {
            let value = here.value + 0.5 * decrement;
            return Some(Peak { at, step, value, information, llt });
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
                (here, information, llt) = curved(&at)?;
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
    // Whose covariance cannot be computed has no say.
    let known: Vec<(&Belief, Mat<f64>)> =
        beliefs.par_iter().filter_map(|belief| Some((belief, belief.covariance()?))).collect();
    let readers = known.len() as f64;
    let mut mean = vec![0.0; p];
    for (belief, _) in &known {
        mean.iter_mut().zip(&belief.mode).for_each(|(m, b)| *m += b / readers);
    }
    let mut covariance: Mat<f64> = Mat::zeros(p, p);
    for (belief, around) in &known {
        for j in 0..p {
            let d = belief.mode[j] - mean[j];
            for i in 0..p {
                covariance[(i, j)] += (around[(i, j)] + (belief.mode[i] - mean[i]) * d) / readers;
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
