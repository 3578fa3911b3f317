//! What was erased cannot be read any more, from whatever is left in the files.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::AeadInOut;
use chacha20poly1305::{KeyInit, Tag, XChaCha20Poly1305, XNonce};
use gazeprint_store::{Kind, Location, Vault};
use rusqlite::Connection;
use support::{Files, Place, content, key};

fn name(reader: u32) -> String {
    format!("person{:08x}", reader.wrapping_mul(0x9e37_79b9) | 1)
}

/// Readers who come and change, so that rows are moved about.
fn populate(vault: &mut Vault, readers: u32) {
    for reader in 0..readers {
        vault
            .write(|change| {
                let size = 20 + (reader as usize * 37) % 120;
                change.put(Kind::Template, &name(reader), &vec![reader as u8; 15 * size])?;
                change.put(Kind::Readings, &name(reader), &vec![reader as u8; 150 * size])?;
                if reader % 3 == 2 {
                    change.put(Kind::Template, &name(reader / 2), &vec![7; 8 * size])?;
                }
                change.append(b"enrolled somebody")
            })
            .unwrap();
    }
}

fn file(at: &Location) -> &Path {
    match at {
        Location::File(file) => file,
        Location::Postgres(_) => panic!("not a file"),
    }
}

/// All files below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(below(&entry.path())),
            false => found.push(entry.path()),
        }
    }
    found
}

/// What somebody keeps who copies the gallery before a reader is removed: the records with their seals,
/// and the wrapped keys.
struct Copied {
    slots: Vec<Vec<u8>>,
}

impl Copied {
    fn of(at: &Location) -> Self {
        let connection = Connection::open(file(at)).unwrap();
        let mut statement = connection.prepare("SELECT value FROM slot ORDER BY number").unwrap();
        let slots = statement.query_map([], |row| row.get(0)).unwrap();
        Self { slots: slots.map(Result::unwrap).collect() }
    }

    /// Slots whose bytes are still somewhere in the files, also in part.
    fn left(&self, at: &Location) -> Vec<usize> {
        let files: Vec<Vec<u8>> =
            below(file(at).parent().unwrap()).iter().map(|file| fs::read(file).unwrap()).collect();
        let is_left = |slot: &Vec<u8>| {
            slot.windows(12).any(|part| {
                files.iter().any(|bytes| bytes.windows(12).any(|window| window == part))
            })
        };
        (0..self.slots.len()).filter(|&number| is_left(&self.slots[number])).collect()
    }
}

#[test]
fn keys_of_the_erased_are_nowhere_in_the_file() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 14);
    let copied = Copied::of(&at);
    let all: Vec<usize> = (0..16).collect();
    assert_eq!(copied.left(&at), all);
    let mut expected = content(&mut vault).unwrap();
    let mut gone = Vec::new();
    for reader in [5, 11, 12] {
        let forget = |change: &mut gazeprint_store::Change<'_>| {
            assert!(change.forget(&name(reader))?);
            change.append(b"removed somebody")
        };
        vault.erase(forget).unwrap();
        // The first two slots are the gallery's own.
        gone.push(reader as usize + 2);
        let left: Vec<usize> = all.iter().copied().filter(|slot| !gone.contains(slot)).collect();
        assert_eq!(copied.left(&at), left);
        expected.records.retain(|(_, its), _| *its != name(reader));
    }
    let files = below(file(&at).parent().unwrap());
    assert_eq!(files, [file(&at).to_owned()], "one file at rest");
    assert_eq!(content(&mut vault).unwrap().records, expected.records);
    vault.check().unwrap();
}

/// Keys stand where they were put, however many there are: a database that moved them would leave parts of
/// them behind.
#[test]
fn keys_are_never_moved() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    for start in (0..600).step_by(20) {
        let put = |change: &mut gazeprint_store::Change<'_>| {
            (start..start + 20).try_for_each(|n| change.put(Kind::Template, &name(n), b"x"))
        };
        vault.write(put).unwrap();
    }
    let copied = Copied::of(&at);
    let forget = |change: &mut gazeprint_store::Change<'_>| {
        (0..600).filter(|n| n % 3 > 0).try_for_each(|n| change.forget(&name(n)).map(drop))
    };
    vault.erase(forget).unwrap();
    // Of each that is left, the file has it once.
    let bytes = fs::read(file(&at)).unwrap();
    let count = |slot: &Vec<u8>| bytes.windows(12).filter(|w| *w == &slot[30..42]).count();
    let counts: Vec<usize> = copied.slots.iter().map(count).collect();
    for (slot, count) in counts.iter().enumerate().skip(2) {
        assert_eq!(*count, usize::from((slot - 2) % 3 == 0), "slot {slot}");
    }
    vault.check().unwrap();
}

