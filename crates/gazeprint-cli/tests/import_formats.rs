//! One command for each format that recordings come in.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::path::Path;

use common::{gazeprint_in, refused, succeeded};
use serde_json::Value;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        std::fs::write(folder.path().join(file), text).unwrap();
    }
    folder
}

/// Imports into `corpus`; the report, and the tables as they were written.
fn import(folder: &Path, arguments: &[&str]) -> (Value, String, String) {
    let all = [&["import"], arguments, &["--out", "corpus", "--json", "--overwrite"]].concat();
    let report = serde_json::from_str(&succeeded(&gazeprint_in(folder, &all))).unwrap();
    let read = |file| std::fs::read_to_string(folder.join("corpus").join(file));
    (report, rounded(&read("fixations.csv").unwrap()), read("words.csv").unwrap_or_default())
}

/// A table with numbers to the sixth decimal: a fit is not exact to the last bit.
fn rounded(table: &str) -> String {
    let cell = |cell: &str| match cell.parse::<f64>() {
        Ok(number) => ((number * 1e6).round() / 1e6).to_string(),
        Err(_) => cell.to_owned(),
    };
    let line = |line: &str| line.split(',').map(cell).collect::<Vec<_>>().join(",") + "\n";
    table.lines().map(line).collect()
}

fn format(report: &Value) -> &str {
    report["files"].as_array().unwrap().last().unwrap()["format"].as_str().unwrap()
}

fn decided(report: &Value, words: &str) {
    let decisions = report["decisions"].as_array().unwrap();
    let is_it = |decision: &Value| decision.as_str().unwrap().contains(words);
    assert!(decisions.iter().any(is_it), "{words:?} is not in {decisions:#?}");
}

/// Three words on two lines: 10 pixels a character, 10 of padding.
const AREAS: &str = "\
participant_id,TRIAL_INDEX,text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM
p1,4,t,0,One,95,135,100,150
p1,4,t,1,three,135,195,100,150
p1,4,t,2,to,95,125,150,200
";

const REPORT: &str = "\
participant_id,TRIAL_INDEX,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION,\
CURRENT_FIX_INTEREST_AREA_ID
p1,4,t,115,120,200,1
p1,4,t,150,130,210,2
p1,4,t,110,170,190,3
";

#[test]
fn reports_of_data_viewer_with_interest_areas() {
    let folder = folder(&[("fix.csv", REPORT), ("ia.csv", AREAS)]);
    let (report, fixations, words) = import(folder.path(), &["fix.csv", "--words", "ia.csv"]);
    assert_eq!(format(&report), "dataviewer");
    decided(&report, "pixels per character: 10");
    decided(&report, "a number one higher than in the report of areas");
    assert_eq!(
        fixations,
        "reader,text,trial,fix_index,line,x_char,duration_ms\n\
         p1,t,4,1,1,1.5,200\np1,t,4,2,1,5,210\np1,t,4,3,2,1,190\n"
    );
    assert_eq!(
        words,
        "text,line,word_index,word,char_start,char_end\n\
         t,1,1,One,0,3\nt,1,2,three,4,9\nt,2,3,to,0,2\n"
    );
}

