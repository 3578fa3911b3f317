//! Tables beside the fixations: words and trials.

use std::io::BufRead;
use std::sync::Arc;

use super::TableOptions;
use crate::import::aliases::{Mapping, Role};
use crate::import::error::ImportError;
use crate::import::recording::{Area, RawWord, Reason, RowPlace, Sink};
use crate::import::report::Shape;
use crate::import::values::{Name, Names, is_missing, name, number, whole};
use crate::table::{Row, Rows};

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
) -> Result<Shape, ImportError> {
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
    let (mut names, mut text) = (Names::default(), Name::of(&mapping, Role::Text));
    let mut count = 0;
    let width = rows.header.len();
    while let Some(row) = rows.next()? {
        count += 1;
        let place = RowPlace { file, row: row.number };
        let word = if row.len() == width {
            let text = name(&mut text, row, &mut names).ok_or(Reason::NO_TEXT);
            text.and_then(|text| word(row, &mapping, in_pixels, text))
        } else {
            Err(Reason::RAGGED)
        };
        match word {
            Ok(word) => sink.word(place, word)?,
            Err(reason) => sink.dropped(place, reason, row.line()),
        }
    }
    rows.note_quotes(sink);
    Ok(Shape { mapping, rows: count })
}

fn word(
    row: Row<'_>,
    mapping: &Mapping,
    in_pixels: bool,
    text: Arc<str>,
) -> Result<RawWord, Reason> {
    let cell = |role| mapping.index(role).map(|column| row.cell(column)).unwrap_or_default();
    let whole = |role| whole(cell(role)).ok_or(Reason::NOT_A_NUMBER);
    let number = |role| number(cell(role), true).ok_or(Reason::NOT_A_NUMBER);
    let line = cell(Role::Line);
    let label = mapping.index(Role::Label).map(|column| row.verbatim(column));
    Ok(RawWord {
        text,
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
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each reading")?;
    let roles = [Role::Reader, Role::Text, Role::Session, Role::Trial, Role::Order, Role::Group];
    let mapping = Mapping::find_beside(&rows.header, rows.header_row, &roles, &options.choices)?;
    mapping.require(&rows.header, rows.header_row, &[Role::Reader, Role::Text])?;
    let mut names = Names::default();
    let [mut reader, mut text, mut session, mut trial, mut group] =
        [Role::Reader, Role::Text, Role::Session, Role::Trial, Role::Group]
            .map(|role| Name::of(&mapping, role));
    let mut count = 0;
    let rows_width = rows.header.len();
    while let Some(row) = rows.next()? {
        count += 1;
        let place = RowPlace { file, row: row.number };
        if row.len() != rows_width {
            sink.dropped(place, Reason::RAGGED, row.line());
            continue;
        }
        let mut name = |column: &mut Option<Name>| name(column, row, &mut names);
        let (Some(reader), Some(text)) = (name(&mut reader), name(&mut text)) else {
            sink.dropped(place, Reason::NO_READER, row.line());
            continue;
        };
        let (session, trial, group) = (name(&mut session), name(&mut trial), name(&mut group));
        let order = mapping.get(Role::Order).and_then(|m| number(row.cell(m.index), true));
        take(place, RawTrial { reader, text, session, trial, order, group });
    }
    Ok(Shape { mapping, rows: count })
}
