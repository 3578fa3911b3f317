//! Strangers, for people.

use std::fmt::Write;

use gazeprint_eval::report::{Estimate, MethodStrangers};

/// What strangers and readers met at rates that were asked for.
pub(super) fn strangers(text: &mut String, judged: &MethodStrangers) -> std::fmt::Result {
    writeln!(
        text,
        "\nstrangers with {}: {} enrolled, {} not\n{:>9}{:>9}{:>8}  {:<22}{:>7}{:>8}{:>7}  {:<24}{:>10}{:>7}",
        judged.method,
        judged.enrolled,
        judged.strangers,
        "sentences",
        "seconds",
        "rate",
        "named right",
        "wrong",
        "likely",
        "wrong",
        "strangers named",
        "FMR",
        "FNMR"
    )?;
    let interval = |part: &Estimate, digits: usize| match part.ci95 {
        Some([low, high]) => format!("{:.digits$} [{low:.digits$}, {high:.digits$}]", part.mean),
        None => format!("{:.digits$}", part.mean),
    };
    for size in &judged.by_size {
        let sentences = size.sentences.map_or("all".to_owned(), |m| m.to_string());
        for at in &size.rates {
            writeln!(
                text,
                "{sentences:>9}{:>9.0}{:>8}  {:<22}{:>7.4}{:>8.3}{:>7.4}  {:<24}{:>10.5}{:>7.3}",
                size.seconds,
                at.rate,
                interval(&at.named, 3),
                at.misnamed.mean,
                at.likely.mean,
                at.likely_wrong.mean,
                interval(&at.fpir, 4),
                at.fmr.mean,
                at.fnmr.mean
            )?;
        }
    }
    Ok(())
}
