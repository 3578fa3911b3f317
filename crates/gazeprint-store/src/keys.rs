//! Keys in slots: what the records of a reader are under, and how they are erased.
//!
//! Every reader has a key, random and wrapped, in a slot of its own. Slots are numbered as they are
//! taken, all have one size, none moves and none is taken twice: to overwrite one is to lose all that
//! was ever sealed with its key, wherever a copy of it lies. The first two are the gallery's own: the
//! key of settings and log, and the one by which names become rows.

use hmac::Mac;
use zeroize::Zeroizing;

use crate::backend::{Backend, Row};
use crate::error::Part;
use crate::seal::{Cipher, Identity, Key, NONCE_AND_TAG, Place, Sealer, keyed, random};
use crate::{Kind, Location, StoreError};

/// Bytes of a slot: seal and key.
pub(crate) const SLOT: usize = NONCE_AND_TAG + 32;
/// What is left of a slot whose key was overwritten.
pub(crate) const ERASED: [u8; SLOT] = [0; SLOT];
/// The slot of the gallery's own key.
pub(crate) const OWN: u64 = 0;
/// The slot of what names are hashed with.
const NAMES: u64 = 1;
/// The first slot that a reader can have.
pub(crate) const FIRST: u64 = 2;

/// Bytes of the length of a name.
const LENGTH: usize = 4;

/// What opens the slots of a gallery, and what is in its own.
pub(crate) struct Keys {
    identity: Identity,
    wrapping: Cipher,
    own: Cipher,
    names: Key,
}

/// What is found in a slot.
pub(crate) enum Slot {
    Key(Key),
    Erased,
    Broken,
}

impl Keys {
    /// New ones, written into the slots of a new gallery.
    pub(crate) fn found(sealer: &Sealer, backend: &mut dyn Backend) -> Result<Self, StoreError> {
        Self::put(sealer, backend, Zeroizing::new(random()?))
    }

    /// The same around a new key of the gallery, and for another secret; names stay the rows they are.
    pub(crate) fn renewed(
        &self,
        sealer: &Sealer,
        backend: &mut dyn Backend,
    ) -> Result<Self, StoreError> {
        Self::put(sealer, backend, self.names.clone())
    }

    fn put(sealer: &Sealer, backend: &mut dyn Backend, names: Key) -> Result<Self, StoreError> {
        let own: Key = Zeroizing::new(random()?);
        let (identity, wrapping) = (sealer.identity, sealer.wrapping());
        let keys = Self { identity, wrapping, own: Cipher::new(identity, &own), names };
        backend.put_slot(OWN, &keys.wrapped(OWN, &own)?)?;
        backend.put_slot(NAMES, &keys.wrapped(NAMES, &keys.names)?)?;
        Ok(keys)
    }

    /// Those of a gallery that is there.
    pub(crate) fn open(
        at: &Location,
        sealer: &Sealer,
        backend: &mut dyn Backend,
    ) -> Result<Self, StoreError> {
        let (identity, wrapping) = (sealer.identity, sealer.wrapping());
        let mut key = |number: u64| {
            let stored = backend.slot(number)?;
            match unwrapped(&wrapping, number, stored.as_deref()) {
                Slot::Key(key) => Ok(key),
                Slot::Erased | Slot::Broken => Err(damaged(at, number)),
            }
        };
        let (own, names) = (key(OWN)?, key(NAMES)?);
        Ok(Self { identity, wrapping, own: Cipher::new(identity, &own), names })
    }

    /// A key for a reader who has none, and what is to stand in its slot.
    pub(crate) fn make(&self, number: u64) -> Result<(Cipher, [u8; SLOT]), StoreError> {
        let key: Key = Zeroizing::new(random()?);
        Ok((Cipher::new(self.identity, &key), self.wrapped(number, &key)?))
    }

    fn wrapped(&self, number: u64, key: &Key) -> Result<[u8; SLOT], StoreError> {
        let mut body = key.clone();
        let seal = self.wrapping.seal(Place::Slot(number), body.as_mut())?;
        let mut slot = [0; SLOT];
        slot[..NONCE_AND_TAG].copy_from_slice(&seal);
        slot[NONCE_AND_TAG..].copy_from_slice(body.as_ref());
        Ok(slot)
    }

    /// What opens records whose key is in a slot with these bytes.
    pub(crate) fn cipher(
        &self,
        at: &Location,
        number: u64,
        stored: Option<&[u8]>,
    ) -> Result<Cipher, StoreError> {
        match unwrapped(&self.wrapping, number, stored) {
            Slot::Key(key) => Ok(Cipher::new(self.identity, &key)),
            Slot::Erased | Slot::Broken => Err(damaged(at, number)),
        }
    }

    /// What opens settings and log.
    pub(crate) fn own(&self) -> &Cipher {
        &self.own
    }

    /// The row of a name: one for all records of a reader, another for a setting of that name.
    pub(crate) fn row(&self, kind: Kind, name: &str) -> Row {
        let mut mac = keyed(self.names.as_ref());
        mac.update(&[u8::from(kind.is_of_readers())]);
        mac.update(name.as_bytes());
        let mut row = Row::default();
        row.copy_from_slice(&mac.finalize().into_bytes()[..16]);
        row
    }

    /// The identity of the gallery.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }
}

fn unwrapped(wrapping: &Cipher, number: u64, stored: Option<&[u8]>) -> Slot {
    let Some(stored) = stored.and_then(|bytes| <&[u8; SLOT]>::try_from(bytes).ok()) else {
        return Slot::Broken;
    };
    if *stored == ERASED {
        return Slot::Erased;
    }
    let (seal, body) = stored.split_at(NONCE_AND_TAG);
    let mut key: Key = Zeroizing::new([0; 32]);
    key.copy_from_slice(body);
    match wrapping.open(Place::Slot(number), seal, key.as_mut()) {
        Ok(()) => Slot::Key(key),
        Err(_) => Slot::Broken,
    }
}

fn damaged(at: &Location, number: u64) -> StoreError {
    let why = "it is missing, or its seal does not fit".to_owned();
    StoreError::Damaged { at: at.clone(), part: Part::Key(number), why }
}

/// What is sealed: the value, then the name, whose end is then cut off without moving anything.
pub(crate) fn body(name: &str, value: &[u8]) -> Zeroizing<Vec<u8>> {
    let length = u32::try_from(name.len()).expect("names are shorter than the largest record");
    Zeroizing::new([value, name.as_bytes(), &length.to_le_bytes()].concat())
}

/// Name and value of what was sealed.
pub(crate) fn apart(mut body: Zeroizing<Vec<u8>>) -> Option<(String, Zeroizing<Vec<u8>>)> {
    let (rest, length) = body.split_last_chunk::<LENGTH>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let end = rest.len().checked_sub(length)?;
    let name = std::str::from_utf8(&rest[end..]).ok()?.to_owned();
    body.truncate(end);
    Some((name, body))
}
