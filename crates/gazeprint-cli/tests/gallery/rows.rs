//! A gallery that is searched by rows answers as one whose readers are all compared.

use std::fs;

use serde_json::Value;

use crate::common::{gazeprint, stdout, succeeded};
use crate::people::{ANNA, BERT, Own, SHARED, STRANGERS, answer, run};

const NEWCOMER: &str = "reader-r015";

fn identified(own: &Own, reader: &str, more: &[&str]) -> String {
    let more = [&["--json", "--forget", "--fpir", "0.2"], more].concat();
    let output = own.identify(&SHARED.probe(reader), &more);
    answer(&output);
    stdout(&output)
}

fn claimed(own: &Own, reader: &str) -> String {
    let more = ["--reader", reader, "--fmr", "0.05", "--forget", "--json"];
    stdout(&run("verify", &[&SHARED.probe(ANNA)], &own.gallery, &more))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn answers_are_those_of_comparing_with_all() {
    let own = Own::new();
    let everybody = [ANNA, BERT, STRANGERS[0]];
    let all = everybody.map(|reader| identified(&own, reader, &[]));
    let claims = [ANNA, BERT].map(|reader| claimed(&own, reader));
    let told = succeeded(&own.manage("calibrate", &["--rows"]));
    assert!(told.contains("6 readers; can show false match rates"), "{told}");
    // There are fewer readers than candidates: every one is scored in full.
    assert_eq!(everybody.map(|reader| identified(&own, reader, &[])), all);
    assert_eq!([ANNA, BERT].map(|reader| claimed(&own, reader)), claims);
    // With most of them, those who are listed are still scored in full.
    for (reader, all) in everybody.iter().zip(&all) {
        let some = json(&identified(&own, reader, &["--candidates", "4"]));
        let all = json(all);
        assert_eq!(some["ranking"][0]["reader"], all["ranking"][0]["reader"]);
        for field in ["score", "parts"] {
            assert_eq!(some["ranking"][0][field], all["ranking"][0][field]);
        }
        assert_eq!(some["threshold"], all["threshold"]);
    }
    succeeded(&own.manage("check", &[]));
}

/// Who reads most like the newcomer.
fn best(own: &Own) -> String {
    let answer = json(&identified(own, STRANGERS[0], &["--allow-replay"]));
    answer["ranking"][0]["reader"].as_str().unwrap().to_owned()
}

#[test]
fn rows_go_when_readers_change() {
    let own = Own::new();
    succeeded(&own.manage("calibrate", &["--rows"]));
    let newcomer = own.corpus("newcomer", |reader, _| reader == STRANGERS[0]);
    succeeded(&own.enroll(&newcomer, &[]));
    assert_eq!(best(&own), NEWCOMER);
    succeeded(&own.manage("calibrate", &["--rows"]));
    assert_eq!(best(&own), NEWCOMER);
    succeeded(&own.manage("remove", &[NEWCOMER]));
    assert_ne!(best(&own), NEWCOMER);
}

#[test]
fn rows_stay_with_what_they_are_of() {
    let own = Own::new();
    let all = identified(&own, ANNA, &[]);
    succeeded(&own.manage("calibrate", &["--rows"]));
    let at = fs::metadata(&own.gallery).unwrap().len();
    // More readers to list than there are.
    let more = identified(&own, ANNA, &["--top", "99"]);
    assert_eq!(json(&more)["ranking"].as_array().unwrap().len(), 6);
    let key = own.path("secret.key");
    succeeded(&gazeprint(&["gallery", "key", &key]));
    succeeded(&own.manage("rekey", &["--new-key-file", &key]));
    assert_eq!(identified(&own, ANNA, &["--key-file", &key]), all);
    succeeded(&own.manage("check", &["--key-file", &key]));
    let copy = own.path("copy.gallery");
    succeeded(&own.manage("export", &["--key-file", &key, "--out", &copy]));
    assert!(fs::metadata(&copy).unwrap().len() > at / 2);
    let more = ["--json", "--forget", "--fpir", "0.2", "--key-file", &key];
    assert_eq!(stdout(&run("identify", &[&SHARED.probe(ANNA)], &copy, &more)), all);
}
