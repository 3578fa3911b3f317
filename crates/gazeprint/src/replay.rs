//! Recordings that were there before: replays.
//!
//! Nobody reads a text twice with the same fixations. A probe whose fixations are those of a known
//! recording was not read but played, also where it was played somewhat slower, further right, with a
//! little noise, with fixations left out, or in pieces in another order.
//!
//! A recording is kept as a [`Sketch`]: line, place and duration of each fixation, in small whole
//! numbers. What is compared does not depend on where a recording was played, nor how fast: steps from
//! fixation to fixation, and ratios of their durations. Three fixations in a row with the same two steps
//! and the same two ratios as three of a known reading are a beginning. From there on, in both directions, fixations
//! *match* that are where the beginning has it, to half a character, and as long, to 4 ms or 3 %; single ones
//! may be missing on either side. All of them are an *echo*.
//!
//! A reading is a *replay* where an echo has at least [`FEWEST`] of its fixations and [`SHARE`] of all. All readings
//! of a probe in a row are one where an echo has at least [`PIECE`] fixations, wherever it is, or several of at least
//! [`FEWEST`] have three in ten of all fixations: so are found recordings that were cut into small readings, or put together from pieces. Texts are not compared: a recording played over
//! another text is the same recording.
//!
//! What is not caught: a few pieces of fewer than [`PIECE`] fixations among others, noise that is larger than
//! what matches, and whatever changes single steps or ratios.
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
use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::saccade::Reading;

/// Fixations of an echo that make a reading a replay, at least.
pub const FEWEST: usize = 5;
/// Part of the reading's fixations that they must be.
pub const SHARE: f64 = 0.6;
/// Fixations of an echo that make a replay wherever they are.
pub const PIECE: usize = 7;

/// Sketches keep places in this part of a character.
const STEPS: f64 = 16.0;
/// How far apart places may be, in those parts.
const NEAR: i32 = 8;
/// How far apart durations may be, ms.
const CLOSE: f64 = 4.0;
/// The same as a part of them.
const CLOSE_PART: f64 = 0.03;
/// How far apart steps may be: both their ends may be off.
const STEP_NEAR: i32 = 12;
/// Ratios of durations are kept in this part of their logarithm.
const RATIO_STEPS: f64 = 4096.0;
/// Part of all fixations of a probe that several echoes must have together to make a replay, however short they are.
const PIECES_SHARE: f64 = 0.3;
/// Fixations of a beginning.
const SEED: usize = 3;
/// How far on the next fixations of an echo are, in the probe and in the known reading: one may be missing in
/// either.
const NEXT: [(usize, usize); 4] = [(1, 1), (1, 2), (2, 1), (2, 2)];
/// No recording is looked for that was played faster or slower than this, in logarithms: it would no longer be
/// taken for its reader.
const MOST_STRETCH: f64 = 0.25;

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
    /// Logarithm of the duration. Whatever a sketch was read from, it is a number.
    fn log_duration(&self) -> f64 {
        f64::from(self.duration.max(1)).ln()
    }

    /// How much the logarithm of the duration may be off.
    fn close(&self) -> f64 {
        (CLOSE / f64::from(self.duration.max(1))).max(CLOSE_PART)
    }

    fn lines_to(&self, next: &Self) -> i32 {
        i32::from(next.line) - i32::from(self.line)
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

/// Three fixations in a row, as they are compared: steps, and ratios of durations.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    lines: [i32; 2],
    steps: [i32; 2],
    ratios: [i32; 2],
}

impl Beginning {
    fn of(marks: &[Mark; SEED]) -> Self {
        let pair = |i: usize| (marks[i], marks[i + 1]);
        let of = |value: &dyn Fn(Mark, Mark) -> i32| {
            [0, 1].map(|i| {
                let (from, to) = pair(i);
                value(from, to)
            })
        };
        Self {
            lines: of(&|from, to| from.lines_to(&to)),
            steps: of(&|from, to| to.x.saturating_sub(from.x)),
            ratios: of(&|from, to| {
                ((to.log_duration() - from.log_duration()) * RATIO_STEPS).round() as i32
            }),
        }
    }

    /// The beginnings of a row of fixations, each with its place.
    fn all(row: &[Mark]) -> impl Iterator<Item = (u32, Self)> {
        let three = row.windows(SEED).filter_map(|three| <&[Mark; SEED]>::try_from(three).ok());
        (0..=u32::MAX).zip(three.map(Self::of))
    }
}

/// A probe as a known reading has it: how much further right, how many lines down, and how much longer.
#[derive(Debug, Clone, Copy)]
struct Playing {
    lines: i32,
    shift: i32,
    stretch: f64,
}

