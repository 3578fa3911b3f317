//! Changes of records and log within one transaction.

use std::ops::{Deref, DerefMut};

use zeroize::Zeroizing;

use crate::header::{Lock, State, link};
use crate::keys::{ERASED, OWN, body};
use crate::seal::{Place, Sealer, random};
use crate::snapshot::{Now, Snapshot, View, cipher_of};
use crate::tree::{Ground, Item};
use crate::{Kind, StoreError};

/// Largest record, with its name.
const LARGEST: usize = 256 << 20;

/// A change of a gallery: everything of [`Snapshot`], and writing.
pub struct Change<'a> {
    snapshot: Snapshot<'a>,
    /// Whether anything was written.
    pub(crate) is_changed: bool,
    /// Whether the generation has risen.
    is_risen: bool,
    /// Kinds that were touched.
    touched: [bool; Kind::ALL.len()],
}

impl<'a> Deref for Change<'a> {
    type Target = Snapshot<'a>;

    fn deref(&self) -> &Self::Target {
        &self.snapshot
    }
}

impl DerefMut for Change<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.snapshot
    }
}

impl<'a> Change<'a> {
    pub(crate) fn new(snapshot: Snapshot<'a>) -> Self {
        Self { snapshot, is_changed: false, is_risen: false, touched: Default::default() }
    }

