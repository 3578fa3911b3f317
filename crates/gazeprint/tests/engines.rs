//! The engines agree on the posterior-mean density.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use common::{Sampler, TRUNCATIONS, rng};
use gazeprint::corpus::Limits;
use gazeprint::density::{Features, GaussianPrior, Grid, Likelihood, Sample, Tabulated, mix};
use gazeprint::inference::{Engine, Laplace, Metropolis, Mode, Nuts, Problem, Scratch, Step};
use gazeprint::method::{Family, Observations, SharedDensity, Training};
use gazeprint::random::Stream;
use gazeprint::saccade::{DensityId, Observation, Truncation, readings};
use gazeprint::simulate::SimulationParams;
use rayon::prelude::*;

/// Total variation of two densities on the nodes, each normalised over `[from, U]`.
fn total_variation(grid: &Grid, from: f64, log_f: &[f64], log_g: &[f64]) -> f64 {
    let nodes = grid.nodes();
    let first = nodes.iter().position(|x| *x >= from).unwrap_or(0).min(grid.cells() - 1);
    let mass = |f: &dyn Fn(usize) -> f64| -> f64 {
        (first..grid.cells()).map(|k| 0.5 * (nodes[k + 1] - nodes[k]) * (f(k) + f(k + 1))).sum()
    };
    let (f, g) = (mass(&|k| log_f[k].exp()), mass(&|k| log_g[k].exp()));
    0.5 * mass(&|k| (log_f[k].exp() / f - log_g[k].exp() / g).abs())
}

/// The mean of log densities' exponentials.
fn log_mean(parts: &[Vec<f64>]) -> Vec<f64> {
    (0..parts[0].len())
        .map(|k| (parts.iter().map(|p| p[k].exp()).sum::<f64>() / parts.len() as f64).ln())
        .collect()
}

/// Four chains of the exact engine: the mean of their densities, and how far one is from it at
/// most.
struct Reference {
    log_mean: Vec<f64>,
    spread: f64,
}

impl Reference {
    fn new(problem: &Problem<'_>, mode: &Mode, draws: usize, seed: u64, from: f64) -> Self {
        let features = problem.likelihood.features();
        let mut scratch = Scratch::new(features);
        let engine = Engine::Nuts(Nuts { chains: 1, tune: 400, draws });
        let chains: Vec<Vec<f64>> = (0..4)
            .map(|index| {
                let stream = Stream { seed, index };
                engine.posterior(problem, mode, 0, stream, &mut scratch).unwrap().log_mean
            })
            .collect();
        let log_mean = log_mean(&chains);
        let spread = chains
            .iter()
            .map(|c| total_variation(features.grid(), from, c, &log_mean))
            .fold(0f64, f64::max);
        Self { log_mean, spread }
    }

    /// With as many draws as it takes (within reason) to tell chains apart by less than `wanted`.
    fn within(problem: &Problem<'_>, mode: &Mode, wanted: f64, seed: u64, from: f64) -> Self {
        let short = Self::new(problem, mode, 1200, seed, from);
        if short.spread < wanted {
            return short;
        }
        let factor = (short.spread / wanted).powi(2).clamp(3.0, 12.0);
        Self::new(problem, mode, (2400.0 * factor) as usize, seed + 1, from)
    }
}

fn median_lower(observed: &[Observation]) -> f64 {
    let mut lowers: Vec<f64> = observed.iter().map(|o| o.lower).collect();
    lowers.sort_by(f64::total_cmp);
    let n = lowers.len();
    0.5 * (lowers[(n - 1) / 2] + lowers[n / 2])
}

/// Observations that the density of all readers counts for, where that is not tuned.
const BACKOFF: f64 = 4.0;

/// Bounds on the total variation by number of observations.
fn bound(id: DensityId, n: usize) -> f64 {
    match n {
        0..=5 => 0.04,
        6..=20 => 0.03,
        300.. if id.truncation() == Truncation::Full => 0.005,
        _ => 0.01,
    }
}

