//! The engines agree on the posterior-mean density.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use common::{Sampler, rng};
use gazeprint::corpus::Limits;
use gazeprint::density::{Features, GaussianPrior, Grid, Likelihood, Sample};
use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts, Problem, Scratch, Step, Stream};
use gazeprint::method::{Family, Observations, SharedDensity, Training};
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

/// The reference: four chains, with the largest distance of one from their mean.
fn reference(
    problem: &Problem<'_>,
    start: &[f64],
    draws: usize,
    seed: u64,
    from: f64,
    scratch: &mut Scratch,
) -> (Vec<f64>, f64) {
    let engine = Engine::Nuts(Nuts { chains: 1, tune: 400, draws });
    let mode = problem.mode(start, scratch).unwrap();
    let chains: Vec<Vec<f64>> = (0..4)
        .map(|chain| {
            let stream = Stream { seed, index: 1000 + chain };
            engine.posterior(problem, &mode, 0, stream, scratch).unwrap().log_mean
        })
        .collect();
    let mean = log_mean(&chains);
    let grid = problem.likelihood.features().grid();
    let distances = chains.iter().map(|c| total_variation(grid, from, c, &mean));
    let spread = distances.fold(0f64, f64::max);
    (mean, spread)
}

fn median_lower(observed: &[Observation]) -> f64 {
    let mut lowers: Vec<f64> = observed.iter().map(|o| o.lower).collect();
    lowers.sort_by(f64::total_cmp);
    lowers[lowers.len() / 2]
}

/// Bounds on the total variation by number of observations.
fn bound(n: usize) -> f64 {
    match n {
        0..=5 => 0.04,
        6..=20 => 0.03,
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
        DensityId::Alpha0,
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
                .take(2)
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
            let draws = if n >= 100 { 1000 } else { 2000 };
            let (exact, spread) =
                reference(&problem, &density.pooled, draws, n as u64, from, &mut scratch);
            let mode = problem.mode(&density.pooled, &mut scratch).unwrap();
            let stream = Stream { seed: 1, index: reader as u64 };
            let ours = laplace.posterior(&problem, &mode, 0, stream, &mut scratch).unwrap();
            let distance = total_variation(density.features.grid(), from, &ours.log_mean, &exact);
            (density.id, n, reader, distance, spread, ours.diagnostics)
        })
        .collect();
    let mut failures = Vec::new();
    for (id, n, reader, distance, spread, diagnostics) in results {
        let mut bound = bound(n);
        if n >= 300 && id.truncation() == Truncation::Full {
            bound = 0.005;
        }
        let line = format!(
            "{}, n = {n}, reader {reader}: {distance:.4} of {bound} (chains {spread:.4}, {:?})",
            id.name(),
            diagnostics.k_hat
        );
        println!("{line}");
        if distance > bound || spread > bound / 3.0 {
            failures.push(line);
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
