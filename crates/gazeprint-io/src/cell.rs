//! One row, and what its cells mean.

use crate::corpus_table::{Column, Heading};
use crate::error::{Place, ReadError};
use crate::table::{Row, shown};

/// What a cell without a value looks like.
const MISSING: [&str; 5] = ["", "NA", "NaN", "nan", "."];

/// Whether a cell stands for a missing value.
pub(crate) fn is_missing(cell: &str) -> bool {
    MISSING.contains(&cell)
}

/// A row of a table of a corpus.
pub(crate) struct CorpusRow<'r> {
    pub(crate) heading: &'r Heading,
    pub(crate) row: Row<'r>,
}

impl<'r> CorpusRow<'r> {
    /// The row's number, as an editor shows it.
    pub(crate) fn number_in_file(&self) -> u64 {
        self.row.number
    }

    /// A cell of the row, for an error message.
    pub(crate) fn place(&self, column: &str) -> Box<Place> {
        self.heading.place(self.row.number, column)
    }

    /// The cell as it stands in the file.
    pub(crate) fn verbatim(&self, column: Column) -> &'r str {
        self.row.verbatim(column.index)
    }

    /// The cell without blanks around it, `None` where its value is missing.
    pub(crate) fn cell(&self, column: Column) -> Option<&'r str> {
        Some(self.row.cell(column.index)).filter(|cell| !is_missing(cell))
    }

    /// A name that must be there.
    pub(crate) fn name(&self, column: Column) -> Result<&'r str, ReadError> {
        self.cell(column).ok_or_else(|| match column.name {
            "session" | "trial" => self.missing(
                column,
                "a name or number",
                "fill the cell, or remove the column, and all of them are 1",
            ),
            _ => self.missing(column, "a name", FILL),
        })
    }

    /// A name, or what it is where the table has no such column.
    pub(crate) fn name_or(
        &self,
        column: Option<Column>,
        default: &'static str,
    ) -> Result<&'r str, ReadError> {
        column.map_or(Ok(default), |column| self.name(column))
    }

    /// A finite number, `None` where it is missing.
    pub(crate) fn number(&self, column: Column) -> Result<Option<f64>, ReadError> {
        let Some(cell) = self.cell(column) else { return Ok(None) };
        match cell.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            Ok(_) => Err(self.wrong(
                column,
                "a finite number",
                "correct the cell, or leave it empty where the value is missing",
            )),
            Err(_) if has_comma(cell) => Err(self.wrong(column, "a number", COMMA)),
            Err(_) => Err(self.wrong(
                column,
                "a number",
                "correct the cell, or leave it empty where the value is missing",
            )),
        }
    }

    /// A number that cannot be below zero, `None` where it is missing.
    pub(crate) fn amount(&self, column: Column) -> Result<Option<f64>, ReadError> {
        match self.number(column)? {
            Some(number) if number < 0.0 => Err(self.wrong(
                column,
                "a number that is not negative",
                "correct the cell, or leave it empty where the value is missing",
            )),
            number => Ok(number),
        }
    }

    /// A whole number, `None` where it is missing.
    pub(crate) fn whole<T: Whole>(
        &self,
        column: Column,
        expected: &'static str,
    ) -> Result<Option<T>, ReadError> {
        let Some(cell) = self.cell(column) else { return Ok(None) };
        let remedy = match whole(cell) {
            Some(number) => match T::try_from(number) {
                Ok(number) => return Ok(Some(number)),
                Err(_) => T::LIMITS,
            },
            None if has_comma(cell) => COMMA,
            None => "correct the cell",
        };
        Err(self.wrong(column, expected, remedy))
    }

    /// A whole number that must be there.
    pub(crate) fn required_whole<T: Whole>(
        &self,
        column: Column,
        expected: &'static str,
    ) -> Result<T, ReadError> {
        self.whole(column, expected)?.ok_or_else(|| self.missing(column, expected, FILL))
    }

    /// Yes or no; missing is no.
    pub(crate) fn flag(&self, column: Column) -> Result<bool, ReadError> {
        match self.cell(column) {
            None | Some("0" | "0.0") => Ok(false),
            Some("1" | "1.0") => Ok(true),
            Some(word) if word.eq_ignore_ascii_case("false") => Ok(false),
            Some(word) if word.eq_ignore_ascii_case("true") => Ok(true),
            Some(_) => Err(self.wrong(column, "0, 1, false or true", "correct the cell")),
        }
    }

    /// The error about a value that the column cannot have.
    pub(crate) fn wrong(
        &self,
        column: Column,
        expected: &'static str,
        remedy: &'static str,
    ) -> ReadError {
        let at = self.place(column.name);
        ReadError::Value { at, found: shown(self.verbatim(column)), expected, remedy }
    }

    /// The error about a value that must be there.
    pub(crate) fn missing(
        &self,
        column: Column,
        expected: &'static str,
        remedy: &'static str,
    ) -> ReadError {
        let at = self.place(column.name);
        ReadError::MissingValue { at, found: shown(self.verbatim(column)), expected, remedy }
    }
}

/// What to do about a value that must be there.
pub(crate) const FILL: &str = "fill the cell or remove the row";

/// What to do about a comma in a number, which may be either.
const COMMA: &str = "write decimals with a point, and thousands without a separator";

/// Whether a cell would be a number but for its commas.
fn has_comma(cell: &str) -> bool {
    cell.contains(',') && cell.replace(',', "").parse::<f64>().is_ok()
}

/// A type of whole numbers.
pub(crate) trait Whole: TryFrom<i128> {
    /// What to do about a number outside of its limits.
    const LIMITS: &'static str;
}

impl Whole for i32 {
    const LIMITS: &'static str = "it must be from -2147483648 to 2147483647; correct the cell";
}

impl Whole for u32 {
    const LIMITS: &'static str = "it must be from 0 to 4294967295; correct the cell";
}

impl Whole for i64 {
    const LIMITS: &'static str =
        "it must be from -9223372036854775808 to 9223372036854775807; correct the cell";
}

/// Reads `3` and also `3.0`, which tools write where a column has had missing values.
fn whole(cell: &str) -> Option<i128> {
    /// Above this not every whole number has a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    cell.parse().ok().or_else(|| {
        let number: f64 = cell.parse().ok()?;
        let number_or_beyond = if number.abs() < EXACT { number as i128 } else { i128::MAX };
        (number.fract() == 0.0).then_some(number_or_beyond)
    })
}
