//! What a writer of a format writes comes back with the same fixations, whatever the order of trials,
//! messages and columns.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use gazeprint_io::import::{
    Format, GazeOptions, Imported, Position, RawFixation, Request, TrialPatterns, import,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A reading: its text, and the places and durations of its fixations.
#[derive(Debug, Clone)]
struct Written {
    text: String,
    fixations: Vec<(u32, u32)>,
}

/// One to five readings of different texts.
fn written() -> impl Strategy<Value = Vec<Written>> {
    let reading = vec((1..1900_u32, 60..700_u32), 2..7);
    vec(reading, 1..6).prop_map(|readings| {
        let named =
            |(i, fixations)| Written { text: format!("item{}", (i * 7 + 3) % 11), fixations };
        readings.into_iter().enumerate().map(named).collect()
    })
}

/// What is compared: text, place and duration, reading by reading.
type Seen = Vec<(String, Vec<(u32, u32)>)>;

fn wanted(readings: &[Written]) -> Seen {
    let mut seen: Seen = readings.iter().map(|r| (r.text.clone(), r.fixations.clone())).collect();
    seen.sort();
    seen
}

/// Imports one file; a list of items goes with it where the format needs one.
fn read(name: &str, content: &str, change: impl FnOnce(&mut Request)) -> Seen {
    let mut request = Request { inputs: vec![PathBuf::from(name)], ..Request::default() };
    change(&mut request);
    let items = (0..12).map(|_| "aaaa ".repeat(400) + "\n").collect::<String>();
    let open = |path: &Path| {
        let text = if path.ends_with("items.txt") { items.clone() } else { content.to_owned() };
        Ok(Box::new(std::io::Cursor::new(text.into_bytes())) as Box<dyn Read>)
    };
    let (imported, _) = import(&request, "written", &open).unwrap();
    let mut seen: Seen = match imported {
        Imported::Fixations(readings) => readings
            .iter()
            .map(|reading| {
                (
                    reading.fixations[0].text.to_string(),
                    reading.fixations.iter().map(seen_in).collect(),
                )
            })
            .collect(),
        Imported::Corpus(corpus) => corpus
            .scanpaths()
            .iter()
            .map(|path| {
                let seen = |f: &gazeprint::corpus::Fixation| {
                    (f.x.unwrap().0 as u32, f.duration.unwrap().0 as u32)
                };
                let text = corpus.texts()[path.text].id();
                (format!("item{text}"), path.fixations.iter().map(seen).collect())
            })
            .collect(),
    };
    seen.sort();
    seen
}

fn seen_in(fixation: &RawFixation) -> (u32, u32) {
    let Position::Pixels { x, .. } = fixation.position else { panic!("{fixation:?}") };
    (x as u32, fixation.duration_ms.unwrap() as u32)
}

/// A table with its columns in some order.
fn table(names: &[&str], rows: &[Vec<String>], order: &[usize], separator: &str) -> String {
    let pick = |cells: &[String]| {
        let mut out: Vec<&str> = Vec::new();
        let mut at: Vec<usize> = (0..cells.len()).collect();
        at.sort_by_key(|&column| order[column % order.len()] * 100 + column);
        at.iter().for_each(|&column| out.push(&cells[column]));
        out.join(separator) + "\n"
    };
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    pick(&names) + &rows.iter().map(|row| pick(row)).collect::<String>()
}

/// Rows of all readings, a closure making the cells of each fixation, with its number and onset.
fn rows(
    readings: &[Written],
    cells: impl Fn(&Written, usize, u32) -> Vec<String>,
) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for reading in readings {
        let mut onset = 100;
        for (i, (_, duration)) in reading.fixations.iter().enumerate() {
            all.push(cells(reading, i, onset));
            onset += duration + 30;
        }
    }
    all
}

/// Where the message that names a trial stands.
#[derive(Debug, Clone, Copy)]
enum Place {
    Before,
    AfterStart,
    AfterEnd,
}

