//! Who is reading?

use gazeprint::corpus::Corpus;
use gazeprint::decision::{Answer, GRID, LIKELY, Threshold};
use gazeprint::method::Evidence;
use gazeprint::saccade::Reading;
use gazeprint_store::Event;
use serde::Serialize;

use crate::liveness::LivenessFinding;
use crate::readers::{CANDIDATES, Comparison, Shortlist};
use crate::settlement::{ReplayFinding, ReplayPolicy, Settlement, sketches};
use crate::verify::DecisionOnly;
use crate::warning::{Comparisons, lowest_rate, shown_rate};
use crate::{Error, RateName, Recognizer, Warning};

/// What somebody unknown is called in answers, and therefore nobody else.
pub const UNKNOWN: &str = "unknown";

/// The rate of errors where none is asked for and people stand behind it.
pub const USUAL_RATE: f64 = 0.01;

/// How somebody is identified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdentifyOptions {
    /// Part of people who are not enrolled that may be taken for somebody, 0.0001 to 0.2; where none is asked for
    /// [`USUAL_RATE`], or the lowest that people stand behind.
    pub fpir: Option<f64>,
    /// It is one of the enrolled: strangers are not thought of.
    pub closed: bool,
    /// Answer at a rate that nothing shows to be kept.
    pub allow_unsupported: bool,
    /// Readers to list.
    pub top: usize,
    /// Readers to score in full where a large gallery is searched.
    pub candidates: usize,
    /// What to do with replays.
    pub replays: ReplayPolicy,
    /// Refuse what no person seems to have read.
    pub liveness: bool,
}

impl Default for IdentifyOptions {
    fn default() -> Self {
        let replays = ReplayPolicy::default();
        Self {
            fpir: None,
            closed: false,
            allow_unsupported: false,
            top: 5,
            candidates: CANDIDATES,
            replays,
            liveness: false,
        }
    }
}

/// Who it is, or nobody known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Identification {
    /// A reader, or [`UNKNOWN`].
    pub decision: String,
    /// Fixations of the probe that count.
    pub fixations: usize,
    /// The rate.
    pub fpir: f64,
    /// What the best must reach to be somebody known.
    pub threshold: f64,
    /// Whether there are enough comparisons for such a rate.
    pub supported: bool,
    /// Whether the probe was there before.
    pub replay: Option<ReplayFinding>,
    /// The best, first.
    pub ranking: Vec<Candidate>,
    /// Readings of the probe.
    pub readings: usize,
    /// What else should be known.
    pub warnings: Vec<Warning>,
    /// Who it is likely to be, where the rate is not kept.
    pub likely: Option<String>,
    /// Sentences still to be read for a name at the rate, about, of such as were read.
    pub more_sentences: Option<usize>,
    /// The same in seconds spent in fixations.
    pub more_seconds: Option<f64>,
    /// Whether it was said to be one of the enrolled.
    pub closed: bool,
    /// Whether a person read it, held against the best, where that was asked for.
    pub liveness: Option<LivenessFinding>,
}

/// Reading that is still needed.
#[derive(Clone, Copy)]
pub(crate) struct MoreReading {
    pub(crate) sentences: usize,
    pub(crate) seconds: f64,
}

impl MoreReading {
    /// So many fixations, of readings such as these.
    pub(crate) fn of(fixations: usize, readings: &[Reading]) -> Self {
        let all: usize = readings.iter().map(Reading::fixations).sum();
        let ms: f64 = readings.iter().flat_map(Reading::durations).sum();
        let part = fixations as f64 / all.max(1) as f64;
        Self {
            sentences: (part * readings.len() as f64).ceil().max(1.0) as usize,
            seconds: part * ms / 1000.0,
        }
    }
}

/// A reader with what speaks for them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// Name or pseudonym.
    pub reader: String,
    /// Log-likelihood of the probe.
    pub score: f64,
    /// Given that it is one of the enrolled.
    pub posterior: f64,
    /// What thresholds are for: the score of the claim or, in galleries of earlier versions, the log ratio
    /// to the cohort.
    pub ratio: f64,
    /// The same calibrated, nats.
    pub llr: f64,
    /// What moves, landings and times say against an average reader, nats.
    pub parts: Evidence,
}

impl Identification {
    /// The answer without scores, ratios and thresholds.
    pub fn decision_only(&self) -> DecisionOnly {
        DecisionOnly { decision: self.decision.clone(), reader: None }
    }

    /// Whether it is somebody known.
    pub fn is_known(&self) -> bool {
        self.decision != UNKNOWN
    }
}

/// Refuses a rate that thresholds are not learned for.
pub(crate) fn check_rate(rate: RateName, found: f64) -> Result<(), Error> {
    match (GRID[GRID.len() - 1]..=GRID[0]).contains(&found) {
        true => Ok(()),
        false => Err(Error::Rate { rate, found }),
    }
}

/// What to say of a rate that the gallery is too small for.
pub(crate) fn unsupported(rate: f64, threshold: Threshold, of: Comparisons) -> Option<Warning> {
    let Threshold { comparisons, readers, supported, .. } = threshold;
    let lowest_rate = lowest_rate(comparisons);
    let warning = Warning::UnsupportedRate { rate, comparisons, of, readers, lowest_rate };
    (!supported).then_some(warning)
}

/// What is answered by.
pub(crate) struct Bar {
    pub(crate) rate: f64,
    pub(crate) threshold: Threshold,
    pub(crate) warning: Option<Warning>,
}

