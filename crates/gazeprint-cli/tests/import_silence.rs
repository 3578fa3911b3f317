//! Files that were filed wrongly in silence: each test is named after what went wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;
mod importing;
#[path = "importing/rows.rs"]
mod rows;

use common::{gazeprint_in, succeeded};
use importing::{cells, decided, folder, import, refuse, warned};
use rows::{place, place_at, rows};

/// What eyes do at rest, in pixels.
fn tremor(i: usize) -> f64 {
    let chance = (i as u32).wrapping_mul(2_654_435_761) ^ 0x5bd1_e995;
    f64::from(chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) >> 16) / 65_536.0
}

#[test]
fn readers_in_a_column_of_an_unknown_name_became_one() {
    let table = rows(&["anna", "ben", "cleo"], 12, |name, i, onset| {
        format!("{name},page,{onset},{},{}", place_at(i, onset), i % 3)
    });
    let folder = folder(&[("a.csv", &format!("who,text,onset,x,y,duration,flag\n{table}"))]);
    let (report, fixations) = import(folder.path(), &["a.csv"]);
    assert!(cells(&fixations, &["reader"]).iter().all(|reader| reader == "a"));
    warned(&report, "--map reader=who");
    let strict = refuse(folder.path(), &["a.csv", "--strict"]);
    assert!(!strict.contains("flag"), "{strict}");
    let pasted = ["a.csv", "--map", "reader=who", "--strict"];
    let (_, fixations) = import(folder.path(), &pasted);
    assert_eq!(cells(&fixations, &["reader"])[12], "ben");
}

#[test]
fn trials_in_a_column_of_an_unknown_name_became_one_text() {
    let table = rows(&["1", "2", "3"], 12, |name, i, onset| {
        format!("p,{name},{onset},{},{}", place_at(i, onset), 900 + i)
    });
    let folder = folder(&[("a.csv", &format!("subject,nr,stime,x,y,dur,pupil\n{table}"))]);
    let (report, _) = import(folder.path(), &["a.csv"]);
    warned(&report, "--map text=nr");
    let (_, fixations) = import(folder.path(), &["a.csv", "--map", "text=nr", "--strict"]);
    assert_eq!(cells(&fixations, &["text"])[12], "2");
}

#[test]
fn pages_of_a_text_became_one() {
    let table = rows(&["1", "2"], 12, |page, i, onset| {
        format!("anna,1,story,{page},{},{onset}", place_at(i, onset))
    });
    let names = "CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION,CURRENT_FIX_START";
    let report = format!("RECORDING_SESSION_LABEL,TRIAL_INDEX,item,page,{names}\n{table}");
    let plain = format!("reader,trial,item,page,x,y,duration,onset\n{table}");
    let folder = folder(&[("report.csv", &report), ("plain.csv", &plain)]);
    for file in ["report.csv", "plain.csv"] {
        warned(&import(folder.path(), &[file]).0, "--map text=item+page");
        let apart = import(folder.path(), &[file, "--strict", "--map", "text=item+page"]).1;
        assert_eq!(cells(&apart, &["text"])[12], "story_2");
        import(folder.path(), &[file, "--strict", "--map", "text=item"]);
    }
}

#[test]
fn one_text_of_one_reader_needs_no_column() {
    let table = rows(&["1"], 24, |_, i, onset| format!("{onset},{},{}", place(i), 900 + i));
    let folder = folder(&[("anna.csv", &format!("stime,x,y,dur,pupil\n{table}"))]);
    import(folder.path(), &["anna.csv", "--strict"]);
}

#[test]
fn readings_that_were_there_twice_became_further_ones() {
    let header = "reader,text,onset,x,y,duration\n";
    let table = rows(&["s", "t"], 12, |name, i, onset| {
        format!("anna,{name},{onset},{}", place_at(i, onset))
    });
    let folder = folder(&[
        ("twice.csv", &format!("{header}{table}{table}")),
        ("anna.csv", &format!("{header}{table}").replace("reader,", "").replace("anna,", "")),
        ("copy.csv", &format!("{header}{table}").replace("reader,", "").replace("anna,", "")),
    ]);
    for files in [&["twice.csv"][..], &["anna.csv", "copy.csv"]] {
        warned(&import(folder.path(), files).0, "2 readings have the same fixations as others");
    }
    assert!(import(folder.path(), &["anna.csv"]).0["warnings"].as_array().unwrap().is_empty());
}

