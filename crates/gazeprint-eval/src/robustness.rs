//! How much worse methods do on worse recordings: noise on positions, and short fixations that go
//! unnoticed.
//!
//! A worse tracker records training and test alike. So at every level the whole corpus is degraded
//! before the study of the plan is repeated on it. Levels are comparable: they have the same seed,
//! and so the same splits, except where a text loses its last fixation.

use gazeprint::corpus::{Chars, Corpus, Limits, Millis, Scanpath};
use gazeprint::inference::InferenceError;
use gazeprint::method::{FitError, Method};
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::readings;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use crate::measures::mean_and_error;
use crate::study::{
    DividedCorpus, Keeper, MethodResult, Plan, ProbeResult, ProbeScores, SplitResult, Study,
    StudyError, StudyMonitor,
};

/// Standard deviations of the noise added to positions, characters.
pub const NOISE_SD: [f64; 6] = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0];
/// Shortest durations kept, ms; those from the plan's longest on are left out.
pub const MIN_DURATIONS: [f64; 5] = [0.0, 50.0, 80.0, 100.0, 150.0];
/// Most splits at a level, whatever the division. There are eleven levels, and a trend needs no last digit.
pub const MOST_SPLITS: usize = 3;

/// Accuracy at one size of probes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProbeAccuracy {
    /// Sentences a probe; `None` for all test sentences of a reader.
    pub sentences: Option<usize>,
    /// Mean over splits.
    pub mean: f64,
    /// Standard error over splits, unknown for a single one.
    pub se: Option<f64>,
}

/// Accuracy of one method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodAccuracy {
    /// The method's name.
    pub method: String,
    /// By size of the probes, in the order of the plan; then with all test sentences.
    pub accuracy: Vec<ProbeAccuracy>,
}

/// What a level comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Share of the fixations that do not count, 0 to 1.
    pub dropped_share: f64,
    /// The methods; none where the level cannot be studied.
    pub methods: Vec<MethodAccuracy>,
    /// Why it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// With noise on positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoiseLevel {
    /// Standard deviation of the noise, characters.
    pub sd_chars: f64,
    /// What it comes to.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Without short fixations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DurationLevel {
    /// Shortest duration kept, ms.
    pub min_duration_ms: f64,
    /// What it comes to.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Accuracy on worse and worse recordings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Robustness {
    /// Splits at each level.
    pub splits: usize,
    /// At [`NOISE_SD`], with the plan's limits on durations.
    pub position_noise: Vec<NoiseLevel>,
    /// At [`MIN_DURATIONS`], without noise.
    pub min_duration: Vec<DurationLevel>,
}

/// The levels of a divided corpus, those that cannot be studied known beforehand.
#[derive(Debug)]
pub struct Levels<'a> {
    divided: &'a DividedCorpus,
    noise: Vec<(f64, Level)>,
    duration: Vec<(f64, Level)>,
}

/// A corpus made worse.
#[derive(Debug)]
struct Level {
    /// Tells it from the others where results are kept.
    name: String,
    sd: Chars,
    limits: Limits,
    state: State,
}

/// What is known of a level beforehand.
#[derive(Debug)]
enum State {
    /// That it is the study of the plan.
    Plan,
    Missing(Outcome),
    Open,
}

impl<'a> Levels<'a> {
    /// Tries to divide the corpus at every level.
    pub fn of(divided: &'a DividedCorpus) -> Self {
        let limits = divided.plan.limits;
        let level = |name: String, sd: Chars, limits: Limits| {
            let mut level = Level { name, sd, limits, state: State::Open };
            if sd.0 == 0.0 && limits == divided.plan.limits {
                level.state = State::Plan;
            } else if let Err(missing) = level.divide(divided) {
                level.state = State::Missing(missing);
            }
            level
        };
        Self {
            divided,
            noise: NOISE_SD.map(|sd| (sd, level(format!("noise-{sd}"), Chars(sd), limits))).into(),
            duration: duration_levels(&divided.plan)
                .map(|(ms, limits)| (ms, level(format!("shortest-{ms}"), Chars(0.0), limits)))
                .collect(),
        }
    }

    /// Studies that [`Self::run`] comes to.
    pub fn studies(&self) -> usize {
        let levels = self.noise.iter().chain(&self.duration);
        levels.filter(|(_, level)| matches!(level.state, State::Open)).count()
    }

    /// Repeats the study of the plan, with at most [`MOST_SPLITS`] splits, at every level. The
    /// monitor sees the studies one after the other. The keeper is asked for methods by the names
    /// `LEVEL/METHOD`, and given no scores.
    ///
    /// # Errors
    /// If a result cannot be kept or the monitor says stop. A level at which a method fails is
    /// missing, so that the others are not lost.
    pub fn run(
        &self,
        study: &Study,
        methods: &[Box<dyn Method>],
        monitor: &dyn StudyMonitor,
        keeper: &dyn Keeper,
    ) -> Result<Robustness, StudyError> {
        let outcome = |level: &Level| match &level.state {
            State::Plan => Ok(Outcome::of(self.divided, study)),
            State::Missing(outcome) => Ok(outcome.clone()),
            State::Open => level.run(self.divided, methods, monitor, keeper),
        };
        Ok(Robustness {
            splits: self.divided.splits.len().min(MOST_SPLITS),
            position_noise: self
                .noise
                .iter()
                .map(|&(sd_chars, ref level)| Ok(NoiseLevel { sd_chars, outcome: outcome(level)? }))
                .collect::<Result<_, StudyError>>()?,
            min_duration: self
                .duration
                .iter()
                .map(|&(min_duration_ms, ref level)| {
                    Ok(DurationLevel { min_duration_ms, outcome: outcome(level)? })
                })
                .collect::<Result<_, StudyError>>()?,
        })
    }
}

