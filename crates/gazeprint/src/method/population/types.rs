//! Saccade types by multinomial logistic regression, one a reader, around the population.

use pulp::NullaryFnOnce;

use super::gaussian::{Belief, Depth, Local, Start, climb, climb_to_mode};
use crate::density::GaussianPrior;
use crate::glance::features::TYPE_FEATURES;
use crate::glance::{ByMove, Choice, Move};
use crate::kernels::{self, LANES, Pack};

/// Moves with coefficients of their own; the next word is what they are held against.
pub(super) const FREE: [Move; Move::COUNT - 1] =
    [Move::Refixation, Move::ForwardSkip, Move::Regression, Move::Leave, Move::Back];
/// Coefficients of a reader.
pub(super) const TYPE_COEFFICIENTS: usize = FREE.len() * TYPE_FEATURES;

impl Choice {
    /// Probabilities of all types, and the log of that of the chosen one.
    pub(super) fn probabilities(&self, free: &[f64; FREE.len()]) -> (ByMove<f64>, f64) {
        let mut logits: ByMove<f64> = ByMove::of(|_| 0.0);
        for (kind, value) in FREE.iter().zip(free) {
            logits[*kind] = *value;
        }
        let mut peak = f64::NEG_INFINITY;
        for (logit, possible) in logits.values_mut().iter_mut().zip(self.possible.values()) {
            if !*possible {
                *logit = f64::NEG_INFINITY;
            }
            peak = peak.max(*logit);
        }
        let mut p = logits.map(|l| (l - peak).exp());
        let total: f64 = p.values().iter().sum();
        p.values_mut().iter_mut().for_each(|p| *p /= total);
        (p, logits[self.chosen] - peak - total.ln())
    }

    pub(super) fn predictors(&self, coefficients: &[f64]) -> [f64; FREE.len()] {
        std::array::from_fn(|k| {
            let of_type = &coefficients[k * TYPE_FEATURES..(k + 1) * TYPE_FEATURES];
            of_type.iter().zip(&self.features).map(|(b, x)| b * x).sum()
        })
    }
}

/// Packs that the features of a choice take.
const PACKS: usize = TYPE_FEATURES.div_ceil(LANES);
const PAIRS: usize = FREE.len() * (FREE.len() + 1) / 2;
/// Choices whose weights are computed before their products are summed, pair after pair.
const CHUNK: usize = 32;

/// Sums over choices, of outer products of their features.
type Products = [[Pack; PACKS]; TYPE_FEATURES];

/// A choice as [`Derivatives`] adds it up.
#[derive(Clone, Copy)]
struct Weighed {
    features: [Pack; PACKS],
    /// By free type.
    errors: [f64; FREE.len()],
    /// By pair of free types.
    weights: [f64; PAIRS],
}

/// The log-likelihood of choices with its derivatives.
struct Derivatives {
    value: f64,
    /// By free type.
    gradient: [[Pack; PACKS]; FREE.len()],
    /// By pair of free types, lower triangles; nothing where they were not asked for.
    products: Vec<Products>,
}

impl Weighed {
    const NOTHING: Self =
        Self { features: [Pack::ZERO; PACKS], errors: [0.0; FREE.len()], weights: [0.0; PAIRS] };

    /// With the log-likelihood.
    fn new(choice: &Choice, at: &[f64]) -> (Self, f64) {
        let (probability, log_chosen) = choice.probabilities(&choice.predictors(at));
        let mut weighed = Self::NOTHING;
        for (f, x) in choice.features.iter().enumerate() {
            weighed.features[f / LANES].0[f % LANES] = *x;
        }
        let mut pair = 0;
        for (a, kind_a) in FREE.iter().enumerate() {
            let p_a = probability[*kind_a];
            weighed.errors[a] = if *kind_a == choice.chosen { 1.0 - p_a } else { -p_a };
            for kind_b in &FREE[..=a] {
                let p_b = probability[*kind_b];
                weighed.weights[pair] =
                    if kind_a == kind_b { p_a * (1.0 - p_a) } else { -p_a * p_b };
                pair += 1;
            }
        }
        (weighed, log_chosen)
    }
}

/// Adds up the derivatives of choices, to be run with the widest instructions.
struct Summing<'a> {
    choices: &'a [Choice],
    at: &'a [f64],
    depth: Depth,
}

