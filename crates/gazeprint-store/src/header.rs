//! The header of a gallery: how it is locked, and what must be in it.
//!
//! The lock comes first and can be read by anybody: the identity of the gallery and, where it is
//! encrypted, the data key, wrapped by the key of a file or of a passphrase. The state follows under
//! a seal: how often records were changed, how many there are, the root of the tree of their seals
//! ([`crate::tree`]), and the end of the log. A record that was lost, added or exchanged does not fit it.
//!
//! Layout, numbers with the lowest byte first:
//!
//! | bytes | |
//! |---|---|
//! | 1 | format |
//! | 16 | identity |
//! | 1 | protection: 0 none, 1 key, 2 passphrase |
//! | 16, 4, 4, 4 | of a passphrase: salt; memory in KiB, passes and lanes of Argon2id |
//! | 40, 32 | of an encrypted gallery: seal of the data key, data key |
//! | 32 | SHA-256 of all of this |
//! | 32 or 40 | seal of the state |
//! | 281 | state: version (1), generation (8), for each kind count and changes (8, 8), rows of the tree and hash of its root (8, 32), log count and link (8, 32), slots that were taken (8), times that everything was sealed anew (8), numbers of the last four changes (16 each) |
//!
//! States of galleries of the first two formats are in [`crate::legacy`].

use argon2::{Algorithm, Argon2, Params, Version};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::error::Part;
use crate::keys::FIRST;
use crate::legacy::OldState;
use crate::seal::{FORMAT, Identity, Key, NONCE_AND_TAG, Place, Sealer, derive, random};
use crate::secret::weakness;
use crate::tree::Root;
use crate::{Kind, Location, Secret, StoreError};

/// What a new passphrase costs: memory in KiB, passes, lanes.
const COST: Cost = Cost { memory: 64 << 10, passes: 3, lanes: 1 };
/// What a stored cost may be at most: opening must end.
const HIGHEST: Cost = Cost { memory: 1 << 20, passes: 64, lanes: 16 };

/// Version of the state.
const STATE: u8 = 3;
/// Changes that are known by their numbers.
const RECENT: usize = 4;

/// What Argon2id takes.
#[derive(Debug, Clone, Copy)]
struct Cost {
    memory: u32,
    passes: u32,
    lanes: u32,
}

/// How a gallery is protected.
enum Protection {
    None,
    Key,
    Passphrase { salt: [u8; 16], cost: Cost },
}

/// How a gallery is locked, as it is stored.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Lock(Vec<u8>);

/// The lock taken apart.
struct Opened {
    identity: Identity,
    protection: Protection,
    /// Seal and bytes of the data key.
    wrapped: Option<([u8; NONCE_AND_TAG], Key)>,
    /// Bytes before the wrapped key, which its seal covers.
    before: usize,
}

pub(crate) fn damaged(at: &Location, why: impl Into<String>) -> StoreError {
    StoreError::Damaged { at: at.clone(), part: Part::Header, why: why.into() }
}

/// What a secret is called.
fn called(secret: &Secret) -> &'static str {
    match secret {
        Secret::Key(_) => "key file",
        Secret::Passphrase(_) => "passphrase",
    }
}

impl Lock {
    /// A new lock, with a data key of its own, and what seals behind it.
    pub(crate) fn new(
        at: &Location,
        identity: Identity,
        secret: Option<&Secret>,
    ) -> Result<(Self, Sealer), StoreError> {
        if let Some(Secret::Passphrase(text)) = secret
            && !text.is_empty()
            && let Some(why) = weakness(text)
        {
            return Err(StoreError::PassphraseWeak { at: at.clone(), why });
        }
        let mut bytes = vec![FORMAT];
        bytes.extend_from_slice(&identity);
        let protection = match secret {
            None => Protection::None,
            Some(Secret::Key(_)) => Protection::Key,
            Some(Secret::Passphrase(_)) => Protection::Passphrase { salt: random()?, cost: COST },
        };
        bytes.push(match protection {
            Protection::None => 0,
            Protection::Key => 1,
            Protection::Passphrase { .. } => 2,
        });
        if let Protection::Passphrase { salt, cost } = protection {
            bytes.extend_from_slice(&salt);
            for number in [cost.memory, cost.passes, cost.lanes] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        let sealer = match secret {
            None => Sealer::plain(identity),
            Some(secret) => {
                let data_key: Key = Zeroizing::new(random()?);
                let wrapping = wrapping_key(at, secret, &protection)?;
                let mut wrapped = data_key.clone();
                let seal = Sealer::of_data_key(identity, &wrapping)
                    .seal(Place::DataKey(&bytes), wrapped.as_mut())?;
                bytes.extend_from_slice(&seal);
                bytes.extend_from_slice(wrapped.as_ref());
                Sealer::encrypted(identity, &data_key)
            }
        };
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        Ok((Self(bytes), sealer))
    }

    /// The lock in a header, and what follows it.
    pub(crate) fn read<'a>(
        at: &Location,
        header: &'a [u8],
    ) -> Result<(Self, &'a [u8]), StoreError> {
        let mut rest = header;
        let opened = take_apart(at, &mut rest)?;
        let length = header.len() - rest.len();
        let found = Sha256::digest(&header[..length]);
        match take::<32>(&mut rest) {
            Some(expected) if found.as_slice() == expected => {}
            _ => return Err(damaged(at, "its checksum does not fit")),
        }
        // Only now, since a damaged number tells nothing.
        if let Protection::Passphrase { cost, .. } = opened.protection {
            cost.check(at)?;
        }
        Ok((Self(header[..length + 32].to_vec()), rest))
    }

