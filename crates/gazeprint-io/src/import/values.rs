//! What cells mean: missing values, numbers, flags, names. The same for every format.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use unicode_normalization::{UnicodeNormalization as _, is_nfc};
use unicode_width::UnicodeWidthChar as _;

use super::aliases::{ColumnRole, Mapping};
use super::recording::{Eye, Reason};
use crate::table::Row;

/// Whether a cell stands for a missing value.
pub(crate) fn is_missing(cell: &str) -> bool {
    matches!(
        cell,
        "" | "."
            | "-"
            | "NA"
            | "N/A"
            | "n/a"
            | "#N/A"
            | "NaN"
            | "nan"
            | "null"
            | "NULL"
            | "None"
            | "UNDEFINED"
            | "UNDEFINEDnull"
    )
}

/// A cell that has a value.
pub(crate) fn present(cell: &str) -> Option<&str> {
    Some(cell).filter(|cell| !is_missing(cell))
}

/// Reads a number; with `comma`, decimals may follow one.
pub(crate) fn number(cell: &str, comma: bool) -> Option<f64> {
    let bytes = cell.as_bytes();
    // Most numbers are short and whole.
    if bytes.len() <= 9 && !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit) {
        let whole = bytes.iter().fold(0, |sum: u32, digit| sum * 10 + u32::from(digit - b'0'));
        return Some(f64::from(whole));
    }
    let is_number = |b: &u8| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E');
    let number = match memchr::memchr(b',', bytes) {
        // The parser would take `inf` and `nan` as well.
        None => bytes.iter().all(is_number).then(|| cell.parse::<f64>().ok())??,
        Some(_) if !comma || cell.contains('.') => return None,
        Some(_) => cell.replace(',', ".").parse::<f64>().ok()?,
    };
    number.is_finite().then_some(number)
}

/// Reads a number that may be missing.
pub(crate) fn number_or_missing(cell: &str, comma: bool) -> Result<Option<f64>, Reason> {
    match number(cell, comma) {
        Some(number) => Ok(Some(number)),
        None if is_missing(cell) => Ok(None),
        None => Err(Reason::NOT_A_NUMBER),
    }
}

/// Reads `3` and also `3.0`, which tools write where a column has had missing values.
pub(crate) fn whole(cell: &str) -> Option<u32> {
    integer(cell).and_then(|number| u32::try_from(number).ok())
}

/// As [`whole`], with a sign.
pub(crate) fn integer(cell: &str) -> Option<i64> {
    /// Beyond this no table counts.
    const MOST: f64 = 1e10;
    let value = number(cell, true)?;
    (value.fract() == 0.0 && value.abs() < MOST).then_some(value as i64)
}

/// Whether there was a gap: yes, or a blink on the side that counts.
pub(crate) fn is_true(cell: &str) -> bool {
    matches!(cell, "1" | "1.0" | "BEFORE" | "BOTH") || cell.eq_ignore_ascii_case("true")
}

/// A name with its accents in the letters that they are on: some systems write them on their own, and
/// the names of files so.
pub(crate) fn composed(name: &str) -> Cow<'_, str> {
    match is_nfc(name) {
        true => name.into(),
        false => name.nfc().collect(),
    }
}

/// Characters as they are seen: accents and other marks are part of the letter before them, whether a
/// file has them on their own or not. Each with its place, from 0.
pub(crate) fn characters(text: &str) -> impl Iterator<Item = (u32, char)> + '_ {
    let mut count = 0_u32;
    text.chars().map(move |character| {
        let is_mark = count > 0 && character.width() == Some(0);
        count += u32::from(!is_mark);
        (count - 1, character)
    })
}

/// How many characters are seen.
pub(crate) fn character_count(text: &str) -> u32 {
    characters(text).last().map_or(0, |(at, _)| at + 1)
}

/// The two numbers of a list such as `[512.3, 384]`; `None` where it is none of two.
pub(crate) fn pair(cell: &str) -> Option<[&str; 2]> {
    let inner = cell.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    let (x, y) = inner.split_once(',')?;
    Some([x.trim(), y.trim()])
}

