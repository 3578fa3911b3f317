//! Recordings that were there before: replays.
//!
//! Nobody reads a text twice with the same fixations. A probe whose fixations are those of a known
//! recording, but for a little noise or some that were left out, was not read but played.
//!
//! A recording is kept as a [`Sketch`]: line, place and duration of each fixation, in small whole
//! numbers. Two fixations *match* if they are on the same line, at most half a character apart, and
//! differ in duration by at most 4 ms or 3 % of the longer, whichever is more. What two readings
//! have in common is the longest sequence of fixations of one that match fixations of the other in
//! the same order. A reading is a *replay* of another where they have at least [`FEWEST`] fixations
//! in common and these are at least [`SHARE`] of its own. Texts are not compared: a recording
//! played over another text is the same recording.
//!
//! A recording that was cut into readings of fewer fixations than that is found in pieces: all readings
//! of a probe are put in a row and looked at [`PIECE`] fixations at a time. There are many such pieces,
//! so that more is asked of them: [`PIECE_SHARE`].
//!
//! What is not caught: a recording whose durations were stretched or whose places were moved by more
//! than that, probes with fewer than [`FEWEST`] fixations, and pieces of known readings that are that
//! short themselves.
//!
//! ```
//! use gazeprint::corpus::Limits;
//! use gazeprint::replay::{KnownReadings, Sketch};
//! use gazeprint::saccade::readings;
//! use gazeprint::simulate::SimulationParams;
//!
//! # fn main() -> Result<(), gazeprint::simulate::SimulationError> {
//! let people = SimulationParams { readers: 2, texts: 20, ..Default::default() };
//! let (readings, _) = readings(&people.build()?.run(), Limits::default());
//! let sketches: Vec<Sketch> = readings.iter().map(Sketch::of).collect();
//! let (enrolled, new) = sketches.split_at(sketches.len() / 2);
//! let known = KnownReadings::new(enrolled);
//! let longest = enrolled.iter().max_by_key(|sketch| sketch.len()).unwrap();
//! assert_eq!(known.replayed(longest).map(|replay| replay.share), Some(1.0));
//! assert!(new.iter().all(|sketch| known.replayed(sketch).is_none()));
//! # Ok(())
//! # }
//! ```

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::saccade::Reading;

/// Fixations in common that make a replay, at least.
pub const FEWEST: usize = 5;
/// Part of the probe's fixations that they must be.
pub const SHARE: f64 = 0.5;
/// Fixations of a piece. The next begins in its middle.
pub const PIECE: usize = 10;
/// Part of a piece that must be known: eight fixations in a row of one recording are found wherever
/// they are in a probe, and people who read the same text are not.
pub const PIECE_SHARE: f64 = 0.7;

/// Sketches keep places in this part of a character.
const STEPS: f64 = 16.0;
/// How far apart places may be, in those parts.
const NEAR: i32 = 8;
/// How far apart durations may be, ms.
const CLOSE: u16 = 4;
/// The same as a part of the longer one.
const CLOSE_PART: f64 = 0.03;

/// A fixation in a sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Mark {
    line: u16,
    /// In sixteenths of a character.
    x: i32,
    /// Whole milliseconds.
    duration: u16,
}

impl Mark {
    fn matches(&self, other: &Self) -> bool {
        let longer = f64::from(self.duration.max(other.duration));
        let apart = self.duration.abs_diff(other.duration);
        self.line == other.line
            && self.x.abs_diff(other.x) <= NEAR.unsigned_abs()
            && (apart <= CLOSE || f64::from(apart) <= CLOSE_PART * longer)
    }
}

/// The fixations of a reading in small numbers, to be stored and compared.
///
/// Whatever it is read from, it can be compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sketch(Vec<Mark>);

impl Sketch {
    /// The sketch of a reading. Numbers too large for it end at the largest.
    pub fn of(reading: &Reading) -> Self {
        let marks = reading.events.iter().map(|event| Mark {
            line: u16::try_from(event.line).unwrap_or(u16::MAX),
            // Such conversions end at the limits of the type.
            x: (event.x * STEPS).round() as i32,
            duration: event.duration.round() as u16,
        });
        Self(marks.collect())
    }

    /// Number of fixations.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Pieces of the readings of a probe, put in a row.
fn pieces(probe: &[Sketch]) -> impl Iterator<Item = Sketch> {
    let row: Vec<Mark> = probe.iter().flat_map(|sketch| sketch.0.iter().copied()).collect();
    let step = PIECE / 2;
    let last = row.len().saturating_sub(step + 1) / step;
    (0..=last).map(move |piece| {
        let from = (piece * step).min(row.len());
        Sketch(row[from..row.len().min(from + PIECE)].to_vec())
    })
}

/// The longest common sequence, found from matches alone: most fixations match none.
#[derive(Debug, Default)]
struct Common {
    /// By length of a common sequence: the first place in the enrolled reading where one may end.
    ends: Vec<u32>,
}

impl Common {
    /// The places that the next fixation of the probe matches, descending, so that it is in a
    /// sequence once.
    fn next(&mut self, descending: impl Iterator<Item = u32>) {
        for place in descending {
            let shorter = self.ends.partition_point(|end| *end < place);
            match self.ends.get_mut(shorter) {
                Some(end) => *end = place,
                None => self.ends.push(place),
            }
        }
    }

