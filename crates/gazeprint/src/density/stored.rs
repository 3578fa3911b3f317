//! A prior as it is stored.

use faer::Mat;
use serde::{Deserialize, Serialize};

use super::{GaussianPrior, PriorError};

/// What a [`GaussianPrior`] is computed from.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredPrior {
    mean: Vec<f64>,
    /// Lower triangle, row after row.
    covariance: Vec<f64>,
}

impl From<GaussianPrior> for StoredPrior {
    fn from(prior: GaussianPrior) -> Self {
        Self { mean: prior.mean().to_vec(), covariance: prior.covariance().to_vec() }
    }
}

impl TryFrom<StoredPrior> for GaussianPrior {
    type Error = PriorError;

    fn try_from(stored: StoredPrior) -> Result<Self, PriorError> {
        let StoredPrior { mean, covariance } = stored;
        let p = mean.len();
        // As many numbers as are in memory; p (p + 1) cannot overflow.
        let expected = p * (p + 1) / 2;
        if covariance.len() != expected {
            return Err(PriorError::Triangle { mean: p, found: covariance.len(), expected });
        }
        let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
        if !finite(&mean) || !finite(&covariance) {
            return Err(PriorError::NotFinite);
        }
        let covariance = Mat::from_fn(p, p, |i, j| {
            let (row, column) = (i.max(j), i.min(j));
            covariance[row * (row + 1) / 2 + column]
        });
        let prior = Self::new(mean, &covariance)?;
        let computed = [prior.root(), prior.precision()];
        let usable = computed.iter().all(|m| m.col_iter().all(|c| c.iter().all(|v| v.is_finite())));
        if usable && prior.log_det_precision().is_finite() {
            Ok(prior)
        } else {
            Err(PriorError::NotFinite)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(mean: &[f64], covariance: &[f64]) -> Result<GaussianPrior, PriorError> {
        StoredPrior { mean: mean.to_vec(), covariance: covariance.to_vec() }.try_into()
    }

    #[test]
    fn a_stored_prior_is_the_same_to_the_last_bit() {
        let p = 40;
        let covariance = Mat::from_fn(p, p, |i, j| {
            let distance = i.abs_diff(j) as f64;
            (-distance / 7.3).exp() / 3.0 + if i == j { 1e-3 } else { 0.0 }
        });
        let mean = (0..p).map(|i| (i as f64).sin() / 3.0).collect();
        for prior in [GaussianPrior::new(mean, &covariance).unwrap(), GaussianPrior::paper(p)] {
            let text = serde_json::to_string(&prior).unwrap();
            let again: GaussianPrior = serde_json::from_str(&text).unwrap();
            // Debug output tells all numbers apart.
            assert_eq!(format!("{prior:?}"), format!("{again:?}"));
            assert!((again.sd(3) - prior.root().row(3).norm_l2()).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_no_covariance_is_refused() {
        assert!(parsed(&[], &[]).is_ok_and(|p| p.is_empty()));
        assert!(parsed(&[1.0, 2.0], &[1.0, 0.5, 1.0]).is_ok());
        let triangle = PriorError::Triangle { mean: 2, found: 2, expected: 3 };
        assert_eq!(parsed(&[1.0, 2.0], &[1.0, 0.5]).unwrap_err(), triangle);
        let no_covariance = PriorError::NotPositiveDefinite(2);
        for covariance in [[1.0, 2.0, 1.0], [0.0; 3], [-1.0, 0.0, 1.0]] {
            assert_eq!(parsed(&[1.0, 2.0], &covariance).unwrap_err(), no_covariance);
        }
        assert_eq!(parsed(&[f64::NAN], &[1.0]).unwrap_err(), PriorError::NotFinite);
        assert_eq!(parsed(&[0.0], &[f64::INFINITY]).unwrap_err(), PriorError::NotFinite);
        assert_eq!(parsed(&[0.0], &[1e-320]).unwrap_err(), PriorError::NotFinite);
    }
}
