//! Tables of fixations and of words, as other tools write them.
//!
//! Columns are found by name ([`Mapping`]), units by name or else by the numbers of the first rows
//! (`units`).
//! What was decided is noted, with the reason.

use std::io::BufRead;
use std::sync::Arc;

use super::aliases::{Choice, ColumnRole, Mapped, Mapping, TABLE};
use super::error::ImportError;
use super::order::InOrder;
use super::recording::{Eye, Position, RawFixation, ReadingKey, Reason, RowPlace, Sink};
use super::report::Shape;
use super::setting::{Phrase, Setting, phrase};
use super::unread::Unread;
use super::values::{
    Name, SharedNames, eye, is_missing, is_nowhere, is_true, name, number_or_missing, pair, whole,
};
use crate::table::{Row, Rows};
use marks::{MARKED, MarkColumns};
use units::Lasting;
pub(super) use units::{Numbers, Places, unit_beside};

mod marks;
mod units;
mod words;

pub use words::{RawTrial, read_trials, read_words};

const ROWS: &str = "a row of column names, then one row for each fixation";

/// How to read a table.
#[derive(Debug, Clone, Default)]
pub struct TableOptions {
    /// Columns that the user chose.
    pub choices: Vec<Choice>,
    /// Who reads, where the table has no column for it: the name of the file.
    pub reader: Option<Arc<str>>,
    /// What is read, where the table has no column for it; without this, it must have one.
    pub page: Option<Arc<str>>,
    /// Which of these names are guesses, so that columns that may say better are told.
    pub guessed: Vec<ColumnRole>,
    /// Width and height of the screen in pixels, for positions in parts of it.
    pub screen_px: Option<(f64, f64)>,
    /// Whether such parts count upwards.
    pub y_up: bool,
    /// The mark of fixations to be used, where they are marked, and that is known.
    pub valid: Option<f64>,
}

const FIXATION_ROLES: [ColumnRole; 17] = [
    ColumnRole::Reader,
    ColumnRole::Text,
    ColumnRole::Session,
    ColumnRole::Trial,
    ColumnRole::Index,
    ColumnRole::X,
    ColumnRole::Y,
    ColumnRole::Location,
    ColumnRole::Line,
    ColumnRole::Duration,
    ColumnRole::Onset,
    ColumnRole::Offset,
    ColumnRole::Gap,
    ColumnRole::Eye,
    ColumnRole::Kind,
    ColumnRole::Validity,
    ColumnRole::Word,
];

/// Reads a table of fixations.
///
/// # Errors
/// If it is no table, or has no columns for x and duration, or for what nothing else tells.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &TableOptions,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, ROWS)?;
    let mut mapping = find(&mut rows, options)?;
    sink.note(rows.decision.clone());
    let mut parser = Fixations::decide(&mut rows, &mapping, options, file, sink)?;
    let mut unread = Unread::new(&rows, &mapping, &options.guessed);
    let mut count = 0;
    let width = rows.header.len();
    while let Some(row) = rows.next()? {
        count += 1;
        if row.len() == width {
            unread.see(row);
            parser.row(row, sink)?;
        } else {
            // Events of other kinds may have other columns.
            let is_other = parser.is_other_event(row);
            let reason = if is_other { Reason::NOT_A_FIXATION } else { Reason::RAGGED };
            parser.drop(row, reason, sink);
        }
    }
    parser.finish(&unread.trials_of_indices(), sink)?;
    unread.warn(sink);
    rows.note_quotes(sink);
    if let Some(kind) = parser.kind.filter(|&kind| mapping.index(ColumnRole::Kind) != Some(kind)) {
        let reason = "its first rows name fixations";
        mapping.replace(ColumnRole::Kind, &rows.header, &[kind], reason);
    }
    Ok(Shape { mapping, rows: count, columns: rows.header, ..Shape::default() })
}

/// Rows with a time and without a duration may be samples.
fn or_samples(error: ImportError, mapping: &Mapping, header: &[String]) -> ImportError {
    let has_time = header.iter().any(|name| ColumnRole::Time.knows(name));
    match error {
        ImportError::MissingColumns { at, roles, found, remedy }
            if has_time && mapping.get(ColumnRole::Duration).is_none() =>
        {
            let remedy = phrase![
                "if rows are samples, add ",
                Setting::Format,
                " samples; if they are fixations, "
            ]
            .and(remedy);
            ImportError::MissingColumns { at, roles, found, remedy }
        }
        other => other,
    }
}

