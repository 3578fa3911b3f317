//! What was erased is nowhere in the files.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use gazeprint_store::{Kind, Location, Vault};
use support::{Files, Place, content, key};

/// A text that tells reader and place in a record.
fn trace(reader: u32, part: usize) -> String {
    format!("<{:08x}:{part:04}>", reader.wrapping_mul(0x9e37_79b9) | 1)
}

fn value(reader: u32, parts: usize) -> Vec<u8> {
    (0..parts).flat_map(|part| trace(reader, part).into_bytes()).collect()
}

fn name(reader: u32) -> String {
    format!("person{}", trace(reader, 9999))
}

/// Readers who come, change and go, so that rows are moved about.
fn populate(vault: &mut Vault, readers: u32) {
    for reader in 0..readers {
        vault
            .write(|change| {
                let size = 20 + (reader as usize * 37) % 120;
                change.put(Kind::Template, &name(reader), &value(reader, size))?;
                change.put(Kind::Readings, &name(reader), &value(reader, 10 * size))?;
                if reader % 3 == 2 {
                    change.put(Kind::Template, &name(reader / 2), &value(reader / 2, size / 2))?;
                }
                change.append(b"enrolled somebody")
            })
            .unwrap();
    }
}

/// How often bytes occur in files.
fn occurrences(files: &[PathBuf], sought: &str) -> usize {
    let sought = sought.as_bytes();
    let count = |file: &PathBuf| {
        let bytes = fs::read(file).unwrap();
        bytes.windows(sought.len()).filter(|window| *window == sought).count()
    };
    files.iter().map(count).sum()
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

/// The beginning of every trace of a reader.
fn marks(reader: u32) -> String {
    trace(reader, 0)[..10].to_owned()
}

fn file(at: &Location) -> &Path {
    match at {
        Location::File(file) => file,
        Location::Postgres(_) => panic!("not a file"),
    }
}

#[test]
fn nothing_of_the_erased_is_left_in_the_file() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 24);
    let files = || below(file(&at).parent().unwrap());
    assert!(occurrences(&files(), &marks(5)) > 100);
    let mut expected = content(&mut vault).unwrap();
    for reader in [5, 11, 12] {
        vault
            .erase(|change| {
                assert!(change.remove(Kind::Template, &name(reader))?);
                assert!(change.remove(Kind::Readings, &name(reader))?);
                change.append(b"removed somebody")
            })
            .unwrap();
        assert_eq!(occurrences(&files(), &marks(reader)), 0, "reader {reader}");
        expected.records.retain(|(_, its), _| *its != name(reader));
    }
    assert_eq!(files(), [file(&at).to_owned()], "one file at rest");
    assert_eq!(content(&mut vault).unwrap().records, expected.records);
    vault.check().unwrap();
}

/// The database moves small rows from page to page, and leaves parts of them behind.
#[test]
fn no_fragments_of_moved_rows_are_left() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    let size = |reader: u32| 3 + (reader as usize * 7919) % 190;
    for start in (0..400).step_by(20) {
        vault
            .write(|change| {
                (start..start + 20).try_for_each(|reader| {
                    change.put(Kind::Template, &name(reader), &value(reader, size(reader)))
                })
            })
            .unwrap();
    }
    let gone: Vec<u32> = (0..300).map(|number| number * 171 % 400).collect();
    for gone in gone.chunks(50) {
        let remove = |reader: &u32| (Kind::Template, name(*reader));
        vault
            .erase(|change| {
                gone.iter().map(remove).try_for_each(|(kind, name)| {
                    change.remove(kind, &name).map(|there| assert!(there))
                })
            })
            .unwrap();
        let files = [file(&at).to_owned()];
        let left: Vec<_> =
            gone.iter().filter(|reader| occurrences(&files, &marks(**reader)) > 0).collect();
        assert!(left.is_empty(), "{left:?}");
    }
    assert_eq!(vault.check().unwrap().records, [0, 100, 0, 0]);
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
        let work = |change: &mut gazeprint_store::Change<'_>| {
            change.remove(Kind::Template, &name(reader))?;
            change.remove(Kind::Readings, &name(reader))
        };
        if erase { vault.erase(work) } else { vault.write(work) }.unwrap();
        assert!(!journal.exists());
        assert!(fs::metadata(&witness).unwrap().len() > 10_000);
        assert_eq!(occurrences(std::slice::from_ref(&witness), &marks(reader)) == 0, erase);
        assert_eq!(fs::read(witness).unwrap().iter().all(|byte| *byte == 0), erase);
    }
}

