//! Tables beside the fixations: words and trials.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;

use super::TableOptions;
use crate::import::aliases::{ColumnRole, Mapping};
use crate::import::error::ImportError;
use crate::import::recording::{Area, RawWord, Reason, RowPlace, Sink};
use crate::import::report::Shape;
use crate::import::values::{Name, SharedNames, character_count, is_missing, name, number, whole};
use crate::table::{Row, Rows};

const WORD_ROLES: [ColumnRole; 10] = [
    ColumnRole::Text,
    ColumnRole::Line,
    ColumnRole::Word,
    ColumnRole::Label,
    ColumnRole::Start,
    ColumnRole::End,
    ColumnRole::Left,
    ColumnRole::Right,
    ColumnRole::Top,
    ColumnRole::Bottom,
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
    let in_pixels =
        mapping.get(ColumnRole::Start).is_none() && mapping.get(ColumnRole::Left).is_some();
    let needed: &[ColumnRole] = if in_pixels {
        &[
            ColumnRole::Text,
            ColumnRole::Word,
            ColumnRole::Left,
            ColumnRole::Right,
            ColumnRole::Top,
            ColumnRole::Bottom,
        ]
    } else {
        &[ColumnRole::Text, ColumnRole::Word, ColumnRole::Start, ColumnRole::End]
    };
    mapping.require(&rows.header, header_row, needed)?;
    sink.note(rows.decision.clone());
    let counted = match in_pixels {
        true => Counted::default(),
        false => Counted::of(&mut rows, &mapping)?,
    };
    counted.note(&mapping, sink);
    let (mut names, mut text) = (SharedNames::default(), Name::of(&mapping, ColumnRole::Text));
    let mut count = 0;
    let width = rows.header.len();
    while let Some(row) = rows.next()? {
        count += 1;
        let place = RowPlace { file, row: row.number };
        let word = if row.len() == width {
            let text = name(&mut text, row, &mut names).ok_or(Reason::NO_TEXT);
            text.and_then(|text| word(row, &mapping, in_pixels, text))
                .map(|word| counted.placed(word))
        } else {
            Err(Reason::RAGGED)
        };
        match word {
            Ok(word) => sink.word(place, word)?,
            Err(reason) => sink.dropped(place, reason, row.line()),
        }
    }
    rows.note_quotes(sink);
    Ok(Shape { mapping, rows: count, ..Shape::default() })
}

/// How the first rows of a table count characters, as far as labels tell.
#[derive(Debug, Default)]
struct Counted {
    /// Words with a label, those as long as their characters, and those as long with one more.
    labels: usize,
    exact: usize,
    with_last: usize,
    /// Where the first word of each line begins.
    lines: BTreeMap<(String, String), u32>,
}

impl Counted {
    /// Fewest labels that say anything.
    const FEWEST: usize = 5;

    fn of(rows: &mut Rows<'_>, mapping: &Mapping) -> Result<Self, ImportError> {
        let mut counted = Self::default();
        let column = |role| mapping.index(role);
        rows.sample(|row| {
            let cell = |role| column(role).map(|column| row.cell(column)).unwrap_or_default();
            let (start, end) = (whole(cell(ColumnRole::Start)), whole(cell(ColumnRole::End)));
            let (Some(start), Some(end)) = (start, end) else { return };
            let line = (cell(ColumnRole::Text).to_owned(), cell(ColumnRole::Line).to_owned());
            let first = counted.lines.entry(line).or_insert(start);
            *first = start.min(*first);
            let label = character_count(cell(ColumnRole::Label).trim());
            if label > 0 {
                counted.labels += 1;
                counted.exact += usize::from(u64::from(end) == u64::from(start) + u64::from(label));
                let last = u64::from(end) + 1;
                counted.with_last += usize::from(last == u64::from(start) + u64::from(label));
            }
        })?;
        Ok(counted)
    }

    /// Whether ends are the last characters of words, and not one past these.
    fn ends_are_last(&self) -> bool {
        let most = 10 * self.with_last >= 9 * self.labels && 10 * self.exact <= self.labels;
        self.labels >= Self::FEWEST && most
    }

    fn placed(&self, mut word: RawWord) -> RawWord {
        if let Area::Chars { end, .. } = &mut word.area {
            *end = end.saturating_add(u32::from(self.ends_are_last()));
        }
        word
    }

    fn note(&self, mapping: &Mapping, sink: &mut dyn Sink) {
        let Self { labels, exact, with_last, lines } = self;
        let called = |role| mapping.get(role).map_or("", |mapped| &*mapped.column);
        let (start, end) = (called(ColumnRole::Start), called(ColumnRole::End));
        if self.ends_are_last() {
            sink.note(format!(
                "{end} is the last character of a word: {with_last} of {labels} labels are as long with it, \
                 and {exact} without"
            ));
        } else if *labels >= Self::FEWEST && 2 * exact < *labels {
            sink.note(format!(
                "{exact} of {labels} labels are as long as from {start} to {end}, and {with_last} with the \
                 character at {end} as well: {end} is taken to be one past the last"
            ));
        }
        if !lines.is_empty() && lines.values().all(|first| *first == 1) {
            sink.note(format!(
                "{start} is 1 for the first word of each line: x is taken to count from 1 as well"
            ));
        }
    }
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
    let line = cell(ColumnRole::Line);
    let label = mapping.index(ColumnRole::Label).map(|column| row.verbatim(column));
    Ok(RawWord {
        text,
        line: if is_missing(line) { None } else { Some(whole(ColumnRole::Line)?) },
        index: whole(ColumnRole::Word)?,
        // `NA` and `.` may be words.
        label: label.filter(|label| !label.is_empty()).map(str::to_owned),
        area: if in_pixels {
            Area::Pixels {
                left: number(ColumnRole::Left)?,
                right: number(ColumnRole::Right)?,
                top: number(ColumnRole::Top)?,
                bottom: number(ColumnRole::Bottom)?,
            }
        } else {
            Area::Chars { start: whole(ColumnRole::Start)?, end: whole(ColumnRole::End)? }
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
    let roles = [
        ColumnRole::Reader,
        ColumnRole::Text,
        ColumnRole::Session,
        ColumnRole::Trial,
        ColumnRole::Order,
        ColumnRole::Group,
    ];
    let mapping = Mapping::find_beside(&rows.header, rows.header_row, &roles, &options.choices)?;
    mapping.require(&rows.header, rows.header_row, &[ColumnRole::Reader, ColumnRole::Text])?;
    let mut names = SharedNames::default();
    let [mut reader, mut text, mut session, mut trial, mut group] = [
        ColumnRole::Reader,
        ColumnRole::Text,
        ColumnRole::Session,
        ColumnRole::Trial,
        ColumnRole::Group,
    ]
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
        let order = mapping.get(ColumnRole::Order).and_then(|m| number(row.cell(m.index), true));
        take(place, RawTrial { reader, text, session, trial, order, group });
    }
    Ok(Shape { mapping, rows: count, ..Shape::default() })
}
