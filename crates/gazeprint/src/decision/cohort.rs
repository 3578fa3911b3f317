//! The ratio of a reader's likelihood to that of the other readers, the *cohort* (section 6).

use crate::kernels;

/// The log ratio of every reader's likelihood to the mean likelihood under the others: monotone in
/// the paper's ratio, and it does not saturate.
pub fn cohort_ratios(scores: &[f64]) -> Vec<f64> {
    let count = others(scores);
    let peak = kernels::max(scores);
    let relative: Vec<f64> = scores.iter().map(|s| (s - peak).exp()).collect();
    let total: f64 = relative.iter().sum();
    let ratio = |reader: usize| {
        let others = total - relative[reader];
        // Where the claimed reader holds nearly all of the mass, the rest is summed anew.
        if others > 0.1 * total {
            scores[reader] - peak - others.ln()
        } else {
            let rest: Vec<f64> = without(scores, reader).collect();
            scores[reader] - kernels::log_sum_exp(&rest)
        }
    };
    (0..scores.len()).map(|reader| ratio(reader) + count).collect()
}

/// The same for one reader, given by place.
pub fn cohort_ratio(scores: &[f64], reader: usize) -> f64 {
    let peak = without(scores, reader).fold(f64::NEG_INFINITY, f64::max);
    if peak == f64::NEG_INFINITY {
        return scores[reader] - peak;
    }
    let sum: f64 = without(scores, reader).map(|s| (s - peak).exp()).sum();
    scores[reader] - peak - sum.ln() + others(scores)
}

/// The same for all readers but one, as if that one were not enrolled.
pub fn cohort_ratios_without(scores: &[f64], reader: usize) -> Vec<f64> {
    cohort_ratios(&without(scores, reader).collect::<Vec<f64>>())
}

/// The scores of all readers but one.
fn without(scores: &[f64], reader: usize) -> impl Iterator<Item = f64> {
    scores.iter().enumerate().filter(move |(i, _)| *i != reader).map(|(_, score)| *score)
}

/// The logarithm of how many a reader is held against.
fn others(scores: &[f64]) -> f64 {
    (scores.len() as f64 - 1.0).max(1.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_do_not_saturate() {
        let ratios = cohort_ratios(&[0.0, -900.0, -1000.0]);
        for (ratio, expected) in ratios.iter().zip([900.0, -900.0, -1000.0]) {
            assert!((ratio - (expected + 2.0_f64.ln())).abs() < 1e-9, "{ratio}");
        }
    }

    #[test]
    fn ratios_to_a_cohort_of_one_or_none() {
        let [a, b] = cohort_ratios(&[3.0, 1.0])[..] else { panic!("two") };
        assert!((a - 2.0).abs() < 1e-12 && (b + 2.0).abs() < 1e-12);
        // Held against nobody, somebody is infinitely better; nothing is accepted from that alone.
        assert_eq!(cohort_ratios(&[3.0]), [f64::INFINITY]);
        assert!(cohort_ratios(&[]).is_empty());
        // Against equals it is the mean that counts, however many they are.
        for others in [1, 5, 100] {
            let ratios = cohort_ratios(&[vec![2.0], vec![0.0; others]].concat());
            assert!((ratios[0] - 2.0).abs() < 1e-12, "{others}");
        }
    }

    #[test]
    fn one_ratio_is_that_among_all() {
        let scores = [-3.0, 1.5, 0.25, -700.0];
        for (reader, ratio) in cohort_ratios(&scores).into_iter().enumerate() {
            assert!((cohort_ratio(&scores, reader) - ratio).abs() < 1e-12);
        }
        assert_eq!(cohort_ratios_without(&scores, 1), cohort_ratios(&[-3.0, 0.25, -700.0]));
    }
}
