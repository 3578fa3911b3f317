//! What the reader accepts, and what it makes of it.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::io::Write;

use gazeprint::corpus::{Chars, Corpus, Fixation, Line, Millis, Scanpath, Text, Word};
use gazeprint_io::{
    Notes, ReadError, WriteError, read_corpus, read_corpus_with_notes, read_probe, read_probe_from,
    write_corpus,
};

const WORDS: &str = "text,word_index,char_start,char_end\ns1,1,0,3\ns2,1,0,5\n";

fn read(files: &[(&str, &str)]) -> (Corpus, Notes) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    read_corpus_with_notes(folder.path()).unwrap()
}

fn fixation(x: f64, duration: f64) -> Fixation {
    Fixation {
        line: Some(1),
        x: Some(Chars(x)),
        duration: Some(Millis(duration)),
        ..Default::default()
    }
}

#[test]
fn marks_line_ends_blanks_and_further_columns() {
    let (corpus, _) = read(&[
        (
            "words.tsv",
            "\u{feff}Text\tword\tWORD_INDEX\tchar_start\tchar_end\r\n\
                       s1\tNA\t1.0\t0\t3.0\r\n\r\ns1\t\t2\t4\t8",
        ),
        (
            "fixations.csv",
            "\u{feff}\"reader\", text ,note,x_char,duration_ms\n r1 ,s1,\"a, b\",2.5, 212 \n",
        ),
    ]);
    let line = &corpus.texts()[0].lines()[0];
    assert_eq!(line.number(), 1);
    assert_eq!(
        line.words(),
        [
            Word { index: 1, form: Some("NA".to_owned()), start: 0, end: 3 },
            Word { index: 2, form: None, start: 4, end: 8 },
        ]
    );
    assert_eq!(corpus.readers(), ["r1"]);
    assert_eq!(corpus.scanpaths()[0].session, "1");
    assert_eq!(corpus.scanpaths()[0].trial, "1");
    assert_eq!(corpus.scanpaths()[0].fixations, [fixation(2.5, 212.0)]);
}

#[test]
fn the_header_may_show_another_delimiter() {
    for (name, delimiter) in [
        ("fixations.csv", ";"),
        ("fixations.csv", "\t"),
        ("fixations.tsv", ","),
        ("fixations.csv", "|"),
    ] {
        let fixations = "reader,text,x_char,duration_ms\nr1,s1,1,200\n".replace(',', delimiter);
        let declared = format!("\u{feff}sep={delimiter}\r\n{fixations}");
        for fixations in [fixations, declared] {
            let (corpus, _) = read(&[("words.csv", WORDS), (name, &fixations)]);
            assert_eq!(corpus.fixation_count(), 1);
        }
    }
}

/// The same text, as files have it.
fn every_encoding(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let units =
        |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    vec![
        ("UTF-8", text.as_bytes().to_vec()),
        ("UTF-8 with a mark", ["\u{feff}", text].concat().into_bytes()),
        ("UTF-16 with a mark", [&[0xff, 0xfe], &units(u16::to_le_bytes)[..]].concat()),
        ("UTF-16", units(u16::to_be_bytes)),
        ("Windows-1252", text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()),
        ("gzip", packed.finish().unwrap()),
    ]
}

#[test]
fn tables_may_be_in_any_encoding_and_guesses_are_noted() {
    let fixations = "reader,text,x_char,duration_ms\nJ\u{fc}rgen,s1,1,200\nJ\u{fc}rgen,s2,1,200\n";
    for (encoding, bytes) in every_encoding(fixations) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("words.csv"), WORDS).unwrap();
        fs::write(folder.path().join("fixations.csv"), bytes).unwrap();
        let (corpus, notes) = read_corpus_with_notes(folder.path()).unwrap();
        assert_eq!(corpus.readers(), ["J\u{fc}rgen"], "{encoding}");
        let guess = match encoding {
            "UTF-16" => {
                "fixations.csv: the text is UTF-16BE: every second byte is zero; are names \
                         and words right?"
            }
            "Windows-1252" => {
                "fixations.csv: the text is Windows-1252: line 2 has the byte 0xfc, \
                               which is not UTF-8; are names and words right?"
            }
            _ => "",
        };
        assert_eq!(notes.messages().concat(), guess, "{encoding}");
    }
}