    /// What seals behind the lock.
    pub(crate) fn unlock(
        &self,
        at: &Location,
        secret: Option<&Secret>,
    ) -> Result<Sealer, StoreError> {
        let Opened { identity, protection, wrapped, before } =
            take_apart(at, &mut self.0.as_slice())?;
        let expected = match protection {
            Protection::None => None,
            Protection::Key => Some("key file"),
            Protection::Passphrase { .. } => Some("passphrase"),
        };
        let at = || at.clone();
        let (secret, (seal, mut data_key)) = match (expected, secret, wrapped) {
            (None, None, _) => return Ok(Sealer::plain(identity)),
            (None, Some(secret), _) => {
                return Err(StoreError::SecretNeedless { at: at(), found: called(secret) });
            }
            (Some(expected), None, _) => {
                return Err(StoreError::SecretMissing { at: at(), expected });
            }
            (Some(expected), Some(secret), _) if expected != called(secret) => {
                let found = called(secret);
                return Err(StoreError::SecretOther { at: at(), found, expected });
            }
            (Some(_), Some(secret), Some(wrapped)) => (secret, wrapped),
            (Some(_), Some(_), None) => return Err(damaged(&at(), "it has no data key")),
        };
        let wrapping = wrapping_key(&at(), secret, &protection)?;
        Sealer::of_data_key(identity, &wrapping)
            .open(Place::DataKey(&self.0[..before]), &seal, data_key.as_mut())
            .map_err(|_| StoreError::SecretWrong { at: at(), found: called(secret) })?;
        Ok(Sealer::encrypted(identity, &data_key))
    }

    /// The identity of the gallery.
    pub(crate) fn identity(&self, at: &Location) -> Result<Identity, StoreError> {
        Ok(take_apart(at, &mut self.0.as_slice())?.identity)
    }
}

impl Cost {
    fn check(self, at: &Location) -> Result<(), StoreError> {
        let most = [HIGHEST.memory, HIGHEST.passes, HIGHEST.lanes];
        let found = [self.memory, self.passes, self.lanes];
        match found.iter().zip(most).all(|(found, most)| (1..=most).contains(found)) {
            true => Ok(()),
            false => {
                let why = format!("found a cost of {found:?}, expected at most {most:?}");
                Err(damaged(at, why))
            }
        }
    }
}

/// Takes bytes from the beginning.
pub(crate) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

/// Takes a lock apart, up to its checksum.
fn take_apart(at: &Location, bytes: &mut &[u8]) -> Result<Opened, StoreError> {
    let whole = bytes.len();
    let mut parts = || {
        let [format] = take(bytes)?;
        let identity = take(bytes)?;
        let protection = match take(bytes)? {
            [0] => Protection::None,
            [1] => Protection::Key,
            [2] => {
                let salt = take(bytes)?;
                let mut number = || Some(u32::from_le_bytes(take(bytes)?));
                let cost = Cost { memory: number()?, passes: number()?, lanes: number()? };
                Protection::Passphrase { salt, cost }
            }
            _ => return None,
        };
        let before = whole - bytes.len();
        let wrapped = match protection {
            Protection::None => None,
            _ => Some((take(bytes)?, Zeroizing::new(take(bytes)?))),
        };
        (format == FORMAT).then_some(Opened { identity, protection, wrapped, before })
    };
    parts().ok_or_else(|| damaged(at, "it is not what a header is"))
}

/// What wraps the data key.
fn wrapping_key(
    at: &Location,
    secret: &Secret,
    protection: &Protection,
) -> Result<Key, StoreError> {
    match (secret, protection) {
        (Secret::Key(key), _) => Ok(derive(key.as_ref(), "gazeprint gallery key file")),
        (Secret::Passphrase(text), _) if text.is_empty() => {
            Err(StoreError::PassphraseEmpty { at: at.clone() })
        }
        (Secret::Passphrase(text), Protection::Passphrase { salt, cost }) => {
            let refused = |error: argon2::Error| damaged(at, format!("its cost is odd: {error}"));
            let parameters =
                Params::new(cost.memory, cost.passes, cost.lanes, None).map_err(refused)?;
            let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters);
            let mut key = Zeroizing::new([0; 32]);
            argon2.hash_password_into(text.as_bytes(), salt, key.as_mut()).map_err(refused)?;
            Ok(key)
        }
        (Secret::Passphrase(_), _) => Err(damaged(at, "it has no salt")),
    }
}

