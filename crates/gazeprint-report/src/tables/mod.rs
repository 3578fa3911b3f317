//! The tables of a report, for people (Markdown), for papers (LaTeX) and for the page (HTML).
//!
//! A table is made once, as `Table`, with all its numbers set in Unicode. The three writers know
//! nothing of the report: they turn signs into those of their format, and escape the rest.
//!
//! | module | does |
//! |---|---|
//! | `identification` | accuracy, ranks, differences between methods |
//! | `verification` | errors of verification, operating points, thresholds |
//! | `attacks` | acceptance of attacks, liveness |
//! | `watch` | seconds to decide, and to notice a swap |
//! | `robustness` | accuracy on worse recordings |
//! | `computing` | constants, diagnostics, times |
//! | `markdown`, `latex`, `html` | the writers |

mod attacks;
mod computing;
pub(crate) mod html;
mod identification;
mod latex;
mod markdown;
mod robustness;
mod verification;
mod watch;

use std::collections::BTreeSet;

use gazeprint_eval::report::{Estimate, MethodReport, Report, SentencesReport};

use crate::number;
pub use attacks::attack_words;
pub(crate) use verification::fewest_claims;

/// `tables.md`: all tables of a report in Markdown, with the tables of GitHub.
pub fn markdown(report: &Report) -> String {
    markdown::write(&setting(report), &all(report))
}

/// `tables.tex`: the tables of a report in LaTeX, to be `\input` into a paper that uses the packages
/// `booktabs` and `graphicx`, in one column or two. Labels are `tab:gazeprint-accuracy` and so on.
/// Tables longer than a page are left out; a comment says so.
pub fn latex(report: &Report) -> String {
    latex::write(&setting(report), &all(report))
}

/// A table, whatever it is written as.
#[derive(Debug)]
pub(crate) struct Table {
    /// Its name in labels and links.
    pub(crate) id: &'static str,
    /// What it shows; Unicode, not escaped.
    pub(crate) caption: String,
    /// Long, and of use to few: the page folds it.
    pub(crate) folded: bool,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    /// What must be known to read it; each a sentence or more.
    notes: Vec<String>,
}

#[derive(Debug)]
struct Column {
    /// What neighbours with the same words have in common.
    group: Option<&'static str>,
    head: String,
    /// Numbers stand right, words left.
    number: bool,
}

/// Refers to a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Dagger,
    Star,
}

#[derive(Debug, Clone)]
struct Cell {
    text: String,
    /// What the column is sorted by; none for words, and where a number is missing.
    key: Option<f64>,
    mark: Option<Mark>,
    strong: bool,
}

impl Cell {
    fn word(text: impl Into<String>) -> Self {
        Self { text: text.into(), key: None, mark: None, strong: false }
    }

    fn missing() -> Self {
        Self::word(number::MISSING)
    }

    /// A number as it is set, with its value.
    fn number(text: String, value: f64) -> Self {
        Self { key: (!value.is_nan()).then_some(value), ..Self::word(text) }
    }

    fn count(count: usize) -> Self {
        Self::number(number::grouped(count), count as f64)
    }

    /// A mean with its standard error, both set by `format`.
    fn estimate(estimate: &Estimate, format: fn(f64) -> String) -> Self {
        Self::number(number::plus_minus(estimate, format), estimate.mean)
    }

    /// The interval of an estimate, sorted by its lower end.
    fn interval(interval: Option<[f64; 2]>, format: fn(f64) -> String) -> Self {
        match interval {
            Some(ends) => Self::number(number::interval(ends, format), ends[0]),
            None => Self::missing(),
        }
    }

    fn marked(mut self, mark: Option<Mark>) -> Self {
        self.mark = mark;
        self
    }
}

