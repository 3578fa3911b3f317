//! Watches in a report.

use serde::Serialize;

use super::Estimate;
use super::readers::Readers;
use crate::study::{MethodResult, SplitResult};
use crate::vigil::{ReaderVigils, Swap, Vigil};
use gazeprint::decision::WatchParams;

/// Watches with one method, all splits together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodWatches {
    /// Its name.
    pub method: String,
    /// Wanted rate of false accepts.
    pub fmr: f64,
    /// Wanted rate of false rejects.
    pub fnmr: f64,
    /// Fixations that decisions are tested on again.
    pub window: usize,
    /// Readers watched as themselves.
    pub genuine: FirstDecisions,
    /// Readers watched as others, not enrolled themselves.
    pub impostor: FirstDecisions,
    /// Readers whose place another takes halfway, after they were accepted.
    pub swaps: NoticedSwaps,
    /// Rejections of accepted readers whose place nobody took, by hour of reading.
    pub false_alarms_per_hour: Option<f64>,
}

/// Watches up to the first decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FirstDecisions {
    /// How many.
    pub watches: usize,
    /// Part accepted.
    pub accepted: Estimate,
    /// Part rejected.
    pub rejected: Estimate,
    /// Part undecided when all was read.
    pub undecided: Estimate,
    /// Seconds of reading until the decision; none where nothing was decided.
    pub seconds: Option<SecondsTaken>,
}

/// Swaps of persons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoticedSwaps {
    /// How many.
    pub swaps: usize,
    /// Part noticed before all was read; none without swaps.
    pub noticed: Option<Estimate>,
    /// Seconds of reading from the swap to then; none where nothing was noticed.
    pub seconds: Option<SecondsTaken>,
}

/// How long something took that not always came to an end: all that there was to read may have been
/// too little.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SecondsTaken {
    /// On average, where it came to an end: too low where that was not always.
    pub mean: f64,
    /// In half of all cases, at most; none where fewer came to an end.
    pub median: Option<f64>,
    /// In nine of ten, at most; none where fewer came to an end.
    pub ninth_decile: Option<f64>,
}

impl SecondsTaken {
    /// From seconds of those that came to an end, and the number of all.
    fn of(mut seconds: Vec<f64>, all: usize) -> Option<Self> {
        if seconds.is_empty() {
            return None;
        }
        seconds.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let place = (part * all as f64).ceil() as usize;
            seconds.get(place.max(1) - 1).copied()
        };
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        Some(Self { mean, median: at(0.5), ninth_decile: at(0.9) })
    }
}

/// The readers of all splits, watched.
struct Watched<'a> {
    splits: &'a [SplitResult],
    readers: &'a Readers,
}

/// Those of one split.
fn by_reader(split: &SplitResult) -> &[ReaderVigils] {
    split.vigils.as_ref().map_or(&[], |vigils| vigils.by_reader.as_slice())
}

impl Watched<'_> {
    /// A part of things that happen to readers.
    fn part<T>(
        &self,
        all: impl Fn(&ReaderVigils) -> &[T] + Sync,
        of: impl Fn(&T) -> bool + Sync,
    ) -> Estimate {
        let events = |reader: &ReaderVigils| all(reader).iter().filter(|t| of(t)).count() as f64;
        self.readers.rate_of(self.splits, by_reader, events, |reader| all(reader).len())
    }

    fn everybody(&self) -> impl Iterator<Item = &ReaderVigils> + Clone {
        self.splits.iter().flat_map(by_reader)
    }

    fn vigils(&self, all: impl Fn(&ReaderVigils) -> &[Vigil] + Sync + Copy) -> FirstDecisions {
        let vigils: Vec<&Vigil> = self.everybody().flat_map(all).collect();
        let decided = vigils.iter().filter(|v| v.accepted.is_some()).map(|v| v.seconds);
        let part = |accepted: Option<bool>| self.part(all, move |v| v.accepted == accepted);
        FirstDecisions {
            watches: vigils.len(),
            accepted: part(Some(true)),
            rejected: part(Some(false)),
            undecided: part(None),
            seconds: SecondsTaken::of(decided.collect(), vigils.len()),
        }
    }

    fn swaps(&self) -> NoticedSwaps {
        let swaps: Vec<&Swap> = self.everybody().filter_map(|v| v.swap.as_ref()).collect();
        let noticed = self.part(|v| v.swap.as_slice(), |swap| swap.seconds.is_some());
        let seconds = swaps.iter().filter_map(|swap| swap.seconds).collect();
        NoticedSwaps {
            swaps: swaps.len(),
            noticed: (!swaps.is_empty()).then_some(noticed),
            seconds: SecondsTaken::of(seconds, swaps.len()),
        }
    }
}

impl MethodWatches {
    /// None unless readers were watched in all splits.
    pub(super) fn of(
        result: &MethodResult,
        params: WatchParams,
        readers: &Readers,
    ) -> Option<Self> {
        if result.splits.iter().any(|split| split.vigils.is_none()) {
            return None;
        }
        let watched = Watched { splits: &result.splits, readers };
        let hours = watched.everybody().map(|v| v.guarded_seconds).sum::<f64>() / 3600.0;
        let alarms: usize = watched.everybody().map(|v| v.alarms).sum();
        Some(Self {
            method: result.method.clone(),
            fmr: params.false_accepts,
            fnmr: params.false_rejects,
            window: params.window,
            genuine: watched.vigils(|v| std::slice::from_ref(&v.genuine)),
            impostor: watched.vigils(|v| &v.impostor),
            swaps: watched.swaps(),
            false_alarms_per_hour: (hours > 0.0).then(|| alarms as f64 / hours),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SecondsTaken;

    #[test]
    fn what_never_came_to_an_end_counts_in_the_median() {
        let taken = |seconds: &[f64], all| SecondsTaken::of(seconds.to_vec(), all).unwrap();
        let all = taken(&[3.0, 1.0, 2.0, 4.0], 4);
        assert_eq!((all.mean, all.median, all.ninth_decile), (2.5, Some(2.0), Some(4.0)));
        let most = taken(&[3.0, 1.0, 2.0, 4.0], 6);
        assert_eq!((most.mean, most.median, most.ninth_decile), (2.5, Some(3.0), None));
        let few = taken(&[3.0, 1.0], 5);
        assert_eq!((few.mean, few.median, few.ninth_decile), (2.0, None, None));
        assert_eq!(SecondsTaken::of(Vec::new(), 5), None);
    }
}
