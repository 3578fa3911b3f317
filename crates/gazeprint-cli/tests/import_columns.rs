//! Columns that say which line, word, time or sample is meant, and that were read as something else: each test
//! is named after what went wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
mod importing;
#[path = "importing/rows.rs"]
mod rows;

use importing::{cells, decided, folder, import, refuse, warned};
use rows::{place_at, rows};

/// Six lines of eight words of five letters; `word` makes a row of number, line from 1, and characters.
fn words(word: impl Fn(usize, usize, [usize; 2]) -> String) -> String {
    let place = |n: usize| (n + 1, n / 8 + 1, [6 * (n % 8), 6 * (n % 8) + 5]);
    (0..48).map(place).map(|(n, line, at)| word(n, line, at) + "\n").collect()
}

fn usual_words() -> String {
    let rows = words(|n, line, [start, end]| format!("s,{line},{n},tiger,{start},{end}"));
    format!("text,line,word_index,word,char_start,char_end\n{rows}")
}

/// A reading of these words; `row` makes a row of line and word, both from 0, x, onset and duration.
fn reading(row: impl Fn(usize, usize, f64, usize) -> String) -> String {
    let on_word = |i: usize| (i * 2 % 48, i);
    let rows = (0..120).map(on_word).map(|(word, i)| {
        let x = 6.0 * (word % 8) as f64 + 0.5 + (i % 5) as f64;
        row(word / 8, word, x, i) + "\n"
    });
    rows.collect()
}

fn lasting(i: usize) -> String {
    format!("{},{}", 260 * i, 180 + 7 * (i % 11))
}

#[test]
fn lines_that_count_from_0_were_filed_one_too_high() {
    let head = "reader,text,line_idx,x_char,onset,duration";
    let of = |base: usize| {
        let row = |line, _, x: f64, i| format!("anna,s,{},{x},{}", line + base, lasting(i));
        format!("{head}\n{}", reading(row))
    };
    let from_0 = of(0);
    let lost = from_0.replace("anna,s,0,", "anna,s,,");
    // Here 0 is off the text.
    let off = of(1) + &reading(|_, _, x, i| format!("anna,s,0,{x},{}", lasting(200 + i)));
    let words_from_0 =
        words(|n, line, [start, end]| format!("s,{},{n},tiger,{start},{end}", line - 1));
    let head = "text,line,word_index,word,char_start,char_end";
    let folder = folder(&[
        ("from1.csv", &of(1)),
        ("from0.csv", &from_0),
        ("lost.csv", &lost),
        ("off.csv", &off),
        ("w.csv", &usual_words()),
        ("w0.csv", &format!("{head}\n{words_from_0}")),
    ]);
    let (_, wanted) = import(folder.path(), &["from1.csv", "--words", "w.csv", "--strict"]);
    let (report, found) = import(folder.path(), &["from0.csv", "--words", "w.csv", "--strict"]);
    assert_eq!(cells(&found, &["line", "x_char"]), cells(&wanted, &["line", "x_char"]));
    decided(&report, "line_idx counts from another line than the words: with 1 more, 120 of 120");
    let (report, found) = import(folder.path(), &["off.csv", "--words", "w.csv"]);
    assert_eq!(cells(&found, &["line"])[..120], cells(&wanted, &["line"]));
    decided(&report, "line_idx 0 is on no line: 120 of 240 fixations are there");
    // Words from 0 as well: nothing is to be done, and what has no line is on none.
    let (_, found) = import(folder.path(), &["from0.csv", "--words", "w0.csv", "--strict"]);
    assert_eq!(cells(&found, &["line"])[0], "0");
    let (_, found) = import(folder.path(), &["lost.csv", "--words", "w0.csv"]);
    assert_eq!(cells(&found, &["line", "x_char"])[0], " 0.5");
    let (_, found) = import(folder.path(), &["from1.csv", "--words", "w0.csv", "--strict"]);
    assert_eq!(cells(&found, &["line"])[0], "0");
}

#[test]
fn the_last_character_of_a_word_was_taken_for_the_one_behind_it() {
    let head = "text,line,word_index,word,char_start,char_end";
    let inclusive =
        words(|n, line, [start, end]| format!("s,{line},{n},tiger,{start},{}", end - 1));
    let from_1 = words(|n, line, [start, end]| format!("s,{line},{n},tiger,{},{end}", start + 1));
    let fixations = reading(|line, _, x, i| format!("anna,s,{},{x},{}", line + 1, lasting(i)));
    let folder = folder(&[
        ("a.csv", &format!("reader,text,line,x_char,onset,duration\n{fixations}")),
        ("w.csv", &usual_words()),
        ("last.csv", &format!("{head}\n{inclusive}")),
        ("from1.csv", &format!("{head}\n{from_1}")),
    ]);
    let read = |words: &str| {
        let (report, _) = import(folder.path(), &["a.csv", "--words", words]);
        let words = std::fs::read_to_string(folder.path().join("corpus/words.csv")).unwrap();
        (report, cells(&words, &["char_start", "char_end"]))
    };
    let (_, wanted) = read("w.csv");
    let (report, found) = read("last.csv");
    assert_eq!(found, wanted);
    decided(&report, "char_end is the last character of a word: 48 of 48 labels");
    let (report, found) = read("from1.csv");
    assert_eq!(found[0], "1 6");
    decided(&report, "char_start is 1 for the first word of each line");
}

