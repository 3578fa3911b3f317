//! `gazeprint import`: a recording as other tools write it, made into a corpus.

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use gazeprint::corpus::Limits;
use gazeprint_eval::summary::{Summary, Warning};
use gazeprint_eval::tables::grouped;
use gazeprint_io::WriteError;
use gazeprint_io::import::{
    Choice, Format, ImportReport, Imported, Request, check_out, import, write_imported,
};
use indicatif::{ProgressBar, ProgressStyle};

use crate::inspect::{plural, spoken, visible, wrapped};
use crate::print;

/// Decisions that the table shows; `import.json` has them all.
const DECISIONS: usize = 30;

/// Bring a recording in: read what other tools write, and make a corpus of it.
///
/// Columns are found by the names that common tools give them. What was decided is shown, with the
/// reason; every row that is dropped is counted, with examples. The same is written to import.json.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint import fixations.csv --words words.csv --out my-corpus
  gazeprint import reader1.tsv reader2.tsv.gz --words words.csv --out my-corpus
  gazeprint import report.txt --map reader=VP --map x_px=POS --out my-corpus
  gazeprint inspect my-corpus

Tables may be CSV, TSV or separated by semicolons, in UTF-8, UTF-16 or Windows-1252, with decimal
points or commas, packed with gzip or not. Missing values are empty, `.`, NA, NaN or UNDEFINEDnull.
Parquet and Arrow IPC (.arrow, .feather) are read by builds with --features columnar.

Roles for --map: reader, text, session, trial, index, x, y, line, duration, onset, gap, eye, kind;
of words also word, label, start, end, left, right, top, bottom. x_px, x_char, duration_s,
duration_ms, onset_s and onset_ms say the unit as well.

Without --words, the corpus has fixations only: it can be inspected, but not scored.

Exit codes: 0 done, 1 failed, 2 wrong usage.")]
pub(crate) struct Args {
    /// Files of fixations
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Format of the inputs [default: guessed by content]
    #[arg(long, value_name = "F", value_parser = format)]
    format: Option<Format>,
    /// Table of the words and their places
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// Table of trials: order of reading, groups of texts
    #[arg(long, value_name = "FILE")]
    trials: Option<PathBuf>,
    /// The column for a role, where the guess is wrong; may be repeated
    #[arg(long, value_name = "ROLE=COLUMN", value_parser = Choice::parse)]
    map: Vec<Choice>,
    /// Fail where a row was dropped or something does not look like reading
    #[arg(long)]
    strict: bool,
    /// Replace a corpus that is there already
    #[arg(long)]
    overwrite: bool,
    /// Print import.json instead of a table
    #[arg(long)]
    json: bool,
    /// Corpus folder to write
    #[arg(long, value_name = "CORPUS")]
    out: PathBuf,
}

fn format(name: &str) -> Result<Format, String> {
    Format::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
        format!("there is no such format; formats are {}", Format::ALL.map(Format::name).join(", "))
    })
}

/// What is written to `import.json`.
#[derive(serde::Serialize)]
struct Report {
    #[serde(flatten)]
    import: ImportReport,
    /// Rates of reading, as `inspect` has them.
    summary: Option<Summary>,
    warnings: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    check_out(&args.out, args.overwrite).map_err(explain)?;
    let request = Request {
        inputs: args.inputs.clone(),
        words: args.words.clone(),
        trials: args.trials.clone(),
        format: args.format,
        choices: args.map.clone(),
    };
    let name = args.out.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bar = bar(&request)?;
    let open = |path: &Path| -> std::io::Result<Box<dyn Read>> {
        Ok(Box::new(bar.wrap_read(File::open(path)?)))
    };
    let result = import(&request, &name, None, &open);
    bar.finish_and_clear();
    let (imported, report) = result?;
    let report = complete(report, &imported);
    if args.strict {
        refuse(&report)?;
    }
    write_imported(&imported, &args.out, args.overwrite).map_err(explain)?;
    let json = serde_json::to_string_pretty(&report)? + "\n";
    let file = args.out.join("import.json");
    std::fs::write(&file, &json)
        .with_context(|| format!("{} cannot be written", file.display()))?;
    print(&if args.json { json } else { table(&report, &args.out)? })
}

/// A bar of the bytes read, on a terminal.
fn bar(request: &Request) -> anyhow::Result<ProgressBar> {
    let files = request.inputs.iter().chain(&request.words).chain(&request.trials);
    // A file that is not there is reported when it is opened.
    let bytes = files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum();
    let bar = ProgressBar::new(bytes);
    let template = "reading [{bar:30}] {bytes} of {total_bytes} {eta} left";
    bar.set_style(ProgressStyle::with_template(template)?.progress_chars("=> "));
    Ok(bar)
}