impl NullaryFnOnce for Summing<'_> {
    type Output = Derivatives;

    #[inline(always)]
    fn call(self) -> Derivatives {
        let pairs = if self.depth == Depth::Curvature { PAIRS } else { 0 };
        let mut sums = Derivatives {
            value: 0.0,
            gradient: [[Pack::ZERO; PACKS]; FREE.len()],
            products: vec![[[Pack::ZERO; PACKS]; TYPE_FEATURES]; pairs],
        };
        let mut weighed = [Weighed::NOTHING; CHUNK];
        for chunk in self.choices.chunks(CHUNK) {
            for (choice, weighed) in chunk.iter().zip(&mut weighed) {
                let (of_choice, log_chosen) = Weighed::new(choice, self.at);
                *weighed = of_choice;
                sums.value += log_chosen;
                for (gradient, error) in sums.gradient.iter_mut().zip(of_choice.errors) {
                    for (gradient, x) in gradient.iter_mut().zip(&of_choice.features) {
                        *gradient = gradient.plus(error, x);
                    }
                }
            }
            for (pair, products) in sums.products.iter_mut().enumerate() {
                for Weighed { features, weights, .. } in &weighed[..chunk.len()] {
                    add_product(weights[pair], features, products);
                }
            }
        }
        sums
    }
}

/// Adds the lower triangle of a weight times the product of features with themselves. Many of them
/// are 0.
#[inline(always)]
fn add_product(weight: f64, features: &[Pack; PACKS], products: &mut Products) {
    if weight == 0.0 {
        return;
    }
    for (i, row) in products.iter_mut().enumerate() {
        let x = features[i / LANES].0[i % LANES];
        if x != 0.0 {
            for (sum, features) in row.iter_mut().zip(features).take(i / LANES + 1) {
                *sum = sum.plus(weight * x, features);
            }
        }
    }
}

fn local(choices: &[Choice], prior: &GaussianPrior, at: &[f64], depth: Depth) -> Local {
    const F: usize = TYPE_FEATURES;
    let sums = kernels::vectorised(Summing { choices, at, depth });
    let mut gradient = vec![0.0; TYPE_COEFFICIENTS];
    let value = sums.value + prior.log_density(at, &mut gradient);
    for (gradient, sums) in gradient.chunks_exact_mut(F).zip(&sums.gradient) {
        for (f, g) in gradient.iter_mut().enumerate() {
            *g += sums[f / LANES].0[f % LANES];
        }
    }
    let information = (depth == Depth::Curvature).then(|| {
        let mut information = prior.precision().clone();
        let pairs = (0..FREE.len()).flat_map(|a| (0..=a).map(move |b| (a, b)));
        for ((a, b), products) in pairs.zip(&sums.products) {
            for i in 0..F {
                for j in 0..F {
                    // Each product is symmetric.
                    let (row, column) = (i.max(j), i.min(j));
                    information[(a * F + i, b * F + j)] +=
                        products[row][column / LANES].0[column % LANES];
                }
            }
        }
        information
    });
    Local { value, gradient, information }
}

/// A reader's coefficients, from a start anywhere: the log posterior is concave.
pub(super) fn believe(
    choices: &[Choice],
    prior: &GaussianPrior,
    start: Start<'_>,
) -> Option<Belief> {
    climb(prior, start, |at, depth| local(choices, prior, at, depth))
}

