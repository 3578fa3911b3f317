//! `simulate` and `inspect`, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn gazeprint(arguments: &[&str]) -> Output {
    Command::cargo_bin("gazeprint").unwrap().args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn simulate(folder: &Path, more: &[&str]) -> Output {
    let out = folder.to_str().unwrap();
    let mut arguments = vec!["simulate", "--readers", "4", "--texts", "12", "--out", out];
    arguments.extend(more);
    gazeprint(&arguments)
}

fn inspect(folder: &Path) -> Value {
    let output = gazeprint(&["inspect", folder.to_str().unwrap(), "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_is_simulated_can_be_inspected() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("demo");
    let output = simulate(&corpus, &["--sessions", "2", "--drift", "0.3", "--lines", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("4 readers, 12 texts"));

    let summary = inspect(&corpus);
    assert_eq!(summary["name"], "demo");
    for (field, value) in [("readers", 4), ("texts", 12), ("lines", 36), ("sessions", 2)] {
        assert_eq!(summary[field], value, "{field}");
    }
    assert_eq!(summary["warnings"], Value::Array(vec![]));
    let table = stdout(&gazeprint(&["inspect", corpus.to_str().unwrap()]));
    assert!(table.starts_with("demo: 4 readers, 12 texts (36 lines), 2 sessions, "), "{table}");
}

#[test]
fn one_seed_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a"), folder.path().join("b"));
    for path in [&first, &second] {
        assert!(simulate(path, &["--seed", "5"]).status.success());
    }
    for file in ["fixations.csv", "words.csv"] {
        let read = |path: &Path| std::fs::read(path.join(file)).unwrap();
        assert!(read(&first) == read(&second), "{file} differs");
    }
}

#[test]
fn a_corpus_is_replaced_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("demo");
    assert!(simulate(&corpus, &[]).status.success());
    let refused = simulate(&corpus, &["--seed", "2"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).starts_with("error: "), "{}", stderr(&refused));
    assert!(simulate(&corpus, &["--seed", "2", "--overwrite"]).status.success());
}

#[test]
fn wrong_usage_is_told_from_failure() {
    let folder = tempfile::tempdir().unwrap();
    let usage = simulate(folder.path(), &["--drift", "9"]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(stderr(&usage).contains("drift must be from 0 to 2, but is 9"), "{}", stderr(&usage));
    assert_eq!(gazeprint(&["simulate"]).status.code(), Some(2));
    assert_eq!(gazeprint(&["inspect", "--min-duration", "0"]).status.code(), Some(2));

    let missing = folder.path().join("missing");
    let failure = gazeprint(&["inspect", missing.to_str().unwrap()]);
    assert_eq!(failure.status.code(), Some(1));
    assert!(stderr(&failure).starts_with("error: "), "{}", stderr(&failure));
}

#[test]
fn the_built_in_corpus_reads_like_people() {
    let output = gazeprint(&["inspect", "--json"]);
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&summary["readers"], &summary["texts"]), (&251.into(), &144.into()));
    let within = |value: &Value, low: f64, high: f64| {
        let value = value.as_f64().unwrap();
        assert!((low..=high).contains(&value), "{value} is not from {low} to {high}");
    };
    within(&summary["duration"]["mean"], 200.0, 250.0);
    within(&summary["forward_amplitude"]["mean"], 7.0, 10.0);
    within(&summary["types"][0]["share"], 0.10, 0.20);
    within(&summary["types"][2]["share"], 0.20, 0.35);
    within(&summary["types"][3]["share"], 0.08, 0.20);
    within(&summary["texts_per_reader"]["p5"], 100.0, 110.0);
}
