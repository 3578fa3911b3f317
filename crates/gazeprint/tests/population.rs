//! The method `population`, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use gazeprint::corpus::{Chars, Corpus, Fixation, Limits, Line, Millis, Scanpath, Text, Word};
use gazeprint::inference::{Engine, Laplace};
use gazeprint::live::steps;
use gazeprint::method::{
    DayShares, Method, Population, SharedDensity, Training, Unwatched, population,
};
use gazeprint::saccade::{Reading, readings};
use gazeprint::simulate::SimulationParams;
use gazeprint::template::Probe;

fn simulated(readers: usize, texts: usize) -> Vec<Reading> {
    let params = SimulationParams { readers, texts, coverage: 1.0, ..Default::default() };
    readings(&params.build().unwrap().run(), Limits::default()).0
}

/// Even texts train, the others test.
fn halves(readings: &[Reading]) -> (Vec<(usize, &Reading)>, Vec<&Reading>) {
    let (train, test): (Vec<&Reading>, Vec<&Reading>) =
        readings.iter().partition(|r| r.text.is_multiple_of(2));
    (train.into_iter().map(|r| (r.reader, r)).collect(), test)
}

#[test]
fn readers_are_recognised() {
    let readings = simulated(12, 60);
    let (train, test) = halves(&readings);
    let training = Training::new(12, train).unwrap();
    let fitted = population(DayShares::default()).fit(&training, 1, &Unwatched).unwrap();
    assert_eq!(fitted.folds.len(), 2);
    let (mut right, mut known, mut better) = (0, 0, 0.0);
    for reader in 0..12 {
        let probes: Vec<Probe> =
            test.iter().filter(|r| r.reader == reader).map(|r| fitted.scorer.probe(r)).collect();
        let probe = Probe::merged(&probes);
        let scores = fitted.scorer.scores(&probe);
        let population = fitted.scorer.population(&probe, &scores);
        let best = (0..12).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
        right += usize::from(best == reader);
        better += scores[reader] - population;
        known += usize::from(scores[reader] > population);
        // Scores of the parts add up.
        let sum: f64 = probes.iter().map(|p| fitted.scorer.scores(p)[reader]).sum();
        assert!((sum - scores[reader]).abs() < 1e-6 * sum.abs());
    }
    // And those of fixations, as they come.
    let scorer = fitted.scorer.as_ref();
    for reading in test.iter().step_by(29) {
        let mut sums = [0.0; 12];
        for (seen, step) in steps(reading).enumerate() {
            let until = reading.until(seen + 1);
            assert_eq!(step.after(), until);
            let added = scorer.settle(&scorer.added(&step));
            sums.iter_mut().zip(added).for_each(|(sum, added)| *sum += added);
            for (sum, score) in sums.iter().zip(scorer.scores(&scorer.probe(&until))) {
                assert!((sum - score).abs() < 1e-9 * score.abs(), "{seen}: {sum} {score}");
            }
        }
    }
    assert!(right >= 10, "{right} of 12");
    // Readers fit better than nobody in particular; who reads like everybody need not.
    assert!(known >= 10 && better > 12.0 * 5.0, "{known} of 12, {better} nats");
}

/// A reader can be added to a population that was learned without them.
#[test]
fn a_reader_is_enrolled_without_the_others() {
    let readings = simulated(13, 60);
    let (train, test) = halves(&readings);
    let others: Vec<(usize, &Reading)> = train.iter().copied().filter(|(r, _)| *r < 12).collect();
    let population = Population::learn(12, &others, &DayShares::default(), &Unwatched).unwrap();
    let engine = Engine::Laplace(Laplace::default());
    let enroll = |reader: usize| {
        let own: Vec<&Reading> =
            train.iter().filter(|(r, _)| *r == reader).map(|(_, reading)| *reading).collect();
        population.enroll(&engine, &own, |density: &SharedDensity| density.stream(1, reader))
    };
    let posteriors: Vec<_> = (0..13).map(enroll).collect();
    let scorer = population.scorer(&posteriors, &enroll(13));
    let probes: Vec<Probe> = test
        .iter()
        .filter(|r| r.reader == 12)
        .map(|r| gazeprint::score::Scorer::probe(&scorer, r))
        .collect();
    let scores = gazeprint::score::Scorer::scores(&scorer, &Probe::merged(&probes));
    let best = (0..13).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
    assert_eq!(best, 12);
}

