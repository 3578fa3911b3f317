//! A study: methods compared over repeated splits of a corpus.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use gazeprint::assignment::{Assignment, Role};
use gazeprint::corpus::{Corpus, DropReason, Drops, Limits};
use gazeprint::decision::{Rules, ScoredReadings, WatchParams, cohort_ratios};
use gazeprint::method::{Common, FitError, FitReport, Method, Monitor, Score, Training, Unwatched};
use gazeprint::saccade::{Reading, readings};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::attacks::{SplitAttacks, Target};
use crate::curves::Curves;
use crate::measures::{Claims, ReaderErrors, rank_one};
use crate::protocol::{Protocol, ProtocolError, Split, draw_readers};
use crate::strangers::SplitStrangers;
use crate::thresholds::{LearnedThreshold, RATES};
use crate::vigil::SplitVigils;

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
    /// What was found could not be kept.
    #[error("results of {method}, split {split}, could not be kept: {reason}")]
    Keep {
        /// Which method.
        method: String,
        /// Which split, from 1.
        split: usize,
        /// Why.
        reason: String,
    },
}

impl StudyError {
    fn interruption(method: String, split: usize) -> Self {
        use gazeprint::inference::InferenceError::Interrupted;
        Self::Fit { method, split, source: FitError::Inference(Interrupted) }
    }

    /// Whether the study was asked to stop.
    pub fn is_interruption(&self) -> bool {
        use gazeprint::inference::InferenceError::Interrupted;
        matches!(self, Self::Fit { source: FitError::Inference(Interrupted), .. })
    }
}

/// What is watched of a study, besides the work of the methods.
pub trait StudyMonitor: Monitor {
    /// A method starts on a split (from 0) of so many.
    fn begin(&self, method: &str, split: usize, splits: usize);

    /// What was found for a method and a split.
    fn found(&self, method: &str, split: usize, result: &SplitResult) {
        _ = (method, split, result);
    }
}

impl StudyMonitor for Unwatched {
    fn begin(&self, _: &str, _: usize, _: usize) {}
}

/// Keeps what was found for one method and split, so that it need not be found again.
pub trait Keeper {
    /// What was kept of an earlier study with the same plan.
    fn recall(&self, method: &str, split: usize) -> Option<SplitResult>;

    /// Keeps a result, and lets the scores go that only files want.
    ///
    /// # Errors
    /// If that fails, with the reason.
    fn keep(
        &self,
        method: &str,
        split: usize,
        result: &SplitResult,
        scores: &[ProbeScores],
    ) -> Result<(), String>;
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forgetful;

impl Keeper for Forgetful {
    fn recall(&self, _: &str, _: usize) -> Option<SplitResult> {
        None
    }

    fn keep(&self, _: &str, _: usize, _: &SplitResult, _: &[ProbeScores]) -> Result<(), String> {
        Ok(())
    }
}

/// What a study is to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// How the corpus is divided.
    pub protocol: Protocol,
    /// Number of readers to draw from the corpus; `None` for all.
    pub readers: Option<usize>,
    /// Sizes of probes, in sentences.
    pub probe_sentences: Vec<usize>,
    /// Which fixations count.
    pub limits: Limits,
    /// Whether readers are attacked too.
    pub attacks: bool,
    /// How readers are watched, where they are.
    pub watch: Option<WatchParams>,
    /// Whether half of the readers are strangers, too.
    pub strangers: bool,
}

/// A corpus as a plan has it: its readers drawn, its fixations read, its readings divided.
#[derive(Debug, Clone)]
pub struct DividedCorpus {
    /// The plan.
    pub plan: Plan,
    /// The corpus, of the readers that take part.
    pub corpus: Corpus,
    /// Its readings.
    pub readings: Vec<Reading>,
    /// Fixations that do not count.
    pub drops: Drops,
    /// Its divisions.
    pub splits: Vec<Split>,
}

impl DividedCorpus {
    /// Does what the plan says. Whatever is wrong with the plan, or too little for it in the
    /// corpus, shows here.
    ///
    /// # Errors
    /// If the request makes no sense or the corpus is too small for it.
    pub fn new(corpus: Corpus, plan: Plan) -> Result<Self, StudyError> {
        if plan.probe_sentences.contains(&0) {
            return Err(ProtocolError::EmptyProbe.into());
        }
        plan.protocol.check(&corpus)?;
        let corpus = match plan.readers {
            Some(number) => draw_readers(&corpus, number, plan.protocol.seed)?,
            None => corpus,
        };
        let (readings, drops) = readings(&corpus, plan.limits);
        if readings.is_empty() {
            return Err(StudyError::NothingLeft(corpus.fixation_count(), drops));
        }
        let splits = plan.protocol.splits(&corpus, &readings)?;
        Ok(Self { plan, corpus, readings, drops, splits })
    }

