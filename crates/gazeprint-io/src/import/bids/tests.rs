//! Small recordings as the standard has them, each with one trap.

use proptest::prelude::*;

use super::super::detect::Scale;
use super::super::gaze::EyeChoice;
use super::super::recording::Eye;
use super::super::testing::{Collected, mutated};
use super::*;

const NAME: &str = "sub-07_ses-2_task-read_run-1_recording-eye1_physio.tsv.gz";

const SAMPLES: &str = r#"{
    "Columns": ["timestamp", "x_coordinate", "y_coordinate", "pupil_size"],
    "PhysioType": "eyetrack", "RecordedEye": "right", "SamplingFrequency": 500, "StartTime": 0.5,
    "SampleCoordinateSystem": "gaze-on-screen",
    "timestamp": {"Units": "ms"}, "x_coordinate": {"Units": "pixel"},
    "y_coordinate": {"Units": "pixel"}
}"#;

const EVENTS: &str = r#"{
    "Columns": ["onset", "duration", "trial_type", "blink", "message"], "OnsetSource": "timestamp"
}"#;

const STIMULUS: &str = r#"{"StimulusPresentation": {
    "ScreenDistance": 0.55, "ScreenOrigin": ["top", "left"], "ScreenResolution": [1680, 1050],
    "ScreenSize": [0.474, 0.297]
}}"#;

/// Rests at 300 and 420, the second after a step of 20 ms at 200 ms, then a loss of 40 ms.
fn samples(unit: f64) -> String {
    scaled_samples(unit, 1.0)
}

fn scaled_samples(unit: f64, scale: f64) -> String {
    (0..300)
        .map(|i| {
            let time = 2.0 * f64::from(i);
            let tremor = |phase: f64| 0.2 * ((f64::from(i) + phase).sin() * 43_758.5).fract();
            let x = 300.0 + 120.0 * ((time - 200.0) / 20.0).clamp(0.0, 1.0) + tremor(0.0);
            let at = (10_000.0 + time) * unit;
            match time {
                400.0..440.0 => format!("{at}\tn/a\tn/a\t0\n"),
                _ => {
                    let (x, y) = (scale * x, scale * (200.0 + tremor(0.5)));
                    format!("{at}\t{x:.4}\t{y:.4}\t900\n")
                }
            }
        })
        .collect()
}

const MOVEMENTS: &str = "9990\tn/a\tn/a\tn/a\t\"TRIALID frog\"\n\
                         10000\t198\tfixation\t0\tn/a\n\
                         10200\t18\tsaccade\t0\tn/a\n\
                         10220\t178\tfixation\t0\tn/a\n\
                         10400\t38\tsaccade\t1\tn/a\n\
                         10400\tn/a\tn/a\tn/a\tTRIALID toad\n\
                         10440\t158\tfixation\t0\tn/a\n";

fn json(text: &str) -> Option<Metadata> {
    Some(Metadata::read(&mut text.as_bytes()).unwrap())
}

struct Files<'f> {
    samples: &'f str,
    json: &'f str,
    events: Option<(&'f str, &'f str)>,
    stimulus: Option<&'f str>,
}

impl Files<'_> {
    fn read(&self, change: impl FnOnce(&mut BidsOptions)) -> Result<Collected, ImportError> {
        let mut options = BidsOptions::new(NAME);
        change(&mut options);
        let mut events = self.events.map(|(table, _)| table.as_bytes());
        let columns = self.events.map(|(_, columns)| columns);
        let events = events.as_mut().map(|input| EventTable {
            path: Path::new("events"),
            input,
            file: 1,
            columns: columns.filter(|columns| !columns.is_empty()).and_then(json),
        });
        let side = Side {
            samples: Some(self.json).filter(|text| !text.is_empty()).and_then(json),
            events,
            stimulus: self.stimulus.and_then(json),
        };
        let mut kept = Collected::default();
        read(&mut self.samples.as_bytes(), 0, &options, side, &mut kept)?;
        Ok(kept)
    }

    fn refusal(&self) -> String {
        self.read(|_| ()).unwrap_err().to_string()
    }
}

fn plain(samples: &str) -> Files<'_> {
    Files { samples, json: SAMPLES, events: None, stimulus: None }
}

