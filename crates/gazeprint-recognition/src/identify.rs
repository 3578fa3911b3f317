//! Who is reading?

use gazeprint::corpus::Corpus;
use gazeprint::decision::{GRID, Threshold};
use gazeprint::method::Evidence;
use gazeprint_store::Event;
use serde::Serialize;

use crate::readers::{CANDIDATES, Shortlist};
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
    /// Readers to list.
    pub top: usize,
    /// Readers to score in full where a large gallery is searched.
    pub candidates: usize,
    /// What to do with replays.
    pub replays: ReplayPolicy,
}

impl Default for IdentifyOptions {
    fn default() -> Self {
        let replays = ReplayPolicy::default();
        Self { fpir: 0.01, top: 5, candidates: CANDIDATES, replays }
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
    /// Log ratio to the cohort.
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
        let rate = readers.rules.rate_among(options.fpir, readers.names.len() - 1);
        let threshold = readers.rules.for_stranger(rate, comparison.fixations);
        warnings.extend(unsupported(options.fpir, threshold, Comparisons::Probes));
        let order = readers.ranking(&comparison);
        let best = order[0];
        let id = &readers.names[best];
        let (llr, fixations) = (comparison.llrs[best], comparison.fixations);
        let settlement = Settlement {
            id,
            enrolled: &self.enrolled_with(id)?,
            own: &[],
            is_enough: threshold.is_reached(comparison.ratios[best]),
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
            ratio: comparison.ratios[place],
            llr: comparison.llrs[place],
            parts: readers.evidence(&comparison, place),
        });
        Ok(Identification {
            decision: if is_known { id.clone() } else { UNKNOWN.to_owned() },
            fixations,
            fpir: options.fpir,
            threshold: threshold.ratio,
            supported: threshold.supported,
            replay,
            ranking: ranking.collect(),
            readings: readings.len(),
            warnings,
        })
    }
}
