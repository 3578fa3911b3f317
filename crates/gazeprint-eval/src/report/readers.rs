//! What if others had been recorded? Intervals over the readers of a study.

use gazeprint::decision::supported;
use gazeprint::random::{Stream, stream};

use super::{ErrorsAtThreshold, Estimate};
use crate::measures::{Bootstrap, Claims, Draws, Rate};
use crate::study::{DividedCorpus, ProbeResult, ReaderTally, SplitResult};

const SAMPLES: usize = 2000;

/// The readers of a study, drawn anew many times. What is drawn is who produces probes; the gallery
/// they are compared with stays.
pub(super) struct Readers {
    draws: Draws,
    /// By split and place in it: the reader's place among those who take part in any.
    places: Vec<Vec<usize>>,
}

impl Readers {
    pub(super) fn of(divided: &DividedCorpus) -> Self {
        let mut taking_part = vec![None; divided.corpus.readers().len()];
        let mut count = 0;
        let mut place = |reader: usize| {
            *taking_part[reader].get_or_insert_with(|| {
                count += 1;
                count - 1
            })
        };
        let places = divided
            .splits
            .iter()
            .map(|split| split.readers.iter().map(|&r| place(r)).collect())
            .collect();
        let stream = Stream { seed: divided.plan.protocol.seed, index: stream::BOOTSTRAP };
        Self { draws: Bootstrap { samples: SAMPLES, stream }.draw(count), places }
    }

    /// The interval of the mean over splits of a statistic that is given the number of a split and
    /// how often each of its readers counts.
    fn interval(&self, statistic: impl Fn(usize, &[f64]) -> f64 + Sync) -> Option<[f64; 2]> {
        self.draws.interval(|drawn| {
            let (mut sum, mut count) = (0.0, 0.0);
            for (number, places) in self.places.iter().enumerate() {
                let weights: Vec<f64> = places.iter().map(|&place| drawn[place]).collect();
                let value = statistic(number, &weights);
                // A small split may have none of those drawn.
                if !value.is_nan() {
                    sum += value;
                    count += 1.0;
                }
            }
            sum / count
        })
    }

    /// A statistic over splits with its interval.
    pub(super) fn estimate(
        &self,
        splits: &[SplitResult],
        value: impl Fn(&SplitResult) -> f64,
        statistic: impl Fn(&SplitResult, &[f64]) -> f64 + Sync,
    ) -> Estimate {
        let ci95 = self.interval(|number, weights| statistic(&splits[number], weights));
        Estimate { ci95, ..Estimate::over(splits, value) }
    }

    /// The same of a statistic that is given the number of the split, with everybody counted once
    /// where nobody is drawn.
    pub(super) fn estimate_by_number(
        &self,
        splits: &[SplitResult],
        statistic: impl Fn(usize, &[f64]) -> f64 + Sync,
    ) -> Estimate {
        let numbers: Vec<usize> = (0..splits.len()).collect();
        let once = |&number: &usize| statistic(number, &vec![1.0; splits[number].readers.len()]);
        Estimate { ci95: self.interval(&statistic), ..Estimate::over(&numbers, once) }
    }

    /// A rate: events by trials, both summed over readers.
    pub(super) fn rate(
        &self,
        splits: &[SplitResult],
        result: impl Fn(&SplitResult) -> &ProbeResult + Sync,
        events: impl Fn(&ReaderTally) -> f64 + Sync,
        trials: impl Fn(&ReaderTally) -> usize + Sync,
    ) -> Estimate {
        self.rate_of(splits, |s| result(s).by_reader.as_slice(), events, trials)
    }

    /// The same of tallies of any kind, by reader.
    pub(super) fn rate_of<T: Sync>(
        &self,
        splits: &[SplitResult],
        tallies: impl Fn(&SplitResult) -> &[T] + Sync,
        events: impl Fn(&T) -> f64 + Sync,
        trials: impl Fn(&T) -> usize + Sync,
    ) -> Estimate {
        let weighted = |split: &SplitResult, weights: &mut dyn Iterator<Item = f64>| {
            let (mut sum, mut total) = (0.0, 0.0);
            for (tally, weight) in tallies(split).iter().zip(weights) {
                sum += weight * events(tally);
                total += weight * trials(tally) as f64;
            }
            sum / total
        };
        let estimate = self.estimate(
            splits,
            |s| weighted(s, &mut std::iter::repeat(1.0)),
            |s, weights| weighted(s, &mut weights.iter().copied()),
        );
        Estimate { ci95: estimate.ci95.map(|ci95| self.with_nothing_seen(ci95)), ..estimate }
    }

