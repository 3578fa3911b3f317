//! Rows of a samples table, and what their cells say.

use std::io::BufRead;
use std::sync::Arc;

use csv::StringRecord;

use super::super::error::ImportError;
use super::super::lines::Lines;
use super::super::recording::RowPlace;
use super::SamplesOptions;
use super::columns::Columns;

/// What stands for a missing value.
const MISSING: [&str; 7] = ["", ".", "NA", "NaN", "nan", "null", "None"];

/// Beyond this no position is one.
const LARGEST: f64 = 1e7;

/// Cells of a row that are read at most.
const MOST_CELLS: usize = 4096;

/// Reads rows. A row is a line: no cell of a sample holds a line break, and a stray quotation mark
/// then costs one row and not the rest of the file.
pub(super) struct Rows<'i> {
    lines: Lines<'i>,
    delimiter: u8,
    header: StringRecord,
}

impl<'i> Rows<'i> {
    pub(super) fn new(
        input: &'i mut dyn BufRead,
        file: usize,
        delimiter: Option<u8>,
    ) -> Result<Self, ImportError> {
        let mut lines = Lines::new(input, file);
        loop {
            let Some((place, line)) = lines.next()? else {
                return Err(ImportError::refused(
                    lines.place(),
                    "an empty file",
                    "a row with the names of columns, then a row for each sample",
                    "check that it is the right file",
                ));
            };
            let line = line.trim_start_matches('\u{feff}');
            if line.trim().is_empty() {
                continue;
            }
            let delimiter = delimiter.unwrap_or_else(|| {
                *b"\t;,".iter().find(|mark| line.as_bytes().contains(mark)).unwrap_or(&b',')
            });
            let mut header = StringRecord::new();
            if !parse(line, delimiter, &mut header) {
                return Err(ImportError::refused(
                    place,
                    "a row that cannot be split into cells",
                    "the names of columns",
                    "check its quotation marks",
                ));
            }
            return Ok(Self { lines, delimiter, header });
        }
    }

    pub(super) fn header(&self) -> &StringRecord {
        &self.header
    }

    /// The place of the last row.
    pub(super) fn place(&self) -> RowPlace {
        self.lines.place()
    }

    /// Reads the next row that is not blank; one that cannot be split has no cells.
    pub(super) fn next(
        &mut self,
        record: &mut StringRecord,
    ) -> Result<Option<RowPlace>, ImportError> {
        while let Some((place, line)) = self.lines.next()? {
            if line.trim().is_empty() {
                continue;
            }
            if !parse(line, self.delimiter, record) {
                record.clear();
            }
            return Ok(Some(place));
        }
        Ok(None)
    }
}

/// Splits a line into cells.
fn parse(line: &str, delimiter: u8, record: &mut StringRecord) -> bool {
    record.clear();
    if !line.contains('"') {
        let mark = char::from(delimiter);
        line.split(mark).take(MOST_CELLS).for_each(|cell| record.push_field(cell));
        return true;
    }
    csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter)
        .from_reader(line.as_bytes())
        .read_record(record)
        .unwrap_or(false)
}

/// The position of a row, NaN where it is missing; `None` where cells are not what they should be.
pub(super) fn position(record: &StringRecord, x: usize, y: usize) -> Option<(f64, f64)> {
    let cell = record.get(x)?.trim();
    let (x, y) = if x == y {
        if MISSING.contains(&cell) {
            return Some((f64::NAN, f64::NAN));
        }
        // A list of more than two has both eyes, and does not say which to take.
        let inner = cell.strip_prefix('[')?.strip_suffix(']')?;
        let (x, y) = inner.split_once(',')?;
        (coordinate(x.trim())?, coordinate(y.trim())?)
    } else {
        (coordinate(cell)?, coordinate(record.get(y)?.trim())?)
    };
    Some(if x.is_nan() || y.is_nan() { (f64::NAN, f64::NAN) } else { (x, y) })
}

fn coordinate(cell: &str) -> Option<f64> {
    if MISSING.contains(&cell) {
        return Some(f64::NAN);
    }
    cell.parse().ok().filter(|value: &f64| value.abs() <= LARGEST)
}

/// Whose reading of what a row belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Names {
    pub(super) reader: Arc<str>,
    pub(super) text: Arc<str>,
    pub(super) session: Option<Arc<str>>,
    pub(super) trial: Option<Arc<str>>,
}

impl Names {
    /// The names where no column tells, from options or else from the file's name.
    pub(super) fn new(options: &SamplesOptions, gazebase: Option<[Arc<str>; 3]>) -> Self {
        let [reader, session, task] = match gazebase {
            Some([reader, session, task]) => [Some(reader), Some(session), Some(task)],
            None => [None, None, None],
        };
        Self {
            reader: options.reader.clone().or(reader).unwrap_or_else(|| options.stem.clone()),
            text: options.text.clone().or(task).unwrap_or_else(|| Arc::from("1")),
            session: options.session.clone().or(session),
            trial: None,
        }
    }

    /// Whether a row goes on with this reading.
    pub(super) fn are_of(&self, row: &StringRecord, columns: &Columns, default: &Self) -> bool {
        let is = |column: Option<usize>, name: Option<&Arc<str>>, default: Option<&Arc<str>>| {
            cell(row, column).or(default.map(AsRef::as_ref)) == name.map(AsRef::as_ref)
        };
        is(columns.reader, Some(&self.reader), Some(&default.reader))
            && is(text_column(columns), Some(&self.text), Some(&default.text))
            && is(columns.session, self.session.as_ref(), default.session.as_ref())
            && is(columns.trial, self.trial.as_ref(), default.trial.as_ref())
    }

    /// The names of a row.
    pub(super) fn with(&self, row: &StringRecord, columns: &Columns) -> Self {
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

fn cell(row: &StringRecord, column: Option<usize>) -> Option<&str> {
    Some(row.get(column?)?.trim()).filter(|cell| !MISSING.contains(cell))
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