#[test]
fn reports_whose_areas_are_characters() {
    let map = "speechId,paragraphId,word,characters,char_IA_ids\n\
        7,-1,Nyt,\"['N', 'y', 't']\",\"[1, 2, 3]\"\n7,-1,tale,\"['t', 'a', 'l', 'e']\",\"[4, 5, 6, 7]\"\n";
    let row = |area: i32, left: i32| {
        format!(
            "\"P1\"\t2\t201,5\t[ {area}]\t[STATIC, RECTANGLE, {left}.0, 100.0, {}.0, 200.0]\t{area}\t\
             \"x\"\t-1\t7\r\n",
            left + 15
        )
    };
    let report = [
        "\u{feff}\"RECORDING_SESSION_LABEL\"\t\"TRIAL_INDEX\"\t\"CURRENT_FIX_DURATION\"\t\
         \"CURRENT_FIX_INTEREST_AREAS\"\t\"CURRENT_FIX_INTEREST_AREA_DATA\"\t\
         \"CURRENT_FIX_INTEREST_AREA_ID\"\t\"CURRENT_FIX_INTEREST_AREA_LABEL\"\t\"paragraphid\"\t\
         \"speechid\"\r\n",
        &row(2, 215),
        &row(6, 290),
    ]
    .concat();
    let folder = folder(&[("FIX_P1.txt", &report), ("map.csv", map)]);
    let (report, fixations, words) = import(folder.path(), &["FIX_P1.txt", "--words", "map.csv"]);
    decided(&report, "pixels per character: 15");
    assert_eq!(
        fixations,
        "reader,text,trial,fix_index,x_char,duration_ms\n\
         P1,7_-1,2,1,1.5,201.5\nP1,7_-1,2,2,6.5,201.5\n"
    );
    assert_eq!(
        words,
        "text,word_index,word,char_start,char_end\n7_-1,1,Nyt,0,3\n7_-1,2,tale,4,8\n"
    );
}

const ASC: &str = "\
** CONVERTED FROM a.edf
MSG\t999 TRIALID story
START\t1000 \tLEFT\tEVENTS
EVENTS\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2
EFIX L   1100\t1299\t200\t  115.0\t  120.0\t    800
EBLINK L 1310\t1400\t91
EFIX L   1421\t1500\t80\t  155.0\t  160.0\t    800
END\t1600 \tSAMPLES\tEVENTS\tRES\t  30.00\t  30.00
";

#[test]
fn recordings_of_eyelink_in_pixels_and_on_a_text() {
    let folder = folder(&[("anna.asc", ASC), ("story.txt", "One three\nto four five\n")]);
    let folder = folder.path();
    let (report, fixations, words) = import(folder, &["anna.asc"]);
    assert_eq!((format(&report), &report["has_words"]), ("asc", &Value::Bool(false)));
    assert_eq!(
        fixations,
        "reader,text,trial,fix_index,x_px,y_px,duration_ms,onset_ms,gap,eye\n\
         anna,story,1,1,115,120,200,1100,0,left\nanna,story,1,2,155,160,80,1421,1,left\n"
    );
    assert_eq!(words, "");
    let text = ["anna.asc", "--text", "story.txt", "--font-width", "10", "--left", "100"];
    let message = [&["import"], &text[..], &["--out", "c"]].concat();
    let message = refused(&gazeprint_in(folder, &message), 1);
    assert!(message.contains("--line-height") && message.contains("story.txt"), "{message}");
    let high = ["--line-height", "40", "--top", "100", "--lines", "warp"];
    let (report, fixations, words) = import(folder, &[&text[..], &high].concat());
    decided(&report, "lines by warp: 2 fixations in 1 readings");
    assert!(fixations.contains("anna,story,1,1,1.5,200,"), "{fixations}");
    assert!(fixations.contains("anna,story,2,2,5.5,80,"), "{fixations}");
    assert!(words.contains("story,2,4,four,3,7\n"), "{words}");
    // Several recordings of one reader do not become one.
    std::fs::copy(folder.join("anna.asc"), folder.join("later.asc")).unwrap();
    let (_, fixations, _) = import(folder, &["anna.asc", "later.asc", "--reader", "Anna"]);
    assert!(fixations.contains("Anna,story,later,"), "{fixations}");
}

#[test]
fn trials_by_a_pattern_of_ones_own() {
    let asc = ASC.replace("TRIALID story", "PAGE story number 2");
    let folder = folder(&[("anna.asc", &asc)]);
    let pattern = ["anna.asc", "--trial-pattern", r"PAGE (?P<text>\w+) number (?P<trial>\d+)"];
    let (_, fixations, _) = import(folder.path(), &pattern);
    assert!(fixations.contains("anna,story,2,1,115,120,200,"), "{fixations}");
    for (wrong, said) in [("PAGE (", "no regular expression"), ("PAGE", "none of the groups")] {
        let arguments = ["import", "anna.asc", "--trial-pattern", wrong, "--out", "c"];
        let message = refused(&gazeprint_in(folder.path(), &arguments), 1);
        assert!(message.contains(said), "{message}");
    }
}