/// The columns of a table. Ends are asked only where there are no durations.
fn find(rows: &mut Rows<'_>, options: &TableOptions) -> Result<Mapping, ImportError> {
    let row = rows.header_row;
    let choices = &options.choices;
    let mut mapping = Mapping::find_preferring(&rows.header, row, &FIXATION_ROLES, choices, TABLE)?;
    take_pairs(rows, &mut mapping)?;
    let header = &rows.header;
    marks::gather(&mut mapping, header);
    let has = |mapping: &Mapping, role| mapping.get(role).is_some();
    let mut needed = vec![ColumnRole::X];
    let ends = has(&mapping, ColumnRole::Onset) && has(&mapping, ColumnRole::Offset);
    if has(&mapping, ColumnRole::Duration) || !ends {
        mapping.0.retain(|mapped| mapped.role != ColumnRole::Offset);
        needed.push(ColumnRole::Duration);
    }
    if options.page.is_none() {
        needed.insert(0, ColumnRole::Text);
    }
    mapping.require(header, row, &needed).map_err(|error| or_samples(error, &mapping, header))?;
    if options.reader.is_none() && rows.told(ColumnRole::Reader).is_none() {
        mapping.require(header, row, &[ColumnRole::Reader])?;
    }
    Ok(mapping)
}

/// Takes x and y from one column, where its first rows have both as a list: one that is known to, or that
/// of x.
fn take_pairs(rows: &mut Rows<'_>, mapping: &mut Mapping) -> Result<(), ImportError> {
    let location = mapping.get(ColumnRole::Location).cloned();
    let x = mapping.get(ColumnRole::X).cloned();
    let chosen = x.iter().chain(&location).find(|mapped| mapped.is_chosen);
    let Some(column) = chosen.or(x.as_ref()).or(location.as_ref()).cloned() else { return Ok(()) };
    let mut has_pairs = false;
    rows.sample(|row| has_pairs |= pair(row.cell(column.index)).is_some())?;
    if !has_pairs || column.role != ColumnRole::Location {
        mapping.0.retain(|mapped| mapped.role != ColumnRole::Location);
    }
    if has_pairs {
        mapping.0.retain(|mapped| !matches!(mapped.role, ColumnRole::X | ColumnRole::Y));
        let roles = [ColumnRole::X, ColumnRole::Y].into_iter();
        mapping.0.extend(roles.map(|role| Mapped { role, ..column.clone() }));
        mapping.0.sort_by_key(|mapped| mapped.role);
    }
    Ok(())
}

/// A coordinate in its column, or in that of both.
fn coordinate(cell: &str, at: usize) -> &str {
    pair(cell).map_or(cell, |both| both[at])
}

