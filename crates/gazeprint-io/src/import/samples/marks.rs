//! Which column says of samples whether they are good, and which may say so and is not read.

use super::super::aliases::{ColumnRole, Mapping, plain};
use super::super::error::ImportError;
use super::super::recording::{Eye, Sink};
use super::super::setting::{Phrase, Setting, phrase};
use super::super::validity::mark;
use super::super::values::{is_missing, number};
use crate::table::{Row, Rows};

/// The least confidence of samples that are good, as Pupil Labs advises in the description of its data.
const CONFIDENT: f64 = 0.6;

/// What columns of marks are called, but for the eye that is in their names; best first.
const MARKS: [&str; 11] = [
    "validity",
    "val",
    "valid",
    "isvalid",
    "gazevalidity",
    "gazevalid",
    "gazepointvalidity",
    "gazepointvalid",
    "eyevalidity",
    "eyevalid",
    "validityeye",
];

/// Of these, those that are 1 where a sample is good, by what they say.
const OF_GOOD: [&str; 5] = ["valid", "isvalid", "gazevalid", "gazepointvalid", "eyevalid"];

const CONFIDENCES: [&str; 3] = ["confidence", "gazeconfidence", "eyeconfidence"];

/// What the name of a column of marks says: its place in the lists above, and whose eye it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Named {
    rank: usize,
    eye: Option<Eye>,
}

impl Named {
    fn of(column: &str) -> Option<Self> {
        let name = plain(column);
        let known = |name: &str| MARKS.iter().chain(&CONFIDENCES).position(|known| *known == name);
        if let Some(rank) = known(&name) {
            return Some(Self { rank, eye: None });
        }
        let of = |eye: Eye, long: &str, short: char| {
            let rest = match name.contains(long) {
                true => name.replacen(long, "", 1),
                false => name.strip_suffix(short)?.to_owned(),
            };
            Some(Self { rank: known(&rest)?, eye: Some(eye) })
        };
        of(Eye::Left, "left", 'l').or_else(|| of(Eye::Right, "right", 'r'))
    }

    fn is_confidence(self) -> bool {
        self.rank >= MARKS.len()
    }

    fn is_of_good(self) -> bool {
        MARKS.get(self.rank).is_some_and(|name| OF_GOOD.contains(name))
    }
}

/// How the marks of a column are read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Read {
    /// The least confidence that is good, where the column has confidences.
    pub(super) least: Option<f64>,
    /// The mark of good samples, where names or makers tell.
    pub(super) documented: Option<(f64, &'static str)>,
}

impl Read {
    /// The mark in a cell; none where it is missing.
    pub(super) fn mark(&self, cell: &str, comma: bool) -> Result<Option<f64>, ()> {
        if is_missing(cell) {
            return Ok(None);
        }
        match self.least {
            Some(least) => number(cell, comma).map(|it| f64::from(u8::from(it >= least))),
            None => mark(cell, comma),
        }
        .map(Some)
        .ok_or(())
    }
}

/// Takes the column of marks, that of the eye whose positions are taken before others. `given` is what the
/// user says of good samples.
pub(super) fn find(
    rows: &mut Rows<'_>,
    mapping: &mut Mapping,
    eye: Option<Eye>,
    given: Option<f64>,
) -> Result<Read, ImportError> {
    let is_chosen = mapping.get(ColumnRole::Validity).is_some_and(|mapped| mapped.is_chosen);
    if !is_chosen {
        let is_free = |at: &usize| {
            mapping
                .0
                .iter()
                .all(|m| m.role == ColumnRole::Validity || m.indices().all(|i| i != *at))
        };
        let named = (0..rows.header.len()).filter(is_free);
        let named = named.filter_map(|at| Some((Named::of(&rows.header[at])?, at)));
        let is_of_eye = |(named, _): &(Named, usize)| named.eye.is_none() || named.eye == eye;
        // Those of the eye come first, and marks before confidences.
        let key = |(named, at): &(Named, usize)| {
            (named.is_confidence(), named.eye.is_none(), named.rank, *at)
        };
        if let Some((_, at)) = named.filter(is_of_eye).min_by_key(key) {
            let header = rows.header.clone();
            mapping.replace(ColumnRole::Validity, &header, &[at], "its name is one of marks");
        }
    }
    let Some(taken) = mapping.get(ColumnRole::Validity).cloned() else {
        return Ok(Read::default());
    };
    let Some(named) = Named::of(&taken.column) else { return Ok(Read::default()) };
    let mut numbers = Vec::new();
    rows.sample(|row| {
        let cell = row.cell(taken.index);
        if !is_missing(cell) {
            numbers.push(mark(cell, true));
        }
    })?;
    let all = |test: fn(f64) -> bool| {
        !numbers.is_empty() && numbers.iter().all(|number| number.is_some_and(test))
    };
    if named.is_confidence() {
        if all(|number| (0.0..=1.0).contains(&number)) {
            let reason = if given.is_some() { "as given" } else { "as Pupil Labs advises" };
            let least = given.unwrap_or(CONFIDENT);
            return Ok(Read { least: Some(least), documented: Some((1.0, reason)) });
        }
        if !is_chosen {
            mapping.0.retain(|mapped| mapped.role != ColumnRole::Validity);
        }
    }
    let by_name = named.is_of_good() && all(|number| number == 0.0 || number == 1.0);
    Ok(Read { least: None, documented: by_name.then_some((1.0, "by its name")) })
}

