//! `study.json`: what a study found, for programs.
//!
//! The layout is described by `docs/study.schema.json`, which the tests hold against what is
//! written. Everything that is written for people is made from these values.

mod attacks;
mod build;
mod readers;
mod strangers;
mod watch;

use std::collections::BTreeMap;

use gazeprint::method::Score;
use serde::Serialize;

pub use self::attacks::{
    AcceptedClaims, AttackOutcome, AttackedProbes, LivenessErrors, MethodAttacks, MissedAttacks,
};
pub use self::strangers::{MethodStrangers, StrangersAtRate, StrangersAtSeconds, StrangersOfSize};
pub use self::watch::{FirstDecisions, MethodWatches, NoticedSwaps, SecondsTaken};
pub use crate::measures::ErrorPoint;
use crate::robustness::Robustness;

/// Version of the layout of `study.json`.
pub const SCHEMA_VERSION: u32 = 1;

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What was studied.
    pub corpus: StudiedCorpus,
    /// How.
    pub protocol: StudyProtocol,
    /// What came out.
    pub methods: Vec<MethodFindings>,
    /// Differences in accuracy between methods, on the same readers and probes.
    pub paired: Vec<AccuracyDifference>,
    /// Accuracy on worse recordings, where it was asked for.
    pub robustness: Option<Robustness>,
    /// Attacks on the methods, where they were asked for.
    pub attacks: Option<Vec<MethodAttacks>>,
    /// Readers watched while reading, where that was asked for.
    pub watch: Option<Vec<MethodWatches>>,
    /// Strangers, where they were asked for.
    pub strangers: Option<Vec<MethodStrangers>>,
    /// What is needed to do it again.
    pub manifest: Manifest,
}

/// What was studied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudiedCorpus {
    /// Its name.
    pub name: String,
    /// Readers that were studied.
    pub readers: usize,
    /// Texts.
    pub texts: usize,
    /// Fixations as recorded.
    pub fixations: usize,
    /// Fixations that do not count, by reason.
    pub dropped: BTreeMap<String, usize>,
    /// Readers without training or test texts in at least one split.
    pub excluded_readers: Vec<String>,
}

/// How the corpus was divided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StudyProtocol {
    /// Kind of split: `random`, `temporal`, `session`, or `file`.
    pub split: String,
    /// Divisions of the corpus, each studied on its own.
    pub splits: usize,
    /// What each split is, in words ("session 1 trains, session 2 tests"), where they differ in
    /// more than chance.
    pub names: Vec<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// Part of the texts that trains; none where sessions or a file decide.
    pub train_fraction: Option<f64>,
    /// Readers drawn from the corpus, where not all took part.
    pub readers: Option<usize>,
    /// Readers that take part, by split: those with training and test texts.
    pub readers_by_split: Vec<usize>,
    /// Sentences a probe.
    pub probe_sentences: Vec<usize>,
    /// Shortest and longest duration of a fixation that counts, ms.
    pub durations_ms: [f64; 2],
}

impl StudyProtocol {
    /// Accuracy of guessing, mean over splits.
    pub fn chance(&self) -> f64 {
        let sum: f64 = self.readers_by_split.iter().map(|&n| 1.0 / n as f64).sum();
        sum / self.readers_by_split.len() as f64
    }
}

/// A mean over splits with its standard error, unknown for a single split.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Mean over splits.
    pub mean: f64,
    /// Standard error over splits.
    pub se: Option<f64>,
    /// 95 % bootstrap interval over readers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci95: Option<[f64; 2]>,
}

/// A method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodFindings {
    /// Its name.
    pub method: String,
    /// Its inference engine.
    pub engine: Option<String>,
    /// What its scores are, and with them ratios to the cohort and thresholds.
    pub score: Score,
    /// What was tuned on training data, by split.
    pub tuned: Tuned,
    /// Rank-1 accuracy with all test sentences of a reader.
    pub accuracy: Estimate,
    /// Part of the probes whose reader is among the first k, with all test sentences.
    pub cmc: BTreeMap<usize, Estimate>,
    /// Verification with all test sentences.
    #[serde(flatten)]
    pub verification: VerificationErrors,
    /// Area under false accepts over false rejects, with all test sentences.
    pub area: Estimate,
    /// Thresholds learned on the training texts, by false match rate and length of the probe.
    pub thresholds: Vec<MeanThreshold>,
    /// The same for probes of a few sentences.
    pub by_sentences: Vec<ProbesOfSize>,
    /// Accuracy by part of the test sentences.
    pub by_fraction: Vec<AccuracyAtFraction>,
    /// Accuracy by number of readers, over random draws of them.
    pub by_readers: Vec<AccuracyAmongReaders>,
    /// Accuracy by seconds of reading.
    pub by_seconds: Vec<AccuracyAtSeconds>,
    /// False accepts over false rejects by part of the test sentences, all splits together.
    pub error_curves: Vec<SweptErrors>,
    /// Seconds of tuning, all splits together.
    pub tune_seconds: f64,
    /// Seconds of fitting, all splits together.
    pub fit_seconds: f64,
    /// Seconds of scoring probes of all sizes, all splits together.
    pub score_seconds: f64,
    /// How far to trust it.
    pub diagnostics: MethodDiagnostics,
}