    /// Names of readers left out of at least one split.
    pub fn excluded(&self) -> Vec<String> {
        let mut excluded: Vec<usize> =
            self.splits.iter().flat_map(|s| s.excluded.clone()).collect();
        excluded.sort_unstable();
        excluded.dedup();
        excluded.into_iter().map(|r| self.corpus.readers()[r].clone()).collect()
    }

    /// The same for methods that need words, which are given no readings without any; none where all have some.
    ///
    /// # Errors
    /// If somebody is left with nothing to learn from or to be tested by.
    fn with_words(&self) -> Result<Option<Self>, FitError> {
        let has_words = |&(_, i): &(usize, usize)| !self.readings[i].events.is_empty();
        let has_all = |split: &Split| split.train.iter().chain(&split.test).all(has_words);
        if self.splits.iter().all(has_all) {
            return Ok(None);
        }
        let mut splits = self.splits.clone();
        for split in &mut splits {
            for part in [&mut split.train, &mut split.test] {
                part.retain(has_words);
                let left: HashSet<usize> = part.iter().map(|(reader, _)| *reader).collect();
                if let Some(without) = (0..split.readers.len()).find(|r| !left.contains(r)) {
                    return Err(FitError::NoWords(without));
                }
            }
        }
        Ok(Some(Self { splits, ..self.clone() }))
    }

    /// Which readings train and which test, split by split.
    pub fn assignments(&self) -> impl Iterator<Item = Assignment> {
        self.splits.iter().zip(1..).flat_map(move |(split, number)| {
            let role = |role: Role| move |&(_, reading): &(usize, usize)| (reading, role);
            let train = split.train.iter().map(role(Role::Train));
            let test = split.test.iter().map(role(Role::Test));
            let mut rows: Vec<(usize, Role)> = train.chain(test).collect();
            rows.sort_unstable_by_key(|(reading, _)| *reading);
            rows.into_iter().map(move |(reading, role)| {
                let path = &self.corpus.scanpaths()[self.readings[reading].scanpath];
                Assignment {
                    split: number,
                    reader: self.corpus.readers()[path.reader].clone(),
                    text: self.corpus.texts()[path.text].id().to_owned(),
                    session: Some(path.session.clone()),
                    trial: Some(path.trial.clone()),
                    role,
                }
            })
        })
    }

    /// Dropped fixations by reason, those that occurred.
    pub fn dropped(&self) -> impl Iterator<Item = (DropReason, usize)> {
        DropReason::ALL.into_iter().map(|r| (r, self.drops.of(r))).filter(|(_, n)| *n > 0)
    }
}

/// Identification and verification at one size of probes, in one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Cost of the calibrated log-likelihood ratios, and the lowest that any monotone calibration
    /// of the ratios to the cohort could reach; none without calibration.
    pub cllr: Option<[f64; 2]>,
    /// False claims among the training texts that thresholds for such probes were fixed on.
    pub threshold_comparisons: usize,
    /// By reader of the split.
    pub by_reader: Vec<ReaderTally>,
    /// Errors of each reader around the equal error rate.
    pub errors: ReaderErrors,
}

/// The probes of one reader.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ReaderTally {
    /// Probes identified; ties count in part.
    pub right: f64,
    /// Probes in all: as many true claims.
    pub probes: usize,
    /// True claims rejected at the thresholds for [`RATES`].
    pub rejected: [usize; RATES.len()],
    /// False claims, made with this reader's probes.
    pub false_claims: usize,
    /// False claims accepted at the thresholds for [`RATES`].
    pub accepted: [usize; RATES.len()],
    /// The same if this reader were not enrolled: a stranger.
    pub accepted_as_stranger: [usize; RATES.len()],
    /// Summed costs of the calibrated ratios of true and of false claims, bits.
    pub costs: [f64; 2],
}

/// A probe of all test sentences of a reader, compared with everybody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeScores {
    /// The reader's place in the split.
    pub reader: usize,
    /// The score of every reader of the split.
    pub scores: Vec<f64>,
    /// The calibrated log-likelihood ratio to the cohort; none without calibration.
    pub ratios: Option<Vec<f64>>,
}

