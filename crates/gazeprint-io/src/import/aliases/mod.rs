//! What columns are called elsewhere, and which of them a table has.
//!
//! Names are compared without case, blanks, underscores, brackets and other signs: `duration [ms]`
//! is `duration_ms`. Names of one role stand in ranks. A column of a better rank wins; among those of
//! one rank, the one spelt exactly as listed; where two are left, that is an error, not a guess. A
//! format whose columns are known to mean something says so by a [`Preference`], with the reason.

mod known;
mod roles;

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Serialize;

use super::error::{At, ImportError};
use super::setting::{Phrase, Setting, phrase};

pub(crate) use known::{
    DATA_VIEWER, LEFT_EYE, MARKS, POP_EYE, Preference, RIGHT_EYE, TABLE, TOBII,
};
pub use roles::{ColumnRole, Unit};

use Unit::{
    Characters as Ch, Degrees as Deg, Fractions as Fr, Microseconds as Us, Milliseconds as Ms,
    Nanoseconds as Ns, Pixels as Px, Seconds as S,
};

/// A choice of the user: a role, perhaps with its unit, and the column for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What for.
    pub role: ColumnRole,
    /// What its numbers are in, where the user said so.
    pub unit: Option<Unit>,
    /// The column's name, or several joined by `+`.
    pub column: String,
}

impl Choice {
    /// Reads `role=COLUMN`; the role may have a unit: `x_px`, `x_char`, `duration_s`, `onset_ms`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((name, column)) = text.split_once('=') else {
            return Err(format!("found {text:?}, expected role=COLUMN, such as reader=subject"));
        };
        let name = name.trim().to_lowercase();
        let units = [
            ("_px", Px),
            ("_char", Ch),
            ("_norm", Fr),
            ("_deg", Deg),
            ("_ms", Ms),
            ("_us", Us),
            ("_ns", Ns),
            ("_s", S),
        ];
        let (stem, unit) = units
            .into_iter()
            .find_map(|(end, unit)| Some((name.strip_suffix(end)?, Some(unit))))
            .unwrap_or((&name, None));
        let role = ColumnRole::ALL.into_iter().find(|role| role.name() == stem);
        match role.filter(|role| unit.is_none_or(|unit| role.fits(unit))) {
            Some(role) => Ok(Self { role, unit, column: column.trim().to_owned() }),
            None => Err(format!(
                "there is no role {name:?}; roles are {}, and x_char, x_px, x_norm, x_deg, \
                 duration_ms, duration_s, onset_ms, onset_s, time_ms, time_us, time_ns and time_s to say \
                 the unit as well",
                ColumnRole::ALL.map(ColumnRole::name).join(", ")
            )),
        }
    }
}

/// A column that was found for a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mapped {
    /// What it is for.
    pub role: ColumnRole,
    /// Its name; several are joined by `+`, and their cells by `_`.
    pub column: String,
    /// Its place, from 0.
    #[serde(skip)]
    pub index: usize,
    /// Places of the further columns, where the name is in several.
    #[serde(skip)]
    pub further: Vec<usize>,
    /// What its numbers are in, where that is known from its name.
    pub unit: Option<Unit>,
    /// Whether the user chose it.
    #[serde(skip)]
    pub is_chosen: bool,
    /// Why this one.
    pub reason: Phrase,
}

impl Mapped {
    /// The places of all its columns.
    pub fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::once(self.index).chain(self.further.iter().copied())
    }
}

/// The columns of a table, by role.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Mapping(pub Vec<Mapped>);

impl Mapping {
    /// The column of a role.
    pub fn get(&self, role: ColumnRole) -> Option<&Mapped> {
        self.0.iter().find(|mapped| mapped.role == role)
    }

    /// Whether a column stands here because the user chose it.
    pub(super) fn chose(&self, choice: &Choice) -> bool {
        let is_it = |mapped: &Mapped| plain(&mapped.column) == plain(&choice.column);
        self.get(choice.role).is_some_and(|mapped| mapped.is_chosen && is_it(mapped))
    }

