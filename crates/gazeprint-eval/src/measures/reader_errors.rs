//! Which readers make the errors around the equal error rate, for intervals over readers.

use serde::{Deserialize, Serialize};

use super::verification::{Claims, cleaned};

/// Most thresholds at which errors are counted.
const MOST_THRESHOLDS: usize = 64;
/// How far from the equal error rate, as a factor, thresholds reach: what readers drawn anew may
/// come to.
const REACH: f64 = 4.0;
/// At least so many genuine scores are within reach.
const FEWEST: usize = 16;

/// Errors by reader at some thresholds around the equal error rate. A reader is the one who produced
/// the probes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReaderErrors {
    thresholds: usize,
    /// Whether no genuine score lies between two thresholds.
    exact: bool,
    /// By reader: true and false claims.
    claims: Vec<(u32, u32)>,
    /// By reader, then threshold: true claims rejected, false claims accepted.
    errors: Vec<(u32, u32)>,
}

impl ReaderErrors {
    /// Counts the errors, given the claims by reader.
    pub fn of<'a>(readers: impl Iterator<Item = &'a Claims> + Clone) -> Self {
        let mut genuine: Vec<f64> =
            readers.clone().flat_map(|c| c.genuine.iter().copied().map(cleaned)).collect();
        genuine.sort_by(f64::total_cmp);
        genuine.dedup();
        let mut all = Claims::default();
        readers.clone().for_each(|claims| all.extend(claims.clone()));
        let rate = all.equal_error_rate();
        let within = ((REACH * rate * genuine.len() as f64).ceil() as usize).max(FEWEST);
        let within = within.min(genuine.len());
        let n = within.min(MOST_THRESHOLDS);
        let mut thresholds: Vec<f64> = (0..n).map(|i| genuine[i * within / n]).collect();
        thresholds.push(f64::INFINITY);
        let mut errors = Vec::new();
        let mut counts = Vec::new();
        for claims in readers {
            let sorted = |scores: &[f64]| {
                let mut scores: Vec<f64> = scores.iter().copied().map(cleaned).collect();
                scores.sort_by(f64::total_cmp);
                scores
            };
            let (genuine, impostor) = (sorted(&claims.genuine), sorted(&claims.impostor));
            counts.push((genuine.len() as u32, impostor.len() as u32));
            errors.extend(thresholds.iter().map(|t| {
                let rejected = genuine.partition_point(|s| s < t);
                let accepted = impostor.len() - impostor.partition_point(|s| s < t);
                // Nothing reaches infinity, not even an infinite score.
                if *t == f64::INFINITY {
                    return (genuine.len() as u32, 0);
                }
                (rejected as u32, accepted as u32)
            }));
        }
        Self { thresholds: thresholds.len(), exact: n == within, claims: counts, errors }
    }

    /// The equal error rate if readers counted so many times each; NaN if nobody is left.
    ///
    /// Between two thresholds that are neighbouring genuine scores, the curve of errors rises at
    /// once and falls on the way; between others it is taken for straight.
    pub fn equal_error_rate(&self, weights: &[f64]) -> f64 {
        let (mut genuine, mut impostor) = (0.0, 0.0);
        for (weight, claims) in weights.iter().zip(&self.claims) {
            genuine += weight * f64::from(claims.0);
            impostor += weight * f64::from(claims.1);
        }
        let rates = |t: usize| {
            let (mut rejects, mut accepts) = (0.0, 0.0);
            for (weight, errors) in weights.iter().zip(self.errors.chunks_exact(self.thresholds)) {
                rejects += weight * f64::from(errors[t].0);
                accepts += weight * f64::from(errors[t].1);
            }
            (rejects / genuine, accepts / impostor)
        };
        if genuine == 0.0 || impostor == 0.0 {
            return f64::NAN;
        }
        // The first threshold at which no more are accepted than rejected; at infinity it is so.
        let (mut low, mut high) = (0, self.thresholds - 1);
        while low < high {
            let middle = (low + high) / 2;
            let (rejects, accepts) = rates(middle);
            if accepts > rejects {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let (rejects, accepts) = rates(low);
        if low == 0 {
            return rejects;
        }
        let (rejects_before, accepts_before) = rates(low - 1);
        if self.exact {
            return rejects.min(accepts_before);
        }
        let (gap_before, gap) = (accepts_before - rejects_before, rejects - accepts);
        rejects_before + (rejects - rejects_before) * gap_before / (gap_before + gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims of `n` readers with `m` probes each, which overlap more or less; no two scores are
    /// the same.
    fn readers(n: usize, m: usize, gap: f64) -> Vec<Claims> {
        let score = |i: usize| (i as f64 * 0.754_877_666).fract();
        (0..n)
            .map(|r| Claims {
                genuine: (0..m).map(|k| gap + score(r * m + k)).collect(),
                impostor: (0..m * (n - 1)).map(|k| score(7 * (r * m * n + k) + 3)).collect(),
            })
            .collect()
    }

    fn pooled(readers: &[Claims]) -> Claims {
        let mut all = Claims::default();
        readers.iter().for_each(|c| all.extend(c.clone()));
        all
    }

    #[test]
    fn with_everybody_once_it_is_the_measured_rate() {
        for (n, m, gap) in [(2, 1, 0.0), (7, 1, 0.3), (40, 1, 0.6), (200, 1, 0.95), (30, 1, 1.5)] {
            let readers = readers(n, m, gap);
            let rate = ReaderErrors::of(readers.iter()).equal_error_rate(&vec![1.0; n]);
            let measured = pooled(&readers).equal_error_rate();
            assert!((rate - measured).abs() < 1e-12, "{n} {gap}: {rate} {measured}");
        }
        for (n, m, gap) in
            [(200, 1, 0.8), (300, 3, 0.7), (1000, 1, 0.9), (40, 50, 0.5), (20, 100, 0.95)]
        {
            let readers = readers(n, m, gap);
            let rate = ReaderErrors::of(readers.iter()).equal_error_rate(&vec![1.0; n]);
            let measured = pooled(&readers).equal_error_rate();
            assert!(
                (rate - measured).abs() < 0.03 * measured + 1e-4,
                "{n} {gap}: {rate} {measured}"
            );
        }
    }

    #[test]
    fn weights_are_repetitions() {
        let readers = readers(12, 2, 0.5);
        let repeated = [&readers[..], &readers[3..6]].concat();
        let mut weights = vec![1.0; 12];
        weights[3..6].fill(2.0);
        let rate = ReaderErrors::of(readers.iter()).equal_error_rate(&weights);
        let measured = pooled(&repeated).equal_error_rate();
        assert!((rate - measured).abs() < 0.02, "{rate} {measured}");
        assert!(ReaderErrors::of(readers.iter()).equal_error_rate(&[0.0; 12]).is_nan());
    }

    #[test]
    fn a_score_that_is_no_number_is_never_accepted() {
        let odd = [
            Claims { genuine: vec![f64::NAN], impostor: vec![0.0] },
            Claims { genuine: vec![1.0], impostor: vec![f64::NAN] },
        ];
        let errors = ReaderErrors::of(odd.iter());
        assert_eq!(errors.equal_error_rate(&[0.0, 1.0]), 0.0);
        assert_eq!(errors.equal_error_rate(&[1.0, 0.0]), 1.0);
    }
}
