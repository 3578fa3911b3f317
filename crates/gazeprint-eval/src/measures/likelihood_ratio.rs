//! How good log-likelihood ratios are: their cost, and how much of it a better calibration could
//! save (Brümmer and du Preez, 2006).

use gazeprint::decision::cleaned;
use std::f64::consts::LN_2;

use super::verification::Claims;

impl Claims {
    /// The cost of these scores as natural log-likelihood ratios, in bits: 0 for an oracle, 1 for
    /// one that always says 0, more for one that misleads. NaN if a side is empty.
    ///
    /// The mean, over both sides with equal weight, of the logarithmic cost of deciding at even
    /// prior odds. A single infinite ratio that speaks for the wrong side costs infinitely much.
    pub fn cllr(&self) -> f64 {
        let [genuine, impostor] = self.costs();
        0.5 * (genuine / self.genuine.len() as f64 + impostor / self.impostor.len() as f64)
    }

    /// The summed costs of true and of false claims, in bits.
    pub fn costs(&self) -> [f64; 2] {
        let sum = |scores: &[f64], sign: f64| {
            scores.iter().map(|s| softplus(sign * cleaned(*s))).sum::<f64>() / LN_2
        };
        [sum(&self.genuine, -1.0), sum(&self.impostor, 1.0)]
    }

    /// The lowest cost that any non-decreasing transformation of the scores could have, in bits:
    /// what is left is the fault of their order, not of their calibration. NaN if a side is empty.
    ///
    /// The best transformation is found by pooling adjacent violators: scores are grouped until
    /// the ratio of genuine to impostor claims rises from group to group; that ratio is then the
    /// likelihood ratio of the group.
    pub fn min_cllr(&self) -> f64 {
        let (n, m) = (self.genuine.len() as f64, self.impostor.len() as f64);
        if self.genuine.is_empty() || self.impostor.is_empty() {
            return f64::NAN;
        }
        let cost = |group: Group| {
            let (genuine, impostor) = (group.genuine as f64 / n, group.impostor as f64 / m);
            information(genuine, impostor) + information(impostor, genuine)
        };
        0.5 * self.pooled().into_iter().map(cost).sum::<f64>()
    }

    /// Groups with rising ratio of genuine to impostor claims.
    ///
    /// Impostors between two genuine scores always end up together, so that they need not be
    /// sorted among themselves.
    fn pooled(&self) -> Vec<Group> {
        let steps = self.steps();
        let mut groups: Vec<Group> = Vec::with_capacity(2 * steps.steps.len() + 1);
        let ascending = steps.steps.iter().flat_map(|step| {
            [
                Group { genuine: 0, impostor: step.between },
                Group { genuine: step.genuine, impostor: step.tied },
            ]
        });
        let last = Group { genuine: 0, impostor: steps.above };
        for mut group in ascending.chain([last]).filter(|g| g.genuine + g.impostor > 0) {
            while let Some(below) = groups.pop_if(|below| !below.rises_to(group)) {
                group.genuine += below.genuine;
                group.impostor += below.impostor;
            }
            groups.push(group);
        }
        groups
    }
}

/// Claims that get the same likelihood ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Group {
    genuine: u64,
    impostor: u64,
}

impl Group {
    /// Whether the ratio of genuine to impostor claims is higher in the other group; multiplied
    /// out, which is exact and needs no exception for groups without impostors.
    fn rises_to(self, other: Self) -> bool {
        u128::from(self.genuine) * u128::from(other.impostor)
            < u128::from(other.genuine) * u128::from(self.impostor)
    }
}

/// `p log2(1 + q / p)`, and 0 where `p` is.
fn information(p: f64, q: f64) -> f64 {
    if p == 0.0 { 0.0 } else { p * (q / p).ln_1p() / LN_2 }
}

/// `ln(1 + exp(x))` without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(genuine: &[f64], impostor: &[f64]) -> Claims {
        Claims { genuine: genuine.to_vec(), impostor: impostor.to_vec() }
    }

    #[test]
    fn cost_by_hand() {
        // A ratio of 1 costs one bit on either side; one of 3 for the truth log2(4/3).
        assert!((claims(&[0.0], &[0.0]).cllr() - 1.0).abs() < 1e-15);
        let three = 3.0_f64.ln();
        let expected = (4.0_f64 / 3.0).log2();
        assert!((claims(&[three], &[-three]).cllr() - expected).abs() < 1e-15);
        assert!((claims(&[-1000.0], &[0.0]).cllr() - 0.5 * (1000.0 / LN_2 + 1.0)).abs() < 1e-9);
    }

    #[test]
    fn infinite_ratios_cost_nothing_or_everything() {
        let inf = f64::INFINITY;
        assert_eq!(claims(&[inf], &[-inf, f64::NAN]).cllr(), 0.0);
        assert_eq!(claims(&[-inf], &[-inf]).cllr(), inf);
        assert_eq!(claims(&[f64::NAN], &[0.0]).cllr(), inf);
        // What can be mended by calibration costs at most one bit.
        assert_eq!(claims(&[-inf], &[-inf]).min_cllr(), 1.0);
    }

    #[test]
    fn minimum_by_hand() {
        assert_eq!(claims(&[2.0, 3.0], &[0.0, 1.0]).min_cllr(), 0.0);
        // Wrong way round: the best is to say nothing.
        assert!((claims(&[0.0, 1.0], &[2.0, 3.0]).min_cllr() - 1.0).abs() < 1e-15);
        // 0 | 1 and 1.5 pooled | 2: the middle group has ratio 1 and a bit from each side.
        let mixed = claims(&[1.0, 2.0], &[0.0, 1.5]);
        assert!((mixed.min_cllr() - 0.5).abs() < 1e-15);
        assert_eq!(mixed.pooled().len(), 3);
        // The same with a tie.
        assert!((claims(&[1.0, 2.0], &[0.0, 1.0]).min_cllr() - 0.5).abs() < 1e-15);
    }

    #[test]
    fn nothing_to_measure_is_nan() {
        for empty in [Claims::default(), claims(&[1.0], &[]), claims(&[], &[1.0])] {
            assert!(empty.cllr().is_nan());
            assert!(empty.min_cllr().is_nan());
        }
    }
}
