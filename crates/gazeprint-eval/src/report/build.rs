//! From a study to its report.

use std::collections::BTreeMap;

use gazeprint::method::DensityReport;

use super::readers::Readers;
use super::*;
use crate::curves::{ERROR_FRACTIONS, FRACTIONS, RANKS, SECONDS};
use crate::measures::{Claims, mean_and_error};
use crate::study::{DividedCorpus, MethodResult, ProbeResult, SplitResult, Study};
use crate::thresholds::{LearnedThreshold, RATES};

/// Points of an error curve.
const CURVE_POINTS: usize = 200;

impl Estimate {
    pub(super) fn over<T>(splits: &[T], value: impl Fn(&T) -> f64) -> Self {
        let (mean, se) = mean_and_error(&splits.iter().map(value).collect::<Vec<_>>());
        Self { mean, se, ci95: None }
    }
}

/// Accuracy by number of readers, the same for all splits.
fn by_readers(splits: &[SplitResult]) -> Vec<AccuracyAmongReaders> {
    let sizes = splits.first().map_or(&[][..], |s| &s.curves.by_readers);
    let point = |(i, &(readers, _)): (usize, &(usize, f64))| AccuracyAmongReaders {
        readers,
        accuracy: Estimate::over(splits, |s| s.curves.by_readers[i].1),
    };
    sizes.iter().enumerate().map(point).collect()
}

/// Accuracy at the seconds that enough readers reached in all splits.
fn by_seconds(splits: &[SplitResult]) -> Vec<AccuracyAtSeconds> {
    SECONDS
        .iter()
        .enumerate()
        .filter(|(i, _)| splits.iter().all(|s| s.curves.by_seconds[*i].is_some()))
        .map(|(i, &seconds)| AccuracyAtSeconds {
            seconds,
            accuracy: Estimate::over(splits, |s| s.curves.by_seconds[i].unwrap_or(f64::NAN)),
        })
        .collect()
}

fn error_curves(splits: &[SplitResult]) -> Vec<SweptErrors> {
    ERROR_FRACTIONS
        .iter()
        .enumerate()
        .map(|(i, &fraction)| {
            let mut claims = Claims::default();
            splits.iter().for_each(|split| claims.extend(split.curves.claims[i].clone()));
            SweptErrors { fraction, points: claims.error_curve(CURVE_POINTS) }
        })
        .collect()
}

impl Report {
    /// The report of a study.
    pub fn of(divided: &DividedCorpus, study: &Study, manifest: Manifest) -> Self {
        let DividedCorpus { plan, corpus, splits, .. } = divided;
        let readers = Readers::of(divided);
        Self {
            schema_version: SCHEMA_VERSION,
            corpus: StudiedCorpus {
                name: corpus.name().to_owned(),
                readers: corpus.readers().len(),
                texts: corpus.texts().len(),
                fixations: corpus.fixation_count(),
                dropped: divided.dropped().map(|(r, n)| (r.name().to_owned(), n)).collect(),
                excluded_readers: divided.excluded(),
            },
            protocol: StudyProtocol {
                split: plan.protocol.division.name().to_owned(),
                splits: splits.len(),
                names: splits.iter().filter_map(|s| s.name.clone()).collect(),
                seed: plan.protocol.seed,
                train_fraction: plan.protocol.division.train_fraction(),
                readers: plan.readers,
                readers_by_split: splits.iter().map(|s| s.readers.len()).collect(),
                probe_sentences: plan.probe_sentences.clone(),
                durations_ms: plan.limits.durations().map(|d| d.0),
            },
            methods: study.methods.iter().map(|m| MethodFindings::of(m, &readers)).collect(),
            paired: paired(study, &readers),
            robustness: None,
            attacks: plan.attacks.then(|| {
                study.methods.iter().filter_map(|m| MethodAttacks::of(m, &readers)).collect()
            }),
            watch: plan.watch.map(|params| {
                study
                    .methods
                    .iter()
                    .filter_map(|m| MethodWatches::of(m, params, &readers))
                    .collect()
            }),
            strangers: plan.strangers.then(|| {
                study.methods.iter().filter_map(|m| MethodStrangers::of(m, &readers)).collect()
            }),
            manifest,
        }
    }
}

