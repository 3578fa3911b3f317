//! What the data can support, and what should be known before numbers are used.

use std::fmt::Write as _;

use gazeprint_eval::report::{MethodFindings, Report};

use crate::figure::escape;
use crate::number::{grouped, percent, plural, rate};
use crate::tables::{fewest_claims, readers};

/// The name of the built-in corpus.
const SIMULATED: &str = "simulated";

/// Limits, then warnings.
pub(super) fn section(report: &Report) -> String {
    let mut out = list(&limits(report), "limits");
    let warnings = warnings(report);
    if warnings.is_empty() {
        out.push_str("<p>There are no warnings.</p>\n");
    } else {
        out.push_str("<h3>Warnings</h3>\n");
        out.push_str(&list(&warnings, "warnings"));
    }
    out
}

fn list(items: &[String], class: &str) -> String {
    let mut out = format!("<ul class=\"{class}\">\n");
    for item in items {
        let _ = writeln!(out, "<li>{item}</li>");
    }
    out.push_str("</ul>\n");
    out
}

fn limits(report: &Report) -> Vec<String> {
    let mut limits = vec![format!(
        "Readers are the sample: with {} in a split a single one is {} of the accuracy with all test \
         sentences. Intervals are over readers of this corpus; they say nothing of readers, texts, \
         trackers or tasks of another kind.",
        readers(report),
        percent(report.protocol.chance())
    )];
    if report.corpus.name == SIMULATED {
        limits.push(
            "These readers are simulated: the numbers show how the methods work and say nothing \
             about people."
                .to_owned(),
        );
    }
    if let Some(claims) = fewest_claims(report).filter(|n| *n > 0) {
        limits.push(format!(
            "With {n} false claims in the smallest split no false match rate below 3/{n} = {} can \
             be shown, even if none is accepted (rule of three). Claims share readers, so that the \
             number that counts is smaller still.",
            rate((3.0 / claims as f64).min(1.0)),
            n = grouped(claims)
        ));
    }
    limits.push(match report.strangers {
        Some(_) => {
            "Accuracy is of readers who are known: someone unknown would be given the name of \
                    whoever is nearest. What strangers meet is told apart from it."
                .to_owned()
        }
        None => {
            "Every probe is of a reader who is known. Someone unknown would be given the name of \
                 whoever is nearest."
                .to_owned()
        }
    });
    limits.push(
        "False claims, too, are made by readers who are known (closed set). But for fusion, a claim is judged by \
         the ratio of the claimed reader to the others, and the one who really read is among these \
         and fits better, so that false claims look weaker than they should. A stranger has nobody \
         there to fit better. Thresholds are fixed for strangers; the table of operating points gives \
         the false match rate both as observed and with the one who makes the claim left out."
            .to_owned(),
    );
    if report.protocol.split == "session" {
        limits.push(
            "People change between sessions. Thresholds are learned across sessions only where \
             readers have several training sessions. Else those of the method population rest on a \
             guess of how much people change, and those of the others hold within the training \
             session: the false match rate observed can exceed the one asked for."
                .to_owned(),
        );
    } else {
        limits.push(
            "Training and test texts may be of the same session. Readers change from day to day, \
             so that accuracy on another day is likely to be lower."
                .to_owned(),
        );
    }
    if report.protocol.splits == 1 {
        limits.push(
            "There is a single split: how much numbers vary with it is not known.".to_owned(),
        );
    }
    limits
}

/// One or two sentences each, as HTML.
fn warnings(report: &Report) -> Vec<String> {
    let mut warnings: Vec<String> = computing(report).collect();
    let clamped: Vec<String> = report
        .methods
        .iter()
        .filter(|m| m.diagnostics.clamped > 0)
        .map(|m| format!("{} {}", escape(&m.method), grouped(m.diagnostics.clamped)))
        .collect();
    if !clamped.is_empty() {
        warnings.push(format!(
            "Test observations beyond the range of the training data were moved to its end: {}.",
            clamped.join(", ")
        ));
    }
    let mut points = report.methods.iter().flat_map(|m| &m.verification.fnmr_at);
    if points.any(|point| !point.supported) {
        warnings.push(
            "Some false match rates were asked for that the number of claims cannot support; they \
             are marked (†)."
                .to_owned(),
        );
    }
    let excluded = report.corpus.excluded_readers.len();
    if excluded > 0 {
        warnings.push(format!("{} took no part in some split.", plural(excluded, "reader")));
    }
    warnings
}

/// Warnings of methods whose computing went wrong.
pub(super) fn computing(report: &Report) -> impl Iterator<Item = String> {
    report.methods.iter().flat_map(of_method)
}

fn of_method(method: &MethodFindings) -> Vec<String> {
    let of = &method.diagnostics;
    let [fits, failed, doubtful] =
        [of.sum(|d| d.fits), of.sum(|d| d.failed), of.sum(|d| d.doubtful)];
    let name = escape(&method.method);
    let mut warnings = Vec::new();
    if failed > 0 {
        warnings.push(format!(
            "{name}: {} of {} failed; those readers got the density of all readers.",
            grouped(failed),
            plural(fits, "fit")
        ));
    }
    let fell = method.diagnostics.fell;
    if fell > 0 {
        warnings.push(format!(
            "{name}: learning {} of the population ran away or lost evidence; an earlier \
             state was kept.",
            plural(fell, "part")
        ));
    }
    if doubtful > 0 {
        let why = match method.engine.as_deref() {
            Some("laplace") => "unreliable importance weights, k-hat above 0.7",
            Some("metropolis") => "chains that have not mixed, under 100 effective draws",
            _ => "divergent transitions or under 100 effective draws",
        };
        warnings.push(format!(
            "{name}: {} of {} in doubt ({why}).",
            grouped(doubtful),
            plural(fits, "posterior")
        ));
    }
    warnings
}
