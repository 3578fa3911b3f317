//! As `import_vendors.rs`, for formats of recordings and of laboratories: what their writers write comes
//! back as the fixations that they wrote.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod written;

use std::fmt::Write as _;

use gazeprint_io::import::{Format, GazeOptions, Position, Request, TrialPatterns};
use proptest::prelude::*;

use written::{Cell, Readings, Seen, TEXT, Written, close, readings, run, written};

/// Samples at 500 Hz of rests at the places of a reading, each of its duration, and steps of 10 ms between
/// them; the time of the first is `start`. Rests that are close to each other could be one: these are set
/// apart.
fn rests(seen: &mut [Seen], start: f64) -> Vec<(f64, f64, f64)> {
    let mut samples = Vec::new();
    let mut time = start;
    let mut tremor = 1_u32;
    for (at, [x, y, onset, lasts]) in seen.iter_mut().enumerate() {
        (*x, *y) = (100.0 + 150.0 * (at % 6) as f64 + x.round() % 40.0, 300.0);
        *lasts = 2.0 * (lasts.max(120.0) / 2.0).round();
        if let Some(&(_, from, _)) = samples.last() {
            let from: f64 = from;
            for step in 1..5 {
                let part = f64::from(step) / 5.0;
                samples.push((time, from + (*x - from) * part * part * (3.0 - 2.0 * part), *y));
                time += 2.0;
            }
        }
        *onset = time;
        while time < *onset + *lasts {
            tremor = tremor.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let off = f64::from(tremor >> 16) / 65_536.0 - 0.5;
            samples.push((time, *x + off, *y - off));
            time += 2.0;
        }
    }
    samples
}

/// Whether each reading has the same number of fixations, each within some pixels and samples of what was
/// written: detectors give or take some at the edges.
fn nearly(found: &Readings, wanted: &Readings) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
    for (key, seen) in found {
        prop_assert_eq!(seen.len(), wanted[key].len(), "{:?}: {:?} {:?}", key, seen, wanted[key]);
        for (a, b) in seen.iter().zip(&wanted[key]) {
            let off = [0, 1, 2, 3].map(|i| (a[i] - b[i]).abs());
            prop_assert!(
                off[0] < 3.0 && off[1] < 3.0 && off[2] <= 16.0 && off[3] <= 24.0,
                "{a:?} {b:?}"
            );
        }
    }
    Ok(())
}

/// A name, and its samples: time and place.
type Sampled = (String, Vec<(f64, f64, f64)>);

