//! Readers that a probe can be compared with.

mod scored;

pub use self::scored::ScoredReadings;

use crate::admission::Claim;
use crate::kernels;
use crate::live::LiveStep;
use crate::saccade::Reading;
use crate::sight::Sight;
use crate::template::{Layout, Probe};

/// Fitted readers, in the order in which they were trained.
pub trait Scorer: Send + Sync {
    /// Number of readers.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is compared of one reading. Probes are merged with [`Probe::merged`].
    fn probe(&self, reading: &Reading) -> Probe;

    /// The same of a reading of which is known what a network makes of it: these readers' own, if one looks
    /// at what they read.
    fn probe_seen(&self, reading: &Reading, sight: Option<&Sight>) -> Probe {
        _ = sight;
        self.probe(reading)
    }

    /// What a probe says, in a form that adds up over what was read.
    fn tally(&self, probe: &Probe) -> Tally;

    /// The same as far as it makes the score of one reader, given by place; scores of others mean nothing.
    fn tally_of(&self, probe: &Probe, reader: usize) -> Tally {
        _ = reader;
        self.tally(probe)
    }

    /// The score of every reader for what was read: a log-likelihood, a log-likelihood ratio or the
    /// logarithm of a similarity.
    fn settle(&self, tally: &Tally) -> Vec<f64>;

    /// The claim to be each of the readers: what decisions about strangers are made on. None where there are
    /// no imagined readers to hold it against.
    fn claims(&self, tally: &Tally) -> Option<Vec<Claim>> {
        _ = tally;
        None
    }

    /// The score of every reader for a probe.
    fn scores(&self, probe: &Probe) -> Vec<f64> {
        self.settle(&self.tally(probe))
    }

    /// The score of nobody in particular, to which others are compared; `scores` are those of the
    /// readers for the same probe.
    fn population(&self, probe: &Probe, scores: &[f64]) -> f64;

    /// What one more fixation of a reading that goes on adds, and the move that led to it. Where scores
    /// are sums, it is computed from these alone.
    fn added(&self, step: &LiveStep<'_>) -> Tally {
        let scores = |reading: &Reading| self.scores(&self.probe(reading));
        let (before, now) = (scores(&step.before()), scores(&step.after()));
        Tally::sums(1, now.iter().zip(before).map(|(now, before)| now - before).collect())
    }
}

/// What probes say to a scorer, in a form that adds up over what was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    fixations: usize,
    /// Scores that add up, by reader; empty where there are none.
    sums: Vec<f64>,
    /// What is looked at as a whole.
    whole: Probe,
}

impl Tally {
    /// Scores that add up, of so many fixations.
    pub fn sums(fixations: usize, sums: Vec<f64>) -> Self {
        Self { fixations, sums, whole: Probe::default() }
    }

    /// A probe that is looked at as a whole.
    pub fn whole(probe: &Probe) -> Self {
        Self { fixations: probe.fixations(), sums: Vec::new(), whole: probe.clone() }
    }

    /// Scores that add up, beside the sights of a probe.
    pub(crate) fn with_sights(self, probe: &Probe) -> Self {
        Self { whole: probe.only_sights(), ..self }
    }

    /// Everything that some tallies saw.
    pub fn total<'a>(tallies: impl IntoIterator<Item = &'a Self> + Clone) -> Self {
        let mut total = Self {
            whole: Probe::merged(tallies.clone().into_iter().map(|t| &t.whole)),
            ..Self::default()
        };
        tallies.into_iter().for_each(|tally| total.add_sums(1.0, tally));
        total
    }

    fn add_sums(&mut self, factor: f64, other: &Self) {
        if self.sums.len() < other.sums.len() {
            self.sums.resize(other.sums.len(), 0.0);
        }
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, v)| *sum += factor * v);
        self.fixations = match factor > 0.0 {
            true => self.fixations + other.fixations,
            false => self.fixations.saturating_sub(other.fixations),
        };
    }

    /// Adds what a fixation added, as [`Scorer::added`] has it, or with a factor of -1 takes it away.
    pub fn add_step(&mut self, factor: f64, step: &Self) {
        self.add_sums(factor, step);
        self.whole.add_sights(factor, &step.whole);
    }

    /// Fixations that were seen.
    pub fn fixations(&self) -> usize {
        self.fixations
    }

    /// Scores that add up: those of `readers`, or nought where there are none.
    pub fn scores_of(&self, readers: usize) -> Vec<f64> {
        match self.sums.is_empty() {
            true => vec![0.0; readers],
            false => self.sums.clone(),
        }
    }

    /// What is looked at as a whole.
    pub fn probe(&self) -> &Probe {
        &self.whole
    }

    /// Whether all scores are numbers.
    pub fn is_finite(&self) -> bool {
        self.sums.iter().all(|sum| sum.is_finite())
    }
}

/// Readers as rows: a score is an inner product.
#[derive(Debug, Clone)]
pub struct TemplateScorer {
    layout: Layout,
    readers: usize,
    /// Place after place, with the value of every reader side by side.
    columns: Vec<f64>,
    /// The row of the population.
    population: Vec<f64>,
}

impl TemplateScorer {
    /// A scorer of rows made by `layout`, that of the population among them.
    pub fn new(layout: Layout, rows: &[Vec<f64>], population: Vec<f64>) -> Self {
        let readers = rows.len();
        let mut columns = vec![0.0; layout.len() * readers];
        for (reader, row) in rows.iter().enumerate() {
            for (place, value) in row.iter().enumerate() {
                columns[place * readers + reader] = *value;
            }
        }
        Self { layout, readers, columns, population }
    }

    /// Where everything stands in a row.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The row of the population.
    pub fn population_row(&self) -> &[f64] {
        &self.population
    }

    /// A reader's row.
    pub fn row(&self, reader: usize) -> impl Iterator<Item = f64> {
        self.columns.iter().skip(reader).step_by(self.readers).copied()
    }
}

impl Scorer for TemplateScorer {
    fn len(&self) -> usize {
        self.readers
    }

    fn probe(&self, reading: &Reading) -> Probe {
        self.layout.probe(reading)
    }

    fn tally(&self, probe: &Probe) -> Tally {
        let mut scores = vec![probe.constant(); self.readers];
        for &(place, weight) in probe.entries() {
            let start = place as usize * self.readers;
            kernels::axpy(weight, &self.columns[start..start + self.readers], &mut scores);
        }
        Tally::sums(probe.fixations(), scores)
    }

    fn settle(&self, tally: &Tally) -> Vec<f64> {
        tally.scores_of(self.readers)
    }

    fn population(&self, probe: &Probe, _: &[f64]) -> f64 {
        probe.score(&self.population)
    }

    fn added(&self, step: &LiveStep<'_>) -> Tally {
        self.tally(&self.layout.probe_of(step.event().map_or(&[], std::slice::from_ref)))
    }
}
