//! Events beside a recording: messages, fixations, blinks.

use super::super::error::{At, ImportError};
use super::super::recording::{Reason, RowPlace, Sink};
use super::super::values::{is_missing, number};
use super::{Clock, EventTable, Metadata, factor};
use crate::table::{Row, Rows};

/// Events that are held at most.
const MOST_EVENTS: usize = 1 << 20;
/// Most bytes of a message that is looked at.
const LONGEST: usize = 1000;
/// Beyond this no time is one. It keeps differences finite.
const LATEST: f64 = 1e16;
/// What the median duration of fixations can be, in milliseconds.
const FIXATIONS_MS: std::ops::RangeInclusive<f64> = 20.0..=5000.0;

/// A fixation without a duration.
const NO_DURATION: Reason = Reason::new("no_duration");
/// An event whose time is no number.
const NO_ONSET: Reason = Reason::new("no_onset");

/// A message; its time is that of the recording, in milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    pub(super) time: f64,
    pub(super) said: String,
}

/// A fixation, and the sums of the samples in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fixation {
    pub(super) row: u64,
    pub(super) onset: f64,
    pub(super) duration: f64,
    pub(super) gap: bool,
    pub(super) count: f64,
    pub(super) x: f64,
    pub(super) y: f64,
}

/// What the events of a recording are.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// In order of time.
    pub(super) messages: Vec<Message>,
    /// In order of their onsets.
    pub(super) fixations: Vec<Fixation>,
    pub(super) rows: u64,
    pub(super) blinks: u64,
}

/// An eye movement as its row has it.
struct Movement {
    row: u64,
    onset: f64,
    duration: f64,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Fixation,
    Blink,
    Other,
}

/// The columns of events that are needed here.
struct Columns {
    onset: usize,
    duration: Option<usize>,
    kind: Option<usize>,
    blink: Option<usize>,
    message: Option<usize>,
}

impl Columns {
    fn find(names: &[String]) -> Result<Self, ImportError> {
        let place = |name: &str| names.iter().position(|known| known.eq_ignore_ascii_case(name));
        let onset = place("onset").ok_or_else(|| {
            ImportError::value(
                At::row(1),
                format!("events with the columns {}", names.join(", ")),
                "the column onset",
                "correct Columns in the JSON file of the events",
            )
        })?;
        Ok(Self {
            onset,
            duration: place("duration"),
            kind: place("trial_type"),
            blink: place("blink"),
            message: place("message"),
        })
    }
}

impl Events {
    /// Reads the events; `clock` is that of their onsets.
    pub(super) fn read(
        table: EventTable<'_>,
        clock: &Clock,
        sink: &mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let Some(metadata) = table.columns else {
            return Err(super::no_json("events", "physioevents.json"));
        };
        let names = metadata.columns("events")?;
        let columns = Columns::find(&names)?;
        let width = names.len();
        let mut rows = Rows::headless(table.input, names);
        let mut events = Self::default();
        let mut movements: Vec<Movement> = Vec::new();
        while let Some(row) = rows.next()? {
            events.rows += 1;
            let place = RowPlace { file: table.file, row: row.number };
            if row.len() != width {
                sink.dropped(place, Reason::RAGGED, row.line());
                continue;
            }
            if movements.len() + events.messages.len() >= MOST_EVENTS {
                return Err(ImportError::value(
                    At::row(row.number),
                    format!("more than {MOST_EVENTS} events"),
                    "fewer",
                    "check that this is the right file",
                ));
            }
            if let Err(reason) = events.row(row, &columns, clock, &mut movements) {
                sink.dropped(place, reason, row.line());
            }
        }
        rows.note_quotes(sink);
        events.messages.sort_by(|a, b| a.time.total_cmp(&b.time));
        movements.sort_by(|a, b| a.onset.total_cmp(&b.onset));
        set_durations(&mut movements, &metadata, clock, sink);
        events.take(&movements);
        Ok(events)
    }

