//! Do the engines agree? Compares the posterior-mean densities of `laplace` and `metropolis` with
//! four chains of `nuts` on the densities of real readers.
//!
//! ```text
//! cargo run --release -p gazeprint-cli --example engines -- CORPUS [READERS [SIZES [DENSITIES]]]
//! ```
//!
//! For every density and number of observations n, prints the total variation between posterior
//! means over [median l, U] (D9), mean and maximum over readers, beside the bound that `laplace` is
//! held to and the largest distance of one of the four chains from their mean. Chains are made
//! longer until that is a third of the bound.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;

use anyhow::Context;
use gazeprint::density::Grid;
use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts, Scratch};
use gazeprint::method::{Family, Observations, SharedDensity, Training};
use gazeprint::random::Stream;
use gazeprint::saccade::{DensityId, Truncation, readings};
use rayon::prelude::*;

const SIZES: [usize; 7] = [2, 5, 10, 20, 50, 100, 300];
const CHAINS: usize = 4;
/// Draws a chain at first; doubled until the chains agree.
const FIRST_DRAWS: usize = 2000;
const MOST_DRAWS: usize = 64_000;

/// The total variation that `laplace` is held to.
fn bound(id: DensityId, n: usize) -> f64 {
    match n {
        ..6 => 0.04,
        6..21 => 0.03,
        300.. if id.truncation() == Truncation::Full => 0.005,
        100.. => 0.01,
        _ => 0.03,
    }
}

/// Half the integral of the absolute difference over `[lower, U]`, each side normalised there.
fn total_variation(grid: &Grid, lower: f64, log_f: &[f64], log_g: &[f64]) -> f64 {
    let nodes = grid.nodes();
    let cell = |k: usize, a: f64, b: f64| 0.5 * (nodes[k + 1] - nodes[k]) * (a + b);
    let inside: Vec<usize> = (0..grid.cells()).filter(|&k| nodes[k] >= lower).collect();
    let mass = |log_f: &[f64]| -> f64 {
        inside.iter().map(|&k| cell(k, log_f[k].exp(), log_f[k + 1].exp())).sum()
    };
    let (f, g) = (mass(log_f), mass(log_g));
    let difference = |k: usize| (log_f[k].exp() / f - log_g[k].exp() / g).abs();
    0.5 * inside.iter().map(|&k| cell(k, difference(k), difference(k + 1))).sum::<f64>()
}

