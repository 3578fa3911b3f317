//! `enroll`: in steps or at once, what is refused, and what goes on after an interruption.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{refused, stderr, stdout, succeeded};
use crate::people::{ANNA, ANSWERS, BERT, ENROLLED, Own, SHARED, STRANGERS, TEXTS, answers};

#[test]
fn in_two_steps_is_as_at_once() {
    let own = Own::empty();
    let (first, later) = ENROLLED.split_at(3);
    let population = SHARED.population();
    let half = own.corpus("half", |reader, text| first.contains(&reader) && text <= 20);
    let few = own.enroll(&half, &["--population", &population]);
    let told = "own.gallery: 3 readers; can show false match rates down to ";
    assert!(succeeded(&few).contains(told), "{}", stdout(&few));
    let rest =
        own.corpus("rest", |reader, text| first.contains(&reader) && text > 20 && text <= TEXTS);
    // The same population once more is no contradiction.
    succeeded(&own.enroll(&rest, &["--population", &population]));
    let others = own.corpus("others", |reader, text| later.contains(&reader) && text <= TEXTS);
    succeeded(&own.enroll(&others, &["--threads", "1"]));
    assert_eq!(answers(&own.gallery, &[]), *ANSWERS);
    // Thresholds learned anew from the same readers are the same.
    let told = succeeded(&own.manage("calibrate", &[]));
    assert!(told.contains("6 readers; can show false match rates down to 0.0"), "{told}");
    assert_eq!(answers(&own.gallery, &[]), *ANSWERS);
    assert!(!stderr(&own.identify(&SHARED.probe(BERT), &[])).contains("calibrate"));
}

#[test]
fn the_same_recordings_twice_are_refused() {
    let own = Own::new();
    let before = own.bytes();
    let again = refused(&own.enroll(&SHARED.corpus(), &[]), 1);
    assert!(again.contains("reader-r001: enrolled already with these recordings"), "{again}");
    assert!(
        again.contains("error: corpus: all recordings are enrolled already in ")
            && again.contains(
                "own.gallery; enrol only new ones, or start the readers anew (--replace)"
            ),
        "{again}"
    );
    let some = own.corpus("some", |reader, text| reader == "r011" && text > TEXTS - 5);
    let some = refused(&own.enroll(&some, &[]), 1);
    assert!(some.contains("error: reader \"reader-r011\" of "), "{some}");
    assert!(some.contains(" recordings are enrolled already; enrol only new ones"), "{some}");
    // Other fixations under the same name.
    let other = own.corpus("other", |reader, text| reader == "r011" && text == TEXTS + 1);
    let rename = |text: String| text.replace("sentence-s031", "sentence-s030");
    for table in ["fixations.csv", "trials.csv"] {
        let file = Path::new(&other).join(table);
        fs::write(&file, rename(fs::read_to_string(&file).unwrap())).unwrap();
    }
    let other = refused(&own.enroll(&other, &[]), 1);
    let told =
        "text \"sentence-s030\", session 1, trial 1 is enrolled already with other fixations";
    assert!(other.contains(told), "{other}");
    assert!(before == own.bytes(), "nothing was changed");
}

#[test]
fn replace_starts_anew() {
    let own = Own::new();
    let few = own.corpus("few", |reader, text| reader == "r011" && text <= 20);
    let told = succeeded(&own.enroll(&few, &["--replace"]));
    assert!(told.starts_with("enrolled reader-r011: "), "{told}");
    let entry = succeeded(&own.manage("show", &[ANNA, "--json"]));
    let entry: Value = serde_json::from_str(&entry).unwrap();
    assert_eq!(entry["revision"], 1);
    assert!(entry["recordings"].as_u64().unwrap() <= 20, "{entry}");
    assert_eq!(own.readers().len(), ENROLLED.len());
    assert_ne!(answers(&own.gallery, &[]), *ANSWERS);
}

#[test]
fn recordings_of_somebody_else_were_added_to_a_reader() {
    let own = Own::new();
    let other = own.corpus("other", |reader, text| reader == STRANGERS[0] && text > TEXTS);
    for table in ["fixations.csv", "trials.csv"] {
        let file = Path::new(&other).join(table);
        let renamed = fs::read_to_string(&file).unwrap().replace("reader-r015", ANNA);
        fs::write(&file, renamed).unwrap();
    }
    let before = own.bytes();
    let told = refused(&own.enroll(&other, &[]), 1);
    assert!(told.contains("found recordings that do not read like what was enrolled"), "{told}");
    assert!(told.contains("add them with --force"), "{told}");
    assert!(before == own.bytes(), "nothing was changed");
    succeeded(&own.enroll(&other, &["--force"]));
}

