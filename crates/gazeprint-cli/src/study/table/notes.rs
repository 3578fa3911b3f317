//! How far to trust the results, for people.

use std::fmt::Write;

use gazeprint_eval::report::Report;
use gazeprint_report::number::grouped;

use crate::inspect::plural;

/// What the reader of the table should know before trusting it.
pub(super) fn notes(text: &mut String, report: &Report) -> std::fmt::Result {
    for method in &report.methods {
        let of = &method.diagnostics;
        let [fits, failed, doubtful] =
            [of.sum(|d| d.fits), of.sum(|d| d.failed), of.sum(|d| d.doubtful)];
        if failed > 0 {
            writeln!(
                text,
                "note: {}: {} of {} fits failed; those readers got the density of all readers",
                method.method,
                grouped(failed),
                grouped(fits)
            )?;
        }
        let fell = method.diagnostics.fell;
        if fell > 0 {
            writeln!(
                text,
                "note: {}: learning {} of the population ran away or lost evidence; an earlier \
                 state was kept",
                method.method,
                plural(fell, "part")
            )?;
        }
        if doubtful > 0 {
            let why = match method.engine.as_deref() {
                Some("laplace") => "unreliable importance weights (k-hat above 0.7)",
                Some("metropolis") => "chains that have not mixed (under 100 effective draws)",
                _ => "divergent transitions or under 100 effective draws",
            };
            writeln!(
                text,
                "note: {}: {} of {} posteriors have {why}; see diagnostics in study.json",
                method.method,
                grouped(doubtful),
                grouped(fits)
            )?;
        }
    }
    Ok(())
}
