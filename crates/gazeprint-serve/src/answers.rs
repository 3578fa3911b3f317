//! Answers as they are sent: what the library answers, less what the caller may not see. Scores let somebody who
//! forges readings feel their way; decisions alone hardly do.

use gazeprint_recognition::{
    Candidate, Identification, LivenessFinding, ReplayFinding, ReplaySource, Verification, Warning,
};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The answer to `verify`. Fields after `more_sentences` take the scope `scores`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Verified {
    /// `accepted`, `undecided` or `rejected`.
    decision: &'static str,
    /// Who was claimed: name or pseudonym.
    reader: String,
    /// The rate of false accepts.
    fmr: f64,
    /// Whether enough people stand behind the rate.
    supported: bool,
    /// Fixations that count.
    fixations: usize,
    /// Whether the recording was there before.
    replay: Option<Replay>,
    /// What else should be known.
    #[schema(value_type = Vec<Object>)]
    warnings: Vec<Warning>,
    /// Sentences still to be read for the claim to be accepted, about.
    more_sentences: Option<usize>,
    #[serde(flatten)]
    scores: Option<VerifiedScores>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VerifiedScores {
    /// Calibrated log-likelihood ratio of the claim, nats.
    llr: f64,
    /// What is held against the threshold, nats; null where it is infinite, as those below.
    ratio: f64,
    threshold: f64,
    /// Pairs of people behind the rate.
    comparisons: usize,
    /// Of how many people.
    readers: usize,
    more_seconds: Option<f64>,
    #[schema(value_type = Option<Object>)]
    liveness: Option<LivenessFinding>,
}

/// The answer to `identify`. Fields after `closed` take the scope `scores`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Identified {
    /// The reader, or `unknown`.
    decision: String,
    /// Who it likely is, where the rate is not kept.
    likely: Option<String>,
    /// The rate of strangers who are taken for somebody.
    fpir: f64,
    supported: bool,
    fixations: usize,
    /// Texts that were read.
    readings: usize,
    replay: Option<Replay>,
    #[schema(value_type = Vec<Object>)]
    warnings: Vec<Warning>,
    more_sentences: Option<usize>,
    /// Whether it was said to be one of the enrolled.
    closed: bool,
    #[serde(flatten)]
    scores: Option<IdentifiedScores>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct IdentifiedScores {
    threshold: f64,
    /// The best, best first.
    #[schema(value_type = Vec<Object>)]
    ranking: Vec<Candidate>,
    more_seconds: Option<f64>,
    #[schema(value_type = Option<Object>)]
    liveness: Option<LivenessFinding>,
}

/// A recording that was there before.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Replay {
    /// `enrolled` or `earlier probe`.
    #[schema(value_type = String)]
    of: ReplaySource,
    #[serde(flatten)]
    scores: Option<ReplayScores>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReplayScores {
    readings: usize,
    pieces: usize,
    share: f64,
}

impl Replay {
    fn of(found: ReplayFinding, with_scores: bool) -> Self {
        let ReplayFinding { of, readings, pieces, share } = found;
        Self { of, scores: with_scores.then_some(ReplayScores { readings, pieces, share }) }
    }
}

impl Verified {
    pub(crate) fn of(answer: Verification, with_scores: bool) -> Self {
        // All fields by name: what is added to the library's answer is sent when somebody says to whom.
        let Verification {
            decision,
            reader,
            llr,
            ratio,
            threshold,
            fmr,
            supported,
            comparisons,
            readers,
            fixations,
            replay,
            warnings,
            more_sentences,
            more_seconds,
            liveness,
        } = answer;
        let scores =
            VerifiedScores { llr, ratio, threshold, comparisons, readers, more_seconds, liveness };
        Self {
            decision: decision.name(),
            reader,
            fmr,
            supported,
            fixations,
            replay: replay.map(|found| Replay::of(found, with_scores)),
            warnings,
            more_sentences,
            scores: with_scores.then_some(scores),
        }
    }

    pub(crate) fn decision(&self) -> &'static str {
        self.decision
    }
}

impl Identified {
    pub(crate) fn of(answer: Identification, with_scores: bool) -> Self {
        let Identification {
            decision,
            fixations,
            fpir,
            threshold,
            supported,
            replay,
            ranking,
            readings,
            warnings,
            likely,
            more_sentences,
            more_seconds,
            closed,
            liveness,
        } = answer;
        let scores = IdentifiedScores { threshold, ranking, more_seconds, liveness };
        Self {
            decision,
            likely,
            fpir,
            supported,
            fixations,
            readings,
            replay: replay.map(|found| Replay::of(found, with_scores)),
            warnings,
            more_sentences,
            closed,
            scores: with_scores.then_some(scores),
        }
    }

    /// What kind of answer it is, without a name.
    pub(crate) fn kind(&self) -> &'static str {
        match (self.decision.as_str(), &self.likely) {
            (gazeprint_recognition::UNKNOWN, None) => "unknown",
            (gazeprint_recognition::UNKNOWN, Some(_)) => "likely",
            _ => "named",
        }
    }
}

/// A line of a watch, less the ratio where scores are not to be seen.
pub(crate) fn line(answer: &impl Serialize, with_scores: bool) -> Value {
    let mut line = serde_json::to_value(answer).unwrap_or_default();
    if let Some(fields) = line.as_object_mut().filter(|_| !with_scores) {
        fields.remove("llr");
    }
    line
}