/// In a gallery without encryption, the key beside the records is all that opens them.
#[test]
fn records_of_the_erased_open_with_nothing_that_is_left() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    vault.write(|change| change.put(Kind::Entry, "anna", b"a small record")).unwrap();
    vault.write(|change| change.put(Kind::Entry, "bert", b"another")).unwrap();
    let connection = Connection::open(file(&at)).unwrap();
    let query = "SELECT id, seal, value FROM item WHERE length(value) = 22";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let (id, seal, value): (Vec<u8>, Vec<u8>, Vec<u8>) =
        connection.query_row(query, [], read).unwrap();
    drop(connection);
    vault.erase(|change| change.forget("anna")).unwrap();
    let nonce = XNonce::from(<[u8; 24]>::try_from(&seal[..24]).unwrap());
    let tag = Tag::from(<[u8; 16]>::try_from(&seal[24..]).unwrap());
    for bytes in below(file(&at).parent().unwrap()).iter().map(|file| fs::read(file).unwrap()) {
        // With any context: the tag is of key, context and value, and the first bytes tell the name.
        for window in bytes.windows(32) {
            let cipher = XChaCha20Poly1305::new_from_slice(window).unwrap();
            let mut body = value.clone();
            _ = cipher.decrypt_inout_detached(&nonce, &id, body.as_mut_slice().into(), &tag);
            assert_ne!(body[..14], *b"a small record");
        }
    }
    vault.check().unwrap();
}

/// The journal is removed at the end. A second link shows what it held then.
#[cfg(unix)]
#[test]
fn the_journal_is_overwritten_before_it_is_removed() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 6);
    let journal = PathBuf::from(format!("{}-journal", file(&at).display()));
    for (reader, erase) in [(3, false), (4, true)] {
        let witness = journal.with_extension(format!("witness{reader}"));
        fs::write(&journal, []).unwrap();
        fs::hard_link(&journal, &witness).unwrap();
        let work = |change: &mut gazeprint_store::Change<'_>| change.forget(&name(reader));
        if erase { vault.erase(work) } else { vault.write(work) }.unwrap();
        assert!(!journal.exists());
        assert!(fs::metadata(&witness).unwrap().len() > 10_000);
        assert_eq!(fs::read(witness).unwrap().iter().all(|byte| *byte == 0), erase);
    }
}

#[test]
fn what_an_interrupted_erasure_left_is_nobody_elses_work() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 3);
    // What is left if the process ends between the change and the overwriting.
    let journal = PathBuf::from(format!("{}-journal", file(&at).display()));
    let mut old = vec![0; 512];
    old.extend([0x77; 400_000]);
    let before = content(&mut vault).unwrap();
    let is_there =
        || fs::read(&journal).is_ok_and(|bytes| bytes.windows(9).any(|w| w == [0x77; 9]));
    for how in ["erase", "finish", "compact"] {
        fs::write(&journal, &old).unwrap();
        assert_eq!(content(&mut vault).unwrap().records, before.records);
        assert!(vault.check().unwrap().is_erasing);
        // Others go on, and leave it.
        vault.write(|change| change.put(Kind::Probe, "x", b"y")).unwrap();
        vault.write(|change| change.remove(Kind::Probe, "x")).unwrap();
        let failed = vault.erase(|change| {
            change.put(Kind::Probe, "x", b"y")?;
            Err::<(), _>(gazeprint_store::StoreError::Failed { at: at.clone() })
        });
        assert!(failed.is_err() && is_there(), "{how}");
        match how {
            "erase" => {
                assert!(vault.erase(|change| change.forget("nobody").map(|there| !there)).unwrap())
            }
            "finish" => assert!(vault.finish_erasing().unwrap()),
            _ => vault.compact().unwrap(),
        }
        if how == "erase" {
            // Nothing was erased.
            assert!(is_there());
            vault.erase(|change| change.append(b"something")).unwrap();
        }
        assert!(!journal.exists(), "{how}");
        assert!(!vault.check().unwrap().is_erasing);
        assert!(!vault.finish_erasing().unwrap());
    }
    assert_eq!(content(&mut vault).unwrap().records, before.records);
}

