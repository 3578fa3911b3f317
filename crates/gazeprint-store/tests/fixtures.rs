//! Galleries of every released format keep opening.
//!
//! The files in `tests/fixtures` are never changed. A new format adds its own, by
//! `cargo test -p gazeprint-store --test fixtures -- --ignored`.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use gazeprint_store::{Kind, Location, Secret, StoreError, Vault};
use support::{Content, content, key, passphrase};

/// The format that is written now.
const CURRENT: &str = "v3";

fn secrets() -> [(&'static str, Option<Secret>); 3] {
    [
        ("plain", None),
        ("encrypted", Some(key(0x2a))),
        ("passphrase", Some(passphrase("correct horse battery staple"))),
    ]
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// What is in every fixture.
fn expected() -> Content {
    let long: Vec<u8> = (0..9000_u32).map(|i| ((i * i) >> 5) as u8).collect();
    let records = [
        (Kind::Settings, "gallery", b"settings".to_vec()),
        (Kind::Template, "anna", b"template of anna".to_vec()),
        (Kind::Template, "béla", b"template of b\xc3\xa9la, written anew".to_vec()),
        (Kind::Readings, "anna", long),
        (Kind::Probe, "p", Vec::new()),
    ];
    let records = records.map(|(kind, name, value)| ((kind, name.to_owned()), value));
    let log = [b"first".to_vec(), b"".to_vec(), b"third".to_vec()];
    Content { records: records.into(), log: log.into(), generation: 2 }
}

/// Writes the fixtures of a new format, once: `GAZEPRINT_FIXTURES=write cargo test -p gazeprint-store --test fixtures
/// written`.
#[test]
fn written_where_that_is_asked_for() {
    if std::env::var_os("GAZEPRINT_FIXTURES").is_none_or(|asked| asked != "write") {
        return;
    }
    for (name, secret) in secrets() {
        let at = Location::File(fixtures().join(format!("{CURRENT}-{name}.gallery")));
        let mut vault = Vault::create(&at, secret.as_ref()).unwrap();
        vault.write(|change| change.put(Kind::Template, "béla", b"template of b")).unwrap();
        vault
            .write(|change| {
                for ((kind, name), value) in &expected().records {
                    change.put(*kind, name, value)?;
                }
                expected().log.iter().try_for_each(|entry| change.append(entry).map(drop))
            })
            .unwrap();
    }
}

#[test]
fn every_released_format_opens() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["v1", "v2", "v3"] {
        for (name, secret) in secrets() {
            let name = format!("{version}-{name}.gallery");
            let copy = folder.path().join(&name);
            fs::copy(fixtures().join(&name), &copy).unwrap();
            let at = Location::File(copy.clone());
            let mut vault = Vault::open(&at, secret.as_ref()).unwrap();
            assert_eq!(vault.is_old(), version != CURRENT);
            assert_eq!(content(&mut vault).unwrap(), expected(), "{name}");
            vault.check().unwrap();
            if vault.is_old() {
                only_read(&mut vault, &copy);
                let mut other = Vault::open(&at, secret.as_ref()).unwrap();
                assert!(vault.upgrade().unwrap());
                assert_eq!(content(&mut vault).unwrap(), expected(), "{name}");
                assert!(matches!(content(&mut other), Err(StoreError::Changed { .. })));
            }
            assert!(!vault.upgrade().unwrap());
            vault.check().unwrap();
            vault.write(|change| change.put(Kind::Template, "cy", b"new")).unwrap();
            drop(vault);
            let mut vault = Vault::open(&at, secret.as_ref()).unwrap();
            assert_eq!(vault.check().unwrap().records[..4], [1, 3, 1, 1]);
            vault.rekey(None).unwrap();
            assert_eq!(vault.check().unwrap().records[..4], [1, 3, 1, 1]);
        }
    }
}

/// Nothing is written to a gallery of an earlier format, and it is said what to do.
fn only_read(vault: &mut Vault, file: &Path) {
    let before = fs::read(file).unwrap();
    let refused = [
        vault.write(|change| change.put(Kind::Template, "cy", b"new")),
        vault.write(|change| change.append(b"new").map(drop)),
        vault.erase(|change| change.forget("anna").map(drop)),
        vault.rekey(None),
        vault.compact(),
    ];
    for result in refused {
        let error = result.unwrap_err();
        assert!(matches!(error, StoreError::OldFormat { .. }));
        assert!(error.to_string().contains("run `gazeprint gallery upgrade --gallery "), "{error}");
    }
    assert!(!vault.finish_erasing().unwrap());
    assert_eq!(fs::read(file).unwrap(), before);
}

/// One flipped bit in each of many random places: an error, or the same content, whatever is asked first.
fn flipped(flips: u64) {
    let place = support::Files::quick();
    for version in ["v1", "v2", "v3"] {
        // Opening with a passphrase takes long on purpose, and tells nothing more of what was flipped.
        for (name, secret) in secrets().into_iter().take(2) {
            let bytes = fs::read(fixtures().join(format!("{version}-{name}.gallery"))).unwrap();
            let (mut same, bits) = (0, 8 * bytes.len() as u64);
            for turn in 1..=flips {
                // SplitMix64.
                let mut number = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
                let bit = (number ^ number >> 31) % bits;
                let mut bent = bytes.clone();
                bent[(bit / 8) as usize] ^= 1 << (bit % 8);
                let at = support::Place::fresh(&place);
                let Location::File(file) = &at else { panic!("not a file") };
                fs::write(file, bent).unwrap();
                let asked = Vault::open(&at, secret.as_ref()).and_then(|mut vault| {
                    for ((kind, name), value) in &expected().records {
                        let found = vault.read(|snapshot| snapshot.get(*kind, name));
                        assert!(
                            found.is_err() || found.is_ok_and(|it| it.as_deref() == Some(value))
                        );
                    }
                    content(&mut vault)
                });
                same += u64::from(asked.as_ref().is_ok_and(|found| *found == expected()));
                assert!(
                    asked.is_err() || asked.is_ok_and(|found| found == expected()),
                    "bit {bit}"
                );
                fs::remove_file(file).unwrap();
            }
            eprintln!("{version}-{name}: {flips} flips, {same} of them in bytes that nobody reads");
        }
    }
}

#[test]
fn a_flipped_bit_is_an_error_or_changes_nothing() {
    flipped(100);
}

#[test]
#[ignore = "takes minutes: scripts/test --all"]
fn each_of_2000_flipped_bits_is_an_error_or_changes_nothing() {
    flipped(2_000);
}
