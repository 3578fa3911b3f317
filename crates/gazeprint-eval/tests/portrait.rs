//! Portraits of readers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint::corpus::{Corpus, Limits, Line, Text, Word};
use gazeprint::inference::Engine;
use gazeprint::method::FitError;
use gazeprint::saccade::{DensityId, Reading, readings};
use gazeprint::simulate::SimulationParams;
use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::protocol::{Protocol, Split};

const DRAWS: usize = 100;

fn simulated(readers: usize, texts: usize) -> (Corpus, Vec<Reading>, Split) {
    let params = SimulationParams { readers, texts, coverage: 1.0, ..Default::default() };
    let corpus = params.build().unwrap().run();
    let readings = readings(&corpus, Limits::default()).0;
    let split = Protocol::default().splits(&corpus, &readings).unwrap().swap_remove(0);
    (corpus, readings, split)
}

fn portrait(readers: usize, texts: usize) -> Portrait {
    let (corpus, readings, split) = simulated(readers, texts);
    let reader = Portrait::typical_reader(&split, &readings);
    let engine = Engine::by_name("laplace").unwrap();
    Portrait::of(&corpus, &readings, &split, reader, &engine, 1).unwrap()
}

/// By the trapezoid rule.
fn integral(x: &[f64], y: &[f64]) -> f64 {
    let cells = x.windows(2).zip(y.windows(2));
    cells.map(|(x, y)| (x[1] - x[0]) * (y[0] + y[1]) / 2.0).sum()
}

#[test]
fn curves_and_histograms_are_densities() {
    let portrait = portrait(5, 60);
    assert!(portrait.densities.densities.len() >= 9);
    for fit in &portrait.densities.densities {
        let name = fit.density.name();
        let bars: f64 = fit
            .histogram
            .edges
            .windows(2)
            .zip(&fit.histogram.heights)
            .map(|(edge, height)| (edge[1] - edge[0]) * height)
            .sum();
        assert!((bars - 1.0).abs() < 1e-9, "{name}: the histogram holds {bars}");
        for (what, curve) in [("mean", &fit.mean), ("gamma", &fit.gamma)] {
            let mass = integral(&fit.x, curve);
            assert!((mass - 1.0).abs() < 0.03, "{name}: the {what} holds {mass}");
        }
        assert!(fit.low.iter().zip(&fit.high).all(|(low, high)| low <= high), "{name}");
        // Weighed by mass: in far tails the mean comes from few draws.
        let inside: Vec<f64> = fit
            .mean
            .iter()
            .zip(fit.low.iter().zip(&fit.high))
            .map(|(mean, (low, high))| if low <= mean && mean <= high { *mean } else { 0.0 })
            .collect();
        let share = integral(&fit.x, &inside);
        assert!(share > 0.9, "{name}: only {share} of the mean lies in the band");
    }
}

#[test]
fn held_out_observations_are_nearly_uniform() {
    let portrait = portrait(5, 60);
    let mut tested = 0;
    for transform in &portrait.calibration.densities {
        let mut values = transform.values.clone();
        assert!(values.iter().all(|v| (0.0..=1.0).contains(v)), "{transform:?}");
        values.sort_by(f64::total_cmp);
        let n = values.len() as f64;
        if n < 50.0 {
            continue;
        }
        tested += 1;
        let farthest = values
            .iter()
            .enumerate()
            .map(|(i, v)| (v - i as f64 / n).abs().max((v - (i as f64 + 1.0) / n).abs()))
            .fold(0.0, f64::max);
        // Kolmogorov's 0.1 % point, and as much for the fit's own error.
        let limit = 1.95 * (2.0 / n).sqrt();
        assert!(farthest < limit, "{}: {farthest} of {n}", transform.density.name());
    }
    assert!(tested >= 4, "only {tested} densities with enough observations");
}