#[test]
fn a_probe_may_come_from_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let (words, file) = (folder.path().join("words.csv"), folder.path().join("probe.csv"));
    fs::write(&words, WORDS).unwrap();
    let comma = "text,note,x_char,duration_ms\ns1,\u{e9},1.5,212\ns2,,2,200\n";
    for delimiter in [",", ";", "\t", "|"] {
        for (encoding, bytes) in every_encoding(&comma.replace(',', delimiter)) {
            fs::write(&file, &bytes).unwrap();
            let (by_path, by_path_notes) = read_probe(&file, Some(&words)).unwrap();
            let input = std::io::Cursor::new(bytes);
            let (probe, notes) = read_probe_from(input, "standard input", &words).unwrap();
            assert_eq!(probe.scanpaths(), by_path.scanpaths(), "{encoding}, {delimiter:?}");
            assert_eq!(probe.texts(), by_path.texts(), "{encoding}, {delimiter:?}");
            assert_eq!(notes.oddities.len(), by_path_notes.oddities.len(), "{encoding}");
            assert_eq!((probe.name(), probe.fixation_count()), ("standard input", 2));
        }
    }
    let wrong = std::io::Cursor::new("text,x_char,duration_ms\ns1,1,200\ns1,left,200\n");
    assert_eq!(
        read_probe_from(wrong, "standard input", &words).unwrap_err().to_string(),
        "standard input, row 3, column x_char: found \"left\", expected a number; correct the cell, \
         or leave it empty where the value is missing"
    );
}

#[test]
fn fixations_without_a_line_are_on_the_only_one() {
    let (corpus, _) = read(&[
        ("words.csv", "text,line,word_index,char_start,char_end\ns1,7,1,0,3\ns2,0,1,0,5\n"),
        ("fixations.csv", "reader,text,x_char,duration_ms\nr1,s1,1,200\nr1,s2,1,200\n"),
    ]);
    let lines: Vec<_> = corpus.scanpaths().iter().map(|s| s.fixations[0].line).collect();
    assert_eq!(lines, [Some(7), Some(0)]);
}

#[test]
fn missing_values_are_kept() {
    let (corpus, _) = read(&[
        ("words.csv", WORDS),
        (
            "fixations.csv",
            "reader,text,line,x_char,duration_ms,onset_ms,gap\n\
             r1,s1,,NA,NaN,.,\nr1,s1,0,nan,.,12,TRUE\nr1,s1,2.0,-3,0,-1.5,1.0\n",
        ),
    ]);
    let nothing = Fixation::default();
    assert_eq!(
        corpus.scanpaths()[0].fixations,
        [
            nothing,
            Fixation { line: Some(0), onset: Some(Millis(12.0)), gap: true, ..nothing },
            Fixation {
                line: Some(2),
                x: Some(Chars(-3.0)),
                duration: Some(Millis(0.0)),
                onset: Some(Millis(-1.5)),
                gap: true,
                ..Default::default()
            },
        ]
    );
}

#[test]
fn readings_may_be_interleaved_and_are_ordered_by_fix_index() {
    let (corpus, _) = read(&[
        ("words.csv", WORDS),
        (
            "fixations.csv",
            "reader,text,trial,fix_index,x_char,duration_ms\n\
             b,s2,1,3,3,203\na,s2,1,1,1,101\nb,s2,1,-1,1,201\nb,s2,2,1,9,900\nb,s2,1,2.0,2,202\n",
        ),
    ]);
    assert_eq!(corpus.readers(), ["b", "a"]);
    // A text that nobody read is kept.
    assert_eq!(corpus.texts().iter().map(Text::id).collect::<Vec<_>>(), ["s1", "s2"]);
    let keys: Vec<_> =
        corpus.scanpaths().iter().map(|s| (s.reader, s.text, s.trial.as_str())).collect();
    assert_eq!(keys, [(0, 1, "1"), (1, 1, "1"), (0, 1, "2")]);
    assert_eq!(
        corpus.scanpaths()[0].fixations,
        [fixation(1.0, 201.0), fixation(2.0, 202.0), fixation(3.0, 203.0)]
    );
}

