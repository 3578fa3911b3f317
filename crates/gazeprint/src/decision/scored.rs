//! Readings scored once, for all probes that are put together from them.

use rayon::prelude::*;

use crate::saccade::Reading;
use crate::score::Scorer;
use crate::template::Probe;

/// Readings, encoded and, where scores add up, scored once for all probes.
pub struct ScoredReadings<'a> {
    scorer: &'a dyn Scorer,
    /// By reading; none for those that are not to be scored.
    probes: Vec<Option<Probe>>,
    /// By reading; empty where scores do not add up.
    scores: Vec<Option<Vec<f64>>>,
}

impl<'a> ScoredReadings<'a> {
    /// Encodes the readings with these indices.
    pub fn encode(
        scorer: &'a dyn Scorer,
        indices: impl IntoIterator<Item = usize>,
        readings: &[&Reading],
    ) -> Self {
        let mut wanted = vec![false; readings.len()];
        indices.into_iter().for_each(|i| wanted[i] = true);
        let probes: Vec<Option<Probe>> = readings
            .par_iter()
            .zip(wanted)
            .map(|(reading, wanted)| wanted.then(|| scorer.probe(reading)))
            .collect();
        let scores = if scorer.is_additive() {
            probes.par_iter().map(|p| p.as_ref().map(|p| scorer.scores(p))).collect()
        } else {
            Vec::new()
        };
        Self { scorer, probes, scores }
    }

    /// The scores of a probe of whole readings.
    pub fn score(&self, probe: &[usize]) -> Vec<f64> {
        if self.scorer.is_additive() {
            let mut total = vec![0.0; self.scorer.len()];
            probe.iter().filter_map(|&i| self.scores[i].as_ref()).for_each(|s| add(&mut total, s));
            total
        } else {
            self.scorer.scores(&Probe::merged(self.whole(probe)))
        }
    }

    /// The scores of a probe of whole readings and one that was cut off.
    pub fn score_with(&self, probe: &[usize], part: &Reading) -> Vec<f64> {
        let part = self.scorer.probe(part);
        if self.scorer.is_additive() {
            let mut total = self.score(probe);
            add(&mut total, &self.scorer.scores(&part));
            total
        } else {
            self.scorer.scores(&Probe::merged(self.whole(probe).chain([&part])))
        }
    }

    fn whole(&self, probe: &[usize]) -> impl Iterator<Item = &Probe> {
        probe.iter().filter_map(|&i| self.probes[i].as_ref())
    }

    /// Fixations of a probe.
    pub fn fixations(&self, probe: &[usize]) -> usize {
        self.whole(probe).map(Probe::fixations).sum()
    }

    /// Observations beyond the grids, in all readings.
    pub fn clamped(&self) -> usize {
        self.probes.iter().flatten().map(Probe::clamped).sum()
    }
}

fn add(total: &mut [f64], scores: &[f64]) {
    total.iter_mut().zip(scores).for_each(|(total, score)| *total += score);
}
