use proptest::prelude::*;

use super::*;
use crate::import::testing::{Collected, mutated, source};

const EXPORT: &str = "\u{feff}Recording timestamp [μs]\tParticipant name\tRecording name\tPresented Stimulus name\tEye movement type\tGaze event duration [ms]\tEye movement type index\tFixation point X [DACS px]\tFixation point Y [DACS px]
1000\tAnna\tRec1\tpage 1\tFixation\t200\t1\t512,5\t300
9000\tAnna\tRec1\tpage 1\tFixation\t200\t1\t512,5\t300
17000\tAnna\tRec1\tpage 1\t\t\t\t\t
25000\tAnna\tRec1\tpage 1\tSaccade\t30\t1\t\t
33000\tAnna\tRec1\tpage 1\tFixation\t180\t2\t600\t300
41000\tAnna\tRec1\tpage 1\tEyesNotFound\t90\t1\t\t
49000\tAnna\tRec1\tpage 1\tFixation\t150\t3\t650\t301
57000\tAnna\tRec1\t\tFixation\t150\t4\t650\t301
";

fn run(export: &str) -> Result<Collected, ImportError> {
    let mut found = Collected::default();
    let shape = read(&mut source(export)?, 0, &TobiiOptions::default(), &mut found)?;
    assert_eq!(shape.rows, 8);
    assert_eq!(shape.mapping.get(ColumnRole::Time).unwrap().column, "Recording timestamp [μs]");
    Ok(found)
}

#[test]
fn samples_are_grouped_into_fixations() {
    let found = run(EXPORT).unwrap();
    let seen: Vec<_> =
        found.fixations.iter().map(|(at, f)| (at.row, f.duration_ms, f.gap)).collect();
    assert_eq!(seen, [(2, Some(200.0), false), (6, Some(180.0), false), (8, Some(150.0), true)]);
    let first = &found.fixations[0].1;
    assert_eq!((&*first.reader, &*first.text), ("Anna", "page 1"));
    assert_eq!(first.position, Position::Pixels { x: 512.5, y: 300.0 });
    assert_eq!(first.onset_ms, Some(1.0));
    let dropped: Vec<_> = found.dropped.iter().map(|(at, why)| (at.row, *why)).collect();
    assert_eq!(dropped, [(4, "not_a_fixation"), (9, "no_text")]);
    assert!(found.noted("4 Fixation, 1 Saccade"), "{:?}", found.notes);
    assert!(found.noted("decimals follow a comma"));
}

#[test]
fn a_loss_of_signal_counts_until_a_fixation_comes() {
    let saccade = "42000\tAnna\tRec1\tpage 1\tSaccade\t30\t2\t\t\n49000";
    let between = EXPORT.replace("49000", saccade);
    let between = between.replace("17000\tAnna\tRec1\tpage 1\t\t\t\t\t\n", "");
    assert_eq!(run(&between).unwrap().gaps(), [false, false, true]);
    let other = between.replace("49000\tAnna\tRec1", "49000\tAnna\tRec2");
    assert_eq!(run(&other).unwrap().gaps(), [false, false, false]);
}

#[test]
fn kinematics_are_measured_where_the_gaze_and_the_screen_are_known() {
    let header = "Recording timestamp [ms]\tParticipant name\tRecording name\tPresented Stimulus name\t\
                  Eye movement type\tGaze event duration [ms]\tEye movement type index\t\
                  Fixation point X [DACS px]\tFixation point Y [DACS px]\tGaze point X [DACS px]\t\
                  Gaze point Y [DACS px]\n";
    let mut export = header.to_owned();
    for i in 0..150 {
        let time = 2 * i;
        let (kind, index, fixated) = match i {
            0..70 => ("Fixation", 1, "500"),
            70..85 => ("Saccade", 1, ""),
            _ => ("Fixation", 2, "600"),
        };
        let x = 500.0 + 100.0 * (f64::from(i - 70) / 15.0).clamp(0.0, 1.0);
        let y = if fixated.is_empty() { "" } else { "300" };
        export +=
            &format!("{time}\tAnna\tRec1\tp\t{kind}\t140\t{index}\t{fixated}\t{y}\t{x:.2}\t300\n");
    }
    let read = |scale: Option<Scale>| {
        let mut found = Collected::default();
        let options = TobiiOptions { scale, ..TobiiOptions::default() };
        super::read(&mut source(&export).unwrap(), 0, &options, &mut found).unwrap();
        found
    };
    let found = read(Scale::pixels_per_degree(40.0, 40.0).ok());
    assert_eq!(found.fixations.len(), 2);
    let fixation = &found.fixations[1].1;
    assert!((fixation.kinematics.dx.unwrap() - 2.5).abs() < 0.1, "{fixation:?}");
    assert!(fixation.kinematics.peak_velocity.is_some_and(|peak| peak > 60.0), "{fixation:?}");
    assert_eq!(fixation.place, Some([15.0, 7.5]));
    let found = read(None);
    assert_eq!(found.fixations.len(), 2);
    assert!(found.fixations.iter().all(|(_, f)| f.kinematics.is_empty()));
    assert!(found.noted("kinematics are not measured"), "{:?}", found.notes);
}

#[test]
fn missing_columns_are_named() {
    let error = run(&EXPORT.replace("Gaze event duration", "Length")).unwrap_err().to_string();
    assert!(error.contains("no column for duration"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn no_input_panics(input in mutated(&[EXPORT])) {
        let mut found = Collected::default();
        let options = TobiiOptions::default();
        let result =
            source(&input).and_then(|mut input| read(&mut input, 0, &options, &mut found));
        if let Err(error) = result {
            prop_assert!(error.at().unwrap().row > 0);
        }
        prop_assert!(found.dropped.iter().all(|(at, _)| at.row > 0));
    }
}
