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
}

impl Kind {
    /// All kinds, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Settings, Self::Template, Self::Readings, Self::Probe];

    /// What is stored for it.
    pub(crate) fn code(self) -> u8 {
        self as u8 + 1
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Settings => "settings",
            Self::Template => "template",
            Self::Readings => "readings",
            Self::Probe => "probe",
        })
    }
}
