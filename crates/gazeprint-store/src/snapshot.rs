//! Records and log within one transaction.

use std::fmt::Write as _;
use std::ops::{ControlFlow, Deref, DerefMut};

use zeroize::Zeroizing;

use crate::backend::{Backend, Depth, Row, Stored};
use crate::error::Part;
use crate::header::{Lock, State, Tally, link};
use crate::seal::{Digests, Place, RowDigest, Sealer};
use crate::{Kind, Location, StoreError};

/// Largest record, with its name.
const LARGEST: usize = 256 << 20;
/// Bytes of the length of a name.
const LENGTH: usize = 4;
/// Bytes of the link in front of an entry of the log.
const LINK: usize = 32;

/// One consistent view of a gallery: what others write meanwhile is not seen.
pub struct Snapshot<'a> {
    pub(crate) at: &'a Location,
    pub(crate) backend: &'a mut dyn Backend,
    pub(crate) sealer: &'a Sealer,
    pub(crate) state: State,
    /// Kinds of which all rows are known to be there.
    whole: [bool; Kind::ALL.len()],
    /// Something went wrong: what follows may rest on it.
    failed: bool,
}

/// A change of a gallery: everything of [`Snapshot`], and writing.
pub struct Change<'a> {
    snapshot: Snapshot<'a>,
    /// Whether anything was written.
    pub(crate) is_changed: bool,
    /// Whether the generation has risen.
    is_risen: bool,
}

/// What a walk through all rows of a kind met.
#[derive(Default)]
struct Walk {
    tally: Tally,
    last: Option<Vec<u8>>,
    /// A search among rows out of order does not find what there is.
    is_disordered: bool,
}

impl Walk {
    fn meet(&mut self, row: &[u8], digest: RowDigest) {
        self.tally.add(digest);
        self.is_disordered |= self.last.as_deref().is_some_and(|last| last >= row);
        self.last = Some(row.to_vec());
    }
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

impl<'a> Snapshot<'a> {
    pub(crate) fn new(
        at: &'a Location,
        backend: &'a mut dyn Backend,
        sealer: &'a Sealer,
        state: State,
    ) -> Self {
        Self { at, backend, sealer, state, whole: Default::default(), failed: false }
    }

    /// Rises with every change of records that are no probes.
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// The record of a name.
    ///
    /// # Errors
    /// If it is damaged, or the records of its kind are not those that were written.
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
        let row = self.sealer.row(name);
        let Some(Stored { seal, value }) = self.backend.get(kind, &row)? else {
            self.count_rows(kind)?;
            return Ok(None);
        };
        match opened(self.sealer, kind, row, &seal, value) {
            Some((found, value)) if found == name => {
                // An older record under the same name is sealed just as well.
                self.count_rows(kind)?;
                Ok(Some(value))
            }
            _ => Err(self.damaged(kind, &row, Some(name.to_owned()))),
        }
    }

