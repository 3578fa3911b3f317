//! How a reader's durations depend on the situation: a linear part of their logarithm.

use faer::{Col, Mat};

use super::gaussian::{Belief, inverse};
use crate::density::GaussianPrior;
use crate::glance::features::DURATION_FEATURES;
use crate::glance::{ByStay, Stay};

/// Sums over the fixations of a reader, each taken from the means of its kind: the level of a
/// duration is the business of its density.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    squares: Mat<f64>,
    products: Col<f64>,
    total: f64,
    /// Fixations less the means taken off.
    freedom: f64,
}

impl Sums {
    pub(super) fn of(stays: &[Stay]) -> Self {
        const F: usize = DURATION_FEATURES;
        let mut counts: ByStay<f64> = ByStay::of(|_| 0.0);
        let mut means = ByStay::of(|_| [0.0; F + 1]);
        for stay in stays {
            counts[stay.kind] += 1.0;
            let mean = &mut means[stay.kind];
            mean.iter_mut().zip(&stay.features).for_each(|(m, x)| *m += x);
            mean[F] += stay.duration.ln();
        }
        for (mean, n) in means.values_mut().iter_mut().zip(counts.values()) {
            mean.iter_mut().for_each(|m| *m /= f64::max(*n, 1.0));
        }
        let mut squares = Mat::zeros(F, F);
        let mut products = Col::zeros(F);
        let mut total = 0.0;
        for stay in stays {
            let mean = &means[stay.kind];
            let x: [f64; F] = std::array::from_fn(|i| stay.features[i] - mean[i]);
            let y = stay.duration.ln() - mean[F];
            for i in 0..F {
                products[i] += x[i] * y;
                for j in 0..F {
                    squares[(i, j)] += x[i] * x[j];
                }
            }
            total += y * y;
        }
        let kinds = counts.values().iter().filter(|n| **n > 0.0).count();
        Self { squares, products, total, freedom: stays.len() as f64 - kinds as f64 }
    }

    /// The variance around the population's mean: where a reader's own is first guessed from.
    pub(super) fn variance(&self, coefficients: &[f64]) -> f64 {
        (self.residual(coefficients, None) / self.freedom.max(1.0)).max(1e-3)
    }

    /// Expected sum of squares around the regression.
    fn residual(&self, b: &[f64], covariance: Option<&Mat<f64>>) -> f64 {
        let mut sum = self.total;
        for i in 0..b.len() {
            sum -= 2.0 * b[i] * self.products[i];
            for j in 0..b.len() {
                let spread = covariance.map_or(0.0, |c| c[(i, j)]);
                sum += self.squares[(i, j)] * (b[i] * b[j] + spread);
            }
        }
        sum
    }

    /// The coefficients of a reader whose durations have this variance around them, and that
    /// variance anew.
    pub(super) fn believe(&self, prior: &GaussianPrior, variance: f64) -> Option<(Belief, f64)> {
        let p = prior.len();
        let precision = prior.precision();
        let information =
            Mat::from_fn(p, p, |i, j| precision[(i, j)] + self.squares[(i, j)] / variance);
        let (covariance, log_det) = inverse(&information)?;
        let pull: Vec<f64> = (0..p)
            .map(|i| {
                let prior: f64 = (0..p).map(|j| precision[(i, j)] * prior.mean()[j]).sum();
                prior + self.products[i] / variance
            })
            .collect();
        let mode: Vec<f64> =
            (0..p).map(|i| (0..p).map(|j| covariance[(i, j)] * pull[j]).sum()).collect();
        let mut unused = vec![0.0; p];
        let evidence = -0.5 * self.residual(&mode, None) / variance
            - 0.5 * self.freedom * variance.ln()
            + prior.log_density(&mode, &mut unused)
            + 0.5 * prior.log_det_precision()
            - 0.5 * log_det;
        let anew = self.residual(&mode, Some(&covariance)).max(0.0) / self.freedom.max(1.0);
        Some((Belief { mode, information, evidence }, anew.max(1e-3)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glance::StayKind;

    fn number(i: usize) -> f64 {
        (i as f64 * 0.754_877_666).fract() - 0.5
    }

    /// Durations of two kinds with different levels, that follow two of the features.
    fn stays(n: usize) -> Vec<Stay> {
        (0..n)
            .map(|i| {
                let features: [f64; DURATION_FEATURES] =
                    std::array::from_fn(|f| number(17 * i + 5 * f));
                let kind = [StayKind::First, StayKind::Refixation][i % 2];
                let level = if kind == StayKind::First { 5.2 } else { 5.6 };
                let log = level + 0.5 * features[0] - 0.3 * features[4] + 0.2 * number(3 * i + 1);
                Stay { features, kind, duration: log.exp() }
            })
            .collect()
    }

    fn prior(variance: f64) -> GaussianPrior {
        let p = DURATION_FEATURES;
        let covariance = Mat::from_fn(p, p, |i, j| if i == j { variance } else { 0.0 });
        GaussianPrior::new(vec![0.0; p], &covariance).unwrap()
    }

    #[test]
    fn what_durations_follow_is_found() {
        let sums = Sums::of(&stays(4000));
        let (belief, variance) = sums.believe(&prior(1.0), sums.variance(&[0.0; 11])).unwrap();
        let expected = [0.5, 0.0, 0.0, 0.0, -0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        for (found, expected) in belief.mode.iter().zip(expected) {
            assert!((found - expected).abs() < 0.03, "{:?}", belief.mode);
        }
        // 0.2 times a uniform of width one.
        assert!((variance - 0.04 / 12.0).abs() < 5e-4, "{variance}");
    }

    #[test]
    fn little_data_leave_the_prior() {
        let sums = Sums::of(&stays(2));
        let (belief, _) = sums.believe(&prior(1e-6), 0.1).unwrap();
        assert!(belief.mode.iter().all(|b| b.abs() < 1e-4));
        let (belief, variance) = Sums::of(&[]).believe(&prior(0.3), 0.1).unwrap();
        assert!(belief.mode.iter().all(|b| *b == 0.0) && belief.evidence.abs() < 1e-9);
        assert!(variance > 0.0);
        for i in 0..DURATION_FEATURES {
            assert!((belief.covariance().unwrap()[(i, i)] - 0.3).abs() < 1e-9);
        }
    }
}
