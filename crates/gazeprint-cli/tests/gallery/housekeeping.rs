//! What `gazeprint gallery` shows and does, and the log of it all.

use serde_json::Value;

use crate::common::{refused, stderr, succeeded};
use crate::people::{ANNA, ANSWERS, BERT, ENROLLED, Own, SHARED, STRANGERS, answers, run};
use crate::watching::watch;

#[test]
fn everything_is_logged() {
    let own = Own::new();
    let made = own.log();
    assert_eq!(made[0]["event"], "created");
    assert_eq!(made.len(), 1 + ENROLLED.len());
    assert!(made[1..].iter().all(|entry| entry["event"] == "enrolled"));
    succeeded(&own.identify(&SHARED.probe(ANNA), &["--fpir", "0.2"]));
    assert_eq!(own.identify(&SHARED.probe(STRANGERS[0]), &[]).status.code(), Some(3));
    succeeded(&own.verify(&SHARED.probe(BERT), BERT, &["--fmr", "0.05"]));
    assert_eq!(own.verify(&SHARED.probe(BERT), ANNA, &[]).status.code(), Some(3));
    watch(&own.gallery, BERT, &[], &["--fmr", "0.1"]);
    let phrase = own.private("phrase", "seven tall trees\n");
    let opened = ["--passphrase-file", &phrase];
    succeeded(&own.manage("rekey", &["--new-passphrase-file", &phrase]));
    let lines = succeeded(&own.manage("log", &[&opened[..], &["--json"]].concat()));
    let log: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let new = &log[made.len()..];
    let events: Vec<&str> = new.iter().map(|entry| entry["event"].as_str().unwrap()).collect();
    let expected = ["identified", "identified", "verified", "verified", "watched", "rekeyed"];
    assert_eq!(events, expected);
    assert_eq!(new[0]["reader"], ANNA);
    assert!(new[1]["reader"].is_null() && new[1]["llr"].is_f64());
    assert_eq!((&new[2]["reader"], &new[2]["accepted"]), (&BERT.into(), &true.into()));
    assert_eq!((&new[3]["reader"], &new[3]["accepted"]), (&ANNA.into(), &false.into()));
    assert_eq!((&new[4]["reader"], &new[4]["decision"]), (&BERT.into(), &"go-on".into()));
    assert_eq!(new[5]["encrypted"], true);
    assert!(log.iter().all(|entry| entry["time"].as_u64().unwrap() > 1_700_000_000));
    assert!(log.is_sorted_by_key(|entry| entry["time"].as_u64().unwrap()));

    let told = succeeded(&own.manage("log", &opened));
    let words: Vec<&str> = told.lines().map(|line| line.split_once(" UTC  ").unwrap().1).collect();
    assert_eq!(words[0], "created");
    assert!(words[made.len()].starts_with("identified reader-r011: llr +"), "{told}");
    assert!(words[made.len() + 1].starts_with("identified nobody known: llr "), "{told}");
    assert!(words[made.len() + 3].starts_with("rejected reader-r011: llr -"), "{told}");
    assert_eq!(words[made.len() + 5], "encrypted anew");
}

#[test]
fn readers_are_listed_and_shown() {
    let own = Own::new();
    let told = succeeded(&own.manage("list", &[]));
    let lines: Vec<&str> = told.lines().collect();
    assert!(
        lines[0].contains("own.gallery: 6 readers; can show false match rates down to 0.0"),
        "{told}"
    );
    let head = "reader       recordings  fixations  enrolled (UTC)    changed (UTC)";
    assert_eq!(lines[2], head);
    assert_eq!(lines.len(), 3 + ENROLLED.len());
    assert!(lines[3].starts_with("reader-r001  "), "{told}");
    assert_eq!(own.readers().len(), ENROLLED.len());
    let told = succeeded(&own.manage("show", &[ANNA]));
    assert!(told.starts_with("reader      reader-r011\nrecordings  "), "{told}");
    let told = refused(&own.manage("show", &["reader-r999"]), 1);
    assert!(told.contains("found no reader \"reader-r999\" (did you mean"), "{told}");
    let told = succeeded(&own.manage("check", &[]));
    assert!(
        told.contains("own.gallery: whole; 24 records, 7 entries of the log, not encrypted"),
        "{told}"
    );
}

#[test]
fn relearning_keeps_readers_and_changes_the_population() {
    let own = Own::new();
    let before = answers(&own.gallery, &[]);
    assert_eq!(before, *ANSWERS);
    let told = succeeded(&own.manage("relearn", &[]));
    assert!(told.starts_with("learned anew from 6 readers\n"), "{told}");
    assert_eq!(own.readers().len(), ENROLLED.len());
    let after = answers(&own.gallery, &[]);
    for (before, after) in before.iter().zip(&after) {
        assert_ne!(before["ranking"][0]["score"], after["ranking"][0]["score"]);
        assert_eq!(before["ranking"][0]["reader"], after["ranking"][0]["reader"]);
    }
    assert_eq!(after[0]["decision"], ANNA);
    // As if the gallery had been made from these readers in the first place, but for the order in
    // which they are added up.
    let fresh = Own::empty();
    succeeded(&fresh.enroll(&SHARED.corpus(), &[]));
    succeeded(&fresh.manage("relearn", &[]));
    for (fresh, after) in answers(&fresh.gallery, &[]).iter().zip(&after) {
        let [fresh, after] =
            [fresh, after].map(|answer| answer["ranking"][0]["score"].as_f64().unwrap());
        assert!((fresh - after).abs() < 1e-6 * after.abs(), "{fresh} {after}");
    }
    let output = own.identify(&SHARED.probe(BERT), &["--fpir", "0.2"]);
    assert!(!stderr(&output).contains("calibrate"), "{}", stderr(&output));
    succeeded(&own.manage("check", &[]));
    let log = own.log();
    let relearned = log.iter().find(|entry| entry["event"] == "relearned").unwrap();
    assert_eq!(relearned["readers"], ENROLLED.len());
    // The population is another now.
    let newcomer = own.corpus("newcomer", |reader, _| reader == STRANGERS[0]);
    let told = refused(&own.enroll(&newcomer, &["--population", &SHARED.population()]), 2);
    assert!(told.contains("exists already with another population, which stays"), "{told}");
}

