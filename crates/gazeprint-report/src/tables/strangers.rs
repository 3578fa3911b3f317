//! Tables of strangers.

use gazeprint_eval::report::{Estimate, MethodStrangers, Report};

use super::{Cell, Table};
use crate::number::proportion;

/// What strangers and readers met at rates that were asked for.
pub(super) fn rates(report: &Report) -> Table {
    let mut table = Table::new(
        "Strangers: half of the readers are enrolled, the other half had no part in anything. Named are \
         readers’ probes that were given the right name, false alarms strangers’ probes that were given \
         one; false matches are strangers’ claims that were accepted, false non-matches readers’ claims \
         that were rejected."
            .to_owned(),
    );
    table.words("Method");
    table.words("Sentences");
    table.numbers("Probes");
    table.numbers("Seconds");
    table.numbers("Rate");
    table.numbers("Named wrong");
    table.numbers("Likely right");
    table.numbers("Likely wrong");
    for part in ["Named", "False alarms", "False matches", "False non-matches"] {
        table.grouped(part, "part");
        table.grouped(part, "95\u{a0}% interval");
    }
    for method in report.strangers.iter().flatten() {
        for size in &method.by_size {
            for at in &size.rates {
                let sentences = size.sentences.map_or("all".to_owned(), |m| m.to_string());
                let mut row = vec![Cell::method(&method.method), Cell::word(sentences)];
                row.push(Cell::count(size.probes));
                row.push(Cell::number(format!("{:.0}", size.seconds), size.seconds));
                row.push(Cell::number(at.rate.to_string(), at.rate));
                let others = [&at.misnamed, &at.likely, &at.likely_wrong];
                row.extend(others.map(|part| Cell::number(proportion(part.mean), part.mean)));
                row.extend([&at.named, &at.fpir, &at.fmr, &at.fnmr].into_iter().flat_map(part));
                table.rows.push(row);
            }
        }
        table.note(roles(method));
    }
    table
}

/// The same by seconds of reading.
pub(super) fn by_seconds(report: &Report) -> Table {
    let mut table = Table::new(
        "Strangers, by the seconds that a probe spent in fixations: readers’ probes that were given the \
         right name, strangers’ probes that were given one, and readers’ claims that were rejected."
            .to_owned(),
    );
    table.words("Method");
    table.numbers("Seconds");
    table.numbers("Rate");
    table.numbers("Probes");
    for part in ["Named", "False alarms", "False non-matches"] {
        table.grouped(part, "part");
        table.grouped(part, "95\u{a0}% interval");
    }
    for method in report.strangers.iter().flatten() {
        for timed in &method.by_seconds {
            for at in &timed.rates {
                let mut row = vec![Cell::method(&method.method)];
                row.push(Cell::number(timed.seconds.to_string(), timed.seconds));
                row.push(Cell::number(at.rate.to_string(), at.rate));
                row.push(Cell::count(timed.probes));
                row.extend([&at.named, &at.fpir, &at.fnmr].into_iter().flat_map(part));
                table.rows.push(row);
            }
        }
        table.note(roles(method));
    }
    table
}

fn part(part: &Estimate) -> [Cell; 2] {
    [Cell::number(proportion(part.mean), part.mean), Cell::interval(part.ci95, proportion)]
}

/// Who had which role.
fn roles(method: &MethodStrangers) -> String {
    format!(
        "{}: {} enrolled, {} strangers, drawn anew for each split. Intervals draw readers in both roles.",
        method.method, method.enrolled, method.strangers
    )
}
