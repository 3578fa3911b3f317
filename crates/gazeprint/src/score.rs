//! Readers that a probe can be compared with.

use crate::kernels;
use crate::live::LiveStep;
use crate::saccade::Reading;
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

    /// The score of every reader for a probe: a log-likelihood or the logarithm of a similarity.
    fn scores(&self, probe: &Probe) -> Vec<f64>;

    /// The score of nobody in particular, to which others are compared; `scores` are those of the
    /// readers for the same probe.
    fn population(&self, probe: &Probe, scores: &[f64]) -> f64;

    /// Whether the scores of a merged probe are the sums of the scores of its parts.
    fn is_additive(&self) -> bool;

    /// What one more fixation of a reading that goes on adds to the scores of all readers, and the
    /// move that led to it. Where scores are sums, it is computed from these alone.
    fn added(&self, step: &LiveStep<'_>) -> Vec<f64> {
        let scores = |reading: &Reading| self.scores(&self.probe(reading));
        let (before, now) = (scores(&step.before()), scores(&step.after()));
        now.iter().zip(before).map(|(now, before)| now - before).collect()
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

    fn scores(&self, probe: &Probe) -> Vec<f64> {
        let mut scores = vec![probe.constant(); self.readers];
        for &(place, weight) in probe.entries() {
            let start = place as usize * self.readers;
            kernels::axpy(weight, &self.columns[start..start + self.readers], &mut scores);
        }
        scores
    }

    fn population(&self, probe: &Probe, _: &[f64]) -> f64 {
        probe.score(&self.population)
    }

    fn is_additive(&self) -> bool {
        true
    }

    fn added(&self, step: &LiveStep<'_>) -> Vec<f64> {
        self.scores(&self.layout.probe_of(step.event().map_or(&[], std::slice::from_ref)))
    }
}
