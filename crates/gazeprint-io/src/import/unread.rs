//! Columns that no role takes, and that may name what nothing else does.
//!
//! Who reads, and what, may stand in a column of an unknown name. Such a column stays the same over the
//! rows of a reading, and then changes. Pages of a text may be in a column of their own, which changes
//! within readings, and so may repeated readings: see [`trials`].

mod trials;

use std::collections::{HashMap, HashSet};

use super::aliases::{ColumnRole, Mapping, plain};
use super::recording::Sink;
use super::setting::{Phrase, phrase};
use super::values::{is_missing, number};
use crate::table::{Row, Rows};
use trials::Trials;

/// Rows that a name stands in, on average: readings have more fixations.
const LONG: u64 = 5;

/// Values that are remembered of a column.
const MOST_VALUES: usize = 1 << 12;

/// Columns that a message names.
const NAMED: usize = 4;

/// What columns are called that tell the pages of a text apart.
const PAGES: [&str; 8] =
    ["page", "pageid", "pagename", "pagenr", "pagenumber", "screen", "screenid", "slide"];

/// Follows columns that no role takes over the rows of a table.
#[derive(Debug, Default)]
pub(super) struct Unread {
    pages: Pages,
    trials: Trials,
    /// What no column tells, and what is only guessed.
    lacking: Vec<ColumnRole>,
    columns: Vec<Column>,
    /// The columns that name the text, where there are any, and what they hold.
    text: Vec<usize>,
    last_text: String,
    rows: u64,
}

/// How often a column changed.
#[derive(Debug)]
struct Column {
    name: String,
    index: usize,
    last: String,
    runs: u64,
    values: HashSet<String>,
    /// Whether it has numbers that count nothing: no name is one.
    measures: bool,
    by_text: ByText,
}

/// What a column has beside each text.
#[derive(Debug, Default)]
struct ByText {
    values: HashMap<String, String>,
    /// Whether a text has several, or there are too many texts to tell.
    differs: bool,
}

impl ByText {
    fn see(&mut self, text: &str, cell: &str) {
        match self.values.get(text) {
            _ if self.differs => {}
            Some(value) => self.differs = value != cell,
            None if self.values.len() >= MOST_VALUES => self.differs = true,
            None => {
                self.values.insert(text.to_owned(), cell.to_owned());
            }
        }
    }

    /// Whether the column names texts once more: each has one value, and no other text has it.
    fn names_texts(&self) -> bool {
        let values: HashSet<&String> = self.values.values().collect();
        !self.differs && values.len() == self.values.len() && !values.is_empty()
    }
}

impl Unread {
    /// Follows the columns of a table, if it has none for a role of `guessed`.
    pub(super) fn new(rows: &Rows<'_>, mapping: &Mapping, guessed: &[ColumnRole]) -> Self {
        let is_lacking =
            |role: &&ColumnRole| mapping.get(**role).is_none() && rows.told(**role).is_none();
        let lacking: Vec<ColumnRole> = guessed.iter().filter(is_lacking).copied().collect();
        let mut columns = Vec::new();
        let others = mapping.others(&rows.header);
        let trials = Trials::new(&rows.header, mapping, |name| {
            others.iter().any(|other| other == name) && !PAGES.contains(&&*plain(name))
        });
        if !lacking.is_empty() {
            // What is known to name texts names no readers, and the other way round.
            let roles = [ColumnRole::Reader, ColumnRole::Text];
            let is_taken = |name: &str| {
                roles.into_iter().any(|role| role.knows(name) && !lacking.contains(&role))
            };
            let is_other = |&(_, name): &(usize, &String)| others.contains(name) && !is_taken(name);
            let column = |(index, name): (usize, &String)| Column {
                name: name.clone(),
                index,
                last: String::new(),
                runs: 0,
                values: HashSet::new(),
                measures: false,
                by_text: ByText::default(),
            };
            columns.extend(rows.header.iter().enumerate().filter(is_other).map(column));
        }
        let text = mapping.get(ColumnRole::Text).map(|text| text.indices().collect());
        Self {
            pages: Pages::new(rows, mapping),
            trials,
            lacking,
            columns,
            text: text.unwrap_or_default(),
            ..Self::default()
        }
    }

