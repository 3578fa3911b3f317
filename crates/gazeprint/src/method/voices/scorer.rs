//! Scores of voices that speak together.

use std::sync::Arc;

use super::ground::{Ground, PlacedSignature, Signature, WINDOW};
use super::motion::{self, MotionSpread};
use super::weights::Weights;
use super::{ByVoice, Voice};
use crate::admission::{Claim, GROUNDS};
use crate::live::LiveStep;
use crate::method::{Evidence, Forger, LearnedReaders, PopulationScorer};
use crate::moments::Moments;
use crate::network::Network;
use crate::random::Stream;
use crate::saccade::Reading;
use crate::score::{Scorer, Tally};
use crate::sight::{Sight, Sighted};
use crate::template::Probe;

/// Readers of whom several voices speak.
#[derive(Clone)]
pub struct FusionScorer {
    reading: Option<PopulationScorer>,
    network: Arc<Network>,
    ground: Arc<Ground>,
    readers: Vec<PlacedSignature>,
    embedding: Vec<Sighted>,
    motion: Vec<Sighted>,
    /// Whether probes are of the sessions that readers are known from.
    same_day: bool,
    weights: Weights,
    /// What a fixation of each reader's own readings says for them on average; empty where that is not asked.
    usual: Vec<[f64; GROUNDS]>,
}

impl FusionScorer {
    /// Readers by their signatures and, where words are known, by their templates in `reading`, which
    /// has as many.
    pub fn new(
        reading: Option<PopulationScorer>,
        network: Arc<Network>,
        ground: Arc<Ground>,
        signatures: &[Signature],
        same_day: bool,
        weights: Weights,
    ) -> Self {
        let readers = signatures.iter().map(|signature| ground.placed(signature)).collect();
        Self {
            reading,
            network,
            ground,
            readers,
            embedding: Vec::new(),
            motion: Vec::new(),
            same_day,
            weights,
            usual: Vec::new(),
        }
        .sighted()
    }

    fn sighted(mut self) -> Self {
        if let Some(spread) = self.ground.embedding_spread() {
            let known = |reader: &PlacedSignature| spread.sighted(&reader.embedding, self.same_day);
            self.embedding = self.readers.iter().map(known).collect();
        }
        if let Some(MotionSpread { spread, .. }) = self.ground.motion() {
            let known = |reader: &PlacedSignature| spread.sighted(&reader.motion, self.same_day);
            self.motion = self.readers.iter().map(known).collect();
        }
        self
    }

    /// The same readers as they might have been seen on another day; `stream` names the random numbers
    /// of a reader. The reading voice is as it is.
    pub(super) fn on_another_day(mut self, stream: impl Fn(usize) -> Stream) -> Self {
        for (number, reader) in self.readers.iter_mut().enumerate() {
            let mut random = stream(number).chain(1);
            if let Some(spread) = self.ground.embedding_spread() {
                for placed in &mut reader.embedding {
                    *placed = spread.on_another_day(placed, &mut random);
                }
            }
            if let Some(MotionSpread { spread, .. }) = self.ground.motion() {
                for placed in &mut reader.motion {
                    *placed = spread.on_another_day(placed, &mut random);
                }
            }
        }
        self.sighted()
    }

    /// The same voices, which count otherwise.
    pub fn weighed(self, weights: Weights) -> Self {
        Self { weights, ..self }
    }

    /// The same, with what a fixation of each reader's own readings says for them on average.
    pub(super) fn with_usual(self, usual: Vec<[f64; GROUNDS]>) -> Self {
        Self { usual, ..self }
    }

    /// How much each voice counts.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The voice of words, where there is one.
    pub fn reading(&self) -> Option<&PopulationScorer> {
        self.reading.as_ref()
    }

    /// Whether a voice speaks.
    pub fn has(&self, voice: Voice) -> bool {
        match voice {
            Voice::Reading => self.reading.is_some(),
            Voice::Embedding => !self.embedding.is_empty(),
            Voice::Oculomotor => !self.motion.is_empty(),
        }
    }

    /// Whether claims have grounds that decisions about strangers are made on.
    pub fn has_grounds(&self) -> bool {
        let words = self.reading.as_ref();
        words.is_some_and(PopulationScorer::has_cohort) && self.has(Voice::Embedding)
    }

    /// What each part of a probe says for a reader, given by place, as much as it counts: of words against
    /// the population, of other voices against anybody.
    pub fn evidence(&self, probe: &Probe, reader: usize) -> Evidence {
        let weight = |voice| self.weights.at(voice, probe.fixations());
        let words = self.reading.as_ref().map(|words| words.evidence(probe, reader));
        let Evidence { types, amplitudes, durations, .. } = words.unwrap_or_default();
        let by = weight(Voice::Reading);
        // What words say of all others is not asked.
        let said = self.said(&Tally::sums(probe.fixations(), Vec::new()).with_sights(probe));
        let part = |voice| self.has(voice).then(|| weight(voice) * said[voice][reader]);
        Evidence {
            types: by * types,
            amplitudes: by * amplitudes,
            durations: by * durations,
            embedding: part(Voice::Embedding),
            oculomotor: part(Voice::Oculomotor),
        }
    }

    /// What each voice says, for all readers: not weighed.
    pub fn said(&self, tally: &Tally) -> ByVoice<Vec<f64>> {
        let nothing = || vec![0.0; self.len()];
        ByVoice::of(|voice| match voice {
            Voice::Reading => self.reading.as_ref().map_or_else(nothing, |r| r.settle(tally)),
            Voice::Embedding => self.ground.embedding_spread().map_or_else(nothing, |spread| {
                spread.ratios(&self.embedding, tally.probe().embedding(), self.same_day)
            }),
            Voice::Oculomotor => {
                self.ground.motion().map_or_else(nothing, |MotionSpread { scale, spread }| {
                    let sight = motion::sight(scale, tally.probe().moments());
                    spread.ratios(&self.motion, &sight, self.same_day)
                })
            }
        })
    }
}

