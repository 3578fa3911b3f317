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
fn parts_have_names() {
    let mut command = Command::cargo_bin("gazeprint").unwrap();
    let output = command.args(["bench", "--only", "speed"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("training") && message.contains("search"), "{message}");
}
