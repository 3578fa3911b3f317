//! Where on its way a saccade lands: a reader's densities of amplitudes, tilted by what is there.
//!
//! Where a saccade of a kind may end is a part of the line: the rest of the word (refixations), the
//! next word, the words after that (skips), those before (regressions). Over that part, the density
//! of the place is that of the reader's amplitudes times
//!
//! ```text
//! exp( a + b v + c 4 v^2 ),    v = place in the word, -1/2 at its left end to 1/2 at its right
//! ```
//!
//! where a, b and c are linear in features of the word there, with coefficients of the reader's own.
//!
//! Integrals over that part are sums over some places. Where the eye landed is one of them, as wide as a
//! landing is known ([`RESOLUTION`]): a sum that does not see the landing would let its density grow
//! without bound as a reader's coefficients make a peak of it.

use faer::Mat;

use super::gaussian::{Belief, Depth, Local, Start, climb, climb_to_mode};
use crate::density::{GaussianPrior, Grid};
use crate::glance::features::{AIM_FEATURES, AimedWord};
use crate::glance::{Aim, PART, RESOLUTION, Spot, shape};
use crate::kernels;

/// A saccade with the reader's density of amplitudes where it may have ended.
#[derive(Debug, Clone)]
pub(super) struct Aimed<'a> {
    aim: &'a Aim,
    /// By spot, and for the one where it did end: log density and log width.
    log_masses: Vec<f64>,
    /// Log density where it did end.
    log_landed: f64,
}

impl<'a> Aimed<'a> {
    pub(super) fn new(aim: &'a Aim, grid: &Grid, log_f: &[f64]) -> Self {
        let log_mass = |spot: &Spot| {
            let place = grid.place(spot.amplitude.max(grid.lower()));
            Grid::interpolate(log_f, place) + spot.log_width
        };
        let log_landed = log_mass(&aim.landed);
        let landed = std::iter::once(log_landed + RESOLUTION.ln());
        Self { aim, log_masses: aim.spots.iter().map(log_mass).chain(landed).collect(), log_landed }
    }

    /// Where it might have ended, and where it did.
    fn places(&self) -> impl Iterator<Item = &'a Spot> {
        self.aim.spots.iter().chain(std::iter::once(&self.aim.landed))
    }
}

