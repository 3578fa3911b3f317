//! Readers who might exist: drawn from a population.

use faer::{Mat, MatRef};
use rand_distr::{Distribution, StandardNormal};

use super::Population;
use super::template::Template;
use crate::density::Tabulated;
use crate::glance::AimKind;
use crate::method::SharedDensity;
use crate::random::{Stream, stream};

/// Readers of a cohort: with more, ratios change little.
const COHORT: u64 = 128;

impl Population {
    /// The templates of the readers that others are held against: as many people as might come, the same
    /// ones at all times.
    pub fn cohort(&self) -> Vec<Template> {
        let streams: Vec<Stream> =
            (0..COHORT).map(|i| Stream { seed: 0, index: stream::COHORT + i }).collect();
        self.imagined(&streams)
    }

    /// The templates of readers drawn from the population, each from a stream of its own: whom a stream
    /// gives has nothing to do with the others, but for rounding. Some hundreds at once take far less
    /// time than one by one.
    pub fn imagined(&self, streams: &[Stream]) -> Vec<Template> {
        let gaussian = self.joint.gaussian();
        // A reader per column, here and below.
        let mut z: Mat<f64> = Mat::zeros(gaussian.len(), streams.len());
        for (j, stream) in streams.iter().enumerate() {
            let mut rng = stream.chain(0);
            z.col_as_slice_mut(j).fill_with(|| StandardNormal.sample(&mut rng));
        }
        let together = gaussian.root() * z;
        let mut start = 0;
        let mut parts = self.priors().into_iter().map(|prior| {
            let own = together.subrows(start, prior.len());
            start += prior.len();
            let mut moved = prior.root() * own;
            for j in 0..moved.ncols() {
                let theta = moved.col_as_slice_mut(j).iter_mut();
                theta.zip(prior.mean()).for_each(|(t, mean)| *t += mean);
            }
            moved
        });
        let mut next = || parts.next().unwrap_or_else(Mat::new);
        let (types, durations) = (next(), next());
        let aims: Vec<Mat<f64>> = AimKind::ALL.iter().map(|_| next()).collect();
        let densities: Vec<Mat<f64>> =
            self.densities.iter().map(|density| unnormalised(density, &next())).collect();
        let template = |j: usize| {
            let of = |part: &Mat<f64>| part.col_as_slice(j).to_vec();
            let log_density = |(density, log_f): (&SharedDensity, &Mat<f64>)| {
                Tabulated::new(density.features.grid(), of(log_f)).into_log_f()
            };
            let log_densities = self.densities.iter().zip(&densities).map(log_density).collect();
            Template::new(of(&types), of(&durations), aims.iter().map(of).collect(), log_densities)
        };
        (0..streams.len()).map(template).collect()
    }
}

/// Logarithms of densities at the nodes, but for a constant each.
fn unnormalised(density: &SharedDensity, thetas: &Mat<f64>) -> Mat<f64> {
    let features = &density.features;
    let nodes = features.grid().nodes().len();
    MatRef::from_row_major_slice(features.rows(), nodes, features.len()) * thetas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Limits;
    use crate::method::{DayShares, Unwatched};
    use crate::saccade::{Reading, readings};
    use crate::simulate::SimulationParams;

    #[test]
    fn readers_drawn_alone_or_together_are_the_same() {
        let params = SimulationParams { readers: 6, texts: 12, ..SimulationParams::default() };
        let (readings, _) = readings(&params.build().unwrap().run(), Limits::default());
        let all: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(6, &all, &DayShares::default(), &Unwatched).unwrap();
        let slopes = population.background().slopes();
        let streams: Vec<Stream> = (0..37).map(|index| Stream { seed: 4, index }).collect();
        let together = population.imagined(&streams);
        assert_eq!(together, population.imagined(&streams));
        for (stream, template) in streams.iter().zip(&together) {
            let alone = slopes.vector(&population.imagined(&[*stream])[0]);
            for (a, b) in alone.iter().zip(slopes.vector(template)) {
                assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "{a} {b}");
            }
        }
        // Each with a share of its own in how readers differ.
        assert_ne!(together[0], together[1]);
        assert!(population.imagined(&[]).is_empty());
    }
}
