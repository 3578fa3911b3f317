//! Readers whose saccades and durations depend on the situation.

use std::sync::Arc;

use serde::Serialize;

use super::aims::{AIMED, Aim, PART, Spot};
use super::durations::Stay;
use super::features::{self, DURATION_FEATURES, TYPE_FEATURES};
use super::forge::Forger;
use super::surprise::Surprise;
use super::types::{BACK, Choice, FREE, LEAVE};
use crate::corpus::{Fixation, Limits, Text};
use crate::density::Grid;
use crate::gallery::{Gallery, TemplateGallery};
use crate::kernels;
use crate::random::Stream;
use crate::saccade::{DensityId, Event, Reading};
use crate::template::Probe;

/// A fixation as this gallery looks at it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// What the eye did next; none where signal was lost.
    pub(super) choice: Option<Choice>,
    pub(super) stay: Stay,
    /// The saccade that led here, if any.
    pub(super) aim: Option<Aim>,
}

impl Seen {
    /// The fixations of a reading.
    pub(super) fn of(reading: &Reading) -> Vec<Self> {
        let words = |bounds: &Vec<f64>| vec![false; bounds.len() - 1];
        let mut visited: Vec<Vec<bool>> = reading.bounds.iter().map(words).collect();
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
                let (bounds, visited) = (&reading.bounds[event.line], &mut visited[event.line]);
                let aim = previous.and_then(|from| Aim::new(bounds, visited, from, event));
                visited[event.word] = true;
                Self { choice, stay, aim }
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
    /// By kind of saccade, feature after feature.
    aims: Vec<Vec<f64>>,
    /// Log densities of amplitudes: kind after kind, node after node, readers side by side.
    amplitudes: Vec<Vec<f64>>,
}

/// One reader, for [`Lanes`].
pub(super) struct Lane<'a> {
    pub(super) types: &'a [f64],
    pub(super) durations: &'a [f64],
    /// By kind.
    pub(super) tables: [&'a [f64]; 5],
    /// By kind of saccade.
    pub(super) aims: &'a [Vec<f64>],
    /// Log densities of amplitudes, by kind of saccade.
    pub(super) amplitudes: [&'a [f64]; AIMED.len()],
}

impl Lanes {
    pub(super) fn new(lanes: &[Lane<'_>]) -> Self {
        fn side_by_side(rows: &[&[f64]]) -> Vec<f64> {
            let len = rows.first().map_or(0, |row| row.len());
            (0..len).flat_map(|i| rows.iter().map(move |row| row[i])).collect()
        }
        let kinds = 0..AIMED.len();
        let aims = |kind: usize| lanes.iter().map(|l| &l.aims[kind][..]).collect::<Vec<_>>();
        let amplitudes = |kind: usize| lanes.iter().map(|l| l.amplitudes[kind]).collect::<Vec<_>>();
        Self {
            readers: lanes.len(),
            types: side_by_side(&lanes.iter().map(|l| l.types).collect::<Vec<_>>()),
            durations: side_by_side(&lanes.iter().map(|l| l.durations).collect::<Vec<_>>()),
            tables: (0..5)
                .map(|kind| lanes.iter().flat_map(|l| l.tables[kind].iter().copied()).collect())
                .collect(),
            aims: kinds.clone().map(|kind| side_by_side(&aims(kind))).collect(),
            amplitudes: kinds.map(|kind| side_by_side(&amplitudes(kind))).collect(),
        }
    }

    /// Adds the log-likelihood of every fixation.
    pub(super) fn score(&self, common: &Common, seen: &[Seen], scores: &mut [f64]) {
        if self.readers == 0 {
            return;
        }
        let mut sums = vec![0.0; FREE.len() * self.readers];
        let mut landings = Landings::default();
        for Seen { choice, stay, aim } in seen {
            if let Some(choice) = choice {
                self.score_type(choice, &mut sums, scores);
            }
            self.score_duration(common, stay, &mut sums[..self.readers], scores);
            if let Some(aim) = aim {
                self.score_aim(common, aim, &mut landings, scores);
            }
        }
    }

    /// The same for each part of the evidence.
    fn parts(&self, common: &Common, seen: &[Seen]) -> [Vec<f64>; 3] {
        let [mut types, mut amplitudes, mut durations] = [(); 3].map(|()| vec![0.0; self.readers]);
        let mut sums = vec![0.0; FREE.len() * self.readers];
        let mut landings = Landings::default();
        for Seen { choice, stay, aim } in seen {
            if let Some(choice) = choice {
                self.score_type(choice, &mut sums, &mut types);
            }
            self.score_duration(common, stay, &mut sums[..self.readers], &mut durations);
            if let Some(aim) = aim {
                self.score_aim(common, aim, &mut landings, &mut amplitudes);
            }
        }
        [types, amplitudes, durations]
    }

    /// One of the readers, alone.
    pub(super) fn only(&self, reader: usize) -> Self {
        let column = |table: &Vec<f64>| {
            table.iter().skip(reader).step_by(self.readers).copied().collect::<Vec<f64>>()
        };
        let row = |table: &Vec<f64>| {
            let nodes = table.len() / self.readers;
            table[reader * nodes..(reader + 1) * nodes].to_vec()
        };
        Self {
            readers: 1,
            types: column(&self.types),
            durations: column(&self.durations),
            tables: self.tables.iter().map(row).collect(),
            aims: self.aims.iter().map(column).collect(),
            amplitudes: self.amplitudes.iter().map(column).collect(),
        }
    }

    #[cfg(test)]
    pub(super) fn never_leave(&mut self) {
        let leave = FREE.iter().position(|free| *free == LEAVE).unwrap();
        let start = leave * TYPE_FEATURES * self.readers;
        self.types[start..start + self.readers].fill(-1e6);
    }

    /// Log densities of durations of a kind, of all readers.
    pub(super) fn table(&self, kind: usize) -> &[f64] {
        &self.tables[kind]
    }

    /// The linear predictors of the free types.
    pub(super) fn predictors(&self, features: &[f64; TYPE_FEATURES], sums: &mut [f64]) {
        let n = self.readers;
        sums.fill(0.0);
        for (free, logits) in sums.chunks_exact_mut(n).enumerate() {
            for (f, &x) in features.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                let start = (free * TYPE_FEATURES + f) * n;
                kernels::axpy(x, &self.types[start..start + n], logits);
            }
        }
    }

    fn score_type(&self, choice: &Choice, sums: &mut [f64], scores: &mut [f64]) {
        let n = self.readers;
        self.predictors(&choice.features, sums);
        for (r, score) in scores.iter_mut().enumerate() {
            let free = std::array::from_fn(|k| sums[k * n + r]);
            *score += choice.log_probability(&free);
        }
    }

    /// The level, slope and bend of every word.
    pub(super) fn shapes(&self, aim: &Aim, shapes: &mut Vec<f64>) {
        let n = self.readers;
        shapes.clear();
        shapes.resize(3 * n * aim.words.len(), 0.0);
        for (word, shape) in aim.words.iter().zip(shapes.chunks_exact_mut(3 * n)) {
            for (f, &x) in word.features.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                let part = PART[f];
                let coefficients = &self.aims[aim.kind][f * n..(f + 1) * n];
                kernels::axpy(x, coefficients, &mut shape[part * n..(part + 1) * n]);
            }
        }
    }

    /// Log of the mass of a spot, not normalised, given the shapes of the words.
    pub(super) fn log_mass(
        &self,
        common: &Common,
        kind: usize,
        shapes: &[f64],
        spot: &Spot,
        out: &mut [f64],
    ) {
        let n = self.readers;
        let (grid, table) = (&common.amplitudes[kind], &self.amplitudes[kind]);
        let place = grid.place(spot.amplitude.max(grid.lower()));
        let shape = &shapes[3 * n * spot.word..3 * n * (spot.word + 1)];
        out.copy_from_slice(&shape[..n]);
        kernels::axpy(spot.v, &shape[n..2 * n], out);
        kernels::axpy(4.0 * spot.v * spot.v, &shape[2 * n..], out);
        let node = |i: usize| &table[i * n..(i + 1) * n];
        kernels::axpy(1.0 - place.t, node(place.cell), out);
        kernels::axpy(place.t, node(place.cell + 1), out);
        out.iter_mut().for_each(|v| *v += spot.log_width);
    }

    fn score_aim(&self, common: &Common, aim: &Aim, at: &mut Landings, scores: &mut [f64]) {
        let n = self.readers;
        self.shapes(aim, &mut at.shapes);
        let shapes = &at.shapes;
        let log_mass = |spot: &Spot, out: &mut [f64]| {
            self.log_mass(common, aim.kind, shapes, spot, out);
        };
        at.log_masses.resize(n * aim.spots.len(), 0.0);
        at.peaks.clear();
        at.peaks.resize(n, f64::NEG_INFINITY);
        at.sums.clear();
        at.sums.resize(n, 0.0);
        for (spot, out) in aim.spots.iter().zip(at.log_masses.chunks_exact_mut(n)) {
            log_mass(spot, out);
            kernels::raise(out, &mut at.peaks);
        }
        for log_masses in at.log_masses[..n * aim.spots.len()].chunks_exact(n) {
            kernels::add_exp(log_masses, &at.peaks, &mut at.sums);
        }
        let landed = &mut at.log_masses[..n];
        log_mass(&aim.landed, landed);
        for (r, score) in scores.iter_mut().enumerate() {
            *score += landed[r] - at.peaks[r] - at.sums[r].ln();
        }
    }

    /// The context parts of a log duration.
    pub(super) fn shifts(
        &self,
        common: &Common,
        features: &[f64; DURATION_FEATURES],
        sums: &mut [f64],
    ) {
        let n = self.readers;
        sums.fill(0.0);
        for (f, x) in features.iter().enumerate() {
            let start = f * n;
            kernels::axpy(x - common.centre[f], &self.durations[start..start + n], sums);
        }
    }

    fn score_duration(&self, common: &Common, stay: &Stay, sums: &mut [f64], scores: &mut [f64]) {
        self.shifts(common, &stay.features, sums);
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

/// Room for the places where a saccade may land, for all readers side by side.
#[derive(Debug, Default)]
struct Landings {
    shapes: Vec<f64>,
    log_masses: Vec<f64>,
    peaks: Vec<f64>,
    sums: Vec<f64>,
}

/// What all readers share of their durations and amplitudes.
#[derive(Debug, Clone)]
pub(super) struct Common {
    /// Means of the features.
    pub(super) centre: [f64; DURATION_FEATURES],
    /// Of the densities of durations, by kind.
    pub(super) grids: [Arc<Grid>; 5],
    /// Of the densities of amplitudes, by kind of saccade.
    pub(super) amplitudes: [Arc<Grid>; AIMED.len()],
}

impl Common {
    /// How many values of a fixation lie beyond the grids: the landing, and the duration as it is.
    fn clamped(&self, seen: &Seen) -> usize {
        let landing = seen
            .aim
            .as_ref()
            .is_some_and(|aim| aim.landed.amplitude > self.amplitudes[aim.kind].upper());
        let stay = seen.stay.duration > self.grids[seen.stay.kind].upper();
        usize::from(landing) + usize::from(stay)
    }
}

/// Readers around a population: first places on a line as rows, the rest by situation.
#[derive(Debug, Clone)]
pub struct PopulationGallery {
    pub(super) places: TemplateGallery,
    pub(super) common: Common,
    pub(super) readers: Lanes,
    pub(super) population: Lanes,
}

/// The evidence of a probe by what it comes from, in nats.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Evidence {
    /// Which moves the eye made.
    pub types: f64,
    /// Where it landed.
    pub amplitudes: f64,
    /// How long it rested.
    pub durations: f64,
}

impl PopulationGallery {
    /// What each part of a probe says for every reader, against the population. Their sum is the
    /// score less that of the population.
    pub fn evidence(&self, probe: &Probe) -> Vec<Evidence> {
        let readers = self.readers.parts(&self.common, probe.seen());
        let population = self.population.parts(&self.common, probe.seen());
        let (places, place) = (self.places.scores(probe), self.places.population(probe, &[]));
        (0..self.len())
            .map(|r| {
                let part = |i: usize| readers[i][r] - population[i][0];
                Evidence {
                    types: part(0),
                    amplitudes: part(1) + places[r] - place,
                    durations: part(2),
                }
            })
            .collect()
    }
}

impl Gallery for PopulationGallery {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn probe(&self, reading: &Reading) -> Probe {
        let seen = Seen::of(reading);
        let clamped = seen.iter().map(|s| self.common.clamped(s)).sum();
        self.places.probe(reading).with_seen(seen, clamped)
    }

    fn scores(&self, probe: &Probe) -> Vec<f64> {
        let mut scores = self.places.scores(probe);
        self.readers.score(&self.common, probe.seen(), &mut scores);
        scores
    }

    fn population(&self, probe: &Probe, scores: &[f64]) -> f64 {
        let mut score = [self.places.population(probe, scores)];
        self.population.score(&self.common, probe.seen(), &mut score);
        score[0]
    }

    fn is_additive(&self) -> bool {
        true
    }

    fn forge(
        &self,
        reader: Option<usize>,
        text: &Text,
        limits: Limits,
        stream: Stream,
    ) -> Option<Vec<Fixation>> {
        Some(self.forger(reader)?.read(text, limits, &mut stream.chain(0)))
    }

    fn surprises(&self, reader: usize, reading: &Reading) -> Option<Vec<Surprise>> {
        let forger = self.forger(Some(reader))?;
        Some(Seen::of(reading).iter().map(|seen| forger.surprise(seen)).collect())
    }
}

impl PopulationGallery {
    /// A reader's template, to be run forward; that of nobody in particular without a reader.
    pub(super) fn forger(&self, reader: Option<usize>) -> Option<Forger<'_>> {
        let layout = self.places.layout();
        match reader {
            Some(reader) if reader >= self.len() => None,
            Some(reader) => {
                let row: Vec<f64> = self.places.row(reader).collect();
                Forger::new(&self.common, self.readers.only(reader), layout, &row)
            }
            None => {
                let row = self.places.population_row();
                Forger::new(&self.common, self.population.clone(), layout, row)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::population::aims::tests::{aims, coefficients, log_density, log_f};

    /// Readers side by side score as each does alone.
    #[test]
    fn landings_of_readers_side_by_side() {
        let grid = Grid::new(0.0, 60.0);
        let scales = [0.0, 0.4, -0.9];
        let tables = log_f(&grid);
        let aimed = scales.map(|scale| vec![coefficients(scale); AIMED.len()]);
        let lane = |aims| Lane {
            types: &[0.0; FREE.len() * TYPE_FEATURES],
            durations: &[0.0; DURATION_FEATURES],
            tables: [&tables; 5],
            aims,
            amplitudes: [&tables; AIMED.len()],
        };
        let lanes = Lanes::new(&aimed.each_ref().map(|aims| lane(aims)));
        let grids = std::array::from_fn(|_| Arc::new(grid.clone()));
        let common = Common { centre: [0.0; DURATION_FEATURES], amplitudes: grids.clone(), grids };
        let mut room = Landings::default();
        for aim in aims() {
            let mut scores = vec![0.0; scales.len()];
            lanes.score_aim(&common, &aim, &mut room, &mut scores);
            for (score, scale) in scores.iter().zip(scales) {
                let expected = log_density(&aim, &grid, &tables, &coefficients(scale));
                assert!((score - expected).abs() < 1e-9 * (1.0 + expected.abs()));
            }
        }
    }
}
