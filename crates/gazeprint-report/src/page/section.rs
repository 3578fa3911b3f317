//! The parts of the page: one entry each.

use gazeprint_eval::report::Report;

use super::{cite, limits, method, privacy, reproduce};
use crate::registry::registry;

registry! {
    /// A part of the page, below the main results: words, then tables, then figures.
    pub(crate) enum Section {
        Protocol,
        Measures,
        Identification,
        Verification,
        Strangers,
        Attacks,
        Watch,
        Robustness,
        Readers,
        Computing,
        Limits,
        Reproduce,
        Privacy,
        Cite,
    }
}

/// What is known of a section.
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// What it says before its tables and figures, as HTML.
    pub(super) words: fn(&Report) -> String,
}

impl Section {
    pub(super) fn entry(self) -> Entry {
        let (id, title, words): (_, _, fn(&Report) -> String) = match self {
            Self::Protocol => ("protocol", "Protocol", method::protocol),
            Self::Measures => ("measures", "Measures", method::measures),
            Self::Identification => ("identification", "Identification", nothing),
            Self::Verification => ("verification", "Verification", nothing),
            Self::Strangers => ("strangers", "Strangers", nothing),
            Self::Attacks => ("attacks", "Attacks", nothing),
            Self::Watch => ("watch", "Watching", nothing),
            Self::Robustness => ("robustness", "Robustness", nothing),
            Self::Readers => ("readers", "Readers", nothing),
            Self::Computing => ("computing", "Constants and diagnostics", nothing),
            Self::Limits => ("limits", "Limits and warnings", limits::section),
            Self::Reproduce => ("reproduce", "Doing it again", reproduce),
            Self::Privacy => ("privacy", "Privacy", privacy),
            Self::Cite => ("cite", "How to cite", cite),
        };
        Entry { id, title, words }
    }
}

fn nothing(_: &Report) -> String {
    String::new()
}
