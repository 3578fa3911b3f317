//! Strangers in a report.

use serde::Serialize;

use super::Estimate;
use super::readers::Readers;
use crate::strangers::{STRANGER_RATES, SizeStrangers, SplitStrangers};
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
            StrangersOfSize {
                sentences: splits[0].by_size[size].sentences,
                probes: probes.sum(),
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
        fpir: estimate(&|split, weights| {
            let tallies = split.strangers.iter().zip(&split.by_size[size].strangers);
            tallies.fold([0.0; 2], |[events, trials], (reader, tally)| {
                let weight = weights[*reader];
                [events + weight * tally.alarms[rate] as f64, trials + weight * tally.probes as f64]
            })
        }),
        fnmr: estimate(&|split, weights| {
            let tallies = split.enrolled.iter().zip(&split.by_size[size].genuine);
            tallies.fold([0.0; 2], |[events, trials], (reader, tally)| {
                let weight = weights[*reader];
                [
                    events + weight * tally.rejected[rate] as f64,
                    trials + weight * tally.probes as f64,
                ]
            })
        }),
    }
}
