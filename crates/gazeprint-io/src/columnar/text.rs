//! Batches of rows as text.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};

use super::cells;

/// Rows that are made into text at a time.
pub(super) const ROWS: usize = 1024;

/// Gives a table batch by batch.
pub(super) trait Batches {
    /// All columns of the file.
    fn schema(&self) -> SchemaRef;

    /// The next batch, of those columns that become cells; none at the end.
    ///
    /// # Errors
    /// If it is broken.
    fn next(&mut self) -> io::Result<Option<RecordBatch>>;
}

/// Runs a decoder that is not ours. The crates of Arrow and Parquet index and assert their way through
/// broken files, and panic: no check beforehand finds every such file short of decoding it. Nothing of
/// theirs is used after a panic.
///
/// # Errors
/// If the decoder fails, or panics.
pub(super) fn contained<T, E: std::error::Error>(
    decode: impl FnOnce() -> Result<T, E>,
) -> io::Result<T> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(broken(error.to_string())),
        Err(_) => Err(broken("its parts contradict each other")),
    }
}

/// An error about what is in a file.
pub(super) fn broken(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

/// A table, as the text of a CSV file.
pub(super) struct Text<'r> {
    batches: Box<dyn Batches + 'r>,
    schema: SchemaRef,
    /// Columns that become cells.
    columns: usize,
    batch: Option<RecordBatch>,
    /// The next row of the batch.
    row: usize,
    text: String,
    taken: usize,
    /// Nothing of a decoder is used after an error.
    ended: bool,
}

impl<'r> Text<'r> {
    pub(super) fn new(batches: Box<dyn Batches + 'r>) -> Self {
        let schema = batches.schema();
        let shown = cells::shown(&schema);
        let mut text = String::new();
        for (place, &column) in shown.iter().enumerate() {
            if place > 0 {
                text.push(',');
            }
            cells::push_text(schema.field(column).name(), &mut text);
        }
        if !shown.is_empty() {
            text.push('\n');
        }
        let columns = shown.len();
        Self { batches, schema, columns, batch: None, row: 0, text, taken: 0, ended: false }
    }

    /// What is not as it stands in the file.
    pub(super) fn notes(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields
            .filter_map(|field| {
                let (name, kind) = (field.name(), field.data_type());
                if !cells::is_shown(kind) {
                    let kind = family(kind);
                    Some(format!("the column {name} is left out: a table has no cells of {kind}"))
                } else if cells::is_time(kind) {
                    Some(format!("the column {name} has times: they are read in milliseconds"))
                } else {
                    None
                }
            })
            .collect()
    }

    /// Makes the next rows; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.taken = 0;
        while self.text.is_empty() {
            let batch = match self.batch.take() {
                Some(batch) if self.row < batch.num_rows() => batch,
                _ => {
                    self.row = 0;
                    let Some(batch) = self.batches.next()? else { return Ok(false) };
                    batch
                }
            };
            let rows = self.row..(self.row + ROWS).min(batch.num_rows());
            self.row = rows.end;
            // Cells are found by keys and offsets that the file gives.
            contained(|| self.push_rows(&batch, rows))?;
            self.batch = Some(batch);
        }
        Ok(true)
    }

    fn push_rows(
        &mut self,
        batch: &RecordBatch,
        rows: std::ops::Range<usize>,
    ) -> Result<(), std::fmt::Error> {
        if self.columns == 0 {
            self.row = batch.num_rows();
            return Ok(());
        }
        for row in rows {
            for (place, column) in batch.columns().iter().enumerate() {
                if place > 0 {
                    self.text.push(',');
                }
                cells::push(column, row, &mut self.text)?;
            }
            self.text.push('\n');
        }
        Ok(())
    }
}

impl Read for Text<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.text.len() {
            let more = !self.ended && self.advance().inspect_err(|_| self.ended = true)?;
            if !more {
                self.ended = true;
                return Ok(0);
            }
        }
        let from = &self.text.as_bytes()[self.taken..];
        let count = from.len().min(to.len());
        to[..count].copy_from_slice(&from[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// A type in a word: the whole of it may have pages.
fn family(kind: &DataType) -> &'static str {
    match kind {
        DataType::Struct(_) => "structures",
        DataType::Map(..) => "maps",
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            "lists of lists"
        }
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => "bytes",
        _ => "this type",
    }
}
