//! What a fixation shows: what the eye did next, how long it stayed, how it aimed.
//!
//! A [`Glance`] is a function of the reading alone, whoever the readers are that it is compared with.
//!
//! | file | has |
//! |---|---|
//! | `features` | what moves, durations and landings are regressed on |
//! | `aim` | where a saccade ended, and where it might have |

pub(crate) mod aim;
pub(crate) mod features;

pub(crate) use aim::{Aim, AimKind, ByAim, PART, RESOLUTION, Spot, Ways, shape};

use self::features::{DURATION_FEATURES, TYPE_FEATURES};
use crate::kinds::kinds;
use crate::saccade::{DensityId, Event, Reading, SaccadeType};

kinds! {
    /// What the eye may do next: a saccade of one of the types, with refixations to the left apart, or
    /// leave the line.
    pub(crate) enum Move, one of each in ByMove {
        /// To the right in the same word.
        Refixation,
        NextWord,
        ForwardSkip,
        Regression,
        /// For another line or for good.
        Leave,
        /// To the left in the same word.
        Back,
    }
}

impl Move {
    /// The move of a saccade.
    fn of(kind: SaccadeType, density: DensityId) -> Self {
        match kind {
            SaccadeType::Refixation if density == DensityId::Alpha1Bar => Self::Back,
            SaccadeType::Refixation => Self::Refixation,
            SaccadeType::NextWord => Self::NextWord,
            SaccadeType::ForwardSkip => Self::ForwardSkip,
            SaccadeType::Regression => Self::Regression,
        }
    }

    /// How a saccade is aimed that makes the move; none to leave the line.
    pub(crate) fn aim(self) -> Option<AimKind> {
        match self {
            Self::Refixation => Some(AimKind::Onward),
            Self::Back => Some(AimKind::Back),
            Self::NextWord => Some(AimKind::NextWord),
            Self::ForwardSkip => Some(AimKind::ForwardSkip),
            Self::Regression => Some(AimKind::Regression),
            Self::Leave => None,
        }
    }

    /// The name used in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Refixation => SaccadeType::Refixation.name(),
            Self::NextWord => SaccadeType::NextWord.name(),
            Self::ForwardSkip => SaccadeType::ForwardSkip.name(),
            Self::Regression => SaccadeType::Regression.name(),
            Self::Leave => "leave",
            Self::Back => "refixation_left",
        }
    }
}

kinds! {
    /// How the eye came where it stays.
    pub(crate) enum StayKind, one of each in ByStay {
        /// As the first fixation of a pass.
        First,
        Refixation,
        NextWord,
        ForwardSkip,
        Regression,
    }
}

impl StayKind {
    pub(crate) fn of(kind: Option<SaccadeType>) -> Self {
        match kind {
            None => Self::First,
            Some(SaccadeType::Refixation) => Self::Refixation,
            Some(SaccadeType::NextWord) => Self::NextWord,
            Some(SaccadeType::ForwardSkip) => Self::ForwardSkip,
            Some(SaccadeType::Regression) => Self::Regression,
        }
    }

    /// The density of the durations.
    pub(crate) fn density(self) -> DensityId {
        match self {
            Self::First => DensityId::Delta0,
            Self::Refixation => DensityId::Delta1,
            Self::NextWord => DensityId::Delta2,
            Self::ForwardSkip => DensityId::Delta3,
            Self::Regression => DensityId::Delta4,
        }
    }
}

/// A saccade with what its type depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Choice {
    pub(crate) features: [f64; TYPE_FEATURES],
    pub(crate) possible: ByMove<bool>,
    pub(crate) chosen: Move,
}

/// A fixation with what its duration depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stay {
    pub(crate) features: [f64; DURATION_FEATURES],
    /// How the eye came here.
    pub(crate) kind: StayKind,
    /// ms.
    pub(crate) duration: f64,
}

/// What a fixation shows of whoever reads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Glance {
    /// A move with what it depends on: the one away from the fixation or, while somebody reads on, the
    /// one that led to it. None where signal was lost.
    pub(crate) choice: Option<Choice>,
    pub(crate) stay: Stay,
    /// The saccade that led here, if any.
    pub(crate) aim: Option<Aim>,
}

impl Glance {
    /// The fixations of a reading, each with the move away from it.
    pub(crate) fn all(reading: &Reading) -> Vec<Self> {
        let mut gaze = Gaze::new(&reading.bounds);
        let next = reading.events.iter().skip(1).map(Some).chain([None]);
        let fixations = reading.events.iter().zip(next);
        fixations
            .map(|(event, next)| {
                let choice = match next {
                    Some(next) => choice(event, next),
                    None => reading.complete.then(|| Choice::new(event, Move::Leave)),
                };
                let (stay, aim) = gaze.arrive(&reading.bounds, event);
                Self { choice, stay, aim }
            })
            .collect()
    }
}

/// What the eye did between two fixations, where that is known.
fn choice(event: &Event, next: &Event) -> Option<Choice> {
    let chosen = match next.kind {
        Some(kind) => Move::of(kind, next.density),
        // Signal was lost.
        None if next.line == event.line => return None,
        None => Move::Leave,
    };
    Some(Choice::new(event, chosen))
}

impl Choice {
    /// A move away from a fixation.
    pub(crate) fn new(event: &Event, chosen: Move) -> Self {
        Self { features: features::of_type(event), possible: features::possible(event), chosen }
    }
}

impl Stay {
    pub(crate) fn new(previous: Option<&Event>, event: &Event) -> Self {
        Self {
            features: features::of_duration(previous, event),
            kind: StayKind::of(event.kind),
            duration: event.duration,
        }
    }
}

/// Follows the events of a reading. The work for each does not grow with their number.
#[derive(Debug, Clone)]
pub(crate) struct Gaze {
    /// The words that were fixated, by line.
    visited: Vec<Vec<bool>>,
    before: Option<Event>,
}

impl Gaze {
    /// Nothing was read yet of a text with these regions, by line.
    pub(crate) fn new(bounds: &[Vec<f64>]) -> Self {
        let visited = bounds.iter().map(|bounds| vec![false; bounds.len().saturating_sub(1)]);
        Self { visited: visited.collect(), before: None }
    }

    /// The next fixation, with the move that led to it.
    pub(crate) fn see(&mut self, bounds: &[Vec<f64>], event: &Event) -> Glance {
        let choice = self.before.as_ref().and_then(|before| choice(before, event));
        let (stay, aim) = self.arrive(bounds, event);
        Glance { choice, stay, aim }
    }

    fn arrive(&mut self, bounds: &[Vec<f64>], event: &Event) -> (Stay, Option<Aim>) {
        let before = self.before.replace(*event);
        let previous = before.as_ref().filter(|_| event.kind.is_some());
        let visited = &mut self.visited[event.line];
        let aim = previous.and_then(|from| Aim::new(&bounds[event.line], visited, from, event));
        visited[event.word] = true;
        (Stay::new(previous, event), aim)
    }
}
