//! What saccade types and durations are regressed on.

use std::cmp::Ordering;

use super::types::MOVES;
use crate::saccade::{Event, SaccadeType};

/// Coefficients of each saccade type.
pub(super) const TYPE_FEATURES: usize = 23;
/// Coefficients of the durations.
pub(super) const DURATION_FEATURES: usize = 11;
/// Coefficients of where saccades of a kind land: of the level of a word, of the slope over it, of
/// the bend.
pub(super) const LEVELS: usize = 9;
pub(super) const SLOPES: usize = 5;
const BENDS: usize = 3;
pub(super) const AIM_FEATURES: usize = LEVELS + SLOPES + BENDS;

fn indicator(condition: bool) -> f64 {
    if condition { 1.0 } else { 0.0 }
}

/// Log of a word's length, in units of five letters; 0 where there is no word.
fn log_length(length: Option<f64>) -> f64 {
    length.map_or(0.0, |length| (length / 5.0).ln())
}

/// What the type of the next saccade depends on, at a fixation.
pub(super) fn of_type(event: &Event) -> [f64; TYPE_FEATURES] {
    let s = &event.situation;
    let before = |kind| indicator(event.kind == kind);
    let refixated = before(Some(SaccadeType::Refixation));
    let new = indicator(s.new);
    let landing = s.landing - 0.5;
    [
        1.0,
        before(None),
        refixated,
        before(Some(SaccadeType::ForwardSkip)),
        before(Some(SaccadeType::Regression)),
        new,
        new * refixated,
        indicator(s.around[0] == 0),
        indicator(s.around[1] == 0),
        indicator(s.around[1] == 1),
        s.place,
        landing,
        4.0 * landing * landing,
        landing * new,
        log_length(s.lengths[0]),
        log_length(s.lengths[1]),
        log_length(s.lengths[2]),
        s.left / 5.0,
        (event.duration / 200.0).ln(),
        amplitude(event),
        log_length(s.lengths[1]) * new,
        s.left / 5.0 * log_length(s.lengths[1]),
        s.place * new,
    ]
}

/// Which moves are possible at a fixation.
pub(super) fn possible(event: &Event) -> [bool; MOVES] {
    let [before, after] = event.situation.around;
    [true, after > 0, after > 1, before > 0, true, true]
}

/// Log of the amplitude that led here, in units of seven characters; 0 at the start of a pass.
fn amplitude(event: &Event) -> f64 {
    match event.kind {
        Some(_) => ((event.amplitude.value + 0.5) / 7.0).ln(),
        None => 0.0,
    }
}

/// What the duration of a fixation depends on, given the one before in the pass.
pub(super) fn of_duration(previous: Option<&Event>, event: &Event) -> [f64; DURATION_FEATURES] {
    let s = &event.situation;
    let previous = previous.map_or(0.0, |p| (p.duration / 200.0).ln());
    let amplitude = amplitude(event);
    let landing = s.landing - 0.5;
    [
        previous,
        amplitude,
        log_length(s.lengths[0]),
        log_length(s.lengths[1]),
        landing,
        landing * landing,
        indicator(s.around[1] == 0),
        s.place,
        indicator(s.new),
        previous * indicator(event.kind == Some(SaccadeType::Refixation)),
        amplitude * indicator(event.kind == Some(SaccadeType::Regression)),
    ]
}

/// A word where a saccade may land.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AimedWord {
    /// Those of the level, of the slope and of the bend.
    pub(super) features: [f64; AIM_FEATURES],
}

impl AimedWord {
    /// A word of a line, seen from a fixation on that line. The regions of its words are between
    /// `bounds`; `visited` are those fixated before.
    pub(super) fn new(bounds: &[f64], visited: &[bool], from: &Event, word: usize) -> Self {
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
