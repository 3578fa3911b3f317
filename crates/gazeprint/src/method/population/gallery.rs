//! Readers whose saccade types and durations depend on the situation.

use super::durations::Stay;
use super::features::{self, DURATION_FEATURES, TYPE_FEATURES};
use super::types::{BACK, Choice, FREE, LEAVE};
use crate::density::Grid;
use crate::gallery::{Gallery, TemplateGallery};
use crate::kernels;
use crate::saccade::{DensityId, Event, Reading};
use crate::template::Probe;

/// A fixation as this gallery looks at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seen {
    /// What the eye did next; none where signal was lost.
    pub(super) choice: Option<Choice>,
    pub(super) stay: Stay,
}

impl Seen {
    /// The fixations of a reading.
    pub(super) fn of(reading: &Reading) -> Vec<Self> {
        let next = reading.events.iter().skip(1).map(Some).chain([None]);
        reading
            .with_previous()
            .zip(next)
            .map(|((previous, event), next)| {
                let chosen = match next {
                    Some(Event { density: DensityId::Alpha1Bar, .. }) => Some(BACK),
                    Some(Event { kind: Some(kind), .. }) => Some(*kind as usize),
                    // Signal was lost.
                    Some(next) if next.line == event.line => None,
                    Some(_) => Some(LEAVE),
                    None => reading.complete.then_some(LEAVE),
                };
                let choice = chosen.map(|chosen| Choice {
                    features: features::of_type(event),
                    possible: features::possible(event),
                    chosen,
                });
                let stay = Stay {
                    features: features::of_duration(previous, event),
                    kind: event.kind.map_or(0, |kind| kind as usize + 1),
                    duration: event.duration,
                };
                Self { choice, stay }
            })
            .collect()
    }
}

/// What depends on the situation, for some readers side by side.
#[derive(Debug, Clone)]
pub(super) struct Lanes {
    readers: usize,
    /// Feature after feature of each free type, with the value of every reader side by side.
    types: Vec<f64>,
    /// Feature after feature.
    durations: Vec<f64>,
    /// Log densities of durations: kind after kind, reader after reader, node after node.
    tables: Vec<Vec<f64>>,
}

/// One reader, for [`Lanes`].
pub(super) struct Lane {
    pub(super) types: Vec<f64>,
    pub(super) durations: Vec<f64>,
    /// By kind.
    pub(super) tables: [Vec<f64>; 5],
}

impl Lanes {
    pub(super) fn new(lanes: &[Lane]) -> Self {
        fn side_by_side(len: usize, rows: &[&[f64]]) -> Vec<f64> {
            (0..len).flat_map(|i| rows.iter().map(move |row| row[i])).collect()
        }
        let rows = |of: fn(&Lane) -> &[f64]| lanes.iter().map(of).collect::<Vec<_>>();
        Self {
            readers: lanes.len(),
            types: side_by_side(FREE.len() * TYPE_FEATURES, &rows(|l| &l.types)),
            durations: side_by_side(DURATION_FEATURES, &rows(|l| &l.durations)),
            tables: (0..5)
                .map(|kind| lanes.iter().flat_map(|l| l.tables[kind].iter().copied()).collect())
                .collect(),
        }
    }

    /// Adds the log-likelihood of every fixation.
    pub(super) fn score(&self, common: &Common, seen: &[Seen], scores: &mut [f64]) {
        let mut sums = vec![0.0; FREE.len() * self.readers];
        for Seen { choice, stay } in seen {
            if let Some(choice) = choice {
                self.score_type(choice, &mut sums, scores);
            }
            self.score_duration(common, stay, &mut sums[..self.readers], scores);
        }
    }

    fn score_type(&self, choice: &Choice, sums: &mut [f64], scores: &mut [f64]) {
        let n = self.readers;
        sums.fill(0.0);
        for (free, logits) in sums.chunks_exact_mut(n).enumerate() {
            for (f, &x) in choice.features.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                let start = (free * TYPE_FEATURES + f) * n;
                kernels::axpy(x, &self.types[start..start + n], logits);
            }
        }
        for (r, score) in scores.iter_mut().enumerate() {
            let free = std::array::from_fn(|k| sums[k * n + r]);
            *score += choice.log_probability(&free);
        }
    }

    fn score_duration(&self, common: &Common, stay: &Stay, sums: &mut [f64], scores: &mut [f64]) {
        let n = self.readers;
        sums.fill(0.0);
        for (f, x) in stay.features.iter().enumerate() {
            let start = f * n;
            kernels::axpy(x - common.centre[f], &self.durations[start..start + n], sums);
        }
        let grid = &common.grids[stay.kind];
        let nodes = grid.nodes().len();
        let table = &self.tables[stay.kind];
        for (r, score) in scores.iter_mut().enumerate() {
            let residual = stay.duration * (-sums[r]).exp();
            let place = grid.place(residual.max(grid.lower()));
            *score += Grid::interpolate(&table[r * nodes..(r + 1) * nodes], place) - sums[r];
        }
    }
}

/// What all readers share of their durations.
#[derive(Debug, Clone)]
pub(super) struct Common {
    /// Means of the features.
    pub(super) centre: [f64; DURATION_FEATURES],
    /// Of the densities, by kind.
    pub(super) grids: [std::sync::Arc<Grid>; 5],
}

/// Readers around a population: amplitudes as rows, the rest by situation.
#[derive(Debug, Clone)]
pub struct PopulationGallery {
    pub(super) amplitudes: TemplateGallery,
    pub(super) common: Common,
    pub(super) readers: Lanes,
    pub(super) population: Lanes,
}

impl Gallery for PopulationGallery {
    fn len(&self) -> usize {
        self.amplitudes.len()
    }

    fn probe(&self, reading: &Reading) -> Probe {
        self.amplitudes.probe(reading).with_seen(Seen::of(reading))
    }

    fn scores(&self, probe: &Probe) -> Vec<f64> {
        let mut scores = self.amplitudes.scores(probe);
        self.readers.score(&self.common, probe.seen(), &mut scores);
        scores
    }

    fn population(&self, probe: &Probe, scores: &[f64]) -> f64 {
        let mut score = [self.amplitudes.population(probe, scores)];
        self.population.score(&self.common, probe.seen(), &mut score);
        score[0]
    }

    fn is_additive(&self) -> bool {
        true
    }
}