    /// The gallery as it is written; those of earlier formats are not.
    pub(crate) fn now(&mut self) -> Result<&mut Now<'a>, StoreError> {
        match &mut self.snapshot.view {
            View::Now(now) => Ok(now),
            View::Old(_) => Err(StoreError::OldFormat { at: self.snapshot.at.clone() }),
        }
    }

    /// The state that goes with the change, and its header, unless a part of it has failed.
    pub(crate) fn finished(
        mut self,
        lock: &Lock,
        sealer: &Sealer,
    ) -> Result<(State, Vec<u8>), StoreError> {
        if self.has_failed() {
            return Err(StoreError::Failed { at: self.at.clone() });
        }
        let Snapshot { at, backend, view, .. } = &mut self.snapshot;
        let View::Now(now) = view else {
            return Err(StoreError::OldFormat { at: at.clone() });
        };
        let mut ground = Ground { at, identity: now.keys.identity(), backend: &mut **backend };
        now.state.root = now.tree.finish(&mut ground)?;
        now.state.recent.rotate_right(1);
        now.state.recent[0] = random()?;
        Ok((now.state.clone(), now.state.header(lock, sealer)?))
    }

    /// Writes a record, new or in place of the one with its name.
    ///
    /// # Errors
    /// If it is too large, or the database refuses.
    pub fn put(&mut self, kind: Kind, name: &str, value: &[u8]) -> Result<(), StoreError> {
        let put = self.write_record(kind, name, value);
        self.noted(put)
    }

    fn write_record(&mut self, kind: Kind, name: &str, value: &[u8]) -> Result<(), StoreError> {
        let found = value.len().saturating_add(name.len());
        if found > LARGEST {
            let (name, most) = (name.chars().take(100).collect(), LARGEST);
            return Err(StoreError::TooLarge { kind, name, found, most });
        }
        self.now()?;
        let Snapshot { at, backend, view, .. } = &mut self.snapshot;
        let View::Now(now) = view else { return Ok(()) };
        let row = now.keys.row(kind, name);
        let known = now.item(at, &mut **backend, &row)?;
        let (mut item, cipher) = match known {
            Some(item) => {
                let cipher = cipher_of(at, now.keys, &mut **backend, &item)?;
                (item, cipher)
            }
            None if kind.is_of_readers() => {
                let slot = now.state.slots;
                now.state.slots += 1;
                let (cipher, wrapped) = now.keys.make(slot)?;
                backend.put_slot(slot, &wrapped)?;
                (Item { row, slot, seals: Default::default() }, cipher)
            }
            None => (Item { row, slot: OWN, seals: Default::default() }, now.keys.own().clone()),
        };
        let mut body = body(name, value);
        let seal = cipher.seal(Place::Held(kind, row, item.slot), &mut body)?;
        backend.put(kind, &row, &seal, &body)?;
        let before = item.seals[kind as usize].replace(seal);
        now.of(kind).count += u64::from(before.is_none());
        now.set_item(at, &mut **backend, item)?;
        self.changed(kind)
    }

    /// Removes the record of a name, and says whether there was one. With the last record of a reader goes
    /// the key that all of them were under.
    ///
    /// # Errors
    /// If the database refuses, or the list of records is damaged.
    pub fn remove(&mut self, kind: Kind, name: &str) -> Result<bool, StoreError> {
        let removed = self.remove_records(name, &[kind]);
        self.noted(removed)
    }

    /// Removes all records of a reader, overwrites the key that they were under, and says whether there
    /// were any. Copies of the records cannot be read any more, unless there is a copy of the key, too.
    ///
    /// # Errors
    /// As [`Change::remove`].
    pub fn forget(&mut self, name: &str) -> Result<bool, StoreError> {
        let of_readers: Vec<Kind> =
            Kind::ALL.into_iter().filter(|kind| kind.is_of_readers()).collect();
        let removed = self.remove_records(name, &of_readers);
        self.noted(removed)
    }

    fn remove_records(&mut self, name: &str, kinds: &[Kind]) -> Result<bool, StoreError> {
        self.now()?;
        let Snapshot { at, backend, view, .. } = &mut self.snapshot;
        let (View::Now(now), Some(first)) = (view, kinds.first()) else { return Ok(false) };
        let row = now.keys.row(*first, name);
        let Some(mut item) = now.item(at, &mut **backend, &row)? else { return Ok(false) };
        let mut removed = Vec::new();
        for &kind in kinds {
            if item.seals[kind as usize].take().is_some() {
                backend.delete(kind, &row)?;
                now.of(kind).count -= 1;
                removed.push(kind);
            }
        }
        if removed.is_empty() {
            return Ok(false);
        }
        if item.is_empty() && item.slot != OWN {
            backend.put_slot(item.slot, &ERASED)?;
        }
        now.set_item(at, &mut **backend, item)?;
        removed.into_iter().try_for_each(|kind| self.changed(kind))?;
        Ok(true)
    }

    /// Adds an entry to the log, and gives its number.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn append(&mut self, entry: &[u8]) -> Result<u64, StoreError> {
        let appended = self.append_entry(entry);
        self.noted(appended)
    }

    fn append_entry(&mut self, entry: &[u8]) -> Result<u64, StoreError> {
        self.now()?;
        let Snapshot { backend, view, .. } = &mut self.snapshot;
        let View::Now(now) = view else { return Ok(0) };
        let sequence = now.state.entries + 1;
        let mut value = Zeroizing::new([now.state.link.as_slice(), entry].concat());
        let seal = now.keys.own().seal(Place::Log(sequence), &mut value)?;
        backend.append(sequence.cast_signed(), &seal, &value)?;
        now.state.link = link(&now.state.link, sequence, entry);
        now.state.entries = sequence;
        self.is_changed = true;
        Ok(sequence)
    }

    /// The generation of the gallery once this change of a record that counts is made.
    pub(crate) fn generation_after(&self) -> u64 {
        self.generation() + u64::from(!self.is_risen)
    }

    fn changed(&mut self, kind: Kind) -> Result<(), StoreError> {
        self.is_changed = true;
        let (rises, is_new) = (kind.counts() && !self.is_risen, !self.touched[kind as usize]);
        self.is_risen |= rises;
        self.touched[kind as usize] = true;
        let now = self.now()?;
        now.state.generation += u64::from(rises);
        now.of(kind).changes += u64::from(is_new);
        Ok(())
    }
}
