//! Nothing is filed wrongly in silence: each test is named after what once was.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
mod importing;

use common::{gazeprint_in, refused, succeeded};
use importing::{cells, decided, folder, import, refuse, warned};

/// A trial as an experiment of SR Research records it, with its variables at the end.
fn trial(number: usize, item: &str) -> String {
    let from = 10_000 * number;
    let [start, first, second, end] = [0, 100, 400, 900].map(|time| from + time);
    format!(
        "MSG\t{from} TRIALID {number}\nSTART\t{start} \tLEFT\tEVENTS\n\
         EVENTS\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2\n\
         EFIX L {first} {} 200 {number}00.0 300.0 800\nEFIX L {second} {} 210 {number}50.0 300.0 800\n\
         END\t{end} \tSAMPLES\tEVENTS\tRES\t30.00\t30.00\n\
         MSG\t{} !V TRIAL_VAR item {item}\nMSG\t{} TRIAL_RESULT 0\n",
        first + 199,
        second + 209,
        end + 1,
        end + 2,
    )
}

#[test]
fn variables_at_the_ends_of_trials_named_the_next_one_by_a_pattern() {
    let asc = trial(1, "frog") + &trial(2, "toad") + &trial(3, "newt");
    let without_ids: String = asc
        .lines()
        .filter(|line| !line.contains("TRIALID"))
        .map(|line| format!("{line}\n"))
        .collect();
    let folder = folder(&[("r.asc", &asc), ("bare.asc", &without_ids)]);
    let wanted = ["frog 100", "frog 150", "toad 200", "toad 250", "newt 300", "newt 350"];
    for (file, how) in
        [("r.asc", "from one TRIALID to the next"), ("bare.asc", "come after what they name")]
    {
        let pattern = [file, "--trial-pattern", r"TRIAL_VAR item (?P<text>\w+)"];
        let (report, fixations) = import(folder.path(), &pattern);
        assert_eq!(cells(&fixations, &["text", "x_px"]), wanted, "{file}");
        decided(&report, how);
    }
}

#[test]
fn a_pattern_that_matches_nothing_was_not_mentioned() {
    let folder = folder(&[("r.asc", &(trial(1, "frog") + &trial(2, "toad")))]);
    let message = refuse(folder.path(), &["r.asc", "--trial-pattern", r"PAGE (?P<text>\d+)"]);
    assert!(
        message.contains(r"no message that the pattern PAGE (?P<text>\d+) matches"),
        "{message}"
    );
    assert!(
        message.contains("\"TRIALID 1\"") && message.contains("correct --trial-pattern"),
        "{message}"
    );
    let two = [
        "r.asc",
        "--trial-pattern",
        r"PAGE (?P<trial>\d+)",
        "--trial-pattern",
        r"item (?P<text>\w+)",
    ];
    warned(&import(folder.path(), &two).0, "takes nothing from any message");
}

#[test]
fn bare_counters_became_texts_without_a_word() {
    let asc = (1..4).map(|number| trial(number, "x").replace("item", "RT")).collect::<String>();
    let folder = folder(&[("r.asc", &asc)]);
    let (report, fixations) = import(folder.path(), &["r.asc"]);
    assert_eq!(cells(&fixations, &["text"])[..2], ["1", "1"]);
    warned(&report, "which count up as trials do");
    let strict = refuse(folder.path(), &["r.asc", "--strict"]);
    assert!(strict.contains(r"--trial-pattern 'TRIALID (?P<text>\S+)'"), "{strict}");
    let said = ["r.asc", "--strict", "--trial-pattern", r"TRIALID (?P<text>\S+)"];
    assert_eq!(import(folder.path(), &said).1, fixations);
    let table = "subject,TRIAL_INDEX,x_px,y_px,duration_ms\na,1,100,200,210\na,2,150,200,220\n";
    std::fs::write(folder.path().join("fix.csv"), table).unwrap();
    warned(&import(folder.path(), &["fix.csv"]).0, "--map text=TRIAL_INDEX");
    import(folder.path(), &["fix.csv", "--map", "text=TRIAL_INDEX", "--strict"]);
}

