//! Brings recordings in, from the formats that people have.
//!
//! Data walks as follows. A [`Source`] unpacks and decodes a file. A parser, such as [`table`], reads
//! it a row at a time and hands fixations and words to a [`Sink`], in the units of the recording;
//! what it cannot use it drops there, with a reason. Where the places of words on the screen are known,
//! a [`layout::ScreenToText`] stands in between and turns pixels into characters. The [`Recording`]
//! gathers everything. [`import`] does all this, and ends with a corpus, or with fixations alone where
//! no words are known, and with an [`ImportReport`].

mod aliases;
pub mod asc;
pub mod bids;
mod collect;
pub mod da1;
pub mod dataviewer;
pub mod detect;
mod error;
mod format;
mod gaze;
pub mod json;
pub mod layout;
mod messages;
mod notes;
mod order;
pub mod popeye;
pub mod pymovements;
mod recording;
mod remark;
mod report;
mod run;
pub mod samples;
mod setting;
pub mod swift;
pub mod table;
#[cfg(test)]
mod testing;
pub mod tobii;
mod trials;
mod unread;
mod validity;
mod values;
mod words;
mod write;

pub use aliases::{Choice, ColumnRole, Mapped, Mapping, Unit};
pub use collect::{Imported, RawReading, RawText, Recording};
pub use error::{At, ImportError};
pub use format::Format;
pub use gaze::{EyeChoice, GazeOptions};
pub use recording::{Area, Eye, Position, RawFixation, RawWord, Reason, RowPlace, Sink};
pub use remark::{Remark, by_kind};
pub use report::{DropCount, Drops, Example, ImportReport, InputReport, Shape};
pub use run::{NamePattern, NamePatternError, Open, Request, import, input_files};
pub use setting::{Phrase, Setting, SettingNames};
pub use trials::{PatternError, TrialPatterns};
pub use words::GivenDisplay;
pub use write::{WithoutWords, check_out, write_imported};

pub use crate::table::Source;
