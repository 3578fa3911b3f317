//! Tables of fixations and of words, as other tools write them.
//!
//! Columns are found by name ([`Mapping`]), units by name or else by the numbers of the first rows.
//! What was decided is noted, with the reason.

use std::io::BufRead;
use std::sync::Arc;

use super::aliases::{Choice, ColumnRole, Mapped, Mapping, Unit};
use super::error::{At, ImportError};
use super::order::InOrder;
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use super::setting::{Phrase, phrase};
use super::values::{
    Name, SharedNames, eye, is_missing, is_true, name, number, number_or_missing, whole,
};
use crate::table::{Row, Rows};

mod words;

pub use words::{RawTrial, read_trials, read_words};

/// Below this, the median of durations is in seconds: nobody fixates for less than 10 ms.
const SECONDS: f64 = 10.0;
/// Beyond this, positions are pixels: no line has so many characters.
const PIXELS: f64 = 250.0;

const ROWS: &str = "a row of column names, then one row for each fixation";

/// How to read a table.
#[derive(Debug, Clone, Default)]
pub struct TableOptions {
    /// Columns that the user chose.
    pub choices: Vec<Choice>,
    /// Who reads, where the table has no column for it: the name of the file.
    pub reader: Option<Arc<str>>,
}

const FIXATION_ROLES: [ColumnRole; 14] = [
    ColumnRole::Reader,
    ColumnRole::Text,
    ColumnRole::Session,
    ColumnRole::Trial,
    ColumnRole::Index,
    ColumnRole::X,
    ColumnRole::Y,
    ColumnRole::Line,
    ColumnRole::Duration,
    ColumnRole::Onset,
    ColumnRole::Gap,
    ColumnRole::Eye,
    ColumnRole::Kind,
    ColumnRole::Word,
];

/// Reads a table of fixations.
///
/// # Errors
/// If it is no table, or has no columns for text, x and duration.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &TableOptions,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, ROWS)?;
    let row = rows.header_row;
    let mapping = Mapping::find(&rows.header, row, &FIXATION_ROLES, &options.choices)?;
    mapping.require(&rows.header, row, &[ColumnRole::Text, ColumnRole::X, ColumnRole::Duration])?;
    if options.reader.is_none() {
        mapping.require(&rows.header, row, &[ColumnRole::Reader])?;
    }
    refuse_degrees(&mapping, row)?;
    sink.note(rows.decision.clone());
    let mut parser = Fixations::decide(&mut rows, &mapping, options, file, sink)?;
    let mut count = 0;
    let width = rows.header.len();
    while let Some(row) = rows.next()? {
        count += 1;
        if row.len() == width {
            parser.row(row, sink)?;
        } else {
            parser.drop(row, Reason::RAGGED, sink);
        }
    }
    parser.finish(sink)?;
    rows.note_quotes(sink);
    Ok(Shape { mapping, rows: count })
}

/// Characters do not follow from degrees without the screen and its distance.
fn refuse_degrees(mapping: &Mapping, row: u64) -> Result<(), ImportError> {
    match mapping.get(ColumnRole::X).filter(|x| x.unit == Some(Unit::Degrees)) {
        None => Ok(()),
        Some(x) => Err(ImportError::value(
            At::cell(row, x.column.as_str()),
            "fixations in degrees, by the column's name",
            "characters or pixels",
            phrase![
                "convert them to pixels, or name another column with ",
                Phrase::choice("x", "COLUMN")
            ],
        )),
    }
}

/// What is known of the numbers of a column by its first rows.
#[derive(Default)]
struct Numbers {
    values: Vec<f64>,
    commas: usize,
    points: usize,
}

impl Numbers {
    fn take(&mut self, cell: &str) {
        if let Some(value) = number(cell, true) {
            self.values.push(value);
            self.commas += usize::from(cell.contains(','));
            self.points += usize::from(cell.contains('.'));
        }
    }

