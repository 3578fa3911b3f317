//! Spreads, learned from people.

use faer::linalg::solvers::Llt;
use faer::{Mat, Side};
use serde::{Deserialize, Serialize};

use super::{Sight, Spread};

/// A vector that was seen, with whose it is.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Place of the person.
    pub person: usize,
    /// The session, by number.
    pub session: usize,
    /// The vector with its weight.
    pub sight: Sight,
}

/// How far learned covariances are trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpreadParams {
    /// Part of the mean variance within sessions that is added to all of them.
    pub ridge: f64,
    /// Part of the covariances between people that is taken from them, in the directions in which
    /// readings of one session are alike.
    pub shrinkage: f64,
    /// Directions in which people differ less than this, in units of one reading, are left out.
    pub least: f64,
    /// People that a spread known from elsewhere counts for, and readings.
    pub prior: [f64; 2],
}

impl Default for SpreadParams {
    /// Chosen on people who had no part in what was measured with it afterwards.
    fn default() -> Self {
        Self { ridge: 0.03, shrinkage: 0.3, least: 1e-3, prior: [10.0, 100.0] }
    }
}

/// Covariances known from other people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PriorSpread {
    /// Numbers of a vector.
    pub len: usize,
    /// Between people on one day, row after row.
    pub between: Vec<f64>,
    /// Within a session, of a reading of weight 1.
    pub within: Vec<f64>,
}

/// Sums of what was seen, by group.
fn grouped(seen: &[Seen], group: impl Fn(&Seen) -> (usize, usize)) -> Vec<((usize, usize), Sight)> {
    let mut sums = std::collections::BTreeMap::<(usize, usize), Sight>::new();
    for one in seen.iter().filter(|one| !one.sight.is_empty()) {
        sums.entry(group(one)).or_default().add(1.0, &one.sight);
    }
    sums.into_iter().collect()
}

/// The sum of `weight (x - around) (x - around)'` over some vectors.
fn scatter<'a>(len: usize, terms: impl Iterator<Item = (f64, Vec<f64>, &'a [f64])>) -> Mat<f64> {
    let terms: Vec<Vec<f64>> = terms
        .map(|(weight, x, around)| {
            x.iter().zip(around).map(|(x, m)| weight.sqrt() * (x - m)).collect()
        })
        .collect();
    let x = Mat::from_fn(terms.len(), len, |i, j| terms[i][j]);
    x.transpose() * &x
}

/// Mean vectors of groups.
fn means(groups: &[((usize, usize), Sight)]) -> Vec<Vec<f64>> {
    groups.iter().filter_map(|(_, sight)| sight.mean()).collect()
}

/// The mean of vectors.
fn centre(len: usize, vectors: &[Vec<f64>]) -> Vec<f64> {
    let mut mean = vec![0.0; len];
    for vector in vectors {
        mean.iter_mut().zip(vector).for_each(|(m, v)| *m += v / vectors.len() as f64);
    }
    mean
}

impl PriorSpread {
    /// Covariances of people, and how many stand behind them: people, and readings beyond one for
    /// each session. None where nothing can be told of either.
    pub fn learn(len: usize, seen: &[Seen]) -> Option<(Self, [f64; 2])> {
        let by_session = grouped(seen, |one| (one.person, one.session));
        let people = grouped(seen, |one| (one.person, 0));
        let place = |one: &Seen| {
            by_session.binary_search_by_key(&(one.person, one.session), |(key, _)| *key).ok()
        };
        let session_means = means(&by_session);
        let readings = seen.iter().filter_map(|one| {
            Some((one.sight.weight(), one.sight.mean()?, session_means[place(one)?].as_slice()))
        });
        let count = seen.iter().filter(|one| !one.sight.is_empty()).count();
        let within_count = count.checked_sub(by_session.len()).filter(|n| *n > 0)? as f64;
        let within = scatter(len, readings) * (1.0 / within_count);
        let people_count = people.len().checked_sub(1).filter(|n| *n > 0)? as f64;
        let person_means = means(&people);
        let mean = centre(len, &person_means);
        let between = scatter(len, person_means.into_iter().map(|m| (1.0, m, mean.as_slice())));
        let error: f64 = people.iter().map(|(_, sight)| 1.0 / sight.weight()).sum::<f64>();
        let error = error / people.len() as f64;
        let between =
            Mat::from_fn(len, len, |i, j| between[(i, j)] / people_count - error * within[(i, j)]);
        let flat =
            |m: &Mat<f64>| (0..len * len).map(|i| m[(i / len, i % len)]).collect::<Vec<f64>>();
        let learned = Self { len, between: flat(&between), within: flat(&within) };
        Some((learned, [people_count, within_count]))
    }

