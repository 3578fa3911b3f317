//! Strangers in a report.

use serde::Serialize;

use super::Estimate;
use super::readers::Readers;
use crate::strangers::{
    GenuineTally, STRANGER_RATES, SizeStrangers, SplitStrangers, StrangerTally,
};
use crate::study::{MethodResult, SplitResult};

/// Strangers judged with one method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodStrangers {
    /// Its name.
    pub method: String,
    /// Readers who are enrolled, and strangers, in the split that has fewest.
    pub enrolled: usize,
    /// See there.
    pub strangers: usize,
    /// By size of the probes, then with all test sentences.
    pub by_size: Vec<StrangersOfSize>,
}

/// Probes of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrangersOfSize {
    /// Sentences a probe; none for all of a reader.
    pub sentences: Option<usize>,
    /// Probes of strangers, all splits together.
    pub probes: usize,
    /// Probes of enrolled readers, all splits together.
    pub genuine_probes: usize,
    /// Seconds spent in the fixations of one of these, on average.
    pub seconds: f64,
    /// By rate that was asked for.
    pub rates: Vec<StrangersAtRate>,
}

/// What came of a rate that was asked for. Intervals draw readers in both roles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrangersAtRate {
    /// The rate.
    pub rate: f64,
    /// Part of strangers' claims that were accepted.
    pub fmr: Estimate,
    /// Part of strangers' probes that were taken for somebody.
    pub fpir: Estimate,
    /// Part of readers' claims that were rejected.
    pub fnmr: Estimate,
    /// Part of readers' probes that were given the right name.
    pub named: Estimate,
    /// Part that were given another's.
    pub misnamed: Estimate,
    /// Part that were said to be likely theirs, without a name.
    pub likely: Estimate,
    /// Part that were said to be likely another's.
    pub likely_wrong: Estimate,
    /// Part of strangers' probes that were said to be likely somebody's, without a name.
    pub strangers_likely: Estimate,
}

/// Whose probes are counted.
#[derive(Clone, Copy)]
enum Role {
    Enrolled,
    Stranger,
}

/// Events and trials of a split, for how often each of its readers counts.
type Counted<'a> = &'a (dyn Fn(&SplitStrangers, &[f64]) -> [f64; 2] + Sync);

impl MethodStrangers {
    /// None unless strangers were judged in all splits.
    pub(super) fn of(result: &MethodResult, readers: &Readers) -> Option<Self> {
        let splits: Option<Vec<&SplitStrangers>> =
            result.splits.iter().map(|split| split.strangers.as_ref()).collect();
        let splits = splits.filter(|splits| !splits.is_empty())?;
        let fewest = |count: fn(&SplitStrangers) -> usize| splits.iter().map(|s| count(s)).min();
        let by_size = (0..splits[0].by_size.len()).map(|size| {
            let of = |split: &SplitStrangers| split.by_size[size].clone();
            let probes = splits.iter().flat_map(|split| of(split).strangers).map(|s| s.probes);
            let genuine: Vec<GenuineTally> =
                splits.iter().flat_map(|split| of(split).genuine).collect();
            let genuine_probes: usize = genuine.iter().map(|tally| tally.probes).sum();
            let seconds: f64 = genuine.iter().map(|tally| tally.seconds).sum();
            StrangersOfSize {
                sentences: splits[0].by_size[size].sentences,
                probes: probes.sum(),
                genuine_probes,
                seconds: seconds / genuine_probes.max(1) as f64,
                rates: (0..STRANGER_RATES.len())
                    .map(|rate| at_rate(&result.splits, readers, size, rate))
                    .collect(),
            }
        });
        Some(Self {
            method: result.method.clone(),
            enrolled: fewest(|s| s.enrolled.len()).unwrap_or(0),
            strangers: fewest(|s| s.strangers.len()).unwrap_or(0),
            by_size: by_size.collect(),
        })
    }
}

fn at_rate(splits: &[SplitResult], readers: &Readers, size: usize, rate: usize) -> StrangersAtRate {
    let estimate = |counted: Counted<'_>| {
        let part = |split: &SplitResult, weights: &[f64]| {
            let [events, trials] =
                split.strangers.as_ref().map_or([0.0; 2], |split| counted(split, weights));
            events / trials
        };
        let everybody = |split: &SplitResult| part(split, &vec![1.0; split.readers.len()]);
        let estimate = readers.estimate(splits, everybody, part);
        Estimate { ci95: estimate.ci95.map(|ci95| readers.with_nothing_seen(ci95)), ..estimate }
    };
    let part = |role: Role, counted: &(dyn Fn(&SizeStrangers, usize) -> [usize; 2] + Sync)| {
        estimate(&|split, weights| {
            let readers = match role {
                Role::Enrolled => &split.enrolled,
                Role::Stranger => &split.strangers,
            };
            readers.iter().enumerate().fold([0.0; 2], |[events, trials], (place, reader)| {
                let [event, trial] = counted(&split.by_size[size], place);
                let weight = weights[*reader];
                [events + weight * event as f64, trials + weight * trial as f64]
            })
        })
    };
    let genuine = |events: fn(&GenuineTally, usize) -> usize| {
        part(Role::Enrolled, &|size, place| {
            let tally = &size.genuine[place];
            [events(tally, rate), tally.probes]
        })
    };
    let strange = |events: fn(&StrangerTally, usize) -> usize| {
        part(Role::Stranger, &|size, place| {
            let tally = &size.strangers[place];
            [events(tally, rate), tally.probes]
        })
    };
    StrangersAtRate {
        rate: STRANGER_RATES[rate],
        fmr: estimate(&|split, weights| {
            let size: &SizeStrangers = &split.by_size[size];
            let mut sums = [0.0; 2];
            for (stranger, tally) in split.strangers.iter().zip(&size.strangers) {
                for (claimed, accepted) in split.enrolled.iter().zip(&tally.accepted) {
                    let weight = weights[*stranger] * weights[*claimed];
                    sums[0] += weight * accepted[rate] as f64;
                    sums[1] += weight * tally.probes as f64;
                }
            }
            sums
        }),
        fpir: strange(|tally, rate| tally.alarms[rate]),
        fnmr: genuine(|tally, rate| tally.rejected[rate]),
        named: genuine(|tally, rate| tally.named[rate]),
        misnamed: genuine(|tally, rate| tally.misnamed[rate]),
        likely: genuine(|tally, rate| tally.likely[rate]),
        likely_wrong: genuine(|tally, rate| tally.likely_wrong[rate]),
        strangers_likely: strange(|tally, rate| tally.likely[rate]),
    }
}
