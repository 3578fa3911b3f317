//! Which readers make the errors around the equal error rate, for intervals over readers.

use gazeprint::decision::cleaned;
use serde::{Deserialize, Serialize};

use super::verification::Claims;

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
    /// Whether no genuine score lies between two thresholds, but for the last.
    exact: bool,
    /// By reader: true and false claims.
    claims: Vec<(u32, u32)>,
    /// By reader, then threshold.
    errors: Vec<Errors>,
}

/// Errors at a threshold, with claims that score just as much accepted, and rejected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Errors {
    accepting: Counts,
    rejecting: Counts,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Counts {
    /// True claims rejected.
    rejects: u32,
    /// False claims accepted.
    accepts: u32,
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
        // With the highest rejected, everybody is.
        thresholds.extend(genuine.last().filter(|_| within < genuine.len() || n < within));
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
                let below = |scores: &[f64]| scores.partition_point(|s| s < t) as u32;
                let not_above = |scores: &[f64]| scores.partition_point(|s| s <= t) as u32;
                let claims = impostor.len() as u32;
                Errors {
                    accepting: Counts {
                        rejects: below(&genuine),
                        accepts: claims - below(&impostor),
                    },
                    rejecting: Counts {
                        rejects: not_above(&genuine),
                        accepts: claims - not_above(&impostor),
                    },
                }
            }));
        }
        Self { thresholds: thresholds.len(), exact: n == within, claims: counts, errors }
    }

    /// The equal error rate if readers counted so many times each; NaN if nobody is left.
    ///
    /// The same curve as that of [`Claims::equal_error_rate`]; between thresholds that are not
    /// neighbouring genuine scores it is taken for straight.
    pub fn equal_error_rate(&self, weights: &[f64]) -> f64 {
        let (mut genuine, mut impostor) = (0.0, 0.0);
        for (weight, claims) in weights.iter().zip(&self.claims) {
            genuine += weight * f64::from(claims.0);
            impostor += weight * f64::from(claims.1);
        }
        if genuine == 0.0 || impostor == 0.0 {
            return f64::NAN;
        }
        let rates = |t: usize, side: fn(&Errors) -> Counts| {
            let (mut rejects, mut accepts) = (0.0, 0.0);
            for (weight, errors) in weights.iter().zip(self.errors.chunks_exact(self.thresholds)) {
                let counts = side(&errors[t]);
                rejects += weight * f64::from(counts.rejects);
                accepts += weight * f64::from(counts.accepts);
            }
            (rejects / genuine, accepts / impostor)
        };
        let accepting: fn(&Errors) -> Counts = |e| e.accepting;
        let rejecting: fn(&Errors) -> Counts = |e| e.rejecting;
        // The first threshold whose rejection takes the curve to the diagonal or past it.
        let (mut low, mut high) = (0, self.thresholds - 1);
        while low < high {
            let middle = (low + high) / 2;
            let (rejects, accepts) = rates(middle, rejecting);
            if accepts > rejects {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let here = rates(low, accepting);
        if here.1 > here.0 {
            return crossing(here, rates(low, rejecting));
        }
        // Met on the way here, where false accepts fall and, if nothing is between, false rejects
        // stand still.
        if self.exact || low == 0 { here.0 } else { crossing(rates(low - 1, rejecting), here) }
    }
}

/// Where the line between two points (false rejects, false accepts) meets the diagonal.
fn crossing(before: (f64, f64), after: (f64, f64)) -> f64 {
    let (gap_before, gap) = (before.1 - before.0, after.0 - after.1);
    before.0 + (after.0 - before.0) * gap_before / (gap_before + gap)
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
    fn ties_are_met_halfway() {
        let tied = vec![Claims { genuine: vec![1.0; 3], impostor: vec![1.0; 5] }; 4];
        assert!((ReaderErrors::of(tied.iter()).equal_error_rate(&[1.0; 4]) - 0.5).abs() < 1e-12);
        let some = vec![
            Claims { genuine: vec![0.0, 1.0, 2.0], impostor: vec![0.0, 0.0, 1.0, -1.0] },
            Claims { genuine: vec![1.0, 1.0, 3.0], impostor: vec![1.0, 2.0, -2.0, 0.0] },
        ];
        let rate = ReaderErrors::of(some.iter()).equal_error_rate(&[1.0; 2]);
        assert!((rate - pooled(&some).equal_error_rate()).abs() < 1e-12, "{rate}");
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
