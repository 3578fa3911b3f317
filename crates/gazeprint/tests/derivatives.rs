//! The likelihood against sums written plainly; its derivatives against differences of it.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use common::{TRUNCATIONS, families, log_sum, plain_weights, rng, uniform_observations};
use faer::Mat;
use gazeprint::density::{Features, GaussianPrior, Grid, Likelihood, Sample, Workspace};
use gazeprint::saccade::{Observation, Truncation};
use proptest::prelude::*;
use rand::RngExt;

const UPPER: f64 = 24.0;

/// Coefficients from nothing to densities that vanish in double precision over most of the grid.
fn thetas(len: usize) -> Vec<Vec<f64>> {
    let mut rng = rng(7);
    let mut thetas = vec![vec![0.0; len]];
    for eta in [
        [1.5, -2.0],
        [-0.9, -0.5],
        [0.5, 1.0],
        [90.0, -40.0],
        [30.0, -250.0],
        [-80.0, 120.0],
        [-150.0, -3.0],
    ] {
        let mut theta = vec![0.0; len];
        theta[..2].copy_from_slice(&eta);
        theta[2..].iter_mut().for_each(|w| *w = rng.random_range(-2.0..2.0));
        thetas.push(theta);
    }
    thetas
}

/// The fourth-order central difference of a vector function along each axis.
fn differences(
    theta: &[f64],
    step: f64,
    mut value: impl FnMut(&[f64]) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    (0..theta.len())
        .map(|a| {
            let mut at = |steps: f64| {
                let mut moved = theta.to_vec();
                moved[a] += steps * step;
                value(&moved)
            };
            let (f1, b1, f2, b2) = (at(1.0), at(-1.0), at(2.0), at(-2.0));
            (0..f1.len())
                .map(|i| (8.0 * (f1[i] - b1[i]) - (f2[i] - b2[i])) / (12.0 * step))
                .collect()
        })
        .collect()
}

