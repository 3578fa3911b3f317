//! Recordings that were there before.

use std::fs;
use std::path::Path;

use crate::common::{refused, stderr, stdout, succeeded};
use crate::people::{ANNA, BERT, Own, SHARED, TEXTS, answer};

#[test]
fn what_somebody_was_enrolled_with_is_a_replay() {
    let own = Own::new();
    let replay = own.corpus("replay", |reader, text| reader == "r011" && text <= TEXTS);
    let output = own.verify(&replay, ANNA, &["--fmr", "0.05"]);
    assert_eq!(output.status.code(), Some(5));
    let told = stdout(&output);
    assert!(told.starts_with("rejected: reader-r011; a replay: "), "{told}");
    assert!(
        told.contains("of recordings that reader-r011 was enrolled with (100 % the same)"),
        "{told}"
    );
    let output = own.identify(&replay, &["--json"]);
    assert_eq!(output.status.code(), Some(5));
    let answer = answer(&output);
    assert_eq!(answer["decision"], "unknown");
    assert_eq!(answer["replay"]["of"], "enrolled");
    assert_eq!(answer["replay"]["share"], 1.0);
    assert!(answer["replay"]["readings"].as_u64().unwrap() > 10, "{answer}");
    let output = own.identify(&replay, &[]);
    assert!(stdout(&output).starts_with("unknown: a replay: "), "{}", stdout(&output));
    let output = own.verify(&replay, ANNA, &["--allow-replay", "--fmr", "0.05"]);
    assert!(succeeded(&output).starts_with("accepted: reader-r011; a replay: "));
    let replays = own.log().iter().filter(|entry| entry["replay"] == true).count();
    assert_eq!(replays, 4, "all of it is in the log");
    // Of somebody else it is a false claim, not a replay of theirs.
    let output = own.verify(&replay, BERT, &["--json"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(crate::people::answer(&output)["replay"].is_null());
}

/// Regression: readings of fewer than five fixations were compared with nothing.
#[test]
fn a_recording_cut_into_small_readings_is_a_replay() {
    let own = Own::new();
    let enrolled = own.corpus("enrolled", |reader, text| reader == "r011" && text <= TEXTS);
    let table = fs::read_to_string(Path::new(&enrolled).join("fixations.csv")).unwrap();
    let rows = table.lines().enumerate().map(|(row, line)| match row {
        0 => format!("{line},trial\n"),
        _ => format!("{line},{}\n", row.div_ceil(4)),
    });
    let cut = own.path("cut.csv");
    fs::write(&cut, rows.collect::<String>()).unwrap();
    let words = SHARED.words().to_str().unwrap().to_owned();
    let output = own.verify(&cut, ANNA, &["--words", &words, "--fmr", "0.2"]);
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    let told = stdout(&output);
    assert!(told.starts_with("rejected: reader-r011; a replay: "), "{told}");
    assert!(told.contains(" pieces of recordings that reader-r011 was enrolled with"), "{told}");
}

#[test]
fn a_probe_that_was_accepted_is_not_accepted_again() {
    let own = Own::new();
    let probe = SHARED.probe(ANNA);
    for _ in 0..2 {
        succeeded(&own.verify(&probe, ANNA, &["--forget", "--fmr", "0.05"]));
    }
    let told = succeeded(&own.manage("show", &[ANNA]));
    assert!(told.contains("\nremembered  0 readings of earlier probes"), "{told}");
    succeeded(&own.verify(&probe, ANNA, &["--fmr", "0.05"]));
    let told = succeeded(&own.manage("show", &[ANNA]));
    assert!(told.contains("\nremembered  1") || told.contains("\nremembered  2"), "{told}");
    for forget in [&["--fmr", "0.05"][..], &["--forget", "--fmr", "0.05"]] {
        let output = own.verify(&probe, ANNA, forget);
        assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
        assert!(stdout(&output).contains(" of earlier probes of reader-r011 (100 % the"));
    }
    let answer = answer(&own.identify(&probe, &["--json", "--fpir", "0.2"]));
    assert_eq!(
        (&answer["decision"], &answer["replay"]["of"]),
        (&"unknown".into(), &"earlier probe".into())
    );
    // A part of it, on its own, is one too.
    let part = own.corpus("part", |reader, text| reader == "r011" && text > TEXTS + 10);
    assert_eq!(own.verify(&part, ANNA, &["--fmr", "0.05"]).status.code(), Some(5));
    succeeded(&own.verify(&probe, ANNA, &["--allow-replay", "--fmr", "0.05"]));
}

#[test]
fn a_replay_that_was_allowed_is_not_remembered_twice() {
    let own = Own::new();
    let probe = SHARED.probe(ANNA);
    let remembered = || {
        let told = succeeded(&own.manage("show", &[ANNA]));
        told.lines().find(|line| line.starts_with("remembered")).unwrap().to_owned()
    };
    succeeded(&own.verify(&probe, ANNA, &["--fmr", "0.05"]));
    let once = remembered();
    succeeded(&own.verify(&probe, ANNA, &["--fmr", "0.05", "--allow-replay"]));
    succeeded(&own.identify(&probe, &["--fpir", "0.2", "--allow-replay"]));
    assert_eq!(remembered(), once);
}

#[test]
fn what_was_not_believed_is_not_remembered() {
    let own = Own::new();
    refused(&own.verify(&SHARED.probe(BERT), ANNA, &[]), 3);
    for reader in [ANNA, BERT] {
        let told = succeeded(&own.manage("show", &[reader]));
        assert!(told.contains("\nremembered  0 readings"), "{told}");
    }
    succeeded(&own.verify(&SHARED.probe(BERT), BERT, &["--fmr", "0.05"]));
}
