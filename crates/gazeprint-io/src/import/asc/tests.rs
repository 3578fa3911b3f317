//! Small recordings, each with one trap.

use proptest::prelude::*;

use super::super::detect::{Detector, Ivt, IvtParams, TIME_ORDER};
use super::super::testing::{Collected, mutated};
use super::super::trials::TrialPatterns;
use super::*;
use crate::import::EyeChoice;

fn read_with(text: &str, options: &AscOptions) -> Result<Collected, ImportError> {
    let mut kept = Collected::default();
    read(&mut text.as_bytes(), 0, options, &mut kept)?;
    Ok(kept)
}

/// Options with something changed.
fn asked(change: impl FnOnce(&mut GazeOptions)) -> AscOptions {
    let mut options = AscOptions::new("r");
    change(&mut options.gaze);
    options
}

fn row(error: &ImportError) -> u64 {
    error.at().map_or(0, |at| at.row)
}

fn read_all(text: &str) -> Collected {
    read_with(text, &AscOptions::new("anna")).unwrap()
}

/// A block of a monocular recording, with a trial's message in front.
fn block(trial: &str, eye: &str, rate: &str, events: &str) -> String {
    format!(
        "MSG\t999 TRIALID {trial}\n\
         START\t1000 \t{eye}\tSAMPLES\tEVENTS\n\
         PRESCALER\t1\nVPRESCALER\t1\nPUPIL\tAREA\n\
         EVENTS\tGAZE\t{eye}\tRATE\t{rate}\tTRACKING\tCR\tFILTER\t2\n\
         SAMPLES\tGAZE\t{eye}\tRATE\t{rate}\tTRACKING\tCR\tFILTER\t2\tINPUT\n\
         {events}\
         END\t9000 \tSAMPLES\tEVENTS\tRES\t  30.00\t  30.00\n"
    )
}

#[test]
fn a_fixation_lasts_one_sample_more_than_from_first_to_last() {
    for (rate, duration) in
        [("250.00", 204.0), ("500.00", 202.0), ("1000.00", 201.0), ("2000.00", 200.5)]
    {
        let kept = read_all(&block("1", "LEFT", rate, "EFIX L 1100 1300 200 10.0 20.0 800\n"));
        assert_eq!(kept.durations(), [duration], "{rate}");
        assert!(kept.noted("RATE of the lines EVENTS"));
    }
}

#[test]
fn saccades_of_the_tracker_lead_to_fixations() {
    let events = "EFIX L 1100 1300 200 100.0 200.0 800\n\
                  ESACC L 1302 1330 30 100.0 200.0 160.0 200.0 2.00 150\n\
                  EFIX L 1332 1500 170 160.0 200.0 800\n\
                  ESACC L 1502 1530 30 160.0 200.0 160.0 140.0 1.90 140\n\
                  SFIX L 1600\nEFIX L 1600 1700 102 160.0 140.0 800\n";
    let kept = read_all(&block("1", "LEFT", "500.00", events));
    let kinematics: Vec<_> = kept.fixations.iter().map(|(_, f)| f.kinematics).collect();
    assert!(kinematics[0].is_empty() && kinematics[2].is_empty(), "{kinematics:?}");
    assert_eq!((kinematics[1].dx, kinematics[1].dy), (Some(2.0), Some(0.0)));
    assert_eq!((kinematics[1].duration, kinematics[1].peak_velocity), (Some(30.0), Some(150.0)));
    assert!(kept.noted("kinematics of 1 saccades are those of the tracker"), "{:?}", kept.notes);
    // A tracker that slow does not know.
    let kept = read_all(&block("1", "LEFT", "60.00", events));
    let kinematics = kept.fixations[1].1.kinematics;
    assert_eq!((kinematics.dx, kinematics.peak_velocity), (Some(2.0), None));
    assert!(kept.noted("less than 200 Hz"), "{:?}", kept.notes);
}

