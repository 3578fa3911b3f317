//! Why a gallery could not be used.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::snapshot::hexadecimal;
use crate::{Kind, Location};

/// Why a gallery could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is none.
    #[error("{at}: there is no gallery; check the path or address, or create one")]
    Missing {
        /// Where it was looked for.
        at: Location,
    },
    /// There is one already, or something else.
    #[error("{at} exists already; a gallery is never overwritten; choose another place")]
    Exists {
        /// Where it was to be.
        at: Location,
    },
    /// Something else.
    #[error("{at} is no gallery: found {found}; give one that gazeprint made")]
    NotAGallery {
        /// What was opened.
        at: Location,
        /// What is there instead.
        found: String,
    },
    /// Made by a later version.
    #[error(
        "{at} was made by a later version of gazeprint: found format {found}, expected at most \
             {known}; use that version"
    )]
    Newer {
        /// The gallery.
        at: Location,
        /// Its format.
        found: u64,
        /// The latest that is known here.
        known: u64,
    },
    /// Of an earlier format, and asked to change.
    #[error(
        "{at} was made by an earlier version of gazeprint, and is only read; run `gazeprint gallery \
             upgrade --gallery {at}` once, and it can be changed"
    )]
    OldFormat {
        /// The gallery.
        at: Location,
    },
    /// Not older than what was asked for, as it should be.
    #[error(
        "{at} is older than the anchor: {why}; it was put back to an earlier state, or is another \
             gallery; find out who did it, and use the newer one"
    )]
    RolledBack {
        /// The gallery.
        at: Location,
        /// What was found and what was expected.
        why: String,
    },
    /// Encrypted, and no secret was given.
    #[error("{at} is encrypted, and opens with a {expected}; found none; give it")]
    SecretMissing {
        /// The gallery.
        at: Location,
        /// What it opens with.
        expected: &'static str,
    },
    /// Not encrypted, and a secret was given.
    #[error(
        "{at} is not encrypted; found a {found}, expected none; leave it out, or encrypt the \
             gallery with it first"
    )]
    SecretNeedless {
        /// The gallery.
        at: Location,
        /// What was given.
        found: &'static str,
    },
    /// Opens with the other kind of secret.
    #[error("{at} opens with a {expected}; found a {found}")]
    SecretOther {
        /// The gallery.
        at: Location,
        /// What was given.
        found: &'static str,
        /// What it opens with.
        expected: &'static str,
    },
    /// A secret that does not open it.
    #[error("{at}: the {found} does not open it; check that it is the one of this gallery")]
    SecretWrong {
        /// The gallery.
        at: Location,
        /// What was given.
        found: &'static str,
    },
    /// A passphrase without a character.
    #[error("{at}: found an empty passphrase, expected one that nobody guesses")]
    PassphraseEmpty {
        /// The gallery.
        at: Location,
    },
    /// A new passphrase that somebody would guess.
    #[error(
        "{at}: the new passphrase is too easy to guess: {why}; take a few words that have nothing to do with \
             each other, or a key file (`gazeprint gallery key FILE`)"
    )]
    PassphraseWeak {
        /// The gallery.
        at: Location,
        /// What was found and what was expected.
        why: String,
    },
    /// Something in it is not what was written.
    #[error("{at}, {part}: {why}; the gallery was damaged or tampered with; use a copy of it")]
    Damaged {
        /// The gallery.
        at: Location,
        /// What in it.
        part: Part,
        /// What was found and what was expected.
        why: String,
    },
    /// Encrypted anew, or replaced, since it was opened.
    #[error("{at} was encrypted anew or replaced since it was opened; open it again")]
    Changed {
        /// The gallery.
        at: Location,
    },
    /// Others hold it.
    #[error("{at} is in use: {doing} had to wait too long for others; try again later")]
    Busy {
        /// The gallery.
        at: Location,
        /// What was tried.
        doing: &'static str,
    },
    /// The database refused.
    #[error("{at}: {doing} failed: {message}")]
    Database {
        /// The gallery.
        at: Location,
        /// What was tried.
        doing: &'static str,
        /// What the database said.
        message: String,
    },
    /// The operating system refused.
    #[error("{}: {doing} failed: {error}", .file.display())]
    System {
        /// The file.
        file: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// Something failed within a change, which was therefore not made.
    #[error("{at}: the change was not made, since a part of it failed before")]
    Failed {
        /// The gallery.
        at: Location,
    },
    /// The change was made, but what it removed may be left somewhere.
    #[error(
        "{at}: the change was made, but copies of it that the database keeps beside its tables could not \
             be overwritten: {message}; `gazeprint gallery compact` tries it again"
    )]
    Leftovers {
        /// The gallery.
        at: Location,
        /// What was in the way.
        message: String,
    },
    /// Larger than any record can be.
    #[error("{kind} {name:?} is too large: found {found} bytes, expected at most {most}")]
    TooLarge {
        /// Kind of the record.
        kind: Kind,
        /// Its name.
        name: String,
        /// Its size.
        found: usize,
        /// The largest size.
        most: usize,
    },
    /// Readable records would pass a network.
    #[error(
        "{at} is on another computer, and the connection is not protected: found a gallery \
             without encryption, expected an encrypted one; give a key file or a passphrase, or \
             sslmode=verify-full and sslrootcert=FILE, or go through a tunnel to localhost"
    )]
    Exposed {
        /// The gallery.
        at: Location,
    },
    /// An address that cannot be used.
    #[error("{at} is no address that can be used: {why}")]
    Address {
        /// The address.
        at: Location,
        /// What was found and what was expected.
        why: String,
    },
    /// Certificates that cannot be used.
    #[error(
        "{}, whose certificates are to vouch for the server of {at}, cannot be used: {why}; give a file with \
             certificates (PEM)", .file.display()
    )]
    Certificates {
        /// The address.
        at: Location,
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The password of the database is for everybody to read.
    #[error(
        "{}, where the password of {at} stands, may be read by others: found the mode {mode:03o}, \
             expected 600 or 400; run `chmod 600` on it, and choose another password if others may \
             have seen this one", .file.display()
    )]
    PasswordFile {
        /// The address.
        at: Location,
        /// The file with its password.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// Built without PostgreSQL.
    #[error(
        "{at}: this gazeprint was built without PostgreSQL; use a file, or build it with \
             the feature `postgres`"
    )]
    NoPostgres {
        /// The address.
        at: Location,
    },
    /// The operating system has no random numbers.
    #[error("the system gives no random numbers ({message}); try again")]
    Randomness {
        /// What the system said.
        message: String,
    },
}

