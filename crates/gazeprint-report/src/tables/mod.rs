//! The tables of a report, for people (Markdown), for papers (LaTeX) and for the page (HTML).
//!
//! A table is made once, as `Table`, with all its numbers set in Unicode. The three writers know
//! nothing of the report: they turn signs into those of their format, and escape the rest.
//!
//! | module | does |
//! |---|---|
//! | `identification` | accuracy, ranks, differences between methods |
//! | `verification` | errors of verification, operating points, thresholds |
//! | `attacks` | acceptance of attacks, liveness |
//! | `strangers` | readers and strangers who are named, by amount of reading |
//! | `watch` | seconds to decide, and to notice a swap |
//! | `robustness` | accuracy on worse recordings |
//! | `computing` | constants, diagnostics, times |
//! | `traits` | traits of one reader, for the page |
//! | `paper` | the tables of the paper, with its numbers |
//! | `table` | a table, whatever it is written as |
//! | `markdown`, `latex`, `html` | the writers |

mod attacks;
mod computing;
pub(crate) mod html;
mod identification;
mod latex;
pub(crate) mod markdown;
mod paper;
mod robustness;
mod strangers;
mod table;
pub(crate) mod traits;
mod verification;
mod watch;

use std::collections::BTreeSet;

use gazeprint_eval::report::{MethodFindings, ProbesOfSize, Report};

pub use self::attacks::attack_words;
pub(crate) use self::paper::{accuracy as paper_accuracy, area as paper_area};
pub(crate) use self::table::Table;
use self::table::{Cell, Mark};
pub(crate) use self::verification::fewest_claims;
use crate::number;
use crate::page::Section;
use crate::registry::registry;

/// `tables.md`: all tables of a report in Markdown, with the tables of GitHub.
pub fn markdown(report: &Report) -> String {
    markdown::write(&setting(report), &all(report))
}

/// `tables.tex`: the tables of a report in LaTeX, to be `\input` into a paper that uses the packages
/// `booktabs` and `graphicx`, in one column or two. Labels are `tab:gazeprint-accuracy` and so on.
/// Tables longer than a page are left out; a comment says so.
pub fn latex(report: &Report) -> String {
    let tables = all(report);
    latex::write(&setting(report), tables.iter().map(|(id, table)| (id.name(), table)))
}

/// A file of LaTeX with one table, whose label ends with `name`.
pub(crate) fn latex_of(report: &Report, name: &str, table: &Table) -> String {
    latex::write(&setting(report), [(name, table)])
}

registry! {
    /// A table of a report. A new one is a variant and its entry.
    pub(crate) enum TableId {
        Accuracy,
        Ranks,
        Paired,
        PairedBySentences,
        Verification,
        OperatingPoints,
        BySentences,
        Thresholds,
        Strangers,
        StrangersBySeconds,
        Attacks,
        AttacksBySentences,
        Liveness,
        Watch,
        Robustness,
        Constants,
        Diagnostics,
        Times,
    }
}

/// What is known of a table.
struct Entry {
    /// Its name in labels and links.
    name: &'static str,
    section: Section,
    /// A table without rows is not shown.
    build: fn(&Report) -> Table,
    /// Long, and of use to few: the page folds it.
    folded: bool,
}

