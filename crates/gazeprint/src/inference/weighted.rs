//! Weighted draws of a density.

use pulp::NullaryFnOnce;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::Problem;
use super::diagnostics::pareto_smooth;
use super::standard::MIRRORED;
use crate::kernels::{self, LANES, Number, Pack};
use crate::random::Stream;

/// The error is estimated on every so many nodes.
const COARSE: usize = 4;

/// How far a mean over draws can be trusted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Precision {
    /// Its Monte Carlo error, estimated.
    pub(super) error: f64,
    /// Independent draws from the posterior that would leave the same error.
    pub(super) effective: f64,
}

/// Draws with everything that is computed of them.
pub(super) struct Weighted {
    nodes: usize,
    /// At the nodes, normalised over the support: eight draws after eight draws.
    densities: Vec<Pack>,
    log_weights: Vec<f64>,
    weights: Vec<f64>,
    pub(super) k_hat: f64,
    /// Effective number of the weights.
    pub(super) effective_weights: f64,
    /// Nodes on which the error is estimated, with their weights in an integral.
    places: Vec<(usize, f64)>,
}

impl Weighted {
    pub(super) fn empty(problem: &Problem<'_>) -> Self {
        let nodes = problem.likelihood.features().grid().nodes();
        // From where half of the observations could have been: further left a truncated density is
        // arbitrary.
        let from = problem.likelihood.sample().median_lower;
        let last = nodes.len() - 1;
        let inner = (from..last).step_by(COARSE);
        let mut places: Vec<(usize, f64)> = inner.chain([last]).map(|j| (j, 0.0)).collect();
        for i in 1..places.len() {
            let half = 0.5 * (nodes[places[i].0] - nodes[places[i - 1].0]);
            places[i - 1].1 += half;
            places[i].1 += half;
        }
        Self {
            nodes: nodes.len(),
            densities: Vec::new(),
            log_weights: Vec::new(),
            weights: Vec::new(),
            k_hat: f64::INFINITY,
            effective_weights: 0.0,
            places,
        }
    }

    /// Number of draws.
    pub(super) fn len(&self) -> usize {
        self.log_weights.len()
    }

    pub(super) fn reserve(&mut self, more: usize) {
        self.densities.reserve(more.div_ceil(LANES) * self.nodes);
    }

    /// Where the densities of the next eight draws go.
    pub(super) fn next(&mut self) -> &mut [Pack] {
        let done = self.log_weights.len() / LANES * self.nodes;
        self.densities.resize(done + self.nodes, Pack::ZERO);
        &mut self.densities[done..]
    }

    /// The log weights of the next eight draws. One so far out that its likelihood is zero or not a
    /// number has none, and no density.
    pub(super) fn push(&mut self, log_weights: Pack) {
        for (lane, log_weight) in log_weights.0.into_iter().enumerate() {
            if log_weight.is_finite() {
                self.log_weights.push(log_weight);
            } else {
                self.log_weights.push(f64::NEG_INFINITY);
                let last = self.densities.len() - self.nodes;
                self.densities[last..].iter_mut().for_each(|pack| pack.0[lane] = 0.0);
            }
        }
    }

    /// Turns log weights into smoothed weights.
    pub(super) fn weigh(&mut self) {
        self.weights.clone_from(&self.log_weights);
        let pareto = pareto_smooth(&mut self.weights);
        (self.k_hat, self.effective_weights) = (pareto.k_hat, pareto.effective);
    }

    /// The draws that have a weight, with it.
    pub(super) fn weights(&self) -> impl Iterator<Item = (usize, f64)> {
        self.weights.iter().copied().enumerate().filter(|(_, weight)| *weight > 0.0)
    }

    /// Eight draws after eight draws: densities and weights.
    fn eights(&self) -> impl Iterator<Item = (&[Pack], Pack)> {
        let weights = self.weights.as_chunks::<LANES>().0.iter().map(|weights| Pack(*weights));
        self.densities.chunks_exact(self.nodes).zip(weights)
    }

