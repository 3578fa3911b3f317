//! `gazeprint inspect`: what is in a corpus, and what looks wrong with it.

use std::fmt::Write;
use std::path::PathBuf;

use gazeprint::corpus::{DropReason, Limits, Millis};
use gazeprint_eval::summary::{Distribution, MIN_FIXATIONS, MIN_TEXTS, Summary};

use crate::{Usage, corpus_or_default, print};

/// Readers with too little data that the table names; JSON names them all.
const NAMED: usize = 10;
/// Width of the table's first column.
const LABEL: usize = 28;

/// Show what is in a corpus, and what looks wrong with it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint inspect                 the built-in simulated corpus
  gazeprint inspect my-corpus
  gazeprint inspect my-corpus --json")]
pub(crate) struct Args {
    /// Corpus folder [default: the built-in simulated corpus]
    corpus: Option<PathBuf>,
    /// Shortest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    min_duration: f64,
    /// Longest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 1500.0)]
    max_duration: f64,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let limits = Limits::new(Millis(args.min_duration), Millis(args.max_duration))
        .map_err(|error| Usage(error.to_string()))?;
    let corpus = corpus_or_default(args.corpus.as_deref())?;
    let summary = Summary::of(&corpus, limits);
    let text =
        if args.json { serde_json::to_string_pretty(&summary)? + "\n" } else { table(&summary)? };
    print(&text)
}

/// The summary as a table for people.
fn table(s: &Summary) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(
        out,
        "{}: {}, {} ({}), {}, {}\n",
        s.name,
        plural(s.readers, "reader"),
        plural(s.texts, "text"),
        plural(s.lines, "line"),
        plural(s.sessions, "session"),
        plural(s.readings, "reading"),
    )?;
    fixations(&mut out, s)?;
    types(&mut out, s)?;

    heading(&mut out, "duration, ms", true)?;
    row(&mut out, "all fixations", s.duration, 0)?;
    row(&mut out, "first on a line", s.initial_duration, 0)?;
    for t in &s.types {
        row(&mut out, &format!("after {}", spoken(t.name)), t.duration, 0)?;
    }
    out.push('\n');
    heading(&mut out, "amplitude, characters", true)?;
    row(&mut out, "all forward", s.forward_amplitude, 1)?;
    row(&mut out, "first, from the line's start", s.initial_place, 1)?;
    for t in &s.types {
        row(&mut out, &spoken(t.name), t.amplitude, 1)?;
    }
    out.push('\n');
    heading(&mut out, "per reader", true)?;
    row(&mut out, "fixations", s.fixations_per_reader, 0)?;
    row(&mut out, "texts", s.texts_per_reader, 0)?;

    out.push('\n');
    sparse(&mut out, s)?;
    for warning in &s.warnings {
        writeln!(out, "warning: {warning}")?;
    }
    Ok(out)
}

/// How many fixations there are and what was dropped why.
fn fixations(out: &mut String, s: &Summary) -> std::fmt::Result {
    heading(out, "fixations", false)?;
    let mut line = |label: &str, count: usize| {
        let share = 100.0 * count as f64 / s.fixations_recorded.max(1) as f64;
        writeln!(out, "  {label:<LABEL$}{:>10}{share:>9.2} %", grouped(count))
    };
    line("recorded", s.fixations_recorded)?;
    line("kept", s.fixations_kept)?;
    for reason in DropReason::ALL {
        if let Some(&count) = s.dropped.get(reason.name()).filter(|&&count| count > 0) {
            line(&format!("dropped, {}", spoken(reason.name())), count)?;
        }
    }
    out.push('\n');
    Ok(())
}

/// How often each type of saccade occurs.
fn types(out: &mut String, s: &Summary) -> std::fmt::Result {
    heading(out, "saccades", false)?;
    for t in &s.types {
        let (label, count) = (spoken(t.name), grouped(t.count));
        writeln!(out, "  {label:<LABEL$}{count:>10}{:>9.2} %", 100.0 * t.share)?;
    }
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
    writeln!(out, "Too little data ({limits}): {count} of {all}")?;
    for r in s.sparse_readers.iter().take(NAMED) {
        let (texts, fixations) = (plural(r.texts, "text"), plural(r.fixations, "fixation"));
        writeln!(out, "  {:<LABEL$}{texts}, {fixations}", r.reader)?;
    }
    if count > NAMED {
        writeln!(out, "  and {} more (--json names them all)", count - NAMED)?;
    }
    Ok(())
}

/// The line above a part of the table.
fn heading(out: &mut String, name: &str, quantiles: bool) -> std::fmt::Result {
    write!(out, "{name:<width$}", width = if quantiles { LABEL + 2 } else { 0 })?;
    if quantiles {
        for column in ["mean", "5 %", "25 %", "median", "75 %", "95 %"] {
            write!(out, "{column:>8}")?;
        }
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
    write!(out, "  {label:<LABEL$}")?;
    match distribution {
        None => write!(out, "{:>8}", "-")?,
        Some(d) => {
            for value in [d.mean, d.p5, d.p25, d.p50, d.p75, d.p95] {
                write!(out, "{value:>8.digits$}")?;
            }
        }
    }
    out.push('\n');
    Ok(())
}

/// A name of the files, in words.
fn spoken(name: &str) -> String {
    name.replace('_', " ")
}

/// A count with its noun.
pub(crate) fn plural(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A number with its thousands set apart: 1,234,567.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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
}
