//! How a table is written: its delimiter and its quotes, decided on its first rows; and its rows.

use std::ops::Range;

use super::lines::LONGEST;
use super::{Fault, Input, Lines, shown};

/// Rows that are looked at to decide.
pub(crate) const SAMPLE: usize = 200;
/// What may stand between cells.
const DELIMITERS: [(u8, &str); 4] =
    [(b'\t', "tab"), (b';', "semicolon"), (b',', "comma"), (b'|', "vertical bar")];

/// Most line breaks in a row: a quotation mark that is never closed must not take for ever.
const BREAKS: usize = 100;

/// A table, row by row.
pub(crate) struct Rows<'i> {
    lines: Lines<'i>,
    delimiter: u8,
    pub(crate) header: Vec<String>,
    /// Row of the column names.
    pub(crate) header_row: u64,
    /// What was decided, and why.
    pub(crate) decision: String,
    /// What is said before the column names.
    pub(crate) preamble: Vec<String>,
    cells: Cells,
    /// Whether cells are separated by blanks, however many.
    is_blank_separated: bool,
    /// Whether a line that holds nothing is a row all the same.
    keeps_blank: bool,
    /// Whether a quotation mark that is open at the end of its line is an error.
    is_strict: bool,
    /// First row with a quotation mark that opens nothing.
    pub(crate) stray_quote: Option<u64>,
}

/// A row: its cells, and the line as it stands in the file.
#[derive(Default)]
struct Cells {
    line: String,
    /// Cells without their quotation marks, where there are any.
    unquoted: String,
    is_quoted: bool,
    ranges: Vec<Range<usize>>,
    /// Where the cell starts that was in quotation marks last.
    open: usize,
}

/// A row of a table.
#[derive(Clone, Copy)]
pub(crate) struct Row<'r> {
    cells: &'r Cells,
    /// The row's number, as an editor shows it.
    pub(crate) number: u64,
}

impl<'r> Row<'r> {
    /// A cell without blanks around it; empty where the row is too short.
    pub(crate) fn cell(&self, column: usize) -> &'r str {
        let cell = self.verbatim(column);
        let is_bare = |byte: Option<&u8>| byte.is_some_and(|byte| (b'!'..0x80).contains(byte));
        // Blanks are rare, and looking for all of Unicode's takes time.
        if is_bare(cell.as_bytes().first()) && is_bare(cell.as_bytes().last()) {
            return cell;
        }
        cell.trim()
    }

    /// A cell as it stands, but for quotation marks around it.
    pub(crate) fn verbatim(&self, column: usize) -> &'r str {
        let text = if self.cells.is_quoted { &self.cells.unquoted } else { &self.cells.line };
        let range = self.cells.ranges.get(column).cloned();
        range.and_then(|range| text.get(range)).unwrap_or_default()
    }

    /// How many cells there are.
    pub(crate) fn len(&self) -> usize {
        self.cells.ranges.len()
    }

    /// The row as it stands in the file.
    pub(crate) fn line(&self) -> &'r str {
        &self.cells.line
    }
}

impl<'i> Rows<'i> {
    /// Decides on the delimiter and reads the column names, of which `before` says how many of the
    /// first lines stand before them.
    ///
    /// # Errors
    /// If the input cannot be read or has nothing in it.
    pub(crate) fn forgiving(
        input: impl Input + 'i,
        expected: &'static str,
        before: impl Fn(&[&str]) -> usize,
    ) -> Result<Self, Fault> {
        let mut rows = Self::begin(input, expected, false, before)?;
        rows.take_blanks()?;
        rows.take_row_names()?;
        Ok(rows)
    }

