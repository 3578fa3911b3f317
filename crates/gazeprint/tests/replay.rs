//! Replays are found, and readings are not taken for replays.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use gazeprint::corpus::Limits;
use gazeprint::random::Stream;
use gazeprint::replay::{FEWEST, KnownReadings, PIECE, SHARE, Sketch};
use gazeprint::saccade::{Reading, readings};
use gazeprint::simulate::SimulationParams;
use proptest::prelude::*;
use rand::RngExt;
use rand_distr::StandardNormal;

fn people(params: SimulationParams) -> Vec<Reading> {
    readings(&params.build().unwrap().run(), Limits::default()).0
}

fn sketches(readings: &[Reading]) -> Vec<Sketch> {
    readings.iter().map(Sketch::of).collect()
}

/// A recording as it comes out of a player: noise on places and durations, some fixations lost.
fn played(reading: &Reading, sd: [f64; 2], lost: f64, seed: u64) -> Sketch {
    let mut rng = Stream { seed, index: reading.scanpath as u64 }.chain(0);
    let mut copy = reading.clone();
    copy.events.retain(|_| rng.random::<f64>() >= lost);
    for event in &mut copy.events {
        event.x += sd[0] * rng.sample::<f64, _>(StandardNormal);
        event.duration += sd[1] * rng.sample::<f64, _>(StandardNormal);
    }
    Sketch::of(&copy)
}

#[test]
fn replays_with_noise_or_losses_are_found() {
    let readings = people(SimulationParams { readers: 40, texts: 60, ..Default::default() });
    let known = KnownReadings::new(&sketches(&readings));
    for (sd, lost) in [([0.0; 2], 0.0), ([0.2, 2.0], 0.0), ([0.0; 2], 0.1), ([0.2, 2.0], 0.1)] {
        let played: Vec<Sketch> = readings.iter().map(|r| played(r, sd, lost, 1)).collect();
        let probes: Vec<&[Sketch]> = played.chunks_exact(3).collect();
        let caught = |probe: &&&[Sketch]| probe.iter().any(|s| known.replayed(s).is_some());
        let found = probes.iter().filter(caught).count() as f64 / probes.len() as f64;
        assert!(found > 0.99, "{sd:?}, {lost}: {found}");
        // And it is known of which.
        for (i, sketch) in played.iter().enumerate() {
            let replay = known.replayed(sketch);
            assert!(replay.is_none_or(|r| r.of == i && r.share >= SHARE && r.common >= FEWEST));
        }
    }
}

/// A watch adds texts as they end.
#[test]
fn readings_added_one_by_one_are_known_as_if_at_once() {
    let readings = people(SimulationParams { readers: 12, texts: 30, ..Default::default() });
    let sketches = sketches(&readings);
    let played: Vec<Sketch> = readings.iter().map(|r| played(r, [0.2, 2.0], 0.1, 2)).collect();
    let mut grown = KnownReadings::new(&sketches[..7]);
    for (i, sketch) in sketches.iter().enumerate().skip(7) {
        grown.add(sketch);
        if i % 40 == 0 || i + 1 == sketches.len() {
            let at_once = KnownReadings::new(&sketches[..=i]);
            for probe in &played {
                assert_eq!(grown.replayed(probe), at_once.replayed(probe));
            }
            let pieces = |known: &KnownReadings| known.replayed_pieces(&played).collect::<Vec<_>>();
            assert_eq!(pieces(&grown), pieces(&at_once));
        }
    }
}

