//! Tables 1 and 2 of the paper, with its numbers beside those of a study.

use gazeprint_eval::report::{MethodFindings, Report};

use super::{Cell, Table, readers};
use crate::number;
use crate::paper::facts::{CORPUS, METHODS, PAPER, READERS, ReportedMethod};

/// Table 1.
pub(crate) fn accuracy(report: &Report) -> Table {
    let caption =
        "Accuracy with all test sentences: part of the probes whose reader is ranked first.";
    beside(report, caption, |reported, found| {
        let paper =
            format!("{} ± {}", number::fine(reported.accuracy), number::fine(reported.accuracy_se));
        [Cell::number(paper, reported.accuracy), Cell::estimate(&found.accuracy, number::fine)]
    })
}

/// Table 2.
pub(crate) fn area(report: &Report) -> Table {
    let caption =
        "Area under the curve of false accepts over false rejects, with all test sentences.";
    beside(report, caption, |reported, found| {
        let paper = Cell::number(number::finest(reported.area), reported.area);
        [paper, Cell::estimate(&found.area, number::finest)]
    })
}

/// A row for each method of the paper: what the paper found, and what was found here.
fn beside(
    report: &Report,
    caption: &str,
    cells: fn(&ReportedMethod, &MethodFindings) -> [Cell; 2],
) -> Table {
    let mut table = Table::new(caption);
    table.words("Method");
    table.numbers("The paper");
    table.numbers("Here");
    for reported in &METHODS {
        let found = report.methods.iter().find(|found| found.method == reported.method);
        if let Some(found) = found {
            let [paper, here] = cells(reported, found);
            table.rows.push(vec![Cell::word(reported.method), paper, here]);
        }
    }
    table.note(format!(
        "The paper: {PAPER}, {}, {CORPUS}. Here: {}, {}.{}",
        number::plural(READERS, "reader"),
        report.corpus.name,
        readers(report),
        if report.protocol.splits > 1 { " ± is the standard error over splits." } else { "" }
    ));
    table
}
