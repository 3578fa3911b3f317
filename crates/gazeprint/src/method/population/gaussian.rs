//! A Gaussian over readers, learned by expectation maximisation.

use faer::linalg::solvers::{DenseSolveCore, Llt};
use faer::{Col, Mat, Side};

use crate::density::GaussianPrior;

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
    let log_det = 2.0 * (0..matrix.nrows()).map(|i| llt.L()[(i, i)].ln()).sum::<f64>();
    Some((llt.inverse(), log_det))
}
