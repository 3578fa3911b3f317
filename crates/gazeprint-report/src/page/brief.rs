//! The main results in words.

use std::fmt::Write as _;

use gazeprint_eval::report::{Estimate, MethodFindings, Report};
use gazeprint_eval::robustness::Robustness;

use super::limits;
use crate::figure::escape;
use crate::number::{coarse, percent, plural};
use crate::tables::{probes_of, readers};

/// The accuracy that counts as enough in "how much reading suffices".
const ENOUGH: f64 = 0.9;
/// The part of strangers who may be named.
const STRANGERS: f64 = 0.01;

/// What a reader in a hurry should know.
pub(super) fn section(report: &Report) -> String {
    let mut methods: Vec<&MethodFindings> =
        report.methods.iter().filter(|m| m.accuracy.mean.is_finite()).collect();
    // Stable: of equals, the first in the report leads.
    methods.sort_by(|a, b| b.accuracy.mean.total_cmp(&a.accuracy.mean));
    let Some((best, others)) = methods.split_first() else {
        return "<p class=\"lead\">No method was studied.</p>\n".to_owned();
    };
    let mut out = format!("<p class=\"lead\">{}", identification(report, best));
    if let Some(next) = others.first() {
        let _ = write!(out, " {}", comparison(report, best, next));
    }
    let _ = write!(out, "</p>\n<p>{}</p>\n<p>{}</p>\n", reading(best), verification(best));
    if let Some(naming) = naming(report, best) {
        let _ = writeln!(out, "<p>{naming}</p>");
    }
    let doubts: Vec<String> = limits::computing(report).collect();
    if !doubts.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"warning\">{} See the <a href=\"#limits\">warnings</a>.</p>",
            doubts.join(" ")
        );
    }
    out
}

fn name(method: &MethodFindings) -> String {
    format!("<b>{}</b>", escape(&method.method))
}

/// The interval of an estimate, where it has one.
fn range(estimate: &Estimate) -> Option<String> {
    let [low, high] = estimate.ci95?;
    Some(format!("95\u{a0}% interval {} to {}", percent(low), percent(high)))
}

fn identification(report: &Report, best: &MethodFindings) -> String {
    let interval = range(&best.accuracy).map_or(String::new(), |range| format!(" ({range})"));
    format!(
        "Among {}, {} finds the right one for <b>{}</b> of the probes when it sees all test \
         sentences of a reader{interval}. Guessing would find {}.",
        readers(report),
        name(best),
        percent(best.accuracy.mean),
        percent(report.protocol.chance())
    )
}

/// The best method against the next.
fn comparison(report: &Report, best: &MethodFindings, next: &MethodFindings) -> String {
    let mut out = format!("Next is {} with {}", name(next), percent(next.accuracy.mean));
    let paired = report.paired.iter().filter(|p| p.sentences.is_none()).find_map(|p| {
        if (&p.a, &p.b) == (&best.method, &next.method) {
            Some((p.ci95, p.significant))
        } else if (&p.b, &p.a) == (&best.method, &next.method) {
            Some(([-p.ci95[1], -p.ci95[0]], p.significant))
        } else {
            None
        }
    });
    if let Some(([low, high], significant)) = paired {
        let [low, high] = [low, high].map(|end| coarse(100.0 * end));
        let _ = if low == high && !significant {
            write!(out, "; whichever readers are drawn, the two are right equally often")
        } else {
            write!(
                out,
                "; the 95\u{a0}% interval of the difference, {low} to {high} percentage points, {}",
                if significant {
                    "leaves out 0"
                } else {
                    "includes 0: these data do not tell the two apart"
                }
            )
        };
    }
    out + "."
}

/// How much reading suffices.
fn reading(best: &MethodFindings) -> String {
    let enough = |estimate: &Estimate| estimate.mean >= ENOUGH;
    let sizes: Vec<_> =
        best.by_sentences.iter().filter_map(|s| probes_of(best, s.sentences)).collect();
    let sentences = sizes.iter().find(|s| enough(&s.accuracy));
    let seconds = best.by_seconds.iter().find(|s| enough(&s.accuracy));
    let sentences = sentences
        .map(|s| format!("{} ({})", plural(s.sentences, "sentence"), percent(s.accuracy.mean)));
    let seconds = seconds
        .map(|s| format!("{}\u{a0}s of fixations ({})", s.seconds, percent(s.accuracy.mean)));
    let level = percent(ENOUGH);
    let answer = match (sentences, seconds) {
        (Some(sentences), Some(seconds)) => {
            format!("{level} of the probes are recognised from {sentences} on, or after {seconds}.")
        }
        (Some(one), None) | (None, Some(one)) => {
            format!("{level} of the probes are recognised from {one} on.")
        }
        (None, None) => {
            let most = sizes.last().map_or(String::new(), |s| {
                let size = plural(s.sentences, "sentence");
                format!(" With {size} it is {}.", percent(s.accuracy.mean))
            });
            if enough(&best.accuracy) {
                format!("only all test sentences together reach an accuracy of {level}.{most}")
            } else {
                format!("nothing that was tried reaches an accuracy of {level}.{most}")
            }
        }
    };
    format!("How much reading suffices: {answer}")
}

/// How well the best method checks claims.
fn verification(best: &MethodFindings) -> String {
    let eer = &best.verification.eer;
    let interval = range(eer).map_or(String::new(), |range| format!(" ({range})"));
    let mut out = format!(
        "Asked whether a probe is of the reader it is said to be of, {} errs in {} of the claims \
         at the threshold where true and false claims are misjudged equally often{interval}.",
        name(best),
        percent(eer.mean)
    );
    let points = best.verification.fnmr_at.iter();
    let strictest = points
        .filter(|point| point.supported && point.fnmr.mean.is_finite())
        .min_by(|a, b| a.fmr.total_cmp(&b.fmr));
    if let Some(point) = strictest {
        let _ = write!(
            out,
            " At a threshold fixed on training texts to accept {} of the false claims it accepted \
             {} of those of the test texts, and rejected {} of the true ones.",
            percent(point.fmr),
            percent(point.fmr_observed.mean),
            percent(point.fnmr.mean)
        );
    }
    out
}

/// How often the best method names readers, where strangers are about.
fn naming(report: &Report, best: &MethodFindings) -> Option<String> {
    let size = Robustness::telling_size(&report.protocol.probe_sentences);
    let judged = report.strangers.iter().flatten().find(|judged| judged.method == best.method)?;
    let probes = judged.by_size.iter().find(|probes| probes.sentences == size)?;
    let at = probes.rates.iter().find(|at| at.rate == STRANGERS)?;
    let words = size.map_or("all test sentences".to_owned(), |size| plural(size, "sentence"));
    let interval = range(&at.named).map_or(String::new(), |range| format!(" ({range})"));
    Some(format!(
        "Asked who it is, if anybody that is known, it names <b>{}</b> of the probes of {words}{interval} \
         where half of the readers are strangers and {} of those may be named; {} were.",
        percent(at.named.mean),
        percent(STRANGERS),
        percent(at.fpir.mean)
    ))
}
