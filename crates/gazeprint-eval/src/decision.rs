//! Decisions over a gallery: who it is, whether it is somebody known, whether a claim is true.
//!
//! A probe is held against the *cohort*: the ratio of a reader's likelihood to the mean likelihood
//! under the other readers. What such a ratio is worth depends on the length of the probe, and is
//! learned from the enrolled readers themselves, leaving one out at a time: with their own model out
//! of the cohort, the probes of a reader are those of a stranger, and every claim that they make is
//! false. True claims are those of probes against the reader learned from the other half of what was
//! read. Rates therefore hold for people who are *not* enrolled; those who are meet their own model
//! in the cohort, and are accepted as somebody else less often.

use gazeprint::gallery::{Gallery, cohort_ratios};
use gazeprint::method::{Fold, Training};
use serde::{Deserialize, Serialize};

use crate::calibration::{ComparedProbe, Length, MOST_CALIBRATED, compared, thinned};
use crate::measures::{ByLength, Claims, ImpostorClaim, ThresholdByLength, supported};

/// Fewest readers that rules can be learned from: of a cohort of less than three, nothing much is
/// known.
pub const FEWEST_READERS: usize = 5;
/// Error rates that thresholds are learned for, descending. In between, they are interpolated in the
/// logarithm of the rate.
pub const GRID: [f64; 11] =
    [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001];

/// Thresholds and calibration of a gallery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// Readers that they were learned from.
    readers: usize,
    /// Of a claim, by false match rate.
    claims: Thresholds,
    /// Of the best of all readers, by rate of false alarms: strangers who are taken for somebody.
    strangers: Thresholds,
    ratios: Option<ByLength>,
    lengths: Vec<Support>,
}

/// Thresholds by [`GRID`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Thresholds(Vec<Option<ThresholdByLength>>);

/// What a length was learned from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// Mean log number of fixations.
    pub log_fixations: f64,
    /// Probes.
    pub probes: usize,
    /// False claims by them.
    pub false_claims: usize,
}

/// A rate of errors that was asked for, and what stands behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The ratio to the cohort at and above which to accept; infinite where nothing is known.
    pub ratio: f64,
    /// Comparisons that it was learned from.
    pub comparisons: usize,
    /// Whether these are enough for such a rate: at least three by the rate.
    pub supported: bool,
}

/// The log ratio of every reader's likelihood to the mean likelihood under the others.
pub fn ratios_to_cohort(scores: &[f64]) -> Vec<f64> {
    let others = (scores.len() as f64 - 1.0).max(1.0).ln();
    cohort_ratios(scores).into_iter().map(|ratio| ratio + others).collect()
}

/// The same for one reader.
pub fn ratio_to_cohort(scores: &[f64], reader: usize) -> f64 {
    let others = || scores.iter().enumerate().filter(|(i, _)| *i != reader).map(|(_, s)| *s);
    let peak = others().fold(f64::NEG_INFINITY, f64::max);
    if peak == f64::NEG_INFINITY {
        return scores[reader] - peak;
    }
    let sum: f64 = others().map(|s| (s - peak).exp()).sum();
    scores[reader] - peak - sum.ln() + (scores.len() as f64 - 1.0).ln()
}

/// The ratios of a probe to all readers but its own, as if that one were not enrolled.
fn as_stranger(probe: &ComparedProbe) -> Vec<f64> {
    let (before, after) = probe.scores.split_at(probe.reader);
    ratios_to_cohort(&[before, &after[1..]].concat())
}

impl Thresholds {
    fn learn(lengths: &[(f64, Vec<ImpostorClaim>)]) -> Self {
        let of = || lengths.iter().map(|(length, claims)| (*length, claims.as_slice()));
        Self(GRID.map(|rate| ThresholdByLength::fit(of(), rate)).into())
    }

    /// The threshold for a rate within the grid and a probe of so many fixations.
    fn at(&self, rate: f64, fixations: f64) -> f64 {
        // Each is learned on its own, but a lower rate never has the lower threshold.
        let mut highest = f64::NEG_INFINITY;
        let by_rate: Vec<f64> = self
            .0
            .iter()
            .map(|t| {
                highest = highest.max(t.as_ref().map_or(f64::INFINITY, |t| t.at(fixations)));
                highest
            })
            .collect();
        let next = GRID.partition_point(|&r| r > rate).clamp(1, GRID.len() - 1);
        let [high, low] = [GRID[next - 1], GRID[next]];
        let part = ((high / rate).ln() / (high / low).ln()).clamp(0.0, 1.0);
        match (by_rate.get(next - 1), by_rate.get(next)) {
            (Some(a), Some(b)) if a.is_finite() && b.is_finite() => a + part * (b - a),
            (Some(a), _) if part == 0.0 => *a,
            _ => f64::INFINITY,
        }
    }
}

