//! A gallery in a file, by SQLite.
//!
//! At rest a gallery is one file. Changes go through a rollback journal that is synced before the
//! file is touched, so that a killed process or a lost power supply leaves the old state or the new
//! one. What is deleted is overwritten with zeros in the file. The journal has it still, and the
//! database leaves fragments where it moved rows. Therefore erasing keeps the journal until it has
//! been overwritten too, and builds the file anew.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};

use crate::backend::{Access, Backend, Depth, Row, Stored, VisitEntry, VisitRow};
use crate::error::Part;
use crate::files::{create_private, draft_of, publish};
use crate::migration::{HEADER_2, Versioned, migrate, run_migrations};
use crate::seal::random;
use crate::{Kind, Location, StoreError, journal};

/// Tells galleries from other files of SQLite: "gaze".
const APPLICATION: i64 = 0x6761_7a65;
/// What is done when there is none yet.
const MAKING: &str = "making the gallery";
/// How long others are waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What makes version n of the tables from version n - 1. Every kind has a table, which is one tree
/// in the order of its keys: if a walk through it meets the right rows in the right order, then a
/// search finds what there is. An index beside it, or other kinds in it, could mislead a search and
/// leave the walk as it was.
const MIGRATIONS: [&str; 2] = ["
    CREATE TABLE header (one INTEGER PRIMARY KEY CHECK (one = 1), value BLOB NOT NULL);
    CREATE TABLE settings (id BLOB PRIMARY KEY, seal BLOB NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE template (id BLOB PRIMARY KEY, seal BLOB NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE readings (id BLOB PRIMARY KEY, seal BLOB NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE probe (id BLOB PRIMARY KEY, seal BLOB NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE log (sequence INTEGER PRIMARY KEY, seal BLOB NOT NULL, value BLOB NOT NULL);
", HEADER_2];

/// The log only grows.
const GUARDS: &str = "
    CREATE TRIGGER log_insert BEFORE INSERT ON log
        WHEN NEW.sequence <> (SELECT coalesce(max(sequence), 0) + 1 FROM log)
        BEGIN SELECT raise(ABORT, 'the log only grows'); END;
    CREATE TRIGGER log_update BEFORE UPDATE ON log
        BEGIN SELECT raise(ABORT, 'the log only grows'); END;
    CREATE TRIGGER log_delete BEFORE DELETE ON log
        BEGIN SELECT raise(ABORT, 'the log only grows'); END;
";
const NO_GUARDS: &str =
    "DROP TRIGGER log_insert; DROP TRIGGER log_update; DROP TRIGGER log_delete;";

/// A file of SQLite.
pub(crate) struct Sqlite {
    at: Location,
    /// Its path without links: the journal stands beside it.
    file: PathBuf,
    connection: Connection,
    access: Access,
    /// Where a gallery that is being made is to stand, once it is whole. Until then `file` is a draft
    /// beside it.
    goal: Option<PathBuf>,
}

impl Sqlite {
    /// Opens a gallery.
    pub(crate) fn open(at: &Location) -> Result<Self, StoreError> {
        let path = path_of(at);
        let file = fs::canonicalize(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StoreError::Missing { at: at.clone() },
            _ => StoreError::System { file: path.to_owned(), doing: "opening the gallery", error },
        })?;
        let other =
            |found: &str| Err(StoreError::NotAGallery { at: at.clone(), found: found.to_owned() });
        if file.is_dir() {
            return other("a folder");
        }
        let mut opened = match Self::connect(at, file) {
            Err(StoreError::Damaged { .. }) => return other("bytes that are no database"),
            opened => opened?,
        };
        let application = match opened.number("application_id") {
            Err(StoreError::Damaged { .. }) => return other("bytes that are no database"),
            found => found?,
        };
        match (application, opened.number("user_version")?) {
            (APPLICATION, 1..) => migrate(&mut opened, at, &MIGRATIONS)?,
            (0, 0) if opened.number("page_count")? == 0 => {
                return other("an empty file");
            }
            _ => return other("a database of something else"),
        }
        opened.leave_other_modes()?;
        Ok(opened)
    }

    /// Makes a draft of a gallery, which its first commit gives its name.
    pub(crate) fn create(at: &Location) -> Result<Self, StoreError> {
        let path = path_of(at);
        if path.symlink_metadata().is_ok() {
            return Err(StoreError::Exists { at: at.clone() });
        }
        let draft = draft_of(path, u64::from_le_bytes(random()?));
        drop(create_private(&draft).map_err(|error| not_made(at, error))?);
        let file = fs::canonicalize(&draft).map_err(|error| not_made(at, error));
        let made = file.and_then(|file| {
            let made = Self { goal: Some(path.to_owned()), ..Self::connect(at, file)? };
            // A template takes three pages then.
            made.batch(MAKING, "PRAGMA page_size = 8192")?;
            Ok(made)
        });
        if made.is_err() {
            _ = fs::remove_file(draft);
        }
        made
    }

    /// Gives a draft its name.
    fn publish(&mut self, goal: &Path) -> Result<(), StoreError> {
        let failed = |error: rusqlite::Error| StoreError::Database {
            at: self.at.clone(),
            doing: MAKING,
            message: error.to_string(),
        };
        // A connection knows its file by its name.
        let elsewhere = Connection::open_in_memory().map_err(failed)?;
        let draft = std::mem::replace(&mut self.connection, elsewhere);
        draft.close().map_err(|(_, error)| failed(error))?;
        let published = publish(&self.file, goal).and_then(|()| fs::canonicalize(goal));
        let file = published.map_err(|error| not_made(&self.at, error))?;
        *self = Self::connect(&self.at, file)?;
        Ok(())
    }

    fn connect(at: &Location, file: PathBuf) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&file, flags);
        let failed = |error: rusqlite::Error| StoreError::Database {
            at: at.clone(),
            doing: "opening the gallery",
            message: error.to_string(),
        };
        let connection = opened.map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        let opened = Self { at: at.clone(), file, connection, access: Access::Read, goal: None };
        // EXTRA: a commit counts once the folder knows that the journal is gone. Temporary files
        // would keep what is erased.
        let settings = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = ON; PRAGMA synchronous = EXTRA; PRAGMA temp_store = MEMORY;";
        opened.batch("opening the gallery", settings)?;
        Ok(opened)
    }

    /// Other programs can have switched a file to a journal that cannot be erased.
    fn leave_other_modes(&self) -> Result<(), StoreError> {
        let doing = "opening the gallery";
        let mode = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        let mode = self.connection.pragma_query_value(None, "journal_mode", mode);
        match mode.map_err(|error| self.failed(doing, error))?.as_str() {
            "wal" => self.batch(doing, "PRAGMA journal_mode = DELETE"),
            _ => Ok(()),
        }
    }

    fn number(&self, pragma: &str) -> Result<i64, StoreError> {
        let found = self.connection.pragma_query_value(None, pragma, |row| row.get(0));
        found.map_err(|error| self.failed("opening the gallery", error))
    }

    fn batch(&self, doing: &'static str, statements: &str) -> Result<(), StoreError> {
        self.connection.execute_batch(statements).map_err(|error| self.failed(doing, error))
    }

    /// Words for what SQLite says.
    fn failed(&self, doing: &'static str, error: rusqlite::Error) -> StoreError {
        let at = self.at.clone();
        let damaged =
            |why: String| StoreError::Damaged { at: at.clone(), part: Part::Database, why };
        match &error {
            rusqlite::Error::SqliteFailure(code, message) => match code.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                    StoreError::Busy { at, doing }
                }
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => damaged(error.to_string()),
                // The statements are ours: it is the tables that are not.
                ErrorCode::Unknown if message.as_deref().is_some_and(|m| m.contains("no such")) => {
                    damaged(error.to_string())
                }
                _ => StoreError::Database { at, doing, message: error.to_string() },
            },
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..) => damaged(error.to_string()),
            _ => StoreError::Database { at, doing, message: error.to_string() },
        }
    }

    /// Within a change: keeps others out after its end too, and the journal where it is. Before it,
    /// two that erase could wait for each other.
    fn shut(&self) -> Result<(), StoreError> {
        self.batch("erasing", "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = PERSIST;")
    }

    /// Lets others in, and removes the journal.
    fn unshut(&self) -> Result<(), StoreError> {
        // The lock goes with the next look at the file.
        let statements = "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema;
            PRAGMA journal_mode = DELETE;";
        self.batch("erasing", statements)
    }

    /// Overwrites the journal, and builds the file anew. Others must be shut out.
    fn overwrite(&self) -> Result<(), StoreError> {
        let leftovers = |message| StoreError::Leftovers { at: self.at.clone(), message };
        let journal = || {
            let overwritten = journal::overwrite(&self.file);
            overwritten.map_err(|error| leftovers(format!("its journal: {error}")))
        };
        // First, since the journal of an interrupted rebuilding is removed by whoever comes next.
        journal()?;
        let rebuilt = self.connection.execute_batch("VACUUM");
        rebuilt.map_err(|error| leftovers(error.to_string()))?;
        journal()
    }

    fn query_rows(
        &self,
        statement: &str,
        depth: Depth,
        visit: &mut VisitRow<'_>,
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare(statement)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let value = if depth == Depth::Values { blob(row, 2)? } else { &[] };
            if visit(blob(row, 0)?, blob(row, 1)?, value).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn query_entries(&self, visit: &mut VisitEntry<'_>) -> rusqlite::Result<()> {
        let statement = "SELECT sequence, seal, value FROM log ORDER BY sequence";
        let mut statement = self.connection.prepare(statement)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if visit(row.get(0)?, blob(row, 1)?, blob(row, 2)?) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }
}

