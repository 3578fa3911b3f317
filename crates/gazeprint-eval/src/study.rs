//! A study: methods compared over repeated splits of a corpus.

use std::time::Instant;

use gazeprint::corpus::{Corpus, DropReason, Drops, Limits};
use gazeprint::gallery::{Gallery, cohort_ratios};
use gazeprint::method::{FitError, FitReport, Method, Monitor, Training};
use gazeprint::saccade::{Reading, readings};
use gazeprint::template::Probe;
use rayon::prelude::*;
use thiserror::Error;

use crate::curves::Curves;
use crate::measures::{Claims, rank_one};
use crate::protocol::{Protocol, ProtocolError, Split};

/// Why a study failed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StudyError {
    /// The corpus cannot be divided as asked.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// No fixation counts.
    #[error("none of the {0} fixations counts")]
    NothingLeft(usize, Drops),
    /// A method could not be fitted.
    #[error("{method}, split {split}")]
    Fit {
        /// Which method.
        method: String,
        /// Which split, from 1.
        split: usize,
        /// Why.
        source: FitError,
    },
}

impl StudyError {
    /// Whether the study was asked to stop.
    pub fn is_interruption(&self) -> bool {
        use gazeprint::inference::InferenceError::Interrupted;
        matches!(self, Self::Fit { source: FitError::Inference(Interrupted), .. })
    }
}

/// What is watched of a study, besides the work of the methods.
pub trait StudyMonitor: Monitor {
    /// A method starts on a split (from 0).
    fn begin(&self, method: &str, split: usize);
}

/// What a study is to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// How the corpus is divided.
    pub protocol: Protocol,
    /// Sizes of probes, in sentences.
    pub probe_sentences: Vec<usize>,
    /// Which fixations count.
    pub limits: Limits,
}

/// Identification and verification at one size of probes, in one split.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// Sentences a probe; `None` for all test sentences of a reader.
    pub sentences: Option<usize>,
    /// Number of probes.
    pub probes: usize,
    /// Those of readers with fewer test sentences than asked for: all they have.
    pub shorter: usize,
    /// Part identified.
    pub accuracy: f64,
    /// Equal error rate.
    pub eer: f64,
    /// By reader of the split: probes identified, probes in all.
    pub by_reader: Vec<(f64, usize)>,
}

/// A method on one split.
#[derive(Debug, Clone)]
pub struct SplitResult {
    /// The readers, as indices into the corpus.
    pub readers: Vec<usize>,
    /// With all test sentences of a reader as one probe.
    pub all: ProbeResult,
    /// The area under false accepts over false rejects, with all test sentences.
    pub area: f64,
    /// By size of the probes.
    pub by_sentences: Vec<ProbeResult>,
    /// By amount of reading and number of readers.
    pub curves: Curves,
    /// The fit.
    pub report: FitReport,
    /// Seconds spent on scoring probes of all sizes against all readers.
    pub score_seconds: f64,
    /// Observations beyond the grids, in all test readings.
    pub clamped: usize,
}

/// A method over all splits.
#[derive(Debug, Clone)]
pub struct MethodResult {
    /// Name of the method.
    pub method: String,
    /// Its engine.
    pub engine: Option<String>,
    /// By split.
    pub splits: Vec<SplitResult>,
}

/// Everything a study found.
#[derive(Debug, Clone)]
pub struct Study {
    /// What was asked.
    pub plan: Plan,
    /// Name of the corpus.
    pub corpus: String,
    /// Readers, texts and fixations in the corpus.
    pub readers: usize,
    /// Texts in the corpus.
    pub texts: usize,
    /// Fixations in the corpus, dropped ones included.
    pub fixations: usize,
    /// Fixations dropped.
    pub drops: Drops,
    /// Names of readers left out of at least one split.
    pub excluded: Vec<String>,
    /// The methods.
    pub methods: Vec<MethodResult>,
}

impl Study {
    /// Divides the corpus and compares the methods.
    ///
    /// # Errors
    /// If the corpus is too small for the plan, a fit fails, or the monitor says stop.
    pub fn run(
        corpus: &Corpus,
        plan: Plan,
        methods: &[Box<dyn Method>],
        monitor: &dyn StudyMonitor,
    ) -> Result<Self, StudyError> {
        if plan.probe_sentences.contains(&0) {
            return Err(ProtocolError::EmptyProbe.into());
        }
        let (readings, drops) = readings(corpus, plan.limits);
        if readings.is_empty() {
            return Err(StudyError::NothingLeft(corpus.fixation_count(), drops));
        }
        let splits = plan.protocol.splits(corpus, &readings)?;
        let mut results: Vec<MethodResult> = methods
            .iter()
            .map(|m| MethodResult {
                method: m.name().to_owned(),
                engine: m.engine().map(str::to_owned),
                splits: Vec::with_capacity(splits.len()),
            })
            .collect();
        for (method, result) in methods.iter().zip(&mut results) {
            for (number, split) in splits.iter().enumerate() {
                monitor.begin(method.name(), number);
                let outcome = run_split(&plan, number, split, &readings, method.as_ref(), monitor);
                result.splits.push(outcome.map_err(|source| StudyError::Fit {
                    method: method.name().to_owned(),
                    split: number + 1,
                    source,
                })?);
            }
        }
        let mut excluded: Vec<usize> = splits.iter().flat_map(|s| s.excluded.clone()).collect();
        excluded.sort_unstable();
        excluded.dedup();
        Ok(Self {
            plan,
            corpus: corpus.name().to_owned(),
            readers: corpus.readers().len(),
            texts: corpus.texts().len(),
            fixations: corpus.fixation_count(),
            drops,
            excluded: excluded.into_iter().map(|r| corpus.readers()[r].clone()).collect(),
            methods: results,
        })
    }

