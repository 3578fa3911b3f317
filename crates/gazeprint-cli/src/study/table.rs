//! The results of a study for people.

mod attacks;
mod filling;
mod notes;
mod robustness;
mod strangers;
mod watch;

pub(crate) use self::filling::Filling;

use std::fmt::Write;

use gazeprint_eval::report::{Estimate, MethodFindings, Report, StudyProtocol};
use gazeprint_eval::robustness::Robustness;
use gazeprint_report::folder::Folder;
use gazeprint_report::number::grouped;

use crate::inspect::{plural, visible};
use crate::words::strong;

/// Counts with what they count, those that are not zero.
pub(super) fn reasons<'a>(counts: impl IntoIterator<Item = (&'a str, usize)>) -> String {
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(_, n)| *n > 0)
        .map(|(reason, n)| format!("{} {}", grouped(n), reason.replace('_', " ")))
        .collect();
    parts.join(", ")
}

/// The results for people.
pub(super) fn table(report: &Report, folder: Option<&Folder>) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    introduction(&mut text, report)?;
    let named = Named::of(report);
    heading(&mut text, report, &named)?;
    for method in &report.methods {
        line(&mut text, method, &named)?;
    }
    let errors =
        if report.protocol.splits > 1 { "\n          ± standard error over splits" } else { "" };
    writeln!(
        text,
        "\naccuracy: part of the probes whose reader is ranked first{errors}\n\
         area:     probability that an impostor outscores the genuine reader\n\
         EER:      equal error rate of verification\n{}\
         sec:      seconds of tuning, fitting and scoring, all splits",
        named.legend()
    )?;
    let size = Robustness::telling_size(&report.protocol.probe_sentences);
    for attacked in report.attacks.iter().flatten() {
        attacks::attacks(&mut text, attacked, size)?;
    }
    if let Some(judged) = &report.strangers {
        strangers::strangers(&mut text, judged)?;
    }
    for watched in report.watch.iter().flatten() {
        watch::watch(&mut text, watched)?;
    }
    if let Some(worse) = &report.robustness {
        robustness::robustness(&mut text, report, worse)?;
    }
    notes::notes(&mut text, report)?;
    if let Some(folder) = folder {
        let (path, page) = (folder.path().display(), folder.page());
        writeln!(text, "\nwritten to {path}; look at {}", page.display())?;
    }
    Ok(text)
}

/// What was studied, and how.
pub(super) fn introduction(text: &mut String, report: &Report) -> std::fmt::Result {
    let (corpus, protocol) = (&report.corpus, &report.protocol);
    writeln!(
        text,
        "{}: {}, {}, {}",
        visible(&corpus.name),
        plural(corpus.readers, "reader"),
        plural(corpus.texts, "text"),
        plural(corpus.fixations, "fixation"),
    )?;
    if !corpus.dropped.is_empty() {
        let dropped = reasons(corpus.dropped.iter().map(|(reason, n)| (reason.as_str(), *n)));
        writeln!(text, "fixations dropped: {dropped}")?;
    }
    if !corpus.excluded_readers.is_empty() {
        let excluded = &corpus.excluded_readers;
        let named: Vec<String> = excluded.iter().take(NAMED).map(|name| visible(name)).collect();
        let more = match excluded.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        writeln!(
            text,
            "{} left out of some split, without training or test texts there: {}{more}",
            plural(excluded.len(), "reader"),
            named.join(", ")
        )?;
    }
    writeln!(
        text,
        "{}; {}, seed {}; {}\n",
        division(protocol),
        plural(protocol.splits, "split"),
        protocol.seed,
        chance(corpus.readers, protocol)
    )
}

/// What guessing would reach, with the number of readers to guess from where it is not that of the
/// corpus.
fn chance(readers: usize, protocol: &StudyProtocol) -> String {
    let by_split = protocol.readers_by_split.iter().copied();
    let fewest = by_split.clone().min().unwrap_or(readers);
    let most = by_split.max().unwrap_or(readers);
    let mean = protocol.chance();
    match () {
        () if fewest < most => {
            let (low, high) = (1.0 / most as f64, 1.0 / fewest as f64);
            format!("{fewest} to {most} readers a split, chance {low:.3} to {high:.3}")
        }
        () if most < readers => format!("{} a split, chance {mean:.3}", plural(most, "reader")),
        () => format!("chance {mean:.3}"),
    }
}

