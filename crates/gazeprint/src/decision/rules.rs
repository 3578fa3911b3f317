//! Rules: what scores are worth, learned from readers themselves.
//!
//! A probe is held against the cohort ([`cohort_ratios`]). What such a ratio is worth depends on the
//! length of the probe, and is learned from the readers of a fit, leaving one out at a time: with
//! their own model out of the cohort, the probes of a reader are those of a stranger, and every claim
//! that they make is false. True claims are those of probes against the reader learned from the other
//! half of what was read. Rates therefore hold for people who are *not* enrolled; those who are meet
//! their own model in the cohort, and are accepted as somebody else less often.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::by_length::{ByLength, ImpostorClaim, ThresholdByLength};
use super::cohort::{cohort_ratio, cohort_ratios, cohort_ratios_without};
use super::held_out::{ComparedProbe, HeldOutProbes, ProbesOfLength};
use super::judge::{Judge, Lesson, Support, Thresholds};
use super::threshold::{cleaned, supported};
use crate::admission::{Admission, Claim, GRID, Lean};
use crate::method::{Fitted, Training};
use crate::score::{Scorer, Tally};

/// Posterior among the enrolled from which on the best is named.
const NAMED: f64 = 0.99;
/// Posterior from which on they are likely, and named where it is one of the enrolled.
pub const LIKELY: f64 = 0.95;
/// Rate of strangers at which somebody is likely, and a claim undecided.
pub const LIKELY_RATE: f64 = 0.2;

/// Whether the best of the readers is who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// They are, at the rate that was asked for.
    Named,
    /// They are the likeliest by far, but the rate is not kept.
    Likely,
    /// It may be somebody else, or nobody known.
    Unknown,
}

/// Thresholds and calibration of a gallery.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Rules {
    /// Readers that they were learned from.
    readers: usize,
    /// Of claims, the false ones by strangers.
    judge: Judge,
    /// Of the best of all readers, by rate of false alarms: strangers who are taken for somebody.
    strangers: Thresholds,
    /// How somebody is taken for a reader, where people showed that: it decides then. It belongs to the
    /// people that readers are compared with, and is not stored.
    admission: Option<Admission>,
    /// By how much thresholds that other people showed lean on the gallery's own readers. Kept beside rules.
    lean: Lean,
}

/// Rules as galleries have them. Thresholds are by [`GRID`].
#[derive(Serialize, Deserialize)]
struct Stored {
    readers: usize,
    claims: Vec<Option<ThresholdByLength>>,
    strangers: Vec<Option<ThresholdByLength>>,
    ratios: Option<ByLength>,
    lengths: Vec<Support>,
}

impl From<Rules> for Stored {
    fn from(Rules { readers, judge, strangers, .. }: Rules) -> Self {
        let Judge { thresholds, ratios, lengths } = judge;
        let (claims, strangers) = (thresholds.into_stored(), strangers.into_stored());
        Self { readers, claims, strangers, ratios, lengths }
    }
}

impl TryFrom<Stored> for Rules {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        let Stored { readers, claims, strangers, ratios, lengths } = stored;
        let thresholds = |stored| {
            Thresholds::stored(&GRID, stored).ok_or("rules need a threshold for each of 11 rates")
        };
        // Rules of earlier versions count every probe and every claim.
        let pairs = readers * readers.saturating_sub(1) / 2;
        let people = |s: Support| Support {
            probes: s.probes.min(readers),
            false_claims: s.false_claims.min(pairs),
            ..s
        };
        let lengths = lengths.into_iter().map(people).collect();
        let judge = Judge { thresholds: thresholds(claims)?, ratios, lengths };
        let (strangers, lean) = (thresholds(strangers)?, Lean::default());
        Ok(Self { readers, judge, strangers, admission: None, lean })
    }
}

/// Rules, with what they were learned from.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedRules {
    /// The rules.
    pub rules: Rules,
    /// Lengths of the probes that they were learned from, rising.
    pub lengths: Vec<LearnedLength>,
}

