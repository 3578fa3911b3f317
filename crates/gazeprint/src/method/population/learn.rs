//! Learning a population: expectation maximisation with Laplace's approximation for each reader.

use faer::Mat;
use rayon::prelude::*;

use super::aims::{self, Aimed};
use super::durations::Sums;
use super::gaussian::{self, Belief, Shrinkage, Start};
use super::types::{self, TYPE_COEFFICIENTS};
use super::{FitError, choices, stays};
use crate::density::{GaussianPrior, Likelihood, Sample};
use crate::glance::features::{AIM_FEATURES, DURATION_FEATURES, TYPE_FEATURES};
use crate::glance::{Choice, Glance};
use crate::inference::{InferenceError, Problem, Scratch};
use crate::method::shared::MAX_POOLED;
use crate::method::{Monitor, Observations, SharedDensity};
use crate::saccade::DensityId;

/// Variance of the Gaussian processes: the population decides how much of it is used.
const AMPLITUDE: f64 = 1.0;
/// Variances that grow to so many times those that learning started from are no differences between
/// readers: the model lets something go on without end.
const RUNAWAY: f64 = 1e4;
/// A fall of the evidence by more than this part is not a matter of rounding or shrinking.
const FALL: f64 = 1e-3;

/// How a Gaussian is learned. Where learning starts and stops matters as much as the data where
/// these are few; the values are those that served best on texts held out.
struct Schedule {
    iterations: usize,
    shrinkage: Shrinkage,
}

const DENSITIES: Schedule =
    Schedule { iterations: 4, shrinkage: Shrinkage { diagonal: 5.0, dropped: 0.0, start: 1.0 } };
const TYPES: Schedule =
    Schedule { iterations: 5, shrinkage: Shrinkage { diagonal: 0.0, dropped: 0.4, start: 10.0 } };
const AIMS: Schedule =
    Schedule { iterations: 5, shrinkage: Shrinkage { diagonal: 0.0, dropped: 0.4, start: 1.0 } };
const DURATIONS: Schedule =
    Schedule { iterations: 10, shrinkage: Shrinkage { diagonal: 0.0, dropped: 0.0, start: 10.0 } };

/// Variances that learning starts from.
pub(super) const START_DENSITIES: f64 = 1.0;
/// How often a move is made differs more than what it depends on.
const START_MOVES: f64 = 0.3;
const START_TYPES: f64 = 0.05;
pub(super) const START_AIMS: f64 = 0.1;
pub(super) const START_DURATIONS: f64 = 0.003;
/// Of the weak priors around 0 of the pooled regressions of types, and of where saccades land.
const RIDGE: f64 = 1.0;
const RIDGE_AIMS: f64 = 10.0;

/// The variance that learning starts from, of what a move depends on by its place.
pub(super) fn start_of_types(feature: usize) -> f64 {
    // The constant comes first.
    if feature == 0 { START_MOVES } else { START_TYPES }
}

/// A Gaussian over readers that was learned.
pub(super) struct Learned {
    pub(super) prior: GaussianPrior,
    /// What is known of each reader under it.
    pub(super) beliefs: Vec<Option<Belief>>,
    /// Whether the evidence fell, and an earlier iterate was kept, or variances ran away, and the start
    /// was.
    pub(super) fell: bool,
}

fn start(mean: Vec<f64>, variance: impl Fn(usize) -> f64) -> GaussianPrior {
    let p = mean.len();
    let covariance = Mat::from_fn(p, p, |i, j| if i == j { variance(i) } else { 0.0 });
    GaussianPrior::new(mean, &covariance).expect("a positive diagonal is a covariance")
}

/// Alternates between what is known of each reader under a Gaussian, and the Gaussian under which
/// that is likeliest. `believe` says what is known of all readers under a Gaussian. Comes with whether
/// learning went wrong ([`Learned::fell`]).
fn maximise(
    start: &GaussianPrior,
    schedule: &Schedule,
    readers: usize,
    mut believe: impl FnMut(&GaussianPrior) -> Vec<Option<Belief>>,
) -> (GaussianPrior, bool) {
    let mut prior = start.clone();
    let mut best: Option<(f64, GaussianPrior)> = None;
    for _ in 0..schedule.iterations {
        let beliefs: Vec<Belief> = believe(&prior).into_iter().flatten().collect();
        let evidence: f64 = beliefs.iter().map(|b| b.evidence).sum();
        // Readers whose mode was not found have no say, and evidences of others do not compare.
        let complete = beliefs.len() == readers;
        if let Some((highest, kept)) = &best
            && complete
            && evidence < highest - FALL * highest.abs()
        {
            return (kept.clone(), true);
        }
        if complete && best.as_ref().is_none_or(|(highest, _)| evidence > *highest) {
            best = Some((evidence, prior.clone()));
        }
        match gaussian::fit(&beliefs, start, schedule.shrinkage) {
            // Evidence rises all the way, so that no state on it is to be trusted.
            Some(next) if runs_away(&next, start) => {
                return (start.clone(), true);
            }
            Some(next) => prior = next,
            None => break,
        }
    }
    (prior, false)
}

