//! Uncertainty over readers: what if others had been recorded?
//!
//! Probes and comparisons of one reader resemble each other, so readers are what is drawn anew,
//! each with all that belongs to them.

use gazeprint::random::Stream;
use rand::RngExt;

/// A bootstrap: how often readers are drawn with replacement, and with which random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// Number of draws of all readers.
    pub samples: usize,
    /// Random numbers; the same stream draws the same readers.
    pub stream: Stream,
}

/// How many probes of a reader were identified.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Probes identified; a tie counts in part.
    pub right: f64,
    /// Probes in all.
    pub probes: usize,
}

impl Tally {
    /// Part of the probes of all these readers that were identified; NaN without probes.
    pub fn accuracy(tallies: impl IntoIterator<Item = Self>) -> f64 {
        let (mut right, mut probes) = (0.0, 0);
        for tally in tallies {
            right += tally.right;
            probes += tally.probes;
        }
        right / probes as f64
    }
}

/// How much better one method is than another on the same readers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The first minus the second.
    pub difference: f64,
    /// 95 % bootstrap interval over readers.
    pub ci95: [f64; 2],
}

impl Difference {
    /// Whether the interval leaves out 0: one of the methods is better on readers like these.
    pub fn is_significant(self) -> bool {
        self.ci95[0] > 0.0 || self.ci95[1] < 0.0
    }
}

impl Bootstrap {
    /// The 95 % percentile interval of a statistic of readers. It is given the drawn readers, as
    /// indices below `readers`, with repetitions and as many as there are.
    ///
    /// Draws on which the statistic is NaN are left out. `None` if that leaves nothing.
    pub fn interval(
        &self,
        readers: usize,
        statistic: impl Fn(&[usize]) -> f64,
    ) -> Option<[f64; 2]> {
        if readers == 0 {
            return None;
        }
        let mut rng = self.stream.chain(0);
        let mut drawn = vec![0; readers];
        let mut values = Vec::with_capacity(self.samples);
        for _ in 0..self.samples {
            drawn.fill_with(|| rng.random_range(0..readers));
            values.push(statistic(&drawn));
        }
        values.retain(|v| !v.is_nan());
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let quantile = |q: f64| values[(q * last as f64).round() as usize];
        Some([quantile(0.025), quantile(0.975)])
    }

    /// The 95 % interval of the accuracy over these readers.
    pub fn accuracy(&self, readers: &[Tally]) -> Option<[f64; 2]> {
        self.interval(readers.len(), |drawn| Tally::accuracy(drawn.iter().map(|&r| readers[r])))
    }

    /// The difference in accuracy of two methods on the same readers, given in the same order.
    ///
    /// Both methods are judged on the same draws, so that what makes readers easy or hard for both
    /// cancels out. `None` if the readers are not as many, or without probes.
    pub fn difference(&self, first: &[Tally], second: &[Tally]) -> Option<Difference> {
        if first.len() != second.len() {
            return None;
        }
        let gap = |readers: &[usize]| {
            let accuracy = |of: &[Tally]| Tally::accuracy(readers.iter().map(|&r| of[r]));
            accuracy(first) - accuracy(second)
        };
        let everyone: Vec<usize> = (0..first.len()).collect();
        let ci95 = self.interval(first.len(), gap)?;
        Some(Difference { difference: gap(&everyone), ci95 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOTSTRAP: Bootstrap = Bootstrap { samples: 2000, stream: Stream { seed: 1, index: 7 } };

    fn tallies(right: impl IntoIterator<Item = f64>) -> Vec<Tally> {
        right.into_iter().map(|right| Tally { right, probes: 10 }).collect()
    }

    #[test]
    fn interval_of_a_mean_has_the_width_of_theory() {
        // The readers 0 to 99: the mean has standard error sqrt((100^2 - 1) / 12 / 100) = 2.887.
        let mean = |drawn: &[usize]| drawn.iter().sum::<usize>() as f64 / drawn.len() as f64;
        let [low, high] = BOOTSTRAP.interval(100, mean).unwrap();
        assert!((low - (49.5 - 1.96 * 2.887)).abs() < 0.5, "{low}");
        assert!((high - (49.5 + 1.96 * 2.887)).abs() < 0.5, "{high}");
        assert_eq!(BOOTSTRAP.interval(100, mean), Some([low, high]), "the same stream");
    }

    #[test]
    fn pairing_cancels_what_methods_share() {
        // Accuracies vary widely over readers; the second method always loses one probe of ten.
        let first = tallies((0..40).map(|r| f64::from(r % 10) + 1.0));
        let second = tallies((0..40).map(|r| f64::from(r % 10)));
        let Difference { difference, ci95 } = BOOTSTRAP.difference(&first, &second).unwrap();
        assert!((difference - 0.1).abs() < 1e-12);
        assert!((ci95[0] - 0.1).abs() < 1e-12 && (ci95[1] - 0.1).abs() < 1e-12);
        let [low, high] = BOOTSTRAP.accuracy(&first).unwrap();
        assert!(high - low > 0.1);
        let same = BOOTSTRAP.difference(&first, &first).unwrap();
        assert_eq!((same.difference, same.is_significant()), (0.0, false));
        assert!(BOOTSTRAP.difference(&second, &first).unwrap().is_significant());
    }

    #[test]
    fn nothing_to_draw_has_no_interval() {
        assert_eq!(BOOTSTRAP.accuracy(&[]), None);
        assert_eq!(BOOTSTRAP.accuracy(&[Tally::default()]), None);
        assert_eq!(BOOTSTRAP.difference(&tallies([1.0]), &[]), None);
        assert_eq!(Bootstrap { samples: 0, ..BOOTSTRAP }.interval(3, |_| 0.0), None);
    }
}
