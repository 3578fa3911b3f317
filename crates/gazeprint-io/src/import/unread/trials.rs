//! Columns that tell several readings of a text apart, where no column is known to.
//!
//! Such a column stays the same over many rows of a reading, changes, and does not come back to what it
//! was; what is looked at under one value is looked at again under the next. Columns of lines or sentences
//! change within readings, too, but then the eye is elsewhere. Where rows are in the order of their
//! indices, readings lie between each other: then it is what differs between rows of one index.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::LONG;
use crate::import::aliases::{ColumnRole, Mapping};
use crate::import::recording::Sink;
use crate::import::setting::{Phrase, phrase};
use crate::import::values::{is_missing, number};
use crate::table::Row;

/// Indices of readings that are remembered, with what else their rows say.
const MOST_INDICES: usize = 1 << 12;

/// Values that a column of trials has at most.
const MOST_TRIALS: usize = 1 << 8;

/// Share of the smaller extent that is looked at again.
const AGAIN: f64 = 0.5;

/// Follows columns over the rows of a table.
#[derive(Debug, Default)]
pub(super) struct Trials {
    /// The column of the text, and that of the trial, if there is one.
    text: String,
    trial: Option<String>,
    /// The columns that tell readings apart, and eyes.
    reading: Vec<usize>,
    /// What these hold.
    last: Vec<String>,
    /// The columns of x, y and lines.
    places: Vec<usize>,
    /// The columns of index and onset, and what they held.
    orders: Vec<(usize, f64)>,
    index: Option<usize>,
    columns: Vec<Column>,
    /// What columns held in the first row of an index in a reading.
    indices: HashMap<u64, Vec<u64>>,
}

/// How a column changes within readings.
#[derive(Debug, Default)]
struct Column {
    name: String,
    index: usize,
    /// What it holds at hand, and has held in this reading.
    last: String,
    held: HashSet<u64>,
    /// Where the eye was under what it holds, and under what it held before.
    extent: Vec<Extent>,
    before: Option<Vec<Extent>>,
    rows: u64,
    runs: u64,
    /// Values under which the eye was where it had been, was elsewhere, and values that came back.
    again: u64,
    elsewhere: u64,
    back: u64,
    /// All that it holds in the table, as far as that is not too much.
    values: HashSet<u64>,
    /// Rows of one index that it tells apart, and that it does not.
    differs: u64,
    alike: u64,
}

/// From the least to the greatest.
type Extent = [f64; 2];