/// Two fixations of 200 ms with a saccade between, at 250 Hz.
fn samples(place: impl Fn(f64, f64) -> String) -> String {
    let position = |i: usize| match i {
        0..50 => 100.0,
        50..55 => 100.0 + 20.0 * (i - 50) as f64,
        _ => 200.0,
    };
    (0..105).map(|i| place(4.0 * i as f64, position(i) + 0.3 * (i % 3) as f64)).collect()
}

#[test]
fn tables_of_samples() {
    let rows = samples(|time, x| format!("a,{time},{x},300\n"));
    let folder = folder(&[("gaze.csv", &format!("subject,time,x_px,y_px\n{rows}"))]);
    let (report, fixations, _) = import(folder.path(), &["gaze.csv"]);
    assert_eq!((format(&report), &report["fixations_kept"]), ("samples", &2.into()));
    assert!(fixations.starts_with("reader,text,"), "{fixations}");
    let ivt = ["import", "gaze.csv", "--detector", "ivt", "--out", "c"];
    let message = refused(&gazeprint_in(folder.path(), &ivt), 1);
    assert!(message.contains("--px-per-degree"), "{message}");
    let scaled = ["gaze.csv", "--detector", "ivt", "--px-per-degree", "35"];
    assert_eq!(import(folder.path(), &scaled).0["fixations_kept"], 2);
    let part = ["import", "gaze.csv", "--distance", "55cm", "--out", "c"];
    let message = refused(&gazeprint_in(folder.path(), &part), 1);
    assert!(message.contains("--screen-px"), "{message}");
}

#[test]
fn recordings_of_bids_with_the_files_beside_them() {
    let folder = folder(&[]);
    let folder = folder.path();
    let rows = samples(|time, x| format!("{time}\t{x}\t300\n"));
    let json = r#"{"Columns": ["timestamp", "x_coordinate", "y_coordinate"],
        "PhysioType": "eyetrack", "RecordedEye": "right", "SamplingFrequency": 250,
        "SampleCoordinateSystem": "gaze-on-screen", "x_coordinate": {"Units": "pixel"},
        "timestamp": {"Units": "ms"}}"#;
    let file = "sub-01_ses-2_task-read_physio.tsv";
    std::fs::write(folder.join(file), &rows).unwrap();
    let message = refused(&gazeprint_in(folder, &["import", file, "--out", "c"]), 1);
    assert!(message.contains("physio.json"), "{message}");
    std::fs::write(folder.join("task-read_physio.json"), json).unwrap();
    std::fs::write(folder.join("sub-01_ses-2_task-read_physio.json"), json).unwrap();
    let (report, fixations, _) = import(folder, &[file]);
    assert_eq!((format(&report), &report["fixations_kept"]), ("bids", &2.into()));
    assert!(fixations.contains("\n1,read,2,"), "{fixations}");
}

#[test]
fn sequences_of_swift_with_their_sentences() {
    let folder = folder(&[
        ("fixseqin_3.dat", "1\t1\t1.5\t200\t20\t1\n1\t2\t0.5\t210\t22\t2\n"),
        ("items.txt", "The dog sleeps.\n"),
    ]);
    let folder = folder.path();
    let (report, fixations, words) = import(folder, &["fixseqin_3.dat", "--text", "items.txt"]);
    assert_eq!(format(&report), "swift");
    assert_eq!(
        fixations,
        "reader,text,fix_index,x_char,duration_ms\n3,1,1,0.5,200\n3,1,2,3.5,210\n"
    );
    assert!(words.contains("1,3,sleeps.,8,15\n"), "{words}");
    let alone = refused(&gazeprint_in(folder, &["import", "fixseqin_3.dat", "--out", "c"]), 1);
    assert!(alone.contains("--text FILE"), "{alone}");
}

