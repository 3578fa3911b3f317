//! Uncertainty over readers: what if others had been recorded?
//!
//! Probes and comparisons of one reader resemble each other, so readers are what is drawn anew,
//! each with all that their probes came to.

use gazeprint::random::Stream;
use rand::RngExt;
use rayon::prelude::*;

/// How often readers are drawn with replacement, and with which random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// Number of draws of all readers.
    pub samples: usize,
    /// Random numbers; the same stream draws the same readers.
    pub stream: Stream,
}

/// Readers, drawn many times.
///
/// All statistics of a study are taken on the same draws, so that in differences between methods
/// what makes readers easy or hard for both cancels out.
#[derive(Debug, Clone, PartialEq)]
pub struct Draws {
    /// By draw: how often each reader was drawn.
    weights: Vec<Vec<f64>>,
}

impl Bootstrap {
    /// Draws as many of the readers as there are, again and again.
    pub fn draw(&self, readers: usize) -> Draws {
        let mut rng = self.stream.chain(0);
        let samples = if readers == 0 { 0 } else { self.samples };
        let weights = (0..samples).map(|_| {
            let mut weights = vec![0.0; readers];
            (0..readers).for_each(|_| weights[rng.random_range(0..readers)] += 1.0);
            weights
        });
        Draws { weights: weights.collect() }
    }
}

impl Draws {
    /// The 95 % percentile interval of a statistic. It is given how often each reader counts.
    ///
    /// Draws on which the statistic is NaN are left out. `None` if that leaves nothing.
    pub fn interval(&self, statistic: impl Fn(&[f64]) -> f64 + Sync) -> Option<[f64; 2]> {
        let mut values: Vec<f64> = self.weights.par_iter().map(|w| statistic(w)).collect();
        values.retain(|v| !v.is_nan());
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let quantile = |q: f64| values[(q * last as f64).round() as usize];
        Some([quantile(0.025), quantile(0.975)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(readers: usize) -> Draws {
        Bootstrap { samples: 2000, stream: Stream { seed: 1, index: 7 } }.draw(readers)
    }

    /// Mean of values, each with its weight.
    fn mean(values: &[f64], weights: &[f64]) -> f64 {
        let sum: f64 = values.iter().zip(weights).map(|(v, w)| v * w).sum();
        sum / weights.iter().sum::<f64>()
    }

    #[test]
    fn interval_of_a_mean_has_the_width_of_theory() {
        // The readers 0 to 99: the mean has standard error sqrt((100^2 - 1) / 12 / 100) = 2.887.
        let values: Vec<f64> = (0..100).map(f64::from).collect();
        let [low, high] = draws(100).interval(|w| mean(&values, w)).unwrap();
        assert!((low - (49.5 - 1.96 * 2.887)).abs() < 0.5, "{low}");
        assert!((high - (49.5 + 1.96 * 2.887)).abs() < 0.5, "{high}");
        assert_eq!(draws(100), draws(100), "the same stream");
    }

    #[test]
    fn pairing_cancels_what_methods_share() {
        // Accuracies vary widely over readers; the second method always loses one probe of ten.
        let first: Vec<f64> = (0..40).map(|r| f64::from(r % 10) / 10.0 + 0.1).collect();
        let second: Vec<f64> = first.iter().map(|a| a - 0.1).collect();
        let draws = draws(40);
        let [low, high] = draws.interval(|w| mean(&first, w) - mean(&second, w)).unwrap();
        assert!((low - 0.1).abs() < 1e-12 && (high - 0.1).abs() < 1e-12);
        let [low, high] = draws.interval(|w| mean(&first, w)).unwrap();
        assert!(high - low > 0.1);
    }

    #[test]
    fn nothing_to_draw_has_no_interval() {
        assert_eq!(draws(0).interval(|_| 0.0), None);
        assert_eq!(draws(3).interval(|_| f64::NAN), None);
        let none = Bootstrap { samples: 0, stream: Stream { seed: 1, index: 7 } };
        assert_eq!(none.draw(3).interval(|_| 0.0), None);
    }
}
