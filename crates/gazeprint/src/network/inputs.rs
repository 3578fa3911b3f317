//! What the network is told of a fixation.

use crate::kinds::Kind as _;
use crate::saccade::{Event, Reading};

/// Numbers that the network is told of a fixation.
pub const INPUTS: usize = 21;
/// The first of them need no words: the duration, and how far the eye came.
const WORDLESS: usize = 3;
/// Characters in a degree of visual angle, about, where words are unknown: what is said of steps is
/// scaled to other readers of the same corpus.
const CHARS_PER_DEGREE: f64 = 3.0;
/// Standardised inputs lie within this.
const FURTHEST: f32 = 4.0;
/// Added to standard deviations, so that what never varies says nothing.
const LEAST_SD: f64 = 1e-3;

/// What the network is told of one fixation.
pub type Input = [f32; INPUTS];

/// What the network is told of a reading: of its fixations on words or, where words are unknown, of
/// all that were seen. What is not known is `None` there.
pub fn inputs(reading: &Reading) -> Vec<[Option<f32>; INPUTS]> {
    match reading.events.is_empty() {
        false => reading.events.iter().map(on_words).collect(),
        true => {
            let motions = reading.motions.iter();
            motions.map(|m| off_words(m.duration, m.kinematics.dx.map(f64::from))).collect()
        }
    }
}

fn stay_and_step(duration: f64, step: f64) -> [f64; WORDLESS] {
    [(duration / 200.0).ln(), step.signum() * step.abs().ln_1p(), (step / 7.0).clamp(-4.0, 4.0)]
}

fn on_words(event: &Event) -> [Option<f32>; INPUTS] {
    let s = &event.situation;
    let length = |i: usize| s.lengths[i].map_or(0.0, |letters| (letters.max(1.0) / 5.0).ln());
    let flag = |is: bool| f64::from(u8::from(is));
    let kind = event.kind.map_or(0, |kind| kind.place() + 1);
    let [stay, step, far] = stay_and_step(event.duration, event.step().unwrap_or(0.0));
    let off_centre = s.landing - 0.5;
    let numbers = [
        stay,
        step,
        far,
        off_centre,
        off_centre * off_centre,
        s.left.min(30.0) / 5.0,
        length(0),
        length(1),
        length(2),
        s.around[0].min(8) as f64 / 4.0,
        s.around[1].min(8) as f64 / 4.0,
        s.place,
        flag(s.new),
        flag(s.lengths[1].is_none()),
        event.line.min(3) as f64 / 3.0,
        event.x.min(60.0) / 30.0,
        flag(kind == 0),
        flag(kind == 1),
        flag(kind == 2),
        flag(kind == 3),
        flag(kind == 4),
    ];
    numbers.map(|number| Some(number as f32))
}

fn off_words(duration: f64, step: Option<f64>) -> [Option<f32>; INPUTS] {
    let known = stay_and_step(duration, step.unwrap_or(0.0) * CHARS_PER_DEGREE);
    let is_known = [true, step.is_some(), step.is_some()];
    std::array::from_fn(|i| (i < WORDLESS && is_known[i]).then(|| known[i] as f32))
}

/// How inputs are standardised: by the readers of a corpus.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Scaling {
    mean: [f32; INPUTS],
    sd: [f32; INPUTS],
}

impl Scaling {
    /// By all fixations of some readings.
    pub fn learn<'a>(readings: impl Iterator<Item = &'a Reading>) -> Self {
        let (mut count, mut sum, mut square) = ([0.0; INPUTS], [0.0; INPUTS], [0.0; INPUTS]);
        for input in readings.flat_map(inputs) {
            for (i, value) in input.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?))) {
                let value = f64::from(value);
                count[i] += 1.0;
                sum[i] += value;
                square[i] += value * value;
            }
        }
        let mean = |i: usize| if count[i] > 0.0 { sum[i] / count[i] } else { 0.0 };
        let variance = |i: usize| {
            if count[i] > 0.0 { (square[i] / count[i] - mean(i).powi(2)).max(0.0) } else { 1.0 }
        };
        Self {
            mean: std::array::from_fn(|i| mean(i) as f32),
            sd: std::array::from_fn(|i| (variance(i).sqrt() + LEAST_SD) as f32),
        }
    }

    /// Whether all of it are numbers, and deviations above nought.
    pub fn is_valid(&self) -> bool {
        let valid = |(mean, sd): (&f32, &f32)| mean.is_finite() && sd.is_finite() && *sd > 0.0;
        self.mean.iter().zip(&self.sd).all(valid)
    }

    /// A reading as the network takes it. What is not known is as for everybody.
    pub fn scaled(&self, reading: &Reading) -> Vec<Input> {
        let scaled = |i: usize, value: Option<f32>| {
            value.map_or(0.0, |v| ((v - self.mean[i]) / self.sd[i]).clamp(-FURTHEST, FURTHEST))
        };
        let inputs = inputs(reading).into_iter();
        inputs.map(|input| std::array::from_fn(|i| scaled(i, input[i]))).collect()
    }
}
