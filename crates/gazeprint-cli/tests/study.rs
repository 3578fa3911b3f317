//! `study`, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn gazeprint(arguments: &[&str]) -> Output {
    Command::cargo_bin("gazeprint").unwrap().args(arguments).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A small simulated corpus in a folder.
fn corpus(folder: &Path) -> PathBuf {
    let corpus = folder.join("small");
    let out = corpus.to_str().unwrap();
    let output = gazeprint(&["simulate", "--readers", "5", "--texts", "16", "--out", out]);
    assert!(output.status.success(), "{}", stderr(&output));
    corpus
}

fn study(corpus: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["study", corpus.to_str().unwrap()];
    arguments.extend(more);
    gazeprint(&arguments)
}

/// `study.json` without what may differ between runs.
fn comparable(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for method in report["methods"].as_array_mut().unwrap() {
        for field in ["tune_seconds", "fit_seconds", "score_seconds"] {
            assert!(method[field].as_f64().unwrap() >= 0.0);
            method[field] = Value::Null;
        }
    }
    report["manifest"]["threads"] = Value::Null;
    report["manifest"]["arguments"] = Value::Null;
    serde_json::to_string_pretty(&report).unwrap()
}

#[test]
fn all_methods_are_compared_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let out = folder.path().join("results/today");
    let output = study(&corpus, &["--splits", "2", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.starts_with("small: 5 readers, 16 texts, "), "{table}");
    let report: Value =
        serde_json::from_slice(&std::fs::read(out.join("study.json")).unwrap()).unwrap();
    assert_eq!(report["schema_version"], 1);
    assert_eq!(report["corpus"]["readers"], 5);
    assert_eq!(report["protocol"]["splits"], 2);
    let methods = report["methods"].as_array().unwrap();
    let names: Vec<&str> = methods.iter().map(|m| m["method"].as_str().unwrap()).collect();
    assert_eq!(names, gazeprint::method::NAMES);
    for method in methods {
        let name = method["method"].as_str().unwrap();
        assert!(table.contains(&format!("\n{name} ")), "{table}");
        for value in ["accuracy", "area", "eer"] {
            let mean = method[value]["mean"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&mean), "{name} {value} {mean}");
        }
        let sizes: Vec<u64> = method["by_sentences"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["sentences"].as_u64().unwrap())
            .collect();
        assert_eq!(sizes, [1, 3, 5, 10]);
    }
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&out), ["figures", "study.json"]);
    let drawn = names(&out.join("figures"));
    for figure in ["accuracy", "det", "errors", "errors-by-fraction", "scores", "seconds"] {
        for extension in ["svg", "png", "csv"] {
            assert!(drawn.contains(&format!("{figure}.{extension}")), "{drawn:?}");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let runs: [&[&str]; 4] = [
        &["--splits", "2"],
        &["--splits", "1", "--methods", "semiparametric", "--scoring", "full-average"],
        &["--splits", "1", "--methods", "semiparametric", "--engine", "nuts"],
        &[
            "--splits",
            "1",
            "--methods",
            "semiparametric",
            "--engine",
            "metropolis",
            "--iterations",
            "200",
            "--step",
            "isotropic",
        ],
    ];
    for run in runs {
        let with = |threads: &str| {
            comparable(&study(&corpus, &[run, &["--json", "--threads", threads]].concat()))
        };
        assert_eq!(with("1"), with("2"), "{run:?}");
    }
}

#[test]
fn another_seed_gives_another_study() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let with = |seed: &str| {
        let arguments = ["--splits", "2", "--methods", "landwehr", "--json", "--seed", seed];
        let report: Value = serde_json::from_slice(&study(&corpus, &arguments).stdout).unwrap();
        report["methods"][0]["by_sentences"].clone()
    };
    assert_ne!(with("1"), with("2"));
}

#[test]
fn bad_requests_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let cases: [(&[&str], &str); 11] = [
        (&["--methods", "landwer"], "a similar value exists: 'landwehr'"),
        (&["--engine", "gibbs"], "possible values: laplace, nuts, metropolis"),
        (&["--splits", "0"], "at least one split is needed"),
        (&["--train-fraction", "1"], "between 0 and 1"),
        (&["--probe-sentences", "0"], "at least one sentence"),
        (&["--min-duration", "2000"], "shortest duration"),
        (&["--engine", "metropolis", "--iterations", "1"], "--iterations must be at least 2"),
        (&["--iterations", "100"], "--iterations does nothing without --engine metropolis"),
        (&["--methods", "landwehr", "--engine", "nuts"], "--engine does nothing without"),
        (&["--engine", "nuts", "--fallback", "nuts"], "--fallback does nothing without"),
        (&["--threads", "0"], "0 is not in 1..=256"),
    ];
    for (arguments, message) in cases {
        let output = study(&corpus, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    let missing = study(&folder.path().join("nowhere"), &[]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("nowhere"), "{}", stderr(&missing));
    // A file where the folder should be: known before the computing starts.
    let blocked = folder.path().join("blocked");
    std::fs::write(&blocked, "").unwrap();
    let output = study(&corpus, &["--out", blocked.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot make the folder"), "{}", stderr(&output));
}

#[test]
fn too_small_a_corpus_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("one");
    std::fs::create_dir(&corpus).unwrap();
    let words = "text,word_index,char_start,char_end\na,1,0,3\na,2,4,7\n";
    let fixations = "reader,text,x_char,duration_ms\nr,a,1,200\nr,a,5,210\n";
    std::fs::write(corpus.join("words.csv"), words).unwrap();
    std::fs::write(corpus.join("fixations.csv"), fixations).unwrap();
    let output = study(&corpus, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("one cannot be studied"), "{}", stderr(&output));
    assert!(stderr(&output).contains("only 1 were read"), "{}", stderr(&output));
}

/// Two readers, two texts, a handful of fixations: most densities have no data at all.
#[test]
fn next_to_no_data_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("tiny");
    std::fs::create_dir(&corpus).unwrap();
    let words = "text,word_index,char_start,char_end\na,1,0,3\na,2,4,7\nb,1,0,5\nb,2,6,9\n";
    let mut fixations = "reader,text,x_char,duration_ms\n".to_owned();
    for (reader, d) in [("r", 200), ("s", 300)] {
        for text in ["a", "b"] {
            fixations += &format!("{reader},{text},1,{d}\n{reader},{text},6.5,{}\n", d + 9);
        }
    }
    std::fs::write(corpus.join("words.csv"), words).unwrap();
    std::fs::write(corpus.join("fixations.csv"), fixations).unwrap();
    for engine in ["laplace", "nuts", "metropolis"] {
        let output = study(&corpus, &["--splits", "1", "--engine", engine]);
        assert_eq!(output.status.code(), Some(0), "{engine}: {}", stderr(&output));
    }
}