/// Fixations on lines of eight words, 30 pixels a step of `wide`.
fn fixations(row: impl Fn(usize) -> String) -> String {
    (0..120).map(row).collect()
}

#[test]
fn what_is_no_reading_came_in_without_words_and_without_a_warning() {
    let place = |i: usize| (100 + 90 * (i % 8), 100 + 60 * (i / 8));
    let good = |i: usize| {
        let (x, y) = place(i);
        format!("a,t,{x},{y},{},{}\n", 210 + i % 9, 260 * i)
    };
    let samples = |i: usize| {
        let (x, y) = place(i / 10);
        format!("a,t,{x},{y},{},{}\n", 210 + i / 10 % 9, 16 * i)
    };
    let parts = |i: usize| {
        let (x, y) = place(i);
        format!("a,t,{},{},{},{}\n", x as f64 / 1920.0, y as f64 / 1080.0, 210 + i % 9, 260 * i)
    };
    let long = |i: usize| {
        let (x, y) = place(i);
        format!("a,t,{x},{y},{},{}\n", 4231 + i % 9, 4300 * i)
    };
    let table = |row: &dyn Fn(usize) -> String| {
        format!("reader,text,x_px,y_px,duration,onset\n{}", fixations(row))
    };
    let folder = folder(&[
        ("good.csv", &table(&good)),
        ("samples.csv", &table(&samples)),
        ("parts.csv", &table(&parts)),
        ("long.csv", &table(&long)),
    ]);
    import(folder.path(), &["good.csv", "--strict", "--map", "duration_ms=duration"]);
    for (file, measure) in [
        ("samples.csv", "fixations that begin before the last has ended"),
        ("parts.csv", "typical amplitude"),
        ("long.csv", "mean duration"),
    ] {
        let all = [file, "--map", "duration_ms=duration"];
        warned(&import(folder.path(), &all).0, measure);
        let inspected = succeeded(&gazeprint_in(folder.path(), &["inspect", "corpus"]));
        assert!(
            inspected.replace("\n  ", " ").contains(&format!("warning: {measure}")),
            "{inspected}"
        );
        let strict = refuse(folder.path(), &[&all[..], &["--strict"]].concat());
        assert!(strict.contains(measure), "{strict}");
    }
}

#[test]
fn saccades_came_in_as_fixations_where_the_column_of_events_had_another_name() {
    let rows = "reader,text,eye_event,x_px,y_px,duration_ms\na,t,fixation,100,100,200\n\
        a,t,saccade,120,100,30\na,t,fixation,140,100,210\na,t,glissade,140,100,11\n";
    let folder = folder(&[("events.csv", rows)]);
    let (report, fixations) = import(folder.path(), &["events.csv"]);
    assert_eq!(cells(&fixations, &["duration_ms"]), ["200", "210"]);
    assert_eq!(
        (&report["dropped"][0]["reason"], &report["dropped"][0]["rows"]),
        (&"not_a_fixation".into(), &2.into())
    );
    decided(&report, "eye_event says which rows are fixations");
}

#[test]
fn marks_of_validity_were_taken_the_wrong_way_round() {
    // Three quarters are bad, and repeat the last place; 1 is good.
    let row = |i: usize| {
        let is_good = i % 400 >= 300;
        let x =
            if is_good { 100.0 + (i / 40 * 90 % 700) as f64 + (i % 7) as f64 * 0.13 } else { 0.0 };
        format!("{},{x},300,{}\n", 4 * i, u8::from(is_good))
    };
    let rows: String = (0..4000).map(row).collect();
    let folder = folder(&[("r.csv", &format!("time,x_px,y_px,validity\n{rows}"))]);
    let (report, table) = import(folder.path(), &["r.csv"]);
    decided(&report, "samples are good where validity is 1");
    assert!(cells(&table, &["x_px"]).iter().all(|x| x.parse::<f64>().unwrap() >= 100.0), "{table}");
    warned(&report, "more than half");
}

