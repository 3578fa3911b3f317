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
    /// As [`Access::Write`]; keys that were overwritten are overwritten in what the database keeps beside
    /// its tables, too, by [`Backend::scrub`].
    Erase,
}

/// A row as it is stored.
pub(crate) struct Stored {
    /// Proves the value: nonce and tag; in galleries of earlier formats also a checksum.
    pub(crate) seal: Vec<u8>,
    /// The record, encrypted or not.
    pub(crate) value: Vec<u8>,
}

/// Called with row, seal and value. The value is empty where only seals were asked for.
pub(crate) type VisitRow<'a> = dyn FnMut(&[u8], &[u8], &[u8]) -> ControlFlow<()> + 'a;

/// How much of rows is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Rows and seals: quick.
    Seals,
    /// Everything.
    Values,
}

/// How many rows there are, as the database counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) records: u64,
    pub(crate) slots: u64,
    pub(crate) entries: u64,
}

/// A database. Everything but [`Backend::begin`], [`Backend::scrub`], [`Backend::compact`] and
/// [`Backend::discard`] happens within a transaction.
pub(crate) trait Backend: Send {
    /// Begins a transaction. One that was left open is rolled back first.
    fn begin(&mut self, access: Access) -> Result<(), StoreError>;
    /// Makes the change, durably.
    fn commit(&mut self) -> Result<(), StoreError>;
    /// After the commit of [`Access::Erase`]: overwrites what is left of keys beside the tables, as far as that takes
    /// no longer where there are more.
    fn scrub(&mut self) -> Result<(), StoreError>;
    /// Whether an erasure that was cut short has left something beside the tables.
    fn has_leftovers(&self) -> bool;
    /// After the commit of [`Access::Erase`]: writes everything anew, without what was given up.
    fn compact(&mut self) -> Result<(), StoreError>;
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
    /// The records of a kind from one row to another, in their order.
    fn range(&mut self, kind: Kind, rows: &[Row; 2]) -> Result<Vec<(Row, Stored)>, StoreError>;
    /// Writes a record, new or not.
    fn put(&mut self, kind: Kind, row: &Row, seal: &[u8], value: &[u8]) -> Result<(), StoreError>;
    /// Deletes a record.
    fn delete(&mut self, kind: Kind, row: &Row) -> Result<(), StoreError>;

    /// A node of the tree.
    fn node(&mut self, id: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;
    /// Writes a node, new or not.
    fn put_node(&mut self, id: &[u8], value: &[u8]) -> Result<(), StoreError>;
    /// Deletes a node, if there is one.
    fn delete_node(&mut self, id: &[u8]) -> Result<(), StoreError>;

    /// What is in a slot.
    fn slot(&mut self, number: u64) -> Result<Option<Vec<u8>>, StoreError>;
    /// Fills a slot or, where it is taken, overwrites it where it stands.
    fn put_slot(&mut self, number: u64, value: &[u8]) -> Result<(), StoreError>;

    /// One entry of the log.
    fn entry(&mut self, sequence: i64) -> Result<Option<Stored>, StoreError>;
    /// Adds an entry to the log.
    fn append(&mut self, sequence: i64, seal: &[u8], value: &[u8]) -> Result<(), StoreError>;
    /// Whether the database itself refuses to change or delete entries of the log.
    fn guard_log(&mut self, on: bool) -> Result<(), StoreError>;
    /// Replaces an entry of a log that is not guarded.
    fn replace_entry(&mut self, sequence: i64, seal: &[u8], value: &[u8])
    -> Result<(), StoreError>;

    /// One record of a gallery of an earlier format.
    fn get_old(&mut self, kind: Kind, row: &Row) -> Result<Option<Stored>, StoreError>;
    /// All records of a kind of such a gallery, in the order of rows, not all at once.
    fn scan_old(
        &mut self,
        kind: Kind,
        depth: Depth,
        visit: &mut VisitRow<'_>,
    ) -> Result<(), StoreError>;
    /// Makes the tables of today beside those of an earlier format, which are still read.
    fn begin_upgrade(&mut self) -> Result<(), StoreError>;
    /// Gives up the tables of the earlier format.
    fn end_upgrade(&mut self) -> Result<(), StoreError>;

    /// How many rows the tables have.
    fn counts(&mut self) -> Result<Counts, StoreError>;
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
