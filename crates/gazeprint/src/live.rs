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
//!         Ok(step) => println!("a fixation of {} ms", step.event().duration),
//!         Err(reason) => println!("it does not count: {}", reason.name()),
//!     }
//! }
//! let (all, _) = events(&text, &path.fixations, Limits::default());
//! assert_eq!(live.reading().map(|reading| &reading.events), Some(&all));
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use crate::corpus::{DropReason, Fixation, Limits, Text};
use crate::glance::{Gaze, Glance};
use crate::saccade::{Event, Follower, Reading};

/// A text while it is being read.
#[derive(Debug, Clone)]
pub struct LiveReading {
    follower: Follower<Arc<Text>>,
    limits: Limits,
    /// Whether signal was lost since the last fixation that counted.
    lost: bool,
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
            events: Vec::new(),
            complete: false,
            bounds,
        };
        Self { follower: Follower::new(text), limits, lost: false, gaze, reading }
    }

    /// The text.
    pub fn text(&self) -> &Text {
        self.follower.text()
    }

    /// What was read so far; none while nothing counts.
    pub fn reading(&self) -> Option<&Reading> {
        (!self.reading.events.is_empty()).then_some(&self.reading)
    }

    /// Looks at the next fixation.
    ///
    /// # Errors
    /// Why it does not count, if it does not. A loss of signal before it is then one before the next.
    pub fn see(&mut self, fixation: &Fixation) -> Result<LiveStep<'_>, DropReason> {
        self.lost |= fixation.gap;
        let (line, landing) = self.follower.text().land(fixation, self.limits)?;
        if std::mem::take(&mut self.lost) {
            self.follower.start_pass();
        }
        let event = self.follower.see(line, landing);
        let glance = self.gaze.see(&self.reading.bounds, &event);
        let place = self.reading.events.len();
        self.reading.events.push(event);
        Ok(LiveStep { reading: &self.reading, place, event, glance })
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
    event: Event,
    glance: Glance,
}

impl LiveStep<'_> {
    /// The fixation.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// What it shows.
    pub(crate) fn glance(&self) -> &Glance {
        &self.glance
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
    reading.events.iter().enumerate().map(move |(place, event)| LiveStep {
        reading,
        place,
        event: *event,
        glance: gaze.see(&reading.bounds, event),
    })
}
