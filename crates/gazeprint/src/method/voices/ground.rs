//! What sights of some readers are compared on.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Voice;
use super::motion::{self, MotionSpread};
use super::people::{LearnedEmbedding, People};
use crate::method::Occasion;
use crate::moments::Moments;
use crate::network::{Input, Network, Scaling};
use crate::saccade::Reading;
use crate::sight::{Placed, Seen, Sight, Spread, SpreadParams, Timed, Trend};

/// Fixations that the network looks at at once, at most: as many as it was trained with.
pub(super) const WINDOW: usize = 96;
/// Fixations of a reading of weight 1, and how fast weights grow with them.
const UNIT: f64 = 12.0;
const GROWTH: f64 = 0.5;
/// Fewest readers by whose mean the eye's motions are centred: trackers differ.
const FEWEST: usize = 10;

/// What sights are compared on: how inputs are standardised, and how sights are spread.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ground {
    embedding: Option<EmbeddingGround>,
    motion: Option<MotionSpread>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct EmbeddingGround {
    scaling: Scaling,
    spread: Spread,
    /// How sights move over a sitting, for probes of the same one. A gallery has none.
    #[serde(skip)]
    trend: Option<Trend>,
}

/// Sights of one reader, by session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Signature {
    embedding: Vec<Sight>,
    motion: Vec<Moments>,
}

/// Sights of one reader in the directions of the spreads, by session.
#[derive(Debug, Clone, Default)]
pub(super) struct PlacedSignature {
    pub(super) embedding: Vec<Placed>,
    pub(super) motion: Vec<Placed>,
}

/// What the network makes of a reading, or of a part of it.
pub(super) fn embedded(network: &Network, scaling: &Scaling, reading: &Reading) -> Sight {
    let inputs = scaling.scaled(reading);
    let parts = inputs.len().div_ceil(WINDOW).max(1);
    let mut sight = Sight::default();
    for part in inputs.chunks(inputs.len().div_ceil(parts).max(1)) {
        sight.add(1.0, &embedded_part(network, part));
    }
    sight
}

/// What the network makes of some fixations in a row.
fn embedded_part(network: &Network, part: &[Input]) -> Sight {
    let weight = (part.len() as f64 / UNIT).powf(GROWTH);
    match network.embed(part) {
        Some(embedding) => Sight::new(weight, embedding.into_iter().map(f64::from)),
        None => Sight::default(),
    }
}

/// How sights move over a sitting, from those whose places in it are known.
fn trend(len: usize, readings: &[(usize, &Reading)], sights: &[Sight]) -> Option<Trend> {
    let timed: Vec<Timed<'_>> = readings
        .iter()
        .zip(sights)
        .filter(|(_, sight)| !sight.is_empty())
        .filter_map(|((person, reading), sight)| {
            Some(Timed { sitting: (*person, reading.session), place: reading.order?, sight })
        })
        .collect();
    Trend::learn(len, &timed)
}

/// Which sights are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) embedding: bool,
    pub(super) motion: bool,
}

impl Wanted {
    /// The sights of some voices.
    pub(super) fn of(voices: &[Voice]) -> Self {
        Self {
            embedding: voices.contains(&Voice::Embedding),
            motion: voices.contains(&Voice::Oculomotor),
        }
    }
}

impl Ground {
    /// The voices that speak, where words do or not.
    pub(super) fn voices(&self, words: bool) -> Vec<Voice> {
        let Wanted { embedding, motion } = self.wanted();
        let speaks = |voice: &Voice| match voice {
            Voice::Reading => words,
            Voice::Embedding => embedding,
            Voice::Oculomotor => motion,
        };
        Voice::ALL.into_iter().filter(speaks).collect()
    }

    /// The ground of some readers, given by readings with their places, with people who were learned
    /// from elsewhere. What all of them do over a sitting counts for probes of the same one. Comes with the
    /// sights of every reading.
    pub(super) fn learn(
        people: &People,
        wanted: Wanted,
        readings: &[(usize, &Reading)],
        occasion: Occasion,
    ) -> (Self, Vec<Sight>) {
        let network = people.network();
        let scaling = Scaling::learn(readings.iter().map(|(_, reading)| *reading));
        let mut sights: Vec<Sight> = match wanted.embedding {
            true => readings.par_iter().map(|(_, r)| embedded(network, &scaling, r)).collect(),
            false => vec![Sight::default(); readings.len()],
        };
        let trend = match occasion {
            Occasion::Same => trend(network.len(), readings, &sights),
            Occasion::Another => None,
        };
        if let Some(trend) = &trend {
            for (sight, (_, reading)) in sights.iter_mut().zip(readings) {
                trend.remove(reading.order, sight);
            }
        }
        let embedding = wanted.embedding.then(|| {
            let seen: Vec<Seen> = readings
                .iter()
                .zip(&sights)
                .map(|((person, reading), sight)| Seen {
                    person: *person,
                    session: reading.session,
                    sight: sight.clone(),
                })
                .collect();
            let prior = people.embedding();
            let params = SpreadParams::default();
            let spread = Spread::learn(network.len(), &seen, Some(&prior.prior), &params)?;
            Some(EmbeddingGround {
                scaling,
                spread: spread.with_session_share(prior.session_share),
                trend,
            })
        });
        let motion = wanted.motion.then(|| people.motion().cloned()).flatten();
        let mut ground = Self { embedding: embedding.flatten(), motion };
        ground.centre_motion(readings);
        (ground, sights)
    }