#[test]
fn blanks_before_labels_moved_words_by_half_a_character() {
    // 10 pixels a character; areas reach half a blank to both sides.
    let areas = |labels: [&str; 3]| {
        let [a, b, c] = labels;
        format!(
            "text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n\
             t,1,{a},95,135,100,150\nt,2,{b},135,195,100,150\nt,3,{c},195,225,100,150\n"
        )
    };
    let report = "participant_id,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION\n\
        p,t,100,120,200\np,t,140,120,200\np,t,215,120,200\n";
    let folder = folder(&[
        ("fix.csv", report),
        ("plain.csv", &areas(["One", "three", "to"])),
        ("blanks.csv", &areas(["One", "\" three\"", "\" to\""])),
        ("accents.csv", &areas(["One", "thre\u{301}e\u{300}", "to\u{308}"])),
    ]);
    let words = || {
        let table = std::fs::read_to_string(folder.path().join("corpus/words.csv")).unwrap();
        cells(&table, &["char_start", "char_end"])
    };
    let (_, wanted) = import(folder.path(), &["fix.csv", "--words", "plain.csv"]);
    let placed = words();
    assert_eq!(placed, ["0 3", "4 9", "10 12"]);
    for file in ["blanks.csv", "accents.csv"] {
        let (_, fixations) = import(folder.path(), &["fix.csv", "--words", file]);
        assert_eq!(
            (cells(&fixations, &["x_char"]), words()),
            (cells(&wanted, &["x_char"]), placed.clone()),
            "{file}"
        );
    }
}

#[test]
fn blanks_that_are_in_the_areas_are_not_part_of_words() {
    let areas = "text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n\
        t,1,One,100,130,100,150\nt,2,\" three\",130,190,100,150\nt,3,\" to\",190,220,100,150\n";
    let report = "participant_id,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION\np,t,145,120,200\n";
    let folder = folder(&[("fix.csv", report), ("ia.csv", areas)]);
    let (_, fixations) = import(folder.path(), &["fix.csv", "--words", "ia.csv"]);
    let words = std::fs::read_to_string(folder.path().join("corpus/words.csv")).unwrap();
    assert_eq!(cells(&words, &["char_start", "char_end"]), ["0 3", "4 9", "10 12"]);
    assert_eq!(cells(&fixations, &["x_char"]), ["4.5"]);
}

#[test]
fn blanks_of_all_labels_were_taken_for_padding() {
    let head = "text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM";
    let areas = |rows: [&str; 3]| {
        rows.iter()
            .zip(1..)
            .fold(format!("{head}\n"), |all, (row, id)| format!("{all}t,{id},{row},100,150\n"))
    };
    let leading = areas(["\" One\",90,130", "\" three\",130,190", "\" to\",190,220"]);
    let trailing = areas(["\"One \",100,140", "\"three \",140,200", "\"to \",200,230"]);
    let report = "participant_id,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION,\
        CURRENT_FIX_INTEREST_AREA_ID\np,t,105,120,200,1\np,t,145,120,200,2\np,t,215,120,200,3\n";
    let folder = folder(&[("fix.csv", report), ("before.csv", &leading), ("after.csv", &trailing)]);
    for file in ["before.csv", "after.csv"] {
        let (report, fixations) = import(folder.path(), &["fix.csv", "--words", file]);
        decided(&report, "padding 0.000 px");
        decided(&report, "blanks around 3 labels are in their areas");
        decided(&report, "names the word of 3, and 3 are on its line, 3 of them on the word");
        let places: Vec<f64> =
            cells(&fixations, &["x_char"]).iter().map(|x| x.parse().unwrap()).collect();
        let away = places.iter().zip([0.5, 4.5, 11.5]).map(|(x, wanted)| (x - wanted).abs());
        assert!(places.len() == 3 && away.fold(0.0, f64::max) < 1e-9, "{file}: {places:?}");
    }
}

