//! Fixations from samples: by a velocity threshold ([`Ivt`]), or by the thresholds of Engbert and
//! Kliegl, which the samples themselves set ([`EngbertKliegl`]).
//!
//! Samples of one trial come in, in order of time. What both methods have in common:
//!
//! * A missing sample, or a step in time of more than 1.75 intervals, ends a fixation. No method
//!   reads, merges or interpolates across. The first fixation after it is marked with a gap.
//! * A fixation lasts from its first to its last sample, and one interval more.
//! * Its place is the mean of its samples.

mod engbert;
mod given;
mod ivt;
mod measure;
mod screen;
#[cfg(test)]
mod tests;

use std::ops::Range;

use thiserror::Error;

use super::error::{At, ImportError};
use super::recording::Reason;
use super::setting::{Phrase, Setting, phrase};

pub(crate) use given::ways_to_scale;
pub(super) use measure::{LONGEST_INTERVAL_MS, MeasureTally};

pub use engbert::{EngbertKliegl, EngbertKlieglParams};
pub use given::Screen;
pub use ivt::{Ivt, IvtParams};
pub use measure::Measured;
pub use screen::{Scale, ScreenParams};

/// A step in time above this number of intervals means that samples were lost. One lost sample
/// makes a step of two intervals; what is less is jitter.
const LOSS: f64 = 1.75;

/// A sample that is not later than the one before it.
pub(super) const TIME_ORDER: Reason = Reason::new("time_order");
/// A stretch between saccades too short for a fixation.
pub(super) const TOO_SHORT: Reason = Reason::aside("too_short");

/// One sample. Its unit is that of the recording: pixels or degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// When it was taken, in milliseconds.
    pub time_ms: f64,
    /// Horizontal position, NaN where it is missing.
    pub x: f64,
    /// Vertical position, NaN where it is missing.
    pub y: f64,
    /// Row of the input.
    pub row: u64,
}

impl Sample {
    /// Whether both coordinates are there.
    pub fn is_present(&self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

/// A fixation found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detected {
    /// Row of its first sample.
    pub row: u64,
    /// When it begins, in milliseconds.
    pub onset_ms: f64,
    /// How long it lasts, in milliseconds.
    pub duration_ms: f64,
    /// Mean horizontal position, in the unit of the samples.
    pub x: f64,
    /// Mean vertical position, in the unit of the samples.
    pub y: f64,
    /// Samples are missing between it and the fixation before.
    pub gap: bool,
    /// The place of its first sample, and one past that of its last.
    pub samples: [usize; 2],
}

/// What was found in a trial.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Detection {
    /// Fixations in order.
    pub fixations: Vec<Detected>,
    /// Stretches that are too short.
    pub short: Vec<Detected>,
}

/// A parameter that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}", self.phrase())]
#[non_exhaustive]
pub enum DetectError {
    /// A value out of its range.
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// A threshold in degrees, and samples in pixels.
    NoScale,
    /// A screen of which not all is known.
    IncompleteScreen {
        /// What is not given.
        missing: Vec<Setting>,
    },
    /// Pixels per degree, and a screen that has its own.
    TwoScales,
}

impl DetectError {
    /// What is wrong, and what to do.
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Parameter { name, found, expected } => {
                format!("{name} is {found}, expected {expected}").into()
            }
            Self::NoScale => phrase![
                "a velocity threshold is in degrees per second, and the samples are in pixels: \
                 give the pixels per degree, or size and distance of the screen, with ",
                ways_to_scale(),
                "; or use Engbert-Kliegl, which needs neither, with ",
                Setting::Detector,
                " engbert-kliegl"
            ],
            Self::IncompleteScreen { missing } => {
                let mut phrase = phrase!["the screen is given in part: give "];
                for (i, setting) in missing.iter().enumerate() {
                    phrase = phrase.and(if i > 0 { " and " } else { "" }).and(*setting);
                }
                phrase![phrase, " as well, or ", Setting::PixelsPerDegree, " in place of all"]
            }
            Self::TwoScales => phrase![
                "pixels per degree are given twice: leave out ",
                Setting::PixelsPerDegree,
                ", or ",
                Setting::ScreenSize,
                " and ",
                Setting::Distance
            ],
        }
    }

    /// The error of an input whose samples cannot be used, from this row on.
    pub(super) fn at_row(&self, row: u64) -> ImportError {
        ImportError::value(
            At::row(row),
            "samples that need a detection of fixations",
            "all that it needs",
            self.phrase(),
        )
    }
}

/// A number that must be above zero.
fn positive(name: &'static str, value: f64) -> Result<f64, DetectError> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(DetectError::Parameter { name, found: value, expected: "a finite number above 0" })
}

/// A number that must not be below zero.
fn not_negative(name: &'static str, value: f64) -> Result<f64, DetectError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(value);
    }
    Err(DetectError::Parameter { name, found: value, expected: "a finite number, 0 or more" })
}

/// How fixations are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Detector {
    /// By a fixed velocity threshold in degrees per second.
    Ivt(Ivt),
    /// By thresholds from the samples, in any unit.
    EngbertKliegl(EngbertKliegl),
}

impl Default for Detector {
    /// Engbert and Kliegl, since it needs to know nothing about the screen.
    fn default() -> Self {
        Self::EngbertKliegl(EngbertKliegl::default())
    }
}

