use super::*;
use crate::import::layout::monospaced::{self, Display, Vertical};
use crate::import::testing::{Collected, source};

fn fixation(text: &str, trial: &str, x: f64, y: f64) -> RawFixation {
    RawFixation {
        reader: "r".into(),
        text: text.into(),
        session: None,
        trial: Some(trial.into()),
        position: Position::Pixels { x, y },
        duration_ms: Some(200.0),
        onset_ms: None,
        gap: false,
        eye: None,
        ..RawFixation::default()
    }
}

fn layouts(vertical: Option<Vertical>) -> Layouts {
    let display = Display { font_width: 10.0, left: 100.0, vertical };
    let text = if vertical.is_some() { "one two\nthree four\n" } else { "one two\n" };
    monospaced::read(&mut source(text).unwrap(), "t", &display).unwrap().into_iter().collect()
}

fn place(layouts: &Layouts, fixations: Vec<RawFixation>) -> Collected {
    let mut found = Collected::default();
    let mut screen = ScreenToText::new(layouts, Method::Attach, &mut found);
    for (row, fixation) in (1..).zip(fixations) {
        screen.fixation(RowPlace { file: 0, row }, fixation).unwrap();
    }
    screen.finish().unwrap();
    found
}

#[test]
fn pixels_become_characters_in_their_order() {
    let layouts = layouts(Some(Vertical { line_height: 40.0, top: 100.0 }));
    let mut missing = fixation("t", "1", 0.0, 0.0);
    missing.position = Position::Missing;
    let mut stated = fixation("t", "2", 165.0, 155.0);
    stated.word = Some(4);
    let given = vec![
        fixation("t", "1", 115.0, 125.0),
        missing,
        fixation("t", "1", 115.0, 500.0),
        stated,
        fixation("unknown", "3", 7.0, 8.0),
    ];
    let found = place(&layouts, given);
    let positions: Vec<_> = found.fixations.iter().map(|(_, f)| f.position).collect();
    let expected = [
        Position::Chars { x: 1.5, line: 1 },
        Position::Missing,
        Position::Chars { x: 1.5, line: 0 },
        Position::Chars { x: 6.5, line: 2 },
        Position::Pixels { x: 7.0, y: 8.0 },
    ];
    assert_eq!(positions, expected);
    assert!(found.fixations.windows(2).all(|pair| pair[0].0 < pair[1].0));
    let note = &found.notes[0];
    assert!(note.contains("3 fixations in 2 readings") && note.contains("1 on no line"), "{note}");
    assert!(note.contains("the word of 1, and 1 are on its line"), "{note}");
}

#[test]
fn one_line_of_unknown_height_takes_every_fixation() {
    let found = place(&layouts(None), vec![fixation("t", "1", 145.0, 9e9)]);
    assert_eq!(found.fixations[0].1.position, Position::Chars { x: 4.5, line: 1 });
}

#[test]
fn rows_that_take_turns_are_placed_reading_by_reading() {
    let layouts = layouts(Some(Vertical { line_height: 40.0, top: 100.0 }));
    let turns = ["1", "2", "1", "2"].map(|trial| fixation("t", trial, 115.0, 125.0));
    let found = place(&layouts, turns.to_vec());
    let trials: Vec<_> = found.fixations.iter().map(|(_, f)| f.trial.clone().unwrap()).collect();
    assert_eq!(trials, ["1", "1", "2", "2"].map(Into::into));
    assert!(found.noted("4 fixations in 2 readings"), "{:?}", found.notes);
}
