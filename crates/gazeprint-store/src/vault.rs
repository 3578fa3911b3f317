//! Vaults: transactions over records that are whole and authentic.

use crate::backend::{self, Access, Backend};
use crate::error::Part;
use crate::header::{Lock, State};
use crate::rekey::reseal;
use crate::seal::{Sealer, random};
use crate::snapshot::{Change, Snapshot};
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
    /// What another erasure has left could not be overwritten: not tried with every change.
    is_stuck: bool,
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
    /// Whether something that was removed is still to be overwritten: see
    /// [`Vault::finish_erasing`].
    pub is_erasing: bool,
}

/// What a change does with an erasure that was cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unfinished {
    /// Ends it first.
    First,
    /// Leaves it.
    Later,
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

    fn commit(mut self) -> Result<(), StoreError> {
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
    fn new(at: &Location, backend: Box<dyn Backend>, lock: Lock, sealer: Sealer) -> Self {
        Self { at: at.clone(), backend, lock, sealer, is_stuck: false }
    }

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
            let transaction = Transaction::begin(backend.as_mut(), Access::Write)?;
            transaction.backend.install()?;
            let snapshot = Snapshot::new(at, &mut *transaction.backend, &sealer, State::default());
            let mut change = Change::new(snapshot);
            fill(&mut change)?;
            let header = change.finished(&lock)?;
            transaction.backend.set_header(&header)?;
            Ok(transaction.commit()?)
        };
        match make() {
            Ok(()) => Ok(Self::new(at, backend, lock, sealer)),
            Err(error) => {
                backend.discard();
                Err(error)
            }
        }
    }

    /// Opens a gallery.
    ///
    /// # Errors
    /// If there is none, it is damaged, or the secret is not the right one.
    pub fn open(at: &Location, secret: Option<&Secret>) -> Result<Self, StoreError> {
        let mut backend = backend::open(at, secret.is_some())?;
        let (lock, sealer) = {
            let transaction = Transaction::begin(backend.as_mut(), Access::Read)?;
            let header = read_header(at, transaction.backend)?;
            let (lock, state) = Lock::read(at, &header)?;
            let sealer = lock.unlock(at, secret)?;
            State::read(at, &lock, &sealer, state)?;
            (lock, sealer)
        };
        Ok(Self::new(at, backend, lock, sealer))
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

    /// Looks at the gallery as it is now. What others write meanwhile is not seen.
    ///
    /// # Errors
    /// Those of `work`, or if the gallery cannot be read.
    pub fn read<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Snapshot<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let Self { at, backend, lock, sealer, .. } = self;
        let transaction = Transaction::begin(backend.as_mut(), Access::Read)?;
        let state = read_state(at, transaction.backend, lock, sealer)?;
        work(&mut Snapshot::new(at, &mut *transaction.backend, sealer, state))
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
        Ok(self.change(Access::Write, Unfinished::First, work)?.0)
    }

    /// As [`Vault::write`], and afterwards nothing of what was removed or replaced is left in the
    /// gallery. Slower: the whole gallery is written anew.
    ///
    /// In a file, everything is overwritten before it is given up. A server is asked to write its
    /// tables anew, without what was removed, except for what somebody sees who is reading just then;
    /// its write-ahead log keeps it for a while. Nothing reaches backups, snapshots of file systems,
    /// and blocks that a drive has put aside.
    ///
    /// The change itself notes that something is to be overwritten. Where this is cut short, the next
    /// change does it, whoever makes it.
    ///
    /// # Errors
    /// As [`Vault::write`]; [`StoreError::Leftovers`] if the change was made, but not everything
    /// could be overwritten.
    pub fn erase<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Change<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let (value, erasures) = self.change(Access::Erase, Unfinished::First, work)?;
        if let Some(erasures) = erasures {
            self.overwrite(erasures)?;
        }
        Ok(value)
    }

    /// Overwrites what an erasure that was cut short has left, and says whether there was one. Every
    /// change does so first.
    ///
    /// # Errors
    /// [`StoreError::Leftovers`] if it cannot be overwritten; any other if that cannot be found out.
    pub fn finish_erasing(&mut self) -> Result<bool, StoreError> {
        let Self { at, backend, lock, sealer, .. } = self;
        let transaction = Transaction::begin(backend.as_mut(), Access::Write)?;
        let state = read_state(at, transaction.backend, lock, sealer)?;
        if !is_unfinished(transaction.backend, &state)? {
            return Ok(false);
        }
        drop(transaction);
        let transaction = Transaction::begin(backend.as_mut(), Access::Erase)?;
        let state = state_to_change(at, transaction.backend, lock, sealer)?;
        // Something must be written, to have others kept out.
        transaction.backend.set_header(&state.header(lock, sealer)?)?;
        transaction.commit()?;
        self.overwrite(state.erasures)?;
        Ok(true)
    }

    /// Overwrites what was removed up to an erasure, and notes that it was done.
    fn overwrite(&mut self, erasures: u64) -> Result<(), StoreError> {
        self.backend.scrub()?;
        self.note_erased(erasures).map_err(|error| match error {
            StoreError::Leftovers { .. } => error,
            error => {
                let message = format!("it was, but that could not be noted: {error}");
                StoreError::Leftovers { at: self.at.clone(), message }
            }
        })
    }

    fn note_erased(&mut self, erasures: u64) -> Result<(), StoreError> {
        let Self { at, backend, lock, sealer, .. } = self;
        let transaction = Transaction::begin(backend.as_mut(), Access::Write)?;
        let mut state = state_to_change(at, transaction.backend, lock, sealer)?;
        if state.erased >= erasures {
            return Ok(());
        }
        // Not more: others may have removed something since.
        state.erased = erasures;
        transaction.backend.set_header(&state.header(lock, sealer)?)?;
        transaction.commit()
    }

    /// Where something was changed, also gives the number of erasures up to then.
    fn change<T, E: From<StoreError>>(
        &mut self,
        access: Access,
        unfinished: Unfinished,
        work: impl FnOnce(&mut Change<'_>) -> Result<T, E>,
    ) -> Result<(T, Option<u64>), E> {
        let Self { at, backend, lock, sealer, is_stuck } = self;
        let transaction = Transaction::begin(backend.as_mut(), access)?;
        let state = state_to_change(at, transaction.backend, lock, sealer)?;
        let is_first = unfinished == Unfinished::First && !*is_stuck;
        if is_first && is_unfinished(transaction.backend, &state)? {
            drop(transaction);
            match self.finish_erasing() {
                // It stays noted, and this change is none the worse for it.
                Err(StoreError::Leftovers { .. }) => self.is_stuck = true,
                finished => drop(finished?),
            }
            return self.change(access, Unfinished::Later, work);
        }
        let snapshot = Snapshot::new(at, &mut *transaction.backend, sealer, state);
        let mut change = Change::new(snapshot);
        let value = work(&mut change)?;
        change.state.erasures += u64::from(access == Access::Erase);
        let erasures = change.state.erasures;
        let is_changed = change.is_changed;
        let header = change.finished(lock)?;
        if !is_changed {
            return Ok((value, None));
        }
        transaction.backend.set_header(&header)?;
        transaction.commit()?;
        Ok((value, Some(erasures)))
    }

    /// Encrypts everything anew, with a new data key behind a new secret, or decrypts it if there is
    /// none. The old content is overwritten as by [`Vault::erase`].
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
        let Self { at, backend, lock, sealer, .. } = self;
        if secret.is_none() && backend.is_exposed() {
            return Err(StoreError::Exposed { at: at.clone() }.into());
        }
        let (new_lock, new_sealer) = Lock::new(at, lock.identity(at)?, secret)?;
        let transaction = Transaction::begin(backend.as_mut(), Access::Erase)?;
        let state = read_state(at, transaction.backend, lock, sealer)?;
        let mut snapshot = Snapshot::new(at, &mut *transaction.backend, sealer, state);
        let state = reseal(&mut snapshot, &new_sealer)?;
        let snapshot = Snapshot::new(at, &mut *transaction.backend, &new_sealer, state);
        let mut change = Change::new(snapshot);
        work(&mut change)?;
        change.state.erasures += 1;
        let erasures = change.state.erasures;
        let header = change.finished(&new_lock)?;
        transaction.backend.set_header(&header)?;
        transaction.commit()?;
        (self.lock, self.sealer) = (new_lock, new_sealer);
        Ok(self.overwrite(erasures)?)
    }

    /// Makes a gallery with the same records and the same log at another place.
    ///
    /// # Errors
    /// If there is something already, anything here is damaged, or the copy cannot be made.
    pub fn copy_to(&mut self, at: &Location, secret: Option<&Secret>) -> Result<Self, StoreError> {
        self.read(|snapshot| {
            Self::create_with(at, secret, |change| {
                for kind in Kind::ALL {
                    snapshot.each(kind, |name, value| change.put(kind, name, &value))?;
                }
                snapshot.log(|_, entry| change.append(&entry).map(drop))?;
                change.state.generation = snapshot.state.generation;
                Ok(())
            })
        })
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
            if let Some(why) = snapshot.backend.complaints()?.into_iter().next() {
                let (at, part) = (snapshot.at.clone(), Part::Database);
                return Err(StoreError::Damaged { at, part, why });
            }
            let State { entries, generation, .. } = snapshot.state;
            let is_erasing = snapshot.state.is_erasing();
            Ok(Checked { records, entries, generation, is_erasing })
        })
    }
}