#[test]
fn times_with_decimals_count() {
    let events = "SFIX L 1100.5\nEFIX L 1100.5\t1300.0\t200\t10.0\t20.0\t800\n";
    let kept = read_all(&block("1", "LEFT", "2000.00", events));
    let (row, fixation) = &kept.fixations[0];
    assert_eq!(row.row, 9);
    assert_eq!(fixation.onset_ms, Some(1100.5));
    assert_eq!(fixation.duration_ms, Some(200.0));
    assert_eq!(fixation.position, Position::Pixels { x: 10.0, y: 20.0 });
    assert_eq!(fixation.reader.as_ref(), "anna");
    assert!(kept.dropped.is_empty());
}

#[test]
fn without_a_rate_the_samples_tell_the_interval() {
    let samples = "1000 10 20 800 ...\n1002 10 20 800 ...\nSFIX L 1000\n1004 10 20 800 ...\n";
    let fixation = "EFIX L 1000 1200 202 10 20 800\n";
    let kept = read_all(&format!("START 1000 LEFT SAMPLES EVENTS\n{samples}{fixation}"));
    assert_eq!(kept.durations(), [202.0]);
    assert!(kept.noted("from the times of samples"));
    let kept = read_all(&format!("START 1000 LEFT EVENTS\n{fixation}"));
    assert_eq!(kept.durations(), [202.0]);
    assert!(kept.noted("from the durations in the lines EFIX"));
    let kept = read_all(&format!("MSG 9 RECCFG CR 500 2 1 L\nSTART 1000 LEFT EVENTS\n{fixation}"));
    assert!(kept.noted("from the message RECCFG"));
}

#[test]
fn times_shared_by_two_samples_are_2000_hz() {
    let samples = "1000 1 2 8\n1000 1 2 8\n1001 1 2 8\n1001 1 2 8\n";
    let text = format!("START 1000 LEFT SAMPLES EVENTS\n{samples}EFIX L 1000 1100 100 1 2 8\n");
    assert_eq!(read_all(&text).durations(), [100.5]);
}

#[test]
fn a_blink_marks_the_next_fixation_of_its_eye() {
    let events = "EFIX L 1100 1300 201 10 20 800\nSSACC L 1301\nSBLINK L 1310\n\
                  EBLINK L 1310\t1400\t91\nESACC L 1301 1420 120 1 2 3 4 5.0 300\n\
                  EFIX L 1421 1600 180 50 20 800\nEFIX L 1650 1700 51 90 20 800\n";
    let kept = read_all(&block("1", "LEFT", "1000.00", events));
    assert_eq!(kept.gaps(), [false, true, false]);
    assert!(kept.noted("blinks: 1 left, 0 right"));
}

#[test]
fn a_blink_at_the_end_of_a_block_is_not_right_before_the_next_one() {
    let text = block("1", "LEFT", "1000.00", "EFIX L 1100 1300 201 1 2 8\nSBLINK L 1310\n")
        + &block("2", "LEFT", "1000.00", "EFIX L 2100 2300 201 1 2 8\n");
    assert_eq!(read_all(&text).gaps(), [false, false]);
}

const BINOCULAR: &str = "EFIX L 1100 1300 201 10 20 800\nEFIX R 1102 1301 200 12 20 800\n\
                         EBLINK R 1310 1400 91\nEFIX L 1350 1500 151 30 20 800\n\
                         EFIX R 1420 1500 81 33 20 800\nEFIX L 1550 1600 51 60 20 800\n";

#[test]
fn of_two_eyes_one_is_taken_and_the_other_counted() {
    let text = block("1", "LEFT\tRIGHT", "1000.00", BINOCULAR);
    let eyes = |eye| {
        let kept = read_with(&text, &asked(|gaze| gaze.eye = eye)).unwrap();
        let taken: Vec<_> = kept.fixations.iter().map(|(_, f)| f.eye).collect();
        (taken, kept.rows(OTHER_EYE).len(), kept.gaps())
    };
    let left = (vec![Some(Eye::Left); 3], 2, vec![false; 3]);
    assert_eq!(eyes(EyeChoice::Best), left);
    assert_eq!(eyes(EyeChoice::Left), left);
    assert_eq!(eyes(EyeChoice::Right), (vec![Some(Eye::Right); 2], 3, vec![false, true]));
}

