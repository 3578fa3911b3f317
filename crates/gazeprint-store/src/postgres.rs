//! A gallery on a server, by PostgreSQL.
//!
//! The tables have a schema of their own, and are called by their full names. Nothing is kept in the
//! session between transactions, so that another may serve each of them: a pooler can stand between.
//! Changes lock the row of the header, so that one follows another. To another computer only sealed
//! records may go, unless the connection is encrypted.

use std::error::Error as _;
use std::ops::ControlFlow;
use std::time::Duration;

use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{ToSql, Type};
use postgres::{Client, NoTls};

use crate::address::{Address, read_address};
use crate::backend::{Access, Backend, Counts, Depth, Row, Stored, VisitRow};
use crate::error::Part;
use crate::password::find_password;
use crate::tls::connector;
use crate::{Kind, Location, StoreError};

/// Version of the tables.
const FORMAT: i32 = 3;
/// What is done when there is none yet.
const MAKING: &str = "making the gallery";
/// How long a server may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a network may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// For one transaction. Nothing waits for ever. Whoever forgets a transaction must not keep others out for
/// good. Only what the server itself has is found without a full name.
const SETTINGS: &str = "SET LOCAL search_path = pg_catalog; SET LOCAL lock_timeout = '30s';
    SET LOCAL statement_timeout = '15min'; SET LOCAL idle_in_transaction_session_timeout = '60min';
    SET LOCAL synchronous_commit = on; SET LOCAL client_min_messages = warning;";

/// What every format has; `{s}` is the schema, here and below.
const SHARED: &str = "
    CREATE TABLE {s}.format (
        one smallint PRIMARY KEY DEFAULT 1 CHECK (one = 1), version integer NOT NULL
    );
    CREATE TABLE {s}.header (one smallint PRIMARY KEY CHECK (one = 1), value bytea NOT NULL);
    CREATE TABLE {s}.log (sequence bigint PRIMARY KEY, seal bytea NOT NULL, value bytea NOT NULL);
    CREATE FUNCTION {s}.keep_log() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the log only grows'; END $$;
";

/// The tables of this format. Values are not compressed: they are encrypted, and it would not help.
const TABLES: &str = "
    CREATE TABLE {s}.slot (number bigint PRIMARY KEY, value bytea NOT NULL);
    CREATE TABLE {s}.node (id bytea PRIMARY KEY, value bytea NOT NULL);
    ALTER TABLE {s}.node ALTER COLUMN value SET STORAGE EXTERNAL;
    CREATE TABLE {s}.item (
        kind smallint NOT NULL, id bytea NOT NULL, seal bytea NOT NULL, value bytea NOT NULL,
        PRIMARY KEY (kind, id)
    );
    ALTER TABLE {s}.item ALTER COLUMN value SET STORAGE EXTERNAL;
";

/// The log only grows.
const GUARDS: &str = "
    CREATE TRIGGER log_rows BEFORE UPDATE OR DELETE ON {s}.log
        FOR EACH ROW EXECUTE FUNCTION {s}.keep_log();
    CREATE TRIGGER log_table BEFORE TRUNCATE ON {s}.log
        FOR EACH STATEMENT EXECUTE FUNCTION {s}.keep_log();
";
const NO_GUARDS: &str = "DROP TRIGGER log_rows ON {s}.log; DROP TRIGGER log_table ON {s}.log;";

/// A schema of a database.
pub(crate) struct Postgres {
    at: Location,
    /// As it is written in statements.
    schema: String,
    /// As it is.
    schema_name: String,
    client: Client,
    /// To connect again where the connection is lost.
    address: Address,
    is_exposed: bool,
    /// The transaction that has begun.
    access: Option<Access>,
}

/// A parameter of a statement, with its type: nothing is prepared, which would take a session.
type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