/// A length of probes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnedLength {
    /// Texts a probe; `None` for all of half of the training texts.
    pub texts: Option<usize>,
    /// Geometric mean of the number of fixations.
    pub fixations: f64,
}

/// A rate of errors that was asked for, and what stands behind it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The ratio to the cohort at and above which to accept; infinite where nothing is known.
    pub ratio: f64,
    /// What stands behind it: pairs of readers with false claims, or strangers. Nobody counts twice.
    pub comparisons: usize,
    /// Readers who made them.
    pub readers: usize,
    /// Whether they are enough for such a rate: at least three by the rate.
    pub supported: bool,
}

impl Threshold {
    /// Whether a ratio to the cohort is enough. Where nothing is known, none is.
    pub fn is_reached(&self, ratio: f64) -> bool {
        self.ratio < f64::INFINITY && ratio >= self.ratio
    }
}

impl From<&HeldOutProbes> for Rules {
    fn from(probes: &HeldOutProbes) -> Self {
        let mut best = Vec::with_capacity(probes.lengths.len());
        let mut lessons = Vec::with_capacity(probes.lengths.len());
        for length in &probes.lengths {
            let ratios = |ComparedProbe { reader, scores, .. }: &ComparedProbe| {
                (cohort_ratios_without(scores, *reader), cohort_ratios(scores)[*reader])
            };
            let ratios: Vec<(Vec<f64>, f64)> = length.probes.par_iter().map(ratios).collect();
            let (mut impostor, mut by_probe, mut genuine) = (Vec::new(), Vec::new(), Vec::new());
            for (probe, (ratios, own)) in length.probes.iter().zip(ratios) {
                let fixations = probe.log_fixations.exp();
                let claim = |score| ImpostorClaim { fixations, score };
                by_probe.push(claim(ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max)));
                impostor.extend(ratios.into_iter().filter(|r| !r.is_nan()).map(claim));
                genuine.push(own);
            }
            lessons.push(Lesson { length: length.log_fixations, impostor, genuine });
            best.push((length.log_fixations, by_probe));
        }
        let strangers = best.iter().map(|(length, probes)| (*length, probes.as_slice()));
        Self {
            readers: probes.readers,
            strangers: Thresholds::learn(&GRID, strangers),
            judge: Judge::learn(&GRID, probes.readers, &lessons),
            admission: None,
            lean: Lean::default(),
        }
    }
}

impl Rules {
    /// Learns from what the folds of a fit held out: the one way from training to rules, for
    /// studies, galleries, attacks, strangers and watches. The occasion of the probes is that of
    /// `training`. `None` where there are too few readers, or too little was read.
    pub fn learn(fitted: &Fitted, training: &Training<'_>) -> Option<LearnedRules> {
        let Some(probes) = HeldOutProbes::of(fitted, training) else {
            let admission = fitted.admission.clone()?;
            let rules = Self::of_people(training.readers(), admission);
            return Some(LearnedRules { rules, lengths: Vec::new() });
        };
        let length = |length: &ProbesOfLength| LearnedLength {
            texts: length.texts,
            fixations: length.log_fixations.exp(),
        };
        let lengths = probes.lengths.iter().map(length).collect();
        let admission = fitted.admission.clone();
        let insiders = probes.lengths.iter().flat_map(|length| &length.probes);
        let insiders = insiders.filter(|probe| !probe.claims.is_empty());
        let insiders = insiders.map(|probe| (probe.log_fixations.exp(), &*probe.claims));
        let lean = admission.as_ref().map(|by| by.lean(probes.readers, insiders));
        let lean = lean.unwrap_or_default();
        let rules = Self { admission, lean, ..Self::from(&probes) };
        Some(LearnedRules { rules, lengths })
    }

