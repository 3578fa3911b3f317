//! What importance-weighted draws are made from.

use faer::linalg::solvers::{Llt, Solve};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{ColMut, Mat, MatRef, Par, Side};
use pulp::NullaryFnOnce;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::standard::{DEGREES, GAMMA_DEGREES, MIRRORED, MOST, StandardDraws};
use super::weighted::Weighted;
use super::{Mode, Problem};
use crate::density::{Lines, Together};
use crate::kernels::{self, LANES, Pack};
use crate::random::Stream;

/// Number of coefficients of the gamma part.
const GAMMA_LEN: usize = 2;
/// Scale of the heavy-tailed parts relative to the curvature at the mode.
const SCALE: f64 = 1.05;
/// A coefficient of which the data say less than this part of what the prior says is drawn from a
/// Gaussian: its posterior is one, and heavy tails would only cost effective draws.
const INFORMED: f64 = 0.1;
/// Chain of random numbers for shuffling; the first picks the draws that are kept.
const SHUFFLE_CHAIN: u64 = 1;

/// The standard draws of a problem: a random permutation of coordinates with random signs. All
/// problems share their standard draws; shuffled, they do not share the errors.
pub(super) struct Shuffle {
    standard: StandardDraws,
    /// Which coordinate of the standard draws each coordinate takes, and with which sign.
    places: Vec<(usize, f64)>,
}

impl Shuffle {
    pub(super) fn new(len: usize, stream: Stream) -> Self {
        let mut rng = stream.chain(SHUFFLE_CHAIN);
        let mut places: Vec<(usize, f64)> =
            (0..len).map(|a| (a, if rng.random() { 1.0 } else { -1.0 })).collect();
        places.shuffle(&mut rng);
        Self { standard: StandardDraws::new(len), places }
    }
}

/// Draws `centre + root^-T z`, the first coordinates of z from a multivariate t, the others standard
/// normal.
pub(super) struct Proposal<'a> {
    problem: &'a Problem<'a>,
    shuffle: &'a Shuffle,
    centre: Vec<f64>,
    /// Lower triangular.
    root: Mat<f64>,
    /// Coordinates with heavy tails.
    heavy: usize,
    /// The log densities of draws by z.
    lines: Lines,
    /// Coordinates of theta in which the prior is standard normal, by z: where they are at the centre,
    /// and row after row how they change.
    prior_base: Vec<f64>,
    prior_slopes: Vec<f64>,
}

impl<'a> Proposal<'a> {
    /// Around the mode.
    pub(super) fn of_mode(problem: &'a Problem<'a>, mode: &Mode, shuffle: &'a Shuffle) -> Self {
        let heavy = informed(problem, mode).max(GAMMA_LEN);
        Self::new(problem, shuffle, mode.theta.clone(), mode.root.clone(), heavy)
    }

    fn new(
        problem: &'a Problem<'a>,
        shuffle: &'a Shuffle,
        centre: Vec<f64>,
        root: Mat<f64>,
        heavy: usize,
    ) -> Self {
        let features = problem.likelihood.features();
        let (p, nodes) = (features.len(), features.grid().nodes().len());
        let mut base = vec![0.0; nodes];
        features.log_density(&centre, &mut base);
        // (Phi root^-T)', a column for each node.
        let mut slopes = MatRef::from_column_major_slice(features.rows(), p, nodes).to_owned();
        solve_lower_triangular_in_place(root.as_ref(), slopes.as_mut(), Par::Seq);
        let slopes = (0..nodes).flat_map(|j| slopes.col_as_slice(j).iter().copied()).collect();
        // With `L L'` the covariance of the prior: L^-1 (centre - m), and root^-1 L^-T, whose columns
        // are the rows of L^-1 root^-T.
        let prior = problem.prior;
        let mut prior_base: Vec<f64> =
            centre.iter().zip(prior.mean()).map(|(c, m)| c - m).collect();
        let column = ColMut::from_slice_mut(&mut prior_base).as_mat_mut();
        solve_lower_triangular_in_place(prior.root().as_ref(), column, Par::Seq);
        let mut turned = Mat::<f64>::identity(p, p);
        solve_upper_triangular_in_place(prior.root().transpose(), turned.as_mut(), Par::Seq);
        solve_lower_triangular_in_place(root.as_ref(), turned.as_mut(), Par::Seq);
        let prior_slopes = (0..p).flat_map(|i| turned.col_as_slice(i).iter().copied()).collect();
        let lines = Lines { base, slopes };
        Self { problem, shuffle, centre, root, heavy, lines, prior_base, prior_slopes }
    }

    /// Evaluates draws until there are `count`, a multiple of eight; then weighs all anew.
    pub(super) fn extend(&self, weighted: &mut Weighted, count: usize) {
        let more = weighted.len()..count.min(MOST);
        if more.is_empty() {
            return;
        }
        weighted.reserve(more.len());
        let mut scratch = Together::new(self.lines.base.len());
        let mut z = vec![Pack::ZERO; self.centre.len()];
        for first in more.step_by(LANES) {
            let log_proposal = self.draw(first, &mut z);
            let evaluated = Evaluate {
                proposal: self,
                z: &z,
                log_proposal,
                densities: weighted.next(),
                scratch: &mut scratch,
            };
            let log_weights = kernels::vectorised(evaluated);
            weighted.push(log_weights);
        }
        weighted.weigh();
    }

