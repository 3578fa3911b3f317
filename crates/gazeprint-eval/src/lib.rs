//! Protocols, measures and studies of reader identification.

pub mod summary;