impl Scorer for FusionScorer {
    fn len(&self) -> usize {
        self.readers.len()
    }

    fn probe(&self, reading: &Reading) -> Probe {
        self.probe_seen(reading, None)
    }

    fn probe_seen(&self, reading: &Reading, sight: Option<&Sight>) -> Probe {
        let words = self.reading.as_ref().filter(|_| !reading.events.is_empty());
        let probe = words.map_or_else(
            || Probe::new(Vec::new(), 0.0, reading.fixations()),
            |words| words.probe(reading),
        );
        let moments = match self.has(Voice::Oculomotor) {
            true => Moments::of(&reading.motions),
            false => Moments::default(),
        };
        let sight = sight.cloned().unwrap_or_else(|| self.ground.sight(&self.network, reading));
        probe.with_sights(sight, moments)
    }

    fn tally(&self, probe: &Probe) -> Tally {
        let words = self.reading.as_ref().map(|words| words.tally(probe));
        words.unwrap_or_else(|| Tally::sums(probe.fixations(), Vec::new())).with_sights(probe)
    }

    fn tally_of(&self, probe: &Probe, reader: usize) -> Tally {
        let words = self.reading.as_ref().map(|words| words.tally_of(probe, reader));
        words.unwrap_or_else(|| Tally::sums(probe.fixations(), Vec::new())).with_sights(probe)
    }

    fn settle(&self, tally: &Tally) -> Vec<f64> {
        let said = self.said(tally);
        let mut scores = vec![0.0; self.len()];
        for (voice, said) in said.iter().filter(|(voice, _)| self.has(*voice)) {
            let weight = self.weights.at(voice, tally.fixations());
            crate::kernels::axpy(weight, said, &mut scores);
        }
        scores
    }

    /// Where words are known and the network speaks. What the eye's motion says is added to what the network
    /// says, by how much either counts.
    fn claims(&self, tally: &Tally) -> Option<Vec<Claim>> {
        let words = self.reading.as_ref()?.ratios(tally)?;
        if !self.has(Voice::Embedding) {
            return None;
        }
        let said = self.said(tally);
        let weight = |voice| self.weights.at(voice, tally.fixations());
        let share = match self.has(Voice::Oculomotor) {
            true => weight(Voice::Oculomotor) / weight(Voice::Embedding),
            false => 0.0,
        };
        let claim = |(reader, [types, landings, durations]): (usize, [f64; 3])| {
            let motion = share * said[Voice::Oculomotor][reader];
            let usual = self.usual.get(reader).copied().unwrap_or_default();
            Claim {
                grounds: [types, landings, durations, said[Voice::Embedding][reader] + motion],
                usual: usual.map(|rate| rate * tally.fixations() as f64),
            }
        };
        Some(words.into_iter().enumerate().map(claim).collect())
    }

    fn population(&self, probe: &Probe, scores: &[f64]) -> f64 {
        let weight = self.weights.at(Voice::Reading, probe.fixations());
        self.reading.as_ref().map_or(0.0, |words| weight * words.population(probe, scores))
    }

    fn added(&self, step: &LiveStep<'_>) -> Tally {
        let words = self.reading.as_ref().map(|words| words.added(step));
        let moments = match self.has(Voice::Oculomotor) {
            true => Moments::of(step.motions()),
            false => Moments::default(),
        };
        let sights = Probe::default().with_sights(self.looked_at(step), moments);
        words.unwrap_or_else(|| Tally::sums(1, Vec::new())).with_sights(&sights)
    }
}

impl FusionScorer {
    /// What the network makes of a reading that goes on beyond what it made of it when it last looked: it looks at all
    /// of a part, as it does when the reading is over, so that both come to nearly the same: a reading that is over is cut into
    /// equal parts, and what came after the last look is in no part here.
    fn looked_at(&self, step: &LiveStep<'_>) -> Sight {
        let start = (step.seen() - 1) / WINDOW * WINDOW;
        let Some(before) = look_before(step.seen() - start) else { return Sight::default() };
        let look =
            |fixations| self.ground.segment(&self.network, &step.part(start..start + fixations));
        let mut sight = look(step.seen() - start);
        if before > 0 {
            sight.add(-1.0, &look(before));
        }
        sight
    }
}

/// Fixations of a part that are looked at first.
const FIRST_LOOK: usize = 4;

/// Where a part of so many fixations is looked at, how many they were the last time; nought where there was none. Looks become
/// rarer with the part, so that each fixation costs about the same.
fn look_before(fixations: usize) -> Option<usize> {
    let apart = |fixations: usize| ((1 << fixations.ilog2()) / 4).max(2);
    if fixations < FIRST_LOOK || !fixations.is_multiple_of(apart(fixations)) {
        return None;
    }
    let before = fixations - apart(fixations - 1);
    Some(if before < FIRST_LOOK { 0 } else { before })
}

impl LearnedReaders for FusionScorer {
    fn forger(&self) -> Option<&dyn Forger> {
        self.reading.as_ref().and_then(LearnedReaders::forger)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_look_knows_the_one_before() {
        let mut last = 0;
        for (fixations, before) in (1..=WINDOW).filter_map(|n| Some((n, look_before(n)?))) {
            assert_eq!(before, last);
            last = fixations;
        }
        assert_eq!(last, WINDOW, "a part is looked at when it is whole");
    }
}
