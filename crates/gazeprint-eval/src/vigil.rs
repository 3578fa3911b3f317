//! Watches in a study: how long until they decide, and until they notice that somebody else reads on.
//!
//! Every reader is watched over all test texts, one text after another: as who they are, as some
//! others (as if they were not enrolled themselves), and taken over halfway by another reader. Rules
//! are learned from the training texts, as a gallery does.

use std::sync::Arc;

use gazeprint::decision::{Decision, Rules, WatchParams, Watcher, increments};
use gazeprint::saccade::Reading;
use gazeprint::score::{Scorer, Tally};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::protocol::Split;

/// Readers that each reader is watched as, besides themselves.
const CLAIMS: usize = 8;

/// Watches in one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitVigils {
    /// By reader of the split.
    pub by_reader: Vec<ReaderVigils>,
}

/// Watches of what one reader reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReaderVigils {
    /// As who they are.
    pub genuine: Vigil,
    /// As others.
    pub impostor: Vec<Vigil>,
    /// Taken over by another; none where the reader had not been accepted until then.
    pub swap: Option<Swap>,
    /// How often they were rejected after they had been accepted, though nobody took their place.
    pub alarms: usize,
    /// Seconds that they were watched after they had been accepted.
    pub guarded_seconds: f64,
}

/// Another takes the place of a reader who had been accepted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Swap {
    /// Seconds from the swap to its discovery; none where it was not noticed.
    pub seconds: Option<f64>,
}

/// A watch up to its first decision.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Vigil {
    /// What was decided first; none where the texts did not suffice.
    pub accepted: Option<bool>,
    /// Seconds of reading until then, in fixations.
    pub seconds: f64,
}

/// A fixation: how long it was, and what it adds.
type WatchedStep = (f64, Tally);

fn seen(scorer: &dyn Scorer, readings: &[&Reading]) -> Vec<WatchedStep> {
    let of = |reading: &&Reading| {
        reading.durations().zip(increments(scorer, reading)).collect::<Vec<WatchedStep>>()
    };
    readings.iter().flat_map(of).collect()
}

impl SplitVigils {
    /// Watches the readers of a split.
    pub(crate) fn of(
        scorer: &dyn Scorer,
        rules: &Arc<Rules>,
        split: &Split,
        readings: &[Reading],
        params: WatchParams,
    ) -> Self {
        let tests: Vec<Vec<&Reading>> = split
            .test_by_reader()
            .iter()
            .map(|test| test.iter().map(|&i| &readings[i]).collect())
            .collect();
        let n = tests.len();
        let watch = |reader: usize| {
            let watching = Watching { scorer, rules, params, n, reader };
            let own = seen(scorer, &tests[reader]);
            let other = (reader + 1) % n;
            let taken_over = seen(scorer, &tests[other][tests[other].len() / 2..]);
            // As others, evenly spaced: every reader is claimed about as often.
            let step = (n - 1).div_ceil(CLAIMS).max(1);
            let claimed = (1..n).step_by(step).map(|distance| (reader + distance) % n);
            ReaderVigils {
                impostor: claimed.map(|claimed| watching.as_another(claimed, &own)).collect(),
                swap: watching.taken_over(&own[..own.len() / 2], &taken_over),
                ..watching.as_themselves(&own)
            }
        };
        Self { by_reader: (0..n).into_par_iter().map(watch).collect() }
    }
}

/// The watches of one reader's reading.
struct Watching<'a> {
    scorer: &'a dyn Scorer,
    rules: &'a Arc<Rules>,
    params: WatchParams,
    n: usize,
    reader: usize,
}

impl Watching<'_> {
    fn watcher(&self) -> Watcher {
        Watcher::new(Arc::clone(self.rules), self.params)
    }

    fn as_themselves(&self, own: &[WatchedStep]) -> ReaderVigils {
        let mut watcher = self.watcher();
        let (mut first, mut alarms, mut guarded_seconds) = (None, 0, 0.0);
        let mut before = Decision::GoOn;
        for (duration, added) in own {
            let step = watcher.next(*duration, added.clone(), |all| {
                self.rules.claim_llr(self.scorer, all, self.reader, None)
            });
            if before == Decision::GoOn && step.decision != before {
                first = Some((step.decision == Decision::Accept, step.seconds));
            }
            if before == Decision::Accept {
                guarded_seconds += duration / 1000.0;
                alarms += usize::from(step.decision == Decision::Reject);
            }
            before = step.decision;
        }
        ReaderVigils {
            genuine: vigil(first, watcher.last().seconds),
            impostor: Vec::new(),
            swap: None,
            alarms,
            guarded_seconds,
        }
    }

    /// As somebody else, with a gallery that does not have the one who reads.
    fn as_another(&self, claimed: usize, own: &[WatchedStep]) -> Vigil {
        let mut watcher = self.watcher();
        for (duration, added) in own {
            let step = watcher.next(*duration, added.clone(), |all| {
                self.rules.claim_llr(self.scorer, all, claimed, Some(self.reader))
            });
            if step.decision != Decision::GoOn {
                let first = Some((step.decision == Decision::Accept, step.seconds));
                return vigil(first, step.seconds);
            }
        }
        vigil(None, watcher.last().seconds)
    }

    /// Another reader, who is not in the gallery, goes on; nothing where the first one was not accepted.
    fn taken_over(&self, own: &[WatchedStep], other: &[WatchedStep]) -> Option<Swap> {
        let stranger = (self.reader + 1) % self.n;
        let mut watcher = self.watcher();
        let mut next = |(duration, added): &WatchedStep| {
            watcher.next(*duration, added.clone(), |all| {
                self.rules.claim_llr(self.scorer, all, self.reader, Some(stranger))
            })
        };
        let before = own.iter().map(&mut next).last()?;
        if before.decision != Decision::Accept {
            return None;
        }
        let noticed = other.iter().map(next).find(|step| step.decision == Decision::Reject);
        Some(Swap { seconds: noticed.map(|step| step.seconds - before.seconds) })
    }
}

fn vigil(first: Option<(bool, f64)>, all: f64) -> Vigil {
    Vigil {
        accepted: first.map(|(accepted, _)| accepted),
        seconds: first.map_or(all, |(_, seconds)| seconds),
    }
}
