//! Readings scored once, for all probes that are put together from them.

use gazeprint::saccade::Reading;
use gazeprint::score::Scorer;
use gazeprint::template::Probe;
use rayon::prelude::*;

/// What a probe scores under every reader and under the population.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scores {
    pub(crate) readers: Vec<f64>,
    pub(crate) population: f64,
}

impl Scores {
    fn of(scorer: &dyn Scorer, probe: &Probe) -> Self {
        let readers = scorer.scores(probe);
        Self { population: scorer.population(probe, &readers), readers }
    }

    fn add(&mut self, other: &Self) {
        self.readers.iter_mut().zip(&other.readers).for_each(|(t, s)| *t += s);
        self.population += other.population;
    }

    /// The log ratio of every reader's likelihood to that of the population.
    pub(crate) fn population_ratios(&self) -> Vec<f64> {
        self.readers.iter().map(|s| s - self.population).collect()
    }
}

/// Readings, encoded and, where scores add up, scored once for all probes.
pub(crate) struct Sentences<'a> {
    scorer: &'a dyn Scorer,
    /// By reading; none for those that are not to be scored.
    probes: Vec<Option<Probe>>,
    /// By reading; empty where scores do not add up.
    scores: Vec<Option<Scores>>,
}

impl<'a> Sentences<'a> {
    /// Encodes the readings with these indices.
    pub(crate) fn encode(
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
            probes.par_iter().map(|p| p.as_ref().map(|p| Scores::of(scorer, p))).collect()
        } else {
            Vec::new()
        };
        Self { scorer, probes, scores }
    }

    /// The scores of a probe of whole readings.
    pub(crate) fn score(&self, probe: &[usize]) -> Scores {
        if self.scorer.is_additive() {
            let mut total = Scores { readers: vec![0.0; self.scorer.len()], population: 0.0 };
            probe.iter().filter_map(|&i| self.scores[i].as_ref()).for_each(|s| total.add(s));
            total
        } else {
            Scores::of(self.scorer, &Probe::merged(self.whole(probe)))
        }
    }

    /// The population's score of a probe of whole readings, if readers had these scores.
    pub(crate) fn population(&self, probe: &[usize], readers: &[f64]) -> f64 {
        if self.scorer.is_additive() {
            probe.iter().filter_map(|&i| self.scores[i].as_ref()).map(|s| s.population).sum()
        } else {
            self.scorer.population(&Probe::merged(self.whole(probe)), readers)
        }
    }

    /// The scores of a probe of whole readings and one that was cut off.
    pub(crate) fn score_with(&self, probe: &[usize], part: &Reading) -> Scores {
        let part = self.scorer.probe(part);
        if self.scorer.is_additive() {
            let mut total = self.score(probe);
            total.add(&Scores::of(self.scorer, &part));
            total
        } else {
            Scores::of(self.scorer, &Probe::merged(self.whole(probe).chain([&part])))
        }
    }

    fn whole(&self, probe: &[usize]) -> impl Iterator<Item = &Probe> {
        probe.iter().filter_map(|&i| self.probes[i].as_ref())
    }

    /// Fixations of a probe.
    pub(crate) fn fixations(&self, probe: &[usize]) -> usize {
        self.whole(probe).map(Probe::fixations).sum()
    }

    /// Observations beyond the grids, in all readings.
    pub(crate) fn clamped(&self) -> usize {
        self.probes.iter().flatten().map(Probe::clamped).sum()
    }
}