/// A method on one split.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SplitResult {
    /// The readers, as indices into the corpus.
    pub readers: Vec<usize>,
    /// With all test sentences of a reader as one probe.
    pub all: ProbeResult,
    /// The area under false accepts over false rejects, with all test sentences.
    pub area: f64,
    /// By size of the probes.
    pub by_sentences: Vec<ProbeResult>,
    /// Thresholds learned on the training texts.
    pub thresholds: Vec<LearnedThreshold>,
    /// What was decided by: the rules that a gallery of these readers would have.
    pub rules: Option<Rules>,
    /// By amount of reading and number of readers.
    pub curves: Curves,
    /// The fit.
    pub report: FitReport,
    /// Seconds spent on calibration, and on scoring probes of all sizes against all readers.
    pub score_seconds: f64,
    /// Observations beyond the grids, in all test readings.
    pub clamped: usize,
    /// Attacks, where they were asked for and there are rules to judge them by.
    pub attacks: Option<SplitAttacks>,
    /// Watches, where they were asked for and there are rules to decide by.
    pub vigils: Option<SplitVigils>,
    /// Strangers, where they were asked for and there are rules to judge them by.
    pub strangers: Option<SplitStrangers>,
}

/// A method over all splits.
#[derive(Debug, Clone)]
pub struct MethodResult {
    /// Name of the method.
    pub method: String,
    /// Its engine.
    pub engine: Option<String>,
    /// What its scores are.
    pub score: Score,
    /// By split.
    pub splits: Vec<SplitResult>,
}

/// Everything a study found.
#[derive(Debug, Clone)]
pub struct Study {
    /// The methods.
    pub methods: Vec<MethodResult>,
}

impl Study {
    /// Compares the methods, split by split. The last of them come first: methods are listed from the best
    /// on, which take longest, and the monitor soon learns something of most. What is found does not
    /// depend on it.
    ///
    /// # Errors
    /// If a fit fails, a result cannot be kept, or the monitor says stop.
    pub fn run(
        divided: &DividedCorpus,
        methods: &[Box<dyn Method>],
        monitor: &dyn StudyMonitor,
        keeper: &dyn Keeper,
    ) -> Result<Self, StudyError> {
        let with_words = match methods.iter().find(|method| method.needs_words()) {
            Some(method) => {
                let method = || method.name().to_owned();
                let failed = |source| StudyError::Fit { method: method(), split: 1, source };
                divided.with_words().map_err(failed)?
            }
            None => None,
        };
        let result = |method: &dyn Method| MethodResult {
            method: method.name().to_owned(),
            engine: method.engine().map(str::to_owned),
            score: method.score(),
            splits: Vec::new(),
        };
        let mut results: Vec<MethodResult> = methods.iter().map(|m| result(m.as_ref())).collect();
        let splits = if methods.is_empty() { 0 } else { divided.splits.len() };
        for number in 0..splits {
            // Of fewer readings, other things are learned.
            let [of_all, of_words] = [Shared::default(), Shared::default()];
            for (method, result) in methods.iter().zip(&mut results).rev() {
                let (divided, shared) = match &with_words {
                    Some(with_words) if method.needs_words() => (with_words, &of_words),
                    _ => (divided, &of_all),
                };
                let name = &result.method;
                // Methods that are fitted at once do not ask.
                if monitor.stop() {
                    return Err(StudyError::interruption(name.clone(), number + 1));
                }
                monitor.begin(name, number, splits);
                if let Some(kept) = keeper.recall(name, number) {
                    monitor.found(name, number, &kept);
                    result.splits.push(kept);
                    continue;
                }
                let failed =
                    |source| StudyError::Fit { method: name.clone(), split: number + 1, source };
                let outcome = run_split(divided, number, method.as_ref(), shared, monitor);
                let (found, scores) = outcome.map_err(failed)?;
                let unkept = |reason| {
                    let method = name.clone();
                    StudyError::Keep { method, split: number + 1, reason }
                };
                keeper.keep(name, number, &found, &scores).map_err(unkept)?;
                monitor.found(name, number, &found);
                result.splits.push(found);
            }
        }
        Ok(Self { methods: results })
    }
}

/// What a method finds on one split: a part of a study that depends on no other, so that it can be found on any
/// machine and given back by a [`Keeper`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Unit {
    /// What was found.
    pub result: SplitResult,
    /// The scores, which only files want.
    pub scores: Vec<ProbeScores>,
}

