//! A summary of a corpus, for people.

use std::fmt::Write;

use gazeprint::corpus::DropReason;
use gazeprint::kinematics::Doubt;
use gazeprint_eval::summary::{
    AT_DEG, Distribution, KinematicsSummary, MIN_FIXATIONS, MIN_SACCADES, MIN_TEXTS, Summary,
    Warning,
};
use gazeprint_report::number::grouped;

use super::words::{fitted, plural, spoken, visible, wrapped};

/// Readers with too little data that the table names; JSON names them all.
const NAMED: usize = 10;
/// Width of the first column of quantiles.
const LABEL: usize = 25;
/// Width of the first column of counts, which holds reasons and limits.
const COUNT_LABEL: usize = 34;

/// The summary as a table for people, with the limits of durations in ms.
pub(super) fn table(
    s: &Summary,
    limits: [f64; 2],
    notes: &[String],
) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    out.push_str(&wrapped(&format!(
        "{}: {}, {} ({}), {}, {}, {}",
        visible(&s.name),
        plural(s.readers, "reader"),
        plural(s.texts, "text"),
        plural(s.lines, "line"),
        plural(s.sessions, "session"),
        plural(s.readings, "reading"),
        if s.passes == 1 { "1 pass".to_owned() } else { format!("{} passes", grouped(s.passes)) },
    )));
    out.push_str(&wrapped(
        "A reading: one reader's fixations on one text in one session and trial. \
         A pass: those in a row on one line.",
    ));
    if s.texts_without_words > 0 {
        let texts = plural(s.texts_without_words, "text");
        out.push_str(&wrapped(&format!(
            "Of {texts} no word is known: how readers go over words cannot be told of them, how their \
             eyes move can."
        )));
    }
    out.push('\n');
    fixations(&mut out, s, limits)?;
    if s.fixations_kept == 0 {
        writeln!(out, "No fixation counts, so there is nothing else to show.")?;
    } else {
        if s.texts_without_words < s.texts {
            types(&mut out, s)?;
            distributions(&mut out, s)?;
        } else {
            heading(&mut out, "duration, ms")?;
            row(&mut out, "all fixations", s.duration, 0)?;
            out.push('\n');
        }
        if let Some(kinematics) = &s.kinematics {
            motions(&mut out, kinematics)?;
        }
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
fn fixations(out: &mut String, s: &Summary, [shortest, longest]: [f64; 2]) -> std::fmt::Result {
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
                DropReason::TooShort => format!(" (under {shortest} ms)"),
                DropReason::TooLong => format!(" (over {longest} ms)"),
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

/// How the eyes moved, and what of that is not believed.
fn motions(out: &mut String, k: &KinematicsSummary) -> std::fmt::Result {
    out.push_str("kinematics\n");
    for (label, count) in [
        ("fixations with any", k.fixations),
        ("saccades with an amplitude", k.saccades),
        ("and a peak velocity", k.saccades_with_velocity),
    ] {
        writeln!(out, "  {label:<COUNT_LABEL$}{:>10}", grouped(count))?;
    }
    for doubt in Doubt::ALL {
        if let Some(&count) = k.not_believed.get(doubt.name()).filter(|&&count| count > 0) {
            let label = format!("not believed, {}", spoken(doubt.name()));
            writeln!(out, "  {label:<COUNT_LABEL$}{:>10}", grouped(count))?;
        }
    }
    out.push('\n');
    heading(out, "saccades and fixations")?;
    row(out, "amplitude, deg", k.amplitude, 2)?;
    row(out, "duration, ms", k.duration, 0)?;
    row(out, "peak velocity, deg/s", k.peak_velocity, 0)?;
    row(out, "dispersion, deg", k.dispersion, 2)?;
    out.push('\n');
    if !k.main_sequence.is_empty() {
        let name = "main sequence";
        let [n, at, slope, sd] = ["n", &format!("at {AT_DEG} deg"), "slope", "sd"];
        writeln!(out, "{name:<width$}{n:>10} {at:>13} {slope:>8} {sd:>8}", width = LABEL + 2)?;
    }
    for line in &k.main_sequence {
        let (name, n) = (line.direction.name(), grouped(line.saccades));
        writeln!(
            out,
            "  {name:<LABEL$}{n:>10} {:>7.1} deg/s {:>8.3} {:>8.3}",
            line.velocity, line.slope, line.residual_sd
        )?;
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