fn asc(readings: &[Written], place: Place, with_ids: bool) -> String {
    let mut text = "** CONVERTED FROM r.edf\n".to_owned();
    let mut clock = 1000;
    for (number, reading) in (1..).zip(readings) {
        let name = |time: u32| format!("MSG\t{time} !V TRIAL_VAR item {}\n", reading.text);
        if with_ids {
            writeln!(text, "MSG\t{clock} TRIALID {number}").unwrap();
        }
        if let Place::Before = place {
            text += &name(clock + 1);
        }
        writeln!(text, "START\t{} \tLEFT\tEVENTS", clock + 2).unwrap();
        text += "EVENTS\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2\n";
        if let Place::AfterStart = place {
            text += &name(clock + 3);
        }
        clock += 10;
        for (x, duration) in &reading.fixations {
            let end = clock + duration - 1;
            writeln!(text, "EFIX L {clock} {end} {duration} {x}.0 300.0 800").unwrap();
            clock = end + 30;
        }
        writeln!(text, "END\t{clock} \tSAMPLES\tEVENTS\tRES\t30.00\t30.00").unwrap();
        if let Place::AfterEnd = place {
            text += &name(clock + 1);
        }
        clock += 50;
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn recordings_of_eyelink(
        readings in written(),
        place in prop::sample::select(vec![Place::Before, Place::AfterStart, Place::AfterEnd]),
        with_ids in any::<bool>(),
        by_pattern in any::<bool>(),
    ) {
        let text = asc(&readings, place, with_ids);
        let seen = read("r.asc", &text, |request| if by_pattern {
            let patterns = TrialPatterns::new(&[r"TRIAL_VAR item (?P<text>\w+)"]).unwrap();
            request.gaze = GazeOptions { patterns, ..GazeOptions::default() };
        });
        prop_assert_eq!(seen, wanted(&readings), "{}", text);
    }

    #[test]
    fn reports_of_data_viewer(readings in written(), order in vec(0..9_usize, 1..7), turned in any::<bool>()) {
        let names = ["RECORDING_SESSION_LABEL", "TRIAL_INDEX", "text_id", "CURRENT_FIX_X",
            "CURRENT_FIX_Y", "CURRENT_FIX_DURATION", "CURRENT_FIX_START", "CURRENT_FIX_INDEX"];
        let mut trials = readings.clone();
        if turned { trials.reverse(); }
        let rows = rows(&trials, |reading, i, onset| {
            let trial = readings.iter().position(|r| r.text == reading.text).unwrap();
            let (x, duration) = reading.fixations[i];
            ["p1".to_owned(), trial.to_string(), reading.text.clone(), x.to_string(), "300".to_owned(),
             duration.to_string(), onset.to_string(), (i + 1).to_string()].to_vec()
        });
        prop_assert_eq!(read("r.txt", &table(&names, &rows, &order, "\t"), |_| ()), wanted(&readings));
    }

    #[test]
    fn tables_of_fixations(readings in written(), order in vec(0..9_usize, 1..7), shift in 0..40_usize) {
        let names = ["subject", "item", "x_px", "y_px", "duration_ms", "fix_index"];
        let mut rows = rows(&readings, |reading, i, _| {
            let (x, duration) = reading.fixations[i];
            ["p1".to_owned(), reading.text.clone(), x.to_string(), "300".to_owned(),
             duration.to_string(), (i + 1).to_string()].to_vec()
        });
        // Rows of readings take turns.
        rows.sort_by_key(|row| (row[5].parse::<usize>().unwrap() + shift, row[1].clone()));
        prop_assert_eq!(read("r.csv", &table(&names, &rows, &order, ";"), |_| ()), wanted(&readings));
    }

    #[test]
    fn exports_of_tobii(readings in written(), order in vec(0..9_usize, 1..7)) {
        let names = ["Recording timestamp [ms]", "Participant name", "Recording name", "Presented Stimulus name",
            "Eye movement type", "Gaze event duration [ms]", "Eye movement type index",
            "Fixation point X [DACS px]", "Fixation point Y [DACS px]"];
        let mut event = 0;
        let mut all = Vec::new();
        for fixation in rows(&readings, |reading, i, onset| {
            let (x, duration) = reading.fixations[i];
            [reading.text.clone(), x.to_string(), duration.to_string(), onset.to_string()].to_vec()
        }) {
            event += 1;
            for sample in 0..3 {
                let time: u32 = fixation[3].parse::<u32>().unwrap() + 10 * sample;
                all.push([time.to_string(), "p1".to_owned(), "rec".to_owned(), fixation[0].clone(), "Fixation".to_owned(),
                    fixation[2].clone(), event.to_string(), fixation[1].clone(), "300".to_owned()].to_vec());
            }
        }
        prop_assert_eq!(read("r.tsv", &table(&names, &all, &order, "\t"), |_| ()), wanted(&readings));
    }

    #[test]
    fn sequences_of_swift(readings in written()) {
        let mut text = String::new();
        for reading in &readings {
            let sentence: u32 = reading.text.trim_start_matches("item").parse::<u32>().unwrap() + 1;
            let last = reading.fixations.len() - 1;
            for (i, (x, duration)) in reading.fixations.iter().enumerate() {
                let flag = if i == 0 { 1 } else if i == last { 2 } else { 0 };
                // Words have four letters, and begin every fifth character.
                writeln!(text, "{sentence}\t{}\t{}\t{duration}\t20\t{flag}", x / 5 + 1, x % 5 + 1).unwrap();
            }
        }
        let seen = read("fixseqin_1.dat", &text, |request| {
            request.format = Some(Format::Swift);
            request.text = Some(PathBuf::from("items.txt"));
        });
        let named = |mut reading: Written| {
            let number: u32 = reading.text.trim_start_matches("item").parse().unwrap();
            reading.text = format!("item{}", number + 1);
            reading
        };
        let readings: Vec<Written> = readings.into_iter().map(named).collect();
        prop_assert_eq!(seen, wanted(&readings));
    }

    #[test]
    fn tables_of_samples(readings in written(), order in vec(0..9_usize, 1..5)) {
        let names = ["subject", "item", "time", "x_px", "y_px"];
        let mut all = Vec::new();
        for reading in &readings {
            let (mut time, mut chance) = (0, 1_u32);
            for (i, (x, duration)) in reading.fixations.iter().enumerate() {
                // A step of at least 300 pixels between fixations, and samples at 500 Hz.
                let x = x % 200 + 400 * (i as u32 % 4);
                for _ in 0..(duration / 2) {
                    chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let tremor = f64::from(chance >> 16) / 65_536.0;
                    all.push(["p1".to_owned(), reading.text.clone(), time.to_string(),
                        (f64::from(x) + tremor).to_string(), (300.0 + tremor).to_string()].to_vec());
                    time += 2;
                }
            }
        }
        let seen = read("r.csv", &table(&names, &all, &order, ","), |_| ());
        // Each fixation is found, but for those that are too short for it, in its place.
        prop_assert_eq!(seen.len(), readings.len());
        for (text, found) in seen {
            let reading = readings.iter().find(|reading| reading.text == text).unwrap();
            let places: Vec<u32> = reading.fixations.iter().enumerate()
                .filter(|(_, (_, duration))| *duration >= 120)
                .map(|(i, (x, _))| x % 200 + 400 * (i as u32 % 4)).collect();
            let mut found = found.iter().map(|(x, _)| *x);
            let is_there = |place: &u32| found.any(|x| x.abs_diff(*place) <= 3);
            prop_assert!(places.iter().all(is_there), "{text}: {places:?}");
        }
    }
}
