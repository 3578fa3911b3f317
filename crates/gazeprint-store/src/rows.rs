//! Rows of all readers, by which a large gallery is searched without its templates.
//!
//! Every reader has a row of their own, under their own key. All are made with one space, which is kept, so
//! that whoever enrols a reader makes their row, too. Rows of another space are told by its number.

use gazeprint::method::{Community, Likeness};
use gazeprint::search::{COMPONENTS, Row, Space};
use serde::{Deserialize, Serialize};

use crate::content::{
    StoredBackground, Version, VoicedRules, are_alike, content, decode, encode, likeness, setting,
    stored_background, stored_rules, versioned,
};
use crate::failure::GalleryError;
use crate::gallery::Gallery;
use crate::stored::StoredCohort;
use crate::{Change, Cursor, Kind, Location, Snapshot};

/// Setting with the number of the space, and whether all readers have rows in it.
const ROWS: &str = "rows";
/// Setting with the space itself.
const SPACE: &str = "space";
/// Setting with the number of readers of whom rows could not be made when it was tried.
const NO_ROWS: &str = "no rows";
/// Version of a row.
const VERSION: u8 = 1;

/// What rows of readers are made with.
#[derive(Debug, Clone)]
pub struct RowMaking {
    /// Tells it from those before.
    pub number: u64,
    /// Makes rows, and queries for them.
    pub space: Space,
}

/// All that searching takes; the templates of those who are found come later.
#[derive(Debug, Clone)]
pub struct Searchable {
    /// What templates are compared on.
    pub community: Community,
    /// The readers, by name.
    pub readers: Vec<String>,
    /// Their rows.
    pub rows: Vec<Row>,
    /// What they were made with.
    pub space: Space,
    /// How decisions are made.
    pub rules: VoicedRules,
    /// The gallery as it was.
    pub generation: u64,
    /// Imagined readers that these are held against.
    pub cohort: StoredCohort,
}

/// A reader whose row is to be made.
#[derive(Debug, Clone)]
pub struct WithoutRow {
    /// Name or pseudonym.
    pub id: String,
    /// What the row is made from.
    pub likeness: Likeness,
    /// Which version of the reader that is.
    pub version: Version,
}

/// What is known of the rows of a gallery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsKept {
    /// All readers have one.
    All,
    /// They were not made yet, or not all.
    Missing,
    /// They could not be made of about as many readers as there are.
    Impossible,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct StoredRows {
    number: u64,
    are_complete: bool,
}

fn stored_rows(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
) -> Result<Option<StoredRows>, GalleryError> {
    let stored = snapshot.get(Kind::Settings, ROWS)?;
    // Rows of older galleries are of another kind, and made anew.
    let stored = stored.filter(|_| !snapshot.is_old());
    stored.map(|bytes| decode(at, ROWS, &bytes)).transpose()
}

/// Keeps the row of a reader who is enrolled, where the gallery keeps rows of that space.
pub(crate) fn put_row(
    at: &Location,
    change: &mut Change<'_>,
    id: &str,
    row: Option<&(u64, Option<Row>)>,
) -> Result<(), GalleryError> {
    let kept = stored_rows(at, change)?;
    match (kept, row) {
        (Some(kept), Some((number, Some(row)))) if kept.number == *number => {
            change.put(Kind::Row, id, &row_bytes(*number, row))?;
        }
        (Some(kept), Some((number, None))) if kept.number == *number => {
            change.remove(Kind::Row, id)?;
        }
        (None, _) => drop(change.remove(Kind::Row, id)?),
        (Some(_), _) => {
            let what = "what rows are made with".to_owned();
            return Err(GalleryError::Conflict { at: at.clone(), what });
        }
    }
    Ok(())
}

fn row_bytes(number: u64, row: &Row) -> Vec<u8> {
    let numbers = row.iter().flat_map(|value| value.to_le_bytes());
    [VERSION].into_iter().chain(number.to_le_bytes()).chain(numbers).collect()
}

/// A row, and the number of its space.
fn read_row(at: &Location, id: &str, bytes: &[u8]) -> Result<(u64, Row), GalleryError> {
    let read = || {
        let (&VERSION, rest) = bytes.split_first()? else { return None };
        let (number, rest) = rest.split_first_chunk::<8>()?;
        let (values, rest) = rest.as_chunks::<4>();
        let mut row = [0.0; COMPONENTS];
        if values.len() != COMPONENTS || !rest.is_empty() {
            return None;
        }
        for (number, value) in row.iter_mut().zip(values) {
            *number = f32::from_le_bytes(*value);
        }
        row.iter().all(|value| value.is_finite()).then_some((u64::from_le_bytes(*number), row))
    };
    let odd = || content(at, &format!("the row of {id:?}"), "found no 256 finite numbers");
    read().ok_or_else(odd)
}

