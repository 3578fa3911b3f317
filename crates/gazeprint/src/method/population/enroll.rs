//! Readers of a population: from what they read to what is known of them.

use rand_distr::{Distribution, StandardNormal};

use super::aims::{self};
use super::durations::Sums;
use super::gaussian::{Belief, Message};
use super::joint::Part;
use super::{Population, aimed, choices, learn, stays, types};
use crate::density::{GaussianPrior, Likelihood, Sample, Tabulated};
use crate::glance::{AimKind, Glance};
use crate::inference::{Diagnostics, Engine, Problem, Scratch};
use crate::kernels;
use crate::kinds::Kind as _;
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
    /// In the order of [`AimKind::ALL`].
    pub(super) aims: Vec<Vec<f64>>,
}

impl ReaderPosterior {
    /// Whether anything was seen of the reader.
    fn is_known(&self) -> bool {
        self.densities.iter().any(|density| density.outcome.is_some())
    }

    /// The coefficients of a part, in the order of [`Population::priors`].
    fn part(&self, part: usize) -> &[f64] {
        match part {
            0 => &self.types,
            1 => &self.durations,
            _ => match self.aims.get(part - 2) {
                Some(aims) => aims,
                None => &self.densities[part - 2 - self.aims.len()].theta,
            },
        }
    }
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

/// What one reader read.
struct Read {
    glances: Vec<Glance>,
    /// With durations less their context part.
    observations: Observations,
    durations: Option<Belief>,
}

impl Population {
    pub(super) fn duration_belief(
        &self,
        glances: &[Glance],
        prior: &GaussianPrior,
    ) -> Option<Belief> {
        let sums = Sums::of(&stays(glances));
        let mut known = sums.believe(prior, self.variance)?;
        for _ in 1..VARIANCE_ROUNDS {
            known = sums.believe(prior, known.1)?;
        }
        Some(known.0)
    }

    fn read(&self, readings: &[&Reading], durations: &GaussianPrior) -> Read {
        let glances: Vec<Glance> = readings.iter().flat_map(|r| Glance::all(r)).collect();
        let belief = self.duration_belief(&glances, durations);
        let coefficients = mode(belief.clone(), durations);
        let observations =
            Observations::collect(1, readings.iter().map(|r| (0, *r)), |_, previous, event| {
                self.residual(&coefficients, previous, event)
            });
        Read { glances, observations, durations: belief }
    }

    /// The Gaussians of the parts of a reader: types, durations, aims, then the densities.
    pub(super) fn priors(&self) -> Vec<&GaussianPrior> {
        let regressions = [&self.types, &self.durations].into_iter().chain(&self.aims);
        regressions.chain(self.densities.iter().map(|density| &density.prior)).collect()
    }

    /// What is known of where saccades of one kind land, given the density of their amplitudes.
    pub(super) fn aim_belief(
        &self,
        kind: AimKind,
        glances: &[Glance],
        log_f: &[f64],
        prior: &GaussianPrior,
        start: &[f64],
    ) -> Option<Belief> {
        let aims = aimed(kind, &self.densities[kind.density().place()], glances, log_f);
        aims::believe(&aims, prior, start)
    }

    /// What a reader's data say of each part, in the same order; nothing where there are none.
    pub(super) fn messages(&self, readings: &[&Reading]) -> Vec<Option<Message>> {
        let read = self.read(readings, &self.durations);
        let types = types::believe(&choices(&read.glances), &self.types, self.types.mean());
        let densities: Vec<Option<Belief>> = self
            .densities
            .iter()
            .map(|density| {
                let sample = density.sample(read.observations.of_reader(density.id, 0));
                let start = density.prior.mean();
                let known = !sample.is_empty();
                known.then(|| learn::believe(density, &density.prior, &sample, start))?
            })
            .collect();
        let aims = AimKind::ALL.into_iter().zip(&self.aims).map(|(kind, prior)| {
            let id = kind.density().place();
            let log_f = self.densities[id].log_density(&densities[id].as_ref()?.mode);
            self.aim_belief(kind, &read.glances, &log_f, prior, prior.mean())
        });
        let aims: Vec<Option<Belief>> = aims.collect();
        let beliefs = [types, read.durations].into_iter().chain(aims).chain(densities);
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
        let priors = self.priors();
        let parts = self.joint.parts(&self.messages(readings), &priors);
        let (types, durations) = (&parts[0], &parts[1]);
        let (aims, densities) = parts[2..].split_at(self.aims.len());
        let read = self.read(readings, &durations.prior);
        let densities: Vec<DensityPosterior> = self
            .densities
            .iter()
            .zip(densities)
            .map(|(density, part)| {
                let sample = density.sample(read.observations.of_reader(density.id, 0));
                DensityPosterior::of(engine, density, part, &sample, stream(density))
            })
            .collect();
        let aims = AimKind::ALL.into_iter().zip(aims).map(|(kind, Part { prior, expected })| {
            let log_f = &densities[kind.density().place()].log_mean;
            mode(self.aim_belief(kind, &read.glances, log_f, prior, expected), prior)
        });
        let moves = types::believe(&choices(&read.glances), &types.prior, &types.expected);
        ReaderPosterior {
            types: mode(moves, &types.prior),
            durations: mode(read.durations, &durations.prior),
            aims: aims.collect(),
            densities,
        }
    }

