//! Small tables, each with one trap.

use proptest::prelude::*;

use super::super::detect::{Detector, Ivt};
use super::super::testing::{Collected, mutated};
use super::*;

fn read_with(text: &str, options: &SamplesOptions) -> Result<Collected, ImportError> {
    let mut kept = Collected::default();
    read(&mut text.as_bytes(), 0, options, &mut kept)?;
    Ok(kept)
}

fn options() -> SamplesOptions {
    SamplesOptions::new("anna")
}

fn asked(change: impl FnOnce(&mut GazeOptions)) -> SamplesOptions {
    let mut options = options();
    change(&mut options.gaze);
    options
}

fn chosen(choice: &str) -> SamplesOptions {
    SamplesOptions { choices: vec![Choice::parse(choice).unwrap()], ..options() }
}

fn row(error: &ImportError) -> u64 {
    error.at().map_or(0, |at| at.row)
}

/// Two rests of 200 ms, 180 ms and a saccade of 20 ms between them, at x and x + step.
fn rests(interval: f64, x: f64, step: f64) -> impl Iterator<Item = (f64, f64, f64)> {
    (0..(400.0 / interval) as usize).map(move |i| {
        let time = i as f64 * interval;
        let tremor = |phase: f64| 0.002 * step * ((i as f64 + phase).sin() * 43_758.5).fract();
        let at = x + step * ((time - 200.0) / 20.0).clamp(0.0, 1.0) + tremor(0.0);
        (time, at, x + tremor(0.5))
    })
}

fn pixels(header: &str, row: impl Fn(f64, f64, f64) -> String) -> String {
    let rows: String =
        rests(1.0, 300.0, 120.0).map(|(time, x, y)| row(time, x, y) + "\n").collect();
    format!("{header}\n{rows}")
}

fn plain() -> String {
    pixels("time,x_pix,y_pix", |time, x, y| format!("{time},{x:.3},{y:.3}"))
}

#[test]
fn columns_of_pymovements_are_read() {
    let tables = [
        plain(),
        pixels("time,pixel", |time, x, y| format!("{time},\"[{x:.3}, {y:.3}]\"")),
        pixels("time\tpixel_x\tpixel_y", |time, x, y| format!("{time}\t{x:.3}\t{y:.3}")),
        pixels("y_pix;x_pix;time", |time, x, y| format!("{y:.3};{x:.3};{time}\r")),
    ];
    let expected = read_with(&tables[0], &options()).unwrap();
    assert_eq!(expected.fixations.len(), 2);
    assert_eq!(expected.fixations[0].0.row, 2);
    let fixation = &expected.fixations[0].1;
    assert_eq!((fixation.reader.as_ref(), fixation.text.as_ref()), ("anna", "1"));
    assert!((fixation.duration_ms.unwrap() - 200.0).abs() <= 5.0);
    for table in &tables[1..] {
        let kept = read_with(table, &options()).unwrap();
        assert_eq!(kept.fixations, expected.fixations);
        assert!(kept.dropped.is_empty(), "{:?}", kept.dropped);
    }
}

#[test]
fn columns_of_gazebase_are_read() {
    let rows: String = rests(1.0, -5.0, 4.0)
        .map(|(time, x, y)| {
            let lost = (300.0..350.0).contains(&time);
            let (x, val) = if lost { ("NaN".to_owned(), 4) } else { (format!("{x:.4}"), 0) };
            format!("{},{x},{y:.4},{val},NaN,NaN,2001,1\n", time + 1.0)
        })
        .collect();
    let text = format!("n,x,y,val,xT,yT,dP,lab\n{rows}");
    let kept = read_with(&text, &SamplesOptions::new("S_1023_S2_TEX")).unwrap();
    // The rest of 50 ms after the loss is too short.
    assert_eq!((kept.gaps(), kept.rows(TOO_SHORT).len()), (vec![false, false], 1));
    let fixation = &kept.fixations[0].1;
    assert_eq!((fixation.reader.as_ref(), fixation.text.as_ref()), ("023", "TEX"));
    assert_eq!(fixation.session.as_deref(), Some("1-2"));
    let Position::Pixels { x, y } = fixation.position else { panic!("{fixation:?}") };
    // 840 + tan(-5 degrees) 550 1680 / 474, and 525 + tan(-5 degrees) 550 1050 / 297.
    assert!((x - 669.45).abs() < 0.2 && (y - 354.88).abs() < 0.2, "{x} {y}");
    assert!(kept.noted("as published for GazeBase"));
    assert!(kept.noted("50 samples are missing by their validity"));
    let up = SamplesOptions { stem: "other name".into(), ..asked(|gaze| gaze.y_up = true) };
    let kept = read_with(&text, &up).unwrap();
    let Position::Pixels { y, .. } = kept.fixations[0].1.position else { panic!() };
    assert!((y - 695.12).abs() < 0.2, "{y}");
    assert_eq!(kept.fixations[0].1.reader.as_ref(), "other name");
}

