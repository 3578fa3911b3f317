//! The eye tracker: what becomes of a gaze on its way into a table.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::eye::Gaze;
use super::person::normal;
use crate::corpus::{Chars, Fixation, Line, Millis};

/// Sd of the calibration error of one reading, characters. Redrawn for each text, so that no
/// reader can be told by a badly calibrated tracker.
const CALIBRATION_SD: f64 = 0.25;
/// Sd of the noise of one fixation, characters.
const NOISE_SD: f64 = 0.1;
/// Share of fixations after which a fixation off the text is recorded.
const OFF_TEXT: f64 = 0.0025;
/// Share of fixations after which a fixation too short to be one is recorded.
const TOO_SHORT: f64 = 0.0025;
/// How far beside the line fixations off the text lie, characters, from and to.
const BESIDE: (f64, f64) = (1.5, 12.0);
/// Durations of fixations that are none, ms, from and to.
const BLIP: (u32, u32) = (12, 49);
/// Time of a saccade, ms: a constant and an amount for each character.
const SACCADE: (f64, f64) = (20.0, 0.8);

/// Records a reading.
pub(super) fn record(path: &[Gaze], lines: &[Line], rng: &mut ChaCha8Rng) -> Vec<Fixation> {
    let bias = CALIBRATION_SD * normal(rng);
    let mut tape = Tape { fixations: Vec::with_capacity(path.len() + 1), now: 0.0, last: None };
    for gaze in path {
        let line = &lines[gaze.line];
        tape.push(line, gaze.x + bias + NOISE_SD * normal(rng), gaze.duration);
        if rng.random_bool(OFF_TEXT) {
            let aside = rng.random_range(BESIDE.0..BESIDE.1);
            let words = line.words();
            let x = if rng.random_bool(0.5) {
                line.region(0).0 - aside
            } else {
                line.region(words.len() - 1).1 + aside
            };
            tape.push(line, x, gaze.duration);
        }
        if rng.random_bool(TOO_SHORT) {
            let duration = f64::from(rng.random_range(BLIP.0..=BLIP.1));
            tape.push(line, gaze.x + bias + NOISE_SD * normal(rng), duration);
        }
    }
    tape.fixations
}

/// The recording of one reading; time runs from the start of its first fixation.
struct Tape {
    fixations: Vec<Fixation>,
    now: f64,
    last: Option<f64>,
}

impl Tape {
    /// Adds a fixation, after the time that the move to it takes.
    fn push(&mut self, line: &Line, x: f64, duration: f64) {
        let x = (x * 1000.0).round() / 1000.0;
        let duration = duration.round();
        if let Some(last) = self.last {
            self.now += (SACCADE.0 + SACCADE.1 * (x - last).abs()).round();
        }
        self.fixations.push(Fixation {
            line: Some(line.number()),
            x: Some(Chars(x)),
            duration: Some(Millis(duration)),
            onset: Some(Millis(self.now)),
            ..Default::default()
        });
        self.now += duration;
        self.last = Some(x);
    }
}
