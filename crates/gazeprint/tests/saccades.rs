//! From fixations to passes, saccade types and intervals: what holds for every text and scanpath.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::sync::Arc;

use gazeprint::corpus::{
    Chars, Corpus, DropReason, Drops, Fixation, Landing, Limits, Line, Millis, Scanpath, Text, Word,
};
use gazeprint::live::{LiveReading, steps};
use gazeprint::saccade::{
    DensityId, Event, Observation, SaccadeType, Truncation, classify, events, readings,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

/// Words of random lengths and distances, in any order.
fn words() -> impl Strategy<Value = Vec<Word>> {
    (-4..6i32, vec((1..9i32, 0..4i32), 1..8))
        .prop_map(|(margin, shape)| {
            let mut at = margin;
            let words = shape.into_iter().zip(1..).map(|((length, blanks), index)| {
                let start = at + blanks;
                at = start + length;
                Word { index, form: None, start, end: at }
            });
            words.collect()
        })
        .prop_shuffle()
}

fn line() -> impl Strategy<Value = Line> {
    words().prop_map(|words| Line::new(1, words).unwrap())
}

/// Positions around a line; many of them at or next to a bound.
fn position() -> impl Strategy<Value = f64> {
    let offset =
        prop_oneof![Just(0.0), Just(1e-12), Just(-1e-12), Just(5e-4), Just(-5e-4), -0.5..0.5f64,];
    (-12..70i32, offset).prop_map(|(x, offset)| f64::from(x) + offset)
}

/// D1, restated: where each word's region starts and ends.
fn tiles(line: &Line) -> Vec<(f64, f64)> {
    let words = line.words();
    (0..words.len())
        .map(|i| {
            let left = if i == 0 { (words[0].start - 1).min(0) } else { words[i - 1].end };
            (f64::from(left), f64::from(words[i].end))
        })
        .collect()
}

fn holder(tiles: &[(f64, f64)], x: f64) -> Option<usize> {
    tiles.iter().position(|&(left, right)| left <= x && x < right)
}

/// Two places on the text of a line, now and then the same.
fn moves() -> impl Strategy<Value = (Line, f64, f64)> {
    let place = || (position(), 0.0..1.0f64);
    (line(), place(), place(), prop::bool::weighted(0.1)).prop_map(|(line, s, x, stays)| {
        let (left, right) = (tiles(&line)[0].0, f64::from(line.words().last().unwrap().end));
        let inside = |(x, share): (f64, f64)| {
            if left <= x && x < right { x } else { left + share * (right - left - 1e-9) }
        };
        (line, inside(s), if stays { inside(s) } else { inside(x) })
    })
}

fn landing(line: &Line, x: f64) -> Landing {
    Landing { word: line.word_at(x).unwrap(), x, duration: 200.0 }
}

proptest! {
    // Cheap, and the corners (a move of nothing from the very start of a word) are rare.
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn tiles_cover_the_line_without_holes(line in line(), x in position()) {
        let tiles = tiles(&line);
        prop_assert_eq!(tiles.len(), line.words().len());
        for (i, &tile) in tiles.iter().enumerate() {
            prop_assert_eq!(line.region(i), tile);
            prop_assert!(tile.0 < tile.1);
            prop_assert!(i == 0 || tiles[i - 1].1 == tile.0);
            prop_assert!(tile.0 <= f64::from(line.words()[i].start));
        }
        prop_assert!(tiles[0].0 <= 0.0);
        prop_assert_eq!(line.word_at(x), holder(&tiles, x));
        let is_on_text = tiles[0].0 <= x && x < tiles[tiles.len() - 1].1;
        prop_assert_eq!(line.word_at(x).is_some(), is_on_text);
    }

    #[test]
    fn five_cases_partition_all_moves((line, s, x) in moves()) {
        let tiles = tiles(&line);
        let c = holder(&tiles, s).unwrap();
        let (left, right) = tiles[c];
        // The last word has no next one, and all that would need one is impossible.
        let next = tiles.get(c + 1).copied().unwrap_or((f64::INFINITY, f64::INFINITY));
        let same = left <= x && x < right;
        use {DensityId::*, SaccadeType::*};
        let cases = [
            (same && x > s, Refixation, Alpha1, 0.0, right - s),
            (same && x <= s, Refixation, Alpha1Bar, 0.0, s - left),
            (next.0 <= x && x < next.1, NextWord, Alpha2, next.0 - s, next.1 - s),
            (next.1 <= x, ForwardSkip, Alpha3, next.1 - s, f64::INFINITY),
            (x < left, Regression, Alpha4, s - left, f64::INFINITY),
        ];
        prop_assert_eq!(cases.iter().filter(|case| case.0).count(), 1);
        let &(_, kind, density, lower, upper) = cases.iter().find(|case| case.0).unwrap();

        let found = classify(&line, &landing(&line, s), &landing(&line, x));
        prop_assert_eq!((found.0, found.1), (kind, density));
        prop_assert_eq!(found.2.lower, lower);
        prop_assert_eq!(found.2.upper, upper.max(2e-3));
    }

    #[test]
    fn amplitudes_lie_in_their_intervals((line, s, x) in moves()) {
        let (_, density, seen) = classify(&line, &landing(&line, s), &landing(&line, x));
        prop_assert!(seen.lower <= seen.value && seen.value <= seen.upper, "{seen:?}");
        prop_assert!(seen.lower >= 0.0 && seen.lower < seen.upper);
        prop_assert!(seen.value > 0.0 && seen.value.is_finite());
        prop_assert!((seen.value - (x - s).abs().max(1e-3)).abs() < 1e-12);
        let truncation = match (seen.lower > 0.0, seen.upper.is_finite()) {
            (false, true) => Truncation::Upper,
            (true, true) => Truncation::Both,
            (true, false) => Truncation::Lower,
            (false, false) => Truncation::Full,
        };
        // A regression from the very start of a word has nothing to cut off.
        if s > line.region(line.word_at(s).unwrap()).0 {
            prop_assert_eq!(density.truncation(), truncation);
        }
    }
}

fn text() -> impl Strategy<Value = Text> {
    btree_map(1..5i32, words(), 1..4).prop_map(|lines| {
        let lines = lines.into_iter().map(|(n, words)| Line::new(n, words).unwrap()).collect();
        Text::new("text", lines).unwrap()
    })
}

fn fixation() -> impl Strategy<Value = Fixation> {
    let duration = prop_oneof![
        8 => 60.0..1000.0f64,
        1 => prop::sample::select(vec![0.0, 49.999, 50.0, 1500.0, 1500.001]),
    ];
    (
        option::weighted(0.95, 0..5i32),
        option::weighted(0.95, position()),
        option::weighted(0.95, duration),
        prop::bool::weighted(0.15),
    )
        .prop_map(|(line, x, duration, gap)| Fixation {
            line,
            x: x.map(Chars),
            duration: duration.map(Millis),
            gap,
            ..Default::default()
        })
}

/// D3, restated: why a fixation does not count.
fn reason(text: &Text, fixation: &Fixation) -> Option<DropReason> {
    let (Some(line), Some(Chars(x))) = (fixation.line, fixation.x) else {
        return Some(DropReason::MissingPosition);
    };
    let Some(Millis(duration)) = fixation.duration else {
        return Some(DropReason::MissingDuration);
    };
    match text.lines().iter().find(|l| l.number() == line) {
        None => Some(DropReason::OffLine),
        Some(line) if holder(&tiles(line), x).is_none() => Some(DropReason::OffText),
        Some(_) if duration < 50.0 => Some(DropReason::TooShort),
        Some(_) if duration > 1500.0 => Some(DropReason::TooLong),
        Some(_) => None,
    }
}

/// D2, restated: the kept fixations, by their place, cut into passes.
fn cut(text: &Text, fixations: &[Fixation]) -> Vec<Vec<usize>> {
    let kept: Vec<usize> =
        (0..fixations.len()).filter(|&i| reason(text, &fixations[i]).is_none()).collect();
    kept.chunk_by(|&i, &j| {
        fixations[i].line == fixations[j].line && !fixations[i + 1..=j].iter().any(|f| f.gap)
    })
    .map(<[usize]>::to_vec)
    .collect()
}

proptest! {
    #[test]
    fn passes_hold_all_that_counts(text in text(), fixations in vec(fixation(), 0..40)) {
        let (passes, drops) = text.passes(&fixations, Limits::default());
        let kept: usize = passes.iter().map(|p| p.landings.len()).sum();
        prop_assert_eq!(kept + drops.total(), fixations.len());
        for wanted in DropReason::ALL {
            let count = fixations.iter().filter(|f| reason(&text, f) == Some(wanted)).count();
            prop_assert_eq!(drops.of(wanted), count, "{}", wanted.name());
        }
        let expected = cut(&text, &fixations);
        prop_assert_eq!(passes.len(), expected.len());
        for (pass, places) in passes.iter().zip(expected) {
            let line = &text.lines()[pass.line];
            prop_assert_eq!(pass.landings.len(), places.len());
            for (landing, place) in pass.landings.iter().zip(places) {
                let fixation = &fixations[place];
                prop_assert_eq!(Some(line.number()), fixation.line);
                prop_assert_eq!(Some(Chars(landing.x)), fixation.x);
                prop_assert_eq!(Some(Millis(landing.duration)), fixation.duration);
                prop_assert_eq!(Some(landing.word), holder(&tiles(line), landing.x));
            }
        }
    }

    #[test]
    fn fixations_one_by_one_are_the_events_of_all(
        text in text(),
        fixations in vec(fixation(), 0..40),
    ) {
        let mut live = LiveReading::new(Arc::new(text.clone()), Limits::default());
        let mut dropped = Drops::default();
        for fixation in &fixations {
            let before = live.reading().map_or(0, |reading| reading.events.len());
            match live.see(fixation) {
                Ok(step) => {
                    prop_assert_eq!(step.before().events.len(), before);
                    prop_assert_eq!(step.after().events.last().copied(), Some(*step.event().unwrap()));
                }
                Err(reason) => {
                    dropped.count(reason);
                    prop_assert_eq!(live.reading().map_or(0, |r| r.events.len()), before);
                }
            }
        }
        let (all, drops) = events(&text, &fixations, Limits::default());
        prop_assert_eq!(dropped, drops);
        prop_assert_eq!(live.reading().is_none(), all.is_empty());
        if let Some(reading) = live.reading() {
            prop_assert_eq!(&reading.events, &all);
            prop_assert!(!reading.complete);
            let walked: Vec<Event> = steps(reading).map(|step| *step.event().unwrap()).collect();
            prop_assert_eq!(walked, all);
        }
    }

    #[test]
    fn readings_hold_one_event_for_each_fixation_that_counts(
        text in text(),
        recordings in vec(vec(fixation(), 0..20), 1..4),
    ) {
        let path = |(trial, fixations): (usize, Vec<Fixation>)| Scanpath {
            reader: 0,
            text: 0,
            session: "1".to_owned(),
            trial: trial.to_string(),
            order: None,
            fixations,
        };
        let paths = recordings.iter().cloned().enumerate().map(path).collect();
        let corpus =
            Corpus::new("corpus", vec!["reader".to_owned()], vec![text.clone()], paths).unwrap();
        let (readings, drops) = readings(&corpus, Limits::default());

        let events: usize = readings.iter().map(|r| r.events.len()).sum();
        prop_assert_eq!(events + drops.total(), corpus.fixation_count());
        let mut total = Drops::default();
        let mut left = readings.iter();
        for (i, fixations) in recordings.iter().enumerate() {
            total += text.passes(fixations, Limits::default()).1;
            let passes = cut(&text, fixations);
            if passes.is_empty() {
                continue;
            }
            let reading = left.next().unwrap();
            prop_assert_eq!((reading.reader, reading.text, reading.scanpath), (0, 0, i));
            let mut events = reading.events.iter();
            for pass in &passes {
                let mut before: Option<f64> = None;
                for &place in pass {
                    let event = events.next().unwrap();
                    prop_assert_eq!(Some(Chars(event.x)), fixations[place].x);
                    prop_assert_eq!(Some(Millis(event.duration)), fixations[place].duration);
                    let seen = event.amplitude;
                    prop_assert!(seen.lower <= seen.value && seen.value <= seen.upper);
                    prop_assert_eq!(event.kind.is_none(), before.is_none());
                    prop_assert_eq!(event.step().is_none(), before.is_none());
                    match before.zip(event.step()) {
                        // Tiny moves are told from zero, so steps are off by as much.
                        Some((s, step)) => prop_assert!((s + step - event.x).abs() < 2.1e-3),
                        None => {
                            let start = tiles(&text.lines()[event.line])[0].0;
                            prop_assert_eq!(event.density, DensityId::Alpha0);
                            prop_assert_eq!(seen.value, (event.x - start).max(1e-3));
                        }
                    }
                    before = Some(event.x);
                }
            }
            prop_assert!(events.next().is_none());
        }
        prop_assert!(left.next().is_none());
        prop_assert_eq!(total, drops);
    }
}

/// Two lines, each of the words 0..3 and 4..8.
fn two_lines() -> Text {
    let line = |number| {
        let words = [(1, 0, 3), (2, 4, 8)];
        let words = words.map(|(index, start, end)| Word { index, form: None, start, end });
        Line::new(number, words.to_vec()).unwrap()
    };
    Text::new("text", vec![line(1), line(2)]).unwrap()
}

fn at(line: i32, x: f64) -> Fixation {
    Fixation {
        line: Some(line),
        x: Some(Chars(x)),
        duration: Some(Millis(200.0)),
        ..Default::default()
    }
}

fn lengths(fixations: &[Fixation]) -> Vec<usize> {
    let (passes, _) = two_lines().passes(fixations, Limits::default());
    passes.iter().map(|p| p.landings.len()).collect()
}

#[test]
fn tiny_amplitudes_are_told_from_zero() {
    let text = two_lines();
    let line = &text.lines()[0];
    let seen = |s, x| classify(line, &landing(line, s), &landing(line, x));
    let tiny = Observation { value: 1e-3, lower: 0.0, upper: 2e-3 };
    // Nowhere to go: from the left end of the second word's region to the same place.
    assert_eq!(seen(3.0, 3.0), (SaccadeType::Refixation, DensityId::Alpha1Bar, tiny));
    assert_eq!(
        seen(5.0, 5.0 + 1e-6),
        (SaccadeType::Refixation, DensityId::Alpha1, Observation { upper: 3.0, ..tiny })
    );
}

#[test]
fn passes_of_one_fixation_are_kept() {
    assert_eq!(
        lengths(&[at(1, 1.0), at(2, 1.0), at(1, 5.0), at(1, 6.0), at(2, 2.0)]),
        [1, 1, 2, 1]
    );
}

#[test]
fn a_gap_before_a_dropped_fixation_starts_a_new_pass() {
    let blink = Fixation { x: None, gap: true, ..at(1, 0.0) };
    assert_eq!(lengths(&[at(1, 1.0), blink, at(1, 5.0), at(1, 6.0)]), [1, 2]);
    // Without the mark, the jump over a dropped fixation is a saccade like any other.
    let lost = Fixation { gap: false, ..blink };
    assert_eq!(lengths(&[at(1, 1.0), lost, at(1, 5.0), at(1, 6.0)]), [3]);
    // A dropped fixation on another line does not end a pass either.
    let short = Fixation { duration: Some(Millis(10.0)), ..at(2, 1.0) };
    assert_eq!(lengths(&[at(1, 1.0), short, at(1, 5.0)]), [2]);
}

#[test]
fn limits_are_inclusive() {
    let lasting = |ms| Fixation { duration: Some(Millis(ms)), ..at(1, 1.0) };
    let fixations = [49.9, 50.0, 1500.0, 1500.1].map(lasting);
    let (passes, drops) = two_lines().passes(&fixations, Limits::default());
    assert_eq!(passes[0].landings.len(), 2);
    assert_eq!((drops.of(DropReason::TooShort), drops.of(DropReason::TooLong)), (1, 1));
}

/// A watch may be handed from thread to thread.
#[test]
fn live_readings_are_sent() {
    fn sent<T: Send + 'static>() {}
    sent::<LiveReading>();
}
