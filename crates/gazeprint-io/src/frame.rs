//! Tables to write, column by column, as text or as Parquet.

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
}

impl<'c> Frame<'c> {
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
                    Values::Texts(values) => table.write_field(values[row].unwrap_or_default()),
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
