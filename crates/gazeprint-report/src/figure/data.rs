//! What the figures show, as plain numbers.

use gazeprint_eval::measures::ErrorPoint;

/// A mean with its standard error, over something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Over what: a fraction, readers, seconds, noise.
    pub x: f64,
    /// The mean, 0 to 1.
    pub mean: f64,
    /// Its standard error; NaN where there is none.
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

/// A part with its interval, over seconds of reading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartPoint {
    /// Seconds.
    pub x: f64,
    /// The part, 0 to 1.
    pub part: f64,
    /// Where the interval begins; that of a part without one is where it ends, too.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

/// What was named where a part of strangers may be.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedAtRate {
    /// The part of strangers that was asked for.
    pub rate: f64,
    /// Readers given their own name, from left to right.
    pub readers: Vec<PartPoint>,
    /// Strangers given anybody's.
    pub strangers: Vec<PartPoint>,
}

/// What one method named.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodNames {
    /// The method's name.
    pub method: String,
    /// One curve a rate.
    pub rates: Vec<NamedAtRate>,
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

/// The scores of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodScores {
    /// The method's name.
    pub method: String,
    /// Of probes under their own reader.
    pub genuine: Vec<f64>,
    /// Of probes under other readers.
    pub impostor: Vec<f64>,
    /// What a score is, with its unit: "log-likelihood ratio (nats)".
    pub score: String,
}

/// What readers are measured by.
#[derive(Debug, Clone, PartialEq)]
pub struct TraitAxis {
    /// The name of the trait.
    pub name: String,
    /// Its unit; a `share` is shown in percent.
    pub unit: String,
}

/// A trait of one reader.
#[derive(Debug, Clone, PartialEq)]
pub struct ReaderValue {
    /// The reader's name.
    pub reader: String,
    /// The estimate.
    pub value: f64,
    /// Where its interval begins; NaN where there is none.
    pub low: f64,
    /// Where it ends; NaN where there is none.
    pub high: f64,
}

/// A trait of all readers.
#[derive(Debug, Clone, PartialEq)]
pub struct TraitReaders {
    /// The trait.
    pub of: TraitAxis,
    /// What it is, in words.
    pub about: String,
    /// In any order.
    pub readers: Vec<ReaderValue>,
    /// Its split-half reliability, where it is known.
    pub reliability: Option<f64>,
    /// The interval of that.
    pub reliability_ci95: Option<[f64; 2]>,
}

/// Two traits of all readers who show both.
#[derive(Debug, Clone, PartialEq)]
pub struct TraitPair {
    /// The trait to the right.
    pub x: TraitAxis,
    /// The trait upwards.
    pub y: TraitAxis,
    /// Both traits of each reader.
    pub readers: Vec<[ReaderValue; 2]>,
    /// Their correlation, where it is known.
    pub correlation: Option<f64>,
    /// The interval of that.
    pub ci95: Option<[f64; 2]>,
}
