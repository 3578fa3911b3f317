//! Readers of a population: from what they read to what is known of them.

use std::borrow::Cow;

use rand_distr::{Distribution, StandardNormal};

use super::aims::{self, Aimed};
use super::durations::Sums;
use super::gaussian::{Belief, Message, Start};
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
pub(super) fn mode(belief: Option<&Belief>, prior: &GaussianPrior) -> Vec<f64> {
    belief.map_or_else(|| prior.mean().to_vec(), |belief| belief.mode.clone())
}

/// What is known of the parts of a reader, each from its own data under its own Gaussian, in the order of
/// [`Population::priors`]; nothing where there are none.
pub(super) type Beliefs = Vec<Option<Belief>>;

/// What one reader read.
struct Read<'a> {
    readings: &'a [&'a Reading],
    glances: Vec<Glance>,
}

impl<'a> Read<'a> {
    fn of(readings: &'a [&'a Reading]) -> Self {
        Self { readings, glances: readings.iter().flat_map(|r| Glance::all(r)).collect() }
    }

    /// Observations, with durations less their context part.
    fn observations(&self, population: &Population, durations: &[f64]) -> Observations {
        Observations::collect(1, self.readings.iter().map(|r| (0, *r)), |_, previous, event| {
            population.residual(durations, previous, event)
        })
    }
}

/// What is known of a reader before their readings are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Before<'a> {
    Nothing,
    /// What these very readings say.
    All(&'a Beliefs),
    /// What more readings say, of which these are about this part: a place to begin.
    More(&'a Beliefs, f64),
}

impl<'a> Before<'a> {
    /// Where to begin with a part.
    fn start(self, part: usize, prior: &'a GaussianPrior) -> Start<'a> {
        if let Self::More(beliefs, share) = self
            && let Some(belief) = &beliefs[part]
        {
            let curvature = Some(faer::Scale(share) * belief.of_data(prior));
            return Start { at: &belief.mode, curvature };
        }
        Start::at(prior.mean())
    }
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

    /// The Gaussians of the parts of a reader: types, durations, aims, then the densities.
    pub(super) fn priors(&self) -> Vec<&GaussianPrior> {
        let regressions = [&self.types, &self.durations].into_iter().chain(&self.aims);
        regressions.chain(self.densities.iter().map(|density| &density.prior)).collect()
    }

    /// The saccades of one kind, given the density of their amplitudes.
    fn aims<'a>(&self, kind: AimKind, glances: &'a [Glance], log_f: &[f64]) -> Vec<Aimed<'a>> {
        aimed(kind, &self.densities[kind.density().place()], glances, log_f)
    }

    /// What a reader's data say of each part.
    fn beliefs(&self, read: &Read<'_>, before: Before<'_>) -> Beliefs {
        let priors = self.priors();
        let start = |part: usize| before.start(part, priors[part]);
        let durations = self.duration_belief(&read.glances, &self.durations);
        let observations = read.observations(self, &mode(durations.as_ref(), &self.durations));
        let types = types::believe(&choices(&read.glances), &self.types, start(0));
        let first = 2 + self.aims.len();
        let densities: Beliefs = self
            .densities
            .iter()
            .enumerate()
            .map(|(i, density)| {
                let sample = density.sample(observations.of_reader(density.id, 0));
                let at = start(first + i).at;
                let known = !sample.is_empty();
                known.then(|| learn::believe(density, &density.prior, &sample, at))?
            })
            .collect();
        let aims = AimKind::ALL.into_iter().zip(&self.aims).enumerate();
        let aims = aims.map(|(i, (kind, prior))| {
            let id = kind.density().place();
            let log_f = self.densities[id].log_density(&densities[id].as_ref()?.mode);
            aims::believe(&self.aims(kind, &read.glances, &log_f), prior, start(2 + i))
        });
        let aims: Beliefs = aims.collect();
        [types, durations].into_iter().chain(aims).chain(densities).collect()
    }

    /// The same as Gaussians in units of the population.
    pub(super) fn messages_of(&self, beliefs: &Beliefs) -> Vec<Option<Message>> {
        let beliefs = beliefs.iter().zip(self.priors());
        beliefs.map(|(belief, prior)| Some(Message::of(belief.as_ref()?, prior))).collect()
    }

    /// What a reader's data say of each part, in units of the population.
    pub(super) fn messages(&self, readings: &[&Reading]) -> Vec<Option<Message>> {
        self.messages_of(&self.beliefs(&Read::of(readings), Before::Nothing))
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
        self.enroll_after(Before::Nothing, engine, readings, stream)
    }

    /// The same of a reader of whom something is known. It makes a difference of rounding, and of where
    /// searches for a mode begin.
    pub(super) fn enroll_after(
        &self,
        before: Before<'_>,
        engine: &Engine,
        readings: &[&Reading],
        stream: impl Fn(&SharedDensity) -> Stream,
    ) -> ReaderPosterior {
        let read = Read::of(readings);
        let beliefs = match before {
            Before::All(beliefs) => Cow::Borrowed(beliefs),
            _ => Cow::Owned(self.beliefs(&read, before)),
        };
        let priors = self.priors();
        let parts = self.joint.parts(&self.messages_of(&beliefs), &priors);
        // The data curve as they did; what is new to a part is its prior.
        let start = |part: usize| Start {
            at: &parts[part].expected,
            curvature: beliefs[part].as_ref().map(|belief| belief.of_data(priors[part])),
        };
        let own = |part: usize, mode: Option<Vec<f64>>| {
            mode.unwrap_or_else(|| parts[part].prior.mean().to_vec())
        };
        let durations = self.duration_belief(&read.glances, &parts[1].prior);
        let durations = mode(durations.as_ref(), &parts[1].prior);
        let observations = read.observations(self, &durations);
        let first = 2 + self.aims.len();
        let densities: Vec<DensityPosterior> = self
            .densities
            .iter()
            .zip(&parts[first..])
            .map(|(density, part)| {
                let sample = density.sample(observations.of_reader(density.id, 0));
                DensityPosterior::of(engine, density, part, &sample, stream(density))
            })
            .collect();
        let aims = AimKind::ALL.into_iter().enumerate().map(|(i, kind)| {
            let log_f = &densities[kind.density().place()].log_mean;
            let aims = self.aims(kind, &read.glances, log_f);
            own(2 + i, aims::mode(&aims, &parts[2 + i].prior, start(2 + i)))
        });
        let aims = aims.collect();
        let types = types::mode(&choices(&read.glances), &parts[0].prior, start(0));
        ReaderPosterior { types: own(0, types), durations, aims, densities }
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
