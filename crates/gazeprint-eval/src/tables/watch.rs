//! The table of watches.

use super::number::proportion;
use super::{Cell, Table};
use crate::report::{Report, SecondsTaken};

/// How long watches take to decide, and to notice a swap.
pub(super) fn watches(report: &Report) -> Table {
    let mut table = Table::new(
        "watch",
        "Readers watched while reading: first decisions of the sequential test, and swaps of persons \
         noticed after it."
            .to_owned(),
    );
    table.words("Method");
    table.words("Who reads");
    table.numbers("Watches");
    for part in ["accepted", "rejected", "undecided"] {
        table.grouped("Part", part);
    }
    for of in ["mean", "median", "nine of ten"] {
        table.grouped("Seconds of reading", of);
    }
    for watched in report.watch.iter().flatten() {
        let seconds = |taken: Option<SecondsTaken>| {
            let cell = |of: fn(&SecondsTaken) -> f64| match &taken {
                Some(taken) => Cell::number(format!("{:.1}", of(taken)), of(taken)),
                None => Cell::missing(),
            };
            [cell(|t| t.mean), cell(|t| t.median), cell(|t| t.ninth_decile)]
        };
        let part = |value: f64| Cell::number(proportion(value), value);
        for (who, vigils) in
            [("the reader", &watched.genuine), ("somebody not enrolled", &watched.impostor)]
        {
            let mut row = vec![Cell::word(&watched.method), Cell::word(who)];
            row.push(Cell::count(vigils.watches));
            row.extend([vigils.accepted, vigils.rejected, vigils.undecided].map(part));
            row.extend(seconds(vigils.seconds));
            table.rows.push(row);
        }
        let swaps = &watched.swaps;
        let mut row = vec![Cell::word(&watched.method), Cell::word("the reader, then another")];
        row.push(Cell::count(swaps.swaps));
        row.push(Cell::missing());
        row.extend(match swaps.noticed {
            Some(noticed) => [part(noticed), part(1.0 - noticed)],
            None => [Cell::missing(), Cell::missing()],
        });
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
    table.note("Seconds are those spent in fixations; of swaps, from the swap on.".to_owned());
    table
}