#[test]
fn every_draw_is_a_density() {
    let portrait = portrait(4, 20);
    let shown: Vec<DensityId> = portrait.densities.densities.iter().map(|d| d.density).collect();
    let drawn: Vec<DensityId> = portrait.draws.iter().map(|d| d.density).collect();
    assert_eq!(drawn, shown);
    for draws in &portrait.draws {
        let name = draws.density.name();
        assert_eq!((draws.coefficients.len(), draws.values.len()), (DRAWS, DRAWS), "{name}");
        for theta in &draws.coefficients {
            assert!(theta.len() > 2 && theta.iter().all(|value| value.is_finite()), "{name}");
        }
        for values in &draws.values {
            let mass = integral(&draws.x, values);
            assert!((mass - 1.0).abs() < 1e-3, "{name}: {mass}");
        }
    }
}

#[test]
fn the_same_at_every_run_and_on_any_number_of_threads() {
    let (corpus, readings, split) = simulated(3, 8);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let engine = Engine::by_name("laplace").unwrap();
        pool.install(|| Portrait::of(&corpus, &readings, &split, 1, &engine, 7).unwrap())
    };
    let (one, two) = (on(1), on(2));
    assert_eq!(one, two);
}

#[test]
fn a_reader_of_little_has_what_there_is() {
    let (corpus, readings, split) = simulated(2, 2);
    let engine = Engine::by_name("laplace").unwrap();
    for reader in 0..2 {
        let portrait = Portrait::of(&corpus, &readings, &split, reader, &engine, 1).unwrap();
        let shown: Vec<DensityId> =
            portrait.densities.densities.iter().map(|d| d.density).collect();
        assert!(!shown.is_empty() && shown.is_sorted());
        assert!(portrait.calibration.densities.iter().all(|d| shown.contains(&d.density)));
    }
    let nobody = Portrait::of(&corpus, &readings, &split, 2, &engine, 1);
    assert_eq!(nobody.unwrap_err(), FitError::UnknownReader(2, 2));
}

#[test]
fn reader_and_reading_are_typical() {
    let (corpus, readings, split) = simulated(5, 12);
    let reader = Portrait::typical_reader(&split, &readings);
    let fixations = |place: usize| -> usize {
        let own = readings.iter().filter(|r| r.reader == split.readers[place]);
        own.map(|r| r.events.len()).sum()
    };
    let fewer = (0..5).filter(|&r| fixations(r) < fixations(reader)).count();
    let more = (0..5).filter(|&r| fixations(r) > fixations(reader)).count();
    assert!(fewer <= 2 && more <= 2, "{fewer} have fewer, {more} have more");

    let engine = Engine::by_name("laplace").unwrap();
    let scanpath = Portrait::of(&corpus, &readings, &split, reader, &engine, 1).unwrap().scanpath;
    let test: Vec<&Reading> =
        split.test.iter().filter(|t| t.0 == reader).map(|t| &readings[t.1]).collect();
    let mut lengths: Vec<usize> = test.iter().map(|r| r.events.len()).collect();
    lengths.sort_unstable();
    assert_eq!(scanpath.fixations.len(), lengths[(lengths.len() - 1) / 2]);
    let text = corpus.texts().iter().find(|t| t.id() == scanpath.text).unwrap();
    assert_eq!(scanpath.lines[0].words.len(), text.lines()[0].words().len());
    assert!(scanpath.lines[0].words.iter().all(|w| !w.form.is_empty()));
}

/// A line whose words are not spelt.
fn unspelt(line: &Line) -> Line {
    let words = line.words().iter().map(|word| Word { form: None, ..word.clone() });
    Line::new(line.number(), words.collect()).unwrap()
}

#[test]
fn words_that_are_not_spelt_keep_their_length() {
    let (spelt, readings, split) = simulated(2, 4);
    let texts = spelt
        .texts()
        .iter()
        .map(|t| Text::new(t.id(), t.lines().iter().map(unspelt).collect()).unwrap())
        .collect();
    let scanpaths = spelt.scanpaths().to_vec();
    let corpus = Corpus::new("c", spelt.readers().to_vec(), texts, scanpaths).unwrap();
    let engine = Engine::by_name("laplace").unwrap();
    let portrait = Portrait::of(&corpus, &readings, &split, 0, &engine, 1).unwrap();
    for word in &portrait.scanpath.lines[0].words {
        assert_eq!(word.form.len() as i32, word.end - word.start);
    }
}
