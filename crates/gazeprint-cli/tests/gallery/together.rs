//! Several processes at once.

use std::process::{Child, Command, Stdio};

use crate::common::{gazeprint, stderr, succeeded};
use crate::people::{ANNA, ANSWERS, ENROLLED, Own, SHARED, TEXTS, answer, answers, holds};

fn start(arguments: &[&str]) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("gazeprint"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn enrolling_and_identifying_at_the_same_time_works() {
    let own = Own::empty();
    let population = SHARED.population();
    // Five at first, so that something can be identified; then one process with somebody new, and
    // two that give more to the same reader.
    let first = own.corpus("first", |reader, text| {
        ENROLLED[..5].contains(&reader) && text <= if reader == "r002" { 12 } else { TEXTS }
    });
    succeeded(&own.enroll(&first, &["--population", &population]));
    let mut corpora: Vec<String> = ENROLLED[5..]
        .iter()
        .map(|one| own.corpus(one, |reader, text| reader == *one && text <= TEXTS))
        .collect();
    corpora.push(own.corpus("a", |reader, text| reader == "r002" && text > 12 && text <= 20));
    corpora.push(own.corpus("b", |reader, text| reader == "r002" && text > 20 && text <= TEXTS));
    let mut enrolling: Vec<Child> = corpora
        .iter()
        .map(|corpus| start(&["enroll", corpus, "--gallery", &own.gallery, "--threads", "1"]))
        .collect();
    let mut identified = 0;
    while enrolling.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        let output = own.identify(&SHARED.probe(ANNA), &["--json", "--forget"]);
        assert!(answer(&output)["ranking"].as_array().unwrap().len() == 5, "{}", stderr(&output));
        identified += 1;
    }
    for child in enrolling {
        succeeded(&child.wait_with_output().unwrap());
    }
    assert!(identified > 0);
    succeeded(&own.manage("check", &[]));
    assert_eq!(own.readers().len(), ENROLLED.len());
    let output = own.identify(&SHARED.probe(ANNA), &["--forget", "--fpir", "0.2"]);
    assert!(
        !stderr(&output).contains("calibrate"),
        "thresholds are those of all: {}",
        stderr(&output)
    );
    // Which readers thresholds were last learned from depends on who came when.
    succeeded(&own.manage("calibrate", &[]));
    assert_eq!(answers(&own.gallery, &[]), *ANSWERS);
}

#[test]
fn two_processes_may_make_the_same_gallery() {
    let own = Own::empty();
    let (population, key) = (SHARED.population(), own.path("secret.key"));
    succeeded(&gazeprint(&["gallery", "key", &key]));
    let made = ["--population", &population, "--key-file", &key];
    let halves = [0, 1].map(|half| {
        own.corpus(&format!("half {half}"), |reader, text| {
            ENROLLED.iter().position(|r| *r == reader).is_some_and(|i| i % 2 == half)
                && text <= TEXTS
        })
    });
    let making = halves
        .each_ref()
        .map(|corpus| start(&[&["enroll", corpus, "--gallery", &own.gallery], &made[..]].concat()));
    for child in making {
        succeeded(&child.wait_with_output().unwrap());
    }
    assert_eq!(answers(&own.gallery, &["--key-file", &key]), *ANSWERS);
    assert!(!holds(&own.bytes(), "reader-r0"), "encrypted from the beginning");
}

#[test]
fn a_probe_is_remembered_once_whoever_asks() {
    let own = Own::new();
    let probe = SHARED.probe(ANNA);
    let arguments =
        ["verify", &probe, "--reader", ANNA, "--gallery", &own.gallery, "--fmr", "0.05", "--json"];
    let asking: Vec<Child> = (0..4).map(|_| start(&arguments)).collect();
    let codes = asking.into_iter().map(|child| child.wait_with_output().unwrap().status.code());
    let mut codes: Vec<Option<i32>> = codes.collect();
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(5), Some(5), Some(5)], "one of them was there first");
}
