//! A delimited table with named columns.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord};

use crate::cell::Row;
use crate::encoding;
use crate::error::{Place, ReadError};
use crate::files::Kind;

/// The file of a table, in memory.
pub(crate) struct Table {
    pub(crate) file: PathBuf,
    kind: Kind,
    text: String,
    delimiter: u8,
    header: Vec<String>,
    header_start: usize,
}

/// A column that is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) index: usize,
}

/// Where a row starts: bytes from the start of the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowStart(pub(crate) usize);

impl Table {
    /// Reads a file and its column names.
    ///
    /// # Errors
    /// If it cannot be read, is not UTF-8, or has nothing in it.
    pub(crate) fn open(kind: Kind, file: PathBuf) -> Result<Self, ReadError> {
        let bytes =
            bytes(&file).map_err(|error| ReadError::Unreadable { path: file.clone(), error })?;
        let mut text = encoding::decode(&file, bytes)?;
        // The header shows the delimiter as well.
        take_declaration(&mut text);
        let start = text.trim_start();
        if start.is_empty() {
            return Err(kind.empty(file));
        }
        let by_extension = if file.extension().is_some_and(|e| e == "tsv") { b'\t' } else { b',' };
        let first_line = start.split(['\n', '\r']).next().unwrap_or_default();
        let delimiter = sniff(first_line, by_extension);
        let mut table = Self { file, kind, text, delimiter, header: Vec::new(), header_start: 0 };
        let mut rows = table.raw_rows();
        let Some((record, RowStart(header_start))) = rows.advance()? else {
            return Err(kind.empty(table.file));
        };
        table.check_breaks(record, RowStart(header_start))?;
        let header = record.iter().map(|name| name.trim().to_owned()).collect();
        table.header = header;
        table.header_start = header_start;
        Ok(table)
    }

    /// A column that the table must have.
    ///
    /// # Errors
    /// If it is not there, or there twice. All columns that are not there are named at once.
    pub(crate) fn required(&self, name: &'static str) -> Result<Column, ReadError> {
        self.optional(name)?.ok_or_else(|| {
            let columns = self.kind.lacking(&self.header);
            ReadError::MissingColumns {
                file: self.file.clone(),
                row: self.header_row(),
                remedy: self.kind.remedy(&self.header, &columns),
                columns,
                found: self.header.iter().map(|name| shown(name)).collect(),
            }
        })
    }

    /// Columns that may have been meant as optional ones: as found and as meant.
    pub(crate) fn misspelt(&self) -> Vec<(String, &'static str)> {
        self.kind.misspelt(&self.header)
    }

    /// A column that the table may have.
    ///
    /// # Errors
    /// If it is there twice.
    pub(crate) fn optional(&self, name: &'static str) -> Result<Option<Column>, ReadError> {
        let mut places =
            (0..self.header.len()).filter(|&i| self.header[i].eq_ignore_ascii_case(name));
        match (places.next(), places.next()) {
            (Some(first), Some(second)) => Err(ReadError::DuplicateColumn {
                file: self.file.clone(),
                row: self.header_row(),
                column: name,
                first: first + 1,
                second: second + 1,
            }),
            (index, _) => Ok(index.map(|index| Column { name, index })),
        }
    }