#[test]
fn frames_of_pymovements_on_areas() {
    let events = "subject_id,text_id,name,onset,offset,duration,location\n\
        1,t,fixation_ivt,100,300,200,\"[115.0, 120.0]\"\n1,t,saccade,300,330,30,\"[0, 0]\"\n";
    let folder = folder(&[("events.csv", events), ("aoi.csv", AREAS)]);
    let (report, fixations, _) = import(folder.path(), &["events.csv", "--words", "aoi.csv"]);
    assert_eq!((format(&report), &report["dropped"][0]["rows"]), ("pymovements", &1.into()));
    assert!(fixations.ends_with("1,t,1,1,1.5,200,100\n"), "{fixations}");
}

#[test]
fn exports_of_tobii_pro_lab() {
    let header = "Recording timestamp [μs]\tParticipant name\tRecording name\t\
        Presented Stimulus name\tEye movement type\tGaze event duration [ms]\t\
        Eye movement type index\tFixation point X [DACS px]\tFixation point Y [DACS px]\n";
    let rows = "1000\tAnna\tRec1\tpage 1\tFixation\t200\t1\t512,5\t300\n\
        9000\tAnna\tRec1\tpage 1\tFixation\t200\t1\t512,5\t300\n\
        25000\tAnna\tRec1\tpage 1\tSaccade\t30\t1\t\t\n";
    let folder = folder(&[("export.tsv", &format!("{header}{rows}"))]);
    let (report, fixations, _) = import(folder.path(), &["export.tsv"]);
    assert_eq!((format(&report), &report["fixations_kept"]), ("tobii", &1.into()));
    assert!(fixations.contains("Anna,page 1,"), "{fixations}");
}

#[test]
fn parts_of_the_screen_need_its_size() {
    let gazepoint = "MEDIA_NAME,FPOGX,FPOGY,FPOGS,FPOGD,FPOGID,FPOGV\n\
        page,0.25,0.5,1.5,0.1,1,1\npage,0.25,0.5,1.5,0.2,1,1\npage,0.3,0.5,1.7,0.02,2,0\n\
        page,0.5,0.5,1.75,0.25,2,1\n";
    let folder = folder(&[("User 1.csv", gazepoint)]);
    let message = refused(&gazeprint_in(folder.path(), &["import", "User 1.csv", "--out", "c"]), 1);
    assert!(message.contains("--screen-px WIDTHxHEIGHT"), "{message}");
    let (report, fixations, _) = import(folder.path(), &["User 1.csv", "--screen-px", "800x600"]);
    assert_eq!((format(&report), &report["fixations_kept"]), ("table", &2.into()));
    assert_eq!(
        fixations,
        "reader,text,fix_index,x_px,y_px,duration_ms,onset_ms\n\
         User 1,page,1,200,300,200,1500\nUser 1,page,2,400,300,250,1750\n"
    );
}

#[test]
fn a_folder_stands_for_its_files_whose_names_tell_who_reads_what() {
    let rows = "x_px;y_px;duration_ms\n10,5;20;200\n30;20;210\n";
    let folder = folder(&[]);
    let inside = folder.path().join("data");
    std::fs::create_dir(&inside).unwrap();
    for name in ["anna_p1.csv", "anna_p2.csv", "ben_p1.csv", "notes.md"] {
        std::fs::write(inside.join(name), rows).unwrap();
    }
    let (report, ..) = import(folder.path(), &["data"]);
    let pattern = "^(?<reader>[^._]+)_(?<text>[^._]+)";
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(warning.contains("anna_p1 and anna_p2 are two"), "{warning}");
    assert!(warning.ends_with(&format!("--from-name '{pattern}'")), "{warning}");
    let (report, fixations, _) = import(folder.path(), &["data", "--from-name", pattern]);
    assert_eq!((&report["readers"], &report["texts"]), (&2.into(), &2.into()));
    decided(&report, "left out as no recordings are called so: notes.md");
    assert!(fixations.contains("anna,p2,1,10.5,20,200\n"), "{fixations}");
}

