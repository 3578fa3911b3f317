//! What counts as one reading, and what becomes of rows that do not fit.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;

use common::{gazeprint_in, refused, succeeded};
use serde_json::Value;

const WORDS: &str = "text,word_index,word,char_start,char_end\ns,1,Who,0,3\ns,2,reads,4,9\n";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let file = folder.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    folder
}

fn import(folder: &Path, arguments: &[&str]) -> (Value, String) {
    let all = [&["import"], arguments, &["--out", "corpus", "--json", "--overwrite"]].concat();
    let report = serde_json::from_str(&succeeded(&gazeprint_in(folder, &all))).unwrap();
    (report, std::fs::read_to_string(folder.join("corpus/fixations.csv")).unwrap())
}

fn refuse(folder: &Path, arguments: &[&str]) -> String {
    let all = [&["import"], arguments, &["--out", "refused"]].concat();
    let message = refused(&gazeprint_in(folder, &all), 1);
    assert!(!folder.join("refused").exists(), "something was written");
    message
}

#[test]
fn files_alike_in_two_folders_are_two_readers() {
    let asc =
        "** EDF\nMSG 1 TRIALID s\nSTART 5 LEFT EVENTS\nEFIX L 10 209 200 50.0 60.0 800\nEND 300\n";
    let folder = folder(&[("s1/rec.asc", asc), ("s2/rec.asc", asc)]);
    let (report, fixations) = import(folder.path(), &["s1/rec.asc", "s2/rec.asc"]);
    assert_eq!(report["readers"], 2);
    assert!(fixations.contains("\ns1-rec,s,") && fixations.contains("\ns2-rec,s,"), "{fixations}");
    let twice = refuse(folder.path(), &["s1/rec.asc", "s1/rec.asc"]);
    assert!(
        twice.contains("s1/rec.asc, row 4") && twice.contains("give every file once"),
        "{twice}"
    );
}

#[test]
fn one_eye_is_taken_of_a_reading_that_has_both() {
    let rows = "reader,text,eye,fix_index,x_char,duration_ms\na,s,L,1,1,200\na,s,L,2,5,210\n\
        a,s,R,1,1.1,200\na,s,R,2,5.1,210\na,s,R,3,5.2,90\nb,s,L,1,2,200\n";
    let folder = folder(&[("fix.csv", rows), ("words.csv", WORDS)]);
    let all = ["fix.csv", "--words", "words.csv"];
    let (report, fixations) = import(folder.path(), &all);
    assert_eq!(report["fixations_kept"], 4);
    assert_eq!(
        (&report["dropped"][0]["reason"], &report["dropped"][0]["rows"]),
        (&"other_eye".into(), &2.into())
    );
    assert!(
        fixations.contains("a,s,1,1.1,200\na,s,2,5.1,210\na,s,3,5.2,90\nb,s,1,2,200\n"),
        "{fixations}"
    );
    let (report, fixations) =
        import(folder.path(), &[&all[..], &["--eye", "left", "--strict"]].concat());
    assert_eq!(report["fixations_kept"], 3);
    assert!(fixations.contains("a,s,1,1,200\na,s,2,5,210\nb,s,1,2,200\n"), "{fixations}");
}

#[test]
fn rows_that_take_turns_are_put_in_order() {
    let by_index = "reader,text,fix_index,x_char,duration_ms\na,s,3,8,203\nb,s,1,1,101\na,s,1,2,201\n\
        b,s,2,5,102\na,s,2,5,202\n";
    let by_onset = "reader,text,onset_ms,x_char,duration_ms\na,s,900,8,203\nb,s,100,1,101\n\
        a,s,100,2,201\nb,s,500,5,102\na,s,500,5,202\n";
    let folder = folder(&[("i.csv", by_index), ("o.csv", by_onset), ("words.csv", WORDS)]);
    for file in ["i.csv", "o.csv"] {
        let (report, fixations) = import(folder.path(), &[file, "--words", "words.csv"]);
        let column = |line: &str, at: usize| line.split(',').nth(at).unwrap_or_default().to_owned();
        let seen: Vec<(String, String)> =
            fixations.lines().skip(1).map(|line| (column(line, 0), column(line, 4))).collect();
        let wanted = [("a", "201"), ("a", "202"), ("a", "203"), ("b", "101"), ("b", "102")];
        assert_eq!(seen, wanted.map(|(a, b)| (a.to_owned(), b.to_owned())), "{file}");
        assert!(report["decisions"].to_string().contains("rows of 1 readings were put in order"));
    }
}