#[test]
fn what_was_replaced_is_erased_too() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 6);
    vault.erase(|change| change.put(Kind::Readings, &name(4), b"less")).unwrap();
    let tail = trace(4, 1000);
    assert_eq!(occurrences(&[file(&at).to_owned()], &tail), 0);
}

#[test]
fn an_interrupted_erasure_is_finished_by_the_next_change() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 3);
    // What is left if the process ends between the change and the overwriting.
    let journal = PathBuf::from(format!("{}-journal", file(&at).display()));
    let mut old = vec![0; 512];
    old.extend(value(77, 500));
    let before = content(&mut vault).unwrap();
    for erase in [false, true] {
        fs::write(&journal, &old).unwrap();
        assert_eq!(content(&mut vault).unwrap(), before);
        let nothing = |change: &mut gazeprint_store::Change<'_>| change.remove(Kind::Probe, "x");
        if erase { vault.erase(nothing) } else { vault.write(nothing) }.unwrap();
        assert!(!journal.exists());
        assert_eq!(content(&mut vault).unwrap(), before);
    }
}

#[test]
fn a_write_ahead_log_of_another_program_is_left() {
    let place = Files::new();
    let at = place.fresh();
    populate(&mut Vault::create(&at, None).unwrap(), 3);
    let connection = rusqlite::Connection::open(file(&at)).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA user_version = 1").unwrap();
    drop(connection);
    let mut vault = Vault::open(&at, None).unwrap();
    vault
        .erase(|change| {
            change.remove(Kind::Template, &name(1))?;
            change.remove(Kind::Readings, &name(1))
        })
        .unwrap();
    let files = below(file(&at).parent().unwrap());
    assert_eq!((files.len(), occurrences(&files, &marks(1))), (1, 0));
}

#[test]
fn encrypting_leaves_nothing_readable() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    populate(&mut vault, 6);
    vault.rekey(Some(&key(1))).unwrap();
    let files = below(file(&at).parent().unwrap());
    for sought in ["person", "somebody", &marks(3)] {
        assert_eq!(occurrences(&files, sought), 0, "{sought}");
    }
    vault.check().unwrap();
}

#[test]
fn an_encrypted_gallery_tells_no_names() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, Some(&key(1))).unwrap();
    populate(&mut vault, 6);
    let files = below(file(&at).parent().unwrap());
    for sought in ["person", "somebody", &marks(3)] {
        assert_eq!(occurrences(&files, sought), 0, "{sought}");
    }
}

#[cfg(feature = "postgres")]
#[test]
fn nothing_of_the_erased_is_left_in_the_tables_of_a_server() {
    let Some(server) = support::server::Server::start() else { return };
    let mut administrator = postgres::Client::connect(&server.address(), postgres::NoTls).unwrap();
    let mut vault = Vault::create(&server.fresh(), None).unwrap();
    populate(&mut vault, 6);
    let mut left = |sought: &str| {
        administrator.batch_execute("CHECKPOINT").unwrap();
        occurrences(&below(&server.data().join("base")), sought)
    };
    assert!(left(&marks(5)) > 100);
    vault
        .erase(|change| {
            change.remove(Kind::Template, &name(5))?;
            change.remove(Kind::Readings, &name(5))
        })
        .unwrap();
    assert_eq!(left(&marks(5)), 0);
    assert!(left(&marks(4)) > 100);
    vault.rekey(Some(&key(1))).unwrap();
    assert_eq!((left(&marks(4)), left("somebody")), (0, 0));
    vault.check().unwrap();
}
