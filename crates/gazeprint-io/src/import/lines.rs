//! Lines of an input, with their numbers and with a limit on their length.

use std::io::{BufRead, ErrorKind};

use super::error::ImportError;
use super::recording::RowPlace;

/// The longest line that is read, in bytes.
pub(crate) const LIMIT: usize = 1 << 20;

/// The start of a line, for an example.
pub(crate) fn shown(line: &str) -> &str {
    line.char_indices().nth(100).map_or(line, |(end, _)| &line[..end])
}

/// Reads lines, one at a time.
pub(crate) struct Lines<'i> {
    input: &'i mut dyn BufRead,
    buffer: Vec<u8>,
    file: usize,
    row: u64,
}

impl<'i> Lines<'i> {
    pub(crate) fn new(input: &'i mut dyn BufRead, file: usize) -> Self {
        Self { input, buffer: Vec::new(), file, row: 0 }
    }

    /// The place of the last line, or of the first one where none has been read.
    pub(crate) fn place(&self) -> RowPlace {
        RowPlace { file: self.file, row: self.row.max(1) }
    }

    /// The next line without its end, with its place; `None` after the last one.
    pub(crate) fn next(&mut self) -> Result<Option<(RowPlace, &str)>, ImportError> {
        self.buffer.clear();
        self.row += 1;
        let place = self.place();
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(ImportError::Unreadable { place, error }),
            };
            if chunk.is_empty() {
                if self.buffer.is_empty() {
                    self.row -= 1;
                    return Ok(None);
                }
                break;
            }
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let taken = end.unwrap_or(chunk.len());
            if self.buffer.len() + taken > LIMIT {
                return Err(ImportError::LineTooLong { place, limit: LIMIT });
            }
            self.buffer.extend_from_slice(&chunk[..taken]);
            self.input.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                break;
            }
        }
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(line) => Ok(Some((place, line))),
            Err(error) => Err(ImportError::refused(
                place,
                format!("the byte {:#04x}", self.buffer[error.valid_up_to()]),
                "text in UTF-8",
                "save the file as UTF-8",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_with_numbers_whatever_their_ends() {
        let mut input: &[u8] = b"a\r\n\nlast";
        let mut lines = Lines::new(&mut input, 3);
        for expected in ["a", "", "last"] {
            assert_eq!(lines.next().unwrap().unwrap().1, expected);
        }
        assert_eq!(lines.place(), RowPlace { file: 3, row: 3 });
        assert_eq!(lines.next().unwrap(), None);
        assert_eq!(lines.place().row, 3);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let long = vec![b'x'; LIMIT + 1];
        let mut input: &[u8] = &long;
        let error = Lines::new(&mut input, 0).next().unwrap_err();
        assert!(matches!(error, ImportError::LineTooLong { place, .. } if place.row == 1));
    }

    #[test]
    fn a_byte_that_is_no_text_is_refused_with_its_line() {
        let mut input: &[u8] = b"a\nb\xffc\n";
        let mut lines = Lines::new(&mut input, 0);
        lines.next().unwrap();
        assert_eq!(lines.next().unwrap_err().place().row, 2);
    }
}
