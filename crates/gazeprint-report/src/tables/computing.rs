//! Tables of how it was computed: constants, diagnostics, times.

use gazeprint_eval::report::Report;

use super::{Cell, Table};
use crate::number::{coarse, general, proportion};

/// What was tuned on training data.
pub(super) fn constants(report: &Report) -> Table {
    let mut table = Table::new(
        "Constants tuned on the training texts of each split: A, the variance of the Gaussian \
         process of a density, and k, the constant of the backoff.",
    );
    table.words("Method");
    table.words("Constant");
    table.numbers("Mean");
    table.numbers("Least");
    table.numbers("Greatest");
    for method in &report.methods {
        let backoff = ("k".to_owned(), &method.tuned.backoff);
        let amplitudes =
            method.tuned.amplitudes.iter().map(|(name, a)| (format!("A, {}", symbol(name)), a));
        for (name, values) in std::iter::once(backoff).chain(amplitudes) {
            if values.is_empty() {
                continue;
            }
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mut row = vec![Cell::method(&method.method), Cell::word(name)];
            row.extend([mean, least, greatest].map(|v| Cell::number(general(v), v)));
            table.rows.push(row);
        }
    }
    table.note("Mean, least and greatest over splits. α are amplitudes, δ durations.");
    table
}

/// How far to trust the posteriors.
pub(super) fn diagnostics(report: &Report) -> Table {
    let mut table =
        Table::new("Diagnostics of the posteriors, by density, over all readers and splits.");
    table.words("Method");
    table.words("Density");
    for head in
        ["Fits", "Failed", "Doubtful", "Retried", "Effective draws", "Acceptance", "Divergences"]
    {
        table.numbers(head);
    }
    let number = |value: Option<f64>, format: fn(f64) -> String| match value {
        Some(value) => Cell::number(format(value), value),
        None => Cell::missing(),
    };
    for method in &report.methods {
        for (name, d) in &method.diagnostics.densities {
            table.rows.push(vec![
                Cell::method(&method.method),
                Cell::word(symbol(name)),
                Cell::count(d.fits),
                Cell::count(d.failed),
                Cell::count(d.doubtful),
                Cell::count(d.retried),
                number(d.effective, general),
                number(d.acceptance, proportion),
                Cell::count(d.divergences),
            ]);
        }
    }
    table.note(
        "Failed: the reader got the density of all readers. Doubtful: the engine does not trust \
         its result. Retried: laplace needed a second proposal. Effective draws and acceptance are \
         means; – where the density is taken at its mode or the engine has no such number.",
    );
    table
}

/// How long it took.
pub(super) fn times(report: &Report) -> Table {
    let mut table = Table::new("Seconds of computing, all splits together.");
    table.words("Method");
    for head in ["Tuning", "Fitting", "Scoring", "Sum"] {
        table.numbers(head);
    }
    for m in &report.methods {
        let sum = m.tune_seconds + m.fit_seconds + m.score_seconds;
        let mut row = vec![Cell::method(&m.method)];
        row.extend(
            [m.tune_seconds, m.fit_seconds, m.score_seconds, sum]
                .map(|seconds| Cell::number(coarse(seconds), seconds)),
        );
        table.rows.push(row);
    }
    table
}

/// The paper's symbol of a density.
fn symbol(name: &str) -> String {
    if name == "alpha1bar" {
        return "ᾱ₁".to_owned();
    }
    let (letter, index) = match (name.strip_prefix("alpha"), name.strip_prefix("delta")) {
        (Some(index), _) => ('α', index),
        (_, Some(index)) => ('δ', index),
        _ => return name.to_owned(),
    };
    match index.parse::<u32>() {
        Ok(index @ 0..=9) => {
            [letter, char::from_u32('₀' as u32 + index).unwrap_or('₀')].iter().collect()
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols() {
        let words = ["alpha0", "alpha1bar", "delta4", "else", "alpha", "alpha12"].map(symbol);
        assert_eq!(words, ["α₀", "ᾱ₁", "δ₄", "else", "alpha", "alpha12"]);
    }
}