impl Unit {
    /// Runs a method on a split, counted from 0.
    ///
    /// # Errors
    /// If the fit fails or the monitor says stop.
    pub fn run(
        divided: &DividedCorpus,
        split: usize,
        method: &dyn Method,
        monitor: &dyn StudyMonitor,
    ) -> Result<Self, StudyError> {
        let name = method.name().to_owned();
        let failed = |source| StudyError::Fit { method: name.clone(), split: split + 1, source };
        let with_words = match method.needs_words() {
            true => divided.with_words().map_err(failed)?,
            false => None,
        };
        let divided = with_words.as_ref().unwrap_or(divided);
        monitor.begin(&name, split, divided.splits.len());
        let found = run_split(divided, split, method, &Shared::default(), monitor);
        let (result, scores) = found.map_err(failed)?;
        monitor.found(&name, split, &result);
        Ok(Self { result, scores })
    }
}

/// What methods learn alike of a split.
#[derive(Debug, Default)]
struct Shared {
    /// Of all its readers.
    all: Arc<Common>,
    /// Of those who are enrolled among strangers.
    enrolled: Arc<Common>,
}

fn run_split(
    divided: &DividedCorpus,
    number: usize,
    method: &dyn Method,
    shared: &Shared,
    monitor: &dyn StudyMonitor,
) -> Result<(SplitResult, Vec<ProbeScores>), FitError> {
    let DividedCorpus { plan, readings, splits, .. } = divided;
    let (protocol, split) = (&plan.protocol, &splits[number]);
    let train = split.train.iter().map(|&(reader, i)| (reader, &readings[i])).collect();
    let training =
        Training::new(split.readers.len(), train)?.for_probes_of(split.occasion(readings));
    let training = training.sharing(&shared.all);
    let fitted = method.fit(&training, protocol.seed_of(number), monitor)?;
    let start = Instant::now();
    // What a gallery of these readers would decide by.
    let learned = Rules::learn(&fitted, &training);
    let thresholds = learned.as_ref().map_or_else(Vec::new, LearnedThreshold::all);
    let rules = learned.map(|learned| Arc::new(learned.rules));
    let by_index: Vec<&Reading> = readings.iter().collect();
    let tested = split.test.iter().map(|&(_, i)| i);
    let scorer = fitted.scorer.as_ref();
    let sentences = ScoredReadings::encode(scorer, tested, &by_index);
    let compared = TestReadings { sentences: &sentences, rules: rules.as_deref() };
    let by_reader = split.test_by_reader();
    let everything: Vec<Vec<Vec<usize>>> =
        by_reader.iter().map(|test| vec![test.clone()]).collect();
    let all = compared.probes(None, &everything);
    let few = || {
        let sizes = plan.probe_sentences.par_iter();
        let compare = |&m: &usize| {
            let probes: Vec<_> = by_reader
                .iter()
                .zip(&split.readers)
                .map(|(test, &reader)| protocol.probes(number, reader, test, m))
                .collect();
            compared.probes(Some(m), &probes)
        };
        sizes.map(compare).collect()
    };
    let fewest = splits.iter().map(|s| s.readers.len()).min().unwrap_or(0);
    let curves = || Curves::of(&sentences, protocol, number, split, readings, fewest);
    let (by_sentences, curves) = rayon::join(few, curves);
    let scores = everything.iter().enumerate().map(|(reader, probe)| {
        let scores = sentences.score(&probe[0]);
        let ratios = compared.llrs(&probe[0]);
        ProbeScores { reader, scores, ratios }
    });
    let score_seconds = start.elapsed().as_secs_f64();
    let attacks = rules.as_ref().filter(|_| plan.attacks).map(|rules| {
        let sentences = &sentences;
        SplitAttacks::of(&Target { divided, number, fitted: &fitted, rules, sentences })
    });
    let watch = |(rules, params)| SplitVigils::of(scorer, rules, split, readings, params);
    let vigils = rules.as_ref().zip(plan.watch).map(watch);
    let scores: Vec<ProbeScores> = scores.collect();
    let strangers = match plan.strangers {
        true => SplitStrangers::of(divided, number, method, &shared.enrolled, monitor)?,
        false => None,
    };
    let clamped = sentences.clamped();
    let result = SplitResult {
        readers: split.readers.clone(),
        area: curves.claims.last().map_or(f64::NAN, Claims::area),
        all,
        by_sentences,
        curves,
        report: fitted.report,
        score_seconds,
        clamped,
        attacks,
        vigils,
        strangers,
        thresholds,
        rules: rules.map(Arc::unwrap_or_clone),
    };
    Ok((result, scores))
}

/// Test readings, with what the training texts say about scores.
struct TestReadings<'a> {
    sentences: &'a ScoredReadings<'a>,
    rules: Option<&'a Rules>,
}