    /// What can be said where nothing was seen, by as many readers as the smallest split has.
    pub(super) fn with_nothing_seen(&self, ci95: [f64; 2]) -> [f64; 2] {
        with_nothing_seen(ci95, self.places.iter().map(Vec::len).min().unwrap_or(0))
    }

    /// Part of the probes identified.
    pub(super) fn accuracy(
        &self,
        splits: &[SplitResult],
        result: impl Fn(&SplitResult) -> &ProbeResult + Sync,
    ) -> Estimate {
        self.rate(splits, result, |t| t.right, |t| t.probes)
    }

    /// Accuracy of one method less that of another, with its interval.
    pub(super) fn difference(
        &self,
        [first, second]: [&[SplitResult]; 2],
        result: impl Fn(&SplitResult) -> &ProbeResult + Sync,
    ) -> Option<(f64, [f64; 2])> {
        let accuracy = |split: &SplitResult, weights: &[f64]| {
            let (mut right, mut probes) = (0.0, 0.0);
            for (tally, weight) in result(split).by_reader.iter().zip(weights) {
                right += weight * tally.right;
                probes += weight * tally.probes as f64;
            }
            right / probes
        };
        let ci95 = self.interval(|number, weights| {
            accuracy(&first[number], weights) - accuracy(&second[number], weights)
        })?;
        let mean = |splits: &[SplitResult]| Estimate::over(splits, |s| result(s).accuracy).mean;
        Some((mean(first) - mean(second), ci95))
    }

    /// Errors at the threshold for rate number `i`.
    pub(super) fn operating_point(
        &self,
        splits: &[SplitResult],
        i: usize,
        fmr: f64,
        result: impl Fn(&SplitResult) -> &ProbeResult + Sync + Copy,
    ) -> ErrorsAtThreshold {
        let fewest = |count: &dyn Fn(&SplitResult) -> usize| splits.iter().map(count).min();
        let impostor_comparisons = [
            fewest(&|s| result(s).threshold_comparisons).unwrap_or(0),
            fewest(&|s| result(s).by_reader.iter().map(|t| t.false_claims).sum()).unwrap_or(0),
        ];
        ErrorsAtThreshold {
            fmr,
            fmr_observed: self.rate(splits, result, |t| t.accepted[i] as f64, |t| t.false_claims),
            fmr_strangers: self.rate(
                splits,
                result,
                |t| t.accepted_as_stranger[i] as f64,
                |t| t.false_claims,
            ),
            fnmr: self.rate(splits, result, |t| t.rejected[i] as f64, |t| t.probes),
            supported: impostor_comparisons.iter().all(|&n| supported(n, fmr)),
            impostor_comparisons,
        }
    }

    /// The equal error rate.
    pub(super) fn equal_error_rate(
        &self,
        splits: &[SplitResult],
        result: impl Fn(&SplitResult) -> &ProbeResult + Sync,
    ) -> Estimate {
        let estimate = self.estimate(
            splits,
            |s| result(s).eer,
            |s, weights| result(s).errors.equal_error_rate(weights),
        );
        Estimate { ci95: estimate.ci95.map(|ci95| self.with_nothing_seen(ci95)), ..estimate }
    }

    /// The cost of the calibrated ratios; none unless all splits have one.
    pub(super) fn cllr(
        &self,
        splits: &[SplitResult],
        result: impl Fn(&SplitResult) -> &ProbeResult + Sync,
    ) -> Option<Estimate> {
        let known = splits.iter().all(|s| result(s).cllr.is_some());
        known.then(|| {
            self.estimate(
                splits,
                |s| result(s).cllr.map_or(f64::NAN, |c| c[0]),
                |s, weights| {
                    let (mut costs, mut claims) = ([0.0; 2], [0.0; 2]);
                    for (tally, weight) in result(s).by_reader.iter().zip(weights) {
                        let counts = [tally.probes as f64, tally.false_claims as f64];
                        for side in 0..2 {
                            costs[side] += weight * tally.costs[side];
                            claims[side] += weight * counts[side];
                        }
                    }
                    0.5 * (costs[0] / claims[0] + costs[1] / claims[1])
                },
            )
        })
    }

