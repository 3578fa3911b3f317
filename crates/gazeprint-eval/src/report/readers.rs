//! What if others had been recorded? Intervals over the readers of a study.

use gazeprint::random::{Stream, stream};

use super::{Estimate, OperatingReport};
use crate::measures::{Bootstrap, Rate, Tally, supported};
use crate::study::{ProbeResult, ReaderTally, SplitResult};

const SAMPLES: usize = 2000;
/// Thresholds at which the curve of errors is known when readers are drawn anew.
const MOST_THRESHOLDS: usize = 256;

/// The readers of a study, to be drawn anew.
#[derive(Debug, Clone, Copy)]
pub(super) struct Readers {
    /// How many there are in the corpus.
    pub(super) number: usize,
    /// Seed of the study.
    pub(super) seed: u64,
}

impl Readers {
    pub(super) fn bootstrap(self) -> Bootstrap {
        let stream = Stream { seed: self.seed, index: stream::BOOTSTRAP };
        Bootstrap { samples: SAMPLES, stream }
    }

    /// What each reader's probes came to over all splits; readers without any are left out.
    fn summed(
        self,
        splits: &[SplitResult],
        result: impl Fn(&SplitResult) -> &ProbeResult,
    ) -> Vec<ReaderTally> {
        let mut tallies = vec![ReaderTally::default(); self.number];
        for split in splits {
            for (&reader, tally) in split.readers.iter().zip(&result(split).by_reader) {
                tallies[reader] += *tally;
            }
        }
        tallies.retain(|tally| tally.probes > 0);
        tallies
    }

    pub(super) fn tallies(
        self,
        splits: &[SplitResult],
        result: impl Fn(&SplitResult) -> &ProbeResult,
    ) -> Vec<Tally> {
        let summed = self.summed(splits, result);
        summed.iter().map(|t| Tally { right: t.right, probes: t.probes }).collect()
    }

    /// Accuracy with an interval.
    pub(super) fn accuracy(
        self,
        splits: &[SplitResult],
        result: impl Fn(&SplitResult) -> &ProbeResult + Copy,
    ) -> Estimate {
        let tallies = self.tallies(splits, result);
        let wrong = |[low, high]: [f64; 2]| [1.0 - high, 1.0 - low];
        let ci95 = self.bootstrap().accuracy(&tallies);
        let ci95 = ci95.map(|ci95| wrong(with_nothing_seen(wrong(ci95), tallies.len())));
        Estimate { ci95, ..Estimate::over(splits, |s| result(s).accuracy) }
    }

    /// Errors at the threshold for rate number `i`.
    pub(super) fn operating_point(
        self,
        splits: &[SplitResult],
        i: usize,
        fmr: f64,
        result: impl Fn(&SplitResult) -> &ProbeResult + Copy,
    ) -> OperatingReport {
        let summed = self.summed(splits, result);
        let rate = |errors: &dyn Fn(&ReaderTally) -> usize,
                    trials: &dyn Fn(&ReaderTally) -> usize| {
            let of = |tallies: &mut dyn Iterator<Item = &ReaderTally>| {
                let (mut wrong, mut total) = (0, 0);
                for tally in tallies {
                    wrong += errors(tally);
                    total += trials(tally);
                }
                wrong as f64 / total as f64
            };
            let ci95 = self
                .bootstrap()
                .interval(summed.len(), |drawn| of(&mut drawn.iter().map(|&r| &summed[r])));
            let ci95 = ci95.map(|ci95| with_nothing_seen(ci95, summed.len()));
            Estimate { ci95, ..Estimate::over(splits, |s| of(&mut result(s).by_reader.iter())) }
        };
        let fewest = |count: &dyn Fn(&SplitResult) -> usize| splits.iter().map(count).min();
        let impostor_comparisons = [
            fewest(&|s| s.threshold_comparisons).unwrap_or(0),
            fewest(&|s| result(s).by_reader.iter().map(|t| t.false_claims).sum()).unwrap_or(0),
        ];
        OperatingReport {
            fmr,
            fmr_observed: rate(&|t| t.accepted[i], &|t| t.false_claims),
            fnmr: rate(&|t| t.rejected[i], &|t| t.probes),
            supported: impostor_comparisons.iter().all(|&n| supported(n, fmr)),
            impostor_comparisons,
        }
    }

