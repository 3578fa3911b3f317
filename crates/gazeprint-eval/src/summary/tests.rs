use gazeprint::corpus::{Chars, Line, Millis, Scanpath, Text, Word};
use gazeprint::simulate::SimulationParams;

use super::*;

fn simulated() -> Corpus {
    SimulationParams { readers: 30, texts: 40, sessions: 2, lines: 2, ..Default::default() }
        .build()
        .unwrap()
        .run()
}

/// Readers `a` and `b`; `a` reads one text of ten words with the given fixations.
fn one_reading(fixations: &[(f64, f64)]) -> Corpus {
    let words = (0..10)
        .map(|i: i32| Word { index: i as u32, form: None, start: 6 * i, end: 6 * i + 5 })
        .collect();
    let text = Text::new("t", vec![Line::new(1, words).unwrap()]).unwrap();
    let fixations = fixations
        .iter()
        .map(|&(x, duration)| Fixation {
            line: Some(1),
            x: Some(Chars(x)),
            duration: Some(Millis(duration)),
            ..Default::default()
        })
        .collect();
    let scanpath = Scanpath {
        reader: 0,
        text: 0,
        session: "1".into(),
        trial: "1".into(),
        order: None,
        fixations,
    };
    Corpus::new("small", vec!["a".into(), "b".into()], vec![text], vec![scanpath]).unwrap()
}

#[test]
fn quantiles_interpolate() {
    let d = Distribution::of((0..=100).rev().map(f64::from)).unwrap();
    assert_eq!((d.p5, d.p25, d.p50, d.p75, d.p95), (5.0, 25.0, 50.0, 75.0, 95.0));
    assert_eq!((d.count, d.mean), (101, 50.0));
    assert_eq!(Distribution::of([1.0, 2.0]).unwrap().p25, 1.25);
    assert_eq!(Distribution::of([]), None);
}

#[test]
fn everything_is_counted_once() {
    let corpus = simulated();
    let s = Summary::of(&corpus, Limits::default());
    assert_eq!((s.readers, s.texts, s.lines, s.sessions), (30, 40, 80, 2));
    assert_eq!(s.readings, corpus.scanpaths().len());
    assert_eq!(s.fixations_kept + s.dropped.values().sum::<usize>(), s.fixations_recorded);
    let initial = s.initial_duration.unwrap().count;
    assert_eq!(s.types.iter().map(|t| t.count).sum::<usize>() + initial, s.fixations_kept);
    assert!((s.types.iter().map(|t| t.share).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(s.warnings.is_empty(), "{:?}", s.warnings);
    assert!(s.sparse_readers.is_empty());
}

#[test]
fn types_and_amplitudes_of_a_known_reading() {
    // Initial, next word, refixation to the left, regression, skip, off the text.
    let corpus = one_reading(&[
        (2.0, 200.0),
        (9.0, 210.0),
        (7.0, 220.0),
        (3.0, 230.0),
        (20.0, 240.0),
        (70.0, 250.0),
    ]);
    let s = Summary::of(&corpus, Limits::default());
    assert!(s.types.iter().all(|t| t.count == 1 && t.share == 0.25));
    let amplitudes: Vec<f64> = s.types.iter().map(|t| t.amplitude.unwrap().mean).collect();
    assert_eq!(amplitudes, [2.0, 7.0, 17.0, 4.0]);
    assert_eq!(s.forward_amplitude.unwrap().mean, 12.0);
    assert_eq!(s.initial_place.unwrap().mean, 2.0);
    assert_eq!((s.passes, s.saccades, s.fixations_repeated), (1, 4, 0));
    assert_eq!(s.duration.unwrap().mean, 220.0);
    assert_eq!(s.dropped["off_text"], 1);
    let sparse: Vec<_> =
        s.sparse_readers.iter().map(|r| (r.reader.as_str(), r.texts, r.fixations)).collect();
    assert_eq!(sparse, [("a", 1, 5), ("b", 0, 0)]);
}

#[test]
fn pixels_are_suspected() {
    let corpus = one_reading(&[(20.0, 200.0), (120.0, 200.0), (230.0, 200.0)]);
    let s = Summary::of(&corpus, Limits::default());
    assert_eq!(s.warnings[0].measure, "fixations kept");
    assert!(s.warnings[0].hint.contains("characters"));

    let corpus = one_reading(&[(2.0, 400.0), (50.0, 420.0)]);
    let warnings = Summary::of(&corpus, Limits::default()).warnings;
    let words = Warning::messages(&warnings);
    assert!(
        words.contains(&"mean amplitude 48 characters, expected 4 to 16: is x in pixels?".into()),
        "{words:?}"
    );
    assert!(words.iter().any(|w| w.starts_with("mean duration 410 ms")), "{words:?}");
}

#[test]
fn what_most_lost_fixations_share_is_named() {
    let hint = |fixations: &[(f64, f64)]| {
        Summary::of(&one_reading(fixations), Limits::default()).warnings[0].hint
    };
    let (off, short, good) = ((70.0, 200.0), (9.0, 0.2), (2.0, 200.0));
    assert!(hint(&[off, good, off]).starts_with("most are off the text"));
    assert!(hint(&[off, good, (9.0, 200.0)]).starts_with("most of those dropped are off the text"));
    assert!(hint(&[short, good, short]).contains("are durations in ms?"));
    assert_eq!(hint(&[short, off]), "see the reasons of the drops");
}

#[test]
fn rows_that_are_there_twice_are_suspected() {
    let corpus = one_reading(&[(2.0, 200.0), (2.0, 200.0), (9.0, 210.0), (9.0, 211.0)]);
    let s = Summary::of(&corpus, Limits::default());
    assert_eq!(s.fixations_repeated, 1);
    let words = Warning::messages(&s.warnings);
    assert!(words[0].starts_with("repeated fixations 25 %, expected 0 to 5: "), "{words:?}");
}

#[test]
fn rates_are_judged_together_and_only_on_enough_saccades() {
    let back_and_forth = |n: usize| {
        let x = |i: usize| if i.is_multiple_of(2) { 2.0 } else { 9.0 };
        let fixations: Vec<_> = (0..=n).map(|i| (x(i), 200.0)).collect();
        Summary::of(&one_reading(&fixations), Limits::default())
    };
    let few = back_and_forth(MIN_SACCADES - 1);
    assert!(!few.has_rates() && !few.has_odd_rates() && few.warnings.is_empty());
    let enough = back_and_forth(MIN_SACCADES);
    assert!(enough.has_rates() && enough.has_odd_rates());
    assert_eq!(
        Warning::messages(&enough.warnings),
        ["forward skips 0.0 %, expected 10 to 50; regressions 50 %, expected 5 to 30; \
          refixations 0.0 %, expected 5 to 30: do char_start and char_end fit the text as it \
          was shown?"]
    );
}

#[test]
fn a_corpus_without_fixations_has_a_summary() {
    let s = Summary::of(&one_reading(&[]), Limits::default());
    assert_eq!((s.readings, s.fixations_kept, s.duration), (0, 0, None));
    assert!(s.warnings.is_empty());
    assert!(serde_json::to_string(&s).unwrap().contains("\"type\":\"next_word\""));
}
