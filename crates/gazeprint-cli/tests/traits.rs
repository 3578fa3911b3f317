//! `traits` and `export --to saccades`, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use common::{gazeprint, refused, succeeded};

/// A made-up corpus with its traits, by scripts/references/traits.py.
fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/traits")
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn simulated(folder: &Path, name: &str, more: &[&str]) -> PathBuf {
    let out = folder.join(name);
    let mut arguments = vec!["simulate", "--out", text(&out)];
    arguments.extend(more);
    succeeded(&gazeprint(&arguments));
    out
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeeded(&gazeprint(arguments))).unwrap()
}

/// Rows of a table as cells by column; no cell of these is quoted.
fn rows(file: &Path) -> Vec<BTreeMap<String, String>> {
    let table = fs::read_to_string(file).unwrap();
    let mut lines = table.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells.len(), columns.len(), "{line}");
        columns.iter().zip(cells).map(|(c, v)| ((*c).to_owned(), v.to_owned())).collect()
    };
    lines.map(row).collect()
}

/// The estimates of a trait: value and observations, by reader.
fn estimates(found: &Value, what: &str) -> Vec<(f64, f64)> {
    let rows = found["estimates"].as_array().unwrap().iter().filter(|row| row["trait"] == what);
    rows.filter_map(|row| Some((row["estimate"].as_f64()?, row["observations"].as_f64()?)))
        .collect()
}

#[test]
fn traits_are_those_that_other_software_computes() {
    let found = json(&["traits", text(&fixture()), "--json"]);
    let mut ours = BTreeMap::new();
    for row in found["estimates"].as_array().unwrap() {
        let name = |field: &str| row[field].as_str().unwrap().to_owned();
        if row["observations"] != 0 {
            ours.insert((name("reader"), name("trait")), row);
        }
    }
    let expected = rows(&fixture().join("expected.csv"));
    assert_eq!(ours.len(), expected.len());
    let (mut values, mut intervals) = (0, 0);
    for row in &expected {
        let ours = ours[&(row["reader"].clone(), row["trait"].clone())];
        let close = |ours: &Value, theirs: &str, count: &mut usize| {
            let Ok(theirs) = theirs.parse::<f64>() else {
                return assert!(ours.is_null(), "{row:?}: {ours}");
            };
            // Kinematics are numbers of four bytes.
            let apart = (ours.as_f64().unwrap() - theirs).abs();
            assert!(apart <= 2e-6 * theirs.abs().max(1e-3), "{row:?}: {ours}");
            *count += 1;
        };
        close(&ours["estimate"], &row["estimate"], &mut values);
        close(&ours["ci95"][0], &row["low"], &mut intervals);
        close(&ours["ci95"][1], &row["high"], &mut intervals);
        assert_eq!(ours["observations"].to_string(), row["observations"], "{row:?}");
        assert_eq!(ours["texts"].to_string(), row["texts"], "{row:?}");
    }
    assert!(values > 250 && intervals > 400, "{values} {intervals}");
}

/// What `inspect` has of a corpus, with the traits that are the same.
fn common_to_both(summary: &Value) -> Vec<(String, f64)> {
    let mut common = vec![
        ("fixation_duration".to_owned(), &summary["duration"]["mean"]),
        ("initial_duration".to_owned(), &summary["initial_duration"]["mean"]),
        ("line_start".to_owned(), &summary["initial_place"]["mean"]),
        ("forward_amplitude".to_owned(), &summary["forward_amplitude"]["mean"]),
    ];
    for of in summary["types"].as_array().unwrap() {
        let name = of["type"].as_str().unwrap();
        common.push((format!("{name}_rate"), &of["share"]));
        common.push((format!("{name}_amplitude"), &of["amplitude"]["mean"]));
        common.push((format!("{name}_duration"), &of["duration"]["mean"]));
    }
    let kinematics = &summary["kinematics"];
    if kinematics.is_object() {
        common.push(("saccade_amplitude".to_owned(), &kinematics["amplitude"]["mean"]));
        common.push(("saccade_duration".to_owned(), &kinematics["duration"]["mean"]));
        common.push(("peak_velocity".to_owned(), &kinematics["peak_velocity"]["mean"]));
        common.push(("dispersion".to_owned(), &kinematics["dispersion"]["mean"]));
    }
    common.into_iter().map(|(name, value)| (name, value.as_f64().unwrap())).collect()
}