/// Rows of BioEye 2015 at 250 Hz: three rests and a loss.
fn bioeye() -> String {
    let mut text = "SAMPLE\t X DEGREE\t Y DEGREE\t VALIDITY\t X STIMULUS\t Y STIMULUS\n".to_owned();
    for i in 0..250 {
        let tremor = 0.01 * ((f64::from(i)).sin() * 43_758.5).fract();
        let done = |start: i32| (f64::from(i - start) / 8.0).clamp(0.0, 1.0);
        let x = -5.0 + 3.0 * done(80) + 2.0 * done(160) + tremor;
        let valid = u8::from(!(200..210).contains(&i));
        text += &format!("{i}   {x:8.4}    {:.4}  {valid}    0.0000    0.0000\n", 1.0 + tremor);
    }
    text
}

#[test]
fn counted_samples_need_their_rate() {
    let error = read_with(&bioeye(), &options()).unwrap_err();
    assert_eq!(row(&error), 1);
    let message = error.to_string();
    assert!(message.contains("SAMPLE") && message.contains("`rate_hz`"), "{message}");
    let kept = read_with(&bioeye(), &asked(|gaze| gaze.rate_hz = Some(250.0))).unwrap();
    assert_eq!(kept.gaps(), [false, false, false, true]);
    assert!(kept.noted("come at 250 Hz, as given"), "{:?}", kept.notes);
    assert!(kept.noted("good where VALIDITY is 1: as published for BioEye 2015"));
    assert!(kept.noted("separated by blanks"));
    let fixation = &kept.fixations[1].1;
    assert_eq!(fixation.position, Position::Missing, "no screen is known");
    let place = fixation.place.unwrap();
    assert!((place[0] + 2.0).abs() < 0.1 && (place[1] - 1.0).abs() < 0.1, "{place:?}");
    let kinematics = fixation.kinematics;
    assert!((kinematics.dx.unwrap() - 3.0).abs() < 0.2, "{kinematics:?}");
    assert!(kinematics.peak_velocity.unwrap() > 60.0 && kinematics.sd_x.is_some());
    assert_eq!(kept.fixations[3].1.kinematics.dx, None, "after a loss");
    for rate in [0.0, -250.0, f64::NAN, 1e9] {
        let error = read_with(&bioeye(), &asked(|gaze| gaze.rate_hz = Some(rate))).unwrap_err();
        assert!(error.to_string().contains("10 to 5000 Hz"), "{error}");
    }
}

#[test]
fn the_other_mark_of_validity_leaves_almost_nothing_and_is_told() {
    let wrong = asked(|gaze| (gaze.rate_hz, gaze.valid) = (Some(250.0), Some(0.0)));
    let kept = read_with(&bioeye(), &wrong).unwrap();
    assert!(kept.fixations.is_empty());
    assert!(kept.noted("240 of 250 samples are missing, more than half"), "{:?}", kept.notes);
    assert!(kept.noted("is 0: as given"));
}

#[test]
fn words_need_pixels() {
    let options = SamplesOptions { has_words: true, ..asked(|g| g.rate_hz = Some(250.0)) };
    let error = read_with(&bioeye(), &options).unwrap_err().to_string();
    assert!(error.contains("positions in degrees"), "{error}");
}

#[test]
fn a_rate_that_contradicts_times_is_refused() {
    let error = read_with(&plain(), &asked(|gaze| gaze.rate_hz = Some(250.0))).unwrap_err();
    assert!(error.to_string().contains("samples every 1 ms"), "{error}");
    assert!(read_with(&plain(), &asked(|gaze| gaze.rate_hz = Some(1000.0))).is_ok());
    // Without any times, rows count.
    let untimed = plain().replace("time,", "clock,");
    assert!(read_with(&untimed, &options()).is_err());
    let kept = read_with(&untimed, &asked(|gaze| gaze.rate_hz = Some(1000.0))).unwrap();
    assert_eq!(kept.fixations.len(), 2);
}

#[test]
fn pixels_named_degrees_are_told_and_not_believed() {
    let text = bioeye().replace("   -", "   9");
    let text = text.replace("    1.0", "    900.0").replace("    0.9", "    900.9");
    let kept = read_with(&text, &asked(|gaze| gaze.rate_hz = Some(250.0))).unwrap();
    assert!(kept.fixations.iter().all(|(_, f)| f.place.is_none() && f.kinematics.is_empty()));
    assert!(kept.noted("not believed") && kept.noted("not in pixels?"), "{:?}", kept.notes);
}

