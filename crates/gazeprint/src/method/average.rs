//! Scoring by the full posterior average of the probe's likelihood (section 6, the option).

use rayon::prelude::*;
use statrs::function::gamma::ln_gamma;

use super::{LearnedReaders, Observations};
use crate::kernels;
use crate::kinds::Kind as _;
use crate::saccade::{ByType, Reading, SaccadeType};
use crate::score::{Scorer, Tally};
use crate::template::{Layout, MU, Probe};

/// Readers as draws from their posteriors. Given the training data the densities, pi and mu of a
/// reader are independent, so the mean likelihood is a product: of means over draws for each
/// density, and in closed form (Dirichlet, beta) for pi and mu.
#[derive(Debug, Clone)]
pub struct AverageScorer {
    layout: Layout,
    readers: usize,
    draws: usize,
    /// By density: place after place, all draws of all readers side by side.
    columns: Vec<Vec<f64>>,
    /// Dirichlet counts of the types, prior included, by reader.
    types: Vec<ByType<f64>>,
    /// Beta counts of the directions of refixations, prior included, by reader.
    refixations: Vec<[f64; 2]>,
    /// The row of the population, which is known well enough to be a single draw.
    population: Vec<f64>,
}

impl AverageScorer {
    /// `log_draws` holds the log densities at the nodes by density, reader and draw.
    pub(super) fn new(
        layout: Layout,
        observations: &Observations,
        log_draws: &[Vec<Vec<Vec<f64>>>],
        draws: usize,
        population: Vec<f64>,
    ) -> Self {
        let readers = observations.readers();
        let columns = log_draws
            .par_iter()
            .enumerate()
            .map(|(index, by_reader)| {
                let places = layout.range(index).len();
                let mut columns = vec![0.0; places * readers * draws];
                let mut row = Vec::with_capacity(places);
                for (reader, available) in by_reader.iter().enumerate() {
                    // An engine may have fewer draws than lanes: they are used in turn.
                    for (i, log_f) in available.iter().cycle().take(draws).enumerate() {
                        row.clear();
                        layout.extend_with_density(index, log_f.clone(), &mut row);
                        let lane = reader * draws + i;
                        for (place, value) in row.iter().enumerate() {
                            columns[place * readers * draws + lane] = *value;
                        }
                    }
                }
                columns
            })
            .collect();
        Self {
            layout,
            readers,
            draws,
            columns,
            types: observations.types.iter().map(|c| c.map(|n| n as f64 + 1.0)).collect(),
            refixations: observations
                .refixations
                .iter()
                .map(|c| c.map(|n| n as f64 + 1.0))
                .collect(),
            population,
        }
    }
}

/// Log mean probability of a sequence with these counts under a Dirichlet distribution.
fn log_dirichlet(prior: &[f64], counts: &[f64]) -> f64 {
    let each: f64 = prior.iter().zip(counts).map(|(a, n)| ln_gamma(a + n) - ln_gamma(*a)).sum();
    let (a, n): (f64, f64) = (prior.iter().sum(), counts.iter().sum());
    each + ln_gamma(a) - ln_gamma(a + n)
}

impl LearnedReaders for AverageScorer {}

impl Scorer for AverageScorer {
    fn len(&self) -> usize {
        self.readers
    }

    fn probe(&self, reading: &Reading) -> Probe {
        self.layout.probe(reading)
    }

    fn tally(&self, probe: &Probe) -> Tally {
        Tally::whole(probe)
    }

    fn settle(&self, tally: &Tally) -> Vec<f64> {
        let probe = tally.probe();
        // Fixations one by one say how much each changed the score.
        if probe.fixations() == 0 {
            return tally.scores_of(self.len());
        }
        let lanes = self.readers * self.draws;
        let count = |place: usize| {
            let entries = probe.entries();
            entries
                .binary_search_by_key(&(place as u32), |e| e.0)
                .map_or(0.0, |found| entries[found].1)
        };
        let types: ByType<f64> = ByType::of(|kind: SaccadeType| count(kind.place()));
        let directions: [f64; 2] = std::array::from_fn(|i| count(MU + i));
        let mut scores: Vec<f64> = (0..self.readers)
            .map(|r| {
                probe.constant()
                    + log_dirichlet(self.types[r].values(), types.values())
                    + log_dirichlet(&self.refixations[r], &directions)
            })
            .collect();
        let mut sums = vec![0.0; lanes];
        for (index, columns) in self.columns.iter().enumerate() {
            sums.fill(0.0);
            let range = self.layout.range(index);
            let from = probe.entries().partition_point(|e| (e.0 as usize) < range.start);
            for &(place, weight) in
                probe.entries()[from..].iter().take_while(|e| (e.0 as usize) < range.end)
            {
                let start = (place as usize - range.start) * lanes;
                kernels::axpy(weight, &columns[start..start + lanes], &mut sums);
            }
            for (score, draws) in scores.iter_mut().zip(sums.chunks(self.draws)) {
                *score += kernels::log_sum_exp(draws) - (self.draws as f64).ln();
            }
        }
        scores
    }

    fn population(&self, probe: &Probe, _: &[f64]) -> f64 {
        probe.score(&self.population)
    }
}