#[test]
fn words_beside_those_that_the_recording_names_were_not_mentioned() {
    let areas = "text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n\
        t,1,One,100,130,100,150\nt,2,three,140,190,100,150\nt,3,seventeen,200,290,100,150\n";
    let rows = |areas: [usize; 3]| -> String {
        let row = |i: usize| {
            let (x, area) = ([115, 165, 245][i % 3], areas[i % 3]);
            format!("p,t,{x},120,{},{area},{}\n", 200 + i, 250 * i)
        };
        (0..60).map(row).collect()
    };
    let head = "participant_id,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION,\
        CURRENT_FIX_INTEREST_AREA_ID,CURRENT_FIX_START";
    let folder = folder(&[
        ("ia.csv", areas),
        ("right.csv", &format!("{head}\n{}", rows([1, 2, 3]))),
        ("mixed.csv", &format!("{head}\n{}", rows([1, 3, 1]))),
    ]);
    let said =
        |file: &str| import(folder.path(), &[file, "--words", "ia.csv"]).0["warnings"].to_string();
    let words = "fixations are on another word by their characters than the recording says";
    assert!(!said("right.csv").contains(words));
    assert!(said("mixed.csv").contains(&format!("40 of 60 {words}")), "{}", said("mixed.csv"));
}

#[test]
fn several_readings_of_a_text_became_one_without_a_trial() {
    let head = "RECORDING_SESSION_LABEL,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION";
    let row = |text: &str, i: usize, more: &str| {
        format!("a,{text},{},300,{}{more}\n", 100 + 50 * i, 200 + i)
    };
    let indexed: String = ["t", "t"]
        .iter()
        .flat_map(|text| (1..4).map(move |i| row(text, i, &format!(",{i}"))))
        .collect();
    let timed: String = ["t", "t"]
        .iter()
        .flat_map(|text| (1..4).map(move |i| row(text, i, &format!(",{}", 250 * (i - 1)))))
        .collect();
    let bare: String =
        ["t", "u", "t"].iter().flat_map(|text| (1..4).map(move |i| row(text, i, ""))).collect();
    let folder = folder(&[
        ("index.csv", &format!("{head},CURRENT_FIX_INDEX\n{indexed}")),
        ("onset.csv", &format!("{head},CURRENT_FIX_START\n{timed}")),
        ("bare.csv", &format!("{head}\n{bare}")),
    ]);
    for file in ["index.csv", "onset.csv", "bare.csv"] {
        let (_, table) = import(folder.path(), &[file]);
        let of_text: Vec<String> = cells(&table, &["text", "trial", "duration_ms"])
            .into_iter()
            .filter(|row| row.starts_with('t'))
            .collect();
        let wanted = ["t 1 201", "t 1 202", "t 1 203", "t 2 201", "t 2 202", "t 2 203"];
        assert_eq!(of_text, wanted, "{file}");
    }
}

#[test]
fn an_import_replaced_its_own_input() {
    let rows = "reader,text,x_char,duration_ms\na,s,1,200\n";
    let words = "text,word_index,word,char_start,char_end\ns,1,Who,0,3\n";
    let folder = folder(&[("fixations.csv", rows), ("words.csv", words), ("fix.csv", rows)]);
    for (arguments, input) in [
        (&["fixations.csv", "--words", "words.csv"][..], "fixations.csv"),
        (&["fix.csv", "--words", "./words.csv"], "words.csv"),
    ] {
        for overwrite in [&["--overwrite"][..], &[]] {
            let all = [&["import"], arguments, &["--out", "."], overwrite].concat();
            let message = refused(&gazeprint_in(folder.path(), &all), 1);
            assert!(message.contains(&format!("{input} is an input")), "{message}");
            assert!(message.contains("write to another folder"), "{message}");
        }
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("fixations.csv")).unwrap(), rows);
    assert_eq!(std::fs::read_to_string(folder.path().join("words.csv")).unwrap(), words);
}

