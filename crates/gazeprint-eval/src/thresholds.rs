//! The thresholds of a study: what its rules ask of claims at a few false match rates.

use gazeprint::decision::{LearnedLength, LearnedRules};
use serde::{Deserialize, Serialize};

/// False match rates that studies report, descending.
pub const RATES: [f64; 3] = [1e-2, 1e-3, 1e-4];

/// A threshold that was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedThreshold {
    /// The false match rate.
    pub rate: f64,
    /// Sentences a probe; `None` for all of half of the training texts.
    pub sentences: Option<usize>,
    /// Geometric mean of the number of fixations of the probes.
    pub fixations: f64,
    /// What a claim must reach to be accepted: a score, or a ratio to the cohort.
    pub threshold: f64,
}

impl LearnedThreshold {
    /// The thresholds of rules at the lengths that they were learned at.
    pub(crate) fn all(LearnedRules { rules, lengths }: &LearnedRules) -> Vec<Self> {
        let at = |&LearnedLength { texts: sentences, fixations }: &LearnedLength| {
            RATES.map(|rate| {
                let threshold = rules.claim_ratio(rate, fixations);
                Self { rate, sentences, fixations, threshold }
            })
        };
        let all = lengths.iter().flat_map(at);
        all.filter(|learned| learned.threshold.is_finite()).collect()
    }
}
