//! What columns are for, and what their numbers are in.

use serde::Serialize;

/// What a column may be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnRole {
    /// Who reads.
    Reader,
    /// What is read.
    Text,
    /// The session.
    Session,
    /// The trial, beside a text.
    Trial,
    /// Place in the order of reading.
    Index,
    /// When a sample was taken.
    Time,
    /// Horizontal position.
    X,
    /// Vertical position.
    Y,
    /// Both positions in one cell, such as `[512.3, 384.0]`.
    Location,
    /// Line of the text.
    Line,
    /// Letter of the line that is looked at, from 1.
    Letter,
    /// Letter of the word that is looked at, from 1; 0 is the blank before it.
    Landing,
    /// A single character of the text.
    Character,
    /// Duration of a fixation.
    Duration,
    /// Start of a fixation.
    Onset,
    /// End of a fixation.
    Offset,
    /// Loss of signal before a fixation.
    Gap,
    /// Which eye.
    Eye,
    /// The kind of event: fixation, saccade, blink.
    Kind,
    /// Number of an event, which its samples share.
    Event,
    /// Whether a sample is good: 0 where it is.
    Validity,
    /// Number of a word, or of the area of interest that it is.
    Word,
    /// The word itself.
    Label,
    /// All areas of interest that a fixation is in, as a list.
    Areas,
    /// The box of the area that a fixation is in.
    Box,
    /// The area nearest to a fixation.
    Nearest,
    /// How far that is.
    Distance,
    /// The areas of a word's characters, as a list.
    Characters,
    /// First character of a word.
    Start,
    /// One past the last character of a word.
    End,
    /// Left edge of a word, pixels.
    Left,
    /// Right edge of a word, pixels.
    Right,
    /// Upper edge of a word, pixels.
    Top,
    /// Lower edge of a word, pixels.
    Bottom,
    /// Width of a word, where there is no right edge.
    Width,
    /// Height of a word, where there is no lower edge.
    Height,
    /// Place of a reading in the order of readings.
    Order,
    /// Group of a text.
    Group,
}

/// What numbers of a column are in, where its name says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Unit {
    /// Characters of the text.
    Characters,
    /// Pixels of the screen.
    Pixels,
    /// Parts of the width or height of the screen, from 0 to 1.
    Fractions,
    /// Degrees of visual angle.
    Degrees,
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    Microseconds,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
}

impl Unit {
    /// Milliseconds in one, where it is a unit of time.
    pub fn milliseconds(self) -> Option<f64> {
        match self {
            Self::Nanoseconds => Some(1e-6),
            Self::Microseconds => Some(1e-3),
            Self::Milliseconds => Some(1.0),
            Self::Seconds => Some(1e3),
            Self::Characters | Self::Pixels | Self::Fractions | Self::Degrees => None,
        }
    }
}

impl ColumnRole {
    pub(in crate::import) const ALL: [Self; 38] = [
        Self::Reader,
        Self::Text,
        Self::Session,
        Self::Trial,
        Self::Index,
        Self::Time,
        Self::X,
        Self::Y,
        Self::Location,
        Self::Line,
        Self::Letter,
        Self::Landing,
        Self::Character,
        Self::Duration,
        Self::Onset,
        Self::Offset,
        Self::Gap,
        Self::Eye,
        Self::Kind,
        Self::Event,
        Self::Validity,
        Self::Word,
        Self::Label,
        Self::Areas,
        Self::Box,
        Self::Nearest,
        Self::Distance,
        Self::Characters,
        Self::Start,
        Self::End,
        Self::Left,
        Self::Right,
        Self::Top,
        Self::Bottom,
        Self::Width,
        Self::Height,
        Self::Order,
        Self::Group,
    ];

    /// The name that a [`Choice`](super::Choice) has it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Text => "text",
            Self::Session => "session",
            Self::Trial => "trial",
            Self::Index => "index",
            Self::Time => "time",
            Self::X => "x",
            Self::Y => "y",
            Self::Location => "location",
            Self::Line => "line",
            Self::Letter => "letter",
            Self::Landing => "landing",
            Self::Character => "character",
            Self::Duration => "duration",
            Self::Onset => "onset",
            Self::Offset => "offset",
            Self::Gap => "gap",
            Self::Eye => "eye",
            Self::Kind => "kind",
            Self::Event => "event",
            Self::Validity => "validity",
            Self::Word => "word",
            Self::Label => "label",
            Self::Areas => "areas",
            Self::Box => "box",
            Self::Nearest => "nearest",
            Self::Distance => "distance",
            Self::Characters => "characters",
            Self::Start => "start",
            Self::End => "end",
            Self::Left => "left",
            Self::Right => "right",
            Self::Top => "top",
            Self::Bottom => "bottom",
            Self::Width => "width",
            Self::Height => "height",
            Self::Order => "order",
            Self::Group => "group",
        }
    }

    /// Whether numbers of such a column may be in a unit.
    pub(super) fn fits(self, unit: Unit) -> bool {
        match unit {
            Unit::Characters | Unit::Fractions => self == Self::X,
            Unit::Pixels | Unit::Degrees => matches!(self, Self::X | Self::Location),
            Unit::Nanoseconds | Unit::Microseconds | Unit::Milliseconds | Unit::Seconds => {
                matches!(self, Self::Duration | Self::Onset | Self::Offset | Self::Time)
            }
        }
    }
}