/// Readers who do not differ are one reader who reads everything again and again.
#[test]
fn to_read_a_text_again_is_no_replay() {
    for individuality in [0.0, 1.0] {
        for lines in [1, 4] {
            let readings = people(SimulationParams {
                readers: 60,
                texts: 40,
                coverage: 1.0,
                individuality,
                lines,
                ..Default::default()
            });
            let sketches = sketches(&readings);
            let (enrolled, new): (Vec<usize>, Vec<usize>) =
                (0..readings.len()).partition(|&i| readings[i].reader.is_multiple_of(2));
            let known = KnownReadings::new(enrolled.iter().map(|&i| &sketches[i]));
            let flagged = new.iter().filter(|&&i| known.replayed(&sketches[i]).is_some()).count();
            assert!(flagged as f64 / (new.len() as f64) < 1e-3, "{flagged} of {}", new.len());
            let new: Vec<Sketch> = new.iter().map(|&i| sketches[i].clone()).collect();
            let flagged = known.replayed_pieces(&new).count();
            let pieces = new.iter().map(Sketch::len).sum::<usize>() / 5;
            assert!((flagged as f64) < 1e-5 * pieces as f64 + 1.0, "{flagged} of {pieces}");
        }
    }
}

/// Four fixations are too few for a replay; in a row they are what they were cut from.
#[test]
fn a_recording_in_small_pieces_is_found() {
    let readings = people(SimulationParams { readers: 10, texts: 60, ..Default::default() });
    let known = KnownReadings::new(&sketches(&readings));
    for (sd, lost) in [([0.0; 2], 0.0), ([0.2, 2.0], 0.1)] {
        let (mut probes, mut found) = (0_usize, 0_usize);
        for some in readings.chunks_exact(3) {
            let whole: Vec<Sketch> = some.iter().map(|r| played(r, sd, lost, 2)).collect();
            let cut: Vec<Sketch> = some
                .iter()
                .flat_map(|r| {
                    let part = |events: &[_]| Reading { events: events.to_vec(), ..r.clone() };
                    r.events.chunks(4).map(part).collect::<Vec<_>>()
                })
                .map(|r| played(&r, sd, lost, 2))
                .collect();
            assert!(cut.iter().all(|s| known.replayed(s).is_none()));
            if whole.iter().any(|s| known.replayed(s).is_some()) {
                probes += 1;
                found += usize::from(known.replayed_pieces(&cut).next().is_some());
            }
        }
        assert!(probes > 100 && found as f64 > 0.97 * probes as f64, "{found} of {probes}");
    }
}

#[test]
fn seven_fixations_in_a_row_are_found_wherever_they_are() {
    // No step and no ratio comes again: six fixations are found once.
    let mark = |i: i32| (0, 100 * i + i * i * 37 % 61, 150 + (i * 73 % 199) as u16);
    for length in 7..40 {
        let row: Vec<Mark> = (0..length).map(mark).collect();
        let probe: Vec<Sketch> = row.chunks(3).map(sketch).collect();
        for few in row.windows(PIECE) {
            let known = KnownReadings::new([&sketch(few)]);
            let found: Vec<f64> = known.replayed_pieces(&probe).map(|r| r.share).collect();
            assert!(!found.is_empty(), "{length}: {few:?}");
            assert!(found.iter().all(|share| *share == 1.0), "{found:?}");
        }
        // Six are not enough.
        let known = KnownReadings::new([&sketch(&row[1..7])]);
        assert!(known.replayed_pieces(&probe).next().is_none(), "{length}");
    }
    assert!(KnownReadings::default().replayed_pieces(&[]).next().is_none());
}

