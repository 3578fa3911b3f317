//! Names that files, folders and columns have, and that became something else: each test is named after what
//! went wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
mod importing;
#[path = "importing/rows.rs"]
mod rows;

use importing::{cells, decided, folder, import, refuse, warned};
use rows::{place, place_at, rows};

/// Files of some readers and texts, in which nothing names either.
fn named_files() -> Vec<(String, String)> {
    let names = ["P01", "P02"].into_iter().zip(0..);
    let of_texts =
        |(reader, n): (&'static str, usize)| (1..4).map(move |text| (reader, text, 3 * n + text));
    names
        .flat_map(of_texts)
        .map(|(reader, text, seed)| {
            let row = |i: usize| format!("{},{}\n", 1000 + 260 * i, place(i + seed));
            let rows: String = (0..12).map(row).collect();
            (format!("{reader}_s1_story{text}.csv"), format!("onset,x,y,duration\n{rows}"))
        })
        .collect()
}

#[test]
fn files_of_one_text_each_became_readers() {
    let files = named_files();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = folder(&files);
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let (report, _) = import(folder.path(), &names);
    let pattern = "^(?<reader>[^._]+)_(?<session>[^._]+)_(?<text>[^._]+)";
    warned(&report, &format!("--from-name '{pattern}'"));
    let pasted = [&names[..], &["--from-name", pattern, "--strict"]].concat();
    let (_, fixations) = import(folder.path(), &pasted);
    let found = cells(&fixations, &["reader", "text"]);
    assert_eq!([&found[0], &found[12], &found[71]], ["P01 story1", "P01 story2", "P02 story3"]);
    // A pattern without the text does not recommend itself.
    let short = [&names[..], &["--from-name", "(?<reader>[^_]+)_(?<session>[^_.]+)"]].concat();
    let message = refuse(folder.path(), &short);
    assert!(message.contains(&format!("--from-name '{pattern}'")), "{message}");
}

#[test]
fn folders_could_not_name_readers_and_a_file_for_people_stopped_the_import() {
    let folder = tempfile::tempdir().unwrap();
    for reader in ["P01", "P02"] {
        let exports = folder.path().join(reader).join("exports/000");
        std::fs::create_dir_all(&exports).unwrap();
        let seed = usize::from(reader == "P02") * 5;
        let rows = rows(&["s"], 12, |_, i, onset| {
            let x = 0.1 + 0.05 * i as f64;
            format!("{i},{},{},{x},0.5", onset as f64 / 1000.0, 200 + i + seed)
        });
        let table = format!("id,start_timestamp,duration,norm_pos_x,norm_pos_y\n{rows}");
        std::fs::write(exports.join("fixations.csv"), &table).unwrap();
        std::fs::write(exports.join("fixations_on_surface_page.csv"), &table).unwrap();
        std::fs::write(exports.join("README.txt"), "see the manual\n").unwrap();
    }
    let all = [".", "--screen-px", "1920x1080", "--from-name"];
    let (report, fixations) =
        import(folder.path(), &[&all[..], &["(?<reader>[^/]+)/exports/"]].concat());
    assert_eq!(cells(&fixations, &["reader", "text"])[0], "P01 fixations");
    warned(&report, "2 readings have the same fixations as others");
    std::fs::remove_dir_all(folder.path().join("corpus")).unwrap();
    let pattern = r"(?<reader>[^/]+)/exports/\d+/fixations\.csv";
    let (report, fixations) = import(folder.path(), &[&all[..], &[pattern]].concat());
    assert_eq!(cells(&fixations, &["reader"])[11..13], ["P01", "P02"]);
    warned(&report, "fixations_on_surface_page.csv");
    decided(&report, "README.txt");
}

#[test]
fn what_names_texts_again_or_measures_was_advised_as_the_reader() {
    let row = |name: &str, i: usize, onset: usize| {
        let nr = &name[1..];
        format!("{nr},{name},{onset},{},{}.5,7", place_at(i, onset), i / 6)
    };
    let rows = rows(&["s1", "s2", "s3"], 12, row);
    let table = format!("MEDIA_ID,MEDIA_NAME,onset,x,y,duration,BPOGX,steady\n{rows}");
    let folder = folder(&[("anna.csv", &table), ("nr.csv", &table.replace("MEDIA_ID", "nr"))]);
    for file in ["anna.csv", "nr.csv"] {
        import(folder.path(), &[file, "--strict"]);
    }
}

#[test]
fn an_export_of_tobii_without_stimuli_came_to_nothing() {
    let head = "Participant name\tRecording timestamp [ms]\tPresented Stimulus name\t\
        Presented Media name\tEye movement type\tGaze event duration [ms]\t\
        Eye movement type index\tFixation point X [DACS px]\tFixation point Y [DACS px]";
    let row = |i: usize, stimulus: &str, media: &str| {
        let (x, y) = (100 + 90 * (i % 8), 200 + 60 * (i / 8));
        format!(
            "anna\t{}\t{stimulus}\t{media}\tFixation\t{}\t{i}\t{x}\t{y}\n",
            260 * i,
            200 + i % 9
        )
    };
    let table = |name: &dyn Fn(usize) -> [&'static str; 2]| {
        let rows = (0..400).map(|i| row(i % 40 + 40 * (i / 40), name(i)[0], name(i)[1]));
        format!("{head}\n{}", rows.collect::<String>())
    };
    let folder = folder(&[
        ("media.tsv", &table(&|_| ["", "page.png"])),
        ("late.tsv", &table(&|i| ["", if i < 300 { "" } else { "page.png" }])),
        ("some.tsv", &table(&|i| [if i < 100 { "story" } else { "" }, "page.png"])),
    ]);
    let (report, fixations) = import(folder.path(), &["media.tsv"]);
    assert!(cells(&fixations, &["text"]).iter().all(|text| text == "page.png"));
    decided(&report, "texts are called as Presented Media name says");
    let message = refuse(folder.path(), &["late.tsv"]);
    let advice = "--map \"text=Presented Media name\"";
    assert!(message.contains(advice), "{message}");
    let pasted = ["late.tsv", "--map", "text=Presented Media name"];
    assert_eq!(import(folder.path(), &pasted).0["fixations_kept"], 100);
    warned(&import(folder.path(), &["some.tsv"]).0, "text=Presented Media name");
}

#[test]
fn places_in_one_cell_were_no_numbers() {
    let row = |i: usize| {
        let (x, y) = (100 + 90 * (i % 8), 200 + 60 * (i / 8));
        format!("anna,s,fixation,{},{},\"[{x}.5, {y}]\"\n", 260 * i, 200 + i % 9)
    };
    let rows: String = (0..24).map(row).collect();
    let frame = format!("subject_id,text_id,name,onset,duration,location\n{rows}");
    let folder = folder(&[
        ("frame.csv", &frame),
        ("known.csv", &frame.replace("name,", "kind,")),
        ("other.csv", &frame.replace("name,", "kind,").replace("location", "where")),
    ]);
    let (report, wanted) = import(folder.path(), &["frame.csv", "--strict"]);
    assert_eq!(report["files"][0]["format"], "pymovements");
    assert_eq!(cells(&wanted, &["x_px", "y_px"])[1], "190.5 200");
    for arguments in [
        &["known.csv"][..],
        &["known.csv", "--map", "x=location"],
        &["known.csv", "--map", "location_px=location"],
        &["other.csv", "--map", "x=where"],
    ] {
        let (_, fixations) = import(folder.path(), &[arguments, &["--strict"]].concat());
        let places = ["x_px", "y_px", "duration_ms"];
        assert_eq!(cells(&fixations, &places), cells(&wanted, &places), "{arguments:?}");
    }
}

/// A recording of EyeLink with a trial for each text, each with fixations of its own.
fn asc(texts: &[&str], seed: usize) -> String {
    let fixation = |at: usize, n: usize| {
        let seed = seed + at / 2000;
        let from = at + 260 * n;
        let (x, y) = (100 + 90 * ((n + seed) % 8), 300 + 40 * (n / 8));
        let lasts = 180 + (7 * n + seed) % 60;
        format!("EFIX L {from} {} {lasts} {x}.0 {y}.0 800\n", from + lasts - 1)
    };
    let trial = |(n, text): (usize, &&str)| {
        let at = 10_000 * (n + 1);
        let fixations: String = (0..12).map(|i| fixation(at + 10, i)).collect();
        format!(
            "MSG\t{at} TRIALID {text}\nSTART\t{at}\tLEFT\tEVENTS\n\
             EVENTS\tGAZE\tLEFT\tRATE\t1000.00\n{fixations}END\t{}\tEVENTS\tRES\t30\t30\n",
            at + 9000
        )
    };
    texts.iter().enumerate().map(trial).collect()
}

#[test]
fn advice_about_names_of_files_overwrote_the_texts_of_messages() {
    let (a, b) = (["frog", "toad", "newt"], ["swan", "crow", "rook"]);
    let folder = folder(&[
        ("P01_A.asc", &asc(&a, 1)),
        ("P01_B.asc", &asc(&b, 2)),
        ("P02_A.asc", &asc(&a, 3)),
    ]);
    let files = ["P01_A.asc", "P01_B.asc", "P02_A.asc"];
    let (report, _) = import(folder.path(), &files);
    let pattern = "^(?<reader>[^._]+)_(?<session>[^._]+)";
    warned(&report, &format!("--from-name '{pattern}'"));
    let pasted = [&files[..], &["--from-name", pattern, "--strict"]].concat();
    let (_, fixations) = import(folder.path(), &pasted);
    let found = cells(&fixations, &["reader", "session", "text"]);
    assert_eq!([&found[0], &found[36], &found[107]], ["P01 A frog", "P01 B swan", "P02 A newt"]);
    // A pattern that says something else than messages is refused, with one that works.
    let given = "^(?<reader>[^._]+)_(?<text>[^._]+)";
    let message = refuse(folder.path(), &[&files[..], &["--from-name", given]].concat());
    assert!(message.contains("toad") && message.contains("frog"), "{message}");
    assert!(message.contains(&format!("--from-name '{pattern}'")), "{message}");
    // Of one text each, files of a name may still have different ones.
    let folder =
        self::folder(&[("P01_A.asc", &asc(&["frog"], 1)), ("P02_A.asc", &asc(&["toad"], 2))]);
    let message = refuse(folder.path(), &["P01_A.asc", "P02_A.asc", "--from-name", given]);
    assert!(message.contains("text toad where rows before have frog"), "{message}");
}

#[test]
fn names_of_files_made_one_reader_or_one_trial_of_several() {
    let table = |row: &dyn Fn(&str, usize, usize) -> String| {
        format!("reader,text,trial,onset,x,y,duration\n{}", rows(&["s", "t"], 12, row))
    };
    let of_readers = |name: &str, i: usize, onset: usize| {
        let reader = if name == "s" { "anna" } else { "ben" };
        format!("{reader},story,1,{onset},{}", place_at(i, onset))
    };
    let of_trials = |name: &str, i: usize, onset: usize| {
        let trial = if name == "s" { 1 } else { 2 };
        format!("anna,story,{trial},{onset},{}", place_at(i, onset))
    };
    let folder = folder(&[("P01_x.csv", &table(&of_readers)), ("P01_y.csv", &table(&of_trials))]);
    let given = "(?<reader>[^_]+)_(?<session>[^.]+)";
    let message = refuse(folder.path(), &["P01_x.csv", "--from-name", given]);
    let pattern = "(?:[^_]+)_(?<session>[^.]+)";
    assert!(
        message.contains("reader ben where rows before have anna")
            && message.contains(&format!("--from-name '{pattern}'")),
        "{message}"
    );
    let (_, fixations) = import(folder.path(), &["P01_x.csv", "--from-name", pattern]);
    assert_eq!(cells(&fixations, &["reader", "session"])[23], "ben x");
    let given = "(?<reader>[^_]+)_(?<trial>[^.]+)";
    let message = refuse(folder.path(), &["P01_y.csv", "--from-name", given]);
    assert!(message.contains("trial 2 where rows before have 1"), "{message}");
    let (_, fixations) =
        import(folder.path(), &["P01_y.csv", "--from-name", "(?<reader>[^_]+)_(?<session>[^.]+)"]);
    assert_eq!(cells(&fixations, &["reader", "trial"])[23], "P01 2");
}

#[test]
fn sessions_of_one_person_were_readers_by_the_labels_of_recordings() {
    let labels = ["S01_1", "S01_2", "S02_1", "S02_2"];
    let row = |name: &str, i: usize, onset: usize| {
        let seed = labels.iter().position(|label| *label == name).unwrap_or(0);
        format!("{name},frog,{i},{onset},{}", place(i + 3 * seed))
    };
    let head = "RECORDING_SESSION_LABEL\titem\tCURRENT_FIX_INDEX\tCURRENT_FIX_START\tCURRENT_FIX_X\t\
                CURRENT_FIX_Y\tCURRENT_FIX_DURATION";
    let report = format!("{head}\n{}", rows(&labels, 12, row).replace(',', "\t"));
    let folder = folder(&[("fixations.txt", &report)]);
    let (told, fixations) = import(folder.path(), &["fixations.txt"]);
    assert_eq!(cells(&fixations, &["reader"])[47], "S02_2");
    let pattern = "^(?<reader>[^._]+)_(?<session>[^._]+)";
    warned(&told, &format!("--from-reader '{pattern}'"));
    warned(&told, "--map reader=RECORDING_SESSION_LABEL");
    let pasted = ["fixations.txt", "--strict", "--from-reader", pattern];
    let (_, fixations) = import(folder.path(), &pasted);
    assert_eq!(cells(&fixations, &["reader", "session"])[12], "S01 2");
    let said = ["fixations.txt", "--strict", "--map", "reader=RECORDING_SESSION_LABEL"];
    import(folder.path(), &said);
    // Sessions that nothing tells apart would be one reading.
    let message = refuse(folder.path(), &["fixations.txt", "--from-reader", "^(?<reader>[^_]+)"]);
    assert!(message.contains("reader S01_2 where rows before have S01_1"), "{message}");
    let message = refuse(folder.path(), &["fixations.txt", "--from-reader", "^(?<reader>P.*)"]);
    assert!(message.contains("correct --from-reader"), "{message}");
}
