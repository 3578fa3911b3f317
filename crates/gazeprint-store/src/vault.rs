//! Vaults: transactions over records that are whole and authentic.

use crate::anchor::Anchor;
use crate::backend::{self, Access, Backend};
use crate::change::Change;
use crate::error::Part;
use crate::header::{AnyState, Lock, State};
use crate::keys::Keys;
use crate::legacy::Old;
use crate::rekey::{reseal, reseal_log};
use crate::seal::{Sealer, random};
use crate::snapshot::{Now, Snapshot, View};
use crate::tree::Ground;
use crate::{Kind, Location, Secret, StoreError};

/// A gallery, opened.
///
/// Several processes may have one open at once. A change is seen by others as a whole, after it was
/// made.
pub struct Vault {
    at: Location,
    backend: Box<dyn Backend>,
    lock: Lock,
    sealer: Sealer,
    /// None in a gallery of an earlier format.
    keys: Option<Keys>,
    /// How often everything had been sealed anew when the keys were read.
    renewals: u64,
}

/// What [`Vault::check`] has read and found right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Number of records by kind, in the order of [`Kind::ALL`].
    pub records: [u64; Kind::ALL.len()],
    /// Entries of the log.
    pub entries: u64,
    /// How often records were changed.
    pub generation: u64,
    /// Whether an erasure that was cut short has left something beside the gallery: see
    /// [`Vault::finish_erasing`].
    pub is_erasing: bool,
}

/// Rolls back what was not committed, also when somebody panics.
struct Transaction<'a> {
    backend: &'a mut dyn Backend,
    is_open: bool,
}

impl<'a> Transaction<'a> {
    fn begin(backend: &'a mut dyn Backend, access: Access) -> Result<Self, StoreError> {
        let begun = Self { backend, is_open: true };
        begun.backend.begin(access)?;
        Ok(begun)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.backend.commit()?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // If this fails, the next transaction tries it again and says so.
            _ = self.backend.rollback();
        }
    }
}

impl Vault {
    /// Makes a gallery with nothing in it, encrypted if there is a secret.
    ///
    /// # Errors
    /// If there is something already, or it cannot be made.
    pub fn create(at: &Location, secret: Option<&Secret>) -> Result<Self, StoreError> {
        Self::create_with(at, secret, |_| Ok(()))
    }