#[test]
fn rates_and_means_are_those_of_inspect() {
    let folder = tempfile::tempdir().unwrap();
    let simulated = simulated(folder.path(), "demo", &["--readers", "6", "--texts", "20"]);
    for corpus in [simulated, fixture()] {
        let summary = json(&["inspect", text(&corpus), "--json"]);
        let found = json(&["traits", text(&corpus), "--json"]);
        let common = common_to_both(&summary);
        assert!(common.len() >= 16);
        for (name, of_corpus) in common {
            let own = estimates(&found, &name);
            let total: f64 = own.iter().map(|(_, count)| count).sum();
            let mean = own.iter().map(|(value, count)| value * count).sum::<f64>() / total;
            assert!(
                (mean - of_corpus).abs() <= 1e-9 * of_corpus.abs(),
                "{name}: {mean} {of_corpus}"
            );
        }
        assert_eq!(found["fixations"], summary["fixations_kept"]);
    }
}

#[test]
fn one_reader_is_inspected_and_has_no_reliability() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = simulated(folder.path(), "one", &["--readers", "1", "--texts", "10"]);
    let found = json(&["traits", text(&corpus), "--json"]);
    let summary = json(&["inspect", text(&corpus), "--json"]);
    for (name, of_corpus) in common_to_both(&summary) {
        let own = estimates(&found, &name);
        assert!((own[0].0 - of_corpus).abs() <= 1e-12 * of_corpus.abs(), "{name}");
    }
    for row in found["traits"].as_array().unwrap() {
        assert!(row["split_half"].is_null() && row["sd"].is_null(), "{row}");
    }
    let out = folder.path().join("traits");
    succeeded(&gazeprint(&["traits", text(&corpus), "--out", text(&out)]));
    assert!(out.join("figures/forward_skip_rate.png").is_file());
}

#[test]
fn readers_come_out_again_in_other_texts_and_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--readers", "24", "--texts", "40", "--sessions", "2", "--drift", "0.2"];
    let corpus = simulated(folder.path(), "demo", &more);
    let found = json(&["traits", text(&corpus), "--json"]);
    let of = |what: &str, field: &str| {
        let mut rows = found["traits"].as_array().unwrap().iter();
        rows.find(|row| row["trait"] == what).unwrap()[field].clone()
    };
    for field in ["split_half", "across_sessions"] {
        let duration = of("fixation_duration", field);
        assert!(duration["value"].as_f64().unwrap() > 0.8, "{duration}");
        assert_eq!(duration["readers"], 24);
        let [low, high] = [0, 1].map(|end| duration["ci95"][end].as_f64().unwrap());
        assert!(low < high && high <= 1.0, "{duration}");
    }
}

#[test]
fn files_do_not_depend_on_threads_and_are_replaced_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = fixture();
    let outs = ["1", "3"].map(|threads| {
        let out = folder.path().join(threads);
        let run = |more: &[&str]| {
            let mut arguments = vec!["traits", text(&corpus), "--threads", threads];
            arguments.extend(["--out", text(&out), "--draws", "--figure", "landing"]);
            arguments.extend(["--figure", "skip_by_length,gaze_duration"]);
            arguments.extend(more);
            gazeprint(&arguments)
        };
        succeeded(&run(&[]));
        let again = refused(&run(&[]), 1);
        assert!(again.ends_with("add --overwrite to replace it\n"), "{again}");
        succeeded(&run(&["--overwrite"]));
        out
    });
    let figures = ["landing", "skip_by_length-gaze_duration"];
    let figures = figures.map(|name| ["svg", "png", "csv"].map(|e| format!("figures/{name}.{e}")));
    let tables = ["traits.csv", "reliability.csv", "draws.csv", "traits.json"].map(str::to_owned);
    for name in figures.iter().flatten().chain(&tables) {
        let [first, second] = outs.each_ref().map(|out| fs::read(out.join(name)).unwrap());
        assert!(first == second && first.len() > 100, "{name}");
    }
    let drawn = rows(&outs[0].join("figures/landing.csv"));
    let ranked: Vec<f64> = drawn.iter().map(|row| row["estimate"].parse().unwrap()).collect();
    assert!(ranked.is_sorted() && ranked.len() == 5, "{ranked:?}");
}

