//! The methods `embedding`, `oculomotor` and `fusion`.

use std::sync::Arc;
use std::time::Instant;

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::ground::{Ground, Signature, Wanted};
use super::people::People;
use super::scorer::FusionScorer;
use super::weights::{Heard, Weights};
use super::{ByVoice, Voice};
use crate::admission::GROUNDS;
use crate::inference::{Engine, InferenceError, Laplace};
use crate::method::population::LearnedPopulation;
use crate::method::{
    FitError, FitReport, Fitted, Fold, Method, Monitor, Occasion, PopulationScorer, Training,
};
use crate::random::{Stream, stream};
use crate::saccade::Reading;
use crate::score::{Scorer as _, Tally};
use crate::sight::Sight;

/// Seed of how readings are halved and probes drawn, and of the days that are imagined: what is learned
/// of readers must not depend on when.
const SEED: u64 = 1;
/// Held-out readings of a reader that weights are learned from, at most.
const MOST_READINGS: usize = 12;
/// Readings of the probes that weights are learned from.
const LENGTHS: [usize; 3] = [1, 3, MOST_READINGS];

/// A method of voices.
#[derive(Debug, Clone)]
pub struct VoiceMethod {
    name: &'static str,
    voices: &'static [Voice],
    people: Arc<People>,
}

/// The method `embedding`: what a frozen network makes of fixations.
pub fn embedding(people: Arc<People>) -> VoiceMethod {
    VoiceMethod { name: "embedding", voices: &[Voice::Embedding], people }
}

/// The method `oculomotor`: how the eye moves, without words.
pub fn oculomotor(people: Arc<People>) -> VoiceMethod {
    VoiceMethod { name: "oculomotor", voices: &[Voice::Oculomotor], people }
}

/// The method `fusion`: all voices that the recordings have.
pub fn fusion(people: Arc<People>) -> VoiceMethod {
    VoiceMethod { name: "fusion", voices: &Voice::ALL, people }
}

/// Stops where the monitor says so.
fn check(monitor: &dyn Monitor) -> Result<(), FitError> {
    match monitor.stop() {
        true => Err(FitError::Inference(InferenceError::Interrupted)),
        false => Ok(()),
    }
}

/// Whether most of what was read has something.
fn mostly(readings: &[(usize, &Reading)], has: impl Fn(&Reading) -> bool) -> bool {
    2 * readings.iter().filter(|(_, reading)| has(reading)).count() > readings.len()
}

/// Of some voices, those that can speak of these readings.
pub(super) fn voices_of(
    people: &People,
    wanted: &[Voice],
    readings: &[(usize, &Reading)],
) -> Result<Vec<Voice>, FitError> {
    let moves = |reading: &Reading| !reading.motions.is_empty();
    let speaks = |voice: &Voice| match voice {
        Voice::Reading => mostly(readings, Reading::has_words),
        Voice::Embedding => mostly(readings, |reading| reading.fixations() > 0),
        Voice::Oculomotor => people.motion().is_some() && mostly(readings, moves),
    };
    let voices: Vec<Voice> = wanted.iter().copied().filter(speaks).collect();
    match voices.is_empty() {
        false => Ok(voices),
        true if people.motion().is_none() && mostly(readings, moves) => {
            Err(FitError::NoMotionSpread)
        }
        true => Err(FitError::NoKinematics),
    }
}

/// Readers of a training, by voice.
struct Learned<'a> {
    people: &'a People,
    training: &'a Training<'a>,
    ground: Arc<Ground>,
    /// What the network makes of each reading.
    sights: Vec<Sight>,
    weights: Weights,
}

