//! What depends on the situation, computed for some readers at once.

use std::sync::Arc;

use pulp::NullaryFnOnce;

use super::types::FREE;
use crate::density::Grid;
use crate::glance::features::{AimedWord, DURATION_FEATURES, TYPE_FEATURES};
use crate::glance::{
    AimKind, ByAim, ByMove, ByStay, Choice, Glance, PART, RESOLUTION, Spot, StayKind,
};
use crate::kernels::{self, LANES, Pack, PackProduct};
use crate::kinds::Kind as _;

/// What depends on the situation, for up to [`LANES`] readers side by side. Lanes without a reader
/// are nought everywhere.
#[derive(Debug, Clone)]
pub(super) struct Lanes {
    /// Feature after feature of each free type.
    types: Vec<Pack>,
    /// Feature after feature.
    durations: Vec<Pack>,
    /// Log densities of durations: kind after kind, reader after reader, node after node.
    tables: ByStay<Vec<f64>>,
    /// By kind of saccade, feature after feature.
    aims: ByAim<Vec<Pack>>,
    /// Log densities of amplitudes: by kind of saccade, node after node.
    amplitudes: ByAim<Vec<Pack>>,
}

/// One reader, for [`Lanes`].
pub(super) struct Lane<'a> {
    pub(super) types: &'a [f64],
    pub(super) durations: &'a [f64],
    /// By kind.
    pub(super) tables: ByStay<&'a [f64]>,
    /// By kind of saccade.
    pub(super) aims: &'a [Vec<f64>],
    /// Log densities of amplitudes, by kind of saccade.
    pub(super) amplitudes: ByAim<&'a [f64]>,
}

