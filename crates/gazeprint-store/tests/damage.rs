//! A damaged file gives an error or exactly what was written, never anything else.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::fs;
use std::path::Path;
use std::thread;

use gazeprint_store::{Kind, Location, Part, Secret, StoreError, Vault};
use rusqlite::Connection;
use support::{Content, Files, Place, content, key};

const NAMES: [&str; 9] = ["anna", "béla", "cy", "d", "e", "f", "g", "h", "i"];

/// A gallery with something of everything. Small pages make it small, with as many inner nodes,
/// chains and free pages as a large one.
fn small(at: &Location, secret: Option<&Secret>) -> (Vec<u8>, Content) {
    let mut vault = Vault::create(at, secret).unwrap();
    vault
        .write(|change| {
            change.put(Kind::Settings, "all", b"what all share")?;
            for (number, name) in NAMES.iter().enumerate() {
                change.put(Kind::Template, name, &[number as u8; 60])?;
            }
            for number in 1..4 {
                change.append(format!("entry {number}").as_bytes())?;
            }
            change.put(Kind::Readings, "anna", &[7; 600])?;
            change.put(Kind::Probe, "p", b"earlier")
        })
        .unwrap();
    let expected = content(&mut vault).unwrap();
    drop(vault);
    let file = file(at);
    let connection = Connection::open(file).unwrap();
    connection.execute_batch("PRAGMA page_size = 512; VACUUM;").unwrap();
    drop(connection);
    (fs::read(file).unwrap(), expected)
}

fn file(at: &Location) -> &Path {
    match at {
        Location::File(file) => file,
        Location::Postgres(_) => panic!("not a file"),
    }
}

/// Asks for everything in every way. True if the answers were right, false if there was an error.
fn is_right(bytes: &[u8], at: &Location, secret: Option<&Secret>, expected: &Content) -> bool {
    fs::write(file(at), bytes).unwrap();
    let mut one_by_one = true;
    let whole = Vault::open(at, secret).and_then(|mut vault| {
        // An error here does not keep from asking on.
        vault.read(|snapshot| {
            for name in NAMES.into_iter().chain(["nobody", "zoe"]) {
                for kind in [Kind::Template, Kind::Readings] {
                    let right = expected.records.get(&(kind, name.to_owned()));
                    match snapshot.get(kind, name) {
                        Ok(found) => assert_eq!(found.as_deref(), right),
                        Err(_) => one_by_one = false,
                    }
                }
            }
            for kind in Kind::ALL {
                let right = expected.records.keys().filter(|(its, _)| *its == kind).count();
                match snapshot.count(kind) {
                    Ok(found) => assert_eq!(found, right as u64),
                    Err(_) => one_by_one = false,
                }
            }
            Ok::<_, StoreError>(())
        })?;
        assert_eq!(content(&mut vault)?, *expected);
        vault.check()
    });
    for end in ["-journal", "-wal", "-shm"] {
        let mut beside = file(at).as_os_str().to_owned();
        beside.push(end);
        _ = fs::remove_file(beside);
    }
    whole.is_ok() && one_by_one
}