/// A player may go slower, further right, and in pieces.
#[test]
fn neither_tempo_nor_place_nor_order_hides_a_replay() {
    let readings = people(SimulationParams { readers: 12, texts: 60, ..Default::default() });
    let known = KnownReadings::new(&sketches(&readings));
    let change = |reading: &Reading, stretch: f64, shift: f64| {
        let mut copy = reading.clone();
        for event in &mut copy.events {
            event.duration *= stretch;
            event.x += shift;
        }
        Sketch::of(&copy)
    };
    for (stretch, shift) in [(1.04, 0.0), (1.0, 0.6), (0.9, -3.0), (1.2, 25.0)] {
        for (i, reading) in readings.iter().enumerate() {
            let found = known.replayed(&change(reading, stretch, shift));
            let same = found.map(|r| (r.of, r.share));
            // Half a millisecond may make a single duration another.
            assert!(
                reading.events.len() < 7 || same.is_some_and(|(of, share)| of == i && share > 0.8)
            );
        }
    }
    // Every second piece of seven fixations comes from another reading.
    let long: Vec<&Reading> = readings.iter().filter(|r| r.events.len() >= 14).collect();
    assert!(long.len() > 20);
    for pair in long.windows(2) {
        let mut mixed = pair[0].clone();
        mixed.events.truncate(7);
        mixed.events.splice(0..0, pair[1].events[7..14].iter().cloned());
        let probe = change(&mixed, 1.04, 0.6);
        assert_eq!(known.replayed_pieces(&[probe]).count(), 2);
    }
}

#[test]
fn sketches_are_small_and_come_back() {
    let readings =
        people(SimulationParams { readers: 1, texts: 3, lines: 2, ..Default::default() });
    for reading in &readings {
        let sketch = Sketch::of(reading);
        assert_eq!(sketch.len(), reading.events.len());
        let text = serde_json::to_string(&sketch).unwrap();
        assert_eq!(serde_json::from_str::<Sketch>(&text).unwrap(), sketch);
        let found = KnownReadings::new([&sketch]).replayed(&sketch);
        assert_eq!(found.map(|r| (r.common, r.share)), Some((sketch.len(), 1.0)));
        assert!(KnownReadings::new([&sketch]).replayed(&Sketch::default()).is_none());
    }
    assert!(KnownReadings::default().replayed(&Sketch::of(&readings[0])).is_none());
}

type Mark = (u16, i32, u16);

fn sketch(marks: &[Mark]) -> Sketch {
    let mark = |(line, x, duration): &Mark| serde_json::json!({"line": line, "x": x, "duration": duration});
    serde_json::from_value(marks.iter().map(mark).collect()).unwrap()
}

fn marks() -> impl Strategy<Value = Vec<Mark>> {
    let places = prop_oneof![9 => 0..60i32, 1 => any::<i32>()];
    let durations = prop_oneof![9 => 200..230u16, 1 => any::<u16>()];
    prop::collection::vec((0..2u16, places, durations), 0..25)
}

proptest! {
    #[test]
    fn whatever_is_known_can_be_compared(probe in marks(), known in prop::collection::vec(marks(), 1..4)) {
        let sketched: Vec<Sketch> = known.iter().map(|k| sketch(k)).collect();
        let probe = sketch(&probe);
        let at_once = KnownReadings::new(&sketched);
        let found = at_once.replayed(&probe);
        let mut grown = KnownReadings::default();
        sketched.iter().for_each(|sketch| grown.add(sketch));
        prop_assert_eq!(grown.replayed(&probe), found);
        if let Some(replay) = found {
            prop_assert!(replay.common >= FEWEST && replay.common <= known[replay.of].len());
            prop_assert!(replay.share >= SHARE);
            prop_assert_eq!(replay.share, replay.common as f64 / probe.len() as f64);
        }
        for piece in at_once.replayed_pieces(std::slice::from_ref(&probe)) {
            prop_assert!(piece.common >= FEWEST && piece.share > 0.0 && piece.share <= 1.0);
        }
    }

    #[test]
    fn a_copy_is_a_replay_wherever_it_is_played(
        marks in prop::collection::vec((0..3u16, 0..1600i32, 100..900u16), 5..30),
        lines in 0..3u16,
        shift in -9999..9999i32,
    ) {
        let copy: Vec<Mark> = marks.iter().map(|(l, x, d)| (l + lines, x + shift, *d)).collect();
        let found = KnownReadings::new([&sketch(&marks)]).replayed(&sketch(&copy));
        prop_assert_eq!(found.map(|r| (r.common, r.share)), Some((marks.len(), 1.0)));
    }
}
