//! `watch`, fed with what simulated people read.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::common::{refused, stderr, stdout};
use crate::people::{ANNA, BERT, Own, SHARED, STRANGERS, TEXTS};

/// Runs `watch` on lines of input.
/// For rates that nobody stands behind.
const UNSUPPORTED: &str = "--allow-unsupported";

pub(crate) fn watch(gallery: &str, reader: &str, input: &[String], more: &[&str]) -> Output {
    let words = SHARED.words();
    Command::cargo_bin("gazeprint")
        .unwrap()
        .args(["watch", "--reader", reader, "--gallery", gallery, "--words"])
        .arg(words)
        .args(more)
        .write_stdin(input.iter().map(|line| format!("{line}\n")).collect::<String>())
        .output()
        .unwrap()
}

/// The probe of somebody as lines of input.
fn read_by(reader: &str) -> Vec<String> {
    lines_of(&SHARED.probe(reader))
}

/// A recording as lines of input.
fn lines_of(corpus: &str) -> Vec<String> {
    let table = fs::read_to_string(Path::new(corpus).join("fixations.csv")).unwrap();
    let head: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let place = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let (text, x, duration) = (place("text"), place("x_char"), place("duration_ms"));
    let line = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: usize| cells[place].parse::<f64>().unwrap();
        json!({"text": cells[text], "x_char": number(x), "duration_ms": number(duration)})
            .to_string()
    };
    table.lines().skip(1).map(line).collect()
}

fn steps(output: &Output) -> Vec<Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Rates that a small gallery can decide at.
const RATES: [&str; 6] = ["--fmr", "0.05", "--fnmr", "0.1", "--window", "60"];

#[test]
fn the_reader_is_accepted() {
    let own = Own::new();
    let input = read_by(ANNA);
    let output = watch(&own.gallery, ANNA, &input, &RATES);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let steps = steps(&output);
    assert_eq!(steps.len(), input.len());
    assert_eq!(steps[0]["decision"], "go-on");
    let last = steps.last().unwrap();
    assert_eq!(last["decision"], "accept");
    assert!(last["fixations"].as_u64().unwrap() <= input.len() as u64);
    assert!(last["seconds"].as_f64().unwrap() > 5.0 && last["llr"].is_f64(), "{last}");
    for (before, after) in steps.iter().zip(&steps[1..]) {
        let rises = |name: &str| before[name].as_f64().unwrap() <= after[name].as_f64().unwrap();
        assert!(rises("fixations") && rises("seconds"));
    }
    let summary = stderr(&output);
    assert!(summary.lines().last().unwrap().starts_with("accept: reader-r011 after "), "{summary}");
    let decided = own.log().iter().filter(|entry| entry["event"] == "watched").count();
    let changes = steps.windows(2).filter(|w| w[0]["decision"] != w[1]["decision"]).count();
    assert_eq!(
        decided,
        changes + 1,
        "every decision is in the log, and what was accepted at the end"
    );
}

#[test]
fn somebody_else_is_rejected() {
    let own = Own::new();
    // Six readers support no smaller rate of their own being turned away.
    let rates = ["--fmr", "0.05", "--fnmr", "0.2", "--window", "60"];
    for other in [BERT, STRANGERS[0]] {
        let short = other.trim_start_matches("reader-");
        let all = own.corpus("all", |reader, _| reader == short);
        let output = watch(&own.gallery, ANNA, &lines_of(&all), &rates);
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert_eq!(steps(&output).last().unwrap()["decision"], "reject");
    }
    let watched: Vec<Value> =
        own.log().into_iter().filter(|entry| entry["event"] == "watched").collect();
    assert!(watched.iter().all(|entry| entry["reader"] == ANNA && entry["decision"] == "reject"));
    assert_eq!(watched.len(), 2);
}

#[test]
fn a_swap_is_noticed() {
    let own = Own::new();
    let (first, second) = (read_by(ANNA), read_by(BERT));
    let half = first.len();
    let output = watch(&own.gallery, ANNA, &[first, second].concat(), &RATES);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let steps = steps(&output);
    assert_eq!(steps[half - 1]["decision"], "accept");
    let noticed = steps[half..].iter().position(|step| step["decision"] == "reject");
    assert!(noticed.is_some_and(|after| after < 130), "{noticed:?}");
    let decisions: Vec<Value> =
        own.log().into_iter().map(|entry| entry["decision"].clone()).collect();
    assert_eq!(decisions[decisions.len() - 2..], [json!("accept"), json!("reject")]);
}

