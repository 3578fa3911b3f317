//! Galleries of every released format keep opening, and give the answers that they gave.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{gazeprint, stderr, stdout, succeeded};
use crate::people::{Own, SHARED, answer, simulate};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn ask(own: &Own, probe: &str) -> Value {
    answer(&own.identify(probe, &["--json", "--top", "5", "--fpir", "0.2"]))
}

#[test]
fn a_gallery_of_the_first_format_answers_as_it_did() {
    let own = Own::empty();
    fs::copy(fixture("v1.gallery"), &own.gallery).unwrap();
    succeeded(&own.manage("check", &[]));
    assert_eq!(
        own.readers(),
        ["reader-r001", "reader-r002", "reader-r003", "reader-r004", "reader-r005"]
    );
    let told = ask(&own, fixture("v1-probe").to_str().unwrap());
    let answered = told.clone();
    let expected: Value =
        serde_json::from_str(&fs::read_to_string(fixture("v1-answer.json")).unwrap()).unwrap();
    assert_eq!(told["decision"], expected["decision"]);
    assert_eq!(told["fixations"], expected["fixations"]);
    let rankings = [&told, &expected].map(|answer| answer["ranking"].as_array().unwrap());
    assert_eq!(rankings[0].len(), rankings[1].len());
    for (told, expected) in rankings[0].iter().zip(rankings[1]) {
        assert_eq!(told["reader"], expected["reader"]);
        for name in ["score", "ratio", "llr", "posterior"] {
            let [told, expected] = [told, expected].map(|reader| reader[name].as_f64().unwrap());
            assert!(
                (told - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                "{name}: {told} {expected}"
            );
        }
    }
    // Nothing is written to it until it is upgraded; then it can be worked with, and answers as before.
    let before = fs::read(&own.gallery).unwrap();
    let newcomer = own.corpus("newcomer", |reader, text| reader == "r011" && text <= 30);
    for refused in [
        own.enroll(&newcomer, &[]),
        own.manage("remove", &["reader-r001"]),
        own.manage("calibrate", &[]),
        own.manage("relearn", &[]),
        own.manage("compact", &[]),
        own.manage("rekey", &["--decrypt"]),
    ] {
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains("run `gazeprint gallery upgrade --gallery"));
    }
    assert_eq!(fs::read(&own.gallery).unwrap(), before);
    let told = succeeded(&own.manage("upgrade", &[]));
    assert!(told.ends_with("own.gallery: upgraded\n"), "{told}");
    let told = succeeded(&own.manage("upgrade", &[]));
    assert!(told.contains("is of the format of this version already"), "{told}");
    let log = succeeded(&own.manage("log", &[]));
    assert!(log.trim_end().ends_with("upgraded to another format"), "{log}");
    let same = ask(&own, fixture("v1-probe").to_str().unwrap());
    assert_eq!(same["ranking"], answered["ranking"]);
    succeeded(&own.enroll(&newcomer, &[]));
    succeeded(&own.manage("remove", &["reader-r001"]));
    succeeded(&own.manage("check", &[]));
}

/// Writes the fixtures of this version. Run it only for a new format, never over an old one:
/// `GAZEPRINT_FIXTURES=write cargo test -p gazeprint-cli --test gallery writes_the_fixtures`.
#[test]
fn writes_the_fixtures_of_this_version_where_that_is_asked_for() {
    if std::env::var_os("GAZEPRINT_FIXTURES").is_none_or(|asked| asked != "write") {
        return;
    }
    let own = Own::empty();
    let all = own.path("all");
    simulate(&all, "5", &["--texts", "36", "--individuality", "2", "--seed", "5"]);
    let [enrolled, probe] = ["enrolled", "v1-probe"].map(|name| {
        let out = if name == "enrolled" { own.path(name).into() } else { fixture(name) };
        fs::create_dir_all(&out).unwrap();
        let is_probe = name != "enrolled";
        for (table, column) in [("fixations.csv", 1), ("words.csv", 0)] {
            let text = fs::read_to_string(Path::new(&all).join(table)).unwrap();
            let kept = text.lines().enumerate().filter(|(row, line)| {
                let cells: Vec<&str> = line.split(',').collect();
                let is_late = cells[column] > "sentence-s026";
                let is_theirs = !is_probe || table == "words.csv" || cells[0] == "reader-r003";
                *row == 0 || is_late == is_probe && is_theirs
            });
            let kept: String = kept.map(|(_, line)| format!("{line}\n")).collect();
            fs::write(out.join(table), kept).unwrap();
        }
        out
    });
    let gallery = Own::at(own.path("v1.gallery"));
    let population = SHARED.population();
    succeeded(&gallery.enroll(enrolled.to_str().unwrap(), &["--population", &population]));
    succeeded(&gazeprint(&["gallery", "list", "--gallery", &gallery.gallery]));
    fs::copy(&gallery.gallery, fixture("v1.gallery")).unwrap();
    let told = ask(&gallery, probe.to_str().unwrap());
    fs::write(fixture("v1-answer.json"), format!("{told:#}\n")).unwrap();
}

