//! Brings recordings in, from the formats that people have.

mod error;
mod recording;

pub use error::{At, ImportError};
pub use recording::{Area, Eye, Position, RawFixation, RawWord, Reason, RowPlace, Sink};
