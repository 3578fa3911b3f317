//! Rows of all readers, by which a large gallery is searched without its templates.

use gazeprint::method::{Community, Likeness};
use gazeprint::search::{COMPONENTS, Queries, Row};
use serde::{Deserialize, Serialize};

use crate::content::{
    Entry, GalleryError, StoredBackground, VoicedRules, content, decode, encode, setting,
    stored_background, stored_rules, template,
};
use crate::gallery::Gallery;
use crate::{Change, Kind, Location, Snapshot};

/// Setting with what turns probes into queries.
const QUERIES: &str = "queries";
/// Rows in a record.
const CHUNK: usize = 4096;

/// Rows of readers, and what turns probes into queries for them.
#[derive(Debug, Clone)]
pub struct Rows {
    /// For probes.
    pub queries: Queries,
    /// By name of the reader.
    pub rows: Vec<Row>,
}

/// All that searching takes; the templates of those who are found come later.
#[derive(Debug, Clone)]
pub struct Searchable {
    /// What templates are compared on.
    pub community: Community,
    /// The readers, by name.
    pub readers: Vec<String>,
    /// Their rows.
    pub rows: Rows,
    /// How decisions are made.
    pub rules: VoicedRules,
    /// The gallery as it was.
    pub generation: u64,
}

#[derive(Serialize, Deserialize)]
struct StoredQueries {
    /// That of the gallery with these rows, unchanged since they were made.
    generation: u64,
    readers: usize,
    queries: Queries,
}

/// Some readers in a row.
#[derive(Serialize, Deserialize)]
struct StoredRows {
    readers: Vec<String>,
    numbers: Vec<f32>,
}

fn name(chunk: usize) -> String {
    format!("rows {chunk}")
}

/// Keeps rows, within a change that leaves the gallery one generation later, or none.
pub(crate) fn put_rows(
    at: &Location,
    change: &mut Change<'_>,
    rows: Option<(&Rows, &[Entry])>,
) -> Result<(), GalleryError> {
    drop_rows(change)?;
    let Some((Rows { queries, rows }, readers)) = rows else {
        return Ok(());
    };
    let (generation, queries) = (change.generation_after(), queries.clone());
    let stored = StoredQueries { generation, readers: readers.len(), queries };
    change.put(Kind::Settings, QUERIES, &encode(at, QUERIES, &stored)?)?;
    for (number, (readers, rows)) in readers.chunks(CHUNK).zip(rows.chunks(CHUNK)).enumerate() {
        let readers = readers.iter().map(|entry| entry.id.clone()).collect();
        let stored = StoredRows { readers, numbers: rows.as_flattened().to_vec() };
        let name = name(number);
        change.put(Kind::Settings, &name, &encode(at, &name, &stored)?)?;
    }
    Ok(())
}

fn stored_queries(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
) -> Result<Option<StoredQueries>, GalleryError> {
    let stored = snapshot.get(Kind::Settings, QUERIES)?;
    stored.map(|bytes| decode(at, QUERIES, &bytes)).transpose()
}

/// Readers are no longer what their rows say.
pub(crate) fn drop_rows(change: &mut Change<'_>) -> Result<(), GalleryError> {
    change.remove(Kind::Settings, QUERIES)?;
    let mut number = 0;
    while change.remove(Kind::Settings, &name(number))? {
        number += 1;
    }
    Ok(())
}

fn read_rows(
    at: &Location,
    snapshot: &mut Snapshot<'_>,
    count: usize,
) -> Result<(Vec<String>, Vec<Row>), GalleryError> {
    let templates = snapshot.count(Kind::Template)?;
    if templates != count as u64 {
        let error = format!("found rows of {count} readers, expected those of {templates}");
        return Err(content(at, QUERIES, error));
    }
    let (mut readers, mut rows) = (Vec::new(), Vec::new());
    for number in 0..count.div_ceil(CHUNK) {
        let name = name(number);
        let stored: StoredRows = setting(at, snapshot, &name)?;
        let (own, rest) = stored.numbers.as_chunks::<COMPONENTS>();
        if own.len() != stored.readers.len() || !rest.is_empty() {
            let (found, readers) = (stored.numbers.len(), stored.readers.len());
            let error =
                format!("found {found} numbers of {readers} readers, expected {COMPONENTS} each");
            return Err(content(at, &name, error));
        }
        if !stored.numbers.iter().all(|number| number.is_finite()) {
            return Err(content(at, &name, "found numbers that are not finite"));
        }
        rows.extend_from_slice(own);
        readers.extend(stored.readers);
    }
    if readers.len() != count {
        let error = format!("found rows of {} readers, expected {count}", readers.len());
        return Err(content(at, QUERIES, error));
    }
    Ok((readers, rows))
}

impl Gallery {
    /// All that searching takes, where the gallery has rows of its readers as they are now.
    ///
    /// # Errors
    /// If any of it cannot be read.
    pub fn searchable(&mut self) -> Result<Option<Searchable>, GalleryError> {
        let at = self.location().clone();
        self.vault.read(|snapshot| {
            let generation = snapshot.generation();
            let Some(stored) = stored_queries(&at, snapshot)? else {
                return Ok(None);
            };
            let rules = stored_rules(&at, snapshot)?;
            let rules = match rules {
                Some(rules) if [rules.generation, stored.generation] == [generation; 2] => {
                    rules.rules
                }
                _ => return Ok(None),
            };
            let StoredBackground { community, .. } = stored_background(&at, snapshot)?;
            let (readers, rows) = read_rows(&at, snapshot, stored.readers)?;
            let rows = Rows { queries: stored.queries, rows };
            Ok(Some(Searchable { community, readers, rows, rules, generation }))
        })
    }

    /// Whether the gallery has rows at all: a change that drops them overwrites them too.
    pub(crate) fn keeps_rows(&mut self) -> Result<bool, GalleryError> {
        Ok(self.vault.read(|snapshot| snapshot.get(Kind::Settings, QUERIES))?.is_some())
    }

    /// Reads the rows, where there are any.
    pub(crate) fn check_rows(&mut self) -> Result<(), GalleryError> {
        let at = self.location().clone();
        self.vault.read(|snapshot| {
            let Some(stored) = stored_queries(&at, snapshot)? else {
                return Ok(());
            };
            for id in read_rows(&at, snapshot, stored.readers)?.0 {
                if template(&at, snapshot, &id)?.is_none() {
                    return Err(content(&at, QUERIES, format!("there is no reader {id:?}")));
                }
            }
            Ok(())
        })
    }

    /// Whether the gallery has rows of its readers as they are now.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn has_rows(&mut self) -> Result<bool, GalleryError> {
        let at = self.location().clone();
        self.vault.read(|snapshot| {
            let generation = snapshot.generation();
            let stored = stored_queries(&at, snapshot)?;
            Ok(stored.is_some_and(|stored| stored.generation == generation))
        })
    }

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
                let stored = template(&at, snapshot, id)?;
                let missing = || content(&at, &format!("the template of {id:?}"), "it is missing");
                templates.push(stored.ok_or_else(missing)?.likeness);
            }
            Ok(templates)
        })
    }
}
