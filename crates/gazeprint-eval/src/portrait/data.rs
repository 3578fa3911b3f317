//! What a portrait holds, as plain numbers.

use gazeprint::saccade::{DensityId, SaccadeType};

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

/// Draws of one density from the reader's posterior, equally weighted.
#[derive(Debug, Clone, PartialEq)]
pub struct DensityDraws {
    /// Which.
    pub density: DensityId,
    /// The coefficients, by draw.
    pub coefficients: Vec<Vec<f64>>,
    /// Where the support begins, and the nodes of the grid beyond: characters, or ms.
    pub x: Vec<f64>,
    /// The density at each `x`, by draw: per character, or per ms.
    pub values: Vec<Vec<f64>>,
}