    /// As [`Rows::forgiving`], of a table in which every quotation mark is closed in its row.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn strict(input: impl Input + 'i, expected: &'static str) -> Result<Self, Fault> {
        let before = |lines: &[&str]| lines.iter().take_while(|line| is_aside(line)).count();
        Self::begin(input, expected, true, before)
    }

    fn begin(
        input: impl Input + 'i,
        expected: &'static str,
        is_strict: bool,
        before: impl Fn(&[&str]) -> usize,
    ) -> Result<Self, Fault> {
        let mut lines = Lines::new(input);
        let (mut declared, mut preamble) = (None, Vec::new());
        loop {
            let sample = lines.sample(SAMPLE)?;
            if sample.is_empty() {
                return Err(Fault::Empty { row: lines.number().max(1), expected });
            }
            let count = before(&sample.iter().map(String::as_str).collect::<Vec<_>>());
            // Column names may come after more lines than were looked at.
            let is_found = count < sample.len();
            for _ in 0..count {
                let mut line = String::new();
                lines.next(&mut line)?;
                match declared_delimiter(&line) {
                    Some(delimiter) => declared = Some(delimiter),
                    None if line.trim().is_empty() => {}
                    None => preamble.push(line),
                }
            }
            if is_found {
                break;
            }
        }
        let known = |d: u8| DELIMITERS.iter().find(|(known, _)| *known == d);
        let (delimiter, mut decision) = match declared.and_then(known) {
            Some(&(delimiter, name)) => {
                (delimiter, format!("cells are separated by {name}: the first line says so"))
            }
            None => sniff(lines.sample(SAMPLE)?),
        };
        if !preamble.is_empty() {
            let which = match preamble.iter().all(|line| line.trim_start().starts_with('#')) {
                true => " that start with #",
                false => "",
            };
            let note = format!("; {} lines{which} are before the column names", preamble.len());
            decision.push_str(&note);
        }
        let mut rows = Self { is_strict, decision, preamble, ..Self::new(lines, delimiter) };
        let header = rows.next()?.map(|row| {
            let names = (0..row.len()).map(|i| row.cell(i).to_owned()).collect();
            (row.number, names)
        });
        (rows.header_row, rows.header) = header.unwrap_or_default();
        Ok(rows)
    }

    fn new(lines: Lines<'i>, delimiter: u8) -> Self {
        Self {
            lines,
            delimiter,
            header: Vec::new(),
            header_row: 0,
            decision: String::new(),
            preamble: Vec::new(),
            cells: Cells::default(),
            is_blank_separated: false,
            keeps_blank: false,
            is_strict: false,
            stray_quote: None,
        }
    }

    /// Programs that print columns set them apart by blanks, whatever stands between their names. R
    /// does by itself, with quotation marks around names and texts, and names of rows.
    fn take_blanks(&mut self) -> Result<(), Fault> {
        let apart = |line: &str| Cells::of_blanks(line).ranges.len();
        let names = (self.header.len() == 1).then(|| Cells::of_blanks(&self.cells.line));
        let width = names.as_ref().map_or(self.header.len(), |names| names.ranges.len());
        let (mut rows, mut blanks, mut named) = (0, 0, 0);
        for line in self.lines.sample(SAMPLE)?.iter().filter(|line| !line.trim().is_empty()) {
            rows += 1;
            let is_whole = memchr::memchr(self.delimiter, line.as_bytes()).is_none();
            let parts = if names.is_some() || is_whole { apart(line) } else { 0 };
            blanks += usize::from(parts == width);
            named += usize::from(names.is_some() && parts == width + 1);
        }
        if width < 2 || rows == 0 || blanks.max(named) < rows {
            return Ok(());
        }
        let mut between = String::new();
        match &names {
            Some(names) => {
                let names = Row { cells: names, number: 0 };
                self.header = (0..names.len()).map(|i| names.cell(i).to_owned()).collect();
            }
            None => between = format!(", which {} separates", self.delimiter()),
        }
        self.is_blank_separated = true;
        let (parts, than) = match named == rows {
            true => (width + 1, "one more than"),
            false => (width, "as many as"),
        };
        self.decision = format!(
            "cells are separated by blanks: the first rows have {parts} parts each, {than} there are \
             names of columns{between}"
        );
        Ok(())
    }

    /// R writes names of rows without a name for their column.
    fn take_row_names(&mut self) -> Result<(), Fault> {
        let wider = self.header.len() + 1;
        let (mut rows, mut wide, mut open) = (0, 0, 0);
        self.sample(|row| {
            rows += 1;
            wide += usize::from(row.len() == wider);
            open += usize::from(row.len() == wider && row.cell(wider - 1).is_empty());
        })?;
        if rows == 0 || wide < rows {
            return Ok(());
        }
        let (at, what) = match open == rows {
            true => (self.header.len(), "rows end with a delimiter, and the last cells are empty"),
            false => (0, "the first are names of rows, as R writes them"),
        };
        self.header.insert(at, String::new());
        let note = format!("; every row has a cell more than there are column names: {what}");
        self.decision.push_str(&note);
        Ok(())
    }

    /// Rows of a table whose columns are named elsewhere, separated by tabs. Every line is one, for
    /// its number may be the time.
    pub(crate) fn headless(input: impl Input + 'i, header: Vec<String>) -> Self {
        let decision = "cells are separated by tab: the format says so".to_owned();
        Self { header, decision, keeps_blank: true, ..Self::new(Lines::new(input), b'\t') }
    }

    /// The next row. A line without any cell is none; one of empty cells is.
    ///
    /// # Errors
    /// If it cannot be read, or does not end.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>, Fault> {
        loop {
            self.cells.line.clear();
            if !self.lines.next(&mut self.cells.line)? {
                return Ok(None);
            }
            if self.keeps_blank || !is_blank(&self.cells.line, self.delimiter) {
                break;
            }
        }
        let number = self.lines.number();
        if self.is_blank_separated {
            self.cells.split_at_blanks();
            return Ok(Some(Row { cells: &self.cells, number }));
        }
        let width = self.header.len().max(1);
        let mut breaks = 0;
        loop {
            match self.cells.cut(self.delimiter, width) {
                Cut::Whole => break,
                Cut::Stray { is_open: false } if self.is_strict => {
                    self.cells.split(self.delimiter);
                    break;
                }
                Cut::Stray { .. } | Cut::Open if self.is_strict => {
                    return Err(self.open_quote(number));
                }
                Cut::Stray { is_open } => {
                    let more = if is_open { self.continuation(width)? } else { 0 };
                    if more == 0 {
                        self.stray_quote.get_or_insert(number);
                        break;
                    }
                    for _ in 1..more {
                        self.cells.line.push('\n');
                        self.lines.next(&mut self.cells.line)?;
                    }
                }
                Cut::Open => {}
            }
            self.cells.line.push('\n');
            let more = self.lines.next(&mut self.cells.line)?;
            breaks += 1;
            if !more || breaks > BREAKS || self.cells.line.len() > LONGEST {
                return Err(self.open_quote(number));
            }
        }
        Ok(Some(Row { cells: &self.cells, number }))
    }

    /// The error about the cell at hand that is not closed.
    fn open_quote(&mut self, row: u64) -> Fault {
        self.cells.split(self.delimiter);
        let Cells { line, ranges, open, .. } = &self.cells;
        let (column, found) = (ranges.len(), shown(line.get(*open..).unwrap_or_default()));
        Fault::OpenQuote { row, column, found }
    }

    /// How many of the next lines belong to the row at hand, whose last cell opens with a quotation
    /// mark: none where the mark is stray. The lines of a cell do not look like rows of their own,
    /// and the mark that closes it leaves as many cells as there should be.
    fn continuation(&mut self, width: usize) -> Result<usize, Fault> {
        let delimiter = self.delimiter;
        let mut joined = Cells { line: self.cells.line.clone(), ..Cells::default() };
        let mut own = Cells::default();
        for more in 1..=BREAKS {
            let Some(line) = self.lines.sample(more)?.get(more - 1) else { break };
            own.line.clone_from(line);
            if own.split_plainly(delimiter) == width || joined.line.len() + line.len() >= LONGEST {
                break;
            }
            joined.line.push('\n');
            joined.line.push_str(line);
            if line.contains('"') && joined.split(delimiter) {
                return Ok(if joined.ranges.len() == width { more } else { 0 });
            }
        }
        Ok(0)
    }

    /// The rows that follow, to decide on: up to a few hundred, as far as they can be told apart.
    ///
    /// # Errors
    /// If they cannot be read.
    pub(crate) fn sample(&mut self, mut look: impl FnMut(Row<'_>)) -> Result<(), Fault> {
        let (delimiter, width) = (self.delimiter, self.header.len().max(1));
        let mut cells = Cells::default();
        for line in self.lines.sample(SAMPLE)? {
            cells.line.clone_from(line);
            if self.is_blank_separated && !line.trim().is_empty() {
                cells.split_at_blanks();
                look(Row { cells: &cells, number: 0 });
            } else if !is_blank(line, delimiter) && cells.cut(delimiter, width) != Cut::Open {
                look(Row { cells: &cells, number: 0 });
            }
        }
        Ok(())
    }

    /// The row read last, or that of the column names.
    pub(crate) fn last_row(&self) -> u64 {
        self.lines.number().max(1)
    }

    /// What stands between cells, in words.
    pub(crate) fn delimiter(&self) -> &'static str {
        let known = DELIMITERS.iter().find(|(known, _)| *known == self.delimiter);
        known.map_or("delimiter", |(_, name)| name)
    }

    /// What was guessed about the text so far.
    pub(crate) fn doubt(&self) -> Option<&str> {
        self.lines.doubt()
    }
}

