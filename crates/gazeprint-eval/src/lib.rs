//! Protocols, measures and studies of reader identification.

mod fingerprint;
pub mod measures;
pub mod protocol;
pub mod report;
pub mod study;
pub mod summary;

pub use fingerprint::fingerprint;
