//! Somebody is watched while reading: is it still the person who should be?
//!
//! After every fixation the calibrated log-likelihood ratio of the claim is held against the two
//! thresholds of Wald's sequential test. With wanted rates of false accepts `a` and of false rejects
//! `b`, a claim is accepted at `ln((1 - b) / a)` and rejected at `ln(b / (1 - a))`; in between, more
//! is read. Where a small gallery can show no ratio as low as that, a claim is rejected at the lowest
//! that it can show: a reader then has to prove more, but an impostor is not left undecided for ever.
//! One that it can show no ratio high enough for is never accepted.
//!
//! Once decided, the same thresholds are applied to the last fixations alone, however few there are
//! yet, so that a swap of persons is noticed at any time. While undecided, the last fixations can
//! reject, so that who took over early is not hidden by what was read before; they cannot accept,
//! since to test them over and over until they do would accept too many.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::rules::Rules;
use crate::live::steps;
use crate::saccade::Reading;
use crate::score::{Scorer, Tally};

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
    /// Calibrated log-likelihood ratio of what the decision rests on: up to the first decision
    /// everything, unless the last fixations reject; these after it. Nats.
    pub llr: f64,
    /// What is thought now.
    pub decision: Decision,
}

/// Watches one claim.
#[derive(Debug, Clone)]
pub struct Watcher {
    rules: Arc<Rules>,
    params: WatchParams,
    /// What everything so far says.
    total: Tally,
    /// What each of the last fixations added.
    recent: VecDeque<Tally>,
    /// The sum of that.
    window: Tally,
    last: Step,
}

/// What each fixation of a reading adds, for the readers of a gallery.
///
/// A move is known when the next fixation begins, and counts with that one. The last one, away from
/// the text, is not known while somebody reads.
pub fn increments(scorer: &dyn Scorer, reading: &Reading) -> Vec<Tally> {
    steps(reading).map(|step| scorer.added(&step)).collect()
}

impl Watcher {
    /// Watches a claim by these rules.
    pub fn new(rules: Arc<Rules>, params: WatchParams) -> Self {
        Self {
            rules,
            params: WatchParams { window: params.window.max(1), ..params },
            total: Tally::default(),
            recent: VecDeque::new(),
            window: Tally::default(),
            last: Step { fixations: 0, seconds: 0.0, llr: 0.0, decision: Decision::GoOn },
        }
    }

    /// The ratios at which Wald's test rejects and accepts a claim.
    pub fn thresholds(&self) -> [f64; 2] {
        let WatchParams { false_accepts: a, false_rejects: b, .. } = self.params;
        [(b / (1.0 - a)).ln(), ((1.0 - b) / a).ln()]
    }

    /// The ratio of so many fixations at which a claim is rejected: Wald's, or the lowest that the
    /// rules can show where that is higher.
    pub fn rejects_at(&self, fixations: usize) -> f64 {
        let [wald, _] = self.thresholds();
        let [lowest, _] = self.rules.bounds(fixations);
        // Where nothing can be shown, nothing is a reason to reject.
        if lowest < 0.0 { wald.max(lowest) } else { wald }
    }

    /// The rate of false rejects that [`Self::rejects_at`] stands for.
    pub fn false_rejects(&self, fixations: usize) -> f64 {
        (1.0 - self.params.false_accepts) * self.rejects_at(fixations).exp()
    }

    /// What is known now.
    pub fn last(&self) -> Step {
        self.last
    }

    /// The ratio of so many fixations at which a claim is accepted: Wald's, and where other people
    /// decide no less than a claim needs there.
    fn accepts_at(&self, fixations: usize) -> f64 {
        let [_, wald] = self.thresholds();
        match self.rules.is_of_people() {
            true => wald.max(self.rules.claim_ratio(self.params.false_accepts, fixations as f64)),
            false => wald,
        }
    }