/// Takes what is in the quotation marks that a cell begins with, and says where it ends: at a mark before
/// a blank. Marks inside are doubled, or have a backslash before them, as R writes them.
fn closed(cell: &str, inside: &mut String) -> Option<usize> {
    let mut at = 1;
    loop {
        let rest = &cell[at..];
        let next = rest.find(['"', '\\'])?;
        inside.push_str(&rest[..next]);
        let rest = &rest[next..];
        at += next + 1;
        if rest.starts_with("\\\"") {
            inside.push('"');
            at += 1;
        } else if rest.starts_with('\\') {
            inside.push('\\');
        } else if rest[1..].starts_with(|c: char| c.is_ascii_whitespace()) || rest.len() == 1 {
            return Some(at);
        } else if rest.starts_with("\"\"") {
            inside.push('"');
            at += 1;
        } else {
            return None;
        }
    }
}

/// Whether a line before the column names is none to speak of: blank, or the name of a delimiter.
pub(crate) fn is_aside(line: &str) -> bool {
    line.trim().is_empty() || declared_delimiter(line).is_some()
}

/// The delimiter that a line such as `sep=;` declares: spreadsheets tell each other so.
pub(crate) fn declared_delimiter(line: &str) -> Option<u8> {
    match line.trim_matches(['\u{feff}', ' ', '\r', '\n']).as_bytes() {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] => Some(*delimiter),
        _ => None,
    }
}