    /// Rules of so many readers that are those of other people alone.
    pub fn of_people(readers: usize, admission: Admission) -> Self {
        let nothing = || Thresholds::learn(&GRID, std::iter::empty());
        let judge = Judge { thresholds: nothing(), ratios: None, lengths: Vec::new() };
        let (admission, lean) = (Some(admission), Lean::default());
        Self { readers, judge, strangers: nothing(), admission, lean }
    }

    /// The same, by which somebody is taken for a reader as other people showed.
    pub fn with_admission(self, admission: Option<Admission>) -> Self {
        Self { admission, ..self }
    }

    /// By how much thresholds lean on the gallery's own readers.
    pub fn lean(&self) -> Lean {
        self.lean
    }

    /// The same, with thresholds that lean so.
    pub fn with_lean(self, lean: Lean) -> Self {
        Self { lean, ..self }
    }

    /// What speaks for every reader, given their scores for what was read: what thresholds are for. Where
    /// other people decide, the score of the claim; else the ratio to the cohort.
    pub fn strengths(&self, scorer: &dyn Scorer, tally: &Tally, scores: &[f64]) -> Vec<f64> {
        let claims = self.admission.as_ref().and_then(|by| claim_scores(by, scorer, tally));
        claims.unwrap_or_else(|| cohort_ratios(scores))
    }

    /// The same for all readers but one, as if that one were not enrolled; `strengths` are those of all.
    pub fn strengths_without(&self, strengths: &[f64], scores: &[f64], reader: usize) -> Vec<f64> {
        if !self.is_of_people() {
            return cohort_ratios_without(scores, reader);
        }
        // Held against imagined readers, it makes no difference who is enrolled.
        let others = strengths.iter().enumerate().filter(|(other, _)| *other != reader);
        others.map(|(_, strength)| *strength).collect()
    }

    /// What speaks for a claim, where other people decide.
    pub fn strength(&self, claim: &Claim, fixations: usize) -> Option<f64> {
        Some(self.admission.as_ref()?.score(claim, fixations))
    }

    /// Whether other people decide.
    pub fn is_of_people(&self) -> bool {
        self.admission.is_some()
    }

    /// What speaks for every reader as log-likelihood ratios that mean what they say, nats, bounded by what so
    /// many claims can show. Where other people decide, the score of a claim is one, by how it was learned.
    pub fn llrs(&self, scores: &[f64], strengths: &[f64], fixations: usize) -> Vec<f64> {
        match &self.admission {
            Some(_) => strengths.iter().map(|strength| self.bounded(*strength)).collect(),
            None => self.calibrated(&cohort_ratios(scores), fixations),
        }
    }

    /// What a claim to be one of the readers is worth as a log-likelihood ratio that means what it says, nats;
    /// somebody may be left out, as if they were not enrolled.
    pub fn claim_llr(
        &self,
        scorer: &dyn Scorer,
        tally: &Tally,
        reader: usize,
        without: Option<usize>,
    ) -> f64 {
        let claims = self.admission.as_ref().and_then(|by| claim_scores(by, scorer, tally));
        if let Some(claims) = claims {
            return self.bounded(claims[reader]);
        }
        let mut scores = scorer.settle(tally);
        let place = without.map_or(reader, |without| {
            scores.remove(without);
            reader - usize::from(reader > without)
        });
        match self.is_calibrated() && scores.len() > 1 {
            true => self.calibrated(&[cohort_ratio(&scores, place)], tally.fixations())[0],
            false => 0.0,
        }
    }

    /// The score of a claim, bounded by what other people can show.
    fn bounded(&self, strength: f64) -> f64 {
        let [lowest, highest] = self.bounds(1);
        cleaned(strength).clamp(lowest, highest)
    }

