//! `simulate` and `inspect`, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use common::{gazeprint, stderr, stdout};

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
    assert_eq!(
        stderr(&refused),
        format!(
            "error: {}/fixations.csv exists already; write elsewhere, or add --overwrite to \
             replace it\n",
            corpus.display()
        )
    );
    assert!(simulate(&corpus, &["--seed", "2", "--overwrite"]).status.success());
}

#[test]
fn a_file_is_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let refused = simulate(&file, &["--overwrite"]);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(
        stderr(&refused),
        format!("error: {} is a file, not a folder; choose another path\n", file.display())
    );
}

#[test]
fn drift_needs_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let alone = simulate(&folder.path().join("one"), &["--drift", "0.3"]);
    assert_eq!(
        stderr(&alone),
        "note: --drift has no effect in one session; ask for more with --sessions\n"
    );
    let two = simulate(&folder.path().join("two"), &["--drift", "0.3", "--sessions", "2"]);
    assert_eq!(stderr(&two), "");
}

/// The tables of a corpus of one text, with these fixations of it.
fn write(folder: &Path, fixations: &str) {
    let words: String = (0..9).map(|i| format!("s1,{i},{},{}\n", 6 * i, 6 * i + 5)).collect();
    let words = format!("text,word_index,char_start,char_end\n{words}");
    std::fs::write(folder.join("words.csv"), words).unwrap();
    let fixations = format!("reader,text,x_char,duration_ms\n{fixations}");
    std::fs::write(folder.join("fixations.csv"), fixations).unwrap();
}

#[test]
fn names_do_not_disturb_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(90);
    write(folder.path(), &format!("a\u{1b}[31m,s1,2,200\n{long},s1,2,20\n{long},s1,2,200\n"));
    let table = stdout(&gazeprint(&["inspect", folder.path().to_str().unwrap()]));
    assert!(!table.contains('\u{1b}'), "{table}");
    assert!(table.contains("  a\\u{1b}[31m              1 text, 1 fixation\n"), "{table}");
    assert!(table.contains("  xxxxxxxxxxxxxxxxxxxxxxx… 1 text, 1 fixation\n"), "{table}");
    assert!(table.contains("  dropped, too short (under 50 ms) "), "{table}");
    assert!(table.contains("  Fewer than 200: too little to judge these rates.\n"), "{table}");
    assert!(table.lines().skip(1).all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn without_fixations_that_count_there_are_no_tables() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a,s1,2,20\na,s1,900,200\na,s1,901,200\n");
    let table = stdout(&gazeprint(&["inspect", folder.path().to_str().unwrap()]));
    let (_, end) = table.split_once("\n\nNo fixation").unwrap();
    assert_eq!(
        end,
        " counts, so there is nothing else to show.\n\n\
         warning: fixations kept 0.0 %, expected 80 to 100: most are off the text: are x\n  \
         and the words in the same unit, characters?\n"
    );
}

#[test]
fn odd_rates_raise_the_question_of_order() {
    let folder = tempfile::tempdir().unwrap();
    let fixations: String =
        (0..300).map(|i| format!("a,s1,{},{}\n", i * 31 % 53, 200 + i % 7)).collect();
    write(folder.path(), &fixations);
    let notes = inspect(folder.path())["notes"].clone();
    assert_eq!(
        notes,
        serde_json::json!([
            "rates are odd and there is no fix_index; are rows in the order of reading?"
        ])
    );
}

#[test]
fn wrong_usage_is_told_from_failure() {
    let folder = tempfile::tempdir().unwrap();
    let usage = simulate(folder.path(), &["--drift", "9"]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(stderr(&usage).contains("drift must be from 0 to 2, but is 9"), "{}", stderr(&usage));
    assert_eq!(gazeprint(&["simulate"]).status.code(), Some(2));
    assert_eq!(gazeprint(&["inspect", "--min-duration=-5"]).status.code(), Some(2));

    let missing = folder.path().join("missing");
    let failure = gazeprint(&["inspect", missing.to_str().unwrap()]);
    assert_eq!(failure.status.code(), Some(1));
    assert!(stderr(&failure).starts_with("error: "), "{}", stderr(&failure));
}

#[test]
fn the_simulated_corpus_reads_like_people() {
    let output = gazeprint(&["inspect", "simulated", "--json"]);
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