    /// The ground of people who were learned from elsewhere, whoever is compared.
    pub(super) fn of_people(people: &People, wanted: Wanted) -> Self {
        let LearnedEmbedding { scaling, mean, prior, session_share } = people.embedding();
        let embedding = wanted.embedding.then(|| {
            let spread = prior.spread(mean.clone(), &SpreadParams::default())?;
            let spread = spread.with_session_share(*session_share);
            Some(EmbeddingGround { scaling: scaling.clone(), spread, trend: None })
        });
        let motion = wanted.motion.then(|| people.motion().cloned()).flatten();
        Self { embedding: embedding.flatten(), motion }
    }

    /// Whether it is that of these people, whoever is compared.
    pub(super) fn is_of(&self, people: &People) -> bool {
        *self == Self::of_people(people, self.wanted())
    }

    /// Centres the motions of eyes on those of the readers, where they are enough.
    fn centre_motion(&mut self, readings: &[(usize, &Reading)]) {
        let Some(motion) = &mut self.motion else { return };
        let mut by_reader = BTreeMap::<usize, Moments>::new();
        for (person, reading) in readings.iter().filter(|(_, r)| !r.motions.is_empty()) {
            by_reader.entry(*person).or_default().add(1.0, &Moments::of(&reading.motions));
        }
        if by_reader.len() >= FEWEST {
            let features: Vec<Vec<f64>> =
                by_reader.values().map(|moments| motion.scale.features(moments)).collect();
            let n = features.len() as f64;
            let len = motion.spread.vector_len();
            let mean = (0..len).map(|i| features.iter().map(|f| f[i]).sum::<f64>() / n).collect();
            motion.spread = motion.spread.clone().around(mean);
        }
    }

    /// Which sights are looked at.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted { embedding: self.embedding.is_some(), motion: self.motion.is_some() }
    }

    /// Whether it can be used with this network.
    pub(super) fn fits(&self, network: &Network) -> bool {
        let embedding = self.embedding.as_ref().is_none_or(|ground| {
            ground.scaling.is_valid() && ground.spread.vector_len() == network.len()
        });
        embedding && self.motion.as_ref().is_none_or(MotionSpread::is_valid)
    }

    pub(super) fn embedding_spread(&self) -> Option<&Spread> {
        self.embedding.as_ref().map(|ground| &ground.spread)
    }

    pub(super) fn motion(&self) -> Option<&MotionSpread> {
        self.motion.as_ref()
    }

    /// What the network makes of some fixations in a row.
    pub(super) fn segment(&self, network: &Network, segment: &Reading) -> Sight {
        self.levelled(segment, |scaling| embedded_part(network, &scaling.scaled(segment)))
    }

    /// What the network makes of a reading.
    pub(super) fn sight(&self, network: &Network, reading: &Reading) -> Sight {
        self.levelled(reading, |scaling| embedded(network, scaling, reading))
    }

    /// What is made of a reading, less what all people do at its place of a sitting.
    fn levelled(&self, reading: &Reading, sight: impl FnOnce(&Scaling) -> Sight) -> Sight {
        let Some(EmbeddingGround { scaling, trend, .. }) = &self.embedding else {
            return Sight::default();
        };
        let mut sight = sight(scaling);
        if let Some(trend) = trend {
            trend.remove(reading.order, &mut sight);
        }
        sight
    }

    /// What there is of a reader.
    pub fn signature(&self, network: &Network, readings: &[&Reading]) -> Signature {
        let sights: Vec<Sight> =
            readings.par_iter().map(|reading| self.sight(network, reading)).collect();
        Signature::of(self.wanted(), readings.iter().copied().zip(&sights))
    }

    /// Sights in the directions of the spreads.
    pub(super) fn placed(&self, signature: &Signature) -> PlacedSignature {
        let embedding = self.embedding_spread().map(|spread| {
            signature.embedding.iter().filter_map(|sight| spread.placed(sight)).collect()
        });
        let motion = self.motion().map(|MotionSpread { scale, spread }| {
            let sights = signature.motion.iter().map(|moments| motion::sight(scale, moments));
            sights.filter_map(|sight| spread.placed(&sight)).collect()
        });
        PlacedSignature {
            embedding: embedding.unwrap_or_default(),
            motion: motion.unwrap_or_default(),
        }
    }
}

impl Signature {
    /// Of readings with what the network makes of each.
    pub(super) fn of<'a>(
        wanted: Wanted,
        readings: impl Iterator<Item = (&'a Reading, &'a Sight)>,
    ) -> Self {
        let mut embedding = BTreeMap::<usize, Sight>::new();
        let mut motion = BTreeMap::<usize, Moments>::new();
        for (reading, sight) in readings {
            if wanted.embedding && !sight.is_empty() {
                embedding.entry(reading.session).or_default().add(1.0, sight);
            }
            if wanted.motion && !reading.motions.is_empty() {
                motion.entry(reading.session).or_default().add(1.0, &Moments::of(&reading.motions));
            }
        }
        Self {
            embedding: embedding.into_values().collect(),
            motion: motion.into_values().collect(),
        }
    }

    /// Whether it can be compared on a ground.
    pub(super) fn is_valid(&self, network: &Network) -> bool {
        self.embedding.iter().all(|sight| sight.is_valid(network.len()))
            && self.motion.iter().all(Moments::is_valid)
    }
}
