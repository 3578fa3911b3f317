//! Error rates, and how well they are known.

use statrs::function::beta::beta_reg;

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
pub(crate) fn solve(f: impl Fn(f64) -> f64) -> f64 {
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
}