#[test]
fn an_eye_stays_unless_the_other_has_a_tenth_more() {
    let fixations =
        |eye: &str, count: usize| format!("EFIX {eye} 1100 1300 201 1 2 8\n").repeat(count);
    let both = |left, right| fixations("L", left) + &fixations("R", right);
    let text = block("1", "LEFT\tRIGHT", "1000.00", &both(10, 10))
        + &block("2", "LEFT\tRIGHT", "1000.00", &both(11, 10))
        + &block("3", "LEFT\tRIGHT", "1000.00", &both(14, 10))
        + &block("4", "LEFT\tRIGHT", "1000.00", &both(10, 10));
    let kept = read_all(&text);
    let count = |text: &str, eye| {
        kept.fixations.iter().filter(|(_, f)| &*f.text == text && f.eye == Some(eye)).count()
    };
    assert_eq!(count("1", Eye::Right), 10);
    assert_eq!(count("2", Eye::Left), 11);
    assert_eq!(count("3", Eye::Left), 14);
    assert_eq!(count("4", Eye::Left), 10);
    assert!(kept.noted("left in 3 trials, right in 1, with 1 changes"));
}

#[test]
fn eyes_may_change_in_the_middle_of_a_file() {
    let text = block("1", "LEFT", "500.00", "EFIX L 1100 1300 202 1 2 8\n")
        + &block("2", "RIGHT", "1000.00", "EFIX R 1100 1300 201 1 2 8\n")
        + &block("3", "LEFT\tRIGHT", "250.00", "EFIX L 1100 1300 204 1 2 8\n");
    let kept = read_all(&text);
    assert_eq!(kept.durations(), [202.0, 201.0, 204.0]);
    assert_eq!(kept.texts(), ["1", "2", "3"]);
    assert!(kept.dropped.is_empty());
}

#[test]
fn blocks_need_no_end() {
    let with_end = block("1", "LEFT", "1000.00", "EFIX L 1100 1300 201 1 2 8\n");
    let (without_end, _) = with_end.split_once("END\t").unwrap();
    let kept = read_all(&format!("{without_end}{}", without_end.replace("TRIALID 1", "TRIALID 2")));
    assert_eq!(kept.texts(), ["1", "2"]);
    assert!(kept.noted("2 blocks without END"));
}

#[test]
fn without_messages_blocks_number_the_trials() {
    let block = "START 1000 LEFT EVENTS\nEFIX L 1100 1300 201 1 2 8\nEND 2000 EVENTS RES . .\n";
    let kept = read_all(&block.repeat(2));
    assert_eq!(kept.texts(), ["block-1", "block-2"]);
    assert!(kept.noted("0 named by messages, 2 numbered by block"));
}

#[test]
fn a_block_without_its_own_message_goes_on_with_the_trial() {
    let first = block("7", "LEFT", "1000.00", "EFIX L 1100 1300 201 1 2 8\n");
    let (_, second) = first.split_once('\n').unwrap();
    let kept = read_all(&format!("{first}{second}"));
    assert_eq!(kept.texts(), ["7", "7"]);
    assert_eq!(kept.gaps(), [false, true]);
    assert!(kept.fixations.iter().all(|(_, fixation)| fixation.trial.as_deref() == Some("1")));
}

#[test]
fn variables_after_a_block_name_its_text() {
    let events = "EFIX L 1100 1300 201 1 2 8\n";
    let text = block("1", "LEFT", "1000.00", events)
        + "MSG\t9001 !V TRIAL_VAR item frog\nMSG 9001 !V TRIAL_VAR session day two\n"
        + &block("2", "LEFT", "1000.00", events)
        + "MSG 9001 -3 !V TRIAL_VAR ITEM toad\n";
    let kept = read_all(&text);
    assert_eq!(kept.texts(), ["frog", "toad"]);
    assert_eq!(kept.fixations[0].1.session.as_deref(), Some("day two"));
}

