//! Event frames of pymovements, saved as CSV: a row for each event, with `name`, `onset`, `offset`,
//! `duration` and `location`.
//!
//! A location is a list such as `[512.3, 400.1]`, or two columns `location_x` and `location_y`. Frames
//! in degrees cannot be told from frames in pixels: they must be in pixels. Tables of areas of interest
//! are read as interest-area reports are: [`super::dataviewer::areas`]. No real file was at hand: the
//! columns are those of the package's documentation.

use std::io::BufRead;
use std::sync::Arc;

use super::aliases::{Choice, ColumnRole, Mapping, Unit};
use super::error::{At, ImportError};
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use super::unread::Unread;
use super::values::{Name, SharedNames, is_missing, name, number, number_or_missing, pair};
use crate::table::{Row, Rows};

/// How to read a frame.
#[derive(Debug, Clone, Default)]
pub struct FrameOptions<'o> {
    /// Columns that the user chose; the others are found by their names.
    pub choices: &'o [Choice],
    /// Who read, where there is no column for it.
    pub reader: Option<Arc<str>>,
    /// What is read, where there is no column for it.
    pub page: Option<Arc<str>>,
    /// Which of these names are guesses, so that columns that may say better are told.
    pub guessed: &'o [ColumnRole],
}

const ROLES: [ColumnRole; 11] = [
    ColumnRole::Reader,
    ColumnRole::Text,
    ColumnRole::Session,
    ColumnRole::Trial,
    ColumnRole::Kind,
    ColumnRole::Onset,
    ColumnRole::Offset,
    ColumnRole::Duration,
    ColumnRole::Location,
    ColumnRole::X,
    ColumnRole::Y,
];

/// Reads an event frame; fixations are in pixels.
///
/// # Errors
/// If the frame cannot be read, columns are missing, or it has no rows.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &FrameOptions<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each event")?;
    let mapping = find(&rows, options)?;
    sink.note(rows.decision.clone());
    let only_reader = options.reader.clone().filter(|_| mapping.get(ColumnRole::Reader).is_none());
    if let Some(reader) = &only_reader {
        sink.note(format!("there is no column for the reader: all fixations are of {reader}"));
    }
    let only_text = options.page.clone().filter(|_| mapping.get(ColumnRole::Text).is_none());
    if let Some(text) = &only_text {
        sink.note(format!("there is no column for the text: all fixations are on {text}"));
    }
    let mut events = Events::new(&mapping, rows.header.len(), [only_reader, only_text]);
    let mut unread = Unread::new(&rows, &mapping, options.guessed);
    let mut read = 0;
    while let Some(row) = rows.next()? {
        read += 1;
        unread.see(row);
        let place = RowPlace { file, row: row.number };
        match events.fixation(row) {
            Ok(fixation) => sink.fixation(place, fixation)?,
            Err(reason) => sink.dropped(place, reason, row.line()),
        }
    }
    if read == 0 {
        return Err(ImportError::Empty { at: At::row(rows.last_row()), expected: "events" });
    }
    unread.warn(sink);
    rows.note_quotes(sink);
    Ok(Shape { rows: read, mapping, columns: rows.header, ..Shape::default() })
}

fn find(rows: &Rows<'_>, options: &FrameOptions<'_>) -> Result<Mapping, ImportError> {
    let (header, row) = (&rows.header, rows.header_row);
    let mut mapping = Mapping::find(header, row, &ROLES, options.choices)?;
    let mut needed = vec![ColumnRole::Kind, ColumnRole::Onset];
    if options.page.is_none() {
        needed.push(ColumnRole::Text);
    }
    if options.reader.is_none() {
        needed.push(ColumnRole::Reader);
    }
    if mapping.get(ColumnRole::Offset).is_none() {
        needed.push(ColumnRole::Duration);
    }
    let is_apart = mapping.get(ColumnRole::X).is_some() && mapping.get(ColumnRole::Y).is_some();
    match mapping.get(ColumnRole::Location) {
        Some(_) => mapping.0.retain(|mapped| !matches!(mapped.role, ColumnRole::X | ColumnRole::Y)),
        None if is_apart => {}
        None => needed.push(ColumnRole::Location),
    }
    mapping.require(header, row, &needed)?;
    let place = mapping.get(ColumnRole::Location).or(mapping.get(ColumnRole::X));
    if let Some(place) = place.filter(|place| place.unit == Some(Unit::Degrees)) {
        return Err(ImportError::Value {
            at: At::cell(row, place.column.as_str()),
            found: "locations in degrees, by the column's name".into(),
            expected: "pixels".into(),
            remedy: "compute the locations from pixels before saving the frame".into(),
        });
    }
    Ok(mapping)
}

