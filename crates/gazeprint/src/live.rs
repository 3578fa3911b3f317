//! Somebody reads: one fixation after another, with the same work for each.
//!
//! ```
//! use std::sync::Arc;
//!
//! use gazeprint::corpus::Limits;
//! use gazeprint::live::LiveReading;
//! use gazeprint::saccade::events;
//! use gazeprint::simulate::SimulationParams;
//!
//! # fn main() -> Result<(), gazeprint::simulate::SimulationError> {
//! let corpus = SimulationParams { readers: 1, texts: 2, ..Default::default() }.build()?.run();
//! let path = &corpus.scanpaths()[0];
//! let text = Arc::new(corpus.texts()[path.text].clone());
//! let mut live = LiveReading::new(Arc::clone(&text), Limits::default());
//! for fixation in &path.fixations {
//!     match live.see(fixation) {
//!         Ok(step) => println!("a fixation of {} ms", step.duration()),
//!         Err(reason) => println!("it does not count: {}", reason.name()),
//!     }
//! }
//! let (all, _) = events(&text, &path.fixations, Limits::default());
//! assert_eq!(live.reading().map(|reading| &reading.events), Some(&all));
//! # Ok(())
//! # }
//! ```

use std::ops::Range;
use std::sync::Arc;

use crate::corpus::{DropReason, Fixation, Limits, Text};
use crate::glance::{Gaze, Glance};
use crate::kinematics::Motion;
use crate::saccade::{Event, Follower, Reading, Sight};

/// A text while it is being read.
#[derive(Debug, Clone)]
pub struct LiveReading {
    follower: Follower<Arc<Text>>,
    gaze: Gaze,
    /// What counted so far.
    reading: Reading,
}

impl LiveReading {
    /// Nothing was read yet. As a reading, it belongs to the first reader and text of a corpus.
    pub fn new(text: Arc<Text>, limits: Limits) -> Self {
        let bounds: Arc<[Vec<f64>]> = text.lines().iter().map(|l| l.bounds().to_vec()).collect();
        let gaze = Gaze::new(&bounds);
        let reading = Reading {
            reader: 0,
            text: 0,
            scanpath: 0,
            unit: 0,
            session: 0,
            order: None,
            events: Vec::new(),
            motions: Vec::new(),
            complete: false,
            bounds,
        };
        Self { follower: Follower::new(text, limits), gaze, reading }
    }

    /// The text.
    pub fn text(&self) -> &Text {
        self.follower.text()
    }

    /// What was read so far; none while nothing counts.
    pub fn reading(&self) -> Option<&Reading> {
        let is_empty = self.reading.events.is_empty() && self.reading.motions.is_empty();
        (!is_empty).then_some(&self.reading)
    }

    /// Looks at the next fixation. On a page without words, one counts that has a place on the page or
    /// tells of a motion.
    ///
    /// # Errors
    /// Why it does not count, if it does not. A loss of signal before it is then one before the next.
    /// Its motion, where it has one, is that of the reading all the same.
    pub fn see(&mut self, fixation: &Fixation) -> Result<LiveStep<'_>, DropReason> {
        let place = self.reading.fixations();
        let Sight { motion, event } = self.follower.see(fixation);
        self.reading.motions.extend(motion);
        let event = event?;
        self.reading.events.extend(event);
        let reading = &self.reading;
        let landed = event.map(|event| (event, self.gaze.see(&reading.bounds, &event)));
        Ok(LiveStep { reading, place, landed })
    }
}

/// One more fixation of a reading that goes on, with the move that led to it.
///
/// A move is known when the next fixation begins, and counts with that one. The last one, away from
/// the text, is not known while somebody reads.
#[derive(Debug, Clone)]
pub struct LiveStep<'a> {
    reading: &'a Reading,
    /// Of the fixation among those of the reading.
    place: usize,
    /// On a known text: the event, and what it shows.
    landed: Option<(Event, Glance)>,
}

impl LiveStep<'_> {
    /// How long the fixation lasted, ms.
    pub fn duration(&self) -> f64 {
        let of_motion = || self.motions().last().map_or(0.0, |motion| motion.duration);
        self.event().map_or_else(of_motion, |event| event.duration)
    }

    /// The fixation on its word; none where words are unknown.
    pub fn event(&self) -> Option<&Event> {
        self.landed.as_ref().map(|(event, _)| event)
    }

    /// The motions since the fixation before, its own the last of them: others are off the text, and
    /// there is none where nothing is known.
    pub fn motions(&self) -> &[Motion] {
        let until = |fixations| self.reading.motions_until(fixations);
        let now = until(self.place + 1);
        &self.reading.motions[until(self.place).min(now)..now]
    }

    /// What it shows on its word.
    pub(crate) fn landed(&self) -> Option<&(Event, Glance)> {
        self.landed.as_ref()
    }

    /// Fixations of the reading so far.
    pub(crate) fn seen(&self) -> usize {
        self.place + 1
    }

    /// A copy of some of them.
    pub(crate) fn part(&self, fixations: Range<usize>) -> Reading {
        let has_words = self.landed.is_some();
        Reading {
            events: if has_words {
                self.reading.events[fixations.clone()].to_vec()
            } else {
                Vec::new()
            },
            motions: if has_words { Vec::new() } else { self.reading.motions[fixations].to_vec() },
            complete: false,
            bounds: Arc::clone(&self.reading.bounds),
            ..*self.reading
        }
    }

    /// A copy of what was read before the fixation: empty at the first.
    pub fn before(&self) -> Reading {
        self.reading.until(self.place)
    }

    /// The same with the fixation.
    pub fn after(&self) -> Reading {
        self.reading.until(self.place + 1)
    }
}

/// The fixations of a reading as they came in, one after another.
pub fn steps(reading: &Reading) -> impl Iterator<Item = LiveStep<'_>> {
    let mut gaze = Gaze::new(&reading.bounds);
    (0..reading.fixations()).map(move |place| {
        let event = reading.events.get(place).copied();
        let landed = event.map(|event| (event, gaze.see(&reading.bounds, &event)));
        LiveStep { reading, place, landed }
    })
}