/// The same, where the mode alone is of interest.
pub(super) fn mode(
    choices: &[Choice],
    prior: &GaussianPrior,
    start: Start<'_>,
) -> Option<Vec<f64>> {
    climb_to_mode(prior, start, |at, depth| local(choices, prior, at, depth))
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    /// Choices in situations of all kinds.
    fn choices(n: usize) -> Vec<Choice> {
        let number = |i: usize| (i as f64 * 0.754_877_666).fract();
        (0..n)
            .map(|i| {
                let features =
                    std::array::from_fn(|f| if f == 0 { 1.0 } else { number(31 * i + f) - 0.4 });
                let possible =
                    ByMove::from([true, i % 7 != 0, i % 5 != 0, i % 3 != 0, true, i % 4 != 0]);
                let chosen = Move::ALL.into_iter().filter(|m| possible[*m]).nth(i % 2).unwrap();
                Choice { features, possible, chosen }
            })
            .collect()
    }

    fn prior(variance: f64) -> GaussianPrior {
        let p = TYPE_COEFFICIENTS;
        let covariance = Mat::from_fn(p, p, |i, j| if i == j { variance } else { 0.01 * variance });
        GaussianPrior::new((0..p).map(|i| 0.01 * i as f64 - 0.3).collect(), &covariance).unwrap()
    }

    #[test]
    fn probabilities_are_of_what_is_possible() {
        for choice in choices(50) {
            let (p, log_chosen) = choice.probabilities(&[0.3, -700.0, 2.0, 700.0, 1.0]);
            assert!((p.values().iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (p, possible) in p.values().iter().zip(choice.possible.values()) {
                assert!(*possible || *p == 0.0);
            }
            assert!(log_chosen <= 0.0 && (log_chosen < -600.0 || log_chosen.exp() > 0.0));
        }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        let (choices, prior) = (choices(40), prior(0.5));
        let at: Vec<f64> = (0..TYPE_COEFFICIENTS).map(|i| 0.3 * (i as f64).sin()).collect();
        let here = local(&choices, &prior, &at, Depth::Curvature);
        let h = 1e-5;
        for i in (0..TYPE_COEFFICIENTS).step_by(3) {
            let moved = |by: f64| {
                let mut there = at.clone();
                there[i] += by;
                local(&choices, &prior, &there, Depth::Slope)
            };
            let (up, down) = (moved(h), moved(-h));
            let slope = (up.value - down.value) / (2.0 * h);
            assert!((slope - here.gradient[i]).abs() < 1e-6 * (1.0 + slope.abs()), "{i}");
            for j in (i..TYPE_COEFFICIENTS).step_by(5) {
                let bend = -(up.gradient[j] - down.gradient[j]) / (2.0 * h);
                let found = here.information.as_ref().unwrap()[(j, i)];
                assert!((bend - found).abs() < 1e-6 * (1.0 + bend.abs()), "{i} {j}");
            }
        }
    }

    #[test]
    fn the_mode_is_flat_and_the_same_from_anywhere() {
        let (choices, prior) = (choices(300), prior(0.5));
        let one = believe(&choices, &prior, Start::at(prior.mean())).unwrap();
        let other = believe(&choices, &prior, Start::at(&[1.0; TYPE_COEFFICIENTS])).unwrap();
        let slope = local(&choices, &prior, &one.mode, Depth::Slope).gradient;
        assert!(slope.iter().all(|g| g.abs() < 1e-3), "{slope:?}");
        for (a, b) in one.mode.iter().zip(&other.mode) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
        // Without choices the prior stands, and the evidence is that of nothing.
        let nothing = believe(&[], &prior, Start::at(prior.mean())).unwrap();
        assert_eq!(nothing.mode, prior.mean());
        assert!(nothing.evidence.abs() < 1e-9, "{}", nothing.evidence);
    }

    /// As far as it is known: the end of a way up is a step of Newton's beyond where the tolerance is met.
    #[test]
    fn what_is_known_does_not_depend_on_the_start() {
        let (all, prior) = (choices(300), prior(0.5));
        let half = &all[..150];
        let more = believe(&all, &prior, Start::at(prior.mean())).unwrap();
        let cold = believe(half, &prior, Start::at(prior.mean())).unwrap();
        let near = || {
            let curvature = Some(faer::Scale(0.5) * more.of_data(&prior));
            Start { at: &more.mode, curvature }
        };
        let warm = believe(half, &prior, near()).unwrap();
        let quick = mode(half, &prior, near()).unwrap();
        for i in 0..TYPE_COEFFICIENTS {
            let [a, b, c] = [cold.mode[i], warm.mode[i], quick[i]];
            assert!((a - b).abs() < 1e-6 && (a - c).abs() < 1e-4, "{a} {b} {c}");
            for j in 0..=i {
                let [a, b] = [&cold, &warm].map(|known| known.information[(i, j)]);
                assert!((a - b).abs() < 1e-3 * (1.0 + a.abs()), "{a} {b}");
            }
        }
        assert!((cold.evidence - warm.evidence).abs() < 1e-4);
    }
}
