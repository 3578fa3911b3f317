//! Fixations as what lies between saccades, which stand out from the velocities of their trial.
//!
//! Engbert and Kliegl (2003, Microsaccades uncover the orientation of covert attention, Vision
//! Research 43, 1035-1045), with the parameters of Engbert and Mergenthaler (2006, PNAS 103,
//! 7192-7197):
//!
//! | symbol | here |
//! |---|---|
//! | v(n) = (x(n+2) + x(n+1) - x(n-1) - x(n-2)) / (6 dt) | `velocities` |
//! | sigma^2 = median(v^2) - median(v)^2, of each component | `deviation` |
//! | eta = lambda sigma | `lambda`, 6 |
//! | (v_x / eta_x)^2 + (v_y / eta_y)^2 > 1 for at least 6 ms | a saccade |
//!
//! One sample from either end of a stretch, the velocity is that between its two neighbours; at the
//! end itself there is none, and that sample neither counts for medians nor belongs to a saccade.
//! Medians are over the trial. A component whose sigma^2 is not above zero takes means in place
//! of medians; where that is zero too, nothing moves in it and it does not count.
//!
//! The papers set no shortest fixation. The one here keeps the moment between a saccade and the
//! overshoot after it from being one.

use std::ops::Range;

use super::{
    DetectError, Detection, Sample, Sorter, Stretch, median, not_negative, positive, runs, segments,
};

/// Parameters of Engbert and Kliegl, not yet checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EngbertKlieglParams {
    /// Thresholds in units of the median-based standard deviation; 6.
    pub lambda: f64,
    /// What is shorter is no saccade; 6.
    pub min_saccade_ms: f64,
    /// What is shorter is no fixation; 60.
    pub min_fixation_ms: f64,
}

impl Default for EngbertKlieglParams {
    fn default() -> Self {
        Self { lambda: 6.0, min_saccade_ms: 6.0, min_fixation_ms: 60.0 }
    }
}

impl EngbertKlieglParams {
    /// Checks every parameter.
    pub fn check(self) -> Result<EngbertKliegl, DetectError> {
        positive("lambda", self.lambda)?;
        not_negative("the shortest saccade in milliseconds", self.min_saccade_ms)?;
        not_negative("the shortest fixation in milliseconds", self.min_fixation_ms)?;
        Ok(EngbertKliegl(self))
    }
}

/// Checked parameters of Engbert and Kliegl.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EngbertKliegl(EngbertKlieglParams);

impl EngbertKliegl {
    pub(super) fn detect(&self, samples: &[Sample], interval_ms: f64) -> Detection {
        let segments = segments(samples, interval_ms);
        let horizontal = velocities(samples, &segments, interval_ms, |sample| sample.x);
        let vertical = velocities(samples, &segments, interval_ms, |sample| sample.y);
        let eta_x = deviation(&horizontal).map(|sigma| self.0.lambda * sigma);
        let eta_y = deviation(&vertical).map(|sigma| self.0.lambda * sigma);
        // No velocity is NaN, and compares as not above.
        let fast = |i: usize| {
            let part = |v: f64, eta: Option<f64>| eta.map_or(0.0, |eta| (v / eta) * (v / eta));
            part(horizontal[i], eta_x) + part(vertical[i], eta_y) > 1.0
        };
        let min_samples = (self.0.min_saccade_ms / interval_ms - 1e-9).ceil().max(1.0) as usize;
        let mut sorter = Sorter::new(samples, interval_ms, self.0.min_fixation_ms);
        for segment in segments {
            let saccades: Vec<Range<usize>> = runs(segment.clone(), fast)
                .into_iter()
                .filter(|run| run.len() >= min_samples)
                .collect();
            sorter.segment(&segment, between(&segment, &saccades, samples));
        }
        sorter.found
    }

    pub(super) fn describe(&self) -> String {
        format!(
            "Engbert-Kliegl: lambda {}, saccades of at least {} ms, fixations of at least {} ms",
            self.0.lambda, self.0.min_saccade_ms, self.0.min_fixation_ms
        )
    }
}

/// What a segment holds besides its saccades.
fn between(segment: &Range<usize>, saccades: &[Range<usize>], samples: &[Sample]) -> Vec<Stretch> {
    let starts = std::iter::once(segment.start).chain(saccades.iter().map(|saccade| saccade.end));
    let ends = saccades.iter().map(|saccade| saccade.start).chain([segment.end]);
    starts
        .zip(ends)
        .filter(|(start, end)| start < end)
        .map(|(start, end)| Stretch::new(start..end, samples))
        .collect()
}

/// One component of the velocities, per millisecond; NaN where there is none.
fn velocities(
    samples: &[Sample],
    segments: &[Range<usize>],
    interval_ms: f64,
    component: impl Fn(&Sample) -> f64,
) -> Vec<f64> {
    let at = |i: usize| component(&samples[i]);
    let mut velocities = vec![f64::NAN; samples.len()];
    for segment in segments {
        let (start, end) = (segment.start, segment.end);
        for i in start + 1..end.saturating_sub(1) {
            velocities[i] = if i >= start + 2 && i + 2 < end {
                (at(i + 2) + at(i + 1) - at(i - 1) - at(i - 2)) / (6.0 * interval_ms)
            } else {
                (at(i + 1) - at(i - 1)) / (2.0 * interval_ms)
            };
        }
    }
    velocities
}

/// The median-based standard deviation of what is there; `None` where nothing moves.
fn deviation(velocities: &[f64]) -> Option<f64> {
    let mut values: Vec<f64> = velocities.iter().copied().filter(|v| v.is_finite()).collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let mean_square = values.iter().map(|v| v * v).sum::<f64>() / count;
    let middle = median(&mut values)?;
    values.iter_mut().for_each(|v| *v *= *v);
    let middle_square = median(&mut values)?;
    [middle_square - middle * middle, mean_square - mean * mean]
        .into_iter()
        .find(|square| *square > f64::MIN_POSITIVE)
        .map(f64::sqrt)
}
