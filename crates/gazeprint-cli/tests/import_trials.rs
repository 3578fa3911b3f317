//! Readings that were filed under wrong names, or as one, in silence: each test is named after what went
//! wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
mod importing;

use importing::{cells, decided, folder, import, refuse, warned};

/// Orders in which two readers saw four texts.
const ORDERS: [[&str; 4]; 2] = [["a", "b", "c", "d"], ["c", "a", "d", "b"]];

/// A trial of two fixations on a text, whose place tells its number. `before` and `after` stand before and
/// after its block, `last` at its end.
fn trial(number: usize, before: &str, last: &str, after: &str) -> String {
    let at = 10_000 * number;
    let message = |time: usize, said: &str| -> String {
        said.lines().map(|line| format!("MSG\t{time} {line}\n")).collect()
    };
    format!(
        "{}START\t{} \tLEFT\tEVENTS\nEVENTS\tGAZE\tLEFT\tRATE\t1000.00\tTRACKING\tCR\tFILTER\t2\n\
         EFIX L {} {} 200 {number}00.0 300.0 800\nEFIX L {} {} 210 {number}50.0 300.0 800\n{}\
         END\t{} \tSAMPLES\tEVENTS\tRES\t30.00\t30.00\n{}",
        message(at, before),
        at + 1,
        at + 100,
        at + 299,
        at + 400,
        at + 609,
        message(at + 700, last),
        at + 900,
        message(at + 901, after),
    )
}

/// A recording of trials, each with the messages that follow from its number, from 1, and its text.
fn recording(texts: &[&str], messages: impl Fn(usize, &str) -> [String; 3]) -> String {
    let trial = |(number, text): (usize, &&str)| {
        let [before, last, after] = messages(number, text);
        trial(number, &before, &last, &after)
    };
    (1..).zip(texts).map(trial).collect()
}

/// Two readers.
fn recordings(messages: impl Fn(usize, &str) -> [String; 3]) -> tempfile::TempDir {
    let [one, two] = ORDERS.map(|texts| recording(&texts, &messages));
    folder(&[("one.asc", &one), ("two.asc", &two)])
}

/// `TRIALID` before a trial, and variables after it.
fn with_variables(number: usize, variables: &str) -> [String; 3] {
    let variables = variables.lines().map(|line| format!("!V TRIAL_VAR {line}\n"));
    [format!("TRIALID {number}"), String::new(), variables.collect()]
}

#[test]
fn a_trial_without_the_variable_that_names_the_others_was_called_by_its_counter() {
    let asc = recording(&ORDERS[0], |number, text| match number {
        2 => with_variables(number, "cond A"),
        _ => with_variables(number, &format!("item {text}.png")),
    });
    let folder = folder(&[("r.asc", &asc)]);
    let (report, fixations) = import(folder.path(), &["r.asc"]);
    warned(&report, "1 of 4 trials that messages name have no TRIAL_VAR item, and are called 2");
    let said =
        r"--trial-pattern 'TRIALID (?P<text>\S.*)' --trial-pattern 'TRIAL_VAR item (?P<text>\S.*)'";
    assert!(refuse(folder.path(), &["r.asc", "--strict"]).contains(said));
    let pasted = [
        "r.asc",
        "--strict",
        "--trial-pattern",
        r"TRIALID (?P<text>\S.*)",
        "--trial-pattern",
        r"TRIAL_VAR item (?P<text>\S.*)",
    ];
    assert_eq!(import(folder.path(), &pasted).1, fixations);
    let by_trial = [
        "r.asc",
        "--trial-pattern",
        r"TRIALID (?P<trial>\d+)",
        "--trial-pattern",
        r"TRIAL_VAR item (?P<text>\S.*)",
    ];
    warned(&import(folder.path(), &by_trial).0, "are called 2 by their trial");
}

