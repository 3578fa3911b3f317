//! Tables of fixations and of words, as other tools write them.
//!
//! Columns are found by name ([`Mapping`]), units by name or else by the numbers of the first rows.
//! What was decided is noted, with the reason.

use std::collections::HashMap;
use std::io::BufRead;
use std::sync::Arc;

use super::aliases::{Choice, Mapped, Mapping, Role, Unit};
use super::dialect::{Row, Rows, number};
use super::error::ImportError;
use super::recording::{Area, Eye, Position, RawFixation, RawWord, Reason, RowPlace, Sink};

/// What a cell without a value looks like.
const MISSING: [&str; 8] = ["", ".", "NA", "NaN", "nan", "N/A", "null", "UNDEFINEDnull"];
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

/// What a table turned out to be.
#[derive(Debug, Clone, Default)]
pub struct TableShape {
    /// Its columns.
    pub mapping: Mapping,
    /// Rows under the column names.
    pub rows: u64,
}

const FIXATION_ROLES: [Role; 14] = [
    Role::Reader,
    Role::Text,
    Role::Session,
    Role::Trial,
    Role::Index,
    Role::X,
    Role::Y,
    Role::Line,
    Role::Duration,
    Role::Onset,
    Role::Gap,
    Role::Eye,
    Role::Kind,
    Role::Word,
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
) -> Result<TableShape, ImportError> {
    let mut rows = Rows::open(input, ROWS)?;
    let row = rows.header_row;
    let mapping = Mapping::find(&rows.header, row, &FIXATION_ROLES, &options.choices)?;
    mapping.require(&rows.header, row, &[Role::Text, Role::X, Role::Duration])?;
    if options.reader.is_none() {
        mapping.require(&rows.header, row, &[Role::Reader])?;
    }
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
    parser.flush(sink)?;
    parser.finish(sink);
    note_quotes(&rows, sink);
    Ok(TableShape { mapping, rows: count })
}

fn note_quotes(rows: &Rows<'_>, sink: &mut dyn Sink) {
    if let Some(row) = rows.stray_quote {
        sink.note(format!(
            "quotation marks that open nothing are taken as they stand, first in row {row}"
        ));
    }
}

/// A column by its place.
fn place(mapping: &Mapping, role: Role) -> Option<usize> {
    mapping.get(role).map(|mapped| mapped.index)
}

/// Whether a cell stands for a missing value.
fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell)
}

/// What is known of the numbers of a column by its first rows.
#[derive(Default)]
struct Numbers {
    values: Vec<f64>,
    commas: usize,
}

impl Numbers {
    fn take(&mut self, cell: &str) {
        if let Some(value) = number(cell, true) {
            self.values.push(value);
            self.commas += usize::from(cell.contains(','));
        }
    }

    fn median(&mut self) -> Option<f64> {
        self.values.sort_by(f64::total_cmp);
        self.values.get(self.values.len() / 2).copied()
    }

    fn largest(&self) -> Option<f64> {
        self.values.iter().copied().max_by(f64::total_cmp)
    }
}