impl Learned<'_> {
    /// Readers as they are seen in the readings that are kept.
    fn scorer(
        &self,
        reading: Option<PopulationScorer>,
        kept: impl Fn(usize) -> bool,
    ) -> FusionScorer {
        let wanted = self.ground.wanted();
        let mut own: Vec<Vec<(&Reading, &Sight)>> = vec![Vec::new(); self.training.readers()];
        let readings = self.training.readings().iter().zip(&self.sights).enumerate();
        for (_, ((reader, reading), sight)) in readings.filter(|(i, _)| kept(*i)) {
            own[*reader].push((reading, sight));
        }
        let signatures: Vec<Signature> =
            own.into_iter().map(|own| Signature::of(wanted, own.into_iter())).collect();
        let same_day = self.training.occasion() == Occasion::Same;
        let network = Arc::clone(self.people.network());
        let ground = Arc::clone(&self.ground);
        FusionScorer::new(reading, network, ground, &signatures, same_day, self.weights)
    }

    /// The same readers learned from a half of what they read.
    fn half(
        &self,
        reading: Option<PopulationScorer>,
        number: usize,
        held_out: &[bool],
    ) -> FusionScorer {
        let scorer = self.scorer(reading, |i| !held_out[i]);
        // Held-out texts of the same day say little about another one.
        match self.training.occasion() {
            Occasion::Another if !self.training.has_sessions() => {
                let index = |r: usize| stream::ANOTHER_DAY + ((number as u64) << 24) + r as u64;
                scorer.on_another_day(|reader| Stream { seed: SEED, index: index(reader) })
            }
            _ => scorer,
        }
    }

    /// What voices say of probes that were held out, by length.
    fn heard(&self, halves: &[(FusionScorer, Vec<bool>)]) -> Vec<Vec<Heard>> {
        let mut lengths: Vec<Vec<Heard>> = LENGTHS.map(|_| Vec::new()).into();
        for (number, (scorer, held_out)) in halves.iter().enumerate() {
            let readers = self.training.readers();
            let mut is_known = vec![false; readers];
            let mut own: Vec<Vec<usize>> = vec![Vec::new(); readers];
            for (i, (reader, _)) in self.training.readings().iter().enumerate() {
                match held_out[i] {
                    true => own[*reader].push(i),
                    false => is_known[*reader] = true,
                }
            }
            let compared: Vec<usize> = (0..readers).filter(|r| is_known[*r]).collect();
            let heard: Vec<Vec<Vec<Heard>>> = compared
                .par_iter()
                .enumerate()
                .map(|(place, &reader)| {
                    let index = stream::CALIBRATION + ((number as u64 + 8) << 24) + reader as u64;
                    let mut chosen = own[reader].clone();
                    chosen.shuffle(&mut Stream { seed: SEED, index }.chain(0));
                    chosen.truncate(MOST_READINGS);
                    let tallies: Vec<Tally> = chosen
                        .iter()
                        .map(|&i| {
                            let (reading, sight) =
                                (self.training.readings()[i].1, self.sights.get(i));
                            scorer.tally(&scorer.probe_seen(reading, sight))
                        })
                        .collect();
                    let of_length = |texts: &usize| -> Vec<Heard> {
                        let texts = (*texts).min(tallies.len().max(1));
                        let probes = tallies.chunks_exact(texts);
                        probes.map(|probe| hear(scorer, place, &compared, probe)).collect()
                    };
                    LENGTHS.iter().map(of_length).collect()
                })
                .collect();
            for by_length in heard {
                lengths.iter_mut().zip(by_length).for_each(|(all, probes)| all.extend(probes));
            }
        }
        lengths
    }
}

/// What voices say of one probe, for those who are compared.
fn hear(scorer: &FusionScorer, reader: usize, compared: &[usize], probe: &[Tally]) -> Heard {
    let tally = Tally::total(probe);
    let said = scorer.said(&tally);
    let of = |voice: Voice| compared.iter().map(|&r| said[voice][r]).collect();
    Heard { reader, fixations: tally.fixations(), said: ByVoice::of(of) }
}

impl Method for VoiceMethod {
    fn name(&self) -> &str {
        self.name
    }

    fn needs_words(&self) -> bool {
        false
    }

    fn engine(&self) -> Option<&str> {
        self.voices.contains(&Voice::Reading).then(|| Engine::Laplace(Laplace::default()).name())
    }

    fn fit(
        &self,
        training: &Training<'_>,
        _: u64,
        monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError> {
        check(monitor)?;
        let voices = voices_of(&self.people, self.voices, training.readings())?;
        let (reading, report) = match voices.contains(&Voice::Reading) {
            true => {
                let learned = LearnedPopulation::of(training, self.people.day_shares(), monitor)?;
                let reading = ReadingFit { scorer: learned.scorer(true), halves: learned.halves() };
                (Some(reading), learned.report.clone())
            }
            false => (None, FitReport::default()),
        };
        let fitted = VoiceFit { people: &self.people, voices: &voices, training, usual: &[] };
        let fitted = fitted.fit(reading, None, monitor)?;
        let fit_seconds = report.fit_seconds + fitted.report.fit_seconds;
        let tune_seconds = report.tune_seconds + fitted.report.tune_seconds;
        Ok(Fitted { report: FitReport { fit_seconds, tune_seconds, ..report }, ..fitted })
    }
}

/// The voice of words as it was fitted to a training: all readers, and those learned from either half, with what
/// was held out.
pub(super) struct ReadingFit {
    pub(super) scorer: PopulationScorer,
    pub(super) halves: Vec<(PopulationScorer, Vec<bool>)>,
}

/// How voices are fitted to a training.
pub(super) struct VoiceFit<'a> {
    pub(super) people: &'a People,
    pub(super) voices: &'a [Voice],
    pub(super) training: &'a Training<'a>,
    /// What a fixation of each reader's own readings says for them, where that is asked.
    pub(super) usual: &'a [[f64; GROUNDS]],
}

