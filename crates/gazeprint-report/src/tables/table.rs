//! A table, whatever it is written as.

use gazeprint_eval::report::Estimate;

use crate::number;

/// A table with all its numbers set.
#[derive(Debug)]
pub(crate) struct Table {
    /// What it shows; Unicode, not escaped.
    pub(super) caption: String,
    pub(super) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// What must be known to read it; each a sentence or more.
    pub(super) notes: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Column {
    /// What neighbours with the same words have in common.
    pub(super) group: Option<&'static str>,
    pub(super) head: String,
    /// Numbers stand right, words left.
    pub(super) number: bool,
    /// Whether all of it is of the method that the head names.
    pub(super) is_method: bool,
}

/// Refers to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Dagger,
    Star,
}

#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(super) text: String,
    /// What the column is sorted by; none for words, and where a number is missing.
    pub(super) key: Option<f64>,
    pub(super) mark: Option<Mark>,
    pub(super) strong: bool,
    /// Whether the row is of the method that this names.
    pub(super) is_method: bool,
}

impl Cell {
    pub(super) fn word(text: impl Into<String>) -> Self {
        Self { text: text.into(), key: None, mark: None, strong: false, is_method: false }
    }

    /// The name of a method that the row is of.
    pub(super) fn method(name: &str) -> Self {
        Self { is_method: true, ..Self::word(name) }
    }

    pub(super) fn missing() -> Self {
        Self::word(number::MISSING)
    }

    /// A number as it is set, with its value.
    pub(super) fn number(text: String, value: f64) -> Self {
        Self { key: (!value.is_nan()).then_some(value), ..Self::word(text) }
    }

    pub(super) fn count(count: usize) -> Self {
        Self::number(number::grouped(count), count as f64)
    }

    /// A mean with its standard error, both set by `format`.
    pub(super) fn estimate(estimate: &Estimate, format: fn(f64) -> String) -> Self {
        Self::number(number::plus_minus(estimate, format), estimate.mean)
    }

    /// The interval of an estimate, sorted by its lower end.
    pub(super) fn interval(interval: Option<[f64; 2]>, format: fn(f64) -> String) -> Self {
        match interval {
            Some(ends) => Self::number(number::interval(ends, format), ends[0]),
            None => Self::missing(),
        }
    }

    pub(super) fn marked(mut self, mark: Option<Mark>) -> Self {
        self.mark = mark;
        self
    }
}

impl Table {
    pub(super) fn new(caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), columns: Vec::new(), rows: Vec::new(), notes: Vec::new() }
    }

    pub(super) fn words(&mut self, head: &str) {
        self.columns.push(Column { head: head.to_owned(), ..Column::default() });
    }

    pub(super) fn numbers(&mut self, head: impl Into<String>) {
        self.columns.push(Column { head: head.into(), number: true, ..Column::default() });
    }

    pub(super) fn grouped(&mut self, group: &'static str, head: impl Into<String>) {
        let (group, head) = (Some(group), head.into());
        self.columns.push(Column { group, head, number: true, ..Column::default() });
    }

    /// A column of numbers of a method.
    pub(super) fn method(&mut self, group: &'static str, name: &str) {
        let (group, head) = (Some(group), name.to_owned());
        self.columns.push(Column { group, head, number: true, is_method: true });
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(super) fn has(&self, mark: Mark) -> bool {
        self.rows.iter().flatten().any(|cell| cell.mark == Some(mark))
    }

    /// Sets the best number of a column in bold. Numbers with a mark do not compete: the data do not
    /// support them.
    pub(super) fn embolden(&mut self, column: usize, better: fn(f64, f64) -> bool) {
        let keys: Vec<f64> = self
            .rows
            .iter()
            .filter_map(|row| row.get(column).filter(|cell| cell.mark.is_none())?.key)
            .collect();
        let Some(best) = keys.iter().copied().reduce(|a, b| if better(b, a) { b } else { a })
        else {
            return;
        };
        if keys.iter().all(|key| *key == best) {
            return;
        }
        for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(column)) {
            cell.strong = cell.mark.is_none() && cell.key == Some(best);
        }
    }

    /// The columns in runs of one group, with their number.
    pub(super) fn groups(&self) -> Vec<(Option<&'static str>, usize)> {
        let mut groups: Vec<(Option<&'static str>, usize)> = Vec::new();
        for column in &self.columns {
            match groups.last_mut() {
                Some((group, n)) if *group == column.group => *n += 1,
                _ => groups.push((column.group, 1)),
            }
        }
        groups
    }

    /// The rows, each with whether it is the first of several of one name.
    pub(super) fn rows(&self) -> impl Iterator<Item = (bool, &[Cell])> {
        let name = |i: usize| self.rows.get(i).and_then(|row| Some(row.first()?.text.as_str()));
        let repeated = (1..self.rows.len()).any(|i| name(i - 1) == name(i));
        self.rows
            .iter()
            .enumerate()
            .map(move |(i, row)| (repeated && i > 0 && name(i - 1) != name(i), row.as_slice()))
    }

    pub(super) fn is_grouped(&self) -> bool {
        self.columns.iter().any(|column| column.group.is_some())
    }
}