#[test]
fn trials_of_eye_doctor_on_their_words() {
    let words = "text,line,word_index,word,char_start,char_end\n\
        3_2,1,1,The,0,3\n3_2,1,2,dog,4,7\n3_2,2,3,sleeps.,0,7\n";
    let da1 = "1 2 3 1900 0 0 0 2 5 0 10 210 0 1 240 455\n";
    let folder = folder(&[("anna.DA1", da1), ("words.csv", words)]);
    let (report, fixations, _) = import(folder.path(), &["anna.DA1", "--words", "words.csv"]);
    assert_eq!((format(&report), &report["has_words"]), ("da1", &Value::Bool(true)));
    assert!(fixations.contains("anna,3_2,1,1,5.5,200,10\n"), "{fixations}");
    assert!(fixations.contains("anna,3_2,2,2,0.5,215,240\n"), "{fixations}");
}

#[test]
fn columns_with_blanks_are_quoted_in_advice() {
    let table = "reader,text,Gaze X,dur,Gaze Y,X Pos\na,t,100,200,300,400\n";
    let folder = folder(&[("a.csv", table)]);
    let message = refused(&gazeprint_in(folder.path(), &["import", "a.csv", "--out", "c"]), 1);
    assert!(message.contains("--map \"x=Gaze X\""), "{message}");
    let (_, fixations, _) = import(folder.path(), &["a.csv", "--map", "x=Gaze X"]);
    assert!(fixations.contains("a,t,1,100,300,200\n"), "{fixations}");
}

#[test]
fn what_other_programs_keep_is_refused_with_the_line_that_converts_it() {
    for (name, start, said) in [
        ("a.rda", "RDX3\nX\n", "write.csv(get(load(\"a.rda\")), \"a.csv\", row.names = FALSE)"),
        ("a.mat", "MATLAB 5.0 MAT-file, made", "scipy.io.loadmat('a.mat', simplify_cells=True)"),
        ("a.edf", "SR_RESEARCH_1", "edf2asc \"a.edf\""),
        ("a.xlsx", "PK\u{3}\u{4} xl/workbook.xml", "pandas.read_excel('a.xlsx').to_csv('a.csv'"),
    ] {
        let folder = folder(&[(name, start)]);
        let message = refused(&gazeprint_in(folder.path(), &["import", name, "--out", "c"]), 1);
        assert!(message.contains(said), "{message} does not say {said}");
    }
}

#[test]
fn reports_of_popeye() {
    let report = "\"subid\",\"trialid\",\"itemid\",\"fixid\",\"start\",\"dur\",\"line\",\"line.let\",\
        \"wordnum\",\"word\",\"word.land\"\n\
        \"s1\",3,7,1,10,190,1,2,1,\"The\",2\n\"s1\",3,7,2,300,201,1,9,3,\"dog\",1\n";
    let folder = folder(&[("fix.csv", report)]);
    let (report, fixations, words) = import(folder.path(), &["fix.csv"]);
    assert_eq!(format(&report), "popeye");
    decided(&report, "words are gathered from fixations on them");
    assert!(fixations.contains("s1,7,3,1,1.5,190,10\n"), "{fixations}");
    assert_eq!(words, "text,word_index,word,char_start,char_end\n7,1,The,0,3\n7,3,dog,8,11\n");
}

#[test]
fn flags_that_do_not_go_together_are_refused() {
    let folder = folder(&[("fix.csv", REPORT), ("ia.csv", AREAS), ("t.txt", "a\n")]);
    for (arguments, said) in [
        (&["--words", "ia.csv", "--text", "t.txt"][..], "--words and --text"),
        (&["--left", "5"], "add --text FILE"),
        (&["--text", "t.txt"], "add --font-width PX and --left PX"),
        (&["--words", "ia.csv", "--map", "gap=none"], "gap=none"),
        (&["--format", "swift"], "--text FILE"),
        (&["--format", "bids"], "_physio.tsv"),
    ] {
        let all = [&["import", "fix.csv", "--out", "c"], arguments].concat();
        let message = refused(&gazeprint_in(folder.path(), &all), 1);
        assert!(message.contains(said), "{message} does not say {said}");
        assert!(!folder.path().join("c").exists(), "something was written");
    }
    let usage = ["import", "fix.csv", "--lines", "guess", "--out", "c"];
    refused(&gazeprint_in(folder.path(), &usage), 2);
}

