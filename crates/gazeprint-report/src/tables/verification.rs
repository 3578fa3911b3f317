//! Tables of verification: errors, operating points, thresholds.

use gazeprint::method::Score;
use gazeprint_eval::report::{ErrorsAtThreshold, Estimate, Report, VerificationErrors};

use super::{Cell, Mark, Table, note_on_errors, probes_of, sizes};
use crate::number::{
    coarse, fine, general, grouped, plural, plus_minus, proportion, rate, rate_plus_minus, target,
};

/// What false claims are, wherever rates of them stand.
const CLOSED_SET: &str = "False claims are made by readers who are enrolled themselves (closed \
                          set). The ratio to the cohort then holds the claimed reader against the \
                          true one too, which makes these claims look weaker than those of \
                          strangers, for whom thresholds are fixed. Of fusion, claims are scored \
                          against other people, whoever is enrolled.";

/// The paper's Table 2, and what is usual in biometrics.
pub(super) fn errors(report: &Report) -> Table {
    let mut table = Table::new(
        "Verification with all test sentences of a reader: area under false accepts over false \
         rejects, equal error rate (EER), false non-match rate (FNMR) at thresholds fixed on \
         training texts for a false match rate (FMR), and cost of the likelihood ratios in bits.",
    );
    table.words("Method");
    table.numbers("Area");
    table.numbers("EER");
    table.numbers("95\u{a0}% interval");
    let rates = rates(report.methods.iter().map(|m| &m.verification));
    for fmr in &rates {
        table.grouped("FNMR at FMR", target(*fmr));
    }
    let cllr = table.columns.len();
    table.grouped("Cllr", "actual");
    // Intervals of costs are not always computed.
    let intervals = report.methods.iter().any(|m| cllr_interval(&m.verification).is_some());
    if intervals {
        table.grouped("Cllr", "95\u{a0}% interval");
    }
    table.grouped("Cllr", "minimum");
    let cllr_min = table.columns.len() - 1;
    for method in &report.methods {
        let v = &method.verification;
        let mut row = vec![
            Cell::method(&method.method),
            Cell::number(rate_plus_minus(&method.area), method.area.mean),
            Cell::estimate(&v.eer, fine),
            Cell::interval(v.eer.ci95, fine),
        ];
        row.extend(rates.iter().map(|fmr| match at(v, *fmr) {
            Some(point) => fnmr(point, false),
            None => Cell::missing(),
        }));
        row.push(cost(v.cllr));
        if intervals {
            row.push(Cell::interval(cllr_interval(v), proportion));
        }
        row.push(cost(v.cllr_min));
        table.rows.push(row);
    }
    // No best FNMR: at thresholds fixed before, methods differ in the FMR that came of them.
    for column in [1, 2, cllr, cllr_min] {
        table.embolden(column, |a, b| a < b);
    }
    table.note(format!(
        "{} The best area, EER and Cllr are bold; FNMR do not compare, since the FMR observed differ.",
        note_on_errors(report)
    ));
    note_on_support(&mut table, report);
    table.note(CLOSED_SET);
    table
}

/// What came of thresholds that were fixed before the test.
pub(super) fn operating_points(report: &Report) -> Table {
    let mut table = Table::new(
        "Operating points with all test sentences: thresholds fixed on training texts for a false \
         match rate (FMR), and the errors they make on test texts.",
    );
    table.words("Method");
    table.grouped("FMR", "asked for");
    table.grouped("FMR", "observed");
    table.grouped("FMR", "strangers");
    table.grouped("FNMR", "observed");
    table.grouped("FNMR", "95\u{a0}% interval");
    table.grouped("False claims a split", "training");
    table.grouped("False claims a split", "test");
    for method in &report.methods {
        for point in &method.verification.fnmr_at {
            let [training, test] = point.impostor_comparisons;
            table.rows.push(vec![
                Cell::method(&method.method),
                Cell::number(target(point.fmr), point.fmr),
                Cell::number(rate_plus_minus(&point.fmr_observed), point.fmr_observed.mean),
                Cell::number(rate_plus_minus(&point.fmr_strangers), point.fmr_strangers.mean),
                fnmr(point, true),
                Cell::interval(point.fnmr.ci95, proportion),
                Cell::count(training),
                Cell::count(test),
            ]);
        }
    }
    table.note(note_on_errors(report));
    note_on_support(&mut table, report);
    table.note(CLOSED_SET);
    table.note("Strangers: the FMR at the same threshold with the one who makes the claim left out of the others.");
    table
}

