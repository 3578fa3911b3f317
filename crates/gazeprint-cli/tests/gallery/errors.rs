//! Exit codes, and errors for programs.

use std::fs;

use serde_json::Value;

use crate::common::{gazeprint, refused, succeeded};
use crate::people::{ANNA, Own, SHARED};

/// The error that a command told as JSON.
fn told(output: &std::process::Output, code: i32) -> (String, String) {
    let error: Value = serde_json::from_str(&refused(output, code)).unwrap();
    assert!(output.stdout.is_empty());
    let text = |name: &str| error["error"][name].as_str().unwrap().to_owned();
    (text("kind"), text("message"))
}

#[test]
fn errors_are_json_where_answers_are() {
    let own = Own::new();
    let probe = SHARED.probe(ANNA);
    let (kind, message) = told(&own.verify(&probe, "nobody at all", &["--json"]), 1);
    assert_eq!(kind, "not_found");
    assert!(message.contains("found no reader \"nobody at all\""), "{message}");
    let (kind, message) = told(&own.identify(&probe, &["--json", "--fpir", "7"]), 2);
    assert_eq!(kind, "usage");
    assert!(message.starts_with("--fpir: found 7"), "{message}");
    let (kind, _) = told(&own.identify(&probe, &["--json", "--no-such-flag"]), 2);
    assert_eq!(kind, "usage");
    let (kind, _) = told(&own.identify(&own.path("nothing"), &["--json"]), 1);
    assert_eq!(kind, "input");
    let elsewhere = own.path("no.gallery");
    let missing = gazeprint(&["identify", &probe, "--gallery", &elsewhere, "--json"]);
    assert_eq!(told(&missing, 1).0, "not_found");
    let key = own.path("secret.key");
    succeeded(&gazeprint(&["gallery", "key", &key]));
    succeeded(&own.manage("rekey", &["--new-key-file", &key]));
    assert_eq!(told(&own.identify(&probe, &["--json"]), 6).0, "locked");
    let mut damaged = own.bytes();
    let length = damaged.len();
    damaged[length / 3..2 * length / 3].fill(0x5a);
    fs::write(&own.gallery, damaged).unwrap();
    let (kind, message) = told(&own.identify(&probe, &["--json", "--key-file", &key]), 7);
    assert_eq!(kind, "damaged", "{message}");
}

/// The table that is passed on standard input is the one that a file would be.
#[test]
fn a_probe_may_come_on_standard_input() {
    let own = Own::new();
    let probe = SHARED.probe(ANNA);
    let table = fs::read_to_string(std::path::Path::new(&probe).join("fixations.csv")).unwrap();
    let words = SHARED.words();
    let asked = |probe: &str| {
        let mut command = assert_cmd::Command::cargo_bin("gazeprint").unwrap();
        let more = ["--fpir", "0.2", "--json", "--forget", "--gallery", &own.gallery];
        command.args(["identify", probe, "--words"]).arg(&words).args(more);
        command.write_stdin(table.clone()).output().unwrap()
    };
    let file = std::path::Path::new(&probe).join("fixations.csv");
    assert_eq!(succeeded(&asked("-")), succeeded(&asked(file.to_str().unwrap())));
    let alone = gazeprint(&["identify", "-", "--gallery", &own.gallery]);
    assert!(refused(&alone, 2).contains("--words FILE"));
}
