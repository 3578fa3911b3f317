//! The ways in which a probe can come, and those in which it cannot.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{refused, stderr};
use crate::people::{ANNA, Own, SHARED, STRANGERS, TEXTS, answer};

const ASKED: [&str; 4] = ["--json", "--forget", "--fpir", "0.2"];

fn identified(own: &Own, probe: &str, more: &[&str]) -> Value {
    answer(&own.identify(probe, &[&ASKED[..], more].concat()))
}

/// A table without some of its columns.
fn without(table: &str, columns: &[&str]) -> String {
    let head: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let kept = |line: &str| -> String {
        let cells = line.split(',').zip(&head).filter(|(_, name)| !columns.contains(name));
        cells.map(|(cell, _)| cell).collect::<Vec<_>>().join(",") + "\n"
    };
    table.lines().map(kept).collect()
}

#[test]
fn a_probe_comes_as_folder_or_file_with_a_reader_or_none() {
    let own = Own::new();
    let folder = SHARED.probe(ANNA);
    let whole = identified(&own, &folder, &[]);
    assert_eq!(whole["decision"], ANNA);
    let words = SHARED.words().to_str().unwrap().to_owned();
    let fixations = Path::new(&folder).join("fixations.csv");
    let as_file = identified(&own, fixations.to_str().unwrap(), &["--words", &words]);
    assert_eq!(as_file, whole);

    let table = fs::read_to_string(&fixations).unwrap();
    let nameless = own.path("nameless.csv");
    fs::write(&nameless, without(&table, &["reader"])).unwrap();
    assert_eq!(identified(&own, &nameless, &["--words", &words]), whole);
    let bare = own.path("bare.csv");
    fs::write(&bare, without(&table, &["reader", "fix_index", "onset_ms"])).unwrap();
    assert_eq!(identified(&own, &bare, &["--words", &words]), whole);
    // A folder without names in it, and a name that is not theirs.
    let anonymous = own.path("anonymous");
    fs::create_dir(&anonymous).unwrap();
    let other = without(&table, &["reader"]);
    fs::write(Path::new(&anonymous).join("fixations.csv"), other).unwrap();
    fs::copy(&words, Path::new(&anonymous).join("words.csv")).unwrap();
    assert_eq!(identified(&own, &anonymous, &[]), whole);
    let renamed = own.path("renamed.csv");
    fs::write(&renamed, table.replace(ANNA, "somebody")).unwrap();
    assert_eq!(identified(&own, &renamed, &["--words", &words]), whole, "names are no evidence");
    let told = stderr(&own.verify(&folder, ANNA, &["--forget", "--fmr", "0.1"]));
    assert!(!told.contains("texts read"), "a probe need not be of all texts: {told}");
}

#[test]
fn probes_that_are_none_are_refused() {
    let own = Own::new();
    let before = own.bytes();
    let two = own.corpus("two", |r, text| ["r011", "r004"].contains(&r) && text > TEXTS);
    let told = refused(&own.identify(&two, &[]), 1);
    assert!(
        told.contains("two: found 2 readers, expected one: a probe is what one person read"),
        "{told}"
    );
    let fixations = Path::new(&SHARED.probe(ANNA)).join("fixations.csv");
    let fixations = fixations.to_str().unwrap();
    let told = refused(&own.identify(fixations, &[]), 2);
    assert!(told.contains("fixations.csv is a file; give the places of its words with"), "{told}");
    let told = refused(&own.identify(&own.path("nothing"), &[]), 1);
    assert!(told.contains("nothing does not exist"), "{told}");
    // None that counts: too short, all of them.
    let short = own.path("short.csv");
    fs::write(&short, "text,x_char,duration_ms\nsentence-s031,3,20\nsentence-s031,9,30\n").unwrap();
    let words = SHARED.words().to_str().unwrap().to_owned();
    let told = refused(&own.verify(&short, ANNA, &["--words", &words]), 1);
    assert!(told.contains("short.csv: none of 2 fixations counts; `gazeprint inspect`"), "{told}");
    let other = own.path("other.csv");
    fs::write(&other, "text,x_char,duration_ms\nelsewhere,3,200\n").unwrap();
    let told = refused(&own.verify(&other, ANNA, &["--words", &words]), 1);
    assert!(told.contains("other.csv") && told.contains("elsewhere"), "{told}");
    assert!(before == own.bytes(), "nothing was logged, and nothing remembered");
}

#[test]
fn little_says_little() {
    let own = Own::new();
    let little = own.path("little.csv");
    let words = SHARED.words().to_str().unwrap().to_owned();
    fs::write(&little, "text,x_char,duration_ms\nsentence-s031,3,200\nsentence-s031,9,230\n")
        .unwrap();
    let output = own.identify(&little, &[&ASKED[..], &["--words", &words]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let answer = answer(&output);
    assert_eq!(answer["fixations"], 2);
    let llr = answer["ranking"][0]["llr"].as_f64().unwrap();
    assert!(llr.abs() < 3.0, "{answer}");
    let stranger = SHARED.probe(STRANGERS[1]);
    assert_eq!(identified(&own, &stranger, &[])["decision"], "unknown");
}
