//! Readers of real corpora are not taken for each other's replays, though they read the same texts.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::io::Write;
use std::time::Instant;

use gazeprint::corpus::Limits;
use gazeprint::replay::{KnownReadings, Sketch};
use gazeprint::saccade::readings;
use gazeprint_io::read_corpus;

#[test]
fn others_readings_of_the_same_texts_are_no_replays() {
    for name in ["seam", "bournemouth", "provo"] {
        let Some(folder) = common::find(name) else { continue };
        let corpus = read_corpus(&folder).unwrap();
        let (readings, _) = readings(&corpus, Limits::default());
        let sketches: Vec<Sketch> = readings.iter().map(Sketch::of).collect();
        let half = |odd: usize| {
            let of = readings.iter().zip(&sketches).filter(move |(r, _)| r.reader % 2 == odd);
            of.map(|(_, sketch)| sketch)
        };
        let known = KnownReadings::new(half(0));
        let start = Instant::now();
        let flagged = half(1).filter(|sketch| known.replayed(sketch).is_some()).count();
        let seconds = start.elapsed().as_secs_f64();
        let (new, old) = (half(1).count(), half(0).count());
        // Past the test harness, which hides what passing tests print.
        let line = format!("{name}: {flagged} of {new} are taken for one of {old}, {seconds:.3} s");
        writeln!(std::io::stderr(), "{line}").unwrap();
        assert!((flagged as f64) < 1e-3 * new as f64, "{line}");
        let again = half(0).filter(|sketch| sketch.len() >= 5);
        assert!(again.into_iter().all(|sketch| known.replayed(sketch).is_some()));
        // And so for the pieces that a probe is looked at in.
        let probe: Vec<Sketch> = half(1).cloned().collect();
        let flagged = known.replayed_pieces(&probe).count();
        let pieces = probe.iter().map(Sketch::len).sum::<usize>() / 5;
        let line = format!("{name}: {flagged} of {pieces} pieces are taken for one of {old}");
        writeln!(std::io::stderr(), "{line}").unwrap();
        assert!((flagged as f64) < 1e-4 * pieces as f64, "{line}");
        // Nor is what somebody reads taken for what they read before.
        for reader in 0..corpus.readers().len() {
            let own = readings.iter().zip(&sketches).filter(|(r, _)| r.reader == reader);
            let own: Vec<&Sketch> = own.map(|(_, sketch)| sketch).collect();
            let known = KnownReadings::new(own.iter().step_by(2).copied());
            let probe: Vec<Sketch> =
                own.iter().skip(1).step_by(2).map(|sketch| (*sketch).clone()).collect();
            let again = probe.iter().filter(|sketch| known.replayed(sketch).is_some()).count();
            assert_eq!((again, known.replayed_pieces(&probe).count()), (0, 0), "{name}: {reader}");
        }
    }
}