/// A recording of BioEye 2015: rests of 240 ms at 250 Hz, with saccades of 3 degrees between them.
fn counted_samples() -> String {
    let mut text = "SAMPLE\t X DEGREE\t Y DEGREE\t VALIDITY\t X STIMULUS\t Y STIMULUS\n".to_owned();
    for i in 0..1500 {
        let tremor = 0.01 * (f64::from(i).sin() * 43_758.5).fract();
        let place = |i: i32| 0.3 * f64::from((i % 70 - 60).max(0));
        let turn = if (i / 70) % 2 == 0 { place(i) } else { 3.0 - place(i) };
        let x = turn - 5.0 + tremor;
        text += &format!("{i}   {x:8.4}    {tremor:.4}  1    0.0000    0.0000\n");
    }
    text
}

#[test]
fn recordings_in_degrees_without_words_or_times() {
    let samples = counted_samples();
    let folder = folder(&[
        ("ID_001_1.txt", &samples),
        ("ID_001_2.txt", &samples),
        ("ID_002_1.txt", &samples),
        ("ID_002_2.txt", &samples),
    ]);
    let files = ["ID_001_1.txt", "ID_001_2.txt", "ID_002_1.txt", "ID_002_2.txt"];
    let without_rate =
        gazeprint_in(folder.path(), &[&["import"], &files[..], &["--out", "c"]].concat());
    assert!(refused(&without_rate, 1).contains("--rate"), "{without_rate:?}");
    let pattern = r"ID_(?<reader>\d+)_(?<session>\d)";
    let options = ["--rate", "250", "--from-name", pattern];
    let (report, fixations, words) = import(folder.path(), &[&files[..], &options].concat());
    assert_eq!((format(&report), words.as_str()), ("samples", ""));
    decided(&report, "samples are good where VALIDITY is 1");
    decided(&report, "come at 250 Hz, as given");
    assert!(
        fixations.starts_with("reader,text,session,fix_index,duration_ms,onset_ms,x_deg,y_deg,")
    );
    assert!(fixations.contains("1,page-2,2,1,"), "{fixations}");
    let inspected = gazeprint_in(folder.path(), &["inspect", "corpus", "--json"]);
    let found: Value = serde_json::from_str(&succeeded(&inspected)).unwrap();
    assert_eq!(
        (&found["readers"], &found["texts"], &found["readings"]),
        (&2.into(), &2.into(), &4.into())
    );
    let kinematics = &found["kinematics"];
    assert!(kinematics["saccades_with_velocity"].as_u64().unwrap() > 40, "{kinematics}");
    assert_eq!(kinematics["not_believed"]["peak_velocity"], 0);
    let table = succeeded(&gazeprint_in(folder.path(), &["inspect", "corpus"]));
    assert!(table.contains("saccades with an amplitude"), "{table}");
    assert!(table.contains("Of 2 texts no word is known"), "{table}");
    let wrong = [
        &["import"],
        &files[..],
        &["--rate", "250", "--from-name", r"S_(?<reader>\d+)", "--out", "c"],
    ];
    let message = refused(&gazeprint_in(folder.path(), &wrong.concat()), 1);
    assert!(message.contains("ID_001_1.txt") && message.contains("--from-name"), "{message}");
    // Methods that go over words say what they need.
    let study = ["study", "corpus", "--methods", "landwehr", "--split", "session"];
    let message = refused(&gazeprint_in(folder.path(), &study), 1);
    assert!(message.contains("no word is known") && message.contains("oculomotor"), "{message}");
}