#[test]
fn words_that_a_table_names_were_not_held_against_their_characters() {
    let head = "reader,text,line,word_index,x_char,onset,duration";
    let of = |moved: f64, base: usize| {
        let row = |line, word, x: f64, i| {
            format!("anna,s,{},{},{},{}", line + 1, word + base, x + moved, lasting(i))
        };
        format!("{head}\n{}", reading(row))
    };
    let folder = folder(&[
        ("good.csv", &of(0.0, 1)),
        ("words0.csv", &of(0.0, 0)),
        ("x1.csv", &of(1.0, 1)),
        ("far.csv", &of(12.0, 1)),
        ("w.csv", &usual_words()),
    ]);
    for file in ["good.csv", "words0.csv"] {
        let (report, _) = import(folder.path(), &[file, "--words", "w.csv"]);
        decided(&report, "120 of 120 fixations are on the word that word_index says");
        assert!(!report["warnings"].to_string().contains("another word"), "{report}");
    }
    let (report, _) = import(folder.path(), &["x1.csv", "--words", "w.csv"]);
    warned(
        &report,
        "24 of 120 fixations are on another word by their characters than word_index says",
    );
    warned(&report, "with x one character less it would be 120");
    warned(&import(folder.path(), &["far.csv", "--words", "w.csv"]).0, "on another word");
    let strict = refuse(folder.path(), &["x1.csv", "--words", "w.csv", "--strict"]);
    assert!(strict.contains("do x and char_start count from the same place"), "{strict}");
}

/// What eyes do at rest, in pixels.
fn tremor(i: usize) -> f64 {
    let chance = (i as u32).wrapping_mul(2_654_435_761) ^ 0x5bd1_e995;
    f64::from(chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) >> 16) / 65_536.0
}

/// Samples of rests of 240 ms; every fifth rest is bad, and its place is of nothing. `row` makes a row of time,
/// place, and whether it is good.
fn samples(row: impl Fn(f64, [f64; 2], bool) -> String) -> String {
    let sample = |i: usize| {
        let (time, rest) = (4 * i, i / 60);
        let is_good = rest % 5 != 2;
        let x = if is_good { 100.0 + 90.0 * (rest % 8) as f64 } else { 5000.0 };
        row(time as f64, [x + tremor(i), 300.0 + tremor(i + 50_000)], is_good) + "\n"
    };
    (0..2400).map(sample).collect()
}

fn is_on_page(fixations: &str) -> bool {
    let places = cells(fixations, &["x_px"]);
    places.len() > 20 && places.iter().all(|x| x.parse::<f64>().unwrap() < 900.0)
}

#[test]
fn bad_samples_became_fixations_where_the_column_of_marks_had_another_name() {
    for (column, good, bad) in [
        ("valid", "1", "0"),
        ("is_valid", "True", "False"),
        ("Gaze_Validity", "0", "4"),
        ("confidence", "0.97", "0.31"),
    ] {
        let rows = samples(|time, [x, y], is_good| {
            format!("anna,s,{time},{x},{y},{}", if is_good { good } else { bad })
        });
        let folder = folder(&[("a.csv", &format!("reader,text,time,x_px,y_px,{column}\n{rows}"))]);
        let (report, fixations) = import(folder.path(), &["a.csv", "--strict"]);
        assert!(is_on_page(&fixations), "{column}: {fixations}");
        decided(&report, &format!("samples are good where {column} is"));
        decided(&report, "480 samples are missing by their validity");
    }
}

#[test]
fn marks_of_the_eye_whose_places_are_taken_were_not_read() {
    let row = |time: f64, [x, y]: [f64; 2], is_good: bool| {
        let mark = usize::from(!is_good);
        format!("anna,s,{time},{x},{y},{x},{y},{mark},0")
    };
    let head = "reader,text,time,left_x,left_y,right_x,right_y,validity_left,validity_right";
    let mean = |time: f64, [x, y]: [f64; 2], is_good: bool| {
        format!("anna,s,{time},{x},{y},{},0", usize::from(!is_good))
    };
    let folder = folder(&[
        ("eyes.csv", &format!("{head}\n{}", samples(row))),
        (
            "mean.csv",
            &format!("reader,text,time,x_px,y_px,validity_left,validity_right\n{}", samples(mean)),
        ),
    ]);
    let of_left = ["eyes.csv", "--map", "x_px=left_x", "--strict"];
    let (report, fixations) = import(folder.path(), &of_left);
    assert!(is_on_page(&fixations));
    decided(&report, "samples are good where validity_left is 0");
    // Of the mean of both, nobody knows which counts.
    let (report, _) = import(folder.path(), &["mean.csv"]);
    warned(&report, "validity_left may mark samples that are not good");
    let pasted = ["mean.csv", "--map", "validity=validity_left", "--strict"];
    assert!(is_on_page(&import(folder.path(), &pasted).1));
}

