//! Fixation reports of popEye, as R writes them, also those of MECO (`joint_fix_trimmed`).
//!
//! popEye has assigned lines, letters and words already. `line.let` is the letter of the line, from 1:
//! the eye is taken to be in its middle. `word.land` is the letter of the word, from 1, where 0 is the
//! blank before it: a word starts `line.let - word.land` characters into its line. Words thus follow
//! from the fixations on them, but those that nobody looked at do not; popEye's table of letters
//! (`stimmat`) has all: [`read_words`]. No real file was at hand: the columns are those of the
//! package's sources.

use std::io::BufRead;

use super::aliases::{Choice, ColumnRole, Mapping, POP_EYE, beside};
use super::error::{At, ImportError};
use super::order::InOrder;
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use super::setting::{Setting, phrase};
use super::values::{
    Name, SharedNames, is_missing, is_true, name, number, number_or_missing, whole,
};
use crate::table::{Row, Rows};

mod words;

pub use words::GatheredWords;

/// A letter, line or word that is no whole number from 1.
pub const NOT_A_LETTER: Reason = Reason::new("not_a_letter");

/// How to read a report.
#[derive(Debug, Clone, Copy, Default)]
pub struct PopEyeOptions<'o> {
    /// Columns that the user chose; the others are found by their names.
    pub choices: &'o [Choice],
}

const ROLES: [ColumnRole; 16] = [
    ColumnRole::Reader,
    ColumnRole::Text,
    ColumnRole::Session,
    ColumnRole::Trial,
    ColumnRole::Index,
    ColumnRole::X,
    ColumnRole::Y,
    ColumnRole::Line,
    ColumnRole::Letter,
    ColumnRole::Landing,
    ColumnRole::Duration,
    ColumnRole::Onset,
    ColumnRole::Gap,
    ColumnRole::Kind,
    ColumnRole::Word,
    ColumnRole::Label,
];

/// Reads a fixation report. Words that fixations are on go to `gathered`, where words are not known
/// otherwise.
///
/// # Errors
/// If the report cannot be read or has no rows, or columns are missing: reader, text, duration, and
/// letters of lines or pixels; or where words stand, if they are to be gathered.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &PopEyeOptions<'_>,
    mut gathered: Option<&mut GatheredWords>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each fixation")?;
    let (header, row) = (&rows.header, rows.header_row);
    let mapping = Mapping::find_preferring(header, row, &ROLES, options.choices, POP_EYE)?;
    mapping.require(header, row, &[ColumnRole::Reader, ColumnRole::Text, ColumnRole::Duration])?;
    let has = |role| mapping.get(role).is_some();
    let in_letters = has(ColumnRole::Letter) && has(ColumnRole::Line);
    if in_letters && gathered.is_some() {
        require_words(&mapping, row)?;
    }
    let in_pixels = has(ColumnRole::X) && has(ColumnRole::Y);
    if !in_letters && !in_pixels {
        mapping.require(header, row, &[ColumnRole::Line, ColumnRole::Letter])?;
    }
    sink.note(rows.decision.clone());
    note_positions(&mapping, in_letters, sink);
    let numbers = [ColumnRole::X, ColumnRole::Y, ColumnRole::Duration, ColumnRole::Onset];
    rows.note_commas(&numbers.map(|role| mapping.index(role)), sink)?;
    let mut report = PopEyeReport::new(&mapping, in_letters, rows.header.len());
    let mut order = InOrder::new(&mapping);
    let mut read = 0;
    while let Some(row) = rows.next()? {
        read += 1;
        let place = RowPlace { file, row: row.number };
        match report.fixation(row) {
            Ok(fixation) => {
                if let (true, Some(gathered)) = (in_letters, &mut gathered) {
                    report.gather(row, place, &fixation, gathered);
                }
                order.take(row, place, fixation, sink)?;
            }
            Err(reason) => sink.dropped(place, reason, row.line()),
        }
    }
    order.finish(&[], sink)?;
    if read == 0 {
        return Err(ImportError::Empty { at: At::row(rows.last_row()), expected: "fixations" });
    }
    report.note(sink);
    rows.note_quotes(sink);
    Ok(Shape { rows: read, mapping, columns: rows.header, ..Shape::default() })
}

