//! Forgeries pass for the reader whose template they are drawn from.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use gazeprint::corpus::{Limits, Text};
use gazeprint::method::{self, Method, Training, Unwatched};
use gazeprint::random::Stream;
use gazeprint::saccade::{Reading, readings};
use gazeprint::score::Scorer;
use gazeprint::simulate::SimulationParams;
use gazeprint::template::Probe;

fn best(scores: &[f64]) -> usize {
    (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap()
}

#[test]
fn forgeries_are_taken_for_their_target() {
    let params = SimulationParams { readers: 8, texts: 60, ..Default::default() };
    let corpus = params.build().unwrap().run();
    let (readings, _) = readings(&corpus, Limits::default());
    let train = readings.iter().filter(|r| r.text % 2 == 0).map(|r| (r.reader, r)).collect();
    let training = Training::new(8, train).unwrap();
    let fitted =
        method::population(method::DayShares::default()).fit(&training, 1, &Unwatched).unwrap();
    let scorer: &dyn Scorer = fitted.scorer.as_ref();
    let forger = fitted.scorer.forger().unwrap();
    let unread: Vec<(&Reading, &Text)> = readings
        .iter()
        .filter(|r| r.reader == 0 && r.text % 2 == 1)
        .map(|r| (r, &corpus.texts()[r.text]))
        .collect();
    let forge = |reader: Option<usize>| -> Vec<Probe> {
        let drawn = unread.iter().enumerate().map(|(i, (like, text))| {
            let stream = Stream { seed: 5, index: i as u64 };
            let fixations = forger.forge(reader, text, Limits::default(), stream).unwrap();
            let reading = like.with_fixations(text, &fixations, Limits::default()).unwrap();
            assert_eq!(reading.events.len(), fixations.len());
            assert_eq!(forger.surprises(0, &reading).unwrap().len(), fixations.len());
            scorer.probe(&reading)
        });
        drawn.collect()
    };
    for reader in 0..8 {
        let scores = scorer.scores(&Probe::merged(&forge(Some(reader))));
        assert_eq!(best(&scores), reader, "{scores:?}");
    }
    // What nobody in particular reads is likelier of nobody than of anybody.
    let nobody = Probe::merged(&forge(None));
    let scores = scorer.scores(&nobody);
    assert!(scorer.population(&nobody, &scores) > scores[best(&scores)]);
}

#[test]
fn methods_without_a_way_through_texts_cannot_be_forged() {
    let params = SimulationParams { readers: 3, texts: 12, ..Default::default() };
    let corpus = params.build().unwrap().run();
    let (readings, _) = readings(&corpus, Limits::default());
    let training = Training::new(3, readings.iter().map(|r| (r.reader, r)).collect()).unwrap();
    let fitted = method::landwehr().fit(&training, 1, &Unwatched).unwrap();
    assert!(fitted.scorer.forger().is_none());
}