/// The report with rates and warnings.
fn complete(import: ImportReport, imported: &Imported) -> Report {
    let mut warnings = Vec::new();
    if !import.dropped.is_empty() {
        let rows: u64 = import.dropped.iter().map(|drop| drop.rows).sum();
        let all = grouped(usize::try_from(import.rows_read).unwrap_or(usize::MAX));
        let dropped = plural(usize::try_from(rows).unwrap_or(usize::MAX), "row");
        warnings.push(format!("{dropped} of {all} dropped; see the reasons"));
    }
    let summary = match imported {
        Imported::Corpus(corpus) => Some(Summary::of(corpus, Limits::default())),
        Imported::Fixations(_) => {
            warnings.push(
                "there are no words, so nothing can be scored; give them with --words".to_owned(),
            );
            None
        }
    };
    warnings.extend(summary.iter().flat_map(|summary| Warning::messages(&summary.warnings)));
    Report { import, summary, warnings }
}

/// Fails where there are warnings.
fn refuse(report: &Report) -> anyhow::Result<()> {
    if report.warnings.is_empty() {
        return Ok(());
    }
    let mut message = "nothing was written, since --strict turns warnings into errors:".to_owned();
    for warning in &report.warnings {
        write!(message, "\n  {warning}")?;
    }
    for drop in &report.import.dropped {
        for example in drop.examples.iter().take(1) {
            let content = visible(&example.content);
            write!(message, "\n  {}: row {}: {content}", spoken(drop.reason), example.row)?;
        }
    }
    bail!(message)
}

fn explain(error: WriteError) -> anyhow::Error {
    match error {
        WriteError::Exists { file } => anyhow!(
            "{} exists already; choose another folder, or add --overwrite to replace it",
            file.display()
        ),
        error => error.into(),
    }
}

/// The report for people.
fn table(report: &Report, out: &Path) -> Result<String, std::fmt::Error> {
    let Report { import, summary, warnings } = report;
    let count = |rows: u64| grouped(usize::try_from(rows).unwrap_or(usize::MAX));
    let mut text = String::new();
    writeln!(
        text,
        "{}: {}, {}, {} fixations, {} words",
        out.display(),
        plural(import.readers, "reader"),
        plural(import.texts, "text"),
        count(import.fixations_kept),
        count(import.words_kept),
    )?;
    for (i, file) in import.files.iter().enumerate() {
        writeln!(text, "\n{} ({} rows)", visible(&file.path), count(file.rows))?;
        let before = i.checked_sub(1).map(|before| &import.files[before]);
        if before
            .is_some_and(|before| (&before.mapping, before.format) == (&file.mapping, file.format))
        {
            text.push_str("  format and columns as before\n");
            continue;
        }
        writeln!(text, "  {:<10}{}: {}", "format", file.format, file.format_reason)?;
        for mapped in &file.mapping.0 {
            let (role, column) = (mapped.role.name(), visible(&mapped.column));
            let chosen = if mapped.is_chosen() { " (chosen with --map)" } else { "" };
            writeln!(text, "  {role:<10}{column}{chosen}")?;
        }
    }
    text.push_str("\ndecided\n");
    for decision in import.decisions.iter().take(DECISIONS) {
        text.push_str(&wrapped(&format!("  {}", visible(decision))));
    }
    if let Some(more) = import.decisions.len().checked_sub(DECISIONS + 1) {
        writeln!(text, "  and {} more (import.json has them all)", grouped(more + 1))?;
    }
    writeln!(text, "\nrows\n  {:<34}{:>10}", "read", count(import.rows_read))?;
    if import.words_repeated > 0 {
        writeln!(text, "  {:<34}{:>10}", "words told again", count(import.words_repeated))?;
    }
    for drop in &import.dropped {
        let label = format!("dropped, {}", spoken(drop.reason));
        writeln!(text, "  {label:<34}{:>10}", count(drop.rows))?;
        for example in &drop.examples {
            let file = import.files.get(example.file).map_or("", |file| file.path.as_str());
            let content = visible(&example.content);
            writeln!(text, "    {}, row {}: {content}", visible(file), example.row)?;
        }
    }
    if let Some(summary) = summary {
        text.push_str("\nreading\n");
        for kind in &summary.types {
            writeln!(text, "  {:<34}{:>8.1} %", spoken(kind.name), 100.0 * kind.share)?;
        }
        if let Some(forward) = summary.forward_amplitude {
            let label = "mean amplitude, characters";
            writeln!(text, "  {label:<34}{:>8.1}", forward.mean)?;
        }
        if let Some(duration) = summary.duration {
            writeln!(text, "  {:<34}{:>8.0}", "mean duration, ms", duration.mean)?;
        }
    }
    if !warnings.is_empty() {
        text.push('\n');
    }
    for warning in warnings {
        text.push_str(&wrapped(&format!("warning: {warning}")));
    }
    Ok(text)
}