/// Words cannot be gathered without knowing where in a word each fixation is.
fn require_words(mapping: &Mapping, row: u64) -> Result<(), ImportError> {
    let needed = [
        (ColumnRole::Landing, "word.land"),
        (ColumnRole::Word, "wordnum"),
        (ColumnRole::Label, "word"),
    ];
    let lacking = needed.iter().filter(|(role, _)| mapping.get(*role).is_none());
    let lacking: Vec<&str> = lacking.map(|(_, name)| *name).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    Err(ImportError::value(
        At::row(row),
        format!("letters of lines, but no column {}", lacking.join(", ")),
        "where words stand: the number, the letters and the landing of each",
        phrase![
            "give popEye's table of letters (stimmat) with ",
            Setting::Words,
            ", or export these columns"
        ],
    ))
}

fn note_positions(mapping: &Mapping, in_letters: bool, sink: &mut dyn Sink) {
    let column = |role| mapping.get(role).map_or("", |mapped| mapped.column.as_str());
    sink.note(if in_letters {
        format!(
            "positions are letters of lines, by {}: each fixation is taken to be in the middle of its \
             letter",
            column(ColumnRole::Letter)
        )
    } else {
        format!(
            "there is no column for letters of lines: positions are pixels, by {} and {}",
            column(ColumnRole::X),
            column(ColumnRole::Y)
        )
    });
}

/// A report, row by row.
struct PopEyeReport {
    /// Cells that a row should have.
    width: usize,
    in_letters: bool,
    reader: Option<Name>,
    text: Option<Name>,
    session: Option<Name>,
    trial: Option<Name>,
    names: SharedNames,
    columns: Mapping,
    out: u64,
    without_letter: u64,
}

impl PopEyeReport {
    fn new(mapping: &Mapping, in_letters: bool, width: usize) -> Self {
        Self {
            width,
            in_letters,
            reader: Name::of(mapping, ColumnRole::Reader),
            text: Name::of(mapping, ColumnRole::Text),
            session: Name::of(mapping, ColumnRole::Session),
            trial: Name::of(mapping, ColumnRole::Trial),
            names: SharedNames::default(),
            columns: mapping.clone(),
            out: 0,
            without_letter: 0,
        }
    }

