//! Frames: tables that are in memory already.

use std::io::{self, Read};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};

use super::text::{Batches, Text, broken, contained};
use super::{Rows, cells};
use crate::files::Kind;

/// The text of a frame.
pub(crate) fn text(frame: Rows) -> impl Read {
    Text::new(Box::new(Frame { schema: frame.schema(), rows: frame }))
}

/// A column that is read and has a type that it cannot be read from, with that type. Of files, such a column
/// would be left out, and a note say so; nobody would see the note of a frame.
pub(crate) fn check(kind: Kind, frame: &Rows) -> Option<(String, String)> {
    let schema = frame.schema();
    let wrong = schema
        .fields()
        .iter()
        .find(|field| kind.knows(field.name()) && !is_read(field.name(), field.data_type()));
    wrong.map(|field| (field.name().clone(), field.data_type().to_string()))
}

/// Whether values of a type can be read for a column. Spans of time are; dates and times of day are not, as
/// nobody knows from when on they count.
fn is_read(column: &str, kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_read(column, values),
        DataType::Duration(_) => column.to_ascii_lowercase().ends_with("_ms"),
        kind => cells::is_shown(kind) && !cells::is_time(kind) && !kind.is_nested(),
    }
}

/// A frame that is being read.
struct Frame {
    schema: SchemaRef,
    rows: Rows,
}

impl Batches for Frame {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next(&mut self) -> io::Result<Option<RecordBatch>> {
        let Some(batch) = self.rows.next() else { return Ok(None) };
        let batch = batch.map_err(|error| broken(error.to_string()))?;
        contained(|| batch.project(&cells::shown(&self.schema))).map(Some)
    }
}
