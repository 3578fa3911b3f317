//! Columns that say which fixations are to be used.

use crate::import::aliases::{ColumnRole, MARKS, Mapping, plain};
use crate::import::error::ImportError;
use crate::import::recording::{Reason, Sink};
use crate::import::setting::{Setting, phrase};
use crate::import::validity::{KnownMarks, Marks, Valid, mark};
use crate::import::values::{is_missing, number};
use crate::table::{Row, Rows};

/// A fixation that its table says is not to be used.
pub(super) const MARKED: Reason = Reason::aside("marked_invalid");

/// What columns are called that mark fixations that are not to be used.
const OF_BAD: [&str; 16] = [
    "excluded",
    "isexcluded",
    "exclude",
    "artifact",
    "isartifact",
    "artefact",
    "isartefact",
    "outlier",
    "isoutlier",
    "discarded",
    "isdiscarded",
    "rejected",
    "isrejected",
    "invalid",
    "isinvalid",
    "isbad",
];

/// What trackers call theirs: what has no mark there is no fixation at all.
const OF_TRACKERS: [&str; 2] = ["fpogv", "onsurf"];

/// Columns that makers mark in one way, and others in another.
const OF_EITHER: [&str; 1] = ["validity"];

/// The columns of marks, and how many fixations they leave out.
#[derive(Debug, Default)]
pub(super) struct MarkColumns {
    columns: Vec<MarkColumn>,
    comma: bool,
    seen: u64,
    left_out: u64,
}

#[derive(Debug)]
struct MarkColumn {
    index: usize,
    name: String,
    means: Means,
    /// What each mark would leave.
    marks: Marks,
    is_of_tracker: bool,
}

/// Which marks are those of fixations to be used.
#[derive(Debug)]
enum Means {
    /// All but 0 and False.
    True,
    /// 0 and False.
    False,
    /// This one.
    Valid(Valid),
}

/// Takes all columns that are known to mark fixations, where none was chosen.
pub(super) fn gather(mapping: &mut Mapping, header: &[String]) {
    if mapping.get(ColumnRole::Validity).is_none_or(|mapped| mapped.is_chosen) {
        return;
    }
    let all: Vec<usize> = (0..header.len()).filter(|&at| is_known(&plain(&header[at]))).collect();
    if all.len() > 1 {
        mapping.replace(ColumnRole::Validity, header, &all, "each marks fixations, by its name");
    }
}

/// Whether a column is known to mark fixations, by its plain name.
fn is_known(name: &str) -> bool {
    MARKS.iter().any(|known| plain(known) == name)
}

impl MarkColumns {
    /// Decides by names, or by the first rows; `given` is the mark of good fixations, where that is said.
    pub(super) fn decide(
        rows: &mut Rows<'_>,
        mapping: &Mapping,
        given: Option<f64>,
        comma: bool,
        sink: &mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let Some(mapped) = mapping.get(ColumnRole::Validity) else { return Ok(Self::default()) };
        let x = mapping.index(ColumnRole::X);
        let mut found = Self { comma, ..Self::default() };
        for index in mapped.indices() {
            let mut cells: Vec<(String, bool)> = Vec::new();
            rows.sample(|row| {
                let cell = row.cell(index);
                if !is_missing(cell) {
                    let is_placed = x.is_some_and(|x| number(row.cell(x), true).is_some());
                    cells.push((cell.to_owned(), is_placed));
                }
            })?;
            let name = rows.header[index].clone();
            let Some(means) = Means::of(rows.header_row, &name, &cells, given, comma) else {
                sink.note(format!(
                    "{name} does not mark fixations: it has numbers or words of too many kinds"
                ));
                continue;
            };
            let is_of_tracker = OF_TRACKERS.contains(&plain(&name).as_str());
            if !is_of_tracker {
                sink.note(means.describe(&name));
            }
            let marks = Marks::default();
            found.columns.push(MarkColumn { index, name, means, marks, is_of_tracker });
        }
        Ok(found)
    }

