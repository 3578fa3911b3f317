//! `gazeprint inspect`: what is in a corpus, and what looks wrong with it; what is in a population.

mod population;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use gazeprint::corpus::{DropReason, Limits, Millis};
use gazeprint_eval::summary::{
    Distribution, MIN_FIXATIONS, MIN_SACCADES, MIN_TEXTS, Summary, Warning,
};
use gazeprint_io::PopulationError;
use gazeprint_io::import::WithoutWords;
use gazeprint_report::number::grouped;
use unicode_width::UnicodeWidthStr;

pub(crate) use self::population::json as population_json;
use crate::{Usage, corpus_or_default, print};

/// Readers with too little data that the table names; JSON names them all.
const NAMED: usize = 10;
/// Width of the first column of quantiles.
const LABEL: usize = 25;
/// Width of the first column of counts, which holds reasons and limits.
const COUNT_LABEL: usize = 34;
/// Where lines of words are broken.
const WIDTH: usize = 80;

/// Show what is in a corpus, and what looks wrong with it; or what is in a population.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint inspect                 the built-in simulated corpus
  gazeprint inspect my-corpus
  gazeprint inspect my-corpus --json
  gazeprint inspect people.json     what `gazeprint population` learned")]
pub(crate) struct Args {
    /// Corpus folder, or file of a population [default: the built-in simulated corpus]
    #[arg(value_name = "CORPUS|POPULATION")]
    corpus: Option<PathBuf>,
    /// Shortest duration of a fixation that counts, ms [default: 50]
    #[arg(long, value_name = "MS")]
    min_duration: Option<f64>,
    /// Longest duration of a fixation that counts, ms [default: 1500]
    #[arg(long, value_name = "MS")]
    max_duration: Option<f64>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What is printed as JSON.
#[derive(serde::Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    notes: &'a [String],
}

impl Args {
    fn shortest(&self) -> f64 {
        self.min_duration.unwrap_or(50.0)
    }

    fn longest(&self) -> f64 {
        self.max_duration.unwrap_or(1500.0)
    }
}

/// A corpus is a folder, so any file is taken for a population.
fn inspect_population(file: &Path, args: &Args) -> anyhow::Result<()> {
    let limits = [("--min-duration", args.min_duration), ("--max-duration", args.max_duration)];
    if let Some((option, _)) = limits.iter().find(|(_, limit)| limit.is_some()) {
        let why = "its fixations were chosen when it was learned";
        return Err(Usage(format!("{option} does nothing with a population: {why}")).into());
    }
    let stored = gazeprint_io::read_population(file).map_err(|error| match error {
        error @ PopulationError::NotAPopulation { .. } => {
            anyhow::anyhow!("{error}, or the folder of a corpus")
        }
        error => error.into(),
    })?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    print(&if args.json { population_json(&stored)? } else { population::table(&name, &stored)? })
}

/// What is in a recording without words, and what it lacks.
fn inspect_without_words(
    folder: &Path,
    recording: &WithoutWords,
    args: &Args,
) -> anyhow::Result<()> {
    let unit = if recording.in_pixels { "pixels (x_px, y_px)" } else { "characters (x_char)" };
    let missing = [
        "words.csv: which words the texts have, and where",
        "x_char: positions in characters, which follow from pixels and words",
    ];
    let missing = if recording.in_pixels { &missing[..] } else { &missing[..1] };
    if args.json {
        let value = serde_json::json!({
            "recording": recording, "has_words": false, "missing": missing,
        });
        return print(&(serde_json::to_string_pretty(&value)? + "\n"));
    }
    let mut out = String::new();
    writeln!(
        out,
        "{}: {}, {}, {}, {}",
        visible(&folder.display().to_string()),
        plural(recording.readers, "reader"),
        plural(recording.texts, "text"),
        plural(recording.readings, "reading"),
        plural(recording.fixations, "fixation"),
    )?;
    writeln!(out, "  positions in {unit}, {} missing", grouped(recording.without_position))?;
    if let Some(mean) = recording.mean_duration_ms {
        let missing = grouped(recording.without_duration);
        writeln!(out, "  mean duration {mean:.0} ms, {missing} missing")?;
    }
    writeln!(out, "\nmissing, so that nothing can be scored:")?;
    for what in missing {
        writeln!(out, "  {what}")?;
    }
    out.push_str(&wrapped("Import the recording again with --words FILE."));
    print(&out)
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(file) = args.corpus.as_deref().filter(|path| path.is_file()) {
        return inspect_population(file, &args);
    }
    if let Some(folder) = &args.corpus
        && let Ok(Some(recording)) = WithoutWords::read(folder)
    {
        return inspect_without_words(folder, &recording, &args);
    }
    let limits = Limits::new(Millis(args.shortest()), Millis(args.longest()))
        .map_err(|error| Usage(error.to_string()))?;
    let (corpus, notes) = corpus_or_default(args.corpus.as_deref())?;
    let summary = Summary::of(&corpus, limits);
    let mut messages = notes.messages();
    if notes.in_row_order && summary.has_odd_rates() {
        messages.push(
            "rates are odd and there is no fix_index; are rows in the order of reading?".to_owned(),
        );
    }
    let text = if args.json {
        serde_json::to_string_pretty(&Report { summary: &summary, notes: &messages })? + "\n"
    } else {
        table(&summary, &args, &messages)?
    };
    print(&text)
}

