//! What once went wrong, and must not again.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::Arc;

use gazeprint::corpus::{Chars, Corpus, DropReason, Fixation, Limits, Line, Millis, Text, Word};
use gazeprint::density::{Features, GaussianPrior, Grid, Likelihood, Sample, Tabulated};
use gazeprint::inference::{Engine, Laplace, Metropolis, Problem, Scratch, Step};
use gazeprint::method::{Method, Scoring, Training, Unwatched, landwehr, semiparametric};
use gazeprint::saccade::{Observation, Reading, Truncation, readings};
use gazeprint::simulate::SimulationParams;
use proptest::prelude::*;

fn simulated(readers: usize, texts: usize) -> (Corpus, Vec<Reading>) {
    let params = SimulationParams { readers, texts, ..Default::default() };
    let corpus = params.build().unwrap().run();
    let readings = readings(&corpus, Limits::default()).0;
    (corpus, readings)
}

fn training(readers: usize, readings: &[Reading]) -> Training<'_> {
    Training::new(readers, readings.iter().map(|r| (r.reader, r)).collect()).unwrap()
}

proptest! {
    /// A density that rises without bound below its support once gave masses of e^500 there.
    #[test]
    fn no_interval_holds_more_than_everything(
        lower in 0.0f64..8.0,
        eta in (-60.0f64..60.0, -40.0f64..40.0),
        ends in (0.0f64..25.0, 0.0f64..25.0),
    ) {
        let grid = Arc::new(Grid::new(lower, 20.0));
        let features = Features::gamma(Arc::clone(&grid));
        let mut log_f = vec![0.0; grid.nodes().len()];
        features.log_density(&[eta.0, eta.1], &mut log_f);
        let table = Tabulated::new(&grid, log_f);
        let (l, r) = (ends.0.min(ends.1), ends.0.max(ends.1));
        prop_assert!(table.log_mass(l, r) <= 1e-9);
        prop_assert!(table.log_mass(0.0, f64::INFINITY).abs() < 1e-9);
    }
}

/// Rounding of many equal observations once kept Newton from ever being satisfied.
#[test]
fn many_observations_in_one_place_have_a_mode() {
    for (upper, value, outlier) in [(210.0, 200.0, 200.0), (1470.0, 200.0, 1400.0)] {
        let grid = Arc::new(Grid::new(0.0, upper));
        let mut observed = vec![Observation::free(value); 20_000];
        observed.extend([Observation::free(outlier); 4]);
        let sample = Sample::new(&grid, Truncation::Full, &observed);
        for features in [
            Features::gamma(Arc::clone(&grid)),
            Features::semiparametric(Arc::clone(&grid), upper / 4.0, 1.0),
        ] {
            let prior = GaussianPrior::paper(features.len());
            let likelihood = Likelihood::new(&features, &sample);
            let problem = Problem { likelihood, prior: &prior };
            let start = vec![0.0; features.len()];
            assert!(problem.mode(&start, &mut Scratch::new(&features)).is_ok());
        }
    }
}

/// Fewer draws than lanes once shifted every later reader into its neighbours' lanes.
#[test]
fn the_full_average_keeps_readers_apart_with_few_draws() {
    let (_, readings) = simulated(6, 40);
    let metropolis = Metropolis { iterations: 20, burn_in: 10, step: Step::Adapted };
    for engine in [Engine::Metropolis(metropolis), Engine::Laplace(Laplace::default())] {
        let method = semiparametric(engine, Scoring::FullAverage { draws: 16 });
        let scorer = method.fit(&training(6, &readings), 1, &Unwatched).unwrap().scorer;
        // On what they were trained with, readers are told apart by any working method.
        let right = readings
            .iter()
            .filter(|reading| {
                let scores = scorer.scores(&scorer.probe(reading));
                assert!(scores.iter().all(|s| s.is_finite()));
                scores.iter().all(|s| *s <= scores[reading.reader])
            })
            .count();
        assert!(3 * right > readings.len(), "{right} of {}", readings.len());
    }
}

/// With a single training text nothing is held out; the least safe constant once won the tie.
#[test]
fn backoff_is_cautious_where_it_cannot_be_tuned() {
    let (_, readings) = simulated(4, 6);
    let text = readings[0].text;
    let one: Vec<Reading> = readings.into_iter().filter(|r| r.text == text).collect();
    let readers: Vec<usize> = one.iter().map(|r| r.reader).collect();
    let train = one.iter().enumerate().collect();
    let training = Training::new(readers.len(), train).unwrap();
    let report = landwehr().fit(&training, 1, &Unwatched).unwrap().report;
    assert_eq!(report.backoff, Some(4.0));
}

#[test]
fn grouped_texts_are_one_unit() {
    let (corpus, _) = simulated(2, 6);
    let mut texts = corpus.texts().to_vec();
    texts[1].group = Some("g".to_owned());
    texts[4].group = Some("g".to_owned());
    let readers = corpus.readers().to_vec();
    let grouped = Corpus::new("c", readers, texts, corpus.scanpaths().to_vec()).unwrap();
    for reading in readings(&grouped, Limits::default()).0 {
        assert_eq!(reading.unit, if reading.text == 4 { 1 } else { reading.text });
    }
}

#[test]
fn what_is_not_a_number_does_not_count() {
    let word = Word { index: 1, form: None, start: 0, end: 5 };
    let text = Text::new("t", vec![Line::new(1, vec![word]).unwrap()]).unwrap();
    let fixation = |x: f64, duration: f64| Fixation {
        line: Some(1),
        x: Some(Chars(x)),
        duration: Some(Millis(duration)),
        ..Default::default()
    };
    let fixations = [
        fixation(1.0, f64::NAN),
        fixation(1.0, f64::INFINITY),
        fixation(f64::NAN, 200.0),
        fixation(1.0, 200.0),
    ];
    let (passes, drops) = text.passes(&fixations, Limits::default());
    assert_eq!(passes.len(), 1);
    assert_eq!(drops.of(DropReason::MissingDuration), 2);
    assert_eq!(drops.of(DropReason::MissingPosition), 1);
}
