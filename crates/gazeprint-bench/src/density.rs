//! One density of one reader, and where densities are compared.

use gazeprint::density::Grid;
use gazeprint::inference::{Engine, InferenceError, Posterior, Scratch};
use gazeprint::method::{Family, Observations, SharedDensity};
use gazeprint::saccade::{DensityId, Observation};
use rayon::prelude::*;

/// All densities of a family, learned from all readers.
pub(crate) fn learned(
    family: Family,
    observations: &Observations,
) -> Result<Vec<SharedDensity>, InferenceError> {
    let learn = |id| SharedDensity::learn(id, family, observations);
    DensityId::ALL.into_par_iter().map(learn).collect()
}

/// One density of one reader.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) shared: &'a SharedDensity,
    pub(crate) observed: &'a [Observation],
    pub(crate) reader: usize,
}

impl<'a> Case<'a> {
    pub(crate) fn new(
        shared: &'a SharedDensity,
        observations: &'a Observations,
        reader: usize,
    ) -> Self {
        Self { shared, observed: observations.of_reader(shared.id, reader), reader }
    }

    pub(crate) fn scratch(&self) -> Scratch {
        Scratch::new(&self.shared.features)
    }

    /// A posterior, from the observations on, as `semiparametric` infers it.
    pub(crate) fn infer(
        &self,
        engine: &Engine,
        keep: usize,
        seed: u64,
        scratch: &mut Scratch,
    ) -> Result<Posterior, InferenceError> {
        let sample = self.shared.sample(self.observed);
        let problem = self.shared.problem(&sample);
        let mode = problem.mode(&self.shared.pooled, scratch)?;
        let stream = self.shared.stream(seed, self.reader);
        engine.posterior(&problem, &mode, keep, stream, scratch)
    }
}

/// Where half of some observations could have been: further left a truncated density is arbitrary.
pub(crate) struct Region<'a> {
    nodes: &'a [f64],
    from: usize,
}

impl<'a> Region<'a> {
    pub(crate) fn of<'o>(
        grid: &'a Grid,
        observations: impl Iterator<Item = &'o Observation>,
    ) -> Self {
        let mut lowers: Vec<f64> = observations.map(|o| o.lower).collect();
        lowers.sort_by(f64::total_cmp);
        let from = lowers.get(lowers.len() / 2).map_or(0, |lower| grid.place(*lower).cell);
        Self { nodes: &grid.nodes()[from..], from }
    }

    /// The integral of what has these values at the nodes, by the trapezoid rule.
    fn integral(&self, values: &[f64]) -> f64 {
        let cells = values.windows(2).zip(self.nodes.windows(2));
        cells.map(|(f, x)| 0.5 * (x[1] - x[0]) * (f[0] + f[1])).sum()
    }

    /// A density that integrates to one here.
    fn normalised(&self, log_f: &[f64]) -> Vec<f64> {
        let f: Vec<f64> = log_f[self.from..].iter().map(|l| l.exp()).collect();
        let mass = self.integral(&f);
        f.iter().map(|f| f / mass).collect()
    }

    /// Half the integral of how two densities differ.
    pub(crate) fn total_variation(&self, log_f: &[f64], log_g: &[f64]) -> f64 {
        let (f, g) = (self.normalised(log_f), self.normalised(log_g));
        let differences: Vec<f64> = f.iter().zip(&g).map(|(f, g)| (f - g).abs()).collect();
        0.5 * self.integral(&differences)
    }

    /// Standard deviations of densities at the nodes, summed up.
    pub(crate) fn spread(&self, log_densities: &[Vec<f64>]) -> f64 {
        let densities: Vec<Vec<f64>> =
            log_densities.iter().map(|log_f| self.normalised(log_f)).collect();
        let n = densities.len() as f64;
        let deviation = |j: usize| {
            let mean = densities.iter().map(|f| f[j]).sum::<f64>() / n;
            let square: f64 = densities.iter().map(|f| (f[j] - mean).powi(2)).sum();
            (square / (n - 1.0)).sqrt()
        };
        (1..self.nodes.len()).map(|j| (self.nodes[j] - self.nodes[j - 1]) * deviation(j)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn densities_differ_where_they_are_compared_and_nowhere_else() {
        let grid = Grid::new(0.0, 20.0);
        let observed =
            [5.0; 3].map(|lower| Observation { value: 8.0, lower, upper: f64::INFINITY });
        let region = Region::of(&grid, observed.iter());
        let flat = vec![0.0; grid.nodes().len()];
        let left = |x: &f64| if *x < 4.0 { 3.0 } else { 0.0 };
        let other_left: Vec<f64> = grid.nodes().iter().map(left).collect();
        assert!(region.total_variation(&flat, &other_left) < 1e-12);
        let falling: Vec<f64> = grid.nodes().iter().map(|x| -x).collect();
        let distance = region.total_variation(&flat, &falling);
        assert!((0.5..1.0).contains(&distance), "{distance}");
        assert!(region.spread(&[flat.clone(), flat.clone()]) < 1e-12);
        assert!(region.spread(&[flat, falling]) > 0.1);
    }
}
