//! The table of worse recordings.

use gazeprint_eval::report::{Estimate, Report};
use gazeprint_eval::robustness::{Outcome, Robustness};

use super::{Cell, Table};
use crate::number::{percent, plural, proportion};

/// Accuracy by level and method; a level that could not be studied has no row.
pub(super) fn accuracy(report: &Report) -> Table {
    let size = Robustness::telling_size(&report.protocol.probe_sentences);
    let probes = match size {
        Some(size) => format!("probes of {}", plural(size, "sentence")),
        None => "all test sentences of a reader".to_owned(),
    };
    let mut table = Table::new(format!(
        "Accuracy on worse recordings, with {probes}: normal noise added to every horizontal \
             position, and fixations shorter than a limit left out."
    ));
    let Some(worse) = &report.robustness else { return table };
    table.words("Recording");
    table.numbers("Dropped");
    for method in &report.methods {
        table.method("Accuracy", &method.method);
    }
    let noise = worse.position_noise.iter().map(|level| {
        let words = match level.sd_chars {
            0.0 => "as it is".to_owned(),
            sd => format!("noise, {sd} characters"),
        };
        (words, &level.outcome)
    });
    let duration = worse.min_duration.iter().map(|level| {
        (format!("fixations from {}\u{a0}ms on", level.min_duration_ms), &level.outcome)
    });
    for (words, outcome) in noise.chain(duration).filter(|level| !level.1.methods.is_empty()) {
        let dropped = Cell::number(percent(outcome.dropped_share), outcome.dropped_share);
        let mut row = vec![Cell::word(words), dropped];
        row.extend(report.methods.iter().map(|m| cell(outcome, &m.method, size)));
        table.rows.push(row);
    }
    let error = if worse.splits > 1 { " ± is the standard error over splits." } else { "" };
    table.note(format!(
        "Over {}. Noise is given by its standard deviation. Training and test are degraded alike. Dropped is the part of the fixations that \
         does not count.{error}",
        plural(worse.splits, "split")
    ));
    table
}

fn cell(outcome: &Outcome, method: &str, size: Option<usize>) -> Cell {
    let found = outcome
        .methods
        .iter()
        .find(|m| m.method == method)
        .and_then(|m| m.accuracy.iter().find(|a| a.sentences == size));
    match found {
        Some(a) => {
            let estimate = Estimate { mean: a.mean, se: a.se, ci95: None };
            Cell::estimate(&estimate, proportion)
        }
        None => Cell::missing(),
    }
}
