//! Gamma fits against maximum-likelihood values by SciPy (`scripts/references/gamma_fits.py`).
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use common::fixture;
use faer::Mat;
use gazeprint::density::{CELLS, Features, GaussianPrior, Grid, Likelihood, Sample};
use gazeprint::inference::{Mode, Problem, Scratch};
use gazeprint::saccade::{Observation, Truncation};

struct Case {
    name: String,
    truncation: Truncation,
    observed: Vec<Observation>,
    /// No value can lie above it.
    support: f64,
    shape: f64,
    rate: f64,
    log_likelihood: f64,
}

fn cases() -> Vec<Case> {
    let data = fixture("gamma_data.csv");
    fixture("gamma_fits.csv")
        .into_iter()
        .map(|row| {
            let number = |i: usize| row[i].parse::<f64>().unwrap();
            let observed = data
                .iter()
                .filter(|d| d[0] == row[0])
                .map(|d| Observation {
                    value: d[1].parse().unwrap(),
                    lower: d[2].parse().unwrap(),
                    upper: d[3].parse().unwrap(),
                })
                .collect();
            let truncation = match row[1].as_str() {
                "full" => Truncation::Full,
                "upper" => Truncation::Upper,
                "lower" => Truncation::Lower,
                "both" => Truncation::Both,
                other => panic!("no truncation {other}"),
            };
            Case {
                name: format!("case {} ({truncation:?}, support {})", row[0], row[2]),
                truncation,
                observed,
                support: number(2),
                shape: number(3),
                rate: number(4),
                log_likelihood: number(5),
            }
        })
        .collect()
}

impl Case {
    /// Right end of the grid: the support, or far beyond the data where there is none.
    fn upper(&self) -> f64 {
        if self.support.is_finite() {
            return self.support;
        }
        let ends =
            self.observed.iter().map(|o| if o.upper.is_finite() { o.upper } else { o.value });
        let factor = match self.truncation {
            // What lies beyond the right bounds has no part in the likelihood.
            Truncation::Upper | Truncation::Both => 1.05,
            Truncation::Full | Truncation::Lower => 4.0,
        };
        factor * ends.fold(0f64, f64::max)
    }

    fn fit(&self, cells: usize, prior: &GaussianPrior) -> Mode {
        let grid = Arc::new(Grid::with_cells(0.0, self.upper(), cells));
        let features = Features::gamma(Arc::clone(&grid));
        let sample = Sample::new(&grid, self.truncation, &self.observed);
        let problem = Problem { likelihood: Likelihood::new(&features, &sample), prior };
        problem.mode(&[0.0, 0.0], &mut Scratch::new(&features)).unwrap()
    }

    /// The reference in the coefficients of log x and x / (U/10).
    fn theta(&self) -> [f64; 2] {
        [self.shape - 1.0, -self.rate * self.upper() / 10.0]
    }

    /// How far a fit is from the reference, in standard errors.
    fn distance(&self, mode: &Mode) -> f64 {
        let reference = self.theta();
        let d = [mode.theta[0] - reference[0], mode.theta[1] - reference[1]];
        let z: f64 =
            (0..2).map(|j| (j..2).map(|i| mode.root[(i, j)] * d[i]).sum::<f64>().powi(2)).sum();
        z.sqrt()
    }
}

/// So flat that it cannot be seen.
fn flat() -> GaussianPrior {
    GaussianPrior::new(vec![0.0; 2], &(faer::Scale(1e16) * Mat::<f64>::identity(2, 2))).unwrap()
}

#[test]
fn fine_grids_give_the_maximum_likelihood_fit() {
    let (mut worst, mut worst_likelihood) = (0f64, 0f64);
    for case in cases() {
        let mode = case.fit(64 * CELLS, &flat());
        let reference = case.theta();
        for a in 0..2 {
            let error = (mode.theta[a] / reference[a] - 1.0).abs();
            worst = worst.max(error);
            assert!(error < 2e-5, "{}: {:?} against {reference:?}", case.name, mode.theta);
        }
        let error = (mode.log_likelihood - case.log_likelihood).abs();
        worst_likelihood = worst_likelihood.max(error);
        assert!(error < 1e-3, "{}: {} nats", case.name, mode.log_likelihood);
    }
    println!(
        "16,384 cells: coefficients to {worst:.1e}, likelihood to {worst_likelihood:.1e} nats"
    );
}

#[test]
fn default_grid_and_prior_give_it_within_a_small_part_of_the_standard_error() {
    let mut worst = 0f64;
    for case in cases() {
        let mode = case.fit(CELLS, &GaussianPrior::paper(2));
        let distance = case.distance(&mode);
        worst = worst.max(distance);
        println!(
            "{}: {:.1e} standard errors, {:.1e} nats",
            case.name,
            distance,
            mode.log_likelihood - case.log_likelihood
        );
        assert!(distance < 0.01, "{}: {distance} standard errors", case.name);
    }
    println!("256 cells: {worst:.1e} standard errors");
}

#[test]
fn the_error_of_the_grid_falls_with_its_square() {
    for case in cases() {
        let error = |cells: usize| case.distance(&case.fit(cells, &flat()));
        let (coarse, fine) = (error(CELLS), error(4 * CELLS));
        println!("{}: {coarse:.1e} {fine:.1e}", case.name);
        // A density with a pole at zero has mass below the first node.
        let order = if case.shape < 1.0 { 3.0 } else { 6.0 };
        assert!(fine < coarse / order || fine < 1e-4, "{}: {coarse} then {fine}", case.name);
    }
}