#[test]
fn trials_that_lack_the_name_of_the_others_are_told() {
    let events = "EFIX L 1100 1300 201 1 2 8\n";
    let first = block("1", "LEFT", "1000.00", events) + "MSG\t9001 !V TRIAL_VAR item frog\n";
    let second = block("2", "LEFT", "1000.00", events);
    assert!(read_all(&(first.clone() + &second)).warned("have no TRIAL_VAR item"));
    let named = first + &second + "MSG\t9001 !V TRIAL_VAR item toad\n";
    assert!(read_all(&named).warnings.is_empty());
}

#[test]
fn repeated_readings_of_a_text_are_told_apart() {
    let one = block("a", "LEFT", "1000.00", "EFIX L 1100 1300 201 1 2 8\n");
    let kept = read_all(&one.repeat(2));
    let trials: Vec<_> = kept.fixations.iter().map(|(_, f)| f.trial.as_deref()).collect();
    assert_eq!(trials, [Some("1"), Some("2")]);
}

#[test]
fn a_pattern_of_ones_own_names_trials() {
    let text = "START 1000 LEFT EVENTS\nMSG 1001 page=3;of=frog;day=2\n\
                EFIX L 1100 1300 201 1 2 8\nMSG 1400 page=4;of=frog;day=2\n\
                EFIX L 1500 1600 101 1 2 8\nMSG 1700 TRIALID 99\nEFIX L 1800 1900 101 1 2 8\n";
    let pattern = r"page=(?P<trial>\d+);of=(?P<text>\w+);day=(?P<session>\d)";
    let patterns = TrialPatterns::new(&[pattern]).unwrap();
    let kept = read_with(text, &asked(|gaze| gaze.patterns = patterns)).unwrap();
    let names: Vec<_> = kept
        .fixations
        .iter()
        .map(|(_, f)| (f.text.as_ref(), f.trial.as_deref(), f.session.as_deref()))
        .collect();
    let expected = |trial| ("frog", Some(trial), Some("2"));
    assert_eq!(names, [expected("3"), expected("4"), expected("4")]);
}

#[test]
fn messages_may_come_anywhere() {
    let events = "1000 10 20 800 ...\nMSG 1000 hello\nSFIX L 1001\nMSG\t1002 SYNCTIME 3\n\
                  1001 10 20 800 ...\nBUTTON 1002 5 1\nINPUT\t1003\t127\n\
                  EFIX L 1001 1300 300 1 2 8\n";
    let kept = read_all(&block("1", "LEFT", "1000.00", events));
    assert_eq!(kept.durations(), [300.0]);
    assert!(kept.dropped.is_empty(), "{:?}", kept.dropped);
}

#[test]
fn calibrations_are_no_samples() {
    let calibration = "MSG 10 !CAL\n>>>>>>> CALIBRATION (HV9,P-CR) FOR LEFT: <<<<<<<<<\n\
                       MSG 10 !CAL eye check box: (L,R,T,B)\n\t  -59     5   -46   -17\n\n\
                       MSG 10 !CAL Cal coeff:\n   0.00028  137.26\n   72.7 -6.3\n";
    let recording = block("1", "LEFT", "1000.00", "EFIX L 1100 1300 201 1 2 8\n");
    let kept = read_all(&format!("** DATE: today\n**\n\n{calibration}{recording}"));
    assert!(kept.dropped.is_empty(), "{:?}", kept.dropped);
    let kept = read_all(&format!("{recording}   72.7 -6.3\n"));
    assert_eq!(kept.rows(NOT_UNDERSTOOD), [10]);
}

#[test]
fn a_missing_place_is_no_missing_fixation() {
    let kept = read_all(&block("1", "LEFT", "1000.00", "EFIX L 1100 1300 201 . . .\n"));
    assert_eq!(kept.fixations[0].1.position, Position::Missing);
}

#[test]
fn what_is_not_understood_is_counted_with_its_line() {
    let events =
        "EFIX L 1100\nWHAT is this\nEFIX L 1300 1100 201 1 2 8\nEFIX L 1100 1300 201 1 2 8\n";
    let kept = read_all(&block("1", "LEFT", "1000.00", events));
    assert_eq!(kept.fixations.len(), 1);
    assert_eq!(kept.rows(MALFORMED), [8]);
    assert_eq!(kept.rows(NOT_UNDERSTOOD), [9]);
    assert_eq!(kept.rows(Reason::NEGATIVE_DURATION), [10]);
    assert_eq!(kept.dropped.len(), 3);
}

