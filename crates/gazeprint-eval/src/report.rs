//! `study.json`: what a study found, for programs.

use std::collections::BTreeMap;

use gazeprint::method::DensityReport;
use gazeprint::random::{Stream, stream};
use serde::Serialize;

use crate::curves::{ERROR_FRACTIONS, FRACTIONS, RANKS, SECONDS};
use crate::measures::{Bootstrap, Claims, ErrorPoint, Tally, mean_and_error};
use crate::study::{MethodResult, ProbeResult, SplitResult, Study};

/// Version of the layout of `study.json`.
pub const SCHEMA_VERSION: u32 = 1;

/// Points of an error curve.
const CURVE_POINTS: usize = 200;
const BOOTSTRAP_SAMPLES: usize = 2000;

/// The whole file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What was studied.
    pub corpus: CorpusReport,
    /// How.
    pub protocol: ProtocolReport,
    /// What came out.
    pub methods: Vec<MethodReport>,
    /// What is needed to do it again.
    pub manifest: Manifest,
}

/// What was studied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorpusReport {
    /// Its name.
    pub name: String,
    /// Readers.
    pub readers: usize,
    /// Texts.
    pub texts: usize,
    /// Fixations as recorded.
    pub fixations: usize,
    /// Fixations that do not count, by reason.
    pub dropped: BTreeMap<&'static str, usize>,
    /// Readers without training or test texts in at least one split.
    pub excluded_readers: Vec<String>,
}

/// How the corpus was divided.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProtocolReport {
    /// Kind of split.
    pub split: &'static str,
    /// Repetitions.
    pub splits: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Part of the texts that trains.
    pub train_fraction: f64,
    /// Sentences a probe.
    pub probe_sentences: Vec<usize>,
    /// Shortest and longest duration of a fixation that counts, ms.
    pub durations_ms: [f64; 2],
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

impl Estimate {
    fn over(splits: &[SplitResult], value: impl Fn(&SplitResult) -> f64) -> Self {
        let (mean, se) = mean_and_error(&splits.iter().map(value).collect::<Vec<_>>());
        Self { mean, se, ci95: None }
    }
}

/// A method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodReport {
    /// Its name.
    pub method: String,
    /// Its inference engine.
    pub engine: Option<String>,
    /// What was tuned on training data, by split.
    pub tuned: Tuned,
    /// Rank-1 accuracy with all test sentences of a reader.
    pub accuracy: Estimate,
    /// Area under false accepts over false rejects, with all test sentences.
    pub area: Estimate,
    /// Equal error rate, with all test sentences.
    pub eer: Estimate,
    /// Part of the probes whose reader is among the first k, with all test sentences.
    pub cmc: BTreeMap<usize, f64>,
    /// The same for probes of a few sentences.
    pub by_sentences: Vec<SentencesReport>,
    /// Accuracy by part of the test sentences.
    pub by_fraction: Vec<FractionReport>,
    /// Accuracy by number of readers, over random draws of them.
    pub by_readers: Vec<ReadersReport>,
    /// Accuracy by seconds of reading.
    pub by_seconds: Vec<SecondsReport>,
    /// False accepts over false rejects by part of the test sentences, all splits together.
    pub error_curves: Vec<ErrorCurveReport>,
    /// Seconds of tuning, all splits together.
    pub tune_seconds: f64,
    /// Seconds of fitting, all splits together.
    pub fit_seconds: f64,
    /// Seconds of scoring probes of all sizes, all splits together.
    pub score_seconds: f64,
    /// How far to trust it.
    pub diagnostics: DiagnosticsReport,
}

/// What was tuned on training data, one value per split.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tuned {
    /// Variances of the Gaussian processes, by density.
    #[serde(rename = "A")]
    pub amplitudes: BTreeMap<&'static str, Vec<f64>>,
    /// Constant of the backoff.
    #[serde(rename = "k")]
    pub backoff: Vec<f64>,
}

/// Probes of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SentencesReport {
    /// Sentences a probe.
    pub sentences: usize,
    /// Probes, all splits together.
    pub probes: usize,
    /// Those of readers with fewer test sentences than asked for: all they have.
    pub shorter_probes: usize,
    /// Rank-1 accuracy.
    pub accuracy: Estimate,
    /// Equal error rate.
    pub eer: Estimate,
}

