//! The table of one reader's traits, among those of all.

use gazeprint_eval::traits::{ReaderTraits, TraitEstimate, TraitSummary};

use super::{Cell, Table};
use crate::number::{general, interval, plural};

/// Every trait that the reader shows; no rows where there are none.
pub(crate) fn of(found: &ReaderTraits, reader: &str) -> Table {
    let mut table = Table::new(format!(
        "Traits of reader {reader}, over all that was read, among {}.",
        plural(found.readers, "reader")
    ));
    table.words("Trait");
    table.words("Unit");
    table.grouped("Reader", "estimate");
    table.grouped("Reader", "95\u{a0}% interval");
    table.grouped("All readers", "mean");
    table.grouped("All readers", "s.d.");
    table.numbers("Place");
    for summary in &found.traits {
        let mine = found.estimates_of(summary.what).find(|(one, _)| one.reader == reader);
        if let Some((estimate, value)) = mine {
            table.rows.push(row(found, summary, estimate, value));
        }
    }
    table.note(
        "Intervals are over texts. The place is that of the reader among those who show the trait, from \
         the highest on.",
    );
    table
}

fn row(
    found: &ReaderTraits,
    summary: &TraitSummary,
    estimate: &TraitEstimate,
    value: f64,
) -> Vec<Cell> {
    // Shares are set in percent.
    let (factor, unit) = match summary.unit.strip_prefix("share") {
        Some(per) => (100.0, format!("%{per}")),
        None => (1.0, summary.unit.to_owned()),
    };
    let number = |value: f64| Cell::number(general(factor * value), value);
    let higher = found.estimates_of(summary.what).filter(|(_, other)| *other > value).count();
    let ends = estimate.ci95.map(|ends| ends.map(|end| factor * end));
    let range =
        ends.map_or_else(Cell::missing, |ends| Cell::number(interval(ends, general), ends[0]));
    vec![
        Cell::word(summary.about),
        Cell::word(unit),
        number(value),
        range,
        number(summary.mean),
        summary.sd.map_or_else(Cell::missing, number),
        Cell::number(format!("{} of {}", higher + 1, summary.readers), (higher + 1) as f64),
    ]
}