impl Playing {
    /// As the beginning has it.
    fn of(probe: &[Mark], known: &[Mark]) -> Self {
        let pairs = || probe.iter().zip(known).take(SEED);
        let count = pairs().count().max(1);
        let shift: i64 = pairs().map(|(p, k)| i64::from(p.x) - i64::from(k.x)).sum();
        let stretch: f64 = pairs().map(|(p, k)| p.log_duration() - k.log_duration()).sum();
        let lines = pairs().next().map_or(0, |(p, k)| i32::from(p.line) - i32::from(k.line));
        let shift = shift / count as i64;
        Self {
            lines,
            shift: shift.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
            stretch: stretch / count as f64,
        }
    }

    fn matches(&self, probe: &Mark, known: &Mark) -> bool {
        let shift = i64::from(probe.x) - i64::from(known.x);
        let stretch = probe.log_duration() - known.log_duration();
        i32::from(probe.line) - i32::from(known.line) == self.lines
            && (shift - i64::from(self.shift)).abs() <= i64::from(NEAR)
            && (stretch - self.stretch).abs() <= probe.close().max(known.close())
    }
}

/// Fixations of a probe that are those of a known reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Echo {
    of: u32,
    /// The first of the probe, and the one after the last.
    from: usize,
    to: usize,
    common: usize,
}

/// A reading that was known before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replay {
    /// Which of the known readings, by its place among them.
    pub of: usize,
    /// Fixations in common.
    pub common: usize,
    /// Part of the probe's fixations that they are, from the first of them to the last where it is looked at in pieces.
    pub share: f64,
}

/// A beginning in a known reading; sorted by steps, then by the first ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    buckets: [i32; 2],
    ratio: i32,
    sketch: u32,
    place: u32,
}

/// Steps by size. All that are near a step are in one of two buckets.
fn bucket(step: i32) -> i32 {
    step.div_euclid(2 * STEP_NEAR)
}

