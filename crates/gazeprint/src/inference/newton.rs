//! Newton's method to the mode of a concave log posterior.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{ColMut, Mat, Par};

use super::{InferenceError, Problem};
use crate::density::{Features, Workspace};

/// Half the squared Newton decrement, in nats, under which the mode is found.
const TOLERANCE: f64 = 1e-10;
/// A decrement that has stopped falling is good enough under this, in nats.
const STALLED: f64 = 1e-6;
const MAX_STEPS: usize = 200;

/// The mode of a posterior with the curvature there.
#[derive(Debug, Clone)]
pub struct Mode {
    /// Where it is.
    pub theta: Vec<f64>,
    /// Lower triangular root of the negative Hessian at the mode.
    pub root: Mat<f64>,
    /// Log-likelihood at the mode.
    pub log_likelihood: f64,
    /// Laplace's approximation to the log evidence.
    pub log_evidence: f64,
    /// Newton steps taken.
    pub steps: usize,
}

/// Memory that fits and samplers reuse from one density to the next.
pub struct Scratch {
    pub(crate) ws: Workspace,
    pub(crate) gradient: Vec<f64>,
    pub(crate) prior_gradient: Vec<f64>,
    information: Mat<f64>,
    step: Vec<f64>,
    candidate: Vec<f64>,
    backup: Mat<f64>,
    cholesky: MemBuffer,
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").field("len", &self.step.len()).finish_non_exhaustive()
    }
}

impl Scratch {
    /// Memory for problems on `features`.
    pub fn new(features: &Features) -> Self {
        let p = features.len();
        let required = cholesky_in_place_scratch::<f64>(p, Par::Seq, Default::default());
        Self {
            ws: Workspace::new(features),
            gradient: vec![0.0; p],
            prior_gradient: vec![0.0; p],
            information: Mat::zeros(p, p),
            step: vec![0.0; p],
            candidate: vec![0.0; p],
            backup: Mat::zeros(p, p),
            cholesky: MemBuffer::new(required),
        }
    }
}

impl Problem<'_> {
    /// Log-likelihood plus log prior (without its constant).
    pub(crate) fn value(&self, theta: &[f64], scratch: &mut Scratch) -> f64 {
        self.likelihood.value(theta, &mut scratch.ws)
            + self.prior.log_density(theta, &mut scratch.prior_gradient)
    }

    /// The same with its gradient.
    pub(crate) fn gradient(
        &self,
        theta: &[f64],
        scratch: &mut Scratch,
        gradient: &mut [f64],
    ) -> f64 {
        let value = self.likelihood.gradient(theta, &mut scratch.ws, gradient);
        let prior = self.prior.log_density(theta, &mut scratch.prior_gradient);
        for (g, p) in gradient.iter_mut().zip(&scratch.prior_gradient) {
            *g += p;
        }
        value + prior
    }

    /// The mode, from a start anywhere.
    ///
    /// # Errors
    /// If the values met are not numbers: the log posterior is concave, so this only happens with
    /// a prior that lets theta run away.
    pub fn mode(&self, start: &[f64], scratch: &mut Scratch) -> Result<Mode, InferenceError> {
        let p = start.len();
        let mut theta = start.to_vec();
        let (mut decrement, mut taken) = (f64::INFINITY, 0);
        let mut previous = f64::INFINITY;
        for steps in 1..=MAX_STEPS {
            taken = steps;
            let log_likelihood = self.linearise(&theta, scratch);
            let value =
                log_likelihood + self.prior.log_density(&theta, &mut scratch.prior_gradient);
            scratch.factorise();
            scratch.step.copy_from_slice(&scratch.gradient);
            solve(&scratch.information, &mut scratch.step);
            decrement = scratch.step.iter().zip(&scratch.gradient).map(|(s, g)| s * g).sum::<f64>();
            if !decrement.is_finite() || !value.is_finite() {
                break;
            }
            // Many observations in one place: rounding keeps the decrement from falling further.
            let stalled = decrement < STALLED && decrement > 0.25 * previous;
            previous = decrement;
            if decrement < 2.0 * TOLERANCE || stalled {
                let log_det: f64 = (0..p).map(|i| scratch.information[(i, i)].ln()).sum();
                return Ok(Mode {
                    theta,
                    root: lower_triangle(&scratch.information),
                    log_likelihood,
                    log_evidence: value + 0.5 * self.prior.log_det_precision() - log_det,
                    steps,
                });
            }
            if !self.advance(&mut theta, value, decrement, scratch) {
                break;
            }
        }
        Err(InferenceError::NoMode { steps: taken, decrement })
    }

    /// Gradient and negative Hessian of the log posterior at theta; returns the log-likelihood.
    fn linearise(&self, theta: &[f64], scratch: &mut Scratch) -> f64 {
        let Scratch { ws, gradient, prior_gradient, information, .. } = scratch;
        let value = self.likelihood.derivatives(theta, ws, gradient, information);
        self.prior.log_density(theta, prior_gradient);
        for (g, p) in gradient.iter_mut().zip(prior_gradient.iter()) {
            *g += p;
        }
        let precision = self.prior.precision();
        for j in 0..theta.len() {
            for i in j..theta.len() {
                information[(i, j)] += precision[(i, j)];
            }
        }
        value
    }

    /// Moves theta along the Newton step as far as it helps. False where it does not help at all.
    fn advance(
        &self,
        theta: &mut [f64],
        value: f64,
        decrement: f64,
        scratch: &mut Scratch,
    ) -> bool {
        let mut length = 1.0;
        // Near the mode the gain drowns in the rounding of a sum of many terms.
        let rounding = 1e-13 * value.abs();
        for _ in 0..60 {
            let mut candidate = std::mem::take(&mut scratch.candidate);
            for (c, (t, s)) in candidate.iter_mut().zip(theta.iter().zip(&scratch.step)) {
                *c = t + length * s;
            }
            let there = self.value(&candidate, scratch);
            let gained = there >= value + 1e-4 * length * decrement - rounding;
            if gained {
                theta.copy_from_slice(&candidate);
            }
            scratch.candidate = candidate;
            if gained {
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

impl Scratch {
    /// Replaces the information by its lower triangular root.
    fn factorise(&mut self) {
        let p = self.information.nrows();
        let largest = (0..p).map(|i| self.information[(i, i)]).fold(0.0, f64::max);
        let mut jitter = 0.0;
        self.backup.copy_from(&self.information);
        while cholesky_in_place(
            self.information.as_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut self.cholesky),
            Default::default(),
        )
        .is_err()
            && jitter < largest
        {
            // Rounding can cost a nearly singular matrix its positive definiteness.
            jitter = if jitter == 0.0 { 1e-13 * largest } else { 10.0 * jitter };
            self.information.copy_from(&self.backup);
            (0..p).for_each(|i| self.information[(i, i)] += jitter);
        }
    }
}

/// A lower triangular matrix without what factorising left above the diagonal.
fn lower_triangle(matrix: &Mat<f64>) -> Mat<f64> {
    let p = matrix.nrows();
    Mat::from_fn(p, p, |i, j| if i < j { 0.0 } else { matrix[(i, j)] })
}

/// Solves `L L' x = b` in place.
pub(super) fn solve(root: &Mat<f64>, b: &mut [f64]) {
    let mut b = ColMut::from_slice_mut(b).as_mat_mut();
    solve_lower_triangular_in_place(root.as_ref(), b.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(root.transpose(), b, Par::Seq);
}