impl Postgres {
    /// Opens a gallery.
    pub(crate) fn open(at: &Location, sealed: bool) -> Result<Self, StoreError> {
        let mut opened = Self::connect(at, sealed)?;
        if !opened.has_table("header")? {
            return Err(StoreError::Missing { at: at.clone() });
        }
        let other = |found: &str| {
            let found = found.to_owned();
            Err(StoreError::NotAGallery { at: at.clone(), found })
        };
        if !opened.has_table("format")? {
            return other("tables of something else");
        }
        match opened.version()? {
            1..=FORMAT => Ok(opened),
            newer if newer > FORMAT => {
                let (found, known) = (u64::from(newer.unsigned_abs()), FORMAT as u64);
                Err(StoreError::Newer { at: at.clone(), found, known })
            }
            _ => other("no version"),
        }
    }

    /// Connects to where a gallery is to be.
    pub(crate) fn create(at: &Location, sealed: bool) -> Result<Self, StoreError> {
        let mut made = Self::connect(at, sealed)?;
        for table in ["header", "format", "record", "item", "node", "slot", "log"] {
            if made.has_table(table)? {
                return Err(StoreError::Exists { at: at.clone() });
            }
        }
        Ok(made)
    }

    fn connect(at: &Location, sealed: bool) -> Result<Self, StoreError> {
        let mut address = read_address(at)?;
        let is_exposed = address.is_exposed();
        if is_exposed && !sealed {
            return Err(StoreError::Exposed { at: at.clone() });
        }
        let config = &mut address.config;
        find_password(at, config, &|name| std::env::var_os(name))?;
        config.application_name("gazeprint").keepalives_idle(SILENCE).tcp_user_timeout(SILENCE);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        let client = connected(at, &address)?;
        let (schema, schema_name) = (quoted(&address.schema), address.schema.clone());
        let at = at.clone();
        Ok(Self { at, schema, schema_name, client, address, is_exposed, access: None })
    }

    fn has_table(&mut self, table: &str) -> Result<bool, StoreError> {
        let name = format!("{}.{table}", self.schema);
        let query = "SELECT pg_catalog.to_regclass($1) IS NOT NULL";
        let found = self.one("looking for the gallery", query, &[(&name, Type::TEXT)])?;
        self.read("looking for the gallery", found.map(|row| row.try_get(0)))
            .map(|found| found.unwrap_or(false))
    }

    fn version(&mut self) -> Result<i32, StoreError> {
        let doing = "opening the gallery";
        let found = self.one(doing, "SELECT version FROM {s}.format", &[])?;
        self.read(doing, found.map(|row| row.try_get(0))).map(|found| found.unwrap_or(0))
    }

    /// Statements with the name of the schema put in.
    fn named(&self, statements: &str) -> String {
        statements.replace("{s}", &self.schema)
    }

    fn batch(&mut self, doing: &'static str, statements: &str) -> Result<(), StoreError> {
        let statements = self.named(statements);
        self.client.batch_execute(&statements).map_err(|error| said(&self.at, doing, &error))
    }

