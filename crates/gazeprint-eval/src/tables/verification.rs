//! Tables of verification: errors, operating points, thresholds.

use super::number::{
    coarse, fine, general, grouped, plural, plus_minus, proportion, rate, rate_plus_minus, target,
};
use super::{Cell, Mark, Table, note_on_errors, probes_of, sizes};
use crate::report::{Estimate, OperatingReport, Report, VerificationReport};

/// The paper's Table 2, and what is usual in biometrics.
pub(super) fn errors(report: &Report) -> Table {
    let mut table = Table::new(
        "verification",
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
    table.grouped("Cllr", "actual");
    table.grouped("Cllr", "minimum");
    for method in &report.methods {
        let v = &method.verification;
        let mut row = vec![
            Cell::word(&method.method),
            Cell::number(rate_plus_minus(&method.area), method.area.mean),
            Cell::estimate(&v.eer, fine),
            Cell::interval(v.eer.ci95, fine),
        ];
        row.extend(rates.iter().map(|fmr| match at(v, *fmr) {
            Some(point) => fnmr(point, false),
            None => Cell::missing(),
        }));
        row.extend([v.cllr, v.cllr_min].map(cost));
        table.rows.push(row);
    }
    for column in (1..table.columns.len()).filter(|c| *c != 3) {
        table.embolden(column, |a, b| a < b);
    }
    table.note(format!("{} The best of each column is bold.", note_on_errors(report)));
    note_on_support(&mut table, report);
    table
}

/// What came of thresholds that were fixed before the test.
pub(super) fn operating_points(report: &Report) -> Table {
    let mut table = Table::new(
        "operating-points",
        "Operating points with all test sentences: thresholds fixed on training texts for a false \
         match rate (FMR), and the errors they make on test texts.",
    );
    table.words("Method");
    table.grouped("FMR", "asked for");
    table.grouped("FMR", "observed");
    table.grouped("FNMR", "observed");
    table.grouped("FNMR", "95\u{a0}% interval");
    table.grouped("False claims a split", "training");
    table.grouped("False claims a split", "test");
    for method in &report.methods {
        for point in &method.verification.fnmr_at {
            let [training, test] = point.impostor_comparisons;
            table.rows.push(vec![
                Cell::word(&method.method),
                Cell::number(target(point.fmr), point.fmr),
                Cell::number(rate_plus_minus(&point.fmr_observed), point.fmr_observed.mean),
                fnmr(point, true),
                Cell::interval(point.fnmr.ci95, proportion),
                Cell::count(training),
                Cell::count(test),
            ]);
        }
    }
    table.note(note_on_errors(report));
    note_on_support(&mut table, report);
    table
}

/// The same for probes of a few sentences.
pub(super) fn by_sentences(report: &Report) -> Table {
    let mut table = Table::new(
        "by-sentences",
        "Identification and verification by sentences a probe: accuracy, equal error rate (EER), \
         false non-match rate (FNMR) at a false match rate (FMR), and cost of the likelihood \
         ratios in bits.",
    );
    table.words("Method");
    for head in ["Sentences", "Probes", "Accuracy", "95\u{a0}% interval", "EER"] {
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
                Cell::word(&method.method),
                Cell::count(s.sentences),
                Cell::count(s.probes),
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
    table.note(format!("Probes of all splits together. {}", note_on_errors(report)));
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
    table
}

/// Where claims are accepted.
pub(super) fn thresholds(report: &Report) -> Table {
    let mut table = Table::new(
        "thresholds",
        "Thresholds learned on training texts: a claim is accepted where its log-likelihood ratio \
         to the other readers (nats) is at least so large.",
    );
    table.folded = true;
    table.words("Method");
    for head in ["Sentences", "Fixations", "FMR asked for", "Threshold"] {
        table.numbers(head);
    }
    for method in &report.methods {
        for t in &method.thresholds {
            table.rows.push(vec![
                Cell::word(&method.method),
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
    table
}

/// False match rates that were asked for, from high to low.
fn rates<'a>(reports: impl Iterator<Item = &'a VerificationReport>) -> Vec<f64> {
    let mut rates: Vec<f64> = reports.flat_map(|v| &v.fnmr_at).map(|point| point.fmr).collect();
    rates.sort_by(|a, b| b.total_cmp(a));
    rates.dedup();
    rates
}

fn at(report: &VerificationReport, fmr: f64) -> Option<&OperatingReport> {
    report.fnmr_at.iter().find(|point| point.fmr == fmr)
}

/// A false non-match rate, with a dagger where the claims are too few for the rate asked for.
fn fnmr(point: &OperatingReport, with_error: bool) -> Cell {
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

/// A cost of likelihood ratios; there is none without calibration.
fn cost(cllr: Option<Estimate>) -> Cell {
    cllr.map_or_else(Cell::missing, |c| Cell::number(proportion(c.mean), c.mean))
}
