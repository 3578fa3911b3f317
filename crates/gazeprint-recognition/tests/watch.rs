//! A watch costs the same for every fixation, however long it goes on.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{Duration, Instant};

use gazeprint::corpus::{Corpus, Text};
use gazeprint::method::Unwatched;
use gazeprint::simulate::SimulationParams;
use gazeprint_recognition::{
    EnrollOptions, FoundingOptions, Location, Recognizer, WatchOptions, WatchedFixation,
};

const FIXATIONS: usize = 10_000;
/// Fixations that are timed together at either end, after some to get warm.
const PART: usize = 2_000;
const WARM: usize = 500;
/// The machine may be busy at one end: the best of some tries counts.
const TRIES: usize = 5;

fn desk(folder: &std::path::Path) -> (Recognizer, Corpus) {
    let people = SimulationParams { readers: 8, texts: 40, coverage: 1.0, ..Default::default() };
    let corpus = people.build().unwrap().run();
    let at = Location::File(folder.join("own.gallery"));
    let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
    let (desk, _) =
        Recognizer::open_or_create(&at, None, &founding, &corpus, &enroll, &Unwatched).unwrap();
    desk.enroll(&corpus, &enroll, &Unwatched).unwrap();
    (desk, corpus)
}

/// A long stream: places and durations that no recording has, over one text or over many.
fn stream(texts: &[Text]) -> impl Iterator<Item = WatchedFixation> {
    (0..FIXATIONS).map(|i| {
        let text = &texts[i / 20 % texts.len()];
        let line = &text.lines()[0];
        let end = f64::from(line.words().last().unwrap().end);
        let part = |step: f64| (i as f64 * step).fract();
        WatchedFixation {
            text: text.id().to_owned(),
            line: Some(line.number()),
            x_char: Some(end * part(0.618_033_988)),
            duration_ms: Some(120.0 + 400.0 * part(0.754_877_666)),
            gap: false,
            ..Default::default()
        }
    })
}

/// The time of the last fixations over that of the first.
fn ratio(desk: &Recognizer, texts: &[Text]) -> f64 {
    let mut watch = desk.watch("r003", texts, &WatchOptions::default()).unwrap();
    let mut took: Vec<Duration> = Vec::with_capacity(FIXATIONS);
    for fixation in stream(texts) {
        let begun = Instant::now();
        watch.fixation(&fixation).unwrap();
        took.push(begun.elapsed());
    }
    let sum = |part: &[Duration]| part.iter().sum::<Duration>().as_secs_f64();
    sum(&took[FIXATIONS - PART..]) / sum(&took[WARM..WARM + PART])
}

#[test]
fn the_last_of_ten_thousand_fixations_costs_what_the_first_did() {
    let folder = tempfile::tempdir().unwrap();
    let (desk, corpus) = desk(folder.path());
    for texts in [&corpus.texts()[..1], corpus.texts()] {
        let ratios = (0..TRIES).map(|_| ratio(&desk, texts));
        let best = ratios.fold(f64::INFINITY, f64::min);
        assert!(best < 1.5, "{} texts: {best:.2} times as long at the end", texts.len());
    }
}
