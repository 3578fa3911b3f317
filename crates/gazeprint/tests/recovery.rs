//! Known readers are recovered from what they show.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod common;

use std::sync::Arc;

use common::{Sampler, TRUNCATIONS, bounds, rng};
use faer::Mat;
use gazeprint::corpus::{Chars, Corpus, Fixation, Limits, Line, Millis, Scanpath, Text, Word};
use gazeprint::density::{Features, GaussianPrior, Grid, Likelihood, Sample, Tabulated};
use gazeprint::inference::{Mode, Problem, Scratch};
use gazeprint::method::{
    Family, Method, Observations, SharedDensity, Training, Unwatched, landwehr_t, landwehr_ta,
};
use gazeprint::saccade::{DensityId, Observation, Reading, Truncation, readings};
use rand::RngExt;
use rand_distr::{Gamma, StandardNormal};

fn fit(
    features: &Features,
    prior: &GaussianPrior,
    truncation: Truncation,
    observed: &[Observation],
) -> Mode {
    let sample = Sample::new(features.grid(), truncation, observed);
    let problem = Problem { likelihood: Likelihood::new(features, &sample), prior };
    problem.mode(&vec![0.0; features.len()], &mut Scratch::new(features)).unwrap()
}

/// The difference from the truth in units of the curvature: standard normal in every coordinate.
fn z_scores(mode: &Mode, truth: &[f64]) -> Vec<f64> {
    let p = truth.len();
    (0..p).map(|j| (j..p).map(|i| mode.root[(i, j)] * (mode.theta[i] - truth[i])).sum()).collect()
}

/// Checks that z-scores have mean 0 and variance 1, to 4 standard errors of each.
fn check_standard(name: &str, z: &[f64]) {
    let n = z.len() as f64;
    let (mean, variance) = (common::mean(z), common::variance(z));
    println!("{name}: z-scores {mean:.2} +- {:.2}, variance {variance:.2}", n.powf(-0.5));
    assert!(mean.abs() < 4.0 / n.sqrt(), "{name}: mean {mean} of {n}");
    assert!((variance - 1.0).abs() < 4.0 * (2.0 / n).sqrt(), "{name}: variance {variance} of {n}");
}

#[test]
fn gamma_distributions_are_recovered() {
    let (shape, rate, upper) = (2.5, 0.5, 40.0);
    let truth = [shape - 1.0, -rate * upper / 10.0];
    let features = Features::gamma(Arc::new(Grid::new(0.0, upper)));
    let prior = GaussianPrior::paper(2);
    let gamma = Gamma::new(shape, 1.0 / rate).unwrap();
    for truncation in TRUNCATIONS {
        let mut z = Vec::new();
        for repeat in 0..100 {
            let mut rng = rng(repeat);
            // The gamma distribution itself, drawn until it falls into the interval.
            let observed: Vec<Observation> = (0..600)
                .map(|_| {
                    let (lower, upper) = bounds(truncation, &mut rng);
                    let value = loop {
                        let y: f64 = rng.sample(gamma);
                        if (lower..upper.min(40.0)).contains(&y) {
                            break y;
                        }
                    };
                    Observation { value, lower, upper }
                })
                .collect();
            z.extend(z_scores(&fit(&features, &prior, truncation, &observed), &truth));
        }
        check_standard(&format!("{truncation:?}"), &z);
    }
}

#[test]
fn a_large_sample_pins_the_parameters() {
    let (shape, rate, upper) = (3.0, 0.5, 40.0);
    let features = Features::gamma(Arc::new(Grid::new(0.0, upper)));
    let gamma = Gamma::new(shape, 1.0 / rate).unwrap();
    let mut rng = rng(1);
    let observed: Vec<Observation> =
        (0..200_000).map(|_| Observation::free(rng.sample::<f64, _>(gamma).min(upper))).collect();
    let mode = fit(&features, &GaussianPrior::paper(2), Truncation::Full, &observed);
    let (fitted_shape, fitted_rate) = (mode.theta[0] + 1.0, -mode.theta[1] * 10.0 / upper);
    println!("shape {fitted_shape}, rate {fitted_rate}");
    assert!((fitted_shape / shape - 1.0).abs() < 0.015);
    assert!((fitted_rate / rate - 1.0).abs() < 0.015);
}

