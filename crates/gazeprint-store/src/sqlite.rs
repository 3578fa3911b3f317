//! A gallery in a file, by SQLite.
//!
//! At rest a gallery is one file. Changes go through a rollback journal that is synced before the
//! file is touched, so that a killed process or a lost power supply leaves the old state or the new
//! one. What is deleted is overwritten with zeros in the file, but rows that the database moves leave
//! fragments behind. Keys therefore stand in a table whose rows all have one size, are only added at its
//! end, and never moved: to overwrite one there is to overwrite it. The journal has it still, and is
//! overwritten too when a key is erased.

use std::fs::{self, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Params, params};

use crate::backend::{Access, Backend, Counts, Depth, Row, Stored, VisitRow};
use crate::error::Part;
use crate::files::{create_private, draft_of, publish, sync_folder};
use crate::seal::random;
use crate::{Kind, Location, StoreError, journal};

/// Tells galleries from other files of SQLite: "gaze".
const APPLICATION: i64 = 0x6761_7a65;
/// Version of the tables.
const FORMAT: i64 = 3;
/// What is done when there is none yet.
const MAKING: &str = "making the gallery";
/// How long others are waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What every format has.
const SHARED: &str = "
    CREATE TABLE header (one INTEGER PRIMARY KEY CHECK (one = 1), value BLOB NOT NULL);
    CREATE TABLE log (sequence INTEGER PRIMARY KEY, seal BLOB NOT NULL, value BLOB NOT NULL);
";

