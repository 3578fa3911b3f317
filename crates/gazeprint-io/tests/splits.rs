//! Tables of splits: what is read, what is refused and how, and what comes back of what was written.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::PathBuf;

use gazeprint::assignment::{Assignment, Role};
use gazeprint_io::{read_splits, write_splits};
use tempfile::TempDir;

fn file(name: &str, content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    fs::write(&file, content).unwrap();
    (folder, file)
}

fn read(name: &str, content: &str) -> Vec<Assignment> {
    let (_folder, file) = file(name, content.as_bytes());
    read_splits(&file).unwrap()
}

/// The message about a file with this content; its folder is called FOLDER in it.
fn complaint(content: impl AsRef<[u8]>) -> String {
    let (folder, file) = file("splits.csv", content.as_ref());
    let message = read_splits(&file).unwrap_err().to_string();
    message.replace(&folder.path().display().to_string(), "FOLDER")
}

fn assignment(split: u32, [reader, text]: [&str; 2], role: Role) -> Assignment {
    let (reader, text) = (reader.to_owned(), text.to_owned());
    Assignment { split, reader, text, session: None, trial: None, role }
}

fn at(row: Assignment, [session, trial]: [&str; 2]) -> Assignment {
    let (session, trial) = (Some(session.to_owned()), Some(trial.to_owned()));
    Assignment { session, trial, ..row }
}

#[test]
fn rows_come_in_order_whatever_the_columns() {
    let wanted =
        [assignment(2, ["r1", "s1"], Role::Train), assignment(1, ["r1", "s2"], Role::Test)];
    assert_eq!(read("splits.csv", "split,reader,text,role\n2,r1,s1,train\n1,r1,s2,test\n"), wanted);
    assert_eq!(
        read(
            "splits.csv",
            "sep=;\nRole;by;Text;Reader;Split\nTRAIN;x;s1; r1 ;2.0\nTest;;s2;r1;1\n"
        ),
        wanted
    );
    assert_eq!(
        read(
            "splits.tsv",
            "\u{feff}split\treader\ttext\trole\r\n2\tr1\ts1\tTrain\r\n\r\n1\tr1\ts2\ttest"
        ),
        wanted
    );
}

#[test]
fn an_absent_column_and_an_empty_cell_mean_any() {
    let rows = read(
        "splits.csv",
        "split,reader,text,session,role\n1,r1,s1,2,train\n1,r1,s2,,test\n1,r2,s1,NA,test\n",
    );
    let sessions: Vec<Option<&str>> = rows.iter().map(|r| r.session.as_deref()).collect();
    assert_eq!(sessions, [Some("2"), None, None]);
    assert!(rows.iter().all(|r| r.trial.is_none()));
}

#[test]
fn what_is_written_is_read_again() {
    let names = ["a, b", "say \"x\"", "\"", "Zoë 读者 👁", "a;b|c\td", "'", "#1", "-"];
    let mut rows = Vec::new();
    for (i, name) in (1..).zip(names) {
        rows.push(assignment(i, [name, "s1"], Role::Train));
        rows.push(at(assignment(i, ["r1", name], Role::Test), [name, "2"]));
        let session = Some(name.to_owned());
        rows.push(Assignment { session, ..assignment(i, ["r2", name], Role::Train) });
    }
    rows.push(assignment(u32::MAX, ["r1", "s1"], Role::Test));
    let folder = tempfile::tempdir().unwrap();
    for name in ["splits.csv", "splits.tsv", "splits"] {
        let file = folder.path().join(name);
        write_splits(&rows, &file).unwrap();
        assert_eq!(read_splits(&file).unwrap(), rows, "{name}");
        // Again over the old one, from values.
        write_splits(rows.clone(), &file).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("split,reader,text,session,trial,role\n1,\"a, b\",s1,,,train\n"));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn what_would_not_be_read_again_is_not_written() {
    let (folder, file) = file("splits.csv", b"old");
    let good = assignment(1, ["r1", "s1"], Role::Train);
    let message = |row: Option<Assignment>| {
        // Even behind rows that are right.
        let rows = row.into_iter().flat_map(|row| [good.clone(), row]);
        write_splits(rows, &file).unwrap_err().to_string()
    };
    assert_eq!(
        message(None),
        "a table of splits cannot be written: it has no rows; write splits in which some readings \
         train and some test"
    );
    assert_eq!(
        message(Some(assignment(0, ["r1", "s1"], Role::Test))),
        "split 0 of reader \"r1\" cannot be written: splits are numbered from 1; number them from 1"
    );
    for (row, what) in [
        (assignment(1, [" r1", "s1"], Role::Test), "reader \" r1\""),
        (assignment(1, ["r1", "a\nb"], Role::Test), "text \"a\\nb\""),
        (at(good.clone(), ["", "1"]), "session \"\""),
        (at(good.clone(), ["1", "NA"]), "trial \"NA\""),
    ] {
        assert!(message(Some(row)).starts_with(&format!("{what} cannot be written: the name")));
    }
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let nowhere = folder.path().join("nowhere/splits.csv");
    let message = write_splits([good], &nowhere).unwrap_err().to_string();
    assert!(message.contains("cannot be written: "), "{message}");
}

#[test]
fn no_file_and_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let message = read_splits(&folder.path().join("splits.csv")).unwrap_err().to_string();
    assert!(message.contains("splits.csv cannot be read: "), "{message}");
    assert_eq!(
        complaint("\n"),
        "FOLDER/splits.csv is empty; expected a row of column names, then one row each for every \
         reading of every split; write the file again"
    );
    assert_eq!(
        complaint("split,reader,text,role\n"),
        "FOLDER/splits.csv ends after the column names in row 1; expected one row each for every \
         reading of every split; write the file again"
    );
    assert_eq!(
        complaint(b"split,reader,text,role\n1,M\xfcller,s1,test\n"),
        "FOLDER/splits.csv: the text is Windows-1252: line 2 has the byte 0xfc, which is not UTF-8, \
         expected UTF-8; save it as UTF-8"
    );
}

