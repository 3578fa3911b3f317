//! A table of a corpus: its file, its columns, and its rows, one after the other.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use crate::cell::CorpusRow;
use crate::error::{Place, ReadError};
use crate::files::Kind;
use crate::table::{Fault, Rows, Source, shown};

/// The row of a text with column names that is the first of the table.
#[cfg(feature = "columnar")]
const FIRST_ROW: u64 = 2;

/// A table that is being read.
pub(crate) struct CorpusTable {
    pub(crate) heading: Heading,
    rows: Rows<'static>,
    is_empty: bool,
}

/// A column that is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) index: usize,
}

/// What a table is called, and its columns.
pub(crate) struct Heading {
    pub(crate) file: PathBuf,
    pub(crate) kind: Kind,
    /// The row of the column names.
    pub(crate) row: u64,
    /// Rows that are not counted: those of a frame are numbered from 0, under its column names.
    uncounted: u64,
    names: Vec<String>,
}

impl CorpusTable {
    /// Opens a file and reads its column names.
    ///
    /// # Errors
    /// If it cannot be read, is no text, or has nothing in it.
    pub(crate) fn open(kind: Kind, file: PathBuf) -> Result<Self, ReadError> {
        let input = File::open(&file)
            .map_err(|error| ReadError::Unreadable { path: file.clone(), error })?;
        Self::new(kind, file.clone(), 0, Source::decide(Box::new(input), Some(&file)))
    }

    /// As [`CorpusTable::open`], of what is read from anywhere; errors call it `name`.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn from_reader(
        kind: Kind,
        name: &str,
        input: impl Read + 'static,
    ) -> Result<Self, ReadError> {
        Self::new(kind, PathBuf::from(name), 0, Source::decide(Box::new(input), None))
    }

    /// As [`CorpusTable::open`], of a frame, whose rows are counted from 0.
    ///
    /// # Errors
    /// As there, and if a column that is read has a type that it cannot be read from.
    #[cfg(feature = "columnar")]
    pub(crate) fn from_frame(kind: Kind, frame: crate::columnar::Rows) -> Result<Self, ReadError> {
        let name = PathBuf::from(kind.name());
        let wrong = |(column, found)| ReadError::ColumnType { file: name.clone(), column, found };
        crate::columnar::check(kind, &frame).map_or(Ok(()), |found| Err(wrong(found)))?;
        let text = Box::new(crate::columnar::frame_text(frame));
        Self::new(kind, name, FIRST_ROW, Source::decide(text, None))
    }

    fn new(
        kind: Kind,
        file: PathBuf,
        uncounted: u64,
        source: Result<Source<'static>, Fault>,
    ) -> Result<Self, ReadError> {
        let mut heading = Heading { file, kind, row: 1, uncounted, names: Vec::new() };
        let rows = source.and_then(|source| Rows::strict(source, kind.content()));
        let rows = rows.map_err(|fault| heading.fault(fault))?;
        heading.row = heading.counted(rows.header_row);
        heading.names.clone_from(&rows.header);
        Ok(Self { heading, rows, is_empty: true })
    }

    /// A column that the table must have.
    ///
    /// # Errors
    /// If it is not there, or there twice. All columns that are not there are named at once.
    pub(crate) fn required(&self, name: &'static str) -> Result<Column, ReadError> {
        let Heading { file, kind, row, names, .. } = &self.heading;
        self.optional(name)?.ok_or_else(|| {
            let columns = kind.lacking(names);
            ReadError::MissingColumns {
                file: file.clone(),
                row: *row,
                remedy: kind.remedy(names, &columns),
                columns,
                found: names.iter().map(|name| shown(name)).collect(),
            }
        })
    }

    /// A column that the table may have.
    ///
    /// # Errors
    /// If it is there twice.
    pub(crate) fn optional(&self, name: &'static str) -> Result<Option<Column>, ReadError> {
        let Heading { file, row, names, .. } = &self.heading;
        let mut places = (0..names.len()).filter(|&i| names[i].eq_ignore_ascii_case(name));
        match (places.next(), places.next()) {
            (Some(first), Some(second)) => Err(ReadError::DuplicateColumn {
                file: file.clone(),
                row: *row,
                column: name,
                first: first + 1,
                second: second + 1,
            }),
            (index, _) => Ok(index.map(|index| Column { name, index })),
        }
    }

    /// The next row.
    ///
    /// # Errors
    /// If it has another number of cells than there are columns, a cell runs over its end, or there
    /// is no row at all.
    pub(crate) fn next(&mut self) -> Result<Option<CorpusRow<'_>>, ReadError> {
        let Self { heading, rows, is_empty } = self;
        let delimiter = rows.delimiter();
        let Some(mut row) = rows.next().map_err(|fault| heading.fault(fault))? else {
            return if *is_empty { Err(heading.without_rows()) } else { Ok(None) };
        };
        *is_empty = false;
        row.number = heading.counted(row.number);
        if row.len() != heading.names.len() {
            return Err(ReadError::Ragged {
                file: heading.file.clone(),
                row: row.number,
                found: row.len(),
                expected: heading.names.len(),
                delimiter,
            });
        }
        Ok(Some(CorpusRow { heading, row }))
    }

    /// Refuses what was guessed about the text, for those who cannot pass it on.
    ///
    /// # Errors
    /// If the encoding is a guess.
    pub(crate) fn refuse_guess(&self) -> Result<(), ReadError> {
        match self.doubt() {
            None => Ok(()),
            Some(guess) => Err(ReadError::GuessedEncoding {
                file: self.heading.file.clone(),
                guess: guess.to_owned(),
            }),
        }
    }

    /// What was guessed about the text, and may be wrong.
    pub(crate) fn doubt(&self) -> Option<&str> {
        self.rows.doubt()
    }
}

