//! `study`, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use common::{gazeprint, stderr};

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
    let asked = ["--methods", "all", "--splits", "2", "--out", out.to_str().unwrap()];
    let output = study(&corpus, &asked);
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
    // There are no kinematics in it.
    let known = gazeprint::method::NAMES.into_iter().filter(|name| *name != "oculomotor");
    assert_eq!(names, known.collect::<Vec<_>>());
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
    assert_eq!(
        names(&out),
        [
            "draws_density.csv",
            "draws_theta.csv",
            "figures",
            "report.html",
            "scores",
            "splits.csv",
            "study.json",
            "tables.md",
            "tables.tex"
        ]
    );
    // One of the five readers is shown, the others can be chosen.
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert_eq!(page.matches("<div class=\"reader\">").count(), 1);
    assert_eq!(page.matches("<div class=\"reader\" hidden>").count(), 4);
    assert_eq!(page.matches("<option").count(), 5);
    assert!(page.contains("The page holds 5 of 5\u{a0}readers"));
    assert!(
        page.contains("id=\"tab-traits\"")
            && page.contains("words passed in a minute of fixations")
    );
    let drawn = names(&out.join("figures"));
    for figure in [
        "accuracy",
        "calibration",
        "densities",
        "det",
        "errors",
        "errors-by-fraction",
        "scanpath",
        "scores",
        "seconds",
        "strangers",
    ] {
        for extension in ["svg", "pdf", "png", "csv"] {
            assert!(drawn.contains(&format!("{figure}.{extension}")), "{drawn:?}");
        }
    }
}

#[test]
fn where_nobody_says_five_methods_are_compared_over_three_splits() {
    let folder = tempfile::tempdir().unwrap();
    let output = study(&corpus(folder.path()), &["--closed-set", "--json"]);
    assert!(output.status.success(), "{}", stderr(&output));
    // Nothing but the answer, where there is no terminal.
    assert!(!stderr(&output).contains("so far"), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let methods = report["methods"].as_array().unwrap().iter();
    let names: Vec<&str> = methods.map(|m| m["method"].as_str().unwrap()).collect();
    let usual = ["fusion", "population", "semiparametric", "landwehr", "holland-unweighted"];
    assert_eq!(names, usual);
    assert_eq!(report["protocol"]["splits"], 3);
}

/// Every file under a folder by its path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.insert(path.clone(), std::fs::read(path).unwrap());
        }
    }
    files
}

/// `study.json` and the page hold times, threads and arguments; nothing else may differ.
#[test]
fn the_same_study_again_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let results = ["first", "second"].map(|name| {
        let out = folder.path().join(name);
        let arguments = ["--splits", "2", "--methods", "semiparametric,landwehr", "--out"];
        let output = study(&corpus, &[&arguments[..], &[out.to_str().unwrap()]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let files = files(&out);
        let relative =
            files.into_iter().map(|(p, b)| (p.strip_prefix(&out).unwrap().to_owned(), b));
        relative.collect::<BTreeMap<_, _>>()
    });
    assert!(results[0].keys().eq(results[1].keys()));
    for (path, bytes) in &results[0] {
        let timed = ["study.json", "report.html", "tables.md", "tables.tex"];
        if timed.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        assert!(*bytes == results[1][path], "{}", path.display());
    }
}

/// Scores in the files are those that the measures are made of.
#[test]
fn scores_of_every_comparison_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let out = folder.path().join("out");
    let arguments = ["--splits", "2", "--methods", "landwehr", "--out", out.to_str().unwrap()];
    assert!(study(&corpus, &arguments).status.success());
    let text = std::fs::read_to_string(out.join("scores/landwehr.csv")).unwrap();
    let mut lines = text.lines();
    let header = "split,probe,claimed_reader,true_reader,score,ratio,log_likelihood_ratio";
    assert_eq!(lines.next(), Some(header));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 2 * 5 * 5);
    let mut right = 0;
    for probe in rows.chunks(5) {
        let score = |row: &Vec<&str>| row[4].parse::<f64>().unwrap();
        let best = probe.iter().max_by(|a, b| score(a).total_cmp(&score(b))).unwrap();
        right += usize::from(best[2] == best[3]);
        assert!(probe.iter().all(|row| row[6].parse::<f64>().is_ok()));
        // The ratio is that of the score to the mean likelihood of the other readers.
        for claimed in probe {
            let others = probe.iter().filter(|row| row[2] != claimed[2]);
            let mean = others.map(|row| (score(row) - score(claimed)).exp()).sum::<f64>() / 4.0;
            let ratio: f64 = claimed[5].parse().unwrap();
            assert!((ratio + mean.ln()).abs() < 1e-3, "{claimed:?}");
        }
    }
    let report: Value =
        serde_json::from_slice(&std::fs::read(out.join("study.json")).unwrap()).unwrap();
    let accuracy = report["methods"][0]["accuracy"]["mean"].as_f64().unwrap();
    assert!((accuracy - right as f64 / 10.0).abs() < 1e-12);
}

