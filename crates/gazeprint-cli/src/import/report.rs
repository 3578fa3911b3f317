//! What `import` says it did: `import.json`, and a table for people.

use std::fmt::{self, Write};
use std::path::Path;

use anyhow::bail;
use gazeprint::corpus::Limits;
use gazeprint_eval::summary::{Summary, Warning};
use gazeprint_io::import::{DropCount, ImportReport, Imported, InputReport, by_kind};
use gazeprint_report::number::grouped;
use serde::Serialize;

use crate::inspect::{plural, spoken, unlike_reading, visible, wrapped};

/// Width of the column of labels.
const LABEL: usize = 34;

/// What is written to `import.json`.
#[derive(Serialize)]
pub(super) struct ImportSummary {
    #[serde(flatten)]
    import: ImportReport,
    /// Rates of reading, as `inspect` has them.
    summary: Option<Summary>,
    warnings: Vec<String>,
    /// Whether fixations without words have places in degrees, and are a corpus all the same.
    #[serde(skip)]
    has_places: bool,
}

impl ImportSummary {
    /// The report with rates and warnings.
    pub(super) fn new(import: ImportReport, imported: &Imported) -> Self {
        let lost = || import.dropped.iter().filter(|drop| drop.is_loss);
        let mut warnings = Vec::new();
        if lost().next().is_some() {
            let rows = plural(size(lost().map(|drop| drop.rows).sum()), "row");
            warnings
                .push(format!("{rows} of {} dropped; see the reasons", count(import.rows_read)));
        }
        warnings.extend(by_kind(&import.warnings));
        let summary = match imported {
            Imported::Corpus(corpus) => Some(Summary::of(corpus, Limits::default())),
            Imported::Fixations(_) => None,
        };
        if summary.is_none() && import.words_kept > 0 {
            warnings.push(
                "the words are in characters and the fixations in pixels, so nothing can be scored; \
                 give the places of words in pixels with --words, or the text and its font with \
                 --text"
                    .to_owned(),
            );
        }
        warnings.extend(summary.iter().flat_map(|summary| Warning::messages(&summary.warnings)));
        if let Imported::Fixations(readings) = imported {
            let screen = |file: usize| import.files.get(file).and_then(|file| file.screen_px);
            warnings.extend(Warning::messages(&unlike_reading(readings, &screen)));
        }
        let has_places = match imported {
            Imported::Corpus(_) => false,
            Imported::Fixations(readings) => {
                readings.iter().flat_map(|r| &r.fixations).any(|f| f.place.is_some())
            }
        };
        Self { import, summary, warnings, has_places }
    }

    /// Fails where there are warnings.
    pub(super) fn refuse_warnings(&self) -> anyhow::Result<()> {
        if self.warnings.is_empty() {
            return Ok(());
        }
        let mut message =
            "nothing was written, since --strict turns warnings into errors:".to_owned();
        for warning in &self.warnings {
            write!(message, "\n  {warning}")?;
        }
        for drop in &self.import.dropped {
            for example in drop.examples.iter().take(1) {
                let content = visible(&example.content);
                write!(message, "\n  {}: row {}: {content}", spoken(drop.reason), example.row)?;
            }
        }
        bail!(message)
    }

    /// The report for people.
    pub(super) fn table(&self, out: &Path) -> Result<String, fmt::Error> {
        let import = &self.import;
        let mut text = String::new();
        writeln!(
            text,
            "{}: {}, {}, {}, {}",
            out.display(),
            plural(import.readers, "reader"),
            plural(import.texts, "text"),
            plural(size(import.fixations_kept), "fixation"),
            plural(size(import.words_kept), "word"),
        )?;
        files(&mut text, &import.files)?;
        decisions(&mut text, import);
        rows(&mut text, import)?;
        if let Some(summary) = &self.summary {
            rates(&mut text, summary)?;
        }
        if !import.has_words && import.words_kept == 0 {
            text.push('\n');
            text.push_str(&wrapped(match self.has_places {
                true => {
                    "There are no words: how readers go over words cannot be told, how their eyes move \
                     can. Give words with --words or --text."
                }
                false => {
                    "There are no words, so nothing can be scored; give them with --words or --text."
                }
            }));
        }
        if !self.warnings.is_empty() {
            text.push('\n');
        }
        for warning in &self.warnings {
            text.push_str(&wrapped(&format!("warning: {warning}")));
        }
        Ok(text)
    }
}

