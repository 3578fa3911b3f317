//! Lines of a source, none longer than a limit.

use std::collections::VecDeque;
use std::io::BufRead;

use super::{Fault, Source};

/// Most bytes of a line, and of a row whose cells have line breaks in them.
pub(crate) const LONGEST: usize = 1 << 20;

/// Text to be read.
pub(crate) trait Input: BufRead {
    /// What was guessed about the text, and may be wrong.
    fn doubt(&self) -> Option<&str> {
        None
    }
}

impl Input for &mut dyn BufRead {}

impl Input for Source<'_> {
    fn doubt(&self) -> Option<&str> {
        Source::doubt(self)
    }
}

/// Reads line by line, and can look ahead.
pub(crate) struct Lines<'i> {
    input: Box<dyn Input + 'i>,
    /// Lines read for a sample, and not yet handed out.
    ahead: VecDeque<String>,
    /// A line ended with `\r`: a `\n` right after it is part of the same end.
    after_return: bool,
    /// Lines read from the input.
    read: u64,
    /// Lines handed out.
    number: u64,
}

impl<'i> Lines<'i> {
    pub(crate) fn new(input: impl Input + 'i) -> Self {
        Self {
            input: Box::new(input),
            ahead: VecDeque::new(),
            after_return: false,
            read: 0,
            number: 0,
        }
    }

    /// What was guessed about the text so far.
    pub(crate) fn doubt(&self) -> Option<&str> {
        self.input.doubt()
    }

    /// Number of the line last handed out, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Appends the next line to `line`, without its end; false at the end of the input.
    ///
    /// # Errors
    /// If it cannot be read, is too long or no UTF-8.
    pub(crate) fn next(&mut self, line: &mut String) -> Result<bool, Fault> {
        if let Some(ready) = self.ahead.pop_front() {
            line.push_str(&ready);
            self.number += 1;
            return Ok(true);
        }
        let more = self.read_line(line)?;
        self.number += u64::from(more);
        Ok(more)
    }

    /// Up to `count` lines from here on, to decide on; they are handed out later all the same.
    ///
    /// # Errors
    /// As [`Lines::next`].
    pub(crate) fn sample(&mut self, count: usize) -> Result<&VecDeque<String>, Fault> {
        let mut bytes: usize = self.ahead.iter().map(String::len).sum();
        while self.ahead.len() < count && bytes < LONGEST {
            let mut line = String::new();
            if !self.read_line(&mut line)? {
                break;
            }
            bytes += line.len();
            self.ahead.push_back(line);
        }
        Ok(&self.ahead)
    }

    fn read_line(&mut self, line: &mut String) -> Result<bool, Fault> {
        let row = self.read + 1;
        // The string's own bytes, so that what is there need not be checked again.
        let start = line.len();
        let mut bytes = std::mem::take(line).into_bytes();
        let mut ended = false;
        let mut any = false;
        while !ended {
            let buffer = self.input.fill_buf().map_err(|e| Fault::reading(row, e))?;
            if buffer.is_empty() {
                break;
            }
            if std::mem::take(&mut self.after_return) && buffer[0] == b'\n' {
                self.input.consume(1);
                continue;
            }
            any = true;
            let end = memchr::memchr2(b'\n', b'\r', buffer);
            bytes.extend_from_slice(&buffer[..end.unwrap_or(buffer.len())]);
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.after_return = end.is_some_and(|end| buffer[end] == b'\r');
            ended = end.is_some();
            self.input.consume(used);
            if bytes.len() - start > LONGEST {
                return Err(Fault::LongLine { row, limit: LONGEST });
            }
        }
        self.read += u64::from(any);
        *line = String::from_utf8(bytes).map_err(|_| Fault::Encoding {
            row,
            found: "bytes that are no characters".to_owned(),
            encoding: "UTF-8",
        })?;
        Ok(any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        let mut input = &b"a\nb\r\nc\rd\n\n\re"[..];
        let mut lines = Lines::new(&mut input as &mut dyn BufRead);
        assert_eq!(lines.sample(2).unwrap().len(), 2);
        let mut found = Vec::new();
        let mut line = String::new();
        while lines.next(&mut line).unwrap() {
            found.push((lines.number(), std::mem::take(&mut line)));
        }
        let wanted = ["a", "b", "c", "d", "", "", "e"];
        assert_eq!(found.len(), wanted.len());
        for (i, (number, line)) in found.iter().enumerate() {
            assert_eq!((*number, line.as_str()), (i as u64 + 1, wanted[i]));
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let text = format!("short\n{}", "x".repeat(LONGEST + 2));
        let mut input = text.as_bytes();
        let mut lines = Lines::new(&mut input as &mut dyn BufRead);
        assert!(lines.next(&mut String::new()).unwrap());
        let error = lines.next(&mut String::new()).unwrap_err();
        assert!(matches!(error, Fault::LongLine { row: 2, .. }), "{error}");
    }
}
