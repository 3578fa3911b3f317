use proptest::prelude::*;

use super::*;
use crate::import::testing::{Collected, source};

const ITEMS: &str = "The old dog sleeps.\n\nA  café is open.\n";

fn run(sequence: &str) -> Collected {
    let items = Items::read(&mut source(ITEMS).unwrap()).unwrap();
    let options = SwiftOptions { reader: "r1".into(), items: &items };
    let mut found = Collected::default();
    let shape = read(&mut source(sequence).unwrap(), 0, &options, &mut found).unwrap();
    assert_eq!(shape.rows as usize, found.fixations.len() + found.dropped.len());
    found
}

fn positions(found: &Collected) -> Vec<f64> {
    let positions = found.fixations.iter().map(|(_, fixation)| match fixation.position {
        Position::Chars { x, line: 1 } => x,
        _ => f64::NAN,
    });
    positions.collect()
}

#[test]
fn a_letter_counts_from_the_blank_before_its_word() {
    let found = run("1\t1\t1.5\t200\t20\t1\n1\t2\t0.5\t210\t22\t0\n1 4 3.25 190 0 2\r\n");
    assert_eq!(positions(&found), [0.5, 3.5, 14.25]);
    assert_eq!(found.fixations[1].1.word, Some(2));
    assert_eq!(found.fixations[1].1.duration_ms, Some(210.0));
}

#[test]
fn readings_that_follow_each_other_are_told_apart_by_the_flag() {
    let found =
        run("1 1 1 200 20 1\n1 2 1 200 20 2\n1 1 2 200 20 1\n1 3 1 200 20 2\n3 1 1 99 9 3\n");
    let trials: Vec<_> =
        found.fixations.iter().map(|(_, f)| (&*f.text, f.trial.as_deref().unwrap())).collect();
    assert_eq!(trials, [("1", "1"), ("1", "1"), ("1", "2"), ("1", "2"), ("3", "1")]);
    assert!(found.notes[0].contains("3 readings of 2 sentences, 1 read more than once"));
    assert_eq!(found.notes.len(), 1);
}

#[test]
fn readings_without_flags_are_split_by_sentence_and_noted() {
    let found = run("1 1 1 200\n1 2 1 200\n3 1 2 200\n");
    assert_eq!(found.fixations[2].1.trial.as_deref(), Some("1"));
    assert!(found.notes[1].contains("2 readings start without flag 1"));
}

#[test]
fn what_does_not_fit_the_items_is_dropped_with_its_row() {
    let found = run(
        "2 1 1 200 20 1\n9 1 1 200 20 0\n1 5 1 200 20 0\n1 1 99 200 20 0\n1 1 x 2 2 0\n1 1\n1 1 1 -5 2 2\n",
    );
    let dropped: Vec<_> = found.dropped.iter().map(|(place, name)| (place.row, *name)).collect();
    let expected = [
        (1, "sentence_not_in_items"),
        (2, "sentence_not_in_items"),
        (3, "word_not_in_sentence"),
        (4, "letter_not_in_word"),
        (5, "not_a_number"),
        (6, "ragged"),
        (7, "negative_duration"),
    ];
    assert_eq!(dropped, expected);
}

#[test]
fn items_count_characters_and_keep_double_blanks() {
    let items = Items::read(&mut source(ITEMS).unwrap()).unwrap();
    let mut found = Collected::default();
    items.words(0, &mut found).unwrap();
    let third: Vec<_> = found.words.iter().filter(|word| &*word.text == "3").collect();
    assert_eq!(third[1].label.as_deref(), Some("café"));
    assert_eq!(third[1].area, Area::Chars { start: 3, end: 7 });
    assert!(found.words.iter().all(|word| &*word.text != "2"));
}

#[test]
fn the_reader_is_in_the_name_of_the_file() {
    assert_eq!(&*reader_of(Path::new("a/fixseqin_7-1ab.dat")), "7-1ab");
    assert_eq!(&*reader_of(Path::new("anna.dat")), "anna");
    assert_eq!(&*reader_of(Path::new("fixseqin_7.dat.gz")), "7");
    assert_eq!(&*reader_of(Path::new("fixseqin_.dat")), "fixseqin_");
}

#[test]
fn a_file_without_sequences_is_an_error_with_a_row() {
    let items = Items::read(&mut source(ITEMS).unwrap()).unwrap();
    let options = SwiftOptions { reader: "r".into(), items: &items };
    let error = read(&mut source("hello\n").unwrap(), 0, &options, &mut Collected::default());
    assert_eq!(error.unwrap_err().at().unwrap().row, 1);
    assert!(Items::read(&mut source("\n").unwrap()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn no_input_panics(input in crate::import::testing::mutated(&[
        "1\t1\t1.5\t200\t20\t1\n1\t2\t0.5\t210\t22\t0\n1 4 3.25 190 0 2\r\n3 1 1 99 9 3\n", ITEMS,
    ])) {
        let items = Items::read(&mut source(ITEMS).unwrap()).unwrap();
        let options = SwiftOptions { reader: "r".into(), items: &items };
        let mut found = Collected::default();
        let result =
            source(&input).and_then(|mut input| read(&mut input, 0, &options, &mut found));
        if let Err(error) = result {
            prop_assert!(error.at().unwrap().row > 0);
        }
        prop_assert!(found.dropped.iter().all(|(place, _)| place.row > 0));
        if let Err(error) = source(&input).and_then(|mut input| Items::read(&mut input)) {
            prop_assert!(error.at().unwrap().row > 0);
        }
    }
}