/// Whether a line has no cell, not even an empty one before a delimiter.
fn is_blank(line: &str, delimiter: u8) -> bool {
    line.trim().is_empty() && memchr::memchr(delimiter, line.as_bytes()).is_none()
}

/// How a line came apart.
#[derive(PartialEq, Eq)]
enum Cut {
    /// Into cells.
    Whole,
    /// Into cells, with quotation marks that open nothing in the line.
    Stray {
        /// Whether one is open at its end.
        is_open: bool,
    },
    /// A quotation mark is open at its end.
    Open,
}

impl Cells {
    /// Cuts the line into cells, of which there should be `width`. A quotation mark that opens nothing
    /// must not swallow what comes after it: neither cells of its row, nor the rows below.
    fn cut(&mut self, delimiter: u8, width: usize) -> Cut {
        let is_closed = self.split(delimiter);
        if is_closed && (!self.is_quoted || self.ranges.len() == width) {
            return Cut::Whole;
        }
        if self.split_plainly(delimiter) == width && (!is_closed || self.is_balanced()) {
            self.strip();
            return Cut::Stray { is_open: !is_closed };
        }
        if is_closed && self.split(delimiter) { Cut::Whole } else { Cut::Open }
    }

    /// Whether quotation marks stand alone in their cell, or on both of its sides, or inside.
    fn is_balanced(&self) -> bool {
        let mut cells = self.ranges.iter().map(|range| &self.line.as_bytes()[range.clone()]);
        cells.all(|cell| {
            cell.len() == 1 || (cell.first() == Some(&b'"')) == (cell.last() == Some(&b'"'))
        })
    }

    /// Takes quotation marks off that stand on both sides of a cell.
    fn strip(&mut self) {
        let bytes = self.line.as_bytes();
        for range in &mut self.ranges {
            let cell = &bytes[range.clone()];
            if cell.len() > 1 && cell.starts_with(b"\"") && cell.ends_with(b"\"") {
                *range = range.start + 1..range.end - 1;
            }
        }
    }

    /// Cuts the line into cells; false where a quotation mark is open at its end.
    fn split(&mut self, delimiter: u8) -> bool {
        let Self { line, unquoted, is_quoted, ranges, open } = self;
        *is_quoted = memchr::memchr(b'"', line.as_bytes()).is_some();
        if !*is_quoted {
            self.split_plainly(delimiter);
            return true;
        }
        ranges.clear();
        unquoted.clear();
        let bytes = line.as_bytes();
        let mut at = 0;
        loop {
            let start = unquoted.len();
            // A quotation mark inside a cell that does not start with one is a character.
            if bytes.get(at) == Some(&b'"') {
                at += 1;
                *open = at;
                loop {
                    let Some(length) = memchr::memchr(b'"', &bytes[at..]) else { return false };
                    unquoted.push_str(&line[at..at + length]);
                    at += length + 1;
                    if bytes.get(at) != Some(&b'"') {
                        break;
                    }
                    unquoted.push('"');
                    at += 1;
                }
            }
            let length = memchr::memchr(delimiter, &bytes[at..]).unwrap_or(bytes.len() - at);
            unquoted.push_str(&line[at..at + length]);
            at += length;
            ranges.push(start..unquoted.len());
            if at == bytes.len() {
                return true;
            }
            at += 1;
        }
    }