#[test]
fn fixations_of_events_are_at_the_mean_of_their_samples() {
    let samples = samples(1.0);
    let files = Files { events: Some((MOVEMENTS, EVENTS)), ..plain(&samples) };
    let kept = files.read(|_| ()).unwrap();
    assert_eq!(kept.texts(), ["frog", "frog", "toad"]);
    // Each ends one sample before the next begins.
    assert_eq!(kept.durations(), [200.0, 180.0, 160.0]);
    assert!(kept.noted("one sample longer than stated, 2 ms"), "{:?}", kept.notes);
    assert_eq!(kept.gaps(), [false, false, true]);
    let (place, fixation) = &kept.fixations[1];
    assert_eq!(*place, RowPlace { file: 1, row: 4 });
    let Position::Pixels { x, y } = fixation.position else { panic!("{fixation:?}") };
    assert!((x - 420.0).abs() < 0.2 && (y - 200.0).abs() < 0.2, "{x} {y}");
    assert_eq!((fixation.reader.as_ref(), fixation.session.as_deref()), ("07", Some("2")));
    assert_eq!((fixation.trial.as_deref(), fixation.eye), (Some("1"), Some(Eye::Right)));
    assert!(kept.dropped.is_empty());
}

#[test]
fn durations_that_reach_to_the_next_event_stay() {
    let samples = samples(1.0);
    let events = "10000\t0.2\tfixation\t0\tn/a\n10200\t0.02\tsaccade\t0\tn/a\n\
                  10220\t0.18\tfixation\t0\tn/a\n";
    let kept = Files { events: Some((events, EVENTS)), ..plain(&samples) }.read(|_| ()).unwrap();
    assert_eq!(kept.durations(), [200.0, 180.0]);
    assert!(kept.noted("multiplied by 1000"), "{:?}", kept.notes);
    assert_eq!(kept.texts(), ["read-1", "read-1"]);
}

#[test]
fn without_fixations_they_are_found_in_samples() {
    let samples = samples(1.0);
    let found = plain(&samples).read(|_| ()).unwrap();
    assert_eq!(found.gaps(), [false, false, true]);
    assert_eq!(found.texts(), ["read-1"; 3]);
    assert_eq!(found.fixations[0].1.trial, None);
    assert!(found.noted("no events have any"));
    let messages = "10400\tTRIALID toad\n";
    let columns = r#"{"Columns": ["onset", "message"], "OnsetSource": "timestamp"}"#;
    let files = Files { events: Some((messages, columns)), ..plain(&samples) };
    assert_eq!(files.read(|_| ()).unwrap().texts(), ["read-1", "read-1", "toad"]);
    let files = Files { events: Some((MOVEMENTS, EVENTS)), ..plain(&samples) };
    let asked = files.read(|options| options.gaze.from_samples = true).unwrap();
    assert_eq!(asked.durations(), found.durations());
    assert_eq!(asked.texts(), ["frog", "frog", "toad"]);
}

#[test]
fn times_may_be_seconds_nanoseconds_or_rows() {
    let expected = plain(&samples(1.0)).read(|_| ()).unwrap().durations();
    for (unit, units) in [(0.001, "s"), (1000.0, "us"), (1e6, "ns")] {
        let samples = samples(unit);
        for json in [SAMPLES.replace("\"ms\"", &format!("{units:?}")), SAMPLES.replace("ms", "?")] {
            let kept = Files { json: &json, ..plain(&samples) }.read(|_| ()).unwrap();
            assert_eq!(kept.durations().len(), expected.len());
            for (a, b) in kept.durations().iter().zip(&expected) {
                assert!((a - b).abs() < 1e-3, "{units}: {a} {b}");
            }
        }
    }
    let samples = samples(1.0);
    let columns = EVENTS.replace("\"timestamp\"", "\"n/a\"");
    let events = "0\t99\tfixation\t0\tn/a\n100\t9\tsaccade\t0\tn/a\n110\t89\tfixation\t0\tn/a\n";
    let kept = Files { events: Some((events, &columns)), ..plain(&samples) }.read(|_| ()).unwrap();
    assert_eq!(kept.durations(), [200.0, 180.0]);
    assert_eq!(kept.fixations[1].1.onset_ms, Some(720.0));
    let Position::Pixels { x, .. } = kept.fixations[1].1.position else { panic!() };
    assert!((x - 420.0).abs() < 0.2);
}

