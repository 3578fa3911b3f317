//! `import` and `export`, from the outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;

use serde_json::Value;

use common::{gazeprint_in, refused, succeeded};

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn write(folder: &Path, file: &str, text: &str) {
    std::fs::write(folder.join(file), text).unwrap();
}

#[cfg(feature = "columnar")]
#[test]
fn a_corpus_goes_out_as_parquet_and_comes_back() {
    let folder = folder();
    let folder = folder.path();
    let simulate = ["simulate", "--readers", "3", "--texts", "8", "--lines", "2", "--out", "demo"];
    succeeded(&gazeprint_in(folder, &simulate));
    succeeded(&gazeprint_in(folder, &["export", "demo", "--to", "parquet", "--out", "columns"]));
    succeeded(&gazeprint_in(folder, &["export", "columns", "--to", "csv", "--out", "again"]));
    let [words, trials] = ["columns/words.parquet", "columns/trials.parquet"];
    let arguments = ["import", "columns/fixations.parquet", "--words", words, "--trials", trials];
    let found = succeeded(&gazeprint_in(folder, &[&arguments[..], &["--out", "third"]].concat()));
    assert!(found.contains("3 files: the file is Parquet"), "{found}");
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
    for file in ["fixations.csv", "words.csv", "trials.csv"] {
        for out in ["again", "third"] {
            let (old, new) = (read(&format!("demo/{file}")), read(&format!("{out}/{file}")));
            assert!(old == new, "{out}/{file} differs");
        }
    }
}

#[cfg(not(feature = "columnar"))]
#[test]
fn a_build_without_parquet_says_how_to_get_it() {
    let folder = folder();
    let folder = folder.path();
    succeeded(&gazeprint_in(
        folder,
        &["simulate", "--readers", "2", "--texts", "4", "--out", "demo"],
    ));
    let parquet = ["export", "demo", "--to", "parquet", "--out", "columns"];
    let error = refused(&gazeprint_in(folder, &parquet), 1);
    assert!(error.contains("make a build with the feature columnar"), "{error}");
    write(folder, "fixations.parquet", "PAR1");
    let error =
        refused(&gazeprint_in(folder, &["import", "fixations.parquet", "--out", "again"]), 1);
    assert!(error.contains("make a build with the feature columnar"), "{error}");
}

const WORDS: &str = "text,word_index,word,char_start,char_end\ns1,1,Who,0,3\ns1,2,reads,4,9\n";

#[test]
fn a_corpus_goes_out_and_comes_back() {
    let folder = folder();
    let folder = folder.path();
    let simulate = ["simulate", "--readers", "3", "--texts", "8", "--lines", "2", "--out", "demo"];
    succeeded(&gazeprint_in(folder, &simulate));
    succeeded(&gazeprint_in(folder, &["export", "demo", "--to", "csv", "--out", "tables"]));
    succeeded(&gazeprint_in(folder, &["export", "demo", "--to", "pymovements", "--out", "frames"]));
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
    for (fixations, words, out) in [
        ("tables/fixations.csv", "tables/words.csv", "again"),
        ("frames/events.csv", "frames/aois.csv", "third"),
    ] {
        let arguments = ["import", fixations, "--words", words, "--out", out, "--strict"];
        let trials = ["--trials", "demo/trials.csv"];
        succeeded(&gazeprint_in(folder, &[&arguments[..], &trials].concat()));
        for file in ["fixations.csv", "words.csv", "trials.csv"] {
            let (old, new) = (read(&format!("demo/{file}")), read(&format!("{out}/{file}")));
            assert!(old == new, "{out}/{file} differs");
        }
    }
}

