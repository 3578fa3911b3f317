//! Tables to write, column by column, as text or as Parquet.

use std::borrow::Cow;
use std::io;

use crate::write::number;

/// How tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TableFormat {
    /// Text, with commas.
    #[default]
    Csv,
    /// Columns with types, packed. Needs a build with the feature `columnar`.
    Parquet,
}

impl TableFormat {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Csv, Self::Parquet];

    /// The file of a table.
    pub fn file(self, table: &str) -> String {
        format!("{table}.{}", self.extension())
    }

    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

/// A column; `None` is a missing value.
enum Values<'c> {
    Texts(Vec<Option<&'c str>>),
    Wholes(Vec<Option<i32>>),
    Counts(Vec<Option<u32>>),
    Numbers(Vec<Option<f64>>),
    Flags(Vec<bool>),
}

/// A table. All columns have as many rows.
#[derive(Default)]
pub struct Frame<'c> {
    columns: Vec<(&'c str, Values<'c>)>,
    rows: usize,
    /// Whether people open it in spreadsheets.
    is_for_sheets: bool,
}

/// Text of a table that spreadsheets may open: what they would take for a formula, and compute, has an apostrophe
/// before it. Numbers are nothing to fear.
pub fn harmless(text: &str) -> Cow<'_, str> {
    const BEGINNINGS: [char; 10] =
        ['=', '+', '-', '@', '\t', '\r', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    match text.starts_with(BEGINNINGS) && text.parse::<f64>().is_err() {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

impl<'c> Frame<'c> {
    /// A table of results, whose text is [`harmless`] where it is written as CSV. What is read back is none: names come
    /// back as they are.
    pub fn of_results() -> Self {
        Self { is_for_sheets: true, ..Self::default() }
    }

    /// Adds a column of names.
    pub fn names(&mut self, name: &'c str, values: impl Iterator<Item = &'c str>) {
        self.texts(name, values.map(Some));
    }

    /// Adds a column of text.
    pub fn texts(&mut self, name: &'c str, values: impl Iterator<Item = Option<&'c str>>) {
        self.add(name, Values::Texts(values.collect()));
    }

    /// Adds a column of whole numbers.
    pub fn wholes(&mut self, name: &'c str, values: impl Iterator<Item = Option<i32>>) {
        self.add(name, Values::Wholes(values.collect()));
    }

    /// Adds a column of whole numbers from 0.
    pub fn counts(&mut self, name: &'c str, values: impl Iterator<Item = Option<u32>>) {
        self.add(name, Values::Counts(values.collect()));
    }

    /// Adds a column of numbers.
    pub fn numbers(&mut self, name: &'c str, values: impl Iterator<Item = Option<f64>>) {
        self.add(name, Values::Numbers(values.collect()));
    }

    /// Adds a column of yes and no.
    pub fn flags(&mut self, name: &'c str, values: impl Iterator<Item = bool>) {
        self.add(name, Values::Flags(values.collect()));
    }

    fn add(&mut self, name: &'c str, values: Values<'c>) {
        self.rows = match &values {
            Values::Texts(values) => values.len(),
            Values::Wholes(values) => values.len(),
            Values::Counts(values) => values.len(),
            Values::Numbers(values) => values.len(),
            Values::Flags(values) => values.len(),
        };
        self.columns.push((name, values));
    }

    /// The file.
    ///
    /// # Errors
    /// If the encoder fails, or this build does not have it.
    pub fn write(&self, format: TableFormat) -> io::Result<Vec<u8>> {
        match format {
            TableFormat::Csv => self.csv(),
            TableFormat::Parquet => self.parquet(),
        }
    }

    fn csv(&self) -> io::Result<Vec<u8>> {
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(self.columns.iter().map(|(name, _)| name))?;
        for row in 0..self.rows {
            for (_, values) in &self.columns {
                match values {
                    Values::Texts(values) => {
                        let text = values[row].unwrap_or_default();
                        let text = if self.is_for_sheets { harmless(text) } else { text.into() };
                        table.write_field(text.as_ref())
                    }
                    Values::Wholes(values) => table.write_field(shown(values[row])),
                    Values::Counts(values) => table.write_field(shown(values[row])),
                    Values::Numbers(values) => table.write_field(number(values[row])),
                    Values::Flags(values) => table.write_field(if values[row] { "1" } else { "0" }),
                }?;
            }
            table.write_record(None::<&[u8]>)?;
        }
        table.into_inner().map_err(|error| error.into_error())
    }

    /// The table as a batch of Arrow.
    ///
    /// # Errors
    /// If two columns have one name.
    #[cfg(feature = "columnar")]
    pub fn batch(&self) -> io::Result<arrow_array::RecordBatch> {
        use std::sync::Arc;

        use arrow_array::{
            ArrayRef, BooleanArray, Float64Array, Int32Array, RecordBatch, StringArray, UInt32Array,
        };

        let columns = self.columns.iter().map(|(name, values)| {
            let (array, may_miss): (ArrayRef, _) = match values {
                Values::Texts(values) => (Arc::new(values.iter().collect::<StringArray>()), true),
                Values::Wholes(values) => (Arc::new(Int32Array::from(values.clone())), true),
                Values::Counts(values) => (Arc::new(UInt32Array::from(values.clone())), true),
                Values::Numbers(values) => (Arc::new(Float64Array::from(values.clone())), true),
                Values::Flags(values) => (Arc::new(BooleanArray::from(values.clone())), false),
            };
            (*name, array, may_miss)
        });
        RecordBatch::try_from_iter_with_nullable(columns).map_err(io::Error::other)
    }

    #[cfg(feature = "columnar")]
    fn parquet(&self) -> io::Result<Vec<u8>> {
        use parquet::arrow::ArrowWriter;
        use parquet::basic::{Compression, ZstdLevel};
        use parquet::file::properties::WriterProperties;

        let batch = self.batch()?;
        let written = || {
            let compression = Compression::ZSTD(ZstdLevel::default());
            let properties = WriterProperties::builder().set_compression(compression).build();
            let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))?;
            writer.write(&batch)?;
            writer.into_inner()
        };
        written().map_err(io::Error::other)
    }

    #[cfg(not(feature = "columnar"))]
    fn parquet(&self) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "this build does not write Parquet"))
    }
}

fn shown(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_no_formulas_and_corpora_their_names() {
        let names = ["=1+1", "+a", "-a", "@a", "\ta", "a=1", "-1.5", "+3", "1", ""];
        for (mut frame, expected) in [
            (Frame::of_results(), "n\n'=1+1\n'+a\n'-a\n'@a\n'\ta\na=1\n-1.5\n+3\n1\n\"\"\n"),
            (Frame::default(), "n\n=1+1\n+a\n-a\n@a\n\ta\na=1\n-1.5\n+3\n1\n\"\"\n"),
        ] {
            frame.names("n", names.into_iter());
            let bytes = frame.write(TableFormat::Csv).unwrap();
            assert_eq!(String::from_utf8(bytes).unwrap(), expected);
        }
        let mut numbers = Frame::of_results();
        numbers.numbers("n", [Some(-1.5), None].into_iter());
        assert_eq!(numbers.write(TableFormat::Csv).unwrap(), b"n\n-1.5\n\"\"\n");
    }
}