/// The link of a log's hash chain behind an entry.
pub(crate) fn link(before: &[u8; 32], sequence: u64, entry: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(b"gazeprint gallery log\0")
        .chain_update(before)
        .chain_update(sequence.to_le_bytes())
        .chain_update(entry)
        .finalize()
        .into()
}

/// How many records of a kind there are, and how many changes touched any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OfKind {
    pub(crate) count: u64,
    pub(crate) changes: u64,
}

/// What must be in a gallery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    /// Rises with every change of records that answers rest on.
    pub(crate) generation: u64,
    pub(crate) kinds: [OfKind; Kind::ALL.len()],
    pub(crate) root: Root,
    /// Entries of the log.
    pub(crate) entries: u64,
    /// Link behind the last entry.
    pub(crate) link: [u8; 32],
    /// Slots that were ever taken.
    pub(crate) slots: u64,
    /// How often everything was sealed anew.
    pub(crate) renewals: u64,
    /// Tell the last changes from any other, the last one first: who lost the answer to one can ask whether it
    /// was made.
    pub(crate) recent: [[u8; 16]; RECENT],
}

impl Default for State {
    fn default() -> Self {
        Self {
            generation: 0,
            kinds: Default::default(),
            root: Root::default(),
            entries: 0,
            link: [0; 32],
            slots: FIRST,
            renewals: 0,
            recent: [[0; 16]; RECENT],
        }
    }
}

/// A state of any format.
pub(crate) enum AnyState {
    Now(State),
    Old(OldState),
}

impl State {
    /// The header with this state.
    pub(crate) fn header(&self, lock: &Lock, sealer: &Sealer) -> Result<Vec<u8>, StoreError> {
        let mut state = vec![STATE];
        let mut number = |number: u64| state.extend_from_slice(&number.to_le_bytes());
        number(self.generation);
        for OfKind { count, changes } in self.kinds {
            number(count);
            number(changes);
        }
        number(self.root.rows);
        state.extend_from_slice(&self.root.hash);
        state.extend_from_slice(&self.entries.to_le_bytes());
        state.extend_from_slice(&self.link);
        state.extend_from_slice(&self.slots.to_le_bytes());
        state.extend_from_slice(&self.renewals.to_le_bytes());
        state.extend_from_slice(self.recent.as_flattened());
        let seal = sealer.seal(Place::Header(&lock.0), &mut state)?;
        Ok([lock.0.as_slice(), &seal, &state].concat())
    }

    fn parse(mut bytes: &[u8]) -> Option<Self> {
        let bytes = &mut bytes;
        let number = |bytes: &mut &[u8]| Some(u64::from_le_bytes(take(bytes)?));
        let mut read = Self { generation: number(bytes)?, ..Self::default() };
        for of in &mut read.kinds {
            *of = OfKind { count: number(bytes)?, changes: number(bytes)? };
        }
        read.root = Root { rows: number(bytes)?, hash: take(bytes)? };
        read.entries = number(bytes)?;
        read.link = take(bytes)?;
        (read.slots, read.renewals) = (number(bytes)?, number(bytes)?);
        for change in &mut read.recent {
            *change = take(bytes)?;
        }
        bytes.is_empty().then_some(read)
    }
}

impl AnyState {
    /// The state in the part of a header that follows the lock.
    pub(crate) fn read(
        at: &Location,
        lock: &Lock,
        sealer: &Sealer,
        sealed: &[u8],
    ) -> Result<Self, StoreError> {
        let read = || {
            let (seal, state) = sealed.split_at_checked(sealer.length())?;
            let mut state = state.to_vec();
            sealer.open(Place::Header(&lock.0), seal, &mut state).ok()?;
            match OldState::parse(&state) {
                Some(old) => Some(Self::Old(old)),
                None => match state.split_first()? {
                    (&STATE, rest) => State::parse(rest).map(Self::Now),
                    _ => None,
                },
            }
        };
        read().ok_or_else(|| damaged(at, "its seal does not fit"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_without_measure_are_refused_before_they_are_paid() {
        let at = Location::File("x".into());
        let secret = Secret::Passphrase(Zeroizing::new("open, long sesame".to_owned()));
        let (Lock(bytes), _) = Lock::new(&at, [1; 16], Some(&secret)).unwrap();
        assert!(Lock::read(&at, &bytes).is_ok());
        for (number, cost) in [(0, u32::MAX), (1, 65), (2, 17), (0, 0), (1, 0)] {
            let mut bent = bytes[..bytes.len() - 32].to_vec();
            bent[34 + 4 * number..][..4].copy_from_slice(&cost.to_le_bytes());
            let checksum = Sha256::digest(&bent);
            bent.extend_from_slice(&checksum);
            let error = Lock::read(&at, &bent).err().unwrap().to_string();
            assert!(error.contains("found a cost of"), "{error}");
        }
    }
}