    /// Readers as they might have been on another day. The deviation of a session is drawn from
    /// the differences between readers, of which it is a share, so that it moves all that is known
    /// of a reader together: who is slow today is slow in everything. Readers of whom nothing is
    /// known have no part in it. `stream` names the random numbers of a reader.
    pub(super) fn on_another_day(
        &self,
        readers: &[ReaderPosterior],
        stream: impl Fn(usize) -> Stream,
    ) -> Vec<ReaderPosterior> {
        let known: Vec<&ReaderPosterior> = readers.iter().filter(|r| r.is_known()).collect();
        let mut moved = readers.to_vec();
        for (reader, moved) in moved.iter_mut().enumerate() {
            let mut rng = stream(reader).chain(0);
            let weights: Vec<f64> = known.iter().map(|_| StandardNormal.sample(&mut rng)).collect();
            let total: f64 = weights.iter().sum();
            self.change(moved, |part, coefficients, mean, share| {
                // Given one day, the other is regressed to the mean: days are exchangeable.
                regress(coefficients, mean, share);
                let spread = (share * (2.0 - share) / known.len().max(1) as f64).sqrt();
                for (other, weight) in known.iter().zip(&weights) {
                    kernels::axpy(spread * weight, other.part(part), coefficients);
                }
                kernels::axpy(-spread * total, mean, coefficients);
            });
        }
        moved
    }

    /// A reader who was seen on one day as they are to be expected on another: somewhat more like others.
    pub(super) fn expected(&self, mut reader: ReaderPosterior) -> ReaderPosterior {
        self.change(&mut reader, |_, coefficients, mean, share| regress(coefficients, mean, share));
        reader
    }

    /// Changes all parts of a reader: `change` is given the number of each, its coefficients, their mean
    /// over readers, and the share that lies between days.
    fn change(
        &self,
        reader: &mut ReaderPosterior,
        change: impl Fn(usize, &mut [f64], &[f64], f64),
    ) {
        let regressions = [&mut reader.types, &mut reader.durations].into_iter();
        let regressions = regressions.chain(&mut reader.aims);
        let mut parts = self.priors().into_iter().zip(&self.shares).enumerate();
        for (coefficients, (part, (prior, share))) in regressions.zip(&mut parts) {
            change(part, coefficients, prior.mean(), *share);
        }
        let densities = reader.densities.iter_mut().zip(&self.densities);
        for ((posterior, density), (part, (prior, share))) in densities.zip(parts) {
            let mut theta = posterior.theta.clone();
            change(part, &mut theta, prior.mean(), *share);
            posterior.move_to(theta, density);
        }
    }
}

/// Moves coefficients to their mean by a share of the way.
fn regress(coefficients: &mut [f64], mean: &[f64], share: f64) {
    coefficients.iter_mut().zip(mean).for_each(|(c, m)| *c = m + (1.0 - share) * (*c - m));
}

impl DensityPosterior {
    fn of(
        engine: &Engine,
        density: &SharedDensity,
        Part { prior, expected }: &Part,
        sample: &Sample,
        stream: Stream,
    ) -> Self {
        let mut scratch = Scratch::new(&density.features);
        let problem = Problem { likelihood: Likelihood::new(&density.features, sample), prior };
        let found = problem.mode(expected, &mut scratch).and_then(|mode| {
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
