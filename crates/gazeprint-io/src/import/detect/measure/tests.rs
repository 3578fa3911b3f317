//! Saccades whose kinematics are known.

use super::super::{Detector, Ivt};
use super::*;

/// Rests of 200 ms with saccades of `step` degrees and 40 ms between them, alternately to the right and
/// up, along the smoothest path: the peak is 1.875 times the mean velocity, in the middle.
fn saccades(rate_hz: f64, step: f64, count: usize) -> Vec<Sample> {
    let interval = 1000.0 / rate_hz;
    let length = (240.0 * (count + 1) as f64 / interval) as usize;
    let path = |part: f64| part.powi(3) * (10.0 - 15.0 * part + 6.0 * part * part);
    (0..length)
        .map(|i| {
            let time_ms = i as f64 * interval;
            let done = |number: usize| {
                let start = 200.0 + 240.0 * number as f64;
                step * path(((time_ms - start) / 40.0).clamp(0.0, 1.0))
            };
            let sum = |remainder| (0..count).filter(|n| n % 2 == remainder).map(done).sum::<f64>();
            Sample { time_ms, x: sum(0) - 5.0, y: -sum(1), row: i as u64 + 2 }
        })
        .collect()
}

fn measured_with(samples: &[Sample], rate_hz: f64, y_up: bool) -> (Detection, Measured) {
    let detector = Detector::Ivt(Ivt::default());
    let interval = 1000.0 / rate_hz;
    let found = detector.detect(samples, interval, Some(&Scale::DEGREES)).unwrap();
    let measured = Measured::of(&found, samples, interval, Some(&Scale::DEGREES), y_up);
    (found, measured)
}

fn measured(samples: &[Sample], rate_hz: f64) -> (Detection, Measured) {
    measured_with(samples, rate_hz, false)
}

#[test]
fn saccades_have_their_amplitude_duration_and_peak() {
    for rate in [2000.0, 1000.0, 500.0, 250.0] {
        let (_, measured) = measured(&saccades(rate, 6.0, 4), rate);
        assert_eq!(measured.fixations.len(), 5, "{rate}");
        assert_eq!(measured.fixations[0].1.dx, None, "nothing is before the first");
        for (i, (_, kinematics)) in measured.fixations[1..].iter().enumerate() {
            let (dx, dy) = (kinematics.dx.unwrap(), kinematics.dy.unwrap());
            let expected = if i % 2 == 0 { (6.0, 0.0) } else { (0.0, -6.0) };
            assert!((dx - expected.0).abs() < 0.2 && (dy - expected.1).abs() < 0.2, "{dx} {dy}");
            let peak = f64::from(kinematics.peak_velocity.unwrap());
            // The window takes a fifth from so short a peak.
            assert!((0.78..0.88).contains(&(peak / (1.875 * 150.0))), "{rate}: {peak}");
            let duration = kinematics.duration.unwrap();
            assert!((32.0..=52.0).contains(&duration), "{rate}: {duration}");
            assert!((kinematics.skew.unwrap() - 0.5).abs() < 0.12, "{rate}: {kinematics:?}");
            let (believed, doubts) = kinematics.believed();
            assert_eq!((believed, doubts.total()), (*kinematics, 0));
        }
    }
}

#[test]
fn degrees_that_count_upwards_are_turned() {
    let samples = saccades(500.0, 6.0, 2);
    let (_, down) = measured(&samples, 500.0);
    let (_, up) = measured_with(&samples, 500.0, true);
    for ((down_at, down), (up_at, up)) in down.fixations.iter().zip(&up.fixations).skip(1) {
        assert_eq!((down.dx, down.dy), (up.dx, up.dy.map(|dy| -dy)));
        assert_eq!(down_at.unwrap()[1], -up_at.unwrap()[1]);
    }
}

#[test]
fn a_slow_tracker_tells_neither_peaks_nor_lengths() {
    let (_, measured) = measured(&saccades(60.0, 6.0, 6), 60.0);
    let with_saccade = measured.fixations.iter().filter(|(_, k)| k.dx.is_some()).count();
    assert!(with_saccade >= 3, "{measured:?}");
    assert!(measured.fixations.iter().all(|(_, k)| k.peak_velocity.or(k.duration).is_none()));
    assert_eq!(measured.too_slow, 3 * with_saccade as u64);
    assert!(!measured.is_absurd);
}

#[test]
fn pixels_taken_for_degrees_are_not_believed() {
    let mut samples = saccades(500.0, 6.0, 8);
    for sample in &mut samples {
        (sample.x, sample.y) = (35.0 * sample.x + 500.0, 35.0 * sample.y + 300.0);
    }
    let (found, measured) = measured(&samples, 500.0);
    assert!(measured.is_absurd && found.fixations.len() > 5);
    assert!(measured.fixations.iter().all(|(place, k)| place.is_none() && k.is_empty()));
}

#[test]
fn saccades_fast_beyond_any_eye_are_not_believed_even_where_places_are_small() {
    let (_, measured) = measured(&saccades(500.0, 40.0, 8), 500.0);
    assert!(measured.is_absurd, "{measured:?}");
}

#[test]
fn without_a_scale_nothing_is_measured() {
    let samples = saccades(500.0, 6.0, 2);
    let (found, _) = measured(&samples, 500.0);
    let nothing = Measured::of(&found, &samples, 2.0, None, false);
    assert_eq!(nothing.fixations.len(), found.fixations.len());
    assert!(nothing.fixations.iter().all(|(place, k)| place.is_none() && k.is_empty()));
}

#[test]
fn a_loss_before_a_fixation_leaves_its_saccade_unknown() {
    let mut samples = saccades(500.0, 6.0, 2);
    for sample in samples.iter_mut().filter(|s| (215.0..225.0).contains(&s.time_ms)) {
        sample.x = f64::NAN;
    }
    let (found, measured) = measured(&samples, 500.0);
    assert!(found.fixations[1].gap);
    let saccades: Vec<bool> = measured.fixations.iter().map(|(_, k)| k.dx.is_some()).collect();
    assert_eq!(saccades, [false, false, true]);
    assert!(measured.fixations[1].1.sd_x.is_some());
}

#[test]
fn dispersion_and_drift_are_those_of_the_rest() {
    // Two degrees per second to the right, and a tremor of 0.1 degrees up and down.
    let samples: Vec<Sample> = (0..250)
        .map(|i| Sample {
            time_ms: 2.0 * f64::from(i),
            x: 0.004 * f64::from(i),
            y: if i % 2 == 0 { 0.1 } else { -0.1 },
            row: 1,
        })
        .collect();
    let fixation = Detected {
        row: 1,
        onset_ms: 0.0,
        duration_ms: 500.0,
        x: 0.5,
        y: 0.0,
        gap: false,
        samples: [0, 250],
    };
    let found = Detection { fixations: vec![fixation], short: Vec::new() };
    let measured = Measured::of(&found, &samples, 2.0, Some(&Scale::DEGREES), false);
    let kinematics = measured.fixations[0].1;
    assert!((kinematics.drift_x.unwrap() - 2.0).abs() < 1e-3, "{kinematics:?}");
    assert!((kinematics.sd_y.unwrap() - 0.1).abs() < 1e-3, "{kinematics:?}");
    assert!(kinematics.drift_y.unwrap().abs() < 0.05, "{kinematics:?}");
}

#[test]
fn no_samples_measure_nothing() {
    let nothing = Detection::default();
    assert_eq!(Measured::of(&nothing, &[], 4.0, Some(&Scale::DEGREES), false), Measured::default());
}
