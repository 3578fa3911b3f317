//! Every way in which a corpus folder can be wrong, with the message that a person gets.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::path::Path;

use gazeprint_io::read_corpus;

const WORDS: &str = "text,word_index,char_start,char_end\ns1,1,0,3\ns1,2,4,8\n";
const FIXATIONS: &str = "reader,text,x_char,duration_ms\nr1,s1,1.5,212\n";

/// The message about a folder with these files; the folder is called CORPUS in it.
fn message(files: &[(&str, &[u8])]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    complaint(folder.path())
}

fn complaint(folder: &Path) -> String {
    let error = read_corpus(folder).unwrap_err();
    error.to_string().replace(&folder.display().to_string(), "CORPUS")
}

fn about_words(words: impl AsRef<[u8]>) -> String {
    message(&[("fixations.csv", FIXATIONS.as_bytes()), ("words.csv", words.as_ref())])
}

fn about_fixations(fixations: impl AsRef<[u8]>) -> String {
    message(&[("fixations.csv", fixations.as_ref()), ("words.csv", WORDS.as_bytes())])
}

fn about_trials(trials: impl AsRef<[u8]>) -> String {
    message(&[
        ("fixations.csv", FIXATIONS.as_bytes()),
        ("words.csv", WORDS.as_bytes()),
        ("trials.csv", trials.as_ref()),
    ])
}

#[test]
fn no_folder() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        complaint(&folder.path().join("nowhere")),
        "CORPUS does not exist; expected a folder with the tables fixations.csv and words.csv, or a \
         built-in corpus (provo, simulated); check the path"
    );
    let file = folder.path().join("fixations.csv");
    fs::write(&file, FIXATIONS).unwrap();
    assert_eq!(
        complaint(&file),
        "CORPUS is not a folder; expected a folder with the tables fixations.csv and words.csv; \
         give the folder that holds them"
    );
}

#[test]
fn unreadable_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("words.csv")).unwrap();
    fs::write(folder.path().join("fixations.csv"), FIXATIONS).unwrap();
    let message = complaint(folder.path());
    assert!(message.starts_with("CORPUS/words.csv cannot be read: "), "{message}");
    assert!(message.ends_with("; check that it is a file you may read"), "{message}");
}

#[test]
fn missing_tables() {
    assert_eq!(
        message(&[("fixations.csv", FIXATIONS.as_bytes())]),
        "CORPUS has no words.csv or words.tsv; scoring needs the words and their places, unless fixations have x_deg and y_deg; add the \
         file, with the columns text, word_index, char_start, char_end (and line for texts of \
         several lines)"
    );
    assert_eq!(
        message(&[("words.csv", WORDS.as_bytes())]),
        "CORPUS has no fixations.csv or fixations.tsv; a corpus is made of fixations; add the \
         file, with the columns reader, text, x_char, duration_ms (and line for texts of several \
         lines)"
    );
}

#[test]
fn one_table_in_several_formats() {
    assert_eq!(
        message(&[("fixations.csv", b""), ("fixations.tsv", b""), ("words.csv", b"")]),
        "CORPUS has both fixations.csv and fixations.tsv, and which one counts is not clear; \
         remove or rename one of them"
    );
}

#[cfg(not(feature = "columnar"))]
#[test]
fn parquet() {
    assert_eq!(
        message(&[("fixations.parquet", b"PAR1"), ("words.csv", WORDS.as_bytes())]),
        "CORPUS/fixations.parquet: found Parquet, expected a text table, since this build reads no \
         other; save the table as CSV, or make a build with the feature columnar"
    );
}

#[test]
fn empty_files() {
    for nothing in ["", "\u{feff}", "\r\n\r\n", "  \n"] {
        assert_eq!(
            about_fixations(nothing),
            "CORPUS/fixations.csv is empty; expected a row of column names, then one row each for \
             every fixation; write the file again, or remove it from the corpus"
        );
    }
    assert_eq!(
        about_words("\ntext,word_index,char_start,char_end\n"),
        "CORPUS/words.csv ends after the column names in row 2; expected one row each for every \
         word; write the file again, or remove it from the corpus"
    );
    assert_eq!(
        about_trials("reader,text,group"),
        "CORPUS/trials.csv ends after the column names in row 1; expected one row each for every \
         reading; write the file again, or remove it from the corpus"
    );
}