/// The table of a kind.
fn table(kind: Kind) -> &'static str {
    match kind {
        Kind::Settings => "settings",
        Kind::Template => "template",
        Kind::Readings => "readings",
        Kind::Probe => "probe",
    }
}

fn path_of(at: &Location) -> &Path {
    match at {
        Location::File(path) => path,
        Location::Postgres(_) => Path::new(""),
    }
}

/// Words for why there is no gallery where one was to be.
fn not_made(at: &Location, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => StoreError::Exists { at: at.clone() },
        _ => StoreError::System { file: path_of(at).to_owned(), doing: MAKING, error },
    }
}

/// The bytes of a column, where they are bytes.
fn blob<'a>(row: &'a rusqlite::Row<'_>, column: usize) -> rusqlite::Result<&'a [u8]> {
    let value = row.get_ref(column)?;
    value.as_blob().map_err(|_| {
        rusqlite::Error::InvalidColumnType(column, "bytes".to_owned(), value.data_type())
    })
}

fn stored(row: &rusqlite::Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored { seal: blob(row, 0)?.to_vec(), value: blob(row, 1)?.to_vec() })
}

impl Versioned for Sqlite {
    fn version(&mut self) -> Result<u64, StoreError> {
        Ok(u64::try_from(self.number("user_version")?).unwrap_or(0))
    }

