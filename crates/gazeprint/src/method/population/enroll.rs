//! Readers of a population: from what they read to what is known of them.

use rand_distr::{Distribution, StandardNormal};

use super::durations::Sums;
use super::gaussian::{Belief, Message};
use super::{Population, Seen, choices, learn, stays, types};
use crate::density::{GaussianPrior, Likelihood, Sample, Tabulated};
use crate::inference::{Diagnostics, Engine, Problem, Scratch};
use crate::kernels;
use crate::method::{Observations, SharedDensity};
use crate::random::Stream;
use crate::saccade::Reading;

/// Rounds between a reader's regression of durations and the variance around it.
const VARIANCE_ROUNDS: usize = 3;

/// What is known of one reader.
#[derive(Debug, Clone)]
pub struct ReaderPosterior {
    /// In the order of [`DensityId::ALL`](crate::saccade::DensityId::ALL).
    pub(super) densities: Vec<DensityPosterior>,
    pub(super) types: Vec<f64>,
    pub(super) durations: Vec<f64>,
    pub(super) mu: f64,
}

/// What is known of one density of a reader.
#[derive(Debug, Clone)]
pub(super) struct DensityPosterior {
    /// Mode of theta.
    theta: Vec<f64>,
    /// Log of the posterior mean at the nodes.
    pub(super) log_mean: Vec<f64>,
    /// Nothing without observations; no diagnostics where the fit failed.
    pub(super) outcome: Option<Option<Diagnostics>>,
}

/// The mode of what is known; without, that of the population.
pub(super) fn mode(belief: Option<Belief>, prior: &GaussianPrior) -> Vec<f64> {
    belief.map_or_else(|| prior.mean().to_vec(), |belief| belief.mode)
}

pub(super) fn type_belief(seen: &[Seen], prior: &GaussianPrior) -> Option<Belief> {
    types::believe(&choices(seen), prior, prior.mean())
}

/// What one reader read.
struct Read {
    seen: Vec<Seen>,
    /// With durations less their context part.
    observations: Observations,
    durations: Option<Belief>,
}

impl Population {
    pub(super) fn duration_belief(&self, seen: &[Seen], prior: &GaussianPrior) -> Option<Belief> {
        let sums = Sums::of(&stays(seen));
        let mut known = sums.believe(prior, self.variance)?;
        for _ in 1..VARIANCE_ROUNDS {
            known = sums.believe(prior, known.1)?;
        }
        Some(known.0)
    }

    fn read(&self, readings: &[&Reading], durations: &GaussianPrior) -> Read {
        let seen: Vec<Seen> = readings.iter().flat_map(|r| Seen::of(r)).collect();
        let belief = self.duration_belief(&seen, durations);
        let coefficients = mode(belief.clone(), durations);
        let observations =
            Observations::collect(1, readings.iter().map(|r| (0, *r)), |_, previous, event| {
                self.residual(&coefficients, previous, event)
            });
        Read { seen, observations, durations: belief }
    }

    /// The Gaussians of the parts of a reader: types, durations, then the densities.
    pub(super) fn priors(&self) -> Vec<&GaussianPrior> {
        let regressions = [&self.types, &self.durations].into_iter();
        regressions.chain(self.densities.iter().map(|density| &density.prior)).collect()
    }

    /// What a reader's data say of each part, in the same order; nothing where there are none.
    pub(super) fn messages(&self, readings: &[&Reading]) -> Vec<Option<Message>> {
        let read = self.read(readings, &self.durations);
        let types = type_belief(&read.seen, &self.types);
        let densities = self.densities.iter().map(|density| {
            let sample = density.sample(read.observations.of_reader(density.id, 0));
            let start = density.prior.mean();
            (!sample.is_empty()).then(|| learn::believe(density, &density.prior, &sample, start))?
        });
        let beliefs = [types, read.durations].into_iter().chain(densities);
        beliefs.zip(self.priors()).map(|(belief, prior)| Message::of(&belief?, prior)).collect()
    }