/// Accuracy at a part of the test sentences.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FractionReport {
    /// Part of the test sentences.
    pub fraction: f64,
    /// Rank-1 accuracy.
    pub accuracy: Estimate,
}

/// Accuracy among a number of readers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReadersReport {
    /// Number of readers.
    pub readers: usize,
    /// Rank-1 accuracy.
    pub accuracy: Estimate,
}

/// Accuracy after some seconds of reading.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SecondsReport {
    /// Seconds spent in fixations.
    pub seconds: f64,
    /// Rank-1 accuracy of the readers who read that long.
    pub accuracy: Estimate,
}

/// Errors of verification as the threshold is swept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ErrorCurveReport {
    /// Part of the test sentences.
    pub fraction: f64,
    /// Points of the curve, thinned.
    pub points: Vec<ErrorPoint>,
}

/// Accuracy at the numbers of readers that all splits tried.
fn by_readers(splits: &[SplitResult]) -> Vec<ReadersReport> {
    let steps = splits.iter().map(|s| s.curves.by_readers.len()).min().unwrap_or(0);
    (0..steps)
        .map(|i| ReadersReport {
            readers: splits[0].curves.by_readers[i].0,
            accuracy: Estimate::over(splits, |s| s.curves.by_readers[i].1),
        })
        .collect()
}

/// Accuracy at the seconds that enough readers reached in all splits.
fn by_seconds(splits: &[SplitResult]) -> Vec<SecondsReport> {
    SECONDS
        .iter()
        .enumerate()
        .filter(|(i, _)| splits.iter().all(|s| s.curves.by_seconds[*i].is_some()))
        .map(|(i, &seconds)| SecondsReport {
            seconds,
            accuracy: Estimate::over(splits, |s| s.curves.by_seconds[i].unwrap_or(f64::NAN)),
        })
        .collect()
}

fn error_curves(splits: &[SplitResult]) -> Vec<ErrorCurveReport> {
    ERROR_FRACTIONS
        .iter()
        .enumerate()
        .map(|(i, &fraction)| {
            let mut claims = Claims::default();
            for split in splits {
                claims.genuine.extend(&split.curves.claims[i].genuine);
                claims.impostor.extend(&split.curves.claims[i].impostor);
            }
            ErrorCurveReport { fraction, points: claims.error_curve(CURVE_POINTS) }
        })
        .collect()
}

/// How far to trust a method's numbers, summed over splits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiagnosticsReport {
    /// Test observations beyond the range of the training data, clamped to it.
    pub clamped: usize,
    /// By density.
    pub densities: BTreeMap<&'static str, DensityDiagnostics>,
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

impl Report {
    /// The report of a study.
    pub fn of(study: &Study, manifest: Manifest) -> Self {
        let protocol = study.plan.protocol;
        Self {
            schema_version: SCHEMA_VERSION,
            corpus: CorpusReport {
                name: study.corpus.clone(),
                readers: study.readers,
                texts: study.texts,
                fixations: study.fixations,
                dropped: study.dropped().map(|(reason, n)| (reason.name(), n)).collect(),
                excluded_readers: study.excluded.clone(),
            },
            protocol: ProtocolReport {
                split: "random",
                splits: protocol.splits,
                seed: protocol.seed,
                train_fraction: protocol.train_fraction,
                probe_sentences: study.plan.probe_sentences.clone(),
                durations_ms: study.plan.limits.durations().map(|d| d.0),
            },
            methods: study
                .methods
                .iter()
                .map(|m| MethodReport::of(m, study.readers, protocol.seed))
                .collect(),
            manifest,
        }
    }
}