/// The summary as a table for people.
fn table(s: &Summary, args: &Args, notes: &[String]) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(
        out,
        "{}: {}, {} ({}), {}, {}, {}",
        visible(&s.name),
        plural(s.readers, "reader"),
        plural(s.texts, "text"),
        plural(s.lines, "line"),
        plural(s.sessions, "session"),
        plural(s.readings, "reading"),
        if s.passes == 1 { "1 pass".to_owned() } else { format!("{} passes", grouped(s.passes)) },
    )?;
    out.push_str(&wrapped(
        "A reading: one reader's fixations on one text in one session and trial. \
         A pass: those in a row on one line.",
    ));
    out.push('\n');
    fixations(&mut out, s, args)?;
    if s.fixations_kept == 0 {
        writeln!(out, "No fixation counts, so there is nothing else to show.")?;
    } else {
        types(&mut out, s)?;
        distributions(&mut out, s)?;
        sparse(&mut out, s)?;
    }
    let warnings = Warning::messages(&s.warnings);
    if !notes.is_empty() || !warnings.is_empty() {
        out.push('\n');
    }
    for note in notes {
        out.push_str(&wrapped(&format!("note: {note}")));
    }
    for warning in &warnings {
        out.push_str(&wrapped(&format!("warning: {warning}")));
    }
    Ok(out)
}

/// How many fixations there are and what was dropped why.
fn fixations(out: &mut String, s: &Summary, args: &Args) -> std::fmt::Result {
    out.push_str("fixations\n");
    let mut line = |label: &str, count: usize| {
        let share = 100.0 * count as f64 / s.fixations_recorded.max(1) as f64;
        writeln!(out, "  {label:<COUNT_LABEL$}{:>10}{share:>9.2} %", grouped(count))
    };
    line("recorded", s.fixations_recorded)?;
    line("kept", s.fixations_kept)?;
    for reason in DropReason::ALL {
        if let Some(&count) = s.dropped.get(reason.name()).filter(|&&count| count > 0) {
            let limit = match reason {
                DropReason::TooShort => format!(" (under {} ms)", args.shortest()),
                DropReason::TooLong => format!(" (over {} ms)", args.longest()),
                _ => String::new(),
            };
            line(&format!("dropped, {}{limit}", spoken(reason.name())), count)?;
        }
    }
    out.push('\n');
    Ok(())
}

/// How often each type of saccade occurs.
fn types(out: &mut String, s: &Summary) -> std::fmt::Result {
    out.push_str("saccades\n");
    for t in &s.types {
        let (label, count) = (spoken(t.name), grouped(t.count));
        writeln!(out, "  {label:<COUNT_LABEL$}{count:>10}{:>9.2} %", 100.0 * t.share)?;
    }
    if !s.has_rates() {
        writeln!(out, "  Fewer than {MIN_SACCADES}: too little to judge these rates.")?;
    }
    out.push('\n');
    Ok(())
}

