//! Data exports of Tobii Pro Lab: a row for each sample, tab-separated, with the fixation or saccade
//! that the sample is part of.
//!
//! The samples of a fixation follow each other and have the same `Eye movement type index`. Each
//! repeats the duration and the position of the whole. No real file was at hand: the columns are those
//! of the maker's manual.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use super::error::{At, ImportError};
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::rows::Rows;

/// How to read an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TobiiOptions {
    /// What stands between cells.
    pub delimiter: u8,
}

impl Default for TobiiOptions {
    fn default() -> Self {
        Self { delimiter: b'\t' }
    }
}

/// Reads an export; fixations are in pixels.
///
/// # Errors
/// If the export cannot be read, columns are missing, or it has no rows.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &TobiiOptions,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let mut rows = Rows::open(input, options.delimiter)?;
    let columns = Columns::find(rows.header(), sink)?;
    let mut current: Option<Event> = None;
    let (mut events, mut lost, mut read) = (BTreeMap::<String, u64>::new(), false, 0_u64);
    while rows.advance()? {
        read += 1;
        let place = RowPlace { file, row: rows.row() };
        let Some(kind) = rows.cell(columns.kind)? else {
            sink.dropped(place, Reason::NOT_A_FIXATION, "a row without eye movement type");
            continue;
        };
        let event = Event {
            reader: rows.cell(columns.reader)?.map(Arc::from),
            recording: columns.cell(&rows, columns.recording)?.map(Arc::from),
            kind: kind.into(),
            index: rows.cell(columns.index)?.map(Arc::from),
        };
        if current.as_ref() == Some(&event) {
            continue;
        }
        // Kinds are few, but a broken file could have a new one in each row.
        if events.len() < 20 || events.contains_key(kind) {
            *events.entry(kind.to_owned()).or_default() += 1;
        }
        if kind.eq_ignore_ascii_case("fixation") {
            match columns.fixation(&rows, &event, lost)? {
                Ok(fixation) => sink.fixation(place, fixation)?,
                Err(reason) => sink.dropped(place, reason, &rows.shown()),
            }
        }
        lost = kind.eq_ignore_ascii_case("eyesnotfound");
        current = Some(event);
    }
    if read == 0 {
        return Err(ImportError::Empty { at: At::row(rows.row()), expected: "samples" });
    }
    let kinds: Vec<_> = events.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    sink.note(format!("rows grouped by eye movement type index: {}", kinds.join(", ")));
    Ok(())
}

/// What tells one eye movement from the next.
#[derive(PartialEq)]
struct Event {
    reader: Option<Arc<str>>,
    recording: Option<Arc<str>>,
    kind: Arc<str>,
    index: Option<Arc<str>>,
}

struct Columns {
    reader: usize,
    recording: Option<usize>,
    text: usize,
    kind: usize,
    index: usize,
    duration: usize,
    x: usize,
    y: usize,
    time: Option<usize>,
    /// Milliseconds in a unit of duration and of time.
    units: (f64, f64),
}

impl Columns {
    fn find(header: &[String], sink: &mut dyn Sink) -> Result<Self, ImportError> {
        let position = |names: &[&str]| {
            names.iter().find_map(|name| header.iter().position(|column| is_named(column, name)))
        };
        let mut missing = Vec::new();
        let mut required = |role, names: &[&str]| {
            let found = position(names);
            if found.is_none() {
                missing.push(role);
            }
            found.unwrap_or(usize::MAX)
        };
        let mut columns = Self {
            reader: required("reader", &["Participant name"]),
            recording: position(&["Recording name"]),
            text: required("text", &["Presented Stimulus name", "Presented Media name"]),
            kind: required("eye movement type", &["Eye movement type"]),
            index: required("eye movement type index", &["Eye movement type index"]),
            duration: required("duration", &["Gaze event duration"]),
            x: required("x", &["Fixation point X"]),
            y: required("y", &["Fixation point Y"]),
            time: position(&["Recording timestamp"]),
            units: (1.0, 1.0),
        };
        if !missing.is_empty() {
            let found = header.to_vec();
            return Err(ImportError::MissingColumns { at: At::row(1), roles: missing, found });
        }
        let unit =
            |at: Option<usize>| at.and_then(|at| header.get(at)).map_or(1.0, |name| unit(name));
        columns.units = (unit(Some(columns.duration)), unit(columns.time));
        sink.note(format!(
            "durations are in units of {} ms and times in units of {} ms, by the names of their columns",
            columns.units.0, columns.units.1
        ));
        Ok(columns)
    }

    fn cell<'r>(
        &self,
        rows: &'r Rows<'_>,
        at: Option<usize>,
    ) -> Result<Option<&'r str>, ImportError> {
        at.map_or(Ok(None), |at| rows.cell(at))
    }

    fn fixation(
        &self,
        rows: &Rows<'_>,
        event: &Event,
        gap: bool,
    ) -> Result<Result<RawFixation, Reason>, ImportError> {
        let Some(reader) = event.reader.clone() else { return Ok(Err(Reason::NO_READER)) };
        let Some(text) = rows.cell(self.text)? else { return Ok(Err(Reason::NO_TEXT)) };
        let x = rows.number(Some(self.x))?;
        let y = rows.number(Some(self.y))?;
        let duration = rows.number(Some(self.duration))?;
        let (Ok(x), Ok(y), Ok(duration), Ok(time)) = (x, y, duration, rows.number(self.time)?)
        else {
            return Ok(Err(Reason::NOT_A_NUMBER));
        };
        if duration.is_some_and(|duration| duration < 0.0) {
            return Ok(Err(Reason::NEGATIVE_DURATION));
        }
        Ok(Ok(RawFixation {
            reader,
            text: text.into(),
            session: None,
            trial: event.recording.clone(),
            position: match (x, y) {
                (Some(x), Some(y)) => Position::Pixels { x, y },
                _ => Position::Missing,
            },
            duration_ms: duration.map(|duration| duration * self.units.0),
            onset_ms: time.map(|time| time * self.units.1),
            gap,
            eye: None,
            word: None,
        }))
    }
}

/// Whether a column has this name, whatever its unit: `Fixation point X [DACS px]`.
fn is_named(column: &str, name: &str) -> bool {
    let bare = column.split(['[', '(']).next().unwrap_or(column);
    bare.trim().eq_ignore_ascii_case(name)
}

/// Milliseconds in the unit that a column's name ends with.
fn unit(column: &str) -> f64 {
    let micro = ["[μs]", "[µs]", "[us]"].iter().any(|unit| column.contains(unit));
    if micro { 1e-3 } else { 1.0 }
}

#[cfg(test)]
mod tests;