/// Reads rows of fixations.
struct Fixations {
    file: usize,
    reader: Option<usize>,
    only_reader: Option<Arc<str>>,
    text: usize,
    session: Option<usize>,
    trial: Option<usize>,
    index: Option<usize>,
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
    names: Names,
    /// Fixations of the reading at hand, sorted by index when it ends.
    reading: Vec<(f64, RowPlace, RawFixation)>,
    sorted: u64,
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
        let required = |role| place(mapping, role).unwrap_or(usize::MAX);
        let (x, duration) = (required(Role::X), required(Role::Duration));
        let onset = place(mapping, Role::Onset);
        let [mut xs, mut durations, mut onsets, mut ys] = [(); 4].map(|()| Numbers::default());
        rows.sample(|row| {
            xs.take(row.cell(x));
            durations.take(row.cell(duration));
            let others = [(onset, &mut onsets), (place(mapping, Role::Y), &mut ys)];
            for (column, numbers) in others {
                numbers.take(column.map_or("", |column| row.cell(column)));
            }
        })?;
        let comma = [&xs, &durations, &onsets, &ys].iter().any(|numbers| numbers.commas > 0);
        if comma {
            sink.note("decimals follow a comma: numbers of the first rows have one".to_owned());
        }
        let has = |role| mapping.get(role).is_some();
        let in_pixels = in_pixels(mapping, &xs, sink);
        if in_pixels && !has(Role::Y) {
            sink.note("there is no column for y: all y are 0".to_owned());
        }
        if !in_pixels && !has(Role::Line) {
            sink.note("there is no column for the line: all fixations are on line 1".to_owned());
        }
        let duration_factor = factor(mapping.get(Role::Duration), &mut durations, None, sink);
        let onset_factor =
            factor(mapping.get(Role::Onset), &mut onsets, Some(duration_factor), sink);
        let only_reader = options.reader.clone().filter(|_| !has(Role::Reader));
        if let Some(reader) = &only_reader {
            sink.note(format!(
                "there is no column for the reader: all fixations are of {reader}, as the file is \
                 called"
            ));
        }
        Ok(Self {
            file,
            reader: place(mapping, Role::Reader),
            only_reader,
            text: required(Role::Text),
            session: place(mapping, Role::Session),
            trial: place(mapping, Role::Trial),
            index: place(mapping, Role::Index),
            x,
            y: place(mapping, Role::Y),
            line: place(mapping, Role::Line),
            duration,
            onset,
            gap: place(mapping, Role::Gap),
            eye: place(mapping, Role::Eye),
            kind: place(mapping, Role::Kind),
            word: place(mapping, Role::Word),
            in_pixels,
            duration_factor,
            onset_factor,
            comma,
            names: Names::default(),
            reading: Vec::new(),
            sorted: 0,
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
        let Some(index) = self.index else {
            return sink.fixation(self.place(row), fixation);
        };
        // Without a number, a fixation stays behind the one before it.
        let index = match number(row.cell(index), self.comma) {
            Some(index) => index,
            None => self.reading.last().map_or(0.0, |(index, ..)| *index),
        };
        if self.reading.last().is_some_and(|(.., last)| !is_same_reading(last, &fixation)) {
            self.flush(sink)?;
        }
        self.reading.push((index, self.place(row), fixation));
        Ok(())
    }

    fn place(&self, row: Row<'_>) -> RowPlace {
        RowPlace { file: self.file, row: row.number }
    }

    fn drop(&self, row: Row<'_>, reason: Reason, sink: &mut dyn Sink) {
        sink.dropped(self.place(row), reason, row.line());
    }

    /// Hands over the reading at hand, in order.
    fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        if !self.reading.is_sorted_by_key(|(index, ..)| *index) {
            self.sorted += 1;
            self.reading.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        for (_, place, fixation) in self.reading.drain(..) {
            sink.fixation(place, fixation)?;
        }
        Ok(())
    }

    fn finish(&self, sink: &mut dyn Sink) {
        if self.sorted > 0 {
            sink.note(format!("rows of {} readings were put in order by index", self.sorted));
        }
        if self.without_line > 0 {
            sink.note(format!(
                "{} fixations have a position but no line: they are on line 0, which is none",
                self.without_line
            ));
        }
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
        let reader = match (self.reader, &self.only_reader) {
            (Some(column), _) => self.names.get(row.cell(column)).ok_or(Reason::NO_READER)?,
            (None, Some(reader)) => Arc::clone(reader),
            (None, None) => return Err(Reason::NO_READER),
        };
        let text = self.names.get(row.cell(self.text)).ok_or(Reason::NO_TEXT)?;
        let duration = self.number(row, self.duration)?.map(|d| d * self.duration_factor);
        if duration.is_some_and(|duration| duration < 0.0) {
            return Err(Reason::NEGATIVE_DURATION);
        }
        let onset = self.optional(row, self.onset)?.map(|onset| onset * self.onset_factor);
        Ok(RawFixation {
            session: self.session.and_then(|column| self.names.get(row.cell(column))),
            trial: self.trial.and_then(|column| self.names.get(row.cell(column))),
            reader,
            text,
            position: self.position(row)?,
            duration_ms: duration.filter(|duration| duration.is_finite()),
            onset_ms: onset.filter(|onset| onset.is_finite()),
            gap: self.gap.is_some_and(|column| is_true(row.cell(column))),
            eye: self.eye.and_then(|column| eye(row.cell(column))),
            word: self.word.and_then(|column| whole(row.cell(column))),
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
        let cell = row.cell(column);
        match number(cell, self.comma) {
            Some(number) => Ok(Some(number)),
            None if is_missing(cell) => Ok(None),
            None => Err(Reason::NOT_A_NUMBER),
        }
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
fn in_pixels(mapping: &Mapping, xs: &Numbers, sink: &mut dyn Sink) -> bool {
    let Some(x) = mapping.get(Role::X) else { return false };
    let has = |role| mapping.get(role).is_some();
    let (pixels, why) = match (x.unit, xs.largest()) {
        (Some(unit), _) if x.is_chosen() => {
            (unit == Unit::Pixels, "chosen so, or its name says so".to_owned())
        }
        (Some(unit), _) => (unit == Unit::Pixels, "its name says so".to_owned()),
        (None, _) if has(Role::Line) => (false, "there is a column for the line".to_owned()),
        (None, _) if has(Role::Y) => (true, "there is y beside it and no line".to_owned()),
        (None, Some(largest)) if largest > PIXELS => {
            (true, format!("{largest} is among its values, beyond any line of text"))
        }
        (None, Some(largest)) => (false, format!("none of its first values is above {largest}")),
        (None, None) => (false, "it has no values to go by".to_owned()),
    };
    let unit = if pixels { "pixels" } else { "characters" };
    sink.note(format!("{} is in {unit}: {why}", x.column));
    pixels
}

/// What makes milliseconds of a column.
fn factor(
    column: Option<&Mapped>,
    numbers: &mut Numbers,
    like: Option<f64>,
    sink: &mut dyn Sink,
) -> f64 {
    let Some(column) = column else { return 1.0 };
    let (factor, why) = match (column.unit, like, numbers.median()) {
        (Some(Unit::Seconds), ..) => (1000.0, "its name says so".to_owned()),
        (Some(_), ..) => (1.0, "its name says so".to_owned()),
        (None, Some(like), _) => (like, "as durations are".to_owned()),
        (None, None, Some(median)) if median < SECONDS => {
            (1000.0, format!("the median of the first rows is {median}"))
        }
        (None, None, Some(median)) => (1.0, format!("the median of the first rows is {median}")),
        (None, None, None) => (1.0, "it has no values to go by".to_owned()),
    };
    let unit = if factor == 1.0 { "ms" } else { "seconds" };
    sink.note(format!("{} is in {unit}: {why}", column.column));
    factor
}

fn is_same_reading(a: &RawFixation, b: &RawFixation) -> bool {
    a.reader == b.reader && a.text == b.text && a.session == b.session && a.trial == b.trial
}

fn is_true(cell: &str) -> bool {
    matches!(cell, "1" | "1.0") || cell.eq_ignore_ascii_case("true")
}

fn eye(cell: &str) -> Option<Eye> {
    match cell.as_bytes().first().map(u8::to_ascii_lowercase) {
        Some(b'l') => Some(Eye::Left),
        Some(b'r') => Some(Eye::Right),
        _ => None,
    }
}

/// Reads `3` and also `3.0`, which tools write where a column has had missing values.
fn whole(cell: &str) -> Option<u32> {
    cell.parse().ok().or_else(|| {
        let value = number(cell, false)?;
        let fits = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
        fits.then_some(value as u32)
    })
}

/// Names that occur again and again, kept once.
#[derive(Default)]
struct Names(HashMap<Box<str>, Arc<str>>);

impl Names {
    /// The name of a cell; none where it is missing.
    fn get(&mut self, cell: &str) -> Option<Arc<str>> {
        if is_missing(cell) {
            return None;
        }
        if let Some(name) = self.0.get(cell) {
            return Some(Arc::clone(name));
        }
        let name: Arc<str> = cell.into();
        self.0.insert(cell.into(), Arc::clone(&name));
        Some(name)
    }
}

const WORD_ROLES: [Role; 10] = [
    Role::Text,
    Role::Line,
    Role::Word,
    Role::Label,
    Role::Start,
    Role::End,
    Role::Left,
    Role::Right,
    Role::Top,
    Role::Bottom,
];

/// Reads a table of words: their characters, or their boxes on the screen.
///
/// # Errors
/// If it is no table, or has no columns for text, word and place.
pub fn read_words(
    input: &mut dyn BufRead,
    file: usize,
    options: &TableOptions,
    sink: &mut dyn Sink,
) -> Result<TableShape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each word")?;
    let header_row = rows.header_row;
    let mapping = Mapping::find_beside(&rows.header, header_row, &WORD_ROLES, &options.choices)?;
    let in_pixels = mapping.get(Role::Start).is_none() && mapping.get(Role::Left).is_some();
    let needed: &[Role] = if in_pixels {
        &[Role::Text, Role::Word, Role::Left, Role::Right, Role::Top, Role::Bottom]
    } else {
        &[Role::Text, Role::Word, Role::Start, Role::End]
    };
    mapping.require(&rows.header, header_row, needed)?;
    sink.note(rows.decision.clone());
    let mut names = Names::default();
    let mut count = 0;
    let width = rows.header.len();
    while let Some(row) = rows.next()? {
        count += 1;
        let place = RowPlace { file, row: row.number };
        let word = if row.len() == width {
            word(row, &mapping, in_pixels, &mut names)
        } else {
            Err(Reason::RAGGED)
        };
        match word {
            Ok(word) => sink.word(place, word)?,
            Err(reason) => sink.dropped(place, reason, row.line()),
        }
    }
    note_quotes(&rows, sink);
    Ok(TableShape { mapping, rows: count })
}

fn word(
    row: Row<'_>,
    mapping: &Mapping,
    in_pixels: bool,
    names: &mut Names,
) -> Result<RawWord, Reason> {
    let cell = |role| place(mapping, role).map(|column| row.cell(column)).unwrap_or_default();
    let whole = |role| whole(cell(role)).ok_or(Reason::NOT_A_NUMBER);
    let number = |role| number(cell(role), true).ok_or(Reason::NOT_A_NUMBER);
    let line = cell(Role::Line);
    let label = place(mapping, Role::Label).map(|column| row.verbatim(column));
    Ok(RawWord {
        text: names.get(cell(Role::Text)).ok_or(Reason::NO_TEXT)?,
        line: if is_missing(line) { None } else { Some(whole(Role::Line)?) },
        index: whole(Role::Word)?,
        // `NA` and `.` may be words.
        label: label.filter(|label| !label.is_empty()).map(str::to_owned),
        area: if in_pixels {
            Area::Pixels {
                left: number(Role::Left)?,
                right: number(Role::Right)?,
                top: number(Role::Top)?,
                bottom: number(Role::Bottom)?,
            }
        } else {
            Area::Chars { start: whole(Role::Start)?, end: whole(Role::End)? }
        },
    })
}

/// The place of a reading in the order of readings, and the group of its text.
#[derive(Debug, Clone, PartialEq)]
pub struct RawTrial {
    /// Who read.
    pub reader: Arc<str>,
    /// What was read.
    pub text: Arc<str>,
    /// The session, where there is a column for it.
    pub session: Option<Arc<str>>,
    /// The trial, where there is a column for it.
    pub trial: Option<Arc<str>>,
    /// Place in the order.
    pub order: Option<f64>,
    /// Group of the text.
    pub group: Option<Arc<str>>,
}

/// Reads a table of trials.
///
/// # Errors
/// If it is no table, or has no columns for reader and text.
pub fn read_trials(
    input: &mut dyn BufRead,
    file: usize,
    options: &TableOptions,
    sink: &mut dyn Sink,
    take: &mut dyn FnMut(RowPlace, RawTrial),
) -> Result<TableShape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each reading")?;
    let roles = [Role::Reader, Role::Text, Role::Session, Role::Trial, Role::Order, Role::Group];
    let mapping = Mapping::find_beside(&rows.header, rows.header_row, &roles, &options.choices)?;
    mapping.require(&rows.header, rows.header_row, &[Role::Reader, Role::Text])?;
    let mut names = Names::default();
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        let place = RowPlace { file, row: row.number };
        let mut name = |role| mapping.get(role).and_then(|m| names.get(row.cell(m.index)));
        let (Some(reader), Some(text)) = (name(Role::Reader), name(Role::Text)) else {
            sink.dropped(place, Reason::NO_READER, row.line());
            continue;
        };
        let (session, trial, group) = (name(Role::Session), name(Role::Trial), name(Role::Group));
        let order = mapping.get(Role::Order).and_then(|m| number(row.cell(m.index), true));
        take(place, RawTrial { reader, text, session, trial, order, group });
    }
    Ok(TableShape { mapping, rows: count })
}

#[cfg(test)]
mod tests;
