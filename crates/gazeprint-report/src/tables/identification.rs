//! Tables of identification: accuracy, ranks, differences between methods.

use std::collections::BTreeSet;

use gazeprint_eval::report::{AccuracyDifference, Report};

use super::{Cell, Mark, Table, note_on_errors, probes_of, readers, sizes};
use crate::number::{plural, proportion, signed};

/// The paper's Table 1, and the same for probes of a few sentences.
pub(super) fn accuracy(report: &Report) -> Table {
    let mut table = Table::new(
        "Accuracy: part of the probes whose reader is ranked first, with all test sentences of a \
         reader and with probes of a few.",
    );
    table.words("Method");
    table.grouped("All test sentences", "Accuracy");
    table.grouped("All test sentences", "95\u{a0}% interval");
    let sizes = sizes(report);
    for size in &sizes {
        table.grouped("Sentences a probe", size.to_string());
    }
    for method in &report.methods {
        let mut row = vec![
            Cell::method(&method.method),
            Cell::estimate(&method.accuracy, proportion),
            Cell::interval(method.accuracy.ci95, proportion),
        ];
        row.extend(sizes.iter().map(|&size| match probes_of(method, size) {
            Some(s) => Cell::number(proportion(s.accuracy.mean), s.accuracy.mean),
            None => Cell::missing(),
        }));
        table.rows.push(row);
    }
    for column in (1..table.columns.len()).filter(|c| *c != 2) {
        table.embolden(column, |a, b| a > b);
    }
    table.note(format!(
        "{} Chance is {} among {}. The best of each column is bold.",
        note_on_errors(report),
        proportion(report.protocol.chance()),
        readers(report)
    ));
    table
}

/// How often the reader is among the first few.
pub(super) fn ranks(report: &Report) -> Table {
    let mut table = Table::new(
        "Cumulative match characteristic: part of the probes of all test sentences whose reader is \
         among the first k.",
    );
    table.words("Method");
    let ranks: BTreeSet<usize> =
        report.methods.iter().flat_map(|m| m.cmc.keys().copied()).collect();
    for rank in &ranks {
        table.grouped("Rank", rank.to_string());
    }
    for method in report.methods.iter().filter(|m| !m.cmc.is_empty()) {
        let mut row = vec![Cell::method(&method.method)];
        row.extend(ranks.iter().map(|rank| match method.cmc.get(rank) {
            Some(estimate) => Cell::estimate(estimate, proportion),
            None => Cell::missing(),
        }));
        table.rows.push(row);
    }
    if report.protocol.splits > 1 {
        table.note("± is the standard error over splits.");
    }
    table
}

/// Differences with all test sentences.
pub(super) fn paired(report: &Report) -> Table {
    let mut table = Table::new(
        "Differences in accuracy between methods on the same readers and probes, with all test \
         sentences.",
    );
    table.words("Method");
    table.words("less");
    differences(&mut table, report.paired.iter().filter(|p| p.sentences.is_none()), |_| None);
    table
}

/// Differences with probes of a few sentences.
pub(super) fn paired_by_sentences(report: &Report) -> Table {
    let mut table = Table::new(
        "Differences in accuracy between methods on the same readers and probes, with probes of a \
         few sentences.",
    );
    table.numbers("Sentences");
    table.words("Method");
    table.words("less");
    let mut paired: Vec<&AccuracyDifference> =
        report.paired.iter().filter(|p| p.sentences.is_some()).collect();
    // By size, and otherwise as the report has them.
    paired.sort_by_key(|p| p.sentences);
    differences(&mut table, paired, |p| p.sentences);
    table
}

fn differences<'a>(
    table: &mut Table,
    paired: impl IntoIterator<Item = &'a AccuracyDifference>,
    size: fn(&AccuracyDifference) -> Option<usize>,
) {
    table.numbers("Difference");
    table.numbers("95\u{a0}% interval");
    for p in paired {
        let mut row: Vec<Cell> = size(p).map(Cell::count).into_iter().collect();
        row.extend([Cell::method(&p.a), Cell::method(&p.b)]);
        let mark = p.significant.then_some(Mark::Star);
        row.push(Cell::number(signed(p.difference), p.difference).marked(mark));
        row.push(Cell::interval(Some(p.ci95), signed));
        table.rows.push(row);
    }
    let n = table.rows.len();
    table.note(format!(
        "Brackets are the 95\u{a0}% bootstrap interval over readers. * The interval leaves out 0. It is \
         not corrected for the {} of the table{}.",
        plural(n, "comparison"),
        if n >= 20 { ": of twenty without a difference, one is expected to be marked" } else { "" }
    ));
}
