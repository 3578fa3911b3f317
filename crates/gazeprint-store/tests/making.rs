//! A gallery that is being made is there as a whole or not at all.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod support;

use std::fs;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use gazeprint_store::{Location, StoreError, Vault};
use support::{Files, Place, key};

const MAKERS: usize = 4;

/// Several who make the same gallery: one does, and the others are told.
fn one_makes_it(place: &dyn Place) {
    for _ in 0..5 {
        let at = place.fresh();
        let all_are_there = Barrier::new(MAKERS);
        let made: Vec<_> = thread::scope(|scope| {
            let makers = [(); MAKERS].map(|()| {
                scope.spawn(|| {
                    all_are_there.wait();
                    Vault::create(&at, Some(&key(1))).map(drop)
                })
            });
            makers.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert_eq!(made.iter().filter(|made| made.is_ok()).count(), 1, "{made:?}");
        for refused in made.into_iter().filter_map(Result::err) {
            assert!(matches!(refused, StoreError::Exists { .. }), "{refused}");
        }
        Vault::open(&at, Some(&key(1))).unwrap().check().unwrap();
    }
}

#[test]
fn of_several_who_make_a_file_one_does() {
    let files = Files::new();
    one_makes_it(&files);
    let Location::File(file) = files.fresh() else { panic!("not a file") };
    let left = fs::read_dir(file.parent().unwrap()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "{left:?}");
}

#[test]
fn nobody_meets_a_file_that_is_half_made() {
    let files = Files::new();
    for _ in 0..20 {
        let at = files.fresh();
        let is_made = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_made.load(Ordering::Relaxed) {
                    match Vault::open(&at, None) {
                        Ok(mut vault) => assert_eq!(vault.check().unwrap().entries, 0),
                        Err(StoreError::Missing { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                    let Location::File(file) = &at else { panic!("not a file") };
                    assert!(fs::metadata(file).map_or(true, |there| there.len() > 0));
                }
            });
            Vault::create(&at, None).unwrap();
            is_made.store(true, Ordering::Relaxed);
        });
    }
}

#[cfg(feature = "postgres")]
#[test]
fn of_several_who_make_one_on_a_server_one_does() {
    let Some(server) = support::server::Server::start() else { return };
    one_makes_it(&server);
    words_of_the_language_are_schemas(&server);
}

#[cfg(feature = "postgres")]
fn words_of_the_language_are_schemas(server: &support::server::Server) {
    for schema in ["user", "select", "default"] {
        let at = Location::Postgres(format!("{}?schema={schema}", server.address()));
        support::fill(&mut Vault::create(&at, None).unwrap());
        assert!(matches!(Vault::create(&at, None), Err(StoreError::Exists { .. })));
        let mut vault = Vault::open(&at, None).unwrap();
        vault.erase(|change| change.forget("anna")).unwrap();
        vault.check().unwrap();
    }
}