    /// A mixture of two: this, with how many stand behind it, and another that counts for as many.
    pub(crate) fn mixed(&self, counts: [f64; 2], other: &Self, others: [f64; 2]) -> Self {
        let mix = |a: &[f64], b: &[f64], i: usize| -> Vec<f64> {
            let part = others[i] / (others[i] + counts[i]);
            a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect()
        };
        Self {
            len: self.len,
            between: mix(&self.between, &other.between, 0),
            within: mix(&self.within, &other.within, 1),
        }
    }

    /// The spread in directions, around a mean; none where there are no directions in which people
    /// differ.
    pub fn spread(&self, mean: Vec<f64>, params: &SpreadParams) -> Option<Spread> {
        let len = self.len;
        let trace: f64 = (0..len).map(|i| self.within[i * len + i]).sum();
        let ridge = params.ridge * trace / len as f64;
        let within = Mat::from_fn(len, len, |i, j| {
            self.within[i * len + j] + if i == j { ridge } else { 0.0 }
        });
        let lower = Llt::new(within.as_ref(), Side::Lower).ok()?.L().to_owned();
        let whiten = invert_lower(&lower);
        let between = Mat::from_fn(len, len, |i, j| self.between[i * len + j]);
        let whitened = &whiten * between * whiten.transpose();
        let held_back = Mat::from_fn(len, len, |i, j| {
            let both = 0.5 * (whitened[(i, j)] + whitened[(j, i)]);
            if i == j { both } else { (1.0 - params.shrinkage) * both }
        });
        let eigen = held_back.self_adjoint_eigen(Side::Lower).ok()?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        // The directions in which people differ most come first.
        let kept: Vec<usize> = (0..len).rev().filter(|&k| values[k] > params.least).collect();
        let directions = vectors.transpose() * &whiten;
        let basis = kept.iter().flat_map(|&k| (0..len).map(move |j| (k, j)));
        let basis = basis.map(|(k, j)| directions[(k, j)]).collect();
        let between: Vec<f64> = kept.iter().map(|&k| values[k]).collect();
        let nothing = vec![0.0; between.len()];
        (!kept.is_empty()).then(|| Spread::new(mean, basis, between, nothing).ok())?
    }
}

/// The inverse of a lower triangular matrix.
pub(crate) fn invert_lower(lower: &Mat<f64>) -> Mat<f64> {
    let n = lower.nrows();
    let mut inverse = Mat::zeros(n, n);
    for j in 0..n {
        inverse[(j, j)] = 1.0 / lower[(j, j)];
        for i in j + 1..n {
            let sum: f64 = (j..i).map(|k| lower[(i, k)] * inverse[(k, j)]).sum();
            inverse[(i, j)] = -sum / lower[(i, i)];
        }
    }
    inverse
}

impl Spread {
    /// The spread of people who were seen, with that of others for what they do not show. None where
    /// neither shows any.
    pub fn learn(
        len: usize,
        seen: &[Seen],
        prior: Option<&PriorSpread>,
        params: &SpreadParams,
    ) -> Option<Self> {
        let mean = centre(len, &means(&grouped(seen, |one| (one.person, 0))));
        let learned = PriorSpread::learn(len, seen);
        let prior = prior.filter(|prior| prior.len == len);
        let covariances = match (learned, prior) {
            (Some((learned, counts)), Some(prior)) => learned.mixed(counts, prior, params.prior),
            (Some((learned, _)), None) => learned,
            (None, Some(prior)) => prior.clone(),
            (None, None) => return None,
        };
        covariances.spread(mean, params)
    }
}