    /// The interval of the equal error rate with all test sentences, mean over splits. A reader
    /// that is drawn brings the probe, compared with everybody.
    pub(super) fn equal_error_rate(self, splits: &[SplitResult]) -> Option<[f64; 2]> {
        let curves: Option<Vec<ReaderCurves>> =
            splits.iter().map(|split| ReaderCurves::of(split, self.number)).collect();
        let curves = curves?;
        let ci95 = self.bootstrap().interval(self.number, |drawn| {
            let rates = curves.iter().map(|curve| curve.equal_error_rate(drawn));
            rates.sum::<f64>() / curves.len() as f64
        })?;
        Some(with_nothing_seen(ci95, self.number))
    }
}

/// Where no reader had an error, drawing them anew shows none either; what can then be said is
/// what so many readers without one allow.
fn with_nothing_seen(ci95: [f64; 2], readers: usize) -> [f64; 2] {
    if ci95 == [0.0, 0.0] { Rate { errors: 0, trials: readers }.interval() } else { ci95 }
}

/// The errors of each reader of a split at some thresholds, with all test sentences.
struct ReaderCurves {
    /// By reader of the corpus: place in the split.
    place: Vec<Option<usize>>,
    thresholds: usize,
    /// By place, then threshold: false claims accepted with this reader's probe, and whether the
    /// true one is rejected.
    errors: Vec<(u32, u32)>,
}

impl ReaderCurves {
    /// None if the split has no claims of one probe a reader, or fewer than two readers.
    fn of(split: &SplitResult, number: usize) -> Option<Self> {
        let claims = split.curves.claims.last()?;
        let readers = split.readers.len();
        let others = readers.checked_sub(1).filter(|n| *n > 0)?;
        if claims.genuine.len() != readers || claims.impostor.len() != readers * others {
            return None;
        }
        let mut genuine = claims.genuine.clone();
        genuine.sort_by(f64::total_cmp);
        let n = MOST_THRESHOLDS.min(readers);
        // The highest comes last: at infinity everybody is rejected.
        let mut thresholds: Vec<f64> = (0..n).map(|i| genuine[i * readers / n]).collect();
        thresholds.push(f64::INFINITY);
        let mut errors = Vec::with_capacity(readers * thresholds.len());
        for (reader, impostors) in claims.impostor.chunks(others).enumerate() {
            let mut impostors = impostors.to_vec();
            impostors.sort_by(f64::total_cmp);
            for t in &thresholds {
                let accepted = impostors.len() - impostors.partition_point(|s| s < t);
                errors.push((accepted as u32, u32::from(claims.genuine[reader] < *t)));
            }
        }
        let mut place = vec![None; number];
        split.readers.iter().enumerate().for_each(|(i, &r)| place[r] = Some(i));
        Some(Self { place, thresholds: thresholds.len(), errors })
    }