    /// Who it is, at a rate of strangers who are taken for somebody: the reader with the highest score, and
    /// whether that is a name.
    pub fn answer(
        &self,
        rate: f64,
        scores: &[f64],
        strengths: &[f64],
        fixations: usize,
    ) -> (usize, Answer) {
        let best = (0..scores.len())
            .max_by(|&a, &b| cleaned(scores[a]).total_cmp(&cleaned(scores[b])).then(b.cmp(&a)));
        let Some(best) = best else { return (0, Answer::Unknown) };
        let posterior = self.posterior(scores, fixations);
        let reaches = |rate: f64| {
            let threshold = self.for_stranger(rate, fixations, scores.len());
            threshold.is_reached(strengths[best])
        };
        // Where the gallery's own readers decide, the ratio to the others has said which of them it is.
        let named = if self.is_of_people() { NAMED } else { 0.0 };
        let answer = match posterior[best] {
            p if p >= named && reaches(rate) => Answer::Named,
            p if p >= LIKELY && reaches(LIKELY_RATE.max(rate)) => Answer::Likely,
            _ => Answer::Unknown,
        };
        (best, answer)
    }

    /// The most that stands behind any length: pairs of readers with false claims, and strangers.
    pub fn comparisons(&self) -> [usize; 2] {
        let most = |of: fn(&Support) -> usize| self.judge.lengths.iter().map(of).max();
        [most(|s| s.false_claims), most(|s| s.probes)].map(|most| most.unwrap_or(0))
    }

    /// What stands behind the learned length nearest to one, given as log number of fixations.
    pub fn support(&self, log_fixations: f64) -> Support {
        self.judge.behind(log_fixations)
    }

    /// Whether ratios can be told as log-likelihood ratios at all.
    pub fn is_calibrated(&self) -> bool {
        self.judge.ratios.is_some()
    }

    /// The threshold of a claim, for a false match rate within [`GRID`] and a probe of so many
    /// fixations.
    pub fn for_claim(&self, rate: f64, fixations: usize) -> Threshold {
        if let Some(admission) = &self.admission {
            let ratio = self.claim_ratio(rate, fixations as f64);
            let [_, pairs] = admission.support();
            return self.shown_by(ratio, rate, pairs);
        }
        let Support { false_claims, .. } = self.support((fixations as f64).ln());
        self.threshold(&self.judge.thresholds, rate, fixations, false_claims)
    }

    /// The ratio at and above which a claim is accepted, as [`Rules::for_claim`] has it, for any number
    /// of fixations; infinite where nothing is known.
    pub fn claim_ratio(&self, rate: f64, fixations: f64) -> f64 {
        if let Some(admission) = &self.admission {
            return self.lean.at(fixations)
                + admission.claim_threshold(rate, fixations, self.readers);
        }
        self.judge.thresholds.at(rate, fixations)
    }

    /// A threshold that so many other people, or pairs of them, stand behind.
    fn shown_by(&self, ratio: f64, rate: f64, comparisons: usize) -> Threshold {
        let readers = self.admission.as_ref().map_or(0, |admission| admission.support()[0]);
        Threshold { ratio, comparisons, readers, supported: supported(comparisons, rate) }
    }

    fn threshold(
        &self,
        thresholds: &Thresholds,
        rate: f64,
        fixations: usize,
        comparisons: usize,
    ) -> Threshold {
        let ratio = thresholds.at(rate, fixations as f64);
        let supported = supported(comparisons, rate);
        Threshold { ratio, comparisons, readers: self.readers, supported }
    }

    /// The threshold under which the best of so many readers is nobody known, for a rate of strangers who
    /// are taken for somebody.
    pub fn for_stranger(&self, rate: f64, fixations: usize, readers: usize) -> Threshold {
        if let Some(admission) = &self.admission {
            let [strangers, _] = admission.support();
            let fixations = fixations as f64;
            let ratio = self.lean.at(fixations) + admission.threshold(rate, fixations, readers);
            return self.shown_by(ratio, rate, strangers);
        }
        // Among more readers than the rules were learned from, strangers have as many more chances to
        // resemble somebody. A rate lower than any that thresholds are learned for is not shown by them.
        let others = readers.saturating_sub(1).max(1) as f64;
        let among = rate * ((self.readers as f64 - 1.0) / others).min(1.0);
        let Support { probes, .. } = self.support((fixations as f64).ln());
        let threshold = self.threshold(&self.strangers, among, fixations, probes);
        let is_learned = among >= GRID[GRID.len() - 1];
        Threshold { supported: threshold.supported && is_learned, ..threshold }
    }

