//! Settling a probe: whether it was there before, what is logged, and what is remembered.

use gazeprint::replay::{KnownReadings, Sketch};
use gazeprint::saccade::Reading;
use gazeprint_store::{Event, GalleryError, Remember};
use serde::Serialize;

use crate::readers::MOST_TRIES;
use crate::{Error, Recognizer};

/// What to do with recordings that were there before, and will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReplayPolicy {
    /// Take recordings that were there before for new ones.
    pub allow: bool,
    /// Do not remember this probe; it is logged all the same.
    pub forget: bool,
}

/// Where a recording was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum ReplaySource {
    /// Among what the reader was enrolled with.
    #[serde(rename = "enrolled")]
    Enrolled,
    /// Among earlier probes.
    #[serde(rename = "earlier probe")]
    EarlierProbe,
}

/// A probe that was there before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayFinding {
    /// Where.
    pub of: ReplaySource,
    /// Readings of the probe that were there before.
    pub readings: usize,
    /// Pieces of its readings in a row that were there before; looked for where no reading was.
    pub pieces: usize,
    /// The largest part of the fixations of one of them that are the same.
    pub share: f64,
}

impl ReplayFinding {
    /// What of a probe was there before.
    pub(crate) fn of(
        enrolled: &KnownReadings,
        earlier: &KnownReadings,
        probe: &[Sketch],
    ) -> Option<Self> {
        let among = |of, known| Self::among(of, known, probe);
        among(ReplaySource::Enrolled, enrolled)
            .or_else(|| among(ReplaySource::EarlierProbe, earlier))
    }

    /// What of a probe is among known readings: readings of it or, where it was cut into smaller ones,
    /// pieces of all in a row.
    fn among(of: ReplaySource, known: &KnownReadings, probe: &[Sketch]) -> Option<Self> {
        let count = |shares: Vec<f64>| (shares.len(), shares.into_iter().fold(0.0, f64::max));
        let shares = probe.iter().filter_map(|s| known.replayed(s)).map(|r| r.share);
        let (readings, share) = count(shares.collect());
        if readings > 0 {
            return Some(Self { of, readings, pieces: 0, share });
        }
        let (pieces, share) = count(known.replayed_pieces(probe).map(|r| r.share).collect());
        (pieces > 0).then_some(Self { of, readings, pieces, share })
    }
}

/// Readings as they are compared and remembered.
pub(crate) fn sketches(readings: &[Reading]) -> Vec<Sketch> {
    readings.iter().map(Sketch::of).collect()
}

/// A probe that is to be settled: who it was taken for, and whether the evidence is enough.
pub(crate) struct Settlement<'a> {
    pub(crate) id: &'a str,
    /// What the reader was enrolled with.
    pub(crate) enrolled: &'a KnownReadings,
    /// What was remembered of this very probe.
    pub(crate) own: &'a [Sketch],
    pub(crate) is_enough: bool,
    pub(crate) sketches: &'a [Sketch],
    pub(crate) policy: ReplayPolicy,
}

impl Settlement<'_> {
    /// Says whether a probe is taken for the reader, and whether it was there before. Logs it, and
    /// remembers it where it was accepted.
    pub(crate) fn settle(
        &self,
        desk: &Recognizer,
        event: impl Fn(bool, bool) -> Event,
    ) -> Result<(bool, Option<ReplayFinding>), Error> {
        let mut tries = 1;
        loop {
            let earlier = desk.gallery().earlier_probes(self.id)?;
            let others =
                KnownReadings::new(earlier.iter().filter(|sketch| !self.own.contains(sketch)));
            let replay = ReplayFinding::of(self.enrolled, &others, self.sketches);
            let accepted = self.is_enough && (replay.is_none() || self.policy.allow);
            let remembered = Remember { id: self.id, sketches: self.sketches, earlier: &earlier };
            let remembered = (accepted && !self.policy.forget).then_some(remembered);
            match desk.note(event(accepted, replay.is_some()), remembered) {
                // Another remembered a probe: it may be this one.
                Err(Error::Gallery(GalleryError::Conflict { .. })) if tries < MOST_TRIES => {
                    tries += 1;
                }
                noted => return noted.map(|()| (accepted, replay)),
            }
        }
    }
}

impl Recognizer {
    /// Logs what was done, and remembers a probe; nothing in a gallery of an earlier format, which is only
    /// read.
    pub(crate) fn note(&self, event: Event, probe: Option<Remember<'_>>) -> Result<(), Error> {
        match self.is_old() {
            true => Ok(()),
            false => Ok(self.gallery().note(event, probe)?),
        }
    }

    /// What a reader was enrolled with; nothing of somebody unknown.
    pub(crate) fn enrolled_with(&self, id: &str) -> Result<KnownReadings, Error> {
        let recordings = self.gallery().recordings(id)?;
        let Some((recordings, _)) = recordings else {
            return Ok(KnownReadings::default());
        };
        Ok(KnownReadings::new(&sketches(&self.recorded(id, &recordings)?)))
    }
}
