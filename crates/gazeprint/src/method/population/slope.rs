//! Readers as vectors and probes as slopes: what a search among many readers is made of.
//!
//! The numbers that scores depend on, less those of a reader of whom nothing is known, are a vector
//! for each reader. The slope of a probe is the gradient of the log-likelihood of its fixations in
//! these numbers, at nobody in particular: its inner product with the vector of a reader is what the
//! probe says for that reader, to first order.

use super::lanes::Common;
use super::template::{Background, Template};
use super::types::{FREE, TYPE_COEFFICIENTS};
use crate::density::{Grid, Place};
use crate::glance::features::{AIM_FEATURES, DURATION_FEATURES, TYPE_FEATURES};
use crate::glance::{AimKind, ByAim, ByStay, Glance, RESOLUTION, Spot};
use crate::kinds::Kind as _;
use crate::score::TemplateScorer;
use crate::template::Probe;

/// Where the numbers of a reader stand in a vector.
#[derive(Debug, Clone)]
struct Axes {
    aims: usize,
    /// Log densities of durations, by kind.
    tables: ByStay<usize>,
    /// Log densities of amplitudes, by kind of saccade.
    amplitudes: ByAim<usize>,
    places: usize,
    len: usize,
}

impl Axes {
    fn new(common: &Common, places: &TemplateScorer) -> Self {
        let mut len = TYPE_COEFFICIENTS + DURATION_FEATURES;
        let mut take = |numbers: usize| {
            let start = len;
            len += numbers;
            start
        };
        Self {
            aims: take(AimKind::COUNT * AIM_FEATURES),
            tables: ByStay::of(|kind| take(common.grids[kind].nodes().len())),
            amplitudes: ByAim::of(|kind| take(common.amplitudes[kind].nodes().len())),
            places: take(places.layout().len()),
            len,
        }
    }
}

/// Makes vectors and slopes.
#[derive(Debug, Clone)]
pub struct Slopes {
    axes: Axes,
    common: Common,
    /// Nobody in particular.
    nobody: Template,
    origin: Vec<f64>,
    places: TemplateScorer,
}

impl Background {
    /// What vectors and slopes of these readers are made with.
    pub fn slopes(&self) -> Slopes {
        let scorer = self.side_by_side(&[], &[]);
        let (common, places) = (scorer.common, scorer.places);
        let axes = Axes::new(&common, &places);
        let nobody = self.nobody().clone();
        let mut slopes = Slopes { axes, common, nobody, origin: Vec::new(), places };
        slopes.origin = slopes.numbers(&slopes.nobody);
        slopes
    }
}

/// A fixation's part of a slope.
struct Adding<'a> {
    slopes: &'a Slopes,
    sums: &'a mut [f64],
}

impl Slopes {
    /// Length of vectors and slopes.
    pub fn len(&self) -> usize {
        self.axes.len
    }

    /// Never.
    pub fn is_empty(&self) -> bool {
        self.axes.len == 0
    }

    fn numbers(&self, template: &Template) -> Vec<f64> {
        let lane = template.lane();
        let mut numbers = Vec::with_capacity(self.axes.len);
        numbers.extend_from_slice(lane.types);
        numbers.extend_from_slice(lane.durations);
        lane.aims.iter().for_each(|aims| numbers.extend_from_slice(aims));
        lane.tables.values().iter().for_each(|table| numbers.extend_from_slice(table));
        lane.amplitudes.values().iter().for_each(|table| numbers.extend_from_slice(table));
        numbers.extend(template.places(self.places.layout()));
        numbers
    }

    /// A reader as a vector.
    pub fn vector(&self, template: &Template) -> Vec<f64> {
        let mut numbers = self.numbers(template);
        numbers.iter_mut().zip(&self.origin).for_each(|(n, origin)| *n -= origin);
        numbers
    }

