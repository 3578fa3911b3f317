//! Error rates, how well they are known, and thresholds for a wanted one.

use statrs::function::beta::beta_reg;

use super::verification::cleaned;

/// An error rate as a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Errors.
    pub errors: usize,
    /// Comparisons in which one could occur.
    pub trials: usize,
}

impl Rate {
    /// The rate; NaN without comparisons.
    pub fn value(self) -> f64 {
        self.errors as f64 / self.trials as f64
    }

    /// The exact 95 % interval of Clopper and Pearson: all rates under which neither so few nor so
    /// many errors would be a surprise at the 2.5 % level.
    ///
    /// It covers at least 95 % for every rate, also where no error was seen. It takes comparisons
    /// for independent; those of one reader are not, so where readers are few an interval by
    /// [`Bootstrap`](super::Bootstrap) is the wider and the better one. Without comparisons it is
    /// the whole range.
    pub fn interval(self) -> [f64; 2] {
        let (n, k) = (self.trials, self.errors.min(self.trials));
        // P(at least k errors) is increasing in the rate, P(at most k) decreasing.
        let at_least = |k: usize, p: f64| beta_reg(k as f64, (n - k + 1) as f64, p);
        let low = if k == 0 { 0.0 } else { solve(|p| at_least(k, p) - 0.025) };
        let high = if k == n { 1.0 } else { solve(|p| at_least(k + 1, p) - 0.975) };
        [low, high]
    }
}

/// The root of an increasing function on (0, 1), which may lie at any order of magnitude.
fn solve(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // Rates are of the order of one by the number of comparisons: halving from 1 takes some twenty
    // steps to get there and fifty more to get it exactly.
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Whether so many comparisons can support an error rate so low, by the rule of three: with fewer
/// than `3 / rate` of them, even no error at all leaves a higher rate possible (at 95 %).
///
/// The rule takes comparisons for independent. They share readers, so that it is necessary and not
/// sufficient.
pub fn supported(comparisons: usize, rate: f64) -> bool {
    // The slack is for rates like 0.001, which have no exact binary form.
    comparisons as f64 * rate >= 3.0 * (1.0 - 1e-12)
}

/// The smallest threshold at which at most a part `rate` of these impostor claims is accepted.
///
/// It lies just above an impostor score, at the next number there is, and so errs on neither side:
/// a smaller one would accept that impostor, too. With a rate below one by the number of
/// impostors no impostor is accepted, and the number supports no such statement about others; ask
/// [`supported`]. `None` without impostors, if the rate is NaN or negative, and if impostors that
/// must not be accepted score infinity. Minus infinity if all may be accepted.
pub fn threshold_at(impostor: &[f64], rate: f64) -> Option<f64> {
    let accepted = accepted_at(impostor.len(), rate)?;
    threshold_above(impostor.iter().copied().map(cleaned).collect(), accepted)
}

/// The most of `n` claims that may be accepted at a rate; `None` without claims and for rates that
/// are none.
pub(super) fn accepted_at(n: usize, rate: f64) -> Option<usize> {
    if n == 0 || rate.is_nan() || rate < 0.0 {
        return None;
    }
    let allowed = |k: usize| k as f64 / n as f64 <= rate;
    // The product may be off by one rounding; the quotient is what will be observed.
    let accepted = (rate * n as f64).min(n as f64) as usize;
    if accepted < n && allowed(accepted + 1) {
        return Some(accepted + 1);
    }
    Some(if allowed(accepted) { accepted } else { accepted - 1 })
}

/// The smallest threshold at which at most so many of these scores, none of them NaN, are accepted.
pub(super) fn threshold_above(mut scores: Vec<f64>, accepted: usize) -> Option<f64> {
    if accepted >= scores.len() {
        return Some(f64::NEG_INFINITY);
    }
    // Selected, not sorted: one pass over millions.
    let (_, rejected, _) = scores.select_nth_unstable_by(accepted, |a, b| b.total_cmp(a));
    // Adding zero makes -0 into 0: they are equal, so that the next number is that after 0.
    Some((*rejected + 0.0).next_up()).filter(|_| *rejected < f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_without_errors_is_the_closed_form() {
        for n in [1, 3, 50, 5_000_000] {
            let [low, high] = Rate { errors: 0, trials: n }.interval();
            let expected = -(0.025_f64.ln() / n as f64).exp_m1();
            assert_eq!(low, 0.0);
            assert!((high / expected - 1.0).abs() < 1e-8, "{n}: {high} {expected}");
            let [low, high] = Rate { errors: n, trials: n }.interval();
            assert!((1.0 - low - expected).abs() < 1e-8 * expected, "{n}: {low}");
            assert_eq!(high, 1.0);
        }
        assert_eq!(Rate { errors: 0, trials: 0 }.interval(), [0.0, 1.0]);
    }

    #[test]
    fn rule_of_three() {
        for (rate, enough) in [(1e-2, 300), (1e-3, 3_000), (1e-4, 30_000), (0.07, 43)] {
            assert!(supported(enough, rate) && !supported(enough - 1, rate), "{rate}");
        }
        assert!(!supported(10, 0.0) && !supported(10, f64::NAN));
    }

    #[test]
    fn thresholds_are_the_smallest_that_keep_the_rate() {
        let impostor = [5.0, 1.0, 3.0, 2.0, 4.0, 3.0, f64::NAN, 0.0, -0.0, -1.0];
        let accepted = |t: f64| impostor.iter().filter(|s| **s >= t).count() as f64 / 10.0;
        for rate in [0.0, 0.05, 0.1, 0.25, 0.3, 0.35, 0.4, 0.7, 0.75, 0.8] {
            let t = threshold_at(&impostor, rate).unwrap();
            assert!(accepted(t) <= rate, "{rate}: {t}");
            assert!(accepted(t.next_down()) > rate, "{rate}: {t}");
        }
        // 0.3 allows three of ten, but the third and the fourth tie.
        assert_eq!(threshold_at(&impostor, 0.3), Some(3.0_f64.next_up()));
        assert_eq!(threshold_at(&impostor, 1.0), Some(f64::NEG_INFINITY));
        assert_eq!(threshold_at(&impostor, 0.9), Some(f64::MIN));
    }

    #[test]
    fn no_threshold_where_none_can_be() {
        assert_eq!(threshold_at(&[], 0.1), None);
        assert_eq!(threshold_at(&[1.0], f64::NAN), None);
        assert_eq!(threshold_at(&[1.0], -0.1), None);
        assert_eq!(threshold_at(&[f64::INFINITY, 0.0], 0.1), None);
        assert_eq!(threshold_at(&[f64::INFINITY, 0.0], 0.5), Some(0.0_f64.next_up()));
    }
}