/// Whether a place is what trackers write where they see no eye: twice the same number, 0 or below.
pub(crate) fn is_nowhere(x: f64, y: f64) -> bool {
    x == y && x <= 0.0
}

/// Which eye.
pub(crate) fn eye(cell: &str) -> Option<Eye> {
    match cell.as_bytes().first().map(u8::to_ascii_lowercase) {
        Some(b'l') => Some(Eye::Left),
        Some(b'r') => Some(Eye::Right),
        _ => None,
    }
}

/// SharedNames that occur again and again, kept once.
#[derive(Default)]
pub(crate) struct SharedNames(HashMap<Box<str>, Arc<str>>);

impl SharedNames {
    fn get(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return Arc::clone(known);
        }
        let shared: Arc<str> = composed(name).into();
        self.0.insert(name.into(), Arc::clone(&shared));
        shared
    }
}

/// A name in one column or several: the same as in the row before, as a rule.
pub(crate) struct Name {
    index: usize,
    further: Vec<usize>,
    joined: String,
    last: Option<Arc<str>>,
}

impl Name {
    /// The name of a role, where there is a column for it.
    pub(crate) fn of(mapping: &Mapping, role: ColumnRole) -> Option<Self> {
        let mapped = mapping.get(role)?;
        let (index, further) = (mapped.index, mapped.further.clone());
        Some(Self { index, further, joined: String::new(), last: None })
    }

    /// The name in a row; none where a cell of it is missing.
    pub(crate) fn get(&mut self, row: Row<'_>, names: &mut SharedNames) -> Option<Arc<str>> {
        let first = row.cell(self.index);
        let name = if self.further.is_empty() {
            first
        } else {
            self.joined.clear();
            self.joined.push_str(present(first)?);
            for &column in &self.further {
                self.joined.push('_');
                self.joined.push_str(present(row.cell(column))?);
            }
            &self.joined
        };
        match &self.last {
            Some(last) if **last == *name => Some(Arc::clone(last)),
            _ => {
                let shared = names.get(present(name)?);
                Some(Arc::clone(self.last.insert(shared)))
            }
        }
    }
}

/// The name of a role that may have no column.
pub(crate) fn name(
    column: &mut Option<Name>,
    row: Row<'_>,
    names: &mut SharedNames,
) -> Option<Arc<str>> {
    column.as_mut()?.get(row, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_have_a_decimal_comma_where_that_is_said() {
        assert_eq!(number("1,5", true), Some(1.5));
        assert_eq!(number("1,5", false), None);
        assert_eq!(number("1.000,5", true), None);
        assert_eq!(number("inf", false), None);
        assert_eq!(number("1e999", false), None);
        assert_eq!(number("-3.5e2", true), Some(-350.0));
        assert_eq!(number("0042", false), Some(42.0));
        assert_eq!(number("12345678901", false), Some(12_345_678_901.0));
        assert_eq!(number("", true), None);
    }

    #[test]
    fn accents_on_their_own_are_part_of_their_letter() {
        assert_eq!((character_count("cafe\u{301}"), character_count("caf\u{e9}")), (4, 4));
        assert_eq!(
            (character_count(""), character_count("\u{301}a"), character_count("漢字")),
            (0, 2, 2)
        );
        let places: Vec<u32> = characters("e\u{301}\u{302}t").map(|(at, _)| at).collect();
        assert_eq!(places, [0, 0, 0, 1]);
    }

    #[test]
    fn names_are_the_same_whoever_wrote_their_accents() {
        assert_eq!(composed("Jose\u{301}"), "Jos\u{e9}");
        assert!(matches!(composed("Jos\u{e9}"), Cow::Borrowed(_)));
    }

    #[test]
    fn whole_numbers_may_have_zeros_behind_the_point() {
        assert_eq!(
            (whole("3"), whole("3.0"), whole("3.5"), whole("-1")),
            (Some(3), Some(3), None, None)
        );
        assert_eq!((integer("-1"), integer("1e300")), (Some(-1), None));
        assert_eq!(whole("4294967295"), Some(u32::MAX));
    }
}