    /// Dropped fixations by reason, those that occurred.
    pub fn dropped(&self) -> impl Iterator<Item = (DropReason, usize)> {
        DropReason::ALL.into_iter().map(|r| (r, self.drops.of(r))).filter(|(_, n)| *n > 0)
    }
}

fn run_split(
    plan: &Plan,
    number: usize,
    split: &Split,
    readings: &[Reading],
    method: &dyn Method,
    monitor: &dyn StudyMonitor,
) -> Result<SplitResult, FitError> {
    let train = split.train.iter().map(|&(reader, i)| (reader, &readings[i])).collect();
    let training = Training::new(split.readers.len(), train)?;
    let fitted = method.fit(&training, plan.protocol.seed_of(number), monitor)?;
    let start = Instant::now();
    let sentences = Sentences::encode(fitted.gallery.as_ref(), split, readings);
    let by_reader = split.test_by_reader();
    let everything: Vec<Vec<Vec<usize>>> =
        by_reader.iter().map(|test| vec![test.clone()]).collect();
    let (all, claims) = sentences.compare(None, &everything);
    let by_sentences = plan
        .probe_sentences
        .iter()
        .map(|&m| {
            let probes: Vec<_> = by_reader
                .iter()
                .zip(&split.readers)
                .map(|(test, &reader)| plan.protocol.probes(number, reader, test, m))
                .collect();
            sentences.compare(Some(m), &probes).0
        })
        .collect();
    let curves = Curves::of(&sentences, &plan.protocol, number, split, readings);
    let score_seconds = start.elapsed().as_secs_f64();
    Ok(SplitResult {
        readers: split.readers.clone(),
        area: claims.area(),
        all,
        by_sentences,
        curves,
        report: fitted.report,
        score_seconds,
        clamped: sentences.probes.iter().flatten().map(Probe::clamped).sum(),
    })
}

/// The test readings of a split, encoded and, where scores add up, scored once for all probes.
pub(crate) struct Sentences<'a> {
    gallery: &'a dyn Gallery,
    /// By reading.
    probes: Vec<Option<Probe>>,
    /// By reading; empty where scores do not add up.
    scores: Vec<Vec<f64>>,
}

impl<'a> Sentences<'a> {
    fn encode(gallery: &'a dyn Gallery, split: &Split, readings: &[Reading]) -> Self {
        let mut tested = vec![false; readings.len()];
        split.test.iter().for_each(|&(_, i)| tested[i] = true);
        let probes: Vec<Option<Probe>> = readings
            .par_iter()
            .zip(tested)
            .map(|(reading, tested)| tested.then(|| gallery.probe(reading)))
            .collect();
        let scores = if gallery.is_additive() {
            probes
                .par_iter()
                .map(|p| p.as_ref().map_or_else(Vec::new, |p| gallery.scores(p)))
                .collect()
        } else {
            Vec::new()
        };
        Self { gallery, probes, scores }
    }

    /// The scores of a probe of whole readings.
    pub(crate) fn score(&self, probe: &[usize]) -> Vec<f64> {
        if self.gallery.is_additive() {
            let mut total = vec![0.0; self.gallery.len()];
            for &reading in probe {
                total.iter_mut().zip(&self.scores[reading]).for_each(|(t, s)| *t += s);
            }
            total
        } else {
            self.gallery
                .scores(&Probe::merged(probe.iter().filter_map(|&i| self.probes[i].as_ref())))
        }
    }

    /// The scores of a probe of whole readings and one that was cut off.
    pub(crate) fn score_with(&self, probe: &[usize], part: &Reading) -> Vec<f64> {
        let part = self.gallery.probe(part);
        if self.gallery.is_additive() {
            let mut total = self.score(probe);
            total.iter_mut().zip(self.gallery.scores(&part)).for_each(|(t, s)| *t += s);
            total
        } else {
            let whole = probe.iter().filter_map(|&i| self.probes[i].as_ref());
            self.gallery.scores(&Probe::merged(whole.chain([&part])))
        }
    }

    /// Compares probes, given by reader, with all readers.
    fn compare(
        &self,
        sentences: Option<usize>,
        probes: &[Vec<Vec<usize>>],
    ) -> (ProbeResult, Claims) {
        let parts: Vec<(f64, Claims)> = probes
            .par_iter()
            .enumerate()
            .map(|(reader, probes)| {
                let mut right = 0.0;
                let mut claims = Claims::default();
                for probe in probes {
                    let scores = self.score(probe);
                    right += rank_one(&scores, reader);
                    claims.push(&cohort_ratios(&scores), reader);
                }
                (right, claims)
            })
            .collect();
        let mut claims = Claims::default();
        let mut by_reader = Vec::with_capacity(parts.len());
        for ((right, part), probes) in parts.into_iter().zip(probes) {
            by_reader.push((right, probes.len()));
            claims.genuine.extend(part.genuine);
            claims.impostor.extend(part.impostor);
        }
        let count: usize = by_reader.iter().map(|(_, n)| n).sum();
        let right: f64 = by_reader.iter().map(|(right, _)| right).sum();
        let result = ProbeResult {
            sentences,
            probes: count,
            shorter: probes.iter().flatten().filter(|p| Some(p.len()) < sentences).count(),
            accuracy: right / count as f64,
            eer: claims.equal_error_rate(),
            by_reader,
        };
        (result, claims)
    }
}
