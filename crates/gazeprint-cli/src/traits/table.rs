//! Traits over readers, for people.

use std::fmt::Write;

use gazeprint_eval::traits::{Correlation, FEWEST_READERS, HALVES, ReaderTraits, TraitSummary};
use gazeprint_report::number::general;

use crate::inspect::{plural, visible, wrapped};

/// Widths of columns, which make a line of a terminal together.
const NAME: usize = 25;
const UNIT: usize = 9;
const MEAN: usize = 10;
const SD: usize = 8;
const SPLIT_HALF: usize = 16;
const COUNT: usize = 4;
const SESSIONS: usize = 5;

/// The table.
pub(super) fn of(found: &ReaderTraits) -> String {
    let [shortest, longest] = found.durations_ms;
    let mut out = wrapped(&format!(
        "{}: {}, {}, {}, {} of {shortest} to {longest} ms",
        visible(&found.corpus),
        plural(found.readers, "reader"),
        plural(found.texts, "text"),
        plural(found.readings, "reading"),
        plural(found.fixations, "fixation"),
    ));
    let has_sessions = found.traits.iter().any(|summary| summary.across_sessions.is_some());
    let has_fewer = found.traits.iter().any(|summary| fewer(summary).is_some());
    let when = |known: bool, heading| if known { heading } else { "" };
    out.push('\n');
    let headings = ["trait", "unit", "mean", "sd", "split-half"].map(str::to_owned);
    let [what, unit, mean, sd, split_half] = headings;
    let count = when(has_fewer, "n").to_owned();
    let sessions = when(has_sessions, "sess.").to_owned();
    line(&mut out, &[what, unit, mean, sd, split_half, count, sessions]);
    for summary in &found.traits {
        line(&mut out, &row(summary));
    }
    out.push('\n');
    let fewer = when(has_fewer, " n: in so many readers, where fewer than show the trait.");
    let sessions =
        when(has_sessions, " sess.: correlation between the first two sessions of readers.");
    out.push_str(&wrapped(&format!(
        "mean, sd: over readers. split-half: reliability between halves of the texts, over {HALVES} random \
         divisions, stepped up to all of them, with its 95 % interval over readers.{fewer}{sessions} \
         Reliability needs {FEWEST_READERS} readers."
    )));
    out
}

/// A line of the table.
fn line(out: &mut String, [what, unit, mean, sd, split_half, count, sessions]: &[String; 7]) {
    // Writing to text does not fail.
    let _ = write!(
        out,
        "{what:<NAME$} {unit:<UNIT$}{mean:>MEAN$}{sd:>SD$} {split_half:>SPLIT_HALF$}{count:>COUNT$} \
         {sessions:>SESSIONS$}"
    );
    out.truncate(out.trim_end().len());
    out.push('\n');
}

fn row(summary: &TraitSummary) -> [String; 7] {
    let (factor, unit) = shown(summary.unit);
    let number = |value: f64| general(factor * value);
    [
        summary.what.name().to_owned(),
        unit,
        number(summary.mean),
        summary.sd.map_or_else(String::new, number),
        summary.split_half.map_or_else(String::new, |it| with_interval(&it)),
        fewer(summary).map_or_else(String::new, |readers| readers.to_string()),
        summary.across_sessions.map_or_else(String::new, |it| coefficient(it.value)),
    ]
}

/// The readers that split-half reliability is of, where these are not all who show the trait.
fn fewer(summary: &TraitSummary) -> Option<usize> {
    let readers = summary.split_half?.readers;
    (readers < summary.readers).then_some(readers)
}

fn with_interval(found: &Correlation) -> String {
    let value = coefficient(found.value);
    match found.ci95 {
        Some([low, high]) => format!("{value} [{} {}]", coefficient(low), coefficient(high)),
        None => value,
    }
}

/// A number from -1 to 1, in four characters at most: without the nought before the point.
fn coefficient(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.as_str() {
        "1.00" | "-1.00" => text[..text.len() - 1].to_owned(),
        "-0.00" => ".00".to_owned(),
        _ => text.replace("0.", "."),
    }
    .replace('-', "−")
}

/// What values are multiplied with, and the unit that they then have.
fn shown(unit: &str) -> (f64, String) {
    let short = unit.replace("characters/character", "char/char").replace("characters", "chars");
    let short = short.replace("fixations", "fix");
    match short.strip_prefix("share") {
        Some(per) => (100.0, format!("%{per}")),
        None => (1.0, short),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_short() {
        let shown = [0.934, -0.2, 1.0, 0.999, -1.0, -0.001, 0.0].map(coefficient);
        assert_eq!(shown, [".93", "−.20", "1.0", "1.0", "−1.0", ".00", ".00"]);
    }
}