#[test]
fn href_is_refused_with_its_line() {
    let text = block("1", "LEFT", "1000.00", "").replace("EVENTS\tGAZE", "EVENTS\tHREF");
    let error = read_with(&text, &AscOptions::new("r")).unwrap_err();
    assert_eq!(row(&error), 6);
    assert!(error.to_string().contains("HREF"), "{error}");
    let text = block("1", "LEFT", "1000.00", "1000 -1000 2000 800 ...\n1001 -1000 2000 800 ...\n")
        .replace("SAMPLES\tGAZE", "SAMPLES\tHREF");
    let error = read_with(&text, &AscOptions::new("r")).unwrap_err();
    assert_eq!(row(&error), 7);
}

#[test]
fn a_trial_broken_off_before_its_first_event_does_not_refuse_the_others() {
    let text = block("1", "LEFT", "1000.00", "1000 -1000 2000 800 ...\n1001 -1000 2000 800 ...\n")
        + &block("2", "LEFT", "1000.00", "EFIX L 1100 1300 201 1 2 8\n");
    let kept = read_all(&text.replace("SAMPLES\tGAZE", "SAMPLES\tHREF"));
    assert_eq!(kept.texts(), ["2"]);
    assert_eq!(kept.rows(UNDETECTED), [8]);
}

#[test]
fn another_file_is_refused() {
    let error = read_with("reader,text\nanna,1\n", &AscOptions::new("r")).unwrap_err();
    assert_eq!(row(&error), 2);
    assert!(read_with("", &AscOptions::new("r")).is_err());
}

/// Samples of two rests with a step between them and a loss in the second one.
fn samples(interval: f64, decimals: usize, second_eye: bool) -> String {
    (0..(600.0 / interval) as usize)
        .map(|i| {
            let time = i as f64 * interval;
            let tremor = |phase: f64| 0.3 * ((i as f64 + phase).sin() * 43_758.5).fract();
            let x = 200.0 + 100.0 * ((time - 200.0) / 20.0).clamp(0.0, 1.0) + tremor(0.0);
            let y = 300.0 + tremor(0.5);
            let gaze = match time {
                400.0..450.0 => ".\t.\t0.0".to_owned(),
                _ => format!("{x:.1}\t{y:.1}\t800.0"),
            };
            let at = (1000.0 + time) * 10f64.powi(decimals as i32);
            let at = at.floor() / 10f64.powi(decimals as i32);
            let other = if second_eye { format!("\t{gaze}") } else { String::new() };
            format!("{at:.decimals$}\t{gaze}{other}\t...\n")
        })
        .collect()
}

#[test]
fn samples_without_events_are_left_to_detection() {
    for (interval, rate, decimals) in [
        (4.0, "250.00", 0),
        (2.0, "500.00", 0),
        (1.0, "1000.00", 0),
        (0.5, "2000.00", 1),
        (0.5, "2000.00", 0),
    ] {
        let kept = read_all(&block("1", "RIGHT", rate, &samples(interval, decimals, false)));
        assert_eq!(kept.gaps(), [false, false, true], "{rate}: {:?}", kept.dropped);
        let durations = kept.durations();
        assert!((durations[0] - 200.0).abs() <= 8.0, "{durations:?}");
        assert!((durations[1] - 180.0).abs() <= 8.0, "{durations:?}");
        assert!((durations[2] - 150.0).abs() <= 2.0, "{durations:?}");
        assert!(kept.noted("since the file has no events"));
        assert!(kept.fixations.iter().all(|(_, fixation)| fixation.eye == Some(Eye::Right)));
    }
}