#[test]
fn bytes_that_contradict_the_encoding() {
    assert_eq!(
        about_words(
            b"text,word_index,word,char_start,char_end\ns1,1,Th\xc3\xa9,0,3\ns1,2,caf\xe9,4,8\n"
        ),
        "CORPUS/words.csv, row 3: found the byte 0xe9, expected text in UTF-8; export the table as \
         CSV in UTF-8, or check that this is the right file"
    );
    let mut odd: Vec<u8> = WORDS.encode_utf16().flat_map(u16::to_le_bytes).collect();
    odd.truncate(odd.len() - 1);
    assert_eq!(
        about_words([b"\xff\xfe", odd.as_slice()].concat()),
        "CORPUS/words.csv, row 3: found half a character, expected text in UTF-16LE; export the \
         table as CSV in UTF-8, or check that this is the right file"
    );
}

#[test]
fn files_that_are_no_text() {
    // The second one is far behind the first bytes that are looked at.
    for rows in [0, 20_000] {
        let before: String =
            (0..rows).map(|i| format!("s1,{i},{},{}\n", 2 * i, 2 * i + 1)).collect();
        assert_eq!(
            about_words(format!("text,word_index,char_start,char_end\n{before}s1\0,1,0,3\n")),
            format!(
                "CORPUS/words.csv, row {}: found a zero byte, expected text in UTF-8; export the \
                 table as CSV in UTF-8, or check that this is the right file",
                2 + rows
            )
        );
    }
    assert_eq!(
        about_words(b"MZ\x03\x04\xff\xe9words"),
        "CORPUS/words.csv, row 1: found the byte 0x03, expected text in UTF-8; export the table as \
         CSV in UTF-8, or check that this is the right file"
    );
    assert_eq!(
        about_words(b"PK\x03\x04\xff\xe9words"),
        "CORPUS/words.csv: found a spreadsheet or an archive, expected a text file, or a table in \
         Parquet or Arrow IPC; save the sheet as CSV, or unpack the archive"
    );
    let long = "text,word_index,char_start,char_end\n".to_owned() + &"s".repeat(3 << 20);
    assert_eq!(
        about_words(long),
        "CORPUS/words.csv, row 2: found more than 1048576 bytes in a line, expected a row of a \
         table; check that this is the right file"
    );
}

#[test]
fn missing_columns() {
    assert_eq!(
        about_fixations("reader,text,x_chars,duration_ms\nr1,s1,1,200\n"),
        "CORPUS/fixations.csv, row 1: found the columns reader, text, x_chars, duration_ms, \
         expected also x_char; rename x_chars to x_char if that is what it is"
    );
    assert_eq!(
        about_fixations("reader,text,x_char,time\nr1,s1,1,200\n"),
        "CORPUS/fixations.csv, row 1: found the columns reader, text, x_char, time, expected also \
         duration_ms; add duration_ms, or rename the column that holds it"
    );
    assert_eq!(
        about_fixations("Subject,item,line,x,dur\nr1,s1,1,1,200\n"),
        "CORPUS/fixations.csv, row 1: found the columns Subject, item, line, x, dur, expected also \
         reader, text, x_char and duration_ms; rename Subject to reader, item to text, x to x_char \
         and dur to duration_ms if that is what they are"
    );
    assert_eq!(
        about_words("sentence,word,start,length\ns1,The,0,3\n"),
        "CORPUS/words.csv, row 1: found the columns sentence, word, start, length, expected also \
         text, word_index, char_start and char_end; rename sentence to text and start to \
         char_start if that is what they are; add word_index and char_end, or rename the columns \
         that hold them"
    );
}

#[test]
fn fixations_that_do_not_tell_lines_apart() {
    let words = "text,line,word_index,char_start,char_end\ns1,7,1,0,3\ns2,1,1,0,3\ns2,2,2,0,3\n";
    let fixations = "reader,text,x_char,duration_ms\nr1,s1,1,200\nr1,s2,1,200\n";
    assert_eq!(
        message(&[("fixations.csv", fixations.as_bytes()), ("words.csv", words.as_bytes())]),
        "CORPUS/fixations.csv, row 1: found no column line, but text \"s2\" has 2 lines; add the \
         column line, the number that the line has in the table of words"
    );
}

#[test]
fn duplicate_column() {
    assert_eq!(
        about_fixations("reader,text,line,x_char,duration_ms,Line\nr1,s1,1,1,200,1\n"),
        "CORPUS/fixations.csv, row 1: found line as columns 3 and 6, expected it once; rename or \
         remove one of them"
    );
}

