//! Sessions around a reader: on another day, nobody reads quite the same.
//!
//! In session `s`, reader `r` has coefficients `theta_rs = mu_r + delta_rs`. Over sessions of all
//! readers they are distributed as `N(m, T)`, the population's Gaussian; of T, the *share* `rho` is
//! between sessions of one reader: `delta ~ N(0, rho T)`, `mu ~ N(m, (1 - rho) T)`. One number for
//! each Gaussian can be learned from a handful of readers who came twice. The Gaussian itself was
//! learned from all k sessions of a reader together, and is smaller than T by 1 - rho (1 - 1 / k):
//! this is neglected. (Scaled so that T fits, shares of parts that readers show little of came out
//! as next to nothing, since T is mostly where learning started there.)
//!
//! What a session says of its reader is taken as Gaussian ([`Message`]).

use faer::{Col, Mat};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Population;
use super::gaussian::{Message, inverse};
use crate::glance::AimKind;
use crate::saccade::{DensityId, Reading};

/// Parts of a reader, in the order of [`Population::priors`].
const PARTS: usize = 2 + AimKind::COUNT + DensityId::ALL.len();

/// How much of the differences between readers is found between days of one reader, by part. Where
/// readers came but once, it is known from others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DayShares([f64; PARTS]);

/// What is taken where nobody came twice, neither among the readers nor among people learned from
/// elsewhere: measures of reading correlate by .7 to .9 between days.
impl Default for DayShares {
    fn default() -> Self {
        Self([0.2; PARTS])
    }
}

impl DayShares {
    /// The mean of what some corpora show, each with the number of days that readers came again.
    pub(in crate::method) fn mean(seen: &[(Self, f64)]) -> Self {
        let days: f64 = seen.iter().map(|(_, days)| days).sum();
        if days == 0.0 {
            return Self::default();
        }
        let part = |i: usize| seen.iter().map(|(shares, n)| shares.0[i] * n).sum::<f64>() / days;
        Self(std::array::from_fn(part))
    }

    /// Of moves, of durations, of landings and of densities: the mean of each.
    pub fn by_kind(&self) -> [f64; 4] {
        let [moves, durations, parts @ ..] = &self.0;
        let (aims, densities) = parts.split_at(AimKind::COUNT);
        let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
        [*moves, *durations, mean(aims), mean(densities)]
    }

    /// Whether a share of a part is that of these or of nobody: nothing else was learned.
    pub(super) fn are_taken(&self, part: usize, share: f64) -> bool {
        [self.0[part], Self::default().0[part]].iter().any(|taken| (share - taken).abs() < 1e-12)
    }

    /// Whether all of them are parts of a whole.
    pub(in crate::method) fn are_valid(&self) -> bool {
        self.0.iter().all(|share| *share > 0.0 && *share < 1.0)
    }
}

/// Readers who came twice that what others show counts for.
const USUAL_WEIGHT: f64 = 5.0;
/// Shares that are tried.
const SHARES: [f64; 12] = [0.005, 0.01, 0.02, 0.04, 0.07, 0.11, 0.16, 0.23, 0.32, 0.44, 0.6, 0.8];

impl Message {
    /// The same message about the reader's mean, when sessions vary so much around it; with what
    /// it adds to the log evidence.
    fn of_mean(&self, variance: f64) -> Option<(Self, f64)> {
        let p = self.pull.nrows();
        let deviation = Mat::from_fn(p, p, |i, j| {
            self.precision[(i, j)] + if i == j { 1.0 / variance } else { 0.0 }
        });
        let (covariance, log_det) = inverse(&deviation)?;
        let pull = &covariance * &self.pull;
        let evidence = 0.5 * dot(&self.pull, &pull) - 0.5 * (log_det + p as f64 * variance.ln());
        // The inverse of variance + precision^-1, also where there is no precision to invert.
        let precision = Mat::from_fn(p, p, |i, j| {
            (if i == j { 1.0 } else { 0.0 } - covariance[(i, j)] / variance) / variance
        });
        Some((Self { precision, pull: pull * (1.0 / variance) }, evidence))
    }
}

fn dot(a: &Col<f64>, b: &Col<f64>) -> f64 {
    a.iter().zip(b.iter()).map(|(a, b)| a * b).sum()
}

/// The variances of a reader's mean and of a session around it, for a share.
fn variances(share: f64) -> [f64; 2] {
    [1.0 - share, share]
}

/// The log evidence of a reader's sessions for the variances of the mean and of a session.
fn evidence(messages: &[&Message], [own, session]: [f64; 2]) -> Option<f64> {
    let p = messages.first()?.pull.nrows();
    let mut precision = Mat::from_fn(p, p, |i, j| if i == j { 1.0 / own } else { 0.0 });
    let mut pull = Col::zeros(p);
    let mut evidence = -0.5 * p as f64 * own.ln();
    for message in messages {
        let (message, part) = message.of_mean(session)?;
        precision += &message.precision;
        pull += &message.pull;
        evidence += part;
    }
    let (covariance, log_det) = inverse(&precision)?;
    Some(evidence + 0.5 * dot(&pull, &(&covariance * &pull)) - 0.5 * log_det)
}

/// The readings of each session.
fn by_session<'a>(readings: &[&'a Reading]) -> Vec<Vec<&'a Reading>> {
    let mut sorted = readings.to_vec();
    sorted.sort_by_key(|reading| reading.session);
    sorted.chunk_by(|a, b| a.session == b.session).map(<[_]>::to_vec).collect()
}