#[test]
fn a_text_without_words_is_left_out_and_the_others_stay() {
    let rows = "reader,text,x_char,duration_ms\na,practice,1,200\na,practice,2,200\na,s,1,200\n";
    let folder = folder(&[("fix.csv", rows), ("words.csv", WORDS)]);
    let (report, _) = import(folder.path(), &["fix.csv", "--words", "words.csv"]);
    let dropped = &report["dropped"][0];
    assert_eq!((&dropped["reason"], &dropped["rows"]), (&"text_without_words".into(), &2.into()));
    assert_eq!((&report["fixations_kept"], &report["has_words"]), (&1.into(), &true.into()));
    std::fs::write(folder.path().join("other.csv"), rows.replace(",s,", ",S,")).unwrap();
    let message = refuse(folder.path(), &["other.csv", "--words", "words.csv"]);
    assert!(message.contains("found fixations on the texts S, practice"), "{message}");
    assert!(message.contains("words are known of: s;"), "{message}");
}

#[test]
fn a_text_in_pixels_without_areas_does_not_cost_the_others_their_words() {
    let areas = "TRIAL_INDEX,text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n\
        4,t,1,One,95,135,100,150\n4,t,2,three,135,195,100,150\n";
    let report = "participant_id,TRIAL_INDEX,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION\n\
        p1,1,practice,115,120,200\np1,4,t,115,120,200\n";
    let folder = folder(&[("fix.csv", report), ("ia.csv", areas)]);
    let (report, fixations) = import(folder.path(), &["fix.csv", "--words", "ia.csv"]);
    assert_eq!(report["dropped"][0]["reason"], "text_without_words");
    assert!(!fixations.contains("x_px") && fixations.contains("p1,t,"), "{fixations}");
}

#[test]
fn clues_that_disagree_are_asked_about() {
    let rows = "reader,text,line,x,y,duration\na,s,1,112,40,200\na,s,1,190,40,200\n";
    let folder = folder(&[("fix.csv", rows), ("words.csv", WORDS)]);
    let message = refuse(folder.path(), &["fix.csv", "--words", "words.csv"]);
    assert!(message.contains("--map x_px=x or --map x_char=x"), "{message}");
    std::fs::write(folder.path().join("far.csv"), rows.replace("190", "812")).unwrap();
    let (_, fixations) = import(folder.path(), &["far.csv"]);
    assert!(fixations.contains("x_px"), "{fixations}");
    let twice = ["fix.csv", "--words", "words.csv", "--map", "x_px=x", "--map", "x_px=y"];
    assert!(refuse(folder.path(), &twice).contains("one column for a role"));
}

#[test]
fn a_choice_may_be_for_the_words_alone() {
    let words = WORDS.replace("text,", "item_nr,");
    let rows = "reader,text,x_char,duration_ms\na,s,1,200\n";
    let folder = folder(&[("fix.csv", rows), ("words.csv", &words)]);
    let arguments = ["fix.csv", "--words", "words.csv", "--map", "text=item_nr"];
    assert_eq!(import(folder.path(), &arguments).0["fixations_kept"], 1);
    let typo =
        ["fix.csv", "--words", "words.csv", "--map", "text=item_nr", "--map", "duration=dur"];
    let message = refuse(folder.path(), &typo);
    assert!(
        message.contains("fix.csv, row 1") && message.contains("--map duration=dur"),
        "{message}"
    );
}

#[test]
fn where_nothing_is_left_the_reasons_are_told() {
    let rows = "reader,text,x_char,duration_ms\na,s,1\na,s,2\n";
    let folder = folder(&[("fix.csv", rows), ("words.csv", WORDS)]);
    let message = refuse(folder.path(), &["fix.csv", "--words", "words.csv"]);
    assert!(message.contains("fix.csv: found no row that can be used"), "{message}");
    assert!(message.contains("2 ragged, first in row 2: a,s,1"), "{message}");
}

#[test]
fn names_of_files_are_as_long_as_it_takes() {
    let rows = "text,x_char,duration_ms\ns,1,200\n";
    let files = ["one/gaze/fix.csv", "two/gaze/fix.csv", "two/gaze/other.csv"];
    let folder = folder(&[(files[0], rows), (files[1], rows), (files[2], rows)]);
    let (_, fixations) = import(folder.path(), &files);
    let readers: Vec<&str> =
        fixations.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default()).collect();
    assert_eq!(readers, ["one-gaze-fix", "two-gaze-fix", "other"]);
}

#[test]
fn readings_that_start_again_are_not_mixed() {
    let rows = "reader,text,fix_index,x_char,duration_ms\na,s,1,1,101\na,s,2,5,102\na,s,3,8,103\n\
        a,s,1,2,201\na,s,2,6,202\na,s,3,8,203\n";
    let folder = folder(&[("fix.csv", rows), ("words.csv", WORDS)]);
    let (report, fixations) = import(folder.path(), &["fix.csv", "--words", "words.csv"]);
    assert!(report["decisions"].to_string().contains("start again"), "{report:#}");
    let last: Vec<&str> = fixations.lines().skip(1).filter_map(|l| l.rsplit(',').next()).collect();
    assert_eq!(last, ["101", "102", "103", "201", "202", "203"]);
}