fn each_case(mut check: impl FnMut(&str, &Features, Likelihood<'_>, &[f64])) {
    let mut rng = rng(1);
    for lower in [0.0, 2.5] {
        let grid = Arc::new(Grid::new(lower, UPPER));
        for features in families(&grid) {
            for truncation in TRUNCATIONS {
                for n in [1, 40] {
                    let observed = uniform_observations(truncation, UPPER, n, &mut rng);
                    let sample = Sample::new(&grid, truncation, &observed);
                    for theta in thetas(features.len()) {
                        let name = format!(
                            "{truncation:?}, {} features, n = {n}, from {lower}, eta {:?}",
                            features.len(),
                            &theta[..2]
                        );
                        check(&name, &features, Likelihood::new(&features, &sample), &theta);
                    }
                }
            }
        }
    }
}

#[test]
fn gradients_are_differences_of_values() {
    let mut worst = 0f64;
    each_case(|name, features, likelihood, theta| {
        let mut ws = Workspace::new(features);
        let mut gradient = vec![0.0; theta.len()];
        let value = likelihood.gradient(theta, &mut ws, &mut gradient);
        assert_eq!(value, likelihood.value(theta, &mut ws), "{name}");
        let step = 1e-3;
        let slopes = differences(theta, step, |t| vec![likelihood.value(t, &mut ws)]);
        // Rounding of the two values over the step, and the fifth derivative of a log-sum-exp,
        // which is bounded by the fifth power of the range of a feature (about 10 here).
        let n = likelihood.sample().len() as f64;
        let scale = 1.0 + n;
        let rounding = 4.0 * f64::EPSILON * (1.0 + value.abs()) / step;
        for (a, (exact, slope)) in gradient.iter().zip(&slopes).enumerate() {
            let error = (exact - slope[0]).abs() / scale;
            worst = worst.max(error);
            assert!(
                error < 2e-9 + rounding,
                "{name}, coefficient {a}: {exact} against {}",
                slope[0]
            );
        }
    });
    println!("gradients: at most {worst:.1e} an observation");
}

#[test]
fn hessians_are_differences_of_gradients() {
    let mut worst = 0f64;
    each_case(|name, features, likelihood, theta| {
        let p = theta.len();
        let mut ws = Workspace::new(features);
        let mut gradient = vec![0.0; p];
        let mut information = Mat::zeros(p, p);
        likelihood.derivatives(theta, &mut ws, &mut gradient, &mut information);
        let mut plain = vec![0.0; p];
        likelihood.gradient(theta, &mut ws, &mut plain);
        let slopes = differences(theta, 1e-3, |t| {
            likelihood.gradient(t, &mut ws, &mut plain);
            plain.clone()
        });
        let scale = 1.0 + likelihood.sample().len() as f64;
        for i in 0..p {
            for j in 0..=i {
                let (exact, slope) = (-information[(i, j)], slopes[j][i]);
                let error = (exact - slope).abs() / scale;
                worst = worst.max(error);
                assert!(error < 2e-9, "{name}, entry {i}, {j}: {exact} against {slope}");
            }
        }
    });
    println!("Hessians: at most {worst:.1e} an observation");
}

#[test]
fn gradients_with_and_without_hessian_are_the_same() {
    each_case(|name, features, likelihood, theta| {
        let p = theta.len();
        let mut ws = Workspace::new(features);
        let (mut alone, mut with) = (vec![0.0; p], vec![0.0; p]);
        let value = likelihood.gradient(theta, &mut ws, &mut alone);
        let other = likelihood.derivatives(theta, &mut ws, &mut with, &mut Mat::zeros(p, p));
        assert_eq!((value, alone), (other, with), "{name}");
    });
}

/// log p(y | theta), term by term, with every interval summed from scratch in logarithms.
fn plain_value(
    features: &Features,
    truncation: Truncation,
    observed: &[Observation],
    theta: &[f64],
) -> f64 {
    let grid = features.grid();
    let mut log_f = vec![0.0; grid.nodes().len()];
    features.log_density(theta, &mut log_f);
    observed
        .iter()
        .map(|o| {
            let at = features.at(grid.place(o.value));
            let hit: f64 = at.iter().zip(theta).map(|(a, t)| a * t).sum();
            let (l, r) = match truncation {
                Truncation::Full => (grid.lower(), grid.upper()),
                _ => (o.lower.max(grid.lower()), o.upper),
            };
            let terms: Vec<(f64, f64)> =
                plain_weights(grid, l, r).into_iter().map(|(w, j)| (w, log_f[j])).collect();
            hit - log_sum(&terms)
        })
        .sum()
}

#[test]
fn values_are_the_sums_they_stand_for() {
    let mut rng = rng(3);
    let mut worst = 0f64;
    for lower in [0.0, 2.5] {
        let grid = Arc::new(Grid::new(lower, UPPER));
        for features in families(&grid) {
            for truncation in TRUNCATIONS {
                let mut observed = uniform_observations(truncation, UPPER, 60, &mut rng);
                // What is observed lies on the support, if not all of its interval.
                observed.retain(|o| o.value > lower + 0.1);
                let sample = Sample::new(&grid, truncation, &observed);
                let likelihood = Likelihood::new(&features, &sample);
                let mut ws = Workspace::new(&features);
                for theta in thetas(features.len()) {
                    let plain = plain_value(&features, truncation, &observed, &theta);
                    let ours = likelihood.value(&theta, &mut ws);
                    let error = (ours - plain).abs() / (1.0 + plain.abs());
                    worst = worst.max(error);
                    assert!(
                        error < 1e-12,
                        "{truncation:?} from {lower}, eta {:?}: {ours} against {plain}",
                        &theta[..2]
                    );
                }
            }
        }
    }
    println!("values: at most {worst:.1e} of the value");
}

#[test]
fn information_is_positive_semidefinite() {
    each_case(|name, features, likelihood, theta| {
        let p = theta.len();
        let mut information = Mat::zeros(p, p);
        let mut gradient = vec![0.0; p];
        likelihood.derivatives(
            theta,
            &mut Workspace::new(features),
            &mut gradient,
            &mut information,
        );
        let full = Mat::from_fn(p, p, |i, j| information[(i.max(j), i.min(j))]);
        let eigenvalues = full.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
        let largest = eigenvalues[p - 1];
        assert!(
            eigenvalues[0] >= -1e-10 * (1.0 + largest),
            "{name}: {} of {largest}",
            eigenvalues[0]
        );
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    /// On every chord the log posterior lies above the straight line.
    #[test]
    fn log_posterior_is_concave(
        kind in 0..4usize,
        family in 0..2usize,
        seed in any::<u64>(),
        n in 1..30usize,
        spread in prop_oneof![Just(1.0), Just(30.0), Just(300.0)],
        t in 0.01..0.99f64,
    ) {
        let mut rng = rng(seed);
        let grid = Arc::new(Grid::with_cells(0.0, UPPER, 64));
        let features = &families(&grid)[family];
        let observed = uniform_observations(TRUNCATIONS[kind], UPPER, n, &mut rng);
        let sample = Sample::new(&grid, TRUNCATIONS[kind], &observed);
        let likelihood = Likelihood::new(features, &sample);
        let prior = GaussianPrior::paper(features.len());
        let mut ws = Workspace::new(features);
        let mut scratch = vec![0.0; features.len()];
        let mut posterior = |theta: &[f64]| {
            likelihood.value(theta, &mut ws) + prior.log_density(theta, &mut scratch)
        };
        let mut end = || -> Vec<f64> {
            (0..features.len()).map(|_| spread * rng.random_range(-1.0..1.0)).collect()
        };
        let (a, b) = (end(), end());
        let between: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (1.0 - t) * a + t * b).collect();
        let (pa, pb, pm) = (posterior(&a), posterior(&b), posterior(&between));
        prop_assert!(pa.is_finite() && pb.is_finite());
        let chord = (1.0 - t) * pa + t * pb;
        prop_assert!(pm >= chord - 1e-10 * (1.0 + pa.abs() + pb.abs()), "{pm} under {chord}");
    }
}

#[test]
fn gaussian_prior_has_the_density_it_says() {
    let covariance = Mat::from_fn(4, 4, |i, j| {
        let sd = [2.0, 0.5, 1.0, 3.0];
        sd[i] * sd[j] * (-0.4f64).powi((i as i32 - j as i32).abs())
    });
    let prior = GaussianPrior::new(vec![1.0, -2.0, 0.5, 0.0], &covariance).unwrap();
    let theta = [0.3, 0.2, -1.0, 2.0];
    let mut gradient = [0.0; 4];
    let value = prior.log_density(&theta, &mut gradient);
    let slopes = differences(&theta, 1e-3, |t| vec![prior.log_density(t, &mut [0.0; 4])]);
    for (g, s) in gradient.iter().zip(&slopes) {
        assert!((g - s[0]).abs() < 1e-10);
    }
    // S times the gradient is m - theta, and the value half their product.
    for i in 0..4 {
        let product: f64 = (0..4).map(|j| covariance[(i, j)] * gradient[j]).sum();
        assert!((product - (prior.mean()[i] - theta[i])).abs() < 1e-12);
    }
    let half: f64 = (0..4).map(|i| 0.5 * gradient[i] * (theta[i] - prior.mean()[i])).sum();
    assert!((value - half).abs() < 1e-12);
    assert!((prior.log_det_precision() + covariance.determinant().ln()).abs() < 1e-10);
}
