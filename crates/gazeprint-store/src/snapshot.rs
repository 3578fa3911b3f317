//! Records and log within one transaction.

use std::fmt::Write as _;

use zeroize::Zeroizing;

use crate::backend::{Backend, Row, Stored};
use crate::error::Part;
use crate::header::{OfKind, State, link};
use crate::keys::{Keys, OWN, apart};
use crate::legacy::Old;
use crate::seal::{Cipher, Place};
use crate::tree::{Ground, Item, Leaf, Seal, Tree, after};
use crate::{Kind, Location, StoreError};

/// Bytes of the link in front of an entry of the log.
const LINK: usize = 32;

/// One consistent view of a gallery: what others write meanwhile is not seen.
pub struct Snapshot<'a> {
    pub(crate) at: &'a Location,
    pub(crate) backend: &'a mut dyn Backend,
    pub(crate) view: View<'a>,
    /// Something went wrong: what follows may rest on it.
    failed: bool,
}

/// What is known of a gallery, by its format.
pub(crate) enum View<'a> {
    Now(Now<'a>),
    Old(Old<'a>),
}

/// A gallery of the format that is written.
pub(crate) struct Now<'a> {
    pub(crate) keys: &'a Keys,
    pub(crate) state: State,
    pub(crate) tree: Tree,
}

/// A place among records, in the order in which [`Snapshot::some`] gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor(Row);

/// Name and value of a record.
pub type Record = (String, Zeroizing<Vec<u8>>);

impl<'a> Now<'a> {
    pub(crate) fn new(keys: &'a Keys, state: State) -> Self {
        let tree = Tree::new(state.root);
        Self { keys, state, tree }
    }

    pub(crate) fn of(&mut self, kind: Kind) -> &mut OfKind {
        &mut self.state.kinds[kind as usize]
    }

    /// The records of a name, if there are any.
    pub(crate) fn item(
        &mut self,
        at: &Location,
        backend: &mut dyn Backend,
        row: &Row,
    ) -> Result<Option<Item>, StoreError> {
        self.tree.get(&mut Ground { at, identity: self.keys.identity(), backend }, row)
    }

    pub(crate) fn set_item(
        &mut self,
        at: &Location,
        backend: &mut dyn Backend,
        item: Item,
    ) -> Result<(), StoreError> {
        self.tree.set(&mut Ground { at, identity: self.keys.identity(), backend }, item)
    }
}

/// What the records of an item are under.
pub(crate) fn cipher_of(
    at: &Location,
    keys: &Keys,
    backend: &mut dyn Backend,
    item: &Item,
) -> Result<Cipher, StoreError> {
    if item.slot == OWN {
        return Ok(keys.own().clone());
    }
    let stored = backend.slot(item.slot)?;
    keys.cipher(at, item.slot, stored.as_deref())
}

/// Name and value of a record, if it is the one of an item.
pub(crate) fn opened(
    at: &Location,
    cipher: &Cipher,
    kind: Kind,
    item: &Item,
    stored: Option<Stored>,
) -> Result<Record, StoreError> {
    let damaged = |why: &str| {
        let part = Part::Record { kind, name: None, row: hexadecimal(&item.row) };
        StoreError::Damaged { at: at.clone(), part, why: why.to_owned() }
    };
    let Some(Stored { seal, value }) = stored else { return Err(damaged("it is missing")) };
    if item.seals[kind as usize].as_ref().map(Seal::as_slice) != Some(&seal) {
        return Err(damaged("it is not the one that was written"));
    }
    let mut body = Zeroizing::new(value);
    cipher
        .open(Place::Held(kind, item.row, item.slot), &seal, &mut body)
        .ok()
        .and_then(|()| apart(body))
        .ok_or_else(|| damaged("its seal does not fit"))
}

impl<'a> Snapshot<'a> {
    pub(crate) fn new(at: &'a Location, backend: &'a mut dyn Backend, view: View<'a>) -> Self {
        Self { at, backend, view, failed: false }
    }

