//! Simulation-based calibration: coefficients drawn from the prior, data drawn given them; then
//! the rank of the truth among draws from the posterior is uniform, whatever the problem.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use common::{Sampler, TRUNCATIONS, rng};
use faer::Mat;
use gazeprint::density::{Features, GaussianPrior, Grid, Likelihood, Sample, Tabulated};
use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts, Problem, Scratch, Step};
use gazeprint::random::Stream;
use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};

const BINS: usize = 8;
const FUNCTIONALS: [&str; 5] = ["eta1", "eta2", "w1", "mean of the density", "log likelihood"];

/// An informative prior with correlations: sd 0.6 on eta, `spread` on w, neighbours at -0.5.
fn prior(len: usize, spread: f64) -> GaussianPrior {
    let sd = |i: usize| if i < 2 { 0.6 } else { spread };
    let covariance =
        Mat::from_fn(len, len, |i, j| sd(i) * sd(j) * (-0.5f64).powi((i as i32 - j as i32).abs()));
    let mut mean = vec![0.2; len];
    mean[..2].copy_from_slice(&[1.5, -4.0]);
    GaussianPrior::new(mean, &covariance).unwrap()
}

fn draw_prior(prior: &GaussianPrior, rng: &mut impl rand::Rng) -> Vec<f64> {
    let z: Vec<f64> = (0..prior.len()).map(|_| rng.sample(StandardNormal)).collect();
    (0..prior.len())
        .map(|i| prior.mean()[i] + (0..=i).map(|j| prior.root()[(i, j)] * z[j]).sum::<f64>())
        .collect()
}

/// Whether no cell of the grid has more than so much of a density.
fn is_resolved(features: &Features, theta: &[f64], most: f64) -> bool {
    if most >= 1.0 {
        return true;
    }
    let grid = features.grid();
    let mut log_f = vec![0.0; grid.nodes().len()];
    features.log_density(theta, &mut log_f);
    let density = Tabulated::new(grid, log_f);
    let nodes = grid.nodes();
    nodes.windows(2).all(|cell| density.log_mass(cell[0], cell[1]).exp() < most)
}

/// What is ranked.
fn functionals(features: &Features, problem: &Problem<'_>, theta: &[f64]) -> [f64; 5] {
    let grid = features.grid();
    let mut log_f = vec![0.0; grid.nodes().len()];
    features.log_density(theta, &mut log_f);
    let f: Vec<f64> = Tabulated::new(grid, log_f).log_f().iter().map(|v| v.exp()).collect();
    let nodes = grid.nodes();
    let mean: f64 = (0..grid.cells())
        .map(|k| 0.5 * (nodes[k + 1] - nodes[k]) * (f[k] * nodes[k] + f[k + 1] * nodes[k + 1]))
        .sum();
    let mut ws = gazeprint::density::Workspace::new(features);
    [theta[0], theta[1], theta[2], mean, problem.likelihood.value(theta, &mut ws)]
}

/// By functional: in which of equal bins the ranks fall.
fn ranks(
    engine: &Engine,
    features: &Features,
    truth: &GaussianPrior,
    assumed: &GaussianPrior,
    n: usize,
    [keep, repeats]: [usize; 2],
    most: f64,
) -> [[usize; BINS]; 5] {
    let all: Vec<([f64; 5], f64)> = (0..repeats)
        .into_par_iter()
        .map_init(
            || Scratch::new(features),
            |scratch, repeat| {
                let mut rng = rng(1000 + repeat as u64);
                let mut theta = draw_prior(truth, &mut rng);
                while !is_resolved(features, &theta, most) {
                    theta = draw_prior(truth, &mut rng);
                }
                let truncation = TRUNCATIONS[repeat % 4];
                let observed = Sampler::new(features, &theta).observe(truncation, n, &mut rng);
                let sample = Sample::new(features.grid(), truncation, &observed);
                let likelihood = Likelihood::new(features, &sample);
                let problem = Problem { likelihood, prior: assumed };
                let mode = problem.mode(assumed.mean(), scratch).unwrap();
                let stream = Stream { seed: 3, index: repeat as u64 };
                let posterior = engine.posterior(&problem, &mode, keep, stream, scratch).unwrap();
                assert_eq!(posterior.draws.len(), keep);
                let exact = functionals(features, &problem, &theta);
                // What the truth was drawn from, the posterior is of, too.
                let resolved =
                    posterior.draws.iter().filter(|draw| is_resolved(features, draw, most));
                let (mut below, mut count) = ([0.0; 5], 1.0);
                for draw in resolved {
                    let drawn = functionals(features, &problem, draw);
                    (0..5).for_each(|a| below[a] += f64::from(u8::from(drawn[a] < exact[a])));
                    count += 1.0;
                }
                let kept = (count - 1.0) / keep as f64;
                (below.map(|below| (below + rng.random::<f64>()) / count), kept)
            },
        )
        .collect();
    let mut counts = [[0; BINS]; 5];
    let kept = all.iter().map(|(_, kept)| kept).sum::<f64>() / repeats as f64;
    assert!(kept > 0.5, "{kept} of the draws tell a rank");
    for (part, _) in all {
        (0..5).for_each(|a| counts[a][(part[a] * BINS as f64) as usize] += 1);
    }
    counts
}

