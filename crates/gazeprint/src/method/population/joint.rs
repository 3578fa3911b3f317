//! What the parts of a reader have to do with each other: who is slow is slow in everything.
//!
//! A part is one of the regressions or densities. Each has a Gaussian of its own, in whose units
//! its coefficients `z` are standard normal over readers; here are the covariances of all parts
//! together, learned by expectation maximisation from what is known of each part of each reader.

use faer::{Col, Mat};
use rayon::prelude::*;

use super::gaussian::{Message, inverse};
use crate::density::GaussianPrior;

const ROUNDS: usize = 3;
/// Readers' worth of no correlation at all, where readers are many. Accuracy on held-out texts is
/// flat from 20 to 100.
const HELD_BACK: f64 = 50.0;
/// Twice as much where there are this many readers, and more the fewer: a dozen of them span a dozen
/// of hundreds of directions, and would be taken to vary in no other.
const FEW: f64 = 100.0;
/// Readers whose moments are summed by one task.
const CHUNK: usize = 8;

/// The covariance of all parts of a reader.
#[derive(Debug, Clone)]
pub(super) struct Joint {
    /// Where each part begins, and the end.
    offsets: Vec<usize>,
    /// In units of the parts' own Gaussians.
    gaussian: GaussianPrior,
}

/// One part of a reader, before its own data are looked at.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// What the other parts say of it.
    pub(super) prior: GaussianPrior,
    /// Where it will be found, about.
    pub(super) expected: Vec<f64>,
}

fn held_back(readers: f64) -> f64 {
    HELD_BACK * (1.0 + FEW / readers.max(1.0))
}