#[test]
fn how_sure_trackers_are_can_be_asked_for() {
    let rows = samples(|time, [x, y], is_good| {
        format!("anna,s,{time},{x},{y},{}", if is_good { 0.55 } else { 0.31 })
    });
    let folder = folder(&[("a.csv", &format!("reader,text,time,x_px,y_px,confidence\n{rows}"))]);
    let message = refuse(folder.path(), &["a.csv"]);
    assert!(message.contains("good where confidence is 0.6 or more, as Pupil Labs"), "{message}");
    let (report, fixations) = import(folder.path(), &["a.csv", "--valid", "0.5", "--strict"]);
    assert!(is_on_page(&fixations));
    decided(&report, "samples are good where confidence is 0.5 or more, as given");
}

#[test]
fn times_of_an_export_with_a_row_for_each_fixation_were_microseconds() {
    let head = "Participant name\tRecording timestamp\tPresented Stimulus name\tEye movement type\t\
        Gaze event duration\tEye movement type index\tFixation point X\tFixation point Y";
    let table = |unit: f64| {
        let row = |i: usize| {
            let (x, y) = (100 + 90 * (i % 8), 200 + 60 * (i / 8));
            let onset = unit * (1000 + 250 * i) as f64;
            format!("anna\t{onset}\tpage\tFixation\t{}\t{i}\t{x}\t{y}\n", 200 + i % 9)
        };
        format!("{head}\n{}", (0..60).map(row).collect::<String>())
    };
    let folder = folder(&[("ms.tsv", &table(1.0)), ("us.tsv", &table(1000.0))]);
    for file in ["ms.tsv", "us.tsv"] {
        let (_, fixations) = import(folder.path(), &[file, "--strict"]);
        assert_eq!(cells(&fixations, &["onset_ms", "duration_ms"])[2], "1500 202", "{file}");
    }
}

#[test]
fn places_beyond_the_screen_were_not_mentioned() {
    let table = rows(&["s"], 60, |name, i, onset| {
        let (x, y) = (1000 + 90 * (i % 8), 600 + 60 * (i / 8));
        format!("anna,{name},{onset},{x},{y},{}", 180 + 7 * (i % 11))
    });
    let fixation = |i: usize| {
        let (from, lasts) = (2000 + 260 * i, 180 + i % 60);
        let (x, y) = (1000 + 90 * (i % 8), 600 + 60 * (i / 8));
        format!("EFIX L {from} {} {lasts} {x}.0 {y}.0 800\n", from + lasts - 1)
    };
    let asc = format!(
        "MSG\t900 DISPLAY_COORDS 0 0 1023 767\nMSG\t1000 TRIALID frog\nSTART\t1000\tLEFT\tEVENTS\n\
         EVENTS\tGAZE\tLEFT\tRATE\t1000.00\n{}END\t20000\tEVENTS\tRES\t30\t30\n",
        (0..60).map(fixation).collect::<String>()
    );
    let folder = folder(&[
        ("a.csv", &format!("reader,text,onset,x_px,y_px,duration\n{table}")),
        ("a.asc", &asc),
    ]);
    import(folder.path(), &["a.csv", "--strict"]);
    import(folder.path(), &["a.csv", "--strict", "--screen-px", "1920x1200"]);
    let measure = "places right of the screen or below it";
    warned(&import(folder.path(), &["a.csv", "--screen-px", "1024x768"]).0, measure);
    warned(&import(folder.path(), &["a.asc"]).0, measure);
}

#[test]
fn characters_without_words_were_not_judged() {
    let table = |wide: f64| {
        let row = |name: &str, i: usize, onset: usize| {
            format!("anna,{name},{onset},{},{},{}", wide * (i % 8) as f64, 1 + i / 8, 180 + i % 60)
        };
        format!("reader,text,onset,x_char,line,duration\n{}", rows(&["s"], 60, row))
    };
    let folder = folder(&[("good.csv", &table(7.0)), ("pixels.csv", &table(90.0))]);
    import(folder.path(), &["good.csv", "--strict"]);
    warned(&import(folder.path(), &["pixels.csv"]).0, "typical amplitude 90 characters");
}

#[test]
fn tables_of_which_hardly_a_row_was_used_came_in_without_a_warning() {
    let table = rows(&["s"], 400, |name, i, onset| {
        let kind = if i % 20 == 3 { "fixation" } else { "saccade" };
        format!("anna,{name},{kind},{onset},{}", place_at(i / 20, onset))
    });
    let folder =
        folder(&[("a.csv", &format!("reader,text,event,onset,x_px,y_px,duration\n{table}"))]);
    warned(&import(folder.path(), &["a.csv"]).0, "20 of 400 rows are fixations that are used");
}