    /// What is known of a reader after these readings; without any, of a reader of whom nothing is
    /// known. `stream` names the random numbers of each density.
    ///
    /// Each part is known from its own data, and from what the reader's other parts say of it.
    pub fn enroll(
        &self,
        engine: &Engine,
        readings: &[&Reading],
        stream: impl Fn(&SharedDensity) -> Stream,
    ) -> ReaderPosterior {
        let alone = self.priors();
        let together = self.joint.priors(&self.messages(readings), &alone);
        let priors: Vec<&GaussianPrior> =
            together.as_ref().map_or(alone, |priors| priors.iter().collect());
        let (types, durations) = (priors[0], priors[1]);
        let read = self.read(readings, durations);
        let [forward, backward] = read.observations.refixations[0].map(|n| n as f64);
        let [a, b] = self.refixations;
        let densities = self.densities.iter().zip(&priors[2..]);
        ReaderPosterior {
            densities: densities
                .map(|(density, prior)| {
                    let sample = density.sample(read.observations.of_reader(density.id, 0));
                    DensityPosterior::of(engine, density, prior, &sample, stream(density))
                })
                .collect(),
            types: mode(type_belief(&read.seen, types), types),
            durations: mode(read.durations, durations),
            mu: (forward + a) / (forward + backward + a + b),
        }
    }

    /// Readers as they might have been on another day. The deviation of a session is drawn from
    /// the differences between readers, of which it is a share, so that it moves all that is known
    /// of a reader together: who is slow today is slow in everything. `stream` names the random
    /// numbers of a reader.
    pub(super) fn on_another_day(
        &self,
        readers: &[ReaderPosterior],
        stream: impl Fn(usize) -> Stream,
    ) -> Vec<ReaderPosterior> {
        let mut moved = readers.to_vec();
        for (reader, moved) in moved.iter_mut().enumerate() {
            let mut rng = stream(reader).chain(0);
            let weights: Vec<f64> =
                readers.iter().map(|_| StandardNormal.sample(&mut rng)).collect();
            let shift = |coefficients: &mut [f64],
                         mean: &[f64],
                         share: f64,
                         of: &dyn Fn(&ReaderPosterior) -> Vec<f64>| {
                // Given one day, the other is regressed to the mean: days are exchangeable.
                let spread = (share * (2.0 - share) / readers.len() as f64).sqrt();
                for (c, m) in coefficients.iter_mut().zip(mean) {
                    *c = m + (1.0 - share) * (*c - m);
                }
                for (other, weight) in readers.iter().zip(&weights) {
                    let offset: Vec<f64> = of(other).iter().zip(mean).map(|(c, m)| c - m).collect();
                    kernels::axpy(spread * weight, &offset, coefficients);
                }
            };
            shift(&mut moved.types, self.types.mean(), self.shares.types, &|r| r.types.clone());
            let mean = self.durations.mean();
            shift(&mut moved.durations, mean, self.shares.durations, &|r| r.durations.clone());
            for (i, density) in self.densities.iter().enumerate() {
                let mut theta = moved.densities[i].theta.clone();
                let share = self.shares.densities[i];
                shift(&mut theta, density.prior.mean(), share, &|r| r.densities[i].theta.clone());
                moved.densities[i].move_to(theta, density);
            }
        }
        moved
    }
}

impl DensityPosterior {
    fn of(
        engine: &Engine,
        density: &SharedDensity,
        prior: &GaussianPrior,
        sample: &Sample,
        stream: Stream,
    ) -> Self {
        let mut scratch = Scratch::new(&density.features);
        let problem = Problem { likelihood: Likelihood::new(&density.features, sample), prior };
        let found = problem.mode(prior.mean(), &mut scratch).and_then(|mode| {
            let posterior = engine.posterior(&problem, &mode, 0, stream, &mut scratch)?;
            Ok((mode.theta, posterior))
        });
        let (theta, log_mean, outcome) = match found {
            Ok((theta, posterior)) => (theta, posterior.log_mean, Some(posterior.diagnostics)),
            Err(_) => (density.pooled.clone(), density.log_pooled.clone(), None),
        };
        Self { theta, log_mean, outcome: (!sample.is_empty()).then_some(outcome) }
    }

    /// Moves the mode, and the density with it.
    fn move_to(&mut self, theta: Vec<f64>, density: &SharedDensity) {
        let by: Vec<f64> = theta.iter().zip(&self.theta).map(|(to, from)| to - from).collect();
        let mut change = vec![0.0; self.log_mean.len()];
        density.features.log_density(&by, &mut change);
        self.log_mean.iter_mut().zip(change).for_each(|(log_f, change)| *log_f += change);
        let log_f = std::mem::take(&mut self.log_mean);
        self.log_mean = Tabulated::new(density.features.grid(), log_f).into_log_f();
        self.theta = theta;
    }
}