    pub(super) fn mean_density(&self) -> Vec<f64> {
        let mut mean = vec![Pack::ZERO; self.nodes];
        for (densities, weights) in self.eights() {
            kernels::vectorised(Accumulate { densities, weights, mean: &mut mean });
        }
        mean.iter().map(Pack::total).collect()
    }

    /// How far the mean density can be trusted.
    ///
    /// Errors are total variations over `places`. With `F` the mass there and `g` the mean normalised
    /// there, a draw deviates by `(f - g F) / mean F` (the delta method for a ratio). Draws come in
    /// mirrored pairs, whose deviations cancel as far as they are odd: it is the pairs that are
    /// independent. What Pareto smoothing adds is not in it.
    pub(super) fn precision(&self) -> Precision {
        let mean = self.mean_density();
        let total: f64 = self.places.iter().map(|&(node, weight)| weight * mean[node]).sum();
        let none = || vec![Pack::ZERO; self.places.len()];
        let (mut of_pairs, mut of_one) = (none(), none());
        for (densities, weights) in self.eights() {
            kernels::vectorised(Deviate {
                densities,
                weights,
                places: &self.places,
                mean: &mean,
                total,
                of_pairs: &mut of_pairs,
                of_one: &mut of_one,
            });
        }
        // Half the expected absolute value of a Gaussian deviation.
        let error = |squares: &[Pack]| {
            let deviations = squares.iter().map(|squares| squares.total().sqrt());
            0.4 * self.places.iter().zip(deviations).map(|((_, w), d)| w * d).sum::<f64>()
        };
        let (error, of_one) = (error(&of_pairs), error(&of_one));
        if error > 0.0 {
            return Precision { error, effective: (of_one / error).powi(2) };
        }
        // There is next to nothing where the data are, and nothing to err about.
        Precision { error: 0.0, effective: self.effective_weights }
    }

    /// `keep` equally weighted draws by systematic resampling, in random order.
    pub(super) fn picked(&self, keep: usize, stream: Stream) -> Vec<usize> {
        let mut rng = stream.chain(0);
        let offset: f64 = rng.random();
        let mut picked = Vec::with_capacity(keep);
        let (mut s, mut cumulative) = (0, self.weights[0]);
        for i in 0..keep {
            let target = (i as f64 + offset) / keep as f64;
            while cumulative < target && s + 1 < self.weights.len() {
                s += 1;
                cumulative += self.weights[s];
            }
            picked.push(s);
        }
        picked.shuffle(&mut rng);
        picked
    }
}

/// Adds weighted densities to their mean.
struct Accumulate<'a> {
    densities: &'a [Pack],
    weights: Pack,
    mean: &'a mut [Pack],
}

impl NullaryFnOnce for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { densities, weights, mean } = self;
        for j in 0..mean.len().min(densities.len()) {
            mean[j] = mean[j].plus_each(&weights, &densities[j]);
        }
    }
}

/// Adds squared deviations of draws from the mean.
struct Deviate<'a> {
    densities: &'a [Pack],
    weights: Pack,
    places: &'a [(usize, f64)],
    mean: &'a [f64],
    total: f64,
    /// Of weighted pairs, which add up to the variance of the mean.
    of_pairs: &'a mut [Pack],
    /// Of draws, which average to the variance of one.
    of_one: &'a mut [Pack],
}

impl NullaryFnOnce for Deviate<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { densities, weights, places, mean, total, of_pairs, of_one } = self;
        let mut relative = Pack::ZERO;
        for &(node, weight) in places {
            relative = relative.plus(weight, &densities[node]);
        }
        let relative = relative.scaled(1.0 / total);
        for i in 0..places.len() {
            let node = places[i].0;
            let deviation = densities[node].plus(-mean[node], &relative).scaled(1.0 / total);
            let weighted = deviation.times(&weights);
            of_one[i] = of_one[i].plus_each(&weighted, &deviation);
            let mut pairs = Pack::ZERO;
            for k in 0..LANES / MIRRORED {
                pairs.0[k] = weighted.0[MIRRORED * k] + weighted.0[MIRRORED * k + 1];
            }
            of_pairs[i] = of_pairs[i].plus_each(&pairs, &pairs);
        }
    }
}