    fn median(&mut self) -> Option<f64> {
        self.values.sort_by(f64::total_cmp);
        self.values.get(self.values.len() / 2).copied()
    }

    /// The median of what later values are above the one before.
    fn median_step(&self) -> Option<f64> {
        let steps = self.values.windows(2).map(|pair| pair[1] - pair[0]);
        let mut rising = Self { values: steps.filter(|s| *s > 0.0).collect(), ..Self::default() };
        rising.median()
    }

    fn largest(&self) -> Option<f64> {
        self.values.iter().copied().max_by(f64::total_cmp)
    }
}

/// Reads rows of fixations.
struct Fixations {
    file: usize,
    reader: Option<Name>,
    only_reader: Option<Arc<str>>,
    text: Option<Name>,
    session: Option<Name>,
    trial: Option<Name>,
    x: usize,
    y: Option<usize>,
    line: Option<usize>,
    duration: usize,
    onset: Option<usize>,
    gap: Option<usize>,
    eye: Option<usize>,
    kind: Option<usize>,
    word: Option<usize>,
    in_pixels: bool,
    duration_factor: f64,
    onset_factor: f64,
    comma: bool,
    names: SharedNames,
    order: InOrder,
    without_line: u64,
}

/// Why a row does not go on.
type Dropped = Result<RawFixation, Reason>;

impl Fixations {
    /// Decides on units by names and by the first rows.
    fn decide(
        rows: &mut Rows<'_>,
        mapping: &Mapping,
        options: &TableOptions,
        file: usize,
        sink: &mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let required = |role| mapping.index(role).unwrap_or(usize::MAX);
        let (x, duration) = (required(ColumnRole::X), required(ColumnRole::Duration));
        let onset = mapping.index(ColumnRole::Onset);
        let [mut xs, mut durations, mut onsets, mut ys] = [(); 4].map(|()| Numbers::default());
        rows.sample(|row| {
            xs.take(row.cell(x));
            durations.take(row.cell(duration));
            let others = [(onset, &mut onsets), (mapping.index(ColumnRole::Y), &mut ys)];
            for (column, numbers) in others {
                numbers.take(column.map_or("", |column| row.cell(column)));
            }
        })?;
        let any = |count: fn(&Numbers) -> usize| {
            [&xs, &durations, &onsets, &ys].into_iter().any(|numbers| count(numbers) > 0)
        };
        let (commas, points) = (any(|numbers| numbers.commas), any(|numbers| numbers.points));
        let comma = commas && !points;
        if comma {
            sink.note("decimals follow a comma: numbers of the first rows have one".to_owned());
        } else if commas {
            sink.note(
                "decimals follow a point: numbers of the first rows have one; those with a comma are \
                 not taken for numbers, since it may be for thousands"
                    .to_owned(),
            );
        }
        let has = |role| mapping.get(role).is_some();
        let in_pixels = in_pixels(mapping, rows.header_row, &xs, sink)?;
        if in_pixels && !has(ColumnRole::Y) {
            sink.note("there is no column for y: all y are 0".to_owned());
        }
        if !in_pixels && !has(ColumnRole::Line) {
            sink.note("there is no column for the line: all fixations are on line 1".to_owned());
        }
        let duration_factor = factor(mapping.get(ColumnRole::Duration), &mut durations, None, sink);
        let like = match (onsets.median_step(), durations.median()) {
            // Nobody fixates twenty times within one fixation.
            (Some(step), Some(duration)) if duration_factor == 1.0 && 20.0 * step < duration => {
                (1000.0, format!("they rise by {step} where durations are {duration} ms"))
            }
            _ => (duration_factor, "as durations are".to_owned()),
        };
        let onset_factor = factor(mapping.get(ColumnRole::Onset), &mut onsets, Some(like), sink);
        let only_reader = options.reader.clone().filter(|_| !has(ColumnRole::Reader));
        if let Some(reader) = &only_reader {
            sink.note(format!(
                "there is no column for the reader: all fixations are of {reader}, as the file is \
                 called"
            ));
        }
        Ok(Self {
            file,
            reader: Name::of(mapping, ColumnRole::Reader),
            only_reader,
            text: Name::of(mapping, ColumnRole::Text),
            session: Name::of(mapping, ColumnRole::Session),
            trial: Name::of(mapping, ColumnRole::Trial),
            x,
            y: mapping.index(ColumnRole::Y),
            line: mapping.index(ColumnRole::Line),
            duration,
            onset,
            gap: mapping.index(ColumnRole::Gap),
            eye: mapping.index(ColumnRole::Eye),
            kind: mapping.index(ColumnRole::Kind),
            word: mapping.index(ColumnRole::Word),
            in_pixels,
            duration_factor,
            onset_factor,
            comma,
            names: SharedNames::default(),
            order: InOrder::new(mapping.index(ColumnRole::Index)),
            without_line: 0,
        })
    }

