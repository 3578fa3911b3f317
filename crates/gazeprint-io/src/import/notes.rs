//! How tables of other tools are opened, and what is noted about them.

use std::io::BufRead;

use super::aliases::ColumnRole;
use super::error::ImportError;
use super::recording::Sink;
use super::values::number;
use crate::table::Rows;

/// The cells of a line, whatever stands between them.
pub(super) fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(['\t', ',', ';', '|']).map(|name| name.trim_matches(['"', '\u{feff}', ' ']))
}

/// Whether a line before the column names is a comment: it starts with `#` and has no known name in it.
pub(super) fn is_comment(line: &str) -> bool {
    let is_known = |name: &str| ColumnRole::ALL.into_iter().any(|role| role.knows(name));
    line.trim_start().starts_with('#') && !cells(line).any(is_known)
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
        Ok(Self::forgiving(input, expected, is_comment)?)
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