#[test]
fn an_import_says_what_it_did() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "words.csv", WORDS);
    write(
        folder,
        "fix.txt",
        "Subject\tItem\tx\tDuration [ms]\r\nanna\ts1\t1,5\t200\r\nanna\ts1\tfar\t200\r\n\
         anna\ts1\t5,5\t210\r\n",
    );
    let arguments = ["import", "fix.txt", "--words", "words.csv", "--out", "corpus"];
    let table = succeeded(&gazeprint_in(folder, &arguments));
    for line in [
        "corpus: 1 reader, 1 text, 2 fixations, 2 words\n",
        "  reader      Subject (a known name)\n",
        "  dropped, not a number                      1\n    fix.txt, row 3: anna\\ts1\\tfar\\t200\n",
        "fix.txt: decimals follow a comma",
        "warning: 1 row of 5 dropped; see the reasons\n",
    ] {
        assert!(table.contains(line), "{line:?} is not in\n{table}");
    }
    let json: Value =
        serde_json::from_slice(&std::fs::read(folder.join("corpus/import.json")).unwrap()).unwrap();
    assert_eq!((&json["rows_read"], &json["fixations_kept"]), (&5.into(), &2.into()));
    assert_eq!(json["files"][1]["mapping"][0]["column"], "Subject");
    assert_eq!(json["dropped"][0]["examples"][0]["row"], 3);

    let again = refused(&gazeprint_in(folder, &arguments), 1);
    assert!(again.contains("exists already"), "{again}");
    let strict = [&arguments[..], &["--strict", "--overwrite"]].concat();
    let strict = refused(&gazeprint_in(folder, &strict), 1);
    assert!(strict.contains("1 row of 5 dropped"), "{strict}");
    let json = gazeprint_in(folder, &[&arguments[..], &["--overwrite", "--json"]].concat());
    assert_eq!(serde_json::from_str::<Value>(&succeeded(&json)).unwrap()["has_words"], true);
}

#[test]
fn columns_are_chosen_by_the_user_where_they_are_unclear() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "words.csv", WORDS);
    write(folder, "fix.csv", "subject,participant,text,x_char,dur\n1,a,s1,1.5,200\n");
    let arguments = ["import", "fix.csv", "--words", "words.csv", "--out", "corpus"];
    let unclear = refused(&gazeprint_in(folder, &arguments), 1);
    assert_eq!(
        unclear,
        "error: fix.csv, row 1: the reader may be in subject or in participant; choose one with \
         --map reader=subject\n"
    );
    let chosen = [&arguments[..], &["--map", "reader=participant"]].concat();
    let table = succeeded(&gazeprint_in(folder, &chosen));
    assert!(table.contains("  reader      participant (chosen with --map)\n"), "{table}");
    let wrong = [&arguments[..], &["--map", "colour=x"]].concat();
    refused(&gazeprint_in(folder, &wrong), 2);
    refused(&gazeprint_in(folder, &["import", "fix.csv", "--format", "wax", "--out", "c"]), 2);
    let missing = refused(&gazeprint_in(folder, &["import", "none.csv", "--out", "c"]), 1);
    assert!(missing.starts_with("error: none.csv: cannot be read"), "{missing}");
}

#[test]
fn without_words_a_recording_can_be_looked_at_and_not_scored() {
    let folder = folder();
    let folder = folder.path();
    write(folder, "fix.csv", "subject,trial,x,y,dur\na,1,100,50,200\na,1,180.5,50,.\n");
    let table = succeeded(&gazeprint_in(folder, &["import", "fix.csv", "--out", "corpus"]));
    assert!(table.contains("There are no words"), "{table}");
    assert_eq!(
        std::fs::read_to_string(folder.join("corpus/fixations.csv")).unwrap(),
        "reader,text,fix_index,x_px,y_px,duration_ms\na,1,1,100,50,200\na,1,2,180.5,50,\n"
    );
    let shown = succeeded(&gazeprint_in(folder, &["inspect", "corpus"]));
    assert_eq!(
        shown,
        "corpus: 1 reader, 1 text, 1 reading, 2 fixations\n  \
         positions in pixels (x_px, y_px), 0 missing\n  mean duration 200 ms, 1 missing\n\n\
         missing, so that nothing can be scored:\n  \
         words.csv: which words the texts have, and where\n  \
         x_char: positions in characters, which follow from pixels and words\n\
         Import the recording again with --words FILE.\n"
    );
    for arguments in [&["study", "corpus"][..], &["population", "corpus", "--out", "p.json"]] {
        let message = refused(&gazeprint_in(folder, arguments), 1);
        assert!(message.contains("has fixations in pixels and no words.csv"), "{message}");
        assert!(message.contains("--words FILE"), "{message}");
    }
}