    fn cell<'r>(&self, row: Row<'r>, role: ColumnRole) -> &'r str {
        self.columns.index(role).map_or("", |column| row.cell(column))
    }

    fn fixation(&mut self, row: Row<'_>) -> Result<RawFixation, Reason> {
        if row.len() != self.width {
            return Err(Reason::RAGGED);
        }
        let names = &mut self.names;
        let reader = name(&mut self.reader, row, names).ok_or(Reason::NO_READER)?;
        let text = name(&mut self.text, row, names).ok_or(Reason::NO_TEXT)?;
        let session = name(&mut self.session, row, names);
        let trial = name(&mut self.trial, row, names);
        let duration_ms = number_or_missing(self.cell(row, ColumnRole::Duration), true)?;
        if duration_ms.is_some_and(|duration| duration < 0.0) {
            return Err(Reason::NEGATIVE_DURATION);
        }
        Ok(RawFixation {
            reader,
            text,
            session,
            trial,
            position: self.position(row)?,
            duration_ms,
            onset_ms: number_or_missing(self.cell(row, ColumnRole::Onset), true)?,
            gap: is_true(self.cell(row, ColumnRole::Gap)),
            eye: None,
            word: whole(self.cell(row, ColumnRole::Word)),
            ..RawFixation::default()
        })
    }

    fn position(&mut self, row: Row<'_>) -> Result<Position, Reason> {
        if !self.in_letters {
            let number = |role| number_or_missing(self.cell(row, role), true);
            return Ok(match (number(ColumnRole::X)?, number(ColumnRole::Y)?) {
                (Some(x), Some(y)) => Position::Pixels { x, y },
                _ => Position::Missing,
            });
        }
        // What popEye found to be off the text has no letter, and no place in characters.
        if self.cell(row, ColumnRole::Kind) == "out" {
            self.out += 1;
            return Ok(Position::Missing);
        }
        let [letter, line] =
            [ColumnRole::Letter, ColumnRole::Line].map(|role| self.cell(row, role));
        if is_missing(letter) || is_missing(line) {
            self.without_letter += 1;
            return Ok(Position::Missing);
        }
        let line = whole(line).filter(|line| *line > 0).ok_or(NOT_A_LETTER)?;
        let letter = whole(letter).filter(|letter| *letter > 0).ok_or(NOT_A_LETTER)?;
        Ok(Position::Chars { x: f64::from(letter) - 0.5, line })
    }

    /// Remembers the word that a fixation is on, and where it starts.
    fn gather(
        &self,
        row: Row<'_>,
        place: RowPlace,
        fixation: &RawFixation,
        gathered: &mut GatheredWords,
    ) {
        let (Position::Chars { line, .. }, Some(word)) = (fixation.position, fixation.word) else {
            return;
        };
        let landing = number(self.cell(row, ColumnRole::Landing), true);
        let letter = whole(self.cell(row, ColumnRole::Letter));
        let label = self.cell(row, ColumnRole::Label);
        if let (Some(landing), Some(letter)) = (landing, letter)
            && landing.fract() == 0.0
            && (0.0..=f64::from(letter)).contains(&landing)
            && !label.is_empty()
        {
            gathered.saw(&fixation.text, word, line, letter - landing as u32, label, place);
        }
    }

    fn note(&self, sink: &mut dyn Sink) {
        if self.out + self.without_letter > 0 {
            sink.note(format!(
                "{} fixations are off the text by popEye's account, and {} have no letter: their \
                 positions are missing",
                self.out, self.without_letter
            ));
        }
    }
}

/// Reads popEye's table of letters: a row for each letter, with its text, line and word.
///
/// # Errors
/// If the table cannot be read, columns are missing, or it has no letters.
pub fn read_words(
    input: &mut dyn BufRead,
    file: usize,
    options: &PopEyeOptions<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each letter")?;
    let (header, row) = (&rows.header, rows.header_row);
    let roles = [
        ColumnRole::Text,
        ColumnRole::Line,
        ColumnRole::Letter,
        ColumnRole::Landing,
        ColumnRole::Word,
        ColumnRole::Label,
        ColumnRole::Character,
    ];
    let choices = beside(header, options.choices);
    let mapping = Mapping::find_preferring(header, row, &roles, &choices, POP_EYE)?;
    mapping.require(
        header,
        row,
        &[ColumnRole::Text, ColumnRole::Line, ColumnRole::Letter, ColumnRole::Word],
    )?;
    if mapping.get(ColumnRole::Landing).is_none() {
        mapping.require(header, row, &[ColumnRole::Character])?;
    }
    sink.note(rows.decision.clone());
    let (mut names, mut text) = (SharedNames::default(), Name::of(&mapping, ColumnRole::Text));
    let (mut words, mut read) = (GatheredWords::default(), 0);
    let width = rows.header.len();
    while let Some(row) = rows.next()? {
        read += 1;
        let place = RowPlace { file, row: row.number };
        let added = match (row.len() == width, name(&mut text, row, &mut names)) {
            (false, _) => Err(Reason::RAGGED),
            (true, None) => Err(Reason::NO_TEXT),
            (true, Some(text)) => words.letter(&text, row, &mapping, place),
        };
        if let Err(reason) = added {
            sink.dropped(place, reason, row.line());
        }
    }
    if words.is_empty() {
        let at = At::row(rows.last_row());
        return Err(ImportError::Empty { at, expected: "letters of words, with their lines" });
    }
    rows.note_quotes(sink);
    words.hand_over(sink)?;
    Ok(Shape { rows: read, mapping, ..Shape::default() })
}

#[cfg(test)]
mod tests;