/// The tables of this format, which has one for records of all kinds.
const TABLES: &str = "
    CREATE TABLE slot (number INTEGER PRIMARY KEY, value BLOB NOT NULL);
    CREATE TABLE node (id BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE item (
        kind INTEGER NOT NULL, id BLOB NOT NULL, seal BLOB NOT NULL, value BLOB NOT NULL,
        PRIMARY KEY (kind, id)
    ) WITHOUT ROWID;
";
const NAMES: [&str; 3] = ["item", "node", "slot"];

/// Those of the first two formats.
const OLD_NAMES: [&str; 4] = ["probe", "readings", "settings", "template"];

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
    /// Whether something was left of an erasure when the change began.
    has_leftovers: bool,
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
        let opened = match Self::connect(at, file) {
            Err(StoreError::Damaged { .. }) => return other("bytes that are no database"),
            opened => opened?,
        };
        let application = match opened.number("application_id") {
            Err(StoreError::Damaged { .. }) => return other("bytes that are no database"),
            found => found?,
        };
        match (application, opened.number("user_version")?) {
            (APPLICATION, format @ 1..=FORMAT) => opened.refuse_other_objects(format)?,
            (APPLICATION, newer) if newer > FORMAT => {
                let (found, known) = (newer.unsigned_abs(), FORMAT.unsigned_abs());
                return Err(StoreError::Newer { at: at.clone(), found, known });
            }
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
        let access = Access::Read;
        let opened =
            Self { at: at.clone(), file, connection, access, has_leftovers: false, goal: None };
        // EXTRA: a commit counts once the folder knows that the journal is gone. Temporary files
        // would keep what is erased.
        let settings = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
            PRAGMA secure_delete = ON; PRAGMA synchronous = EXTRA; PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -16384;";
        opened.batch("opening the gallery", settings)?;
        Ok(opened)
    }

    /// Refuses a file that has more than a gallery: views and triggers of others would have their say in
    /// what is read and written.
    fn refuse_other_objects(&self, format: i64) -> Result<(), StoreError> {
        type Object = (String, String, String);
        let query = "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL";
        let doing = "opening the gallery";
        let found = self.connection.prepare(query).and_then(|mut statement| {
            let all = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            statement.query_map([], all)?.collect::<Result<Vec<Object>, _>>()
        });
        let found = found.map_err(|error| self.failed(doing, error))?;
        let tables = if format == FORMAT { &NAMES[..] } else { &OLD_NAMES[..] };
        let is_ours = |(kind, name, sql): &&Object| match kind.as_str() {
            "table" => ["header", "log"].iter().chain(tables).any(|ours| ours == name),
            "trigger" => GUARDS.contains(sql.as_str()),
            _ => false,
        };
        match found.iter().find(|object| !is_ours(object)) {
            None => Ok(()),
            Some((kind, name, _)) => {
                let name: String = name.chars().take(60).collect();
                let found = format!("the {kind} {:?} beside those of a gallery", name);
                Err(StoreError::NotAGallery { at: self.at.clone(), found })
            }
        }
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
    #[expect(clippy::needless_pass_by_value, reason = "it is handed over where it ends")]
    fn failed(&self, doing: &'static str, error: rusqlite::Error) -> StoreError {
        self.failed_as(doing, &error)
    }

    fn failed_as(&self, doing: &'static str, error: &rusqlite::Error) -> StoreError {
        let at = self.at.clone();
        let damaged =
            |why: String| StoreError::Damaged { at: at.clone(), part: Part::Database, why };
        match error {
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
        self.let_others_in()?;
        self.batch("erasing", "PRAGMA journal_mode = DELETE")
    }

    fn let_others_in(&self) -> Result<(), StoreError> {
        // The lock goes with the next look at the file.
        let statements = "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema;";
        self.batch("erasing", statements)
    }

    /// Overwrites the journal. Others must be shut out.
    fn overwrite(&self) -> Result<(), StoreError> {
        journal::overwrite(&self.file)
            .map_err(|error| self.leftovers(format!("its journal: {error}")))
    }

    fn leftovers(&self, message: String) -> StoreError {
        StoreError::Leftovers { at: self.at.clone(), message }
    }

    /// Copies the file page by page to a draft beside it, without free pages, and back in one change.
    /// Others must be shut out. `VACUUM` would do so by way of a file elsewhere, or all in memory.
    fn rebuild(&mut self) -> Result<(), StoreError> {
        let number = u64::from_le_bytes(random()?);
        let draft = draft_of(&self.file, number);
        let rebuilt = self.rebuild_by(&draft);
        let removed = match draft.exists() {
            true => remove_overwritten(&draft),
            false => Ok(()),
        };
        let removed = removed
            .map_err(|error| self.leftovers(format!("the copy {}: {error}", draft.display())));
        rebuilt.and(removed)
    }

    fn rebuild_by(&mut self, draft: &Path) -> Result<(), StoreError> {
        let file = draft.to_owned();
        let system = |error| StoreError::System { file, doing: "compacting", error };
        drop(create_private(draft).map_err(system)?);
        let failed = |error: &rusqlite::Error| self.failed_as("compacting", error);
        let name = draft.to_string_lossy().into_owned();
        self.connection.execute("VACUUM INTO ?1", [name]).map_err(|error| failed(&error))?;
        let from = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let from = Connection::open_with_flags(draft, from).map_err(|error| failed(&error))?;
        let copied = Backup::new(&from, &mut self.connection)
            .and_then(|copy| copy.run_to_completion(1 << 10, Duration::ZERO, None));
        copied.map_err(|error| self.failed("compacting", error))
    }

    /// At most one row.
    fn one<T>(
        &self,
        doing: &'static str,
        query: &str,
        parameters: impl Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let found = self
            .connection
            .prepare_cached(query)
            .and_then(|mut statement| statement.query_row(parameters, read).optional());
        found.map_err(|error| self.failed(doing, error))
    }

    /// Gives the number of rows that were changed.
    fn run(
        &self,
        doing: &'static str,
        statement: &str,
        parameters: impl Params,
    ) -> Result<usize, StoreError> {
        let done = self
            .connection
            .prepare_cached(statement)
            .and_then(|mut statement| statement.execute(parameters));
        done.map_err(|error| self.failed(doing, error))
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
            if visit(blob(row, 0)?, blob(row, 1)?, value) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    fn query_range(&self, kind: Kind, rows: &[Row; 2]) -> rusqlite::Result<Vec<(Row, Stored)>> {
        let query = "SELECT seal, value, id FROM item
            WHERE kind = ?1 AND id BETWEEN ?2 AND ?3 ORDER BY id";
        let mut statement = self.connection.prepare_cached(query)?;
        let mut rows = statement.query(params![kind.code(), rows[0], rows[1]])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let id = Row::try_from(blob(row, 2)?).map_err(|_| {
                let what = "16 bytes".to_owned();
                rusqlite::Error::InvalidColumnType(2, what, rusqlite::types::Type::Blob)
            })?;
            found.push((id, stored(row)?));
        }
        Ok(found)
    }
}

/// Overwrites a file, and removes it.
fn remove_overwritten(file: &Path) -> io::Result<()> {
    let opened = OpenOptions::new().write(true).open(file)?;
    journal::overwrite_file(&opened)?;
    drop(opened);
    fs::remove_file(file)?;
    sync_folder(file)
}

/// The table of a kind in the first two formats.
fn old_table(kind: Kind) -> &'static str {
    match kind {
        Kind::Template => "template",
        Kind::Readings => "readings",
        Kind::Probe => "probe",
        _ => "settings",
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

impl Backend for Sqlite {
    fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        self.rollback()?;
        if access == Access::Read {
            return self.batch("reading", "BEGIN");
        }
        self.batch("beginning a change", "BEGIN IMMEDIATE")?;
        self.access = access;
        self.has_leftovers = self.has_leftovers();
        match access {
            Access::Erase => self.shut(),
            // What an erasure has left is not for this change to overwrite, nor to give up. Nor is anything to be
            // left that others would take for it, once they have overwritten that.
            _ => {
                let mode = if self.has_leftovers { "PERSIST" } else { "DELETE" };
                self.batch("beginning a change", &format!("PRAGMA journal_mode = {mode}"))
            }
        }
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

    fn has_leftovers(&self) -> bool {
        journal::is_left_over(&self.file)
    }

    fn compact(&mut self) -> Result<(), StoreError> {
        self.access = Access::Read;
        let rebuilt = self.overwrite().and_then(|()| self.rebuild());
        let overwritten = self.overwrite();
        self.unshut().and(rebuilt).and(overwritten)
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        if !self.connection.is_autocommit() {
            self.batch("taking a change back", "ROLLBACK")?;
        }
        match (self.access, self.has_leftovers) {
            (Access::Erase, false) => self.unshut()?,
            (Access::Erase, true) => self.let_others_in()?,
            _ => {}
        }
        self.access = Access::Read;
        Ok(())
    }

    fn install(&mut self) -> Result<(), StoreError> {
        self.batch(MAKING, &format!("PRAGMA application_id = {APPLICATION}"))?;
        self.batch(MAKING, &format!("PRAGMA user_version = {FORMAT}"))?;
        self.batch(MAKING, &[SHARED, TABLES].concat())?;
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
        let query = "SELECT seal, value FROM item WHERE kind = ?1 AND id = ?2";
        self.one("reading a record", query, params![kind.code(), row], stored)
    }

    fn range(&mut self, kind: Kind, rows: &[Row; 2]) -> Result<Vec<(Row, Stored)>, StoreError> {
        self.query_range(kind, rows).map_err(|error| self.failed("reading records", error))
    }

    fn put(&mut self, kind: Kind, row: &Row, seal: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO item (kind, id, seal, value) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (kind, id) DO UPDATE SET seal = excluded.seal, value = excluded.value";
        let parameters = params![kind.code(), row, seal, value];
        self.run("writing a record", statement, parameters).map(drop)
    }

    fn delete(&mut self, kind: Kind, row: &Row) -> Result<(), StoreError> {
        let statement = "DELETE FROM item WHERE kind = ?1 AND id = ?2";
        self.run("removing a record", statement, params![kind.code(), row]).map(drop)
    }

    fn node(&mut self, id: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let query = "SELECT value FROM node WHERE id = ?1";
        self.one("reading the list of records", query, [id], |row| Ok(blob(row, 0)?.to_vec()))
    }

    fn put_node(&mut self, id: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO node (id, value) VALUES (?1, ?2)
             ON CONFLICT (id) DO UPDATE SET value = excluded.value";
        self.run("writing the list of records", statement, params![id, value]).map(drop)
    }

    fn delete_node(&mut self, id: &[u8]) -> Result<(), StoreError> {
        let statement = "DELETE FROM node WHERE id = ?1";
        self.run("writing the list of records", statement, [id]).map(drop)
    }

    fn slot(&mut self, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let query = "SELECT value FROM slot WHERE number = ?1";
        let number = number.cast_signed();
        self.one("reading a key", query, [number], |row| Ok(blob(row, 0)?.to_vec()))
    }

    fn put_slot(&mut self, number: u64, value: &[u8]) -> Result<(), StoreError> {
        let (doing, parameters) = ("writing a key", params![number.cast_signed(), value]);
        let overwrite = "UPDATE slot SET value = ?2 WHERE number = ?1";
        if self.run(doing, overwrite, parameters)? == 0 {
            let add = "INSERT INTO slot (number, value) VALUES (?1, ?2)";
            self.run(doing, add, parameters)?;
        }
        Ok(())
    }

    fn entry(&mut self, sequence: i64) -> Result<Option<Stored>, StoreError> {
        let query = "SELECT seal, value FROM log WHERE sequence = ?1";
        self.one("reading the log", query, [sequence], stored)
    }

    fn append(&mut self, sequence: i64, seal: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO log (sequence, seal, value) VALUES (?1, ?2, ?3)";
        self.run("writing the log", statement, params![sequence, seal, value]).map(drop)
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
        self.run("writing the log", statement, params![sequence, seal, value]).map(drop)
    }

    fn get_old(&mut self, kind: Kind, row: &Row) -> Result<Option<Stored>, StoreError> {
        let query = format!("SELECT seal, value FROM {} WHERE id = ?1", old_table(kind));
        self.one("reading a record", &query, [row], stored)
    }

    fn scan_old(
        &mut self,
        kind: Kind,
        depth: Depth,
        visit: &mut VisitRow<'_>,
    ) -> Result<(), StoreError> {
        let columns = match depth {
            Depth::Seals => "id, seal",
            Depth::Values => "id, seal, value",
        };
        let statement = format!("SELECT {columns} FROM {} ORDER BY id", old_table(kind));
        self.query_rows(&statement, depth, visit)
            .map_err(|error| self.failed("reading records", error))
    }

    fn begin_upgrade(&mut self) -> Result<(), StoreError> {
        self.batch("upgrading", TABLES)
    }

    fn end_upgrade(&mut self) -> Result<(), StoreError> {
        let drops: String = OLD_NAMES.iter().map(|table| format!("DROP TABLE {table};")).collect();
        self.batch("upgrading", &format!("{drops} PRAGMA user_version = {FORMAT}"))
    }

    fn counts(&mut self) -> Result<Counts, StoreError> {
        let count = |table: &str| {
            let query = format!("SELECT count(*) FROM {table}");
            let found = self.one("counting", &query, [], |row| row.get::<_, i64>(0))?;
            Ok::<_, StoreError>(found.unwrap_or(0).unsigned_abs())
        };
        Ok(Counts { records: count("item")?, slots: count("slot")?, entries: count("log")? })
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