#[test]
fn a_recording_that_was_broken_off_gave_each_text_to_the_trial_after_it() {
    let named = |number: usize, text: &str| {
        [format!("begin {number}"), String::new(), format!("!V TRIAL_VAR stimfile {text}")]
    };
    let whole = recording(&ORDERS[0], named);
    let broken = whole.lines().filter(|line| !line.ends_with("stimfile d"));
    let broken: String = broken.map(|line| format!("{line}\n")).collect();
    let more = whole.clone() + &trial(5, "begin 5", "", "");
    let in_blocks = recording(&["a", "b"], |number, text| {
        let [begin, _, name] = named(number, text);
        [begin, name, String::new()]
    });
    let in_blocks = in_blocks + &trial(3, "begin 3", "", "");
    let folder = folder(&[
        ("whole.asc", &whole),
        ("broken.asc", &broken),
        ("more.asc", &more),
        ("blocks.asc", &in_blocks),
    ]);
    let pattern = r"TRIAL_VAR stimfile (?P<text>\S+)";
    let text = |fixations: &str| cells(fixations, &["text", "x_px"]);
    let (report, fixations) = import(folder.path(), &["whole.asc", "--trial-pattern", pattern]);
    decided(&report, "messages come after what they name: there are fixations before the first");
    let wanted = ["a 100", "a 150", "b 200", "b 250", "c 300", "c 350", "d 400", "d 450"];
    assert_eq!(text(&fixations), wanted);
    for (file, kept) in [("broken.asc", 6), ("more.asc", 8)] {
        let message = refuse(folder.path(), &[file, "--trial-pattern", pattern]);
        let after = format!("(?P<after>){pattern}");
        assert!(message.contains(&format!("--trial-pattern '{after}'")), "{message}");
        let (report, fixations) = import(folder.path(), &[file, "--trial-pattern", &after]);
        assert_eq!(text(&fixations)[..kept], wanted[..kept], "{file}");
        decided(&report, "messages come after what they name: as a pattern says");
        warned(&report, "have no message that names them");
    }
    let (report, fixations) = import(folder.path(), &["blocks.asc", "--trial-pattern", pattern]);
    assert_eq!(text(&fixations)[..4], wanted[..4]);
    decided(&report, "messages come after what they name: they stand at the ends of their blocks");
}

#[test]
fn advice_named_counters_reaction_times_and_blocks_as_texts() {
    for (variables, advised) in [
        ("Trial_Index_ #\ncond A\nRT 10#7", None),
        ("RT 10#7\nTrial_Recycled_ False\nimage @.png\nTrial_Index_ #", Some("image")),
        ("block 1\nanswer yes\nsent The cat @", Some("sent")),
    ] {
        let folder = recordings(|number, text| {
            let variables = variables.replace('#', &number.to_string());
            with_variables(number, &variables.replace('@', text))
        });
        let (report, _) = import(folder.path(), &["one.asc", "two.asc"]);
        warned(
            &report,
            "texts are called 1 to 4 in 2 of 2 recordings, which count up as trials do",
        );
        match advised {
            Some(name) => {
                let pattern = format!(r"TRIAL_VAR {name} (?P<text>\S.*)");
                let quoted = report["warnings"].to_string().replace("\\\\", "\\");
                assert!(
                    quoted.contains(&format!("name texts with --trial-pattern '{pattern}',")),
                    "{quoted}"
                );
                import(
                    folder.path(),
                    &["one.asc", "two.asc", "--strict", "--trial-pattern", &pattern],
                );
            }
            None => warned(&report, "name texts with --trial-pattern and a group text"),
        }
    }
}