#[test]
fn saccades_after_many_fixations_came_in_as_such() {
    let table = rows(&["s", "t"], 150, |name, i, onset| {
        format!("anna,{name},fixation,{onset},{}", place(i))
    });
    let late = "anna,t,saccade,90000,100,200,31\nanna,t,Glissade,90040,110,200,12\n";
    for column in ["event", "eye_event"] {
        let text = format!("reader,text,{column},onset,x,y,duration\n{table}{late}");
        let folder = folder(&[("a.csv", &text)]);
        let (report, fixations) = import(folder.path(), &["a.csv"]);
        assert_eq!(cells(&fixations, &["x_px"]).len(), 300, "{column}");
        assert_eq!(report["dropped"][0]["reason"], "not_a_fixation");
    }
}

#[test]
fn words_that_begin_as_kinds_of_events_cost_their_fixations() {
    let words = ["The", "fixed", "sack", "of", "corn", "was", "sacred", "there"];
    let table = rows(&["s"], 24, |name, i, onset| {
        format!("anna,{name},{},{onset},{}", words[i % 8], place(i))
    });
    for column in ["seen", "name"] {
        let text = format!("reader,text,{column},onset,x,y,duration\n{table}");
        let folder = folder(&[("a.csv", &text)]);
        let (report, _) = import(folder.path(), &["a.csv"]);
        assert_eq!(
            (&report["fixations_kept"], &report["dropped"]),
            (&24.into(), &serde_json::json!([]))
        );
    }
}

#[test]
fn two_readings_of_a_text_became_one_in_tables_without_any_order() {
    let table = rows(&["s", "t", "s"], 12, |name, i, _| format!("anna,{name},{}", place(i + 3)));
    let folder = folder(&[
        ("a.csv", &format!("reader,text,x,y,duration\n{table}")),
        ("turns.csv", &{
            let rows = (0..40).map(|i| format!("anna,{},{}\n", ["s", "t"][i % 2], place(i)));
            format!("reader,text,x,y,duration\n{}", rows.collect::<String>())
        }),
    ]);
    let (report, fixations) = import(folder.path(), &["a.csv"]);
    let trials = cells(&fixations, &["text", "trial"]);
    assert_eq!([&trials[0], &trials[12], &trials[24]], ["s 1", "t 1", "s 2"]);
    decided(&report, "come again after others");
    warned(&import(folder.path(), &["turns.csv"]).0, "--map index=COLUMN");
}

#[test]
fn numbers_that_stand_for_no_place_became_places() {
    let table = rows(&["s"], 40, |name, i, onset| match i % 10 {
        3 => format!("anna,{name},{onset},-1,-1,200"),
        7 => format!("anna,{name},{onset},0,0,210"),
        _ => format!("anna,{name},{onset},{}", place(i)),
    });
    let samples: String = (0..2000)
        .map(|i| {
            let (x, y) = match i / 100 % 5 {
                2 => (0.0, 0.0),
                at => (100.0 + 150.0 * f64::from(at) + tremor(i as usize), 300.0),
            };
            format!("anna,s,{},{x},{y}\n", 4 * i)
        })
        .collect();
    let folder = folder(&[
        ("a.csv", &format!("reader,text,onset,x,y,duration\n{table}")),
        ("samples.csv", &format!("reader,text,time,x_px,y_px\n{samples}")),
    ]);
    let (report, fixations) = import(folder.path(), &["a.csv"]);
    decided(&report, "8 fixations have no place");
    assert_eq!(cells(&fixations, &["x_px", "y_px"])[3], " ");
    let (report, fixations) = import(folder.path(), &["samples.csv"]);
    decided(&report, "400 samples are missing");
    let places = cells(&fixations, &["x_px"]);
    assert!(places.iter().all(|x| x.parse::<f64>().unwrap() > 50.0), "{places:?}");
}

#[test]
fn places_from_the_middle_of_the_screen_were_taken_as_they_were() {
    let table = rows(&["s"], 40, |name, i, onset| {
        format!(
            "anna,{name},{onset},{},{},200",
            90.0 * (i % 8) as f64 - 400.5,
            250 - 60 * (i / 8) as i32
        )
    });
    let folder = folder(&[("a.csv", &format!("reader,text,onset,x,y,duration\n{table}"))]);
    warned(&import(folder.path(), &["a.csv"]).0, "places left of the screen or above it");
    let inspected = succeeded(&gazeprint_in(folder.path(), &["inspect", "corpus"]));
    assert!(inspected.contains("places left of the screen"), "{inspected}");
}

