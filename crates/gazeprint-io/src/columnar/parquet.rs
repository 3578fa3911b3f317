//! Parquet, row group by row group.

use std::io;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;

use super::text::{Batches, ROWS, broken, contained};
use super::{cells, thrift};

/// Most bytes that describe a file: its columns, and their places in every row group.
const MOST_DESCRIBED: u64 = 1 << 26;
/// Most columns, with the structures that they are in.
const MOST_COLUMNS: usize = 10_000;
/// Most columns inside of each other: a list is two.
const DEEPEST: usize = 16;
/// Most row groups; the format has no more.
const MOST_GROUPS: i64 = i16::MAX as i64;
/// Most rows in a row group. Values that repeat take next to no bytes, so that bytes do not limit them.
const MOST_ROWS: i64 = 1 << 26;
/// Most bytes of a page of a column, unpacked, and of the largest pages of all columns together.
const MOST_BYTES: i64 = 1 << 28;
/// First bytes of a page that are looked at: more than its description has.
const PAGE_HEAD: u64 = 1 << 16;

pub(super) struct RowGroups {
    schema: SchemaRef,
    reader: ParquetRecordBatchReader,
}

impl Batches for RowGroups {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next(&mut self) -> io::Result<Option<RecordBatch>> {
        contained(|| self.reader.next().transpose())
    }
}

/// Checks a file and begins to read it.
///
/// # Errors
/// If it is broken, or larger than what is read.
pub(super) fn open<F: ChunkReader + 'static>(file: F) -> io::Result<RowGroups> {
    let described = described(&file)?;
    check_described(&described)?;
    let metadata = contained(|| ParquetMetaDataReader::decode_metadata(&described))?;
    contained(|| check_row_groups(&file, &metadata))?;
    contained(|| -> parquet::errors::Result<RowGroups> {
        let options = ArrowReaderOptions::new();
        let metadata = ArrowReaderMetadata::try_new(metadata.into(), options)?;
        let schema = metadata.schema().clone();
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
        // What becomes no cell need not be decoded.
        let mask = ProjectionMask::roots(builder.parquet_schema(), cells::shown(&schema));
        let reader = builder.with_projection(mask).with_batch_size(ROWS).build()?;
        Ok(RowGroups { schema, reader })
    })
}

/// The description at the end of a file.
fn described(file: &impl ChunkReader) -> io::Result<Vec<u8>> {
    let length = file.len();
    let Some(end) = length.checked_sub(8) else { return Err(broken("the file is too short")) };
    let tail = contained(|| file.get_bytes(end, 8))?;
    let (size, mark) = tail.split_at(4);
    if mark != b"PAR1" {
        return Err(broken("the last four bytes are not PAR1, as those of every Parquet file"));
    }
    let size = u64::from(u32::from_le_bytes(size.try_into().unwrap_or_default()));
    if size > MOST_DESCRIBED {
        return Err(broken(format!("it is described in {size} bytes")));
    }
    let Some(start) = end.checked_sub(size) else {
        return Err(broken("its description is longer than the file"));
    };
    let bytes = contained(|| file.get_bytes(start, usize::try_from(size).unwrap_or(0)))?;
    Ok(bytes.to_vec())
}

