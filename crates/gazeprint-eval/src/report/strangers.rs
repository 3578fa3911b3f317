//! Strangers in a report.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Estimate;
use super::readers::{Readers, with_nothing_seen};
use crate::curves::SECONDS;
use crate::strangers::{GenuineTally, JudgedProbes, STRANGER_RATES, SplitStrangers, StrangerTally};
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
    /// By seconds of reading, those that half of the readers read in every split.
    pub by_seconds: Vec<StrangersAtSeconds>,
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

/// Probes of one length of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrangersAtSeconds {
    /// Seconds spent in the fixations of a probe.
    pub seconds: f64,
    /// Probes of strangers, all splits together.
    pub probes: usize,
    /// Probes of enrolled readers, all splits together.
    pub genuine_probes: usize,
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

impl MethodStrangers {
    /// None unless strangers were judged in all splits.
    pub(super) fn of(result: &MethodResult, readers: &Readers) -> Option<Self> {
        let splits: Option<Vec<&SplitStrangers>> =
            result.splits.iter().map(|split| split.strangers.as_ref()).collect();
        let splits = splits.filter(|splits| !splits.is_empty())?;
        let fewest = |count: fn(&SplitStrangers) -> usize| splits.iter().map(|s| count(s)).min();
        let judged = |of: &dyn Fn(&SplitStrangers) -> Option<&JudgedProbes>| {
            let probes: Option<Vec<&JudgedProbes>> = splits.iter().map(|split| of(split)).collect();
            Some(Judged { results: &result.splits, readers, splits: &splits, probes: probes? })
        };
        let by_size = (0..splits[0].by_size.len()).filter_map(|size| {
            let judged = judged(&|split| Some(&split.by_size.get(size)?.judged))?;
            let sentences = splits[0].by_size[size].sentences;
            Some(judged.of_size(sentences))
        });
        let by_seconds = SECONDS.into_iter().filter_map(|seconds| {
            let judged = judged(&|split| {
                let timed = split.by_seconds.iter().find(|timed| timed.seconds == seconds);
                timed.map(|timed| &timed.judged)
            })?;
            Some(judged.at_seconds(seconds))
        });
        Some(Self {
            method: result.method.clone(),
            enrolled: fewest(|s| s.enrolled.len()).unwrap_or(0),
            strangers: fewest(|s| s.strangers.len()).unwrap_or(0),
            by_size: by_size.collect(),
            by_seconds: by_seconds.collect(),
        })
    }
}

/// Whose probes are counted.
#[derive(Clone, Copy)]
enum Role {
    Enrolled,
    Stranger,
}

impl Role {
    /// Those who have it, by place in the split.
    fn places(self, split: &SplitStrangers) -> &[usize] {
        match self {
            Self::Enrolled => &split.enrolled,
            Self::Stranger => &split.strangers,
        }
    }
}

/// What trials of a stranger are.
#[derive(Clone, Copy)]
enum Among {
    /// Claims to be each of the enrolled.
    Each,
    /// Probes that are compared with all of them.
    All,
}

/// A stranger and an enrolled reader, by place in the split, and how often they were mixed up.
struct Meeting {
    stranger: usize,
    reader: usize,
    events: f64,
}

/// Probes of one length, in all splits.
struct Judged<'a> {
    results: &'a [SplitResult],
    readers: &'a Readers,
    splits: &'a [&'a SplitStrangers],
    /// By split.
    probes: Vec<&'a JudgedProbes>,
}