/// The splits of one study, read back, give the same study.
#[test]
fn splits_can_be_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let out = folder.path().join("out");
    let landwehr = ["--methods", "landwehr"];
    let arguments = [&landwehr[..], &["--splits", "2", "--out", out.to_str().unwrap()]].concat();
    assert!(study(&corpus, &arguments).status.success());
    let first: Value =
        serde_json::from_slice(&std::fs::read(out.join("study.json")).unwrap()).unwrap();
    let file = out.join("splits.csv");
    let given = ["--splits-file", file.to_str().unwrap(), "--json"];
    let output = study(&corpus, &[&landwehr[..], &given].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let second: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(second["protocol"]["split"], "file");
    assert_eq!(second["protocol"]["train_fraction"], Value::Null);
    for field in ["accuracy", "area", "eer", "cllr", "fnmr_at", "by_sentences"] {
        assert_eq!(first["methods"][0][field], second["methods"][0][field], "{field}");
    }
    std::fs::write(&file, "split,reader,text,role\n1,r001,s001,trains\n").unwrap();
    let output = study(&corpus, &["--splits-file", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("trains"), "{}", stderr(&output));
}

/// An interrupted study, continued, gives what an uninterrupted one gives, without computing the
/// splits that were complete.
#[test]
fn an_interrupted_study_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    let options = ["--splits", "12", "--attacks", "--methods", "semiparametric,landwehr", "--out"];
    let output = study(&corpus, &[&options[..], &[whole.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));

    let plain = &options[..options.len() - 1];
    killed(&corpus, &broken, plain, "semiparametric-2.bin");
    let unfinished = broken.join(".gazeprint-unfinished");
    let second = unfinished.join("semiparametric-2.bin");
    let made = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let before = made(&second);

    // Other options are another study.
    let other = ["--seed", "2", "--resume"];
    let output = study(&corpus, &[&options[..], &[broken.to_str().unwrap()], &other].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("seed: 1; here seed: 2"), "{}", stderr(&output));
    assert_eq!(made(&second), before, "nothing is lost");

    let resume = [&options[..], &[broken.to_str().unwrap(), "--resume"]].concat();
    let output = study(&corpus, &resume);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!unfinished.exists());
    let read = |folder: &Path| Output {
        stdout: std::fs::read(folder.join("study.json")).unwrap(),
        ..output.clone()
    };
    assert_eq!(comparable(&read(&whole)), comparable(&read(&broken)));
    for scores in ["semiparametric", "landwehr"] {
        let read =
            |folder: &Path| std::fs::read(folder.join(format!("scores/{scores}.csv"))).unwrap();
        assert!(read(&whole) == read(&broken));
    }
    let output = study(&corpus, &resume);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("holds a complete study"), "{}", stderr(&output));
    assert!(broken.join("study.json").exists());
}

