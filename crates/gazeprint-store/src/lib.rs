//! Galleries that outlive the process: records that are whole, authentic and atomic.
//!
//! A [`Vault`] keeps named byte strings of a few kinds in a file (SQLite) or on a server
//! (PostgreSQL, feature `postgres`), encrypted or not. What it gives back is what was put in, or an
//! error that names what is damaged. A change is made as a whole or not at all, also when the
//! process is killed.
//!
//! ```
//! use gazeprint_store::{Kind, Location, StoreError, Vault};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("readers.gallery");
//! let at = Location::File(path);
//! let mut vault = Vault::create(&at, None)?;
//! vault.write(|change| {
//!     change.put(Kind::Template, "anna", b"how she reads")?;
//!     change.append(b"anna was enrolled")
//! })?;
//! let template = vault.read(|snapshot| snapshot.get(Kind::Template, "anna"))?;
//! assert_eq!(template.as_deref().map(Vec::as_slice), Some(b"how she reads".as_slice()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is not noticed: a whole gallery that was replaced by an older copy of itself. And without
//! encryption, seals are checksums: they tell damage, not forgery.
//!
//! What a vault is made of, from the outside to the inside: [`Vault`] (transactions), [`Snapshot`]
//! and [`Change`] (records and log), headers (what must be there), seals (checksums or encryption),
//! and a backend, which knows rows of bytes only. A [`Gallery`] stands on top of it: readers with their
//! templates and recordings, the population, the [`Rules`](gazeprint::decision::Rules) of decisions, and
//! the log.

#[cfg(feature = "postgres")]
mod address;
mod backend;
mod content;
mod error;
mod events;
mod files;
mod gallery;
mod header;
mod journal;
mod kind;
mod location;
mod merge;
mod migration;
#[cfg(feature = "postgres")]
mod password;
#[cfg(feature = "postgres")]
mod postgres;
mod recordings;
mod rekey;
mod rows;
mod seal;
mod secret;
mod snapshot;
mod sqlite;
mod vault;

pub use content::{
    Difference, Enrolment, Entry, Founding, GalleryError, Loaded, Remember, StoredReaders,
    VoicedRules,
};
pub use error::{Part, StoreError};
pub use events::{Event, Logged, now};
pub use gallery::Gallery;
pub use kind::Kind;
pub use location::Location;
pub use recordings::{MergeError, Recording, corpus, merged, recordings};
pub use rows::{Rows, Searchable};
pub use secret::{KeyFileError, Secret};
pub use snapshot::{Change, Snapshot};
pub use vault::{Checked, Vault};