    fn set_version(&mut self, version: usize) -> Result<(), StoreError> {
        self.alter(&format!("PRAGMA user_version = {version}"))
    }

    fn alter(&mut self, statements: &str) -> Result<(), StoreError> {
        self.batch("bringing the gallery up to date", statements)
    }
}

impl Backend for Sqlite {
    fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        self.rollback()?;
        if access == Access::Read {
            return self.batch("reading", "BEGIN");
        }
        self.batch("beginning a change", "BEGIN IMMEDIATE")?;
        self.access = access;
        if access == Access::Erase { self.shut() } else { Ok(()) }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.batch("ending a change", "COMMIT")?;
        match self.goal.take() {
            Some(goal) => self.publish(&goal),
            None => Ok(()),
        }
    }

    fn scrub(&mut self) -> Result<(), StoreError> {
        self.access = Access::Read;
        let overwritten = self.overwrite();
        self.unshut().and(overwritten)
    }

    /// Who overwrites keeps all others out.
    fn is_scrubbed_elsewhere(&mut self) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn has_leftovers(&self) -> bool {
        journal::is_left_over(&self.file)
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        if !self.connection.is_autocommit() {
            self.batch("taking a change back", "ROLLBACK")?;
        }
        if self.access == Access::Erase {
            self.unshut()?;
        }
        self.access = Access::Read;
        Ok(())
    }

    fn install(&mut self) -> Result<(), StoreError> {
        self.batch(MAKING, &format!("PRAGMA application_id = {APPLICATION}"))?;
        run_migrations(self, &MIGRATIONS)?;
        self.guard_log(true)
    }

    fn discard(self: Box<Self>) {
        let Self { file, connection, .. } = *self;
        drop(connection);
        _ = fs::remove_file(file);
    }

    fn header(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        let query = "SELECT value FROM header";
        let found = self.connection.query_row(query, [], |row| Ok(blob(row, 0)?.to_vec()));
        found.optional().map_err(|error| self.failed("reading the header", error))
    }

    fn set_header(&mut self, value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO header (one, value) VALUES (1, ?1)
            ON CONFLICT (one) DO UPDATE SET value = excluded.value";
        let written = self.connection.execute(statement, [value]);
        written.map(drop).map_err(|error| self.failed("writing the header", error))
    }

    fn get(&mut self, kind: Kind, row: &Row) -> Result<Option<Stored>, StoreError> {
        let query = format!("SELECT seal, value FROM {} WHERE id = ?1", table(kind));
        let found = self.connection.query_row(&query, [row], stored);
        found.optional().map_err(|error| self.failed("reading a record", error))
    }

    fn scan(
        &mut self,
        kind: Kind,
        depth: Depth,
        visit: &mut VisitRow<'_>,
    ) -> Result<(), StoreError> {
        let columns = match depth {
            Depth::Seals => "id, seal",
            Depth::Values => "id, seal, value",
        };
        let statement = format!("SELECT {columns} FROM {} ORDER BY id", table(kind));
        self.query_rows(&statement, depth, visit)
            .map_err(|error| self.failed("reading records", error))
    }

    fn put(&mut self, kind: Kind, row: &Row, seal: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = format!(
            "INSERT INTO {} (id, seal, value) VALUES (?1, ?2, ?3)
             ON CONFLICT (id) DO UPDATE SET seal = excluded.seal, value = excluded.value",
            table(kind)
        );
        let written = self.connection.execute(&statement, params![row, seal, value]);
        written.map(drop).map_err(|error| self.failed("writing a record", error))
    }

    fn delete(&mut self, kind: Kind, row: &Row) -> Result<(), StoreError> {
        let statement = format!("DELETE FROM {} WHERE id = ?1", table(kind));
        let deleted = self.connection.execute(&statement, [row]);
        deleted.map(drop).map_err(|error| self.failed("removing a record", error))
    }

    fn entries(&mut self, visit: &mut VisitEntry<'_>) -> Result<(), StoreError> {
        self.query_entries(visit).map_err(|error| self.failed("reading the log", error))
    }

    fn entry(&mut self, sequence: i64) -> Result<Option<Stored>, StoreError> {
        let query = "SELECT seal, value FROM log WHERE sequence = ?1";
        let found = self.connection.query_row(query, [sequence], stored);
        found.optional().map_err(|error| self.failed("reading the log", error))
    }

    fn append(&mut self, sequence: i64, seal: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO log (sequence, seal, value) VALUES (?1, ?2, ?3)";
        let written = self.connection.execute(statement, params![sequence, seal, value]);
        written.map(drop).map_err(|error| self.failed("writing the log", error))
    }

    fn guard_log(&mut self, on: bool) -> Result<(), StoreError> {
        self.batch("guarding the log", if on { GUARDS } else { NO_GUARDS })
    }

    fn replace_entry(
        &mut self,
        sequence: i64,
        seal: &[u8],
        value: &[u8],
    ) -> Result<(), StoreError> {
        let statement = "UPDATE log SET seal = ?2, value = ?3 WHERE sequence = ?1";
        let written = self.connection.execute(statement, params![sequence, seal, value]);
        written.map(drop).map_err(|error| self.failed("writing the log", error))
    }

    fn complaints(&mut self) -> Result<Vec<String>, StoreError> {
        let found = self.connection.prepare("PRAGMA integrity_check").and_then(|mut statement| {
            statement.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
        });
        let found = found.map_err(|error| self.failed("checking the file", error))?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }

    fn is_exposed(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_run_in_order_and_all_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = Location::File(folder.path().join("old"));
        let mut old = Sqlite::create(&at).unwrap();
        old.begin(Access::Write).unwrap();
        old.install().unwrap();
        old.commit().unwrap();
        let version = |gallery: &Sqlite| -> i64 {
            gallery.connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
        };
        let [first, second] = MIGRATIONS;
        let third = "CREATE TABLE more (a)";
        assert!(migrate(&mut old, &at, &[first, second, third, "nonsense"]).is_err());
        assert_eq!(version(&old), 2);
        let fourth = "ALTER TABLE more RENAME TO less";
        migrate(&mut old, &at, &[first, second, third, fourth]).unwrap();
        assert_eq!(version(&old), 4);
        old.batch("looking", "SELECT a FROM less").unwrap();
        // Another process that still takes it for old does no harm.
        run_migrations(&mut old, &[first, second, third, fourth]).unwrap();
        run_migrations(&mut old, &[first, second, third]).unwrap();
        assert_eq!(version(&old), 4);
        assert!(matches!(Sqlite::open(&at), Err(StoreError::Newer { found: 4, known: 2, .. })));
    }
}