impl Table {
    fn new(id: &'static str, caption: impl Into<String>) -> Self {
        Self {
            id,
            caption: caption.into(),
            folded: false,
            columns: Vec::new(),
            rows: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn words(&mut self, head: &str) {
        self.columns.push(Column { group: None, head: head.to_owned(), number: false });
    }

    fn numbers(&mut self, head: impl Into<String>) {
        self.columns.push(Column { group: None, head: head.into(), number: true });
    }

    fn grouped(&mut self, group: &'static str, head: impl Into<String>) {
        self.columns.push(Column { group: Some(group), head: head.into(), number: true });
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn has(&self, mark: Mark) -> bool {
        self.rows.iter().flatten().any(|cell| cell.mark == Some(mark))
    }

    /// Sets the best number of a column in bold. Numbers with a mark do not compete: the data do not
    /// support them.
    fn embolden(&mut self, column: usize, better: fn(f64, f64) -> bool) {
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
    fn groups(&self) -> Vec<(Option<&'static str>, usize)> {
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
    fn rows(&self) -> impl Iterator<Item = (bool, &[Cell])> {
        let name = |i: usize| self.rows.get(i).and_then(|row| Some(row.first()?.text.as_str()));
        let repeated = (1..self.rows.len()).any(|i| name(i - 1) == name(i));
        self.rows
            .iter()
            .enumerate()
            .map(move |(i, row)| (repeated && i > 0 && name(i - 1) != name(i), row.as_slice()))
    }

    fn is_grouped(&self) -> bool {
        self.columns.iter().any(|column| column.group.is_some())
    }
}

/// Every table that has a row, in the order of a paper.
fn all(report: &Report) -> Vec<Table> {
    let mut tables = identification(report);
    tables.extend(verification(report));
    tables.extend(attacks(report));
    tables.extend(watch(report));
    tables.extend(robustness(report));
    tables.extend(computing(report));
    tables.extend(times(report));
    tables
}

fn filled(tables: impl IntoIterator<Item = Table>) -> Vec<Table> {
    tables.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

/// Who reads?
pub(crate) fn identification(report: &Report) -> Vec<Table> {
    filled([
        identification::accuracy(report),
        identification::ranks(report),
        identification::paired(report),
        identification::paired_by_sentences(report),
    ])
}

/// Is it the one it is said to be?
pub(crate) fn verification(report: &Report) -> Vec<Table> {
    filled([
        verification::errors(report),
        verification::operating_points(report),
        verification::by_sentences(report),
        verification::thresholds(report),
    ])
}

/// What comes of attempts to deceive.
pub(crate) fn attacks(report: &Report) -> Vec<Table> {
    filled([attacks::acceptance(report), attacks::by_sentences(report), attacks::liveness(report)])
}

/// Readers watched while reading.
pub(crate) fn watch(report: &Report) -> Vec<Table> {
    filled([watch::watches(report)])
}

/// How it fares on worse recordings.
pub(crate) fn robustness(report: &Report) -> Vec<Table> {
    filled([robustness::accuracy(report)])
}

/// How it was computed, less what differs from run to run.
pub(crate) fn computing(report: &Report) -> Vec<Table> {
    filled([computing::constants(report), computing::diagnostics(report)])
}

/// What differs from run to run.
pub(crate) fn times(report: &Report) -> Vec<Table> {
    filled([computing::times(report)])
}

/// What captions and headings say of the corpus and the protocol.
fn setting(report: &Report) -> String {
    let (corpus, protocol) = (&report.corpus, &report.protocol);
    let part = match protocol.train_fraction {
        Some(part) => format!(", {} of the texts train", number::percent(part)),
        None => String::new(),
    };
    format!(
        "Corpus {}: {}, {}. Protocol: {} {}{part}; seed {}.",
        corpus.name,
        number::plural(corpus.readers, "reader"),
        number::plural(corpus.texts, "text"),
        protocol.splits,
        match (protocol.split.as_str(), protocol.splits) {
            ("file", 1) => "split given by a file".to_owned(),
            ("file", _) => "splits given by a file".to_owned(),
            (kind, 1) => format!("{kind} split"),
            (kind, _) => format!("{kind} splits"),
        },
        protocol.seed
    )
}

/// How many readers there are to choose from: those of a split, as a range where splits differ.
pub(crate) fn readers(report: &Report) -> String {
    let counts = &report.protocol.readers_by_split;
    match (counts.iter().min(), counts.iter().max()) {
        (Some(&least), Some(&most)) if least < most => {
            format!("{} to {}", number::grouped(least), number::plural(most, "reader"))
        }
        (_, most) => number::plural(most.copied().unwrap_or(report.corpus.readers), "reader"),
    }
}

/// Sizes of probes that any method was tried with.
fn sizes(report: &Report) -> Vec<usize> {
    let sizes: BTreeSet<usize> =
        report.methods.iter().flat_map(|m| &m.by_sentences).map(|s| s.sentences).collect();
    sizes.into_iter().collect()
}

/// Probes of one size; none where no reader has that many test sentences.
pub(crate) fn probes_of(method: &MethodReport, size: usize) -> Option<&SentencesReport> {
    method.by_sentences.iter().find(|s| s.sentences == size && s.shorter_probes < s.probes)
}

/// What numbers of a single split lack, and of several have.
fn note_on_errors(report: &Report) -> &'static str {
    if report.protocol.splits > 1 {
        "± is the standard error over splits, brackets the 95\u{a0}% bootstrap interval over readers."
    } else {
        "Brackets are the 95\u{a0}% bootstrap interval over readers; a single split has no standard error."
    }
}
