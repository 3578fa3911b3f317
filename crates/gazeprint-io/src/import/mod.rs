//! Brings recordings in, from the formats that people have.

mod error;
mod recording;
mod rows;

pub mod dataviewer;
pub mod layout;
pub mod pymovements;
pub mod swift;
pub mod tobii;

pub use error::{At, ImportError};
pub use recording::{Area, Eye, Position, RawFixation, RawWord, Reason, RowPlace, Sink};

#[cfg(test)]
mod collected;
