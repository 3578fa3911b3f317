//! Older galleries brought up to date, on any database.

use crate::backend::{Access, Backend};
use crate::{Location, StoreError};

/// The second version of a gallery has the same tables. Its header has a state that a program for
/// the first cannot read.
pub(crate) const HEADER_2: &str = "";

/// A database that keeps the version of its tables.
pub(crate) trait Versioned: Backend {
    /// The version, and within a change the last word on it. 0 if there is none.
    fn version(&mut self) -> Result<u64, StoreError>;
    /// Notes the version, within a change.
    fn set_version(&mut self, version: usize) -> Result<(), StoreError>;
    /// Changes tables.
    fn alter(&mut self, statements: &str) -> Result<(), StoreError>;
}

/// Brings older tables up to date, all or none. Migration n makes version n from version n - 1.
pub(crate) fn migrate(
    tables: &mut impl Versioned,
    at: &Location,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let (found, known) = (tables.version()?, migrations.len() as u64);
    if found > known {
        return Err(StoreError::Newer { at: at.clone(), found, known });
    }
    if found == known {
        return Ok(());
    }
    tables.begin(Access::Write)?;
    let migrated = run_migrations(tables, migrations).and_then(|()| tables.commit());
    if migrated.is_err() {
        tables.rollback()?;
    }
    migrated
}

/// Within a change, since another process may have been quicker.
pub(crate) fn run_migrations(
    tables: &mut impl Versioned,
    migrations: &[&str],
) -> Result<(), StoreError> {
    let version = usize::try_from(tables.version()?).unwrap_or(usize::MAX);
    for migration in migrations.iter().skip(version) {
        tables.alter(migration)?;
    }
    tables.set_version(migrations.len().max(version))
}
