//! Saccades with where they ended and where they might have.

use super::features::{AIM_FEATURES, AimedWord, LEVELS, SLOPES};
use crate::kinds::kinds;
use crate::saccade::{DensityId, Event};

kinds! {
    /// Saccades by where they may end: the types, with refixations by direction.
    pub(crate) enum AimKind, one of each in ByAim {
        /// Right in the same word.
        Onward,
        /// Left in the same word.
        Back,
        NextWord,
        ForwardSkip,
        Regression,
    }
}

impl AimKind {
    /// Of saccades whose amplitudes have this density; none of what is no saccade.
    fn of(density: DensityId) -> Option<Self> {
        match density {
            DensityId::Alpha1 => Some(Self::Onward),
            DensityId::Alpha1Bar => Some(Self::Back),
            DensityId::Alpha2 => Some(Self::NextWord),
            DensityId::Alpha3 => Some(Self::ForwardSkip),
            DensityId::Alpha4 => Some(Self::Regression),
            DensityId::Alpha0
            | DensityId::Delta0
            | DensityId::Delta1
            | DensityId::Delta2
            | DensityId::Delta3
            | DensityId::Delta4 => None,
        }
    }

    /// The density of the amplitudes.
    pub(crate) fn density(self) -> DensityId {
        match self {
            Self::Onward => DensityId::Alpha1,
            Self::Back => DensityId::Alpha1Bar,
            Self::NextWord => DensityId::Alpha2,
            Self::ForwardSkip => DensityId::Alpha3,
            Self::Regression => DensityId::Alpha4,
        }
    }
}

/// Shortest amplitude, and shortest part of a word that is integrated over, in characters (D4).
const SHORTEST: f64 = 1e-3;

/// Characters that a landing is known to, at best: places are rounded, and eyes tremble. A sum over a
/// few places of a word does not see a peak between them, so that a reader who lands in the same place
/// of every word, as rounding makes it, would have a density there without bound. None is taken to be
/// above 1 in so many characters.
pub(crate) const RESOLUTION: f64 = 0.1;

/// Gauss-Legendre nodes and weights on [0, 1]: for the nearest words, and for those far away.
pub(crate) const FINE: [(f64, f64); 6] = [
    (0.033_765_242_898_423_99, 0.085_662_246_189_585_17),
    (0.169_395_306_766_867_74, 0.180_380_786_524_069_3),
    (0.380_690_406_958_401_55, 0.233_956_967_286_345_52),
    (0.619_309_593_041_598_4, 0.233_956_967_286_345_52),
    (0.830_604_693_233_132_3, 0.180_380_786_524_069_3),
    (0.966_234_757_101_576, 0.085_662_246_189_585_17),
];
pub(crate) const COARSE: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 0.277_777_777_777_777_8),
    (0.5, 0.444_444_444_444_444_4),
    (0.887_298_334_620_741_7, 0.277_777_777_777_777_8),
];

/// A place where a saccade may end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spot {
    /// Index of the word among those of the aim.
    pub(crate) word: usize,
    /// In the word.
    pub(crate) v: f64,
    /// Characters from the start of the saccade.
    pub(crate) amplitude: f64,
    /// Log of the length that it stands for.
    pub(crate) log_width: f64,
}

/// A saccade, with where it ended and where it might have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Aim {
    pub(crate) kind: AimKind,
    pub(crate) words: Vec<AimedWord>,
    pub(crate) spots: Vec<Spot>,
    pub(crate) landed: Spot,
}

/// The ways that saccades of one kind may go from a fixation.
#[derive(Debug)]
pub(crate) struct Ways<'a> {
    kind: AimKind,
    from: &'a Event,
    /// The regions of the line's words are between them.
    bounds: &'a [f64],
    leftwards: bool,
    /// The words where they may end, and from where to where on them.
    pub(crate) ends: Vec<(usize, f64, f64)>,
}

impl<'a> Ways<'a> {
    pub(crate) fn new(bounds: &'a [f64], from: &'a Event, kind: AimKind) -> Self {
        let (c, s) = (from.word, from.x);
        let whole = |w: usize| (w, bounds[w], bounds[w + 1]);
        let ends = match kind {
            AimKind::Onward => vec![(c, s, bounds[c + 1])],
            AimKind::Back => vec![(c, bounds[c], s)],
            AimKind::NextWord => vec![whole(c + 1)],
            AimKind::ForwardSkip => (c + 2..bounds.len() - 1).map(whole).collect(),
            AimKind::Regression => (0..c).map(whole).collect(),
        };
        let leftwards = match kind {
            AimKind::Back | AimKind::Regression => true,
            AimKind::Onward | AimKind::NextWord | AimKind::ForwardSkip => false,
        };
        Self { kind, from, bounds, leftwards, ends }
    }

    /// A place on one of the words where they may end.
    pub(crate) fn spot(&self, end: usize, x: f64, log_width: f64) -> Spot {
        let word = self.ends[end].0;
        let (left, right) = (self.bounds[word], self.bounds[word + 1]);
        let amplitude = if self.leftwards { self.from.x - x } else { x - self.from.x };
        Spot {
            word: end,
            v: (x - left) / (right - left) - 0.5,
            amplitude: amplitude.max(SHORTEST),
            log_width,
        }
    }

    /// All of them, with none taken; `visited` are the words fixated before.
    pub(crate) fn aim(&self, visited: &[bool]) -> Aim {
        let words = self.ends.iter();
        let words = words.map(|(w, ..)| AimedWord::new(self.bounds, visited, self.from, *w));
        let spots = self.ends.iter().enumerate().flat_map(|(end, &(word, low, high))| {
            let width = (high - low).max(SHORTEST);
            let rule: &[_] = if word.abs_diff(self.from.word) < 4 { &FINE } else { &COARSE };
            rule.iter().map(move |(t, part)| self.spot(end, low + t * width, (part * width).ln()))
        });
        Aim {
            kind: self.kind,
            words: words.collect(),
            spots: spots.collect(),
            landed: Spot { word: 0, v: 0.0, amplitude: 0.0, log_width: 0.0 },
        }
    }
}

impl Aim {
    /// The saccade from one fixation to the next of a pass. The regions of the line's words are
    /// between `bounds`; `visited` are those fixated before.
    pub(crate) fn new(bounds: &[f64], visited: &[bool], from: &Event, to: &Event) -> Option<Self> {
        let ways = Ways::new(bounds, from, AimKind::of(to.density)?);
        let mut aim = ways.aim(visited);
        if let Some(end) = ways.ends.iter().position(|(word, ..)| *word == to.word) {
            aim.landed = ways.spot(end, to.x, 0.0);
        }
        Some(aim)
    }

    /// What the log density is linear in at a place: features of the word's level, of its slope and
    /// of its bend.
    pub(crate) fn features(&self, spot: &Spot) -> [f64; AIM_FEATURES] {
        let (word, shape) = (&self.words[spot.word].features, shape(spot.v));
        std::array::from_fn(|i| word[i] * shape[PART[i]])
    }
}

/// What a feature is multiplied with at a place: level, slope or bend.
pub(crate) fn shape(v: f64) -> [f64; 3] {
    [1.0, v, 4.0 * v * v]
}

/// Which of these, by feature.
pub(crate) const PART: [usize; AIM_FEATURES] = {
    let mut part = [0; AIM_FEATURES];
    let mut i = LEVELS;
    while i < AIM_FEATURES {
        part[i] = if i < LEVELS + SLOPES { 1 } else { 2 };
        i += 1;
    }
    part
};