#[test]
fn counters_that_a_pattern_asks_for_or_that_are_part_of_a_name_were_texts() {
    let folder = recordings(|number, text| {
        with_variables(number, &format!("Trial_Index_ {number}\nimage {text}"))
    });
    let files = ["one.asc", "two.asc", "--trial-pattern"];
    let asked = [&files[..], &[r"TRIAL_VAR Trial_Index_ (?P<text>\S.*)"]].concat();
    warned(&import(folder.path(), &asked).0, "which count up as trials do");
    let both = r"TRIAL_VAR Trial_Index_ (?P<text>(?P<trial>\S+))";
    assert!(refuse(folder.path(), &[&asked[..], &["--strict"]].concat()).contains(both));
    import(folder.path(), &[&files[..], &[both, "--strict"]].concat());
    for name in ["Trial_N", "Trial N", "N of 4", "trial0N block1", "N 4 12"] {
        let folder = recordings(|number, _| {
            [
                format!("TRIALID {}", name.replace('N', &number.to_string())),
                String::new(),
                String::new(),
            ]
        });
        let (report, fixations) = import(folder.path(), &["one.asc", "two.asc"]);
        warned(&report, "which count up as trials do");
        let group = if name.contains(' ') { r"\S.*" } else { r"\S+" };
        let pattern = format!("TRIALID (?P<text>{group})");
        let strict = refuse(folder.path(), &["one.asc", "two.asc", "--strict"]);
        assert!(strict.contains(&format!("--trial-pattern '{pattern}'")), "{strict}");
        let said = ["one.asc", "two.asc", "--strict", "--trial-pattern", &pattern];
        assert_eq!(import(folder.path(), &said).1, fixations);
    }
}

/// Rows of readings that follow each other, with what each fixation is on line by line.
fn table(
    header: &str,
    readings: &[(&str, &str, usize)],
    more: impl Fn(usize, usize) -> String,
) -> String {
    let row = |n: usize, (reader, text, count): (&str, &str, usize), i: usize| {
        let (x, y) = (100 + 90 * (i % 8) + 7 * n, 200 + 60 * (i / 8));
        format!(
            "{reader},{text},{},{x},{y},{}\n",
            more(n, i),
            180 + (7 * i + 13 * n) % 61 + count % 2
        )
    };
    let rows = readings.iter().enumerate();
    let rows = rows.flat_map(|(n, &reading)| (0..reading.2).map(move |i| (n, reading, i)));
    let rows = rows.map(|(n, reading, i)| row(n, reading, i));
    format!("{header}\n{}", rows.collect::<String>())
}

#[test]
fn pages_in_the_order_of_presentation_were_texts() {
    let readings = [("p", "1", 20), ("p", "2", 24), ("q", "1", 22), ("q", "2", 20)];
    let counted = table("subject,page,n,x_px,y_px,duration_ms", &readings, |_, i| i.to_string());
    let shown = [("p", "4", 20), ("p", "2", 24), ("q", "1", 22), ("q", "2", 20)];
    let other = table("subject,page,n,x_px,y_px,duration_ms", &shown, |_, i| i.to_string());
    let folder = folder(&[("counted.csv", &counted), ("other.csv", &other)]);
    warned(&import(folder.path(), &["counted.csv"]).0, "counts up for every reader, as trials do");
    import(folder.path(), &["counted.csv", "--strict", "--map", "text=page"]);
    import(folder.path(), &["other.csv", "--strict"]);
}

/// Two readers, of whom one read a text twice.
const REPEATED: [(&str, &str, usize); 4] =
    [("p", "a", 30), ("p", "a", 32), ("p", "b", 31), ("q", "a", 30)];

/// The row with the names of columns, and all others in order.
fn sorted(table: &str, key: impl Fn(&[&str]) -> (String, String, usize)) -> String {
    let (header, rows) = table.split_once('\n').unwrap();
    let mut rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    rows.sort_by_key(|row| key(row));
    let rows: String = rows.iter().map(|row| row.join(",") + "\n").collect();
    format!("{header}\n{rows}")
}

