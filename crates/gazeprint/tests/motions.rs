//! Kinematics of fixations: on words, off them, and on pages without any.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use gazeprint::corpus::{
    Chars, Corpus, DropReason, Fixation, Limits, Line, Millis, Scanpath, Text, Word,
};
use gazeprint::decision::Rules;
use gazeprint::inference::{Engine, Laplace};
use gazeprint::kinematics::{Doubt, Kinematics, Motion};
use gazeprint::live::{LiveReading, steps};
use gazeprint::method::{
    self, DayShares, FitError, People, Population, Scoring, Training, Unwatched,
};
use gazeprint::saccade::{Reading, doubts, readings, readings_of_words};
use gazeprint::simulate::SimulationParams;
use gazeprint::template::Probe;

fn moved(dx: f32) -> Kinematics {
    Kinematics { dx: Some(dx), dy: Some(0.0), peak_velocity: Some(150.0), ..Kinematics::default() }
}

fn at(x: f64) -> Fixation {
    let (line, duration) = (Some(1), Some(Millis(200.0)));
    Fixation { line, x: Some(Chars(x)), duration, ..Fixation::default() }
}

fn seen(place: [f32; 2]) -> Fixation {
    let duration = Some(Millis(200.0));
    Fixation { place: Some(place), duration, ..Fixation::default() }
}

fn line_of_words() -> Text {
    let word = |index: u32| Word {
        index,
        form: None,
        start: 6 * i32::try_from(index).unwrap(),
        end: 6 * i32::try_from(index).unwrap() + 5,
    };
    Text::new("text", vec![Line::new(1, (0..5).map(word).collect()).unwrap()]).unwrap()
}

fn reading(text: Text, fixations: Vec<Fixation>) -> Option<Reading> {
    let (session, trial) = ("1".to_owned(), "1".to_owned());
    let path = Scanpath { reader: 0, text: 0, session, trial, order: None, fixations };
    let corpus = Corpus::new("corpus", vec!["anna".to_owned()], vec![text], vec![path]).unwrap();
    readings(&corpus, Limits::default()).0.pop()
}

fn off_and_on_words() -> Vec<Fixation> {
    vec![
        at(1.0),
        Fixation { kinematics: moved(2.0), ..at(8.0) },
        Fixation { kinematics: moved(9.0), ..at(90.0) },
        Fixation { kinematics: moved(-8.0), duration: Some(Millis(10.0)), ..at(12.0) },
        Fixation { kinematics: moved(-7.0), gap: true, ..at(14.0) },
        Fixation { kinematics: moved(3.0), ..at(20.0) },
    ]
}