#[test]
fn what_is_missing_beside_a_recording_is_asked_for() {
    let samples = samples(1.0);
    let error = Files { json: "", ..plain(&samples) }.refusal();
    assert!(error.contains("physio.json beside it"), "{error}");
    let error = Files { events: Some((MOVEMENTS, "")), ..plain(&samples) }.refusal();
    assert!(error.contains("physioevents.json") && error.starts_with("events"), "{error}");
    for (from, to, wanted) in [
        ("\"Columns\"", "\"Spalten\"", "Columns"),
        ("500", "0", "SamplingFrequency"),
        ("\"x_coordinate\", ", "", "no column for x"),
        ("{\"Units\": \"pixel\"}", "{\"Units\": \"arbitrary\"}", "`choices` x_px=x_coordinate"),
        ("{\"Units\": \"pixel\"}", "{\"Units\": \"degrees\"}", "`px_per_degree`"),
        ("gaze-on-screen", "gaze-in-world", "gaze-on-screen"),
        ("eyetrack", "cardiac", "expected eyetrack"),
    ] {
        let json = SAMPLES.replace(from, to);
        let error = Files { json: &json, ..plain(&samples) }.refusal();
        assert!(error.contains(wanted), "{to}: {error}");
    }
    let columns = EVENTS.replace("OnsetSource\": \"timestamp", "OnsetSource\": \"other");
    let error = Files { events: Some((MOVEMENTS, &columns)), ..plain(&samples) }.refusal();
    assert!(error.contains("`choices` time=other"), "{error}");
    assert!(plain("").refusal().contains("a row for each sample"));
}