impl TableId {
    fn entry(self) -> Entry {
        let (name, section, build): (_, _, fn(&Report) -> Table) = match self {
            Self::Accuracy => ("accuracy", Section::Identification, identification::accuracy),
            Self::Ranks => ("ranks", Section::Identification, identification::ranks),
            Self::Paired => ("paired", Section::Identification, identification::paired),
            Self::PairedBySentences => {
                let build = identification::paired_by_sentences;
                ("paired-by-sentences", Section::Identification, build)
            }
            Self::Verification => ("verification", Section::Verification, verification::errors),
            Self::OperatingPoints => {
                ("operating-points", Section::Verification, verification::operating_points)
            }
            Self::BySentences => {
                ("by-sentences", Section::Verification, verification::by_sentences)
            }
            Self::Thresholds => ("thresholds", Section::Verification, verification::thresholds),
            Self::Strangers => ("strangers", Section::Strangers, strangers::rates),
            Self::StrangersBySeconds => {
                ("strangers-by-seconds", Section::Strangers, strangers::by_seconds)
            }
            Self::Attacks => ("attacks", Section::Attacks, attacks::acceptance),
            Self::AttacksBySentences => {
                ("attacks-by-sentences", Section::Attacks, attacks::by_sentences)
            }
            Self::Liveness => ("liveness", Section::Attacks, attacks::liveness),
            Self::Watch => ("watch", Section::Watch, watch::watches),
            Self::Robustness => ("robustness", Section::Robustness, robustness::accuracy),
            Self::Constants => ("constants", Section::Computing, computing::constants),
            Self::Diagnostics => ("diagnostics", Section::Computing, computing::diagnostics),
            Self::Times => ("times", Section::Reproduce, computing::times),
        };
        let folded = match self {
            Self::PairedBySentences
            | Self::Thresholds
            | Self::StrangersBySeconds
            | Self::AttacksBySentences
            | Self::Diagnostics => true,
            Self::Accuracy
            | Self::Ranks
            | Self::Paired
            | Self::Verification
            | Self::OperatingPoints
            | Self::BySentences
            | Self::Attacks
            | Self::Strangers
            | Self::Liveness
            | Self::Watch
            | Self::Robustness
            | Self::Constants
            | Self::Times => false,
        };
        Entry { name, section, build, folded }
    }

    /// Its name in labels and links.
    fn name(self) -> &'static str {
        self.entry().name
    }
}

/// Every table that has a row, in the order of a paper.
fn all(report: &Report) -> Vec<(TableId, Table)> {
    filled(report, TableId::ALL.iter().copied())
}

/// Those of a section of the page.
pub(crate) fn of_section(report: &Report, section: Section) -> Vec<(TableId, Table)> {
    filled(report, TableId::ALL.iter().copied().filter(|id| id.entry().section == section))
}

fn filled(report: &Report, ids: impl Iterator<Item = TableId>) -> Vec<(TableId, Table)> {
    ids.map(|id| (id, (id.entry().build)(report)))
        .filter(|(_, table)| !table.rows.is_empty())
        .collect()
}

/// What captions and headings say of the corpus and the protocol.
pub(crate) fn setting(report: &Report) -> String {
    let (corpus, protocol) = (&report.corpus, &report.protocol);
    let part = match protocol.train_fraction {
        Some(part) => format!(", {} of the texts train", number::percent(part)),
        None => String::new(),
    };
    format!(
        "Corpus {}: {}, {}. Protocol: {} {}{part}; seed {}.",
        corpus.name,
        number::plural(corpus.readers, "reader"),
        number::plural(corpus.texts, "text"),
        protocol.splits,
        match (protocol.split.as_str(), protocol.splits) {
            ("file", 1) => "split given by a file".to_owned(),
            ("file", _) => "splits given by a file".to_owned(),
            (kind, 1) => format!("{kind} split"),
            (kind, _) => format!("{kind} splits"),
        },
        protocol.seed
    )
}

/// How many readers there are to choose from: those of a split, as a range where splits differ.
pub(crate) fn readers(report: &Report) -> String {
    let counts = &report.protocol.readers_by_split;
    match (counts.iter().min(), counts.iter().max()) {
        (Some(&least), Some(&most)) if least < most => {
            format!("{} to {}", number::grouped(least), number::plural(most, "reader"))
        }
        (_, most) => number::plural(most.copied().unwrap_or(report.corpus.readers), "reader"),
    }
}

/// Sizes of probes that any method was tried with.
fn sizes(report: &Report) -> Vec<usize> {
    let sizes: BTreeSet<usize> =
        report.methods.iter().flat_map(|m| &m.by_sentences).map(|s| s.sentences).collect();
    sizes.into_iter().collect()
}

/// Probes of one size; none where no reader has that many test sentences.
pub(crate) fn probes_of(method: &MethodFindings, size: usize) -> Option<&ProbesOfSize> {
    method.by_sentences.iter().find(|s| s.sentences == size && s.shorter_probes < s.probes)
}

/// What numbers of a single split lack, and of several have.
fn note_on_errors(report: &Report) -> &'static str {
    if report.protocol.splits > 1 {
        "± is the standard error over splits, brackets the 95\u{a0}% bootstrap interval over readers."
    } else {
        "Brackets are the 95\u{a0}% bootstrap interval over readers; a single split has no standard error."
    }
}