struct Events {
    /// Cells that a row should have.
    width: usize,
    reader: Option<Name>,
    only_reader: Option<Arc<str>>,
    text: Option<Name>,
    only_text: Option<Arc<str>>,
    session: Option<Name>,
    trial: Option<Name>,
    names: SharedNames,
    kind: Option<usize>,
    /// Onset, offset and duration, each with the milliseconds in its unit.
    times: [(Option<usize>, f64); 3],
    location: Option<usize>,
    x: Option<usize>,
    y: Option<usize>,
}

impl Events {
    fn new(
        mapping: &Mapping,
        width: usize,
        [only_reader, only_text]: [Option<Arc<str>>; 2],
    ) -> Self {
        let times = [ColumnRole::Onset, ColumnRole::Offset, ColumnRole::Duration].map(|role| {
            let unit = mapping.get(role).and_then(|mapped| mapped.unit?.milliseconds());
            (mapping.index(role), unit.unwrap_or(1.0))
        });
        Self {
            width,
            reader: Name::of(mapping, ColumnRole::Reader),
            only_reader,
            only_text,
            text: Name::of(mapping, ColumnRole::Text),
            session: Name::of(mapping, ColumnRole::Session),
            trial: Name::of(mapping, ColumnRole::Trial),
            names: SharedNames::default(),
            kind: mapping.index(ColumnRole::Kind),
            times,
            location: mapping.index(ColumnRole::Location),
            x: mapping.index(ColumnRole::X),
            y: mapping.index(ColumnRole::Y),
        }
    }

    fn fixation(&mut self, row: Row<'_>) -> Result<RawFixation, Reason> {
        if row.len() != self.width {
            return Err(Reason::RAGGED);
        }
        let cell = |column: Option<usize>| column.map_or("", |column| row.cell(column));
        // Detection methods are part of the name: fixation_ivt, fixation.idt.
        if !cell(self.kind).starts_with("fixation") {
            return Err(Reason::NOT_A_FIXATION);
        }
        let names = &mut self.names;
        let reader = match &self.only_reader {
            Some(reader) => Arc::clone(reader),
            None => name(&mut self.reader, row, names).ok_or(Reason::NO_READER)?,
        };
        let text = match &self.only_text {
            Some(text) => Arc::clone(text),
            None => name(&mut self.text, row, names).ok_or(Reason::NO_TEXT)?,
        };
        let [onset_ms, offset, duration] = self.times.map(|(column, unit)| {
            let time = number_or_missing(cell(column), true)?.map(|time| time * unit);
            Ok(time.filter(|time| time.is_finite()))
        });
        let (onset_ms, offset, duration) = (onset_ms?, offset?, duration?);
        let duration_ms =
            duration.or_else(|| Some(offset? - onset_ms?)).filter(|time| time.is_finite());
        if duration_ms.is_some_and(|duration| duration < 0.0) {
            return Err(Reason::NEGATIVE_DURATION);
        }
        let (x, y) = match self.location.map(|column| row.cell(column)) {
            Some(list) if is_missing(list) => ("", ""),
            Some(list) => {
                let [x, y] = pair(list).ok_or(Reason::NOT_A_NUMBER)?;
                (x, y)
            }
            None => (cell(self.x), cell(self.y)),
        };
        let position = if is_missing(x) || is_missing(y) {
            Position::Missing
        } else {
            let numbers = number(x, true).zip(number(y, true)).ok_or(Reason::NOT_A_NUMBER)?;
            Position::Pixels { x: numbers.0, y: numbers.1 }
        };
        Ok(RawFixation {
            reader,
            text,
            session: name(&mut self.session, row, names),
            trial: name(&mut self.trial, row, names),
            position,
            duration_ms,
            onset_ms,
            gap: false,
            eye: None,
            ..RawFixation::default()
        })
    }
}

#[cfg(test)]
mod tests;