impl Judged<'_> {
    fn of_size(&self, sentences: Option<usize>) -> StrangersOfSize {
        let genuine = || self.probes.iter().flat_map(|probes| &probes.genuine);
        let seconds: f64 = genuine().map(|tally| tally.seconds).sum();
        let (probes, genuine_probes) = self.counts();
        StrangersOfSize {
            sentences,
            probes,
            genuine_probes,
            seconds: seconds / genuine_probes.max(1) as f64,
            rates: self.rates(),
        }
    }

    fn at_seconds(&self, seconds: f64) -> StrangersAtSeconds {
        let (probes, genuine_probes) = self.counts();
        StrangersAtSeconds { seconds, probes, genuine_probes, rates: self.rates() }
    }

    /// Probes of strangers and of enrolled readers, all splits together.
    fn counts(&self) -> (usize, usize) {
        let strange = self.probes.iter().flat_map(|probes| &probes.strangers).map(|t| t.probes);
        let genuine = self.probes.iter().flat_map(|probes| &probes.genuine).map(|t| t.probes);
        (strange.sum(), genuine.sum())
    }

    fn rates(&self) -> Vec<StrangersAtRate> {
        (0..STRANGER_RATES.len()).map(|rate| self.at_rate(rate)).collect()
    }

    fn at_rate(&self, rate: usize) -> StrangersAtRate {
        let genuine = |events: fn(&GenuineTally) -> &[usize; STRANGER_RATES.len()]| {
            self.part(Role::Enrolled, |probes| {
                let tallies = probes.genuine.iter();
                tallies.map(|tally| (events(tally)[rate], tally.probes)).collect()
            })
        };
        StrangersAtRate {
            rate: STRANGER_RATES[rate],
            fmr: self.pairs(Among::Each, |tally, place| tally.accepted[place][rate]),
            fpir: self.pairs(Among::All, |tally, place| tally.alarms[place][rate]),
            fnmr: genuine(|tally| &tally.rejected),
            named: genuine(|tally| &tally.named),
            misnamed: genuine(|tally| &tally.misnamed),
            likely: genuine(|tally| &tally.likely),
            likely_wrong: genuine(|tally| &tally.likely_wrong),
            strangers_likely: self.part(Role::Stranger, |probes| {
                let tallies = probes.strangers.iter();
                tallies.map(|tally| (tally.likely[rate], tally.probes)).collect()
            }),
        }
    }

    /// A part of the probes of those who have a role, given as events and trials by reader.
    fn part(&self, role: Role, counted: impl Fn(&JudgedProbes) -> Vec<(usize, usize)>) -> Estimate {
        let counts: Vec<Vec<(usize, usize)>> = self.probes.iter().map(|p| counted(p)).collect();
        self.estimate(role, |number, weights| {
            let places = role.places(self.splits[number]);
            let (mut events, mut trials) = (0.0, 0.0);
            for (place, (event, trial)) in places.iter().zip(&counts[number]) {
                events += weights[*place] * *event as f64;
                trials += weights[*place] * *trial as f64;
            }
            events / trials
        })
    }

    /// A part of what strangers met with the enrolled, who are drawn as well: what came of a reader
    /// counts as often as the stranger and the reader do.
    fn pairs(&self, among: Among, events: impl Fn(&StrangerTally, usize) -> usize) -> Estimate {
        // Few of all pairs met with anything.
        let met: Vec<Vec<Meeting>> = self
            .splits
            .iter()
            .zip(&self.probes)
            .map(|(split, probes)| {
                let strangers = split.strangers.iter().zip(&probes.strangers);
                let of = |(&stranger, tally): (&usize, &StrangerTally)| -> Vec<Meeting> {
                    let enrolled = split.enrolled.iter().enumerate();
                    let events = enrolled.map(|(place, &reader)| (reader, events(tally, place)));
                    let some = events.filter(|(_, events)| *events > 0);
                    some.map(|(reader, events)| Meeting { stranger, reader, events: events as f64 })
                        .collect()
                };
                strangers.flat_map(of).collect()
            })
            .collect();
        self.estimate(Role::Stranger, |number, weights| {
            let split = self.splits[number];
            let met = met[number].iter();
            let weight = |m: &Meeting| weights[m.stranger] * weights[m.reader] * m.events;
            // A sum of nothing would be -0.
            let events = met.map(weight).fold(0.0, |sum, events| sum + events);
            let strangers = split.strangers.iter().zip(&self.probes[number].strangers);
            let probes: f64 = strangers.map(|(&s, tally)| weights[s] * tally.probes as f64).sum();
            let readers: f64 = split.enrolled.iter().map(|&reader| weights[reader]).sum();
            match among {
                Among::Each => events / (probes * readers),
                // A gallery drawn anew has as many readers.
                Among::All => {
                    (events / (probes * (readers / split.enrolled.len() as f64))).min(1.0)
                }
            }
        })
    }

    /// A part over splits, with its interval over readers. Where nothing was seen, it is what as many
    /// people allow as had the role in any split.
    fn estimate(&self, role: Role, part: impl Fn(usize, &[f64]) -> f64 + Sync) -> Estimate {
        let people: BTreeSet<usize> = self
            .splits
            .iter()
            .zip(self.results)
            .flat_map(|(split, result)| {
                role.places(split).iter().map(|&place| result.readers[place])
            })
            .collect();
        let estimate = self.readers.estimate_by_number(self.results, part);
        let ci95 = estimate.ci95.map(|ci95| with_nothing_seen(ci95, people.len()));
        Estimate { ci95, ..estimate }
    }
}