/// The probes of one reader, compared with all readers.
#[derive(Default)]
struct ReaderPart {
    tally: ReaderTally,
    /// On the ratio to the cohort.
    claims: Claims,
    /// On what log-likelihood ratios are told of, where that is something else.
    told: Option<Claims>,
    log_fixations: f64,
}

impl TestReadings<'_> {
    /// Compares probes, given by reader, with all readers.
    fn probes(&self, sentences: Option<usize>, probes: &[Vec<Vec<usize>>]) -> ProbeResult {
        let parts: Vec<ReaderPart> = probes
            .par_iter()
            .enumerate()
            .map(|(reader, probes)| {
                let mut part = ReaderPart::default();
                probes.iter().for_each(|probe| self.probe(reader, probe, &mut part));
                part
            })
            .collect();
        let length = parts.iter().map(|p| p.log_fixations).sum::<f64>();
        let errors = ReaderErrors::of(parts.iter().map(|part| &part.claims));
        let (mut claims, mut told) = (Claims::default(), None);
        let mut by_reader = Vec::with_capacity(parts.len());
        for part in parts {
            by_reader.push(part.tally);
            claims.extend(part.claims);
            if let Some(part) = part.told {
                told.get_or_insert_with(Claims::default).extend(part);
            }
        }
        let sum = |value: &dyn Fn(&ReaderTally) -> f64| by_reader.iter().map(value).sum::<f64>();
        let (probes_in_all, false_claims) =
            (sum(&|t| t.probes as f64), sum(&|t| t.false_claims as f64));
        let cost =
            0.5 * (sum(&|t| t.costs[0]) / probes_in_all + sum(&|t| t.costs[1]) / false_claims);
        ProbeResult {
            sentences,
            probes: claims.genuine.len(),
            shorter: probes.iter().flatten().filter(|p| Some(p.len()) < sentences).count(),
            accuracy: sum(&|t| t.right) / probes_in_all,
            eer: claims.equal_error_rate(),
            cllr: self.telling().map(|_| [cost, told.as_ref().unwrap_or(&claims).min_cllr()]),
            threshold_comparisons: self.rules.map_or(0, |rules| {
                let fixations = (length / probes_in_all).exp().round() as usize;
                rules.for_claim(RATES[0], fixations).comparisons
            }),
            by_reader,
            errors,
        }
    }

    fn probe(&self, reader: usize, probe: &[usize], part: &mut ReaderPart) {
        let read = self.sentences.tally(probe);
        let scores = self.sentences.scorer().settle(&read);
        let fixations = read.fixations();
        let cohort = cohort_ratios(&scores);
        let tally = &mut part.tally;
        tally.right += rank_one(&scores, reader);
        tally.probes += 1;
        tally.false_claims += cohort.len() - 1;
        part.log_fixations += (fixations as f64).ln();
        if let Some(rules) = self.rules {
            let strengths = rules.strengths(self.sentences.scorer(), &read, &scores);
            let as_stranger = rules.strengths_without(&strengths, &scores, reader);
            for (i, rate) in RATES.into_iter().enumerate() {
                let threshold = rules.for_claim(rate, fixations);
                let accepted =
                    |ratios: &[f64]| ratios.iter().filter(|r| threshold.is_reached(**r)).count();
                let genuine = usize::from(threshold.is_reached(strengths[reader]));
                tally.rejected[i] += 1 - genuine;
                tally.accepted[i] += accepted(&strengths) - genuine;
                tally.accepted_as_stranger[i] += accepted(&as_stranger);
            }
            if let Some(rules) = self.telling() {
                let mut claims = Claims::default();
                claims.push(&rules.llrs(&scores, &strengths, fixations), reader);
                tally.costs.iter_mut().zip(claims.costs()).for_each(|(sum, cost)| *sum += cost);
            }
            if rules.is_of_people() {
                part.told.get_or_insert_with(Claims::default).push(&strengths, reader);
            }
        }
        part.claims.push(&cohort, reader);
    }

    /// Rules that tell log-likelihood ratios.
    fn telling(&self) -> Option<&Rules> {
        self.rules.filter(|rules| rules.is_of_people() || rules.is_calibrated())
    }

    /// What a probe says of every reader as log-likelihood ratios: those that answers tell.
    fn llrs(&self, probe: &[usize]) -> Option<Vec<f64>> {
        let rules = self.telling()?;
        let read = self.sentences.tally(probe);
        let scores = self.sentences.scorer().settle(&read);
        let strengths = rules.strengths(self.sentences.scorer(), &read, &scores);
        Some(rules.llrs(&scores, &strengths, read.fixations()))
    }
}
