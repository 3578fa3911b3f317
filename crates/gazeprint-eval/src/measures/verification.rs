//! Verification: claims accepted and rejected at one threshold for all readers.

use gazeprint::decision::cleaned;
use serde::{Deserialize, Serialize};

use super::rate::Rate;

/// Scores of claims, true ones and false ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    /// Scores of claims by the reader who produced the probe.
    pub genuine: Vec<f64>,
    /// Scores of claims by others.
    pub impostor: Vec<f64>,
}

/// Errors at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperatingPoint {
    /// Claims that score at or above it are accepted.
    pub threshold: f64,
    /// False claims accepted: the false match rate.
    pub false_accepts: Rate,
    /// True claims rejected: the false non-match rate.
    pub false_rejects: Rate,
}

/// Claims counted at one distinct genuine score.
///
/// There are at most a few ten thousand genuine scores but millions of impostors. Nothing that
/// depends on order alone needs the impostors sorted among themselves: how many lie between two
/// genuine scores is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// Impostors below this genuine score and above the one before.
    pub(super) between: u64,
    /// Impostors at this genuine score.
    pub(super) tied: u64,
    /// Genuine claims at this score.
    pub(super) genuine: u64,
}

/// Claims counted by distinct genuine score.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Steps {
    /// Distinct genuine scores, ascending.
    pub(super) scores: Vec<f64>,
    /// By genuine score.
    pub(super) steps: Vec<Step>,
    /// Impostors above all genuine scores.
    pub(super) above: u64,
}

impl Claims {
    /// Adds the scores of one probe for every claimed reader.
    pub fn push(&mut self, scores: &[f64], truth: usize) {
        for (reader, &score) in scores.iter().enumerate() {
            self.add(score, reader == truth);
        }
    }

    /// Adds the claims of others.
    pub fn extend(&mut self, others: Self) {
        self.genuine.extend(others.genuine);
        self.impostor.extend(others.impostor);
    }

    /// Adds one claim.
    pub fn add(&mut self, score: f64, genuine: bool) {
        if genuine { &mut self.genuine } else { &mut self.impostor }.push(score);
    }

    /// The probability that an impostor outscores the genuine reader, ties half: the area under
    /// the curve of false accepts over false rejects. Lower is better. NaN if a side is empty.
    pub fn area(&self) -> f64 {
        let Steps { steps, above, .. } = self.steps();
        // Pairs are counted in halves, which are whole: the sum is exact.
        let (mut halves, mut below) = (0, 0);
        for step in steps {
            halves += step.between * 2 * below + step.tied * (2 * below + step.genuine);
            below += step.genuine;
        }
        halves += above * 2 * below;
        0.5 * halves as f64 / (self.genuine.len() as f64 * self.impostor.len() as f64)
    }

