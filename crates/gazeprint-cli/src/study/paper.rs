//! The tables of the paper, with its numbers beside those of a study.

use std::fmt::Write;

use gazeprint_eval::report::{Estimate, Report};
use gazeprint_report::folder::Folder;
use gazeprint_report::paper::facts::{CORPUS, METHODS, PAPER, READERS};

use super::table::introduction;
use crate::words::strong;

/// Both tables for people.
pub(super) fn tables(report: &Report, folder: Option<&Folder>) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    introduction(&mut text, report)?;
    let groups = format!("{:20}{:30}{}", "", "Table 1: accuracy", "Table 2: area");
    let heads = format!("{:20}{:15}{:15}{:15}{}", "method", "paper", "here", "paper", "here");
    writeln!(text, "{}\n{}", strong(&groups), strong(&heads))?;
    for reported in &METHODS {
        let found = report.methods.iter().find(|found| found.method == reported.method);
        let Some(found) = found else { continue };
        let theirs = accuracy(reported.accuracy, Some(reported.accuracy_se));
        let Estimate { mean, se, .. } = found.accuracy;
        writeln!(
            text,
            "{:20}{theirs:15}{:15}{:<15.7}{:.7}",
            reported.method,
            accuracy(mean, se),
            reported.area,
            found.area.mean
        )?;
    }
    writeln!(
        text,
        "\npaper:    {PAPER},\n          {READERS} readers of the {CORPUS}\n\
         accuracy: part of the probes whose reader is ranked first, with all test texts,\n          \
         ± standard error over splits\n\
         area:     under false accepts over false rejects"
    )?;
    if let Some(folder) = folder {
        let (path, page) = (folder.path().display(), folder.page());
        writeln!(text, "\nwritten to {path}; look at {}", page.display())?;
    }
    Ok(text)
}

/// A mean with its standard error, without their first noughts, as the paper has them.
fn accuracy(mean: f64, se: Option<f64>) -> String {
    let short = |value: f64| {
        let text = format!("{value:.4}");
        text.strip_prefix('0').unwrap_or(&text).to_owned()
    };
    se.map_or_else(|| short(mean), |se| format!("{} ± {}", short(mean), short(se)))
}