impl Lanes {
    /// The readers of some lanes, [`LANES`] at most.
    pub(super) fn new(lanes: &[Lane<'_>]) -> Self {
        let side_by_side = |of: &dyn for<'a> Fn(&'a Lane<'a>) -> &'a [f64]| -> Vec<Pack> {
            let mut packs = vec![Pack::ZERO; lanes.first().map_or(0, |lane| of(lane).len())];
            for (k, lane) in lanes.iter().enumerate() {
                packs.iter_mut().zip(of(lane)).for_each(|(pack, value)| pack.0[k] = *value);
            }
            packs
        };
        Self {
            types: side_by_side(&|lane| lane.types),
            durations: side_by_side(&|lane| lane.durations),
            tables: ByStay::of(|kind| {
                let mut table = Vec::new();
                lanes.iter().for_each(|lane| table.extend_from_slice(lane.tables[kind]));
                let nodes = lanes.first().map_or(0, |lane| lane.tables[kind].len());
                table.resize(LANES * nodes, 0.0);
                table
            }),
            aims: ByAim::of(|kind: AimKind| side_by_side(&|lane| &lane.aims[kind.place()])),
            amplitudes: ByAim::of(|kind| side_by_side(&|lane| lane.amplitudes[kind])),
        }
    }

    #[cfg(test)]
    pub(super) fn never_leave(&mut self) {
        let leave = FREE.iter().position(|free| *free == crate::glance::Move::Leave).unwrap();
        self.types[leave * TYPE_FEATURES] = Pack::all(-1e6);
    }

    /// Log densities of durations of a kind, of one reader.
    pub(super) fn table(&self, kind: StayKind, lane: usize) -> &[f64] {
        let nodes = self.tables[kind].len() / LANES;
        &self.tables[kind][lane * nodes..(lane + 1) * nodes]
    }

    /// The linear predictors of the free types.
    #[inline(always)]
    pub(super) fn predictors(&self, features: &[f64; TYPE_FEATURES]) -> [Pack; FREE.len()] {
        let mut sums = [Pack::ZERO; FREE.len()];
        for (f, &x) in features.iter().enumerate() {
            if x != 0.0 {
                for (free, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.plus(x, &self.types[free * TYPE_FEATURES + f]);
                }
            }
        }
        sums
    }

    #[inline(always)]
    fn score_type(&self, choice: &Choice, sums: &mut Sums) {
        let mut logits = ByMove::of(|_| Pack::ZERO);
        // The move that others are held against has the predictor 0.
        for (kind, predictor) in FREE.into_iter().zip(self.predictors(&choice.features)) {
            logits[kind] = predictor;
        }
        let mut peak = Pack::all(f64::NEG_INFINITY);
        for (logits, possible) in logits.values().iter().zip(choice.possible.values()) {
            if *possible {
                peak = peak.max(logits);
            }
        }
        let mut total = Pack::ZERO;
        for (logits, possible) in logits.values().iter().zip(choice.possible.values()) {
            if *possible {
                total = total.plus_exp(logits, &peak);
            }
        }
        sums.totals.push(&total);
        sums.types = match choice.possible[choice.chosen] {
            true => sums.types.plus_difference(&logits[choice.chosen], &peak),
            false => Pack::all(f64::NEG_INFINITY),
        };
    }

    /// The level, slope and bend of a word.
    #[inline(always)]
    pub(super) fn shape(&self, kind: AimKind, word: &AimedWord) -> [Pack; 3] {
        let mut shape = [Pack::ZERO; 3];
        for ((x, part), coefficients) in word.features.iter().zip(PART).zip(&self.aims[kind]) {
            shape[part] = shape[part].plus(*x, coefficients);
        }
        shape
    }

    /// Log of the mass of a spot, not normalised, given the shape of its word.
    #[inline(always)]
    pub(super) fn log_mass(&self, kind: AimKind, shape: &[Pack; 3], spot: &Placed) -> Pack {
        let table = &self.amplitudes[kind];
        let [level, slope, bend] = shape;
        Pack::all(spot.log_width)
            .plus(1.0, level)
            .plus(spot.v, slope)
            .plus(4.0 * spot.v * spot.v, bend)
            .plus(1.0 - spot.t, &table[spot.cell])
            .plus(spot.t, &table[spot.cell + 1])
    }

    #[inline(always)]
    fn score_aim(&self, aim: &LookedAim<'_>, room: &mut Room, sums: &mut Sums) {
        let Room { shapes, log_masses } = room;
        shapes.clear();
        for word in aim.words {
            shapes.push(self.shape(aim.kind, word));
        }
        let landed = self.log_mass(aim.kind, &shapes[aim.landed.word], &aim.landed);
        // The mass of the landing alone, which the sum may not see.
        let least = Pack::all(RESOLUTION.ln()).plus(1.0, &landed);
        let mut peak = least;
        log_masses.clear();
        for spot in &aim.spots {
            let log_mass = self.log_mass(aim.kind, &shapes[spot.word], spot);
            peak = peak.max(&log_mass);
            log_masses.push(log_mass);
        }
        let mut total = Pack::ZERO;
        for log_mass in log_masses.iter() {
            total = total.plus_exp(log_mass, &peak);
        }
        sums.masses.push(&total.max(&Pack::ZERO.plus_exp(&least, &peak)));
        sums.amplitudes = sums.amplitudes.plus_difference(&landed, &peak);
    }

    /// The context part of a log duration, of centred features.
    #[inline(always)]
    pub(super) fn shift(&self, centred: &[f64; DURATION_FEATURES]) -> Pack {
        let mut shift = Pack::ZERO;
        for (x, coefficients) in centred.iter().zip(&self.durations) {
            shift = shift.plus(*x, coefficients);
        }
        shift
    }

    #[inline(always)]
    fn score_duration(&self, stay: &LookedStay, sums: &mut Sums) {
        let shift = self.shift(&stay.centred);
        let table = &self.tables[stay.kind];
        let nodes = table.len() / LANES;
        let cells = nodes - 1;
        // What context leaves of the duration is its product with exp(-shift), and places on the grid
        // are linear in the square root.
        let place = Pack::root_exp_negated(&shift, stay.root_steps, -0.5);
        let place = place.clamp(stay.least, cells as f64);
        let mut log_f = Pack::ZERO;
        for k in 0..LANES {
            let cell = (place.0[k] as usize).min(cells - 1);
            let t = place.0[k] - cell as f64;
            let of_reader = &table[k * nodes..(k + 1) * nodes];
            log_f.0[k] = t.mul_add(of_reader[cell + 1] - of_reader[cell], of_reader[cell]);
        }
        sums.durations = sums.durations.plus_difference(&log_f, &shift);
    }
}

/// A fixation with all that is the same for all readers.
#[derive(Debug)]
pub(super) struct Look<'a> {
    choice: Option<&'a Choice>,
    stay: LookedStay,
    aim: Option<LookedAim<'a>>,
}