/// Whether a variance, or the square of how far a mean has come, is beyond all differences.
fn runs_away(prior: &GaussianPrior, start: &GaussianPrior) -> bool {
    let variance =
        |of: &GaussianPrior, i: usize| -> f64 { (0..=i).map(|j| of.root()[(i, j)].powi(2)).sum() };
    let grown = |i: usize| {
        let moved = (prior.mean()[i] - start.mean()[i]).powi(2);
        variance(prior, i).max(moved) / variance(start, i)
    };
    (0..prior.len()).map(grown).any(|grown| grown.is_nan() || grown > RUNAWAY)
}

/// The same with a warm start for each reader: where they were found last, and how their data curved there.
fn maximise_from_modes(
    start: &GaussianPrior,
    schedule: &Schedule,
    readers: usize,
    believe: impl Fn(&GaussianPrior, usize, Start<'_>) -> Option<Belief> + Sync,
) -> Learned {
    let mut modes: Vec<Vec<f64>> = vec![start.mean().to_vec(); readers];
    let mut curvatures: Vec<Option<Mat<f64>>> = vec![None; readers];
    let mut known = |prior: &GaussianPrior| {
        let last = modes.par_iter().zip(&curvatures).enumerate();
        let beliefs: Vec<Option<Belief>> = last
            .map(|(i, (at, curvature))| {
                believe(prior, i, Start { at, curvature: curvature.clone() })
            })
            .collect();
        for ((mode, curvature), belief) in modes.iter_mut().zip(&mut curvatures).zip(&beliefs) {
            if let Some(belief) = belief {
                mode.clone_from(&belief.mode);
                *curvature = Some(belief.of_data(prior));
            }
        }
        beliefs
    };
    let (prior, fell) = maximise(start, schedule, readers, &mut known);
    let beliefs = known(&prior);
    Learned { prior, beliefs, fell }
}

/// Cost of the pooled regression of types and of a reader's, for each reader, where a density
/// costs 1.
const POOLED_COST: u64 = 11;
const READER_COST: u64 = 3;
/// What [`types`] reports to its monitor for each reader: more than half of what learning takes.
pub(super) const TYPES_COST: u64 = POOLED_COST + READER_COST * (TYPES.iterations + 1) as u64;

/// At most [`MAX_POOLED`] of many items, evenly chosen.
fn thinned<'a, T: Clone + 'a>(items: impl Iterator<Item = &'a T> + Clone) -> Vec<T> {
    let step = items.clone().count().div_ceil(MAX_POOLED).max(1);
    items.step_by(step).cloned().collect()
}

/// The population of regressions of saccade types; nothing of use if the monitor says stop.
pub(super) fn types(glances: &[Vec<Glance>], monitor: &dyn Monitor) -> Learned {
    let by_reader: Vec<Vec<Choice>> = glances.iter().map(|s| choices(s)).collect();
    let ridge = start(vec![0.0; TYPE_COEFFICIENTS], |_| RIDGE);
    let pooled = thinned(by_reader.iter().flatten());
    let pooled = types::mode(&pooled, &ridge, Start::at(ridge.mean()));
    let pooled = pooled.unwrap_or_else(|| ridge.mean().to_vec());
    monitor.advance(POOLED_COST * by_reader.len() as u64);
    let start = start(pooled, |i| start_of_types(i % TYPE_FEATURES));
    maximise_from_modes(&start, &TYPES, by_reader.len(), |prior, i, start| {
        if monitor.stop() {
            return None;
        }
        let belief = types::believe(&by_reader[i], prior, start);
        monitor.advance(READER_COST);
        belief
    })
}

/// The population of where saccades of one kind land.
pub(super) fn aims(by_reader: &[Vec<Aimed<'_>>]) -> Learned {
    let ridge = start(vec![0.0; AIM_FEATURES], |_| RIDGE_AIMS);
    let pooled = thinned(by_reader.iter().flatten());
    let pooled = aims::mode(&pooled, &ridge, Start::at(ridge.mean()));
    let pooled = pooled.unwrap_or_else(|| ridge.mean().to_vec());
    let start = start(pooled, |_| START_AIMS);
    maximise_from_modes(&start, &AIMS, by_reader.len(), |prior, i, start| {
        aims::believe(&by_reader[i], prior, start)
    })
}

/// Means of the features of durations.
pub(super) fn centre(glances: &[Vec<Glance>]) -> [f64; DURATION_FEATURES] {
    let mut centre = [0.0; DURATION_FEATURES];
    let count = glances.iter().map(Vec::len).sum::<usize>() as f64;
    for s in glances.iter().flatten() {
        centre.iter_mut().zip(&s.stay.features).for_each(|(c, x)| *c += x / count);
    }
    centre
}

/// The population of regressions of log durations, whether learning went wrong on the way, and the mean
/// variance around them.
pub(super) fn durations(glances: &[Vec<Glance>]) -> (GaussianPrior, bool, f64) {
    let sums: Vec<Sums> = glances.par_iter().map(|s| Sums::of(&stays(s))).collect();
    let start = start(vec![0.0; DURATION_FEATURES], |_| START_DURATIONS);
    let mut variances: Vec<f64> = sums.iter().map(|s| s.variance(start.mean())).collect();
    let (prior, fell) = maximise(&start, &DURATIONS, sums.len(), |prior| {
        let beliefs: Vec<Option<(Belief, f64)>> = sums
            .par_iter()
            .zip(&variances)
            .map(|(sums, variance)| sums.believe(prior, *variance))
            .collect();
        for (variance, belief) in variances.iter_mut().zip(&beliefs) {
            if let Some((_, anew)) = belief {
                *variance = *anew;
            }
        }
        beliefs.into_iter().map(|belief| belief.map(|(belief, _)| belief)).collect()
    });
    let mean = variances.iter().sum::<f64>() / variances.len().max(1) as f64;
    (prior, fell, mean)
}

/// One density with its population prior, what is known of it of each reader who showed it, and whether
/// learning went wrong on the way.
pub(super) fn density(
    id: DensityId,
    observations: &Observations,
) -> Result<(SharedDensity, Vec<Option<Belief>>, bool), FitError> {
    let shared = SharedDensity::with_amplitude(id, AMPLITUDE, observations)?;
    let start = start(shared.pooled.clone(), |_| START_DENSITIES);
    let readers = observations.readers();
    let samples: Vec<(usize, Sample)> = (0..readers)
        .map(|reader| (reader, shared.sample(observations.of_reader(id, reader))))
        .filter(|(_, sample)| !sample.is_empty())
        .collect();
    let mut by_reader = vec![None; readers];
    if samples.is_empty() {
        return Ok((SharedDensity { prior: start, ..shared }, by_reader, false));
    }
    let Learned { prior, beliefs, fell } =
        maximise_from_modes(&start, &DENSITIES, samples.len(), |prior, i, start| {
            believe(&shared, prior, &samples[i].1, start.at)
        });
    for ((reader, _), belief) in samples.iter().zip(beliefs) {
        by_reader[*reader] = belief;
    }
    Ok((SharedDensity { prior, ..shared }, by_reader, fell))
}

/// What a sample says of a density.
pub(super) fn believe(
    density: &SharedDensity,
    prior: &GaussianPrior,
    sample: &Sample,
    start: &[f64],
) -> Option<Belief> {
    let likelihood = Likelihood::new(&density.features, sample);
    let mut scratch = Scratch::new(&density.features);
    let mode = Problem { likelihood, prior }.mode(start, &mut scratch).ok()?;
    let information = &mode.root * mode.root.transpose();
    Some(Belief { mode: mode.theta, information, evidence: mode.log_evidence })
}

/// Asked to stop.
pub(super) fn interrupted() -> FitError {
    InferenceError::Interrupted.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variances_that_run_away_are_not_learned() {
        let first = start(vec![0.0], |_| 1.0);
        let mut calls = 0;
        let (prior, fell) = maximise(&first, &DENSITIES, 2, |_| {
            calls += 1;
            // Evidence and modes without bound, as of a likelihood that has none.
            let evidence = 10f64.powi(calls);
            let belief = |sign: f64| Belief {
                mode: vec![sign * 10f64.powi(calls)],
                information: Mat::from_fn(1, 1, |_, _| 2.0),
                evidence,
            };
            vec![Some(belief(1.0)), Some(belief(-1.0))]
        });
        assert!(fell && calls == 3);
        assert_eq!(prior.root()[(0, 0)], 1.0);
    }

    #[test]
    fn a_falling_evidence_keeps_the_best() {
        let first = start(vec![0.0], |_| 1.0);
        let mut calls = 0;
        let (prior, fell) = maximise(&first, &DENSITIES, 1, |_| {
            calls += 1;
            let evidence = [-100.0, -90.0, -120.0, -80.0][calls - 1];
            let (mode, information) =
                (vec![f64::from(calls as u32)], Mat::from_fn(1, 1, |_, _| 2.0));
            vec![Some(Belief { mode, information, evidence })]
        });
        // The second iterate came of the first belief, whose mode was 1.
        assert!(fell && calls == 3);
        assert_eq!(prior.mean(), [1.0]);
    }
}