    /// The columns of a table that stand for nothing here.
    pub(super) fn others(&self, header: &[String]) -> Vec<String> {
        let mapped: Vec<String> = self.0.iter().map(|mapped| plain(&mapped.column)).collect();
        // Names in several columns are joined.
        let parts = self.0.iter().filter(|mapped| !mapped.further.is_empty());
        let parts: Vec<String> = parts.flat_map(|m| m.column.split('+').map(plain)).collect();
        let is_other = |name: &&String| {
            let plain = plain(name);
            !name.is_empty() && !mapped.contains(&plain) && !parts.contains(&plain)
        };
        header.iter().filter(is_other).cloned().collect()
    }

    /// The place of a role's column.
    pub fn index(&self, role: ColumnRole) -> Option<usize> {
        self.get(role).map(|mapped| mapped.index)
    }

    /// As [`Mapping::find`], for a table beside the fixations: choices may be for other tables.
    ///
    /// # Errors
    /// If several columns may be meant.
    pub fn find_beside(
        header: &[String],
        row: u64,
        roles: &[ColumnRole],
        choices: &[Choice],
    ) -> Result<Self, ImportError> {
        Self::find_preferring(header, row, roles, &beside(header, choices), &[])
    }

    /// Finds columns for roles; a column is used once, by the first role that takes it.
    ///
    /// # Errors
    /// If several columns may be meant, or one that the user chose is not there.
    pub fn find(
        header: &[String],
        row: u64,
        roles: &[ColumnRole],
        choices: &[Choice],
    ) -> Result<Self, ImportError> {
        Self::find_preferring(header, row, roles, choices, &[])
    }

    /// As [`Mapping::find`], with what a format means by its columns.
    pub(crate) fn find_preferring(
        header: &[String],
        row: u64,
        roles: &[ColumnRole],
        choices: &[Choice],
        preferences: &[Preference],
    ) -> Result<Self, ImportError> {
        let mut found = Self::default();
        // What the user chose is not to be taken by a role that comes first.
        for choice in choices.iter().filter(|choice| roles.contains(&choice.role)) {
            found.choose(header, row, choice)?;
        }
        for &role in roles {
            if found.get(role).is_some() {
                continue;
            }
            let preference = preferences.iter().find(|preference| preference.role == role);
            if let Some(preference) = preference
                && (found.prefer(header, row, preference)? || preference.only)
            {
                continue;
            }
            if !found.pair(header, role) {
                found.search(header, row, role)?;
            }
        }
        found.0.sort_by_key(|mapped| mapped.role);
        Ok(found)
    }

    fn choose(&mut self, header: &[String], row: u64, choice: &Choice) -> Result<(), ImportError> {
        let is_again = |taken: &&mut Mapped| {
            taken.role == choice.role && plain(&taken.column) == plain(&choice.column)
        };
        if let Some(taken) = self.0.iter_mut().find(is_again) {
            // The same column again, perhaps now with its unit.
            taken.unit = choice.unit.or(taken.unit);
            return Ok(());
        }
        if let Some(taken) = self.get(choice.role) {
            let chosen = |column: &str| Phrase::choice(choice.role.name(), column);
            return Err(ImportError::value(
                At::row(row),
                phrase![chosen(&taken.column), " and ", chosen(&choice.column)],
                "one column for a role",
                "leave one of them out",
            ));
        }
        let whole = [choice.column.as_str()];
        let parts: Vec<&str> = choice.column.split('+').collect();
        let is_whole = header.iter().any(|name| plain(name) == plain(&choice.column));
        let parts = if is_whole || parts.iter().any(|part| plain(part).is_empty()) {
            &whole[..]
        } else {
            &parts[..]
        };
        let mut indices = Vec::new();
        for part in parts {
            let candidates = alike(header, part);
            let [index] = candidates[..] else {
                return Err(ImportError::value(
                    At::row(row),
                    match candidates.len() {
                        0 => format!("the columns {}", header.join(", ")),
                        _ => format!("several columns like {part}"),
                    },
                    format!("one column {part}"),
                    phrase!["correct ", Phrase::choice(choice.role.name(), &choice.column)],
                ));
            };
            indices.push(index);
        }
        self.take(header, choice.role, &indices, phrase!["chosen with ", Setting::Choice]);
        if let Some(mapped) = self.0.last_mut() {
            mapped.is_chosen = true;
            mapped.unit = choice.unit.or(mapped.unit);
        }
        Ok(())
    }

