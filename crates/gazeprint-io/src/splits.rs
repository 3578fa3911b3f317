//! Tables of splits: which readings train and which test, so that other methods can be run on the
//! same divisions of a corpus, and ours on theirs.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::Path;

use gazeprint::assignment::{Assignment, Role};

use crate::cell::{CorpusRow, FILL, Whole};
use crate::corpus_table::{Column, CorpusTable, Heading};
use crate::error::{ReadError, WriteError};
use crate::files::Kind;
use crate::private;
use crate::table::shown;
use crate::write::check_name;

/// The columns as they are written.
const COLUMNS: [&str; 6] = ["split", "reader", "text", "session", "trial", "role"];
const ROLE: &str = "train or test";

/// Number of a split: 0 is none.
struct SplitNumber(u32);

impl TryFrom<i128> for SplitNumber {
    type Error = ();

    fn try_from(number: i128) -> Result<Self, ()> {
        u32::try_from(number).ok().filter(|&n| n > 0).map(Self).ok_or(())
    }
}

impl Whole for SplitNumber {
    const LIMITS: &'static str = "it must be from 1 to 4294967295; correct the cell";
}

/// Reads a table with the columns `split, reader, text, session?, trial?, role`, in the order of its
/// rows. It may be delimited and written in every way that the tables of a corpus may. The role is
/// `train` or `test`, in any case. Without the column `session` or `trial`, or with an empty cell,
/// a row means all sessions or trials.
///
/// # Errors
/// If the file cannot be read, has no rows, lacks a column, has a split or role that is none, or
/// two rows of one split mean the same reading; see [`ReadError`].
pub fn read_splits(file: &Path) -> Result<Vec<Assignment>, ReadError> {
    assignments(CorpusTable::open(Kind::Splits, file.to_owned())?)
}

/// As [`read_splits`], from a frame. Errors count its rows from 0.
///
/// # Errors
/// As there, and if a column has a type that it cannot be read from.
#[cfg(feature = "columnar")]
pub fn read_splits_frame(frame: crate::Rows) -> Result<Vec<Assignment>, ReadError> {
    assignments(CorpusTable::from_frame(Kind::Splits, frame)?)
}

fn assignments(mut table: CorpusTable) -> Result<Vec<Assignment>, ReadError> {
    let split = table.required("split")?;
    let reader = table.required("reader")?;
    let text = table.required("text")?;
    let role = table.required("role")?;
    let session = table.optional("session")?;
    let trial = table.optional("trial")?;

    let mut assignments = Vec::new();
    let mut rows = Vec::new();
    while let Some(row) = table.next()? {
        let SplitNumber(split) =
            row.required_whole(split, "a whole number from 1, the number of the split")?;
        let optional = |column: Option<Column>| Some(row.cell(column?)?.to_owned());
        assignments.push(Assignment {
            split,
            reader: row.name(reader)?.to_owned(),
            text: row.name(text)?.to_owned(),
            session: optional(session),
            trial: optional(trial),
            role: read_role(&row, role)?,
        });
        rows.push(row.number_in_file());
    }
    table.refuse_guess()?;
    check_once(&table.heading, text, &assignments, &rows)?;
    Ok(assignments)
}

fn read_role(row: &CorpusRow<'_>, column: Column) -> Result<Role, ReadError> {
    let cell = row.cell(column).ok_or_else(|| row.missing(column, ROLE, FILL))?;
    Role::ALL
        .into_iter()
        .find(|role| cell.eq_ignore_ascii_case(role.name()))
        .ok_or_else(|| row.wrong(column, ROLE, "correct the cell"))
}

/// Checks that no reading is in a split twice: it would count double, or both train and test.
fn check_once(
    heading: &Heading,
    column: Column,
    assignments: &[Assignment],
    rows: &[u64],
) -> Result<(), ReadError> {
    let mut seen: HashMap<(u32, &str, &str), Vec<usize>> = HashMap::new();
    for (i, new) in assignments.iter().enumerate() {
        let earlier = seen.entry((new.split, &new.reader, &new.text)).or_default();
        if let Some(&first) = earlier.iter().find(|&&e| assignments[e].meets(new)) {
            return Err(ReadError::DuplicateAssignment {
                at: heading.place(rows[i], column.name),
                first: rows[first],
                split: new.split,
                reader: shown(&new.reader),
                text: shown(&new.text),
            });
        }
        earlier.push(i);
    }
    Ok(())
}

/// Writes a table of splits as CSV, row by row, so that [`read_splits`] gives it back exactly. A
/// file that is there gives way once the new one is complete. No two rows of a split may mean the
/// same reading.
///
/// # Errors
/// If there are no rows, a name cannot be written, a split is 0, or the file cannot be written.
pub fn write_splits(
    assignments: impl IntoIterator<Item: Borrow<Assignment>>,
    file: &Path,
) -> Result<(), WriteError> {
    let partial = file.with_extension("csv.partial");
    let unwritable = |path: &Path, error| WriteError::Unwritable { path: path.to_owned(), error };
    let out = private::create(&partial).map_err(|error| unwritable(&partial, error))?;
    let mut table = csv::Writer::from_writer(out);
    write_rows(&mut table, assignments, |error| unwritable(&partial, error))
        .and_then(|()| table.flush().map_err(|error| unwritable(&partial, error)))
        .and_then(|()| fs::rename(&partial, file).map_err(|error| unwritable(file, error)))
        .inspect_err(|_| {
            // The error that matters is the one at hand.
            let _ = fs::remove_file(&partial);
        })
}

fn write_rows(
    table: &mut csv::Writer<File>,
    assignments: impl IntoIterator<Item: Borrow<Assignment>>,
    unwritable: impl Fn(std::io::Error) -> WriteError,
) -> Result<(), WriteError> {
    let mut is_empty = true;
    table.write_record(COLUMNS).map_err(|e| unwritable(e.into()))?;
    for assignment in assignments {
        let row: &Assignment = assignment.borrow();
        check(row)?;
        is_empty = false;
        let cells = [
            &row.split.to_string(),
            row.reader.as_str(),
            &row.text,
            row.session.as_deref().unwrap_or_default(),
            row.trial.as_deref().unwrap_or_default(),
            row.role.name(),
        ];
        table.write_record(cells).map_err(|e| unwritable(e.into()))?;
    }
    if is_empty {
        return Err(WriteError::Unrepresentable {
            what: "a table of splits".to_owned(),
            why: "it has no rows",
            remedy: "write splits in which some readings train and some test",
        });
    }
    Ok(())
}

/// Checks that a row would be read back as it is.
fn check(row: &Assignment) -> Result<(), WriteError> {
    check_name("reader", &row.reader)?;
    check_name("text", &row.text)?;
    row.session.iter().try_for_each(|session| check_name("session", session))?;
    row.trial.iter().try_for_each(|trial| check_name("trial", trial))?;
    if row.split == 0 {
        return Err(WriteError::Unrepresentable {
            what: format!("split 0 of reader {:?}", row.reader),
            why: "splits are numbered from 1",
            remedy: "number them from 1",
        });
    }
    Ok(())
}
