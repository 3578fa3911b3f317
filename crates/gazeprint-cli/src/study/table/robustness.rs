//! Worse recordings, for people.

use std::fmt::Write;

use gazeprint_eval::report::Report;
use gazeprint_eval::robustness::{Outcome, Robustness};

use super::{NAME, SIZE};
use crate::inspect::plural;

/// Accuracy on worse recordings at one size of probes.
pub(super) fn robustness(
    text: &mut String,
    report: &Report,
    worse: &Robustness,
) -> std::fmt::Result {
    let size = Robustness::telling_size(&report.protocol.probe_sentences);
    let probes = size.map_or("all test texts".to_owned(), |m| plural(m, "text") + " a probe");
    writeln!(
        text,
        "\naccuracy with {probes} on worse recordings, {}",
        plural(worse.splits, "split")
    )?;
    let noise = worse.position_noise.iter().map(|l| (l.sd_chars, &l.outcome)).collect();
    levels(text, "noise, characters", noise, size)?;
    let shortest = worse.min_duration.iter().map(|l| (l.min_duration_ms, &l.outcome)).collect();
    levels(text, "shortest, ms", shortest, size)
}

/// A line for each method, a column for each level.
fn levels(
    text: &mut String,
    name: &str,
    levels: Vec<(f64, &Outcome)>,
    size: Option<usize>,
) -> std::fmt::Result {
    write!(text, "{name:<NAME$}")?;
    for (level, _) in &levels {
        write!(text, "{level:>SIZE$}")?;
    }
    text.push('\n');
    let methods = levels.iter().map(|(_, outcome)| outcome.methods.len()).max().unwrap_or(0);
    let studied = levels.iter().find(|(_, outcome)| outcome.methods.len() == methods);
    for (place, method) in studied.iter().flat_map(|(_, o)| &o.methods).enumerate() {
        write!(text, "{:<NAME$}", method.method)?;
        for (_, outcome) in &levels {
            let accuracy = outcome.methods.get(place).map(|m| &m.accuracy);
            match accuracy.and_then(|a| a.iter().find(|a| a.sentences == size)) {
                Some(accuracy) => write!(text, "{:>SIZE$.3}", accuracy.mean)?,
                None => write!(text, "{:>SIZE$}", "-")?,
            }
        }
        text.push('\n');
    }
    for (level, outcome) in &levels {
        if let Some(why) = &outcome.missing {
            writeln!(text, "note: {name} {level}: {why}")?;
        }
    }
    Ok(())
}
