//! Both methods against values computed elsewhere, and on samples whose fixations are known.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

/// Reads a fixture of scripts/references/fixation_detection.py.
fn fixture(name: &str) -> Vec<csv::StringRecord> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    csv::Reader::from_path(path).unwrap().records().map(Result::unwrap).collect()
}

fn number(record: &csv::StringRecord, i: usize) -> f64 {
    if record[i].is_empty() { f64::NAN } else { record[i].parse().unwrap() }
}

/// The intervals and samples of each case.
fn cases() -> BTreeMap<String, (f64, Vec<Sample>)> {
    let mut cases: BTreeMap<String, (f64, Vec<Sample>)> = BTreeMap::new();
    for (row, record) in fixture("detection_samples.csv").iter().enumerate() {
        let case =
            cases.entry(record[0].to_owned()).or_insert_with(|| (number(record, 1), Vec::new()));
        case.1.push(Sample {
            time_ms: number(record, 2),
            x: number(record, 3),
            y: number(record, 4),
            row: row as u64 + 2,
        });
    }
    cases
}

fn agrees_with_reference(name: &str, detector: Detector) {
    let expected = fixture("detection_fixations.csv");
    for (case, (interval, samples)) in cases() {
        let found = detector.detect(&samples, interval, Some(&Scale::DEGREES)).unwrap();
        let expected: Vec<_> =
            expected.iter().filter(|row| row[0] == case && &row[1] == name).collect();
        assert_eq!(found.fixations.len(), expected.len(), "{case}");
        for (found, expected) in found.fixations.iter().zip(expected) {
            assert_eq!(found.onset_ms, number(expected, 2), "{case}");
            assert_eq!(found.duration_ms, number(expected, 3), "{case}");
            assert!((found.x - number(expected, 4)).abs() < 1e-9, "{case}: {found:?}");
            assert!((found.y - number(expected, 5)).abs() < 1e-9, "{case}: {found:?}");
            assert_eq!(found.gap, &expected[6] == "1", "{case}: {found:?}");
        }
    }
}

#[test]
fn engbert_kliegl_agrees_with_numpy() {
    agrees_with_reference("engbert-kliegl", Detector::default());
}

#[test]
fn ivt_agrees_with_numpy() {
    agrees_with_reference("ivt", Detector::Ivt(Ivt::default()));
}

/// Rests of 200 ms at 0, 3, 2 and 7 degrees, with straight saccades of 30 ms between them and a
/// tremor without chance in it.
fn staircase(interval: f64) -> Vec<Sample> {
    let stops = [0.0, 3.0, 2.0, 7.0];
    let count = (4.0 * 230.0 / interval) as usize;
    (0..count)
        .map(|i| {
            let time_ms = i as f64 * interval;
            let stop = (time_ms / 230.0) as usize;
            let moved = ((time_ms - stop as f64 * 230.0 - 200.0) / 30.0).max(0.0);
            let next = stops.get(stop + 1).copied().unwrap_or(stops[stop]);
            let tremor = |phase: f64| 0.002 * ((i as f64 + phase).sin() * 43_758.5).fract();
            let x = stops[stop] + moved * (next - stops[stop]) + tremor(0.0);
            Sample { time_ms, x, y: tremor(0.5), row: i as u64 + 1 }
        })
        .collect()
}

fn both() -> [Detector; 2] {
    [Detector::default(), Detector::Ivt(Ivt::default())]
}

#[test]
fn known_fixations_come_back_at_every_rate() {
    for interval in [4.0, 2.0, 1.0, 0.5] {
        for detector in both() {
            let samples = staircase(interval);
            let found = detector.detect(&samples, interval, Some(&Scale::DEGREES)).unwrap();
            let context = format!("{} at {interval} ms: {found:?}", detector.describe());
            assert_eq!(found.fixations.len(), 4, "{context}");
            for (i, fixation) in found.fixations.iter().enumerate() {
                assert!((fixation.onset_ms - 230.0 * i as f64).abs() <= 12.0, "{context}");
                assert!((fixation.x - [0.0, 3.0, 2.0, 7.0][i]).abs() < 0.15, "{context}");
                let length = if i == 3 { 230.0 } else { 200.0 };
                assert!((fixation.duration_ms - length).abs() <= 24.0, "{context}");
                assert!(!fixation.gap);
            }
        }
    }
}

