//! The first seconds of what somebody read.

use gazeprint::saccade::Reading;

/// Readings up to a time spent in fixations, the last one cut where it is over.
pub(crate) struct Beginning<'a> {
    /// Those that are whole, by index.
    pub(crate) whole: &'a [usize],
    /// The one after them, as far as it was read.
    pub(crate) part: Reading,
}

impl<'a> Beginning<'a> {
    /// Of readings in order, given by index; none where they are over before the time is.
    pub(crate) fn of(order: &'a [usize], readings: &[Reading], seconds: f64) -> Option<Self> {
        let mut left = 1000.0 * seconds;
        for (whole, &i) in order.iter().enumerate() {
            let mut seen = 0;
            for duration in readings[i].durations() {
                if left <= 0.0 {
                    break;
                }
                left -= duration;
                seen += 1;
            }
            if left <= 0.0 {
                let complete = seen == readings[i].fixations();
                let part = Reading { complete, ..readings[i].until(seen) };
                return Some(Self { whole: &order[..whole], part });
            }
        }
        None
    }

    /// Probes of so many seconds, at most `most` of them: each begins with the reading after the one
    /// that the last was cut in, so that they share nothing.
    pub(crate) fn disjoint(
        order: &'a [usize],
        readings: &'a [Reading],
        seconds: f64,
        most: usize,
    ) -> impl Iterator<Item = Self> {
        let mut rest = order;
        let next = move || {
            let beginning = Self::of(rest, readings, seconds)?;
            rest = &rest[beginning.whole.len() + 1..];
            Some(beginning)
        };
        std::iter::from_fn(next).take(most)
    }
}

#[cfg(test)]
mod tests {
    use gazeprint::corpus::Limits;
    use gazeprint::saccade::readings;
    use gazeprint::simulate::SimulationParams;

    use super::*;

    #[test]
    fn beginnings_have_the_time_that_was_asked_for_and_share_nothing() {
        let params = SimulationParams { readers: 1, texts: 30, ..Default::default() };
        let corpus = params.build().expect("sound parameters").run();
        let (readings, _) = readings(&corpus, Limits::default());
        let order: Vec<usize> = (0..readings.len()).rev().collect();
        let millis = |b: &Beginning<'_>| -> f64 {
            let whole: f64 = b.whole.iter().flat_map(|&i| readings[i].durations()).sum();
            whole + b.part.durations().sum::<f64>()
        };
        let found: Vec<Beginning<'_>> =
            Beginning::disjoint(&order, &readings, 5.0, usize::MAX).collect();
        assert!(found.len() > 3, "{}", found.len());
        let mut taken = 0;
        for beginning in &found {
            // No fixation that counts is longer than 1.5 s.
            assert!((5000.0..6500.0).contains(&millis(beginning)), "{}", millis(beginning));
            assert_eq!(beginning.whole, &order[taken..taken + beginning.whole.len()]);
            taken += beginning.whole.len() + 1;
        }
        assert_eq!(Beginning::disjoint(&order, &readings, 5.0, 2).count(), 2);
        assert!(Beginning::of(&order, &readings, 1e6).is_none());
    }
}