    /// Ratios to the cohort as log-likelihood ratios that mean what they say, nats: bounded by what
    /// so many claims can show. One that is no number says nothing, as do all without calibration.
    pub fn calibrated(&self, ratios: &[f64], fixations: usize) -> Vec<f64> {
        let calibrated = self.judge.calibrated(ratios.iter().copied(), fixations as f64);
        let mut llrs = calibrated.unwrap_or_else(|| vec![0.0; ratios.len()]);
        llrs.iter_mut().filter(|llr| llr.is_nan()).for_each(|llr| *llr = 0.0);
        llrs
    }

    /// The highest ratio that a probe of any length can have.
    pub fn highest(&self) -> f64 {
        let lengths = self.judge.lengths.iter().map(|l| l.log_fixations.exp().round() as usize);
        let highest = lengths.chain([1]).map(|fixations| self.bounds(fixations)[1]);
        highest.fold(0.0, f64::max)
    }

    /// The lowest and the highest ratio that a probe of so many fixations can have: what so many people can
    /// show, or else so many comparisons; noughts where nothing is known.
    pub fn bounds(&self, fixations: usize) -> [f64; 2] {
        if let Some(admission) = &self.admission {
            let [people, pairs] = admission.support().map(|n| (n as f64 + 1.0).ln());
            return [-people, pairs];
        }
        self.judge.bounds(fixations as f64).unwrap_or_default()
    }

    /// The posterior over the readers of a gallery, given that it is one of them: scores count as
    /// much as the calibration believes of them.
    pub fn posterior(&self, scores: &[f64], fixations: usize) -> Vec<f64> {
        // Where other people decide, scores are weighed as much as they are worth.
        let believed = || self.judge.ratios.as_ref().map_or(0.0, |r| r.at(fixations as f64).scale);
        let scale = if self.admission.is_some() { 1.0 } else { believed().min(1.0) };
        let peak = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // A score that is no number speaks for nobody.
        let weight = |s: &f64| if s.is_nan() { 0.0 } else { (scale * (s - peak)).exp() };
        let weights: Vec<f64> = scores.iter().map(weight).collect();
        let total: f64 = weights.iter().sum();
        if total.is_finite() && total > 0.0 {
            weights.into_iter().map(|w| w / total).collect()
        } else {
            vec![1.0 / scores.len() as f64; scores.len()]
        }
    }
}