/// With theta from the prior, the posterior is centred and curved as it says.
#[test]
fn semiparametric_densities_are_recovered() {
    let features = Features::semiparametric(Arc::new(Grid::new(0.0, 20.0)), 6.0, 0.5);
    let p = features.len();
    let covariance = Mat::from_fn(p, p, |i, j| if i == j { 0.25 } else { 0.05 });
    let mut mean = vec![0.0; p];
    mean[..2].copy_from_slice(&[1.5, -3.0]);
    let prior = GaussianPrior::new(mean, &covariance).unwrap();
    for truncation in TRUNCATIONS {
        let mut z = Vec::new();
        for repeat in 0..40 {
            let mut rng = rng(500 + repeat);
            let normal: Vec<f64> = (0..p).map(|_| rng.sample(StandardNormal)).collect();
            let theta: Vec<f64> = (0..p)
                .map(|i| {
                    let deviation: f64 = (0..=i).map(|j| prior.root()[(i, j)] * normal[j]).sum();
                    prior.mean()[i] + deviation
                })
                .collect();
            let observed = Sampler::new(&features, &theta).observe(truncation, 400, &mut rng);
            z.extend(z_scores(&fit(&features, &prior, truncation, &observed), &theta));
        }
        check_standard(&format!("{truncation:?}"), &z);
    }
}

#[test]
fn many_observations_show_the_density() {
    let features = Features::semiparametric(Arc::new(Grid::new(0.0, 20.0)), 4.0, 1.0);
    let prior = GaussianPrior::paper(features.len());
    let mut theta: Vec<f64> = (0..features.len()).map(|i| (i as f64).sin()).collect();
    theta[..2].copy_from_slice(&[1.5, -3.0]);
    let mut truth = vec![0.0; features.grid().nodes().len()];
    features.log_density(&theta, &mut truth);
    let truth = Tabulated::new(features.grid(), truth);
    let observed = Sampler::new(&features, &theta).observe(Truncation::Full, 20_000, &mut rng(77));
    let mode = fit(&features, &prior, Truncation::Full, &observed);
    let fitted = mode.log_density(&features);
    let nodes = features.grid().nodes();
    let distance: f64 = (0..features.grid().cells())
        .map(|k| {
            let d = |k: usize| (fitted[k].exp() - truth.log_f()[k].exp()).abs();
            0.25 * (nodes[k + 1] - nodes[k]) * (d(k) + d(k + 1))
        })
        .sum();
    println!("total variation {distance:.4}");
    assert!(distance < 0.02);
}

/// Two texts of three words, "abcd efg hi": regions [-1, 4), [4, 8), [8, 11).
fn texts() -> Vec<Text> {
    let word = |index, start, end| Word { index, form: None, start, end };
    let line = || Line::new(1, vec![word(1, 0, 4), word(2, 5, 8), word(3, 9, 11)]).unwrap();
    ["a", "b"].map(|id| Text::new(id, vec![line()]).unwrap()).into()
}

fn scanpath(reader: usize, text: usize, trial: &str, xs: &[f64]) -> Scanpath {
    let fixation = |(i, x): (usize, &f64)| Fixation {
        line: Some(1),
        x: Some(Chars(*x)),
        duration: Some(Millis(180.0 + 13.0 * i as f64)),
        ..Default::default()
    };
    Scanpath {
        reader,
        text,
        session: "1".to_owned(),
        trial: trial.to_owned(),
        order: None,
        fixations: xs.iter().enumerate().map(fixation).collect(),
    }
}

fn read(readers: usize, scanpaths: Vec<Scanpath>) -> Vec<Reading> {
    let names = (0..readers).map(|r| format!("r{r}")).collect();
    let corpus = Corpus::new("by hand", names, texts(), scanpaths).unwrap();
    readings(&corpus, Limits::default()).0
}