#[test]
fn draws_are_of_the_readers_asked_for_and_around_what_they_did() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = simulated(folder.path(), "demo", &["--readers", "4", "--texts", "30"]);
    let found = json(&["traits", text(&corpus), "--json"]);
    for engine in ["laplace", "nuts"] {
        let out = folder.path().join(engine);
        let asked = ["--draws", "--reader", "r002", "--engine", engine, "--out", text(&out)];
        let arguments: Vec<&str> = ["traits", text(&corpus)].into_iter().chain(asked).collect();
        succeeded(&gazeprint(&arguments));
        let drawn = rows(&out.join("draws.csv"));
        assert_eq!(drawn.len(), 1000);
        let chains: Vec<(String, String)> =
            drawn.iter().map(|row| (row["chain"].clone(), row["draw"].clone())).collect();
        assert_eq!(chains[251], ("1".to_owned(), "1".to_owned()));
        assert!(drawn.iter().all(|row| row["reader"] == "r002"));
        let mean = |parameter: &str| {
            drawn.iter().map(|row| row[parameter].parse::<f64>().unwrap()).sum::<f64>() / 1000.0
        };
        let own = |what: &str| {
            let mut rows = found["estimates"].as_array().unwrap().iter();
            let row = rows.find(|row| row["trait"] == what && row["reader"] == "r002").unwrap();
            row["estimate"].as_f64().unwrap()
        };
        // Durations are not confined, so that the density has the mean that was observed.
        for (parameter, what, within) in [
            ("delta2_mean", "next_word_duration", 0.03),
            ("delta3_mean", "forward_skip_duration", 0.03),
            ("pi_forward_skip", "forward_skip_rate", 0.03),
            ("pi_regression", "regression_rate", 0.08),
        ] {
            let (drawn, own) = (mean(parameter), own(what));
            assert!((drawn / own - 1.0).abs() < within, "{engine} {parameter}: {drawn} {own}");
        }
    }
    let asked = ["traits", text(&corpus), "--draws", "--reader", "R002", "--out", "nowhere"];
    let unknown = refused(&gazeprint(&asked), 1);
    assert!(
        unknown.contains("found no reader \"R002\" in demo; did you mean \"r002\"?"),
        "{unknown}"
    );
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let write = |fixations: &str| {
        fs::write(
            folder.path().join("words.csv"),
            "text,word_index,char_start,char_end\ns,1,0,5\n",
        )
        .unwrap();
        let fixations = format!("reader,text,x_char,duration_ms\n{fixations}");
        fs::write(folder.path().join("fixations.csv"), fixations).unwrap();
    };
    let corpus = text(folder.path());
    write("a,s,90,200\n");
    let nothing = refused(&gazeprint(&["traits", corpus]), 1);
    assert!(nothing.contains("found no fixation that counts"), "{nothing}");
    write("a,s,two,200\n");
    let broken = refused(&gazeprint(&["traits", corpus]), 1);
    assert!(broken.contains("fixations.csv, row 2, column x_char"), "{broken}");
    write("a,s,2,200\nb,s,90,200\n");
    let output = gazeprint(&["traits", corpus]);
    let table = succeeded(&output);
    assert!(table.contains("\nfixation_duration "), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert_eq!(common::stderr(&output), "note: 1 of 2 readers have no fixation that counts\n");
    let out = folder.path().join("out");
    let missing = ["traits", corpus, "--out", text(&out), "--figure", "peak_velocity"];
    let missing = refused(&gazeprint(&missing), 1);
    assert!(missing.contains("nobody shows peak_velocity"), "{missing}");
    let unknown = ["traits", corpus, "--out", text(&out), "--figure", "skip_rate"];
    let unknown = refused(&gazeprint(&unknown), 2);
    assert!(unknown.contains("did you mean"), "{unknown}");
    assert!(!out.exists());
}