#[test]
fn ragged_row() {
    assert_eq!(
        about_fixations("reader,text,x_char,duration_ms\r\nr1,s1,1,200\r\n\r\nr1,s1,1,5,200\r\n"),
        "CORPUS/fixations.csv, row 4: found 5 cells, expected 4 as in the column names; look for a \
         cell too many or too few, or for a comma in a cell without quotation marks around it"
    );
    assert_eq!(
        about_fixations("reader;text;x_char;duration_ms\nr1;s1;1\n"),
        "CORPUS/fixations.csv, row 2: found 3 cells, expected 4 as in the column names; look for a \
         cell too many or too few, or for a semicolon in a cell without quotation marks around it"
    );
}

#[test]
fn stray_quotation_mark() {
    // Without the check, the first and the last of these rows would make one word.
    assert_eq!(
        about_words(
            "text,word_index,word,char_start,char_end\n\
             s1,1,\"Oh,0,3\ns1,2,dear,4,8\ns1,3,me\",9,12\n"
        ),
        "CORPUS/words.csv, row 2, column word: found \"Oh,0,3\", which runs over the end of the row, \
         expected a cell in one row; if a quotation mark belongs to \
         the cell, double it (\"\") and put the cell in quotation marks; names and words with line \
         breaks are not supported"
    );
    let message = about_words("text,\"word_index,char_start,char_end\ns1,1,0,3\ns1,2,4,8\n");
    assert!(
        message.starts_with("CORPUS/words.csv, row 1, column 2: found \"word_index,char_start,"),
        "{message}"
    );
}

#[test]
fn missing_names() {
    assert_eq!(
        about_fixations("reader,text,x_char,duration_ms\nr1,s1,1,200\n,s1,1,200\n"),
        "CORPUS/fixations.csv, row 3, column reader: found \"\", a missing value, expected a name; \
         fill the cell or remove the row"
    );
    assert_eq!(
        about_fixations("reader,text,x_char,duration_ms\nr1,NA,1,200\n"),
        "CORPUS/fixations.csv, row 2, column text: found \"NA\", a missing value, expected a name; \
         fill the cell or remove the row"
    );
    assert_eq!(
        about_fixations("reader,text,session,x_char,duration_ms\nr1,s1,,1,200\n"),
        "CORPUS/fixations.csv, row 2, column session: found \"\", a missing value, expected a name \
         or number; fill the cell, or remove the column, and all of them are 1"
    );
}

#[test]
fn missing_numbers() {
    assert_eq!(
        about_words("text,word_index,char_start,char_end\ns1,1,.,3\n"),
        "CORPUS/words.csv, row 2, column char_start: found \".\", a missing value, expected a \
         whole number of characters; fill the cell or remove the row"
    );
    assert_eq!(
        about_fixations("reader,text,fix_index,x_char,duration_ms\nr1,s1,NaN,1,200\n"),
        "CORPUS/fixations.csv, row 2, column fix_index: found \"NaN\", a missing value, expected a \
         whole number; fill the cell or remove the row"
    );
}

#[test]
fn wrong_numbers() {
    let fixation = |x: &str, duration: &str| {
        about_fixations(format!("reader\ttext\tx_char\tduration_ms\nr1\ts1\t{x}\t{duration}\n"))
    };
    let remedy = "correct the cell, or leave it empty where the value is missing";
    assert_eq!(
        fixation("left", "200"),
        format!(
            "CORPUS/fixations.csv, row 2, column x_char: found \"left\", expected a number; {remedy}"
        )
    );
    assert_eq!(
        fixation("-inf", "200"),
        format!(
            "CORPUS/fixations.csv, row 2, column x_char: found \"-inf\", expected a finite number; \
             {remedy}"
        )
    );
    assert_eq!(
        fixation("3", "-5"),
        format!(
            "CORPUS/fixations.csv, row 2, column duration_ms: found \"-5\", expected a number that \
             is not negative; {remedy}"
        )
    );
    for comma in ["3,5", "1,200", "1,234.5"] {
        assert_eq!(
            fixation(comma, "200"),
            format!(
                "CORPUS/fixations.csv, row 2, column x_char: found \"{comma}\", expected a number; \
                 write decimals with a point, and thousands without a separator"
            )
        );
    }
    assert_eq!(
        fixation(&"x".repeat(50), "200"),
        format!(
            "CORPUS/fixations.csv, row 2, column x_char: found \"{}...\", expected a number; \
             {remedy}",
            "x".repeat(40)
        )
    );
}