#[test]
fn laplace_agrees_with_nuts_on_simulated_readers() {
    let readers = 30;
    let params = SimulationParams { readers, ..SimulationParams::built_in() };
    let corpus = params.build().unwrap().run();
    let all = readings(&corpus, Limits::default()).0;
    let training = Training::new(readers, all.iter().map(|r| (r.reader, r)).collect()).unwrap();
    let observations = Observations::of(&training);
    let densities: Vec<SharedDensity> = [
        DensityId::Alpha1Bar,
        DensityId::Alpha2,
        DensityId::Alpha3,
        DensityId::Alpha4,
        DensityId::Delta2,
    ]
    .into_iter()
    .map(|id| SharedDensity::learn(id, Family::Semiparametric, &observations).unwrap())
    .collect();
    let laplace = Engine::Laplace(Laplace::default());
    let mut cases = Vec::new();
    for density in &densities {
        for (i, n) in [2, 5, 10, 20, 100, 300].into_iter().enumerate() {
            // Different readers for every size, the first ones who have enough.
            let able: Vec<usize> = (0..readers)
                .map(|r| (r + 5 * i) % readers)
                .filter(|r| observations.of_reader(density.id, *r).len() >= n)
                .take(1)
                .collect();
            cases.extend(able.into_iter().map(|reader| (density, n, reader)));
        }
    }
    let results: Vec<_> = cases
        .into_par_iter()
        .map(|(density, n, reader)| {
            let observed = &observations.of_reader(density.id, reader)[..n];
            let sample = density.sample(observed);
            let problem = density.problem(&sample);
            let mut scratch = Scratch::new(&density.features);
            let from = median_lower(observed);
            let mode = problem.mode(&density.pooled, &mut scratch).unwrap();
            let above = |i: usize| (0..i).all(|j| mode.root[(j, i)] == 0.0);
            assert!((0..mode.theta.len()).all(above), "the root is lower triangular");
            let wanted = bound(density.id, n) / 3.0;
            let exact = Reference::within(&problem, &mode, wanted, 10 * n as u64, from);
            let stream = Stream { seed: 1, index: reader as u64 };
            let ours = laplace.posterior(&problem, &mode, 0, stream, &mut scratch).unwrap();
            let grid = density.features.grid();
            let distance = total_variation(grid, from, &ours.log_mean, &exact.log_mean);
            // What else the reader did, anywhere on the support, with the backoff that scores have (D7):
            // nats by which the engines differ.
            let rest = &observations.of_reader(density.id, reader)[n..];
            let held_out = |log_mean: &[f64]| {
                let own = n as f64 / (n as f64 + BACKOFF);
                let density_of = Tabulated::new(grid, mix(own, log_mean, &density.log_pooled));
                let scores =
                    rest.iter().map(|o| density_of.log_truncated(density.id.truncation(), o));
                scores.sum::<f64>() / rest.len().max(1) as f64
            };
            let apart = (held_out(&ours.log_mean) - held_out(&exact.log_mean)).abs();
            (density.id, n, reader, [distance, apart], exact.spread, ours.diagnostics)
        })
        .collect();
    let mut failures = Vec::new();
    for (id, n, reader, [distance, apart], spread, diagnostics) in results {
        let bound = bound(id, n);
        let line = format!(
            "{}, n = {n}, reader {reader}: {distance:.4} of {bound}, {apart:.4} nats (chains {spread:.4}, {:?})",
            id.name(),
            diagnostics.k_hat
        );
        println!("{line}");
        if distance > bound || apart > bound || spread > bound / 3.0 {
            failures.push(line);
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn metropolis_agrees_with_nuts_where_it_mixes() {
    let grid = Arc::new(Grid::new(0.0, 24.0));
    let cases: Vec<(f64, usize, Truncation)> = [(0.01, 10), (0.01, 100), (0.1, 10), (0.1, 100)]
        .into_iter()
        .zip(TRUNCATIONS)
        .flat_map(|((a, n), kind)| [(a, n, Truncation::Full), (a, n, kind)])
        .skip(1)
        .collect();
    cases.into_par_iter().for_each(|(amplitude, n, truncation)| {
        let features = Features::semiparametric(Arc::clone(&grid), 2.0, amplitude);
        let prior = GaussianPrior::paper(features.len());
        let mut rng = rng(n as u64);
        let mut theta = vec![0.3; features.len()];
        theta[..2].copy_from_slice(&[2.0, -2.4]);
        let observed = Sampler::new(&features, &theta).observe(truncation, n, &mut rng);
        let sample = Sample::new(&grid, truncation, &observed);
        let problem = Problem { likelihood: Likelihood::new(&features, &sample), prior: &prior };
        let mut scratch = Scratch::new(&features);
        let mode = problem.mode(&theta, &mut scratch).unwrap();
        let from = median_lower(&observed);
        let exact = Reference::new(&problem, &mode, 1500, 5, from);
        let engine = Engine::Metropolis(Metropolis::default());
        let chains: Vec<Vec<f64>> = (0..6)
            .map(|index| {
                let stream = Stream { seed: 6, index };
                let posterior = engine.posterior(&problem, &mode, 0, stream, &mut scratch).unwrap();
                posterior.log_mean
            })
            .collect();
        let mean = log_mean(&chains);
        let error = common::mean(
            &chains.iter().map(|c| total_variation(&grid, from, c, &mean)).collect::<Vec<_>>(),
        );
        let distance = total_variation(&grid, from, &mean, &exact.log_mean);
        let name = format!("{truncation:?}, A = {amplitude}, n = {n}");
        println!("{name}: {distance:.4}, chains {error:.4}, reference {:.4}", exact.spread);
        // The mean of six chains errs by about 0.4 of what one does; the reference by half of its
        // spread.
        assert!(distance < error + 0.5 * exact.spread, "{name}: {distance} against {error}");
        // A chain that errs by more tells nothing.
        assert!(error < 0.05, "{name}: {error}");
    });
}

#[test]
fn metropolis_says_where_it_does_not_mix() {
    let grid = Arc::new(Grid::new(0.0, 24.0));
    let features = Features::semiparametric(Arc::clone(&grid), 2.0, 3.0);
    let prior = GaussianPrior::paper(features.len());
    let mut theta = vec![0.5; features.len()];
    theta[..2].copy_from_slice(&[2.0, -2.4]);
    let observed = Sampler::new(&features, &theta).observe(Truncation::Full, 400, &mut rng(9));
    let sample = Sample::new(&grid, Truncation::Full, &observed);
    let problem = Problem { likelihood: Likelihood::new(&features, &sample), prior: &prior };
    let mut scratch = Scratch::new(&features);
    let mode = problem.mode(&theta, &mut scratch).unwrap();
    let stream = Stream { seed: 1, index: 1 };
    let engine =
        Engine::Metropolis(Metropolis { step: Step::Isotropic(0.2), ..Default::default() });
    for engine in [engine, Engine::by_name("metropolis").unwrap()] {
        let posterior = engine.posterior(&problem, &mode, 0, stream, &mut scratch).unwrap();
        println!("{:?}", posterior.diagnostics);
        assert!(posterior.diagnostics.doubtful());
        assert!(posterior.diagnostics.acceptance.unwrap() < 0.02);
        assert!(posterior.diagnostics.effective < 50.0);
    }
    // The default engine does not mind.
    let engine = Engine::by_name("laplace").unwrap();
    let posterior = engine.posterior(&problem, &mode, 0, stream, &mut scratch).unwrap();
    assert!(!posterior.diagnostics.doubtful(), "{:?}", posterior.diagnostics);
}
