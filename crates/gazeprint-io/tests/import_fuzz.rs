//! Mutated inputs for every parser of recordings: none may panic or hang, and whatever is refused is
//! refused with a place.
//!
//! `GAZEPRINT_FUZZ_CASES` sets how many inputs each parser gets. A parser is added with a line in
//! [`PARSERS`] and seeds of at most 2 kB.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::BufRead;
use std::time::{Duration, Instant};

use gazeprint_io::import::table::{TableOptions, read, read_trials, read_words};
use gazeprint_io::import::{
    ImportError, RawFixation, RawWord, Reason, Recording, RowPlace, Sink, Source,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

type Parser = fn(&mut dyn BufRead, &mut dyn Sink) -> Result<(), ImportError>;

/// Every parser, with inputs that it takes.
const PARSERS: [(&str, Parser, &[&[u8]]); 3] = [
    ("table", parse_table, &FIXATIONS),
    ("words", parse_words, &WORDS),
    ("trials", parse_trials, &TRIALS),
];

const FIXATIONS: [&[u8]; 4] = [
    b"reader,text,line,fix_index,x_char,duration_ms,onset_ms,gap\n\
      a,s1,1,1,2.5,200,0,0\na,s1,1,2,9.25,187,230,1\nb,s1,2,1,4,.,NA,0\n",
    b"\xef\xbb\xbf\"RECORDING_SESSION_LABEL\"\tTRIAL_INDEX\tCURRENT_FIX_DURATION\tCURRENT_FIX_X\t\
      CURRENT_FIX_Y\tEYE_USED\r\n\"P1\"\t1\t191\t431,16\t87,5\t\"RIGHT\"\r\nP1\t1\t.\t12,64\t.\tLEFT\r\n",
    b"sep=;\nSubject;Item;x;y;Duration\nJ\xfcrgen;\"a;b\";1,5;20;0,25\nJ\xfcrgen;c;2,5;21;0,3\n",
    b"\xff\xfea\0,\0t\0e\0x\0t\0,\0x\0,\0d\0u\0r\0\n\0r\0,\x001\0,\x002\0,\x003\x000\0\n\0",
];

const WORDS: [&[u8]; 2] = [
    b"text,line,word_index,word,char_start,char_end\ns1,1,1,Who,0,3\ns1,1,2,\"is, it\",4,6\n",
    b"TRIAL_INDEX;IA_ID;IA_LABEL;IA_LEFT;IA_RIGHT;IA_TOP;IA_BOTTOM\n1;1;Who;10,5;50;0;20\n",
];

const TRIALS: [&[u8]; 1] =
    [b"reader,text,session,trial_order,group\na,s1,1,1,g\na,s2,1,2,\nb,s1,2,.,g\n"];

fn parse_table(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    read(input, 0, &TableOptions::default(), sink).map(|_| ())
}

fn parse_words(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    read_words(input, 0, &TableOptions::default(), sink).map(|_| ())
}

fn parse_trials(input: &mut dyn BufRead, sink: &mut dyn Sink) -> Result<(), ImportError> {
    read_trials(input, 0, &TableOptions::default(), sink, &mut |_, _| ()).map(|_| ())
}

/// A change to an input; places are parts of its length.
#[derive(Debug, Clone)]
enum Mutation {
    Flip { at: f64, bits: u8 },
    Cut { at: f64, length: usize },
    End { at: f64 },
    Repeat { at: f64, length: usize, times: usize },
    Insert { at: f64, what: &'static [u8] },
}

/// What parsers stumble over.
const STUMBLES: [&[u8]; 20] = [
    b",",
    b"\t",
    b";",
    b"|",
    b"\"",
    b"\"\"",
    b"\0",
    b"\n",
    b"\r",
    b"\r\n",
    b"\xff",
    b"\xef\xbb\xbf",
    b"1e309",
    b"-1e308",
    b"99999999999999999999999999",
    b"-",
    b"NaN",
    b"inf",
    b".",
    b"\xf0\x9f\x98\x80",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = 0.0..1.0;
    prop_oneof![
        (at.clone(), 1_u8..).prop_map(|(at, bits)| Mutation::Flip { at, bits }),
        (at.clone(), 1_usize..40).prop_map(|(at, length)| Mutation::Cut { at, length }),
        at.clone().prop_map(|at| Mutation::End { at }),
        (at.clone(), 1_usize..60, 1_usize..40).prop_map(|(at, length, times)| Mutation::Repeat {
            at,
            length,
            times
        }),
        (at, 0..STUMBLES.len()).prop_map(|(at, i)| Mutation::Insert { at, what: STUMBLES[i] }),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let place = |at: f64| (at * bytes.len() as f64) as usize;
    match *mutation {
        Mutation::Flip { at, bits } => {
            let place = place(at);
            if let Some(byte) = bytes.get_mut(place) {
                *byte ^= bits;
            }
        }
        Mutation::Cut { at, length } => {
            let start = place(at);
            bytes.drain(start..(start + length).min(bytes.len()));
        }
        Mutation::End { at } => bytes.truncate(place(at)),
        Mutation::Repeat { at, length, times } => {
            let start = place(at);
            let part = bytes[start..(start + length).min(bytes.len())].repeat(times);
            bytes.splice(start..start, part);
        }
        Mutation::Insert { at, what } => {
            let start = place(at);
            bytes.splice(start..start, what.iter().copied());
        }
    }
}

/// Checks that what comes in has a place.
#[derive(Default)]
struct Checked {
    recording: Recording,
}

impl Sink for Checked {
    fn fixation(&mut self, place: RowPlace, fixation: RawFixation) -> Result<(), ImportError> {
        assert!(place.row > 0, "a fixation without a row");
        assert!(fixation.duration_ms.is_none_or(|d| d.is_finite() && d >= 0.0));
        assert!(fixation.onset_ms.is_none_or(f64::is_finite));
        self.recording.fixation(place, fixation)
    }

    fn word(&mut self, place: RowPlace, word: RawWord) -> Result<(), ImportError> {
        assert!(place.row > 0, "a word without a row");
        self.recording.word(place, word)
    }

    fn dropped(&mut self, place: RowPlace, reason: Reason, example: &str) {
        assert!(place.row > 0, "a dropped row without a number");
        self.recording.dropped(place, reason, example);
    }

    fn note(&mut self, note: String) {
        self.recording.note(note);
    }
}

/// Parses, and builds what was found.
fn check(parser: Parser, bytes: &[u8]) -> Result<(), ImportError> {
    let mut sink = Checked::default();
    let mut source = Source::new(bytes)?;
    parser(&mut source, &mut sink)?;
    if !sink.recording.readings.is_empty() {
        sink.recording.finish("fuzz", &[])?;
    }
    Ok(())
}

fn cases() -> u32 {
    std::env::var("GAZEPRINT_FUZZ_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2000)
}

#[test]
fn seeds_are_small_and_taken() {
    for (name, parser, seeds) in PARSERS {
        for (i, seed) in seeds.iter().enumerate() {
            assert!(seed.len() <= 2048, "seed {i} of {name} has {} bytes", seed.len());
            // The seed in UTF-16 lacks a reader, so that its refusal is mutated as well.
            let may_fail = seed.starts_with(&[0xff, 0xfe]);
            let result = check(parser, seed);
            assert!(result.is_ok() || may_fail, "seed {i} of {name}: {}", result.unwrap_err());
        }
    }
}

#[test]
fn mutated_inputs_are_taken_or_refused_with_a_place() {
    for (name, parser, seeds) in PARSERS {
        let config = Config { cases: cases(), failure_persistence: None, ..Config::default() };
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let strategy = (0..seeds.len(), vec(mutation(), 1..6));
        let tried = TestRunner::new_with_rng(config, rng).run(&strategy, |(seed, mutations)| {
            let mut bytes = seeds[seed].to_vec();
            mutations.iter().for_each(|mutation| mutate(&mut bytes, mutation));
            let begun = Instant::now();
            let result = check(parser, &bytes);
            prop_assert!(begun.elapsed() < Duration::from_secs(10), "{name} takes too long");
            if let Err(error) = result {
                prop_assert!(error.at().is_some(), "{name}: no place: {error}");
                prop_assert!(
                    error.to_string().contains("row")
                        || matches!(
                            error,
                            ImportError::Empty { .. } | ImportError::Unreadable { .. }
                        ),
                    "{name}: no row: {error}"
                );
            }
            Ok(())
        });
        if let Err(error) = tried {
            panic!("{name}: {error}");
        }
    }
}
