//! What saccade types, durations and landings are regressed on.

use std::cmp::Ordering;

use super::{ByMove, Move};
use crate::saccade::{Event, SaccadeType};

/// Coefficients of each move.
pub(crate) const TYPE_FEATURES: usize = 22;
/// Coefficients of the durations.
pub(crate) const DURATION_FEATURES: usize = 11;
/// Coefficients of where saccades of a kind land: of the level of a word, of the slope over it, of
/// the bend.
pub(crate) const LEVELS: usize = 9;
pub(crate) const SLOPES: usize = 5;
const BENDS: usize = 3;
pub(crate) const AIM_FEATURES: usize = LEVELS + SLOPES + BENDS;

/// A fixation, with the one before in the pass.
struct Here<'a> {
    previous: Option<&'a Event>,
    event: &'a Event,
}

/// What a regression depends on. Name and value stand together, so that neither can change without
/// the other; files tell by the names whether they mean the same features.
pub(crate) struct Feature {
    /// For people; with the unit, where there is one. `x` stands for a product.
    pub(crate) name: &'static str,
    value: fn(&Here<'_>) -> f64,
}

const fn feature(name: &'static str, value: fn(&Here<'_>) -> f64) -> Feature {
    Feature { name, value }
}

/// What the type of the next saccade depends on.
pub(crate) static OF_TYPE: [Feature; TYPE_FEATURES] = [
    feature("constant", |_| 1.0),
    feature("first of a pass", |h| h.came_by(None)),
    feature("after a refixation", |h| h.refixated()),
    feature("after a forward skip", |h| h.came_by(Some(SaccadeType::ForwardSkip))),
    feature("after a regression", |h| h.regressed()),
    feature("furthest word so far", |h| h.furthest()),
    feature("first word of the line", |h| indicator(h.event.situation.around[0] == 0)),
    feature("last word of the line", |h| h.last()),
    feature("last word but one", |h| indicator(h.event.situation.around[1] == 1)),
    feature("place in the text, 0 to 1", |h| h.place()),
    feature("landing in the word, -1/2 to 1/2", |h| h.landing()),
    feature("(2 landing)^2", |h| 4.0 * h.landing() * h.landing()),
    feature("landing x furthest", |h| h.landing() * h.furthest()),
    feature("ln(word / 5 letters)", |h| h.log_length(0)),
    feature("ln(next word / 5 letters)", |h| h.log_length(1)),
    feature("ln(word after next / 5 letters)", |h| h.log_length(2)),
    feature("characters left in the word / 5", |h| h.event.situation.left / 5.0),
    feature("ln(duration / 200 ms)", |h| (h.event.duration / 200.0).ln()),
    feature("ln(amplitude / 7 characters)", |h| amplitude(h.event)),
    feature("ln(next word) x furthest", |h| h.log_length(1) * h.furthest()),
    feature("left in word x ln(next word)", |h| h.event.situation.left / 5.0 * h.log_length(1)),
    feature("place in the text x furthest", |h| h.place() * h.furthest()),
];

/// What the duration of a fixation depends on.
pub(crate) static OF_DURATION: [Feature; DURATION_FEATURES] = [
    feature("ln(duration before / 200 ms)", |h| h.before()),
    feature("ln(amplitude / 7 characters)", |h| amplitude(h.event)),
    feature("ln(word / 5 letters)", |h| h.log_length(0)),
    feature("ln(next word / 5 letters)", |h| h.log_length(1)),
    feature("landing in the word, -1/2 to 1/2", |h| h.landing()),
    feature("landing^2", |h| h.landing() * h.landing()),
    feature("last word of the line", |h| h.last()),
    feature("place in the text, 0 to 1", |h| h.place()),
    feature("furthest word so far", |h| h.furthest()),
    feature("ln(duration before) x refixation", |h| h.before() * h.refixated()),
    feature("ln(amplitude) x regression", |h| amplitude(h.event) * h.regressed()),
];

impl Here<'_> {
    fn came_by(&self, kind: Option<SaccadeType>) -> f64 {
        indicator(self.event.kind == kind)
    }

    fn refixated(&self) -> f64 {
        self.came_by(Some(SaccadeType::Refixation))
    }

    fn regressed(&self) -> f64 {
        self.came_by(Some(SaccadeType::Regression))
    }

    fn furthest(&self) -> f64 {
        indicator(self.event.situation.new)
    }

    fn last(&self) -> f64 {
        indicator(self.event.situation.around[1] == 0)
    }

    fn place(&self) -> f64 {
        self.event.situation.place
    }

    fn landing(&self) -> f64 {
        self.event.situation.landing - 0.5
    }

    fn log_length(&self, ahead: usize) -> f64 {
        log_length(self.event.situation.lengths[ahead])
    }

    fn before(&self) -> f64 {
        self.previous.map_or(0.0, |p| (p.duration / 200.0).ln())
    }
}

