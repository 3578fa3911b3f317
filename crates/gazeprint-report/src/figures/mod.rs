//! The figures of a study: one entry each, in [`FigureId`].
//!
//! | module | does |
//! |---|---|
//! | `study` | fills figures from a study |
//! | `captions` | captions |
//!
//! Those of readers are in `traits`.

mod captions;
mod study;
mod traits;

use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::report::Report;
use gazeprint_eval::study::Study;

use crate::figure::Drawing;
use crate::page::Section;
use crate::registry::registry;

pub use self::traits::{readers_by, readers_by_two};

registry! {
    /// A figure of a study. A new one is a variant and its entry.
    pub enum FigureId {
        /// Accuracy over the amount of reading and the number of readers.
        Accuracy,
        /// Accuracy over seconds of reading.
        Seconds,
        /// False accepts over false rejects.
        Errors,
        /// The same on normal-deviate axes.
        Det,
        /// The same for parts of the test sentences.
        ErrorsByFraction,
        /// Scores of genuine readers and of impostors.
        Scores,
        /// Readers and strangers who are named, over seconds of reading.
        Strangers,
        /// Accuracy on worse recordings.
        Robustness,
        /// One reader's densities.
        Densities,
        /// Whether these are calibrated.
        Calibration,
        /// The reader's path over a text.
        Scanpath,
    }
}

/// What figures are drawn from.
pub(crate) struct Findings<'a> {
    pub(crate) study: &'a Study,
    pub(crate) report: &'a Report,
    pub(crate) portrait: &'a Portrait,
}

/// What is known of a figure.
struct Entry {
    /// The name of its files.
    name: &'static str,
    section: Section,
    /// None where the study did not look at it.
    draw: fn(&Findings<'_>) -> Option<Drawing>,
    /// Given whom it shows, where that is one reader.
    caption: fn(&Report, &str) -> String,
}

impl FigureId {
    fn entry(self) -> Entry {
        match self {
            Self::Accuracy => Entry {
                name: "accuracy",
                section: Section::Identification,
                draw: study::accuracy,
                caption: captions::accuracy,
            },
            Self::Seconds => Entry {
                name: "seconds",
                section: Section::Identification,
                draw: study::seconds,
                caption: captions::seconds,
            },
            Self::Errors => Entry {
                name: "errors",
                section: Section::Verification,
                draw: study::errors,
                caption: captions::errors,
            },
            Self::Det => Entry {
                name: "det",
                section: Section::Verification,
                draw: study::det,
                caption: captions::det,
            },
            Self::ErrorsByFraction => Entry {
                name: "errors-by-fraction",
                section: Section::Verification,
                draw: study::errors_by_fraction,
                caption: captions::errors_by_fraction,
            },
            Self::Scores => Entry {
                name: "scores",
                section: Section::Verification,
                draw: study::scores,
                caption: captions::scores,
            },
            Self::Strangers => Entry {
                name: "strangers",
                section: Section::Strangers,
                draw: study::strangers,
                caption: captions::strangers,
            },
            Self::Robustness => Entry {
                name: "robustness",
                section: Section::Robustness,
                draw: study::robustness,
                caption: captions::robustness,
            },
            Self::Densities => Entry {
                name: "densities",
                section: Section::Readers,
                draw: study::densities,
                caption: captions::densities,
            },
            Self::Calibration => Entry {
                name: "calibration",
                section: Section::Readers,
                draw: study::calibration,
                caption: captions::calibration,
            },
            Self::Scanpath => Entry {
                name: "scanpath",
                section: Section::Readers,
                draw: study::scanpath,
                caption: captions::scanpath,
            },
        }
    }

    /// The name of its files, without an ending.
    pub fn name(self) -> &'static str {
        self.entry().name
    }

    /// What is plotted, over what, with which uncertainty, and who is shown where it is one reader.
    pub fn caption(self, drawing: &Drawing, report: &Report) -> String {
        (self.entry().caption)(report, drawing.subject.as_deref().unwrap_or("One reader"))
    }

    /// None where the study did not look at it.
    pub(crate) fn draw(self, findings: &Findings<'_>) -> Option<Drawing> {
        (self.entry().draw)(findings)
    }

    pub(crate) fn section(self) -> Section {
        self.entry().section
    }
}

/// The figures of a study. What it did not look at has none.
pub fn figures(study: &Study, report: &Report, portrait: &Portrait) -> Vec<(FigureId, Drawing)> {
    drawn(&Findings { study, report, portrait }, |_| true)
}

/// Those of one reader.
pub fn figures_of_reader(
    study: &Study,
    report: &Report,
    portrait: &Portrait,
) -> Vec<(FigureId, Drawing)> {
    drawn(&Findings { study, report, portrait }, |id| id.section() == Section::Readers)
}

fn drawn(findings: &Findings<'_>, wanted: fn(FigureId) -> bool) -> Vec<(FigureId, Drawing)> {
    let ids = FigureId::ALL.iter().copied().filter(|id| wanted(*id));
    ids.filter_map(|id| Some((id, id.draw(findings)?))).collect()
}
