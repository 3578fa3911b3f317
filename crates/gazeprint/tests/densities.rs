//! Densities integrate to one, over their support and over every interval, even one that holds
//! next to nothing.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use common::{bounds, families, fixture, log_sum, plain_weights, rng};
use faer::Mat;
use gazeprint::density::{
    Features, GaussianPrior, Grid, Likelihood, Sample, Tabulated, Workspace, mix,
};
use gazeprint::inference::{Engine, Laplace, Metropolis, Nuts, Problem, Scratch, Step};
use gazeprint::random::Stream;
use gazeprint::saccade::{Observation, Truncation};
use proptest::prelude::*;
use rand::RngExt;

/// The log density at the nodes of coefficients.
fn log_density(features: &Features, theta: &[f64]) -> Vec<f64> {
    let mut log_f = vec![0.0; features.grid().nodes().len()];
    features.log_density(theta, &mut log_f);
    log_f
}

/// The integral over `[lower, upper]` of what is evaluated, by Gauss-Legendre quadrature of 4
/// points in each of many pieces, none of which crosses a node.
fn quadrature(grid: &Grid, lower: f64, upper: f64, f: impl Fn(f64) -> f64) -> f64 {
    const POINTS: [(f64, f64); 4] = [
        (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
        (-0.339_981_043_584_856_3, 0.652_145_154_862_546_1),
        (0.339_981_043_584_856_3, 0.652_145_154_862_546_1),
        (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    ];
    const PIECES: usize = 4;
    let mut total = 0.0;
    for nodes in grid.nodes().windows(2) {
        let (a, b) = (lower.max(nodes[0]), upper.min(nodes[1]));
        if a >= b {
            continue;
        }
        let half = 0.5 * (b - a) / PIECES as f64;
        for piece in 0..PIECES {
            let middle = a + (2 * piece + 1) as f64 * half;
            total += POINTS.iter().map(|(x, w)| w * half * f(middle + x * half)).sum::<f64>();
        }
    }
    total
}

/// Shapes as they occur: amplitudes (gamma of shape 0.6 to 6), and bumps around them.
fn shapes(features: &Features) -> Vec<Vec<f64>> {
    let mut rng = rng(5);
    [[-0.4, -1.5], [0.5, -3.0], [2.0, -6.0], [5.0, -9.0], [1.0, 0.5]]
        .iter()
        .map(|eta| {
            let mut theta = vec![0.0; features.len()];
            theta[..2].copy_from_slice(eta);
            theta[2..].iter_mut().for_each(|w| *w = rng.random_range(-1.5..1.5));
            theta
        })
        .collect()
}

/// Largest deviation from one of the integral, over intervals of a kind, of the density that is
/// evaluated given its interval.
fn deviation(cells: usize, eta: [f64; 2], truncation: Truncation) -> f64 {
    let mut worst = 0f64;
    for lower in [0.0, 0.3] {
        let grid = Arc::new(Grid::with_cells(lower, 24.0, cells));
        // The basis of a grid depends on its nodes; a bump that does not takes its place.
        let gamma = Features::gamma(Arc::clone(&grid));
        let mut log_f = log_density(&gamma, &eta);
        for (x, v) in grid.nodes().iter().zip(&mut log_f) {
            *v += 0.8 * (x * 0.6).sin();
        }
        let table = Tabulated::new(&grid, log_f);
        let mut rng = rng(11);
        for _ in 0..8 {
            let (l, r) = match truncation {
                Truncation::Full => (lower, 24.0),
                _ => bounds(truncation, &mut rng),
            };
            // Densities live on their support, and so do intervals.
            let (l, r) = (l.max(lower), r.max(lower + 0.5));
            let integral = quadrature(&grid, l, r, |value| {
                let o = Observation { value, lower: l, upper: r };
                table.log_truncated(truncation, &o).exp()
            });
            worst = worst.max((integral - 1.0).abs());
        }
    }
    worst
}

#[test]
fn what_is_evaluated_integrates_to_one_over_every_interval() {
    // Values between nodes lie on curves, masses under straight lines: they part by the error of
    // the trapezoid rule, d^2 / 12 where the logarithm changes by d over a cell (0.4 at most here),
    // which falls with the square of the number of cells. Where the density has a pole at zero
    // (first row), the order is that of the pole.
    for (eta, bound, order) in [
        ([-0.4, -1.5], 4e-3, 8.0),
        ([0.5, -3.0], 2e-3, 40.0),
        ([2.0, -6.0], 6e-3, 50.0),
        ([5.0, -9.0], 1e-2, 50.0),
        ([1.0, 0.5], 1e-3, 50.0),
    ] {
        for truncation in common::TRUNCATIONS {
            let (default, fine) =
                (deviation(256, eta, truncation), deviation(2048, eta, truncation));
            println!("{eta:?}, {truncation:?}: {default:.1e}, on eight times the cells {fine:.1e}");
            assert!(default < bound, "{eta:?}, {truncation:?}: off by {default}");
            assert!(default / fine > order, "{eta:?}, {truncation:?}: {default}, then {fine}");
        }
    }
}

#[test]
fn what_is_tabulated_integrates_to_one_exactly() {
    for lower in [0.0, 2.5] {
        let grid = Arc::new(Grid::new(lower, 24.0));
        for features in families(&grid) {
            for mut theta in shapes(&features) {
                for factor in [1.0, 20.0, -60.0] {
                    theta[..2].iter_mut().for_each(|e| *e *= factor);
                    let table = Tabulated::new(&grid, log_density(&features, &theta));
                    let terms: Vec<(f64, f64)> = plain_weights(&grid, lower, 24.0)
                        .into_iter()
                        .map(|(w, j)| (w, table.log_f()[j]))
                        .collect();
                    assert!(log_sum(&terms).abs() < 1e-11, "{:?}: {}", theta, log_sum(&terms));
                    assert!(table.log_mass(lower, 24.0).abs() < 1e-11);
                }
            }
        }
    }
}

#[test]
fn posterior_means_integrate_to_one() {
    let mut rng = rng(17);
    let metropolis = Metropolis { iterations: 600, burn_in: 300, step: Step::Adapted };
    let engines = [
        Engine::Laplace(Laplace::default()),
        Engine::Nuts(Nuts { chains: 1, tune: 100, draws: 100 }),
        Engine::Metropolis(metropolis),
    ];
    // A support that starts far from zero lets densities rise below it by any factor.
    for (lower, truncation) in [(0.0, Truncation::Full), (4.0, Truncation::Lower)] {
        let grid = Arc::new(Grid::new(lower, 24.0));
        let features = Features::semiparametric(Arc::clone(&grid), 5.0, 0.3);
        let prior = GaussianPrior::paper(features.len());
        for n in [1, 2, 12] {
            let observed: Vec<Observation> = (0..n)
                .map(|_| {
                    let lower = rng.random_range(lower..lower + 0.1);
                    let value = rng.random_range(lower..lower + 4.0);
                    Observation { value, lower, upper: f64::INFINITY }
                })
                .collect();
            let sample = Sample::new(&grid, truncation, &observed);
            let problem =
                Problem { likelihood: Likelihood::new(&features, &sample), prior: &prior };
            let mut scratch = Scratch::new(&features);
            let mode = problem.mode(&vec![0.0; features.len()], &mut scratch).unwrap();
            for engine in &engines {
                let stream = Stream { seed: 1, index: n as u64 };
                let posterior = engine.posterior(&problem, &mode, 0, stream, &mut scratch).unwrap();
                let name = format!("{}, n = {n}, from {lower}", engine.name());
                assert!(posterior.log_mean.iter().all(|v| v.is_finite()), "{name}");
                let terms: Vec<(f64, f64)> = plain_weights(&grid, lower, 24.0)
                    .into_iter()
                    .map(|(w, j)| (w, posterior.log_mean[j]))
                    .collect();
                assert!(log_sum(&terms).abs() < 1e-9, "{name}: {}", log_sum(&terms));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 100, failure_persistence: None, ..Default::default()
    })]

    /// A mixture is one of densities: node by node, and in its mass over every interval.
    #[test]
    fn mixtures_mix_masses(
        weight in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
        eta in prop::array::uniform4(-20.0..20.0f64),
        l in 0.0..20.0f64,
        width in 0.01..8.0f64,
    ) {
        let grid = Arc::new(Grid::new(0.0, 24.0));
        let features = Features::gamma(Arc::clone(&grid));
        let f = Tabulated::new(&grid, log_density(&features, &eta[..2]));
        let g = Tabulated::new(&grid, log_density(&features, &eta[2..]));
        let mixed = mix(weight, f.log_f(), g.log_f());
        let table = Tabulated::new(&grid, mixed.clone());
        // Already normalised: nothing to do.
        for (a, b) in table.log_f().iter().zip(&mixed) {
            prop_assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()));
        }
        let expected = log_sum(&[
            (weight, f.log_mass(l, l + width)),
            (1.0 - weight, g.log_mass(l, l + width)),
        ]);
        let mass = table.log_mass(l, l + width);
        prop_assert!((mass - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{mass} {expected}");
    }

    /// Neighbouring intervals add up, whatever they hold.
    #[test]
    fn masses_add_up(
        eta in prop::array::uniform2(-150.0..150.0f64),
        cuts in prop::array::uniform3(0.05..23.0f64),
    ) {
        let mut cuts = cuts;
        cuts.sort_by(f64::total_cmp);
        prop_assume!(cuts[1] - cuts[0] > 0.01 && cuts[2] - cuts[1] > 0.01);
        let grid = Arc::new(Grid::new(0.0, 24.0));
        let features = Features::gamma(Arc::clone(&grid));
        let table = Tabulated::new(&grid, log_density(&features, &eta));
        let parts = [(1.0, table.log_mass(cuts[0], cuts[1])), (1.0, table.log_mass(cuts[1], cuts[2]))];
        let whole = table.log_mass(cuts[0], cuts[2]);
        // At the cut one straight line becomes two with the value between: the same line.
        prop_assert!((log_sum(&parts) - whole).abs() < 1e-11 * (1.0 + whole.abs()));
    }
}

#[test]
fn vanishing_intervals_agree_with_fifty_digits() {
    let (mut deepest, mut worst, mut worst_exact) = (0f64, 0f64, 0f64);
    for row in fixture("tiny_masses.csv") {
        let v: Vec<f64> = row.iter().map(|v| v.parse().unwrap()).collect();
        let [upper, eta1, eta2, l, r, y, log_mass, mean_log, mean_x, log_truncated, exact] =
            v[..].try_into().unwrap();
        let grid = Arc::new(Grid::new(0.0, upper));
        let features = Features::gamma(Arc::clone(&grid));
        let theta = [eta1, eta2];
        let table = Tabulated::new(&grid, log_density(&features, &theta));
        // A double has 16 digits, and logarithms of thousands are subtracted.
        // The width of a sliver is known to fewer.
        let scale = 1.0 + eta1.abs() + 10.0 * eta2.abs() + upper / (r.min(upper) - l);
        let close = |ours: f64, reference: f64, what: &str| {
            let error = (ours - reference).abs() / scale;
            assert!(error < 2e-15, "{what} of {row:?}: {ours} against {reference}");
            error
        };
        worst = worst.max(close(table.log_mass(l, r), log_mass, "log mass"));
        let kind = match (l > 0.0, r.is_finite()) {
            (true, true) => Truncation::Both,
            (true, false) => Truncation::Lower,
            _ => Truncation::Upper,
        };
        let observation = Observation { value: y, lower: l, upper: r };
        let ours = table.log_truncated(kind, &observation);
        worst = worst.max(close(ours, log_truncated, "log density"));
        deepest = deepest.min(log_mass);

        // The same through the likelihood, with the expectations in its gradient.
        let sample = Sample::new(&grid, kind, [&observation]);
        let likelihood = Likelihood::new(&features, &sample);
        let mut ws = Workspace::new(&features);
        let (mut gradient, mut information) = ([0.0; 2], Mat::zeros(2, 2));
        let value = likelihood.derivatives(&theta, &mut ws, &mut gradient, &mut information);
        worst = worst.max(close(value, log_truncated, "log likelihood"));
        let at = features.at(grid.place(y));
        for (a, reference) in [mean_log, mean_x].into_iter().enumerate() {
            let expectation = at[a] - gradient[a];
            assert!((expectation - reference).abs() < 1e-11, "{row:?}: {expectation}");
        }

        // On a grid that is fine enough for these slopes, the integral itself.
        let grid = Arc::new(Grid::with_cells(0.0, upper, 1 << 17));
        let features = Features::gamma(Arc::clone(&grid));
        let table = Tabulated::new(&grid, log_density(&features, &theta));
        let error = (table.log_mass(l, r) - exact).abs();
        worst_exact = worst_exact.max(error);
        assert!(error < 5e-4, "{row:?}: off by {error}");
    }
    println!(
        "down to e^{deepest:.0}: {worst:.1e} relative; fine grid to integral {worst_exact:.1e}"
    );
    assert!(deepest < -900.0);
}