/// A study of an afternoon was gone when the same command was given again.
#[test]
fn a_complete_study_is_replaced_only_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let out = folder.path().join("out");
    let options = ["--splits", "1", "--methods", "landwehr-t", "--out", out.to_str().unwrap()];
    assert!(study(&corpus, &options).status.success());
    let written = || std::fs::read(out.join("study.json")).unwrap();
    let before = written();
    for other in [&[][..], &["--seed", "2"]] {
        let output = study(&corpus, &[&options[..], other].concat());
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains("holds a complete study"), "{}", stderr(&output));
        assert!(stderr(&output).contains("or add --overwrite"), "{}", stderr(&output));
        assert_eq!(written(), before);
    }
    let output = study(&corpus, &[&options[..], &["--seed", "2", "--overwrite"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert_ne!(written(), before);
    let both = study(&corpus, &[&options[..], &["--resume", "--overwrite"]].concat());
    assert_eq!(both.status.code(), Some(2));
}

/// Starts a study and kills it when it has written a file.
fn killed(corpus: &Path, out: &Path, more: &[&str], file: &str) {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("gazeprint"))
        .args(["study", corpus.to_str().unwrap(), "--out", out.to_str().unwrap()])
        .args(more)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let file = out.join(".gazeprint-unfinished").join(file);
    while !file.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(file.exists() && !out.join("study.json").exists(), "killed on the way");
}

/// Torn and foreign results were taken for those of the study.
#[test]
fn only_whole_results_of_the_same_study_are_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let (out, whole) = (folder.path().join("out"), folder.path().join("whole"));
    let options = ["--splits", "9", "--methods", "semiparametric"];
    let result =
        |number: usize| out.join(format!(".gazeprint-unfinished/semiparametric-{number}.bin"));
    let path = out.to_str().unwrap();

    // Without --resume nothing is taken up, whatever lies there.
    std::fs::create_dir_all(out.join(".gazeprint-unfinished")).unwrap();
    std::fs::write(result(1), "foreign").unwrap();
    killed(&corpus, &out, &options, "semiparametric-3.bin");
    let mut torn = std::fs::read(result(1)).unwrap();
    torn.truncate(torn.len() - 1);
    std::fs::write(result(1), torn).unwrap();
    let mut changed = std::fs::read(result(2)).unwrap();
    *changed.last_mut().unwrap() ^= 1;
    std::fs::write(result(2), changed).unwrap();
    std::fs::write(out.join(".gazeprint-unfinished/semiparametric-3.csv"), "1,1,r001,r001,0,0\n")
        .unwrap();
    let output = study(&corpus, &[&options[..], &["--out", path, "--resume"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let output = study(&corpus, &[&options[..], &["--out", whole.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let scores = |out: &Path| std::fs::read(out.join("scores/semiparametric.csv")).unwrap();
    assert!(scores(&out) == scores(&whole));

    // What is given up is told.
    let anew = [&options[..], &["--overwrite"]].concat();
    killed(&corpus, &out, &anew, "semiparametric-1.bin");
    let few = ["--splits", "1", "--methods", "landwehr", "--out", path];
    let output = study(&corpus, &few);
    let told = stderr(&output);
    assert!(told.contains("another interrupted study, now given up: there division"), "{told}");
    killed(&corpus, &out, &anew, "semiparametric-1.bin");
    let output = study(&corpus, &[&options[..], &["--out", path]].concat());
    assert!(stderr(&output).contains("--resume would go on"), "{}", stderr(&output));
}

#[test]
fn two_studies_do_not_write_to_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let lock = std::fs::File::create(out.join(".gazeprint.lock")).unwrap();
    lock.lock().unwrap();
    let options = ["--splits", "1", "--methods", "landwehr-t", "--out", out.to_str().unwrap()];
    let output = study(&corpus, &options);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("another study is writing to"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1, "nothing else is there");
    drop(lock);
    assert!(study(&corpus, &options).status.success());
    assert!(!out.join(".gazeprint.lock").exists());
}

#[test]
fn a_new_study_replaces_the_old_one_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let out = folder.path().join("out");
    for name in ["figures", "scores"] {
        std::fs::create_dir_all(out.join(name)).unwrap();
    }
    let (old, mine) = (["figures/robustness.svg", "scores/landwehr.csv"], "figures/mine.svg");
    old.iter().chain([&mine]).for_each(|file| std::fs::write(out.join(file), "old").unwrap());
    let options = ["--splits", "1", "--methods", "landwehr-t", "--out", out.to_str().unwrap()];
    assert!(study(&corpus, &options).status.success());
    assert!(old.iter().all(|file| !out.join(file).exists()));
    assert!(out.join(mine).exists());
}

#[test]
fn noise_is_of_use_without_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let options = ["--splits", "4", "--methods", "landwehr-t,landwehr-t", "--noise"];
    let output = study(&corpus, &options);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(
        table.contains("accuracy with 5 texts a probe on worse recordings, 3 splits"),
        "{table}"
    );
    assert!(table.contains("noise, characters      0  0.25   0.5     1     2     4\n"), "{table}");
    assert_eq!(table.matches("\nlandwehr-t ").count(), 3, "{table}");
}

#[test]
fn attacks_are_told_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let out = folder.path().join("out");
    let options = ["--splits", "2", "--methods", "population,landwehr", "--attacks"];
    let output = study(&corpus, &[&options[..], &["--out", out.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    for words in [
        "attacks on population: part accepted",
        "forgery, target’s template",
        "note: templates of landwehr are not forged here",
        "liveness, probes of 5 texts: area ",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("study.json")).unwrap();
    let attacked = report["attacks"].as_array().unwrap();
    let forgeable: Vec<bool> = attacked.iter().map(|m| m["forgeable"] == true).collect();
    assert_eq!(forgeable, [true, false]);
    let replay = attacked[1]["by_sentences"][4]["attacks"].as_array().unwrap();
    let replay = replay.iter().find(|a| a["attack"] == "replay").unwrap();
    assert_eq!(replay["replayed"]["mean"], 1.0);
    assert_eq!(replay["accepted_at"][0]["guarded"]["mean"], 0.0);
    assert!(read("tables.md").contains("forgery, target’s template"));
    assert!(read("report.html").contains("id=\"attacks\""));

    // Without them it is another study.
    let anew = ["--splits", "9", "--methods", "population", "--overwrite"];
    killed(&corpus, &out, &anew, "population-1.bin");
    let resumed = ["--splits", "9", "--methods", "population", "--attacks", "--resume", "--out"];
    let output = study(&corpus, &[&resumed[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("attacks: false; here attacks: true"), "{}", stderr(&output));
}

#[test]
fn rows_of_splits_without_readings_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let file = folder.path().join("splits.csv");
    let mut rows = "split,reader,text,session,role\n".to_owned();
    for reader in ["r001", "r002", "r003"] {
        for (text, role) in
            [("s001", "train"), ("s002", "train"), ("s003", "test"), ("s004", "test")]
        {
            rows += &format!("3,{reader},{text},1,{role}\n");
        }
    }
    rows += "3,r001,s005,9,test\n";
    std::fs::write(&file, &rows).unwrap();
    let options = ["--methods", "landwehr-t", "--splits-file", file.to_str().unwrap()];
    let output = study(&corpus, &options);
    let told = stderr(&output);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("match no reading that counts, e.g. split 3, reader"), "{told}");
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("3 readers a split, chance 0.333"), "{table}");
    std::fs::write(&file, "split,reader,text,role\n4,r001,s001,train\n").unwrap();
    let told = stderr(&study(&corpus, &options));
    assert!(
        told.contains("split 4 of the file has 0, in 1 rows that train and 0 that test"),
        "{told}"
    );
}

#[test]
fn one_reader_can_be_shown() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let out = folder.path().join("out");
    let options = ["--splits", "1", "--methods", "landwehr-t", "--out", out.to_str().unwrap()];
    assert!(study(&corpus, &[&options[..], &["--show-reader", "r004"]].concat()).status.success());
    let draws = std::fs::read_to_string(out.join("draws_theta.csv")).unwrap();
    assert!(draws.lines().skip(1).all(|line| line.starts_with("r004,")));
    let output = study(&corpus, &[&options[..], &["--show-reader", "r044"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no reader \"r044\""), "{}", stderr(&output));
    assert!(stderr(&output).contains("similar ones: \"r004\""), "{}", stderr(&output));
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = corpus(folder.path());
    let runs: [&[&str]; 4] = [
        &["--splits", "2", "--attacks"],
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
    let cases: [(&[&str], &str); 19] = [
        (&["--split", "session"], "more than one session, but here all are of session \"1\""),
        (&["--split", "session", "--splits", "3"], "--splits does nothing without --split random"),
        (&["--split", "session", "--train-fraction", "0.3"], "--train-fraction does nothing"),
        (&["--readers", "6"], "6 readers were asked for, but there are only 5"),
        (&["--readers", "1"], "at least two readers, not 1"),
        (&["--resume"], "--out"),
        (&["--splits-file", "x.csv", "--splits", "3"], "cannot be used with"),
        (&["--methods", "landwer"], "a similar value exists: 'landwehr'"),
        (&["--engine", "gibbs"], "possible values: laplace, nuts, metropolis"),
        (&["--splits", "0"], "0 is not in 1..=10000"),
        (&["--splits", "-1"], "-1 is not in 1..=10000"),
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
    assert!(stderr(&output).contains("blocked is a file, not a folder"), "{}", stderr(&output));
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
