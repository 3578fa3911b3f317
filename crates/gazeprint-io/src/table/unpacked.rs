//! Files that are unpacked while they are read.
//!
//! A small file can unpack to a large table, and a row of few bytes becomes much in memory. What grows like no table
//! of recordings does was made to fill the memory of whoever reads it.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

/// Bytes that any file may have, unpacked.
const FREE: u64 = 128 << 20;
/// So many times as many as packed, beyond that. Tables of numbers have 3 to 20.
const MOST_TIMES: u64 = 60;
/// Rows that any file may have. Beyond that, one for each packed byte: rows of numbers that were measured take several.
const FREE_ROWS: u64 = 2_000_000;

/// How many bytes were read of something.
pub(crate) type Count = Rc<Cell<u64>>;

/// Counts what is read.
pub(crate) struct Counted<R> {
    inner: R,
    bytes: Count,
}

impl<R: Read> Counted<R> {
    pub(crate) fn new(inner: R) -> (Self, Count) {
        let bytes = Count::default();
        (Self { inner, bytes: Rc::clone(&bytes) }, bytes)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get() + read as u64);
        Ok(read)
    }
}

/// What was packed, unpacked; an error where it grows without measure.
pub(crate) struct Measured<R> {
    inner: R,
    /// Bytes that it was packed in, as far as it was read.
    packed: Count,
    /// What it was packed as.
    kind: &'static str,
    bytes: u64,
    rows: u64,
}

/// A file in gzip.
pub(super) fn gzip<R: Read>(input: R) -> Measured<MultiGzDecoder<Counted<R>>> {
    let (input, packed) = Counted::new(input);
    Measured::new(MultiGzDecoder::new(input), packed, "gzip")
}

impl<R> Measured<R> {
    pub(crate) fn new(inner: R, packed: Count, kind: &'static str) -> Self {
        Self { inner, packed, kind, bytes: 0, rows: 0 }
    }
}

impl<R: Read> Read for Measured<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes += read as u64;
        self.rows += memchr::memchr_iter(b'\n', &buffer[..read]).count() as u64;
        let (packed, kind) = (self.packed.get(), self.kind);
        let why = if self.bytes > FREE && self.bytes / MOST_TIMES > packed {
            format!(
                "found more than {} MB in {packed} bytes of {kind}, expected at most {MOST_TIMES} times as much as is \
                 packed",
                FREE >> 20
            )
        } else if self.rows > FREE_ROWS && self.rows > packed {
            format!(
                "found more than {} rows in {packed} bytes of {kind}, expected at most one for each byte",
                FREE_ROWS.max(packed)
            )
        } else {
            return Ok(read);
        };
        let why = format!("{why}; write it as CSV first, if it is what it should be");
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn what_grows_without_measure_is_refused() {
        let mut bomb = GzEncoder::new(Vec::new(), Compression::default());
        // Few rows: how many there are is looked at, too.
        let row = b"r1,s1,1,4.2,231,".repeat(1 << 16);
        for _ in 0..200 {
            bomb.write_all(&row).unwrap();
        }
        let bomb = bomb.finish().unwrap();
        assert!(bomb.len() < 1 << 20);
        let mut read = 0;
        let mut unpacked = gzip(bomb.as_slice());
        let mut buffer = vec![0; 1 << 16];
        let error = loop {
            match unpacked.read(&mut buffer) {
                Ok(some) => read += some as u64,
                Err(error) => break error,
            }
        };
        assert!(
            read <= FREE && error.to_string().contains("bytes of gzip, expected at most 60 times")
        );
        let mut small = GzEncoder::new(Vec::new(), Compression::default());
        small.write_all(&row[..160_000]).unwrap();
        let mut all = Vec::new();
        gzip(small.finish().unwrap().as_slice()).read_to_end(&mut all).unwrap();
        assert_eq!(all, row[..160_000]);
    }

    /// A row of five bytes takes more than 200 in memory.
    #[test]
    fn many_rows_in_few_bytes_filled_the_memory() {
        let packed = |row: &[u8], times: usize| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            let rows = row.repeat(1 << 12);
            (0..times).for_each(|_| packed.write_all(&rows).unwrap());
            packed.finish().unwrap()
        };
        let read = |bytes: Vec<u8>| gzip(bytes.as_slice()).read_to_end(&mut Vec::new());
        let error = read(packed(b"1,2\n", 600)).unwrap_err().to_string();
        assert!(error.contains("found more than 2000000 rows in "), "{error}");
        assert_eq!(read(packed(b"1,2\n", 400)).unwrap(), 400 << 14);
    }
}
