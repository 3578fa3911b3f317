//! Readers who might exist: drawn from a population.

use faer::Col;
use rand_distr::{Distribution, StandardNormal};

use super::template::Template;
use super::{AIMED, Population};
use crate::random::Stream;

impl Population {
    /// The template of a reader drawn from the population.
    pub fn imagined(&self, stream: Stream) -> Template {
        let mut rng = stream.chain(0);
        let gaussian = self.joint.gaussian();
        let z: Col<f64> = Col::from_fn(gaussian.len(), |_| StandardNormal.sample(&mut rng));
        let together = gaussian.root() * z;
        let mut start = 0;
        let mut parts = self.priors().into_iter().map(|prior| {
            let own = together.subrows(start, prior.len());
            start += prior.len();
            let moved = prior.root() * own;
            prior.mean().iter().zip(moved.iter()).map(|(m, d)| m + d).collect::<Vec<f64>>()
        });
        let mut next = || parts.next().unwrap_or_default();
        let (types, durations) = (next(), next());
        let aims = AIMED.iter().map(|_| next()).collect();
        let densities = self.densities.iter().map(|density| density.log_density(&next())).collect();
        Template::new(types, durations, aims, densities)
    }
}