impl StoreError {
    /// A record whose seal does not fit.
    pub(crate) fn broken_record(
        at: &Location,
        kind: Kind,
        row: &[u8],
        name: Option<String>,
    ) -> Self {
        let part = Part::Record { kind, name, row: hexadecimal(row) };
        Self::Damaged { at: at.clone(), part, why: "its seal does not fit".to_owned() }
    }

    /// An entry of the log that is not as it was written.
    pub(crate) fn broken_entry(at: &Location, sequence: u64, why: &str) -> Self {
        Self::Damaged { at: at.clone(), part: Part::Log(Some(sequence)), why: why.to_owned() }
    }

    /// The same of a record whose name is known.
    pub(crate) fn of_name(self, name: &str) -> Self {
        match self {
            Self::Damaged { at, part: Part::Record { kind, name: None, row }, why } => {
                let part = Part::Record { kind, name: Some(name.to_owned()), row };
                Self::Damaged { at, part, why }
            }
            other => other,
        }
    }
}

/// A part of a gallery.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// What says how the gallery is encrypted and what is in it.
    Header,
    /// A record. Without its name, where it could not be read.
    Record {
        /// Its kind.
        kind: Kind,
        /// Its name.
        name: Option<String>,
        /// What its row is called.
        row: String,
    },
    /// All records of a kind.
    All(Kind),
    /// What says which records there must be.
    Tree,
    /// The key in a slot.
    Key(u64),
    /// The log, or an entry of it.
    Log(Option<u64>),
    /// The database around it.
    Database,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("header"),
            Self::Record { kind, name: Some(name), .. } => write!(f, "{kind} {name:?}"),
            Self::Record { kind, name: None, row } => write!(f, "{kind} in row {row}"),
            Self::All(kind) => write!(f, "records of the kind {kind}"),
            Self::Tree => f.write_str("list of records"),
            Self::Key(number) => write!(f, "key {number}"),
            Self::Log(Some(sequence)) => write!(f, "log entry {sequence}"),
            Self::Log(None) => f.write_str("log"),
            Self::Database => f.write_str("database"),
        }
    }
}
