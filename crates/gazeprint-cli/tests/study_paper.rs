//! `study --paper`, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::{Path, PathBuf};

use gazeprint_report::paper::Exhibit;
use gazeprint_report::paper::facts::METHODS;
use serde_json::Value;

use common::{gazeprint, refused, succeeded};

/// A study of a few simulated readers.
const SMALL: [&str; 7] = ["study", "simulated", "--paper", "--readers", "6", "--splits", "2"];

fn small(more: &[&str]) -> std::process::Output {
    gazeprint(&[&SMALL[..], more].concat())
}

/// The files below a folder, in order.
fn files(folder: &Path) -> Vec<String> {
    let mut found: Vec<PathBuf> = vec![folder.to_owned()];
    let mut names = Vec::new();
    while let Some(path) = found.pop() {
        if path.is_dir() {
            found.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            names.push(path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
    names.sort();
    names
}

/// The cells of the rows of a Markdown table, without heads.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let rows = text.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn exactly_the_papers_tables_and_figures_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("paper");
    let to = ["--out", out.to_str().unwrap()];
    let answer = succeeded(&small(&to));
    let scores = METHODS.map(|reported| format!("scores/{}.csv", reported.method));
    let others = ["paper.md", "splits.csv", "study.json"].map(str::to_owned);
    let mut expected: Vec<String> = Exhibit::ALL.iter().flat_map(|e| e.files()).collect();
    expected.extend(others.into_iter().chain(scores));
    expected.sort();
    assert_eq!(files(&out), expected);
    assert_eq!(Exhibit::ALL.iter().flat_map(|e| e.files()).count(), 2 * 2 + 5 * 4);

    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let study: Value = serde_json::from_str(&read("study.json")).unwrap();
    let methods = study["methods"].as_array().unwrap();
    let (accuracy, area, page) = (read("table-1.md"), read("table-2.md"), read("paper.md"));
    let (accuracy, area) = (rows(&accuracy), rows(&area));
    assert_eq!([accuracy.len(), area.len(), methods.len()], [METHODS.len(); 3]);
    for ((reported, accuracy), area) in METHODS.iter().zip(accuracy).zip(area) {
        let found = methods.iter().find(|m| m["method"] == reported.method).unwrap();
        let value = |of: &str, what: &str| found[of][what].as_f64().unwrap();
        let theirs = format!("{:.4} ± {:.4}", reported.accuracy, reported.accuracy_se);
        let [mean, se] = ["mean", "se"].map(|what| value("accuracy", what));
        assert_eq!(accuracy, [reported.method, &theirs, &format!("{mean:.4} ± {se:.4}")]);
        let [mean, se] = ["mean", "se"].map(|what| value("area", what));
        let here = format!("{mean:.7} ± {se:.7}");
        assert_eq!(area, [reported.method, &format!("{:.7}", reported.area), &here]);
        // The terminal says the same.
        let line = answer.lines().find(|l| l.starts_with(&format!("{} ", reported.method)));
        let line = line.unwrap();
        assert!(line.ends_with(&format!("{:<15.7}{mean:.7}", reported.area)), "{line}");
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert_eq!(study["protocol"]["probe_sentences"].as_array().unwrap().len(), 0);
    assert_eq!(study["strangers"], Value::Null);
    assert!(page.contains("![Figure 5](figure-5.svg)") && page.contains("**Table 2.**"), "{page}");
    assert!(answer.contains("paper.md"), "{answer}");
    let splits = read("splits.csv");
    let first = splits.lines().nth(1).unwrap().split(',').nth(1).unwrap();
    assert!(read("figure-1.csv").contains(&format!("\n{first},refixation,histogram,-")), "{first}");
    assert!(read("table-1.tex").contains("\\label{tab:gazeprint-table-1}"));
    assert!(read("table-1.tex").contains("$0.9562 \\pm 0.0092$"));

    // Another layout leaves nothing of this one, and the other way round.
    let plain =
        ["study", "simulated", "--readers", "6", "--splits", "1", "--methods", "landwehr-t"];
    succeeded(&gazeprint(&[&plain[..], &to, &["--overwrite"]].concat()));
    assert!(!out.join("paper.md").exists() && !out.join("figure-1.svg").exists());
    assert!(out.join("report.html").exists());
    succeeded(&small(&[&to[..], &["--overwrite"]].concat()));
    assert_eq!(files(&out), expected);
}

#[test]
fn what_is_not_the_papers_is_refused() {
    let contradictions: [&[&str]; 11] = [
        &["--methods", "landwehr"],
        &["--people", "nobody"],
        &["--noise"],
        &["--attacks"],
        &["--watch"],
        &["--split", "temporal"],
        &["--train-fraction", "0.4"],
        &["--train-sessions", "1"],
        &["--splits-file", "splits.csv"],
        &["--probe-sentences", "1"],
        &["--scoring", "full-average"],
    ];
    for options in contradictions {
        let told = refused(&small(options), 2);
        assert!(told.contains("cannot be used with") && told.contains(options[0]), "{told}");
    }
    // Some of what may be said.
    let allowed =
        ["--engine", "metropolis", "--iterations", "40", "--step", "isotropic", "--seed", "3"];
    assert!(succeeded(&small(&allowed)).contains("Table 2: area"));
}

#[test]
fn the_corpus_is_divided_as_often_as_in_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("paper");
    let few = ["study", "simulated", "--paper", "--readers", "3", "--out", out.to_str().unwrap()];
    succeeded(&gazeprint(&few));
    let study = std::fs::read_to_string(out.join("study.json")).unwrap();
    let study: Value = serde_json::from_str(&study).unwrap();
    assert_eq!(study["protocol"]["splits"], 10);
}
