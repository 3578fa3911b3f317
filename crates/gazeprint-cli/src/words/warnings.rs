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
        Warning::NeverAccepts { fmr, .. } => {
            let asked = format!("at a rate of false accepts of {fmr}");
            format!("warning: {}", warning.to_string().replace(&asked, &format!("at --fmr {fmr}")))
        }
        Warning::NeverRejects { fnmr, .. } => {
            let asked = format!("at a rate of false rejects of {fnmr} from");
            let told = format!("at --fnmr {fnmr} from");
            format!("warning: {}", warning.to_string().replace(&asked, &told))
        }
        warning => format!("note: {warning}"),
    }
}