    /// Rises with every change of records that answers rest on.
    pub fn generation(&self) -> u64 {
        match &self.view {
            View::Now(now) => now.state.generation,
            View::Old(old) => old.state.generation,
        }
    }

    /// Rises with every change that touches records of a kind.
    pub fn changes(&self, kind: Kind) -> u64 {
        match &self.view {
            View::Now(now) => now.state.kinds[kind as usize].changes,
            View::Old(old) => old.state.generation,
        }
    }

    /// Whether it is of an earlier format: readers have no entries of their own, and nothing is written.
    pub fn is_old(&self) -> bool {
        matches!(self.view, View::Old(_))
    }

    /// Number of entries of the log, and the link behind the last.
    pub(crate) fn log_end(&self) -> (u64, [u8; LINK]) {
        match &self.view {
            View::Now(now) => (now.state.entries, now.state.link),
            View::Old(old) => (old.state.entries, old.state.link),
        }
    }

    /// The record of a name.
    ///
    /// # Errors
    /// If it is damaged, or not the one that was written.
    pub fn get(
        &mut self,
        kind: Kind,
        name: &str,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        let got = self.look_up(kind, name);
        self.noted(got)
    }

    fn look_up(
        &mut self,
        kind: Kind,
        name: &str,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        let Self { at, backend, view, .. } = self;
        let now = match view {
            View::Old(old) => return old.get(&mut **backend, kind, name),
            View::Now(now) => now,
        };
        let row = now.keys.row(kind, name);
        let item = now.item(at, &mut **backend, &row)?;
        let Some(item) = item.filter(|item| item.seals[kind as usize].is_some()) else {
            return Ok(None);
        };
        let cipher = cipher_of(at, now.keys, &mut **backend, &item)?;
        let stored = backend.get(kind, &row)?;
        match opened(at, &cipher, kind, &item, stored) {
            Ok((found, value)) if found == name => Ok(Some(value)),
            Ok(_) => Err(StoreError::broken_record(at, kind, &row, Some(name.to_owned()))),
            Err(error) => Err(error.of_name(name)),
        }
    }

    /// Whether there is a record of a name, without reading it.
    ///
    /// # Errors
    /// If the list of records is damaged.
    pub fn has(&mut self, kind: Kind, name: &str) -> Result<bool, StoreError> {
        let Self { at, backend, view, .. } = self;
        let has = match view {
            View::Old(old) => old.get(&mut **backend, kind, name).map(|found| found.is_some()),
            View::Now(now) => {
                let row = now.keys.row(kind, name);
                let item = now.item(at, &mut **backend, &row);
                item.map(|item| item.is_some_and(|item| item.seals[kind as usize].is_some()))
            }
        };
        self.noted(has)
    }

