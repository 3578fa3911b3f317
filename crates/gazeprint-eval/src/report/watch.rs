//! Watches in a report.

use serde::Serialize;

use crate::study::MethodResult;
use crate::vigil::{SplitVigils, Vigil};
use crate::watch::WatchParams;

/// Watches with one method, all splits together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WatchReport {
    /// Its name.
    pub method: String,
    /// Wanted rate of false accepts.
    pub fmr: f64,
    /// Wanted rate of false rejects.
    pub fnmr: f64,
    /// Fixations that decisions are tested on again.
    pub window: usize,
    /// Readers watched as themselves.
    pub genuine: VigilsReport,
    /// Readers watched as others, not enrolled themselves.
    pub impostor: VigilsReport,
    /// Readers whose place another takes halfway, after they were accepted.
    pub swaps: SwapsReport,
    /// Rejections of accepted readers whose place nobody took, by hour of reading.
    pub false_alarms_per_hour: Option<f64>,
}

/// Watches up to the first decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VigilsReport {
    /// How many.
    pub watches: usize,
    /// Part accepted.
    pub accepted: f64,
    /// Part rejected.
    pub rejected: f64,
    /// Part undecided when all was read.
    pub undecided: f64,
    /// Seconds of reading until the decision, of those that were decided: those that would have taken
    /// longer than there was to read have no part in it.
    pub seconds: Option<SecondsTaken>,
}

/// Swaps of persons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SwapsReport {
    /// How many.
    pub swaps: usize,
    /// Part noticed before all was read; none without swaps.
    pub noticed: Option<f64>,
    /// Seconds of reading from the swap to then.
    pub seconds: Option<SecondsTaken>,
}

/// How long something took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SecondsTaken {
    /// On average.
    pub mean: f64,
    /// In half of the cases, at most.
    pub median: f64,
    /// In nine of ten, at most.
    pub ninth_decile: f64,
}

impl SecondsTaken {
    fn of(mut seconds: Vec<f64>) -> Option<Self> {
        seconds.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let place = (part * seconds.len() as f64).ceil() as usize;
            seconds.get(place.clamp(1, seconds.len().max(1)) - 1).copied()
        };
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        Some(Self { mean, median: at(0.5)?, ninth_decile: at(0.9)? })
    }
}

impl VigilsReport {
    fn of(vigils: &[Vigil]) -> Self {
        let part = |of: Option<bool>| {
            let these = vigils.iter().filter(|v| v.accepted == of).count();
            these as f64 / vigils.len() as f64
        };
        let decided = vigils.iter().filter(|v| v.accepted.is_some()).map(|v| v.seconds);
        Self {
            watches: vigils.len(),
            accepted: part(Some(true)),
            rejected: part(Some(false)),
            undecided: part(None),
            seconds: SecondsTaken::of(decided.collect()),
        }
    }
}

impl WatchReport {
    /// None unless readers were watched in all splits.
    pub(super) fn of(result: &MethodResult, params: WatchParams) -> Option<Self> {
        let watched: Option<Vec<&SplitVigils>> =
            result.splits.iter().map(|s| s.vigils.as_ref()).collect();
        let watched = watched?;
        let all = |of: fn(&SplitVigils) -> &Vec<Vigil>| {
            watched.iter().flat_map(|v| of(v)).copied().collect::<Vec<Vigil>>()
        };
        let swaps: Vec<Option<f64>> = watched.iter().flat_map(|v| v.swaps.clone()).collect();
        let noticed: Vec<f64> = swaps.iter().flatten().copied().collect();
        let hours = watched.iter().map(|v| v.guarded_seconds).sum::<f64>() / 3600.0;
        let alarms: usize = watched.iter().map(|v| v.alarms).sum();
        Some(Self {
            method: result.method.clone(),
            fmr: params.false_accepts,
            fnmr: params.false_rejects,
            window: params.window,
            genuine: VigilsReport::of(&all(|v| &v.genuine)),
            impostor: VigilsReport::of(&all(|v| &v.impostor)),
            swaps: SwapsReport {
                swaps: swaps.len(),
                noticed: (!swaps.is_empty()).then(|| noticed.len() as f64 / swaps.len() as f64),
                seconds: SecondsTaken::of(noticed),
            },
            false_alarms_per_hour: (hours > 0.0).then(|| alarms as f64 / hours),
        })
    }
}