#[derive(Default)]
struct Row {
    laplace: Vec<f64>,
    mode: Vec<f64>,
    metropolis: Vec<f64>,
    spread: Vec<f64>,
    k_hat: Vec<f64>,
    effective: Vec<f64>,
    metropolis_effective: Vec<f64>,
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let folder = arguments.get(1).context("usage: engines CORPUS [READERS [SIZES [DENSITIES]]]")?;
    let limit: usize = arguments.get(2).map_or(Ok(8), |n| n.parse())?;
    let sizes = match arguments.get(3) {
        Some(list) => list.split(',').map(str::parse).collect::<Result<Vec<usize>, _>>()?,
        None => SIZES.to_vec(),
    };
    let wanted = |id: &DensityId| match arguments.get(4) {
        Some(list) => list.split(',').any(|name| name == id.name()),
        None => true,
    };
    let corpus = gazeprint_io::read_corpus(Path::new(folder))?;
    let (readings, _) = readings(&corpus, Default::default());
    let train = readings.iter().map(|r| (r.reader, r)).collect();
    let observations = Observations::of(&Training::new(corpus.readers().len(), train)?);
    let laplace = Engine::Laplace(Laplace::default());
    let metropolis = Engine::Metropolis(Metropolis::default());
    println!(
        "{:<10} {:>6} {:>4} {:>3}  {:>13}  {:>13}  {:>13}  {:>13}  {:>6} {:>6} {:>6}",
        "density",
        "A",
        "n",
        "fit",
        "laplace",
        "mode",
        "metropolis",
        "bound, spread",
        "k-hat",
        "ess",
        "m.ess"
    );
    for id in DensityId::ALL.into_iter().filter(wanted) {
        let shared = SharedDensity::learn(id, Family::Semiparametric, &observations)?;
        let grid = shared.features.grid();
        let mut lowers: Vec<f64> = observations.pooled(id).map(|o| o.lower).collect();
        lowers.sort_by(f64::total_cmp);
        let lower = match id.truncation() {
            Truncation::Full | Truncation::Upper => 0.0,
            _ => lowers[lowers.len() / 2],
        };
        for &n in &sizes {
            let readers: Vec<usize> = (0..observations.readers())
                .filter(|&r| observations.of_reader(id, r).len() >= n)
                .take(limit)
                .collect();
            let results: Vec<_> = readers
                .par_iter()
                .map_init(
                    || Scratch::new(&shared.features),
                    |scratch, &reader| -> anyhow::Result<[f64; 7]> {
                        let sample = shared.sample(&observations.of_reader(id, reader)[..n]);
                        let problem = shared.problem(&sample);
                        let mode = problem.mode(&shared.pooled, scratch)?;
                        let stream = Stream { seed: 1, index: reader as u64 };
                        let ours = laplace.posterior(&problem, &mode, 0, stream, scratch)?;
                        let paper = metropolis.posterior(&problem, &mode, 0, stream, scratch)?;
                        let bound = bound(id, n);
                        let mut draws = FIRST_DRAWS;
                        let (reference, spread) = loop {
                            let nuts = Engine::Nuts(Nuts { chains: 1, tune: 500, draws });
                            let chains = (0..CHAINS)
                                .map(|c| {
                                    let index = (reader * CHAINS + c) as u64 + 1_000_000;
                                    let stream = Stream { seed: 1, index };
                                    nuts.posterior(&problem, &mode, 0, stream, scratch)
                                })
                                .collect::<Result<Vec<_>, _>>()?;
                            let reference: Vec<f64> = (0..grid.nodes().len())
                                .map(|j| {
                                    let sum: f64 = chains.iter().map(|c| c.log_mean[j].exp()).sum();
                                    (sum / CHAINS as f64).ln()
                                })
                                .collect();
                            let spread = chains
                                .iter()
                                .map(|c| total_variation(grid, lower, &c.log_mean, &reference))
                                .fold(0.0, f64::max);
                            // The reference must be sharper than what it judges.
                            if spread < bound / 3.0 || draws >= MOST_DRAWS {
                                break (reference, spread);
                            }
                            draws *= 2;
                        };
                        let distance =
                            |log_f: &[f64]| total_variation(grid, lower, log_f, &reference);
                        Ok([
                            distance(&ours.log_mean),
                            distance(&mode.log_density(&shared.features)),
                            distance(&paper.log_mean),
                            spread,
                            ours.diagnostics.k_hat.unwrap_or(f64::NAN),
                            ours.diagnostics.effective,
                            paper.diagnostics.effective,
                        ])
                    },
                )
                .collect::<Result<_, _>>()?;
            if results.is_empty() {
                continue;
            }
            let mut row = Row::default();
            for [a, b, c, d, e, f, g] in results {
                row.laplace.push(a);
                row.mode.push(b);
                row.metropolis.push(c);
                row.spread.push(d);
                row.k_hat.push(e);
                row.effective.push(f);
                row.metropolis_effective.push(g);
            }
            let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
            let most = |v: &[f64]| v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            println!(
                "{:<10} {:>6.2} {:>4} {:>3}  {:>6.4} {:>6.4}  {:>6.4} {:>6.4}  {:>6.4} {:>6.4}  {:>6.4} {:>6.4}  {:>6.2} {:>6.0} {:>6.0}",
                id.name(),
                shared.process.map_or(f64::NAN, |p| p.amplitude),
                n,
                row.laplace.len(),
                mean(&row.laplace),
                most(&row.laplace),
                mean(&row.mode),
                most(&row.mode),
                mean(&row.metropolis),
                most(&row.metropolis),
                bound(id, n),
                most(&row.spread),
                most(&row.k_hat),
                mean(&row.effective),
                mean(&row.metropolis_effective)
            );
        }
    }
    Ok(())
}
