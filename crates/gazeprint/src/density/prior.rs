//! The one kind of prior: a Gaussian over theta.

use faer::{Mat, Side, linalg::solvers::Llt};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::stored::StoredPrior;

/// Standard deviation of the paper's flat prior on each coefficient of the gamma family (D8).
const FLAT_SD: f64 = 100.0;

/// What can be wrong with a prior.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PriorError {
    /// The covariance is not a covariance.
    #[error("the prior covariance of {0} coefficients is not positive definite")]
    NotPositiveDefinite(usize),
    /// Mean and covariance do not fit.
    #[error("a prior mean of length {mean} does not fit a covariance of {rows} x {columns}")]
    Shape {
        /// Length of the mean.
        mean: usize,
        /// Rows of the covariance.
        rows: usize,
        /// Columns of the covariance.
        columns: usize,
    },
    /// A lower triangle of another size than the mean's.
    #[error(
        "found a mean of {mean} numbers and a covariance of {found}, expected the {expected} of the \
         covariance's lower triangle"
    )]
    Triangle {
        /// Length of the mean.
        mean: usize,
        /// Numbers of the covariance.
        found: usize,
        /// Numbers that the mean asks for.
        expected: usize,
    },
    /// Something that is no number, or has no inverse within the range of numbers.
    #[error("found numbers that are not finite, or too large or small to compute with")]
    NotFinite,
}

/// theta ~ N(m, S).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "StoredPrior", into = "StoredPrior")]
pub struct GaussianPrior {
    mean: Vec<f64>,
    /// Lower triangle of S, row after row: with the mean, all that the rest is computed from.
    covariance: Vec<f64>,
    precision: Mat<f64>,
    /// Lower triangular, `L L' = S`.
    root: Mat<f64>,
    log_det_precision: f64,
    /// The diagonal of the precision, where nothing else is in it.
    diagonal: Option<Vec<f64>>,
}

impl GaussianPrior {
    /// The prior with this mean and covariance.
    ///
    /// # Errors
    /// If the shapes differ or the covariance is not positive definite.
    pub fn new(mean: Vec<f64>, covariance: &Mat<f64>) -> Result<Self, PriorError> {
        let p = mean.len();
        if covariance.nrows() != p || covariance.ncols() != p {
            return Err(PriorError::Shape {
                mean: p,
                rows: covariance.nrows(),
                columns: covariance.ncols(),
            });
        }
        let llt = Llt::new(covariance.as_ref(), Side::Lower)
            .map_err(|_| PriorError::NotPositiveDefinite(p))?;
        let root = llt.L().to_owned();
        let precision = faer::linalg::solvers::DenseSolveCore::inverse(&llt);
        let log_det_precision = -2.0 * (0..p).map(|i| root[(i, i)].ln()).sum::<f64>();
        let off_diagonal = (0..p).flat_map(|i| (0..i).map(move |j| (i, j)));
        let diagonal = off_diagonal
            .map(|(i, j)| covariance[(i, j)])
            .all(|v| v == 0.0)
            .then(|| (0..p).map(|i| precision[(i, i)]).collect());
        let triangle = (0..p).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let covariance = triangle.map(|(i, j)| covariance[(i, j)]).collect();
        Ok(Self { mean, covariance, precision, root, log_det_precision, diagonal })
    }

    /// The paper's prior for `len` features: flat on the gamma family, standard normal on `w`.
    /// With two features this is the gamma family alone.
    pub fn paper(len: usize) -> Self {
        let covariance = Mat::from_fn(len, len, |i, j| match (i == j, i < 2) {
            (false, _) => 0.0,
            (true, true) => FLAT_SD * FLAT_SD,
            (true, false) => 1.0,
        });
        Self::new(vec![0.0; len], &covariance).expect("a positive diagonal is a covariance")
    }

    /// m.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The lower triangle of S, row after row.
    pub fn covariance(&self) -> &[f64] {
        &self.covariance
    }

    /// Standard deviation of coefficient `i`.
    pub fn sd(&self, i: usize) -> f64 {
        self.covariance[i * (i + 3) / 2].sqrt()
    }

    /// The inverse of S.
    pub fn precision(&self) -> &Mat<f64> {
        &self.precision
    }

    /// Lower triangular root of S.
    pub fn root(&self) -> &Mat<f64> {
        &self.root
    }

    /// `ln det S^-1`.
    pub fn log_det_precision(&self) -> f64 {
        self.log_det_precision
    }

    /// Number of coefficients.
    pub fn len(&self) -> usize {
        self.mean.len()
    }

    /// Whether there are no coefficients.
    pub fn is_empty(&self) -> bool {
        self.mean.is_empty()
    }

    /// `-(theta - m)' S^-1 (theta - m) / 2`; writes `-S^-1 (theta - m)` to `gradient`.
    pub fn log_density(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let p = self.len();
        if let Some(diagonal) = &self.diagonal {
            for i in 0..p {
                gradient[i] = -diagonal[i] * (theta[i] - self.mean[i]);
            }
            return 0.5 * (0..p).map(|i| gradient[i] * (theta[i] - self.mean[i])).sum::<f64>();
        }
        gradient.fill(0.0);
        for j in 0..p {
            let d = theta[j] - self.mean[j];
            for i in 0..p {
                gradient[i] -= self.precision[(i, j)] * d;
            }
        }
        0.5 * (0..p).map(|i| gradient[i] * (theta[i] - self.mean[i])).sum::<f64>()
    }
}
