//! Brings recordings in, from the formats that people have.
//!
//! Data walks as follows. A [`Source`] unpacks and decodes a file. A parser, such as [`table`], reads
//! it a row at a time and hands fixations and words to a [`Sink`], in the units of the recording;
//! what it cannot use it drops there, with a reason. The [`Recording`] gathers them. Something that
//! implements [`Place`] turns pixels into characters. [`import`] does all this, and ends with a
//! corpus, or with fixations alone where no words are known, and with an [`ImportReport`].

mod aliases;
pub mod asc;
pub mod bids;
mod collect;
pub mod dataviewer;
pub mod detect;
mod dialect;
mod error;
mod gaze;
pub mod layout;
mod lines;
mod order;
pub mod popeye;
pub mod pymovements;
mod recording;
mod report;
mod run;
pub mod samples;
mod source;
pub mod swift;
pub mod table;
#[cfg(test)]
mod testing;
pub mod tobii;
mod trials;
mod values;
mod write;

pub use aliases::{Choice, Mapped, Mapping, Role, Unit};
pub use collect::{Imported, Place, RawReading, RawText, Recording};
pub use error::{At, ImportError};
pub use gaze::{EyeChoice, GazeOptions};
pub use recording::{Area, Eye, Position, RawFixation, RawWord, Reason, RowPlace, Sink};
pub use report::{DropCount, Drops, Example, ImportReport, InputReport, Shape};
pub use run::{Format, Open, Request, import};
pub use source::Source;
pub use trials::{PatternError, TrialPatterns};
pub use write::{WithoutWords, check_out, write_imported};