/// What was tuned on training data, one value per split.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuned {
    /// Variances of the Gaussian processes, by density.
    #[serde(rename = "A")]
    pub amplitudes: BTreeMap<String, Vec<f64>>,
    /// Constant of the backoff.
    #[serde(rename = "k")]
    pub backoff: Vec<f64>,
}

/// Verification of claims by probes of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerificationErrors {
    /// Equal error rate, on the ratio to the cohort.
    pub eer: Estimate,
    /// Cost of the calibrated log-likelihood ratios to the cohort, bits; none where training
    /// texts cannot be divided.
    pub cllr: Option<Estimate>,
    /// What the cost would be under the best monotone calibration, bits.
    pub cllr_min: Option<Estimate>,
    /// False non-match rates at false match rates fixed on training texts.
    pub fnmr_at: Vec<ErrorsAtThreshold>,
}

/// Errors of verification at a threshold that was fixed on training texts, as a gallery of the readers
/// fixes it: for people who are not enrolled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorsAtThreshold {
    /// The false match rate asked for.
    pub fmr: f64,
    /// The false match rate on the test texts, with everybody enrolled.
    pub fmr_observed: Estimate,
    /// The false match rate on the test texts if the one who makes the claim were not enrolled.
    pub fmr_strangers: Estimate,
    /// The false non-match rate on the test texts.
    pub fnmr: Estimate,
    /// Whether training and test of each split have enough false claims for such a rate, by the
    /// rule of three: at least three by the rate.
    pub supported: bool,
    /// False claims in the smallest split: those the threshold was fixed on, and those tested.
    pub impostor_comparisons: [usize; 2],
}

/// A threshold learned on training texts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeanThreshold {
    /// The false match rate asked for.
    pub fmr: f64,
    /// Sentences a probe; none for all sentences of a fold of the training texts.
    pub sentences: Option<usize>,
    /// Geometric mean of the number of fixations of these probes.
    pub fixations: f64,
    /// What a claim is accepted at and above: nats, or for a similarity a ratio of logarithms.
    pub threshold: Estimate,
}

/// Probes of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProbesOfSize {
    /// Sentences a probe.
    pub sentences: usize,
    /// Probes, all splits together.
    pub probes: usize,
    /// Those of readers with fewer test sentences than asked for: all they have.
    pub shorter_probes: usize,
    /// Rank-1 accuracy.
    pub accuracy: Estimate,
    /// Verification.
    #[serde(flatten)]
    pub verification: VerificationErrors,
}

/// Accuracy at a part of the test sentences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AccuracyAtFraction {
    /// Part of the test sentences.
    pub fraction: f64,
    /// Rank-1 accuracy.
    pub accuracy: Estimate,
}

/// Accuracy among a number of readers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AccuracyAmongReaders {
    /// Number of readers.
    pub readers: usize,
    /// Rank-1 accuracy.
    pub accuracy: Estimate,
}

/// Accuracy after some seconds of reading.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AccuracyAtSeconds {
    /// Seconds spent in fixations.
    pub seconds: f64,
    /// Rank-1 accuracy of the readers who read that long.
    pub accuracy: Estimate,
}

/// Errors of verification as the threshold is swept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweptErrors {
    /// Part of the test sentences.
    pub fraction: f64,
    /// Points of the curve, thinned.
    pub points: Vec<ErrorPoint>,
}

/// How far to trust a method's numbers, summed over splits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodDiagnostics {
    /// Test observations beyond the range of the training data, clamped to it.
    pub clamped: usize,
    /// Gaussians of the population that ran away or lost evidence while they were learned (`population`).
    pub fell: usize,
    /// By density.
    pub densities: BTreeMap<String, DensityDiagnostics>,
}

impl MethodDiagnostics {
    /// A count summed over densities.
    pub fn sum(&self, count: fn(&DensityDiagnostics) -> usize) -> usize {
        self.densities.values().map(count).sum()
    }
}

/// Posteriors of one density over all readers and splits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DensityDiagnostics {
    /// Posteriors computed.
    pub fits: usize,
    /// Fits that failed; those readers got the pooled density.
    pub failed: usize,
    /// Fits the engine itself has doubts about.
    pub doubtful: usize,
    /// Fits that needed a second proposal (`laplace`).
    pub retried: usize,
    /// Mean effective sample size; none where densities are taken at their mode.
    pub effective: Option<f64>,
    /// Mean acceptance (`metropolis`).
    pub acceptance: Option<f64>,
    /// Divergent transitions (`nuts`).
    pub divergences: usize,
}

/// How much better method `a` is than method `b`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccuracyDifference {
    /// One method.
    pub a: String,
    /// The other.
    pub b: String,
    /// Sentences a probe; none for all test sentences.
    pub sentences: Option<usize>,
    /// Accuracy of `a` less that of `b`.
    pub difference: f64,
    /// 95 % bootstrap interval over readers.
    pub ci95: [f64; 2],
    /// Whether the interval leaves out 0.
    pub significant: bool,
}

/// What is needed to do it again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Manifest {
    /// Version of the software.
    pub version: String,
    /// Commit it was built from, where known.
    pub commit: Option<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// Threads used; the numbers do not depend on it.
    pub threads: usize,
    /// SHA-256 of the corpus.
    pub corpus_sha256: String,
    /// Command-line arguments.
    pub arguments: Vec<String>,
}