#[derive(Debug)]
struct LookedStay {
    kind: StayKind,
    centred: [f64; DURATION_FEATURES],
    /// Where the duration lies on its grid, in cells from half a cell before its first node.
    root_steps: f64,
    /// The first place of the support.
    least: f64,
}

#[derive(Debug)]
struct LookedAim<'a> {
    kind: AimKind,
    words: &'a [AimedWord],
    spots: Vec<Placed>,
    landed: Placed,
}

/// A spot with its place on the grid of amplitudes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    word: usize,
    v: f64,
    cell: usize,
    t: f64,
    log_width: f64,
}

/// Evidence that is being added up.
#[derive(Debug, Clone, Copy)]
struct Sums {
    types: Pack,
    amplitudes: Pack,
    durations: Pack,
    /// What probabilities and masses are divided by: their logarithm is taken once in all.
    totals: PackProduct,
    masses: PackProduct,
}

impl Sums {
    const NONE: Self = Self {
        types: Pack::ZERO,
        amplitudes: Pack::ZERO,
        durations: Pack::ZERO,
        totals: PackProduct::ONE,
        masses: PackProduct::ONE,
    };

    /// Of types, amplitudes and durations.
    fn parts(&self) -> [Pack; 3] {
        [
            self.types.plus(-1.0, &self.totals.ln()),
            self.amplitudes.plus(-1.0, &self.masses.ln()),
            self.durations,
        ]
    }
}

/// Room to compute in.
#[derive(Debug, Default)]
struct Room {
    /// Of the words where a saccade may land.
    shapes: Vec<[Pack; 3]>,
    /// Of the places where it may land.
    log_masses: Vec<Pack>,
}

/// The log-likelihood of all fixations by part of the evidence: types, amplitudes and durations.
pub(super) fn parts(lanes: &[Lanes], looks: &[Look<'_>]) -> Vec<[Pack; 3]> {
    struct Scoring<'a>(&'a [Lanes], &'a [Look<'a>]);
    impl NullaryFnOnce for Scoring<'_> {
        type Output = Vec<Sums>;

        #[inline(always)]
        fn call(self) -> Self::Output {
            let Self(lanes, looks) = self;
            let mut sums = vec![Sums::NONE; lanes.len()];
            let mut room = Room::default();
            for look in looks {
                for (lanes, sums) in lanes.iter().zip(&mut sums) {
                    if let Some(choice) = look.choice {
                        lanes.score_type(choice, sums);
                    }
                    lanes.score_duration(&look.stay, sums);
                    if let Some(aim) = &look.aim {
                        lanes.score_aim(aim, &mut room, sums);
                    }
                }
            }
            sums
        }
    }
    kernels::vectorised(Scoring(lanes, looks)).iter().map(Sums::parts).collect()
}

/// What all readers share of their durations and amplitudes.
#[derive(Debug, Clone)]
pub(super) struct Common {
    /// Means of the features.
    pub(super) centre: [f64; DURATION_FEATURES],
    /// Of the densities of durations, by kind.
    pub(super) grids: ByStay<Arc<Grid>>,
    /// Of the densities of amplitudes, by kind of saccade.
    pub(super) amplitudes: ByAim<Arc<Grid>>,
}

