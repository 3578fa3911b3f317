//! Identification: where the true reader stands among all.

/// The rank of the true reader among all readers of a gallery, where readers may tie.
///
/// Readers that tie are taken to be in random order, so that the rank is any of `better + 1` to
/// `better + tied` with equal probability. What is computed from it is the mean over these orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// Readers that score higher.
    pub better: usize,
    /// Readers that score the same, the true one included; 0 if that one has no score.
    pub tied: usize,
}

impl Rank {
    /// The rank of reader `truth` by these scores.
    ///
    /// A true reader whose score is NaN or missing has no rank, and is never found.
    pub fn of(scores: &[f64], truth: usize) -> Self {
        let own = scores.get(truth).copied().unwrap_or(f64::NAN);
        if own.is_nan() {
            return Self { better: scores.len(), tied: 0 };
        }
        Self {
            better: scores.iter().filter(|s| **s > own).count(),
            tied: scores.iter().filter(|s| **s == own).count(),
        }
    }

    /// The mean rank over all orders of the tied readers, from 1; NaN without a rank.
    pub fn mean(self) -> f64 {
        if self.tied == 0 {
            return f64::NAN;
        }
        self.better as f64 + 0.5 * (self.tied as f64 + 1.0)
    }

    /// The probability that the true reader is among the first `k`.
    pub fn within(self, k: usize) -> f64 {
        let places = k.saturating_sub(self.better).min(self.tied);
        places as f64 / self.tied.max(1) as f64
    }
}

/// How often the true reader scores highest; readers that tie share the point.
pub fn rank_one(scores: &[f64], truth: usize) -> f64 {
    Rank::of(scores, truth).within(1)
}

/// The cumulative match characteristic: for each `k` of `at`, the part of the probes whose true
/// reader is among the first `k`. NaN without probes.
pub fn cmc(ranks: &[Rank], at: &[usize]) -> Vec<f64> {
    let part = |k: usize| ranks.iter().map(|r| r.within(k)).sum::<f64>() / ranks.len() as f64;
    at.iter().map(|&k| part(k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_point() {
        assert_eq!(rank_one(&[1.0, 3.0, 2.0], 1), 1.0);
        assert_eq!(rank_one(&[3.0, 3.0, 2.0], 1), 0.5);
        assert_eq!(rank_one(&[1.0, 3.0, 2.0], 2), 0.0);
        let last = Rank::of(&[5.0, 1.0, 1.0, 1.0], 3);
        assert_eq!(last, Rank { better: 1, tied: 3 });
        assert_eq!(last.mean(), 3.0);
        assert_eq!([1, 2, 3, 4, 9].map(|k| last.within(k)), [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0, 1.0]);
    }

    #[test]
    fn a_reader_without_a_score_is_never_found() {
        assert_eq!(rank_one(&[f64::NAN], 0), 0.0);
        assert_eq!(Rank::of(&[f64::NAN, 1.0], 0).within(9), 0.0);
        assert!(Rank::of(&[f64::NAN, 1.0], 0).mean().is_nan());
        assert_eq!(rank_one(&[], 0), 0.0);
        // Others without a score are no competition.
        assert_eq!(rank_one(&[f64::NAN, f64::NEG_INFINITY], 1), 1.0);
        assert_eq!(rank_one(&[f64::INFINITY, f64::INFINITY], 1), 0.5);
    }

    #[test]
    fn the_characteristic_rises_to_one() {
        let ranks = [Rank { better: 0, tied: 1 }, Rank { better: 1, tied: 2 }];
        assert_eq!(cmc(&ranks, &[0, 1, 2, 3]), vec![0.0, 0.5, 0.75, 1.0]);
        assert!(cmc(&[], &[1])[0].is_nan());
    }
}