impl MethodFindings {
    fn of(result: &MethodResult, readers: &Readers) -> Self {
        let splits = &result.splits;
        let sum = |value: &dyn Fn(&SplitResult) -> f64| splits.iter().map(value).sum::<f64>();
        let mut amplitudes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (id, a) in splits.iter().flat_map(|s| &s.report.amplitudes) {
            amplitudes.entry(id.name().to_owned()).or_default().push(*a);
        }
        let sizes = splits.first().map_or(0, |s| s.by_sentences.len());
        Self {
            method: result.method.clone(),
            engine: result.engine.clone(),
            score: result.score,
            tuned: Tuned {
                amplitudes,
                backoff: splits.iter().filter_map(|s| s.report.backoff).collect(),
            },
            accuracy: readers.accuracy(splits, |s| &s.all),
            cmc: RANKS
                .iter()
                .enumerate()
                .map(|(i, &rank)| (rank, cmc(splits, readers, i)))
                .collect(),
            verification: VerificationErrors::of(splits, readers, |s| &s.all),
            area: readers.area(splits),
            thresholds: thresholds(splits),
            by_sentences: (0..sizes).map(|i| ProbesOfSize::of(splits, i, readers)).collect(),
            by_fraction: FRACTIONS
                .iter()
                .enumerate()
                .map(|(i, &fraction)| AccuracyAtFraction {
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
            diagnostics: MethodDiagnostics::of(splits),
        }
    }
}

/// Thresholds at the lengths that all splits know.
fn thresholds(splits: &[SplitResult]) -> Vec<MeanThreshold> {
    let first = splits.first().map_or(&[][..], |s| &s.thresholds);
    first
        .iter()
        .filter_map(|wanted| {
            let same =
                |t: &&LearnedThreshold| t.rate == wanted.rate && t.sentences == wanted.sentences;
            let all: Option<Vec<&LearnedThreshold>> =
                splits.iter().map(|s| s.thresholds.iter().find(same)).collect();
            let all = all?;
            let (mean, se) = mean_and_error(&all.iter().map(|t| t.threshold).collect::<Vec<f64>>());
            let log_fixations: f64 = all.iter().map(|t| t.fixations.ln()).sum();
            Some(MeanThreshold {
                fmr: wanted.rate,
                sentences: wanted.sentences,
                fixations: (log_fixations / all.len() as f64).exp(),
                threshold: Estimate { mean, se, ci95: None },
            })
        })
        .collect()
}

/// Every method against every later one, at every size of probes.
fn paired(study: &Study, readers: &Readers) -> Vec<AccuracyDifference> {
    let mut paired = Vec::new();
    let sizes =
        study.methods.first().and_then(|m| m.splits.first()).map_or(0, |s| s.by_sentences.len());
    for (i, a) in study.methods.iter().enumerate() {
        for b in &study.methods[i + 1..] {
            for size in (0..sizes).map(Some).chain([None]) {
                let both = [a, b].map(|m| m.splits.as_slice());
                let difference = readers.difference(both, |s| match size {
                    Some(size) => &s.by_sentences[size],
                    None => &s.all,
                });
                let Some((difference, ci95)) = difference else { continue };
                paired.push(AccuracyDifference {
                    a: a.method.clone(),
                    b: b.method.clone(),
                    sentences: size.and_then(|s| a.splits[0].by_sentences[s].sentences),
                    difference,
                    ci95,
                    significant: ci95[0] > 0.0 || ci95[1] < 0.0,
                });
            }
        }
    }
    paired
}

impl ProbesOfSize {
    fn of(splits: &[SplitResult], index: usize, readers: &Readers) -> Self {
        let sum = |value: fn(&ProbeResult) -> usize| {
            splits.iter().map(|s| value(&s.by_sentences[index])).sum()
        };
        Self {
            sentences: splits[0].by_sentences[index].sentences.unwrap_or(0),
            probes: sum(|r| r.probes),
            shorter_probes: sum(|r| r.shorter),
            accuracy: readers.accuracy(splits, |s| &s.by_sentences[index]),
            verification: VerificationErrors::of(splits, readers, |s| &s.by_sentences[index]),
        }
    }
}

impl VerificationErrors {
    fn of(
        splits: &[SplitResult],
        readers: &Readers,
        result: impl Fn(&SplitResult) -> &ProbeResult + Sync + Copy,
    ) -> Self {
        let calibrated = splits.iter().all(|s| result(s).cllr.is_some());
        let least = |s: &SplitResult| result(s).cllr.map_or(f64::NAN, |c| c[1]);
        let rates = RATES.iter().enumerate().filter(|_| calibrated);
        Self {
            eer: readers.equal_error_rate(splits, result),
            cllr: readers.cllr(splits, result),
            cllr_min: calibrated.then(|| Estimate::over(splits, least)),
            fnmr_at: rates
                .map(|(i, &fmr)| readers.operating_point(splits, i, fmr, result))
                .collect(),
        }
    }
}

/// Part of the probes of all test sentences whose reader is among the first [`RANKS`]`[i]`.
fn cmc(splits: &[SplitResult], readers: &Readers, i: usize) -> Estimate {
    let part =
        readers.rate_of(splits, |s| s.curves.cmc_by_reader.as_slice(), |within| within[i], |_| 1);
    // As many as there are hold everybody.
    let certain = splits.iter().all(|s| s.readers.len() <= RANKS[i]);
    Estimate { ci95: part.ci95.map(|ci95| if certain { [1.0; 2] } else { ci95 }), ..part }
}

impl MethodDiagnostics {
    fn of(splits: &[SplitResult]) -> Self {
        let mut by_density: BTreeMap<String, Vec<DensityReport>> = BTreeMap::new();
        for density in splits.iter().flat_map(|s| &s.report.densities) {
            by_density.entry(density.id.name().to_owned()).or_default().push(*density);
        }
        Self {
            clamped: splits.iter().map(|s| s.clamped).sum(),
            fell: splits.iter().map(|s| s.report.fell).sum(),
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
