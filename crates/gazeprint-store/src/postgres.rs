//! A gallery on a server, by PostgreSQL.
//!
//! The tables have a schema of their own. Changes lock the row of the header, so that one follows
//! another. The connection is not encrypted: to another computer only sealed records may go.

use std::error::Error as _;
use std::ops::ControlFlow;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::ToSql;
use postgres::{Client, NoTls};

use crate::address::{is_exposed, read_address};
use crate::backend::{Access, Backend, Depth, Row, Stored, VisitEntry, VisitRow};
use crate::error::Part;
use crate::migration::{HEADER_2, Versioned, migrate, run_migrations};
use crate::password::find_password;
use crate::{Kind, Location, StoreError};

/// What is done when there is none yet.
const MAKING: &str = "making the gallery";
const UP_TO_DATE: &str = "bringing the gallery up to date";
/// How long a server may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a network may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// Tells the lock of those who overwrite from locks of other programs: "gaze".
const SCRUBBING: i32 = 0x6761_7a65;

/// Nothing waits for ever. Whoever forgets a transaction must not keep others out for good.
const SETTINGS: &str = "SET lock_timeout = '30s'; SET statement_timeout = '15min';
    SET idle_in_transaction_session_timeout = '60min'; SET synchronous_commit = on;
    SET client_min_messages = warning;";

/// What makes version n of the tables from version n - 1. Values are not compressed: where they are
/// encrypted, it would not help.
const MIGRATIONS: [&str; 2] = [
    "
    CREATE TABLE header (one smallint PRIMARY KEY CHECK (one = 1), value bytea NOT NULL);
    CREATE TABLE record (
        kind smallint NOT NULL, id bytea NOT NULL, seal bytea NOT NULL, value bytea NOT NULL,
        PRIMARY KEY (kind, id)
    );
    ALTER TABLE record ALTER COLUMN value SET STORAGE EXTERNAL;
    CREATE TABLE log (sequence bigint PRIMARY KEY, seal bytea NOT NULL, value bytea NOT NULL);
    CREATE FUNCTION keep_log() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the log only grows'; END $$;
",
    HEADER_2,
];

/// The log only grows.
const GUARDS: &str = "
    CREATE TRIGGER log_rows BEFORE UPDATE OR DELETE ON log
        FOR EACH ROW EXECUTE FUNCTION keep_log();
    CREATE TRIGGER log_table BEFORE TRUNCATE ON log
        FOR EACH STATEMENT EXECUTE FUNCTION keep_log();
";
const NO_GUARDS: &str = "DROP TRIGGER log_rows ON log; DROP TRIGGER log_table ON log;";

/// A schema of a database.
pub(crate) struct Postgres {
    at: Location,
    schema: String,
    client: Client,
    is_exposed: bool,
    /// The transaction that has begun.
    access: Option<Access>,
    /// Whether others are kept from overwriting.
    is_scrubbing: bool,
}

impl Postgres {
    /// Opens a gallery.
    pub(crate) fn open(at: &Location, sealed: bool) -> Result<Self, StoreError> {
        let mut opened = Self::connect(at, sealed)?;
        if !opened.has_table("header")? {
            return Err(StoreError::Missing { at: at.clone() });
        }
        if !opened.has_table("format")? {
            let found = "tables of something else".to_owned();
            return Err(StoreError::NotAGallery { at: at.clone(), found });
        }
        if opened.version()? == 0 {
            let found = "no version".to_owned();
            return Err(StoreError::NotAGallery { at: at.clone(), found });
        }
        migrate(&mut opened, at, &MIGRATIONS)?;
        Ok(opened)
    }

    /// Connects to where a gallery is to be.
    pub(crate) fn create(at: &Location, sealed: bool) -> Result<Self, StoreError> {
        let mut made = Self::connect(at, sealed)?;
        for table in ["header", "format", "record", "log"] {
            if made.has_table(table)? {
                return Err(StoreError::Exists { at: at.clone() });
            }
        }
        Ok(made)
    }