    /// Gives the number of rows that were changed.
    fn run(
        &mut self,
        doing: &'static str,
        statement: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<u64, StoreError> {
        let statement = self.named(statement);
        let done = self.client.execute_typed(&statement, parameters);
        done.map_err(|error| said(&self.at, doing, &error))
    }

    fn all(
        &mut self,
        doing: &'static str,
        query: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<postgres::Row>, StoreError> {
        let query = self.named(query);
        let found = self.client.query_typed(&query, parameters);
        found.map_err(|error| said(&self.at, doing, &error))
    }

    /// At most one row.
    fn one(
        &mut self,
        doing: &'static str,
        query: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<postgres::Row>, StoreError> {
        Ok(self.all(doing, query, parameters)?.into_iter().next())
    }

    /// What a row says.
    fn read<T>(
        &self,
        doing: &'static str,
        found: Option<Result<T, postgres::Error>>,
    ) -> Result<Option<T>, StoreError> {
        found.transpose().map_err(|error| said(&self.at, doing, &error))
    }

    /// Seal and value of at most one row.
    fn stored(
        &mut self,
        doing: &'static str,
        query: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Stored>, StoreError> {
        let found = self.one(doing, query, parameters)?;
        self.read(doing, found.map(|row| stored(&row)))
    }

    /// The bytes in the first column of at most one row.
    fn bytes(
        &mut self,
        doing: &'static str,
        query: &str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.one(doing, query, parameters)?;
        self.read(doing, found.map(|row| row.try_get(0)))
    }

    fn scan(
        &mut self,
        statement: &str,
        kind: Kind,
        depth: Depth,
        visit: &mut VisitRow<'_>,
    ) -> Result<(), postgres::Error> {
        let mut rows = self.client.query_typed_raw(statement, [(code(kind), Type::INT2)])?;
        while let Some(row) = rows.next()? {
            let value = if depth == Depth::Values { row.try_get(2)? } else { [].as_slice() };
            if visit(row.try_get(0)?, row.try_get(1)?, value) == ControlFlow::Break(()) {
                break;
            }
        }
        Ok(())
    }

    /// Writes a table anew, or fails where others use it for too long, or it is not ours. `VACUUM FULL` does the
    /// same, but waits for ever, and says nothing where it may not.
    fn rewrite(&mut self, table: &str) -> Result<(), StoreError> {
        let statements =
            format!("SET LOCAL statement_timeout = 0; CLUSTER {{s}}.{table} USING {table}_pkey");
        self.begin(Access::Write)?;
        let rewritten = self.batch("writing tables anew", &statements).and_then(|()| self.commit());
        if rewritten.is_err() {
            // If this fails, the next transaction tries it again and says so.
            _ = self.rollback();
        }
        rewritten.map_err(|error| self.leftovers(&error))
    }

    fn leftovers(&self, error: &StoreError) -> StoreError {
        StoreError::Leftovers { at: self.at.clone(), message: error.to_string() }
    }
}

fn connected(at: &Location, address: &Address) -> Result<Client, StoreError> {
    let connected = match &address.roots {
        None => address.config.connect(NoTls),
        Some(roots) => address.config.connect(connector(at, roots)?),
    };
    connected.map_err(|error| said(at, "connecting", &error))
}

fn stored(row: &postgres::Row) -> Result<Stored, postgres::Error> {
    Ok(Stored { seal: row.try_get(0)?, value: row.try_get(1)? })
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

impl Backend for Postgres {
    fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        // What a lost connection had begun, the server has taken back.
        let is_lost = self.rollback().is_err() || self.client.is_closed();
        if is_lost {
            self.client = connected(&self.at, &self.address)?;
        }
        let (doing, begin) = match access {
            Access::Read => ("reading", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"),
            Access::Write | Access::Erase => {
                ("beginning a change", "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;")
            }
        };
        let statements = [begin, SETTINGS].concat();
        self.access = Some(access);
        match self.batch(doing, &statements) {
            // Whether it is lost shows only where something is asked of it.
            Err(_) => {
                self.client = connected(&self.at, &self.address)?;
                self.batch(doing, &statements)
            }
            begun => begun,
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.batch("ending a change", "COMMIT")?;
        self.access = None;
        Ok(())
    }

    /// Frees the places of old versions of keys, for new ones to overwrite: in pages that were changed alone, and
    /// without waiting for anybody.
    fn scrub(&mut self) -> Result<(), StoreError> {
        let freed = "VACUUM (SKIP_LOCKED, TRUNCATE false, INDEX_CLEANUP false) {s}.slot";
        self.batch("freeing old keys", freed).map_err(|error| self.leftovers(&error))
    }

    /// Whatever there is, is in the tables.
    fn has_leftovers(&self) -> bool {
        false
    }

    fn compact(&mut self) -> Result<(), StoreError> {
        ["slot", "node", "item", "log", "header"].into_iter().try_for_each(|t| self.rewrite(t))
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        match self.access.take() {
            Some(_) => self.batch("taking a change back", "ROLLBACK"),
            None => Ok(()),
        }
    }

    fn install(&mut self) -> Result<(), StoreError> {
        // Who may not make schemas can have been given one.
        let query = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1";
        let name = self.schema_name.clone();
        if self.one(MAKING, query, &[(&name, Type::TEXT)])?.is_none() {
            self.batch(MAKING, "CREATE SCHEMA {s}")?;
        }
        self.batch(MAKING, &[SHARED, TABLES].concat())?;
        self.batch(MAKING, &format!("INSERT INTO {{s}}.format (version) VALUES ({FORMAT})"))?;
        self.guard_log(true)
    }

    fn discard(self: Box<Self>) {
        // What was made before the commit is gone with the transaction.
    }

    fn header(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        let query = match self.access {
            Some(Access::Write | Access::Erase) => "SELECT value FROM {s}.header FOR UPDATE",
            Some(Access::Read) | None => "SELECT value FROM {s}.header",
        };
        self.bytes("reading the header", query, &[])
    }

    fn set_header(&mut self, value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO {s}.header (one, value) VALUES (1, $1)
            ON CONFLICT (one) DO UPDATE SET value = excluded.value";
        self.run("writing the header", statement, &[(&value, Type::BYTEA)]).map(drop)
    }

    fn get(&mut self, kind: Kind, row: &Row) -> Result<Option<Stored>, StoreError> {
        let query = "SELECT seal, value FROM {s}.item WHERE kind = $1 AND id = $2";
        let row = row.as_slice();
        self.stored("reading a record", query, &[(&code(kind), Type::INT2), (&row, Type::BYTEA)])
    }

    fn range(&mut self, kind: Kind, rows: &[Row; 2]) -> Result<Vec<(Row, Stored)>, StoreError> {
        let query = "SELECT seal, value, id FROM {s}.item
            WHERE kind = $1 AND id BETWEEN $2 AND $3 ORDER BY id";
        let doing = "reading records";
        let [first, last] = rows.each_ref().map(|row| row.as_slice());
        let parameters: [Parameter<'_>; 3] =
            [(&code(kind), Type::INT2), (&first, Type::BYTEA), (&last, Type::BYTEA)];
        let found = self.all(doing, query, &parameters)?;
        let read = |row: &postgres::Row| {
            let id = self.read(doing, Some(row.try_get::<_, &[u8]>(2)))?;
            let id = id.and_then(|id| Row::try_from(id).ok()).ok_or_else(|| {
                let why = "found a record with an odd number".to_owned();
                StoreError::Damaged { at: self.at.clone(), part: Part::All(kind), why }
            })?;
            let stored = stored(row).map_err(|error| said(&self.at, doing, &error))?;
            Ok((id, stored))
        };
        found.iter().map(read).collect()
    }

    fn put(&mut self, kind: Kind, row: &Row, seal: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO {s}.item (kind, id, seal, value) VALUES ($1, $2, $3, $4)
            ON CONFLICT (kind, id) DO UPDATE SET seal = excluded.seal, value = excluded.value";
        let row = row.as_slice();
        let parameters: [Parameter<'_>; 4] = [
            (&code(kind), Type::INT2),
            (&row, Type::BYTEA),
            (&seal, Type::BYTEA),
            (&value, Type::BYTEA),
        ];
        self.run("writing a record", statement, &parameters).map(drop)
    }

    fn delete(&mut self, kind: Kind, row: &Row) -> Result<(), StoreError> {
        let statement = "DELETE FROM {s}.item WHERE kind = $1 AND id = $2";
        let row = row.as_slice();
        let parameters: [Parameter<'_>; 2] = [(&code(kind), Type::INT2), (&row, Type::BYTEA)];
        self.run("removing a record", statement, &parameters).map(drop)
    }

    fn node(&mut self, id: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let query = "SELECT value FROM {s}.node WHERE id = $1";
        self.bytes("reading the list of records", query, &[(&id, Type::BYTEA)])
    }

    fn put_node(&mut self, id: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO {s}.node (id, value) VALUES ($1, $2)
            ON CONFLICT (id) DO UPDATE SET value = excluded.value";
        let parameters: [Parameter<'_>; 2] = [(&id, Type::BYTEA), (&value, Type::BYTEA)];
        self.run("writing the list of records", statement, &parameters).map(drop)
    }

    fn delete_node(&mut self, id: &[u8]) -> Result<(), StoreError> {
        let statement = "DELETE FROM {s}.node WHERE id = $1";
        self.run("writing the list of records", statement, &[(&id, Type::BYTEA)]).map(drop)
    }

    fn slot(&mut self, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let query = "SELECT value FROM {s}.slot WHERE number = $1";
        self.bytes("reading a key", query, &[(&number.cast_signed(), Type::INT8)])
    }

    fn put_slot(&mut self, number: u64, value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO {s}.slot (number, value) VALUES ($1, $2)
            ON CONFLICT (number) DO UPDATE SET value = excluded.value";
        let number = number.cast_signed();
        let parameters: [Parameter<'_>; 2] = [(&number, Type::INT8), (&value, Type::BYTEA)];
        self.run("writing a key", statement, &parameters).map(drop)
    }

    fn entry(&mut self, sequence: i64) -> Result<Option<Stored>, StoreError> {
        let query = "SELECT seal, value FROM {s}.log WHERE sequence = $1";
        self.stored("reading the log", query, &[(&sequence, Type::INT8)])
    }

    fn append(&mut self, sequence: i64, seal: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let statement = "INSERT INTO {s}.log (sequence, seal, value) VALUES ($1, $2, $3)";
        let parameters: [Parameter<'_>; 3] =
            [(&sequence, Type::INT8), (&seal, Type::BYTEA), (&value, Type::BYTEA)];
        self.run("writing the log", statement, &parameters).map(drop)
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
        let statement = "UPDATE {s}.log SET seal = $2, value = $3 WHERE sequence = $1";
        let parameters: [Parameter<'_>; 3] =
            [(&sequence, Type::INT8), (&seal, Type::BYTEA), (&value, Type::BYTEA)];
        self.run("writing the log", statement, &parameters).map(drop)
    }

    fn get_old(&mut self, kind: Kind, row: &Row) -> Result<Option<Stored>, StoreError> {
        let query = "SELECT seal, value FROM {s}.record WHERE kind = $1 AND id = $2";
        let row = row.as_slice();
        self.stored("reading a record", query, &[(&code(kind), Type::INT2), (&row, Type::BYTEA)])
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
        let query = format!("SELECT {columns} FROM {{s}}.record WHERE kind = $1 ORDER BY id");
        let query = self.named(&query);
        self.scan(&query, kind, depth, visit)
            .map_err(|error| said(&self.at, "reading records", &error))
    }

    fn begin_upgrade(&mut self) -> Result<(), StoreError> {
        self.batch("upgrading", TABLES)
    }

    fn end_upgrade(&mut self) -> Result<(), StoreError> {
        let statements =
            format!("DROP TABLE {{s}}.record; UPDATE {{s}}.format SET version = {FORMAT}");
        self.batch("upgrading", &statements)
    }

    fn counts(&mut self) -> Result<Counts, StoreError> {
        let doing = "counting";
        let mut count = |table: &str| {
            let query = format!("SELECT count(*) FROM {{s}}.{table}");
            let found = self.one(doing, &query, &[])?;
            let found: Option<i64> = self.read(doing, found.map(|row| row.try_get(0)))?;
            Ok::<_, StoreError>(found.unwrap_or(0).unsigned_abs())
        };
        Ok(Counts { records: count("item")?, slots: count("slot")?, entries: count("log")? })
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
