//! The commands over galleries, from the outside. One program, so that its parts share corpora and
//! galleries, which take seconds to make.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;
mod people;
#[cfg(feature = "postgres")]
#[path = "../../../gazeprint-store/tests/support/server.rs"]
mod server;

mod claims;
mod damage;
mod enrolment;
mod errors;
mod formats;
mod housekeeping;
#[cfg(unix)]
mod kills;
mod pages;
mod places;
mod probes;
mod replays;
mod rows;
mod secrets;
mod shards;
mod together;
mod watching;
