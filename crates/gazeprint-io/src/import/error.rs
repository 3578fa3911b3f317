//! Why an input is refused, and why a part of one is left out.

use std::fmt;
use std::io;

use thiserror::Error;

use super::recording::RowPlace;

/// Why an input could not be read. The caller knows the file's name and puts it in front.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The operating system refused.
    #[error("line {}: cannot be read: {error}", .place.row)]
    Unreadable {
        /// The line after the last one that could be read.
        place: RowPlace,
        /// What the system said.
        error: io::Error,
    },
    /// A line that no tool writes.
    #[error(
        "line {}: found more than {limit} bytes without a line end, expected a text file with \
         shorter lines; check that it is the right file", .place.row
    )]
    LineTooLong {
        /// The line.
        place: RowPlace,
        /// The longest line read.
        limit: usize,
    },
    /// Something that the format has, but that cannot be used.
    #[error("line {}: found {found}, expected {expected}; {remedy}", .place.row)]
    Refused {
        /// The line.
        place: RowPlace,
        /// What is there.
        found: String,
        /// What should be there.
        expected: String,
        /// How to go on.
        remedy: String,
    },
}

impl ImportError {
    /// Where it was found.
    pub fn place(&self) -> RowPlace {
        match self {
            Self::Unreadable { place, .. }
            | Self::LineTooLong { place, .. }
            | Self::Refused { place, .. } => *place,
        }
    }

    /// The error about something that cannot be used.
    pub(crate) fn refused(
        place: RowPlace,
        found: impl Into<String>,
        expected: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Refused {
            place,
            found: found.into(),
            expected: expected.into(),
            remedy: remedy.into(),
        }
    }
}

/// Why a part of an input is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A line that the format does not have.
    NotUnderstood,
    /// A line or row with too few cells, or with a cell that is no number.
    Malformed,
    /// A fixation of the eye that was not asked for.
    OtherEye,
    /// A fixation that ends before it starts.
    EndBeforeStart,
    /// A sample that is not later than the one before it.
    TimeOrder,
    /// Samples in which no fixations can be looked for.
    Undetected,
    /// A stretch between saccades too short for a fixation.
    TooShort,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotUnderstood => "a line that is not understood",
            Self::Malformed => "cells are missing or are no numbers",
            Self::OtherEye => "fixation of the other eye",
            Self::EndBeforeStart => "fixation ends before it starts",
            Self::TimeOrder => "sample is not later than the one before it",
            Self::Undetected => "no fixations can be looked for in these samples",
            Self::TooShort => "too short for a fixation",
        })
    }
}