/// A recording whose trials have these names.
fn recording(names: &[&str]) -> String {
    let trial = |(n, name): (usize, &&str)| {
        let at = 10_000 * (n + 1);
        format!(
            "MSG\t{at} TRIALID {name}\nSTART\t{at}\tLEFT\tEVENTS\nEVENTS\tGAZE\tLEFT\tRATE\t1000.00\n\
             EFIX L {} {} 200 {}.0 300.0 800\nEND\t{}\tEVENTS\tRES\t30\t30\n",
            at + 10,
            at + 209,
            100 + 13 * n,
            at + 300
        )
    };
    names.iter().enumerate().map(trial).collect()
}

#[test]
fn counters_that_start_again_or_have_practice_before_them_were_texts() {
    let folder = folder(&[
        ("blocks.asc", &recording(&["1", "2", "3", "1", "2", "3"])),
        ("practice.asc", &recording(&["P1", "1", "2", "3", "4"])),
        ("items.asc", &recording(&["17", "3", "44", "8", "21"])),
        ("named.asc", &recording(&["frog", "toad", "3", "newt"])),
    ]);
    for file in ["blocks.asc", "practice.asc"] {
        warned(&import(folder.path(), &[file]).0, "count up as trials do");
    }
    for file in ["items.asc", "named.asc"] {
        import(folder.path(), &[file, "--strict"]);
    }
}

#[test]
fn commas_for_thousands_were_decimals() {
    let table = rows(&["s"], 24, |name, i, _| {
        let x = 800 + 90 * (i % 8);
        let x = if x < 1000 { x.to_string() } else { format!("\"1,{:03}\"", x - 1000) };
        format!("anna,{name},{},{x},{},200", i + 1, 200 + 60 * (i / 8))
    });
    let folder = folder(&[("a.csv", &format!("reader,text,fix_index,x,y,duration\n{table}"))]);
    let (report, fixations) = import(folder.path(), &["a.csv"]);
    assert!(cells(&fixations, &["x_px"]).iter().all(|x| x.parse::<f64>().unwrap() >= 800.0));
    decided(&report, "the comma is for thousands");
    warned(&report, "rows of 24 dropped");
}

#[test]
fn onsets_were_in_the_unit_of_durations_whatever_they_were() {
    for (durations, unit, onsets, of_onsets) in [
        ("0.2", "s", 1.0, "ms"),
        ("200000", "us", 1.0, "ms"),
        ("200", "ms", 1e6, "ns"),
        ("0.2", "s", 1e3, "us"),
    ] {
        let table = rows(&["s"], 24, |name, i, onset| {
            let y = 200 + 60 * (i / 8);
            format!("anna,{name},{},{},{y},{durations}", onsets * onset as f64, 100 + 90 * (i % 8))
        });
        let folder = folder(&[("a.csv", &format!("reader,text,onset,x,y,duration\n{table}"))]);
        let (_, fixations) = import(folder.path(), &["a.csv", "--strict"]);
        let first = &cells(&fixations, &["onset_ms", "duration_ms"])[1];
        assert_eq!(first, "1260 200", "durations in {unit}, onsets in {of_onsets}");
    }
}

/// Samples at some rate of rests of 240 ms, each with what `row` makes of time and place.
fn samples(interval: f64, row: impl Fn(f64, f64) -> String) -> String {
    let count = (6000.0 / interval) as usize;
    (0..count)
        .map(|i| {
            let time = interval * i as f64;
            let rest = (time / 240.0) as usize;
            row(time, 100.0 + 90.0 * (rest % 8) as f64 + tremor(i)) + "\n"
        })
        .collect()
}