#[test]
fn too_little_is_refused_with_a_number_and_nothing_is_made() {
    let own = Own::empty();
    let little = own.corpus("little", |reader, text| match reader {
        "r011" => text <= 3,
        _ => ENROLLED.contains(&reader) && text <= TEXTS,
    });
    let population = SHARED.population();
    for more in [&["--population", population.as_str()][..], &[]] {
        let told = refused(&own.enroll(&little, &[more, &["--strict"]].concat()), 1);
        assert!(told.contains("error: reader \"reader-r011\": found "), "{told}");
        assert!(told.contains(" fixations, expected at least 100 that count"), "{told}");
        assert!(told.contains("nobody was enrolled"), "{told}");
        assert!(!Path::new(&own.gallery).exists());
    }
    let four = own.corpus("four", |reader, text| ENROLLED[..4].contains(&reader) && text <= TEXTS);
    // Few are learned around what others have in common.
    let few = Own::at(own.path("few.gallery"));
    assert!(succeeded(&few.enroll(&four, &[])).contains("4 readers; can show false match rates"));
    let unknown = own.path("nobody");
    SHARED.write(Path::new(&unknown), |reader, text| reader == "r011" && text <= TEXTS);
    for table in ["fixations.csv", "trials.csv"] {
        let file = Path::new(&unknown).join(table);
        let text = fs::read_to_string(&file).unwrap().replace(ANNA, "unknown");
        fs::write(&file, text).unwrap();
    }
    let told = refused(&own.enroll(&unknown, &["--population", &population]), 1);
    assert!(told.contains("found a reader called \"unknown\", expected another name"), "{told}");
    assert!(!Path::new(&own.gallery).exists());
}

#[test]
fn who_read_too_little_is_skipped_named_and_counted() {
    let own = Own::empty();
    let little = own.corpus("little", |reader, text| match reader {
        "r011" => text <= 3,
        _ => ENROLLED.contains(&reader) && text <= TEXTS,
    });
    let told = succeeded(&own.enroll(&little, &["--population", &SHARED.population()]));
    assert!(told.contains("\nskipped reader-r011: "), "{told}");
    assert!(
        told.contains("\n1 reader skipped, with fewer than 100 fixations that count"),
        "{told}"
    );
    assert_eq!(own.readers().len(), ENROLLED.len() - 1);
    let more = own.corpus("more", |reader, text| match reader {
        "r011" => text <= 3,
        reader => reader == STRANGERS[0] && text <= TEXTS,
    });
    let told = succeeded(&own.enroll(&more, &["--json"]));
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["enrolled"].as_array().unwrap().len(), 1);
    assert_eq!(told["skipped"][0]["reader"], ANNA);
    assert_eq!(told["skipped"][0]["expected"], 100);
    // Nobody is left to enrol.
    let only = own.corpus("only", |reader, text| ["r011", "r016"].contains(&reader) && text <= 3);
    let told = refused(&own.enroll(&only, &[]), 1);
    assert!(told.contains("only: found nobody with at least 100 fixations"), "{told}");
}

#[test]
fn what_was_fixed_when_the_gallery_was_made_stays() {
    let own = Own::new();
    let newcomer = own.corpus("newcomer", |reader, _| reader == "r015");
    let told = refused(&own.enroll(&newcomer, &["--pseudonyms"]), 2);
    assert!(told.contains("was made without pseudonyms, and stays so"), "{told}");
    let told = refused(&own.enroll(&newcomer, &["--min-duration", "80"]), 2);
    assert!(
        told.contains("counts fixations of 50 to 1500 ms, and stays so; found 80 to"),
        "{told}"
    );
    let told = refused(&own.enroll(&newcomer, &["--method", "uniform"]), 2);
    assert!(told.contains("possible values: fusion"), "{told}");
    assert_eq!(own.readers().len(), ENROLLED.len());
    // What they are already may be said.
    let same = ["--json", "--min-duration", "50", "--max-duration", "1500"];
    let told: Value = serde_json::from_str(&succeeded(&own.enroll(&newcomer, &same))).unwrap();
    let entry = &told["enrolled"][0];
    assert_eq!((&entry["id"], &entry["revision"]), (&"reader-r015".into(), &0.into()));
    assert!(entry["fixations"].as_u64().unwrap() >= 100, "{told}");
    assert!(own.readers().contains(&"reader-r015".to_owned()));
}

/// Ctrl-C keeps what was reported, says so, and the same command goes on.
#[cfg(unix)]
#[test]
fn an_interruption_keeps_what_was_reported() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};
    let own = Own::empty();
    let arguments = ["--population", &SHARED.population(), "--threads", "1"];
    let mut running = Command::new(assert_cmd::cargo::cargo_bin("gazeprint"))
        .args(["enroll", &SHARED.corpus(), "--gallery", &own.gallery])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("enrolled reader-r001: "));
    let kill = Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let reported = 1 + lines.count();
    let mut told = String::new();
    running.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(130), "{told}");
    assert!(told.contains("error: interrupted; "), "{told}");
    assert_eq!(own.readers().len(), reported, "{told}");
    if reported == ENROLLED.len() {
        assert!(told.contains("`gazeprint gallery calibrate` does it"), "{told}");
    } else {
        assert!(told.contains("the same command goes on from here"), "{told}");
    }
    succeeded(&own.enroll(&SHARED.corpus(), &arguments));
    assert_eq!(answers(&own.gallery, &[]), *ANSWERS);
}
