//! How tables of other tools are opened, and what is noted about them.

use std::io::BufRead;

use super::aliases::{ColumnRole, is_known, plain};
use super::error::ImportError;
use super::recording::Sink;
use super::values::number;
use crate::table::{Rows, is_aside};

/// The cells of a line, whatever stands between them.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let delimited: Vec<&str> = delimited(line).collect();
    match delimited[..] {
        [_] => line.split_ascii_whitespace().map(bare).collect(),
        _ => delimited,
    }
}

fn delimited(line: &str) -> impl Iterator<Item = &str> {
    line.split(['\t', ',', ';', '|']).map(bare)
}

/// A cell without what stands around it.
fn bare(cell: &str) -> &str {
    cell.trim_matches(['"', '\u{feff}', ' ', '\r'])
}

/// A line has this many known names for column names that come after other lines.
const NAMES: usize = 3;

/// How many of the first lines stand before the column names: blank ones, comments, and what tools say
/// about a recording before its table begins. As a rule the first line has the names. Where it has none,
/// or one by chance, they are in the line that has most.
pub(super) fn lines_before(lines: &[&str]) -> usize {
    let known = |name: &&str| is_known(name);
    let is_comment =
        |line: &str| line.trim_start().starts_with('#') && !delimited(line).any(is_known);
    let is_before = |line: &&&str| is_aside(line) || is_comment(line);
    let first = lines.iter().take_while(is_before).count();
    let Some(line) = lines.get(first) else { return first };
    if cells(line).iter().filter(|name| known(name)).count() > 1 {
        return first;
    }
    let counts = lines.iter().enumerate().skip(first);
    let counts = counts.map(|(at, line)| (delimited(line).filter(|name| known(name)).count(), at));
    // Of equals, the earliest.
    let best = counts.max_by_key(|&(count, at)| (count, std::cmp::Reverse(at)));
    best.filter(|&(count, _)| count >= NAMES).map_or(first, |(_, at)| at)
}

impl<'i> Rows<'i> {
    /// The rows of a table as other tools write it.
    ///
    /// # Errors
    /// If the input cannot be read or has nothing in it.
    pub(crate) fn open(
        input: &'i mut dyn BufRead,
        expected: &'static str,
    ) -> Result<Self, ImportError> {
        Ok(Self::forgiving(input, expected, lines_before)?)
    }

    /// What is said of a role before the column names, as `Subject: P01`.
    pub(crate) fn told(&self, role: ColumnRole) -> Option<&str> {
        let pairs = self.preamble.iter().filter_map(|line| {
            let (key, value) = line.split_once([':', '\t'])?;
            let value = value.trim_matches([':', ' ', '\t', '"', '\r']);
            let value =
                value.split('\t').next().map(str::trim).filter(|value| !value.is_empty())?;
            Some((plain(key), value))
        });
        let pairs: Vec<(String, &str)> = pairs.collect();
        role.names().find_map(|name| {
            let wanted = plain(name);
            pairs.iter().find(|(key, _)| *key == wanted).map(|(_, value)| *value)
        })
    }

    /// Notes how quotation marks were taken.
    pub(crate) fn note_quotes(&self, sink: &mut dyn Sink) {
        if let Some(row) = self.stray_quote {
            sink.note(format!(
                "quotation marks that open nothing are taken as they stand, first in row {row}"
            ));
        }
    }

    /// Notes whether numbers of these columns have a decimal comma.
    ///
    /// # Errors
    /// If the first rows cannot be read.
    pub(crate) fn note_commas(
        &mut self,
        columns: &[Option<usize>],
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        let mut commas = false;
        self.sample(|row| {
            let mut cells = columns.iter().flatten().map(|&column| row.cell(column));
            commas |= cells.any(|cell| cell.contains(',') && number(cell, true).is_some());
        })?;
        if commas {
            sink.note("decimals follow a comma: numbers of the first rows have one".to_owned());
        }
        Ok(())
    }
}