#[test]
fn motions_are_of_fixations_off_the_text_too() {
    let reading = reading(line_of_words(), off_and_on_words()).unwrap();
    assert_eq!(reading.events.iter().map(|e| e.motions).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let steps: Vec<_> = reading.motions.iter().map(|m| m.kinematics.dx).collect();
    // The one that is too short does not count, and nothing is known of what led over a gap.
    assert_eq!(steps, [Some(2.0), Some(9.0), Some(3.0)]);
    assert_eq!((reading.fixations(), reading.durations().sum::<f64>()), (4, 800.0));
}

#[test]
fn a_part_of_a_reading_has_its_part_of_the_motions() {
    let reading = reading(line_of_words(), off_and_on_words()).unwrap();
    let motions = |n: usize| reading.until(n).motions.len();
    assert_eq!((0..6).map(motions).collect::<Vec<_>>(), [0, 0, 1, 2, 3, 3]);
    let of_steps: Vec<usize> = steps(&reading).map(|step| step.motions().len()).collect();
    assert_eq!(of_steps, [0, 1, 1, 1]);
}

#[test]
fn who_looks_beside_the_text_all_the_time_has_motions_alone() {
    let fixations = vec![Fixation { kinematics: moved(2.0), ..at(-50.0) }; 3];
    let reading = reading(line_of_words(), fixations).unwrap();
    assert!(reading.events.is_empty() && reading.has_words());
    assert_eq!((reading.motions.len(), reading.fixations()), (3, 0));
    assert_eq!((reading.until(9).motions.len(), steps(&reading).count()), (0, 0));
}

#[test]
fn on_an_unknown_page_saccades_lead_from_place_to_place() {
    let fixations = vec![
        seen([-5.0, 1.0]),
        seen([-3.0, 1.5]),
        Fixation { gap: true, ..seen([4.0, 1.0]) },
        Fixation { kinematics: moved(2.5), ..seen([6.0, 1.0]) },
        // At the same place: nothing is known of a saccade.
        Fixation { kinematics: Kinematics::default(), ..seen([6.0, 1.01]) },
        Fixation { place: Some([f32::NAN, 0.0]), ..seen([0.0, 0.0]) },
        seen([2.0, 1.0]),
    ];
    let reading = reading(Text::without_words("page"), fixations).unwrap();
    assert!(!reading.has_words() && reading.events.is_empty());
    let moves: Vec<_> = reading.motions.iter().map(|m| m.kinematics.dx).collect();
    assert_eq!(moves, [None, Some(2.0), None, Some(2.5), None, None]);
    assert_eq!((reading.fixations(), reading.until(2).motions.len()), (6, 2));
}

#[test]
fn what_does_not_count_on_an_unknown_page_is_told() {
    let page = Arc::new(Text::without_words("page"));
    let mut live = LiveReading::new(page, Limits::default());
    let nothing = Fixation { duration: Some(Millis(200.0)), ..Fixation::default() };
    let short = Fixation { duration: Some(Millis(20.0)), ..seen([0.0, 0.0]) };
    let endless = Fixation { duration: Some(Millis(1e9)), ..seen([0.0, 0.0]) };
    let lost = Fixation { duration: None, ..seen([0.0, 0.0]) };
    for (fixation, reason) in [
        (nothing, DropReason::MissingPosition),
        (short, DropReason::TooShort),
        (endless, DropReason::TooLong),
        (lost, DropReason::MissingDuration),
    ] {
        assert_eq!(live.see(&fixation).map(|_| ()).unwrap_err(), reason);
    }
    assert!(live.reading().is_none());
    let step = live.see(&Fixation { gap: true, ..seen([1.0, 1.0]) }).unwrap();
    assert_eq!((step.duration(), step.event()), (200.0, None));
    assert_eq!(step.motions(), [Motion { duration: 200.0, kinematics: Kinematics::default() }]);
    assert_eq!((step.before().motions.len(), step.after().motions.len()), (0, 1));
}

#[test]
fn fixations_one_by_one_are_the_motions_of_all() {
    for text in [line_of_words(), Text::without_words("page")] {
        let fixations: Vec<Fixation> = off_and_on_words()
            .into_iter()
            .enumerate()
            .map(|(i, f)| Fixation { place: Some([i as f32, 0.0]), ..f })
            .collect();
        let all = reading(text.clone(), fixations.clone()).unwrap();
        let mut live = LiveReading::new(Arc::new(text), Limits::default());
        let mut counted = 0;
        for fixation in &fixations {
            counted += usize::from(live.see(fixation).is_ok());
        }
        let reading = live.reading().unwrap();
        assert_eq!((&reading.motions, &reading.events), (&all.motions, &all.events));
        assert_eq!((counted, reading.fixations()), (all.fixations(), all.fixations()));
    }
}

#[test]
fn doubts_are_counted_over_a_scanpath() {
    let absurd = Kinematics { peak_velocity: Some(9000.0), ..moved(2.0) };
    let fixations = [
        Fixation { kinematics: absurd, ..at(1.0) },
        // Of what led over a gap nothing is told, however absurd.
        Fixation { kinematics: absurd, gap: true, ..at(2.0) },
    ];
    let found = doubts(&fixations);
    assert_eq!((found.of(Doubt::PeakVelocity), found.total()), (1, 1));
}

#[test]
fn methods_that_need_words_say_so() {
    let reading = reading(Text::without_words("page"), vec![seen([0.0, 0.0]); 9]).unwrap();
    let training = Training::new(1, vec![(0, &reading)]).unwrap();
    for name in method::NAMES {
        let engine = Engine::Laplace(Laplace::default());
        let method = method::by_name(name, engine, Scoring::default(), People::shipped()).unwrap();
        if method.needs_words() {
            let error = method.fit(&training, 1, &Unwatched).unwrap_err();
            assert_eq!(error, FitError::NoWords(0), "{name}");
            assert!(error.to_string().contains("oculomotor"), "{error}");
        }
    }
    let learned = Population::learn(1, &[(0, &reading)], &DayShares::default(), &Unwatched);
    assert_eq!(learned.map(|_| ()).unwrap_err(), FitError::NoWords(0));
}

/// Recordings of pages without words beside others change nothing for a method that needs words, and
/// cause no panic.
#[test]
fn readings_without_words_among_others_do_no_harm() {
    let people = SimulationParams { readers: 4, texts: 12, ..Default::default() };
    let (known, _) = readings_of_words(&people.build().unwrap().run(), Limits::default());
    let unknown = reading(Text::without_words("page"), vec![seen([0.0, 0.0]); 9]).unwrap();
    let mut all: Vec<(usize, &Reading)> = known.iter().map(|r| (r.reader, r)).collect();
    let plain = Training::new(4, all.clone()).unwrap();
    all.push((2, &unknown));
    let mixed = Training::new(4, all).unwrap();
    for name in method::NAMES {
        let engine = Engine::Laplace(Laplace::default());
        let method = method::by_name(name, engine, Scoring::default(), People::shipped()).unwrap();
        if !method.needs_words() {
            continue;
        }
        let [plain, other] = [&plain, &mixed].map(|training| {
            let fitted = method.fit(training, 1, &Unwatched).unwrap();
            let _ = Rules::learn(&fitted, training);
            let [known, unknown] = [&known[0], &unknown].map(|r| fitted.scorer.probe(r));
            let nothing = fitted.scorer.scores(&unknown);
            assert!(nothing.iter().all(|score| !score.is_nan()), "{name}: {nothing:?}");
            fitted.scorer.scores(&Probe::merged([&known, &unknown]))
        });
        assert_eq!(plain.len(), other.len());
        assert!(other.iter().all(|score| score.is_finite()), "{name}: {other:?}");
    }
}
