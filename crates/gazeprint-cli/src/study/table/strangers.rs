//! Strangers, for people.

use std::fmt::Write;

use gazeprint_eval::report::{Estimate, MethodStrangers, StrangersAtRate};

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
    by_seconds(text, judged)
}

/// Rates whose names are told by seconds of reading.
const RATES: [f64; 3] = [0.05, 0.01, 0.001];

/// Readers named after so many seconds, and strangers at the rate between.
fn by_seconds(text: &mut String, judged: &MethodStrangers) -> std::fmt::Result {
    if judged.by_seconds.is_empty() {
        return Ok(());
    }
    let [high, middle, low] = RATES;
    writeln!(
        text,
        "{:>9}  {:<22}  {:<22}  {:<22}  strangers named at {middle}",
        "seconds",
        format!("named right at {high}"),
        format!("at {middle}"),
        format!("at {low}")
    )?;
    for timed in &judged.by_seconds {
        let part = |rate: f64, part: fn(&StrangersAtRate) -> &Estimate, digits: usize| {
            let at = timed.rates.iter().find(|at| at.rate == rate);
            at.map_or_else(|| "-".to_owned(), |at| interval(part(at), digits))
        };
        let [first, second, third] = RATES.map(|rate| part(rate, |at| &at.named, 3));
        let strangers = part(middle, |at| &at.fpir, 4);
        writeln!(
            text,
            "{:>9}  {first:<22}  {second:<22}  {third:<22}  {strangers}",
            timed.seconds
        )?;
    }
    Ok(())
}

fn interval(part: &Estimate, digits: usize) -> String {
    match part.ci95 {
        Some([low, high]) => format!("{:.digits$} [{low:.digits$}, {high:.digits$}]", part.mean),
        None => format!("{:.digits$}", part.mean),
    }
}
