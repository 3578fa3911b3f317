//! A trait of one reader with its interval.
//!
//! Fixations of one text are alike, so texts are what is taken for independent. The variance of an
//! estimate is that of the jackknife over texts: each is left out in turn, and the estimate made anew.
//! With `G` texts,
//!
//! ```text
//! v = (G - 1) / G  sum over g of (estimate without g - estimate)^2
//! ```
//!
//! | trait | interval |
//! |---|---|
//! | means, slopes | Student's t with G - 1 degrees of freedom |
//! | spreads, ratios, velocities: all that is above zero | the same of their logarithms |
//! | rates | the Beta posterior under Jeffreys' prior, of as many independent observations as would leave the variance v |

use statrs::function::beta::beta_reg;

use super::kind::Estimator;
use super::sums::Sums;
use crate::measures::solve;

/// A value with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimated {
    pub(super) value: f64,
    /// `None` of one text, and where a trait hangs on a single one.
    pub(super) ci95: Option<[f64; 2]>,
}

/// The trait of some texts, each with its observations.
pub(super) fn estimated(estimator: Estimator, texts: &[Sums]) -> Option<Estimated> {
    let all = together(texts);
    let value = estimator.of(&all)?;
    let without = without_each(estimator, texts);
    let ci95 = without.and_then(|without| interval(estimator, &all, value, &without));
    Some(Estimated { value, ci95 })
}

pub(super) fn together(texts: &[Sums]) -> Sums {
    let mut all = Sums::default();
    texts.iter().for_each(|text| all.add(text));
    all
}

/// The estimates that leave each text out; `None` of one text, or where one of them cannot be made.
fn without_each(estimator: Estimator, texts: &[Sums]) -> Option<Vec<f64>> {
    if texts.len() < 2 {
        return None;
    }
    // What comes after each, then what comes before: nothing is taken away from sums.
    let mut after = vec![Sums::default(); texts.len()];
    for i in (1..texts.len()).rev() {
        after[i - 1] = after[i];
        after[i - 1].add(&texts[i]);
    }
    let mut before = Sums::default();
    let without = texts.iter().zip(after).map(|(text, after)| {
        let mut rest = before;
        rest.add(&after);
        before.add(text);
        estimator.of(&rest)
    });
    without.collect()
}

fn interval(estimator: Estimator, all: &Sums, value: f64, without: &[f64]) -> Option<[f64; 2]> {
    let texts = without.len() as f64;
    let variance = |of: fn(f64) -> f64| {
        let squares: f64 = without.iter().map(|&other| (of(other) - of(value)).powi(2)).sum();
        (texts - 1.0) / texts * squares
    };
    let t = student(texts - 1.0);
    let ends = match estimator {
        Estimator::Rate => rate(all.count as f64, value, variance(|rate| rate), t),
        _ if estimator.is_positive() => {
            let half = t * variance(f64::ln).sqrt();
            [value * (-half).exp(), value * half.exp()]
        }
        _ => {
            let half = t * variance(|value| value).sqrt();
            [value - half, value + half]
        }
    };
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}

/// The interval of a rate among `count`, whose variance over texts is `variance`.
///
/// So many independent observations as would leave that variance, never more than there are, and fewer
/// where texts are few, by the ratio of Student's quantiles (Korn and Graubard 1998). Where none or all
/// are so nothing can be said of texts, and all count.
fn rate(count: f64, rate: f64, variance: f64, t: f64) -> [f64; 2] {
    let independent = rate * (1.0 - rate) / variance;
    let independent = if variance > 0.0 { independent.min(count) } else { count };
    let normal = if count > 1.0 { student(count - 1.0) } else { t };
    let effective = independent * (normal / t).powi(2).min(1.0);
    let (hits, misses) = (rate * effective, (1.0 - rate) * effective);
    let quantile = |part: f64| solve(|x| beta_reg(hits + 0.5, misses + 0.5, x) - part);
    // Nobody doubts that a rate may be what was seen.
    let low = if rate <= 0.0 { 0.0 } else { quantile(0.025).min(rate) };
    let high = if rate >= 1.0 { 1.0 } else { quantile(0.975).max(rate) };
    [low, high]
}

/// The 97.5 % quantile of Student's t.
fn student(degrees: f64) -> f64 {
    // Both tails together are I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t^2).
    let x = solve(|x| beta_reg(degrees / 2.0, 0.5, x) - 0.05);
    (degrees * (1.0 - x) / x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, t) in
            [(1.0, 12.706_205), (2.0, 4.302_653), (10.0, 2.228_139), (54.0, 2.004_879)]
        {
            assert!((student(degrees) - t).abs() < 1e-5, "{degrees}: {}", student(degrees));
        }
        assert!((student(1e6) - 1.959_966).abs() < 1e-5);
    }

    #[test]
    fn of_texts_with_one_value_each_a_mean_has_the_interval_of_students_t() {
        let texts = [4.0, 7.0, 5.0, 8.0].map(|y| Sums::one(0.0, y));
        let found = estimated(Estimator::Mean, &texts).unwrap();
        // Standard error sqrt(10 / 3 / 4), three degrees of freedom.
        let half = 3.182_446 * (10.0_f64 / 12.0).sqrt();
        let [low, high] = found.ci95.unwrap();
        assert!((found.value - 6.0).abs() < 1e-12);
        assert!((low - (6.0 - half)).abs() < 1e-5 && (high - (6.0 + half)).abs() < 1e-5);
    }

    #[test]
    fn one_text_has_no_interval() {
        let text = together(&[Sums::one(0.0, 1.0), Sums::one(0.0, 0.0)]);
        assert_eq!(estimated(Estimator::Rate, &[text]), Some(Estimated { value: 0.5, ci95: None }));
        assert_eq!(estimated(Estimator::Mean, &[]), None);
    }

    #[test]
    fn rates_that_were_never_seen_are_not_known_to_be_none() {
        let texts: Vec<Sums> = (0..10).map(|_| together(&[Sums::one(0.0, 0.0); 20])).collect();
        let found = estimated(Estimator::Rate, &texts).unwrap();
        let [low, high] = found.ci95.unwrap();
        assert!(low == 0.0 && high > 0.01 && high < 0.02, "{high}");
    }
}