impl Detector {
    /// Reads `ivt` or `engbert-kliegl`, with its standard parameters.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "ivt" => Ok(Self::Ivt(Ivt::default())),
            "engbert-kliegl" => Ok(Self::default()),
            _ => Err(format!("found {text:?}, expected ivt or engbert-kliegl")),
        }
    }

    /// Finds the fixations of one trial.
    ///
    /// `scale` says what the samples are: `None` for pixels of an unknown screen.
    ///
    /// # Errors
    /// If a scale is needed and missing.
    pub fn detect(
        &self,
        samples: &[Sample],
        interval_ms: f64,
        scale: Option<&Scale>,
    ) -> Result<Detection, DetectError> {
        positive("the sample interval", interval_ms)?;
        match self {
            Self::Ivt(ivt) => {
                let scale = scale.ok_or(DetectError::NoScale)?;
                Ok(ivt.detect(samples, interval_ms, scale))
            }
            Self::EngbertKliegl(method) => Ok(method.detect(samples, interval_ms)),
        }
    }

    /// The method with its parameters, for a report.
    pub fn describe(&self) -> String {
        match self {
            Self::Ivt(ivt) => ivt.describe(),
            Self::EngbertKliegl(method) => method.describe(),
        }
    }
}

/// The median step between samples, in milliseconds; `None` where no step is above zero.
pub fn infer_interval(samples: &[Sample]) -> Option<f64> {
    let mut steps: Vec<f64> = samples
        .windows(2)
        .map(|pair| pair[1].time_ms - pair[0].time_ms)
        .filter(|step| step.is_finite() && *step > 0.0)
        .collect();
    median(&mut steps)
}

/// The median; the mean of the middle two where their number is even. Reorders the values.
fn median(values: &mut [f64]) -> Option<f64> {
    let (middle, is_odd) = (values.len() / 2, values.len() % 2 == 1);
    if values.is_empty() {
        return None;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if is_odd {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp).unwrap_or(upper);
    Some(lower + (upper - lower) / 2.0)
}

/// Stretches of samples that are all present and follow each other without a loss.
fn segments(samples: &[Sample], interval_ms: f64) -> Vec<Range<usize>> {
    let mut segments = Vec::new();
    let mut start = None;
    for (i, sample) in samples.iter().enumerate() {
        if !sample.is_present() {
            segments.extend(start.take().map(|start| start..i));
            continue;
        }
        let lost = i > 0 && sample.time_ms - samples[i - 1].time_ms > LOSS * interval_ms;
        if lost {
            segments.extend(start.take().map(|start| start..i));
        }
        start.get_or_insert(i);
    }
    segments.extend(start.map(|start| start..samples.len()));
    segments
}

/// Runs of indices in a range for which something holds.
fn runs(range: Range<usize>, holds: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = None;
    for i in range.clone() {
        if holds(i) {
            start.get_or_insert(i);
        } else {
            runs.extend(start.take().map(|start| start..i));
        }
    }
    runs.extend(start.map(|start| start..range.end));
    runs
}

/// A fixation in the making: where it lies, and the sums of the samples that count.
#[derive(Debug, Clone)]
struct Stretch {
    span: Range<usize>,
    count: f64,
    x: f64,
    y: f64,
}

impl Stretch {
    fn new(span: Range<usize>, samples: &[Sample]) -> Self {
        let (x, y) = samples[span.clone()]
            .iter()
            .fold((0.0, 0.0), |(x, y), sample| (x + sample.x, y + sample.y));
        Self { count: span.len() as f64, span, x, y }
    }

    fn mean(&self) -> (f64, f64) {
        (self.x / self.count, self.y / self.count)
    }

    /// Takes in a later one. Samples between the two do not count for its place.
    fn absorb(&mut self, later: &Self) {
        self.span.end = later.span.end;
        self.count += later.count;
        self.x += later.x;
        self.y += later.y;
    }
}

/// Sorts stretches into fixations and what is too short, and marks gaps.
struct Sorter<'s> {
    samples: &'s [Sample],
    interval_ms: f64,
    min_fixation_ms: f64,
    /// Samples were lost since the last fixation.
    gap: bool,
    found: Detection,
}

impl<'s> Sorter<'s> {
    fn new(samples: &'s [Sample], interval_ms: f64, min_fixation_ms: f64) -> Self {
        Self { samples, interval_ms, min_fixation_ms, gap: false, found: Detection::default() }
    }

    /// Takes the stretches of one segment.
    fn segment(&mut self, segment: &Range<usize>, stretches: Vec<Stretch>) {
        // Nothing is known of what was before the first sample: that is no loss.
        self.gap |= segment.start > 0;
        for stretch in stretches {
            let first = &self.samples[stretch.span.start];
            let last = &self.samples[stretch.span.end - 1];
            let (x, y) = stretch.mean();
            let mut detected = Detected {
                row: first.row,
                onset_ms: first.time_ms,
                duration_ms: last.time_ms - first.time_ms + self.interval_ms,
                x,
                y,
                gap: false,
                samples: [stretch.span.start, stretch.span.end],
            };
            // Times in decimals may miss the limit by their last bit.
            if detected.duration_ms < self.min_fixation_ms - 1e-6 {
                self.found.short.push(detected);
            } else {
                detected.gap = std::mem::take(&mut self.gap);
                self.found.fixations.push(detected);
            }
        }
    }
}