    /// The equal error rate: where the curve of false accepts over false rejects meets the
    /// diagonal. NaN if a side is empty.
    ///
    /// The curve is the one of [`Claims::error_curve`]: a staircase, on which a score shared by
    /// genuine and impostor claims is a slope (the points between are reached by accepting part of
    /// the tied claims at random). It is continuous and falls from one end to the other, so it
    /// meets the diagonal in one point, and no average of unequal rates is needed. A strictly
    /// increasing transformation of the scores changes nothing; nor does swapping the sides and
    /// negating the scores.
    pub fn equal_error_rate(&self) -> f64 {
        let genuine = sorted(&self.genuine);
        let (n, m) = (genuine.len() as f64, self.impostor.len() as f64);
        if genuine.is_empty() || self.impostor.is_empty() {
            return f64::NAN;
        }
        // (False accepts, false rejects) with the claims at this score accepted, and rejected.
        let accepting = |t: f64| (self.accepted(|s| s >= t), genuine.partition_point(|g| *g < t));
        let rejecting = |t: f64| (self.accepted(|s| s > t), genuine.partition_point(|g| *g <= t));
        let rates = |(accepts, rejects): (usize, usize)| (accepts as f64 / m, rejects as f64 / n);

        // False rejects grow with the threshold, false accepts fall: bisect for the first genuine
        // score whose rejection takes the curve to the diagonal or past it. A pass over the
        // impostors for each halving of the genuine scores is cheaper than sorting them.
        let (mut low, mut high) = (0, genuine.len() - 1);
        while low < high {
            let middle = (low + high) / 2;
            let (accepts, rejects) = rates(rejecting(genuine[middle]));
            if accepts > rejects {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let (accepts, rejects) = rates(accepting(genuine[low]));
        if accepts <= rejects {
            // Met on the way here, where false accepts fall and false rejects stand still.
            return rejects;
        }
        let (accepts_after, rejects_after) = rates(rejecting(genuine[low]));
        (accepts * rejects_after - accepts_after * rejects)
            / ((accepts - rejects) + (rejects_after - accepts_after))
    }

    /// False accepts and false rejects at a threshold, which should come from other claims than
    /// these ([`threshold_at`](gazeprint::decision::threshold_at)). A threshold that is NaN accepts nobody.
    pub fn at(&self, threshold: f64) -> OperatingPoint {
        let rejected = self.genuine.iter().filter(|s| !accepts(**s, threshold)).count();
        OperatingPoint {
            threshold,
            false_accepts: Rate {
                errors: self.accepted(|s| s >= threshold),
                trials: self.impostor.len(),
            },
            false_rejects: Rate { errors: rejected, trials: self.genuine.len() },
        }
    }

    fn accepted(&self, accepts: impl Fn(f64) -> bool) -> usize {
        self.impostor.iter().filter(|s| accepts(cleaned(**s))).count()
    }

    /// The claims counted by distinct genuine score.
    pub(super) fn steps(&self) -> Steps {
        let genuine = sorted(&self.genuine);
        let mut scores = genuine.clone();
        scores.dedup();
        let mut steps = vec![Step { between: 0, tied: 0, genuine: 0 }; scores.len()];
        let mut place = 0;
        for g in genuine {
            place += usize::from(g != scores[place]);
            steps[place].genuine += 1;
        }
        let mut above = 0;
        for s in self.impostor.iter().copied().map(cleaned) {
            let place = scores.partition_point(|g| *g < s);
            match scores.get(place) {
                Some(g) if *g == s => steps[place].tied += 1,
                Some(_) => steps[place].between += 1,
                None => above += 1,
            }
        }
        Steps { scores, steps, above }
    }
}

fn accepts(score: f64, threshold: f64) -> bool {
    cleaned(score) >= threshold
}

/// Cleaned scores, ascending. Zeros of both signs are equal, which the order must not separate.
fn sorted(scores: &[f64]) -> Vec<f64> {
    let mut scores: Vec<f64> = scores.iter().map(|s| cleaned(*s) + 0.0).collect();
    scores.sort_unstable_by(f64::total_cmp);
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(genuine: &[f64], impostor: &[f64]) -> Claims {
        Claims { genuine: genuine.to_vec(), impostor: impostor.to_vec() }
    }

    #[test]
    fn area_and_equal_error_rate_by_hand() {
        let claims = claims(&[1.0, 2.0, 3.0, 4.0], &[0.0, 0.5, 1.5, 2.0]);
        // Pairs in which the impostor wins: 1.5 and 2.0 beat 1.0; 2.0 ties with 2.0.
        assert!((claims.area() - 2.5 / 16.0).abs() < 1e-12);
        // At threshold 2: one false accept of four, one false reject of four.
        assert!((claims.equal_error_rate() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn equal_error_rate_at_the_ends() {
        assert_eq!(claims(&[2.0, 3.0], &[0.0, 1.0]).equal_error_rate(), 0.0);
        assert_eq!(claims(&[0.0, 1.0], &[2.0, 3.0]).equal_error_rate(), 1.0);
        // One score for all: a coin decides.
        assert_eq!(claims(&[1.0; 3], &[1.0; 7]).equal_error_rate(), 0.5);
        assert_eq!(claims(&[0.0], &[-0.0]).equal_error_rate(), 0.5);
        assert_eq!(claims(&[0.0], &[-0.0]).area(), 0.5);
    }

    #[test]
    fn equal_error_rate_where_rates_jump_past_each_other() {
        // Rejecting the genuine 1 takes false rejects from 0 to 1 while one impostor of three is
        // accepted: the step crosses the diagonal at 1/3.
        let one = claims(&[1.0], &[0.0, 0.5, 2.0]);
        assert!((one.equal_error_rate() - 1.0 / 3.0).abs() < 1e-15);
        // The genuine 1 ties with two of four impostors: from (2/4, 0) to (0, 1/2).
        let tied = claims(&[1.0, 2.0], &[0.0, 0.5, 1.0, 1.0]);
        assert!((tied.equal_error_rate() - 0.25).abs() < 1e-15);
    }

    #[test]
    fn nothing_to_measure_is_nan() {
        for empty in [Claims::default(), claims(&[1.0], &[]), claims(&[], &[1.0])] {
            assert!(empty.area().is_nan());
            assert!(empty.equal_error_rate().is_nan());
        }
        let point = Claims::default().at(0.0);
        assert!(point.false_accepts.value().is_nan() && point.false_rejects.value().is_nan());
    }

    #[test]
    fn scores_that_are_not_numbers_are_refused() {
        let broken = claims(&[f64::NAN, 1.0, f64::INFINITY], &[f64::NAN, f64::NEG_INFINITY, 0.0]);
        let point = broken.at(0.5);
        assert_eq!((point.false_accepts.errors, point.false_rejects.errors), (0, 1));
        // The refused genuine claim ties with two impostors and loses to one.
        assert!((broken.area() - 2.0 / 9.0).abs() < 1e-15);
        assert_eq!(broken.at(f64::NAN).false_rejects.errors, 3);
    }
}
