//! Built-in corpora, by name and where none is named.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use common::{gazeprint_in, refused, stderr, succeeded};

fn json(output: &Output) -> Value {
    serde_json::from_str(&succeeded(output)).unwrap()
}

/// A study without what may differ between runs.
fn comparable(folder: &Path, corpus: &[&str]) -> Value {
    let quick =
        ["--methods", "landwehr-t,holland-weighted", "--splits", "1", "--closed-set", "--json"];
    let mut report = json(&gazeprint_in(folder, &[&["study"], corpus, &quick[..]].concat()));
    report["manifest"]["arguments"] = Value::Null;
    // The hash of a corpus knows its words.
    for method in report["methods"].as_array_mut().unwrap() {
        for field in ["tune_seconds", "fit_seconds", "score_seconds"] {
            method[field] = Value::Null;
        }
    }
    report
}

#[test]
fn real_readers_are_built_in() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let shown = succeeded(&gazeprint_in(at, &["inspect"]));
    assert!(
        shown.starts_with("provo: 84 readers, 55 texts (191 lines), 1 session, 4,620 readings"),
        "{shown}"
    );
    let whole = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "origin: Luke, S. G., & Christianson, K. (2018)",
        "licence: Creative Commons Attribution 4.0 International (CC BY 4.0), https://",
        "changed: words were left out",
    ] {
        assert!(whole.contains(told), "{told}: {shown}");
    }
    assert_eq!(succeeded(&gazeprint_in(at, &["inspect", "provo"])), shown);
    let inspected = json(&gazeprint_in(at, &["inspect", "provo", "--json"]));
    assert!(inspected["origin"]["licence"].as_str().unwrap().contains("CC BY 4.0"));
    let inspected = json(&gazeprint_in(at, &["inspect", "simulated", "--json"]));
    assert_eq!((&inspected["readers"], &inspected["origin"]), (&251.into(), &Value::Null));
    let told = refused(&gazeprint_in(at, &["inspect", "provos"]), 1);
    assert!(told.contains("provos does not exist") && told.contains("provo, simulated"), "{told}");
}

/// A study is that of the same corpus in a folder, and a folder goes before a name.
#[test]
fn folders_and_names_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let exported = gazeprint_in(at, &["export", "provo", "--to", "csv", "--out", "tables/provo"]);
    assert!(stderr(&exported).contains("CC BY 4.0"), "{}", stderr(&exported));
    succeeded(&exported);
    let built_in = comparable(at, &[]);
    assert_eq!(built_in["corpus"]["name"], "provo");
    assert_eq!(built_in, comparable(at, &["provo"]));
    assert_eq!(built_in, comparable(at, &["tables/provo"]));

    let tables = at.join("tables");
    let demo = ["simulate", "--readers", "3", "--texts", "4", "--out", "simulated"];
    succeeded(&gazeprint_in(&tables, &demo));
    let output = gazeprint_in(&tables, &["inspect", "simulated", "--json"]);
    assert_eq!(json(&output)["readers"], 3);
    let told = stderr(&gazeprint_in(
        &tables,
        &["people", "simulated", "--out", "x.people", "--no-population"],
    ));
    assert!(
        told.starts_with("note: simulated is taken for the folder of that name here"),
        "{told}"
    );
}
