//! How much worse methods do on worse recordings: noise on positions, and short fixations that go
//! unnoticed.
//!
//! A worse tracker records training and test alike. So at every level the whole corpus is degraded
//! before the study of the plan is repeated on it. Levels are comparable: they have the same seed,
//! and so the same splits, except where a text loses its last fixation.

use gazeprint::corpus::{Chars, Corpus, Limits, Millis, Scanpath};
use gazeprint::method::Method;
use gazeprint::random::{Stream, stream};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use crate::figure::data::{CurvePoint, MethodCurve, RobustnessCurves};
use crate::measures::mean_and_error;
use crate::protocol::Division;
use crate::study::{
    DividedCorpus, Forgetful, MethodResult, Plan, ProbeResult, SplitResult, Study, StudyError,
    StudyMonitor,
};

/// Standard deviations of the noise added to positions, characters.
pub const NOISE_SD: [f64; 6] = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0];
/// Shortest durations kept, ms; those from the plan's longest on are left out.
pub const MIN_DURATIONS: [f64; 5] = [0.0, 50.0, 80.0, 100.0, 150.0];
/// Most splits at a level. There are eleven levels, and a trend needs no last digit.
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
    /// The methods.
    pub methods: Vec<MethodAccuracy>,
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

impl Robustness {
    /// Repeats the study of a divided corpus, with at most [`MOST_SPLITS`] random splits, at every
    /// level. The monitor sees the studies one after the other.
    ///
    /// # Errors
    /// As [`Study::run`], at the first level that fails.
    pub fn run(
        divided: &DividedCorpus,
        methods: &[Box<dyn Method>],
        monitor: &dyn StudyMonitor,
    ) -> Result<Self, StudyError> {
        let DividedCorpus { corpus, plan, .. } = divided;
        // The readers have been drawn.
        let mut plan = Plan { readers: None, ..plan.clone() };
        if let Division::Random { splits, .. } = &mut plan.protocol.division {
            *splits = (*splits).min(MOST_SPLITS);
        }
        let outcome = |corpus: Corpus, limits: Limits| {
            let divided = DividedCorpus::new(corpus, Plan { limits, ..plan.clone() })?;
            let study = Study::run(&divided, methods, monitor, &Forgetful)?;
            Ok::<_, StudyError>(Outcome::of(&divided, &study))
        };
        let position_noise = NOISE_SD
            .iter()
            .map(|&sd_chars| {
                let noisy = with_position_noise(corpus, Chars(sd_chars), plan.protocol.seed);
                Ok(NoiseLevel { sd_chars, outcome: outcome(noisy, plan.limits)? })
            })
            .collect::<Result<_, StudyError>>()?;
        let min_duration = duration_levels(&plan)
            .map(|(min_duration_ms, limits)| {
                Ok(DurationLevel { min_duration_ms, outcome: outcome(corpus.clone(), limits)? })
            })
            .collect::<Result<_, StudyError>>()?;
        let splits = match plan.protocol.division {
            Division::Random { splits, .. } => splits,
            _ => divided.splits.len(),
        };
        Ok(Self { splits, position_noise, min_duration })
    }

    /// How many studies a plan comes to.
    pub fn levels(plan: &Plan) -> usize {
        NOISE_SD.len() + duration_levels(plan).count()
    }

    /// What the figure shows, at one size of probes.
    pub fn curves(&self, sentences: Option<usize>) -> RobustnessCurves {
        let noise = self.position_noise.iter().map(|level| (level.sd_chars, &level.outcome));
        let duration =
            self.min_duration.iter().map(|level| (level.min_duration_ms, &level.outcome));
        RobustnessCurves {
            sentences,
            by_noise: curves(noise, sentences),
            by_duration: curves(duration, sentences),
        }
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
    fn of(divided: &DividedCorpus, study: &Study) -> Self {
        let fixations = divided.corpus.fixation_count();
        Self {
            dropped_share: divided.drops.total() as f64 / fixations as f64,
            methods: study.methods.iter().map(MethodAccuracy::of).collect(),
        }
    }
}

impl MethodAccuracy {
    fn of(result: &MethodResult) -> Self {
        let first = result.splits.first();
        let at_size = |(size, probes): (usize, &ProbeResult)| {
            let accuracies: Vec<f64> = result
                .splits
                .iter()
                .filter_map(|s| sizes(s).nth(size))
                .map(|p| p.accuracy)
                .collect();
            let (mean, se) = mean_and_error(&accuracies);
            ProbeAccuracy { sentences: probes.sentences, mean, se }
        };
        Self {
            method: result.method.clone(),
            accuracy: first.into_iter().flat_map(sizes).enumerate().map(at_size).collect(),
        }
    }
}

/// All sizes of probes, the whole last.
fn sizes(split: &SplitResult) -> impl Iterator<Item = &ProbeResult> {
    split.by_sentences.iter().chain([&split.all])
}

/// One curve a method; a size that was not tried has no points.
fn curves<'a>(
    levels: impl Iterator<Item = (f64, &'a Outcome)>,
    sentences: Option<usize>,
) -> Vec<MethodCurve> {
    let mut curves: Vec<MethodCurve> = Vec::new();
    for (x, outcome) in levels {
        for (place, method) in outcome.methods.iter().enumerate() {
            if place == curves.len() {
                curves.push(MethodCurve { method: method.method.clone(), points: Vec::new() });
            }
            let at_size = method.accuracy.iter().find(|a| a.sentences == sentences);
            let point =
                at_size.map(|a| CurvePoint { x, mean: a.mean, se: a.se.unwrap_or_default() });
            curves[place].points.extend(point);
        }
    }
    curves
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