/// A number of rows, as far as memory goes.
fn size(rows: u64) -> usize {
    usize::try_from(rows).unwrap_or(usize::MAX)
}

fn count(rows: u64) -> String {
    grouped(size(rows))
}

/// What each file was read as. Files of one kind are described once.
fn files(text: &mut String, files: &[InputReport]) -> fmt::Result {
    let mut before: Option<&InputReport> = None;
    for file in files {
        let is_alike = |before: &InputReport| {
            (&before.mapping, before.format, &before.ignored)
                == (&file.mapping, file.format, &file.ignored)
        };
        let called = format!("{} ({} rows)", visible(&file.path), count(file.rows));
        if before.replace(file).is_some_and(is_alike) {
            writeln!(text, "{called}, format and columns as before")?;
            continue;
        }
        writeln!(text, "\n{called}")?;
        let reason = visible(&file.format_reason.to_string());
        writeln!(text, "  {:<12}{} ({reason})", "format", file.format)?;
        for mapped in &file.mapping.0 {
            let (role, column) = (mapped.role.name(), visible(&mapped.column));
            writeln!(text, "  {role:<12}{column} ({})", visible(&mapped.reason.to_string()))?;
        }
        if !file.ignored.is_empty() {
            let ignored = visible(&file.ignored.join(", "));
            text.push_str(&wrapped(&format!("  {:<12}{ignored}", "ignored")));
        }
    }
    Ok(())
}

/// What was decided, by kind; `import.json` has it for each file.
fn decisions(text: &mut String, import: &ImportReport) {
    text.push_str("\ndecided\n");
    for decision in by_kind(&import.decisions) {
        text.push_str(&wrapped(&format!("  {}", visible(&decision))));
    }
}

/// Where all rows went.
fn rows(text: &mut String, import: &ImportReport) -> fmt::Result {
    writeln!(text, "\nrows\n  {:<LABEL$}{:>10}", "read", count(import.rows_read))?;
    for (label, rows, is_shown) in [
        ("words told again", import.words_repeated, import.words_repeated > 0),
        ("kept, fixations", import.fixations_kept, true),
        ("kept, words", import.words_kept, import.words_kept > 0),
    ] {
        if is_shown {
            writeln!(text, "  {label:<LABEL$}{:>10}", count(rows))?;
        }
    }
    import.dropped.iter().try_for_each(|drop| dropped(text, drop, &import.files))
}

fn dropped(text: &mut String, drop: &DropCount, files: &[InputReport]) -> fmt::Result {
    let how = if drop.is_loss { "dropped" } else { "left out" };
    let label = format!("{how}, {}", spoken(drop.reason));
    writeln!(text, "  {label:<LABEL$}{:>10}", count(drop.rows))?;
    for example in &drop.examples {
        let file = files.get(example.file).map_or("", |file| file.path.as_str());
        let content = visible(&example.content);
        writeln!(text, "    {}, row {}: {content}", visible(file), example.row)?;
    }
    Ok(())
}

/// How people read, as far as that tells whether the import is right.
fn rates(text: &mut String, summary: &Summary) -> fmt::Result {
    text.push_str("\nreading\n");
    for kind in &summary.types {
        writeln!(text, "  {:<LABEL$}{:>8.1} %", spoken(kind.name), 100.0 * kind.share)?;
    }
    if let Some(forward) = summary.forward_amplitude {
        writeln!(text, "  {:<LABEL$}{:>8.1}", "mean amplitude, characters", forward.mean)?;
    }
    if let Some(duration) = summary.duration {
        writeln!(text, "  {:<LABEL$}{:>8.0}", "mean duration, ms", duration.mean)?;
    }
    Ok(())
}