#[test]
fn wrong_whole_numbers() {
    assert_eq!(
        about_words("text,word_index,char_start,char_end\ns1,-1,0,3\n"),
        "CORPUS/words.csv, row 2, column word_index: found \"-1\", expected a whole number from 0, \
         the number of the word in its text; it must be from 0 to 4294967295; correct the cell"
    );
    assert_eq!(
        about_words("text,word_index,char_start,char_end\ns1,1,0,3.5\n"),
        "CORPUS/words.csv, row 2, column char_end: found \"3.5\", expected a whole number of \
         characters; correct the cell"
    );
    assert_eq!(
        about_words("text\tword_index\tchar_start\tchar_end\ns1\t1\t0\t1,200\n"),
        "CORPUS/words.csv, row 2, column char_end: found \"1,200\", expected a whole number of \
         characters; write decimals with a point, and thousands without a separator"
    );
    for number in ["9e99", "4000000000", "99999999999999999999"] {
        assert_eq!(
            about_fixations(format!("reader,text,line,x_char,duration_ms\nr1,s1,{number},1,200\n")),
            format!(
                "CORPUS/fixations.csv, row 2, column line: found \"{number}\", expected a whole \
                 number, the line of the text; it must be from -2147483648 to 2147483647; correct \
                 the cell"
            )
        );
    }
}

#[test]
fn wrong_flag() {
    assert_eq!(
        about_fixations("reader,text,x_char,duration_ms,gap\nr1,s1,1,200,blink\n"),
        "CORPUS/fixations.csv, row 2, column gap: found \"blink\", expected 0, 1, false or true; \
         correct the cell"
    );
}

#[test]
fn duplicate_word() {
    assert_eq!(
        about_words(
            "text,line,word_index,char_start,char_end\ns1,1,1,0,3\ns2,1,1,0,3\ns1,2,1,4,8\n"
        ),
        "CORPUS/words.csv, row 4, column word_index: found word 1 of text \"s1\" again, expected \
         it once; row 2 has it already; remove one of the rows or give one another word_index"
    );
}

#[test]
fn empty_word() {
    assert_eq!(
        about_words("text,word_index,char_start,char_end\ns1,1,0,3\ns1,2,4,4\n"),
        "CORPUS/words.csv, row 3, column char_end: found 4 as the end of word 2 of text \"s1\", \
         expected a number above its char_start 4; char_end is one past the last character"
    );
}

#[test]
fn overlapping_words() {
    assert_eq!(
        about_words("text,word_index,char_start,char_end\ns1,2,2,8\ns1,1,0,3\n"),
        "CORPUS/words.csv, row 2, column char_start: found 2 as the start of word 2 of text \
         \"s1\", expected 3 or more, since word 1 on the same line (row 3) ends at 3; char_end is \
         one past the last character; correct one of the rows, or their line"
    );
}

#[test]
fn text_without_words() {
    assert_eq!(
        about_fixations("reader,text,x_char,duration_ms\nr1,s1,1,200\nr1,s01,1,200\n"),
        "CORPUS/fixations.csv, row 3, column text: found \"s01\", expected a text of \
         CORPUS/words.csv, such as \"s1\"; add the words of text \"s01\" there, or correct its name"
    );
}

#[test]
fn duplicate_fixation() {
    assert_eq!(
        about_fixations(
            "reader,text,fix_index,x_char,duration_ms\nr1,s1,2,1,200\nr1,s1,1,1,200\nr1,s1,2,1,200\n"
        ),
        "CORPUS/fixations.csv, row 4, column fix_index: found fixation 2 of reader \"r1\" on text \
         \"s1\" again, expected it once; row 2 has it already; remove one of the rows, or tell \
         repeated readings apart with a column trial or session"
    );
}

#[test]
fn contradicting_trials() {
    assert_eq!(
        about_trials("reader,text,group\nr1,s1,NA\nr2,s1,a\nr1,s1,b\n"),
        "CORPUS/trials.csv, row 4, column group: found \"b\" for text \"s1\", expected \"a\" as in \
         row 3; give all rows of text \"s1\" the same group"
    );
    assert_eq!(
        about_trials("reader,text,trial_order\nr1,s1,1\nr1,s1,2\n"),
        "CORPUS/trials.csv, row 3, column trial_order: found \"2\" for reader \"r1\" on text \
         \"s1\", session \"1\", trial \"1\", expected \"1\" as in row 2; give all rows of reader \
         \"r1\" on text \"s1\", session \"1\", trial \"1\" the same trial_order"
    );
}