/// Durations, amplitudes, and how much there is of each reader.
fn distributions(out: &mut String, s: &Summary) -> std::fmt::Result {
    heading(out, "duration, ms")?;
    row(out, "all fixations", s.duration, 0)?;
    row(out, "first of a pass", s.initial_duration, 0)?;
    for t in &s.types {
        row(out, &format!("after {}", spoken(t.name)), t.duration, 0)?;
    }
    out.push('\n');
    heading(out, "amplitude, characters")?;
    row(out, "all forward", s.forward_amplitude, 1)?;
    for t in &s.types {
        row(out, &spoken(t.name), t.amplitude, 1)?;
    }
    out.push('\n');
    heading(out, "x on the line, characters")?;
    row(out, "first of a pass", s.initial_place, 1)?;
    out.push('\n');
    heading(out, "per reader")?;
    row(out, "fixations", s.fixations_per_reader, 0)?;
    row(out, "texts", s.texts_per_reader, 0)?;
    out.push('\n');
    Ok(())
}

/// Readers that no method will recognise.
fn sparse(out: &mut String, s: &Summary) -> std::fmt::Result {
    let limits = format!("fewer than {MIN_TEXTS} texts or {MIN_FIXATIONS} fixations");
    if s.sparse_readers.is_empty() {
        return writeln!(out, "Every reader has enough data (none with {limits}).");
    }
    let (count, all) = (s.sparse_readers.len(), plural(s.readers, "reader"));
    writeln!(out, "Too little data ({limits}): {} of {all}", grouped(count))?;
    for r in s.sparse_readers.iter().take(NAMED) {
        let (texts, fixations) = (plural(r.texts, "text"), plural(r.fixations, "fixation"));
        writeln!(out, "  {} {texts}, {fixations}", fitted(&visible(&r.reader), LABEL - 1))?;
    }
    if count > NAMED {
        writeln!(out, "  and {} more (--json names them all)", grouped(count - NAMED))?;
    }
    Ok(())
}

/// The line above rows of quantiles.
fn heading(out: &mut String, name: &str) -> std::fmt::Result {
    write!(out, "{name:<width$}{:>10}", "n", width = LABEL + 2)?;
    for column in ["mean", "p5", "p25", "median", "p75", "p95"] {
        write!(out, " {column:>6}")?;
    }
    out.push('\n');
    Ok(())
}

/// One line of quantiles.
fn row(
    out: &mut String,
    label: &str,
    distribution: Option<Distribution>,
    digits: usize,
) -> std::fmt::Result {
    write!(out, "  {label:<LABEL$}{:>10}", grouped(distribution.map_or(0, |d| d.count)))?;
    if let Some(d) = distribution {
        for value in [d.mean, d.p5, d.p25, d.p50, d.p75, d.p95] {
            write!(out, " {value:>6.digits$}")?;
        }
    }
    out.push('\n');
    Ok(())
}

/// A name as it can be shown: characters that command a terminal, or do not show, are spelt out.
pub(crate) fn visible(name: &str) -> String {
    name.escape_debug().to_string().replace("\\'", "'").replace("\\\"", "\"")
}

/// A name in a column of its own: filled up, or cut where it is too long.
fn fitted(name: &str, width: usize) -> String {
    let mut out = name.to_owned();
    if out.width() > width {
        while out.width() + 1 > width {
            out.pop();
        }
        out.push('…');
    }
    let filled = width.saturating_sub(out.width());
    out + &" ".repeat(filled)
}

/// Text in lines of at most [`WIDTH`], those after the first set in.
pub(crate) fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let width = word.width();
        if used > 0 && used + 1 + width > WIDTH {
            out.push_str("\n  ");
            used = 2;
        } else if used > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += width;
    }
    out.push('\n');
    out
}

/// A name of the files, in words.
pub(crate) fn spoken(name: &str) -> String {
    name.replace('_', " ")
}

/// A count with its noun.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!((plural(1, "text"), plural(2, "text")), ("1 text".into(), "2 texts".into()));
    }

    #[test]
    fn names_show_and_fit() {
        assert_eq!(visible("O'Neil \"Al\" é漢"), "O'Neil \"Al\" é漢");
        assert_eq!(visible("a\u{1b}[31mb\u{200b}\t"), "a\\u{1b}[31mb\\u{200b}\\t");
        assert_eq!(fitted("ben", 5), "ben  ");
        assert_eq!(fitted("annabel", 5), "anna…");
        assert_eq!(fitted("漢字漢字", 6), "漢字… ");
    }

    #[test]
    fn long_lines_are_wrapped() {
        assert_eq!(wrapped("a few words"), "a few words\n");
        let text = wrapped(&"word ".repeat(40));
        assert!(text.lines().all(|line| line.width() <= WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  word")), "{text}");
    }
}
