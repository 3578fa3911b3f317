//! What a record is.

use std::fmt;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What the whole gallery shares.
    Settings,
    /// What is known of a reader.
    Template,
    /// What a reader was learned from.
    Readings,
    /// What tells an earlier probe.
    Probe,
    /// What is listed of a reader: small, and apart from what is compared.
    Entry,
    /// By what a reader is searched.
    Row,
    /// Who claimed to be a reader, and how often.
    Attempts,
}

impl Kind {
    /// All kinds, in the order of their codes.
    pub const ALL: [Self; 7] = [
        Self::Settings,
        Self::Template,
        Self::Readings,
        Self::Probe,
        Self::Entry,
        Self::Row,
        Self::Attempts,
    ];

    /// What is stored for it.
    pub(crate) fn code(self) -> u8 {
        self as u8 + 1
    }

    /// Whether its records belong to a reader, and go with them.
    pub(crate) fn is_of_readers(self) -> bool {
        self != Self::Settings
    }

    /// Whether a change of it changes answers.
    pub(crate) fn counts(self) -> bool {
        !matches!(self, Self::Probe | Self::Attempts)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Settings => "settings",
            Self::Template => "template",
            Self::Readings => "readings",
            Self::Probe => "probe",
            Self::Entry => "entry",
            Self::Row => "row",
            Self::Attempts => "attempts",
        })
    }
}