    /// Fills in eight draws from number `first`; returns their log densities up to a constant.
    fn draw(&self, first: usize, z: &mut [Pack]) -> Pack {
        let Shuffle { standard, places } = self.shuffle;
        let pairs = first / MIRRORED;
        let mut logs = Pack::ZERO;
        for pair in 0..LANES / MIRRORED {
            let stretches = standard.stretch(pairs + pair);
            let parts = [
                (0..GAMMA_LEN, GAMMA_DEGREES, stretches[0]),
                (GAMMA_LEN..self.heavy, DEGREES, stretches[1]),
            ];
            let place = |a: usize| {
                let (place, sign) = places[a];
                sign * standard.normal(pairs + pair, place)
            };
            let mut set = |a: usize, value: f64| {
                z[a].0[MIRRORED * pair] = value;
                z[a].0[MIRRORED * pair + 1] = -value;
            };
            let mut log = 0.0;
            for (coordinates, degrees, stretch) in parts {
                let (mut square, dimension) = (0.0, coordinates.len() as f64);
                for a in coordinates {
                    let value = stretch * place(a);
                    square += value * value;
                    set(a, SCALE * value);
                }
                log -= 0.5 * (degrees + dimension) * (square / degrees).ln_1p();
            }
            for a in self.heavy..places.len() {
                let value = place(a);
                log -= 0.5 * value * value;
                set(a, value);
            }
            for lane in MIRRORED * pair..MIRRORED * (pair + 1) {
                logs.0[lane] = log;
            }
        }
        logs
    }

    /// The coefficients of a draw.
    pub(super) fn theta(&self, draw: usize) -> Vec<f64> {
        let mut z = vec![Pack::ZERO; self.centre.len()];
        self.draw(draw - draw % LANES, &mut z);
        let mut theta: Vec<f64> = z.iter().map(|z| z.0[draw % LANES]).collect();
        let column = ColMut::from_slice_mut(&mut theta).as_mat_mut();
        solve_upper_triangular_in_place(self.root.transpose(), column, Par::Seq);
        theta.iter_mut().zip(&self.centre).for_each(|(t, c)| *t += c);
        theta
    }

    /// A proposal with the moments of weighted draws of this one, drawn towards those of the mode as
    /// far as the draws are few. All of it has heavy tails.
    pub(super) fn matched(&self, weighted: &Weighted, mode: &Mode) -> Self {
        let p = mode.theta.len();
        let draws: Vec<(f64, Vec<f64>)> =
            weighted.weights().map(|(draw, weight)| (weight, self.theta(draw))).collect();
        let mut centre = vec![0.0; p];
        for (weight, theta) in &draws {
            kernels::axpy(*weight, theta, &mut centre);
        }
        let identity = Mat::<f64>::identity(p, p);
        let mut covariance = identity.clone();
        solve_lower_triangular_in_place(mode.root.as_ref(), covariance.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(mode.root.transpose(), covariance.as_mut(), Par::Seq);
        let trust = weighted.effective_weights / (weighted.effective_weights + 2.0 * p as f64);
        covariance *= faer::Scale(1.0 - trust);
        for (weight, theta) in &draws {
            let deviation: Vec<f64> = theta.iter().zip(&centre).map(|(t, c)| t - c).collect();
            for j in 0..p {
                let factor = trust * weight * deviation[j];
                kernels::axpy(factor, &deviation, covariance.col_as_slice_mut(j));
            }
        }
        let root = Llt::new(covariance.as_ref(), Side::Lower).ok().and_then(|llt| {
            let mut precision = identity;
            llt.solve_in_place(precision.as_mut());
            Llt::new(precision.as_ref(), Side::Lower).ok().map(|llt| llt.L().to_owned())
        });
        let (centre, root) = match root {
            Some(root) => (centre, root),
            None => (mode.theta.clone(), mode.root.clone()),
        };
        Self::new(self.problem, self.shuffle, centre, root, p)
    }
}

/// Number of leading coefficients of which the data say something. The features are in the order
/// of their weight in the prior, so those that are left follow it.
fn informed(problem: &Problem<'_>, mode: &Mode) -> usize {
    let precision = problem.prior.precision();
    let p = mode.theta.len();
    (0..p)
        .rev()
        .find(|&i| {
            let information: f64 = (0..=i).map(|j| mode.root[(i, j)].powi(2)).sum();
            information > (1.0 + INFORMED) * precision[(i, i)]
        })
        .map_or(0, |i| i + 1)
}

/// Eight draws to be evaluated: their densities and log weights.
struct Evaluate<'a> {
    proposal: &'a Proposal<'a>,
    z: &'a [Pack],
    log_proposal: Pack,
    /// At the nodes, to be filled in.
    densities: &'a mut [Pack],
    scratch: &'a mut Together,
}

impl NullaryFnOnce for Evaluate<'_> {
    type Output = Pack;

    #[inline(always)]
    fn call(self) -> Pack {
        let Self { proposal, z, log_proposal, densities, scratch } = self;
        let Proposal { problem, lines, prior_base, prior_slopes, .. } = proposal;
        let mut logs = problem.likelihood.values_on(lines, z, densities, scratch);
        let p = z.len();
        for i in 0..p {
            let mut coordinate = Pack::all(prior_base[i]);
            for a in 0..p {
                coordinate = coordinate.plus(prior_slopes[i * p + a], &z[a]);
            }
            for k in 0..LANES {
                logs.0[k] -= 0.5 * coordinate.0[k] * coordinate.0[k];
            }
        }
        logs.plus(-1.0, &log_proposal)
    }
}
