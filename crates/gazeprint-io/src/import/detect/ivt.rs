//! Fixations by a velocity threshold.
//!
//! Salvucci and Goldberg (2000, Identifying fixations and saccades in eye-tracking protocols, ETRA
//! 2000, 71-78) call it I-VT. Steps and defaults are those of Olsen (2012, The Tobii I-VT fixation
//! filter: algorithm description): the velocity of a sample is the distance between the ends of a
//! window of 20 ms around it, divided by its length; samples below 30 degrees per second belong to
//! fixations; neighbours less than 75 ms and at most 0.5 degrees apart are merged; what is then
//! shorter than 60 ms is discarded. Lost samples are not interpolated, and nothing is merged across
//! them. Near the ends of a stretch of samples the window is what is left of it.

use super::{
    DetectError, Detection, Sample, Scale, Sorter, Stretch, not_negative, positive, runs, segments,
};

/// Parameters of I-VT, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IvtParams {
    /// Samples below it belong to fixations; 30.
    pub threshold_deg_per_s: f64,
    /// Length of the window for velocities; 20.
    pub window_ms: f64,
    /// Fixations less than this apart in time may be merged; 75, and 0 merges none.
    pub merge_within_ms: f64,
    /// Fixations at most this far from each other may be merged; 0.5.
    pub merge_within_deg: f64,
    /// What is shorter is no fixation; 60.
    pub min_fixation_ms: f64,
}

impl Default for IvtParams {
    fn default() -> Self {
        Self {
            threshold_deg_per_s: 30.0,
            window_ms: 20.0,
            merge_within_ms: 75.0,
            merge_within_deg: 0.5,
            min_fixation_ms: 60.0,
        }
    }
}

impl IvtParams {
    /// Checks every parameter.
    pub fn check(self) -> Result<Ivt, DetectError> {
        positive("the velocity threshold in degrees per second", self.threshold_deg_per_s)?;
        positive("the velocity window in milliseconds", self.window_ms)?;
        not_negative("the time for merging in milliseconds", self.merge_within_ms)?;
        not_negative("the distance for merging in degrees", self.merge_within_deg)?;
        not_negative("the shortest fixation in milliseconds", self.min_fixation_ms)?;
        Ok(Ivt(self))
    }
}

/// Checked parameters of I-VT.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ivt(IvtParams);

impl Ivt {
    pub(super) fn detect(&self, samples: &[Sample], interval_ms: f64, scale: &Scale) -> Detection {
        let params = &self.0;
        // Not longer than the window, but at least one sample on each side. The conversion saturates.
        let half = (params.window_ms / 2.0 / interval_ms + 1e-9).floor().max(1.0) as usize;
        let degrees: Vec<(f64, f64)> =
            samples.iter().map(|sample| scale.degrees(sample.x, sample.y)).collect();
        let mut sorter = Sorter::new(samples, interval_ms, params.min_fixation_ms);
        for segment in segments(samples, interval_ms) {
            let slow = |i: usize| {
                let first = i.saturating_sub(half).max(segment.start);
                let last = i.saturating_add(half).min(segment.end - 1);
                let seconds = (samples[last].time_ms - samples[first].time_ms) / 1000.0;
                // A sample alone has no velocity, and is too short for a fixation anyway.
                first == last
                    || distance(degrees[first], degrees[last])
                        < params.threshold_deg_per_s * seconds
            };
            let stretches = runs(segment.clone(), slow)
                .into_iter()
                .map(|run| Stretch::new(run, samples))
                .collect();
            sorter.segment(&segment, self.merged(stretches, samples, scale));
        }
        sorter.found
    }

    fn merged(&self, stretches: Vec<Stretch>, samples: &[Sample], scale: &Scale) -> Vec<Stretch> {
        let mut merged: Vec<Stretch> = Vec::with_capacity(stretches.len());
        for stretch in stretches {
            match merged.last_mut() {
                Some(before) if self.are_close(before, &stretch, samples, scale) => {
                    before.absorb(&stretch);
                }
                _ => merged.push(stretch),
            }
        }
        merged
    }

    fn are_close(&self, a: &Stretch, b: &Stretch, samples: &[Sample], scale: &Scale) -> bool {
        let time = samples[b.span.start].time_ms - samples[a.span.end - 1].time_ms;
        let degrees = |(x, y)| scale.degrees(x, y);
        time < self.0.merge_within_ms
            && distance(degrees(a.mean()), degrees(b.mean())) <= self.0.merge_within_deg
    }

    pub(super) fn describe(&self) -> String {
        let params = &self.0;
        format!(
            "I-VT: {} degrees per second over {} ms, merged within {} ms and {} degrees, at least \
             {} ms",
            params.threshold_deg_per_s,
            params.window_ms,
            params.merge_within_ms,
            params.merge_within_deg,
            params.min_fixation_ms
        )
    }
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}