    /// Takes the next row.
    pub(super) fn see(&mut self, row: Row<'_>) {
        self.rows += 1;
        self.pages.see(row);
        self.trials.see(row);
        if self.columns.is_empty() {
            return;
        }
        let text = self.text.iter().map(|&at| row.cell(at)).collect::<Vec<_>>().join("+");
        let is_text_new = text != self.last_text;
        self.last_text = text;
        for column in &mut self.columns {
            let cell = row.cell(column.index);
            if is_missing(cell) || (cell == column.last && !is_text_new) {
                continue;
            }
            if !self.text.is_empty() {
                column.by_text.see(&self.last_text, cell);
            }
            if cell == column.last {
                continue;
            }
            column.runs += 1;
            column.measures |= number(cell, true).is_some_and(|number| number.fract() != 0.0);
            column.last.clear();
            column.last.push_str(cell);
            if column.values.len() < MOST_VALUES && !column.values.contains(cell) {
                column.values.insert(cell.to_owned());
            }
        }
    }

    /// How columns would tell rows of one index in a reading apart.
    pub(super) fn trials_of_indices(&self) -> Vec<Phrase> {
        self.trials.of_indices()
    }

    /// Warns of columns that may say what is only guessed.
    pub(super) fn warn<S: Sink + ?Sized>(&mut self, sink: &mut S) {
        self.pages.warn(sink);
        self.trials.warn(sink);
        let names: Vec<&str> =
            self.columns.iter().filter(|c| c.may_name(self.rows)).map(|c| &*c.name).collect();
        let Some(first) = names.first() else { return };
        let shown = names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let lacking = self.lacking.iter().map(|role| role.name()).collect::<Vec<_>>().join(" or ");
        let advice = self.lacking.iter().map(|role| Phrase::choice(role.name(), first));
        let advice = advice.reduce(|all, next| all.and(" or ").and(next)).unwrap_or_default();
        sink.warn(
            phrase![format!(
                "no column is known to name the {lacking}, and of those that are not read, {shown}{more} \
                 stay the same over many rows before they change: if one of them does, choose it, as in "
            )]
            .and(advice),
        );
    }
}

/// A column of pages, and whether it changes within readings.
#[derive(Debug, Default)]
struct Pages {
    /// The column of the text, and that of the page.
    names: [String; 2],
    index: Option<usize>,
    /// The columns that tell readings apart.
    reading: Vec<usize>,
    /// What these hold, and the page.
    last: (Vec<String>, String),
    changes: u64,
}

impl Pages {
    fn new(rows: &Rows<'_>, mapping: &Mapping) -> Self {
        let others = mapping.others(&rows.header);
        let is_page = |name: &&String| others.contains(name) && PAGES.contains(&&*plain(name));
        let page = rows.header.iter().find(is_page);
        let text = mapping.get(ColumnRole::Text).filter(|text| !text.is_chosen);
        let (Some(page), Some(text)) = (page, text) else { return Self::default() };
        let roles = [ColumnRole::Reader, ColumnRole::Text, ColumnRole::Session, ColumnRole::Trial];
        let mapped = roles.into_iter().filter_map(|role| mapping.get(role));
        Self {
            names: [text.column.clone(), page.clone()],
            index: rows.header.iter().position(|name| name == page),
            reading: mapped.flat_map(|mapped| mapped.indices()).collect(),
            ..Self::default()
        }
    }

    fn see(&mut self, row: Row<'_>) {
        let Some(page) = self.index.map(|index| row.cell(index)) else { return };
        let (reading, last) = &mut self.last;
        if reading.iter().map(String::as_str).eq(self.reading.iter().map(|&at| row.cell(at))) {
            self.changes += u64::from(page != last);
        } else {
            *reading = self.reading.iter().map(|&at| row.cell(at).to_owned()).collect();
        }
        if page != last {
            *last = page.to_owned();
        }
    }

    fn warn<S: Sink + ?Sized>(&self, sink: &mut S) {
        if self.changes == 0 {
            return;
        }
        let [text, page] = &self.names;
        sink.warn(phrase![
            format!(
                "{page} changes {} times within readings of what {text} names: if its pages are texts of \
                 their own, say so with ",
                self.changes
            ),
            Phrase::choice("text", format!("{text}+{page}")),
            ", and if not, with ",
            Phrase::choice("text", text)
        ]);
    }
}

impl Column {
    /// Whether it has names that stand in many rows each, and no others for texts. What goes back and forth
    /// between two values marks something else.
    fn may_name(&self, rows: u64) -> bool {
        let values = self.values.len() as u64;
        if self.measures || self.by_text.names_texts() {
            return false;
        }
        values > 1 && self.runs * LONG <= rows && (values > 2 || values == self.runs)
    }
}