impl Written {
    /// The samples of each reading, in the order of the file, and the readings that they are of.
    fn sampled(&self) -> (Vec<Sampled>, Readings) {
        let mut wanted = self.readings.clone();
        let mut start = 10_000.0;
        let mut all = Vec::new();
        for key in &self.order {
            let samples = rests(wanted.get_mut(key).unwrap(), start);
            start = samples.last().unwrap().0 + 500.0;
            all.push((key.1.clone(), samples));
        }
        (all, wanted)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn samples_of_eyelink(written in written(1), two_eyes in any::<bool>(), after in any::<bool>()) {
        let (trials, wanted) = written.of_file("r").sampled();
        let eyes = if two_eyes { "LEFT\tRIGHT" } else { "RIGHT" };
        let mut text = "** CONVERTED FROM r.edf\n".to_owned();
        for (number, (name, samples)) in (1..).zip(&trials) {
            let (first, last) = (samples[0].0, samples[samples.len() - 1].0);
            let named = |time: f64| format!("MSG\t{time} !V TRIAL_VAR item {name}\n");
            writeln!(text, "MSG\t{} TRIALID {number}", first - 20.0).unwrap();
            if !after {
                text += &named(first - 10.0);
            }
            writeln!(text, "START\t{first} \t{eyes}\tSAMPLES").unwrap();
            writeln!(text, "SAMPLES\tGAZE\t{eyes}\tRATE\t500.00\tTRACKING\tCR\tFILTER\t2").unwrap();
            for (time, x, y) in samples {
                let eye = format!("{x:.1}\t{y:.1}\t900.0");
                let other = if two_eyes { "   .\t   .\t0.0\t" } else { "" };
                writeln!(text, "{time}\t{other}{eye}\t...").unwrap();
            }
            writeln!(text, "END\t{} \tSAMPLES\tRES\t30.00\t30.00", last + 1.0).unwrap();
            if after {
                text += &named(last + 2.0);
            }
        }
        let patterns = TrialPatterns::new(&[r"TRIAL_VAR item (?P<text>\w+)"]).unwrap();
        let gaze = GazeOptions { patterns, ..GazeOptions::default() };
        let (imported, _) = run(&[("r.asc", text)], Request { gaze, ..Request::default() }).unwrap();
        nearly(&readings(&imported), &wanted)?;
    }

    #[test]
    fn recordings_of_bids(written in written(1), order in 0_usize..3, seconds in any::<bool>()) {
        // Fixations among the events, and a message for each text; the columns in some order.
        let folder = tempfile::tempdir().unwrap();
        let written = written.of_file("01");
        let unit = if seconds { 1e-3 } else { 1.0 };
        let (mut samples, mut events, mut wanted) = (String::new(), String::new(), Readings::new());
        let mut clock = 0.0;
        for key in &written.order {
            let shift = clock + 1000.0 - written.readings[key][0][2];
            writeln!(events, "{}\tn/a\tn/a\tTRIALID {}", (clock + 900.0) * unit, key.1).unwrap();
            let mut seen = written.readings[key].clone();
            for [x, y, onset, lasts] in &mut seen {
                *onset = 2.0 * ((*onset + shift) / 2.0).round();
                *lasts = 2.0 * (*lasts / 2.0).round();
                (*x, *y) = (x.round(), y.round());
                writeln!(events, "{}\t{}\tfixation\tn/a", *onset * unit, *lasts * unit).unwrap();
                while clock < *onset {
                    writeln!(samples, "{}\tn/a\tn/a", clock * unit).unwrap();
                    clock += 2.0;
                }
                while clock < *onset + *lasts {
                    writeln!(samples, "{}\t{x}\t{y}", clock * unit).unwrap();
                    clock += 2.0;
                }
            }
            wanted.insert(key.clone(), seen);
        }
        let columns = ["timestamp", "x_coordinate", "y_coordinate"];
        let turned = |i: usize| (i + order) % 3;
        let turn = |row: &str| {
            let cells: Vec<&str> = row.split('\t').collect();
            [cells[turned(0)], cells[turned(1)], cells[turned(2)]].join("\t") + "\n"
        };
        let samples: String = samples.lines().map(turn).collect();
        let unit = if seconds { "s" } else { "ms" };
        let json = format!(
            r#"{{"Columns": [{:?}, {:?}, {:?}], "PhysioType": "eyetrack", "RecordedEye": "right",
            "SamplingFrequency": 500, "SampleCoordinateSystem": "gaze-on-screen", "StartTime": 0,
            "timestamp": {{"Units": "{unit}"}}, "x_coordinate": {{"Units": "pixel"}},
            "y_coordinate": {{"Units": "pixel"}}}}"#,
            columns[turned(0)], columns[turned(1)], columns[turned(2)]
        );
        let event_columns = format!(
            r#"{{"Columns": ["onset", "duration", "trial_type", "message"], "OnsetSource": "timestamp",
            "onset": {{"Units": "{unit}"}}, "duration": {{"Units": "{unit}"}}}}"#
        );
        let name = |end: &str| folder.path().join(format!("sub-01_task-read_{end}"));
        std::fs::write(name("physio.tsv"), samples).unwrap();
        std::fs::write(name("physio.json"), json).unwrap();
        std::fs::write(name("physioevents.tsv"), events).unwrap();
        std::fs::write(name("physioevents.json"), event_columns).unwrap();
        let request = Request { inputs: vec![name("physio.tsv")], ..Request::default() };
        let open = |path: &std::path::Path| {
            Ok(Box::new(std::fs::File::open(path)?) as Box<dyn std::io::Read>)
        };
        let (imported, report) = gazeprint_io::import::import(&request, "bids", &open).unwrap();
        let named = |(key, seen): (&(String, String), &Vec<Seen>)| (("01".to_owned(), key.1.clone()), seen.clone());
        let wanted: Readings = wanted.iter().map(named).collect();
        prop_assert!(close(&readings(&imported), &wanted), "{:?} {wanted:?} {report:#?}", readings(&imported));
    }

    #[test]
    fn frames_of_pymovements(written in written(3), apart in any::<bool>(), ends in any::<bool>()) {
        let mut columns: Vec<(&str, Cell)> = vec![
            ("subject_id", |reader, _, _, _| reader.to_owned()),
            ("text_id", TEXT.1),
            ("name", |_, _, _, _| "fixation_ivt".to_owned()),
            ("onset", |_, _, _, seen| seen[2].to_string()),
            ("offset", |_, _, _, seen| (seen[2] + seen[3]).to_string()),
        ];
        if ends {
            columns.push(("duration", |_, _, _, seen| seen[3].to_string()));
        }
        match apart {
            true => columns.extend([
                ("location_x", written::X.1),
                ("location_y", written::Y.1),
            ]),
            false => columns.push(("location", |_, _, _, seen| format!("\"[{}, {}]\"", seen[0], seen[1]))),
        }
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let kind = names.iter().position(|name| *name == "name").unwrap();
        let kind = (kind + names.len() - written.seed % names.len()) % names.len();
        let rows = |_: usize, row: Vec<String>| {
            let mut saccade = row.clone();
            saccade[kind] = "saccade".to_owned();
            vec![saccade, row]
        };
        let text = written.table(&columns, ",", rows);
        written.comes_back(&[("events.csv", text)], Request::default())?;
    }

    #[test]
    fn samples_of_web_pages(written in written(1), lines in any::<bool>()) {
        let (trials, wanted) = written.of_file("r").sampled();
        let record = |(name, samples): &(String, Vec<(f64, f64, f64)>)| {
            let samples = samples.iter().map(|(t, x, y)| format!("{{\"t\": {t}, \"y\": {y}, \"x\": {x}}}"));
            format!(
                "{{\"trial_type\": \"reading\", \"subject\": \"r\", \"item\": \"{name}\", \
                 \"webgazer_data\": [{}], \"rt\": 812}}",
                samples.collect::<Vec<_>>().join(",")
            )
        };
        let records: Vec<String> = trials.iter().map(record).collect();
        let text = match lines {
            true => records.join("\n"),
            false => format!("[{}]", records.join(", ")),
        };
        let (imported, _) = run(&[("data.json", text)], Request::default()).unwrap();
        nearly(&readings(&imported), &wanted)?;
    }

    #[test]
    fn trials_of_eye_doctor(written in written(1)) {
        let written = written.of_file("s1");
        let mut text = String::new();
        for (number, key) in (1..).zip(&written.order) {
            let seen = &written.readings[key];
            write!(text, "{number} 2 {} 9000 0 0 0 {}", key.1, seen.len()).unwrap();
            for [x, _, onset, lasts] in seen {
                write!(text, " {} 1 {onset} {}", (x / 20.0) as u32, onset + lasts).unwrap();
            }
            text.push('\n');
        }
        let request = Request { format: Some(Format::Da1), ..Request::default() };
        let (imported, report) = run(&[("s1.DA1", text)], request).unwrap();
        let gazeprint_io::import::Imported::Fixations(found) = &imported else { panic!("words") };
        prop_assert!(report.dropped.is_empty());
        prop_assert_eq!(found.len(), written.readings.len());
        for reading in found {
            let name = reading.fixations[0].text.trim_end_matches("_2").to_owned();
            let wanted = &written.readings[&("s1".to_owned(), name)];
            prop_assert_eq!(reading.fixations.len(), wanted.len());
            for (fixation, [x, _, onset, lasts]) in reading.fixations.iter().zip(wanted) {
                let at = Position::Chars { x: f64::from((x / 20.0) as u32) + 0.5, line: 2 };
                let times = (fixation.onset_ms, fixation.duration_ms);
                prop_assert_eq!((fixation.position, times), (at, (Some(*onset), Some(*lasts))));
            }
        }
    }

    #[test]
    fn reports_of_popeye(written in written(3)) {
        // A line of words of four letters, with a blank before each; none is on the first word.
        let letter = |x: f64| (x / 20.0) as u32 + 1;
        let columns: [(&str, Cell); 14] = [
            ("subid", |reader, _, _, _| reader.to_owned()),
            ("trialid", TEXT.1),
            ("itemid", TEXT.1),
            ("fixid", |_, _, number, _| number.to_string()),
            ("start", |_, _, _, seen| seen[2].to_string()),
            ("xn", written::X.1),
            ("yn", written::Y.1),
            ("dur", |_, _, _, seen| seen[3].to_string()),
            ("type", |_, _, _, _| "in".to_owned()),
            ("line", |_, _, _, _| "1".to_owned()),
            ("line.let", |_, _, _, seen| ((seen[0] / 20.0) as u32 + 1).to_string()),
            ("wordnum", |_, _, _, seen| ((seen[0] / 20.0) as u32 / 5 + 1).to_string()),
            ("word", |_, _, _, _| "word".to_owned()),
            ("word.land", |_, _, _, seen| ((seen[0] / 20.0) as u32 % 5).to_string()),
        ];
        let table = written.once(&columns, ",");
        let (imported, report) = run(&[("fix.csv", table.clone())], Request::default()).unwrap();
        let gazeprint_io::import::Imported::Corpus(corpus) = &imported else { panic!("no words: {report:#?}") };
        for path in corpus.scanpaths() {
            let key = (corpus.readers()[path.reader].clone(), corpus.texts()[path.text].id().to_owned());
            let found: Vec<_> =
                path.fixations.iter().map(|f| (f.x.unwrap().0, f.onset.unwrap().0, f.duration.unwrap().0)).collect();
            let wanted: Vec<_> =
                written.readings[&key].iter().map(|s| (f64::from(letter(s[0])) - 0.5, s[2], s[3])).collect();
            prop_assert_eq!(found, wanted, "{}", table);
        }
        prop_assert_eq!(corpus.scanpaths().len(), written.readings.len());
    }
}