    /// The probability that an impostor outscores the genuine reader, with all test sentences.
    pub(super) fn area(&self, splits: &[SplitResult]) -> Estimate {
        let outscored: Vec<Option<Outscored>> =
            splits.iter().map(|s| s.curves.claims.last().and_then(Outscored::of)).collect();
        let area = |number: usize, weights: &[f64]| {
            outscored[number].as_ref().map_or(f64::NAN, |o| o.area(weights))
        };
        Estimate { ci95: self.interval(area), ..Estimate::over(splits, |s| s.area) }
    }
}

/// Where nothing was seen of an event, or nothing but it, drawing readers anew shows the same; what can
/// then be said is what so many readers allow, each counted once since what is theirs resembles
/// itself.
pub(super) fn with_nothing_seen(ci95: [f64; 2], readers: usize) -> [f64; 2] {
    let [low, high] = Rate { errors: 0, trials: readers }.interval();
    match ci95 {
        [0.0, 0.0] => [low, high],
        [1.0, 1.0] => [1.0 - high, 1.0 - low],
        ci95 => ci95,
    }
}

/// By genuine claim and reader with false ones: how many of these outscore it, ties half.
struct Outscored {
    readers: usize,
    counts: Vec<f64>,
}

impl Outscored {
    /// None unless each reader has one true claim, and false ones of all others.
    fn of(claims: &Claims) -> Option<Self> {
        let readers = claims.genuine.len();
        let others = readers.checked_sub(1).filter(|n| *n > 0)?;
        if claims.impostor.len() != readers * others {
            return None;
        }
        let mut counts = vec![0.0; readers * readers];
        for (prober, impostor) in claims.impostor.chunks(others).enumerate() {
            let mut impostor = impostor.to_vec();
            impostor.sort_by(f64::total_cmp);
            for (reader, genuine) in claims.genuine.iter().enumerate() {
                let below = impostor.partition_point(|s| s < genuine);
                let not_above = impostor.partition_point(|s| s <= genuine);
                counts[reader * readers + prober] =
                    (others - not_above) as f64 + 0.5 * (not_above - below) as f64;
            }
        }
        Some(Self { readers, counts })
    }

    fn area(&self, weights: &[f64]) -> f64 {
        let total: f64 = weights.iter().sum();
        let sum: f64 = self
            .counts
            .chunks(self.readers)
            .zip(weights)
            .map(|(row, w)| w * row.iter().zip(weights).map(|(c, v)| c * v).sum::<f64>())
            .sum();
        sum / (total * total * (self.readers - 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_seen_is_not_certain() {
        let bootstrap = Bootstrap { samples: 10, stream: Stream { seed: 1, index: 1 } };
        let places = vec![(0..40).collect(), (0..30).collect()];
        let readers = Readers { draws: bootstrap.draw(40), places };
        let [low, high] = readers.with_nothing_seen([0.0, 0.0]);
        assert_eq!(low, 0.0);
        assert!((high - (1.0 - 0.025_f64.powf(1.0 / 30.0))).abs() < 1e-9, "{high}");
        assert_eq!(readers.with_nothing_seen([1.0, 1.0]), [1.0 - high, 1.0]);
        assert_eq!(readers.with_nothing_seen([0.0, 0.1]), [0.0, 0.1]);
    }

    #[test]
    fn area_of_everybody_is_the_measured_one() {
        let score = |i: usize| (i as f64 * 0.754_877_666).fract();
        let claims = Claims {
            genuine: (0..9).map(|i| 0.4 + score(i)).collect(),
            impostor: (0..72).map(|i| score(7 * i)).collect(),
        };
        let area = Outscored::of(&claims).unwrap().area(&[1.0; 9]);
        assert!((area - claims.area()).abs() < 1e-12, "{area} {}", claims.area());
        assert!(Outscored::of(&Claims::default()).is_none());
    }
}