    /// A line that is cut wherever there are blanks.
    fn of_blanks(line: &str) -> Self {
        let mut cells = Self { line: line.to_owned(), ..Self::default() };
        cells.split_at_blanks();
        cells
    }

    /// Cuts the line wherever there are blanks, but for those in quotation marks.
    fn split_at_blanks(&mut self) {
        let Self { line, unquoted, is_quoted, ranges, .. } = self;
        ranges.clear();
        *is_quoted = memchr::memchr(b'"', line.as_bytes()).is_some();
        if !*is_quoted {
            let start = line.as_ptr() as usize;
            for cell in line.split_ascii_whitespace() {
                let from = cell.as_ptr() as usize - start;
                ranges.push(from..from + cell.len());
            }
            return;
        }
        unquoted.clear();
        let mut rest = line.trim_ascii_start();
        while !rest.is_empty() {
            let start = unquoted.len();
            let end = match rest.starts_with('"').then(|| closed(rest, unquoted)).flatten() {
                Some(end) => end,
                None => {
                    unquoted.truncate(start);
                    let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
                    unquoted.push_str(&rest[..end]);
                    end
                }
            };
            ranges.push(start..unquoted.len());
            rest = rest[end..].trim_ascii_start();
        }
    }

    /// Cuts the line at every delimiter, and counts the cells.
    fn split_plainly(&mut self, delimiter: u8) -> usize {
        self.is_quoted = false;
        self.ranges.clear();
        let mut start = 0;
        for end in Places::of(delimiter, self.line.as_bytes()) {
            self.ranges.push(start..end);
            start = end + 1;
        }
        self.ranges.push(start..self.line.len());
        self.ranges.len()
    }
}

/// The places of a byte, found eight bytes at a time: cells are so short that a search for each
/// would take longer.
struct Places<'b> {
    bytes: &'b [u8],
    pattern: u64,
    /// Where the next eight bytes are.
    next: usize,
    /// The highest bit of each byte that is the one looked for, among the last eight.
    found: u64,
}

impl<'b> Places<'b> {
    fn of(byte: u8, bytes: &'b [u8]) -> Self {
        Self { bytes, pattern: u64::from_le_bytes([byte; 8]), next: 0, found: 0 }
    }
}

impl Iterator for Places<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        const LOW: u64 = u64::from_le_bytes([0x7f; 8]);
        while self.found == 0 {
            let rest = self.bytes.get(self.next..).filter(|rest| !rest.is_empty())?;
            let word = match rest.first_chunk::<8>() {
                Some(eight) => u64::from_le_bytes(*eight),
                None => {
                    // What is missing must not be the byte looked for.
                    let mut last = (!self.pattern).to_le_bytes();
                    last[..rest.len()].copy_from_slice(rest);
                    u64::from_le_bytes(last)
                }
            };
            let other = word ^ self.pattern;
            self.found = !(((other & LOW) + LOW) | other | LOW);
            self.next += 8;
        }
        let place = self.next - 8 + (self.found.trailing_zeros() / 8) as usize;
        self.found &= self.found - 1;
        Some(place)
    }
}

/// The delimiter that cuts most rows into as many cells as the first, and those into most.
fn sniff<'l>(lines: impl IntoIterator<Item = &'l String> + Copy) -> (u8, String) {
    let mut best = (0, 0, DELIMITERS[2]);
    let mut cells = Cells::default();
    for (delimiter, name) in DELIMITERS {
        let mut counts = lines.into_iter().filter(|line| !line.trim().is_empty()).map(|line| {
            cells.line.clone_from(line);
            if cells.split(delimiter) { cells.ranges.len() } else { 0 }
        });
        let columns = counts.next().unwrap_or(0);
        let alike = counts.filter(|&count| count == columns).count();
        if columns > 1 && (alike, columns) > (best.0, best.1) {
            best = (alike, columns, (delimiter, name));
        }
    }
    let (alike, columns, (delimiter, name)) = best;
    let why = format!(
        "cells are separated by {name}: {alike} of the first rows have {columns} cells, as the \
         first row has"
    );
    (delimiter, why)
}

#[cfg(test)]
mod tests;
