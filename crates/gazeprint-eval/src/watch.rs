//! Somebody is watched while reading: is it still the person who should be?
//!
//! After every fixation the calibrated log-likelihood ratio of the claim is held against the two
//! thresholds of Wald's sequential test. With wanted rates of false accepts `a` and of false rejects
//! `b`, a claim is accepted at `ln((1 - b) / a)` and rejected at `ln(b / (1 - a))`; in between, more
//! is read. Once decided, the same thresholds are applied to the last fixations alone, so that a swap
//! of persons is noticed however long the first one read.

use std::collections::VecDeque;

use gazeprint::gallery::Gallery;
use gazeprint::saccade::Reading;
use serde::{Deserialize, Serialize};

use crate::decision::{Rules, ratio_to_cohort};

/// Error rates and memory of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WatchParams {
    /// Wanted rate of false accepts.
    pub false_accepts: f64,
    /// Wanted rate of false rejects.
    pub false_rejects: f64,
    /// Fixations that a decision is tested on again.
    pub window: usize,
}

impl Default for WatchParams {
    fn default() -> Self {
        Self { false_accepts: 0.01, false_rejects: 0.01, window: 100 }
    }
}

/// What is thought of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Not yet known.
    GoOn,
    /// It is the reader.
    Accept,
    /// It is somebody else.
    Reject,
}

impl Decision {
    /// The name used in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::GoOn => "go-on",
            Self::Accept => "accept",
            Self::Reject => "reject",
        }
    }
}

/// What is known after a fixation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// Fixations so far.
    pub fixations: usize,
    /// Seconds spent in them.
    pub seconds: f64,
    /// Calibrated log-likelihood ratio of what the decision rests on: everything up to the first
    /// decision, the last fixations after it. Nats.
    pub llr: f64,
    /// What is thought now.
    pub decision: Decision,
}

/// Watches one claim.
#[derive(Debug, Clone)]
pub struct Watcher<'a> {
    rules: &'a Rules,
    reader: usize,
    params: WatchParams,
    /// Scores of all readers, of everything so far.
    total: Vec<f64>,
    /// What each of the last fixations added.
    recent: VecDeque<Vec<f64>>,
    /// The sum of that.
    window: Vec<f64>,
    last: Step,
}

/// What each fixation of a reading adds to the scores of all readers of a gallery.
///
/// A move is known when the next fixation begins, and counts with that one.
pub fn increments(gallery: &dyn Gallery, reading: &Reading) -> Vec<Vec<f64>> {
    let mut before = vec![0.0; gallery.len()];
    (1..=reading.events.len())
        .map(|seen| {
            let complete = reading.complete && seen == reading.events.len();
            let events = reading.events[..seen].to_vec();
            let scores =
                gallery.scores(&gallery.probe(&Reading { events, complete, ..reading.clone() }));
            let added = scores.iter().zip(&before).map(|(now, before)| now - before).collect();
            before = scores;
            added
        })
        .collect()
}

impl<'a> Watcher<'a> {
    /// Watches whether it is this reader, by place, of a gallery of so many.
    pub fn new(rules: &'a Rules, readers: usize, reader: usize, params: WatchParams) -> Self {
        Self {
            rules,
            reader,
            params: WatchParams { window: params.window.max(1), ..params },
            total: vec![0.0; readers],
            recent: VecDeque::new(),
            window: vec![0.0; readers],
            last: Step { fixations: 0, seconds: 0.0, llr: 0.0, decision: Decision::GoOn },
        }
    }

    /// The ratios at which a claim is rejected and accepted.
    pub fn thresholds(&self) -> [f64; 2] {
        let WatchParams { false_accepts: a, false_rejects: b, .. } = self.params;
        [(b / (1.0 - a)).ln(), ((1.0 - b) / a).ln()]
    }

    /// What is known now.
    pub fn last(&self) -> Step {
        self.last
    }

    /// Looks at the next fixation: how long it was, and what it adds to the scores of all readers.
    pub fn next(&mut self, duration_ms: f64, added: Vec<f64>) -> Step {
        self.total.iter_mut().zip(&added).for_each(|(total, added)| *total += added);
        self.window.iter_mut().zip(&added).for_each(|(sum, added)| *sum += added);
        self.recent.push_back(added);
        if self.recent.len() > self.params.window
            && let Some(oldest) = self.recent.pop_front()
        {
            self.window.iter_mut().zip(oldest).for_each(|(sum, oldest)| *sum -= oldest);
        }
        self.last.fixations += 1;
        self.last.seconds += duration_ms / 1000.0;
        let (scores, fixations) = match self.last.decision {
            Decision::GoOn => (&self.total, self.last.fixations),
            _ => (&self.window, self.recent.len()),
        };
        let ratio = ratio_to_cohort(scores, self.reader);
        self.last.llr = self.rules.calibrated(&[ratio], fixations)[0];
        let [reject, accept] = self.thresholds();
        // What was decided on everything is not undone by less than a window.
        let is_full = self.recent.len() == self.params.window;
        if self.last.decision == Decision::GoOn || is_full {
            if self.last.llr >= accept {
                self.last.decision = Decision::Accept;
            } else if self.last.llr <= reject {
                self.last.decision = Decision::Reject;
            }
        }
        self.last
    }
}
