//! Data exports of Tobii Pro Lab: a row for each sample, tab-separated, with the fixation or saccade
//! that the sample is part of.
//!
//! The samples of a fixation follow each other and have the same `Eye movement type index`. Each
//! repeats the duration and the position of the whole. Where the export has the gaze of each sample, and
//! the screen is known, kinematics are measured in these. No real file was at hand: the columns are those
//! of the maker's manual.

mod gaze;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use self::gaze::Gaze;
use super::aliases::{Choice, ColumnRole, Mapping};
use super::detect::Scale;
use super::error::{At, ImportError};
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use super::values::{Name, SharedNames, name, number_or_missing, present};
use crate::table::{Row, Rows};

/// How to read an export.
#[derive(Debug, Clone, Copy, Default)]
pub struct TobiiOptions<'o> {
    /// Columns that the user chose; the others are found by their names.
    pub choices: &'o [Choice],
    /// How pixels and degrees relate.
    pub scale: Option<Scale>,
}

const ROLES: [ColumnRole; 9] = [
    ColumnRole::Reader,
    ColumnRole::Trial,
    ColumnRole::Text,
    ColumnRole::Kind,
    ColumnRole::Event,
    ColumnRole::Duration,
    ColumnRole::X,
    ColumnRole::Y,
    ColumnRole::Time,
];

/// Kinds of events that are counted one by one: they are few, but a broken file could have a new one
/// in each row.
const MOST_KINDS: usize = 20;

/// Reads an export; fixations are in pixels.
///
/// # Errors
/// If the export cannot be read, columns are missing, or it has no rows.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &TobiiOptions<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each sample")?;
    let (header, row) = (&rows.header, rows.header_row);
    let mapping = Mapping::find(header, row, &ROLES, options.choices)?;
    let is_needed = |role: &ColumnRole| !matches!(role, ColumnRole::Trial | ColumnRole::Time);
    let needed: Vec<ColumnRole> = ROLES.into_iter().filter(is_needed).collect();
    mapping.require(header, row, &needed)?;
    sink.note(rows.decision.clone());
    let numbers = [ColumnRole::X, ColumnRole::Y, ColumnRole::Duration, ColumnRole::Time];
    rows.note_commas(&numbers.map(|role| mapping.index(role)), sink)?;
    let mut gaze = Gaze::new(&rows.header, options.scale);
    let mut samples = Samples::new(&mapping, sink);
    let mut current: Option<Event> = None;
    let (mut events, mut lost, mut read) = (BTreeMap::<Arc<str>, u64>::new(), false, 0);
    while let Some(row) = rows.next()? {
        read += 1;
        let place = RowPlace { file, row: row.number };
        let Some(event) = samples.event(row) else {
            sink.dropped(place, Reason::NOT_A_FIXATION, "a row without eye movement type");
            continue;
        };
        if current.as_ref() == Some(&event) {
            gaze.sample(row, samples.time(row));
            continue;
        }
        gaze.close();
        if !current.as_ref().is_some_and(|last| last.is_recorded_with(&event)) {
            gaze.flush(sink)?;
        }
        if events.len() < MOST_KINDS || events.contains_key(&event.kind) {
            *events.entry(Arc::clone(&event.kind)).or_default() += 1;
        }
        // A loss of signal counts until a fixation comes, whatever is between, in one recording.
        lost &= current.as_ref().is_some_and(|last| last.is_recorded_with(&event));
        lost |= event.kind.eq_ignore_ascii_case("eyesnotfound");
        if event.kind.eq_ignore_ascii_case("fixation") {
            match samples.fixation(row, &event, lost) {
                Ok(fixation) => {
                    gaze.fixation(place, fixation, sink)?;
                    lost = false;
                }
                Err(reason) => sink.dropped(place, reason, row.line()),
            }
        }
        gaze.sample(row, samples.time(row));
        current = Some(event);
    }
    gaze.flush(sink)?;
    gaze.note(sink);
    if read == 0 {
        return Err(ImportError::Empty { at: At::row(rows.last_row()), expected: "samples" });
    }
    let kinds: Vec<_> = events.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    sink.note(format!("rows grouped by eye movement type index: {}", kinds.join(", ")));
    rows.note_quotes(sink);
    Ok(Shape { rows: read, mapping })
}

