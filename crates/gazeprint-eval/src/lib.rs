//! Protocols, measures and studies of reader identification.

pub mod measures;
pub mod protocol;
pub mod study;
pub mod summary;