/// Tries every damage on two threads, and counts those that changed no answer.
fn harmless(
    place: &Files,
    count: usize,
    damage: impl Fn(usize) -> Vec<u8> + Sync,
    secret: Option<&Secret>,
    expected: &Content,
) -> usize {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|part| {
                let (at, damage) = (place.fresh(), &damage);
                scope.spawn(move || {
                    (part..count)
                        .step_by(2)
                        .filter(|&number| is_right(&damage(number), &at, secret, expected))
                        .count()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

/// Bends every byte.
fn every_byte(secret: Option<&Secret>, bend: impl Fn(usize, u8) -> u8 + Sync) {
    let place = Files::quick();
    let (bytes, expected) = small(&place.fresh(), secret);
    assert!(is_right(&bytes, &place.fresh(), secret, &expected));
    let bent = |number: usize| {
        let mut bytes = bytes.clone();
        bytes[number] = bend(number, bytes[number]);
        bytes
    };
    let harmless = harmless(&place, bytes.len(), bent, secret, &expected);
    // The rest is unused space, and counters that nobody needs for reading.
    let sizes = expected.records.iter().map(|((_, name), value)| name.len() + value.len());
    let used: usize = sizes.chain(expected.log.iter().map(Vec::len)).sum();
    assert!(harmless + used < bytes.len(), "{harmless} of {}", bytes.len());
}

#[test]
fn every_flipped_bit_of_a_plain_gallery() {
    every_byte(None, |number, byte| byte ^ 1 << (number * 5 % 8));
}

#[test]
fn every_changed_byte_of_an_encrypted_gallery() {
    every_byte(Some(&key(1)), |_, byte| !byte);
}

#[test]
fn every_truncation() {
    let secret = key(1);
    for secret in [None, Some(&secret)] {
        let place = Files::quick();
        let (bytes, expected) = small(&place.fresh(), secret);
        let cut = |length: usize| bytes[..length].to_vec();
        assert_eq!(harmless(&place, bytes.len(), cut, secret, &expected), 0);
    }
}

/// Something done to the tables behind the gallery's back.
fn tampered(secret: Option<&Secret>, statements: &str) -> Result<Content, StoreError> {
    let place = Files::new();
    let at = place.fresh();
    small(&at, secret);
    Connection::open(file(&at)).unwrap().execute_batch(statements).unwrap();
    content(&mut Vault::open(&at, secret)?)
}

fn part(result: Result<Content, StoreError>) -> Part {
    match result {
        Err(StoreError::Damaged { part, .. }) => part,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tampering_is_noticed_and_named() {
    let secret = key(1);
    for secret in [None, Some(&secret)] {
        let lost =
            "DELETE FROM item WHERE kind = 2 AND id = (SELECT max(id) FROM item WHERE kind = 2)";
        assert!(matches!(part(tampered(secret, lost)), Part::Record { .. }));
        let added = "INSERT INTO item SELECT 1, id, seal, value FROM item WHERE kind = 3";
        assert!(matches!(part(tampered(secret, added)), Part::Record { .. }));
        let exchanged =
            "UPDATE item SET value = (SELECT value FROM item WHERE kind = 4) WHERE kind = 3";
        let Part::Record { kind, name, .. } = part(tampered(secret, exchanged)) else { panic!() };
        assert_eq!((kind, name.as_deref()), (Kind::Readings, Some("anna")));
        let unknown = "UPDATE item SET value = zeroblob(9) WHERE kind = 4";
        let Part::Record { kind, name, row } = part(tampered(secret, unknown)) else { panic!() };
        assert_eq!((kind, name, row.len()), (Kind::Probe, None, 32));
        assert_eq!(part(tampered(secret, "DELETE FROM node")), Part::Tree);
        assert_eq!(part(tampered(secret, "UPDATE node SET value = x'00'")), Part::Tree);
        let lost_key = "DELETE FROM slot WHERE number = 4";
        assert_eq!(part(tampered(secret, lost_key)), Part::Key(4));
        let exchanged_keys = "UPDATE slot SET value = (SELECT value FROM slot WHERE number = 3)
            WHERE number = 4";
        assert_eq!(part(tampered(secret, exchanged_keys)), Part::Key(4));
        let header = "UPDATE header SET value = CAST(value || x'00' AS BLOB)";
        assert_eq!(part(tampered(secret, header)), Part::Header);
        assert_eq!(part(tampered(secret, "DELETE FROM header")), Part::Header);
        assert_eq!(part(tampered(secret, "DROP TABLE item")), Part::Database);
        let unguarded = "DROP TRIGGER log_delete; DROP TRIGGER log_update; ";
        let log = |statement: &str| part(tampered(secret, &(unguarded.to_owned() + statement)));
        assert_eq!(log("DELETE FROM log WHERE sequence = 3"), Part::Log(Some(3)));
        assert_eq!(log("INSERT INTO log SELECT 4, seal, value FROM log LIMIT 1"), Part::Log(None));
        assert_eq!(log("DELETE FROM log WHERE sequence = 1"), Part::Log(Some(1)));
        assert_eq!(
            log("UPDATE log SET value = zeroblob(40) WHERE sequence = 2"),
            Part::Log(Some(2))
        );
    }
}

#[test]
fn an_older_record_put_back_is_noticed() {
    let place = Files::new();
    let at = place.fresh();
    let secret = key(1);
    small(&at, Some(&secret));
    let connection = Connection::open(file(&at)).unwrap();
    connection.execute_batch("CREATE TEMP TABLE old AS SELECT * FROM item").unwrap();
    connection.execute_batch("CREATE TEMP TABLE old_nodes AS SELECT * FROM node").unwrap();
    let mut vault = Vault::open(&at, Some(&secret)).unwrap();
    vault.write(|change| change.put(Kind::Template, "anna", b"newer")).unwrap();
    connection.execute_batch("REPLACE INTO item SELECT * FROM temp.old").unwrap();
    let is_anna = |part: &Part| matches!(part, Part::Record { kind: Kind::Template, name: Some(name), .. } if name == "anna");
    assert!(is_anna(&part(content(&mut vault))));
    let got = vault.read(|snapshot| snapshot.get(Kind::Template, "anna").map(drop));
    let Err(StoreError::Damaged { part: found, .. }) = got else { panic!("{got:?}") };
    assert!(is_anna(&found));
    // Nor with the list of records that it was on.
    connection.execute_batch("REPLACE INTO node SELECT * FROM temp.old_nodes").unwrap();
    assert_eq!(part(content(&mut vault)), Part::Tree);
    let removed = vault.write(|change| change.remove(Kind::Template, "anna").map(drop));
    assert!(matches!(removed, Err(StoreError::Damaged { part: Part::Tree, .. })));
}

/// Who was removed does not come back with all that there was of them.
#[test]
fn an_erased_reader_put_back_is_noticed() {
    let place = Files::new();
    let at = place.fresh();
    small(&at, None);
    let connection = Connection::open(file(&at)).unwrap();
    let keep = |table: &str| format!("CREATE TEMP TABLE old_{table} AS SELECT * FROM {table};");
    let tables = ["item", "node", "slot"];
    connection.execute_batch(&tables.map(keep).concat()).unwrap();
    let mut vault = Vault::open(&at, None).unwrap();
    assert!(vault.erase(|change| change.forget("anna")).unwrap());
    vault.check().unwrap();
    let put_back = |table: &str| format!("REPLACE INTO {table} SELECT * FROM temp.old_{table};");
    for tables in [&["slot"][..], &["item"], &["item", "slot"], &tables] {
        connection.execute_batch("SAVEPOINT s").unwrap();
        let all: String = tables.iter().map(|table| put_back(table)).collect();
        connection.execute_batch(&(all + "RELEASE s")).unwrap();
        let got = vault.read(|snapshot| snapshot.get(Kind::Template, "anna"));
        assert!(!matches!(got, Ok(Some(_))), "{tables:?}");
    }
    assert!(content(&mut vault).is_err());
}

#[test]
fn the_database_itself_refuses_to_change_the_log() {
    let place = Files::new();
    let at = place.fresh();
    small(&at, None);
    let connection = Connection::open(file(&at)).unwrap();
    for statement in [
        "DELETE FROM log",
        "UPDATE log SET value = x'00'",
        "REPLACE INTO log SELECT sequence, seal, x'00' FROM log",
        "INSERT INTO log VALUES (9, x'00', x'00')",
    ] {
        let error = connection.execute_batch(statement).unwrap_err().to_string();
        assert!(error.contains("the log only grows"), "{error}");
    }
}

#[test]
fn other_files_are_refused_with_words() {
    let place = Files::new();
    let found = |make: &dyn Fn(&Path)| {
        let at = place.fresh();
        make(file(&at));
        let before = fs::read(file(&at)).ok();
        let refused = Vault::open(&at, None).err().unwrap().to_string();
        assert!(Vault::create(&at, None).is_err());
        assert_eq!(fs::read(file(&at)).ok(), before);
        refused
    };
    let database = |statements: &'static str| {
        move |file: &Path| Connection::open(file).unwrap().execute_batch(statements).unwrap()
    };
    type Case<'a> = (&'a dyn Fn(&Path), &'a str);
    let ours = |extra: &'static str| {
        move |file: &Path| {
            small(&Location::File(file.to_owned()), None);
            Connection::open(file).unwrap().execute_batch(extra).unwrap();
        }
    };
    let view = "ALTER TABLE item RENAME TO other; CREATE VIEW item AS SELECT * FROM other";
    let trigger = "CREATE TRIGGER log_more AFTER INSERT ON log BEGIN DELETE FROM slot; END";
    let cases: [Case<'_>; 8] = [
        (&ours(view), "found the table \"other\" beside those of a gallery"),
        (&ours(trigger), "found the trigger \"log_more\" beside"),
        (&|file| fs::write(file, b"").unwrap(), "found an empty file"),
        (&|file| fs::write(file, [b'x'; 5000]).unwrap(), "found bytes that are no database"),
        (&|file| fs::create_dir(file).unwrap(), "found a folder"),
        (&database("CREATE TABLE a (b)"), "found a database of something else"),
        (&database("PRAGMA user_version = 1; CREATE TABLE a (b)"), "something else"),
        (&database("PRAGMA application_id = 7; CREATE TABLE a (b)"), "something else"),
    ];
    for (make, words) in cases {
        let refused = found(make);
        assert!(refused.contains(words), "{refused}");
    }
}

#[test]
fn a_newer_format_is_refused_with_words() {
    let place = Files::new();
    let at = place.fresh();
    small(&at, None);
    Connection::open(file(&at)).unwrap().execute_batch("PRAGMA user_version = 4").unwrap();
    let refused = Vault::open(&at, None).err().unwrap().to_string();
    assert!(refused.contains("found format 4, expected at most 3"), "{refused}");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_gallery() {
    use std::os::unix::fs::PermissionsExt;
    let place = Files::new();
    let at = place.fresh();
    small(&at, None);
    assert_eq!(fs::metadata(file(&at)).unwrap().permissions().mode() & 0o777, 0o600);
}
