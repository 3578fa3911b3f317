//! Strangers, for people, in 80 columns.

use std::fmt::Write;

use gazeprint_eval::report::{Estimate, MethodStrangers, StrangersAtRate};

/// What strangers and readers met with one method, at rates that were asked for; where the others are is said.
pub(super) fn strangers(text: &mut String, judged: &[MethodStrangers]) -> std::fmt::Result {
    let Some((shown, others)) = judged.split_first() else { return Ok(()) };
    of_method(text, shown)?;
    if !others.is_empty() {
        let others: Vec<&str> = others.iter().map(|judged| judged.method.as_str()).collect();
        writeln!(text, "(strangers with {}: --out, --json)", others.join(", "))?;
    }
    Ok(())
}

fn of_method(text: &mut String, judged: &MethodStrangers) -> std::fmt::Result {
    writeln!(
        text,
        "\nstrangers with {}: {} enrolled, {} not\n{:>5}{:>4}{:>7} {:<18}{:>6}{:>7}{:>6} {:<19}{:>6}",
        judged.method,
        judged.enrolled,
        judged.strangers,
        "texts",
        "sec",
        "rate",
        "named right",
        "wrong",
        "likely",
        "wrong",
        "strangers named",
        "FNMR"
    )?;
    for size in &judged.by_size {
        let sentences = size.sentences.map_or("all".to_owned(), |m| m.to_string());
        for at in &size.rates {
            writeln!(
                text,
                "{sentences:>5}{:>4.0}{:>7} {:<18}{:>6}{:>7}{:>6} {:<19}{:>6}",
                size.seconds,
                at.rate,
                interval(&at.named, 3),
                short(at.misnamed.mean, 4),
                short(at.likely.mean, 3),
                short(at.likely_wrong.mean, 4),
                interval(&at.fpir, 4),
                short(at.fnmr.mean, 3)
            )?;
        }
    }
    by_seconds(text, judged)
}

/// Rates whose names are told by seconds of reading.
const RATES: [f64; 2] = [0.01, 0.001];

/// Readers named after so many seconds, and strangers at the first of the rates.
fn by_seconds(text: &mut String, judged: &MethodStrangers) -> std::fmt::Result {
    if judged.by_seconds.is_empty() {
        return Ok(());
    }
    let [high, low] = RATES;
    let heads = [format!("named right at {high}"), format!("at {low}")];
    writeln!(text, "{:>5}  {:<22}{:<22}strangers named at {high}", "sec", heads[0], heads[1])?;
    for timed in &judged.by_seconds {
        let part = |rate: f64, part: fn(&StrangersAtRate) -> &Estimate, digits: usize| {
            let at = timed.rates.iter().find(|at| at.rate == rate);
            at.map_or_else(|| "-".to_owned(), |at| interval(part(at), digits))
        };
        let [first, second] = RATES.map(|rate| part(rate, |at| &at.named, 3));
        let strangers = part(high, |at| &at.fpir, 4);
        writeln!(text, "{:>5}  {first:<22}{second:<22}{strangers}", timed.seconds)?;
    }
    Ok(())
}

/// A rate without its first nought.
fn short(rate: f64, digits: usize) -> String {
    let text = format!("{rate:.digits$}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

fn interval(part: &Estimate, digits: usize) -> String {
    let mean = short(part.mean, digits);
    match part.ci95 {
        Some([low, high]) => format!("{mean} [{},{}]", short(low, digits), short(high, digits)),
        None => mean,
    }
}