/// How the corpus was divided, in words.
fn division(protocol: &StudyProtocol) -> String {
    let part = protocol.train_fraction.map(|part| (1000.0 * part).round() / 10.0);
    match (protocol.split.as_str(), part) {
        ("random", Some(part)) => format!("{part} % of the texts train, the others test"),
        ("temporal", Some(part)) => {
            format!("the first {part} % of what each reader read trains, the rest tests")
        }
        ("session", _) => visible(&protocol.names.join("; ")),
        _ => "divided as the file of splits says".to_owned(),
    }
}

/// Excluded readers that the table names; study.json names them all.
const NAMED: usize = 8;
/// Widths of the table's columns.
const NAME: usize = 18;
const SIZE: usize = 6;

fn heading(text: &mut String, report: &Report, named: &Named<'_>) -> std::fmt::Result {
    let sizes = &report.protocol.probe_sentences;
    let by_size = if sizes.is_empty() { "" } else { "  accuracy by texts" };
    let width = width(sizes.len());
    writeln!(text, "{}", strong(&format!("{:NAME$}{by_size:<width$}  all test texts", "")))?;
    let mut line = format!("{:<NAME$}", "method");
    for size in sizes {
        write!(line, "{size:>SIZE$}")?;
    }
    let gap = width - SIZE * sizes.len();
    write!(line, "{:gap$}  {:<11}{:>7}{:>7}", "", "accuracy", "area", "EER")?;
    writeln!(text, "{}", strong(&format!("{line}{}{:>5}", named.heading(), "sec")))
}

/// Of the columns by size, at least that of their heading.
fn width(sizes: usize) -> usize {
    if sizes == 0 { 0 } else { (SIZE * sizes).max("  accuracy by texts".len()) }
}

fn line(text: &mut String, method: &MethodFindings, named: &Named<'_>) -> std::fmt::Result {
    write!(text, "{:<NAME$}", method.method)?;
    for size in &method.by_sentences {
        if size.shorter_probes == size.probes {
            write!(text, "{:>SIZE$}", "-")?;
        } else {
            write!(text, "{:>SIZE$.3}", size.accuracy.mean)?;
        }
    }
    let sizes = method.by_sentences.len();
    let gap = width(sizes) - SIZE * sizes;
    let area = match method.area.mean {
        0.0 => "0".to_owned(),
        area => format!("{area:.1e}"),
    };
    writeln!(
        text,
        "{:gap$}  {:<11}{area:>7}{:>7.4}{}{:>5.0}",
        "",
        estimate(&method.accuracy),
        method.verification.eer.mean,
        named.cell(method),
        method.tune_seconds + method.fit_seconds + method.score_seconds
    )
}

/// Readers named among strangers, at a size of probes that tells much.
struct Named<'a> {
    report: &'a Report,
    size: Option<usize>,
}

/// The rate of strangers who may be named.
const RATE: f64 = 0.01;

impl<'a> Named<'a> {
    fn of(report: &'a Report) -> Self {
        Self { report, size: Robustness::telling_size(&report.protocol.probe_sentences) }
    }

    fn heading(&self) -> String {
        self.report.strangers.as_ref().map_or_else(String::new, |_| format!("{:>6}", "named"))
    }

    fn cell(&self, method: &MethodFindings) -> String {
        let Some(judged) = &self.report.strangers else { return String::new() };
        let judged = judged.iter().find(|judged| judged.method == method.method);
        let size = judged.and_then(|j| j.by_size.iter().find(|s| s.sentences == self.size));
        let rate = size.and_then(|size| size.rates.iter().find(|at| at.rate == RATE));
        rate.map_or_else(|| format!("{:>6}", "-"), |at| format!("{:>6.3}", at.named.mean))
    }

    fn legend(&self) -> String {
        match &self.report.strangers {
            None => String::new(),
            Some(_) => {
                let texts =
                    self.size.map_or("all test texts".to_owned(), |size| plural(size, "text"));
                format!(
                    "named:    part of the probes of enrolled readers that are named after {texts},\n\
                     {:10}where {RATE} of strangers may be\n",
                    ""
                )
            }
        }
    }
}

fn estimate(value: &Estimate) -> String {
    match value.se {
        // Without its first nought, as the rest of the line is long.
        Some(se) => format!("{:.3} ±{}", value.mean, format!("{se:.3}").trim_start_matches('0')),
        None => format!("{:.3}", value.mean),
    }
}