/// Readings that probes are compared with.
///
/// Their beginnings are sorted, so that one of a probe is compared only with those that are much like it.
#[derive(Debug, Clone, Default)]
pub struct KnownReadings {
    /// Each sorted, and more than twice as long as the next: there are few of them, and a beginning
    /// is sorted anew only when many others have come.
    runs: Vec<Vec<Entry>>,
    sketches: Vec<Sketch>,
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
        let mut run = self.numbered(sketch);
        run.sort_unstable();
        while let Some(mut longer) = self.runs.pop_if(|longer| longer.len() <= 2 * run.len()) {
            longer.append(&mut run);
            // Takes two sorted parts for what they are.
            longer.sort();
            run = longer;
        }
        self.runs.push(run);
    }

    /// The beginnings of the next reading.
    fn numbered(&mut self, sketch: &Sketch) -> Vec<Entry> {
        let number = u32::try_from(self.sketches.len()).unwrap_or(u32::MAX);
        self.sketches.push(sketch.clone());
        let entry = |(place, beginning): (u32, Beginning)| Entry {
            buckets: beginning.steps.map(bucket),
            ratio: beginning.ratios[0],
            sketch: number,
            place,
        };
        Beginning::all(&sketch.0).map(entry).collect()
    }

    /// The known reading that a probe's reading is a replay of: the first of those most alike.
    pub fn replayed(&self, probe: &Sketch) -> Option<Replay> {
        let share = |echo: &Echo| echo.common as f64 / probe.len() as f64;
        let echoes = self.echoes(&probe.0).into_iter();
        let replays = echoes.filter(|echo| echo.common >= FEWEST && share(echo) >= SHARE);
        let best = replays.max_by_key(|echo| (echo.common, Reverse(echo.of)))?;
        Some(Replay { of: best.of as usize, common: best.common, share: share(&best) })
    }

    /// The pieces of all readings of a probe in a row that are replays: the longest echoes that have no fixation in
    /// common, from the first to the last.
    pub fn replayed_pieces(&self, probe: &[Sketch]) -> impl Iterator<Item = Replay> {
        let row: Vec<Mark> = probe.iter().flat_map(|sketch| sketch.0.iter().copied()).collect();
        let mut echoes = self.echoes(&row);
        echoes.retain(|echo| echo.common >= FEWEST);
        echoes.sort_by_key(|echo| (Reverse(echo.common), echo.from, echo.of));
        let mut pieces: Vec<Echo> = Vec::new();
        for echo in echoes {
            if pieces.iter().all(|other| echo.to <= other.from || other.to <= echo.from) {
                pieces.push(echo);
            }
        }
        let together: usize = pieces.iter().map(|piece| piece.common).sum();
        if pieces.len() < 2 || (together as f64) < PIECES_SHARE * row.len() as f64 {
            pieces.retain(|piece| piece.common >= PIECE);
        }
        pieces.sort_by_key(|piece| piece.from);
        pieces.into_iter().map(|echo| Replay {
            of: echo.of as usize,
            common: echo.common,
            share: echo.common as f64 / (echo.to - echo.from) as f64,
        })
    }

    /// What of a row of fixations is known.
    fn echoes(&self, row: &[Mark]) -> Vec<Echo> {
        let mut echoes = Vec::new();
        // What is in an echo already begins no other: known reading, place there, and in the row.
        let mut seen: HashSet<(u32, u32, u32)> = HashSet::new();
        for (place, beginning) in Beginning::all(row) {
            let from = place as usize;
            for entry in self.around(&row[from..], &beginning) {
                if seen.contains(&(entry.sketch, entry.place, place)) {
                    continue;
                }
                let Some(known) = self.sketches.get(entry.sketch as usize) else { continue };
                let (echo, pairs) = echo(row, from, &known.0, entry);
                seen.extend(pairs.iter().map(|&(p, k)| (entry.sketch, k as u32, p as u32)));
                echoes.extend(echo);
            }
        }
        echoes
    }

    /// Known beginnings that match one of a probe.
    fn around<'a>(
        &'a self,
        row: &'a [Mark],
        beginning: &'a Beginning,
    ) -> impl Iterator<Item = &'a Entry> {
        let slack = |i: usize| {
            let close = row[i].close().max(row[i + 1].close());
            (1.5 * close * RATIO_STEPS).round() as i32
        };
        let slack = [slack(0), slack(1)];
        let [first, second] = beginning.steps.map(|step| {
            bucket(step.saturating_sub(STEP_NEAR))..=bucket(step.saturating_add(STEP_NEAR))
        });
        let pairs = first.flat_map(move |a| second.clone().map(move |b| [a, b]));
        let lowest = beginning.ratios[0].saturating_sub(slack[0]);
        let highest = beginning.ratios[0].saturating_add(slack[0]);
        let ranges = pairs.flat_map(move |buckets| self.runs.iter().map(move |run| (run, buckets)));
        let entries = ranges.flat_map(move |(run, buckets)| {
            let key = |entry: &Entry| (entry.buckets, entry.ratio);
            let from = run.partition_point(|entry| key(entry) < (buckets, lowest));
            let to = run.partition_point(|entry| key(entry) <= (buckets, highest));
            &run[from..to.max(from)]
        });
        entries.filter(move |entry| {
            let known = self.sketches.get(entry.sketch as usize);
            let three = known.and_then(|known| known.0.get(entry.place as usize..));
            let three = three.and_then(|marks| marks.first_chunk::<SEED>());
            three.is_some_and(|three| {
                let other = Beginning::of(three);
                let near = |a: i32, b: i32, most: i32| a.abs_diff(b) <= most.unsigned_abs();
                other.lines == beginning.lines
                    && (0..2).all(|i| near(other.steps[i], beginning.steps[i], STEP_NEAR))
                    && near(other.ratios[1], beginning.ratios[1], slack[1])
            })
        })
    }
}

/// The echo that begins with three fixations, and its pairs of fixations; none where it was played too fast or too
/// slow.
fn echo(
    row: &[Mark],
    from: usize,
    known: &[Mark],
    entry: &Entry,
) -> (Option<Echo>, Vec<(usize, usize)>) {
    let start = (from, entry.place as usize);
    let playing = Playing::of(&row[start.0..], &known[start.1..]);
    if playing.stretch.abs() > MOST_STRETCH {
        return (None, Vec::new());
    }
    // The next that match, where a few may be missing.
    let next = |(p, k): (usize, usize), ahead: bool| {
        let step = |at: usize, by: usize| match ahead {
            true => at.checked_add(by),
            false => at.checked_sub(by),
        };
        NEXT.into_iter().find_map(|(a, b)| {
            let (p, k) = (step(p, a)?, step(k, b)?);
            playing.matches(row.get(p)?, known.get(k)?).then_some((p, k))
        })
    };
    let mut pairs: Vec<(usize, usize)> = (0..SEED).map(|i| (start.0 + i, start.1 + i)).collect();
    let mut last = (start.0 + SEED - 1, start.1 + SEED - 1);
    while let Some(pair) = next(last, true) {
        pairs.push(pair);
        last = pair;
    }
    let mut first = start;
    while let Some(pair) = next(first, false) {
        pairs.push(pair);
        first = pair;
    }
    let echo = Echo { of: entry.sketch, from: first.0, to: last.0 + 1, common: pairs.len() };
    (Some(echo), pairs)
}