#[test]
fn trials_give_order_and_group() {
    let (corpus, notes) = read(&[
        ("words.csv", WORDS),
        ("fixations.csv", "reader,text,session,x_char,duration_ms\nr1,s1,a,1,200\nr1,s1,b,1,200\n"),
        (
            "trials.csv",
            "reader,text,session,trial_order,group,condition\n\
             r1,s1,b,2.5,,x\nr1,s1,b,2.5,g1,x\nr1,s1,a,NA,g1,y\n\
             r9,s1,a,1,g1,lost\nr1,s2,a,3,g2,lost\nr1,s9,a,3,g9,lost\n",
        ),
    ]);
    assert_eq!(notes.trials_without_fixations, 3);
    let orders: Vec<_> = corpus.scanpaths().iter().map(|s| s.order).collect();
    assert_eq!(orders, [None, Some(2.5)]);
    let groups: Vec<_> = corpus.texts().iter().map(|t| t.group.as_deref()).collect();
    assert_eq!(groups, [Some("g1"), Some("g2")]);
    assert_eq!(corpus.readers(), ["r1"]);
}

#[test]
fn what_is_odd_is_noted() {
    let (_, notes) = read(&[
        (
            "words.csv",
            "text,lines,word_index,char_start,char_end\ns1,1,1,5,8\ns1,1,2,0,4\ns2,1,1,0,5\n",
        ),
        (
            "fixations.csv",
            "reader,text,fixindex,x_char,duration_ms,onset_ms\nanna,s1,1,1,200,300\n\
             anna,s1,2,1,200,\nanna,s1,3,1,200,299\nAnna,s1,1,1,200,1\n\u{200b}anna,s1,1,1,200,1\n",
        ),
        ("trials.csv", "reader,text\nanna,s1\nben,s1\n"),
    ]);
    assert!(notes.in_row_order);
    assert_eq!(
        notes.messages(),
        [
            "1 row of the trials table without fixations, not counted",
            "column fixindex of fixations.csv is ignored; did you mean fix_index?",
            "column lines of words.csv is ignored; did you mean line?",
            "2 pairs of readers with names that differ only in case or in characters that do not \
             show, such as \"anna\" and \"Anna\"; is that one reader?",
            "1 line where word_index does not grow from left to right, first line 1 of text \
             \"s1\"; order is taken from char_start; are both right?",
            "1 reading where onset_ms falls, first that of text \"s1\" by reader \"anna\"; are \
             fixations in the order of reading?",
            "1 of 2 texts read; do the tables belong together?",
        ]
    );
}

#[test]
fn further_columns_are_not_odd() {
    let (_, notes) = read(&[
        ("words.csv", "text,word_index,char_start,char_end,time,age\ns1,1,0,3,1,2\n"),
        (
            "fixations.csv",
            "reader,text,fix_index,word_index,x_char,y,duration_ms,pupil,\nr1,s1,1,1,1,2,200,3,\n",
        ),
    ]);
    assert_eq!(notes, Notes::default());
}

#[test]
fn the_folder_names_the_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("my corpus");
    write_corpus(&small(), &folder, false).unwrap();
    assert_eq!(read_corpus(&folder).unwrap().name(), "my corpus");
    assert_eq!(read_corpus(&folder.join(".")).unwrap().name(), "my corpus");
}

fn small() -> Corpus {
    let word = Word { index: 1, form: None, start: 0, end: 3 };
    let text = Text::new("s1", vec![Line::new(1, vec![word]).unwrap()]).unwrap();
    let path = Scanpath {
        reader: 0,
        text: 0,
        session: "1".to_owned(),
        trial: "1".to_owned(),
        order: None,
        fixations: vec![fixation(1.5, 212.0)],
    };
    Corpus::new("small", vec!["r1".to_owned()], vec![text], vec![path]).unwrap()
}

#[test]
fn columns_that_say_nothing_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    write_corpus(&small(), folder.path(), false).unwrap();
    let content = |name| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        content("fixations.csv"),
        "reader,text,fix_index,x_char,duration_ms\nr1,s1,1,1.5,212\n"
    );
    assert_eq!(content("words.csv"), "text,word_index,char_start,char_end\ns1,1,0,3\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn an_old_corpus_gives_way_only_on_demand() {
    let folder = tempfile::tempdir().unwrap();
    let stale = folder.path().join("trials.tsv");
    fs::write(&stale, "old").unwrap();
    let error = write_corpus(&small(), folder.path(), false).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("{} exists already; choose another folder, or ask to overwrite", stale.display())
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    write_corpus(&small(), folder.path(), true).unwrap();
    write_corpus(&small(), folder.path(), true).unwrap();
    assert!(!stale.exists());
    assert_eq!(read_corpus(folder.path()).unwrap().fixation_count(), 1);
}