    /// The slope of a probe.
    pub fn slope(&self, probe: &Probe) -> Vec<f64> {
        let mut sums = vec![0.0; self.axes.len];
        self.add_places(probe, &mut sums);
        probe.glances().iter().for_each(|glance| self.add(glance, &mut sums));
        sums
    }

    /// The slopes of the fixations of a probe, one by one. What is said of the places where lines
    /// begin stands with the first.
    pub fn slopes(&self, probe: &Probe) -> Vec<Vec<f64>> {
        let mut slopes: Vec<Vec<f64>> = Vec::with_capacity(probe.glances().len());
        for glance in probe.glances() {
            let mut sums = vec![0.0; self.axes.len];
            if slopes.is_empty() {
                self.add_places(probe, &mut sums);
            }
            self.add(glance, &mut sums);
            slopes.push(sums);
        }
        slopes
    }

    fn add_places(&self, probe: &Probe, sums: &mut [f64]) {
        for &(place, weight) in probe.entries() {
            sums[self.axes.places + place as usize] += weight;
        }
    }

    fn add(&self, glance: &Glance, sums: &mut [f64]) {
        let mut adding = Adding { slopes: self, sums };
        adding.types(glance);
        adding.duration(glance);
        adding.landing(glance);
    }
}

impl Adding<'_> {
    fn types(&mut self, glance: &Glance) {
        let Some(choice) = &glance.choice else { return };
        let predictors = choice.predictors(self.slopes.nobody.lane().types);
        let (probability, _) = choice.probabilities(&predictors);
        for (free, kind) in FREE.into_iter().enumerate() {
            let error = f64::from(u8::from(kind == choice.chosen)) - probability[kind];
            let sums = &mut self.sums[free * TYPE_FEATURES..(free + 1) * TYPE_FEATURES];
            sums.iter_mut().zip(choice.features).for_each(|(sum, x)| *sum += error * x);
        }
    }

    fn duration(&mut self, glance: &Glance) {
        let Slopes { axes, common, nobody, .. } = self.slopes;
        let lane = nobody.lane();
        let (stay, grid) = (&glance.stay, &common.grids[glance.stay.kind]);
        let centred = common.centred(&stay.features);
        let shift: f64 = centred.iter().zip(lane.durations).map(|(x, b)| x * b).sum();
        let residual = stay.duration * (-shift).exp();
        let place = grid.place(residual.max(grid.lower()));
        self.interpolated(axes.tables[stay.kind], place, 1.0);
        let table = lane.tables[stay.kind];
        // Places are linear in the square root of what context leaves, and constant beyond the ends.
        let inside = residual > grid.lower() && residual < grid.upper();
        let steps = if inside { place.cell as f64 + place.t + 0.5 } else { 0.0 };
        let along = -1.0 - 0.5 * steps * (table[place.cell + 1] - table[place.cell]);
        let sums = &mut self.sums[TYPE_COEFFICIENTS..TYPE_COEFFICIENTS + DURATION_FEATURES];
        sums.iter_mut().zip(centred).for_each(|(sum, x)| *sum += along * x);
    }

    fn landing(&mut self, glance: &Glance) {
        let Some(aim) = &glance.aim else { return };
        let Slopes { axes, common, nobody, .. } = self.slopes;
        let (lane, grid) = (nobody.lane(), &common.amplitudes[aim.kind]);
        let coefficients = &lane.aims[aim.kind.place()];
        let place = |spot: &Spot| grid.place(spot.amplitude.max(grid.lower()));
        let table = lane.amplitudes[aim.kind];
        let log_mass = |spot: &Spot| {
            let tilt: f64 = aim.features(spot).iter().zip(coefficients).map(|(x, b)| x * b).sum();
            Grid::interpolate(table, place(spot)) + spot.log_width + tilt
        };
        let logs: Vec<f64> = aim.spots.iter().map(log_mass).collect();
        let total = crate::kernels::log_sum_exp(&logs);
        // A landing counts for so much at most: the score is flat there.
        if log_mass(&aim.landed) + RESOLUTION.ln() > total {
            return;
        }
        let start = axes.aims + aim.kind.place() * AIM_FEATURES;
        let landed = std::iter::once((&aim.landed, 1.0));
        let expected = aim.spots.iter().zip(&logs).map(|(spot, log)| (spot, -(log - total).exp()));
        for (spot, weight) in landed.chain(expected) {
            self.interpolated(axes.amplitudes[aim.kind], place(spot), weight);
            let sums = &mut self.sums[start..start + AIM_FEATURES];
            sums.iter_mut().zip(aim.features(spot)).for_each(|(sum, x)| *sum += weight * x);
        }
    }

    /// A table that starts there, looked up at a place.
    fn interpolated(&mut self, start: usize, place: Place, weight: f64) {
        self.sums[start + place.cell] += weight * (1.0 - place.t);
        self.sums[start + place.cell + 1] += weight * place.t;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Limits;
    use crate::method::{DayShares, Population, Unwatched};
    use crate::random::Stream;
    use crate::saccade::{Reading, readings};
    use crate::score::Scorer as _;
    use crate::simulate::SimulationParams;

    /// Part of the way from one reader to another.
    fn between(a: &Template, b: &Template, part: f64) -> Template {
        let (a, b) = (a.lane(), b.lane());
        let mixed = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| a + part * (b - a)).collect()
        };
        let aims = a.aims.iter().zip(b.aims).map(|(a, b)| mixed(a, b)).collect();
        let first = vec![0.0; Grid::new(0.0, 1.0).nodes().len()];
        let densities = std::iter::once(first)
            .chain(
                a.amplitudes.values().iter().zip(b.amplitudes.values()).map(|(a, b)| mixed(a, b)),
            )
            .chain(a.tables.values().iter().zip(b.tables.values()).map(|(a, b)| mixed(a, b)));
        let (types, durations) = (mixed(a.types, b.types), mixed(a.durations, b.durations));
        Template::new(types, durations, aims, densities.collect())
    }

    #[test]
    fn slopes_are_those_of_the_scores() {
        let params = SimulationParams {
            readers: 8,
            texts: 16,
            coverage: 1.0,
            ..SimulationParams::default()
        };
        let (readings, _) = readings(&params.build().unwrap().run(), Limits::default());
        let all: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(8, &all, &DayShares::default(), &Unwatched).unwrap();
        let background = population.background();
        let slopes = background.slopes();
        let other = population.imagined(&[Stream { seed: 1, index: 0 }])[0].clone();
        // In steps both ways from nobody; first places are left as they are.
        let h = 1e-4;
        let steps = [-h, h, 0.0, 1.0].map(|part| between(background.nobody(), &other, part));
        let scorer = background.side_by_side(&steps, &[]);
        let difference: Vec<f64> = {
            let [nobody, other] = [2, 3].map(|i| slopes.vector(&steps[i]));
            other.iter().zip(nobody).map(|(o, n)| o - n).collect()
        };
        for reading in readings.iter().step_by(5) {
            let probe = scorer.probe(reading);
            let scores = scorer.scores(&probe);
            let expected = (scores[1] - scores[0]) / (2.0 * h);
            let found = slopes.slope(&probe);
            let found: f64 = found.iter().zip(&difference).map(|(g, x)| g * x).sum();
            // Places between nodes have a kink at each.
            assert!((found - expected).abs() < 0.02 * (1.0 + expected.abs()), "{found} {expected}");
            // Fixation by fixation, it is the same.
            let mut sums = vec![0.0; slopes.len()];
            for slope in slopes.slopes(&probe) {
                sums.iter_mut().zip(slope).for_each(|(sum, s)| *sum += s);
            }
            let sum: f64 = sums.iter().zip(&difference).map(|(g, x)| g * x).sum();
            assert!((sum - found).abs() < 1e-9 * (1.0 + found.abs()));
        }
    }
}
