//! Event frames of pymovements, saved as CSV: a row for each event, with `name`, `onset`, `offset`,
//! `duration` and `location`.
//!
//! A location is a list such as `[512.3, 400.1]`, or two columns `location_x` and `location_y`. Frames
//! in degrees cannot be told from frames in pixels: they must be in pixels. Tables of areas of interest
//! are read as interest-area reports are: [`super::dataviewer::areas`]. No real file was at hand: the
//! columns are those of the package's documentation.

use std::io::BufRead;

use super::dataviewer::Chosen;
use super::dataviewer::columns::{Finder, Role};
use super::dataviewer::fixations::Names;
use super::error::{At, ImportError};
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::rows::{self, Rows};

/// How to read a frame.
#[derive(Debug, Clone, Copy)]
pub struct FrameOptions<'o> {
    /// What stands between cells.
    pub delimiter: u8,
    /// Which columns to take for reader, text, session and trial.
    pub chosen: &'o Chosen,
}

/// Reads an event frame; fixations are in pixels.
///
/// # Errors
/// If the frame cannot be read, columns are missing, or it has no rows.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &FrameOptions<'_>,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let mut rows = Rows::open(input, options.delimiter)?;
    let columns = Columns::find(rows.header(), options.chosen, sink)?;
    let (mut names, mut read) = (Names::default(), 0_u64);
    while rows.advance()? {
        read += 1;
        let place = RowPlace { file, row: rows.row() };
        match columns.fixation(&rows, &mut names)? {
            Ok(fixation) => sink.fixation(place, fixation)?,
            Err(reason) => sink.dropped(place, reason, &rows.shown()),
        }
    }
    if read == 0 {
        return Err(ImportError::Empty { at: At::row(rows.row()), expected: "events" });
    }
    Ok(())
}

struct Columns {
    reader: usize,
    text: Vec<usize>,
    session: Option<usize>,
    trial: Option<usize>,
    name: usize,
    onset: usize,
    offset: Option<usize>,
    duration: Option<usize>,
    location: Location,
}

/// Where a location stands.
enum Location {
    List(usize),
    Apart(usize, usize),
}

impl Columns {
    fn find(header: &[String], chosen: &Chosen, sink: &mut dyn Sink) -> Result<Self, ImportError> {
        let own = |name: &str| header.iter().position(|column| column.trim() == name);
        let mut finder = Finder::new(header, chosen);
        let reader = finder.required(Role::Reader)?;
        let text = finder.all(Role::Text)?;
        if text.is_empty() {
            finder.lacks(Role::Text);
        }
        let session = finder.one(Role::Session)?;
        let trial = finder.one(Role::Trial)?;
        let location = match (own("location"), own("location_x"), own("location_y")) {
            (_, Some(x), Some(y)) => Some(Location::Apart(x, y)),
            (list, ..) => list.map(Location::List),
        };
        let (name, onset, offset, duration) =
            (own("name"), own("onset"), own("offset"), own("duration"));
        if name.is_none() || onset.is_none() || (offset.is_none() && duration.is_none()) {
            finder.lacks(Role::Duration);
        }
        if location.is_none() {
            finder.lacks(Role::X);
        }
        sink.note(format!("columns of the events: {}", finder.done()?));
        // A column past the last has no cells; what is missing has been refused.
        let (name, onset) = (name.unwrap_or(usize::MAX), onset.unwrap_or(usize::MAX));
        let location = location.unwrap_or(Location::List(usize::MAX));
        Ok(Self { reader, text, session, trial, name, onset, offset, duration, location })
    }

    fn fixation(
        &self,
        rows: &Rows<'_>,
        names: &mut Names,
    ) -> Result<Result<RawFixation, Reason>, ImportError> {
        if rows.len() != rows.header().len() {
            return Ok(Err(Reason::RAGGED));
        }
        // Detection methods are part of the name: fixation_ivt, fixation.idt.
        if !rows.cell(self.name)?.is_some_and(|name| name.starts_with("fixation")) {
            return Ok(Err(Reason::NOT_A_FIXATION));
        }
        let Some(reader) = names.reader(rows, Some(self.reader))? else {
            return Ok(Err(Reason::NO_READER));
        };
        let Some(text) = names.text(rows, &self.text)? else { return Ok(Err(Reason::NO_TEXT)) };
        let times = (
            rows.number(Some(self.onset))?,
            rows.number(self.offset)?,
            rows.number(self.duration)?,
        );
        let (Ok(onset_ms), Ok(offset), Ok(duration)) = times else {
            return Ok(Err(Reason::NOT_A_NUMBER));
        };
        let duration_ms = duration.or_else(|| Some(offset? - onset_ms?));
        if duration_ms.is_some_and(|duration| duration < 0.0) {
            return Ok(Err(Reason::NEGATIVE_DURATION));
        }
        let Some(position) = self.position(rows)? else { return Ok(Err(Reason::NOT_A_NUMBER)) };
        Ok(Ok(RawFixation {
            reader,
            text,
            session: names.session(rows, self.session)?,
            trial: names.trial(rows, self.trial)?,
            position,
            duration_ms,
            onset_ms,
            gap: false,
            eye: None,
            word: None,
        }))
    }

    /// The location, `None` where it is no number.
    fn position(&self, rows: &Rows<'_>) -> Result<Option<Position>, ImportError> {
        let cells = match self.location {
            Location::Apart(x, y) => rows.cell(x)?.zip(rows.cell(y)?),
            Location::List(list) => {
                let Some(cell) = rows.cell(list)? else { return Ok(Some(Position::Missing)) };
                let inner = cell.trim_matches(['[', ']', '(', ')']);
                let Some((x, y)) = inner.split_once(',') else { return Ok(None) };
                let cells = (x.trim(), y.trim());
                Some(cells).filter(|(x, y)| !rows::is_missing(x) && !rows::is_missing(y))
            }
        };
        let Some((x, y)) = cells else { return Ok(Some(Position::Missing)) };
        let numbers = rows::number(x).zip(rows::number(y));
        Ok(numbers.map(|(x, y)| Position::Pixels { x, y }))
    }
}

#[cfg(test)]
mod tests;
