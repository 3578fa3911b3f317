//! A new key and its entry in the log come together, or not at all.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::fs;
use std::path::Path;

use gazeprint_store::{Event, Gallery, Location};
use rusqlite::Connection;
use support::{Files, Place, key};

/// A copy of a gallery with readers.
fn copy(place: &Files) -> Location {
    let fixture = "../gazeprint-cli/tests/fixtures/v1.gallery";
    let at = place.fresh();
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture), file(&at)).unwrap();
    at
}

fn file(at: &Location) -> &Path {
    match at {
        Location::File(file) => file,
        Location::Postgres(_) => panic!("not a file"),
    }
}

#[test]
fn a_new_key_that_cannot_be_logged_is_none() {
    let place = Files::new();
    let at = copy(&place);
    let mut gallery = Gallery::open(&at, None).unwrap();
    assert!(gallery.upgrade().unwrap());
    let before = gallery.log().unwrap();
    let connection = Connection::open(file(&at)).unwrap();
    let full = "CREATE TRIGGER full BEFORE INSERT ON log BEGIN SELECT raise(ABORT, 'full'); END";
    connection.execute_batch(full).unwrap();
    let error = gallery.rekey(Some(&key(1))).unwrap_err().to_string();
    assert!(error.contains("full"), "{error}");
    // Neither is there: it is the gallery that it was.
    assert_eq!(gallery.log().unwrap(), before);
    gallery.check().unwrap();
    drop(gallery);
    connection.execute_batch("DROP TRIGGER full").unwrap();
    let mut gallery = Gallery::open(&at, None).unwrap();
    gallery.rekey(Some(&key(1))).unwrap();
    let log = gallery.log().unwrap();
    assert_eq!(log.len(), before.len() + 1);
    assert_eq!(log.last().unwrap().event, Event::Rekeyed { encrypted: true });
    gallery.check().unwrap();
    assert!(Gallery::open(&at, None).is_err());
    assert_eq!(Gallery::open(&at, Some(&key(1))).unwrap().log().unwrap(), log);
}