    /// Makes a gallery with something in it, or none.
    pub(crate) fn create_with<E: From<StoreError>>(
        at: &Location,
        secret: Option<&Secret>,
        fill: impl FnOnce(&mut Change<'_>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let (lock, sealer) = Lock::new(at, random()?, secret)?;
        let mut backend = backend::create(at, secret.is_some())?;
        let make = || {
            let mut transaction = Transaction::begin(backend.as_mut(), Access::Write)?;
            transaction.backend.install()?;
            let keys = Keys::found(&sealer, &mut *transaction.backend)?;
            let view = View::Now(Now::new(&keys, State::default()));
            let mut change = Change::new(Snapshot::new(at, &mut *transaction.backend, view));
            fill(&mut change)?;
            let (_, header) = change.finished(&lock, &sealer)?;
            transaction.backend.set_header(&header)?;
            transaction.commit()?;
            Ok(keys)
        };
        match make() {
            Ok(keys) => {
                let (at, keys) = (at.clone(), Some(keys));
                Ok(Self { at, backend, lock, sealer, keys, renewals: 0 })
            }
            Err(error) => {
                backend.discard();
                Err(error)
            }
        }
    }

    /// Opens a gallery. One of an earlier format is only read: see [`Vault::upgrade`].
    ///
    /// # Errors
    /// If there is none, it is damaged, or the secret is not the right one.
    pub fn open(at: &Location, secret: Option<&Secret>) -> Result<Self, StoreError> {
        let mut backend = backend::open(at, secret.is_some())?;
        let (lock, sealer, keys, renewals) = {
            let transaction = Transaction::begin(backend.as_mut(), Access::Read)?;
            let header = read_header(at, transaction.backend)?;
            let (lock, state) = Lock::read(at, &header)?;
            let sealer = lock.unlock(at, secret)?;
            let (keys, renewals) = match AnyState::read(at, &lock, &sealer, state)? {
                AnyState::Old(_) => (None, 0),
                AnyState::Now(state) => {
                    let keys = Keys::open(at, &sealer, &mut *transaction.backend)?;
                    (Some(keys), state.renewals)
                }
            };
            (lock, sealer, keys, renewals)
        };
        Ok(Self { at: at.clone(), backend, lock, sealer, keys, renewals })
    }

    /// Whether there is a gallery at a place, or something else that is in its way.
    ///
    /// # Errors
    /// If that cannot be found out, or what is there cannot be opened.
    pub fn exists(at: &Location) -> Result<bool, StoreError> {
        match backend::open(at, true) {
            Ok(_) => Ok(true),
            Err(StoreError::Missing { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Where it is.
    pub fn location(&self) -> &Location {
        &self.at
    }

    /// Whether it is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.sealer.is_encrypting()
    }

    /// Whether it is of an earlier format, and only read.
    pub fn is_old(&self) -> bool {
        self.keys.is_none()
    }

    /// Looks at the gallery as it is now. What others write meanwhile is not seen.
    ///
    /// # Errors
    /// Those of `work`, or if the gallery cannot be read.
    pub fn read<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let Self { at, backend, lock, sealer, keys, renewals } = self;
        let transaction = Transaction::begin(backend.as_mut(), Access::Read)?;
        let held = Held { at, lock, sealer, keys: keys.as_ref(), renewals: *renewals };
        let view = held.view(&mut *transaction.backend)?;
        work(&mut Snapshot::new(at, &mut *transaction.backend, view))
    }

    /// Changes the gallery, as a whole or not at all. No other change begins meanwhile.
    ///
    /// An error or a panic of `work` takes everything back, and so does an error of [`Change`] that
    /// `work` did not hand on. When this returns without an error, the change is on the disk.
    ///
    /// # Errors
    /// Those of `work`, or if the change cannot be made.
    pub fn write<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Change<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        Ok(self.change(Access::Write, work)?.0)
    }

    /// As [`Vault::write`], for a change that overwrites keys: what the database keeps of them beside its
    /// tables is overwritten, too, before this returns.
    ///
    /// In a file that is the journal. A server is asked to free the places of old versions of keys, which it
    /// overwrites when it has use for them; [`Vault::compact`] does not leave that to it. Nothing reaches the
    /// write-ahead log of a server, backups, snapshots of file systems, and blocks that a drive has put
    /// aside.
    ///
    /// # Errors
    /// As [`Vault::write`]; [`StoreError::Leftovers`] if the change was made, but not everything
    /// could be overwritten.
    pub fn erase<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Change<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let (value, is_changed) = self.change(Access::Erase, work)?;
        if is_changed {
            self.backend.scrub()?;
        }
        Ok(value)
    }

    /// Overwrites what an erasure that was cut short has left beside the gallery, and says whether there
    /// was anything.
    ///
    /// # Errors
    /// [`StoreError::Leftovers`] if it cannot be overwritten; any other if that cannot be found out.
    pub fn finish_erasing(&mut self) -> Result<bool, StoreError> {
        if self.is_old() || !self.backend.has_leftovers() {
            return Ok(false);
        }
        self.touch()?;
        self.backend.scrub()?;
        Ok(true)
    }

    /// Writes the whole gallery anew, without the room of what was removed. Everything is copied page by
    /// page: what is read stays as it is.
    ///
    /// # Errors
    /// If the gallery is of an earlier format, or cannot be written.
    pub fn compact(&mut self) -> Result<(), StoreError> {
        self.touch()?;
        self.backend.compact()
    }

    /// Writes the header, to have others kept out.
    fn touch(&mut self) -> Result<(), StoreError> {
        let touched = self.change(Access::Erase, |change| {
            change.now()?;
            change.is_changed = true;
            Ok::<_, StoreError>(())
        });
        touched.map(drop)
    }

    /// Also says whether something was changed.
    fn change<T, E: From<StoreError>>(
        &mut self,
        access: Access,
        work: impl FnOnce(&mut Change<'_>) -> Result<T, E>,
    ) -> Result<(T, bool), E> {
        let Self { at, backend, lock, sealer, keys, renewals } = self;
        if keys.is_none() {
            return Err(StoreError::OldFormat { at: at.clone() }.into());
        }
        let transaction = Transaction::begin(backend.as_mut(), access)?;
        let held = Held { at, lock, sealer, keys: keys.as_ref(), renewals: *renewals };
        let view = held.view(&mut *transaction.backend)?;
        let mut change = Change::new(Snapshot::new(at, &mut *transaction.backend, view));
        let value = work(&mut change)?;
        let is_changed = change.is_changed;
        let (state, header) = change.finished(lock, sealer)?;
        if !is_changed {
            return Ok((value, false));
        }
        transaction.backend.set_header(&header)?;
        held.commit(transaction, &state)?;
        Ok((value, true))
    }

    /// Seals everything anew, under new keys behind a new secret or none. Copies of what there was before
    /// open with the old secret alone.
    ///
    /// # Errors
    /// If anything in the gallery is damaged, or the change cannot be made. The gallery is as it was
    /// then, unless the error is [`StoreError::Leftovers`].
    pub fn rekey(&mut self, secret: Option<&Secret>) -> Result<(), StoreError> {
        self.rekey_with(secret, |_| Ok(()))
    }

    /// As [`Vault::rekey`], with a change behind the new seals, all or nothing.
    pub(crate) fn rekey_with<E: From<StoreError>>(
        &mut self,
        secret: Option<&Secret>,
        work: impl FnOnce(&mut Change<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { at, backend, lock, sealer, keys, renewals } = self;
        if secret.is_none() && backend.is_exposed() {
            return Err(StoreError::Exposed { at: at.clone() }.into());
        }
        let Some(old) = keys.as_ref() else {
            return Err(StoreError::OldFormat { at: at.clone() }.into());
        };
        let (new_lock, new_sealer) = Lock::new(at, lock.identity(at)?, secret)?;
        let transaction = Transaction::begin(backend.as_mut(), Access::Erase)?;
        let held = Held { at, lock, sealer, keys: Some(old), renewals: *renewals };
        let View::Now(now) = held.view(&mut *transaction.backend)? else {
            return Err(StoreError::Changed { at: at.clone() }.into());
        };
        let mut state = now.state.clone();
        let new = old.renewed(&new_sealer, &mut *transaction.backend)?;
        state.root = reseal(at, &mut *transaction.backend, now, &new)?;
        reseal_log(at, &mut *transaction.backend, &state, old.own(), new.own())?;
        state.renewals += 1;
        let view = View::Now(Now::new(&new, state));
        let mut change = Change::new(Snapshot::new(at, &mut *transaction.backend, view));
        work(&mut change)?;
        let (state, header) = change.finished(&new_lock, &new_sealer)?;
        transaction.backend.set_header(&header)?;
        let keys_now = Some(&new);
        let held = Held {
            at,
            lock: &new_lock,
            sealer: &new_sealer,
            keys: keys_now,
            renewals: state.renewals,
        };
        held.commit(transaction, &state)?;
        (*lock, *sealer, *keys, *renewals) = (new_lock, new_sealer, Some(new), state.renewals);
        // A server keeps what was there before until its tables are written anew.
        match at {
            Location::File(_) => Ok(backend.scrub()?),
            Location::Postgres(_) => Ok(backend.compact()?),
        }
    }

    /// Brings a gallery of an earlier format to that of today, all or nothing: `convert` is handed what
    /// there is, and puts what there is to be. The log stays as it is.
    ///
    /// # Errors
    /// Those of `convert`; if anything is damaged, or the gallery cannot be written.
    pub(crate) fn upgrade_with<E: From<StoreError>>(
        &mut self,
        convert: impl FnOnce(&mut Old<'_>, &mut Change<'_>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let Self { at, backend, lock, sealer, keys, renewals } = self;
        if keys.is_some() {
            return Ok(false);
        }
        let transaction = Transaction::begin(backend.as_mut(), Access::Erase)?;
        let held = Held { at, lock, sealer, keys: None, renewals: *renewals };
        let View::Old(mut old) = held.view(&mut *transaction.backend)? else {
            return Err(StoreError::Changed { at: at.clone() }.into());
        };
        transaction.backend.begin_upgrade()?;
        let new = Keys::found(sealer, &mut *transaction.backend)?;
        let (entries, link) = (old.state.entries, old.state.link);
        let state = State { generation: old.state.generation, entries, link, ..State::default() };
        reseal_log(at, &mut *transaction.backend, &state, &*sealer, new.own())?;
        let view = View::Now(Now::new(&new, state));
        let mut change = Change::new(Snapshot::new(at, &mut *transaction.backend, view));
        convert(&mut old, &mut change)?;
        // It says the same as before.
        change.now()?.state.generation = old.state.generation;
        let (state, header) = change.finished(lock, sealer)?;
        transaction.backend.end_upgrade()?;
        transaction.backend.set_header(&header)?;
        let held = Held { at, lock, sealer, keys: Some(&new), renewals: state.renewals };
        held.commit(transaction, &state)?;
        (*keys, *renewals) = (Some(new), state.renewals);
        match at {
            Location::File(_) => backend.scrub()?,
            Location::Postgres(_) => backend.compact()?,
        }
        Ok(true)
    }

    /// Brings a gallery of an earlier format to that of today, and says whether it was one. Its records
    /// stay as they are.
    ///
    /// # Errors
    /// If anything is damaged, or the gallery cannot be written: it is as it was then.
    pub fn upgrade(&mut self) -> Result<bool, StoreError> {
        self.upgrade_with(|old, change| {
            Kind::ALL.into_iter().try_for_each(|kind| {
                copy_old(old, change, kind, |change, name, value| change.put(kind, name, value))
            })
        })
    }

    /// Makes a gallery with the same records and the same log at another place.
    ///
    /// # Errors
    /// If there is something already, anything here is damaged, or the copy cannot be made.
    pub fn copy_to(&mut self, at: &Location, secret: Option<&Secret>) -> Result<Self, StoreError> {
        if self.is_old() {
            return Err(StoreError::OldFormat { at: self.at.clone() });
        }
        self.read(|snapshot| {
            Self::create_with(at, secret, |change| {
                for kind in Kind::ALL {
                    snapshot.each(kind, |name, value| change.put(kind, name, &value))?;
                }
                snapshot.log(|_, entry| change.append(&entry).map(drop))?;
                change.now()?.state.generation = snapshot.generation();
                Ok(())
            })
        })
    }

    /// Where the gallery is now: a later one is not older.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn anchor(&mut self) -> Result<Anchor, StoreError> {
        self.read(|snapshot| Ok(Anchor::of(snapshot)))
    }

    /// Refuses a gallery that is older than it was, or another.
    ///
    /// # Errors
    /// If it is, or cannot be read.
    pub fn hold_against(&mut self, anchor: &Anchor) -> Result<(), StoreError> {
        self.read(|snapshot| anchor.check(snapshot))
    }

    /// Reads everything, and compares it with what must be there.
    ///
    /// # Errors
    /// The first thing that is not right.
    pub fn check(&mut self) -> Result<Checked, StoreError> {
        self.read(|snapshot| {
            let mut records = [0; Kind::ALL.len()];
            for (count, kind) in records.iter_mut().zip(Kind::ALL) {
                snapshot.each(kind, |_, _| {
                    *count += 1;
                    Ok::<_, StoreError>(())
                })?;
            }
            snapshot.log(|_, _| Ok::<_, StoreError>(()))?;
            snapshot.check_counts()?;
            let at = || snapshot.at.clone();
            if let Some(why) = snapshot.backend.complaints()?.into_iter().next() {
                return Err(StoreError::Damaged { at: at(), part: Part::Database, why });
            }
            let (entries, generation) = (snapshot.log_end().0, snapshot.generation());
            let is_erasing = !snapshot.is_old() && snapshot.backend.has_leftovers();
            Ok(Checked { records, entries, generation, is_erasing })
        })
    }
}

impl Snapshot<'_> {
    /// Whether the tables have as many rows as they must.
    fn check_counts(&mut self) -> Result<(), StoreError> {
        let View::Now(now) = &mut self.view else { return Ok(()) };
        let counts = self.backend.counts()?;
        let records: u64 = now.state.kinds.iter().map(|of| of.count).sum();
        let rows = now.state.root.rows;
        let mut found = 0;
        let mut ground =
            Ground { at: self.at, identity: now.keys.identity(), backend: &mut *self.backend };
        now.tree.leaves(&mut ground, |_, leaf| {
            found += leaf.items.len() as u64;
            Ok::<_, StoreError>(())
        })?;
        for (what, found, expected) in [
            ("records", counts.records, records),
            ("keys", counts.slots, now.state.slots),
            ("entries of the log", counts.entries, now.state.entries),
            ("names", found, rows),
        ] {
            if found != expected {
                let why = format!("found {found} {what}, expected {expected}");
                return Err(StoreError::Damaged { at: self.at.clone(), part: Part::Database, why });
            }
        }
        Ok(())
    }
}

/// Puts every record of a kind of an older gallery as it is to be.
pub(crate) fn copy_old<E: From<StoreError>>(
    old: &mut Old<'_>,
    change: &mut Change<'_>,
    kind: Kind,
    put: impl Fn(&mut Change<'_>, &str, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    // One at a time: what is written meanwhile may not be in the way of what is read.
    let mut names = Vec::new();
    old.each(&mut *change.backend, kind, |name, _| {
        names.push(name.to_owned());
        Ok::<_, StoreError>(())
    })?;
    for name in names {
        if let Some(value) = old.get(&mut *change.backend, kind, &name)? {
            put(change, &name, &value)?;
        }
    }
    Ok(())
}

fn read_header(at: &Location, backend: &mut dyn Backend) -> Result<Vec<u8>, StoreError> {
    let missing = || StoreError::Damaged {
        at: at.clone(),
        part: Part::Header,
        why: "it is missing".to_owned(),
    };
    backend.header()?.ok_or_else(missing)
}

/// What an open vault knows of its gallery.
struct Held<'a> {
    at: &'a Location,
    lock: &'a Lock,
    sealer: &'a Sealer,
    keys: Option<&'a Keys>,
    renewals: u64,
}

impl<'a> Held<'a> {
    /// Makes a change that leaves the gallery as this knows it. Where the answer is lost, it is asked whether the
    /// change was made: who was told that it was not would do it again, and find themselves there.
    fn commit(&self, mut transaction: Transaction<'_>, change: &State) -> Result<(), StoreError> {
        match transaction.commit() {
            Err(_) if self.has_made(transaction.backend, change) => Ok(()),
            committed => committed,
        }
    }

    /// Whether a change was made.
    fn has_made(&self, backend: &mut dyn Backend, change: &State) -> bool {
        let looked = Transaction::begin(backend, Access::Read)
            .and_then(|transaction| self.view(&mut *transaction.backend));
        match looked {
            Ok(View::Now(now)) => now.state.recent.contains(&change.recent[0]),
            _ => false,
        }
    }

    /// What must be in the gallery, if it is still locked as it was when it was opened.
    fn view(&self, backend: &mut dyn Backend) -> Result<View<'a>, StoreError> {
        let Self { at, lock, sealer, keys, renewals } = *self;
        let header = read_header(at, backend)?;
        let (found, state) = Lock::read(at, &header)?;
        let changed = || StoreError::Changed { at: at.clone() };
        if found != *lock {
            return Err(changed());
        }
        match (AnyState::read(at, lock, sealer, state)?, keys) {
            (AnyState::Now(state), Some(keys)) if state.renewals == renewals => {
                Ok(View::Now(Now::new(keys, state)))
            }
            (AnyState::Old(state), None) => Ok(View::Old(Old::new(at, sealer, state))),
            _ => Err(changed()),
        }
    }
}