    /// Takes the first of a format's own names that is there; false where none is.
    fn prefer(
        &mut self,
        header: &[String],
        row: u64,
        preference: &Preference,
    ) -> Result<bool, ImportError> {
        let role = preference.role;
        let mut present = Vec::new();
        for key in preference.keys {
            let mut indices = Vec::new();
            for part in key.split('+') {
                let mut candidates = alike(header, part);
                candidates.retain(|index| self.is_free(*index));
                match candidates[..] {
                    [] => break,
                    [index] => indices.push(index),
                    _ if present.is_empty() => {
                        return Err(ambiguous(header, row, role, &candidates));
                    }
                    _ => break,
                }
            }
            if indices.len() == key.split('+').count() {
                present.push((indices, *key));
            }
        }
        let [(indices, _), others @ ..] = &present[..] else { return Ok(false) };
        let others: Vec<&str> =
            others.iter().filter(|(other, _)| other != indices).map(|(_, key)| *key).collect();
        let reason = if others.is_empty() {
            "the format's own name".to_owned()
        } else {
            format!("before {}: {}", others.join(", "), preference.why)
        };
        self.take(header, role, indices, reason.into());
        Ok(true)
    }

    /// Takes the column that is called like that of x, with a y for an x; false where none is.
    fn pair(&mut self, header: &[String], role: ColumnRole) -> bool {
        let Some(x) = self.get(ColumnRole::X).filter(|_| role == ColumnRole::Y) else {
            return false;
        };
        let (name, reason) = (plain(&x.column), format!("called like {}", x.column));
        let pairs: Vec<String> = name
            .match_indices('x')
            .map(|(at, _)| format!("{}y{}", &name[..at], &name[at + 1..]))
            .collect();
        let is_pair = |index: &usize| pairs.contains(&plain(&header[*index]));
        let all: Vec<usize> =
            (0..header.len()).filter(|&index| self.is_free(index)).filter(is_pair).collect();
        let [index] = all[..] else { return false };
        self.take(header, role, &[index], reason.into());
        true
    }

    fn search(&mut self, header: &[String], row: u64, role: ColumnRole) -> Result<(), ImportError> {
        for rank in role.ranks() {
            let mut keys: Vec<Vec<usize>> = Vec::new();
            let mut exact: Vec<usize> = Vec::new();
            for (known, _) in *rank {
                if known.contains('+') {
                    let parts: Option<Vec<usize>> = known
                        .split('+')
                        .map(|part| alike(header, part).into_iter().find(|&i| self.is_free(i)))
                        .collect();
                    keys.extend(parts);
                    continue;
                }
                let wanted = plain(known);
                for (index, name) in header.iter().enumerate() {
                    if self.is_free(index) && plain(name) == wanted {
                        keys.push(vec![index]);
                        if name == known {
                            exact.push(index);
                        }
                    }
                }
            }
            keys.sort();
            keys.dedup();
            let (indices, reason) = match (&keys[..], &exact[..]) {
                ([], _) => continue,
                ([indices], _) => (indices.clone(), "a known name"),
                (_, [index]) => (vec![*index], "spelt exactly like a known name"),
                _ => {
                    let all: Vec<usize> = keys.into_iter().flatten().collect();
                    return Err(ambiguous(header, row, role, &all));
                }
            };
            self.take(header, role, &indices, reason.into());
            return Ok(());
        }
        Ok(())
    }

    /// Takes columns that were found otherwise than by the best name.
    pub(super) fn replace(
        &mut self,
        role: ColumnRole,
        header: &[String],
        indices: &[usize],
        reason: &'static str,
    ) {
        self.0.retain(|mapped| mapped.role != role);
        self.take(header, role, indices, reason.into());
        self.0.sort_by_key(|mapped| mapped.role);
    }

    fn is_free(&self, index: usize) -> bool {
        self.0.iter().all(|mapped| mapped.indices().all(|taken| taken != index))
    }

    fn take(&mut self, header: &[String], role: ColumnRole, indices: &[usize], reason: Phrase) {
        let [index, further @ ..] = indices else { return };
        let column = joined(header, indices);
        let unit = implied(role, &column);
        let (index, further) = (*index, further.to_vec());
        self.0.push(Mapped { role, column, index, further, unit, is_chosen: false, reason });
    }