/// Two readers with next to nothing: most densities have no data at all.
#[test]
fn next_to_no_data_is_survived() {
    let readings = simulated(2, 4);
    let train = readings.iter().take(2).map(|r| (r.reader, r)).collect::<Vec<_>>();
    let readers = 1 + train.iter().map(|(r, _)| *r).max().unwrap();
    let training = Training::new(readers, train).unwrap();
    let fitted = population(DayShares::default()).fit(&training, 1, &Unwatched).unwrap();
    let scores = fitted.scorer.scores(&fitted.scorer.probe(&readings[3]));
    assert!(scores.iter().all(|s| s.is_finite()), "{scores:?}");
}

#[test]
fn situations_of_a_known_reading() {
    // Words of 3, 5 and 2 letters on the first line, of 4 on the second.
    let word = |index, start, end| Word { index, form: None, start, end };
    let lines = vec![
        Line::new(1, vec![word(1, 0, 3), word(2, 4, 9), word(3, 10, 12)]).unwrap(),
        Line::new(2, vec![word(4, 0, 4)]).unwrap(),
    ];
    let text = Text::new("t", lines).unwrap();
    let fixation = |line, x| Fixation {
        line: Some(line),
        x: Some(Chars(x)),
        duration: Some(Millis(200.0)),
        ..Default::default()
    };
    let path = Scanpath {
        reader: 0,
        text: 0,
        session: "1".into(),
        trial: "1".into(),
        order: None,
        fixations: vec![fixation(1, 1.0), fixation(1, 11.0), fixation(1, 5.0), fixation(2, 1.0)],
    };
    let corpus = Corpus::new("c", vec!["r".into()], vec![text], vec![path]).unwrap();
    let (readings, _) = readings(&corpus, Limits::default());
    let seen: Vec<_> = readings[0].events.iter().map(|e| e.situation).collect();
    assert_eq!(seen[0].lengths, [Some(3.0), Some(5.0), Some(2.0)]);
    assert_eq!(seen[1].lengths, [Some(2.0), None, None]);
    assert_eq!([seen[0].around, seen[1].around, seen[2].around], [[0, 2], [2, 0], [1, 1]]);
    assert_eq!(seen.iter().map(|s| s.new).collect::<Vec<_>>(), [true, true, false, true]);
    assert_eq!(seen.iter().map(|s| s.place).collect::<Vec<_>>(), [0.0, 0.5, 0.25, 0.75]);
    // The region of the second word is [3, 9): five is a third of the way.
    assert!((seen[2].landing - 1.0 / 3.0).abs() < 1e-12 && seen[2].left == 4.0);
}

/// Who comes twice shows how much people change from day to day.
#[test]
fn readers_who_come_twice_show_how_much_they_change() {
    let shares = |sessions: usize, drift: f64| -> Vec<f64> {
        let (readers, coverage) = (40, 1.0);
        let params = SimulationParams {
            readers,
            texts: 80,
            coverage,
            sessions,
            drift,
            ..Default::default()
        };
        let readings = readings(&params.build().unwrap().run(), Limits::default()).0;
        let all: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
        Population::learn(readers, &all, &DayShares::default(), &Unwatched)
            .unwrap()
            .session_shares()
            .to_vec()
    };
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
    // Nobody came twice: all are the default.
    let unknown = shares(1, 0.0);
    assert!(unknown.iter().all(|share| *share == unknown[0]) && unknown.len() == 18);
    // Traits with correlation 1 / sqrt(1 + drift^2) between sessions: shares of 0 and 0.29.
    let (still, moving) = (mean(&shares(2, 0.0)), mean(&shares(2, 1.0)));
    assert!(still < 0.1, "{still}");
    assert!((0.15..0.45).contains(&moving), "{moving}");
}