#[test]
fn answers_come_by_text_when_asked_for() {
    let own = Own::new();
    let input = read_by(ANNA);
    let single = steps(&watch(&own.gallery, ANNA, &input, &[&RATES[..], &["--forget"]].concat()));
    let output = watch(&own.gallery, ANNA, &input, &[&RATES[..], &["--by-text"]].concat());
    assert_eq!(output.status.code(), Some(0));
    let by_text = steps(&output);
    let text = |line: &String| serde_json::from_str::<Value>(line).unwrap()["text"].clone();
    let mut texts: Vec<Value> = input.iter().map(text).collect();
    texts.dedup();
    assert_eq!(by_text.len(), texts.len());
    let last = single.iter().rfind(|step| step.get("counted").is_none());
    assert_eq!(by_text.last(), last, "the same in the end");
    assert!(by_text.iter().all(|step| step.get("counted").is_none()));
}

#[test]
fn what_does_not_count_is_said() {
    let own = Own::new();
    let mut input = read_by(ANNA);
    input.truncate(20);
    let text: Value = serde_json::from_str(&input[19]).unwrap();
    let text = text["text"].as_str().unwrap();
    // Too short, no place, far off the text, nothing at all.
    for odd in [
        json!({"text": text, "x_char": 5.0, "duration_ms": 8.0}),
        json!({"text": text, "duration_ms": 200.0}),
        json!({"text": text, "x_char": 1e9, "duration_ms": 200.0}),
        json!({"text": text, "x_char": 5.0, "duration_ms": -200.0}),
        json!({"text": text, "line": 77, "x_char": 5.0, "duration_ms": 200.0}),
        json!({"text": text, "x_char": null, "duration_ms": null, "gap": true}),
    ] {
        input.push(odd.to_string());
    }
    input.push(String::new());
    let output = watch(&own.gallery, ANNA, &input, &["--fmr", "0.001"]);
    let steps = steps(&output);
    assert_eq!(steps.len(), 26, "{}", stderr(&output));
    for step in &steps[20..] {
        assert_eq!(step["counted"], false, "{step}");
        assert_eq!(step["fixations"], steps[19]["fixations"]);
    }
    assert_eq!(output.status.code(), Some(4), "nothing decided yet");
    assert_eq!(own.log().last().unwrap()["decision"], "go-on", "and that is logged");
}

#[test]
fn broken_input_is_named_by_its_line() {
    let own = Own::new();
    let mut input = read_by(ANNA);
    input.truncate(6);
    for (broken, told) in [
        ("{\"text\": ", "expected {\"text\", \"line\""),
        ("[1, 2]", "expected {\"text\", \"line\""),
        ("{\"x_char\": 3}", "expected {\"text\", \"line\""),
        ("{\"text\": \"elsewhere\"}", "found text \"elsewhere\", expected one"),
    ] {
        input[3] = broken.to_owned();
        let output = watch(&own.gallery, ANNA, &input, &[&RATES[..], &["--strict"]].concat());
        assert_eq!(output.status.code(), Some(1));
        let named = format!("standard input, line 4: {told}");
        assert!(stderr(&output).contains(&named), "{}", stderr(&output));
        assert_eq!(steps(&output).len(), 3, "what came before is answered");
        // Without being strict, the watch goes on.
        let output = watch(&own.gallery, ANNA, &input, &RATES);
        assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
        let steps = steps(&output);
        assert_eq!((steps.len(), &steps[3]["line"]), (6, &json!(4)));
        assert!(steps[3]["error"].as_str().unwrap().starts_with(told), "{}", steps[3]);
        assert_eq!(steps[5]["fixations"], 5, "five of six count");
    }
    let told = refused(&watch(&own.gallery, "reader-r01", &input, &RATES), 1);
    assert!(told.contains("found no reader \"reader-r01\""), "{told}");
    for rate in ["0", "0.5", "nan"] {
        let told = refused(&watch(&own.gallery, ANNA, &[], &["--fmr", rate]), 2);
        assert!(told.contains(", expected a rate between 0 and 0.5"), "{told}");
    }
    refused(&watch(&own.gallery, ANNA, &[], &["--window", "3"]), 2);
    let output = watch(&own.gallery, ANNA, &[], &RATES);
    assert_eq!(output.status.code(), Some(4), "nothing read, nothing decided");
}