    /// Where false accepts and false rejects of these readers meet, between two thresholds.
    fn equal_error_rate(&self, drawn: &[usize]) -> f64 {
        let readers = self.place.iter().flatten().count();
        let rates = |t: usize| {
            let (mut accepts, mut rejects, mut n) = (0u64, 0u64, 0u64);
            for place in drawn.iter().filter_map(|&r| self.place[r]) {
                let (a, r) = self.errors[place * self.thresholds + t];
                accepts += u64::from(a);
                rejects += u64::from(r);
                n += 1;
            }
            let n = n as f64;
            (accepts as f64 / (n * (readers - 1) as f64), rejects as f64 / n)
        };
        // The first threshold at which no more are accepted than rejected; at infinity it is so.
        let (mut low, mut high) = (0, self.thresholds - 1);
        while low < high {
            let middle = (low + high) / 2;
            let (accepts, rejects) = rates(middle);
            if accepts > rejects {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // Beyond the threshold before, which is a true claim's score, rejects rise at once and
        // accepts fall on the way: the diagonal is met on whichever of both comes first.
        let rejects = rates(low).1;
        if low == 0 { rejects } else { rejects.min(rates(low - 1).0) }
    }
}

#[cfg(test)]
mod tests {
    use gazeprint::method::FitReport;

    use super::*;
    use crate::curves::Curves;
    use crate::measures::Claims;

    /// A split of one probe a reader with these claims.
    fn split(claims: Claims) -> SplitResult {
        let all = ProbeResult {
            sentences: None,
            probes: claims.genuine.len(),
            shorter: 0,
            accuracy: f64::NAN,
            eer: claims.equal_error_rate(),
            cllr: None,
            by_reader: Vec::new(),
        };
        SplitResult {
            readers: (0..claims.genuine.len()).collect(),
            all,
            area: f64::NAN,
            by_sentences: Vec::new(),
            thresholds: Vec::new(),
            threshold_comparisons: 0,
            curves: Curves {
                by_fraction: Vec::new(),
                by_readers: Vec::new(),
                by_seconds: Vec::new(),
                cmc: Vec::new(),
                claims: vec![claims],
            },
            report: FitReport::default(),
            score_seconds: 0.0,
            clamped: 0,
        }
    }

    /// Claims of `n` readers that overlap more or less; no two scores are the same.
    fn claims(n: usize, gap: f64) -> Claims {
        let score = |i: usize| (i as f64 * 0.754_877_666).fract();
        Claims {
            genuine: (0..n).map(|i| gap + score(i)).collect(),
            impostor: (0..n * (n - 1)).map(|i| score(7 * i + n)).collect(),
        }
    }

    #[test]
    fn the_rate_of_all_readers_is_the_measured_one() {
        for (n, gap) in [(2, 0.0), (7, 0.3), (40, 0.6), (200, 0.8), (50, -0.2), (30, 1.5)] {
            let split = split(claims(n, gap));
            let curves = ReaderCurves::of(&split, n).unwrap();
            let everyone: Vec<usize> = (0..n).collect();
            let rate = curves.equal_error_rate(&everyone);
            assert!((rate - split.all.eer).abs() < 1e-12, "{n} {gap}: {rate} {}", split.all.eer);
        }
    }

    #[test]
    fn an_accuracy_of_one_is_not_certain() {
        let mut split = split(claims(30, 1.5));
        let tally = ReaderTally { right: 1.0, probes: 1, ..Default::default() };
        split.all.by_reader = vec![tally; 30];
        split.all.accuracy = 1.0;
        let readers = Readers { number: 30, seed: 1 };
        let [low, high] = readers.accuracy(&[split], |s| &s.all).ci95.unwrap();
        assert!((low - 0.025_f64.powf(1.0 / 30.0)).abs() < 1e-9 && high == 1.0, "{low} {high}");
    }

    #[test]
    fn where_no_error_was_seen_the_number_of_readers_speaks() {
        let readers = Readers { number: 30, seed: 1 };
        let [low, high] = readers.equal_error_rate(&[split(claims(30, 1.5))]).unwrap();
        assert_eq!(low, 0.0);
        assert!((high - (1.0 - 0.025_f64.powf(1.0 / 30.0))).abs() < 1e-9, "{high}");
        let [low, high] = readers.equal_error_rate(&[split(claims(30, 0.6))]).unwrap();
        let rate = split(claims(30, 0.6)).all.eer;
        assert!(low < rate && rate < high && high - low < 0.4, "{low} {rate} {high}");
    }
}