    /// Checks that columns were found for roles.
    ///
    /// # Errors
    /// If not for all.
    pub fn require(
        &self,
        header: &[String],
        row: u64,
        roles: &[ColumnRole],
    ) -> Result<(), ImportError> {
        let lacking = roles.iter().filter(|&&role| self.get(role).is_none());
        let roles: Vec<&'static str> = lacking.map(|role| role.name()).collect();
        if roles.is_empty() {
            return Ok(());
        }
        /// Columns that a message names.
        const NAMED: usize = 40;
        let mut found: Vec<String> = header.iter().take(NAMED).cloned().collect();
        if header.len() > NAMED {
            found.push(format!("{} more", header.len() - NAMED));
        }
        Err(ImportError::missing(At::row(row), roles, found))
    }
}

/// The choices that are about a table beside the fixations: those whose columns it has.
pub(crate) fn beside(header: &[String], choices: &[Choice]) -> Vec<Choice> {
    let has = |part: &str| header.iter().any(|name| plain(name) == plain(part));
    let is_here = |choice: &&Choice| has(&choice.column) || choice.column.split('+').all(&has);
    choices.iter().filter(is_here).cloned().collect()
}

/// Whether a column names recordings: of a reader there may be several.
pub(crate) fn names_recordings(column: &str) -> bool {
    let column = plain(column);
    ["recordingsessionlabel", "recordingname", "recordingid", "sessionname"]
        .contains(&column.as_str())
}

/// Whether a column counts trials, and names texts only where nothing else does.
pub(crate) fn is_trial_counter(column: &str) -> bool {
    let column = plain(column);
    let counters = [
        "trialindex",
        "trialid",
        "triallabel",
        "trial",
        "trialnr",
        "trialnum",
        "trialnumber",
        "trialno",
        "trialn",
    ];
    counters.contains(&column.as_str())
}

/// Whether a column may count what is shown one after the other, as pages, and not name it.
pub(crate) fn may_count(column: &str) -> bool {
    let column = plain(column);
    ["page", "pageid", "paragraph", "paragraphid", "screenid", "mediaid"].contains(&column.as_str())
}

/// The columns of a name: the one spelt exactly so, or else those alike.
fn alike(header: &[String], name: &str) -> Vec<usize> {
    if let Some(index) = header.iter().position(|column| column == name) {
        return vec![index];
    }
    let wanted = plain(name);
    (0..header.len()).filter(|&i| !wanted.is_empty() && plain(&header[i]) == wanted).collect()
}

fn ambiguous(header: &[String], row: u64, role: ColumnRole, indices: &[usize]) -> ImportError {
    let candidates = indices.iter().map(|&i| header[i].clone()).collect();
    ImportError::ambiguous(At::row(row), role.name(), candidates)
}

/// The names of columns, as one.
fn joined(header: &[String], indices: &[usize]) -> String {
    indices.iter().map(|&i| header[i].as_str()).collect::<Vec<_>>().join("+")
}

impl ColumnRole {
    /// The names that columns for the role are known by, best first.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        self.ranks().iter().flat_map(|rank| rank.iter()).map(|(name, _)| *name)
    }

    /// Whether a column of this name is known to be for the role.
    pub(super) fn knows(self, column: &str) -> bool {
        let wanted = plain(column);
        self.names().any(|name| plain(name) == wanted)
    }
}

/// Whether a column of this name is known to be for any role.
pub(super) fn is_known(column: &str) -> bool {
    // Asked for every cell of the first lines of a table.
    static KNOWN: LazyLock<HashSet<String>> = LazyLock::new(|| {
        ColumnRole::ALL.into_iter().flat_map(ColumnRole::names).map(plain).collect()
    });
    KNOWN.contains(&plain(column))
}

/// The unit that a column's name implies.
fn implied(role: ColumnRole, column: &str) -> Option<Unit> {
    let plain_column = plain(column);
    let mut known = role.ranks().iter().flat_map(|rank| rank.iter());
    known.find(|(name, _)| plain(name) == plain_column).and_then(|(_, unit)| *unit)
}

/// A name without case and signs.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
