//! Captions of figures.

use gazeprint_eval::report::Report;

use crate::number::plural;
use crate::tables::readers;

pub(super) fn accuracy(report: &Report, _: &str) -> String {
    let readers = readers(report);
    let bars = bars(report.protocol.splits);
    format!(
        "Accuracy of identification, (a) over the part of a reader’s test sentences that the \
         probe holds, among {readers}, and (b) over the number of readers to choose from, with \
         all test sentences; readers are drawn at random and draws averaged. {bars}"
    )
}

pub(super) fn seconds(report: &Report, _: &str) -> String {
    let readers = readers(report);
    let bars = bars(report.protocol.splits);
    format!(
        "Accuracy of identification over the time that the probe spent in fixations, among \
         {readers}. Each point counts the readers who read that long; times that fewer than \
         half of them reached in some split are left out. {bars}"
    )
}

pub(super) fn errors(report: &Report, _: &str) -> String {
    let pooled = pooled(report);
    format!(
        "Errors of verification with all test sentences as the threshold is swept, one for all \
         readers: false accepts over false rejects, on logarithmic axes. Lower left is better. \
         Equal error rates stand beside the names. {pooled}"
    )
}

pub(super) fn det(report: &Report, _: &str) -> String {
    let pooled = pooled(report);
    format!(
        "The same errors on normal-deviate axes (detection error trade-off), where normally \
         distributed scores give straight lines. The thin line is where both errors are equal. \
         {pooled}"
    )
}

pub(super) fn errors_by_fraction(report: &Report, _: &str) -> String {
    let pooled = pooled(report);
    format!(
        "Errors of verification with probes of a part of a reader’s test sentences: false \
         accepts over false rejects, one panel for each part. {pooled}"
    )
}

pub(super) fn scores(_: &Report, _: &str) -> String {
    "Scores of true claims (genuine) and of false ones (impostor) with all test \
                 sentences, in the first split: log-likelihood ratio of the claimed reader to \
                 the other readers. Bars are parts of the claims of either kind; units differ \
                 between methods. One in 500 scores at either end is not shown."
        .to_owned()
}

pub(super) fn strangers(report: &Report, _: &str) -> String {
    let judged = report.strangers.iter().flatten().next();
    let counts = judged.map_or(String::new(), |judged| {
        let (enrolled, strangers) = (judged.enrolled, judged.strangers);
        format!(" among {} and {}", plural(enrolled, "reader"), plural(strangers, "stranger"))
    });
    format!(
        "Who is named{counts}, over the time that a probe spent in fixations: (a) part of the probes of \
         enrolled readers that are given the right name, (b) part of the probes of strangers that are \
         given any, on a logarithmic axis. One line for each part of strangers that may be named, which \
         is dotted in (b); a line on the lower edge has seen none. Times that fewer than half of the readers reached in some \
         split are left out. Bands are 95\u{a0}% intervals over readers, in (b) over those who are enrolled as \
         well."
    )
}

pub(super) fn robustness(report: &Report, _: &str) -> String {
    let readers = readers(report);
    let splits = report.robustness.as_ref().map_or(report.protocol.splits, |r| r.splits);
    format!(
        "Accuracy of identification on worse recordings, among {readers}: (a) with normal \
             noise added to every horizontal position, (b) without fixations shorter than a \
             limit. Training and test are degraded alike. {}",
        bars(splits)
    )
}

pub(super) fn densities(_: &Report, who: &str) -> String {
    format!(
        "{who}, training texts of the first split: amplitudes (above) and durations (below) by \
         type of saccade. Bars: observations; line with band: posterior mean of the \
         semiparametric density, with 90\u{a0}% of the posterior; dashed orange line: gamma fit. \
         Amplitudes are confined to intervals, and so are the densities shown."
    )
}

pub(super) fn calibration(_: &Report, who: &str) -> String {
    format!(
        "{who}, test texts of the first split: calibration of the densities learned on the \
         training texts. Part of the observations below each quantile of the density, less the \
         part expected. The band holds the whole curve of a right density with probability \
         95\u{a0}%."
    )
}

pub(super) fn scanpath(_: &Report, who: &str) -> String {
    format!(
        "{who}: the path over a test text of the first split. Circles are fixations, numbered in \
         the order of reading, their area the duration; arcs are saccades, coloured by type, forward ones above the line and \
         backward ones below; thin straight lines are return sweeps."
    )
}

/// Whose claims curves are of.
fn pooled(report: &Report) -> String {
    match report.protocol.splits {
        0 | 1 => "Claims are those of a single split.".to_owned(),
        n => format!("Claims of {n} splits are taken together."),
    }
}

/// What points are means of, and what bars show.
fn bars(splits: usize) -> String {
    match splits {
        0 | 1 => "Points are of a single split, which has no standard error.".to_owned(),
        n => format!(
            "Points are means over {}, bars plus and minus a standard error.",
            plural(n, "split")
        ),
    }
}
