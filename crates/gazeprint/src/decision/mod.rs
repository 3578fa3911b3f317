//! Decisions: who it is, whether it is somebody known, whether a claim is true.
//!
//! | file | has |
//! |---|---|
//! | `cohort` | the ratio of a reader to the other readers |
//! | `threshold` | thresholds for a wanted rate, the rule of three |
//! | `affine` | scores into log-likelihood ratios |
//! | `by_length` | both by length of the probe |
//! | `held_out` | probes of what the folds of a fit held out |
//! | `judge` | what scores are worth, from claims |
//! | `rules` | the rules of a gallery or a study, learned from its readers |
//! | `watch` | decisions after every fixation |
//!
//! Studies, galleries, attacks and watches judge by [`Rules`], which come from [`Rules::learn`].

mod affine;
mod by_length;
mod cohort;
mod held_out;
mod judge;
mod rules;
mod threshold;
mod watch;

pub use crate::admission::{
    Admission, Claim, FEWEST_READERS, GRID, GROUNDS, Insider, Lean, Round, Trial,
};
pub use crate::score::ScoredReadings;
pub use affine::Affine;
pub use by_length::{ByLength, ImpostorClaim, ThresholdByLength};
pub use cohort::{cohort_ratio, cohort_ratios, cohort_ratios_without};
pub use judge::Support;
pub use rules::{Answer, LIKELY, LIKELY_RATE, LearnedLength, LearnedRules, Rules, Threshold};
pub use threshold::{cleaned, supported, threshold_at};
pub use watch::{Decision, Step, WatchParams, Watcher, increments};