/// Rows are no longer what the gallery is searched by.
pub(crate) fn drop_rows(change: &mut Change<'_>) -> Result<(), GalleryError> {
    change.remove(Kind::Settings, ROWS)?;
    change.remove(Kind::Settings, SPACE)?;
    change.remove(Kind::Settings, NO_ROWS)?;
    Ok(())
}

impl Gallery {
    /// All that searching takes, where the gallery has rows of all its readers.
    ///
    /// # Errors
    /// If any of it cannot be read.
    pub fn searchable(&mut self) -> Result<Option<Searchable>, GalleryError> {
        let at = self.location().clone();
        self.vault.read(|snapshot| {
            let (generation, count) = (snapshot.generation(), snapshot.count(Kind::Entry)?);
            let Some(stored) = stored_rows(&at, snapshot)?.filter(|rows| rows.are_complete) else {
                return Ok(None);
            };
            let rules = stored_rules(&at, snapshot)?;
            let Some(rules) = rules.filter(|rules| rules.are_current(generation, count)) else {
                return Ok(None);
            };
            let Some((readers, rows)) = read_rows(&at, snapshot, stored.number)? else {
                return Ok(None);
            };
            let StoredBackground { community, .. } = stored_background(&at, snapshot)?;
            let (space, rules) = (setting(&at, snapshot, SPACE)?, rules.into_rules());
            let cohort = StoredCohort::read(&at, snapshot)?;
            Ok(Some(Searchable { community, readers, rows, space, rules, generation, cohort }))
        })
    }

    /// What the rows of readers are made with, where the gallery keeps rows.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn row_making(&mut self) -> Result<Option<RowMaking>, GalleryError> {
        let at = self.location().clone();
        self.vault.read(|snapshot| {
            let Some(StoredRows { number, .. }) = stored_rows(&at, snapshot)? else {
                return Ok(None);
            };
            Ok(Some(RowMaking { number, space: setting(&at, snapshot, SPACE)? }))
        })
    }

    /// Whether the gallery has rows of all its readers, or could.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn rows_kept(&mut self) -> Result<RowsKept, GalleryError> {
        let at = self.location().clone();
        self.vault.read(|snapshot| {
            if stored_rows(&at, snapshot)?.is_some_and(|rows| rows.are_complete) {
                return Ok(RowsKept::All);
            }
            let tried = snapshot.get(Kind::Settings, NO_ROWS)?;
            let tried: Option<u64> = tried.map(|bytes| decode(&at, NO_ROWS, &bytes)).transpose()?;
            let readers = snapshot.count(Kind::Entry)?;
            Ok(match tried.is_some_and(|tried| are_alike(tried, readers)) {
                true => RowsKept::Impossible,
                false => RowsKept::Missing,
            })
        })
    }

    /// Keeps in mind that rows cannot be made of the readers as they are now, who would all be looked at each time
    /// that is tried.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn give_up_rows(&mut self) -> Result<(), GalleryError> {
        let at = self.location().clone();
        self.vault.write(|change| {
            let readers = change.count(Kind::Entry)?;
            Ok(change.put(Kind::Settings, NO_ROWS, &encode(&at, NO_ROWS, &readers)?)?)
        })
    }

    /// From now on readers have rows of this space; those of others are no longer searched.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn begin_rows(&mut self, space: &Space) -> Result<RowMaking, GalleryError> {
        let at = self.location().clone();
        let number = self.vault.write(|change| {
            let number = change.generation_after();
            let stored = StoredRows { number, are_complete: false };
            change.put(Kind::Settings, ROWS, &encode(&at, ROWS, &stored)?)?;
            change.put(Kind::Settings, SPACE, &encode(&at, SPACE, space)?)?;
            Ok::<_, GalleryError>(number)
        })?;
        Ok(RowMaking { number, space: space.clone() })
    }

    /// Some readers who have no row of a space, from a place on, and where the next ones begin; none behind
    /// the last.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn without_rows(
        &mut self,
        number: u64,
        from: Cursor,
        most: usize,
    ) -> Result<(Vec<WithoutRow>, Option<Cursor>), GalleryError> {
        let at = self.location().clone();
        self.vault.read(|snapshot| {
            let (entries, next) = snapshot.some(Kind::Entry, from, most)?;
            let mut without = Vec::new();
            for (id, _) in entries {
                let row = snapshot.get(Kind::Row, &id)?;
                let row = row.map(|bytes| read_row(&at, &id, &bytes)).transpose()?;
                if row.is_some_and(|(found, _)| found == number) {
                    continue;
                }
                let known = versioned(&at, snapshot, &id)?.zip(likeness(&at, snapshot, &id)?);
                if let Some(((_, version), likeness)) = known {
                    without.push(WithoutRow { id, likeness, version });
                }
            }
            Ok((without, next))
        })
    }

    /// Keeps rows of readers who are still as they were.
    ///
    /// # Errors
    /// If the gallery cannot be written, or keeps rows of another space by now.
    pub fn add_rows(
        &mut self,
        number: u64,
        rows: &[(WithoutRow, Row)],
    ) -> Result<(), GalleryError> {
        let at = self.location().clone();
        self.vault.write(|change| {
            for (WithoutRow { id, version, .. }, row) in rows {
                let there = versioned(&at, change, id)?.map(|(_, version)| version);
                if there == Some(*version) {
                    put_row(&at, change, id, Some(&(number, Some(*row))))?;
                }
            }
            Ok(())
        })
    }

    /// All readers have rows, if that is so: whoever was enrolled meanwhile has one, too.
    ///
    /// # Errors
    /// If the gallery cannot be written.
    pub fn end_rows(&mut self, number: u64) -> Result<bool, GalleryError> {
        let at = self.location().clone();
        self.vault.write(|change| {
            let are_ours = stored_rows(&at, change)?.is_some_and(|rows| rows.number == number);
            let are_all = change.count(Kind::Row)? == change.count(Kind::Entry)?;
            if are_ours && are_all {
                let stored = StoredRows { number, are_complete: true };
                change.put(Kind::Settings, ROWS, &encode(&at, ROWS, &stored)?)?;
            }
            Ok(are_ours && are_all)
        })
    }
}

