//! Protocol and measures in words.

use std::fmt::Write as _;

use gazeprint_eval::report::Report;

use crate::figure::escape;
use crate::number::{grouped, percent, plural};
use crate::tables::readers;

/// Readers that are named; `study.json` names them all.
const NAMED: usize = 8;

/// How the corpus was divided.
pub(super) fn protocol(report: &Report) -> String {
    let mut out = format!("<p>{} {}</p>\n", split(report), probes(report));
    if !report.protocol.names.is_empty() {
        let names: Vec<String> = report.protocol.names.iter().map(|name| escape(name)).collect();
        let _ = writeln!(out, "<p>The splits: {}.</p>", names.join("; "));
    }
    let _ = writeln!(out, "<p>{}</p>", data(report));
    out
}

fn split(report: &Report) -> String {
    let protocol = &report.protocol;
    let part = protocol.train_fraction.map_or("Some".to_owned(), percent);
    let repeated = match protocol.splits {
        1 => "This was done once".to_owned(),
        n => format!("This was repeated {n} times"),
    };
    let how = match protocol.split.as_str() {
        "random" => format!(
            "{part} of the texts, drawn at random and the same for all readers, train; the others \
             test."
        ),
        "temporal" => format!(
            "{part} of the texts of each session, those that a reader read first, train; those read \
             later in the session test. A text stays on the side of its first reading. So with \
             several sessions, or texts that are read again, some of the training comes after some \
             of the test."
        ),
        "session" => {
            "Whole sessions train and other sessions test, so that readers are recognised \
                      on another occasion than they were learned on."
                .to_owned()
        }
        "file" => "A file says which texts train and which test.".to_owned(),
        other => format!("Texts train or test by a split of the kind {}.", escape(other)),
    };
    let drawn = match protocol.readers {
        Some(n) => format!(" {} were drawn from the corpus.", plural(n, "reader")),
        None => String::new(),
    };
    format!(
        "{how} {repeated}, with seed {} for everything random.{drawn} Whatever is tuned is tuned on \
         training texts alone.",
        protocol.seed
    )
}

fn probes(report: &Report) -> String {
    let sizes: Vec<String> =
        report.protocol.probe_sentences.iter().map(|size| size.to_string()).collect();
    let few = match sizes.split_last() {
        None => String::new(),
        Some((one, [])) => format!(", and in disjoint groups of {one}"),
        Some((last, first)) => {
            format!(", and in disjoint groups of {} and {last}", first.join(", "))
        }
    };
    format!(
        "A probe is what is to be recognised: all test sentences of a reader together{few}. Every \
         probe is compared with all readers of its split: {}.",
        readers(report)
    )
}

/// What was left out, and why.
fn data(report: &Report) -> String {
    let corpus = &report.corpus;
    let [shortest, longest] = report.protocol.durations_ms;
    let mut out = format!("Fixations of {shortest} to {longest}\u{a0}ms count.");
    let dropped: Vec<String> = corpus
        .dropped
        .iter()
        .filter(|(_, n)| **n > 0)
        .map(|(reason, n)| format!("{} {}", grouped(*n), escape(&reason.replace('_', " "))))
        .collect();
    let sum: usize = corpus.dropped.values().sum();
    let _ = match sum {
        0 => write!(out, " None of the {} was dropped.", plural(corpus.fixations, "fixation")),
        n => write!(
            out,
            " Of {}, {} ({}) {} dropped: {}.",
            plural(corpus.fixations, "fixation"),
            grouped(n),
            percent(n as f64 / corpus.fixations as f64),
            if n == 1 { "was" } else { "were" },
            dropped.join(", ")
        ),
    };
    let excluded = &corpus.excluded_readers;
    let named: Vec<String> = excluded.iter().take(NAMED).map(|name| escape(name)).collect();
    let more = match excluded.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let _ = match excluded.len() {
        0 => write!(out, " No reader was left out."),
        n => write!(
            out,
            " {} left out of some split, without training or test texts there: {}{more}.",
            if n == 1 {
                "One reader was".to_owned()
            } else {
                format!("{} were", plural(n, "reader"))
            },
            named.join(", ")
        ),
    };
    out
}

/// What each number means.
pub(super) fn measures(report: &Report) -> String {
    let spread = if report.protocol.splits > 1 {
        (
            "standard error (±)",
            "How much the mean over splits would change with other splits of the \
          same readers; it says nothing of other readers.",
        )
    } else {
        ("standard error", "Not known: there is a single split.")
    };
    let terms = [
        (
            "accuracy",
            "Part of the probes for which the true reader scores highest; readers that tie \
          share the point.",
        ),
        (
            "rank k",
            "Part of the probes for which the true reader is among the k that score highest.",
        ),
        (
            "area",
            "Probability that an impostor outscores the genuine reader: the area under the \
          curve of false accepts over false rejects; lower is better.",
        ),
        (
            "EER",
            "Equal error rate: the part of claims misjudged at the threshold where true and \
          false claims are misjudged equally often.",
        ),
        (
            "FMR, FNMR",
            "False match rate: part of the false claims accepted. False non-match rate: \
          part of the true claims rejected. Thresholds were fixed on training texts, as a \
          gallery of these readers fixes them: for people who are not enrolled.",
        ),
        (
            "false claims",
            "Every probe is also held against the claim to be each of the other readers. All who \
          claim falsely are thus enrolled themselves (closed set). The ratio to the cohort, which \
          area, EER, FMR and FNMR rest on, holds the claimed reader against the true one among \
          others; a stranger would be held against people who are all wrong. So false claims look \
          weaker here than those of strangers would, and the FMR observed is lower than the one that \
          thresholds were fixed for; that against strangers stands beside it.",
        ),
        (
            "strangers",
            "Half of the readers of a split, drawn anew for each, who are not enrolled and had no part in \
          anything (open set). A probe is given a name, said to be likely somebody’s, or unknown. \
          Intervals of what strangers met draw the enrolled as well.",
        ),
        (
            "Cllr",
            "Cost of the likelihood ratios in bits: 0 for an oracle, 1 for one that knows \
          nothing, more for one that misleads. The minimum is what the best calibration would \
          leave; the rest is lost to calibration.",
        ),
        spread,
        (
            "95\u{a0}% interval",
            "By drawing readers with replacement (bootstrap) as those who produce the probes, \
          against a fixed gallery: how much the number would change if other readers of the gallery's \
          kind produced them. What another gallery would change is not counted.",
        ),
    ];
    let mut out = String::from("<dl class=\"terms\">\n");
    for (term, meaning) in terms {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{meaning}</dd>");
    }
    out.push_str("</dl>\n");
    out
}
