//! Whose reading of what the rows of a samples table are.

use std::sync::Arc;

use super::super::values::is_missing;
use super::SamplesOptions;
use super::columns::Columns;
use crate::table::Row;

/// Whose reading of what a row belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ReadingNames {
    pub(super) reader: Arc<str>,
    pub(super) text: Arc<str>,
    pub(super) session: Option<Arc<str>>,
    pub(super) trial: Option<Arc<str>>,
}

impl ReadingNames {
    /// The names where no column tells, from options or else from the file's name.
    pub(super) fn new(options: &SamplesOptions, gazebase: Option<[Arc<str>; 3]>) -> Self {
        let [reader, session, task] = match gazebase {
            Some([reader, session, task]) => [Some(reader), Some(session), Some(task)],
            None => [None, None, None],
        };
        Self {
            // One reader may have many files: then the file's name is that of the text.
            text: options.page.clone().or(task).unwrap_or_else(|| match options.gaze.reader {
                Some(_) => options.stem.clone(),
                None => Arc::from("1"),
            }),
            reader: options.gaze.reader.clone().or(reader).unwrap_or_else(|| options.stem.clone()),
            session: options.gaze.session.clone().or(session),
            trial: None,
        }
    }

    /// Whether a row goes on with this reading.
    pub(super) fn are_of(&self, row: Row<'_>, columns: &Columns, default: &Self) -> bool {
        let is = |column: Option<usize>, name: Option<&Arc<str>>, default: Option<&Arc<str>>| {
            cell(row, column).or(default.map(AsRef::as_ref)) == name.map(AsRef::as_ref)
        };
        is(columns.reader, Some(&self.reader), Some(&default.reader))
            && is(text_column(columns), Some(&self.text), Some(&default.text))
            && is(columns.session, self.session.as_ref(), default.session.as_ref())
            && is(columns.trial, self.trial.as_ref(), default.trial.as_ref())
    }

    /// The names of a row.
    pub(super) fn with(&self, row: Row<'_>, columns: &Columns) -> Self {
        let name = |column: Option<usize>| cell(row, column).map(Arc::from);
        Self {
            reader: name(columns.reader).unwrap_or_else(|| self.reader.clone()),
            text: name(text_column(columns)).unwrap_or_else(|| self.text.clone()),
            session: name(columns.session).or_else(|| self.session.clone()),
            trial: name(columns.trial).or_else(|| self.trial.clone()),
        }
    }
}

/// Where there is no text, the trial stands for one.
fn text_column(columns: &Columns) -> Option<usize> {
    columns.text.or(columns.trial)
}

fn cell<'r>(row: Row<'r>, column: Option<usize>) -> Option<&'r str> {
    Some(row.cell(column?)).filter(|cell| !is_missing(cell))
}

/// Reader, session and task in the name of a file of GazeBase: `S_1023_S2_TEX` is round 1, reader
/// 023, session 2.
pub(super) fn gazebase_name(stem: &str) -> Option<[Arc<str>; 3]> {
    let mut parts = stem.splitn(4, '_');
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().filter(|part| *part == "S")?;
    let number = parts.next().filter(is_number)?;
    let session = parts.next()?.strip_prefix('S').filter(is_number)?;
    let task = parts.next().filter(|task| !task.is_empty())?;
    let (round, reader) = number.split_at_checked(1).filter(|(_, reader)| !reader.is_empty())?;
    Some([Arc::from(reader), Arc::from(format!("{round}-{session}")), Arc::from(task)])
}