    /// Whether a tracker says that a row is no fixation.
    pub(super) fn is_no_fixation(&self, row: Row<'_>) -> bool {
        let mut columns = self.columns.iter().filter(|column| column.is_of_tracker);
        columns.any(|column| !column.means.is_good(row.cell(column.index), self.comma))
    }

    /// Whether a fixation is to be used.
    pub(super) fn allow(&mut self, row: Row<'_>, is_placed: bool) -> bool {
        let mut is_good = true;
        for column in self.columns.iter_mut().filter(|column| !column.is_of_tracker) {
            let cell = row.cell(column.index);
            if let Some(mark) = mark(cell, self.comma) {
                column.marks.see(mark, is_placed);
            }
            is_good &= column.means.is_good(cell, self.comma);
        }
        self.seen += 1;
        self.left_out += u64::from(!is_good);
        is_good
    }

    /// Warns where other marks would leave more.
    pub(super) fn warn(&self, sink: &mut dyn Sink) {
        let Self { seen, left_out, .. } = self;
        if 2 * left_out <= *seen || self.is_given() {
            return;
        }
        for MarkColumn { name, means, marks, .. } in
            self.columns.iter().filter(|column| !column.is_of_tracker)
        {
            let mine = means.mark();
            let Some(better) = marks.better(mine) else { continue };
            sink.warn(phrase![
                format!(
                    "{left_out} of {seen} fixations are left out since {name} marks them so; fixations by \
                     mark: {}; if good ones have {better}, say so with ",
                    marks.describe()
                ),
                Setting::Valid,
                format!(" {better}, and if not, with "),
                Setting::Valid,
                format!(" {mine}"),
            ]);
        }
    }

    fn is_given(&self) -> bool {
        let is_given =
            |column: &MarkColumn| matches!(&column.means, Means::Valid(valid) if valid.is_given);
        self.columns.iter().any(is_given)
    }
}

impl Means {
    /// What the marks of a column mean; `None` where it has none.
    fn of(
        row: u64,
        name: &str,
        cells: &[(String, bool)],
        given: Option<f64>,
        comma: bool,
    ) -> Option<Self> {
        let plain = plain(name);
        let marks = || cells.iter().map(|(cell, is_placed)| Some((mark(cell, comma)?, *is_placed)));
        let is_binary =
            marks().all(|found| found.is_some_and(|(mark, _)| mark == 0.0 || mark == 1.0));
        let is_of_bad = OF_BAD.contains(&plain.as_str());
        if given.is_none() && is_binary {
            if is_of_bad {
                return Some(Self::False);
            }
            if is_known(&plain) && !OF_EITHER.contains(&plain.as_str()) {
                return Some(Self::True);
            }
        }
        // Why a fixation is not to be used may stand there in words.
        if given.is_none() && is_of_bad && marks().all(|found| found.is_none()) {
            return Some(Self::False);
        }
        let marks: Option<Vec<(f64, bool)>> = marks().collect();
        let known = KnownMarks { given, documented: None };
        known.decide(row, name, marks?.into_iter()).ok().flatten().map(Self::Valid)
    }

    fn is_good(&self, cell: &str, comma: bool) -> bool {
        match self {
            _ if is_missing(cell) => true,
            Self::True => mark(cell, comma) != Some(0.0),
            Self::False => mark(cell, comma) == Some(0.0),
            Self::Valid(valid) => mark(cell, comma) == Some(valid.mark),
        }
    }

    /// The mark of fixations to be used.
    fn mark(&self) -> f64 {
        match self {
            Self::True => 1.0,
            Self::False => 0.0,
            Self::Valid(valid) => valid.mark,
        }
    }

    fn describe(&self, name: &str) -> String {
        match self {
            Self::True => format!("fixations are left out where {name} is 0 or False, by its name"),
            Self::False => {
                format!(
                    "fixations are left out where {name} is anything but 0 or False, by its name"
                )
            }
            Self::Valid(Valid { mark, reason, .. }) => {
                format!("fixations are left out where {name} is anything but {mark}: {reason}")
            }
        }
    }
}