/// The same for probes of a few sentences.
pub(super) fn by_sentences(report: &Report) -> Table {
    let mut table = Table::new(
        "Identification and verification by sentences a probe: accuracy, equal error rate (EER), \
         false non-match rate (FNMR) at a false match rate (FMR), and cost of the likelihood \
         ratios in bits.",
    );
    table.words("Method");
    for head in ["Sentences", "Accuracy", "95\u{a0}% interval", "EER"] {
        table.numbers(head);
    }
    let probes = || report.methods.iter().flat_map(|m| &m.by_sentences);
    let rates = rates(probes().map(|s| &s.verification));
    for fmr in &rates {
        table.grouped("FNMR at FMR", target(*fmr));
    }
    table.grouped("Cllr", "actual");
    table.grouped("Cllr", "minimum");
    let sizes = sizes(report);
    for method in &report.methods {
        for s in sizes.iter().filter_map(|&size| probes_of(method, size)) {
            let v = &s.verification;
            let mut row = vec![
                Cell::method(&method.method),
                Cell::count(s.sentences),
                Cell::estimate(&s.accuracy, proportion),
                Cell::interval(s.accuracy.ci95, proportion),
                Cell::estimate(&v.eer, fine),
            ];
            row.extend(rates.iter().map(|fmr| match at(v, *fmr) {
                Some(point) => fnmr(point, false),
                None => Cell::missing(),
            }));
            row.extend([v.cllr, v.cllr_min].map(cost));
            table.rows.push(row);
        }
    }
    table.note(format!("{}{}", note_on_probes(report), note_on_errors(report)));
    if let Some(most) = probes().map(|s| s.shorter_probes).max().filter(|n| *n > 0) {
        table.note(format!(
            "Readers with fewer test sentences than asked for give one probe of all they have, at \
             most {} a row.",
            plural(most, "probe")
        ));
    }
    if table.has(Mark::Dagger) {
        table.note(
            "† Fewer than three false claims by the rate in some split: the figure says how these \
             probes fared and supports no such rate.",
        );
    }
    table.note(CLOSED_SET);
    table
}

/// Where claims are accepted.
pub(super) fn thresholds(report: &Report) -> Table {
    let mut table = Table::new(
        "Thresholds: a claim is accepted where its ratio to the other readers or, where other people \
         decide, its score is at least so large.",
    );
    table.words("Method");
    for head in ["Sentences", "Fixations", "FMR asked for", "Threshold"] {
        table.numbers(head);
    }
    for method in &report.methods {
        for t in &method.thresholds {
            table.rows.push(vec![
                Cell::method(&method.method),
                match t.sentences {
                    Some(n) => Cell::count(n),
                    // Behind every number where the column is sorted.
                    None => Cell { key: Some(f64::MAX), ..Cell::word("all") },
                },
                Cell::number(coarse(t.fixations), t.fixations),
                Cell::number(target(t.fmr), t.fmr),
                Cell::number(plus_minus(&t.threshold, general), t.threshold.mean),
            ]);
        }
    }
    table.note(
        "Fixations are the geometric mean over probes; “all” are all sentences of a fold of the \
         training texts.",
    );
    let similarities: Vec<&str> = report
        .methods
        .iter()
        .filter(|m| m.score == Score::LogSimilarity && !m.thresholds.is_empty())
        .map(|m| m.method.as_str())
        .collect();
    table.note(match similarities[..] {
        [] => "Thresholds are log-likelihood ratios, in nats.".to_owned(),
        _ => format!(
            "Thresholds are log-likelihood ratios, in nats; those of {} are logarithms of ratios of \
             similarities, which have no unit.",
            similarities.join(" and ")
        ),
    });
    table.note(CLOSED_SET);
    table
}

/// How many probes there are of each size: as a sentence, since all methods have the same.
fn note_on_probes(report: &Report) -> String {
    let probes: Vec<String> = sizes(report)
        .into_iter()
        .filter_map(|size| report.methods.iter().find_map(|m| probes_of(m, size)))
        .map(|s| format!("{} of {}", grouped(s.probes), s.sentences))
        .collect();
    match probes.is_empty() {
        true => String::new(),
        false => format!("Probes by sentences, all splits together: {}. ", probes.join(", ")),
    }
}

/// False match rates that were asked for, from high to low.
fn rates<'a>(reports: impl Iterator<Item = &'a VerificationErrors>) -> Vec<f64> {
    let mut rates: Vec<f64> = reports.flat_map(|v| &v.fnmr_at).map(|point| point.fmr).collect();
    rates.sort_by(|a, b| b.total_cmp(a));
    rates.dedup();
    rates
}

fn at(report: &VerificationErrors, fmr: f64) -> Option<&ErrorsAtThreshold> {
    report.fnmr_at.iter().find(|point| point.fmr == fmr)
}

/// A false non-match rate, with a dagger where the claims are too few for the rate asked for.
fn fnmr(point: &ErrorsAtThreshold, with_error: bool) -> Cell {
    let cell = if with_error {
        Cell::estimate(&point.fnmr, proportion)
    } else {
        Cell::number(proportion(point.fnmr.mean), point.fnmr.mean)
    };
    let doubtful = !point.supported && cell.key.is_some();
    cell.marked(doubtful.then_some(Mark::Dagger))
}

/// False claims of the smallest split and side, over all methods with all test sentences.
pub(crate) fn fewest_claims(report: &Report) -> Option<usize> {
    let points = report.methods.iter().flat_map(|m| &m.verification.fnmr_at);
    points.flat_map(|point| point.impostor_comparisons).min()
}

/// What the number of comparisons can show, where a figure claims more.
fn note_on_support(table: &mut Table, report: &Report) {
    let Some(claims) = fewest_claims(report).filter(|_| table.has(Mark::Dagger)) else { return };
    table.note(match claims {
        0 => "† Not supported: some split has no false claims at all.".to_owned(),
        n => format!(
            "† Not supported: with {} false claims no rate below 3/{} = {} can be shown (rule of \
             three). The figure says how these claims fared, no more.",
            grouped(n),
            grouped(n),
            rate((3.0 / n as f64).min(1.0))
        ),
    });
}

fn cllr_interval(v: &VerificationErrors) -> Option<[f64; 2]> {
    v.cllr.and_then(|cllr| cllr.ci95)
}

/// A cost of likelihood ratios; there is none without calibration.
fn cost(cllr: Option<Estimate>) -> Cell {
    cllr.map_or_else(Cell::missing, |c| Cell::estimate(&c, proportion))
}
