//! Which marks of validity are of samples, or of fixations, that can be used.

use std::collections::BTreeMap;

use super::error::{At, ImportError};
use super::setting::{Setting, phrase};
use super::values::number;

/// Kinds of marks that are told apart. A column with more does not mark samples.
const MOST_MARKS: usize = 16;

/// The mark of samples that can be used, and how it is known.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::import) struct Valid {
    pub(in crate::import) mark: f64,
    pub(in crate::import) reason: &'static str,
    /// Whether it is known from elsewhere than the samples.
    pub(in crate::import) is_given: bool,
}

/// How many samples or fixations each mark would leave, over the whole of a file.
#[derive(Debug, Clone, Default)]
pub(in crate::import) struct Marks(BTreeMap<u64, u64>);

impl Marks {
    /// Takes a mark, and whether its sample has a place that an eye can look at.
    pub(in crate::import) fn see(&mut self, mark: f64, is_seen: bool) {
        if self.0.len() <= MOST_MARKS {
            *self.0.entry(key(mark)).or_default() += u64::from(is_seen);
        }
    }

    /// What each mark would leave, in words.
    pub(in crate::import) fn describe(&self) -> String {
        let left =
            self.0.iter().map(|(mark, count)| format!("{count} for {}", f64::from_bits(*mark)));
        left.collect::<Vec<_>>().join(", ")
    }

    /// The mark that would leave more than this one.
    pub(in crate::import) fn better(&self, than: f64) -> Option<f64> {
        let mine = self.0.get(&key(than)).copied().unwrap_or(0);
        let best = self.0.iter().max_by_key(|(_, count)| **count)?;
        (*best.1 > mine).then(|| f64::from_bits(*best.0))
    }
}

/// The mark in a cell; words stand for 1 and 0.
pub(in crate::import) fn mark(cell: &str, comma: bool) -> Option<f64> {
    match cell.to_ascii_lowercase().as_str() {
        "true" | "valid" | "yes" | "good" => Some(1.0),
        "false" | "invalid" | "no" | "bad" => Some(0.0),
        _ => number(cell, comma),
    }
}

/// Marks are finite, so that their bits tell them apart once zeros have one sign.
fn key(mark: f64) -> u64 {
    (mark + 0.0).to_bits()
}

/// What a data set or the user says about marks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::import) struct KnownMarks {
    /// What the user said.
    pub(in crate::import) given: Option<f64>,
    /// What is documented of tables with these columns.
    pub(in crate::import) documented: Option<(f64, &'static str)>,
}

impl KnownMarks {
    /// Decides on the marks of one trial, or of the first rows, each with whether its sample has a place that an eye can look
    /// at; none where no sample has. Conventions differ: 0 is good for some makers, and 1 for others.
    ///
    /// # Errors
    /// If there are too many kinds of marks.
    pub(in crate::import) fn decide(
        self,
        row: u64,
        column: &str,
        marks: impl Iterator<Item = (f64, bool)>,
    ) -> Result<Option<Valid>, ImportError> {
        if let Some(mark) = self.given {
            return Ok(Some(Valid { mark, reason: "as given", is_given: true }));
        }
        if let Some((mark, reason)) = self.documented {
            return Ok(Some(Valid { mark, reason, is_given: true }));
        }
        let mut plausible: BTreeMap<u64, u64> = BTreeMap::new();
        for (mark, is_plausible) in marks {
            *plausible.entry(key(mark)).or_default() += u64::from(is_plausible);
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
            _ => "it leaves most samples with a place that an eye can look at, and that moves",
        };
        // Where nothing can be looked at, a later trial decides.
        let best = plausible.iter().rev().max_by_key(|(_, count)| **count);
        let best = best.filter(|(_, count)| **count > 0);
        Ok(best.map(|(bits, _)| Valid { mark: f64::from_bits(*bits), reason, is_given: false }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(known: KnownMarks, marks: &[(f64, bool)]) -> (f64, &'static str) {
        let valid = known.decide(1, "val", marks.iter().copied()).unwrap().unwrap();
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
    fn a_trial_without_places_does_not_decide() {
        let known = KnownMarks::default();
        assert_eq!(known.decide(1, "val", [(0.0, false)].into_iter()).unwrap(), None);
        let mut marks = Marks::default();
        for (mark, is_seen) in [(0.0, true), (1.0, true), (1.0, true), (-0.0, false)] {
            marks.see(mark, is_seen);
        }
        assert_eq!((marks.better(0.0), marks.better(1.0)), (Some(1.0), None));
        assert_eq!(marks.describe(), "1 for 0, 2 for 1");
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