fn hash(of: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

impl Trials {
    /// Follows columns that are not read, unless somebody said what texts or trials are.
    pub(super) fn new(
        header: &[String],
        mapping: &Mapping,
        is_other: impl Fn(&str) -> bool,
    ) -> Self {
        let roles = [ColumnRole::Text, ColumnRole::Trial];
        let [text, trial] = roles.map(|role| mapping.get(role));
        let is_said = [text, trial].iter().flatten().any(|mapped| mapped.is_chosen);
        let Some(text) = text.filter(|_| !is_said) else { return Self::default() };
        let indices = |roles: &[ColumnRole]| -> Vec<usize> {
            let mapped = roles.iter().filter_map(|&role| mapping.get(role));
            mapped.flat_map(|mapped| mapped.indices().collect::<Vec<_>>()).collect()
        };
        let others = header.iter().enumerate().filter(|(_, name)| is_other(name));
        let column = |(index, name): (usize, &String)| Column {
            name: name.clone(),
            index,
            ..Column::default()
        };
        Self {
            text: text.column.clone(),
            trial: trial.map(|trial| trial.column.clone()),
            reading: indices(&[
                ColumnRole::Reader,
                ColumnRole::Text,
                ColumnRole::Session,
                ColumnRole::Trial,
                ColumnRole::Eye,
            ]),
            last: Vec::new(),
            places: indices(&[ColumnRole::X, ColumnRole::Y, ColumnRole::Line]),
            orders: indices(&[ColumnRole::Index, ColumnRole::Onset])
                .into_iter()
                .map(|column| (column, f64::NEG_INFINITY))
                .collect(),
            index: mapping.index(ColumnRole::Index),
            columns: others.map(column).collect(),
            indices: HashMap::new(),
        }
    }

    /// Takes the next row.
    pub(super) fn see(&mut self, row: Row<'_>) {
        if self.columns.is_empty() {
            return;
        }
        let is_same =
            self.last.iter().map(String::as_str).eq(self.reading.iter().map(|&at| row.cell(at)));
        if !is_same {
            self.last = self.reading.iter().map(|&at| row.cell(at).to_owned()).collect();
            self.columns.iter_mut().for_each(Column::leave);
        }
        let mut is_told = !is_same;
        for (column, last) in &mut self.orders {
            let Some(now) = number(row.cell(*column), true) else { continue };
            is_told |= now <= *last;
            *last = now;
        }
        let place: Vec<Option<f64>> =
            self.places.iter().map(|&column| number(row.cell(column), true)).collect();
        self.columns.iter_mut().for_each(|column| column.see(row, &place, is_told));
        self.see_index(row);
    }

    fn see_index(&mut self, row: Row<'_>) {
        let Some(index) = self.index.map(|column| row.cell(column)) else { return };
        if is_missing(index) {
            return;
        }
        let key = hash((&self.last, index));
        let is_full = self.indices.len() >= MOST_INDICES;
        match self.indices.get(&key) {
            None if is_full => {}
            None => {
                let held = self.columns.iter().map(|column| hash(row.cell(column.index)));
                self.indices.insert(key, held.collect());
            }
            Some(first) => {
                for (column, first) in self.columns.iter_mut().zip(first) {
                    let differs = hash(row.cell(column.index)) != *first;
                    column.differs += u64::from(differs);
                    column.alike += u64::from(!differs);
                }
            }
        }
    }

    /// The columns that tell rows of one index in a reading apart.
    pub(super) fn of_indices(&self) -> Vec<Phrase> {
        let tells = |column: &&Column| {
            column.differs > 0 && column.alike == 0 && column.values.len() < MOST_TRIALS
        };
        self.columns.iter().filter(tells).map(|column| self.choice(column)).collect()
    }

    /// Says that a column names trials, beside what does so far.
    fn choice(&self, column: &Column) -> Phrase {
        Phrase::choice(
            "trial",
            match &self.trial {
                Some(trial) => format!("{trial}+{}", column.name),
                None => column.name.clone(),
            },
        )
    }

    /// Warns of columns under each value of which the same is looked at again.
    pub(super) fn warn<S: Sink + ?Sized>(&mut self, sink: &mut S) {
        self.columns.iter_mut().for_each(Column::leave);
        let Some(column) = self.columns.iter().find(|column| column.tells_readings()) else {
            return;
        };
        sink.warn(
            phrase![format!(
                "{} changes within readings of what {} names, and then the same places are looked at again: \
                 if its values are readings of their own, say so with ",
                column.name, self.text
            )]
            .and(self.choice(column))
            .and(", and if not, with ")
            .and(Phrase::choice("text", &self.text)),
        );
    }
}

impl Column {
    fn see(&mut self, row: Row<'_>, place: &[Option<f64>], is_told: bool) {
        let cell = row.cell(self.index);
        self.rows += 1;
        if is_missing(cell) {
            return;
        }
        if cell != self.last || self.held.is_empty() {
            let is_first = self.held.is_empty();
            let value = hash(cell);
            self.end_run(is_told);
            self.runs += 1;
            self.back += u64::from(!self.held.insert(value) && !is_first);
            if self.values.len() < MOST_TRIALS {
                self.values.insert(value);
            }
            self.last.clear();
            self.last.push_str(cell);
        }
        self.extent.resize(place.len(), [f64::INFINITY, f64::NEG_INFINITY]);
        for ([least, greatest], place) in self.extent.iter_mut().zip(place) {
            let Some(place) = place else { continue };
            *least = least.min(*place);
            *greatest = greatest.max(*place);
        }
    }

    /// Compares what was looked at with what was looked at under the value before. Where readings are told
    /// apart by something else, there is none.
    fn end_run(&mut self, is_told: bool) {
        let extent = std::mem::take(&mut self.extent);
        if extent.is_empty() {
            return;
        }
        if let Some(before) = &self.before {
            match is_again(before, &extent) {
                true => self.again += 1,
                false => self.elsewhere += 1,
            }
        }
        self.before = Some(extent).filter(|_| !is_told);
    }

    /// Ends with a reading.
    fn leave(&mut self) {
        self.end_run(true);
        self.held.clear();
        self.before = None;
    }

    fn tells_readings(&self) -> bool {
        self.again > 0
            && 4 * self.elsewhere <= self.again
            && self.back == 0
            && self.runs * LONG <= self.rows
            && self.values.len() < MOST_TRIALS
    }
}

/// Whether most of one place is in another.
fn is_again(a: &[Extent], b: &[Extent]) -> bool {
    let known = |extent: &Extent| extent[0] <= extent[1];
    let mut both = a.iter().zip(b).filter(|(a, b)| known(a) && known(b)).peekable();
    both.peek().is_some()
        && both.all(|(a, b)| {
            let shared = a[1].min(b[1]) - a[0].max(b[0]);
            shared >= AGAIN * (a[1] - a[0]).min(b[1] - b[0])
        })
}
