//! Warnings for people, with what to run.

use gazeprint_recognition::{Location, Warning};

use crate::words;

/// Says what is worth knowing of an answer, over the gallery it came from.
pub(crate) fn say(warnings: &[Warning], at: &Location) {
    warnings.iter().for_each(|warning| tell(warning, at));
}

fn tell(warning: &Warning, at: &Location) {
    match warning {
        Warning::UnsupportedRate { .. } | Warning::HigherRate { .. } => {
            words::warning(&warning.to_string())
        }
        Warning::OutdatedRules {} => words::note(&format!(
            "{at} has half as many readers more, or a third fewer, than its thresholds were learned \
             from; unless another process is at it, run `gazeprint gallery calibrate`"
        )),
        Warning::RulesNotKept {} => words::note(&format!(
            "another process changed {at} meanwhile; thresholds are learned when it is done, or \
             by `gazeprint gallery calibrate`"
        )),
        Warning::NoRows { .. } => words::note(&format!("{at}: {warning}")),
        Warning::NeverAccepts { fmr, window } => {
            too_small("accept", &format!("--fmr {fmr}"), *window, "nobody is accepted");
        }
        Warning::NeverRejects { fnmr, window, instead } => {
            let then = instead.map_or("nobody is rejected".to_owned(), |rate| {
                format!(
                    "it rejects at a rate of false rejects of {rate:.2}, the lowest that it can show"
                )
            });
            too_small("reject", &format!("--fnmr {fnmr}"), *window, &then);
        }
        warning => words::note(&warning.to_string()),
    }
}

/// A watch that cannot decide at the rate that was asked for.
fn too_small(what: &str, asked: &str, window: usize, then: &str) {
    words::warning(&format!(
        "the gallery is too small to {what} at {asked} from {window} fixations: {then}; ask \
         for a higher rate, or enrol more"
    ));
}