#[test]
fn slow_samples_tell_no_velocities() {
    let rows: String = rests(1000.0 / 60.0, -5.0, 4.0)
        .map(|(time, x, y)| format!("{time},{x:.4},{y:.4}\n"))
        .collect();
    let kept = read_with(&format!("time_ms,x_deg,y_deg\n{rows}"), &options()).unwrap();
    assert!(kept.fixations.iter().all(|(_, f)| f.kinematics.peak_velocity.is_none()));
    assert!(kept.fixations.iter().any(|(_, f)| f.kinematics.sd_x.is_some()));
    assert!(kept.noted("samples at less than 200 Hz do not tell them"), "{:?}", kept.notes);
}

#[test]
fn names_of_gazebase_files_are_read_as_far_as_they_are() {
    assert!(gazebase_name("S_1001_S1_TEX").is_some());
    for stem in
        ["S_1_S1_TEX", "S_1001_1_TEX", "S_1001_S1", "S_1001_S1_", "T_1001_S1_TEX", "S_é1_S1_x"]
    {
        assert_eq!(gazebase_name(stem), None, "{stem}");
    }
}

#[test]
fn readers_and_trials_come_from_columns() {
    let rows = |reader: &str, trial: u32| -> String {
        rests(1.0, 300.0, 120.0)
            .map(|(time, x, y)| format!("{reader},{trial},{time},{x:.2},{y:.2}\n"))
            .collect()
    };
    let header = "subject_id,trial_id,time,x_px,y_px\n";
    let text = header.to_owned() + &rows("a", 1) + &rows("a", 2) + &rows("b", 1);
    let kept = read_with(&text, &options()).unwrap();
    let names: Vec<_> =
        kept.fixations.iter().map(|(_, f)| format!("{}{}", f.reader, f.text)).collect();
    assert_eq!(names, ["a1", "a1", "a2", "a2", "b1", "b1"]);
    assert!(!kept.noted("goes on after others"));
    let text = header.to_owned() + &rows("a", 1) + &rows("a", 2) + &rows("a", 1);
    assert!(read_with(&text, &options()).unwrap().noted("1 times a trial goes on after others"));
}

#[test]
fn a_clock_that_restarts_begins_a_trial() {
    let rows: String =
        rests(1.0, 300.0, 120.0).map(|(time, x, y)| format!("{time},{x:.3},{y:.3}\n")).collect();
    let kept = read_with(&format!("time,x_pix,y_pix\n{rows}{rows}{rows}"), &options()).unwrap();
    let trials: Vec<_> = kept.fixations.iter().map(|(_, f)| f.trial.as_deref()).collect();
    assert_eq!(trials, [None, None, Some("2"), Some("2"), Some("3"), Some("3")]);
    assert!(kept.dropped.is_empty(), "{:?}", kept.dropped);
    assert!(kept.noted("the clock restarts 2 times"), "{:?}", kept.notes);
    let durations = kept.durations();
    assert_eq!(durations[..2], durations[2..4]);
    // With a column for trials, rows of one trial that fall back are out of order.
    let of_trial: String = rows.lines().map(|row| format!("{row},a,1\n")).collect();
    let text = format!("time,x_pix,y_pix,text_id,trial_id\n{of_trial}{of_trial}");
    assert_eq!(read_with(&text, &options()).unwrap().rows(TIME_ORDER).len(), 400);
}

#[test]
fn a_row_out_of_order_is_no_restart() {
    let text = plain().replacen("\n100,", "\n50,1,1\n100,", 1);
    let kept = read_with(&text, &options()).unwrap();
    assert_eq!(kept.rows(TIME_ORDER), [102]);
    assert!(!kept.noted("restarts"));
}

#[test]
fn times_may_be_seconds_or_microseconds() {
    let expected = read_with(&plain(), &options()).unwrap();
    for (factor, unit) in [(0.001, "seconds"), (1000.0, "microseconds")] {
        let text =
            pixels("time,x_pix,y_pix", |time, x, y| format!("{},{x:.3},{y:.3}", time * factor));
        let kept = read_with(&text, &options()).unwrap();
        assert!(kept.noted(&format!("times are in {unit}")), "{:?}", kept.notes);
        for (a, b) in kept.durations().iter().zip(expected.durations()) {
            assert!((a - b).abs() < 1e-6);
        }
    }
    let text = pixels("time,x_pix,y_pix", |time, x, y| format!("{},{x:.3},{y:.3}", time * 150.0));
    let error = read_with(&text, &options()).unwrap_err();
    assert!(error.to_string().contains("say which unit"), "{error}");
    assert!(read_with(&text, &chosen("time_us=time")).is_ok());
}

