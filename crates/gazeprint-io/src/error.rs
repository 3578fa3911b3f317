//! What can be wrong with the files of a corpus, and with tables of splits.
//!
//! Every message names the file, the row and the column, says what was found and what was
//! expected, and ends with how to go on. A message is complete: errors of the system are part of
//! it, and no further sources are chained behind it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use gazeprint::corpus::CorpusError;
use thiserror::Error;

use crate::built_in::BuiltIn;
use crate::columns::listed;

/// A cell of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The row, counted from 1 as an editor does.
    pub row: u64,
    /// The column's name.
    pub column: String,
}

impl ReadError {
    /// The cell that the error is about, if it is about one: its table, its row and its column.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::LineBreak { at, .. }
            | Self::MissingValue { at, .. }
            | Self::Value { at, .. }
            | Self::DuplicateWord { at, .. }
            | Self::EmptyWord { at, .. }
            | Self::OverlappingWords { at, .. }
            | Self::UnknownText { at, .. }
            | Self::DuplicateFixation { at, .. }
            | Self::Contradiction { at, .. }
            | Self::DuplicateAssignment { at, .. } => Some(at),
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, row {}, column {}", self.file.display(), self.row, self.column)
    }
}

/// Why a corpus, or a table of splits, could not be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No such folder.
    #[error(
        "{} does not exist; expected a folder with the tables fixations.csv and words.csv, or a \
         built-in corpus ({}); check the path", .folder.display(),
        BuiltIn::ALL.map(BuiltIn::name).join(", ")
    )]
    NoFolder {
        /// The path given.
        folder: PathBuf,
    },
    /// Something else than a folder.
    #[error(
        "{} is not a folder; expected a folder with the tables fixations.csv and words.csv; \
         give the folder that holds them", .path.display()
    )]
    NotAFolder {
        /// The path given.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{} cannot be read: {error}; check that it is a file you may read", .path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A table that every corpus needs is not there.
    #[error(
        "{} has no {table}.csv or {table}.tsv; {needed_for}; add the file, with the columns \
         {columns}", .folder.display()
    )]
    MissingTable {
        /// The corpus folder.
        folder: PathBuf,
        /// The table's name.
        table: &'static str,
        /// Why the table is needed.
        needed_for: &'static str,
        /// The columns it must have.
        columns: &'static str,
    },
    /// One table in several formats.
    #[error(
        "{} has both {first} and {second}, and which one counts is not clear; remove or rename \
         one of them", .folder.display()
    )]
    AmbiguousTable {
        /// The corpus folder.
        folder: PathBuf,
        /// One file's name.
        first: String,
        /// The other file's name.
        second: String,
    },
    /// A file of another kind, or of one that this build does not read.
    #[error("{}: found {found}, expected {expected}; {remedy}", .file.display())]
    NotATable {
        /// The file.
        file: PathBuf,
        /// What it is.
        found: &'static str,
        /// What it should be.
        expected: &'static str,
        /// What to do.
        remedy: String,
    },
    /// A file without content.
    #[error(
        "{} is empty; expected a row of column names, then one row each {content}; {remedy}",
        .file.display()
    )]
    EmptyFile {
        /// The file.
        file: PathBuf,
        /// What its rows stand for.
        content: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A file with column names and nothing else.
    #[error(
        "{} ends after the column names in row {row}; expected one row each {content}; {remedy}",
        .file.display()
    )]
    HeaderOnly {
        /// The file.
        file: PathBuf,
        /// The row of the column names.
        row: u64,
        /// What its rows stand for.
        content: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Bytes that are no text in the encoding of the file.
    #[error(
        "{}, row {row}: found {found}, expected text in {encoding}; export the table as CSV in \
         UTF-8, or check that this is the right file", .file.display()
    )]
    Encoding {
        /// The file.
        file: PathBuf,
        /// The row.
        row: u64,
        /// What stands there.
        found: String,
        /// The encoding that the start of the file has.
        encoding: &'static str,
    },
    /// Text in an encoding that could only be guessed, where nobody would hear of the guess.
    #[error("{}: {guess}, expected UTF-8; save it as UTF-8", .file.display())]
    GuessedEncoding {
        /// The file.
        file: PathBuf,
        /// What it seems to be, and why.
        guess: String,
    },
    /// A line without an end.
    #[error(
        "{}, row {row}: found more than {limit} bytes in a line, expected a row of a table; check \
         that this is the right file", .file.display()
    )]
    LongLine {
        /// The file.
        file: PathBuf,
        /// The row.
        row: u64,
        /// The most bytes that a line may have.
        limit: usize,
    },
    /// Columns that the table needs are not there.
    #[error(
        "{}, row {row}: found the columns {}, expected also {}; {remedy}",
        .file.display(), .found.join(", "), listed(.columns)
    )]
    MissingColumns {
        /// The file.
        file: PathBuf,
        /// The row of the column names.
        row: u64,
        /// The missing columns.
        columns: Vec<&'static str>,
        /// The columns that are there.
        found: Vec<String>,
        /// What to do: rename columns with similar names, or add some.
        remedy: String,
    },
    /// Fixations do not say on which of several lines they are.
    #[error(
        "{}, row {row}: found no column line, but text {text:?} has {lines} lines; add the column \
         line, the number that the line has in the table of words", .file.display()
    )]
    LineNeeded {
        /// The file of fixations.
        file: PathBuf,
        /// The row of the column names.
        row: u64,
        /// A text with several lines.
        text: String,
        /// How many.
        lines: usize,
    },
    /// A column occurs twice.
    #[error(
        "{}, row {row}: found {column} as columns {first} and {second}, expected it once; rename \
         or remove one of them", .file.display()
    )]
    DuplicateColumn {
        /// The file.
        file: PathBuf,
        /// The row of the column names.
        row: u64,
        /// The column.
        column: &'static str,
        /// Number of the one column, from 1.
        first: usize,
        /// Number of the other column.
        second: usize,
    },
    /// A frame that whoever has it does not hand over, or that contradicts itself.
    #[error("{table}: the frame cannot be read: {error}")]
    Frame {
        /// The table.
        table: &'static str,
        /// What was said.
        error: io::Error,
    },
    /// A column of a type that it cannot be read from.
    #[error(
        "{}, column {column}: found values of type {found}, expected numbers or text; convert the column",
        .file.display()
    )]
    ColumnType {
        /// The table.
        file: PathBuf,
        /// The column.
        column: String,
        /// Its type.
        found: String,
    },
    /// Fixations in characters, and nothing that says where words are.
    #[error(
        "fixations: found places in characters and no words, expected a table of words, too: text, \
         word_index, char_start, char_end (and line for texts of several lines), or places in degrees \
         (x_deg, y_deg)"
    )]
    NoWords,
    /// A row with more or fewer cells than there are columns.
    #[error(
        "{}, row {row}: found {found} cells, expected {expected} as in the column names; look for \
         a cell too many or too few, or for a {delimiter} in a cell without quotation marks around \
         it", .file.display()
    )]
    Ragged {
        /// The file.
        file: PathBuf,
        /// The row.
        row: u64,
        /// Number of its cells.
        found: usize,
        /// Number of columns.
        expected: usize,
        /// The delimiter, in words.
        delimiter: &'static str,
    },
    /// A cell that runs over the end of its row, as after a stray quotation mark.
    #[error(
        "{at}: found {found:?}, which runs over the end of the row, expected a cell in one row; if \
         a quotation mark belongs to the cell, double it (\"\") and put the cell in quotation marks; \
         names and words with line breaks are not supported"
    )]
    LineBreak {
        /// The cell.
        at: Box<Place>,
        /// Its start.
        found: String,
    },
    /// A missing value where there must be one.
    #[error("{at}: found {found:?}, a missing value, expected {expected}; {remedy}")]
    MissingValue {
        /// The cell.
        at: Box<Place>,
        /// The text found.
        found: String,
        /// What should be there.
        expected: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A value that the column cannot have.
    #[error("{at}: found {found:?}, expected {expected}; {remedy}")]
    Value {
        /// The cell.
        at: Box<Place>,
        /// The text found.
        found: String,
        /// What should be there.
        expected: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// Two words of a text with one index.
    #[error(
        "{at}: found word {index} of text {text:?} again, expected it once; row {first} has it \
         already; remove one of the rows or give one another word_index"
    )]
    DuplicateWord {
        /// The second one's cell.
        at: Box<Place>,
        /// Row of the first one.
        first: u64,
        /// The text.
        text: String,
        /// The word's index.
        index: u32,
    },
    /// A word without characters.
    #[error(
        "{at}: found {end} as the end of word {index} of text {text:?}, expected a number above \
         its char_start {start}; char_end is one past the last character"
    )]
    EmptyWord {
        /// The cell of its end.
        at: Box<Place>,
        /// The text.
        text: String,
        /// The word's index.
        index: u32,
        /// Its first character.
        start: i32,
        /// The end found.
        end: i32,
    },
    /// Two words of a line share a character.
    #[error(
        "{at}: found {start} as the start of word {index} of text {text:?}, expected {end} or \
         more, since word {other} on the same line (row {other_row}) ends at {end}; char_end is \
         one past the last character; correct one of the rows, or their line"
    )]
    OverlappingWords {
        /// The cell of the right word's start.
        at: Box<Place>,
        /// The text.
        text: String,
        /// Index of the word further right.
        index: u32,
        /// Where it starts.
        start: i32,
        /// Index of the word further left.
        other: u32,
        /// Its row.
        other_row: u64,
        /// Where it ends.
        end: i32,
    },
    /// Fixations of a text without words.
    #[error(
        "{at}: found {text:?}, expected a text of {}, such as {example:?}; add the words of text \
         {text:?} there, or correct its name", .words.display()
    )]
    UnknownText {
        /// The cell.
        at: Box<Place>,
        /// The text.
        text: String,
        /// The file of words.
        words: PathBuf,
        /// A text that has words.
        example: String,
    },
    /// One reading has two fixations with one number.
    #[error(
        "{at}: found fixation {index} of reader {reader:?} on text {text:?} again, expected it \
         once; row {first} has it already; remove one of the rows, or tell repeated readings \
         apart with a column trial or session"
    )]
    DuplicateFixation {
        /// The second one's cell.
        at: Box<Place>,
        /// Row of the first one.
        first: u64,
        /// The reader.
        reader: String,
        /// The text.
        text: String,
        /// The fixation's number.
        index: i64,
    },
    /// Two rows of `trials` contradict each other.
    #[error(
        "{at}: found {found:?} for {subject}, expected {expected:?} as in row {first}; give all \
         rows of {subject} the same {}", .at.column
    )]
    Contradiction {
        /// The later cell.
        at: Box<Place>,
        /// Its value.
        found: String,
        /// The earlier value.
        expected: String,
        /// Row of the earlier value.
        first: u64,
        /// What the value is a property of.
        subject: String,
    },
    /// A reading that is in a split twice.
    #[error(
        "{at}: found text {text:?} of reader {reader:?} in split {split} again, expected each \
         reading once; row {first} has it already; remove one of the rows, or tell repeated \
         readings apart with session and trial, filled in both rows"
    )]
    DuplicateAssignment {
        /// The second one's cell.
        at: Box<Place>,
        /// Row of the first one.
        first: u64,
        /// The split.
        split: u32,
        /// The reader.
        reader: String,
        /// The text.
        text: String,
    },
    /// The tables do not make a corpus.
    #[error("{}: {error}; correct the tables", .path.display())]
    Inconsistent {
        /// The table, or the corpus folder.
        path: PathBuf,
        /// What is wrong.
        error: CorpusError,
    },
}