impl Population {
    /// How much of the differences between readers is found between sessions of one reader, too:
    /// of the moves, the durations, where each kind of saccade lands, and each density.
    pub fn session_shares(&self) -> &[f64] {
        &self.shares
    }

    /// The same, learned from readers who have several sessions.
    pub(super) fn learn_shares(&self, by_reader: &[Vec<&Reading>], usual: &DayShares) -> Vec<f64> {
        let returned: Vec<Vec<Vec<Option<Message>>>> = by_reader
            .par_iter()
            .map(|readings| by_session(readings))
            .filter(|sessions| sessions.len() > 1)
            .map(|sessions| sessions.iter().map(|session| self.messages(session)).collect())
            .collect();
        usual.0.iter().enumerate().map(|(part, usual)| share(part, &returned, *usual)).collect()
    }

    /// The same, for other populations.
    pub(in crate::method) fn day_shares(&self) -> Option<DayShares> {
        Some(DayShares(self.shares.as_slice().try_into().ok()?))
    }
}

/// The share of one part that is between sessions, from readers who came more than once: the
/// likeliest, held back to the usual one where these are few.
fn share(part: usize, returned: &[Vec<Vec<Option<Message>>>], usual: f64) -> f64 {
    let evidence: Vec<(f64, Vec<f64>)> = returned
        .par_iter()
        .filter_map(|sessions| {
            let messages: Vec<&Message> =
                sessions.iter().filter_map(|session| session[part].as_ref()).collect();
            let again = messages.len().checked_sub(1)? as f64;
            let variances = SHARES.iter().map(|share| variances(*share));
            let by_share = variances.map(|variances| evidence(&messages, variances));
            Some((again, by_share.collect::<Option<Vec<f64>>>()?))
        })
        .collect();
    let seen: f64 = evidence.iter().map(|(again, _)| again).sum();
    let total = |i: usize| evidence.iter().map(|(_, by_share)| by_share[i]).sum::<f64>();
    let likeliest = (0..SHARES.len())
        .max_by(|&a, &b| total(a).total_cmp(&total(b)))
        .map_or(usual, |i| SHARES[i]);
    (seen * likeliest + USUAL_WEIGHT * usual) / (seen + USUAL_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::super::gaussian::Belief;
    use super::*;
    use crate::density::GaussianPrior;

    fn prior() -> GaussianPrior {
        let covariance = Mat::from_fn(2, 2, |i, j| if i == j { 2.0 } else { 0.6 });
        GaussianPrior::new(vec![1.0, -1.0], &covariance).unwrap()
    }

    /// The belief after observing theta with this noise.
    fn belief(prior: &GaussianPrior, observed: [f64; 2], noise: f64) -> Belief {
        let information = Mat::from_fn(2, 2, |i, j| {
            prior.precision()[(i, j)] + if i == j { 1.0 / noise } else { 0.0 }
        });
        let (covariance, _) = inverse(&information).unwrap();
        let pull = prior.precision() * Col::from_fn(2, |i| prior.mean()[i])
            + Col::from_fn(2, |i| observed[i] / noise);
        let mode = &covariance * pull;
        Belief { mode: vec![mode[0], mode[1]], information, evidence: 0.0 }
    }

    #[test]
    fn evidence_is_that_of_the_joint_gaussian() {
        // Two sessions of one coefficient, observed with noise: jointly normal in closed form.
        let prior = GaussianPrior::new(vec![0.0], &Mat::from_fn(1, 1, |_, _| 4.0)).unwrap();
        let (a, b, noise) = (1.5, -0.5, 0.7);
        let session = |observed: f64| {
            let information = Mat::from_fn(1, 1, |_, _| 1.0 / 4.0 + 1.0 / noise);
            let mode = vec![observed / noise / information[(0, 0)]];
            Belief { mode, information, evidence: 0.0 }
        };
        let messages = [session(a), session(b)].map(|b| Message::of(&b, &prior));
        let messages: Vec<&Message> = messages.iter().collect();
        let joint = |share: f64| {
            let (own, cross) = (4.0 + noise, 4.0 * (1.0 - share));
            let det = own * own - cross * cross;
            -0.5 * det.ln() - 0.5 * (own * (a * a + b * b) - 2.0 * cross * a * b) / det
        };
        let found = |share| evidence(&messages, variances(share)).unwrap();
        for share in [0.05, 0.3, 0.7] {
            let (found, expected) = (found(share) - found(0.5), joint(share) - joint(0.5));
            assert!((found - expected).abs() < 1e-9, "{share}: {found} {expected}");
        }
    }

    #[test]
    fn the_share_is_found() {
        use rand_distr::{Distribution, StandardNormal};
        let mut rng = crate::random::Stream { seed: 1, index: 0 }.chain(0);
        let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
        let prior = prior();
        let mut draw = |scale: f64| {
            let z = Col::from_fn(2, |_| normal() * scale.sqrt());
            prior.root() * z
        };
        for truth in [0.04, 0.32] {
            let readers: Vec<Vec<Vec<Option<Message>>>> = (0..300)
                .map(|_| {
                    let [own, around] = variances(truth);
                    let mean = draw(own);
                    let session = |_| {
                        let deviation = draw(around);
                        let theta = |i: usize| prior.mean()[i] + mean[i] + deviation[i];
                        let known = belief(&prior, [theta(0), theta(1)], 1e-3);
                        vec![Some(Message::of(&known, &prior))]
                    };
                    (0..2).map(session).collect()
                })
                .collect();
            let found = share(0, &readers, 0.2);
            assert!((found / truth).ln().abs() < 0.35, "{found} for {truth}");
        }
        assert_eq!(share(0, &[], 0.2), 0.2);
    }
}
