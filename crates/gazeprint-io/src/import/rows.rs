//! Rows of a report, one at a time, each of bounded size.
//!
//! Cells stay bytes until they are asked for: a report has dozens of columns, and few are used.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use csv::ByteRecord;

use super::error::{At, ImportError};

/// The most bytes that a row or line may have.
pub(crate) const LONGEST: usize = 1 << 20;

/// What the csv crate reads ahead, and a row may thus seem longer than it is.
const AHEAD: usize = 1 << 16;

/// Hands bytes on, until more were read for one row than a row may have.
struct Guard<'i> {
    input: &'i mut dyn BufRead,
    left: Rc<Cell<Option<usize>>>,
}

impl Read for Guard<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.left.get().and_then(|left| left.checked_sub(read));
        self.left.set(left);
        if left.is_none() { Err(io::Error::other("a row without an end")) } else { Ok(read) }
    }
}

/// A report with a header.
pub(crate) struct Rows<'i> {
    reader: csv::Reader<Guard<'i>>,
    left: Rc<Cell<Option<usize>>>,
    header: Vec<String>,
    record: ByteRecord,
    quoted: bool,
    delimiter: u8,
}

impl<'i> Rows<'i> {
    /// Reads the header.
    pub(crate) fn open(input: &'i mut dyn BufRead, delimiter: u8) -> Result<Self, ImportError> {
        let left = Rc::new(Cell::new(Some(LONGEST + AHEAD)));
        // No cell of a tab-separated report holds a tab, but some hold a single quotation mark: the
        // label of a character. Quotation marks are then taken off by hand.
        let quoted = delimiter != b'\t';
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .quoting(quoted)
            .flexible(true)
            .has_headers(false)
            .buffer_capacity(AHEAD)
            .from_reader(Guard { input, left: Rc::clone(&left) });
        let record = ByteRecord::new();
        let mut rows = Self { reader, left, header: Vec::new(), record, quoted, delimiter };
        if !rows.advance()? {
            return Err(ImportError::Empty { at: At::row(1), expected: "a row of column names" });
        }
        let names = (0..rows.record.len()).map(|column| rows.text(column).map(str::to_owned));
        rows.header = names.collect::<Result<_, _>>()?;
        if let Some(first) = rows.header.first_mut() {
            let name = first.trim_start_matches('\u{feff}');
            *first = name.trim_matches('"').to_owned();
        }
        Ok(rows)
    }

    /// The names of the columns.
    pub(crate) fn header(&self) -> &[String] {
        &self.header
    }

    /// Goes to the next row, `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, ImportError> {
        self.left.set(Some(LONGEST + AHEAD));
        let next = self.reader.position().line();
        match self.reader.read_byte_record(&mut self.record) {
            Err(_) if self.left.get().is_none() => {
                Err(ImportError::LongLine { at: At::row(next), limit: LONGEST })
            }
            Err(error) => {
                let error = io::Error::other(error);
                Err(ImportError::Unreadable { at: At::row(next), error })
            }
            Ok(true) if self.quoted && self.record.as_slice().contains(&b'\n') => {
                Err(ImportError::Value {
                    at: At::row(self.row()),
                    found: "a line break in a cell".into(),
                    expected: "one row a line".into(),
                    remedy: "look for a quotation mark without its partner".into(),
                })
            }
            Ok(more) => Ok(more),
        }
    }

    /// The line of the row, from 1.
    pub(crate) fn row(&self) -> u64 {
        self.record.position().map_or(1, csv::Position::line)
    }

    /// How many cells the row has.
    pub(crate) fn len(&self) -> usize {
        self.record.len()
    }

    /// A cell, without blanks and quotation marks around it.
    pub(crate) fn text(&self, column: usize) -> Result<&str, ImportError> {
        let mut cell = self.record.get(column).unwrap_or_default().trim_ascii();
        if !self.quoted && cell.len() > 1 {
            let inner = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\""));
            cell = inner.unwrap_or(cell);
        }
        std::str::from_utf8(cell).map_err(|_| ImportError::Value {
            at: self.at(column),
            found: format!("the bytes {:?}", String::from_utf8_lossy(cell)),
            expected: "text in UTF-8".into(),
            remedy: "save the file as UTF-8".into(),
        })
    }

    /// A cell, `None` where its value is missing.
    pub(crate) fn cell(&self, column: usize) -> Result<Option<&str>, ImportError> {
        Ok(Some(self.text(column)?).filter(|cell| !is_missing(cell)))
    }

    /// A finite number with a decimal point or comma; `Err` of the cell where it is something else.
    pub(crate) fn number(&self, column: Option<usize>) -> Result<Number<'_>, ImportError> {
        let Some(column) = column else { return Ok(Ok(None)) };
        let Some(cell) = self.cell(column)? else { return Ok(Ok(None)) };
        Ok(number(cell).map(Some).ok_or(cell))
    }

    /// The row as it may be shown.
    pub(crate) fn shown(&self) -> String {
        let delimiter = char::from(self.delimiter).to_string();
        let cells: Vec<_> = self.record.iter().map(String::from_utf8_lossy).collect();
        cells.join(&delimiter).chars().take(200).collect()
    }

    /// The place of a cell.
    pub(crate) fn at(&self, column: usize) -> Box<At> {
        match self.header.get(column) {
            Some(name) => At::cell(self.row(), name.as_str()),
            None => At::row(self.row()),
        }
    }
}

/// What a cell says that should hold a number.
pub(crate) type Number<'r> = Result<Option<f64>, &'r str>;

/// A finite number with a decimal point or comma.
pub(crate) fn number(cell: &str) -> Option<f64> {
    let parsed = cell.parse::<f64>().or_else(|error| match cell.matches(',').count() {
        1 => cell.replace(',', ".").parse(),
        _ => Err(error),
    });
    parsed.ok().filter(|number| number.is_finite())
}

/// Whether a cell stands for a missing value.
pub(crate) fn is_missing(cell: &str) -> bool {
    matches!(cell, "" | "." | "NA" | "NaN" | "nan" | "UNDEFINEDnull" | "UNDEFINED" | "null")
}

/// The next line of a text without its end; `None` at the end. Lines are bounded.
pub(crate) fn next_line(
    input: &mut dyn BufRead,
    line: &mut String,
    row: u64,
) -> Result<bool, ImportError> {
    line.clear();
    let mut bytes = std::mem::take(line).into_bytes();
    let limit = LONGEST as u64 + 1;
    let read = input.take(limit).read_until(b'\n', &mut bytes);
    let read = read.map_err(|error| ImportError::Unreadable { at: At::row(row), error })?;
    if read > LONGEST {
        return Err(ImportError::LongLine { at: At::row(row), limit: LONGEST });
    }
    while bytes.last().is_some_and(|&byte| byte == b'\n' || byte == b'\r') {
        bytes.pop();
    }
    *line = String::from_utf8(bytes).map_err(|error| ImportError::Value {
        at: At::row(row),
        found: format!("bytes that are no text: {error}"),
        expected: "text in UTF-8".into(),
        remedy: "save the file as UTF-8".into(),
    })?;
    Ok(read > 0)
}