#[test]
fn a_missing_sample_ends_a_fixation_and_marks_the_next() {
    for detector in both() {
        let mut samples = staircase(1.0);
        samples[100].x = f64::NAN;
        let found = detector.detect(&samples, 1.0, Some(&Scale::DEGREES)).unwrap();
        let gaps: Vec<bool> = found.fixations.iter().map(|fixation| fixation.gap).collect();
        assert_eq!(gaps, [false, true, false, false, false]);
        assert_eq!(found.fixations[0].duration_ms, 100.0);
        assert_eq!(found.fixations[1].onset_ms, 101.0);
    }
}

#[test]
fn a_row_left_out_is_a_missing_sample() {
    for detector in both() {
        let mut samples = staircase(1.0);
        samples.remove(100);
        let found = detector.detect(&samples, 1.0, Some(&Scale::DEGREES)).unwrap();
        assert!(found.fixations[1].gap);
        assert_eq!(found.fixations.len(), 5);
    }
}

#[test]
fn what_is_too_short_is_told() {
    for detector in both() {
        let samples = &staircase(1.0)[..40];
        let found = detector.detect(samples, 1.0, Some(&Scale::DEGREES)).unwrap();
        assert_eq!((found.fixations.len(), found.short.len()), (0, 1));
        assert_eq!(found.short[0].duration_ms, 40.0);
    }
}

#[test]
fn a_threshold_in_degrees_refuses_pixels_of_an_unknown_screen() {
    let ivt = Detector::Ivt(Ivt::default());
    assert_eq!(ivt.detect(&staircase(1.0), 1.0, None), Err(DetectError::NoScale));
    assert!(Detector::default().detect(&staircase(1.0), 1.0, None).is_ok());
}

#[test]
fn pixels_with_a_scale_give_what_degrees_give() {
    let ivt = Detector::Ivt(Ivt::default());
    let degrees = staircase(2.0);
    let pixels: Vec<Sample> =
        degrees.iter().map(|s| Sample { x: s.x * 32.0, y: s.y * 32.0, ..*s }).collect();
    let scale = Scale::pixels_per_degree(32.0, 32.0).unwrap();
    let a = ivt.detect(&degrees, 2.0, Some(&Scale::DEGREES)).unwrap();
    let b = ivt.detect(&pixels, 2.0, Some(&scale)).unwrap();
    let times = |found: &Detection| -> Vec<(f64, f64)> {
        found.fixations.iter().map(|f| (f.onset_ms, f.duration_ms)).collect()
    };
    assert_eq!(times(&a), times(&b));
}

#[test]
fn a_signal_that_stands_still_is_one_fixation() {
    let samples: Vec<Sample> =
        (0..200).map(|i| Sample { time_ms: f64::from(i), x: 5.0, y: 5.0, row: 1 }).collect();
    for detector in both() {
        let found = detector.detect(&samples, 1.0, Some(&Scale::DEGREES)).unwrap();
        assert_eq!(found.fixations.len(), 1);
        assert_eq!(found.fixations[0].duration_ms, 200.0);
    }
}

#[test]
fn nothing_in_nothing_out() {
    let lost = Sample { time_ms: 0.0, x: f64::NAN, y: 1.0, row: 1 };
    let alone = Sample { x: 1.0, ..lost };
    for detector in both() {
        for samples in [&[][..], &[lost][..], &[lost, lost][..], &[alone][..]] {
            let found = detector.detect(samples, 1.0, Some(&Scale::DEGREES)).unwrap();
            assert!(found.fixations.is_empty());
        }
    }
}

#[test]
fn parameters_are_checked() {
    let ivt = IvtParams::default();
    assert!(ivt.check().is_ok());
    assert!(IvtParams { threshold_deg_per_s: 0.0, ..ivt }.check().is_err());
    assert!(IvtParams { window_ms: f64::NAN, ..ivt }.check().is_err());
    assert!(IvtParams { merge_within_ms: -1.0, ..ivt }.check().is_err());
    let engbert = EngbertKlieglParams::default();
    assert!(engbert.check().is_ok());
    assert!(EngbertKlieglParams { lambda: -6.0, ..engbert }.check().is_err());
    assert!(EngbertKlieglParams { min_fixation_ms: f64::INFINITY, ..engbert }.check().is_err());
    assert!(Detector::default().detect(&[], 0.0, None).is_err());
}

#[test]
fn the_interval_is_the_median_step() {
    let mut samples = staircase(2.0);
    samples.drain(10..60);
    assert_eq!(infer_interval(&samples), Some(2.0));
    assert_eq!(infer_interval(&samples[..1]), None);
}
