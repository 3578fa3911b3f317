//! `population`, and `inspect` of what it writes, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use common::{gazeprint, stderr, stdout};

fn corpus(folder: &Path, readers: &str) -> PathBuf {
    let corpus = folder.join("corpus");
    let out = corpus.to_str().unwrap();
    let arguments = ["simulate", "--readers", readers, "--texts", "10", "--out", out];
    assert!(gazeprint(&arguments).status.success());
    corpus
}

fn population(corpus: &Path, out: &Path, more: &[&str]) -> Output {
    let arguments = ["population", corpus.to_str().unwrap(), "--out", out.to_str().unwrap()];
    gazeprint(&[&arguments[..], more].concat())
}

fn inspect(file: &Path, more: &[&str]) -> Output {
    gazeprint(&[&["inspect", file.to_str().unwrap()], more].concat())
}

#[test]
fn a_population_is_learned_and_inspected() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), "4");
    // The ending does not matter.
    let file = folder.path().join("people.csv");
    let output = population(&corpus, &file, &["--threads", "1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let start = format!("{}: learned from 4 readers, 10 texts, ", file.display());
    assert!(stdout(&output).starts_with(&start), "{}", stdout(&output));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("r001") && !text.contains("corpus\""), "names are not written");

    let table = stdout(&inspect(&file, &[]));
    assert!(table.starts_with("people.csv: a population of 4 readers, "), "{table}");
    for line in ["next word (alpha2)", "after regression (delta4)", "ln(word / 5 letters)"] {
        assert!(table.contains(line), "{table}");
    }
    assert!(table.lines().skip(1).all(|line| line.chars().count() <= 80), "{table}");
    // Headings ran together, and nothing was marked.
    assert!(table.contains(" times vary  times vary "), "{table}");
    let level = table.lines().find(|line| line.contains("level: nearest word")).unwrap();
    assert!(level.ends_with("1.37*  1.00 1.37*  1.00 1.37*"), "{level}");

    let json: Value = serde_json::from_slice(&inspect(&file, &["--json"]).stdout).unwrap();
    assert_eq!(json["kind"], "population");
    assert_eq!(json["provenance"]["readers"], 4);
    assert_eq!(json["densities"].as_array().unwrap().len(), 11);
    assert_eq!(json["moves"][3]["name"], "leave");
    assert_eq!(json["moves"][3]["coefficients"].as_array().unwrap().len(), 22);
    assert_eq!(json["durations"].as_array().unwrap().len(), 11);

    // The same corpus gives the same file, whatever the number of threads.
    let again = folder.path().join("again");
    let output = population(&corpus, &again, &["--threads", "2", "--json"]);
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), json);
    assert!(std::fs::read_to_string(&again).unwrap() == text);
}

#[test]
fn a_file_is_replaced_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path(), "2");
    let file = folder.path().join("people.json");
    std::fs::write(&file, "mine").unwrap();
    let refused = population(&corpus, &file, &[]);
    assert_eq!(refused.status.code(), Some(1));
    let told = format!(
        "error: {} exists already; write elsewhere, or add --overwrite to replace it\n",
        file.display()
    );
    assert_eq!(stderr(&refused), told);
    assert_eq!(std::fs::read(&file).unwrap(), b"mine");
    assert!(population(&corpus, &file, &["--overwrite"]).status.success());
    assert!(inspect(&file, &[]).status.success());

    let nowhere = population(&corpus, &folder.path().join("no/people.json"), &[]);
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(stderr(&nowhere).contains("cannot be written: "), "{}", stderr(&nowhere));
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("people.json");
    let alone = population(&corpus(folder.path(), "1"), &file, &[]);
    assert_eq!(alone.status.code(), Some(1));
    assert!(
        stderr(&alone).contains(
            "error: corpus: found 1 reader with fixations that count, expected at least 2: one alone"
        ),
        "{}",
        stderr(&alone)
    );
    let missing = population(&folder.path().join("corpsu"), &file, &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("corpsu does not exist; expected a folder"));
    assert!(!file.exists());
    assert_eq!(gazeprint(&["population"]).status.code(), Some(2), "--out is needed");
    let file = file.to_str().unwrap();
    let usage =
        gazeprint(&["population", "--out", file, "--min-duration", "900", "--max-duration", "8"]);
    assert_eq!(usage.status.code(), Some(2), "{}", stderr(&usage));
}

#[test]
fn broken_files_are_named_for_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("people.json");
    assert!(population(&corpus(folder.path(), "2"), &file, &[]).status.success());
    let text = std::fs::read_to_string(&file).unwrap();
    let digit = text.find("\"variance\":").unwrap() + 14;
    let mut flipped = text.clone().into_bytes();
    flipped[digit] = if flipped[digit] == b'7' { b'8' } else { b'7' };
    for (bytes, told) in [
        (b"reader,text\nanna,s1\n".to_vec(), "found text that is no JSON"),
        (b"{\"readers\": 3}".to_vec(), "found JSON of another kind (missing field `format`"),
        (text.as_bytes()[..text.len() / 2].to_vec(), "ends in the middle, at line 1, column "),
        (
            text.replace("\"version\":1", "\"version\":7").into_bytes(),
            "version: found 7, expected 1",
        ),
        (flipped, "sha256: found content with the checksum "),
    ] {
        let broken = folder.path().join("broken");
        std::fs::write(&broken, bytes).unwrap();
        let output = inspect(&broken, &[]);
        assert_eq!(output.status.code(), Some(1));
        let start = format!("error: {}", broken.display());
        assert!(stderr(&output).starts_with(&start), "{}", stderr(&output));
        assert!(stderr(&output).contains(told), "{} does not say {told}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
    let useless = inspect(&file, &["--max-duration", "900"]);
    assert_eq!(useless.status.code(), Some(2));
    assert!(stderr(&useless).contains("--max-duration does nothing with a population"));
    let study = gazeprint(&["study", file.to_str().unwrap()]);
    assert!(stderr(&study).contains("is not a folder"), "{}", stderr(&study));
}

/// Ctrl-C leaves nothing behind.
#[cfg(unix)]
#[test]
fn an_interruption_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("people.json");
    let program = assert_cmd::cargo::cargo_bin("gazeprint");
    let mut running = std::process::Command::new(program)
        .args(["population", "simulated", "--out", file.to_str().unwrap()])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The simulated corpus takes much longer than this.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let kill =
        std::process::Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
