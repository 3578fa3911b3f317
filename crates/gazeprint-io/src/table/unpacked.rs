//! Files that are unpacked while they are read.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

/// Bytes that any file may have, unpacked.
const FREE: u64 = 128 << 20;
/// So many times as many as packed, beyond that. Tables of numbers have 3 to 20; a file that has more was made to
/// fill the memory of whoever reads it.
const MOST_TIMES: u64 = 60;

/// Counts what is read.
struct Counted<R> {
    inner: R,
    bytes: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get() + read as u64);
        Ok(read)
    }
}

/// A file in gzip, unpacked; an error where it grows without measure.
pub(super) struct Unpacked<R> {
    inner: MultiGzDecoder<Counted<R>>,
    packed: Rc<Cell<u64>>,
    unpacked: u64,
}

impl<R: Read> Unpacked<R> {
    pub(super) fn new(input: R) -> Self {
        let packed = Rc::new(Cell::new(0));
        let inner = MultiGzDecoder::new(Counted { inner: input, bytes: Rc::clone(&packed) });
        Self { inner, packed, unpacked: 0 }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.unpacked += read as u64;
        let packed = self.packed.get();
        if self.unpacked > FREE && self.unpacked / MOST_TIMES > packed {
            let why = format!(
                "found more than {} MB in {packed} bytes of gzip, expected at most {MOST_TIMES} times as much as is \
                 packed; unpack it first, if it is what it should be",
                FREE >> 20
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        Ok(read)
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
        let row = b"r1,s1,1,4.2,231\n".repeat(1 << 16);
        for _ in 0..200 {
            bomb.write_all(&row).unwrap();
        }
        let bomb = bomb.finish().unwrap();
        assert!(bomb.len() < 1 << 20);
        let mut read = 0;
        let mut unpacked = Unpacked::new(bomb.as_slice());
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
        Unpacked::new(small.finish().unwrap().as_slice()).read_to_end(&mut all).unwrap();
        assert_eq!(all, row[..160_000]);
    }
}