fn local(aims: &[Aimed<'_>], prior: &GaussianPrior, at: &[f64], depth: Depth) -> Local {
    const F: usize = AIM_FEATURES;
    let mut gradient = vec![0.0; F];
    let mut value = prior.log_density(at, &mut gradient);
    let mut covariance = [[0.0; F]; F];
    // Coefficients of level, slope and bend at a word.
    let tilt = |word: &AimedWord| {
        let mut tilt = [0.0; 3];
        for i in 0..F {
            tilt[PART[i]] += word.features[i] * at[i];
        }
        tilt
    };
    let along = |tilt: &[f64; 3], spot: &Spot| {
        tilt.iter().zip(shape(spot.v)).map(|(t, s)| t * s).sum::<f64>()
    };
    let (mut tilts, mut logs, mut p, mut moments) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for aimed in aims {
        let Aimed { aim, log_masses, log_landed } = aimed;
        tilts.clear();
        tilts.extend(aim.words.iter().map(tilt));
        logs.clear();
        let places = aimed.places().zip(log_masses);
        logs.extend(places.map(|(spot, log_mass)| log_mass + along(&tilts[spot.word], spot)));
        let peak = kernels::max(&logs);
        p.resize(logs.len(), 0.0);
        kernels::exp_shifted(&logs, peak, &mut p);
        let total: f64 = p.iter().sum();
        value += log_landed + along(&tilts[aim.landed.word], &aim.landed) - peak - total.ln();
        // Over the places in a word, features differ only by their shape: its moments are enough.
        moments.clear();
        moments.resize(aim.words.len(), [[0.0; 3]; 3]);
        for (spot, p) in aimed.places().zip(&p) {
            let shape = shape(spot.v);
            for (row, a) in moments[spot.word].iter_mut().zip(shape) {
                row.iter_mut().zip(shape).for_each(|(sum, b)| *sum += p / total * a * b);
            }
        }
        let mut mean = [0.0; F];
        for (word, moments) in aim.words.iter().zip(&moments) {
            let x = &word.features;
            if depth == Depth::Slope {
                for i in 0..F {
                    mean[i] += x[i] * moments[0][PART[i]];
                }
                continue;
            }
            // The level is 1 everywhere, so that its row has the first moments.
            let rows: [[f64; F]; 3] =
                std::array::from_fn(|part| std::array::from_fn(|j| x[j] * moments[part][PART[j]]));
            for i in (0..F).filter(|&i| x[i] != 0.0) {
                mean[i] += rows[0][i];
                let row = &rows[PART[i]];
                covariance[i].iter_mut().zip(row).for_each(|(sum, r)| *sum += x[i] * r);
            }
        }
        let landed = aim.features(&aim.landed);
        for i in 0..F {
            gradient[i] += landed[i] - mean[i];
        }
        if depth == Depth::Curvature {
            for (row, m) in covariance.iter_mut().zip(mean) {
                row.iter_mut().zip(&mean).for_each(|(sum, other)| *sum -= m * other);
            }
        }
    }
    let precision = prior.precision();
    let information = |i: usize, j: usize| precision[(i, j)] + covariance[i.max(j)][i.min(j)];
    let information = (depth == Depth::Curvature).then(|| Mat::from_fn(F, F, information));
    Local { value, gradient, information }
}

/// A reader's coefficients, from a start anywhere: the log posterior is concave.
pub(super) fn believe(
    aims: &[Aimed<'_>],
    prior: &GaussianPrior,
    start: Start<'_>,
) -> Option<Belief> {
    climb(prior, start, |at, depth| local(aims, prior, at, depth))
}

/// The same, where the mode alone is of interest.
pub(super) fn mode(
    aims: &[Aimed<'_>],
    prior: &GaussianPrior,
    start: Start<'_>,
) -> Option<Vec<f64>> {
    climb_to_mode(prior, start, |at, depth| local(aims, prior, at, depth))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::corpus::Limits;
    use crate::glance::aim::{COARSE, FINE};
    use crate::glance::features::LEVELS;
    use crate::glance::{AimKind, Glance};
    use crate::saccade::readings;
    use crate::simulate::SimulationParams;

    /// Saccades of all kinds.
    pub(in super::super) fn aims() -> Vec<Aim> {
        let params =
            SimulationParams { readers: 3, texts: 8, coverage: 1.0, ..SimulationParams::default() };
        let (readings, _) = readings(&params.build().unwrap().run(), Limits::default());
        let aims: Vec<Aim> = readings.iter().flat_map(Glance::all).filter_map(|s| s.aim).collect();
        for kind in AimKind::ALL {
            assert!(aims.iter().filter(|aim| aim.kind == kind).count() > 3, "{kind:?}");
        }
        aims
    }

    /// A density with one bump.
    pub(in super::super) fn log_f(grid: &Grid) -> Vec<f64> {
        grid.nodes().iter().map(|x| 1.2 * x.ln() - 0.25 * x).collect()
    }

    pub(in super::super) fn coefficients(scale: f64) -> Vec<f64> {
        (0..AIM_FEATURES).map(|i| scale * (1.0 + i as f64).sin()).collect()
    }

    fn prior(variance: f64) -> GaussianPrior {
        let p = AIM_FEATURES;
        let covariance = Mat::from_fn(p, p, |i, j| if i == j { variance } else { 0.01 * variance });
        GaussianPrior::new((0..p).map(|i| 0.02 * i as f64 - 0.1).collect(), &covariance).unwrap()
    }

    /// Log density of a saccade that ended where `aim` says, over the places where it might have.
    pub(in super::super) fn log_density(aim: &Aim, grid: &Grid, log_f: &[f64], at: &[f64]) -> f64 {
        let log_mass = |spot: &Spot| {
            let tilt: f64 = aim.features(spot).iter().zip(at).map(|(x, b)| x * b).sum();
            let place = grid.place(spot.amplitude.max(grid.lower()));
            Grid::interpolate(log_f, place) + spot.log_width + tilt
        };
        let masses: Vec<f64> = aim.spots.iter().map(log_mass).collect();
        log_mass(&aim.landed) - kernels::log_sum_exp(&masses)
    }

    #[test]
    fn densities_integrate_to_one() {
        let grid = Grid::new(0.0, 60.0);
        let (log_f, at) = (log_f(&grid), coefficients(0.5));
        for aim in aims().iter().filter(|aim| aim.spots.len() < 40).step_by(7) {
            // The same saccade, had it ended at any of the midpoints of many small steps.
            let mut total = 0.0;
            for (word, first) in aim.words.iter().enumerate() {
                assert!(first.features.iter().all(|x| x.is_finite()));
                let spots: Vec<&Spot> = aim.spots.iter().filter(|s| s.word == word).collect();
                let width: f64 = spots.iter().map(|s| s.log_width.exp()).sum();
                let (one, other) = (spots[0], spots[spots.len() - 1]);
                // Nodes are symmetric, so that the first and the last of them tell the ends.
                let rule = if spots.len() == FINE.len() { &FINE[..] } else { &COARSE[..] };
                let slope = |a: f64, b: f64| (b - a) / (1.0 - 2.0 * rule[0].0);
                let (v, a) = (slope(one.v, other.v), slope(one.amplitude, other.amplitude));
                let steps = 400;
                for i in 0..steps {
                    let t = (f64::from(i) + 0.5) / f64::from(steps) - rule[0].0;
                    let landed = Spot {
                        word,
                        v: one.v + t * v,
                        amplitude: one.amplitude + t * a,
                        log_width: 0.0,
                    };
                    let moved = Aim { landed, ..aim.clone() };
                    let density = log_density(&moved, &grid, &log_f, &at).exp();
                    total += density * width / f64::from(steps);
                }
            }
            assert!((total - 1.0).abs() < 0.01, "{:?}: {total}", aim.kind);
        }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let grid = Grid::new(0.0, 60.0);
        let (log_f, prior, aims) = (log_f(&grid), prior(0.5), aims());
        let aims: Vec<Aimed<'_>> = aims.iter().map(|a| Aimed::new(a, &grid, &log_f)).collect();
        let at = coefficients(0.3);
        let here = local(&aims, &prior, &at, Depth::Curvature);
        let h = 1e-5;
        for i in 0..AIM_FEATURES {
            let moved = |by: f64| {
                let mut there = at.clone();
                there[i] += by;
                local(&aims, &prior, &there, Depth::Slope)
            };
            let (up, down) = (moved(h), moved(-h));
            let slope = (up.value - down.value) / (2.0 * h);
            assert!((slope - here.gradient[i]).abs() < 1e-5 * (1.0 + slope.abs()), "{i}");
            for j in 0..AIM_FEATURES {
                let bend = -(up.gradient[j] - down.gradient[j]) / (2.0 * h);
                let found = here.information.as_ref().unwrap()[(j, i)];
                assert!((bend - found).abs() < 1e-5 * (1.0 + bend.abs()), "{i} {j}");
            }
        }
    }

    /// The value without the prior.
    fn log_likelihood(aims: &[Aimed<'_>], at: &[f64]) -> f64 {
        let (prior, mut unused) = (prior(1.0), vec![0.0; AIM_FEATURES]);
        local(aims, &prior, at, Depth::Slope).value - prior.log_density(at, &mut unused)
    }

    #[test]
    fn landings_in_one_place_of_every_word_have_a_density_that_is_bounded() {
        let grid = Grid::new(0.0, 60.0);
        let log_f = log_f(&grid);
        let mut aims = aims();
        aims.retain(|aim| aim.kind == AimKind::NextWord);
        // At the left end of the next word, where no place of the sum is.
        for aim in &mut aims {
            aim.landed = Spot { v: -0.5, ..aim.landed };
        }
        let aims: Vec<Aimed<'_>> = aims.iter().map(|a| Aimed::new(a, &grid, &log_f)).collect();
        let at = |slope: f64| {
            let mut at = vec![0.0; AIM_FEATURES];
            at[LEVELS] = slope;
            log_likelihood(&aims, &at) / aims.len() as f64
        };
        assert!(at(-20.0) > at(0.0), "{} {}", at(-20.0), at(0.0));
        assert!(at(-1e4) <= -RESOLUTION.ln() + 1e-6, "{}", at(-1e4));
        // Such a reader is found, and not at the end of the world.
        let belief = believe(&aims, &prior(10.0), Start::at(&[0.0; AIM_FEATURES])).unwrap();
        assert!(belief.mode.iter().all(|b| b.abs() < 100.0), "{:?}", belief.mode);
    }

    /// While readers are learned, a density loses what the width of a landing takes.
    #[test]
    fn what_is_learned_is_what_is_scored_but_for_the_width_of_a_landing() {
        let grid = Grid::new(0.0, 60.0);
        let (log_f, at) = (log_f(&grid), coefficients(0.4));
        for aim in aims() {
            let density = log_density(&aim, &grid, &log_f, &at).exp();
            let found = log_likelihood(&[Aimed::new(&aim, &grid, &log_f)], &at);
            let expected = (density / (1.0 + RESOLUTION * density)).ln();
            assert!((found - expected).abs() < 1e-9 * (1.0 + expected.abs()));
        }
    }

    #[test]
    fn the_mode_is_flat_and_without_data_the_prior_stands() {
        let grid = Grid::new(0.0, 60.0);
        let (log_f, prior, aims) = (log_f(&grid), prior(0.5), aims());
        let aims: Vec<Aimed<'_>> = aims.iter().map(|a| Aimed::new(a, &grid, &log_f)).collect();
        let belief = believe(&aims, &prior, Start::at(&coefficients(1.0))).unwrap();
        let slope = local(&aims, &prior, &belief.mode, Depth::Slope).gradient;
        assert!(slope.iter().all(|g| g.abs() < 1e-2), "{slope:?}");
        let nothing = believe(&[], &prior, Start::at(prior.mean())).unwrap();
        assert_eq!(nothing.mode, prior.mean());
        assert!(nothing.evidence.abs() < 1e-9, "{}", nothing.evidence);
    }
}
