//! Recordings as players give them back, so that they are not known again.

use gazeprint::corpus::{Chars, Fixation, Millis, Text};
use gazeprint::random::Stream;
use gazeprint::saccade::Event;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// Noise on a replay: standard deviations in characters and in milliseconds.
pub const NOISE_SD: [f64; 2] = [0.2, 2.0];
/// Part of its fixations that is left out with it.
pub const LOSS: f64 = 0.1;
/// Durations of a stretched replay are so many times as long.
pub const STRETCH: f64 = 1.04;
/// A shifted replay is so many characters further right.
pub const SHIFT: f64 = 0.6;
/// Fixations of the pieces that a shuffled replay is put together from.
pub const SHUFFLED: usize = 7;

/// What is done to a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Alteration {
    /// A little noise, and some fixations are left out.
    Noise,
    /// Time goes slower.
    Stretch,
    /// All is further right.
    Shift,
    /// Pieces of all recordings of the target, in any order.
    Shuffle,
    /// All of it.
    Disguise,
}

impl Alteration {
    /// All, in the order of tables.
    pub const ALL: [Self; 5] =
        [Self::Noise, Self::Stretch, Self::Shift, Self::Shuffle, Self::Disguise];

    /// Whether readings are put together from pieces of several.
    pub(super) fn shuffles(self) -> bool {
        matches!(self, Self::Shuffle | Self::Disguise)
    }

    /// Puts the readings at these places together from pieces of all of them: each is as long as it was.
    pub(super) fn shuffle(readings: &mut [Vec<Event>], own: &[usize], stream: Stream) {
        let chunks = own.iter().flat_map(|&k| readings[k].chunks(SHUFFLED));
        let mut pieces: Vec<Vec<Event>> = chunks.map(<[Event]>::to_vec).collect();
        pieces.shuffle(&mut stream.chain(0));
        let mut row = pieces.into_iter().flatten();
        for &k in own {
            let length = readings[k].len();
            readings[k] = row.by_ref().take(length).collect();
        }
    }

    /// The fixations that are presented on a text.
    pub(super) fn played(self, events: &[Event], text: &Text, stream: Stream) -> Vec<Fixation> {
        let mut rng = stream.chain(0);
        let is = |one: Self| self == one || self == Self::Disguise;
        let stretch = if is(Self::Stretch) { STRETCH } else { 1.0 };
        let shift = if is(Self::Shift) { SHIFT } else { 0.0 };
        let mut before = None;
        let mut fixations = Vec::with_capacity(events.len());
        for event in events {
            let (mut left_out, mut noise) = (false, [0.0; 2]);
            if is(Self::Noise) {
                left_out = rng.random::<f64>() < LOSS;
                noise = NOISE_SD.map(|sd| sd * rng.sample::<f64, _>(StandardNormal));
            }
            // Signal was lost where a pass starts on the line of the one before.
            let gap = event.kind.is_none() && before == Some(event.line);
            before = Some(event.line);
            if !left_out {
                fixations.push(Fixation {
                    line: text.lines().get(event.line).map(|line| line.number()),
                    x: Some(Chars(event.x + shift + noise[0])),
                    duration: Some(Millis(stretch * event.duration + noise[1])),
                    gap,
                    ..Default::default()
                });
            }
        }
        fixations
    }
}
