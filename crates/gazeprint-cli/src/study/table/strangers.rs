//! Strangers, for people.

use std::fmt::Write;

use gazeprint_eval::report::{Estimate, MethodStrangers};

/// What strangers and readers met at rates that were asked for.
pub(super) fn strangers(text: &mut String, judged: &MethodStrangers) -> std::fmt::Result {
    writeln!(
        text,
        "\nstrangers with {}: {} enrolled, {} not\n{:>9}{:>8}  {:<28}{:<28}false non-matches",
        judged.method,
        judged.enrolled,
        judged.strangers,
        "sentences",
        "rate",
        "false matches",
        "false alarms"
    )?;
    let part = |part: &Estimate| match part.ci95 {
        Some([low, high]) => format!("{:.5} [{low:.5}, {high:.5}]", part.mean),
        None => format!("{:.5}", part.mean),
    };
    for size in &judged.by_size {
        let sentences = size.sentences.map_or("all".to_owned(), |m| m.to_string());
        for at in &size.rates {
            writeln!(
                text,
                "{sentences:>9}{:>8}  {:<28}{:<28}{}",
                at.rate,
                part(&at.fmr),
                part(&at.fpir),
                part(&at.fnmr)
            )?;
        }
    }
    Ok(())
}