    /// The rows under the column names, one at a time.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn rows(&self) -> Result<Rows<'_>, ReadError> {
        let mut rows = self.raw_rows();
        rows.advance()?;
        if self.text.get(rows.offset()..).is_none_or(|rest| rest.trim().is_empty()) {
            return Err(ReadError::HeaderOnly {
                file: self.file.clone(),
                row: self.header_row(),
                content: self.kind.content(),
                remedy: self.kind.refill(),
            });
        }
        Ok(rows)
    }

    fn raw_rows(&self) -> Rows<'_> {
        // Rows of another length are reported with their place, here rather than by the parser.
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .from_reader(self.text.as_bytes());
        Rows { table: self, reader, record: StringRecord::new() }
    }

    /// The row's number as an editor shows it. Counts from the start of the file, which is fine
    /// for the one error that a reading ends with.
    pub(crate) fn row_number(&self, start: RowStart) -> usize {
        line_of(&self.text.as_bytes()[..start.0])
    }

    /// The row of the column names.
    pub(crate) fn header_row(&self) -> usize {
        self.row_number(RowStart(self.header_start))
    }

    /// A cell, for an error message.
    pub(crate) fn place(&self, start: RowStart, column: &str) -> Box<Place> {
        Box::new(Place {
            file: self.file.clone(),
            row: self.row_number(start),
            column: column.to_owned(),
        })
    }

    /// Checks that no cell runs over the end of its row. A stray quotation mark swallows rows, which
    /// must neither pass nor be taken for a matter of cell counts.
    fn check_breaks(&self, record: &StringRecord, start: RowStart) -> Result<(), ReadError> {
        let bytes = record.as_slice().as_bytes();
        if !bytes.contains(&b'\n') && !bytes.contains(&b'\r') {
            return Ok(());
        }
        let (index, cell) = record
            .iter()
            .enumerate()
            .find(|(_, cell)| cell.contains(['\n', '\r']))
            .unwrap_or_default();
        let number = format!("{}", index + 1);
        let column = self.header.get(index).unwrap_or(&number);
        Err(ReadError::LineBreak { at: self.place(start, column), found: shown(cell) })
    }

    fn ragged(&self, start: RowStart, found: usize) -> ReadError {
        ReadError::Ragged {
            file: self.file.clone(),
            row: self.row_number(start),
            found,
            expected: self.header.len(),
            delimiter: match self.delimiter {
                b'\t' => "tab",
                b';' => "semicolon",
                b'|' => "vertical bar",
                _ => "comma",
            },
        }
    }
}

/// What is in a file of text, or the text that a Parquet file stands for.
fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    #[cfg(feature = "columnar")]
    if file.extension().is_some_and(|extension| extension == "parquet") {
        return crate::columnar::parquet_text(file);
    }
    fs::read(file)
}

/// Goes through the rows of a table, with one buffer.
pub(crate) struct Rows<'t> {
    table: &'t Table,
    reader: csv::Reader<&'t [u8]>,
    record: StringRecord,
}

impl<'t> Rows<'t> {
    /// The next row.
    ///
    /// # Errors
    /// If it has another number of cells than the header, or a cell runs over its end.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>, ReadError> {
        let table = self.table;
        let Some((record, start)) = self.advance()? else { return Ok(None) };
        table.check_breaks(record, start)?;
        if record.len() != table.header.len() {
            return Err(table.ragged(start, record.len()));
        }
        Ok(Some(Row { table, record, start }))
    }

    fn advance(&mut self) -> Result<Option<(&StringRecord, RowStart)>, ReadError> {
        let from = self.offset();
        let more = self.reader.read_record(&mut self.record).map_err(|error| {
            ReadError::Unreadable { path: self.table.file.clone(), error: error.into() }
        })?;
        // The parser skips blank lines, and leaves the second half of a line end for later.
        let rest = &self.table.text.as_bytes()[from..];
        let skipped = rest.iter().take_while(|b| matches!(b, b'\n' | b'\r')).count();
        Ok(more.then_some((&self.record, RowStart(from + skipped))))
    }

    fn offset(&self) -> usize {
        usize::try_from(self.reader.position().byte())
            .unwrap_or(usize::MAX)
            .min(self.table.text.len())
    }
}

/// Number of the line that follows `before`, from 1; `\n`, `\r\n` and `\r` end a line.
pub(crate) fn line_of(before: &[u8]) -> usize {
    let ends = before
        .iter()
        .enumerate()
        .filter(|&(i, &b)| b == b'\n' || (b == b'\r' && before.get(i + 1) != Some(&b'\n')));
    1 + ends.count()
}

/// Takes away a first line such as `sep=;`, by which spreadsheets tell each other the delimiter. Its
/// line end stays, so that rows keep their numbers.
fn take_declaration(text: &mut String) {
    let first_line = text.split(['\n', '\r']).next().unwrap_or_default();
    if let [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', _] = first_line.as_bytes() {
        text.drain(..first_line.len());
    }
}

/// The delimiter of a header: the one expected, unless only another one occurs.
fn sniff(header: &str, expected: u8) -> u8 {
    [expected, b'\t', b';', b',', b'|']
        .into_iter()
        .find(|&d| header.as_bytes().contains(&d))
        .unwrap_or(expected)
}

/// A cell as a message shows it: long ones are cut.
pub(crate) fn shown(cell: &str) -> String {
    const LONGEST: usize = 40;
    match cell.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &cell[..end]),
        None => cell.to_owned(),
    }
}