    fn connect(at: &Location, sealed: bool) -> Result<Self, StoreError> {
        let (mut config, schema) = read_address(at)?;
        let is_exposed = is_exposed(&config);
        if is_exposed && !sealed {
            return Err(StoreError::Exposed { at: at.clone() });
        }
        find_password(at, &mut config, &|name| std::env::var_os(name))?;
        config.application_name("gazeprint").keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        let failed = |error| said(at, "connecting", &error);
        let mut client = config.connect(NoTls).map_err(failed)?;
        let search = format!("SET search_path = {}, pg_temp;", quoted(&schema));
        client.batch_execute(&(search + SETTINGS)).map_err(failed)?;
        Ok(Self { at: at.clone(), schema, client, is_exposed, access: None, is_scrubbing: false })
    }

    fn has_table(&mut self, table: &str) -> Result<bool, StoreError> {
        let name = format!("{}.{table}", quoted(&self.schema));
        let found = self.client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&name]);
        found
            .and_then(|row| row.try_get(0))
            .map_err(|error| said(&self.at, "looking for the gallery", &error))
    }

    fn batch(&mut self, doing: &'static str, statements: &str) -> Result<(), StoreError> {
        self.client.batch_execute(statements).map_err(|error| said(&self.at, doing, &error))
    }

    fn execute(
        &mut self,
        doing: &'static str,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<(), StoreError> {
        let done = self.client.execute(statement, parameters);
        done.map(drop).map_err(|error| said(&self.at, doing, &error))
    }

    /// Seal and value of at most one row.
    fn stored(
        &mut self,
        doing: &'static str,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Option<Stored>, StoreError> {
        let found = self.client.query_opt(query, parameters).and_then(|row| {
            let read =
                |row: postgres::Row| Ok(Stored { seal: row.try_get(0)?, value: row.try_get(1)? });
            row.map(read).transpose()
        });
        found.map_err(|error| said(&self.at, doing, &error))
    }

    fn query_rows(
        &mut self,
        statement: &str,
        kind: Kind,
        depth: Depth,
        visit: &mut VisitRow<'_>,
    ) -> Result<(), postgres::Error> {
        let mut rows = self.client.query_raw(statement, [code(kind)])?;
        while let Some(row) = rows.next()? {
            let value = if depth == Depth::Values { row.try_get(2)? } else { [].as_slice() };
            if visit(row.try_get(0)?, row.try_get(1)?, value).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn query_entries(&mut self, visit: &mut VisitEntry<'_>) -> Result<(), postgres::Error> {
        let statement = "SELECT sequence, seal, value FROM log ORDER BY sequence";
        let mut rows = self.client.query_raw(statement, [0_i16; 0])?;
        while let Some(row) = rows.next()? {
            if visit(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    /// Keeps others from overwriting, or lets them. Also lets them when the connection ends, as it
    /// does when the process is killed.
    fn keep_scrubbing(&mut self, on: bool) -> Result<(), StoreError> {
        if self.is_scrubbing == on {
            return Ok(());
        }
        let query = match on {
            true => "SELECT pg_advisory_lock($1, hashtext($2))",
            false => "SELECT pg_advisory_unlock($1, hashtext($2))",
        };
        let done = self.client.query(query, &[&SCRUBBING, &self.schema]);
        done.map_err(|error| said(&self.at, "erasing", &error))?;
        self.is_scrubbing = on;
        Ok(())
    }

    /// Writes a table anew, and makes sure that it was: who does not own it is refused without an
    /// error.
    fn rewrite(&mut self, table: &str) -> Result<(), StoreError> {
        let file = format!("SELECT pg_relation_filenode('{table}')");
        let query = |client: &mut Client| client.query_one(&file, &[])?.try_get::<_, u32>(0);
        let rewritten = query(&mut self.client).and_then(|before| {
            self.client.batch_execute(&format!("VACUUM FULL {table}"))?;
            Ok(before != query(&mut self.client)?)
        });
        let leftovers = |message| StoreError::Leftovers { at: self.at.clone(), message };
        match rewritten {
            Ok(true) => Ok(()),
            Ok(false) => Err(leftovers(format!("only its owner may write the table {table} anew"))),
            Err(error) => Err(leftovers(words(&error))),
        }
    }
}

/// A name, also where it is a word of the language.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn code(kind: Kind) -> i16 {
    i16::from(kind.code())
}

/// Everything that the server or the connection said.
pub(crate) fn words(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => match said.detail() {
            Some(detail) => format!("{} ({detail})", said.message()),
            None => said.message().to_owned(),
        },
        None => match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}

fn said(at: &Location, doing: &'static str, error: &postgres::Error) -> StoreError {
    let at = at.clone();
    let is = |codes: &[SqlState]| error.code().is_some_and(|code| codes.contains(code));
    if is(&[
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::T_R_DEADLOCK_DETECTED,
    ]) {
        return StoreError::Busy { at, doing };
    }
    let is_there =
        is(&[SqlState::DUPLICATE_SCHEMA, SqlState::DUPLICATE_TABLE, SqlState::DUPLICATE_FUNCTION]);
    // What somebody else made at the same time, the server finds in its own tables.
    if is_there || doing == MAKING && is(&[SqlState::UNIQUE_VIOLATION]) {
        return StoreError::Exists { at };
    }
    if is(&[SqlState::UNDEFINED_TABLE, SqlState::UNDEFINED_COLUMN, SqlState::DATA_CORRUPTED]) {
        return StoreError::Damaged { at, part: Part::Database, why: words(error) };
    }
    StoreError::Database { at, doing, message: words(error) }
}

impl Versioned for Postgres {
    fn version(&mut self) -> Result<u64, StoreError> {
        if self.access.is_some() {
            self.alter("LOCK TABLE format IN EXCLUSIVE MODE")?;
        }
        let found = self.client.query_opt("SELECT version FROM format", &[]);
        let found = found.and_then(|row| row.map(|row| row.try_get::<_, i32>(0)).transpose());
        let found = found.map_err(|error| said(&self.at, UP_TO_DATE, &error))?;
        Ok(found.and_then(|found| u64::try_from(found).ok()).unwrap_or(0))
    }

    fn set_version(&mut self, version: usize) -> Result<(), StoreError> {
        self.alter(&format!("UPDATE format SET version = {version}"))
    }

    fn alter(&mut self, statements: &str) -> Result<(), StoreError> {
        self.batch(UP_TO_DATE, statements)
    }
}

impl Backend for Postgres {
    fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        self.rollback()?;
        match access {
            Access::Read => {
                self.batch("reading", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
            }
            Access::Write | Access::Erase => {
                self.keep_scrubbing(access == Access::Erase)?;
                self.batch(
                    "beginning a change",
                    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
                )?;
            }
        }
        self.access = Some(access);
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.batch("ending a change", "COMMIT")?;
        self.access = None;
        Ok(())
    }

    fn scrub(&mut self) -> Result<(), StoreError> {
        let rewritten =
            ["record", "log", "header"].into_iter().try_for_each(|table| self.rewrite(table));
        self.keep_scrubbing(false).and(rewritten)
    }

    fn is_scrubbed_elsewhere(&mut self) -> Result<bool, StoreError> {
        let query = "SELECT pg_try_advisory_xact_lock($1, hashtext($2))";
        let free = self.client.query_one(query, &[&SCRUBBING, &self.schema]);
        let free = free.and_then(|row| row.try_get::<_, bool>(0));
        free.map(|free| !free).map_err(|error| said(&self.at, "erasing", &error))
    }

    /// Whatever there is, is in the tables.
    fn has_leftovers(&self) -> bool {
        false
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        if self.access.is_some() {
            self.batch("taking a change back", "ROLLBACK")?;
        }
        self.access = None;
        self.keep_scrubbing(false)
    }

    fn install(&mut self) -> Result<(), StoreError> {
        // Who may not make schemas can have been given one.
        let query = "SELECT count(*) FROM pg_namespace WHERE nspname = $1";
        let schemas = self.client.query_one(query, &[&self.schema]);
        let schemas: i64 = schemas
            .and_then(|row| row.try_get(0))
            .map_err(|error| said(&self.at, MAKING, &error))?;
        if schemas == 0 {
            self.batch(MAKING, &format!("CREATE SCHEMA {}", quoted(&self.schema)))?;
        }
        let tables = "CREATE TABLE format (
                one smallint PRIMARY KEY DEFAULT 1 CHECK (one = 1), version integer NOT NULL
            );
            INSERT INTO format (version) VALUES (0);";
        self.batch(MAKING, tables)?;
        run_migrations(self, &MIGRATIONS)?;
        self.guard_log(true)
    }

    fn discard(self: Box<Self>) {
        // What was made before the commit is gone with the transaction.
    }

    fn header(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        let query = match self.access {
            Some(Access::Write | Access::Erase) => "SELECT value FROM header FOR UPDATE",
            Some(Access::Read) | None => "SELECT value FROM header",
        };
        let found = self
            .client
            .query_opt(query, &[])
            .and_then(|row| row.map(|row| row.try_get(0)).transpose());
        found.map_err(|error| said(&self.at, "reading the header", &error))
    }

    fn set_header(&mut self, value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO header (one, value) VALUES (1, $1)
            ON CONFLICT (one) DO UPDATE SET value = excluded.value";
        self.execute("writing the header", statement, &[&value])
    }

    fn get(&mut self, kind: Kind, row: &Row) -> Result<Option<Stored>, StoreError> {
        let query = "SELECT seal, value FROM record WHERE kind = $1 AND id = $2";
        self.stored("reading a record", query, &[&code(kind), &row.as_slice()])
    }

    fn scan(
        &mut self,
        kind: Kind,
        depth: Depth,
        visit: &mut VisitRow<'_>,
    ) -> Result<(), StoreError> {
        let statement = match depth {
            Depth::Seals => "SELECT id, seal FROM record WHERE kind = $1 ORDER BY id",
            Depth::Values => "SELECT id, seal, value FROM record WHERE kind = $1 ORDER BY id",
        };
        self.query_rows(statement, kind, depth, visit)
            .map_err(|error| said(&self.at, "reading records", &error))
    }

    fn put(&mut self, kind: Kind, row: &Row, seal: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO record (kind, id, seal, value) VALUES ($1, $2, $3, $4)
            ON CONFLICT (kind, id) DO UPDATE SET seal = excluded.seal, value = excluded.value";
        let row = row.as_slice();
        self.execute("writing a record", statement, &[&code(kind), &row, &seal, &value])
    }

    fn delete(&mut self, kind: Kind, row: &Row) -> Result<(), StoreError> {
        let statement = "DELETE FROM record WHERE kind = $1 AND id = $2";
        self.execute("removing a record", statement, &[&code(kind), &row.as_slice()])
    }

    fn entries(&mut self, visit: &mut VisitEntry<'_>) -> Result<(), StoreError> {
        self.query_entries(visit).map_err(|error| said(&self.at, "reading the log", &error))
    }

    fn entry(&mut self, sequence: i64) -> Result<Option<Stored>, StoreError> {
        let query = "SELECT seal, value FROM log WHERE sequence = $1";
        self.stored("reading the log", query, &[&sequence])
    }

    fn append(&mut self, sequence: i64, seal: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO log (sequence, seal, value) VALUES ($1, $2, $3)";
        self.execute("writing the log", statement, &[&sequence, &seal, &value])
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
        let statement = "UPDATE log SET seal = $2, value = $3 WHERE sequence = $1";
        self.execute("writing the log", statement, &[&sequence, &seal, &value])
    }

    /// A server looks after its files itself.
    fn complaints(&mut self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }

    fn is_exposed(&self) -> bool {
        self.is_exposed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_records_do_not_leave_the_computer() {
        let at: Location = "postgres://192.0.2.1/d".parse().unwrap();
        assert!(matches!(Postgres::open(&at, false), Err(StoreError::Exposed { .. })));
        assert!(matches!(Postgres::create(&at, false), Err(StoreError::Exposed { .. })));
    }
}