#[test]
fn decimals_may_follow_a_comma() {
    let expected = read_with(&plain(), &options()).unwrap();
    let text = plain().replace(',', ";").replace('.', ",");
    let kept = read_with(&text, &options()).unwrap();
    assert_eq!(kept.fixations, expected.fixations);
    assert!(kept.noted("decimals follow a comma"));
}

#[test]
fn files_of_one_reader_are_texts() {
    let kept = read_with(&plain(), &asked(|gaze| gaze.reader = Some("berta".into()))).unwrap();
    let fixation = &kept.fixations[0].1;
    assert_eq!((fixation.reader.as_ref(), fixation.text.as_ref()), ("berta", "anna"));
}

#[test]
fn a_unit_that_no_column_tells_must_be_given() {
    let text = plain().replace("x_pix,y_pix", "x,y");
    let error = read_with(&text, &options()).unwrap_err();
    assert!(error.to_string().contains("pixels or degrees"), "{error}");
    assert_eq!(read_with(&text, &chosen("x_px=x")).unwrap().fixations.len(), 2);
    assert!(read_with(&text, &chosen("x_deg=x")).is_ok());
    let on_words = SamplesOptions { has_words: true, ..chosen("x_deg=x") };
    let error = read_with(&text, &on_words).unwrap_err();
    assert!(error.to_string().contains("size and distance"), "{error}");
    assert!(error.to_string().contains("`px_per_degree`"), "{error}");
}

#[test]
fn a_threshold_in_degrees_needs_a_scale_for_pixels() {
    let mut ivt = asked(|gaze| gaze.detector = Detector::Ivt(Ivt::default()));
    let error = read_with(&plain(), &ivt).unwrap_err();
    assert!(error.to_string().contains("Engbert-Kliegl"), "{error}");
    assert!(error.to_string().contains("`px_per_degree`"), "{error}");
    assert_eq!(row(&error), 2);
    ivt.gaze.scale = Scale::pixels_per_degree(30.0, 30.0).ok();
    let kept = read_with(&plain(), &ivt).unwrap();
    assert_eq!(kept.fixations.len(), 2);
}

#[test]
fn what_cannot_be_read_is_counted_with_its_row() {
    let mut text = plain();
    text.push_str("400,1\n401,a,2\n3,1,2\n\n402,\"1,2\n");
    let kept = read_with(&text, &options()).unwrap();
    assert_eq!(kept.rows(Reason::RAGGED), [402]);
    assert_eq!(kept.rows(Reason::NOT_A_NUMBER), [403, 406]);
    assert_eq!(kept.rows(TIME_ORDER), [404]);
}

#[test]
fn empty_tables_are_refused() {
    for text in ["", "\n\n", "time,x_pix,y_pix\n", "nothing\n"] {
        let error = read_with(text, &options()).unwrap_err();
        assert!(error.at().is_some(), "{text:?}");
    }
}

fn seeds() -> [String; 3] {
    let headers = ["time,x_pix,y_pix", "n,x,y,val,dP,lab", "subject_id,time,pixel"];
    std::array::from_fn(|seed| {
        let rows: String = rests(8.0, 300.0, 20.0)
            .map(|(time, x, y)| match seed {
                0 => format!("{time},{x:.1},{y:.1}\n"),
                1 => format!("{time},{x:.2},{y:.2},0,1,1\n"),
                _ => format!("a,{time},\"[{x:.1},{y:.1}]\"\n"),
            })
            .collect();
        format!("{}\n{rows}", headers[seed])
    })
}

#[test]
fn seeds_are_small_and_taken() {
    for seed in seeds() {
        assert!(seed.len() <= 2048);
        assert!(read_with(&seed, &options()).is_ok());
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
    fn any_change_is_read_or_refused_with_a_row(
        bytes in mutated(&seeds()),
        ivt in any::<bool>(),
    ) {
        let rows = bytes.split(|byte| b"\n\r".contains(byte)).count() as u64;
        let options = asked(|gaze| {
            if ivt {
                gaze.detector = Detector::Ivt(Ivt::default());
                gaze.scale = Scale::pixels_per_degree(30.0, 30.0).ok();
            }
        });
        let mut kept = Collected::default();
        match read(&mut bytes.as_slice(), 0, &options, &mut kept) {
            Ok(shape) => prop_assert!(!kept.notes.is_empty() && shape.rows <= rows),
            Err(ImportError::Empty { at, .. }) => prop_assert!(at.row <= rows),
            Err(error) => prop_assert!((1..=rows).contains(&row(&error)), "{}", error),
        }
        for (place, _) in &kept.dropped {
            prop_assert!((1..=rows).contains(&place.row));
        }
        for (place, fixation) in &kept.fixations {
            prop_assert!((1..=rows).contains(&place.row));
            prop_assert!(fixation.duration_ms.is_some_and(|it| it.is_finite() && it > 0.0));
        }
    }
}
