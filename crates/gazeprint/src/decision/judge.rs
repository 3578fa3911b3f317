//! The judge: what scores are worth, from claims that are known to be true or false.
//!
//! *Thresholds* are those of wanted rates among the false claims, by length of the probe.
//! *Calibration* is an affine map to log-likelihood ratios, by length as well, and bounded by what
//! so many people can show.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::by_length::{ByLength, ImpostorClaim, ThresholdByLength};
use crate::admission::thinned;

/// False claims of one length that a calibration is fitted to: it has two parameters.
const MOST_CALIBRATED: usize = 1 << 14;

/// Claims with probes of one length.
pub(super) struct Lesson {
    /// Mean log number of fixations.
    pub(super) length: f64,
    /// False claims.
    pub(super) impostor: Vec<ImpostorClaim>,
    /// Scores of true claims.
    pub(super) genuine: Vec<f64>,
}

/// What stands behind a length: nobody counts twice.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// Mean log number of fixations.
    pub log_fixations: f64,
    /// Readers with probes: as many true claims, or strangers.
    pub probes: usize,
    /// Pairs of readers with false claims.
    pub false_claims: usize,
}

/// Judges probes of any length.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judge {
    pub(super) thresholds: Thresholds,
    pub(super) ratios: Option<ByLength>,
    pub(super) lengths: Vec<Support>,
}

/// Thresholds by wanted rate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Thresholds {
    /// Descending.
    rates: &'static [f64],
    by_rate: Vec<Option<ThresholdByLength>>,
}

impl Thresholds {
    /// Those of the false claims of several lengths, given by mean log number of fixations.
    pub(super) fn learn<'a>(
        rates: &'static [f64],
        lengths: impl Iterator<Item = (f64, &'a [ImpostorClaim])>,
    ) -> Self {
        let lengths: Vec<(f64, &[ImpostorClaim])> = lengths.collect();
        let fit = |&rate: &f64| ThresholdByLength::fit(lengths.iter().copied(), rate);
        Self { rates, by_rate: rates.par_iter().map(fit).collect() }
    }

    /// As they were stored; none unless there is one for each rate.
    pub(super) fn stored(
        rates: &'static [f64],
        by_rate: Vec<Option<ThresholdByLength>>,
    ) -> Option<Self> {
        (by_rate.len() == rates.len()).then_some(Self { rates, by_rate })
    }

    /// To be stored.
    pub(super) fn into_stored(self) -> Vec<Option<ThresholdByLength>> {
        self.by_rate
    }

    /// For a probe of so many fixations, by rate; infinite where there is none. Each is learned on
    /// its own, but a lower rate never has the lower threshold.
    pub(super) fn rising(&self, fixations: f64) -> impl Iterator<Item = f64> {
        let mut highest = f64::NEG_INFINITY;
        self.by_rate.iter().map(move |by_length| {
            highest = highest.max(by_length.as_ref().map_or(f64::INFINITY, |t| t.at(fixations)));
            highest
        })
    }

    /// The same for any rate within the learned ones, between which thresholds are interpolated in
    /// the logarithm of the rate.
    pub(super) fn at(&self, rate: f64, fixations: f64) -> f64 {
        let by_rate: Vec<f64> = self.rising(fixations).collect();
        let next = self.rates.partition_point(|&r| r > rate).clamp(1, self.rates.len() - 1);
        let [high, low] = [self.rates[next - 1], self.rates[next]];
        let part = ((high / rate).ln() / (high / low).ln()).clamp(0.0, 1.0);
        match [by_rate[next - 1], by_rate[next]] {
            [a, b] if a.is_finite() && b.is_finite() => a + part * (b - a),
            [a, _] if part == 0.0 => a,
            _ => f64::INFINITY,
        }
    }
}

impl Judge {
    /// What claims say, for rates given descending, at least two.
    pub(super) fn learn(rates: &'static [f64], readers: usize, lessons: &[Lesson]) -> Self {
        let scores = |lesson: &Lesson| lesson.impostor.iter().map(|claim| claim.score).collect();
        let calibrated: Vec<Vec<f64>> =
            lessons.iter().map(|lesson| thinned(scores(lesson), MOST_CALIBRATED)).collect();
        let claims = lessons.iter().zip(&calibrated);
        let impostor = lessons.iter().map(|lesson| (lesson.length, lesson.impostor.as_slice()));
        let pairs = readers * readers.saturating_sub(1) / 2;
        let support = |lesson: &Lesson| Support {
            log_fixations: lesson.length,
            probes: lesson.genuine.len().min(readers),
            false_claims: lesson.impostor.len().min(pairs),
        };
        Self {
            thresholds: Thresholds::learn(rates, impostor),
            ratios: ByLength::fit(
                claims.map(|(lesson, impostor)| (lesson.length, [&lesson.genuine[..], impostor])),
            ),
            lengths: lessons.iter().map(support).collect(),
        }
    }

    /// What stands behind the learned length nearest to one, given as log number of fixations.
    pub(super) fn behind(&self, length: f64) -> Support {
        let distance = |s: &Support| (s.log_fixations - length).abs();
        let known = self.lengths.iter().filter(|s| s.probes > 0 && s.false_claims > 0);
        let nearest = known.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.copied().unwrap_or(Support { log_fixations: 0.0, probes: 0, false_claims: 0 })
    }

    /// The lowest and the highest calibrated ratio that a probe of so many fixations can have; none
    /// without calibration.
    ///
    /// Among N people of one side without an exception, a ratio beyond N is more than they can show:
    /// ratios are bounded by the number of those that speak for the contrary.
    pub(super) fn bounds(&self, fixations: f64) -> Option<[f64; 2]> {
        self.ratios.as_ref()?;
        let Support { probes, false_claims, .. } = self.behind(fixations.ln());
        let most = |claims: usize| (claims as f64 + 1.0).ln();
        Some([-most(probes), most(false_claims)])
    }

    /// Ratios as log-likelihood ratios that mean what they say, nats; none without calibration.
    pub(super) fn calibrated(
        &self,
        ratios: impl IntoIterator<Item = f64>,
        fixations: f64,
    ) -> Option<Vec<f64>> {
        let affine = self.ratios.as_ref()?.at(fixations);
        let [lowest, highest] = self.bounds(fixations)?;
        let bounded = |ratio: f64| affine.apply(ratio).clamp(lowest, highest);
        Some(ratios.into_iter().map(bounded).collect())
    }
}