#[test]
fn a_folder_that_cannot_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(
        write_corpus(&small(), &file, true).unwrap_err().to_string(),
        format!("{} is a file, not a folder; choose another path", file.display())
    );
    let error = write_corpus(&small(), &file.join("corpus"), false).unwrap_err();
    assert!(matches!(error, WriteError::Unwritable { .. }));
    assert!(
        error.to_string().ends_with("; check the path, your rights and the space left"),
        "{error}"
    );
}

/// The message about a small corpus that was changed.
fn refusal(change: impl FnOnce(&mut Vec<String>, &mut Vec<Text>, &mut Vec<Scanpath>)) -> String {
    let small = small();
    let (mut readers, mut texts, mut paths) =
        (small.readers().to_vec(), small.texts().to_vec(), small.scanpaths().to_vec());
    change(&mut readers, &mut texts, &mut paths);
    let corpus = Corpus::new("small", readers, texts, paths).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let error = write_corpus(&corpus, folder.path(), false).unwrap_err().to_string();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    error
}

#[test]
fn what_tables_cannot_hold_is_refused() {
    let text =
        |id: &str, words: Vec<Word>| Text::new(id, vec![Line::new(1, words).unwrap()]).unwrap();
    assert_eq!(
        refusal(|_, _, paths| paths.clear()),
        "corpus \"small\" cannot be written: it has no readings; write a corpus in which somebody \
         reads something"
    );
    assert_eq!(
        refusal(|readers, _, _| readers.push("r2".to_owned())),
        "reader \"r2\" cannot be written: the reader has no readings; leave the reader out"
    );
    assert_eq!(
        refusal(|readers, _, _| readers[0] = "NA".to_owned()),
        "reader \"NA\" cannot be written: the name reads as a missing value, has blanks around it, \
         or has a line break or a zero character in it; choose another name"
    );
    assert_eq!(
        refusal(|_, _, paths| paths[0].fixations.clear()),
        "the reading of text \"s1\" by reader \"r1\" cannot be written: it has no fixations; leave \
         the reading out"
    );
    assert_eq!(
        refusal(|_, _, paths| paths[0].order = Some(f64::NAN)),
        "the reading of text \"s1\" by reader \"r1\" cannot be written: its place in the order is \
         not finite; leave the place out or correct it"
    );
    assert_eq!(
        refusal(|_, _, paths| paths[0].fixations[0].duration = Some(Millis(-1.0))),
        "fixation 1 of the reading of text \"s1\" by reader \"r1\" cannot be written: it has a \
         number that is not finite, or a negative duration; leave the number out or correct it"
    );
    let word = Word { index: 1, form: None, start: 0, end: 3 };
    assert_eq!(
        refusal(|_, texts, _| {
            texts.push(text("s2", vec![word.clone(), Word { start: 4, end: 5, ..word.clone() }]));
        }),
        "word 1 of text \"s2\" cannot be written: another word of the text has the same index; \
         number the words of a text from 1"
    );
    assert_eq!(
        refusal(|_, texts, _| {
            texts.push(text("s2", vec![Word { form: Some("a\nb".to_owned()), ..word.clone() }]));
        }),
        "word 1 of text \"s2\" cannot be written: it is empty or has a line break or a zero \
         character in it; leave the word's form out or correct it"
    );
    assert_eq!(
        refusal(|_, texts, _| {
            texts.push(text("s2", vec![word.clone()]));
            texts[1].group = Some("g".to_owned());
        }),
        "the group of text \"s2\" cannot be written: groups stand in the table of readings, and \
         nobody read the text; leave the text or its group out"
    );
}

/// A folder with a table of fixations, and one of words where it is given.
fn measured(fixations: &str, words: Option<&str>) -> Result<Corpus, ReadError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fixations.csv"), fixations).unwrap();
    if let Some(words) = words {
        std::fs::write(folder.path().join("words.csv"), words).unwrap();
    }
    read_corpus(folder.path())
}