/// Why a corpus, or a table of splits, could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// There is a corpus already.
    #[error("{} exists already; choose another folder, or ask to overwrite", .file.display())]
    Exists {
        /// The file in the way.
        file: PathBuf,
    },
    /// An input that lies where something will be written.
    #[error(
        "{} is an input, and would be replaced by what is written; write to another folder",
        .file.display()
    )]
    Input {
        /// The input.
        file: PathBuf,
    },
    /// A table where a corpus is to be, of none that could give way.
    #[error(
        "{} has the name of a table of a corpus, and there are no fixations beside it: it would be lost, \
         or be taken for one; write to another folder, or move it away",
        .file.display()
    )]
    NoCorpus {
        /// The table.
        file: PathBuf,
    },
    /// Something else than a folder.
    #[error("{} is a file, not a folder; choose another path", .path.display())]
    NotAFolder {
        /// The path given.
        path: PathBuf,
    },
    /// The tables could not give back what the corpus holds.
    #[error("{what} cannot be written: {why}; {remedy}")]
    Unrepresentable {
        /// The part of the corpus.
        what: String,
        /// What the tables cannot express.
        why: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A build that does not write Parquet.
    #[error(
        "{} cannot be written: this build does not write Parquet; write CSV, or make a build with \
         the feature columnar", .folder.display()
    )]
    NoParquet {
        /// The folder.
        folder: PathBuf,
    },
    /// The operating system refused.
    #[error(
        "{} cannot be written: {error}; check the path, your rights and the space left",
        .path.display()
    )]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}