    fn row(&mut self, row: Row<'_>, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let fixation = match self.fixation(row) {
            Ok(fixation) => fixation,
            Err(reason) => {
                self.drop(row, reason, sink);
                return Ok(());
            }
        };
        let place = self.place(row);
        self.order.take(row, place, fixation, sink)
    }

    fn place(&self, row: Row<'_>) -> RowPlace {
        RowPlace { file: self.file, row: row.number }
    }

    fn drop(&self, row: Row<'_>, reason: Reason, sink: &mut dyn Sink) {
        sink.dropped(self.place(row), reason, row.line());
    }

    fn finish(&mut self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        self.order.finish(sink)?;
        if self.without_line > 0 {
            sink.note(format!(
                "{} fixations have a position but no line: they are on line 0, which is none",
                self.without_line
            ));
        }
        Ok(())
    }

    fn fixation(&mut self, row: Row<'_>) -> Dropped {
        if let Some(kind) = self.kind {
            let kind = row.cell(kind).to_ascii_lowercase();
            // Tools write `Fixation`, `fixation_ivt`, `fix`; other tables use such columns for
            // something else, and then no cell names another kind of event.
            if OTHER_EVENTS.iter().any(|other| kind.starts_with(other)) {
                return Err(Reason::NOT_A_FIXATION);
            }
        }
        let reader = match (&mut self.reader, &self.only_reader) {
            (Some(column), _) => column.get(row, &mut self.names).ok_or(Reason::NO_READER)?,
            (None, Some(reader)) => Arc::clone(reader),
            (None, None) => return Err(Reason::NO_READER),
        };
        let text = name(&mut self.text, row, &mut self.names).ok_or(Reason::NO_TEXT)?;
        let duration = self.number(row, self.duration)?.map(|d| d * self.duration_factor);
        if duration.is_some_and(|duration| duration < 0.0) {
            return Err(Reason::NEGATIVE_DURATION);
        }
        let onset = self.optional(row, self.onset)?.map(|onset| onset * self.onset_factor);
        Ok(RawFixation {
            session: name(&mut self.session, row, &mut self.names),
            trial: name(&mut self.trial, row, &mut self.names),
            reader,
            text,
            position: self.position(row)?,
            duration_ms: duration.filter(|duration| duration.is_finite()),
            onset_ms: onset.filter(|onset| onset.is_finite()),
            gap: self.gap.is_some_and(|column| is_true(row.cell(column))),
            eye: self.eye.and_then(|column| eye(row.cell(column))),
            word: self.word.and_then(|column| whole(row.cell(column))),
            ..RawFixation::default()
        })
    }

    fn position(&mut self, row: Row<'_>) -> Result<Position, Reason> {
        let x = self.number(row, self.x)?;
        if self.in_pixels {
            let y = match self.y {
                Some(column) => self.number(row, column)?,
                None => Some(0.0),
            };
            return Ok(match (x, y) {
                (Some(x), Some(y)) => Position::Pixels { x, y },
                _ => Position::Missing,
            });
        }
        let line = match self.line.map(|column| row.cell(column)) {
            None => Some(1),
            Some(cell) if is_missing(cell) => None,
            Some(cell) => Some(whole(cell).ok_or(NOT_A_LINE)?),
        };
        let Some(x) = x else { return Ok(Position::Missing) };
        self.without_line += u64::from(line.is_none());
        Ok(Position::Chars { x, line: line.unwrap_or(0) })
    }

    fn number(&self, row: Row<'_>, column: usize) -> Result<Option<f64>, Reason> {
        number_or_missing(row.cell(column), self.comma)
    }

    fn optional(&self, row: Row<'_>, column: Option<usize>) -> Result<Option<f64>, Reason> {
        column.map_or(Ok(None), |column| self.number(row, column))
    }
}