/// What a command printed before. Fields may have been added since, at the end; nothing else may
/// differ but the last digits of numbers, on another type of CPU.
fn as_before(told: &str, name: &str) {
    let expected = fs::read_to_string(fixture("v1-answers").join(name)).unwrap();
    let expected = match name.ends_with(".json") {
        true => expected.trim_end_matches("\n}\n").trim_end_matches("\n]\n"),
        false => expected.as_str(),
    };
    let (mut told, mut expected) = (Pieces(told), Pieces(expected));
    while let Some(wanted) = expected.next() {
        let found = told.next().unwrap_or_default();
        let [a, b] = [found, wanted].map(|piece| piece.parse::<f64>().unwrap_or(f64::NAN));
        let is_close = (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        // What was added follows the last field that was there.
        let is_last = expected.0.is_empty() && found.starts_with(wanted);
        assert!(found == wanted || is_close || is_last, "{name}: found {found:?}, not {wanted:?}");
    }
    assert!(name.ends_with(".json") || told.next().is_none(), "{name}: more than before");
}

/// Numbers, and what is between them.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let in_number = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
        let first = self.0.chars().next()?;
        let is_number = first.is_ascii_digit() || first == '-';
        let end = self.0.find(|c: char| match is_number {
            true => !in_number(c),
            false => c.is_ascii_digit() || c == '-',
        });
        let (piece, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        Some(piece)
    }
}

#[test]
fn answers_are_those_of_earlier_versions() {
    let own = Own::empty();
    fs::copy(fixture("v1.gallery"), &own.gallery).unwrap();
    let probe = fixture("v1-probe");
    let words = probe.join("words.csv");
    let (probe, words) = (probe.to_str().unwrap(), words.to_str().unwrap());
    let identified = own.identify(probe, &["--json", "--top", "5", "--fpir", "0.2", "--forget"]);
    as_before(&stdout(&identified), "identify.json");
    let verified = own.verify(probe, "reader-r003", &["--json", "--fmr", "0.05", "--forget"]);
    as_before(&stdout(&verified), "verify.json");
    let refused = own.verify(probe, "reader-r001", &["--json", "--forget"]);
    as_before(&stdout(&refused), "verify-no.json");
    let fixations = fs::read_to_string(fixture("v1-answers").join("fixations.jsonl")).unwrap();
    for (reader, more, name) in [
        ("reader-r003", &[][..], "watch.jsonl"),
        ("reader-r001", &["--by-text"][..], "watch-by-text.jsonl"),
    ] {
        let rates = ["--fmr", "0.2", "--fnmr", "0.2", "--words", words];
        let mut command = assert_cmd::Command::cargo_bin("gazeprint").unwrap();
        command.args(["watch", "--reader", reader, "--gallery", &own.gallery]);
        let output = command.args(rates).args(more).write_stdin(fixations.clone()).output();
        as_before(&stdout(&output.unwrap()), name);
    }
    as_before(&succeeded(&own.manage("list", &["--json"])), "list.json");
    as_before(&succeeded(&own.manage("show", &["reader-r002", "--json"])), "show.json");
}