/// Pages whose words are unknown, as samples without words are imported.
#[test]
fn without_words_there_are_durations_and_kinematics() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("pages");
    fs::create_dir(&corpus).unwrap();
    let row = |i: usize| {
        let (x, y) = (3 * (i % 7), 2 * (i / 7));
        format!("a,p{},{x}.5,{y},{},{}\n", i % 3, 180 + 7 * (i % 11), 90 + 10 * (i % 9))
    };
    let rows: String = (0..60).map(row).collect();
    let header = "reader,text,x_deg,y_deg,duration_ms,sac_peak_velocity\n";
    fs::write(corpus.join("fixations.csv"), format!("{header}{rows}")).unwrap();
    let found = json(&["traits", text(&corpus), "--json"]);
    let names: Vec<&str> =
        found["traits"].as_array().unwrap().iter().map(|t| t["trait"].as_str().unwrap()).collect();
    assert!(
        names.contains(&"fixation_duration") && names.contains(&"saccade_amplitude"),
        "{names:?}"
    );
    assert!(!names.iter().any(|name| name.contains("rate") || name.contains("word")), "{names:?}");
    let out = folder.path().join("out");
    let arguments = ["traits", text(&corpus), "--out", text(&out), "--draws"];
    let refusal = refused(&gazeprint(&arguments), 1);
    assert!(refusal.contains("found no fixation on a word"), "{refusal}");
}

#[test]
fn saccades_are_those_of_inspect_and_nothing_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("saccades");
    let corpus = fixture();
    let arguments = ["export", text(&corpus), "--to", "saccades", "--out", text(&out)];
    succeeded(&gazeprint(&arguments));
    assert!(refused(&gazeprint(&arguments), 1).contains("exists already"));
    let summary = json(&["inspect", text(&corpus), "--json"]);
    let table = rows(&out.join("saccades.csv"));
    assert_eq!(summary["fixations_recorded"], table.len());
    for of in summary["types"].as_array().unwrap() {
        let own: Vec<_> = table.iter().filter(|row| of["type"] == row["type"].as_str()).collect();
        assert_eq!(of["count"], own.len(), "{of}");
        let amplitudes = own.iter().map(|row| row["amplitude"].parse::<f64>().unwrap());
        let mean = amplitudes.sum::<f64>() / own.len() as f64;
        assert!((mean - of["amplitude"]["mean"].as_f64().unwrap()).abs() < 1e-9, "{of}");
    }
    let off_text = table.iter().filter(|row| row["dropped"] == "off_text");
    assert_eq!(summary["dropped"]["off_text"], off_text.count());
    for row in table.iter().filter(|row| !row["dropped"].is_empty()) {
        assert!(row["type"].is_empty() && row["landing"].is_empty(), "{row:?}");
    }
    for row in table.iter().filter(|row| !row["type"].is_empty()) {
        let number = |column: &str| row[column].parse::<f64>().unwrap();
        assert!(number("amplitude") >= number("lower"), "{row:?}");
        assert!(row["upper"].is_empty() || number("amplitude") <= number("upper"), "{row:?}");
        assert!((0.0..=1.0).contains(&number("landing")), "{row:?}");
        assert_eq!(row["launch"].is_empty(), row["type"] == "initial", "{row:?}");
    }
    let wrong = ["export", text(&corpus), "--to", "csv", "--format", "csv", "--out", text(&out)];
    assert!(refused(&gazeprint(&wrong), 2).contains("--format is of --to saccades"));
}

#[test]
fn reliability_had_no_lower_bound_where_halves_went_against_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--readers", "5", "--texts", "4", "--seed", "2", "--individuality", "0.3"];
    let corpus = simulated(folder.path(), "few", &more);
    let found = json(&["traits", text(&corpus), "--json"]);
    let mut below = 0;
    for row in found["traits"].as_array().unwrap().iter().filter(|t| !t["split_half"].is_null()) {
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{row}"));
        let of = &row["split_half"];
        let [low, value, high] = [&of["ci95"][0], &of["value"], &of["ci95"][1]].map(number);
        assert!(-1.0 <= low && low <= value && value <= high && high <= 1.0, "{row}");
        below += usize::from(value < 0.0);
    }
    assert!(below > 3, "{below}");
}

