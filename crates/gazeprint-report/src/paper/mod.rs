//! The tables and figures of the paper, in its numbering and layout, from a study of its methods.
//!
//! | module | does |
//! |---|---|
//! | [`facts`] | holds what the paper reports |
//! | `captions` | captions of the figures |
//!
//! A table or figure is one entry in [`Exhibit`]. `docs/paper.md` has them all, with what the paper
//! shows and why ours differ.

mod captions;
pub mod facts;

use std::fmt::Write as _;

use gazeprint_eval::portrait::Portrait;
use gazeprint_eval::report::Report;
use gazeprint_eval::study::Study;

use self::facts::PAPER;
use crate::figure::{self, Drawing};
use crate::figures::{FigureId, Findings};
use crate::registry::registry;
use crate::tables::{self, Table, markdown};

/// Everything on one page, with captions.
pub(crate) const PAGE: &str = "paper.md";
/// Endings of a table's files, and of a figure's.
const OF_TABLES: &[&str] = &["md", "tex"];
const OF_FIGURES: &[&str] = &["svg", "pdf", "png", "csv"];
/// Methods of Figure 5: the best of each family. All six, four times each, cannot be told apart.
const OVERLAID: [&str; 3] = ["semiparametric", "landwehr", "holland-unweighted"];

registry! {
    /// A table or figure of the paper.
    pub enum Exhibit {
        /// Accuracy with all test sentences.
        Table1,
        /// Area under false accepts over false rejects.
        Table2,
        /// One reader's amplitudes.
        Figure1,
        /// The graphical model.
        Figure2,
        /// Accuracy over the amount of reading and the number of readers.
        Figure3,
        /// False accepts over false rejects.
        Figure4,
        /// The same for parts of the test sentences.
        Figure5,
    }
}

/// What an exhibit holds.
enum Content {
    Table(Table),
    Figure { drawing: Drawing, caption: String },
}

/// What is known of an exhibit.
struct Entry {
    /// The name of its files.
    name: &'static str,
    /// As the paper refers to it.
    label: &'static str,
    endings: &'static [&'static str],
    /// None where there is nothing to show.
    make: fn(&Findings<'_>) -> Option<Content>,
}

impl Exhibit {
    fn entry(self) -> Entry {
        match self {
            Self::Table1 => Entry {
                name: "table-1",
                label: "Table 1",
                endings: OF_TABLES,
                make: |findings| Some(Content::Table(tables::paper_accuracy(findings.report))),
            },
            Self::Table2 => Entry {
                name: "table-2",
                label: "Table 2",
                endings: OF_TABLES,
                make: |findings| Some(Content::Table(tables::paper_area(findings.report))),
            },
            Self::Figure1 => Entry {
                name: "figure-1",
                label: "Figure 1",
                endings: OF_FIGURES,
                make: |findings| {
                    let densities = &findings.portrait.densities;
                    let is_known = densities.densities.iter().any(|fit| !fit.density.is_duration());
                    let drawing = is_known.then(|| figure::reader_amplitudes(densities))?;
                    let caption = captions::amplitudes(&drawing);
                    Some(Content::Figure { drawing, caption })
                },
            },
            Self::Figure2 => Entry {
                name: "figure-2",
                label: "Figure 2",
                endings: OF_FIGURES,
                make: |_| {
                    let caption = captions::MODEL.to_owned();
                    Some(Content::Figure { drawing: figure::graphical_model(), caption })
                },
            },
            Self::Figure3 => Entry {
                name: "figure-3",
                label: "Figure 3",
                endings: OF_FIGURES,
                make: |findings| of_study(FigureId::Accuracy, findings),
            },
            Self::Figure4 => Entry {
                name: "figure-4",
                label: "Figure 4",
                endings: OF_FIGURES,
                make: |findings| of_study(FigureId::Errors, findings),
            },
            Self::Figure5 => Entry {
                name: "figure-5",
                label: "Figure 5",
                endings: OF_FIGURES,
                make: |findings| {
                    let mut parts = findings.errors_by_fraction();
                    for part in &mut parts {
                        part.curves.retain(|curve| OVERLAID.contains(&curve.method.as_str()));
                    }
                    let drawing = figure::error_curves_overlaid(&parts);
                    let caption = captions::errors_overlaid(&parts);
                    Some(Content::Figure { drawing, caption })
                },
            },
        }
    }

    /// As the paper refers to it: "Table 1".
    pub fn label(self) -> &'static str {
        self.entry().label
    }

    /// Its files.
    pub fn files(self) -> impl Iterator<Item = String> {
        let Entry { name, endings, .. } = self.entry();
        endings.iter().map(move |ending| format!("{name}.{ending}"))
    }
}

/// A figure that every study has.
fn of_study(id: FigureId, findings: &Findings<'_>) -> Option<Content> {
    let drawing = id.draw(findings)?;
    let caption = id.caption(&drawing, findings.report);
    Some(Content::Figure { drawing, caption })
}

/// The names of all files that there may be.
pub(crate) fn names() -> impl Iterator<Item = String> {
    Exhibit::ALL.iter().flat_map(|exhibit| exhibit.files()).chain([PAGE.to_owned()])
}

/// All files of a study of the paper's methods: names and contents.
pub(crate) fn files(study: &Study, report: &Report, portrait: &Portrait) -> Vec<(String, Vec<u8>)> {
    let findings = Findings { study, report, portrait };
    let mut page = introduction(report);
    let mut files = Vec::new();
    for exhibit in Exhibit::ALL {
        let Entry { name, label, make, .. } = exhibit.entry();
        let mut put =
            |ending: &str, bytes: Vec<u8>| files.push((format!("{name}.{ending}"), bytes));
        match make(&findings) {
            Some(Content::Table(table)) => {
                let text = markdown::table(label, &table);
                page.push_str(&text);
                put("md", text.trim_start().as_bytes().to_vec());
                put("tex", tables::latex_of(report, name, &table).into_bytes());
            }
            Some(Content::Figure { drawing, caption }) => {
                let caption = markdown::escape(&caption);
                let _ = write!(page, "\n**{label}.** {caption}\n\n![{label}]({name}.svg)\n");
                put("svg", drawing.svg_file().into_bytes());
                put("pdf", drawing.pdf());
                put("png", drawing.png());
                put("csv", drawing.csv.into_bytes());
            }
            None => {}
        }
    }
    files.push((PAGE.to_owned(), page.into_bytes()));
    files
}

fn introduction(report: &Report) -> String {
    let setting = markdown::escape(&tables::setting(report));
    format!(
        "# The tables and figures of the paper\n\nNumbered as in {PAPER}, whose numbers stand beside those \
         of this study.\n\n{setting}\n"
    )
}