impl Heading {
    /// Columns that may have been meant as optional ones: as found and as meant.
    pub(crate) fn misspelt(&self) -> Vec<(String, &'static str)> {
        self.kind.misspelt(&self.names)
    }

    /// The name of the file, without its folders.
    pub(crate) fn file_name(&self) -> String {
        let name = self.file.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// A cell, for an error message.
    pub(crate) fn place(&self, row: u64, column: &str) -> Box<Place> {
        Box::new(Place { file: self.file.clone(), row, column: column.to_owned() })
    }

    fn without_rows(&self) -> ReadError {
        ReadError::HeaderOnly {
            file: self.file.clone(),
            row: self.row,
            content: self.kind.content(),
            remedy: if self.uncounted > 0 { "give a frame with rows" } else { self.kind.refill() },
        }
    }

    /// The number of a row of the text.
    fn counted(&self, row: u64) -> u64 {
        row.saturating_sub(self.uncounted)
    }

    /// The error about what is no table.
    fn fault(&self, fault: Fault) -> ReadError {
        let file = self.file.clone();
        match fault {
            Fault::Unreadable { error, .. } if self.uncounted > 0 => {
                ReadError::Frame { table: self.kind.name(), error }
            }
            Fault::Unreadable { error, .. } => ReadError::Unreadable { path: file, error },
            Fault::Encoding { row, found, encoding } => {
                let row = self.counted(row);
                ReadError::Encoding { file, row, found, encoding }
            }
            Fault::Foreign { found, expected, remedy } => {
                ReadError::NotATable { file, found, expected, remedy }
            }
            Fault::LongLine { row, limit } => {
                ReadError::LongLine { file, row: self.counted(row), limit }
            }
            Fault::Empty { .. } => self.kind.empty(file),
            Fault::OpenQuote { row, column, found } => {
                let number = (column + 1).to_string();
                let name = self.names.get(column).unwrap_or(&number);
                ReadError::LineBreak { at: self.place(self.counted(row), name), found }
            }
        }
    }
}