/// Checks the lengths in the description of a file.
fn check_described(described: &[u8]) -> io::Result<()> {
    /// Fields of the description.
    const SCHEMA_NAME: [i16; 3] = [2, 0, 4];
    const SCHEMA_CHILDREN: [i16; 3] = [2, 0, 5];
    const ROW_GROUPS: [i16; 1] = [4];
    let mut children: Vec<i64> = Vec::new();
    let mut groups = 0;
    let walked = thrift::walk(described, &mut |path, value| {
        if path == SCHEMA_NAME {
            children.push(0);
        } else if path == SCHEMA_CHILDREN {
            if let Some(last) = children.last_mut() {
                *last = value;
            }
        } else if path == ROW_GROUPS {
            groups = value;
        }
    });
    if walked.is_none() {
        return Err(broken("its description is broken"));
    }
    if groups > MOST_GROUPS || children.len() > MOST_COLUMNS {
        let columns = children.len();
        return Err(broken(format!("it has {groups} row groups and {columns} columns")));
    }
    // Columns stand in the order of a walk through them, each before those inside of it.
    let mut open: Vec<i64> = Vec::new();
    for &inside in &children {
        while open.last() == Some(&0) {
            open.pop();
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if !(0..=MOST_COLUMNS as i64).contains(&inside) || open.len() >= DEEPEST {
            return Err(broken("its columns are inside of each other without end"));
        }
        open.push(inside);
    }
    Ok(())
}

/// Checks that columns lie in the file, and what they say about the sizes of their pages.
fn check_row_groups(file: &impl ChunkReader, metadata: &ParquetMetaData) -> io::Result<()> {
    for group in metadata.row_groups() {
        let rows = group.num_rows();
        if !(0..=MOST_ROWS).contains(&rows) {
            return Err(broken(format!(
                "a row group has {rows} rows, and at most {MOST_ROWS} are read"
            )));
        }
        let mut largest = 0;
        for column in group.columns() {
            largest += largest_page(file, column)?;
        }
        if largest > MOST_BYTES {
            return Err(broken(format!(
                "the pages of a row group have {largest} bytes, and at most {MOST_BYTES} are read; \
                 write it with smaller pages"
            )));
        }
    }
    Ok(())
}

/// Bytes of the largest page of a column and of its dictionary, unpacked.
fn largest_page(file: &impl ChunkReader, column: &ColumnChunkMetaData) -> io::Result<i64> {
    let name = column.column_path().string();
    let (start, length) = column.byte_range();
    let end = start.checked_add(length).filter(|&end| end <= file.len());
    let end = end.ok_or_else(|| broken(format!("the column {name} lies outside of the file")))?;
    let (mut at, mut values, mut largest, mut dictionary) = (start, 0, 0, 0);
    while at < end && values < column.num_values() {
        let head = file.get_bytes(at, usize::try_from(PAGE_HEAD.min(end - at)).unwrap_or(0));
        let page = Page::read(&head.map_err(io::Error::other)?);
        let page = page.filter(|page| page.is_possible());
        let page = page.ok_or_else(|| broken(format!("a page of the column {name} is broken")))?;
        if page.is_delta_text {
            return Err(broken(format!(
                "the column {name} is text written as differences (DELTA_BYTE_ARRAY), which is not \
                 read; write it plainly or with a dictionary"
            )));
        }
        if page.is_dictionary {
            dictionary = page.unpacked;
        } else {
            largest = largest.max(page.unpacked);
            values += page.values;
        }
        at += page.head + page.packed.unsigned_abs();
    }
    Ok(largest + dictionary)
}

/// What a page says about itself.
#[derive(Default)]
struct Page {
    /// Bytes of this description.
    head: u64,
    unpacked: i64,
    packed: i64,
    values: i64,
    is_dictionary: bool,
    /// The decoder takes memory for as many texts as such a page says inside, unchecked.
    is_delta_text: bool,
}

impl Page {
    fn read(bytes: &[u8]) -> Option<Self> {
        /// Encodings of text as differences.
        const DELTAS: [i64; 2] = [6, 7];
        let mut page = Self::default();
        let head = thrift::walk(bytes, &mut |path, value| match path {
            [2] => page.unpacked = value,
            [3] => page.packed = value,
            [5 | 8, 1] => page.values = value,
            [7, 1] => (page.is_dictionary, page.values) = (true, value),
            [5, 2] | [8, 4] => page.is_delta_text = DELTAS.contains(&value),
            _ => {}
        })?;
        page.head = head as u64;
        Some(page)
    }

    /// Whether sizes are in their limits.
    fn is_possible(&self) -> bool {
        let sizes = 0..=MOST_BYTES;
        sizes.contains(&self.unpacked)
            && sizes.contains(&self.packed)
            && (0..=MOST_ROWS * 16).contains(&self.values)
            // A value of a dictionary has a bit at least.
            && (!self.is_dictionary || self.values <= self.unpacked * 8)
    }
}
