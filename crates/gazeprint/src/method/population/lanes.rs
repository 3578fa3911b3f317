//! What depends on the situation, computed for some readers at once.

use std::sync::Arc;

use super::aims::{AIMED, Aim, PART, Spot};
use super::durations::Stay;
use super::features::{DURATION_FEATURES, TYPE_FEATURES};
use super::gallery::Seen;
use super::types::{Choice, FREE, MOVES};
use crate::density::Grid;
use crate::kernels::{self, LogProducts};

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
        let [types, amplitudes, durations] = self.parts(common, seen);
        for (r, score) in scores.iter_mut().enumerate() {
            *score += types[r] + amplitudes[r] + durations[r];
        }
    }

    /// The log-likelihood of all fixations by part of the evidence.
    pub(super) fn parts(&self, common: &Common, seen: &[Seen]) -> [Vec<f64>; 3] {
        let n = self.readers;
        let [mut types, mut amplitudes, mut durations] = [(); 3].map(|()| vec![0.0; n]);
        // What probabilities and masses are divided by: their logarithm is taken once in all.
        let [mut totals, mut masses] = [(); 2].map(|()| LogProducts::new(n));
        let mut room = Room::new(n);
        for Seen { choice, stay, aim } in seen {
            if let Some(choice) = choice {
                self.score_type(choice, &mut room, &mut totals, &mut types);
            }
            self.score_duration(common, stay, &mut room, &mut durations);
            if let Some(aim) = aim {
                self.score_aim(common, aim, &mut room, &mut masses, &mut amplitudes);
            }
        }
        types.iter_mut().zip(totals.ln()).for_each(|(score, ln)| *score -= ln);
        amplitudes.iter_mut().zip(masses.ln()).for_each(|(score, ln)| *score -= ln);
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
        let leave = FREE.iter().position(|free| *free == super::types::LEAVE).unwrap();
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

    fn score_type(
        &self,
        choice: &Choice,
        room: &mut Room,
        totals: &mut LogProducts,
        scores: &mut [f64],
    ) {
        let n = self.readers;
        self.predictors(&choice.features, &mut room.free);
        let Room { free, zeros, peaks, sums, .. } = room;
        // The move that others are held against has the predictor 0.
        let logits = |kind: usize| match FREE.iter().position(|k| *k == kind) {
            Some(k) => &free[k * n..(k + 1) * n],
            None => &zeros[..],
        };
        let possible = || (0..MOVES).filter(|kind| choice.possible[*kind]);
        peaks.fill(f64::NEG_INFINITY);
        possible().for_each(|kind| kernels::raise(logits(kind), peaks));
        sums.fill(0.0);
        possible().for_each(|kind| kernels::add_exp(logits(kind), peaks, sums));
        totals.push(sums);
        if !choice.possible[choice.chosen] {
            scores.fill(f64::NEG_INFINITY);
            return;
        }
        let chosen = logits(choice.chosen);
        for (r, score) in scores.iter_mut().enumerate() {
            *score += chosen[r] - peaks[r];
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
        let node = |i: usize| &table[i * n..(i + 1) * n];
        let parts = [
            (spot.v, &shape[n..2 * n]),
            (4.0 * spot.v * spot.v, &shape[2 * n..]),
            (1.0 - place.t, node(place.cell)),
            (place.t, node(place.cell + 1)),
        ];
        kernels::blend(&shape[..n], parts, spot.log_width, out);
    }

    fn score_aim(
        &self,
        common: &Common,
        aim: &Aim,
        room: &mut Room,
        masses: &mut LogProducts,
        scores: &mut [f64],
    ) {
        let n = self.readers;
        self.shapes(aim, &mut room.shapes);
        let Room { shapes, log_masses, peaks, sums, .. } = room;
        let log_mass = |spot: &Spot, out: &mut [f64]| {
            self.log_mass(common, aim.kind, shapes, spot, out);
        };
        log_masses.resize(n * aim.spots.len().max(1), 0.0);
        peaks.fill(f64::NEG_INFINITY);
        for (spot, out) in aim.spots.iter().zip(log_masses.chunks_exact_mut(n)) {
            log_mass(spot, out);
            kernels::raise(out, peaks);
        }
        sums.fill(0.0);
        for log_masses in log_masses[..n * aim.spots.len()].chunks_exact(n) {
            kernels::add_exp(log_masses, peaks, sums);
        }
        masses.push(sums);
        let landed = &mut log_masses[..n];
        log_mass(&aim.landed, landed);
        for (r, score) in scores.iter_mut().enumerate() {
            *score += landed[r] - peaks[r];
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

    fn score_duration(&self, common: &Common, stay: &Stay, room: &mut Room, scores: &mut [f64]) {
        let Room { sums: shifts, peaks: factors, .. } = room;
        self.shifts(common, &stay.features, shifts);
        factors.copy_from_slice(shifts);
        kernels::exp_negated(factors);
        let grid = &common.grids[stay.kind];
        let nodes = grid.nodes().len();
        let table = &self.tables[stay.kind];
        for (r, score) in scores.iter_mut().enumerate() {
            let residual = stay.duration * factors[r];
            let place = grid.place(residual.max(grid.lower()));
            *score += Grid::interpolate(&table[r * nodes..(r + 1) * nodes], place) - shifts[r];
        }
    }
}

/// Room to compute in, for all readers side by side.
#[derive(Debug)]
struct Room {
    /// Linear predictors of the free types.
    free: Vec<f64>,
    zeros: Vec<f64>,
    /// Of the words where a saccade may land.
    shapes: Vec<f64>,
    /// Of the places where it may land.
    log_masses: Vec<f64>,
    peaks: Vec<f64>,
    sums: Vec<f64>,
}

impl Room {
    fn new(readers: usize) -> Self {
        Self {
            free: vec![0.0; FREE.len() * readers],
            zeros: vec![0.0; readers],
            shapes: Vec::new(),
            log_masses: Vec::new(),
            peaks: vec![0.0; readers],
            sums: vec![0.0; readers],
        }
    }
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
    pub(super) fn clamped(&self, seen: &Seen) -> usize {
        let landing = seen
            .aim
            .as_ref()
            .is_some_and(|aim| aim.landed.amplitude > self.amplitudes[aim.kind].upper());
        let stay = seen.stay.duration > self.grids[seen.stay.kind].upper();
        usize::from(landing) + usize::from(stay)
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
        let mut room = Room::new(scales.len());
        for aim in aims() {
            let mut scores = vec![0.0; scales.len()];
            let mut masses = LogProducts::new(scales.len());
            lanes.score_aim(&common, &aim, &mut room, &mut masses, &mut scores);
            scores.iter_mut().zip(masses.ln()).for_each(|(score, ln)| *score -= ln);
            for (score, scale) in scores.iter().zip(scales) {
                let expected = log_density(&aim, &grid, &tables, &coefficients(scale));
                assert!((score - expected).abs() < 1e-9 * (1.0 + expected.abs()));
            }
        }
    }

    #[test]
    fn moves_of_readers_side_by_side() {
        let coefficient = |reader: usize, i: usize| ((reader * 131 + i * 17) as f64).sin();
        let of = |reader| (0..FREE.len() * TYPE_FEATURES).map(move |i| coefficient(reader, i));
        let types: [Vec<f64>; 3] = [0, 1, 2].map(|reader| of(reader).collect());
        let aims = vec![vec![0.0; super::super::features::AIM_FEATURES]; AIMED.len()];
        let lane = |types| Lane {
            types,
            durations: &[0.0; DURATION_FEATURES],
            tables: [&[0.0]; 5],
            aims: &aims,
            amplitudes: [&[0.0]; AIMED.len()],
        };
        let lanes = Lanes::new(&types.each_ref().map(|types| lane(types)));
        let mut room = Room::new(3);
        for number in 0..60 {
            let features = std::array::from_fn(|f| ((f + 7 * number) as f64 * 0.7).cos());
            let possible: [bool; MOVES] =
                std::array::from_fn(|kind| kind == number % MOVES || (number + kind) % 3 > 0);
            let choice = Choice { features, possible, chosen: number % MOVES };
            let (mut totals, mut scores) = (LogProducts::new(3), vec![0.0; 3]);
            lanes.score_type(&choice, &mut room, &mut totals, &mut scores);
            for ((score, ln), types) in scores.iter().zip(totals.ln()).zip(&types) {
                let predictor = |k: usize| -> f64 {
                    let of_type = &types[k * TYPE_FEATURES..(k + 1) * TYPE_FEATURES];
                    of_type.iter().zip(&features).map(|(b, x)| b * x).sum()
                };
                let expected = choice.probabilities(&std::array::from_fn(predictor)).1;
                assert!((score - ln - expected).abs() < 1e-12, "{score} {ln} {expected}");
            }
        }
    }
}
