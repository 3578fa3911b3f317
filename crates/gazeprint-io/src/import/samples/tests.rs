//! Small tables, each with one trap.

use proptest::prelude::*;

use super::super::detect::Ivt;
use super::super::testing::Kept;
use super::*;

fn read_with(text: &str, options: &SamplesOptions) -> Result<Kept, ImportError> {
    let mut kept = Kept::default();
    read(&mut text.as_bytes(), 0, options, &mut kept)?;
    Ok(kept)
}

fn options() -> SamplesOptions {
    SamplesOptions::new("anna")
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
    assert_eq!(expected.fixations[0].0, 2);
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
    let gaps: Vec<bool> = kept.fixations.iter().map(|(_, fixation)| fixation.gap).collect();
    // The rest of 50 ms after the loss is too short.
    assert_eq!((gaps, kept.rows(Reason::TooShort).len()), (vec![false, false], 1));
    let fixation = &kept.fixations[0].1;
    assert_eq!((fixation.reader.as_ref(), fixation.text.as_ref()), ("023", "TEX"));
    assert_eq!(fixation.session.as_deref(), Some("1-2"));
    let Position::Pixels { x, y } = fixation.position else { panic!("{fixation:?}") };
    // 840 + tan(-5 degrees) 550 1680 / 474, and 525 + tan(-5 degrees) 550 1050 / 297.
    assert!((x - 669.45).abs() < 0.2 && (y - 354.88).abs() < 0.2, "{x} {y}");
    assert!(kept.noted("as published for GazeBase"));
    assert!(kept.noted("50 samples are missing by their validity"));
    let up = SamplesOptions { y_up: true, ..SamplesOptions::new("other name") };
    let kept = read_with(&text, &up).unwrap();
    let Position::Pixels { y, .. } = kept.fixations[0].1.position else { panic!() };
    assert!((y - 695.12).abs() < 0.2, "{y}");
    assert_eq!(kept.fixations[0].1.reader.as_ref(), "other name");
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
fn times_may_be_seconds_or_microseconds() {
    let expected = read_with(&plain(), &options()).unwrap();
    for (factor, unit) in [(0.001, "seconds"), (1000.0, "micros")] {
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
    let given = SamplesOptions { time_unit: Some(TimeUnit::Micros), ..options() };
    assert!(read_with(&text, &given).is_ok());
}

#[test]
fn a_unit_that_no_column_tells_must_be_given() {
    let text = plain().replace("x_pix,y_pix", "x,y");
    let error = read_with(&text, &options()).unwrap_err();
    assert!(error.to_string().contains("pixels or degrees"), "{error}");
    let pixels = SamplesOptions { unit: Some(Unit::Pixels), ..options() };
    assert_eq!(read_with(&text, &pixels).unwrap().fixations.len(), 2);
    let degrees = SamplesOptions { unit: Some(Unit::Degrees), ..options() };
    let error = read_with(&text, &degrees).unwrap_err();
    assert!(error.to_string().contains("size and distance"), "{error}");
}

#[test]
fn a_threshold_in_degrees_needs_a_scale_for_pixels() {
    let ivt = SamplesOptions { detector: Detector::Ivt(Ivt::default()), ..options() };
    let error = read_with(&plain(), &ivt).unwrap_err();
    assert!(error.to_string().contains("Engbert-Kliegl"), "{error}");
    assert_eq!(error.place().row, 2);
    let scale = Scale::pixels_per_degree(30.0, 30.0).ok();
    let kept = read_with(&plain(), &SamplesOptions { scale, ..ivt }).unwrap();
    assert_eq!(kept.fixations.len(), 2);
}

#[test]
fn what_cannot_be_read_is_counted_with_its_row() {
    let mut text = plain();
    text.push_str("400,1\n401,a,2\n3,1,2\n\n402,\"1,2\n");
    let kept = read_with(&text, &options()).unwrap();
    assert_eq!(kept.rows(Reason::Malformed), [402, 403, 406]);
    assert_eq!(kept.rows(Reason::TimeOrder), [404]);
}

#[test]
fn empty_tables_are_refused() {
    for text in ["", "\n\n", "time,x_pix,y_pix\n", "nothing\n"] {
        let error = read_with(text, &options()).unwrap_err();
        assert!(error.place().row >= 1, "{text:?}");
    }
}

/// Any byte, and often one that has a meaning.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![any::<u8>(), prop::sample::select(b"\n,\"9".to_vec())]
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
        seed in 0..3usize,
        changes in prop::collection::vec((any::<usize>(), byte(), any::<bool>()), 0..12),
        ivt in any::<bool>(),
    ) {
        let headers = ["time,x_pix,y_pix", "n,x,y,val,dP,lab", "subject_id,time,pixel"];
        let rows: String = rests(8.0, 300.0, 20.0).map(|(time, x, y)| match seed {
            0 => format!("{time},{x:.1},{y:.1}\n"),
            1 => format!("{time},{x:.2},{y:.2},0,1,1\n"),
            _ => format!("a,{time},\"[{x:.1},{y:.1}]\"\n"),
        }).collect();
        let mut bytes = format!("{}\n{rows}", headers[seed]).into_bytes();
        prop_assert!(bytes.len() <= 2048);
        for (at, byte, replaces) in changes {
            let at = at % bytes.len();
            if replaces { bytes[at] = byte } else { bytes.insert(at, byte) }
        }
        let rows = bytes.split(|byte| *byte == b'\n').count() as u64;
        let mut options = options();
        if ivt {
            options.detector = Detector::Ivt(Ivt::default());
            options.scale = Scale::pixels_per_degree(30.0, 30.0).ok();
        }
        let mut kept = Kept::default();
        match read(&mut bytes.as_slice(), 0, &options, &mut kept) {
            Ok(()) => prop_assert!(!kept.notes.is_empty()),
            Err(error) => prop_assert!((1..=rows).contains(&error.place().row), "{}", error),
        }
        for (row, ..) in &kept.dropped {
            prop_assert!((1..=rows).contains(row));
        }
        for (row, fixation) in &kept.fixations {
            prop_assert!((1..=rows).contains(row));
            prop_assert!(fixation.duration_ms.is_some_and(|it| it.is_finite() && it > 0.0));
        }
    }
}