fn indicator(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

/// Log of a word's length, in units of five letters; 0 where there is no word.
fn log_length(length: Option<f64>) -> f64 {
    length.map_or(0.0, |length| (length / 5.0).ln())
}

/// What the type of the next saccade depends on, at a fixation.
pub(crate) fn of_type(event: &Event) -> [f64; TYPE_FEATURES] {
    let here = Here { previous: None, event };
    OF_TYPE.each_ref().map(|feature| (feature.value)(&here))
}

/// Which moves are possible at a fixation.
pub(crate) fn possible(event: &Event) -> ByMove<bool> {
    let [before, after] = event.situation.around;
    ByMove::of(|next| match next {
        Move::Refixation | Move::Back | Move::Leave => true,
        Move::NextWord => after > 0,
        Move::ForwardSkip => after > 1,
        Move::Regression => before > 0,
    })
}

/// Log of the amplitude that led here, in units of seven characters (half a
/// character is added, lest it be that of nothing); 0 at the start of a pass.
fn amplitude(event: &Event) -> f64 {
    match event.kind {
        Some(_) => ((event.amplitude.value + 0.5) / 7.0).ln(),
        None => 0.0,
    }
}

/// What the duration of a fixation depends on, given the one before in the pass.
pub(crate) fn of_duration(previous: Option<&Event>, event: &Event) -> [f64; DURATION_FEATURES] {
    let here = Here { previous, event };
    OF_DURATION.each_ref().map(|feature| (feature.value)(&here))
}

/// Names of what the place depends on where a saccade lands: level, slope and bend of a word.
pub(crate) const OF_AIM: [&str; AIM_FEATURES] = [
    "level: nearest word",
    "level: ln(word / 5 letters)",
    "level: nearest x ln(word)",
    "level: end of the line",
    "level: seen before",
    "level: nearest x seen before",
    "level: nearest x ln(jumped), or last word",
    "level: nearest x ln(duration / 200 ms)",
    "level: nearest x furthest",
    "slope: constant",
    "slope: ln(word / 5 letters)",
    "slope: launch distance / 5 characters",
    "slope: ln(duration / 200 ms)",
    "slope: furthest",
    "bend: constant",
    "bend: ln(word / 5 letters)",
    "bend: launch distance / 5 characters",
];

/// A word where a saccade may land.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AimedWord {
    /// Those of the level, of the slope and of the bend.
    pub(crate) features: [f64; AIM_FEATURES],
}

impl AimedWord {
    /// A word of a line, seen from a fixation on that line. The regions of its words are between
    /// `bounds`; `visited` are those fixated before.
    pub(crate) fn new(bounds: &[f64], visited: &[bool], from: &Event, word: usize) -> Self {
        let c = from.word;
        // Without the blank before it.
        let length = |w: usize| log_length(Some((bounds[w + 1] - bounds[w] - 1.0).max(1.0)));
        let log_duration = (from.duration / 200.0).ln();
        let new = indicator(from.situation.new);
        let own = length(word);
        // Skips and regressions choose among words: how near they are, and what they are like.
        let near = indicator(word.abs_diff(c) == if word > c { 2 } else { 1 });
        let seen = indicator(visited[word]);
        let (end, jumped) = if word > c {
            (word + 2 == bounds.len(), length(c + 1))
        } else {
            (word == 0, indicator(c + 2 == bounds.len()))
        };
        let levels = [
            near,
            own,
            near * own,
            indicator(end),
            seen,
            near * seen,
            near * jumped,
            near * log_duration,
            near * new,
        ];
        // From the fixation to the near end of the word; within a word, to its middle.
        let launch = match word.cmp(&c) {
            Ordering::Greater => bounds[word] - from.x,
            Ordering::Equal => 0.5 * (bounds[word] + bounds[word + 1]) - from.x,
            Ordering::Less => from.x - bounds[word + 1],
        } / 5.0;
        let slopes = [1.0, own, launch, log_duration, new];
        let bends = [1.0, own, launch];
        let all = levels.iter().chain(&slopes).chain(&bends);
        let mut features = [0.0; AIM_FEATURES];
        features.iter_mut().zip(all).for_each(|(feature, x)| *feature = *x);
        // Where there is no choice among words, their levels do not matter.
        if word == c || word == c + 1 {
            features[..LEVELS].fill(0.0);
        }
        Self { features }
    }
}