/// A rate as somebody asks for it, or does not.
#[derive(Clone, Copy)]
pub(crate) struct AskedRate {
    pub(crate) name: RateName,
    pub(crate) rate: Option<f64>,
    /// Whether nobody need stand behind it.
    pub(crate) unsupported: bool,
    pub(crate) of: Comparisons,
}

impl AskedRate {
    /// Refuses a rate that thresholds are not learned for.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.rate.map_or(Ok(()), |rate| check_rate(self.name, rate))
    }
}

impl Recognizer {
    /// The threshold of a rate, given by rate. One that too few people stand behind is refused, or told where it
    /// is asked for all the same; where none is asked for, the lowest is taken that they do stand behind.
    /// Galleries of words alone, of the first format, answer as they always did.
    pub(crate) fn bar(
        &self,
        asked: AskedRate,
        threshold_at: impl Fn(f64) -> Threshold,
    ) -> Result<Bar, Error> {
        let rate = asked.rate.unwrap_or(USUAL_RATE);
        let threshold = threshold_at(rate);
        let warning = unsupported(rate, threshold, asked.of);
        let Some(warning) = warning else { return Ok(Bar { rate, threshold, warning }) };
        if asked.unsupported || self.gallery().people()?.is_none() {
            return Ok(Bar { rate, threshold, warning: Some(warning) });
        }
        let shown = shown_rate(threshold.comparisons);
        if asked.rate.is_none() && shown <= GRID[0] {
            let instead = threshold_at(shown);
            if instead.supported {
                let Threshold { comparisons, readers, .. } = instead;
                let of = asked.of;
                let told =
                    Warning::HigherRate { rate: shown, usual: rate, comparisons, of, readers };
                return Ok(Bar { rate: shown, threshold: instead, warning: Some(told) });
            }
        }
        Err(Error::Unsupported { at: self.location().clone(), warning })
    }

    /// Says who of the gallery reads, or that it is nobody known. The answer is logged, and what was
    /// recognised is remembered, to know it again.
    ///
    /// # Errors
    /// If the probe cannot be used, nothing can be decided, or the gallery cannot be read or written.
    pub fn identify(
        &self,
        probe: &Corpus,
        options: &IdentifyOptions,
    ) -> Result<Identification, Error> {
        let asked = AskedRate {
            name: RateName::Fpir,
            rate: options.fpir,
            unsupported: options.allow_unsupported || options.closed,
            of: Comparisons::Strangers,
        };
        asked.check()?;
        let (readings, mut warnings) = self.readings_of(probe)?;
        let shortlist = Shortlist::Best(options.top.max(options.candidates).max(1));
        let (readers, comparison) = self.compare(&readings, |_| Ok(shortlist))?;
        warnings.extend(readers.warnings());
        let (rules, fixations) = (&readers.rules, comparison.fixations);
        let at_rate = |rate| rules.for_stranger(rate, fixations, readers.names.len());
        let Bar { rate, threshold, warning } = self.bar(asked, at_rate)?;
        // Where nobody else is thought of, no rate is promised.
        warnings.extend(warning.filter(|_| !options.closed));
        let order = readers.ranking(&comparison);
        let Comparison { scores, strengths, .. } = &comparison;
        let (best, answer) = rules.answer(rate, scores, strengths, fixations);
        let answer = match options.closed {
            true if comparison.posterior[best] >= LIKELY => Answer::Named,
            true => Answer::Unknown,
            false => answer,
        };
        let (id, llr) = (&readers.names[best], comparison.llrs[best]);
        let liveness = options
            .liveness
            .then(|| readers.life(self, &comparison, best, &readings))
            .transpose()?;
        let is_alive = liveness.is_none_or(|found| found.alive);
        let settlement = Settlement {
            id,
            enrolled: &self.enrolled_with(id)?,
            own: &[],
            is_enough: answer == Answer::Named && is_alive,
            sketches: &sketches(&readings),
            policy: options.replays,
        };
        let (is_known, replay) = settlement.settle(self, |is_known, replay| {
            let reader = is_known.then(|| id.clone());
            Event::Identified { reader, llr, fixations, replay }
        })?;
        let ranking = order.iter().take(options.top).map(|&place| Candidate {
            reader: readers.names[place].clone(),
            score: comparison.scores[place],
            posterior: comparison.posterior[place],
            ratio: comparison.strengths[place],
            llr: comparison.llrs[place],
            parts: readers.evidence(&comparison, place),
        });
        // What was there before, or no person read, is nobody's.
        let is_new = is_alive && (replay.is_none() || options.replays.allow);
        let likely = (answer == Answer::Likely && is_new).then(|| id.clone());
        let enough = likely.as_ref().and_then(|_| {
            readers.enough(&comparison, best, |n| rules.for_stranger(rate, n, readers.names.len()))
        });
        let more = enough.map(|enough| MoreReading::of(enough - fixations, &readings));
        Ok(Identification {
            likely,
            more_sentences: more.map(|more| more.sentences),
            more_seconds: more.map(|more| more.seconds),
            closed: options.closed,
            decision: if is_known { id.clone() } else { UNKNOWN.to_owned() },
            fixations,
            fpir: rate,
            threshold: threshold.ratio,
            supported: threshold.supported,
            replay,
            ranking: ranking.collect(),
            readings: readings.len(),
            warnings,
            liveness,
        })
    }
}
