//! Galleries of the first two formats, which are read as they are and never written.
//!
//! Their headers count the records of each kind and sum the digests of their rows. Whether a record is
//! the one that was written therefore shows once all rows of its kind were looked at: the price of each
//! reading grows with the gallery. [`crate::Vault::upgrade`] brings them to the format of today.

use std::ops::ControlFlow;

use zeroize::Zeroizing;

use crate::backend::{Backend, Depth, Row, Stored};
use crate::error::Part;
use crate::header::take;
use crate::keys::apart;
use crate::seal::{Digests, Place, RowDigest, Sealer};
use crate::{Kind, Location, StoreError};

/// Kinds that there were.
const KINDS: [Kind; 4] = [Kind::Settings, Kind::Template, Kind::Readings, Kind::Probe];
/// Version of the second state.
const SECOND: u8 = 2;
/// Bytes of a state without a version: that of the first format.
const FIRST_STATE: usize = 208;

/// How many rows there are, and the sum of their digests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    count: u64,
    sum: RowDigest,
}

impl Tally {
    fn add(&mut self, digest: RowDigest) {
        self.count = self.count.wrapping_add(1);
        let mut carry = false;
        for (sum, digest) in self.sum.iter_mut().zip(digest) {
            (*sum, carry) = sum.carrying_add(digest, carry);
        }
    }
}

/// What must be in such a gallery.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OldState {
    pub(crate) generation: u64,
    /// How rows were digested for the sums.
    digests: Digests,
    tallies: [Tally; KINDS.len()],
    /// Entries of the log.
    pub(crate) entries: u64,
    /// Link behind the last entry.
    pub(crate) link: [u8; 32],
}

impl OldState {
    /// A state of either format; none of what is something else.
    pub(crate) fn parse(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let is_first = bytes.len() == FIRST_STATE;
        if !is_first && take(bytes)? != [SECOND] {
            return None;
        }
        let number = |bytes: &mut &[u8]| Some(u64::from_le_bytes(take(bytes)?));
        let mut read = Self { generation: number(bytes)?, ..Self::default() };
        for tally in &mut read.tallies {
            tally.count = number(bytes)?;
            for word in &mut tally.sum {
                *word = number(bytes)?;
            }
        }
        read.entries = number(bytes)?;
        read.link = take(bytes)?;
        match is_first {
            true => read.digests = Digests::Open,
            // What was to be overwritten: the next change did it.
            false => _ = (number(bytes)?, number(bytes)?),
        }
        bytes.is_empty().then_some(read)
    }
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

/// A view of such a gallery.
pub(crate) struct Old<'a> {
    at: &'a Location,
    pub(crate) sealer: &'a Sealer,
    pub(crate) state: OldState,
    /// Kinds of which all rows are known to be there.
    whole: [bool; KINDS.len()],
}

impl<'a> Old<'a> {
    pub(crate) fn new(at: &'a Location, sealer: &'a Sealer, state: OldState) -> Self {
        Self { at, sealer, state, whole: Default::default() }
    }

    pub(crate) fn get(
        &mut self,
        backend: &mut dyn Backend,
        kind: Kind,
        name: &str,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
        if !KINDS.contains(&kind) {
            return Ok(None);
        }
        let row = self.sealer.row(name);
        let Some(Stored { seal, value }) = backend.get_old(kind, &row)? else {
            self.count(backend, kind)?;
            return Ok(None);
        };
        match opened(self.sealer, kind, row, &seal, value) {
            Some((found, value)) if found == name => {
                // An older record under the same name is sealed just as well.
                self.count(backend, kind)?;
                Ok(Some(value))
            }
            _ => Err(self.damaged(kind, &row, Some(name.to_owned()))),
        }
    }

    /// Calls `work` with every record of a kind, in the order of rows.
    pub(crate) fn each<E: From<StoreError>>(
        &mut self,
        backend: &mut dyn Backend,
        kind: Kind,
        mut work: impl FnMut(&str, Zeroizing<Vec<u8>>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !KINDS.contains(&kind) {
            return Ok(());
        }
        let mut walk = Walk::default();
        let mut broken = None;
        let mut failure = None;
        let (sealer, digests) = (self.sealer, self.state.digests);
        backend.scan_old(kind, Depth::Values, &mut |row, seal, value| {
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
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        if let Some(row) = broken {
            let name = self.name_of(backend, &row);
            return Err(self.damaged(kind, &row, name).into());
        }
        Ok(self.compare(kind, &walk)?)
    }

    /// How many records of a kind there are; looks at all of them, once in a transaction.
    pub(crate) fn count(
        &mut self,
        backend: &mut dyn Backend,
        kind: Kind,
    ) -> Result<u64, StoreError> {
        if !KINDS.contains(&kind) {
            return Ok(0);
        }
        if !self.whole[kind as usize] {
            let mut walk = Walk::default();
            let (sealer, digests) = (self.sealer, self.state.digests);
            backend.scan_old(kind, Depth::Seals, &mut |row, seal, _| {
                walk.meet(row, sealer.digest(digests, row, seal));
                ControlFlow::Continue(())
            })?;
            self.compare(kind, &walk)?;
        }
        Ok(self.state.tallies[kind as usize].count)
    }

    fn compare(&mut self, kind: Kind, walk: &Walk) -> Result<(), StoreError> {
        let expected = self.state.tallies[kind as usize];
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
        StoreError::broken_record(self.at, kind, row, name)
    }

    /// The name of a row, from a record of any kind that can be read.
    fn name_of(&self, backend: &mut dyn Backend, row: &[u8]) -> Option<String> {
        let row = Row::try_from(row).ok()?;
        KINDS.into_iter().find_map(|kind| {
            let Stored { seal, value } = backend.get_old(kind, &row).ok()??;
            opened(self.sealer, kind, row, &seal, value).map(|(name, _)| name)
        })
    }
}

/// Name and value of a record, if its seal fits.
fn opened(
    sealer: &Sealer,
    kind: Kind,
    row: Row,
    seal: &[u8],
    value: Vec<u8>,
) -> Option<(String, Zeroizing<Vec<u8>>)> {
    let mut body = Zeroizing::new(value);
    sealer.open(Place::Record(kind, row), seal, &mut body).ok()?;
    apart(body)
}