/// How names of events other than fixations start.
const OTHER_EVENTS: [&str; 7] =
    ["sacc", "esacc", "blink", "eblink", "pursuit", "unclassified", "eyesnotfound"];

/// A line that is no whole number from 0.
const NOT_A_LINE: Reason = Reason::new("not_a_line");

/// Whether x is in pixels, by its name, by what else there is, or by its values.
fn in_pixels(
    mapping: &Mapping,
    row: u64,
    xs: &Numbers,
    sink: &mut dyn Sink,
) -> Result<bool, ImportError> {
    let Some(x) = mapping.get(ColumnRole::X) else { return Ok(false) };
    let has = |role| mapping.get(role).is_some();
    let (pixels, why) = match (x.unit, xs.largest()) {
        (Some(unit), _) if x.is_chosen => {
            (unit == Unit::Pixels, "chosen so, or its name says so".to_owned())
        }
        (Some(unit), _) => (unit == Unit::Pixels, "its name says so".to_owned()),
        (None, Some(largest)) if has(ColumnRole::Line) && has(ColumnRole::Y) => {
            if largest <= PIXELS {
                return Err(ImportError::value(
                    At::cell(row, x.column.as_str()),
                    format!("positions up to {largest}, with y and a line beside them"),
                    "to know whether they are pixels or characters",
                    phrase![
                        "add ",
                        Phrase::choice("x_px", &x.column),
                        " or ",
                        Phrase::choice("x_char", &x.column)
                    ],
                ));
            }
            (true, format!("there is y beside it, and {largest} is beyond any line of text"))
        }
        (None, _) if has(ColumnRole::Line) => (false, "there is a column for the line".to_owned()),
        (None, _) if has(ColumnRole::Y) => (true, "there is y beside it and no line".to_owned()),
        (None, Some(largest)) if largest > PIXELS => {
            (true, format!("{largest} is among its values, beyond any line of text"))
        }
        (None, Some(largest)) => (false, format!("none of its first values is above {largest}")),
        (None, None) => (false, "it has no values to go by".to_owned()),
    };
    let unit = if pixels { "pixels" } else { "characters" };
    sink.note(format!("{} is in {unit}: {why}", x.column));
    Ok(pixels)
}

/// What makes milliseconds of a column.
fn factor(
    column: Option<&Mapped>,
    numbers: &mut Numbers,
    like: Option<(f64, String)>,
    sink: &mut dyn Sink,
) -> f64 {
    let Some(column) = column else { return 1.0 };
    let named = column.unit.and_then(Unit::milliseconds);
    let (factor, why) = match (named, like, numbers.median()) {
        (Some(factor), ..) => (factor, "its name says so".to_owned()),
        (None, Some(like), _) => like,
        (None, None, Some(median)) if median < SECONDS => {
            (1000.0, format!("the median of the first rows is {median}"))
        }
        (None, None, Some(median)) => (1.0, format!("the median of the first rows is {median}")),
        (None, None, None) => (1.0, "it has no values to go by".to_owned()),
    };
    let unit = match factor {
        1.0 => "ms",
        1e-3 => "microseconds",
        _ => "seconds",
    };
    sink.note(format!("{} is in {unit}: {why}", column.column));
    factor
}

#[cfg(test)]
mod tests;