/// Refixations forward, back; next word; refixation forward; regression; skip; refixation forward.
const LONG: [f64; 8] = [1.5, 3.0, 2.0, 6.0, 7.0, 1.0, 9.5, 10.2];
/// Next word twice.
const SHORT: [f64; 3] = [2.0, 5.5, 9.0];
/// Skip, refixation back, regression.
const ODD: [f64; 4] = [0.5, 9.2, 8.4, 2.2];

#[test]
fn types_and_directions_are_counted() {
    let train = read(
        2,
        vec![scanpath(0, 0, "1", &LONG), scanpath(0, 1, "1", &SHORT), scanpath(1, 0, "1", &ODD)],
    );
    let training = Training::new(2, train.iter().map(|r| (r.reader, r)).collect()).unwrap();
    let observations = Observations::of(&training);
    assert_eq!(observations.types, [[4, 3, 1, 1].into(), [1, 0, 1, 1].into()]);
    assert_eq!(observations.refixations, [[3, 1], [0, 1]]);
    let n = |id, reader| observations.of_reader(id, reader).len();
    assert_eq!(DensityId::ALL.map(|id| n(id, 0)), [2, 3, 1, 3, 1, 1, 2, 4, 3, 1, 1]);
    assert_eq!(DensityId::ALL.map(|id| n(id, 1)), [1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1]);
    let next: Vec<(f64, f64)> =
        observations.of_reader(DensityId::Alpha2, 0).iter().map(|o| (o.lower, o.upper)).collect();
    assert_eq!(next, [(2.0, 6.0), (2.0, 6.0), (2.5, 5.5)]);

    // Flat Dirichlet priors: one more of each.
    let fitted = landwehr_t().fit(&training, 1, &Unwatched).unwrap();
    let probe = &read(1, vec![scanpath(0, 0, "1", &[1.0, 2.0, 6.0, 1.0, 9.0])])[0];
    let scores = fitted.scorer.scores(&fitted.scorer.probe(probe));
    for (score, pi) in scores.iter().zip([[5.0, 4.0, 2.0, 2.0], [2.0, 1.0, 2.0, 2.0]]) {
        // Refixation, next word, regression, skip: one of each.
        let total: f64 = pi.iter().sum();
        let expected: f64 = pi.iter().map(|p| (p / total).ln()).sum();
        assert!((score - expected).abs() < 1e-12, "{score} against {expected}");
    }
}

#[test]
fn directions_of_refixations_count_in_the_score() {
    let train = read(
        1,
        (0..10)
            .map(|i| {
                let shifted = LONG.map(|x| x + 0.05 * f64::from(i % 7));
                scanpath(0, (i % 2) as usize, &i.to_string(), &shifted)
            })
            .collect(),
    );
    let training = Training::new(1, train.iter().map(|r| (r.reader, r)).collect()).unwrap();
    let observations = Observations::of(&training);
    assert_eq!(observations.types, [[40, 10, 10, 10].into()]);
    assert_eq!(observations.refixations, [[30, 10]]);
    // One reader is all readers, so that backoff has nothing to mix.
    let fitted = landwehr_ta().fit(&training, 1, &Unwatched).unwrap();
    for (xs, id, mu) in [
        ([1.0, 2.5], DensityId::Alpha1, 31.0 / 42.0),
        ([3.0, 2.1], DensityId::Alpha1Bar, 11.0 / 42.0),
    ] {
        let probe = &read(1, vec![scanpath(0, 0, "1", &xs)])[0];
        let score = fitted.scorer.scores(&fitted.scorer.probe(probe))[0];
        let amplitudes: f64 = [(DensityId::Alpha0, &probe.events[0]), (id, &probe.events[1])]
            .into_iter()
            .map(|(id, event)| {
                let shared = SharedDensity::learn(id, Family::Gamma, &observations).unwrap();
                let table = Tabulated::new(shared.features.grid(), shared.log_pooled.clone());
                table.log_truncated(id.truncation(), &event.amplitude)
            })
            .sum();
        let expected = f64::ln(41.0 / 74.0) + f64::ln(mu) + amplitudes;
        assert!((score - expected).abs() < 5e-3, "{id:?}: {score} against {expected}");
    }
}