#[test]
fn both_eyes_are_found_in_samples() {
    let text = block("1", "LEFT\tRIGHT", "1000.00", &samples(1.0, 0, true));
    let kept = read_all(&text);
    assert_eq!(kept.fixations.len(), 3);
    assert_eq!(kept.rows(OTHER_EYE).len(), 3);
    let kept = read_with(&text, &asked(|gaze| gaze.eye = EyeChoice::Left)).unwrap();
    assert_eq!((kept.fixations.len(), kept.dropped.len()), (3, 0));
}

#[test]
fn a_threshold_in_degrees_takes_the_resolution_of_the_block() {
    let detector = Detector::Ivt(IvtParams::default().check().unwrap());
    let options = asked(|gaze| gaze.detector = detector);
    let text = block("1", "LEFT", "1000.00", &samples(1.0, 0, false));
    let kept = read_with(&text, &options).unwrap();
    assert_eq!(kept.fixations.len(), 3);
    assert!(kept.noted("30 pixels per degree"));
    let (text, _) = text.split_once("END").unwrap();
    let error = read_with(text, &options).unwrap_err();
    assert!(error.to_string().contains("pixels per degree"), "{error}");
    assert_eq!(row(&error), 8);
}

#[test]
fn events_can_be_set_aside_for_samples() {
    let events = format!("{}EFIX L 1000 1200 201 1 2 8\n", samples(1.0, 0, false));
    let text = block("1", "LEFT", "1000.00", &events);
    assert_eq!(read_all(&text).durations(), [201.0]);
    let options = asked(|gaze| gaze.from_samples = true);
    let kept = read_with(&text, &options).unwrap();
    assert_eq!(kept.fixations.len(), 3);
    assert!(kept.noted("as asked for"));
}

#[test]
fn samples_that_go_back_in_time_are_counted() {
    let text = block(
        "1",
        "LEFT",
        "1000.00",
        "1000 1 2 8\n1001 1 2 8\n990 1 2 8\n1002 1 2 x 8\n1003 a 2 8\n",
    );
    let kept = read_all(&text);
    assert_eq!(kept.rows(TIME_ORDER), [10]);
    assert_eq!(kept.rows(MALFORMED), [12]);
}

fn seeds() -> [String; 4] {
    [
        block("1", "LEFT\tRIGHT", "1000.00", BINOCULAR),
        block("1", "LEFT", "500.00", &samples(20.0, 0, false)),
        block("1", "LEFT\tRIGHT", "2000.00", &samples(20.0, 1, true)),
        block(
            "1",
            "RIGHT",
            "250.00",
            "MSG 10 !CAL\n  1 2\nSBLINK R 1100\nEBLINK R 1100 1200 104\n\
             EFIX R 1300 1400 104 . . .\n",
        ),
    ]
}

#[test]
fn seeds_are_small_and_taken() {
    for seed in seeds() {
        assert!(seed.len() <= 2048);
        assert!(read_with(&seed, &AscOptions::new("r")).is_ok());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(1000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// No panic and no hang, and every refusal says where.
    #[test]
    fn any_change_is_read_or_refused_with_a_line(
        bytes in mutated(&seeds()),
        ivt in any::<bool>(),
        from_samples in any::<bool>(),
    ) {
        let options = asked(|gaze| {
            gaze.from_samples = from_samples;
            if ivt {
                gaze.detector = Detector::Ivt(Ivt::default());
            }
        });
        let mut kept = Collected::default();
        let rows = bytes.split(|byte| b"\n\r".contains(byte)).count() as u64;
        match read(&mut bytes.as_slice(), 0, &options, &mut kept) {
            Ok(shape) => prop_assert!(!kept.notes.is_empty() && shape.rows <= rows),
            Err(error) => {
                prop_assert!((1..=rows).contains(&row(&error)), "{}", error);
                prop_assert!(error.to_string().starts_with("input, row "));
            }
        }
        for (place, _) in &kept.dropped {
            prop_assert!((1..=rows).contains(&place.row));
        }
        for (place, fixation) in &kept.fixations {
            prop_assert!((1..=rows).contains(&place.row));
            prop_assert!(fixation.duration_ms.is_some_and(|it| it.is_finite() && it >= 0.0));
        }
    }
}
