//! Kinematics of what was found in samples: of the saccade that leads to each fixation, and of the
//! fixation itself.
//!
//! Velocities are first derivatives of a parabola fitted to a window of 28 ms (Savitzky and Golay 1964,
//! Analytical Chemistry 36, 1627-1639), which lowers noise and leaves peaks where they are; those of short
//! saccades come out lower than they were, by about as much at any rate. A saccade
//! is around the fastest sample between two fixations. It lasts as long as the eye is faster than
//! 40 deg/s, and on both sides while it is faster than 15 deg/s and slows down: where two saccades
//! touch, or the eye swings back, that is no part of it.

use std::ops::Range;

use gazeprint::kinematics::Kinematics;

use super::super::recording::Sink;
use super::{Detected, Detection, Sample, Scale, median, segments};

/// The window for velocities.
const WINDOW_MS: f64 = 28.0;
/// Half of it in samples, at most: no tracker is faster than 4000 Hz.
const MOST_HALF: f64 = 56.0;
/// A saccade goes on while the eye is faster.
const FAST: f64 = 40.0;
/// It begins and ends where the eye is slower.
const SLOW: f64 = 15.0;
/// A velocity that rises by less on the way down is noise.
const RIPPLE: f64 = 1.0;
/// A stretch of this length between two saccades is a rest of its own, if too short for a fixation: the
/// second saccade leads to the fixation behind. In a shorter one the eye swings back.
const REST_MS: f64 = 40.0;
/// Samples that a dispersion or a drift needs.
const FEWEST: usize = 5;
/// Above this time between samples, a saccade is a few of them: neither its peak nor its length shows.
pub(in crate::import) const LONGEST_INTERVAL_MS: f64 = 5.0;

/// Saccades whose medians tell whether the unit is right.
const FEWEST_SACCADES: usize = 5;
/// Medians that no reader reaches: amplitude in degrees and peak velocity in degrees per second.
const ABSURD: [f64; 2] = [30.0, 1000.0];
/// No eye looks further, and no recording has more of its samples there.
const FARTHEST_DEG: f64 = 90.0;
const MOST_FAR: f64 = 0.1;

/// Fixations as they were measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Of each: its place in degrees, and its kinematics. Nothing where no scale is known.
    pub fixations: Vec<(Option<[f32; 2]>, Kinematics)>,
    /// Values of saccades that samples are too slow to tell.
    pub too_slow: u64,
    /// Whether the unit cannot be degrees: nothing is then believed.
    pub is_absurd: bool,
}

/// Samples in degrees, with velocities.
struct Trace {
    degrees: Vec<(f64, f64)>,
    /// Degrees per second; NaN where there are too few samples around.
    speed: Vec<f64>,
    segments: Vec<Range<usize>>,
    half: usize,
    interval_ms: f64,
}

impl Measured {
    /// Measures what a detector found. With `y_up`, degrees count upwards, and are turned.
    pub fn of(
        found: &Detection,
        samples: &[Sample],
        interval_ms: f64,
        scale: Option<&Scale>,
        y_up: bool,
    ) -> Self {
        let Some(scale) = scale else {
            let fixations = vec![(None, Kinematics::default()); found.fixations.len()];
            return Self { fixations, ..Self::default() };
        };
        let sign = if y_up { -1.0 } else { 1.0 };
        let in_degrees = |x: f64, y: f64| {
            let (x, y) = scale.degrees(x, y);
            (x, sign * y)
        };
        let degrees = samples.iter().map(|sample| in_degrees(sample.x, sample.y)).collect();
        let trace = Trace::new(degrees, segments(samples, interval_ms), interval_ms);
        let mut measured = Self { is_absurd: trace.is_far(), ..Self::default() };
        for (i, fixation) in found.fixations.iter().enumerate() {
            let before = i.checked_sub(1).map(|before| &found.fixations[before]);
            let from = trace.rest_before(before, fixation, &found.short);
            let mut kinematics = trace.rest(fixation);
            if let Some(saccade) = from.and_then(|from| trace.saccade(from, fixation.samples[0])) {
                saccade.write(&mut kinematics);
            }
            let (x, y) = in_degrees(fixation.x, fixation.y);
            measured.fixations.push((Some([x as f32, y as f32]), kinematics));
        }
        measured.is_absurd |= measured.has_absurd_medians();
        if measured.is_absurd {
            measured.fixations.fill((None, Kinematics::default()));
        } else if interval_ms > LONGEST_INTERVAL_MS + 1e-6 {
            measured.leave_out_slow();
        }
        measured
    }