#[test]
fn repeated_readings_that_were_sorted_by_index_became_one_or_many() {
    let repetition = |n: usize, i: usize| format!("{},{}", 1 + usize::from(n == 1), i + 1);
    let by_index = |row: &[&str]| (row[0].to_owned(), row[1].to_owned(), row[3].parse().unwrap());
    let plain = table("subject,item,again,fix_index,x_px,y_px,duration_ms", &REPEATED, repetition);
    let names = "CURRENT_FIX_INDEX,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION";
    let report = format!("RECORDING_SESSION_LABEL,item,again,{names}");
    let report = table(&report, &REPEATED, repetition);
    let folder = folder(&[
        ("plain.csv", &sorted(&plain, by_index)),
        ("report.csv", &sorted(&report, by_index)),
        ("apart.csv", &plain),
    ]);
    let (_, wanted) = import(folder.path(), &["apart.csv", "--strict"]);
    let wanted = cells(&wanted, &["reader", "text", "trial", "x_px"]);
    for file in ["plain.csv", "report.csv"] {
        let (report, fixations) = import(folder.path(), &[file]);
        warned(&report, "1 readings of a text have different fixations of one index");
        warned(&report, "--map trial=again");
        let header = fixations.lines().next().unwrap();
        assert!(!header.contains("trial"), "{header}");
        let pasted = [file, "--strict", "--map", "trial=again"];
        let fixations = import(folder.path(), &pasted).1;
        let mut found = cells(&fixations, &["reader", "text", "trial", "x_px"]);
        let mut wanted = wanted.clone();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{file}");
    }
}

#[test]
fn repeated_readings_in_a_column_that_was_not_read_became_one() {
    let header = |name: &str| format!("subject,item,{name},x_px,y_px,duration_ms");
    for name in ["repetition", "block", "run", "phase", "day", "ReadingNo", "version"] {
        let text = table(&header(name), &REPEATED, |n, _| (1 + usize::from(n == 1)).to_string());
        let folder = folder(&[("a.csv", &text)]);
        warned(&import(folder.path(), &["a.csv"]).0, &format!("--map trial={name}"));
        let pasted = ["a.csv", "--strict", "--map", &format!("trial={name}")];
        let mut readings = cells(&import(folder.path(), &pasted).1, &["reader", "text", "trial"]);
        readings.dedup();
        assert_eq!(readings, ["p a 1", "p a 2", "p b 1", "q a 1"]);
        import(folder.path(), &["a.csv", "--strict", "--map", "text=item"]);
    }
    // What changes from line to line, comes back, or is of a reader, tells no readings apart.
    let once = [("p", "a", 32), ("p", "b", 31), ("q", "a", 30)];
    let others = |n: usize, i: usize| format!("{},{},{}", i / 8 + 1, i / 12 % 2, n % 2);
    let text = table("subject,item,row_nr,flag,group_of,x_px,y_px,duration_ms", &once, others);
    let folder = folder(&[("a.csv", &text)]);
    import(folder.path(), &["a.csv", "--strict"]);
}

#[test]
fn blanks_in_all_labels_moved_words_by_half_a_character() {
    // 14 pixels a character, and areas as wide as their labels.
    let areas = |labels: &[&str], from: i32| {
        let mut left = from;
        let row = |(id, label): (usize, &&str)| {
            let right = left + 14 * i32::try_from(label.chars().count()).unwrap();
            let row = format!("t,{id},\"{label}\",{left},{right},200,260\n");
            left = right;
            row
        };
        let rows: String = (1..).zip(labels).map(row).collect();
        format!("text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n{rows}")
    };
    let report = "participant_id,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION,\
        CURRENT_FIX_INTEREST_AREA_ID\np,t,107,230,200,1\np,t,149,230,200,2\np,t,247,230,200,3\n";
    let folder = folder(&[
        ("fix.csv", report),
        ("before.csv", &areas(&[" Le", " garcon", " est"], 86)),
        ("after.csv", &areas(&["Le ", "garcon ", "est "], 100)),
    ]);
    for file in ["before.csv", "after.csv"] {
        let (report, fixations) = import(folder.path(), &["fix.csv", "--words", file]);
        decided(&report, "areas are as wide as their labels");
        let words = std::fs::read_to_string(folder.path().join("corpus/words.csv")).unwrap();
        assert_eq!(cells(&words, &["char_start", "char_end"]), ["0 2", "3 9", "10 13"], "{file}");
        let found = cells(&fixations, &["x_char"]);
        let found = found.iter().map(|x| x.parse::<f64>().unwrap());
        let away = found.zip([0.5, 3.5, 10.5]).map(|(found, wanted)| (found - wanted).abs());
        assert!(away.fold(0.0, f64::max) < 1e-9, "{fixations}");
    }
}
