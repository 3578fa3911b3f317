//! The table of watches.

use gazeprint_eval::report::{Estimate, Report, SecondsTaken};

use super::{Cell, Table};
use crate::number::proportion;

/// How long watches take to decide, and to notice a swap.
pub(super) fn watches(report: &Report) -> Table {
    let mut table = Table::new(
        "Readers watched while reading: first decisions of the sequential test, and swaps of persons \
         noticed after it."
            .to_owned(),
    );
    table.words("Method");
    table.words("Who reads");
    table.numbers("Watches");
    for part in ["Accepted", "Rejected"] {
        table.grouped(part, "part");
        table.grouped(part, "95\u{a0}% interval");
    }
    table.numbers("Undecided");
    for of in ["mean, decided", "median", "nine of ten"] {
        table.grouped("Seconds of reading", of);
    }
    for watched in report.watch.iter().flatten() {
        let seconds = |taken: Option<SecondsTaken>| {
            let cell = |value: Option<f64>| match value {
                Some(value) => Cell::number(format!("{value:.1}"), value),
                None => Cell::missing(),
            };
            let of = |value: fn(SecondsTaken) -> Option<f64>| cell(taken.and_then(value));
            [of(|t| Some(t.mean)), of(|t| t.median), of(|t| t.ninth_decile)]
        };
        let number = |value: f64| Cell::number(proportion(value), value);
        let part = |part: &Estimate| [number(part.mean), Cell::interval(part.ci95, proportion)];
        for (who, vigils) in
            [("the reader", &watched.genuine), ("somebody not enrolled", &watched.impostor)]
        {
            let mut row = vec![Cell::method(&watched.method), Cell::word(who)];
            row.push(Cell::count(vigils.watches));
            row.extend([&vigils.accepted, &vigils.rejected].into_iter().flat_map(part));
            row.push(number(vigils.undecided.mean));
            row.extend(seconds(vigils.seconds));
            table.rows.push(row);
        }
        let swaps = &watched.swaps;
        let mut row = vec![Cell::method(&watched.method), Cell::word("the reader, then another")];
        row.push(Cell::count(swaps.swaps));
        row.extend([Cell::missing(), Cell::missing()]);
        match &swaps.noticed {
            Some(noticed) => {
                row.extend(part(noticed).into_iter().chain([number(1.0 - noticed.mean)]))
            }
            None => row.extend([Cell::missing(), Cell::missing(), Cell::missing()]),
        }
        row.extend(seconds(swaps.seconds));
        table.rows.push(row);
        let alarms = watched.false_alarms_per_hour;
        table.note(format!(
            "{}: wanted rates of false accepts {} and of false rejects {}; decisions are tested again \
             on the last {} fixations. Readers who had been accepted were rejected {} times in an hour \
             of reading without a swap.",
            watched.method,
            watched.fmr,
            watched.fnmr,
            watched.window,
            alarms.map_or_else(|| "an unknown number of".to_owned(), |a| format!("{a:.2}"))
        ));
    }
    table.note(
        "Seconds are those spent in fixations; of swaps, from the swap on. The mean is of those that \
         were decided before all was read, and so too low where some were not; half and nine of ten \
         are of all."
            .to_owned(),
    );
    table
}