/// Reads rows of fixations.
struct Fixations {
    file: usize,
    reader: Option<Name>,
    only_reader: Option<Arc<str>>,
    text: Option<Name>,
    only_text: Option<Arc<str>>,
    session: Option<Name>,
    trial: Option<Name>,
    x: usize,
    y: Option<usize>,
    line: Option<usize>,
    lasting: Lasting,
    gap: Option<usize>,
    eye: Option<usize>,
    kind: Option<usize>,
    /// Whether the column of kinds names fixations among other events, so that all else is none.
    names_fixations: bool,
    /// What the column of kinds is called: rows may have the names of the columns again.
    kind_name: String,
    marks: MarkColumns,
    /// The reading of the last fixation, where that is not to be used.
    lost: Option<ReadingKey>,
    index: Option<usize>,
    word: Option<usize>,
    places: Places,
    comma: bool,
    names: SharedNames,
    order: InOrder,
    without_line: u64,
    /// Fixations at a place that stands for none.
    nowhere: u64,
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
        let numbers = Numbers::of(rows, mapping)?;
        let comma = numbers.note_commas(sink);
        let (kind, names_fixations) = find_kinds(rows, mapping, sink)?;
        let has = |role| mapping.get(role).is_some();
        let places = Places::decide(mapping, rows.header_row, &numbers, options, sink)?;
        let lasting = Lasting::decide(mapping, numbers, sink);
        let told = rows.told(ColumnRole::Reader).map(Arc::<str>::from);
        let (named, how) = match told {
            Some(told) => (Some(told), "as the lines before the table say"),
            None => (options.reader.clone(), "as the file is called"),
        };
        let only_reader = named.filter(|_| !has(ColumnRole::Reader));
        if let Some(reader) = &only_reader {
            sink.note(format!(
                "there is no column for the reader: all fixations are of {reader}, {how}"
            ));
        }
        let only_text = options.page.clone().filter(|_| !has(ColumnRole::Text));
        if let Some(text) = &only_text {
            sink.note(format!(
                "there is no column for the text: all fixations of a reader are on one, called {text}"
            ));
        }
        Ok(Self {
            file,
            reader: Name::of(mapping, ColumnRole::Reader),
            only_reader,
            text: Name::of(mapping, ColumnRole::Text),
            only_text,
            session: Name::of(mapping, ColumnRole::Session),
            trial: Name::of(mapping, ColumnRole::Trial),
            x: mapping.index(ColumnRole::X).unwrap_or(usize::MAX),
            y: mapping.index(ColumnRole::Y),
            line: mapping.index(ColumnRole::Line),
            lasting,
            gap: mapping.index(ColumnRole::Gap),
            eye: mapping.index(ColumnRole::Eye),
            kind,
            names_fixations,
            kind_name: kind.map_or("", |kind| &rows.header[kind]).to_owned(),
            marks: MarkColumns::decide(rows, mapping, options.valid, comma, sink)?,
            lost: None,
            index: mapping.index(ColumnRole::Index),
            word: mapping.index(ColumnRole::Word),
            places,
            comma,
            names: SharedNames::default(),
            order: InOrder::new(mapping),
            without_line: 0,
            nowhere: 0,
        })
    }

    fn row(&mut self, row: Row<'_>, sink: &mut dyn Sink) -> Result<(), ImportError> {
        let mut fixation = match self.fixation(row) {
            Ok(fixation) => fixation,
            Err(reason) => {
                self.drop(row, reason, sink);
                return Ok(());
            }
        };
        // No saccade leads from before a fixation that is left out to behind it.
        if !self.marks.allow(row, fixation.position != Position::Missing) {
            self.lost = Some(fixation.key());
            self.drop(row, MARKED, sink);
            return Ok(());
        }
        fixation.gap |= self.lost.take().is_some_and(|lost| lost == fixation.key());
        let place = self.place(row);
        self.order.take(row, place, fixation, sink)
    }

    fn place(&self, row: Row<'_>) -> RowPlace {
        RowPlace { file: self.file, row: row.number }
    }

    fn drop(&self, row: Row<'_>, reason: Reason, sink: &mut dyn Sink) {
        sink.dropped(self.place(row), reason, row.line());
    }

    fn finish(&mut self, trials: &[Phrase], sink: &mut dyn Sink) -> Result<(), ImportError> {
        self.order.finish(trials, sink)?;
        self.marks.warn(sink);
        if self.without_line > 0 {
            sink.note(format!(
                "{} fixations have a position but no line: they are on none",
                self.without_line
            ));
        }
        if self.nowhere > 0 {
            sink.note(format!(
                "{} fixations have no place: x and y are the same number, 0 or below",
                self.nowhere
            ));
        }
        Ok(())
    }

    /// Whether a row is about something else than a fixation, by its kind or its mark. Tools write
    /// `Fixation`, `fixation_ivt`, `fix`; other tables use such columns for something else, and then no
    /// cell names another kind of event.
    fn is_other_event(&self, row: Row<'_>) -> bool {
        let kind = self.kind.map_or("", |kind| row.cell(kind));
        let plain = kind.to_ascii_lowercase();
        is_other_event(&plain)
            || (self.names_fixations && !is_fixation(&plain))
            || (!kind.is_empty() && kind == self.kind_name)
            || self.marks.is_no_fixation(row)
    }

    fn fixation(&mut self, row: Row<'_>) -> Dropped {
        if self.is_other_event(row) {
            return Err(Reason::NOT_A_FIXATION);
        }
        let reader = match (&mut self.reader, &self.only_reader) {
            (Some(column), _) => column.get(row, &mut self.names).ok_or(Reason::NO_READER)?,
            (None, Some(reader)) => Arc::clone(reader),
            (None, None) => return Err(Reason::NO_READER),
        };
        let text = match &self.only_text {
            Some(text) => Arc::clone(text),
            None => name(&mut self.text, row, &mut self.names).ok_or(Reason::NO_TEXT)?,
        };
        let (onset_ms, duration_ms) = self.lasting.of(row, self.comma)?;
        if duration_ms.is_some_and(|duration| duration < 0.0) {
            return Err(Reason::NEGATIVE_DURATION);
        }
        let position = self.position(row)?;
        // Where fixations are counted, a row between two of them has none.
        let is_counted = self.index.is_none_or(|column| !is_missing(row.cell(column)));
        if !is_counted && duration_ms.is_none() && position == Position::Missing {
            return Err(Reason::NOT_A_FIXATION);
        }
        Ok(RawFixation {
            session: name(&mut self.session, row, &mut self.names),
            trial: name(&mut self.trial, row, &mut self.names),
            reader,
            text,
            position,
            duration_ms,
            onset_ms,
            gap: self.gap.is_some_and(|column| is_true(row.cell(column))),
            eye: self.eye_of(row),
            word: self.word.and_then(|column| whole(row.cell(column))),
            ..RawFixation::default()
        })
    }

    /// The eye by its column, or by the kind of the event, as in `Fixation L`.
    fn eye_of(&self, row: Row<'_>) -> Option<Eye> {
        if let Some(column) = self.eye {
            return eye(row.cell(column));
        }
        let (_, end) = row.cell(self.kind?).rsplit_once(' ')?;
        eye(end).filter(|_| end.len() == 1)
    }

    fn position(&mut self, row: Row<'_>) -> Result<Position, Reason> {
        let number = |column, at| number_or_missing(coordinate(row.cell(column), at), self.comma);
        let x = number(self.x, 0)?;
        if self.places != Places::Characters {
            let y = match self.y {
                Some(column) => number(column, 1)?,
                None => Some(0.0),
            };
            return Ok(match (x, y) {
                (Some(x), Some(y)) if self.y.is_some() && is_nowhere(x, y) => {
                    self.nowhere += 1;
                    Position::Missing
                }
                (Some(x), Some(y)) => self.places.pixels(x, y),
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
        Ok(line.map_or(Position::OffLines { x }, |line| Position::Chars { x, line }))
    }
}

/// How names of fixations start, in small letters. SMI says so of eyes in the world.
const FIXATIONS: [&str; 4] = ["fix", "efix", "refix", "visual intake"];

/// How names of events other than fixations start.
const OTHER_EVENTS: [&str; 13] = [
    "sac",
    "esac",
    "blink",
    "eblink",
    "pursuit",
    "smooth",
    "glissade",
    "non-fix",
    "nonfix",
    "unclassified",
    "eyesnotfound",
    // SMI has messages as events, and tables of several kinds of them in one file.
    "userevent",
    "table header",
];

fn is_other_event(kind: &str) -> bool {
    OTHER_EVENTS.iter().any(|other| kind.starts_with(other))
}

fn is_fixation(kind: &str) -> bool {
    FIXATIONS.iter().any(|fixation| kind.starts_with(fixation))
}

/// The column that says which rows are fixations, and whether all other rows are none: that with a
/// known name, or one whose first rows name fixations and other events, or fixations alone, whatever
/// it is called. In a column of an unknown name without other events, what is no fixation may be
/// another word for one.
fn find_kinds(
    rows: &mut Rows<'_>,
    mapping: &Mapping,
    sink: &mut dyn Sink,
) -> Result<(Option<usize>, bool), ImportError> {
    let known = mapping.index(ColumnRole::Kind);
    let is_taken = |column: usize| mapping.0.iter().any(|m| m.indices().any(|at| at == column));
    // Fixations, other events, and anything else.
    let mut seen = vec![[0; 3]; rows.header.len()];
    rows.sample(|row| {
        for (column, seen) in seen.iter_mut().enumerate() {
            let kind = row.cell(column).to_ascii_lowercase();
            seen[0] += usize::from(is_fixation(&kind));
            seen[1] += usize::from(is_other_event(&kind));
            seen[2] += usize::from(!is_missing(&kind));
        }
    })?;
    let names_fixations = |column: &usize| seen.get(*column).is_some_and(|seen| seen[0] > 0);
    if mapping.get(ColumnRole::Kind).is_some_and(|kind| kind.is_chosen) {
        return Ok((known, known.as_ref().is_some_and(names_fixations)));
    }
    // Words and names of areas may begin so, too, but not most of them.
    let is_of_kinds = |column: &usize| {
        seen.get(*column).is_some_and(|[fixations, others, all]| 2 * (fixations + others) >= *all)
    };
    let known = known.filter(is_of_kinds);
    if let Some(column) = known.filter(names_fixations) {
        return Ok((Some(column), true));
    }
    let free = |has_others: bool| {
        let is_it = |column: &usize| {
            is_of_kinds(column)
                && names_fixations(column)
                && (seen[*column][1] > 0) == has_others
                && !is_taken(*column)
        };
        (0..seen.len()).find(is_it)
    };
    if let Some(column) = free(true) {
        sink.note(format!(
            "{} says which rows are fixations: its first rows name them and other events",
            rows.header[column]
        ));
        return Ok((Some(column), true));
    }
    Ok((known.or_else(|| free(false)), false))
}

/// A line that is no whole number from 0.
const NOT_A_LINE: Reason = Reason::new("not_a_line");

#[cfg(test)]
mod tests;