#[test]
fn readers_and_figures_asked_for_twice_came_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, out) = (fixture(), folder.path().join("out"));
    let mut arguments = vec!["traits", text(&corpus), "--out", text(&out), "--draws"];
    arguments.extend(["--reader", "r0", "--reader", "r0"]);
    arguments.extend(["--figure", "landing", "--figure", "landing,gaze_duration"]);
    arguments.extend(["--figure", "landing"]);
    succeeded(&gazeprint(&arguments));
    assert_eq!(rows(&out.join("draws.csv")).len(), 1000);
    assert_eq!(fs::read_dir(out.join("figures")).unwrap().count(), 2 * 4);
    let same = ["traits", text(&corpus), "--out", text(&out), "--figure", "landing,landing"];
    assert!(refused(&gazeprint(&same), 2).contains("found landing twice"));
}

#[test]
fn people_with_nothing_but_kinematics_off_the_text_were_counted() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, table: &str| fs::write(folder.path().join(name), table).unwrap();
    write("words.csv", "text,word_index,char_start,char_end\ns,1,0,5\n");
    let header = "reader,text,x_char,duration_ms,sac_peak_velocity\n";
    let off_text = "a,s,90,200,210\na,s,91,200,190\n";
    write("fixations.csv", &format!("{header}{off_text}"));
    let corpus = text(folder.path());
    let nothing = refused(&gazeprint(&["traits", corpus]), 1);
    assert!(nothing.contains("found no fixation that counts"), "{nothing}");
    write("fixations.csv", &format!("{header}{off_text}b,s,2,200,200\n"));
    let found = json(&["traits", corpus, "--json"]);
    assert_eq!((&found["readers"], &found["readings"]), (&1.into(), &1.into()));
    assert_eq!(estimates(&found, "peak_velocity"), [(200.0, 1.0)]);
}

#[test]
fn results_of_another_run_stayed_among_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, out) = (fixture(), folder.path().join("out"));
    let run = |more: &[&str]| {
        let arguments = ["traits", text(&corpus), "--out", text(&out)];
        gazeprint(&[&arguments[..], more].concat())
    };
    succeeded(&run(&["--draws", "--figure", "landing", "--figure", "landing,gaze_duration"]));
    fs::write(out.join("figures/mine.svg"), "").unwrap();
    fs::write(out.join("notes.csv"), "").unwrap();
    succeeded(&run(&["--figure", "landing_sd", "--overwrite"]));
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(
        names(&out),
        ["figures", "notes.csv", "reliability.csv", "traits.csv", "traits.json"]
    );
    let of_landing = ["csv", "pdf", "png", "svg"].map(|ending| format!("landing_sd.{ending}"));
    let figures = [&of_landing[..], &["mine.svg".to_owned()]].concat();
    assert_eq!(names(&out.join("figures")), figures);
    // A figure alone is in the way, too, and that is known before anything is computed.
    for name in ["traits.csv", "traits.json", "reliability.csv"] {
        fs::remove_file(out.join(name)).unwrap();
    }
    let refusal = refused(&run(&["--draws"]), 1);
    assert!(refusal.contains("landing_sd.csv exists already"), "{refusal}");
    let blocked = out.join("notes.csv/results");
    for command in [&["traits"][..], &["export", "--to", "saccades"], &["export", "--to", "csv"]] {
        let arguments = [command, &[text(&corpus), "--out", text(&blocked)]].concat();
        assert!(refused(&gazeprint(&arguments), 1).contains("cannot be written"), "{command:?}");
    }
}