    fn len(&self) -> usize {
        self.ends.len()
    }
}

/// A reading that was known before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replay {
    /// Which of the known readings, by its place among them.
    pub of: usize,
    /// Fixations in common.
    pub common: usize,
    /// Part of the probe's fixations that they are.
    pub share: f64,
}

/// A fixation of a known reading; sorted by character, then by duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    line: u16,
    character: i32,
    duration: u16,
    x: i32,
    sketch: u32,
    place: u32,
}

/// The character that a place is on. All that is near a place is on one of two.
fn character(x: i32) -> i32 {
    x.div_euclid(2 * NEAR)
}

/// Readings that probes are compared with.
///
/// Their fixations are sorted, so that a fixation of a probe is compared only with those that are
/// much like it.
#[derive(Debug, Clone, Default)]
pub struct KnownReadings {
    /// Each sorted, and more than twice as long as the next: there are few of them, and a fixation
    /// is sorted anew only when many others have come.
    runs: Vec<Vec<Entry>>,
    /// How many readings they are of.
    readings: u32,
}

impl KnownReadings {
    /// Known readings; those of them that are replays of each other do not matter.
    pub fn new<'a>(sketches: impl IntoIterator<Item = &'a Sketch>) -> Self {
        let mut run = Vec::new();
        let mut known = Self::default();
        sketches.into_iter().for_each(|sketch| run.extend(known.numbered(sketch)));
        run.sort_unstable();
        known.runs.push(run);
        known
    }

    /// One more, whose place is after all others. It takes about as long however many there are.
    pub fn add(&mut self, sketch: &Sketch) {
        let mut run: Vec<Entry> = self.numbered(sketch).collect();
        run.sort_unstable();
        while let Some(mut longer) = self.runs.pop_if(|longer| longer.len() <= 2 * run.len()) {
            longer.append(&mut run);
            // Takes two sorted parts for what they are.
            longer.sort();
            run = longer;
        }
        self.runs.push(run);
    }

    /// The fixations of the next reading.
    fn numbered<'a>(&mut self, Sketch(marks): &'a Sketch) -> impl Iterator<Item = Entry> + use<'a> {
        let sketch = self.readings;
        self.readings = sketch.saturating_add(1);
        (0..=u32::MAX).zip(marks).map(move |(place, mark)| Entry {
            line: mark.line,
            character: character(mark.x),
            duration: mark.duration,
            x: mark.x,
            sketch,
            place,
        })
    }

    /// The known reading that a probe's reading is a replay of: the first of those most alike.
    pub fn replayed(&self, probe: &Sketch) -> Option<Replay> {
        if probe.len() < FEWEST {
            return None;
        }
        // By known reading, in the order of the probe, with places from the last to the first.
        let mut matches: Vec<(u32, u32, Reverse<u32>)> = Vec::new();
        for (number, mark) in (0..=u32::MAX).zip(&probe.0) {
            let alike = self.around(mark).filter(|entry| {
                mark.matches(&Mark { line: entry.line, x: entry.x, duration: entry.duration })
            });
            matches.extend(alike.map(|e| (e.sketch, number, Reverse(e.place))));
        }
        matches.sort_unstable();
        let mut best: Option<Replay> = None;
        for of_sketch in matches.chunk_by(|a, b| a.0 == b.0) {
            // No more than there are matches can be in common.
            if of_sketch.len() < FEWEST {
                continue;
            }
            let mut common = Common::default();
            for of_mark in of_sketch.chunk_by(|a, b| a.1 == b.1) {
                common.next(of_mark.iter().map(|(_, _, place)| place.0));
            }
            let common = common.len();
            let share = common as f64 / probe.len() as f64;
            let better = best.is_none_or(|best| common > best.common);
            if common >= FEWEST && share >= SHARE && better {
                best = Some(Replay { of: of_sketch[0].0 as usize, common, share });
            }
        }
        best
    }

    /// The pieces of all readings of a probe in a row that are replays.
    pub fn replayed_pieces(&self, probe: &[Sketch]) -> impl Iterator<Item = Replay> {
        let replays = pieces(probe).filter_map(|piece| self.replayed(&piece));
        replays.filter(|replay| replay.share >= PIECE_SHARE)
    }

    /// Known fixations among which are all that match one.
    fn around(&self, mark: &Mark) -> impl Iterator<Item = &Entry> {
        let apart = f64::from(CLOSE).max(CLOSE_PART * f64::from(mark.duration));
        // The longer of two is at most this much longer than a part of itself.
        let apart = (apart / (1.0 - CLOSE_PART)).ceil() as u16;
        let shortest = mark.duration.saturating_sub(apart);
        let longest = mark.duration.saturating_add(apart);
        let first = character(mark.x.saturating_sub(NEAR));
        let last = character(mark.x.saturating_add(NEAR));
        let characters =
            self.runs.iter().flat_map(move |run| (first..=last).map(move |c| (run, c)));
        characters.flat_map(move |(run, character)| {
            let key = |entry: &Entry| (entry.line, entry.character, entry.duration);
            let from = (mark.line, character, shortest);
            let to = (mark.line, character, longest);
            let from = run.partition_point(|entry| key(entry) < from);
            let to = run.partition_point(|entry| key(entry) <= to);
            &run[from..to]
        })
    }
}
