//! What people read when something is wrong.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use gazeprint_store::{Kind, Location, StoreError, Vault};
use rusqlite::Connection;
use support::{Files, Place, key, passphrase};

fn said(at: &Location, secret: Option<&gazeprint_store::Secret>) -> String {
    Vault::open(at, secret).err().unwrap().to_string()
}

#[test]
fn messages_name_the_gallery_what_was_found_and_what_to_do() {
    let place = Files::new();
    let [missing, plain, keyed] = [(); 3].map(|()| place.fresh());
    Vault::create(&plain, None).unwrap();
    Vault::create(&keyed, Some(&key(1))).unwrap();
    for (message, words) in [
        (said(&missing, None), "there is no gallery; check the path or address, or create one"),
        (said(&plain, Some(&key(1))), "is not encrypted; found a key file, expected none"),
        (said(&keyed, None), "is encrypted, and opens with a key file; found none"),
        (said(&keyed, Some(&key(2))), "the key file does not open it"),
        (said(&keyed, Some(&passphrase("x"))), "opens with a key file; found a passphrase"),
    ] {
        assert!(message.contains(".gallery") && message.contains(words), "{message}");
    }
}

#[test]
fn a_damaged_record_is_named() {
    let place = Files::new();
    let at = place.fresh();
    let mut vault = Vault::create(&at, None).unwrap();
    vault.write(|change| change.put(Kind::Template, "anna", b"x")).unwrap();
    let Location::File(file) = &at else { panic!("not a file") };
    Connection::open(file)
        .unwrap()
        .execute_batch("UPDATE item SET value = x'00' WHERE kind = 2")
        .unwrap();
    let got = vault.read(|snapshot| snapshot.get(Kind::Template, "anna").map(drop));
    let message = got.unwrap_err().to_string();
    assert!(message.contains("template \"anna\": its seal does not fit"), "{message}");
    // It can be written anew.
    vault.write(|change| change.put(Kind::Template, "anna", b"y")).unwrap();
    vault.check().unwrap();
}

#[cfg(not(feature = "postgres"))]
#[test]
fn a_build_without_postgres_says_so() {
    let at: Location = "postgres://anna:hidden@localhost/lab".parse().unwrap();
    for result in [Vault::open(&at, None), Vault::create(&at, None)] {
        let error = result.err().unwrap();
        assert!(matches!(error, StoreError::NoPostgres { .. }));
        assert!(error.to_string().contains("the feature `postgres`"), "{error}");
        assert!(!error.to_string().contains("hidden"), "{error}");
    }
}

#[cfg(feature = "postgres")]
#[test]
fn plain_galleries_stay_on_this_computer() {
    let at: Location = "postgres://anna:hidden@192.0.2.1/lab".parse().unwrap();
    for result in [Vault::open(&at, None), Vault::create(&at, None)] {
        let error = result.err().unwrap();
        assert!(matches!(error, StoreError::Exposed { .. }));
        assert!(!error.to_string().contains("hidden"), "{error}");
    }
}