/// The scores of the claims to be each of the readers; none where they have no grounds.
pub(super) fn claim_scores(
    admission: &Admission,
    scorer: &dyn Scorer,
    tally: &Tally,
) -> Option<Vec<f64>> {
    let claims = scorer.claims(tally)?;
    Some(claims.iter().map(|claim| admission.score(claim, tally.fixations())).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::random::Stream;
    use rand::{Rng, RngExt};
    use rand_distr::StandardNormal;

    use super::*;

    pub(crate) const READERS: usize = 20;
    /// What a fixation adds to the score of whoever made it, on average.
    pub(crate) const GAIN: f64 = 0.2;

    /// Scores of a probe: noise, and more of it the longer the probe, and above it those of its reader.
    fn scores(reader: Option<usize>, fixations: usize, random: &mut impl Rng) -> Vec<f64> {
        let n = fixations as f64;
        let mut noise = || random.sample::<f64, _>(StandardNormal);
        (0..READERS)
            .map(|r| if Some(r) == reader { GAIN * n } else { 0.0 } + 0.5 * n.sqrt() * noise())
            .collect()
    }

    /// Rules of a gallery in which scores are as [`scores`] has them.
    pub(crate) fn rules(probes_each: usize) -> Rules {
        let mut random = Stream { seed: 7, index: 0 }.chain(0);
        let lengths = [20, 60, 180].map(|fixations| {
            let readers = (0..READERS * probes_each).map(|i| i % READERS);
            readers.map(|r| (r, fixations, scores(Some(r), fixations, &mut random))).collect()
        });
        Rules::from(&HeldOutProbes::known(READERS, lengths))
    }

    #[test]
    fn thresholds_keep_their_rates_with_strangers() {
        let rules = rules(100);
        let mut random = Stream { seed: 8, index: 0 }.chain(0);
        for fixations in [20, 60, 100, 180] {
            let probes = 4000;
            let (mut claims, mut alarms) = (0, 0);
            for _ in 0..probes {
                let mut probe = scores(None, fixations, &mut random);
                // As many as a stranger meets while the rules are learned.
                probe.pop();
                let ratios = cohort_ratios(&probe);
                let claim = rules.for_claim(0.01, fixations);
                claims += ratios.iter().filter(|r| **r >= claim.ratio).count();
                let best = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                alarms += usize::from(best >= rules.for_stranger(0.05, fixations, READERS).ratio);
            }
            let claims = claims as f64 / (probes * (READERS - 1)) as f64;
            let alarms = alarms as f64 / probes as f64;
            assert!((0.006..0.016).contains(&claims), "{fixations}: {claims}");
            assert!((0.03..0.08).contains(&alarms), "{fixations}: {alarms}");
        }
    }

    #[test]
    fn a_lower_rate_never_has_the_lower_threshold() {
        for rules in [rules(1), rules(3), rules(30)] {
            for fixations in [1, 19, 20, 40, 180, 2000] {
                let rates = (0..200).map(|i| 0.2 * 0.0005_f64.powf(f64::from(i) / 199.0));
                let at: Vec<[f64; 2]> = rates
                    .map(|rate| {
                        [
                            rules.for_claim(rate, fixations),
                            rules.for_stranger(rate, fixations, READERS),
                        ]
                        .map(|threshold| threshold.ratio)
                    })
                    .collect();
                assert!(at.iter().flatten().all(|t| !t.is_nan()));
                assert!(at.windows(2).all(|w| w[0][0] <= w[1][0] && w[0][1] <= w[1][1]), "{at:?}");
            }
        }
    }

    #[test]
    fn what_few_comparisons_cannot_show_is_not_supported() {
        let rules = rules(5);
        let (claim, stranger) = (rules.for_claim(0.02, 60), rules.for_stranger(0.02, 60, READERS));
        // However many probes each reader had.
        let behind = [READERS * (READERS - 1) / 2, READERS];
        assert_eq!([claim.comparisons, stranger.comparisons], behind);
        assert!(claim.supported && !stranger.supported);
        assert!(
            !rules.for_claim(0.01, 60).supported && rules.for_stranger(0.15, 60, READERS).supported
        );
        assert_eq!([claim.readers, stranger.readers], [READERS; 2]);
        assert_eq!(rules.comparisons(), behind);
    }

    /// The cost of log-likelihood ratios, bits.
    fn cost(genuine: &[f64], impostor: &[f64]) -> f64 {
        let side = |ratios: &[f64], sign: f64| {
            ratios.iter().map(|r| (sign * r).exp().ln_1p()).sum::<f64>() / ratios.len() as f64
        };
        0.5 * (side(genuine, -1.0) + side(impostor, 1.0)) / std::f64::consts::LN_2
    }

    /// The least cost that any monotone map of the ratios could have, by pooling adjacent violators.
    fn least_cost(genuine: &[f64], impostor: &[f64]) -> f64 {
        let [n, m] = [genuine, impostor].map(|side| side.len() as f64);
        let weigh = |ratios: &[f64], weights: [f64; 2]| -> Vec<(f64, [f64; 2])> {
            ratios.iter().map(|ratio| (*ratio, weights)).collect()
        };
        let mut claims = [weigh(genuine, [1.0 / n, 0.0]), weigh(impostor, [0.0, 1.0 / m])].concat();
        claims.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut pools: Vec<[f64; 2]> = Vec::new();
        for (_, mut pool) in claims {
            while let Some(last) = pools.last().filter(|p| p[0] * pool[1] >= pool[0] * p[1]) {
                pool = [pool[0] + last[0], pool[1] + last[1]];
                pools.pop();
            }
            pools.push(pool);
        }
        let bits = |[a, b]: &[f64; 2]| {
            let part = |x: f64| if x > 0.0 { x * ((a + b) / x).log2() } else { 0.0 };
            part(*a) + part(*b)
        };
        0.5 * pools.iter().map(bits).sum::<f64>()
    }

    #[test]
    fn ratios_mean_what_they_say_and_no_more_than_claims_can_show() {
        let rules = rules(20);
        let mut random = Stream { seed: 9, index: 0 }.chain(0);
        let (mut genuine, mut impostor) = (Vec::new(), Vec::new());
        for i in 0..400 {
            let ratios = cohort_ratios(&scores(Some(i % READERS), 60, &mut random));
            let mut calibrated = rules.calibrated(&ratios, 60);
            genuine.push(calibrated.swap_remove(i % READERS));
            impostor.extend(calibrated);
        }
        let (cllr, best) = (cost(&genuine, &impostor), least_cost(&genuine, &impostor));
        assert!(cllr < 0.5 && cllr - best < 0.1, "{cllr} {best}");
        let [lowest, highest] = rules.bounds(60);
        let people = READERS as f64;
        assert_eq!(highest, (people * (people - 1.0) / 2.0 + 1.0).ln());
        assert_eq!(lowest, -(people + 1.0).ln());
        let extremes = [f64::INFINITY, 1e300, -1e300, f64::NEG_INFINITY];
        assert_eq!(rules.calibrated(&extremes, 60), [highest, highest, lowest, lowest]);
        assert!(rules.calibrated(&[], 60).is_empty());
    }

    #[test]
    fn posteriors_sum_to_one_whatever_the_scores() {
        let rules = rules(20);
        let mut random = Stream { seed: 10, index: 0 }.chain(0);
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let mut probes = vec![vec![-1e9, -2e9], vec![nan, 1.0], vec![nan; 3], vec![-inf, -inf]];
        probes.extend((0..50).map(|i| scores(Some(i % READERS), 60, &mut random)));
        for (number, scores) in probes.iter().enumerate() {
            for fixations in [0, 1, 60, 100_000] {
                let posterior = rules.posterior(scores, fixations);
                assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{number}");
                assert!(posterior.iter().all(|p| (0.0..=1.0).contains(p)), "{number}");
            }
        }
        assert_eq!(rules.posterior(&[nan, 1.0], 60), [0.0, 1.0]);
        assert!(rules.posterior(&[], 60).is_empty());
    }

    #[test]
    fn nothing_read_and_rates_that_are_none_accept_nobody() {
        let rules = rules(20);
        for threshold in [
            rules.for_claim(0.01, 0),
            rules.for_stranger(0.2, 0, READERS),
            rules.for_claim(f64::NAN, 60),
            rules.for_stranger(0.0, 60, READERS),
        ] {
            assert!(!threshold.is_reached(10.0), "{threshold:?}");
        }
        for ratio in [f64::NAN, f64::INFINITY] {
            let threshold = Threshold { ratio, ..rules.for_claim(0.01, 60) };
            assert!(!threshold.is_reached(f64::INFINITY), "{threshold:?}");
            assert!(!rules.for_claim(0.2, 60).is_reached(f64::NAN));
        }
    }

    #[test]
    fn rules_survive_storage() {
        let rules = rules(3);
        let text = serde_json::to_string(&rules).unwrap();
        assert_eq!(serde_json::from_str::<Rules>(&text).unwrap(), rules);
    }
}
