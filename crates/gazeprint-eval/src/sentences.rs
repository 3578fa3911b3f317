//! Readings scored once, for all probes that are put together from them.

use gazeprint::gallery::Gallery;
use gazeprint::saccade::Reading;
use gazeprint::template::Probe;
use rayon::prelude::*;

/// What a probe scores under every reader and under the population.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scores {
    pub(crate) readers: Vec<f64>,
    pub(crate) population: f64,
}

impl Scores {
    fn of(gallery: &dyn Gallery, probe: &Probe) -> Self {
        let readers = gallery.scores(probe);
        Self { population: gallery.population(probe, &readers), readers }
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
    gallery: &'a dyn Gallery,
    /// By reading; none for those that are not to be scored.
    probes: Vec<Option<Probe>>,
    /// By reading; empty where scores do not add up.
    scores: Vec<Option<Scores>>,
}

impl<'a> Sentences<'a> {
    /// Encodes the readings with these indices.
    pub(crate) fn encode(
        gallery: &'a dyn Gallery,
        indices: impl IntoIterator<Item = usize>,
        readings: &[&Reading],
    ) -> Self {
        let mut wanted = vec![false; readings.len()];
        indices.into_iter().for_each(|i| wanted[i] = true);
        let probes: Vec<Option<Probe>> = readings
            .par_iter()
            .zip(wanted)
            .map(|(reading, wanted)| wanted.then(|| gallery.probe(reading)))
            .collect();
        let scores = if gallery.is_additive() {
            probes.par_iter().map(|p| p.as_ref().map(|p| Scores::of(gallery, p))).collect()
        } else {
            Vec::new()
        };
        Self { gallery, probes, scores }
    }

    /// The scores of a probe of whole readings.
    pub(crate) fn score(&self, probe: &[usize]) -> Scores {
        if self.gallery.is_additive() {
            let mut total = Scores { readers: vec![0.0; self.gallery.len()], population: 0.0 };
            probe.iter().filter_map(|&i| self.scores[i].as_ref()).for_each(|s| total.add(s));
            total
        } else {
            Scores::of(self.gallery, &Probe::merged(self.whole(probe)))
        }
    }

    /// The population's score of a probe of whole readings, if readers had these scores.
    pub(crate) fn population(&self, probe: &[usize], readers: &[f64]) -> f64 {
        if self.gallery.is_additive() {
            probe.iter().filter_map(|&i| self.scores[i].as_ref()).map(|s| s.population).sum()
        } else {
            self.gallery.population(&Probe::merged(self.whole(probe)), readers)
        }
    }

    /// The scores of a probe of whole readings and one that was cut off.
    pub(crate) fn score_with(&self, probe: &[usize], part: &Reading) -> Scores {
        let part = self.gallery.probe(part);
        if self.gallery.is_additive() {
            let mut total = self.score(probe);
            total.add(&Scores::of(self.gallery, &part));
            total
        } else {
            Scores::of(self.gallery, &Probe::merged(self.whole(probe).chain([&part])))
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