impl Gallery {
    /// The templates of some readers of a gallery that is still as it was when it was searched.
    ///
    /// # Errors
    /// If it was changed since, or they cannot be read.
    pub fn templates_of<'a>(
        &mut self,
        readers: impl Iterator<Item = &'a str>,
        generation: u64,
    ) -> Result<Vec<Likeness>, GalleryError> {
        let at = self.location().clone();
        self.vault.read(|snapshot| {
            if snapshot.generation() != generation {
                let what = "the gallery".to_owned();
                return Err(GalleryError::Conflict { at: at.clone(), what });
            }
            let mut templates = Vec::new();
            for id in readers {
                let missing = || content(&at, &format!("the template of {id:?}"), "it is missing");
                templates.push(likeness(&at, snapshot, id)?.ok_or_else(missing)?);
            }
            Ok(templates)
        })
    }
}

/// Names of readers, and their rows in the same order.
type NamedRows = (Vec<String>, Vec<Row>);

/// Names and rows of all readers; nothing where a row is of another space.
fn read_rows(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    number: u64,
) -> Result<Option<NamedRows>, GalleryError> {
    let count = snapshot.count(Kind::Row)?;
    if count != snapshot.count(Kind::Entry)? {
        return Ok(None);
    }
    let count = usize::try_from(count).unwrap_or(0);
    let (mut readers, mut rows) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let mut are_all = true;
    snapshot.each(Kind::Row, |id, bytes| {
        let (found, row) = read_row(at, id, &bytes)?;
        are_all &= found == number;
        readers.push(id.to_owned());
        rows.push(row);
        Ok::<_, GalleryError>(())
    })?;
    sort_together(&mut readers, &mut rows);
    Ok(are_all.then_some((readers, rows)))
}

/// Sorts names, and rows with them, where they stand: there may be very many.
fn sort_together(names: &mut [String], rows: &mut [Row]) {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_unstable_by(|&a, &b| names[a].cmp(&names[b]));
    // Along each cycle of the permutation.
    for start in 0..order.len() {
        let mut place = start;
        while order[place] != start {
            let from = order[place];
            names.swap(place, from);
            rows.swap(place, from);
            order[place] = place;
            place = from;
        }
        order[place] = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_with_their_rows() {
        let mut names: Vec<String> = (0..50_usize).map(|i| format!("{:02}", i * 37 % 50)).collect();
        let row = |name: &String| {
            let mut row = [0.0; COMPONENTS];
            row[3] = name.parse().unwrap();
            row
        };
        let mut rows: Vec<Row> = names.iter().map(row).collect();
        sort_together(&mut names, &mut rows);
        assert!(names.is_sorted());
        assert!(names.iter().map(row).eq(rows));
    }
}