    /// Calls `work` with every record of a kind, in the order of rows: the same at every reading
    /// of this gallery, but another in a copy of it.
    ///
    /// Whether a record is missing shows at the end only. What `work` was given may be used once
    /// this has returned without an error.
    ///
    /// # Errors
    /// Those of `work`. If a record is damaged, or the records are not those that were written.
    pub fn each<E: From<StoreError>>(
        &mut self,
        kind: Kind,
        mut work: impl FnMut(&str, Zeroizing<Vec<u8>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut walk = Walk::default();
        let mut broken = None;
        let mut failure = None;
        let (sealer, digests) = (self.sealer, self.state.digests);
        let scanned = self.backend.scan(kind, Depth::Values, &mut |row, seal, value| {
            walk.meet(row, sealer.digest(digests, row, seal));
            let record = Row::try_from(row)
                .ok()
                .and_then(|row| opened(sealer, kind, row, seal, value.to_vec()));
            let Some((name, value)) = record else {
                broken = Some(row.to_vec());
                return ControlFlow::Break(());
            };
            match work(&name, value) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        self.noted(scanned)?;
        if let Some(error) = failure {
            return Err(error);
        }
        if let Some(row) = broken {
            let damaged = self.damaged_row(kind, &row);
            return Ok(self.noted(Err(damaged))?);
        }
        let compared = self.compare(kind, &walk);
        Ok(self.noted(compared)?)
    }

    /// How many records of a kind there are. Quicker than [`Snapshot::each`]: only seals are read.
    ///
    /// # Errors
    /// If the records are not those that were written.
    pub fn count(&mut self, kind: Kind) -> Result<u64, StoreError> {
        let counted = self.count_rows(kind);
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
        let mut count = 0;
        let mut last = [0; LINK];
        let mut broken = None;
        let mut failure = None;
        let sealer = self.sealer;
        let scanned = self.backend.entries(&mut |sequence, seal, value| {
            count += 1;
            let entry = u64::try_from(sequence)
                .ok()
                .filter(|&sequence| sequence == count)
                .ok_or("it is missing")
                .and_then(|_| opened_entry(sealer, count, &last, seal, value));
            let entry = match entry {
                Ok(entry) => entry,
                Err(why) => {
                    broken = Some(why);
                    return ControlFlow::Break(());
                }
            };
            last = link(&last, count, &entry);
            match work(count, entry) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        self.noted(scanned)?;
        if let Some(error) = failure {
            return Err(error);
        }
        let expected = self.state.entries;
        let (sequence, why) = match broken {
            Some(why) => (Some(count), why.to_owned()),
            None if (count, last) == (expected, self.state.link) => return Ok(()),
            None if count == expected => (None, "found other entries than were written".to_owned()),
            None => (None, format!("found {count} entries, expected {expected}")),
        };
        let part = Part::Log(sequence);
        Ok(self.noted(Err(StoreError::Damaged { at: self.at.clone(), part, why }))?)
    }

    /// Remembers that something failed, so that no change is built on it.
    pub(crate) fn noted<T>(&mut self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.failed |= result.is_err();
        result
    }

    /// Checks that all rows of a kind are there, once in a transaction.
    fn count_rows(&mut self, kind: Kind) -> Result<u64, StoreError> {
        if !self.whole[kind as usize] {
            let walk = self.walk(kind, self.state.digests)?;
            self.compare(kind, &walk)?;
        }
        Ok(self.state.tally(kind).count)
    }

    fn walk(&mut self, kind: Kind, digests: Digests) -> Result<Walk, StoreError> {
        let mut walk = Walk::default();
        let sealer = self.sealer;
        self.backend.scan(kind, Depth::Seals, &mut |row, seal, _| {
            walk.meet(row, sealer.digest(digests, row, seal));
            ControlFlow::Continue(())
        })?;
        Ok(walk)
    }

    /// Has rows digested as they are now, if the sums fit as they were.
    pub(crate) fn key_digests(&mut self) -> Result<(), StoreError> {
        if self.state.digests == Digests::Keyed {
            return Ok(());
        }
        for kind in Kind::ALL {
            self.count_rows(kind)?;
            *self.state.tally(kind) = self.walk(kind, Digests::Keyed)?.tally;
        }
        self.state.digests = Digests::Keyed;
        Ok(())
    }

    fn compare(&mut self, kind: Kind, walk: &Walk) -> Result<(), StoreError> {
        let expected = *self.state.tally(kind);
        let (found, count) = (walk.tally.count, expected.count);
        let why = if found != count {
            format!("found {found} records, expected {count}")
        } else if walk.tally != expected {
            format!("found {found} records, but not those that were written")
        } else if walk.is_disordered {
            format!("found {found} records out of order")
        } else {
            self.whole[kind as usize] = true;
            return Ok(());
        };
        Err(StoreError::Damaged { at: self.at.clone(), part: Part::All(kind), why })
    }

    fn damaged(&self, kind: Kind, row: &[u8], name: Option<String>) -> StoreError {
        let row = hexadecimal(row);
        let part = Part::Record { kind, name, row };
        let why = "its seal does not fit".to_owned();
        StoreError::Damaged { at: self.at.clone(), part, why }
    }

    /// A record whose name is not known.
    pub(crate) fn damaged_row(&mut self, kind: Kind, row: &[u8]) -> StoreError {
        let name = self.name_of(row);
        self.damaged(kind, row, name)
    }

    /// The name of a row, from a record of any kind that can be read.
    fn name_of(&mut self, row: &[u8]) -> Option<String> {
        let row = Row::try_from(row).ok()?;
        Kind::ALL.into_iter().find_map(|kind| {
            let Stored { seal, value } = self.backend.get(kind, &row).ok()??;
            opened(self.sealer, kind, row, &seal, value).map(|(name, _)| name)
        })
    }
}

impl<'a> Change<'a> {
    pub(crate) fn new(snapshot: Snapshot<'a>) -> Self {
        Self { snapshot, is_changed: false, is_risen: false }
    }

    /// The header that goes with the change, unless a part of it has failed.
    pub(crate) fn finished(self, lock: &Lock) -> Result<Vec<u8>, StoreError> {
        let Snapshot { at, sealer, state, failed, .. } = self.snapshot;
        match failed {
            true => Err(StoreError::Failed { at: at.clone() }),
            false => state.header(lock, sealer),
        }
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
        // A sum that does not fit before would never fit again.
        self.count_rows(kind)?;
        let row = self.sealer.row(name);
        let mut body = body(name, value);
        let seal = self.sealer.seal(Place::Record(kind, row), &mut body)?;
        let before = self.backend.get(kind, &row)?;
        self.backend.put(kind, &row, &seal, &body)?;
        let digest = |seal: &[u8]| self.sealer.digest(self.state.digests, &row, seal);
        let (before, after) = (before.map(|before| digest(&before.seal)), digest(&seal));
        let tally = self.state.tally(kind);
        if let Some(before) = before {
            tally.subtract(before);
        }
        tally.add(after);
        self.changed(kind);
        Ok(())
    }

    /// Removes the record of a name, and says whether there was one.
    ///
    /// Traces of it may be left in the file: see [`crate::Vault::erase`].
    ///
    /// # Errors
    /// If the database refuses, or there is no such record and others are missing.
    pub fn remove(&mut self, kind: Kind, name: &str) -> Result<bool, StoreError> {
        let removed = self.remove_record(kind, name);
        self.noted(removed)
    }

    fn remove_record(&mut self, kind: Kind, name: &str) -> Result<bool, StoreError> {
        self.count_rows(kind)?;
        let row = self.sealer.row(name);
        let Some(Stored { seal, .. }) = self.backend.get(kind, &row)? else {
            return Ok(false);
        };
        self.backend.delete(kind, &row)?;
        let digest = self.sealer.digest(self.state.digests, &row, &seal);
        self.state.tally(kind).subtract(digest);
        self.changed(kind);
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
        let sequence = self.state.entries + 1;
        let mut value = Zeroizing::new([self.state.link.as_slice(), entry].concat());
        let seal = self.sealer.seal(Place::Log(sequence), &mut value)?;
        self.backend.append(sequence.cast_signed(), &seal, &value)?;
        self.state.link = link(&self.state.link, sequence, entry);
        self.state.entries = sequence;
        self.is_changed = true;
        Ok(sequence)
    }

    /// The generation of the gallery once this change of a record that is no probe is made.
    pub(crate) fn generation_after(&self) -> u64 {
        self.state.generation + u64::from(!self.is_risen)
    }

    fn changed(&mut self, kind: Kind) {
        self.is_changed = true;
        if kind != Kind::Probe && !self.is_risen {
            self.is_risen = true;
            self.state.generation += 1;
        }
    }
}

/// What is sealed: the value, then the name, whose end is then cut off without moving anything.
pub(crate) fn body(name: &str, value: &[u8]) -> Zeroizing<Vec<u8>> {
    let length = u32::try_from(name.len()).expect("names are shorter than the largest record");
    Zeroizing::new([value, name.as_bytes(), &length.to_le_bytes()].concat())
}

/// Name and value of a record, if its seal fits.
pub(crate) fn opened(
    sealer: &Sealer,
    kind: Kind,
    row: Row,
    seal: &[u8],
    value: Vec<u8>,
) -> Option<(String, Zeroizing<Vec<u8>>)> {
    let mut body = Zeroizing::new(value);
    sealer.open(Place::Record(kind, row), seal, &mut body).ok()?;
    let (rest, length) = body.split_last_chunk::<LENGTH>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let end = rest.len().checked_sub(length)?;
    let name = std::str::from_utf8(&rest[end..]).ok()?.to_owned();
    body.truncate(end);
    Some((name, body))
}

/// An entry of the log, if its seal fits and it follows the one before.
pub(crate) fn opened_entry(
    sealer: &Sealer,
    sequence: u64,
    before: &[u8; LINK],
    seal: &[u8],
    value: &[u8],
) -> Result<Zeroizing<Vec<u8>>, &'static str> {
    let mut body = Zeroizing::new(value.to_vec());
    sealer.open(Place::Log(sequence), seal, &mut body).map_err(|_| "its seal does not fit")?;
    match body.split_first_chunk::<LINK>() {
        Some((link, entry)) if link == before => Ok(Zeroizing::new(entry.to_vec())),
        _ => Err("it does not follow the one before"),
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a text takes what is written to it");
    }
    text
}
