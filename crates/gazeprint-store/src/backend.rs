//! What a database has to do for a gallery.
//!
//! A backend stores bytes in rows and keeps transactions. It knows neither names nor keys: what is
//! in a row, and whether it is right, is decided above it.

use std::ops::ControlFlow;

use crate::{Kind, Location, StoreError};

/// What a row is called: derived from the name, which it does not tell.
pub(crate) type Row = [u8; 16];

/// What a transaction is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Looking: one consistent view.
    Read,
    /// Changing. No other change begins until it ends.
    Write,
    /// As [`Access::Write`]; what was removed is overwritten afterwards, by [`Backend::scrub`].
    Erase,
}

/// A row as it is stored.
pub(crate) struct Stored {
    /// Proves the value: a checksum, or nonce and tag.
    pub(crate) seal: Vec<u8>,
    /// The record, encrypted or not.
    pub(crate) value: Vec<u8>,
}

/// Called with row, seal and value. The value is empty where only seals were asked for.
pub(crate) type VisitRow<'a> = dyn FnMut(&[u8], &[u8], &[u8]) -> ControlFlow<()> + 'a;
/// Called with sequence number, seal and value.
pub(crate) type VisitEntry<'a> = dyn FnMut(i64, &[u8], &[u8]) -> ControlFlow<()> + 'a;

/// How much of rows is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Rows and seals: quick.
    Seals,
    /// Everything.
    Values,
}

/// A database. Everything but [`Backend::begin`] and [`Backend::discard`] happens within a
/// transaction.
pub(crate) trait Backend: Send {
    /// Begins a transaction. One that was left open is rolled back first.
    fn begin(&mut self, access: Access) -> Result<(), StoreError>;
    /// Makes the change, durably.
    fn commit(&mut self) -> Result<(), StoreError>;
    /// After the commit of [`Access::Erase`]: overwrites what is left of the old content.
    fn scrub(&mut self) -> Result<(), StoreError>;
    /// Within a change: whether another process is overwriting just now.
    fn is_scrubbed_elsewhere(&mut self) -> Result<bool, StoreError>;
    /// Within a change: whether something lies about that is still to be overwritten.
    fn has_leftovers(&self) -> bool;
    /// Undoes everything since the beginning.
    fn rollback(&mut self) -> Result<(), StoreError>;

    /// Makes the tables of an empty gallery.
    fn install(&mut self) -> Result<(), StoreError>;
    /// Takes back what was made for a gallery that did not come to be.
    fn discard(self: Box<Self>);

    /// The header, which no other change touches until a writing transaction ends.
    fn header(&mut self) -> Result<Option<Vec<u8>>, StoreError>;
    /// Replaces the header.
    fn set_header(&mut self, value: &[u8]) -> Result<(), StoreError>;

    /// One record.
    fn get(&mut self, kind: Kind, row: &Row) -> Result<Option<Stored>, StoreError>;
    /// All records of a kind in the order of rows, not all at once.
    fn scan(
        &mut self,
        kind: Kind,
        depth: Depth,
        visit: &mut VisitRow<'_>,
    ) -> Result<(), StoreError>;
    /// Writes a record, new or not.
    fn put(&mut self, kind: Kind, row: &Row, seal: &[u8], value: &[u8]) -> Result<(), StoreError>;
    /// Deletes a record.
    fn delete(&mut self, kind: Kind, row: &Row) -> Result<(), StoreError>;

    /// All entries of the log in order, not all at once.
    fn entries(&mut self, visit: &mut VisitEntry<'_>) -> Result<(), StoreError>;
    /// One entry of the log.
    fn entry(&mut self, sequence: i64) -> Result<Option<Stored>, StoreError>;
    /// Adds an entry to the log.
    fn append(&mut self, sequence: i64, seal: &[u8], value: &[u8]) -> Result<(), StoreError>;
    /// Whether the database itself refuses to change or delete entries of the log.
    fn guard_log(&mut self, on: bool) -> Result<(), StoreError>;
    /// Replaces an entry of a log that is not guarded.
    fn replace_entry(&mut self, sequence: i64, seal: &[u8], value: &[u8])
    -> Result<(), StoreError>;

    /// What the database finds wrong with itself.
    fn complaints(&mut self) -> Result<Vec<String>, StoreError>;
    /// Whether the connection can be listened to.
    fn is_exposed(&self) -> bool;
}

/// Opens what is there. `sealed`: nothing but encrypted records will pass.
pub(crate) fn open(at: &Location, sealed: bool) -> Result<Box<dyn Backend>, StoreError> {
    Ok(match at {
        Location::File(_) => Box::new(crate::sqlite::Sqlite::open(at)?),
        #[cfg(feature = "postgres")]
        Location::Postgres(_) => Box::new(crate::postgres::Postgres::open(at, sealed)?),
        #[cfg(not(feature = "postgres"))]
        Location::Postgres(_) => {
            _ = sealed;
            return Err(StoreError::NoPostgres { at: at.clone() });
        }
    })
}

/// Makes room for a new gallery, of which nothing can be seen before its first commit.
pub(crate) fn create(at: &Location, sealed: bool) -> Result<Box<dyn Backend>, StoreError> {
    Ok(match at {
        Location::File(_) => Box::new(crate::sqlite::Sqlite::create(at)?),
        #[cfg(feature = "postgres")]
        Location::Postgres(_) => Box::new(crate::postgres::Postgres::create(at, sealed)?),
        #[cfg(not(feature = "postgres"))]
        Location::Postgres(_) => {
            _ = sealed;
            return Err(StoreError::NoPostgres { at: at.clone() });
        }
    })
}