    fn row(
        &mut self,
        row: Row<'_>,
        columns: &Columns,
        clock: &Clock,
        movements: &mut Vec<Movement>,
    ) -> Result<(), Reason> {
        let time = |cell: &str| number(cell, false).filter(|time| time.abs() <= LATEST);
        let cell = |column: Option<usize>| {
            column.map(|column| row.cell(column)).filter(|cell| !is_missing(cell))
        };
        let onset = time(row.cell(columns.onset)).ok_or(NO_ONSET)?;
        let onset = clock.millis(onset);
        if let Some(said) = cell(columns.message) {
            let end = (0..=LONGEST.min(said.len())).rev().find(|&end| said.is_char_boundary(end));
            let said = said[..end.unwrap_or(0)].to_owned();
            self.messages.push(Message { time: onset, said });
        }
        let Some(kind) = cell(columns.kind) else { return Ok(()) };
        let kind = kind.to_ascii_lowercase();
        let is_closed = cell(columns.blink).is_some_and(|cell| cell.starts_with('1'));
        let kind = match kind.as_str() {
            fixation if fixation.starts_with("fix") => Kind::Fixation,
            blink if blink.starts_with("blink") || is_closed => Kind::Blink,
            _ => Kind::Other,
        };
        let duration = cell(columns.duration).and_then(time);
        let duration = match (duration, kind) {
            (Some(duration), Kind::Fixation) if duration < 0.0 => {
                return Err(Reason::NEGATIVE_DURATION);
            }
            (None, Kind::Fixation) => return Err(NO_DURATION),
            (duration, _) => duration.unwrap_or(0.0),
        };
        movements.push(Movement { row: row.number, onset, duration, kind });
        Ok(())
    }

    /// Takes the fixations, and marks those after a blink.
    fn take(&mut self, movements: &[Movement]) {
        let mut gap = false;
        for movement in movements {
            match movement.kind {
                Kind::Fixation => self.fixations.push(Fixation {
                    row: movement.row,
                    onset: movement.onset,
                    duration: movement.duration,
                    gap: std::mem::take(&mut gap),
                    count: 0.0,
                    x: 0.0,
                    y: 0.0,
                }),
                Kind::Blink => {
                    self.blinks += 1;
                    gap = true;
                }
                Kind::Other => {}
            }
        }
    }
}

/// Turns durations into milliseconds, from the first sample to the last and one sample more.
fn set_durations(
    movements: &mut [Movement],
    metadata: &Metadata,
    clock: &Clock,
    sink: &mut dyn Sink,
) {
    let is_fixation = |movement: &&Movement| movement.kind == Kind::Fixation;
    let mut durations: Vec<f64> =
        movements.iter().filter(is_fixation).map(|movement| movement.duration).collect();
    durations.sort_by(f64::total_cmp);
    let Some(&median) = durations.get(durations.len() / 2) else { return };
    let stated = metadata.units("duration").and_then(|units| factor(units, clock.interval));
    let factor = match stated {
        Some(factor) => {
            sink.note("durations of events are in the unit that their JSON file states".to_owned());
            factor
        }
        // Trackers state durations as they do onsets, where the standard has seconds.
        None => {
            let fits = |factor: &f64| FIXATIONS_MS.contains(&(median * factor));
            let found = [clock.factor, 1000.0].into_iter().find(fits).unwrap_or(clock.factor);
            sink.note(format!(
                "durations of events are multiplied by {found} for milliseconds: their median is \
                 {median}"
            ));
            found
        }
    };
    movements.iter_mut().for_each(|movement| movement.duration *= factor);
    let (mut exact, mut short) = (0_u64, 0_u64);
    for pair in movements.windows(2) {
        let between = pair[1].onset - pair[0].onset - pair[0].duration;
        exact += u64::from(between.abs() < 0.1 * clock.interval);
        short += u64::from((between - clock.interval).abs() < 0.1 * clock.interval);
    }
    if short > exact {
        movements.iter_mut().for_each(|movement| movement.duration += clock.interval);
        sink.note(format!(
            "durations of events are one sample longer than stated, {} ms: {short} events end one \
             sample before the next begins, {exact} right with it",
            clock.interval
        ));
    }
}