#[test]
fn what_a_small_gallery_cannot_decide_is_said() {
    let own = Own::new();
    let rarest = ["--fmr", "0.0001", "--fnmr", "0.0001"];
    let told = refused(&watch(&own.gallery, ANNA, &[], &rarest), 1);
    assert!(told.contains("(--allow-unsupported)"), "{told}");
    let output = watch(&own.gallery, ANNA, &[], &[&rarest[..], &[UNSUPPORTED]].concat());
    let told = stderr(&output);
    for what in [
        "too few people stand behind a rate of 0.0001: ",
        "the gallery is too small to reject at --fnmr 0.0001",
    ] {
        assert!(told.contains(&format!("warning: {what}")), "{told}");
    }
    assert!(told.contains(": it rejects at a rate of false rejects of 0.0"), "{told}");
    let told = stderr(&watch(&own.gallery, ANNA, &[], &RATES));
    assert!(!told.contains("warning"), "{told}");
    // It rejects all the same.
    let rare = ["--fnmr", "0.0001", "--window", "60", UNSUPPORTED];
    let output = watch(&own.gallery, ANNA, &read_by(BERT), &rare);
    assert_eq!(steps(&output).last().unwrap()["decision"], "reject", "{}", stderr(&output));
}

/// What somebody was enrolled with, or read before, as lines of input.
fn replayed(output: &Output) -> (Option<usize>, Value) {
    let steps = steps(output);
    (steps.iter().position(|step| step["replay"] == true), steps.last().unwrap().clone())
}