#[test]
fn missing_columns() {
    assert_eq!(
        complaint("fold,reader,text,session\n1,r1,s1,1\n"),
        "FOLDER/splits.csv, row 1: found the columns fold, reader, text, session, expected also \
         split and role; rename fold to split if that is what it is; add role, or rename the \
         column that holds it"
    );
}

#[test]
fn values_that_are_none() {
    let row = |split: &str, role: &str| {
        complaint(format!("split,reader,text,role\n1,r1,s1,train\n{split},r1,s2,{role}\n"))
    };
    for wrong in ["0", "-1", "4294967296"] {
        assert_eq!(
            row(wrong, "test"),
            format!(
                "FOLDER/splits.csv, row 3, column split: found {wrong:?}, expected a whole number \
                 from 1, the number of the split; it must be from 1 to 4294967295; correct the cell"
            )
        );
    }
    for wrong in ["first", "1.5"] {
        assert_eq!(
            row(wrong, "test"),
            format!(
                "FOLDER/splits.csv, row 3, column split: found {wrong:?}, expected a whole number \
                 from 1, the number of the split; correct the cell"
            )
        );
    }
    assert_eq!(
        row("1", "validation"),
        "FOLDER/splits.csv, row 3, column role: found \"validation\", expected train or test; \
         correct the cell"
    );
    assert_eq!(
        row("1", ""),
        "FOLDER/splits.csv, row 3, column role: found \"\", a missing value, expected train or \
         test; fill the cell or remove the row"
    );
    assert!(complaint("split,reader,text,role\n1,,s2,test\n").contains("expected a name"));
}

#[test]
fn a_reading_twice_in_a_split() {
    let table = |rows: &str| format!("split,reader,text,session,trial,role\n{rows}");
    let wanted = "FOLDER/splits.csv, row 4, column text: found text \"s1\" of reader \"r1\" in \
                  split 1 again, expected each reading once; row 2 has it already; remove one of \
                  the rows, or tell repeated readings apart with session and trial, filled in both \
                  rows";
    // The last three: any session or trial includes the one named.
    for (first, second) in [
        ("1,r1,s1,1,1,train", "1,r1,s1,1,1,train"),
        ("1,r1,s1,,,train", "1,r1,s1,,,test"),
        ("1,r1,s1,,,train", "1,r1,s1,1,1,test"),
        ("1,r1,s1,1,1,train", "1,r1,s1,,,test"),
        ("1,r1,s1,1,,train", "1,r1,s1,,1,test"),
    ] {
        assert_eq!(complaint(table(&format!("{first}\n1,r2,s1,,,train\n{second}\n"))), wanted);
    }
    let apart = "1,r1,s1,1,1,train\n1,r1,s1,1,2,train\n1,r1,s1,2,,test\n2,r1,s1,,,test\n";
    assert_eq!(read("splits.csv", &table(apart)).len(), 4);
}
