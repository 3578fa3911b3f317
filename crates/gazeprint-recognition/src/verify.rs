//! Is it really this reader?

use gazeprint::corpus::Corpus;
use gazeprint::decision::LIKELY_RATE;
use gazeprint_store::Event;
use serde::Serialize;

use crate::identify::{AskedRate, Bar, MoreReading};
use crate::liveness::LivenessFinding;
use crate::readers::ComparedClaim;
use crate::settlement::{ReplayFinding, ReplayPolicy, Settlement, sketches};
use crate::warning::Comparisons;
use crate::{Error, RateName, Recognizer, Warning};

/// How a claim is verified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerifyOptions {
    /// Part of false claims that may be accepted, 0.0001 to 0.2; where none is asked for
    /// [`USUAL_RATE`](crate::USUAL_RATE), or the lowest that people stand behind.
    pub fmr: Option<f64>,
    /// Answer at a rate that nothing shows to be kept.
    pub allow_unsupported: bool,
    /// What to do with replays.
    pub replays: ReplayPolicy,
    /// Refuse what no person seems to have read.
    pub liveness: bool,
}

impl Default for VerifyOptions {
    fn default() -> Self {
        let replays = ReplayPolicy::default();
        Self { fmr: None, allow_unsupported: false, replays, liveness: false }
    }
}

/// What is thought of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is believed.
    Accepted,
    /// It may be true: there was too little to read for the rate.
    Undecided,
    /// It is not.
    Rejected,
}

impl Verdict {
    /// The name used in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Undecided => "undecided",
            Self::Rejected => "rejected",
        }
    }
}

/// Whether a claim is believed, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// What is thought of the claim.
    pub decision: Verdict,
    /// Who was claimed.
    pub reader: String,
    /// Calibrated log-likelihood ratio of the claim, nats.
    pub llr: f64,
    /// What thresholds are for: the score of the claim or, in galleries of earlier versions, the log ratio
    /// to the cohort.
    pub ratio: f64,
    /// What a claim must reach to be accepted.
    pub threshold: f64,
    /// The rate.
    pub fmr: f64,
    /// Whether enough people stand behind such a rate.
    pub supported: bool,
    /// Pairs of people that there are.
    pub comparisons: usize,
    /// Of how many people.
    pub readers: usize,
    /// Fixations of the probe that count.
    pub fixations: usize,
    /// Whether the probe was there before.
    pub replay: Option<ReplayFinding>,
    /// What else should be known.
    pub warnings: Vec<Warning>,
    /// Sentences still to be read for the claim to be accepted, about, where that is undecided.
    pub more_sentences: Option<usize>,
    /// The same in seconds spent in fixations.
    pub more_seconds: Option<f64>,
    /// Whether a person read it, where that was asked for.
    pub liveness: Option<LivenessFinding>,
}

/// An answer without numbers: who may ask again and again learns nothing about how near they came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionOnly {
    /// Of a claim what is thought of it; else a reader, or [`UNKNOWN`](crate::UNKNOWN).
    pub decision: String,
    /// Who was claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
}

impl Verification {
    /// The answer without scores, ratios and thresholds.
    pub fn decision_only(&self) -> DecisionOnly {
        let decision = self.decision.name().to_owned();
        DecisionOnly { decision, reader: Some(self.reader.clone()) }
    }
}

impl Recognizer {
    /// Accepts or rejects the claim that a probe is of a reader, given by name or pseudonym. The
    /// answer is logged, and what was accepted is remembered, to know it again.
    ///
    /// # Errors
    /// If there is no such reader, the probe cannot be used, nothing can be decided, or the gallery
    /// cannot be read or written.
    pub fn verify(
        &self,
        probe: &Corpus,
        reader: &str,
        options: &VerifyOptions,
    ) -> Result<Verification, Error> {
        let asked = AskedRate {
            name: RateName::Fmr,
            rate: options.fmr,
            unsupported: options.allow_unsupported,
            of: Comparisons::Pairs,
        };
        asked.check()?;
        let (readings, mut warnings) = self.readings_of(probe)?;
        let ComparedClaim { readers, place, comparison } = self.compare_claim(&readings, reader)?;
        warnings.extend(readers.warnings());
        let id = &readers.names[place];
        let at_rate = |rate| readers.rules.for_claim(rate, comparison.fixations);
        let Bar { rate, threshold, warning } = self.bar(asked, at_rate)?;
        warnings.extend(warning);
        let strength = comparison.strengths[place];
        let undecided = readers.rules.for_claim(LIKELY_RATE.max(rate), comparison.fixations);
        let (llr, fixations) = (comparison.llrs[place], comparison.fixations);
        let liveness = options
            .liveness
            .then(|| readers.life(self, &comparison, place, &readings))
            .transpose()?;
        let is_alive = liveness.is_none_or(|found| found.alive);
        let settlement = Settlement {
            id,
            enrolled: &self.enrolled_with(id)?,
            own: &[],
            is_enough: threshold.is_reached(strength) && is_alive,
            sketches: &sketches(&readings),
            policy: options.replays,
        };
        let (accepted, replay) = settlement.settle(self, |accepted, replay| Event::Verified {
            reader: id.clone(),
            accepted,
            llr,
            fixations,
            replay,
        })?;
        let decision = match accepted {
            true => Verdict::Accepted,
            // What was there before, or is nobody's, is no reason to read on.
            false if replay.is_none() && is_alive && undecided.is_reached(strength) => {
                Verdict::Undecided
            }
            false => Verdict::Rejected,
        };
        let more = (decision == Verdict::Undecided)
            .then(|| readers.enough(&comparison, place, |n| readers.rules.for_claim(rate, n)));
        let more = more.flatten().map(|enough| MoreReading::of(enough - fixations, &readings));
        Ok(Verification {
            decision,
            more_sentences: more.map(|more| more.sentences),
            more_seconds: more.map(|more| more.seconds),
            reader: id.clone(),
            llr,
            ratio: strength,
            threshold: threshold.ratio,
            fmr: rate,
            supported: threshold.supported,
            comparisons: threshold.comparisons,
            readers: threshold.readers,
            fixations,
            replay,
            warnings,
            liveness,
        })
    }
}
