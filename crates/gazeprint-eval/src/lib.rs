//! Protocols, measures and studies of reader identification.