#[test]
fn tables_were_replaced_by_way_of_a_folder_a_link_or_an_export() {
    let rows = "reader,text,x_char,duration_ms,note\na,s,1,200,mine\n";
    let words = "text,word_index,word,char_start,char_end\ns,1,Who,0,3\n";
    let folder = folder(&[("fixations.csv", rows), ("import.json", "[]")]);
    let at = |name: &str| folder.path().join(name);
    std::fs::hard_link(at("fixations.csv"), at("linked.csv")).unwrap();
    std::fs::create_dir(at("c")).unwrap();
    std::fs::write(at("c/fixations.csv"), rows).unwrap();
    std::fs::write(at("c/words.csv"), words).unwrap();
    for arguments in [
        &["import", ".", "--overwrite", "--out", "."][..],
        &["import", "import.json", "--overwrite", "--out", "."],
        &["export", "c", "--to", "csv", "--overwrite", "--out", "c"],
        &["export", "c", "--to", "csv", "--overwrite", "--out", "./c/../c"],
        #[cfg(unix)]
        &["import", "linked.csv", "--overwrite", "--out", "."],
    ] {
        let message = refused(&gazeprint_in(folder.path(), arguments), 1);
        assert!(message.contains("is an input"), "{arguments:?}: {message}");
    }
    for file in ["fixations.csv", "c/fixations.csv"] {
        assert_eq!(std::fs::read_to_string(at(file)).unwrap(), rows);
    }
}

#[test]
fn words_beside_the_output_that_were_no_input_were_deleted() {
    let words = "text,word_index,word,char_start,char_end\ns,1,Who,0,3\n";
    let rows = "reader,text,x_px,y_px,duration_ms\na,s,1,2,200\na,s,101,2,210\n";
    let folder = folder(&[("my.csv", rows), ("words.csv", words)]);
    for overwrite in [&["--overwrite"][..], &[]] {
        let all = [&["import", "my.csv", "--out", "."], overwrite].concat();
        let message = refused(&gazeprint_in(folder.path(), &all), 1);
        assert!(
            message.contains("words.csv") && message.contains("no fixations beside"),
            "{message}"
        );
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("words.csv")).unwrap(), words);
    // A corpus that is there gives way, with all its tables.
    succeeded(&gazeprint_in(folder.path(), &["import", "my.csv", "--out", "c"]));
    std::fs::write(folder.path().join("c/words.csv"), words).unwrap();
    let again = ["import", "my.csv", "--overwrite", "--out", "c"];
    succeeded(&gazeprint_in(folder.path(), &again));
    assert!(!folder.path().join("c/words.csv").exists());
}

#[test]
fn all_of_a_json_was_listed_as_ignored_columns() {
    let row = |i: usize| format!("[{}, {}, {}, {}]", 100 + 30 * i, 200, 260 * i, 260 * i + 200);
    let list = (0..40).map(row).collect::<Vec<_>>().join(", ");
    let json = format!(
        r#"{{"t": {{"participant_id": "a", "passage_id": "p", "mood": "good",
            "fixations": {{"__FixationSequence__": [{list}]}}}}}}"#
    );
    let folder = folder(&[("eyekit.json", &json)]);
    let (report, _) = import(folder.path(), &["eyekit.json"]);
    assert_eq!(report["files"][0]["ignored"], serde_json::json!(["mood"]));
}

