//! Error rates of identification and verification.

/// How often the true reader scores highest; readers that tie share the point.
pub fn rank_one(scores: &[f64], truth: usize) -> f64 {
    let own = scores[truth];
    if scores.iter().any(|s| *s > own) || own.is_nan() {
        return 0.0;
    }
    1.0 / scores.iter().filter(|s| **s == own).count() as f64
}

/// Scores of claims, true ones and false ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Claims {
    /// Scores of claims by the reader who produced the probe.
    pub genuine: Vec<f64>,
    /// Scores of claims by others.
    pub impostor: Vec<f64>,
}

impl Claims {
    /// Adds the scores of one probe for every claimed reader.
    pub fn push(&mut self, scores: &[f64], truth: usize) {
        for (reader, &score) in scores.iter().enumerate() {
            if reader == truth { &mut self.genuine } else { &mut self.impostor }.push(score);
        }
    }

    /// The probability that an impostor outscores the genuine reader, ties half: the area under
    /// the curve of false accepts over false rejects. Lower is better.
    pub fn area(&self) -> f64 {
        let genuine = sorted(&self.genuine);
        let below_or_tied: f64 = self
            .impostor
            .iter()
            .map(|s| {
                let below = genuine.partition_point(|g| g < s);
                let tied = genuine.partition_point(|g| g <= s) - below;
                below as f64 + 0.5 * tied as f64
            })
            .sum();
        below_or_tied / (genuine.len() as f64 * self.impostor.len() as f64)
    }

    /// The equal error rate: the mean of false accepts and false rejects at the threshold, among
    /// the genuine scores, where they differ least.
    pub fn equal_error_rate(&self) -> f64 {
        let genuine = sorted(&self.genuine);
        let n = genuine.len();
        let rates = |i: usize| {
            let threshold = genuine[i];
            let accepted = self.impostor.iter().filter(|s| **s >= threshold).count();
            let rejected = genuine.partition_point(|g| *g < threshold);
            (accepted as f64 / self.impostor.len() as f64, rejected as f64 / n as f64)
        };
        // False rejects grow with the threshold, false accepts fall: bisect for the crossing.
        let (mut low, mut high) = (0, n - 1);
        while low < high {
            let middle = (low + high) / 2;
            let (accepts, rejects) = rates(middle);
            if accepts > rejects {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        [low.saturating_sub(1), low]
            .into_iter()
            .map(rates)
            .min_by(|a, b| (a.0 - a.1).abs().total_cmp(&(b.0 - b.1).abs()))
            .map_or(f64::NAN, |(accepts, rejects)| 0.5 * (accepts + rejects))
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// Mean and standard error over repetitions; the error of a single one is unknown.
pub fn mean_and_error(values: &[f64]) -> (f64, Option<f64>) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, None);
    }
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, Some((squares / (n - 1.0) / n).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_point() {
        assert_eq!(rank_one(&[1.0, 3.0, 2.0], 1), 1.0);
        assert_eq!(rank_one(&[3.0, 3.0, 2.0], 1), 0.5);
        assert_eq!(rank_one(&[1.0, 3.0, 2.0], 2), 0.0);
    }

    #[test]
    fn area_and_equal_error_rate_by_hand() {
        let claims =
            Claims { genuine: vec![1.0, 2.0, 3.0, 4.0], impostor: vec![0.0, 0.5, 1.5, 2.0] };
        // Pairs in which the impostor wins: 1.5 and 2.0 beat 1.0; 2.0 ties with 2.0.
        assert!((claims.area() - 2.5 / 16.0).abs() < 1e-12);
        // At threshold 2: one false accept of four, one false reject of four.
        assert!((claims.equal_error_rate() - 0.25).abs() < 1e-12);
        let perfect = Claims { genuine: vec![2.0, 3.0], impostor: vec![0.0, 1.0] };
        assert_eq!(perfect.area(), 0.0);
        assert_eq!(perfect.equal_error_rate(), 0.0);
    }
}