#[test]
fn samples_of_two_eyes_below_each_other_became_two_readings() {
    let of_eye = |eye: &str| samples(4.0, |time, x| format!("anna,s,{eye},{time},{x},300"));
    let turns =
        samples(4.0, |time, x| format!("anna,s,L,{time},{x},300\nanna,s,R,{time},{},300", x + 9.0));
    let header = "reader,text,eye,time,x_px,y_px";
    let folder = folder(&[
        ("below.csv", &format!("{header}\n{}{}", of_eye("L"), of_eye("R"))),
        ("turns.csv", &format!("{header}\n{turns}")),
        ("one.csv", &format!("{header}\n{}", of_eye("L"))),
    ]);
    let (_, wanted) = import(folder.path(), &["one.csv", "--strict"]);
    for file in ["below.csv", "turns.csv"] {
        let (report, fixations) = import(folder.path(), &[file, "--strict"]);
        assert_eq!(fixations, wanted, "{file}");
        assert_eq!(report["dropped"][0]["reason"], "other_eye");
    }
    let right = import(folder.path(), &["turns.csv", "--eye", "right"]).1;
    assert_ne!(right, wanted);
}

#[test]
fn words_for_validity_were_refused_and_times_in_nanoseconds_too() {
    let marked = samples(4.0, |time, x| {
        let is_good = time as usize % 1000 > 200;
        let x = if is_good { x } else { 3000.0 };
        let mark = if is_good { "Valid" } else { "Invalid" };
        format!("anna,s,{},{x},300,{mark}", 1.7e18 + 1e6 * time)
    });
    let folder = folder(&[("a.csv", &format!("reader,text,time,x_px,y_px,validity\n{marked}"))]);
    let (report, fixations) = import(folder.path(), &["a.csv"]);
    decided(&report, "samples are good where validity is 1");
    let places = cells(&fixations, &["x_px"]);
    assert!(places.len() > 10 && places.iter().all(|x| x.parse::<f64>().unwrap() < 900.0));
}

#[test]
fn samples_too_few_for_saccades_came_in_without_a_warning() {
    let slow = samples(1000.0 / 30.0, |time, x| format!("anna,s,{time},{x},300"));
    let folder = folder(&[("a.csv", &format!("reader,text,time,x_px,y_px\n{slow}"))]);
    warned(&import(folder.path(), &["a.csv"]).0, "saccades of reading take 20 to 40 ms");
}

#[test]
fn samples_in_parts_of_the_screen_had_no_way_in() {
    let parts = samples(4.0, |time, x| format!("anna,s,{time},{},{}", x / 1024.0, 0.75));
    let pixels = samples(4.0, |time, x| format!("anna,s,{time},{x},576"));
    let folder = folder(&[
        ("parts.csv", &format!("reader,text,time,x,y\n{parts}")),
        ("pixels.csv", &format!("reader,text,time,x_px,y_px\n{pixels}")),
    ]);
    let message = refuse(folder.path(), &["parts.csv"]);
    assert!(message.contains("--map x_norm=x --screen-px WIDTHxHEIGHT"), "{message}");
    let (_, wanted) = import(folder.path(), &["pixels.csv", "--strict"]);
    let given = ["parts.csv", "--map", "x_norm=x", "--screen-px", "1024x768", "--strict"];
    assert_eq!(import(folder.path(), &given).1, wanted);
}

#[test]
fn fixations_off_the_surface_were_on_it() {
    let table = rows(&["s"], 12, |_, i, onset| {
        let x = 0.1 + 0.05 * i as f64;
        let is_on = if i % 3 == 0 { "False" } else { "True" };
        format!("{i},{},{},{x},0.5,{is_on}", onset as f64 / 1000.0, 200 + i)
    });
    let header = "fixation_id,start_timestamp,duration,norm_pos_x,norm_pos_y,on_surf";
    let folder = folder(&[("fixations.csv", &format!("{header}\n{table}"))]);
    let (report, _) = import(folder.path(), &["fixations.csv", "--screen-px", "1920x1080"]);
    assert_eq!(report["fixations_kept"], 8);
}

