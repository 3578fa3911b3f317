//! Which marks of validity are of samples that can be used.

use std::collections::BTreeMap;

use super::super::error::{At, ImportError};
use super::super::setting::{Setting, phrase};

/// Kinds of marks that are told apart. A column with more does not mark samples.
const MOST_MARKS: usize = 16;

/// The mark of samples that can be used, and how it is known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Valid {
    pub(super) mark: f64,
    pub(super) reason: &'static str,
}

/// What a data set or the user says about marks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct KnownMarks {
    /// What the user said.
    pub(super) given: Option<f64>,
    /// What is documented of tables with these columns.
    pub(super) documented: Option<(f64, &'static str)>,
}

impl KnownMarks {
    /// Decides on the marks of one trial, each with whether its sample has a place that an eye can look
    /// at. Conventions differ: 0 is good for some makers, and 1 for others.
    ///
    /// # Errors
    /// If there are too many kinds of marks.
    pub(super) fn decide(
        self,
        row: u64,
        column: &str,
        marks: impl Iterator<Item = (f64, bool)>,
    ) -> Result<Valid, ImportError> {
        if let Some(mark) = self.given {
            return Ok(Valid { mark, reason: "as given" });
        }
        if let Some((mark, reason)) = self.documented {
            return Ok(Valid { mark, reason });
        }
        // Marks are finite, so that their bits tell them apart once zeros have one sign.
        let mut plausible: BTreeMap<u64, u64> = BTreeMap::new();
        for (mark, is_plausible) in marks {
            *plausible.entry((mark + 0.0).to_bits()).or_default() += u64::from(is_plausible);
            if plausible.len() > MOST_MARKS {
                return Err(ImportError::value(
                    At::cell(row, column),
                    format!("more than {MOST_MARKS} different values"),
                    "a few marks of validity",
                    phrase!["say which value is that of good samples with ", Setting::Valid],
                ));
            }
        }
        let reason = match plausible.len() {
            1 => "there is no other value",
            _ => "it leaves most samples with a place that an eye can look at",
        };
        let best = plausible.iter().rev().max_by_key(|(_, count)| **count);
        Ok(Valid { mark: best.map_or(0.0, |(bits, _)| f64::from_bits(*bits)), reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(known: KnownMarks, marks: &[(f64, bool)]) -> (f64, &'static str) {
        let valid = known.decide(1, "val", marks.iter().copied()).unwrap();
        (valid.mark, valid.reason)
    }

    #[test]
    fn the_mark_that_leaves_most_places_is_that_of_good_samples() {
        let known = KnownMarks::default();
        assert_eq!(decided(known, &[(1.0, true), (1.0, true), (0.0, true)]).0, 1.0);
        assert_eq!(decided(known, &[(1.0, false), (1.0, false), (0.0, true)]).0, 0.0);
        // Where it makes no difference, the smaller one, as most makers have it.
        assert_eq!(decided(known, &[(1.0, true), (0.0, true)]).0, 0.0);
        assert!(decided(known, &[(4.0, true), (-0.0, true), (0.0, true)]).0 == 0.0);
        assert!(decided(known, &[(4.0, true)]).1.contains("no other"));
    }

    #[test]
    fn what_is_known_comes_first() {
        let documented = Some((0.0, "as published"));
        let known = KnownMarks { given: None, documented };
        assert_eq!(decided(known, &[(1.0, true)]), (0.0, "as published"));
        assert_eq!(decided(KnownMarks { given: Some(2.0), ..known }, &[]), (2.0, "as given"));
    }

    #[test]
    fn a_column_of_many_values_marks_nothing() {
        let marks = (0..40).map(|i| (f64::from(i) / 40.0, true));
        let error = KnownMarks::default().decide(1, "confidence", marks).unwrap_err();
        assert!(error.to_string().contains("`valid`"), "{error}");
    }
}