/// Who had once met what an erasure left behind left a journal with each later change, which looked like that.
#[test]
fn changes_after_an_interrupted_erasure_leave_nothing_that_looks_like_one() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 3);
    let journal = PathBuf::from(format!("{}-journal", file(&at).display()));
    fs::write(&journal, [0; 4096]).unwrap();
    vault.write(|change| change.put(Kind::Probe, "x", b"y")).unwrap();
    assert!(journal.exists());
    assert!(Vault::open(&at, None).unwrap().finish_erasing().unwrap());
    vault.write(|change| change.put(Kind::Probe, "x", b"z")).unwrap();
    assert!(!journal.exists());
    assert!(!vault.check().unwrap().is_erasing);
}

#[test]
fn a_write_ahead_log_of_another_program_is_left() {
    let place = Files::new();
    let at = place.fresh();
    populate(&mut Vault::create(&at, None).unwrap(), 3);
    let connection = Connection::open(file(&at)).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA user_version = 3").unwrap();
    drop(connection);
    let copied = Copied::of(&at);
    let mut vault = Vault::open(&at, None).unwrap();
    vault.erase(|change| change.forget(&name(1))).unwrap();
    assert_eq!(below(file(&at).parent().unwrap()).len(), 1);
    assert_eq!(copied.left(&at), [0, 1, 2, 4]);
}

#[test]
fn encrypting_leaves_no_open_key() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 6);
    let copied = Copied::of(&at);
    vault.rekey(Some(&key(1))).unwrap();
    assert_eq!(copied.left(&at), [0; 0]);
    vault.check().unwrap();
}

#[test]
fn compacting_gives_room_back() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    populate(&mut vault, 30);
    let forget = |change: &mut gazeprint_store::Change<'_>| {
        (0..25).try_for_each(|n| change.forget(&name(n)).map(drop))
    };
    vault.erase(forget).unwrap();
    let expected = content(&mut vault).unwrap();
    let before = fs::metadata(file(&at)).unwrap().len();
    vault.compact().unwrap();
    let after = fs::metadata(file(&at)).unwrap().len();
    assert!(after < before / 2, "{before} {after}");
    assert_eq!(content(&mut vault).unwrap(), expected);
    assert_eq!(below(file(&at).parent().unwrap()).len(), 1, "one file at rest");
    vault.check().unwrap();
}

#[test]
fn a_gallery_tells_no_names() {
    let place = Files::new();
    for secret in [None, Some(key(1))] {
        let at = place.fresh();
        let mut vault = Vault::create(&at, secret.as_ref()).unwrap();
        populate(&mut vault, 6);
        let bytes = fs::read(file(&at)).unwrap();
        for sought in ["person", "somebody"] {
            assert!(!bytes.windows(sought.len()).any(|window| window == sought.as_bytes()));
        }
    }
}

/// A server asked for its tables anew has the keys of the erased no more.
#[cfg(feature = "postgres")]
#[test]
fn keys_of_the_erased_are_nowhere_in_the_tables_of_a_server() {
    let Some(server) = support::server::Server::start() else { return };
    let mut administrator = postgres::Client::connect(&server.address(), postgres::NoTls).unwrap();
    let at = server.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 6);
    let Location::Postgres(address) = &at else { panic!("not on a server") };
    let schema = address.split_once("schema=").unwrap().1;
    let query = format!("SELECT value FROM {schema}.slot ORDER BY number");
    let slots: Vec<Vec<u8>> =
        administrator.query(&query, &[]).unwrap().iter().map(|row| row.get(0)).collect();
    let mut left = || {
        administrator.batch_execute("CHECKPOINT").unwrap();
        let files: Vec<Vec<u8>> =
            below(&server.data().join("base")).iter().map(|f| fs::read(f).unwrap()).collect();
        let is_left = |slot: &Vec<u8>| {
            files.iter().any(|bytes| bytes.windows(12).any(|window| *window == slot[30..42]))
        };
        (0..slots.len()).filter(|&n| is_left(&slots[n])).collect::<Vec<_>>()
    };
    assert_eq!(left(), (0..8).collect::<Vec<_>>());
    vault.erase(|change| change.forget(&name(5))).unwrap();
    assert_eq!(left(), (0..7).collect::<Vec<_>>());
    vault.rekey(Some(&key(1))).unwrap();
    assert_eq!(left(), [0; 0]);
    vault.check().unwrap();
}
