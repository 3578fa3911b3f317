//! Brings recordings in, in the formats that eye trackers and their tools write.
//!
//! A parser reads decoded text from a `BufRead` and hands what it finds to a [`Sink`]. It holds
//! one trial in memory at most, and drops nothing but through [`Sink::dropped`].

pub mod asc;
pub mod detect;
mod error;
mod lines;
mod recording;
pub mod samples;
#[cfg(test)]
mod testing;

pub use error::{ImportError, Reason};
pub use recording::{Area, Eye, Position, RawFixation, RawWord, RowPlace, Sink};