impl Common {
    /// Fixations as readers are compared on them.
    pub(super) fn looks<'a>(&self, glances: &'a [Glance]) -> Vec<Look<'a>> {
        glances.iter().map(|glance| self.look(glance)).collect()
    }

    fn look<'a>(&self, Glance { choice, stay, aim }: &'a Glance) -> Look<'a> {
        let grid = &self.grids[stay.kind];
        let aim = aim.as_ref().map(|aim| LookedAim {
            kind: aim.kind,
            words: &aim.words,
            spots: aim.spots.iter().map(|spot| self.placed(aim.kind, spot)).collect(),
            landed: self.placed(aim.kind, &aim.landed),
        });
        let stay = LookedStay {
            kind: stay.kind,
            centred: self.centred(&stay.features),
            root_steps: grid.root_steps(stay.duration),
            least: (grid.root_steps(grid.lower()) - 0.5).max(0.0),
        };
        Look { choice: choice.as_ref(), stay, aim }
    }

    /// Features of a duration less their means.
    pub(super) fn centred(&self, features: &[f64; DURATION_FEATURES]) -> [f64; DURATION_FEATURES] {
        std::array::from_fn(|f| features[f] - self.centre[f])
    }

    /// Where a spot lies on the grid of a kind of saccade.
    pub(super) fn placed(&self, kind: AimKind, spot: &Spot) -> Placed {
        let grid = &self.amplitudes[kind];
        let place = grid.place(spot.amplitude.max(grid.lower()));
        let Spot { word, v, log_width, .. } = *spot;
        Placed { word, v, cell: place.cell, t: place.t, log_width }
    }

    /// How many values of a fixation lie beyond the grids: the landing, and the duration as it is.
    pub(super) fn clamped(&self, glance: &Glance) -> usize {
        let landing = glance
            .aim
            .as_ref()
            .is_some_and(|aim| aim.landed.amplitude > self.amplitudes[aim.kind].upper());
        let stay = glance.stay.duration > self.grids[glance.stay.kind].upper();
        usize::from(landing) + usize::from(stay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glance::{Move, Stay};
    use crate::method::population::aims::tests::{aims, coefficients, log_density, log_f};

    fn stay() -> Stay {
        Stay { features: [0.0; DURATION_FEATURES], kind: StayKind::First, duration: 1.0 }
    }

    /// Readers side by side score as each does alone.
    #[test]
    fn landings_of_readers_side_by_side() {
        let grid = Grid::new(0.0, 60.0);
        let scales = [0.0, 0.4, -0.9];
        let tables = log_f(&grid);
        let aimed = scales.map(|scale| vec![coefficients(scale); AimKind::COUNT]);
        let lane = |aims| Lane {
            types: &[0.0; FREE.len() * TYPE_FEATURES],
            durations: &[0.0; DURATION_FEATURES],
            tables: ByStay::of(|_| &tables[..]),
            aims,
            amplitudes: ByAim::of(|_| &tables[..]),
        };
        let lanes = [Lanes::new(&aimed.each_ref().map(|aims| lane(aims)))];
        let grid_of_all = Arc::new(grid.clone());
        let common = Common {
            centre: [0.0; DURATION_FEATURES],
            amplitudes: ByAim::of(|_| Arc::clone(&grid_of_all)),
            grids: ByStay::of(|_| Arc::clone(&grid_of_all)),
        };
        for aim in aims() {
            let glances = [Glance { choice: None, stay: stay(), aim: Some(aim) }];
            let [_, amplitudes, _] = parts(&lanes, &common.looks(&glances))[0];
            for (score, scale) in amplitudes.0.into_iter().zip(scales) {
                let aim = glances[0].aim.as_ref().unwrap();
                let expected = log_density(aim, &grid, &tables, &coefficients(scale));
                assert!((score - expected).abs() < 1e-9 * (1.0 + expected.abs()));
            }
        }
    }

    #[test]
    fn moves_of_readers_side_by_side() {
        let coefficient = |reader: usize, i: usize| ((reader * 131 + i * 17) as f64).sin();
        let of = |reader| (0..FREE.len() * TYPE_FEATURES).map(move |i| coefficient(reader, i));
        let types: [Vec<f64>; 3] = [0, 1, 2].map(|reader| of(reader).collect());
        let aims = vec![vec![0.0; crate::glance::features::AIM_FEATURES]; AimKind::COUNT];
        let lane = |types| Lane {
            types,
            durations: &[0.0; DURATION_FEATURES],
            tables: ByStay::of(|_| &[0.0; 3][..]),
            aims: &aims,
            amplitudes: ByAim::of(|_| &[0.0; 3][..]),
        };
        let lanes = [Lanes::new(&types.each_ref().map(|types| lane(types)))];
        let grid_of_all = Arc::new(Grid::with_cells(0.0, 1.0, 2));
        let common = Common {
            centre: [0.0; DURATION_FEATURES],
            amplitudes: ByAim::of(|_| Arc::clone(&grid_of_all)),
            grids: ByStay::of(|_| Arc::clone(&grid_of_all)),
        };
        for number in 0..60 {
            let features = std::array::from_fn(|f| ((f + 7 * number) as f64 * 0.7).cos());
            let chosen = Move::ALL[number % Move::COUNT];
            let possible = ByMove::of(|kind: Move| {
                kind == chosen || !(number + kind.place()).is_multiple_of(3)
            });
            let choice = Choice { features, possible, chosen };
            let glances = [Glance { choice: Some(choice), stay: stay(), aim: None }];
            let [found, ..] = parts(&lanes, &common.looks(&glances))[0];
            for (found, types) in found.0.into_iter().zip(&types) {
                let predictor = |k: usize| -> f64 {
                    let of_type = &types[k * TYPE_FEATURES..(k + 1) * TYPE_FEATURES];
                    of_type.iter().zip(&features).map(|(b, x)| b * x).sum()
                };
                let expected = choice.probabilities(&std::array::from_fn(predictor)).1;
                assert!((found - expected).abs() < 1e-12, "{found} {expected}");
            }
        }
    }

    /// What context leaves of a duration, looked up in the reader's table.
    #[test]
    fn durations_of_readers_side_by_side() {
        let grid = Grid::new(10.0, 900.0);
        let scales = [0.0, 0.6, -3.0];
        let tables = scales.map(|scale| {
            grid.nodes().iter().map(|x| (0.01 * x + scale).sin()).collect::<Vec<f64>>()
        });
        let durations = scales.map(|scale| [scale / 3.0; DURATION_FEATURES]);
        let aims = vec![vec![0.0; crate::glance::features::AIM_FEATURES]; AimKind::COUNT];
        let lane = |i: usize| Lane {
            types: &[0.0; FREE.len() * TYPE_FEATURES],
            durations: &durations[i],
            tables: ByStay::of(|_| &tables[i][..]),
            aims: &aims,
            amplitudes: ByAim::of(|_| &tables[i][..]),
        };
        let lanes = [Lanes::new(&[lane(0), lane(1), lane(2)])];
        let grid_of_all = Arc::new(grid.clone());
        let common = Common {
            centre: [0.1; DURATION_FEATURES],
            amplitudes: ByAim::of(|_| Arc::clone(&grid_of_all)),
            grids: ByStay::of(|_| Arc::clone(&grid_of_all)),
        };
        for number in 0..200 {
            let features = std::array::from_fn(|f| ((f + 7 * number) as f64 * 0.7).cos());
            let duration = 5.0 + 6.0 * number as f64;
            let stay = Stay { features, kind: StayKind::ALL[number % StayKind::COUNT], duration };
            let glances = [Glance { choice: None, stay, aim: None }];
            let [.., found] = parts(&lanes, &common.looks(&glances))[0];
            for i in 0..scales.len() {
                let shift: f64 = features.iter().map(|x| (x - 0.1) * durations[i][0]).sum();
                let place = grid.place((duration * (-shift).exp()).max(grid.lower()));
                let expected = Grid::interpolate(&tables[i], place) - shift;
                assert!(
                    (found.0[i] - expected).abs() < 1e-11,
                    "{number} {i}: {found:?} {expected}"
                );
            }
        }
    }
}