#[test]
fn fixations_that_were_marked_as_bad_came_in() {
    let marked = |good: &str, bad: &str| {
        rows(&["s"], 40, |name, i, onset| {
            let mark = if i % 10 == 3 { bad } else { good };
            format!("anna,{name},{onset},{},{mark}", place(i))
        })
    };
    let head = "reader,text,onset,x,y,duration";
    for (column, good, bad) in [
        ("valid", "1", "0"),
        ("is_valid", "TRUE", "FALSE"),
        ("validity", "0", "1"),
        ("validity", "1", "0"),
        ("excluded", "0", "1"),
        ("excluded", "", "blink"),
        ("artifact", "False", "True"),
    ] {
        let folder = folder(&[("a.csv", &format!("{head},{column}\n{}", marked(good, bad)))]);
        let (report, fixations) = import(folder.path(), &["a.csv", "--strict"]);
        assert_eq!(report["fixations_kept"], 36, "{column}");
        assert_eq!(report["dropped"][0]["reason"], "marked_invalid");
        decided(&report, &format!("fixations are left out where {column} is"));
        let gaps = cells(&fixations, &["gap"]);
        assert_eq!((gaps[2].as_str(), gaps[3].as_str(), gaps.len()), ("0", "1", 36), "{gaps:?}");
    }
    // What nobody marks so is told, and can be said.
    let folder = folder(&[
        ("most.csv", &format!("{head},valid\n{}", marked("0", "1"))),
        (
            "both.csv",
            &format!("{head},excluded,outlier\n{}", {
                let row = |i: usize| format!("{},{},{}\n", place(i), i % 4 / 3, i % 5 / 4);
                (0..40).map(|i| format!("anna,s,{},{}", 260 * i, row(i))).collect::<String>()
            }),
        ),
        (
            "share.csv",
            &format!("{head},validity\n{}", {
                let row = |i: usize| format!("anna,s,{},{},0.{}\n", 260 * i, place(i), 50 + i);
                (0..40).map(row).collect::<String>()
            }),
        ),
    ]);
    warned(&import(folder.path(), &["most.csv"]).0, "if good ones have 0, say so with --valid 0");
    let flipped = import(folder.path(), &["most.csv", "--valid", "0", "--strict"]).0;
    assert_eq!(flipped["fixations_kept"], 36);
    assert_eq!(import(folder.path(), &["both.csv"]).0["fixations_kept"], 24);
    let (report, _) = import(folder.path(), &["share.csv"]);
    decided(&report, "validity does not mark fixations");
    assert_eq!(report["fixations_kept"], 40);
}

#[test]
fn one_broken_recording_among_many_was_not_noticed() {
    let reader = |n: usize| {
        rows(&["s"], 40, |name, i, onset| {
            let (x, y) = (100 + 90 * (i % 8) as i32, 200 + 60 * (i / 8) as i32);
            let (x, y) = if n == 9 { (x - 900, y - 700) } else { (x, y) };
            let long = if n == 8 { 20 } else { 1 };
            let duration = long * (180 + 7 * (i % 11) + n);
            format!("r{n},{name},{},{x},{y},{duration}", 2 * long * onset)
        })
    };
    let all: String = (0..100).map(reader).collect();
    let folder = folder(&[("a.csv", &format!("reader,text,onset,x,y,duration\n{all}"))]);
    let (report, _) = import(folder.path(), &["a.csv"]);
    let inspected = succeeded(&gazeprint_in(folder.path(), &["inspect", "corpus"]));
    let inspected = inspected.replace("\n  ", " ");
    for said in [
        "mean duration of r8 4411 ms, expected 100 to 525",
        "places left of the screen or above it of r9 100 %, expected 0 to 15",
    ] {
        warned(&report, said);
        assert!(inspected.contains(said), "{inspected}");
    }
    let strict = refuse(folder.path(), &["a.csv", "--strict"]);
    assert!(strict.contains("of r8") && strict.contains("of r9") && !strict.contains("of r7"));
    // Where words are known, the same.
    let in_words = |n: usize| {
        rows(&["s"], 40, |name, i, _| {
            let duration = if n == 3 { 4000 + i } else { 190 + 2 * i };
            format!("r{n},{name},{},{duration}", [1, 7, 12, 20, 16, 27, 33, 40][i % 8])
        })
    };
    let all: String = (0..40).map(in_words).collect();
    let words: String =
        (0..8).map(|i| format!("s,{},word,{},{}\n", i + 1, 6 * i, 6 * i + 5)).collect();
    let folder = folder_of_words(&all, &words);
    let (report, _) = import(folder.path(), &["a.csv", "--words", "w.csv"]);
    warned(&report, "fixations kept of r3 0.0 %, expected 53.3 to 100");
    let inspected = succeeded(&gazeprint_in(folder.path(), &["inspect", "corpus"]));
    assert!(inspected.contains("kept of r3 0.0 %"), "{inspected}");
}

fn folder_of_words(fixations: &str, words: &str) -> tempfile::TempDir {
    folder(&[
        ("a.csv", &format!("reader,text,x_char,duration_ms\n{fixations}")),
        ("w.csv", &format!("text,word_index,word,char_start,char_end\n{words}")),
    ])
}
