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
//! A whole gallery that was replaced by an older copy of itself shows only where somebody kept an
//! [`Anchor`]. And without encryption, everything that opens a record stands beside it: seals tell
//! damage then, not forgery.
//!
//! What a vault is made of, from the outside to the inside: [`Vault`] (transactions), [`Snapshot`]
//! and [`Change`] (records and log), headers (what must be there) and below them a tree of seals (which
//! records), keys in slots (one a reader), seals, and a backend, which knows rows of bytes only. A [`Gallery`] stands on top of it: readers with their
//! templates and recordings, the population, the [`Rules`](gazeprint::decision::Rules) of decisions, and
//! the log.

#[cfg(feature = "postgres")]
mod address;
mod anchor;
mod backend;
mod change;
mod content;
mod error;
mod events;
mod failure;
mod files;
mod gallery;
mod header;
mod journal;
mod keys;
mod kind;
mod legacy;
mod location;
mod merge;
#[cfg(feature = "postgres")]
mod password;
#[cfg(feature = "postgres")]
mod postgres;
mod readers;
mod recordings;
mod rekey;
mod rows;
mod seal;
mod secret;
mod snapshot;
mod sqlite;
mod stored;
#[cfg(feature = "postgres")]
mod tls;
mod tree;
mod upkeep;
mod vault;

pub use anchor::{Anchor, AnchorError};
pub use change::Change;
pub use content::{Enrolment, Entry, Founding, Remember, Version, VoicedRules};
pub use error::{Part, StoreError};
pub use events::{Event, Logged, now};
pub use failure::{Difference, GalleryError};
pub use gallery::Gallery;
pub use kind::Kind;
pub use location::Location;
pub use readers::Learned;
pub use recordings::{MergeError, Recording, corpus, merged, recordings};
pub use rows::{RowMaking, RowsKept, Searchable, WithoutRow};
pub use secret::{KeyFileError, Secret};
pub use snapshot::{Cursor, Record, Snapshot};
pub use stored::{Loaded, StoredCohort, StoredLearning, StoredReaders, Whose};
pub use vault::{Checked, Vault};