impl Rules {
    /// Learns from the readers of a gallery, whose readings are `training`, and from readers learned
    /// from halves of them. `None` where there are too few readers, or too little was read.
    pub fn learn(
        gallery: &dyn Gallery,
        folds: &[Fold],
        training: &Training<'_>,
        seed: u64,
    ) -> Option<Self> {
        if training.readers() < FEWEST_READERS {
            return None;
        }
        let lengths = compared(gallery, folds, training, seed, 0);
        (!lengths.is_empty()).then(|| Self::of(training.readers(), &lengths))
    }

    fn of(readers: usize, lengths: &[Length]) -> Self {
        let (mut false_claims, mut best, mut claims) = (Vec::new(), Vec::new(), Vec::new());
        for length in lengths {
            let mut by_claim = Vec::new();
            let mut by_probe = Vec::with_capacity(length.probes.len());
            let mut genuine = Vec::with_capacity(length.probes.len());
            for probe in &length.probes {
                let fixations = probe.log_fixations.exp();
                let ratios = as_stranger(probe);
                let claim = |score| ImpostorClaim { fixations, score };
                by_probe.push(claim(ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max)));
                by_claim.extend(ratios.into_iter().filter(|r| !r.is_nan()).map(claim));
                genuine.push(ratios_to_cohort(&probe.scores)[probe.reader]);
            }
            let impostor: Vec<f64> = by_claim.iter().map(|claim| claim.score).collect();
            let impostor = thinned(impostor, MOST_CALIBRATED);
            claims.push((length.mean, Claims { genuine, impostor }));
            false_claims.push((length.mean, by_claim));
            best.push((length.mean, by_probe));
        }
        let lengths = best.iter().zip(&false_claims).map(|((length, probes), (_, claims))| {
            Support { log_fixations: *length, probes: probes.len(), false_claims: claims.len() }
        });
        Self {
            readers,
            lengths: lengths.collect(),
            claims: Thresholds::learn(&false_claims),
            strangers: Thresholds::learn(&best),
            ratios: ByLength::fit(claims.iter().map(|(length, claims)| (*length, claims))),
        }
    }

    /// Readers that the rules were learned from.
    pub fn readers(&self) -> usize {
        self.readers
    }

    /// What they were learned from, by length.
    pub fn lengths(&self) -> &[Support] {
        &self.lengths
    }

    /// What the learned length nearest to a probe was learned from.
    fn behind(&self, fixations: usize) -> Support {
        let distance = |s: &Support| (s.log_fixations - (fixations as f64).ln()).abs();
        let nearest = self.lengths.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.copied().unwrap_or(Support { log_fixations: 0.0, probes: 0, false_claims: 0 })
    }

    fn threshold(
        &self,
        thresholds: &Thresholds,
        rate: f64,
        fixations: usize,
        comparisons: usize,
    ) -> Threshold {
        let ratio = thresholds.at(rate, fixations as f64);
        Threshold { ratio, comparisons, supported: supported(comparisons, rate) }
    }

    /// The threshold of a claim, for a false match rate within [`GRID`] and a probe of so many
    /// fixations.
    pub fn for_claim(&self, rate: f64, fixations: usize) -> Threshold {
        let comparisons = self.behind(fixations).false_claims;
        self.threshold(&self.claims, rate, fixations, comparisons)
    }

    /// The threshold under which the best of all readers is nobody known, for a rate of strangers who
    /// are taken for somebody.
    pub fn for_stranger(&self, rate: f64, fixations: usize) -> Threshold {
        let comparisons = self.behind(fixations).probes;
        self.threshold(&self.strangers, rate, fixations, comparisons)
    }

    /// Ratios to the cohort as log-likelihood ratios that mean what they say, nats.
    ///
    /// Among N claims of one side without an exception, a ratio beyond N is more than they can show:
    /// ratios are bounded by the number of claims that speak for the contrary.
    pub fn calibrated(&self, ratios: &[f64], fixations: usize) -> Vec<f64> {
        let Some(affine) = self.ratios.as_ref().map(|r| r.at(fixations as f64)) else {
            return vec![0.0; ratios.len()];
        };
        let Support { probes, false_claims, .. } = self.behind(fixations);
        let most = |claims: usize| (claims as f64 + 1.0).ln();
        let bounded = |r: &f64| affine.apply(*r).clamp(-most(probes), most(false_claims));
        ratios.iter().map(bounded).collect()
    }

    /// The posterior over the readers of a gallery, given that it is one of them: scores count as
    /// much as the calibration believes of them.
    pub fn posterior(&self, scores: &[f64], fixations: usize) -> Vec<f64> {
        let scale = self.ratios.as_ref().map_or(0.0, |r| r.at(fixations as f64).scale).min(1.0);
        let peak = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|s| (scale * (s - peak)).exp()).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / total).collect()
    }
}
