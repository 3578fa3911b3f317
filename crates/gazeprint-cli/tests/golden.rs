//! Every number of `study.json` on a small simulated corpus, and its layout.
//!
//! Where a change of the numbers is meant, `GAZEPRINT_GOLDEN=write cargo test --test golden` writes
//! them anew; the difference belongs into the same commit.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

/// Relative difference that other processors may show.
const TOLERANCE: f64 = 1e-9;

fn gazeprint(arguments: &[&str]) -> Vec<u8> {
    let output = Command::cargo_bin("gazeprint").unwrap().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// A study of eight readers in two sessions, with everything that can be asked for.
fn study(folder: &Path, more: &[&str]) -> Value {
    let corpus = folder.join("golden");
    let corpus = corpus.to_str().unwrap();
    gazeprint(&[
        "simulate",
        "--readers",
        "8",
        "--texts",
        "32",
        "--sessions",
        "2",
        "--drift",
        "0.3",
        "--seed",
        "7",
        "--overwrite",
        "--out",
        corpus,
    ]);
    let arguments = [&["study", corpus, "--json"], more].concat();
    serde_json::from_slice(&gazeprint(&arguments)).unwrap()
}

/// Takes out what differs from run to run, or from commit to commit.
fn settle(report: &mut Value) {
    for method in report["methods"].as_array_mut().unwrap() {
        for field in ["tune_seconds", "fit_seconds", "score_seconds"] {
            method[field] = 0.into();
        }
    }
    let manifest = &mut report["manifest"];
    manifest["commit"] = Value::Null;
    manifest["version"] = "".into();
    manifest["threads"] = 1.into();
    manifest["arguments"] = Value::Array(Vec::new());
}

/// Where two values differ by more than processors do.
fn differences(at: &str, found: &Value, wanted: &Value, list: &mut Vec<String>) {
    match (found, wanted) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            for (key, value) in a {
                differences(&format!("{at}.{key}"), value, &b[key], list);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{at}[{i}]"), a, b, list);
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            if (a - b).abs() > TOLERANCE * (1.0 + a.abs().max(b.abs())) {
                list.push(format!("{at}: {a}, not {b}"));
            }
        }
        (a, b) if a == b => {}
        (a, b) => list.push(format!("{at}: {a}, not {b}")),
    }
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn hold_against(name: &str, mut report: Value) {
    settle(&mut report);
    let file = golden(name);
    if std::env::var_os("GAZEPRINT_GOLDEN").is_some_and(|v| v == "write") {
        std::fs::write(&file, serde_json::to_string_pretty(&report).unwrap() + "\n").unwrap();
    }
    let wanted: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let mut list = Vec::new();
    differences("", &report, &wanted, &mut list);
    list.truncate(20);
    assert!(list.is_empty(), "{name}:\n{}", list.join("\n"));
}

fn validate(report: &Value) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/study.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(report)
        .take(10)
        .map(|error| format!("{}: {error}", error.instance_path))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn every_number_of_a_random_study_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let report = study(
        folder.path(),
        &["--methods", "all", "--splits", "2", "--noise", "--attacks", "--probe-sentences", "1,5"],
    );
    validate(&report);
    hold_against("random.json", report);
}

#[test]
fn every_number_of_a_study_across_sessions_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let report =
        study(folder.path(), &["--split", "session", "--methods", "semiparametric,landwehr"]);
    validate(&report);
    hold_against("session.json", report);
}

#[test]
fn a_study_that_cannot_be_calibrated_has_the_same_layout() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("tiny");
    let corpus = corpus.to_str().unwrap();
    let tiny = ["--readers", "3", "--texts", "3", "--seed", "5"];
    gazeprint(&[&["simulate"], &tiny[..], &["--out", corpus]].concat());
    let all = ["study", corpus, "--methods", "all", "--json"];
    let arguments = [&all[..], &["--split", "temporal", "--train-fraction", "0.3"]].concat();
    validate(&serde_json::from_slice(&gazeprint(&arguments)).unwrap());
}