impl Level {
    /// The corpus at this level, of the readers that have been drawn; or why there is nothing to
    /// study.
    fn divide(&self, divided: &DividedCorpus) -> Result<DividedCorpus, Outcome> {
        let plan = Plan {
            limits: self.limits,
            attacks: false,
            watch: None,
            strangers: false,
            ..divided.plan.clone()
        };
        let corpus = with_position_noise(&divided.corpus, self.sd, plan.protocol.seed);
        let (readings, drops) = readings(&corpus, plan.limits);
        let missing = |reason: String| Outcome {
            dropped_share: drops.total() as f64 / corpus.fixation_count() as f64,
            methods: Vec::new(),
            missing: Some(reason),
        };
        if readings.is_empty() {
            return Err(missing("no fixation counts".to_owned()));
        }
        let mut splits =
            plan.protocol.splits(&corpus, &readings).map_err(|error| missing(error.to_string()))?;
        splits.truncate(MOST_SPLITS);
        Ok(DividedCorpus { plan, corpus, readings, drops, splits })
    }

    fn run(
        &self,
        divided: &DividedCorpus,
        methods: &[Box<dyn Method>],
        monitor: &dyn StudyMonitor,
        keeper: &dyn Keeper,
    ) -> Result<Outcome, StudyError> {
        let divided = match self.divide(divided) {
            Ok(divided) => divided,
            Err(missing) => return Ok(missing),
        };
        let keeper = AtLevel { level: &self.name, keeper };
        match Study::run(&divided, methods, monitor, &keeper) {
            Ok(study) => Ok(Outcome::of(&divided, &study)),
            Err(StudyError::Fit { method, split, source })
                if !matches!(source, FitError::Inference(InferenceError::Interrupted)) =>
            {
                let missing = Some(format!("{method}, split {split}: {source}"));
                let nothing = Study { methods: Vec::new() };
                Ok(Outcome { missing, ..Outcome::of(&divided, &nothing) })
            }
            Err(error) => Err(error),
        }
    }
}

/// Keeps the results of a level apart.
struct AtLevel<'a> {
    level: &'a str,
    keeper: &'a dyn Keeper,
}

impl Keeper for AtLevel<'_> {
    fn recall(&self, method: &str, split: usize) -> Option<SplitResult> {
        self.keeper.recall(&format!("{}/{method}", self.level), split)
    }

    fn keep(
        &self,
        method: &str,
        split: usize,
        result: &SplitResult,
        _: &[ProbeScores],
    ) -> Result<(), String> {
        self.keeper.keep(&format!("{}/{method}", self.level), split, result, &[])
    }
}

impl Robustness {
    /// The size of probes to show, of those tried: with all test sentences good methods are right
    /// at every level.
    pub fn telling_size(sizes: &[usize]) -> Option<usize> {
        sizes.iter().copied().find(|m| *m >= 5).or(sizes.last().copied())
    }
}

/// The shortest durations that leave something below the longest, with the limits they make.
fn duration_levels(plan: &Plan) -> impl Iterator<Item = (f64, Limits)> {
    let [_, longest] = plan.limits.durations();
    let limits =
        move |shortest: f64| Some((shortest, Limits::new(Millis(shortest), longest).ok()?));
    MIN_DURATIONS.into_iter().filter_map(limits)
}

impl Outcome {
    /// Of as many splits as any level may have.
    fn of(divided: &DividedCorpus, study: &Study) -> Self {
        let fixations = divided.corpus.fixation_count();
        Self {
            dropped_share: divided.drops.total() as f64 / fixations as f64,
            methods: study.methods.iter().map(MethodAccuracy::of).collect(),
            missing: None,
        }
    }
}

impl MethodAccuracy {
    fn of(result: &MethodResult) -> Self {
        let splits = &result.splits[..result.splits.len().min(MOST_SPLITS)];
        let at_size = |(size, probes): (usize, &ProbeResult)| {
            let accuracies: Vec<f64> =
                splits.iter().filter_map(|s| sizes(s).nth(size)).map(|p| p.accuracy).collect();
            let (mean, se) = mean_and_error(&accuracies);
            ProbeAccuracy { sentences: probes.sentences, mean, se }
        };
        Self {
            method: result.method.clone(),
            accuracy: splits.first().into_iter().flat_map(sizes).enumerate().map(at_size).collect(),
        }
    }
}

/// All sizes of probes, the whole last.
fn sizes(split: &SplitResult) -> impl Iterator<Item = &ProbeResult> {
    split.by_sentences.iter().chain([&split.all])
}

/// The corpus with Gaussian noise of standard deviation `sd` added to the horizontal position of
/// every fixation that has one.
///
/// A fixation is pushed in the same direction at every `sd`, only further, so that curves over `sd`
/// are smooth.
pub fn with_position_noise(corpus: &Corpus, sd: Chars, seed: u64) -> Corpus {
    let noisy = |(place, path): (usize, &Scanpath)| {
        let index = stream::POSITION_NOISE + place as u64;
        let mut rng = Stream { seed, index }.chain(0);
        let mut path = path.clone();
        for fixation in &mut path.fixations {
            let push: f64 = rng.sample(StandardNormal);
            fixation.x = fixation.x.map(|Chars(x)| Chars(x + sd.0 * push));
        }
        path
    };
    Corpus::new(
        corpus.name(),
        corpus.readers().to_vec(),
        corpus.texts().to_vec(),
        corpus.scanpaths().iter().enumerate().map(noisy).collect(),
    )
    .expect("names and readings are those of a corpus")
}
