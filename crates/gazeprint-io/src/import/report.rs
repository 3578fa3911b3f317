//! What an import did: for the terminal, and as `import.json`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::aliases::Mapping;
use super::messages::MessageLog;
use super::recording::{Reason, RowPlace, Sink};
use super::remark::Remark;
use super::setting::{Phrase, SettingNames};

/// Rows that are shown for each reason.
const EXAMPLES: usize = 3;
/// Most characters of a row that is shown.
const SHOWN: usize = 160;

/// Rows that did not go on, by reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drops(BTreeMap<Reason, DropCount>);

/// How many rows were dropped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DropCount {
    /// The reason's name.
    pub reason: &'static str,
    /// Whether something that should be there is lost; saccades in a table of events are not.
    pub is_loss: bool,
    /// How many rows.
    pub rows: u64,
    /// The first of them.
    pub examples: Vec<Example>,
}

/// A row that was dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Which input, from 0, in the order of [`ImportReport::files`].
    pub file: usize,
    /// The row, from 1.
    pub row: u64,
    /// What it says; long rows are cut.
    pub content: String,
}

impl Drops {
    /// Counts a row.
    pub fn count(&mut self, place: RowPlace, reason: Reason, example: &str) {
        self.count_all(place, reason, 1, example);
    }

    /// Counts rows that have one example.
    pub(super) fn count_all(&mut self, place: RowPlace, reason: Reason, rows: u64, example: &str) {
        let entry = self.0.entry(reason).or_insert_with(|| DropCount {
            reason: reason.name(),
            is_loss: reason.is_loss(),
            rows: 0,
            examples: Vec::new(),
        });
        entry.rows += rows;
        if entry.examples.len() < EXAMPLES {
            let content = match example.char_indices().nth(SHOWN) {
                Some((end, _)) => format!("{}...", &example[..end]),
                None => example.to_owned(),
            };
            entry.examples.push(Example { file: place.file, row: place.row, content });
        }
    }

    /// The reasons, by name.
    pub fn iter(&self) -> impl Iterator<Item = &DropCount> {
        self.0.values()
    }

    /// Hands over what was counted elsewhere.
    pub(super) fn hand_over(&self, sink: &mut dyn Sink) {
        for (reason, count) in &self.0 {
            let example = |i: u64| count.examples.get(usize::try_from(i).ok()?);
            for example in (0..count.rows).map_while(|i| example(i).or(count.examples.last())) {
                let place = RowPlace { file: example.file, row: example.row };
                sink.dropped(place, *reason, &example.content);
            }
        }
    }
}

/// What an input turned out to be.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shape {
    /// Rows or lines that it has, without column names.
    pub rows: u64,
    /// Which of its columns are read as what; none for formats without column names.
    pub mapping: Mapping,
    /// All its columns, as they are called where they are read: what a file begins with is not always
    /// a row of names.
    pub columns: Vec<String>,
    /// What its messages were of use for, where it has any.
    pub(super) messages: Option<MessageLog>,
    /// Width and height of the screen in pixels, where it tells them.
    pub(super) screen_px: Option<(f64, f64)>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InputReport {
    /// Its path, as given.
    pub path: String,
    /// What it was read as.
    pub format: &'static str,
    /// How that is known.
    pub format_reason: Phrase,
    /// Rows or lines under the column names.
    pub rows: u64,
    /// Which columns were read as what; empty for formats without column names.
    pub mapping: Mapping,
    /// Columns that were read as nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// Width and height of the screen in pixels, where they are known.
    #[serde(skip)]
    pub screen_px: Option<(f64, f64)>,
}

impl InputReport {
    /// A file of which nothing is known yet.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.display().to_string(),
            format: "",
            format_reason: Phrase::default(),
            rows: 0,
            mapping: Mapping::default(),
            ignored: Vec::new(),
            screen_px: None,
        }
    }
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportReport {
    /// Layout of this report.
    pub schema_version: u32,
    /// Version of gazeprint.
    pub gazeprint: &'static str,
    /// The inputs.
    pub files: Vec<InputReport>,
    /// Rows read from all of them.
    pub rows_read: u64,
    /// Fixations that went on.
    pub fixations_kept: u64,
    /// Words that went on.
    pub words_kept: u64,
    /// Words told again in the same way; counted once.
    pub words_repeated: u64,
    /// Rows that did not go on.
    pub dropped: Vec<DropCount>,
    /// What was decided, and why.
    pub decisions: Vec<Remark>,
    /// What looked wrong on the way; whoever shows the report says it with what else looks wrong.
    #[serde(skip)]
    pub warnings: Vec<Remark>,
    /// Readers found.
    pub readers: usize,
    /// Texts found.
    pub texts: usize,
    /// Whether words are known, so that the corpus can be scored.
    pub has_words: bool,
}

impl ImportReport {
    /// The same report, with these names for settings.
    #[must_use]
    pub fn naming(mut self, names: &SettingNames<'_>) -> Self {
        let remarks = self.decisions.iter_mut().chain(&mut self.warnings);
        remarks.for_each(|remark| remark.settle_names(names));
        for file in &mut self.files {
            file.format_reason.settle_names(names);
            file.mapping.0.iter_mut().for_each(|mapped| mapped.reason.settle_names(names));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_counted_and_three_are_shown() {
        let mut drops = Drops::default();
        for row in 1..=5 {
            drops.count(RowPlace { file: 0, row }, Reason::RAGGED, &"é".repeat(300));
        }
        let counts: Vec<&DropCount> = drops.iter().collect();
        assert_eq!((counts.len(), counts[0].rows, counts[0].examples.len()), (1, 5, 3));
        assert_eq!(counts[0].examples[0].content.chars().count(), SHOWN + 3);
    }
}
