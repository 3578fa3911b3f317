//! What the figures show, as plain numbers.

use gazeprint::saccade::{DensityId, SaccadeType};

/// A mean with its standard error, over something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Over what: a fraction, readers, seconds, noise.
    pub x: f64,
    /// The mean, 0 to 1.
    pub mean: f64,
    /// Its standard error; 0 or NaN where there is none.
    pub se: f64,
}

/// A curve of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodCurve {
    /// The method's name.
    pub method: String,
    /// From left to right.
    pub points: Vec<CurvePoint>,
}

/// Accuracy of all methods, two ways.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AccuracyCurves {
    /// Over the fraction of test sentences, 0 to 1.
    pub by_fraction: Vec<MethodCurve>,
    /// Over the number of readers.
    pub by_readers: Vec<MethodCurve>,
}

/// Accuracy of all methods on worse and worse recordings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RobustnessCurves {
    /// Sentences a probe; `None` for all test sentences of a reader.
    pub sentences: Option<usize>,
    /// Over the standard deviation of noise on positions, characters.
    pub by_noise: Vec<MethodCurve>,
    /// Over the shortest duration kept, ms.
    pub by_duration: Vec<MethodCurve>,
}

/// The errors at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorPoint {
    /// Share of genuine readers rejected.
    pub false_reject: f64,
    /// Share of impostors accepted.
    pub false_accept: f64,
}

/// The errors of one method with the threshold swept.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorCurve {
    /// The method's name.
    pub method: String,
    /// In any order.
    pub points: Vec<ErrorPoint>,
    /// The equal error rate, for the key.
    pub eer: Option<f64>,
}

/// The errors of all methods on a part of the test sentences.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorCurvesAt {
    /// The part, 0 to 1.
    pub fraction: f64,
    /// One curve a method.
    pub curves: Vec<ErrorCurve>,
}

/// A histogram.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histogram {
    /// Where bins begin and end: one more than there are bins.
    pub edges: Vec<f64>,
    /// Density of each bin: its share of the observations over its width.
    pub heights: Vec<f64>,
}

impl Histogram {
    /// Of values in `bins` bins of equal width over `[low, high]`; values outside count in the
    /// shares but fall in no bin.
    pub fn of(values: &[f64], bins: usize, (low, high): (f64, f64)) -> Self {
        let width = (high - low) / bins as f64;
        let edges = (0..=bins).map(|i| low + i as f64 * width).collect();
        let mut heights = vec![0.0; bins];
        for value in values {
            let bin = ((value - low) / width).floor();
            if bin >= 0.0 && bin < bins as f64 {
                heights[bin as usize] += 1.0;
            } else if *value == high && bins > 0 {
                heights[bins - 1] += 1.0;
            }
        }
        let unit = 1.0 / (values.len().max(1) as f64 * width);
        heights.iter_mut().for_each(|h| *h *= unit);
        Self { edges, heights }
    }
}

/// Fits of one density of a reader, on a grid.
///
/// Observations of most amplitude densities are confined to intervals. What compares with their
/// histogram is not the density itself, but its mean over the observations after it was confined to
/// the interval of each.
#[derive(Debug, Clone, PartialEq)]
pub struct DensityFit {
    /// Which.
    pub density: DensityId,
    /// Observations behind it.
    pub observations: usize,
    /// What was observed: characters, or ms.
    pub histogram: Histogram,
    /// The grid: characters, or ms.
    pub x: Vec<f64>,
    /// The gamma fit on the grid; empty where there is none.
    pub gamma: Vec<f64>,
    /// The posterior mean on the grid.
    pub mean: Vec<f64>,
    /// The 5 % quantile of the posterior on the grid.
    pub low: Vec<f64>,
    /// The 95 % quantile of the posterior on the grid.
    pub high: Vec<f64>,
}

/// The densities of one reader.
#[derive(Debug, Clone, PartialEq)]
pub struct ReaderDensities {
    /// The reader's name.
    pub reader: String,
    /// Up to eleven, in any order.
    pub densities: Vec<DensityFit>,
}

/// The probability integral transform of one density's observations.
#[derive(Debug, Clone, PartialEq)]
pub struct DensityTransform {
    /// Which.
    pub density: DensityId,
    /// For each observation y in [l, r] the share of the density's mass in [l, r] that is below y:
    /// uniform on 0 to 1 where the density is right.
    pub values: Vec<f64>,
}

/// The calibration of one reader's densities.
#[derive(Debug, Clone, PartialEq)]
pub struct ReaderCalibration {
    /// The reader's name.
    pub reader: String,
    /// Up to eleven, in any order.
    pub densities: Vec<DensityTransform>,
}

/// The scores of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodScores {
    /// The method's name.
    pub method: String,
    /// Of probes under their own reader.
    pub genuine: Vec<f64>,
    /// Of probes under other readers.
    pub impostor: Vec<f64>,
    /// Where a decision would be made.
    pub threshold: Option<f64>,
}

/// The scores of all methods.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreDistributions {
    /// What a score is, with its unit: "log-likelihood ratio (nats)".
    pub score: String,
    /// One panel each.
    pub methods: Vec<MethodScores>,
}

/// A word at its place: characters `[start, end)` of its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedWord {
    /// As it is written.
    pub form: String,
    /// Its first character.
    pub start: i32,
    /// One past its last character.
    pub end: i32,
}

/// A line of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextLine {
    /// Its number, as fixations have it.
    pub line: i32,
    /// From left to right.
    pub words: Vec<PlacedWord>,
}

/// A fixation on a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedFixation {
    /// The number of its line.
    pub line: i32,
    /// Characters from the start of the line.
    pub x: f64,
    /// In ms.
    pub duration: f64,
    /// The saccade that led there; `None` for the first of a pass.
    pub kind: Option<SaccadeType>,
}

/// One reading of one text.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanpathData {
    /// The reader's name.
    pub reader: String,
    /// The text's name.
    pub text: String,
    /// From above to below.
    pub lines: Vec<TextLine>,
    /// In the order of reading.
    pub fixations: Vec<PlacedFixation>,
}
