//! `gazeprint bench`, on few readers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use assert_cmd::Command;
use serde_json::Value;

fn bench(arguments: &[&str]) -> String {
    let mut command = Command::cargo_bin("gazeprint").unwrap();
    let output = command.args(["bench", "--readers", "8"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn comparing_and_searching_are_measured() {
    let arguments = ["--only", "scoring,search", "--search-readers", "1500", "--json"];
    let report: Value = serde_json::from_str(&bench(&arguments)).unwrap();
    assert!(report["training"].is_null() && report["scaling"].is_null());
    assert!(report["machine"]["threads"].as_u64().unwrap() > 0);
    assert!(report["scoring"]["tabulated"]["readers_per_second"].as_f64().unwrap() > 0.0);
    let search = &report["search"];
    assert_eq!(search["readers"], 1500);
    // A search leaves the best of all among its candidates.
    assert_eq!(search["exact"]["probes"], 8);
    assert_eq!(search["whole"]["probes"], 8);
    assert_eq!(search["parts"]["probes"], 32);
    assert!(search["exact"]["recall"].as_f64().unwrap() > 0.8, "{search}");
}

#[test]
fn cost_is_told_by_what_it_grows_with() {
    let report = bench(&["--only", "scaling", "--search-readers", "2000"]);
    for what in ["learning", "full scores", "search"] {
        assert!(report.contains(what), "{what}: {report}");
    }
    assert!(report.contains("1000: ") && report.contains("2000: "), "{report}");
}

#[test]
fn galleries_and_kernels_are_measured() {
    let arguments = ["--only", "kernels,vault,identify", "--json"];
    let report: Value = serde_json::from_str(&bench(&arguments)).unwrap();
    let kernels = report["kernels"]["kernels"].as_array().unwrap();
    assert!(kernels.iter().all(|kernel| kernel["nanoseconds"].as_f64().unwrap() > 0.0));
    assert_eq!(kernels[0]["kernel"], "sum");
    assert_eq!(report["vault"]["vaults"][1]["vault"], "key file");
    let galleries = report["identify"]["galleries"].as_array().unwrap();
    for gallery in galleries {
        assert!(gallery["right"].as_u64().unwrap() > 4, "{gallery}");
        // The first answer reads all readers.
        assert!(gallery["first_seconds"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(report["identify"]["readers"], 8);
}

#[test]
fn another_program_takes_turns() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problems.json");
    let ask = |questions: &'static str| {
        let mut command = Command::cargo_bin("gazeprint").unwrap();
        command.args(["bench", "--readers", "8", "--problems"]).arg(&file);
        command.write_stdin(questions).output().unwrap()
    };
    let output = ask("3 1\n");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let [count, answer] = lines.lines().collect::<Vec<_>>()[..] else { panic!("{lines}") };
    let problems: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(problems.as_array().unwrap().len().to_string(), count);
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_eq!((&answer["problem"], &answer["round"]), (&3.into(), &1.into()));
    assert!(answer["nuts"]["thetas"][0][0].is_f64());
    assert_eq!(answer["laplace"]["log_means"].as_array().unwrap().len(), 8);
    let output = ask("1000 0\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("1000 0"));
}

#[test]
fn parts_have_names() {
    let mut command = Command::cargo_bin("gazeprint").unwrap();
    let output = command.args(["bench", "--only", "speed"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("training") && message.contains("search"), "{message}");
}