impl MethodReport {
    fn of(result: &MethodResult, readers: usize, seed: u64) -> Self {
        let splits = &result.splits;
        let sum = |value: &dyn Fn(&SplitResult) -> f64| splits.iter().map(value).sum::<f64>();
        let mut accuracy = Estimate::over(splits, |s| s.all.accuracy);
        accuracy.ci95 = bootstrap_accuracy(splits, readers, seed, |s| &s.all);
        let mut amplitudes: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
        for (id, a) in splits.iter().flat_map(|s| &s.report.amplitudes) {
            amplitudes.entry(id.name()).or_default().push(*a);
        }
        let sizes = splits.first().map_or(0, |s| s.by_sentences.len());
        Self {
            method: result.method.clone(),
            engine: result.engine.clone(),
            tuned: Tuned {
                amplitudes,
                backoff: splits.iter().filter_map(|s| s.report.backoff).collect(),
            },
            accuracy,
            area: Estimate::over(splits, |s| s.area),
            eer: Estimate::over(splits, |s| s.all.eer),
            by_sentences: (0..sizes)
                .map(|i| SentencesReport::of(splits, i, readers, seed))
                .collect(),
            cmc: RANKS
                .iter()
                .enumerate()
                .map(|(i, &rank)| (rank, Estimate::over(splits, |s| s.curves.cmc[i]).mean))
                .collect(),
            by_fraction: FRACTIONS
                .iter()
                .enumerate()
                .map(|(i, &fraction)| FractionReport {
                    fraction,
                    accuracy: Estimate::over(splits, |s| s.curves.by_fraction[i]),
                })
                .collect(),
            by_readers: by_readers(splits),
            by_seconds: by_seconds(splits),
            error_curves: error_curves(splits),
            tune_seconds: sum(&|s| s.report.tune_seconds),
            fit_seconds: sum(&|s| s.report.fit_seconds),
            score_seconds: sum(&|s| s.score_seconds),
            diagnostics: DiagnosticsReport::of(splits),
        }
    }
}

impl SentencesReport {
    fn of(splits: &[SplitResult], index: usize, readers: usize, seed: u64) -> Self {
        let sum = |value: fn(&ProbeResult) -> usize| {
            splits.iter().map(|s| value(&s.by_sentences[index])).sum()
        };
        let mut accuracy = Estimate::over(splits, |s| s.by_sentences[index].accuracy);
        accuracy.ci95 = bootstrap_accuracy(splits, readers, seed, |s| &s.by_sentences[index]);
        Self {
            sentences: splits[0].by_sentences[index].sentences.unwrap_or(0),
            probes: sum(|r| r.probes),
            shorter_probes: sum(|r| r.shorter),
            accuracy,
            eer: Estimate::over(splits, |s| s.by_sentences[index].eer),
        }
    }
}

impl DiagnosticsReport {
    fn of(splits: &[SplitResult]) -> Self {
        let mut by_density: BTreeMap<&'static str, Vec<DensityReport>> = BTreeMap::new();
        for density in splits.iter().flat_map(|s| &s.report.densities) {
            by_density.entry(density.id.name()).or_default().push(*density);
        }
        Self {
            clamped: splits.iter().map(|s| s.clamped).sum(),
            densities: by_density
                .into_iter()
                .map(|(name, reports)| (name, DensityDiagnostics::of(&reports)))
                .collect(),
        }
    }
}

impl DensityDiagnostics {
    fn of(reports: &[DensityReport]) -> Self {
        let sum = |value: &dyn Fn(&DensityReport) -> usize| reports.iter().map(value).sum();
        let mean = |values: &mut dyn Iterator<Item = f64>| {
            let values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        Self {
            fits: sum(&|r| r.fits),
            failed: sum(&|r| r.failed),
            doubtful: sum(&|r| r.doubtful),
            retried: sum(&|r| r.retried),
            effective: mean(&mut reports.iter().filter_map(|r| r.effective)),
            acceptance: mean(&mut reports.iter().filter_map(|r| r.acceptance)),
            divergences: sum(&|r| r.divergences),
        }
    }
}

/// A 95 % interval for the accuracy, by drawing readers with replacement.
fn bootstrap_accuracy<'a>(
    splits: &'a [SplitResult],
    readers: usize,
    seed: u64,
    result: impl Fn(&'a SplitResult) -> &'a ProbeResult,
) -> Option<[f64; 2]> {
    let mut tallies = vec![Tally::default(); readers];
    for split in splits {
        for (&reader, &(right, probes)) in split.readers.iter().zip(&result(split).by_reader) {
            tallies[reader].right += right;
            tallies[reader].probes += probes;
        }
    }
    tallies.retain(|tally| tally.probes > 0);
    let stream = Stream { seed, index: stream::BOOTSTRAP };
    Bootstrap { samples: BOOTSTRAP_SAMPLES, stream }.accuracy(&tallies)
}
