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
use crate::warning::{Comparisons, lowest_rate};
use crate::{Error, RateName, Recognizer, Warning};

/// What somebody unknown is called in answers, and therefore nobody else.
pub const UNKNOWN: &str = "unknown";

/// How somebody is identified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IdentifyOptions {
    /// Part of people who are not enrolled that may be taken for somebody, 0.0001 to 0.2.
    pub fpir: f64,
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
            fpir: 0.01,
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
    /// The rate that was asked for.
    pub fpir: f64,
    /// The ratio to the cohort at and above which the best is somebody known.
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

impl Recognizer {
    /// What to say of a rate that nothing shows to be kept, where it is asked for all the same. Galleries of
    /// words alone, of the first format, answer as they always did.
    pub(crate) fn allowed(
        &self,
        warning: Option<Warning>,
        allowed: bool,
    ) -> Result<Option<Warning>, Error> {
        match warning {
            Some(warning) if !allowed && self.gallery().people()?.is_some() => {
                Err(Error::Unsupported { at: self.location().clone(), warning })
            }
            warning => Ok(warning),
        }
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
        check_rate(RateName::Fpir, options.fpir)?;
        let (readings, mut warnings) = self.readings_of(probe)?;
        let shortlist = Shortlist::Best(options.top.max(options.candidates).max(1));
        let (readers, comparison) = self.compare(&readings, |_| Ok(shortlist))?;
        warnings.extend(readers.warnings());
        let (rules, fixations) = (&readers.rules, comparison.fixations);
        let threshold = rules.for_stranger(options.fpir, fixations, readers.names.len());
        let allowed = options.allow_unsupported || options.closed;
        let warning = unsupported(options.fpir, threshold, Comparisons::Probes);
        warnings.extend(self.allowed(warning, allowed)?);
        let order = readers.ranking(&comparison);
        let Comparison { scores, strengths, .. } = &comparison;
        let (best, answer) = rules.answer(options.fpir, scores, strengths, fixations);
        let answer = match options.closed {
            true if comparison.posterior[best] >= LIKELY => Answer::Named,
            true => Answer::Unknown,
            false => answer,
        };
        let (id, llr) = (&readers.names[best], comparison.llrs[best]);
        let liveness = match options.liveness {
            true => readers.life(self, &comparison, best, &readings)?,
            false => None,
        };
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
            readers.enough(&comparison, best, |n| {
                rules.for_stranger(options.fpir, n, readers.names.len())
            })
        });
        let more = enough.map(|enough| MoreReading::of(enough - fixations, &readings));
        Ok(Identification {
            likely,
            more_sentences: more.map(|more| more.sentences),
            more_seconds: more.map(|more| more.seconds),
            closed: options.closed,
            decision: if is_known { id.clone() } else { UNKNOWN.to_owned() },
            fixations,
            fpir: options.fpir,
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