    fn leave_out_slow(&mut self) {
        for (_, kinematics) in &mut self.fixations {
            let Kinematics { duration, peak_velocity, skew, .. } = kinematics;
            for value in [duration, peak_velocity, skew] {
                self.too_slow += u64::from(value.take().is_some());
            }
        }
    }

    /// Whether typical saccades are beyond what eyes do.
    fn has_absurd_medians(&self) -> bool {
        let all = || self.fixations.iter().map(|(_, kinematics)| kinematics);
        let mut amplitudes: Vec<f64> = all().filter_map(|k| k.amplitude()).map(f64::from).collect();
        let mut peaks: Vec<f64> = all().filter_map(|k| k.peak_velocity).map(f64::from).collect();
        let is_absurd = |values: &mut [f64], limit: f64| {
            values.len() >= FEWEST_SACCADES && median(values).is_some_and(|m| m > limit)
        };
        is_absurd(&mut amplitudes, ABSURD[0]) || is_absurd(&mut peaks, ABSURD[1])
    }
}

/// A saccade, in samples: its first and last, and the fastest.
struct Saccade<'t> {
    trace: &'t Trace,
    first: usize,
    peak: usize,
    last: usize,
}

impl Saccade<'_> {
    fn write(&self, kinematics: &mut Kinematics) {
        let Self { trace, first, peak, last } = *self;
        let [from, to] = [first, last].map(|i| trace.degrees[i]);
        let steps = last - first;
        kinematics.dx = Some((to.0 - from.0) as f32);
        kinematics.dy = Some((to.1 - from.1) as f32);
        kinematics.duration = Some(((steps + 1) as f64 * trace.interval_ms) as f32);
        kinematics.peak_velocity = Some(trace.speed[peak] as f32);
        kinematics.skew = Some(((peak - first) as f64 / steps.max(1) as f64) as f32);
    }
}

impl Trace {
    fn new(degrees: Vec<(f64, f64)>, segments: Vec<Range<usize>>, interval_ms: f64) -> Self {
        let half = ((WINDOW_MS / interval_ms - 1.0) / 2.0 + 1e-9).floor();
        let half = half.clamp(2.0, MOST_HALF) as usize;
        let mut speed = vec![f64::NAN; degrees.len()];
        for segment in &segments {
            for i in segment.clone() {
                // Near the ends, what is left of the window.
                let half = half.min(i - segment.start).min(segment.end - 1 - i);
                let (mut x, mut y, mut squares) = (0.0, 0.0, 0.0);
                for k in 1..=half {
                    let (before, after) = (degrees[i - k], degrees[i + k]);
                    x += k as f64 * (after.0 - before.0);
                    y += k as f64 * (after.1 - before.1);
                    squares += 2.0 * (k * k) as f64;
                }
                if half > 0 {
                    speed[i] = x.hypot(y) / squares * 1000.0 / interval_ms;
                }
            }
        }
        Self { degrees, speed, segments, half, interval_ms }
    }

    /// Whether too many samples are where no eye looks.
    fn is_far(&self) -> bool {
        let all = || self.segments.iter().flat_map(|segment| &self.degrees[segment.clone()]);
        let far = all().filter(|(x, y)| x.abs() > FARTHEST_DEG || y.abs() > FARTHEST_DEG).count();
        far as f64 > MOST_FAR * all().count() as f64
    }

    fn segment(&self, sample: usize) -> Option<&Range<usize>> {
        let after = self.segments.partition_point(|segment| segment.end <= sample);
        self.segments.get(after).filter(|segment| segment.contains(&sample))
    }

    /// Where the eye rested last before a fixation, without a loss between: the sample after it.
    fn rest_before(
        &self,
        before: Option<&Detected>,
        fixation: &Detected,
        short: &[Detected],
    ) -> Option<usize> {
        let to = fixation.samples[0];
        let start = self.segment(to)?.start;
        let before = before.map(|before| before.samples[1]).filter(|end| *end > start);
        let since = before.unwrap_or(start);
        // Both are in the order of time.
        let until = short.partition_point(|short| short.samples[1] <= to);
        let between = short[..until].iter().rev().take_while(|short| short.samples[0] >= since);
        let mut rested = between.filter(|short| short.duration_ms >= REST_MS);
        rested.next().map(|short| short.samples[1]).or(before)
    }