/// Probability of counts this uneven, were they uniform.
fn p_value(counts: &[usize]) -> f64 {
    let expected = counts.iter().sum::<usize>() as f64 / counts.len() as f64;
    let square: f64 = counts.iter().map(|c| (*c as f64 - expected).powi(2) / expected).sum();
    ChiSquared::new(counts.len() as f64 - 1.0).unwrap().sf(square)
}

fn grid() -> Arc<Grid> {
    Arc::new(Grid::with_cells(0.0, 20.0, 128))
}

/// Checks that no functional's ranks are uneven.
fn check(engine: &Engine, features: &Features, spread: f64, n: usize, keep: usize, repeats: usize) {
    check_under(engine, features, &prior(features.len(), spread), n, [keep, repeats], 1.0);
}

fn check_under(
    engine: &Engine,
    features: &Features,
    prior: &GaussianPrior,
    n: usize,
    size: [usize; 2],
    most: f64,
) {
    let counts = ranks(engine, features, prior, prior, n, size, most);
    for (name, counts) in FUNCTIONALS.iter().zip(counts) {
        let p = p_value(&counts);
        println!("{}, n = {n}, {name}: {counts:?}, p = {p:.3}", engine.name());
        assert!(p > 1e-3, "{}, n = {n}, {name}: {counts:?}", engine.name());
    }
}

#[test]
fn laplace_is_calibrated() {
    let features = Features::semiparametric(grid(), 6.0, 0.5);
    let engine = Engine::Laplace(Laplace::default());
    check(&engine, &features, 0.8, 6, 127, 600);
    check(&engine, &features, 0.8, 60, 127, 400);
}

/// The prior of the paper's model (D8): eta nearly flat, w standard normal. Most densities drawn from it
/// lie in one cell of the grid; those count that the grid resolves, which data tell from the others.
#[test]
fn laplace_and_nuts_are_calibrated_under_the_wide_prior() {
    let features = Features::semiparametric(grid(), 6.0, 0.5);
    let prior = GaussianPrior::paper(features.len());
    check_under(&Engine::Laplace(Laplace::default()), &features, &prior, 60, [127, 400], 0.03);
    let nuts = Engine::Nuts(Nuts { chains: 1, tune: 150, draws: 252 });
    check_under(&nuts, &features, &prior, 60, [63, 200], 0.03);
}

#[test]
fn nuts_is_calibrated() {
    let features = Features::semiparametric(grid(), 6.0, 0.5);
    let engine = Engine::Nuts(Nuts { chains: 1, tune: 150, draws: 252 });
    check(&engine, &features, 0.8, 6, 63, 400);
    check(&engine, &features, 0.8, 60, 63, 200);
}

#[test]
fn metropolis_is_calibrated() {
    let features = Features::semiparametric(grid(), 6.0, 0.05);
    let metropolis = Metropolis { iterations: 6000, burn_in: 2000, step: Step::Adapted };
    check(&Engine::Metropolis(metropolis), &features, 0.8, 6, 31, 400);
    let isotropic = Metropolis { step: Step::Isotropic(0.5), ..metropolis };
    check(&Engine::Metropolis(isotropic), &features, 0.8, 6, 31, 400);
}

#[test]
fn a_wrong_prior_is_noticed() {
    let features = Features::semiparametric(grid(), 6.0, 0.5);
    let truth = prior(features.len(), 0.8);
    let engine = Engine::Laplace(Laplace::default());
    let wide = Mat::from_fn(truth.len(), truth.len(), |i, j| {
        2.0 * (0..=i.min(j)).map(|k| truth.root()[(i, k)] * truth.root()[(j, k)]).sum::<f64>()
    });
    let wide = GaussianPrior::new(truth.mean().to_vec(), &wide).unwrap();
    let counts = ranks(&engine, &features, &truth, &wide, 6, [127, 400], 1.0);
    let p: Vec<f64> = counts.iter().map(|c| p_value(c)).collect();
    println!("twice the covariance: {counts:?}, p = {p:?}");
    assert!(p.iter().any(|p| *p < 1e-3));
}