#[test]
fn positions_count_from_the_upper_left() {
    let samples = samples(1.0);
    let at = |json: &str, stimulus: &str, y_up: bool| {
        let files = Files { json, stimulus: Some(stimulus), ..plain(&samples) };
        let kept = files.read(|options| options.gaze.y_up = y_up).unwrap();
        match kept.fixations[0].1.position {
            Position::Pixels { x, y } => (x.round(), y.round()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(at(SAMPLES, STIMULUS, false), (300.0, 200.0));
    let bottom = STIMULUS.replace("top", "bottom");
    assert_eq!(at(SAMPLES, &bottom, false), (300.0, 850.0));
    let center = STIMULUS.replace(r#"["top", "left"]"#, r#"["center"]"#);
    assert_eq!(at(SAMPLES, &center, false), (1140.0, 725.0));
    let no_size = r#"{"StimulusPresentation": {"ScreenOrigin": ["bottom", "left"]}}"#;
    let error = Files { stimulus: Some(no_size), ..plain(&samples) }.refusal();
    assert!(error.contains("ScreenResolution"), "{error}");
}

#[test]
fn degrees_become_pixels_of_the_screen() {
    let samples = scaled_samples(1.0, 0.01);
    let json = SAMPLES.replace("\"pixel\"", "\"degree of visual angle\"");
    let files = Files { json: &json, stimulus: Some(STIMULUS), ..plain(&samples) };
    let kept = files.read(|_| ()).unwrap();
    assert!(kept.noted("by events.json: a screen of 1680 by 1050"), "{:?}", kept.notes);
    let scale = Scale::pixels_per_degree(30.0, 30.0).ok();
    let kept = files.read(|options| options.gaze.scale = scale).unwrap();
    assert!(kept.noted("as given: 30 pixels per degree"));
    let Position::Pixels { x, y } = kept.fixations[0].1.position else { panic!() };
    assert!((x - 90.0).abs() < 0.1 && (y - 60.0).abs() < 0.1, "{x} {y}");
}

#[test]
fn another_eye_is_left_out_and_counted() {
    let samples = samples(1.0);
    let files = Files { events: Some((MOVEMENTS, EVENTS)), ..plain(&samples) };
    let kept = files.read(|options| options.gaze.eye = EyeChoice::Left).unwrap();
    assert_eq!((kept.fixations.len(), kept.rows(OTHER_EYE)), (0, vec![2, 4, 7]));
}

#[test]
fn of_the_eyes_of_a_run_the_one_with_most_fixations_is_taken() {
    let paths = ["sub-1_recording-eye1_physio.tsv.gz", "other", "sub-1_recording-eye2_physio.tsv"];
    assert_eq!(runs(&paths.map(Into::into)), [vec![0, 2], vec![1]]);
    let samples = samples(1.0);
    let mut eyes = Eyes::default();
    for (rows, eye) in [(150, "left"), (300, "right")] {
        let text: String = samples.split_inclusive('\n').take(rows).collect();
        let side = Side { samples: json(&SAMPLES.replace("right", eye)), ..Side::default() };
        read(&mut text.as_bytes(), 0, &BidsOptions::new(NAME), side, eyes.another()).unwrap();
    }
    let mut kept = Collected::default();
    eyes.finish(&mut kept).unwrap();
    assert!(kept.fixations.iter().all(|(_, fixation)| fixation.eye == Some(Eye::Right)));
    assert_eq!((kept.fixations.len(), kept.rows(OTHER_EYE).len()), (3, 2));
}

#[test]
fn what_cannot_be_read_is_counted_with_its_row() {
    let header = "timestamp\tx_coordinate\ty_coordinate\tpupil_size\n";
    let text = format!("{header}{}10600\t1\n10601\tx\t1\t1\n10000\t1\t1\t1\n", samples(1.0));
    let events = format!("{MOVEMENTS}?\t1\tfixation\t0\tn/a\n10700\tn/a\tfixation\t0\tn/a\n1\n");
    let kept = Files { events: Some((&events, EVENTS)), ..plain(&text) }.read(|_| ()).unwrap();
    assert_eq!(kept.rows(Reason::RAGGED), [10, 302]);
    assert_eq!(kept.rows(Reason::NOT_A_NUMBER), [303]);
    assert_eq!(kept.rows(TIME_ORDER), [304]);
    let named = |name: &str| kept.dropped.iter().filter(|drop| drop.1 == name).count();
    assert_eq!((named("no_onset"), named("no_duration")), (1, 1));
    assert!(kept.noted("names of the columns"));
}

/// A few rows, so that seeds are small.
fn seed() -> String {
    samples(1.0).split_inclusive('\n').step_by(10).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(1000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// No panic and no hang, and every refusal says where.
    #[test]
    fn any_change_is_read_or_refused_with_a_row(
        samples in mutated(&[seed()]),
        events in mutated(&[MOVEMENTS]),
        texts in (mutated(&[SAMPLES]), mutated(&[EVENTS]), mutated(&[STIMULUS])),
        broken in 0..4_u8,
    ) {
        let metadata = |text: &Vec<u8>, whole: &str| match broken {
            0 => Metadata::read(&mut text.as_slice()),
            _ => Metadata::read(&mut whole.as_bytes()),
        };
        let side = [
            metadata(&texts.0, &SAMPLES.replace("500", "50")),
            metadata(&texts.1, EVENTS),
            metadata(&texts.2, STIMULUS),
        ];
        let mut json = Vec::new();
        for side in side {
            match side {
                Ok(metadata) => json.push(Some(metadata)),
                Err(error) => {
                    prop_assert!(error.at().is_some_and(|at| at.row > 0));
                    json.push(None);
                }
            }
        }
        let [samples_json, columns, stimulus] = <[_; 3]>::try_from(json).unwrap();
        let mut input = if broken == 1 { MOVEMENTS.as_bytes() } else { events.as_slice() };
        let table = EventTable { path: Path::new("events"), input: &mut input, file: 1, columns };
        let side = Side { samples: samples_json, events: Some(table), stimulus };
        let lines = |bytes: &[u8]| bytes.split(|byte| b"\n\r".contains(byte)).count() as u64;
        let rows = [lines(&samples), lines(&events).max(lines(MOVEMENTS.as_bytes()))];
        let mut kept = Collected::default();
        match read(&mut samples.as_slice(), 0, &BidsOptions::new(NAME), side, &mut kept) {
            Ok(_) => prop_assert!(!kept.notes.is_empty()),
            Err(ImportError::Empty { .. }) => {}
            Err(error) => {
                let row = error.at().map_or(0, |at| at.row);
                prop_assert!((1..=rows[0].max(rows[1])).contains(&row), "{}", error);
            }
        }
        for (place, _) in &kept.dropped {
            prop_assert!((1..=rows[place.file]).contains(&place.row));
        }
        for (place, fixation) in &kept.fixations {
            prop_assert!((1..=rows[place.file]).contains(&place.row));
            prop_assert!(fixation.duration_ms.is_some_and(|it| it.is_finite() && it >= 0.0));
            prop_assert!(fixation.onset_ms.is_some_and(f64::is_finite));
        }
    }
}