#[test]
fn a_gallery_can_shrink_and_grow_again() {
    let own = Own::new();
    for reader in &ENROLLED[..2] {
        succeeded(&own.manage("remove", &[&format!("reader-{reader}")]));
    }
    assert_eq!(own.readers().len(), 4);
    // Other people's thresholds serve any number.
    succeeded(&own.verify(&SHARED.probe(ANNA), ANNA, &["--forget"]));
    let told = refused(&own.manage("relearn", &[]), 1);
    assert!(told.contains("own.gallery: found 4 readers, expected at least 5 to learn"), "{told}");
    let corpus = own.corpus("again", |reader, text| {
        ENROLLED[..2].contains(&reader) && text <= crate::people::TEXTS
    });
    succeeded(&own.enroll(&corpus, &[]));
    assert_eq!(answers(&own.gallery, &[]), *ANSWERS);
}

#[test]
fn wrong_usage_has_its_own_exit_code() {
    let own = Own::new();
    refused(&crate::common::gazeprint(&["gallery"]), 2);
    refused(&crate::common::gazeprint(&["identify", "probe"]), 2);
    refused(&run("gallery show", &[], &own.gallery, &[]), 2);
    refused(&run("verify", &[&SHARED.probe(ANNA)], &own.gallery, &[]), 2);
    let both = ["--decrypt", "--new-key-file", "k"];
    refused(&own.manage("rekey", &both), 2);
}

#[test]
fn a_gallery_is_written_anew() {
    let own = Own::new();
    succeeded(&own.manage("remove", &[&format!("reader-{}", ENROLLED[0])]));
    let before = answers(&own.gallery, &[]);
    let size = || std::fs::metadata(&own.gallery).unwrap().len();
    let large = size();
    let told = succeeded(&own.manage("compact", &[]));
    assert!(told.ends_with("own.gallery: written anew\n"), "{told}");
    assert!(size() < large, "{large} {}", size());
    assert_eq!(answers(&own.gallery, &[]), before);
    succeeded(&own.manage("check", &[]));
}

#[test]
fn an_older_state_is_told_by_an_anchor() {
    let own = Own::new();
    let copy = own.path("older.gallery");
    std::fs::copy(&own.gallery, &copy).unwrap();
    let first = succeeded(&own.manage("anchor", &[]));
    let first = first.trim_end();
    assert!(first.starts_with("gazeprint-anchor-1:"), "{first}");
    succeeded(&own.manage("list", &["--anchor", first]));
    // Every answer is logged, and every log is further than before.
    assert_eq!(own.verify(&SHARED.probe(BERT), ANNA, &["--anchor", first]).status.code(), Some(3));
    let second = succeeded(&own.manage("anchor", &[]));
    let second = second.trim_end();
    assert_ne!(first, second);
    succeeded(&own.manage("list", &["--anchor", second]));
    succeeded(&own.manage("list", &["--anchor", first]));
    std::fs::copy(&copy, &own.gallery).unwrap();
    let told = refused(&own.manage("list", &["--anchor", second]), 7);
    assert!(
        told.contains("is older than the anchor: found 7 entries of the log, expected at least 8"),
        "{told}"
    );
    refused(&own.manage("list", &["--anchor", "nonsense"]), 2);
}

#[test]
fn an_anchor_was_ignored_where_galleries_are_copied_merged_or_made() {
    let own = Own::new();
    let older = own.path("older.gallery");
    std::fs::copy(&own.gallery, &older).unwrap();
    assert_eq!(own.verify(&SHARED.probe(BERT), ANNA, &[]).status.code(), Some(3));
    let anchor = succeeded(&own.manage("anchor", &[]));
    let held = ["--anchor", anchor.trim_end()];
    let copy = own.path("copy.gallery");
    let told =
        refused(&run("gallery export", &[], &older, &[&held[..], &["--out", &copy]].concat()), 7);
    assert!(told.contains("older.gallery is older than the anchor"), "{told}");
    // What is imported is what the anchor is of.
    let told = refused(&run("gallery import", &[&older], &copy, &held), 7);
    assert!(told.contains("older.gallery is older than the anchor"), "{told}");
    let told = refused(&run("gallery merge", &[&older], &copy, &held), 2);
    assert!(told.contains("found --anchor, which is of one gallery"), "{told}");
    // No gallery is made in place of the one that there was.
    let told = refused(&run("enroll", &[&SHARED.corpus()], &copy, &held), 1);
    assert!(told.contains("copy.gallery: there is no gallery"), "{told}");
    assert!(!std::path::Path::new(&copy).exists());
    succeeded(&run("gallery import", &[&own.gallery], &copy, &held));
}
