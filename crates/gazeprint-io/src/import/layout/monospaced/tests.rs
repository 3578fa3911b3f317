use proptest::prelude::*;

use super::*;
use crate::import::recording::Area;
use crate::import::testing::{Collected, mutated, source};

const TWO: &str = "=== first\nThe old dog\n\n  sleeps.\n=== second\nA tree.\n";

fn display() -> Display {
    let vertical = Some(Vertical { line_height: 40.0, top: 100.0 });
    Display { font_width: 12.0, left: 50.0, vertical }
}

#[test]
fn texts_are_told_apart_by_headers_and_blank_lines_take_their_place() {
    let layouts = read(&mut source(TWO).unwrap(), "file", &display()).unwrap();
    assert_eq!(layouts.iter().map(|l| &*l.text).collect::<Vec<_>>(), ["first", "second"]);
    let centres: Vec<_> = layouts[0].lines.iter().map(|line| line.centre).collect();
    assert_eq!(centres, [120.0, 200.0]);
    let mut found = Collected::default();
    layouts[0].words(0, &mut found).unwrap();
    assert_eq!(found.words[3].line, Some(2));
    assert_eq!(found.words[3].area, Area::Chars { start: 2, end: 9 });
    assert!((layouts[0].column(1, 50.0 + 12.0 * 2.5) - 2.5).abs() < 1e-12);
}

#[test]
fn a_text_without_header_has_the_name_of_its_file() {
    let layouts = read(&mut source("\u{feff}one two\r\n").unwrap(), "story", &display()).unwrap();
    assert_eq!(&*layouts[0].text, "story");
    assert_eq!(layouts[0].words[1].label.as_deref(), Some("two"));
    assert_eq!((layouts[0].words[1].left, layouts[0].words[1].right), (98.0, 134.0));
}

#[test]
fn several_lines_need_a_height() {
    let flat = Display { vertical: None, ..display() };
    let error = read(&mut source("one\ntwo\n").unwrap(), "t", &flat).unwrap_err();
    assert_eq!(error.at().unwrap().row, 2);
    assert!(error.to_string().contains("`line_height`"));
    assert!(!read(&mut source("one\n").unwrap(), "t", &flat).unwrap()[0].vertical);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let wrong = Display { font_width: 0.0, ..display() };
    assert!(read(&mut source("one\n").unwrap(), "t", &wrong).is_err());
    for text in ["", "\n\n", "=== a\n", "=== a\none\n=== a\ntwo\n", "=== \none\n"] {
        assert!(
            read(&mut source(text).unwrap(), "t", &display()).unwrap_err().at().unwrap().row > 0
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn no_input_panics(input in mutated(&[TWO, "one two\nthree\n"])) {
        let result = source(&input).and_then(|mut input| read(&mut input, "t", &display()));
        if let Err(error) = result {
            prop_assert!(error.at().unwrap().row > 0);
        }
    }
}
