//! Everything under new seals, one record after another.

use zeroize::Zeroizing;

use crate::backend::Backend;
use crate::error::Part;
use crate::header::{State, link};
use crate::keys::{Keys, OWN, body};
use crate::seal::{Broken, Cipher, Place, Sealer};
use crate::snapshot::{Now, cipher_of, opened};
use crate::tree::{Ground, Root};
use crate::{Kind, Location, StoreError};

/// Puts every record under a new key: that of its reader is overwritten where it stands, and rows keep
/// their numbers. Gives the root that belongs to the new seals.
pub(crate) fn reseal(
    at: &Location,
    backend: &mut dyn Backend,
    mut now: Now<'_>,
    new: &Keys,
) -> Result<Root, StoreError> {
    let old = now.keys;
    let mut row = Some([0; 16]);
    while let Some(from) = row {
        let mut ground = Ground { at, identity: old.identity(), backend: &mut *backend };
        let Some(leaf) = now.tree.leaf_from(&mut ground, &from)? else { break };
        row = crate::tree::after(&leaf.range[1]);
        for mut item in leaf.items {
            let before = cipher_of(at, old, &mut *backend, &item)?;
            let after = match item.slot {
                OWN => new.own().clone(),
                slot => {
                    let (cipher, wrapped) = new.make(slot)?;
                    backend.put_slot(slot, &wrapped)?;
                    cipher
                }
            };
            for kind in Kind::ALL {
                if item.seals[kind as usize].is_none() {
                    continue;
                }
                let stored = backend.get(kind, &item.row)?;
                let (name, value) = opened(at, &before, kind, &item, stored)?;
                let mut value = body(&name, &value);
                let seal = after.seal(Place::Held(kind, item.row, item.slot), &mut value)?;
                backend.put(kind, &item.row, &seal, &value)?;
                item.seals[kind as usize] = Some(seal);
            }
            now.set_item(at, &mut *backend, item)?;
        }
    }
    now.tree.finish(&mut Ground { at, identity: old.identity(), backend })
}

/// What opens the log as it was.
pub(crate) trait Opens {
    fn open_at(&self, place: Place<'_>, seal: &[u8], body: &mut [u8]) -> Result<(), Broken>;
}

impl Opens for Cipher {
    fn open_at(&self, place: Place<'_>, seal: &[u8], body: &mut [u8]) -> Result<(), Broken> {
        self.open(place, seal, body)
    }
}

impl Opens for Sealer {
    fn open_at(&self, place: Place<'_>, seal: &[u8], body: &mut [u8]) -> Result<(), Broken> {
        self.open(place, seal, body)
    }
}

/// The chain of links stays as it is: it is one of contents.
pub(crate) fn reseal_log(
    at: &Location,
    backend: &mut dyn Backend,
    state: &State,
    old: &dyn Opens,
    new: &Cipher,
) -> Result<(), StoreError> {
    backend.guard_log(false)?;
    let mut last = [0; 32];
    for sequence in 1..=state.entries {
        let damaged = |why: &str| StoreError::broken_entry(at, sequence, why);
        let stored = backend.entry(sequence.cast_signed())?;
        let stored = stored.ok_or_else(|| damaged("it is missing"))?;
        let (place, mut value) = (Place::Log(sequence), Zeroizing::new(stored.value));
        let opened = old.open_at(place, &stored.seal, &mut value);
        opened.map_err(|_| damaged("its seal does not fit"))?;
        let entry = match value.split_first_chunk::<32>() {
            Some((before, entry)) if *before == last => entry,
            _ => return Err(damaged("it does not follow the one before")),
        };
        last = link(&last, sequence, entry);
        let seal = new.seal(place, &mut value)?;
        backend.replace_entry(sequence.cast_signed(), &seal, &value)?;
    }
    if last != state.link {
        let why = "found other entries than were written".to_owned();
        return Err(StoreError::Damaged { at: at.clone(), part: Part::Log(None), why });
    }
    backend.guard_log(true)
}