#[test]
fn pages_need_no_words_where_places_are_in_degrees() {
    let table = "reader,text,session,x_deg,y_deg,duration_ms,sac_dx_deg,SAC_PEAK_VELOCITY,gap\n\
                 anna,page-1,1,-5,1.25,212,,,1\nanna,page-1,1,-3,1,180,2.0,140.5,0\n\
                 anna,page-2,2,,NA,180,1e300,.,0\n";
    let corpus = measured(table, None).unwrap();
    assert!(corpus.texts().iter().all(|text| !text.has_words()));
    let ids: Vec<_> = corpus.texts().iter().map(Text::id).collect();
    assert_eq!(ids, ["page-1", "page-2"]);
    let first = &corpus.scanpaths()[0].fixations;
    assert_eq!((first[0].place, first[0].x, first[0].line), (Some([-5.0, 1.25]), None, None));
    assert_eq!(first[1].kinematics.dx, Some(2.0));
    assert_eq!(first[1].kinematics.peak_velocity, Some(140.5));
    // What is too large for any eye stays a number, and is not believed later.
    let last = corpus.scanpaths()[1].fixations[0];
    assert_eq!((last.place, last.kinematics.dx), (None, Some(f32::MAX)));
}

#[test]
fn a_page_beside_texts_is_told_by_its_rows() {
    let words = "text,word_index,char_start,char_end\nt,1,0,3\n";
    let table =
        "reader,text,x_char,duration_ms,x_deg,y_deg\nanna,t,1.5,200,,\nanna,page,,200,1,2\n";
    let corpus = measured(table, Some(words)).unwrap();
    let known: Vec<bool> = corpus.texts().iter().map(Text::has_words).collect();
    assert_eq!(known, [true, false]);
    // A place in characters is one on words.
    let typo = table.replace("page,,", "pge,1.0,");
    let error = measured(&typo, Some(words)).unwrap_err();
    assert!(matches!(error, ReadError::UnknownText { .. }), "{error}");
    let both = format!("{table}anna,page,1.0,200,1,2\n");
    assert!(matches!(measured(&both, Some(words)), Err(ReadError::UnknownText { .. })));
}

#[test]
fn what_is_wrong_with_kinematics_is_told() {
    let missing = measured("reader,text,x_char,duration_ms\na,t,1,200\n", None).unwrap_err();
    assert!(missing.to_string().contains("x_deg and y_deg"), "{missing}");
    let half = "reader,text,x_deg,duration_ms\na,t,1,200\n";
    let words = Some("text,word_index,char_start,char_end\nt,1,0,3\n");
    assert!(matches!(measured(half, words), Err(ReadError::MissingColumns { .. })));
    let table = "reader,text,x_deg,y_deg,duration_ms,sac_skew\na,t,1,2,200,fast\n";
    let error = measured(table, None).unwrap_err().to_string();
    assert!(error.contains("fast") && error.contains("sac_skew"), "{error}");
    let infinite = table.replace("fast", "inf");
    assert!(measured(&infinite, None).unwrap_err().to_string().contains("finite"));
}

#[test]
fn a_page_cannot_be_written_with_characters_or_unread() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = |fixations: Vec<Fixation>, texts: Vec<Text>| {
        let (session, trial) = ("1".to_owned(), "1".to_owned());
        let path = Scanpath { reader: 0, text: 0, session, trial, order: None, fixations };
        Corpus::new("c", vec!["r".to_owned()], texts, vec![path]).unwrap()
    };
    let page = || Text::without_words("page");
    let placed = Fixation { place: Some([1.0, 2.0]), ..fixation(1.0, 200.0) };
    let in_characters = corpus(vec![placed], vec![page()]);
    assert!(write_corpus(&in_characters, folder.path(), true).is_err());
    let unread =
        corpus(vec![Fixation { x: None, ..placed }], vec![page(), Text::without_words("q")]);
    assert!(write_corpus(&unread, folder.path(), true).is_err());
    let mut infinite = Fixation { x: None, ..placed };
    infinite.kinematics.skew = Some(f32::NAN);
    assert!(write_corpus(&corpus(vec![infinite], vec![page()]), folder.path(), true).is_err());
    let whole = corpus(vec![Fixation { x: None, line: None, ..placed }], vec![page()]);
    write_corpus(&whole, folder.path(), true).unwrap();
    assert_eq!(read_corpus(folder.path()).unwrap().scanpaths(), whole.scanpaths());
}
