//! Warnings for people, with what to run.

use gazeprint_recognition::{Location, Warning};

/// Says what is worth knowing of an answer, over the gallery it came from.
pub(crate) fn say(warnings: &[Warning], at: &Location) {
    for warning in warnings {
        eprintln!("{}", told(warning, at));
    }
}

fn told(warning: &Warning, at: &Location) -> String {
    match warning {
        Warning::UnsupportedRate { .. } => format!("warning: {warning}"),
        Warning::OutdatedRules {} => format!(
            "note: readers of {at} were changed since its thresholds were learned; unless another \
             process is at it, run `gazeprint gallery calibrate`"
        ),
        Warning::RulesNotKept {} => format!(
            "note: another process changed {at} meanwhile; thresholds are learned when it is done, or \
             by `gazeprint gallery calibrate`"
        ),
        Warning::NoRows { .. } => format!("note: {at}: {warning}"),
        Warning::NeverAccepts { fmr, window } => {
            too_small("accept", &format!("--fmr {fmr}"), *window, "nobody is accepted")
        }
        Warning::NeverRejects { fnmr, window, instead } => {
            let then = instead.map_or("nobody is rejected".to_owned(), |rate| {
                format!(
                    "it rejects at a rate of false rejects of {rate:.2}, the lowest that it can show"
                )
            });
            too_small("reject", &format!("--fnmr {fnmr}"), *window, &then)
        }
        warning => format!("note: {warning}"),
    }
}

/// A watch that cannot decide at the rate that was asked for.
fn too_small(what: &str, asked: &str, window: usize, then: &str) -> String {
    format!(
        "warning: the gallery is too small to {what} at {asked} from {window} fixations: {then}; ask \
         for a higher rate, or enrol more"
    )
}
