//! Thresholds that keep a wanted rate of false accepts, and how many comparisons such a rate takes.
//!
//! A claim is accepted if its score is at or above the threshold. A score that is NaN counts as minus
//! infinity: nothing speaks for the claim.

/// NaN as minus infinity: nothing speaks for the claim.
pub fn cleaned(score: f64) -> f64 {
    if score.is_nan() { f64::NEG_INFINITY } else { score }
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
pub(crate) fn accepted_at(n: usize, rate: f64) -> Option<usize> {
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
pub(crate) fn threshold_above(mut scores: Vec<f64>, accepted: usize) -> Option<f64> {
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