    /// Calls `work` with every record of a kind, in the order of rows: the same at every reading
    /// of this gallery, but another in a copy of it.
    ///
    /// What `work` was given may be used once this has returned without an error.
    ///
    /// # Errors
    /// Those of `work`. If a record is damaged, or the records are not those that were written.
    pub fn each<E: From<StoreError>>(
        &mut self,
        kind: Kind,
        mut work: impl FnMut(&str, Zeroizing<Vec<u8>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { at, backend, view, failed } = self;
        let now = match view {
            View::Old(old) => {
                let walked = old.each(&mut **backend, kind, work);
                *failed |= walked.is_err();
                return walked;
            }
            View::Now(now) => now,
        };
        let keys = now.keys;
        let mut count = 0;
        let mut ground = Ground { at, identity: keys.identity(), backend: &mut **backend };
        let walked = now.tree.leaves(&mut ground, |ground, leaf| {
            for (name, value) in records_of(ground, keys, kind, leaf)? {
                count += 1;
                work(&name, value)?;
            }
            Ok(())
        });
        let expected = now.of(kind).count;
        let compared = walked.and_then(|()| match count == expected {
            true => Ok(()),
            false => {
                let why = format!("found {count} records, expected {expected}");
                let (at, part) = ((*at).clone(), Part::All(kind));
                Err(StoreError::Damaged { at, part, why }.into())
            }
        });
        *failed |= compared.is_err();
        compared
    }

    /// Some records of a kind, about as many as are asked for, from a place on, and where the next ones
    /// begin; none behind the last.
    ///
    /// # Errors
    /// As [`Snapshot::each`]. Galleries of earlier formats give all at once.
    pub fn some(
        &mut self,
        kind: Kind,
        from: Cursor,
        most: usize,
    ) -> Result<(Vec<Record>, Option<Cursor>), StoreError> {
        if self.is_old() {
            let mut all = Vec::new();
            self.each(kind, |name, value| {
                all.push((name.to_owned(), value));
                Ok::<_, StoreError>(())
            })?;
            return Ok((all, None));
        }
        let read = self.page(kind, from, most);
        self.noted(read)
    }

    fn page(
        &mut self,
        kind: Kind,
        from: Cursor,
        most: usize,
    ) -> Result<(Vec<Record>, Option<Cursor>), StoreError> {
        let Self { at, backend, view, .. } = self;
        let View::Now(now) = view else { return Ok((Vec::new(), None)) };
        let mut ground = Ground { at, identity: now.keys.identity(), backend: &mut **backend };
        let (mut records, mut next) = (Vec::new(), Some(from));
        while let Some(Cursor(row)) = next.filter(|_| records.len() < most) {
            let Some(mut leaf) = now.tree.leaf_from(&mut ground, &row)? else {
                return Ok((records, None));
            };
            next = after(&leaf.range[1]).map(Cursor);
            leaf.items.retain(|item| item.row >= row);
            leaf.range[0] = leaf.range[0].max(row);
            records.extend(records_of(&mut ground, now.keys, kind, leaf)?);
        }
        Ok((records, next))
    }

    /// How many records of a kind there are.
    ///
    /// # Errors
    /// In galleries of earlier formats, if the records are not those that were written.
    pub fn count(&mut self, kind: Kind) -> Result<u64, StoreError> {
        let Self { backend, view, .. } = self;
        let counted = match view {
            View::Now(now) => Ok(now.of(kind).count),
            View::Old(old) => old.count(&mut **backend, kind),
        };
        self.noted(counted)
    }

    /// Calls `work` with the number and the content of every entry of the log, from the first, 1.
    ///
    /// Whether entries are missing at the end shows at the end only.
    ///
    /// # Errors
    /// Those of `work`. If an entry is damaged, or the log is not the one that was written.
    pub fn log<E: From<StoreError>>(
        &mut self,
        mut work: impl FnMut(u64, Zeroizing<Vec<u8>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (expected, end) = self.log_end();
        let mut last = [0; LINK];
        for sequence in 1..=expected {
            let entry = self.entry(sequence, &last);
            let entry = self.noted(entry)?;
            last = link(&last, sequence, &entry);
            work(sequence, entry)?;
        }
        let beyond = self.backend.entry(expected.cast_signed().saturating_add(1));
        let why = match self.noted(beyond)? {
            Some(_) => format!("found more entries, expected {expected}"),
            None if last != end => "found other entries than were written".to_owned(),
            None => return Ok(()),
        };
        let part = Part::Log(None);
        Ok(self.noted(Err(StoreError::Damaged { at: self.at.clone(), part, why }))?)
    }

    /// An entry of the log that follows another.
    pub(crate) fn entry(
        &mut self,
        sequence: u64,
        before: &[u8; LINK],
    ) -> Result<Zeroizing<Vec<u8>>, StoreError> {
        let body = self.entry_body(sequence)?;
        match body.split_first_chunk::<LINK>() {
            Some((link, entry)) if link == before => Ok(Zeroizing::new(entry.to_vec())),
            _ => Err(StoreError::broken_entry(
                self.at,
                sequence,
                "it does not follow the one before",
            )),
        }
    }

    /// An entry of the log, behind the link to those before.
    fn entry_body(&mut self, sequence: u64) -> Result<Zeroizing<Vec<u8>>, StoreError> {
        let damaged = |why| StoreError::broken_entry(self.at, sequence, why);
        let stored = self.backend.entry(sequence.cast_signed())?;
        let Stored { seal, value } = stored.ok_or_else(|| damaged("it is missing"))?;
        let mut body = Zeroizing::new(value);
        let place = Place::Log(sequence);
        let opened = match &self.view {
            View::Now(now) => now.keys.own().open(place, &seal, &mut body),
            View::Old(old) => old.sealer.open(place, &seal, &mut body),
        };
        opened.map_err(|_| damaged("its seal does not fit"))?;
        Ok(body)
    }

    /// The link of the log behind an entry; none where there are fewer.
    ///
    /// # Errors
    /// If the entry after it is damaged.
    pub(crate) fn link_behind(&mut self, sequence: u64) -> Result<Option<[u8; LINK]>, StoreError> {
        let (entries, end) = self.log_end();
        if sequence >= entries {
            return Ok((sequence == entries).then_some(end));
        }
        let body = self.entry_body(sequence + 1)?;
        Ok(body.first_chunk().copied())
    }

    /// Remembers that something failed, so that no change is built on it.
    pub(crate) fn noted<T>(&mut self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.failed |= result.is_err();
        result
    }

    /// The slot with the key of a reader, which nobody else ever has, also not who comes after them by the same name;
    /// none where there is nobody, and the first in galleries of earlier formats, which do not change.
    pub(crate) fn slot(&mut self, name: &str) -> Result<Option<u64>, StoreError> {
        let Self { at, backend, view, .. } = self;
        let slot = match view {
            View::Old(old) => {
                old.get(&mut **backend, Kind::Template, name).map(|found| found.map(|_| OWN))
            }
            View::Now(now) => {
                let row = now.keys.row(Kind::Entry, name);
                now.item(at, &mut **backend, &row).map(|item| item.map(|item| item.slot))
            }
        };
        self.noted(slot)
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }
}

/// The records of a kind in a leaf.
pub(crate) fn records_of(
    ground: &mut Ground<'_>,
    keys: &Keys,
    kind: Kind,
    leaf: Leaf,
) -> Result<Vec<Record>, StoreError> {
    let at = ground.at;
    let items: Vec<Item> =
        leaf.items.into_iter().filter(|item| item.seals[kind as usize].is_some()).collect();
    let stored = ground.backend.range(kind, &leaf.range)?;
    if let Some((row, _)) =
        stored.iter().find(|(row, _)| items.binary_search_by(|it| it.row.cmp(row)).is_err())
    {
        let part = Part::Record { kind, name: None, row: hexadecimal(row) };
        let why = "it was added by something else".to_owned();
        return Err(StoreError::Damaged { at: at.clone(), part, why });
    }
    let mut stored = stored.into_iter().peekable();
    let mut records = Vec::with_capacity(items.len());
    for item in items {
        let cipher = cipher_of(at, keys, ground.backend, &item)?;
        let own = stored.next_if(|(row, _)| *row == item.row).map(|(_, stored)| stored);
        let record = opened(at, &cipher, kind, &item, own);
        records.push(record.map_err(|error| match name_of(ground, &cipher, &item) {
            Some(name) => error.of_name(&name),
            None => error,
        })?);
    }
    Ok(records)
}

/// The name of an item, from a record of any kind that can be read.
fn name_of(ground: &mut Ground<'_>, cipher: &Cipher, item: &Item) -> Option<String> {
    Kind::ALL.into_iter().filter(|kind| item.seals[*kind as usize].is_some()).find_map(|kind| {
        let stored = ground.backend.get(kind, &item.row).ok()?;
        opened(ground.at, cipher, kind, item, stored).ok().map(|(name, _)| name)
    })
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a text takes what is written to it");
    }
    text
}