impl VoiceFit<'_> {
    /// Readers of all voices, those of words given; their ground, where that is known.
    pub(super) fn fit(
        &self,
        reading: Option<ReadingFit>,
        ground: Option<Arc<Ground>>,
        monitor: &dyn Monitor,
    ) -> Result<Fitted, FitError> {
        let start = Instant::now();
        let wanted = Wanted::of(self.voices);
        let readings = self.training.readings();
        let (ground, sights) = match ground {
            Some(ground) => {
                let network = self.people.network();
                let sights = readings.par_iter().map(|(_, r)| ground.sight(network, r)).collect();
                (ground, sights)
            }
            None => {
                let (ground, sights) =
                    Ground::learn(self.people, wanted, readings, self.training.occasion());
                (Arc::new(ground), sights)
            }
        };
        check(monitor)?;
        let is_alone = self.voices.len() == 1;
        let weights = if is_alone { Weights::ALONE } else { *self.people.weights() };
        let learned =
            Learned { people: self.people, training: self.training, ground, sights, weights };
        let (reading, halves) = reading.map_or((None, None), |r| (Some(r.scorer), Some(r.halves)));
        let scorer = learned.scorer(reading, |_| true);
        let fit_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let halves = self.halves(&learned, halves);
        check(monitor)?;
        // What was read on one day does not show how much voices count on another.
        let of_days = match self.training.occasion() {
            Occasion::Another if !self.training.has_sessions() => self.people.day_weights(),
            _ => None,
        };
        let weights = match (is_alone, of_days) {
            (true, _) => weights,
            (false, Some(of_days)) => *of_days,
            (false, None) => Weights::learn(weights, self.voices, &learned.heard(&halves)),
        };
        let folds = halves
            .into_iter()
            .map(|(half, held_out)| {
                let half = half.weighed(weights).with_usual(self.usual.to_vec());
                Fold::new(Box::new(half), self.training, &held_out)
            })
            .collect();
        let tune_seconds = start.elapsed().as_secs_f64();
        let report = FitReport { fit_seconds, tune_seconds, ..FitReport::default() };
        let scorer = Box::new(scorer.weighed(weights).with_usual(self.usual.to_vec()));
        let (occasion, is_usual_known) = (self.training.occasion(), !self.usual.is_empty());
        let admission = self.people.admission(occasion, &learned.ground, is_usual_known);
        let admission = admission.filter(|_| scorer.has_grounds()).cloned();
        let sights = learned.sights;
        Ok(Fitted { scorer, folds, report, weights, admission, sights })
    }

    /// Readers learned from either half.
    fn halves(
        &self,
        learned: &Learned<'_>,
        reading: Option<Vec<(PopulationScorer, Vec<bool>)>>,
    ) -> Vec<(FusionScorer, Vec<bool>)> {
        let halves: Vec<(Option<PopulationScorer>, Vec<bool>)> = match reading {
            Some(halves) => {
                halves.into_iter().map(|(scorer, held_out)| (Some(scorer), held_out)).collect()
            }
            None => {
                let halves = self.training.halves(SEED).into_iter().flatten();
                halves.map(|held_out| (None, held_out)).collect()
            }
        };
        let half =
            |(number, (reading, held_out)): (usize, (Option<PopulationScorer>, Vec<bool>))| {
                (learned.half(reading, number, &held_out), held_out)
            };
        halves.into_iter().enumerate().map(half).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Limits;
    use crate::method::LearnedReaders;
    use crate::saccade::readings;
    use crate::simulate::SimulationParams;

    /// They are computed once for a training, to the last bit what readers and folds make of its readings.
    #[test]
    fn sights_of_a_training_are_those_that_readers_and_folds_see() {
        let params = SimulationParams { readers: 6, texts: 10, ..SimulationParams::default() };
        let (readings, _) = readings(&params.build().unwrap().run(), Limits::default());
        let training = Training::new(6, readings.iter().map(|r| (r.reader, r)).collect()).unwrap();
        let fusion = fusion(Arc::clone(People::shipped()));
        let fitted = fusion.fit(&training, 1, &crate::method::Unwatched).unwrap();
        assert_eq!(fitted.sights.len(), readings.len());
        let folds = fitted.folds.iter().map(|fold| &*fold.scorer);
        let scorers: Vec<&dyn LearnedReaders> = folds.chain([&*fitted.scorer]).collect();
        assert_eq!(scorers.len(), 3);
        for (reading, sight) in readings.iter().zip(&fitted.sights) {
            assert!(!sight.is_empty());
            for scorer in &scorers {
                let seen = scorer.tally(&scorer.probe_seen(reading, Some(sight)));
                assert!(seen == scorer.tally(&scorer.probe(reading)));
            }
        }
    }
}