#[test]
fn decisions_about_many_files_were_hidden_and_columns_were_ignored_in_silence() {
    let names: Vec<String> = (1..=40).map(|reader| format!("p{reader:02}.csv")).collect();
    let table = "text,x_char,duration_ms,pupil,font\ns,1,200,3,x\ns,9,210,3,x\n";
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), table)).collect();
    let folder = folder(&files);
    let arguments =
        [&["import"], &names.iter().map(String::as_str).collect::<Vec<_>>()[..], &["--out", "c"]];
    let table = succeeded(&gazeprint_in(folder.path(), &arguments.concat()));
    assert!(!table.contains(" more (import.json"), "{table}");
    let flat = table.replace("\n  ", " ");
    assert!(flat.contains("40 files: there is no column for the reader"), "{table}");
    assert!(table.contains("ignored     pupil, font"), "{table}");
    assert!(table.lines().count() < 130, "{table}");
}

#[test]
fn advice_works_when_it_is_pasted() {
    let samples: String = (0..400)
        .map(|i| {
            let x = 100.0 + f64::from(i / 60) * 90.0 + f64::from(i % 7) * 0.13;
            format!("{},{x},300,{x},301\n", 4 * i)
        })
        .collect();
    let rows = "subject,item,x,y,line,duration\na,s,112,40,1,200\na,s,190,40,1,200\n";
    // Its variable has a name of its own.
    let asc = (trial(1, "frog") + &trial(2, "toad")).replace("TRIAL_VAR item", "TRIAL_VAR shown");
    let folder = folder(&[
        ("samples.csv", &format!("time,x_left,y_left,x_right,y_right\n{samples}")),
        ("fix.csv", rows),
        ("r.asc", &asc),
    ]);
    for file in ["samples.csv", "fix.csv", "r.asc"] {
        let mut arguments: Vec<String> = vec![file.to_owned()];
        let mut tried = 0;
        loop {
            let all: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let all = [&["import"], &all[..], &["--strict", "--out", "c", "--overwrite"]].concat();
            let output = gazeprint_in(folder.path(), &all);
            if output.status.success() {
                break;
            }
            let message = refused(&output, 1);
            let advice = pasted(&message).unwrap_or_else(|| panic!("no advice in {message}"));
            assert!(!arguments.ends_with(&advice), "{advice:?} did not help: {message}");
            arguments.extend(advice);
            tried += 1;
            assert!(tried < 5, "{message}");
        }
        assert!(tried > 0, "{file} needs no advice");
    }
}

/// The last flag that a message names with a value, as a shell would cut it.
fn pasted(message: &str) -> Option<Vec<String>> {
    let flags = ["--map ", "--trial-pattern '", "--format ", "--valid "];
    let at = flags.iter().filter_map(|flag| message.rfind(flag)).max()?;
    let (flag, rest) = message[at..].split_once(' ')?;
    let value = match rest.strip_prefix('\'') {
        Some(quoted) => quoted.split('\'').next()?,
        None => rest.split([' ', ',', ';', '\n', ')']).next()?,
    };
    Some(vec![flag.to_owned(), value.to_owned()])
}

#[test]
fn texts_that_differ_from_the_words_were_blamed_on_columns_of_recordings_without_any() {
    let words = "text,word_index,word,char_start,char_end\nother,1,Who,0,3\n";
    let areas = "text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\nother,1,Who,95,135,100,350\n\
        other,2,three,135,195,100,350\n";
    let folder = folder(&[("r.asc", &trial(1, "frog")), ("words.csv", words), ("ia.csv", areas)]);
    let message = refuse(folder.path(), &["r.asc", "--words", "ia.csv"]);
    assert!(message.contains("--trial-pattern and a group text"), "{message}");
    assert!(!message.contains("--map"), "{message}");
}

#[test]
fn json_was_told_to_map_a_text() {
    let folder = folder(&[("r.json", "{\"fixations\": [1, 2],\n \"words\": []}\n")]);
    let message = refuse(folder.path(), &["r.json"]);
    assert!(message.contains("JSON") && !message.contains("--map"), "{message}");
}