/// Columns that may say which samples are good, and are not read.
#[derive(Debug, Default)]
pub(super) struct UnreadMarks {
    columns: Vec<Unread>,
    /// The column that is read.
    taken: Option<String>,
}

#[derive(Debug)]
struct Unread {
    index: usize,
    name: String,
    first: Option<String>,
    differs: bool,
}

impl UnreadMarks {
    /// Those of a table, unless the user has chosen one; columns of the other eye are not among them.
    pub(super) fn new(header: &[String], mapping: &Mapping, eye: Option<Eye>) -> Self {
        let taken = mapping.get(ColumnRole::Validity);
        if taken.is_some_and(|mapped| mapped.is_chosen) {
            return Self::default();
        }
        let others = mapping.others(header);
        let may_mark = |name: &String| {
            let plain = plain(name);
            let is_of_other = match (Named::of(name).and_then(|named| named.eye), eye) {
                (Some(named), Some(eye)) => named != eye,
                _ => false,
            };
            let is_like = ["valid", "confidence"].iter().any(|part| plain.contains(part));
            // Pupils and places of eyes are marked as well.
            let is_of_else = ["pupil", "origin"].iter().any(|part| plain.contains(part));
            is_like && !is_of_else && !is_of_other && others.contains(name)
        };
        let columns = header.iter().enumerate().filter(|(_, name)| may_mark(name));
        let unread = |(index, name): (usize, &String)| Unread {
            index,
            name: name.clone(),
            first: None,
            differs: false,
        };
        let taken = taken.map(|mapped| mapped.column.clone());
        Self { columns: columns.map(unread).collect(), taken }
    }

    pub(super) fn see(&mut self, row: Row<'_>) {
        for column in self.columns.iter_mut().filter(|column| !column.differs) {
            let cell = row.cell(column.index);
            match &column.first {
                Some(first) => column.differs = first != cell,
                None => column.first = Some(cell.to_owned()),
            }
        }
    }

    pub(super) fn warn(&self, sink: &mut dyn Sink) {
        let differing: Vec<&str> =
            self.columns.iter().filter(|column| column.differs).map(|c| &*c.name).collect();
        let [first, ..] = differing[..] else { return };
        let advice = phrase!["choose it with ", Phrase::choice("validity", first)];
        let otherwise = match &self.taken {
            Some(taken) => {
                phrase![", and if not, say so with ", Phrase::choice("validity", taken)]
            }
            None => phrase![", and say what good samples have with ", Setting::Valid],
        };
        sink.warn(
            phrase![format!(
                "{} may mark samples that are not good, and {} not read: if one does, ",
                differing.join(", "),
                if differing.len() > 1 { "are" } else { "is" },
            )]
            .and(advice)
            .and(otherwise),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_known_by_their_names_with_and_without_an_eye() {
        let found = |name: &str| Named::of(name).map(|named| (named.is_confidence(), named.eye));
        for name in ["Validity", "valid", "is_valid", "VAL"] {
            assert_eq!(found(name), Some((false, None)), "{name}");
        }
        for name in ["validity_left", "LeftValidity", "left_gaze_point_validity", "validity_l"] {
            assert_eq!(found(name), Some((false, Some(Eye::Left))), "{name}");
        }
        assert_eq!(found("Validity Right"), Some((false, Some(Eye::Right))));
        assert_eq!(found("confidence"), Some((true, None)));
        for name in ["pupil_validity", "value", "interval", "left"] {
            assert_eq!(found(name), None, "{name}");
        }
    }
}