fn offsets(lens: impl Iterator<Item = usize>) -> Vec<usize> {
    let ends = lens.scan(0, |end, len| {
        *end += len;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

impl Joint {
    /// Parts of these lengths that have nothing to do with each other.
    pub(super) fn independent(lens: impl Iterator<Item = usize>) -> Self {
        let offsets = offsets(lens);
        let n = offsets[offsets.len() - 1];
        let gaussian = GaussianPrior::new(vec![0.0; n], &Mat::identity(n, n))
            .expect("a positive diagonal is a covariance");
        Self { offsets, gaussian }
    }

    /// Parts of these lengths that go together as this Gaussian says; `None` if it has another
    /// length than all of them together.
    pub(super) fn new(lens: impl Iterator<Item = usize>, gaussian: GaussianPrior) -> Option<Self> {
        let offsets = offsets(lens);
        (offsets.last() == Some(&gaussian.len())).then_some(Self { offsets, gaussian })
    }

    /// The Gaussian over all parts, in units of their own.
    pub(super) fn gaussian(&self) -> &GaussianPrior {
        &self.gaussian
    }

    /// The Gaussian over all parts.
    pub(super) fn into_gaussian(self) -> GaussianPrior {
        self.gaussian
    }

    /// Learns from what is known of each part of each reader.
    pub(super) fn learn(
        lens: impl Iterator<Item = usize>,
        readers: &[Vec<Option<Message>>],
    ) -> Self {
        let mut joint = Self::independent(lens);
        for _ in 0..ROUNDS {
            match joint.next(readers) {
                Some(next) => joint = next,
                None => break,
            }
        }
        joint
    }

    /// The covariance under which the readers are likeliest, given what this one says of them.
    fn next(&self, readers: &[Vec<Option<Message>>]) -> Option<Self> {
        let n = self.gaussian.len();
        // In chunks of fixed size and order: sums must not depend on the number of threads.
        let moments: Vec<(Mat<f64>, usize)> = readers
            .par_chunks(CHUNK)
            .map(|chunk| {
                let mut sum = Mat::<f64>::zeros(n, n);
                let known = chunk.iter().filter_map(|messages| self.posterior(messages));
                let count = known
                    .map(|(mean, covariance)| {
                        sum += covariance;
                        sum += mean.as_mat() * mean.as_mat().transpose();
                    })
                    .count();
                (sum, count)
            })
            .collect();
        let readers = moments.iter().map(|(_, count)| count).sum::<usize>() as f64;
        let mut covariance = Mat::<f64>::zeros(n, n);
        moments.iter().for_each(|(sum, _)| covariance += sum);
        let held_back = held_back(readers);
        let covariance = Mat::from_fn(n, n, |i, j| {
            (covariance[(i, j)] + if i == j { held_back } else { 0.0 }) / (readers + held_back)
        });
        let gaussian = GaussianPrior::new(vec![0.0; n], &covariance).ok()?;
        Some(Self { offsets: self.offsets.clone(), gaussian })
    }

    /// Mean and covariance of all parts of a reader.
    fn posterior(&self, messages: &[Option<Message>]) -> Option<(Col<f64>, Mat<f64>)> {
        let mut precision = self.gaussian.precision().clone();
        let mut pull = Col::<f64>::zeros(precision.nrows());
        for (message, &start) in messages.iter().zip(&self.offsets) {
            let Some(message) = message else { continue };
            for j in 0..message.pull.nrows() {
                pull[start + j] += message.pull[j];
                for i in 0..message.pull.nrows() {
                    precision[(start + i, start + j)] += message.precision[(i, j)];
                }
            }
        }
        let (covariance, _) = inverse(&precision)?;
        Some((&covariance * pull, covariance))
    }

    /// Each part of a reader, given what is known of the reader's other parts; `priors` are those
    /// of the parts alone. Where the others leave no Gaussian that can be computed, a part is known
    /// from nothing but its own data.
    pub(super) fn parts(
        &self,
        messages: &[Option<Message>],
        priors: &[&GaussianPrior],
    ) -> Vec<Part> {
        let posterior = self.posterior(messages);
        let part = |part: usize| {
            let (mean, covariance) = posterior.as_ref()?;
            let start = self.offsets[part];
            let len = self.offsets[part + 1] - start;
            let block = Mat::from_fn(len, len, |i, j| covariance[(start + i, start + j)]);
            let (mut precision, _) = inverse(&block)?;
            let expected = Col::from_fn(len, |i| mean[start + i]);
            let mut pull = &precision * &expected;
            // What the part says of itself will come from its own data.
            if let Some(own) = &messages[part] {
                precision -= &own.precision;
                pull -= &own.pull;
            }
            let (covariance, _) = inverse(&precision)?;
            let root = priors[part].root();
            let at = |z: Col<f64>| -> Vec<f64> {
                priors[part].mean().iter().zip((root * z).iter()).map(|(m, d)| m + d).collect()
            };
            let mean = at(&covariance * pull);
            let prior = GaussianPrior::new(mean, &(root * covariance * root.transpose())).ok()?;
            Some(Part { prior, expected: at(expected) })
        };
        let alone =
            |prior: &GaussianPrior| Part { prior: prior.clone(), expected: prior.mean().to_vec() };
        priors
            .iter()
            .enumerate()
            .map(|(i, prior)| part(i).unwrap_or_else(|| alone(prior)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;

    fn scalar(value: f64) -> Mat<f64> {
        Mat::from_fn(1, 1, |_, _| value)
    }

    /// A part whose value was seen with some noise.
    fn seen(value: f64, noise: f64) -> Option<Message> {
        Some(Message { precision: scalar(1.0 / noise), pull: Col::from_fn(1, |_| value / noise) })
    }

    fn correlated(by: f64) -> Joint {
        let covariance = Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { by });
        let gaussian = GaussianPrior::new(vec![0.0; 2], &covariance).unwrap();
        Joint::new([1, 1].into_iter(), gaussian).unwrap()
    }

    #[test]
    fn a_part_is_foreseen_from_the_other() {
        let joint = correlated(0.8);
        let own = GaussianPrior::new(vec![10.0], &scalar(4.0)).unwrap();
        let parts = joint.parts(&[seen(1.5, 0.1), seen(-9.0, 0.3)], &[&own, &own]);
        // The second given the first: regression on a value seen with noise. What it says itself
        // has no part in it.
        let slope = 0.8 / 1.1;
        assert!((parts[1].prior.mean()[0] - (10.0 + 2.0 * slope * 1.5)).abs() < 1e-9);
        let variance = parts[1].prior.root()[(0, 0)].powi(2);
        assert!((variance - 4.0 * (1.0 - slope * 0.8)).abs() < 1e-9);
    }

    #[test]
    fn nothing_known_leaves_the_parts_as_they_are() {
        let own = GaussianPrior::new(vec![3.0], &scalar(2.0)).unwrap();
        let parts = correlated(0.5).parts(&[None, None], &[&own, &own]);
        for Part { prior, expected } in parts {
            assert!((expected[0] - 3.0).abs() < 1e-12);
            assert!((prior.mean()[0] - 3.0).abs() < 1e-12);
            assert!((prior.root()[(0, 0)].powi(2) - 2.0).abs() < 1e-12);
        }
    }

    #[test]
    fn correlations_are_found_where_there_are_some() {
        let mut rng = crate::random::Stream { seed: 1, index: 0 }.chain(0);
        let mut normal = move || -> f64 { StandardNormal.sample(&mut rng) };
        for truth in [0.0, 0.7] {
            let drawn: Vec<[f64; 2]> = (0..2000)
                .map(|_| {
                    let (a, b) = (normal(), normal());
                    [a, truth * a + (1.0 - truth * truth).sqrt() * b]
                })
                .collect();
            let readers: Vec<Vec<Option<Message>>> =
                drawn.iter().map(|z| z.map(|z| seen(z, 1e-4)).to_vec()).collect();
            let found = Joint::learn([1, 1].into_iter(), &readers);
            let covariance = found.gaussian.root() * found.gaussian.root().transpose();
            // Nearly exactly seen, so moments are those of what was drawn, held back.
            for (i, j) in [(0, 0), (1, 0), (1, 1)] {
                let sum: f64 = drawn.iter().map(|z| z[i] * z[j]).sum();
                let none = held_back(2000.0);
                let expected = (sum + if i == j { none } else { 0.0 }) / (2000.0 + none);
                assert!((covariance[(i, j)] - expected).abs() < 1e-3, "{truth}: {covariance:?}");
            }
        }
        let nobody = Joint::learn([1, 1].into_iter(), &[]);
        assert_eq!(nobody.gaussian.root()[(1, 0)], 0.0);
    }
}