    /// Looks at the next fixation: how long it was, and what it adds. `weigh` says what the claim is worth
    /// by then, as [`Rules::claim_llr`] has it.
    pub fn next(&mut self, duration_ms: f64, added: Tally, weigh: impl Fn(&Tally) -> f64) -> Step {
        // A score that is no number would stay in all sums: it says nothing.
        let added = if added.is_finite() { added } else { Tally::sums(1, Vec::new()) };
        self.total.add_step(1.0, &added);
        self.window.add_step(1.0, &added);
        self.recent.push_back(added);
        if self.recent.len() > self.params.window
            && let Some(oldest) = self.recent.pop_front()
        {
            self.window.add_step(-1.0, &oldest);
        }
        self.last.fixations += 1;
        self.last.seconds += duration_ms / 1000.0;
        let recent = self.recent.len();
        let (llr, decided) = match self.last.decision {
            Decision::GoOn => {
                let all = self.test(weigh(&self.total), self.last.fixations);
                let last = self.test(weigh(&self.window), recent);
                if last.1 == Some(Decision::Reject) { last } else { all }
            }
            _ => self.test(weigh(&self.window), recent),
        };
        self.last.llr = llr;
        self.last.decision = decided.unwrap_or(self.last.decision);
        self.last
    }

    /// The calibrated ratio of so many fixations, and what it decides.
    fn test(&self, llr: f64, fixations: usize) -> (f64, Option<Decision>) {
        let decision = if llr >= self.accepts_at(fixations) {
            Some(Decision::Accept)
        } else if llr <= self.rejects_at(fixations) {
            Some(Decision::Reject)
        } else {
            None
        };
        (llr, decision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::cohort::cohort_ratio;
    use crate::decision::rules::tests::{GAIN, READERS, rules};

    /// What a fixation adds when one of the readers makes it: as the rules were learned.
    fn by(reader: usize) -> Tally {
        Tally::sums(1, (0..READERS).map(|r| if r == reader { GAIN } else { 0.0 }).collect())
    }

    /// The next fixation of somebody who is watched as the reader at place 4.
    fn next(watcher: &mut Watcher, added: Tally) -> Step {
        let rules = Arc::clone(&watcher.rules);
        watcher.next(250.0, added, |tally| {
            let ratio = cohort_ratio(&tally.scores_of(READERS), 4);
            rules.calibrated(&[ratio], tally.fixations())[0]
        })
    }

    fn watch(rules: &Arc<Rules>, window: usize) -> Watcher {
        Watcher::new(Arc::clone(rules), WatchParams { window, ..WatchParams::default() })
    }

    /// The number of the fixation at which the decision changed to this one.
    fn until(watcher: &mut Watcher, reader: usize, wanted: Decision) -> usize {
        let before = watcher.last().fixations;
        while next(watcher, by(reader)).decision != wanted {
            assert!(watcher.last().fixations < before + 5000, "never {wanted:?}");
        }
        watcher.last().fixations - before
    }

    #[test]
    fn thresholds_are_those_of_wald() {
        let rules = Arc::new(rules(20));
        let params = WatchParams { false_accepts: 0.001, false_rejects: 0.05, window: 100 };
        let [reject, accept] = Watcher::new(Arc::clone(&rules), params).thresholds();
        assert!((accept - (0.95_f64 / 0.001).ln()).abs() < 1e-12);
        assert!((reject - (0.05_f64 / 0.999).ln()).abs() < 1e-12);
    }

    #[test]
    fn the_reader_is_accepted_and_another_is_rejected() {
        let rules = Arc::new(rules(20));
        let mut genuine = watch(&rules, 100);
        let first = next(&mut genuine, by(4));
        assert_eq!(first.decision, Decision::GoOn, "one fixation says little");
        assert_eq!((first.fixations, first.seconds), (1, 0.25));
        let needed = until(&mut genuine, 4, Decision::Accept);
        assert!((10..100).contains(&needed), "{needed}");
        let last = genuine.last();
        assert!(last.llr >= genuine.thresholds()[1]);
        assert!((last.seconds - 0.25 * last.fixations as f64).abs() < 1e-9);
        let mut other = watch(&rules, 100);
        let needed = until(&mut other, 5, Decision::Reject);
        assert!((10..200).contains(&needed), "{needed}");
        // Of twenty readers, none is as unlikely as Wald asks for.
        let last = other.last();
        assert!(last.llr <= other.rejects_at(last.fixations));
        assert!(other.rejects_at(last.fixations) > other.thresholds()[0]);
    }

    #[test]
    fn a_decision_stays_while_the_reader_does() {
        let rules = Arc::new(rules(20));
        let mut watcher = watch(&rules, 150);
        until(&mut watcher, 4, Decision::Accept);
        for _ in 0..1000 {
            assert_eq!(next(&mut watcher, by(4)).decision, Decision::Accept);
        }
    }

    #[test]
    fn a_swap_is_noticed_however_long_the_first_one_read() {
        let rules = Arc::new(rules(20));
        for long in [10, 5000] {
            let mut watcher = watch(&rules, 150);
            until(&mut watcher, 4, Decision::Accept);
            for _ in 0..long {
                next(&mut watcher, by(4));
            }
            let needed = until(&mut watcher, 5, Decision::Reject);
            assert!(needed <= 300, "{long}: {needed}");
            // And the way back.
            let needed = until(&mut watcher, 4, Decision::Accept);
            assert!(needed <= 300, "{long}: {needed}");
        }
    }

    #[test]
    fn an_early_decision_is_tested_again_before_the_window_is_full() {
        let rules = Arc::new(rules(20));
        let mut watcher = watch(&rules, 400);
        let accepted = until(&mut watcher, 4, Decision::Accept);
        let needed = until(&mut watcher, 5, Decision::Reject);
        assert!(accepted + needed < 200, "{accepted} {needed}");
    }

    #[test]
    fn what_was_read_before_does_not_hide_who_reads_now() {
        let rules = Arc::new(rules(20));
        let mut watcher = watch(&rules, 100);
        // Two take turns: nothing is decided, and much is read.
        for i in 0..600 {
            assert_eq!(next(&mut watcher, by(4 + i % 2)).decision, Decision::GoOn, "{i}");
        }
        let mut rejected = watcher.clone();
        assert!(until(&mut rejected, 5, Decision::Reject) <= 100);
        assert!(rejected.last().llr <= rejected.rejects_at(100));
        assert!(until(&mut watcher, 4, Decision::Accept) <= 100);
    }

    #[test]
    fn a_small_gallery_rejects_at_the_lowest_ratio_that_it_can_show() {
        let rules = Arc::new(rules(1));
        let params =
            WatchParams { false_accepts: 0.001, false_rejects: 0.001, ..WatchParams::default() };
        let mut watcher = Watcher::new(Arc::clone(&rules), params);
        let lowest = -(READERS as f64 + 1.0).ln();
        assert!(watcher.thresholds()[0] < lowest, "Wald's is out of reach");
        assert_eq!(watcher.rejects_at(60), lowest);
        assert!((watcher.false_rejects(60) - 0.999 / 21.0).abs() < 1e-12);
        assert!(until(&mut watcher, 5, Decision::Reject) < 400);
        let wanted = watch(&rules, 100);
        assert_eq!(wanted.rejects_at(60), wanted.thresholds()[0].max(lowest));
        let enough = Watcher::new(
            Arc::clone(&rules),
            WatchParams { false_rejects: 0.1, ..WatchParams::default() },
        );
        assert_eq!(enough.rejects_at(60), enough.thresholds()[0]);
        assert!((enough.false_rejects(60) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn a_score_that_is_no_number_decides_nothing() {
        let rules = Arc::new(rules(20));
        let mut watcher = watch(&rules, 10);
        for _ in 0..50 {
            assert_eq!(
                next(&mut watcher, Tally::sums(1, vec![f64::NAN; READERS])).decision,
                Decision::GoOn
            );
        }
        // Nor does it keep a decision from being tested again.
        let mut watcher = watch(&rules, 100);
        until(&mut watcher, 4, Decision::Accept);
        next(&mut watcher, Tally::sums(1, vec![f64::INFINITY; READERS]));
        until(&mut watcher, 5, Decision::Reject);
        let nothing = WatchParams { window: 0, ..WatchParams::default() };
        let mut watcher = Watcher::new(Arc::clone(&rules), nothing);
        assert_eq!(next(&mut watcher, by(0)).fixations, 1);
    }
}