/// How much of what differs between people on one day differs between days of one person, too, as a
/// mean over directions, and from how many days beyond the first of somebody; none where nobody was seen
/// on two days.
pub fn session_share(spread: &Spread, seen: &[Seen]) -> Option<(f64, f64)> {
    let by_session = grouped(seen, |one| (one.person, one.session));
    let mut variance = vec![0.0; spread.directions()];
    let mut days = 0.0;
    for sessions in by_session.chunk_by(|a, b| a.0.0 == b.0.0).filter(|s| s.len() > 1) {
        let n = sessions.len() as f64;
        let places: Vec<Vec<f64>> = means(sessions).iter().map(|mean| spread.place(mean)).collect();
        let mean = centre(spread.directions(), &places);
        let error: f64 = sessions.iter().map(|(_, sight)| 1.0 / sight.weight()).sum::<f64>() / n;
        for (k, variance) in variance.iter_mut().enumerate() {
            let squares: f64 = places.iter().map(|at| (at[k] - mean[k]).powi(2)).sum();
            *variance += squares - (n - 1.0) * error;
        }
        days += n - 1.0;
    }
    let total: f64 = spread.between().iter().sum();
    let between_days: f64 =
        variance.iter().zip(spread.between()).map(|(v, t)| (v / days).clamp(0.0, *t)).sum();
    (days > 0.0).then(|| (between_days / total, days))
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::Stream;

    /// People in two dimensions, of known spreads: 4 and 1 between people on one day, a fifth of it between
    /// days, and within a session a covariance that is not diagonal.
    fn seen(people: usize, sessions: usize, readings: usize) -> Vec<Seen> {
        let mut random = Stream { seed: 5, index: 0 }.chain(0);
        let mut normal = move || -> f64 { StandardNormal.sample(&mut random) };
        let mut all = Vec::new();
        for person in 0..people {
            let own = [(4.0_f64 * 0.8).sqrt() * normal(), 0.8_f64.sqrt() * normal()];
            for session in 0..sessions {
                let day = [own[0] + 0.8_f64.sqrt() * normal(), own[1] + 0.2_f64.sqrt() * normal()];
                for i in 0..readings {
                    let weight = 0.5 + (i % 3) as f64;
                    let (a, b) = (normal() / weight.sqrt(), normal() / weight.sqrt());
                    let vector = [10.0 + day[0] + a, day[1] + 0.6 * a + 0.8 * b];
                    all.push(Seen { person, session, sight: Sight::new(weight, vector) });
                }
            }
        }
        all
    }

    #[test]
    fn spreads_and_shares_are_found() {
        let seen = seen(600, 2, 12);
        let params = SpreadParams { ridge: 0.0, shrinkage: 0.0, ..SpreadParams::default() };
        let spread = Spread::learn(2, &seen, None, &params).unwrap();
        // Whitened by the error within a session, the variances are the eigenvalues of E^-1 T: here
        // those of T = diag(4, 1) less half a share, since two days were put together.
        let total: f64 = spread.between().iter().sum();
        let (a, b) = (4.0 * 0.9, 0.9);
        // E = [[1, .6], [.6, 1]]: E^-1 = [[1, -.6], [-.6, 1]] / .64.
        let expected = (a + b) / 0.64;
        assert!((total / expected - 1.0).abs() < 0.1, "{total} {expected}");
        let (share, days) = session_share(&spread, &seen).unwrap();
        assert_eq!(days, 600.0);
        assert!((0.15..0.3).contains(&share), "{share}");
        assert!(session_share(&spread, &seen[..12]).is_none());
    }

    #[test]
    fn few_people_lean_on_others() {
        let (prior, _) = PriorSpread::learn(2, &seen(500, 1, 10)).unwrap();
        let few = seen(3, 1, 2);
        let params = SpreadParams::default();
        let alone = Spread::learn(2, &few[..1], Some(&prior), &params).unwrap();
        let expected = prior.spread(vec![0.0; 2], &params).unwrap();
        assert_eq!(alone.between(), expected.between());
        assert!(Spread::learn(2, &few[..1], None, &params).is_none());
        let leaning = Spread::learn(2, &few, Some(&prior), &params).unwrap();
        for (found, expected) in leaning.between().iter().zip(expected.between()) {
            assert!((found / expected).ln().abs() < 1.0, "{found} {expected}");
        }
    }
}
