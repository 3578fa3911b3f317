//! Watches, for people.

use std::fmt::Write;

use gazeprint_eval::report::{MethodWatches, SecondsTaken};
use gazeprint_report::number::grouped;

/// How long watches take to decide, and to notice a swap.
pub(super) fn watch(text: &mut String, watched: &MethodWatches) -> std::fmt::Result {
    writeln!(
        text,
        "\nwatching with {}: wanted rates of false accepts {} and false rejects {}; seconds of reading\n\
         {:<26}{:>8}{:>10}{:>10}{:>11}{:>8}{:>9}",
        watched.method,
        watched.fmr,
        watched.fnmr,
        "who reads",
        "watches",
        "accepted",
        "rejected",
        "undecided",
        "mean",
        "median"
    )?;
    let seconds = |text: &mut String, taken: Option<SecondsTaken>| {
        let mut cell = |value: Option<f64>, width: usize| match value {
            Some(value) => write!(text, "{value:>width$.1}"),
            None => write!(text, "{:>width$}", "-"),
        };
        cell(taken.map(|t| t.mean), 8)?;
        cell(taken.and_then(|t| t.median), 9)?;
        writeln!(text)
    };
    for (who, vigils) in
        [("the reader", &watched.genuine), ("somebody not enrolled", &watched.impostor)]
    {
        write!(
            text,
            "{who:<26}{:>8}{:>10.3}{:>10.3}{:>11.3}",
            grouped(vigils.watches),
            vigils.accepted.mean,
            vigils.rejected.mean,
            vigils.undecided.mean
        )?;
        seconds(text, vigils.seconds)?;
    }
    let swaps = &watched.swaps;
    if let Some(noticed) = &swaps.noticed {
        write!(
            text,
            "{:<26}{:>8}{:>10}{:>10.3}{:>11.3}",
            "the reader, then another",
            grouped(swaps.swaps),
            "",
            noticed.mean,
            1.0 - noticed.mean
        )?;
        seconds(text, swaps.seconds)?;
    }
    for (what, rate) in [
        ("false accepts", Some(&watched.impostor.accepted)),
        ("false rejects", Some(&watched.genuine.rejected)),
        ("swaps noticed", swaps.noticed.as_ref()),
    ] {
        if let Some((mean, [low, high])) = rate.and_then(|rate| Some((rate.mean, rate.ci95?))) {
            writeln!(text, "{what}: {mean:.3}, 95 % interval over readers {low:.3} to {high:.3}")?;
        }
    }
    writeln!(text, "seconds: mean of those decided; median of all, the undecided among them")?;
    if let Some(alarms) = watched.false_alarms_per_hour {
        writeln!(text, "false alarms without a swap: {alarms:.2} in an hour of reading")?;
    }
    Ok(())
}
