//! Readings scored once, for all probes that are put together from them.

use rayon::prelude::*;

use super::{Scorer, Tally};
use crate::saccade::Reading;

/// Readings, looked at once for all probes.
pub struct ScoredReadings<'a> {
    scorer: &'a dyn Scorer,
    /// By reading; none for those that are not to be scored.
    tallies: Vec<Option<Tally>>,
    clamped: usize,
}

impl<'a> ScoredReadings<'a> {
    /// Looks at the readings with these indices.
    pub fn encode(
        scorer: &'a dyn Scorer,
        indices: impl IntoIterator<Item = usize>,
        readings: &[&Reading],
    ) -> Self {
        Self::encode_by(scorer, indices, readings, |i| {
            let probe = scorer.probe(readings[i]);
            (scorer.tally(&probe), probe.clamped())
        })
    }

    /// Has the readings with these indices looked at: `look` says what each shows, and how many
    /// observations are beyond the grids.
    pub(crate) fn encode_by(
        scorer: &'a dyn Scorer,
        indices: impl IntoIterator<Item = usize>,
        readings: &[&Reading],
        look: impl Fn(usize) -> (Tally, usize) + Sync,
    ) -> Self {
        let mut wanted = vec![false; readings.len()];
        indices.into_iter().for_each(|i| wanted[i] = true);
        let looks: Vec<Option<(Tally, usize)>> =
            wanted.par_iter().enumerate().map(|(i, wanted)| wanted.then(|| look(i))).collect();
        let clamped = looks.iter().flatten().map(|(_, clamped)| clamped).sum();
        let tallies = looks.into_iter().map(|look| look.map(|(tally, _)| tally)).collect();
        Self { scorer, tallies, clamped }
    }

    /// The scores of a probe of whole readings.
    pub fn score(&self, probe: &[usize]) -> Vec<f64> {
        self.scorer.settle(&self.tally(probe))
    }

    /// What a probe of whole readings says.
    pub fn tally(&self, probe: &[usize]) -> Tally {
        Tally::total(self.whole(probe))
    }

    /// The readers.
    pub fn scorer(&self) -> &dyn Scorer {
        self.scorer
    }

    /// The scores of a probe of whole readings and one that was cut off.
    pub fn score_with(&self, probe: &[usize], part: &Reading) -> Vec<f64> {
        self.scorer.settle(&self.tally_with(probe, part))
    }

    /// What a probe of whole readings and one that was cut off says.
    pub fn tally_with(&self, probe: &[usize], part: &Reading) -> Tally {
        let part = self.scorer.tally(&self.scorer.probe(part));
        Tally::total(self.whole(probe).chain([&part]))
    }

    fn whole(&self, probe: &[usize]) -> impl Iterator<Item = &Tally> + Clone {
        probe.iter().filter_map(|&i| self.tallies[i].as_ref())
    }

    /// Fixations of a probe.
    pub fn fixations(&self, probe: &[usize]) -> usize {
        self.whole(probe).map(Tally::fixations).sum()
    }

    /// Observations beyond the grids, in all readings.
    pub fn clamped(&self) -> usize {
        self.clamped
    }
}