fn read_header(at: &Location, backend: &mut dyn Backend) -> Result<Vec<u8>, StoreError> {
    let missing = || StoreError::Damaged {
        at: at.clone(),
        part: Part::Header,
        why: "it is missing".to_owned(),
    };
    backend.header()?.ok_or_else(missing)
}

/// Whether an erasure was cut short, within a change.
fn is_unfinished(backend: &mut dyn Backend, state: &State) -> Result<bool, StoreError> {
    let is_left = state.is_erasing() || backend.has_leftovers();
    Ok(is_left && !backend.is_scrubbed_elsewhere()?)
}

/// What must be in the gallery, if it is still locked as it was when it was opened.
fn read_state(
    at: &Location,
    backend: &mut dyn Backend,
    lock: &Lock,
    sealer: &Sealer,
) -> Result<State, StoreError> {
    let header = read_header(at, backend)?;
    let (found, state) = Lock::read(at, &header)?;
    if found != *lock {
        return Err(StoreError::Changed { at: at.clone() });
    }
    State::read(at, lock, sealer, state)
}

/// As [`read_state`], brought up to the version that is written.
fn state_to_change(
    at: &Location,
    backend: &mut dyn Backend,
    lock: &Lock,
    sealer: &Sealer,
) -> Result<State, StoreError> {
    let state = read_state(at, backend, lock, sealer)?;
    let mut snapshot = Snapshot::new(at, backend, sealer, state);
    snapshot.key_digests()?;
    Ok(snapshot.state)
}