/// What tells one eye movement from the next.
#[derive(PartialEq)]
struct Event {
    reader: Option<Arc<str>>,
    recording: Option<Arc<str>>,
    kind: Arc<str>,
    index: Option<Arc<str>>,
}

impl Event {
    fn is_recorded_with(&self, other: &Self) -> bool {
        self.reader == other.reader && self.recording == other.recording
    }
}

struct Samples {
    reader: Option<Name>,
    recording: Option<Name>,
    text: Option<Name>,
    kind: Option<Name>,
    names: SharedNames,
    index: Option<usize>,
    duration: Option<usize>,
    x: Option<usize>,
    y: Option<usize>,
    time: Option<usize>,
    /// Milliseconds in a unit of duration and of time.
    units: [f64; 2],
}

impl Samples {
    fn new(mapping: &Mapping, sink: &mut dyn Sink) -> Self {
        let units = [ColumnRole::Duration, ColumnRole::Time].map(|role| {
            let unit = mapping.get(role).and_then(|mapped| mapped.unit?.milliseconds());
            unit.unwrap_or(1.0)
        });
        sink.note(format!(
            "durations are in units of {} ms and times in units of {} ms, by the names of their columns",
            units[0], units[1]
        ));
        Self {
            reader: Name::of(mapping, ColumnRole::Reader),
            recording: Name::of(mapping, ColumnRole::Trial),
            text: Name::of(mapping, ColumnRole::Text),
            kind: Name::of(mapping, ColumnRole::Kind),
            names: SharedNames::default(),
            index: mapping.index(ColumnRole::Event),
            duration: mapping.index(ColumnRole::Duration),
            x: mapping.index(ColumnRole::X),
            y: mapping.index(ColumnRole::Y),
            time: mapping.index(ColumnRole::Time),
            units,
        }
    }

    /// The event of a sample, where it has one.
    fn event(&mut self, row: Row<'_>) -> Option<Event> {
        let names = &mut self.names;
        let kind = name(&mut self.kind, row, names)?;
        Some(Event {
            reader: name(&mut self.reader, row, names),
            recording: name(&mut self.recording, row, names),
            kind,
            index: self.index.and_then(|column| present(row.cell(column))).map(Arc::from),
        })
    }

    /// When a sample was taken, ms.
    fn time(&self, row: Row<'_>) -> Option<f64> {
        let time = number_or_missing(row.cell(self.time?), true).ok()??;
        Some(time * self.units[1]).filter(|time| time.abs() <= 1e16)
    }

    fn fixation(&mut self, row: Row<'_>, event: &Event, gap: bool) -> Result<RawFixation, Reason> {
        let reader = event.reader.clone().ok_or(Reason::NO_READER)?;
        let text = name(&mut self.text, row, &mut self.names).ok_or(Reason::NO_TEXT)?;
        let number =
            |column: Option<usize>| number_or_missing(column.map_or("", |c| row.cell(c)), true);
        let (x, y) = (number(self.x)?, number(self.y)?);
        let scaled = |column, unit: f64| -> Result<Option<f64>, Reason> {
            let time = number(column)?.map(|time| time * unit);
            Ok(time.filter(|time| time.is_finite()))
        };
        let duration_ms = scaled(self.duration, self.units[0])?;
        let onset_ms = scaled(self.time, self.units[1])?;
        if duration_ms.is_some_and(|duration| duration < 0.0) {
            return Err(Reason::NEGATIVE_DURATION);
        }
        Ok(RawFixation {
            reader,
            text,
            session: None,
            trial: event.recording.clone(),
            position: match (x, y) {
                (Some(x), Some(y)) => Position::Pixels { x, y },
                _ => Position::Missing,
            },
            duration_ms,
            onset_ms,
            gap,
            ..RawFixation::default()
        })
    }
}

#[cfg(test)]
mod tests;