    /// The saccade between the end of a rest and the begin of a fixation, of one segment.
    fn saccade(&self, from: usize, to: usize) -> Option<Saccade<'_>> {
        let segment = self.segment(to)?;
        let faster = |a: &usize, b: &usize| self.speed[*a].total_cmp(&self.speed[*b]);
        let known = |i: &usize| self.speed[*i].is_finite();
        let peak = (from.checked_sub(1)?..=to).filter(known).max_by(faster)?;
        if self.speed[peak] <= SLOW {
            return None;
        }
        let last = self.reach(peak, |i| (i + 1 < segment.end).then_some(i + 1));
        let first = self.reach(peak, |i| (i > segment.start).then(|| i - 1));
        // Close to a loss, velocities are those of an eyelid.
        let is_whole = first >= segment.start + self.half && last + self.half < segment.end;
        is_whole.then_some(Saccade { trace: self, first, peak, last })
    }

    /// How far a saccade goes from its peak, step by step in one direction.
    fn reach(&self, peak: usize, step: impl Fn(usize) -> Option<usize>) -> usize {
        let mut at = peak;
        while let Some(next) = step(at).filter(|&next| self.speed[next] > FAST) {
            at = next;
        }
        let slows = |at: usize, next: usize| {
            self.speed[next] > SLOW && self.speed[next] < self.speed[at] + RIPPLE
        };
        while let Some(next) = step(at).filter(|&next| slows(at, next)) {
            at = next;
        }
        at
    }

    /// Dispersion and drift of a fixation.
    fn rest(&self, fixation: &Detected) -> Kinematics {
        let [first, end] = fixation.samples;
        let Some(segment) = self.segment(first) else { return Kinematics::default() };
        // Without what is close to a loss.
        let first = first.max(segment.start + if segment.start > 0 { self.half } else { 0 });
        let end = end.min(segment.end.saturating_sub(self.half).max(first));
        if end.saturating_sub(first) < FEWEST {
            return Kinematics::default();
        }
        let values = &self.degrees[first..end];
        let [(sd_x, drift_x), (sd_y, drift_y)] = [
            spread(values.iter().map(|v| v.0), self.interval_ms),
            spread(values.iter().map(|v| v.1), self.interval_ms),
        ]
        .map(|(sd, drift)| (Some(sd as f32), Some(drift as f32)));
        Kinematics { sd_x, sd_y, drift_x, drift_y, ..Kinematics::default() }
    }
}

/// The standard deviation, and the slope by least squares, per second.
fn spread(values: impl ExactSizeIterator<Item = f64> + Clone, interval_ms: f64) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let middle = (n - 1.0) / 2.0;
    let (mut squares, mut slope) = (0.0, 0.0);
    for (i, value) in values.enumerate() {
        squares += (value - mean).powi(2);
        slope += (i as f64 - middle) * (value - mean);
    }
    let times = n * (n * n - 1.0) / 12.0;
    ((squares / n).sqrt(), slope / times * 1000.0 / interval_ms)
}

/// What was measured in the trials of a file.
#[derive(Debug, Default)]
pub(in crate::import) struct MeasureTally {
    fixations: u64,
    saccades: u64,
    too_slow: u64,
    absurd: u64,
    without_scale: u64,
}

impl MeasureTally {
    /// Counts a trial.
    pub(in crate::import) fn add(&mut self, measured: &Measured, has_scale: bool) {
        let fixations = measured.fixations.len() as u64;
        let saccades = measured.fixations.iter().filter(|(_, k)| k.dx.is_some()).count();
        self.fixations += fixations;
        self.saccades += saccades as u64;
        self.too_slow += measured.too_slow;
        self.absurd += if measured.is_absurd { fixations } else { 0 };
        self.without_scale += if has_scale { 0 } else { fixations };
    }

    /// Says what was measured and what was not, and why.
    pub(in crate::import) fn note(&self, sink: &mut dyn Sink) {
        if self.fixations == 0 {
            return;
        }
        if self.without_scale > 0 {
            sink.note(
                "kinematics are not measured: they are in degrees, and how pixels relate to these is \
                 not known"
                    .to_owned(),
            );
            return;
        }
        sink.note(format!(
            "kinematics are measured of {} saccades before {} fixations: velocities over {} ms by a \
             Savitzky-Golay filter, saccades down to {SLOW} degrees per second",
            self.saccades,
            self.fixations,
            WINDOW_MS
        ));
        if self.too_slow > 0 {
            sink.note(format!(
                "{} durations, peak velocities and places of peaks of saccades are left out: samples \
                 at less than 200 Hz do not tell them",
                self.too_slow
            ));
        }
        if self.absurd > 0 {
            sink.note(format!(
                "places and kinematics of {} fixations are not believed: the eye would move over more \
                 than {} degrees, or faster than {} degrees per second, as a rule; are positions in \
                 degrees, and not in pixels?",
                self.absurd, ABSURD[0], ABSURD[1]
            ));
        }
    }
}

#[cfg(test)]
mod tests;