#[test]
fn what_was_there_before_is_rejected() {
    let own = Own::new();
    let enrolled = own.corpus("enrolled", |reader, text| reader == "r011" && text <= TEXTS);
    let output = watch(&own.gallery, ANNA, &lines_of(&enrolled), &RATES);
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    let (first, last) = replayed(&output);
    assert!(first.is_some_and(|first| first < 60), "by the end of an early text: {first:?}");
    assert_eq!((&last["decision"], &last["replay"]), (&json!("reject"), &json!(true)));
    assert!(steps(&output).iter().all(|step| step["decision"] != "accept"));
    assert!(
        stderr(&output).contains("; a replay: 1 reading of recordings that"),
        "{}",
        stderr(&output)
    );
    let log = own.log();
    assert_eq!(log.last().unwrap()["decision"], "replay");

    // What was accepted is remembered, unless it is to be forgotten.
    let input = read_by(ANNA);
    for more in [&["--forget"][..], &[]] {
        let output = watch(&own.gallery, ANNA, &input, &[&RATES[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(replayed(&output).0, None);
    }
    let output = watch(&own.gallery, ANNA, &input, &RATES);
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    assert!(stderr(&output).contains(" of earlier probes of reader-r011"), "{}", stderr(&output));
    assert_eq!(own.verify(&SHARED.probe(ANNA), ANNA, &["--fmr", "0.2"]).status.code(), Some(5));
    let output = watch(&own.gallery, ANNA, &input, &[&RATES[..], &["--allow-replay"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let (first, last) = replayed(&output);
    assert!(first.is_some() && last["decision"] == "accept", "told, and taken for new: {last}");
}

#[test]
fn a_replay_that_ends_with_its_first_text_is_told_in_a_line_more() {
    let own = Own::new();
    let enrolled = own.corpus("enrolled", |reader, text| reader == "r011" && text <= TEXTS);
    let mut input = lines_of(&enrolled);
    let text = |line: &String| serde_json::from_str::<Value>(line).unwrap()["text"].clone();
    let first = text(&input[0]);
    input.retain(|line| text(line) == first);
    // At a rate at which nothing is decided before.
    let output = watch(&own.gallery, ANNA, &input, &["--fmr", "0.0001", UNSUPPORTED]);
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(steps(&output).len(), input.len() + 1);
    assert_eq!(replayed(&output).0, Some(input.len()));
    let by_text = ["--fmr", "0.0001", UNSUPPORTED, "--by-text"];
    let output = watch(&own.gallery, ANNA, &input, &by_text);
    assert_eq!(steps(&output).len(), 1);
    assert_eq!(replayed(&output).0, Some(0));
}

#[test]
fn what_was_read_in_the_same_session_is_no_less_a_replay() {
    let own = Own::new();
    let input = read_by(ANNA);
    let output = watch(&own.gallery, ANNA, &[&input[..], &input[..]].concat(), &RATES);
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    let (first, last) = replayed(&output);
    assert!(first.is_some_and(|first| first >= input.len()), "{first:?} of {}", input.len());
    assert_eq!(last["decision"], "reject");
}

#[test]
fn what_came_before_broken_input_is_remembered() {
    let own = Own::new();
    let input = read_by(ANNA);
    let broken = [&input[..], &["{".to_owned()]].concat();
    let output = watch(&own.gallery, ANNA, &broken, &[&RATES[..], &["--strict"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let output = watch(&own.gallery, ANNA, &input, &RATES);
    assert_eq!(output.status.code(), Some(5), "{}", stderr(&output));
    assert!(stderr(&output).contains(" of earlier probes of reader-r011"), "{}", stderr(&output));
}

/// A line that cannot be read is a loss of signal: what follows is read as after a gap.
#[test]
fn a_line_that_cannot_be_read_counts_as_a_gap() {
    let own = Own::new();
    let mut input = read_by(ANNA);
    input.truncate(40);
    let mut gap: Value = serde_json::from_str(&input[20]).unwrap();
    gap["gap"] = json!(true);
    let with_gap = [&input[..20], &[gap.to_string()], &input[21..]].concat();
    let broken = [&input[..20], &["not JSON".to_owned()], &input[20..]].concat();
    let wanted = steps(&watch(&own.gallery, ANNA, &with_gap, &["--forget"]));
    let mut found = steps(&watch(&own.gallery, ANNA, &broken, &["--forget"]));
    assert_eq!(found.remove(20)["line"], 21);
    assert_eq!(found, wanted);
}

#[test]
fn texts_may_be_announced_in_the_stream() {
    let own = Own::new();
    let mut input = read_by(ANNA);
    input.truncate(60);
    let wanted = steps(&watch(&own.gallery, ANNA, &input, &["--forget"]));
    let words = fs::read_to_string(SHARED.words()).unwrap();
    let mut texts: Vec<(String, Vec<Value>)> = Vec::new();
    for row in words.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let place = |cell: &str| cell.parse::<i32>().unwrap();
        let word = json!({"char_start": place(cells[3]), "char_end": place(cells[4])});
        match texts.last_mut() {
            Some((text, words)) if text == cells[0] => words.push(word),
            _ => texts.push((cells[0].to_owned(), vec![word])),
        }
    }
    let announced = texts.iter().map(|(t, words)| json!({"text": t, "words": words}).to_string());
    let output = Command::cargo_bin("gazeprint")
        .unwrap()
        .args(["watch", "--reader", ANNA, "--gallery", &own.gallery, "--forget"])
        .write_stdin(announced.chain(input).map(|line| format!("{line}\n")).collect::<String>())
        .output()
        .unwrap();
    assert_eq!(steps(&output), wanted, "{}", stderr(&output));
}

/// A watch that goes on while others do something.
#[cfg(unix)]
fn watching(gallery: &str) -> std::process::Child {
    use std::process::Stdio;

    std::process::Command::new(env!("CARGO_BIN_EXE_gazeprint"))
        .args(["watch", "--reader", ANNA, "--gallery", gallery, "--words"])
        .arg(SHARED.words())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A watch that is asked to end gives its verdict, and logs it.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_watch_with_a_verdict() {
    use std::io::{BufRead, BufReader, Write};

    let own = Own::new();
    for signal in ["-INT", "-TERM"] {
        let mut watching = watching(&own.gallery);
        let mut input = watching.stdin.take().unwrap();
        read_by(ANNA)[..8].iter().for_each(|line| writeln!(input, "{line}").unwrap());
        let mut answers = BufReader::new(watching.stdout.take().unwrap()).lines();
        for _ in 0..8 {
            answers.next().unwrap().unwrap();
        }
        let mut kill = std::process::Command::new("kill");
        assert!(kill.args([signal, &watching.id().to_string()]).status().unwrap().success());
        // The input stays open: it is the signal that ends the watch.
        let output = watching.wait_with_output().unwrap();
        drop(input);
        assert_eq!(output.status.code(), Some(4), "{}", stderr(&output));
        assert!(stderr(&output).contains("go-on: reader-r011 after 8 fixations"));
        let last = own.log().pop().unwrap();
        assert_eq!((&last["event"], &last["fixations"]), (&json!("watched"), &json!(8)));
    }
}

/// Somebody who is removed while being watched ends the watch.
#[cfg(unix)]
#[test]
fn a_reader_who_is_removed_ends_the_watch() {
    use std::io::{BufRead, BufReader, Write};

    let own = Own::new();
    let mut watching = watching(&own.gallery);
    let (mut input, lines) = (watching.stdin.take().unwrap(), read_by(ANNA));
    let mut answers = BufReader::new(watching.stdout.take().unwrap()).lines();
    for line in &lines[..3] {
        writeln!(input, "{line}").unwrap();
        answers.next().unwrap().unwrap();
    }
    crate::common::succeeded(&own.manage("remove", &[ANNA]));
    writeln!(input, "{}", lines[3]).unwrap();
    let output = watching.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let told = stderr(&output);
    assert!(told.contains("reader \"reader-r011\" was removed while being watched"), "{told}");
}