#[test]
fn the_table_of_sessions_was_wider_than_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    for (readers, drift) in [("6", "0.9"), ("12", "0.2")] {
        let more = ["--readers", readers, "--texts", "12", "--sessions", "2", "--drift", drift];
        let corpus = simulated(folder.path(), readers, &more);
        let table = succeeded(&gazeprint(&["traits", text(&corpus)]));
        assert!(table.contains(" sess.\n"), "{table}");
        for line in table.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

#[test]
fn densities_that_draws_do_not_tell_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, out) = (fixture(), folder.path().join("out"));
    let arguments = ["traits", text(&corpus), "--out", text(&out), "--draws"];
    let output = gazeprint(&arguments);
    succeeded(&output);
    let doubts = rows(&out.join("draws_doubts.csv"));
    let drawn = rows(&out.join("draws.csv"));
    assert!(doubts.iter().any(|row| row["why"] == "unseen"), "{doubts:?}");
    for row in drawn.iter().filter(|row| row["chain"] == "0" && row["draw"] == "0") {
        for (column, value) in row.iter().filter(|(column, _)| column.ends_with("_mean")) {
            let density = column.trim_end_matches("_mean");
            let is_named = doubts.iter().any(|doubt| {
                doubt["reader"] == row["reader"]
                    && doubt["density"] == density
                    && doubt["why"] != "doubtful"
            });
            assert_eq!(value.is_empty(), is_named, "{} {density}", row["reader"]);
        }
    }
    assert!(common::stderr(&output).contains("draws_doubts names them"));
}

#[test]
fn attribution_did_not_travel_with_recordings() {
    let folder = tempfile::tempdir().unwrap();
    let [tables, frames] = ["csv", "pymovements"].map(|to| {
        let arguments = ["export", "provo", "--to", to, "--out", text(folder.path())];
        succeeded(&gazeprint(&arguments));
        ["README.md", "LICENSE"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap())
    });
    assert_eq!(tables, frames);
    let [readme, licence] = tables;
    assert!(readme.contains("Luke") && readme.contains("CC BY 4.0") && readme.contains("changed:"));
    assert!(licence.contains("Attribution 4.0 International"));
    let found = json(&["traits", "provo", "--json"]);
    assert!(
        found["origin"]["citation"].as_str().unwrap().starts_with("Luke"),
        "{}",
        found["origin"]
    );
    let own = json(&["traits", text(&fixture()), "--json"]);
    assert!(own["origin"].is_null());
}

#[test]
fn saccades_had_the_dust_of_subtraction_and_no_onsets() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("saccades");
    let corpus = fixture();
    succeeded(&gazeprint(&["export", text(&corpus), "--to", "saccades", "--out", text(&out)]));
    let recorded = rows(&corpus.join("fixations.csv"));
    let table = rows(&out.join("saccades.csv"));
    let onset = |row: &BTreeMap<String, String>| row["onset_ms"].parse::<f64>().ok();
    let sorted = |rows: &[BTreeMap<String, String>]| {
        let mut onsets: Vec<f64> = rows.iter().filter_map(onset).collect();
        onsets.sort_by(f64::total_cmp);
        onsets
    };
    assert_eq!(sorted(&recorded), sorted(&table));
    assert!(!table[0].contains_key("gap"));
    for row in &table {
        // Places have three decimals, and so have differences between them.
        for column in ["step", "amplitude", "lower", "upper", "launch", "to_word_end"] {
            let decimals = row[column].split_once('.').map_or(0, |(_, after)| after.len());
            assert!(decimals <= 3, "{column}: {}", row[column]);
        }
    }
}

#[cfg(feature = "columnar")]
#[test]
fn tables_are_written_as_parquet() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let corpus = fixture();
    let arguments =
        ["traits", text(&corpus), "--out", text(&out), "--format", "parquet", "--draws"];
    succeeded(&gazeprint(&arguments));
    for name in ["traits", "reliability", "draws"] {
        let bytes = fs::read(out.join(format!("{name}.parquet"))).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
        assert!(!out.join(format!("{name}.csv")).exists(), "{name}");
    }
    let arguments = ["export", text(&corpus), "--to", "saccades", "--format", "parquet", "--out"];
    let arguments: Vec<&str> = arguments.into_iter().chain([text(&out)]).collect();
    succeeded(&gazeprint(&arguments));
    assert!(fs::read(out.join("saccades.parquet")).unwrap().starts_with(b"PAR1"));
    // Tables in the other format give way.
    succeeded(&gazeprint(&["traits", text(&corpus), "--out", text(&out), "--overwrite"]));
    assert!(out.join("traits.csv").exists() && !out.join("draws.parquet").exists());
}
