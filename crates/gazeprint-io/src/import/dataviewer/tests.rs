use proptest::prelude::*;

use super::*;
use crate::import::testing::{Collected, mutated, source};
use crate::import::{Area, ColumnRole, Eye, Position};

/// Ten pixels a character and ten of padding; areas are numbered from 0.
const AREAS: &str =
    "participant_id,TRIAL_INDEX,text_id,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM
p1,4,t,0,One,95,135,100,150
p1,4,t,1,\"two,\",135,185,100,150
p1,4,t,2,.,95,115,150,200
p1,4,t,3,four,115,165,150,200
p2,9,t,0,One,95,135,100,150
p2,9,t,1,\"two,\",95,145,150,200
p2,9,t,2,.,145,165,150,200
p2,9,t,3,four,165,215,150,200
p2,9,t,3,four,165,215,150,200
p2,9,t,4,bad,.,215,150,200
p2,9,.,4,bad,1,215,150,200
";

/// Here they are numbered from 1.
const FIXATIONS: &str = "participant_id,TRIAL_INDEX,text_id,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION,CURRENT_FIX_START,CURRENT_FIX_INTEREST_AREA_ID,EYE_TRACKED,PREVIOUS_SAC_CONTAINS_BLINK
p1,4,t,115,120,200,10,1,Right,.
p1,4,t,150,130,210,250,2,Right,true
p1,4,t,.,.,190,500,.,Right,false
p1,4,t,120,160,180,700,4,LEFT,false
p2,9,t,100,160,220,5,2,Right,false
p2,9,t,abc,160,220,5,2,Right,false
p2,9,t,100,160,-1,5,2,Right,false
,9,t,100,160,220,5,2,Right,false
p2,9,t,100
";

const MAP: &str = "speechId,paragraphId,wordId,word,characters,char_IA_ids
7,-1,0,Ny,\"['N', 'y']\",\"[1, 2]\"
7,-1,1,tale,\"['t', 'a', 'l', 'e']\",\"[3, 4, 5, 6]\"
7,-1,2,begynder,\"['b']\",\"[7, 8, 9, 10, 11, 12, 13, 14]\"
7,-1,3,nu,\"['n', 'u']\",\"[15, 16]\"
7,-1,4,nu,\"['n', 'u']\",\"[15, 16]\"
8,1,0,Ikke,\"[]\",\"[1, 2, 3, 4]\"
8,1,1,,\"[]\",\"[]\"
";

/// A mark, carriage returns, tabs, decimal commas, quoted and bare cells, lists, and a label that is
/// a quotation mark. Ten pixels a character from 100; the second line starts with `begynder`.
const CHARACTERS: &str = "\u{feff}\"RECORDING_SESSION_LABEL\"\t\"TRIAL_INDEX\"\t\"CURRENT_FIX_DURATION\"\t\"CURRENT_FIX_INTEREST_AREAS\"\t\"CURRENT_FIX_INTEREST_AREA_DATA\"\t\"CURRENT_FIX_INTEREST_AREA_ID\"\t\"CURRENT_FIX_INTEREST_AREA_LABEL\"\t\"CURRENT_FIX_NEAREST_INTEREST_AREA\"\t\"CURRENT_FIX_NEAREST_INTEREST_AREA_DISTANCE\"\t\"EYE_USED\"\t\"paragraphid\"\t\"speechid\"\r
\"P1\"\t1\t191,5\t[ ]\t.\t.\t.\t16\t12,64\t\"RIGHT\"\t-1\t7\r
\"P1\"\t1\t200\t[ 4]\t[STATIC, RECTANGLE, 140.0, 110.0, 150.0, 204.0]\t4\t\"a\"\t4\t0,2\tRIGHT\t-1\t7\r
\"P1\"\t1\t200\t[ 1, 40]\t[STATIC, RECTANGLE, 95.0, 110.0, 110.0, 204.0]\t1\t\"\t1\t0,2\tRIGHT\t-1\t7\r
\"P1\"\t1\t150\t[ 9]\t[STATIC, RECTANGLE, 120.0, 204.0, 130.0, 298.0]\t9\t\"g\"\t9\t0,3\tRIGHT\t-1\t7\r
\"P1\"\t1\t150\t[ ]\t.\t.\t.\t15\t1,2\tRIGHT\t-1\t7\r
";

fn on_screen(fixations: &str, areas: &str) -> Result<Collected, ImportError> {
    let (options, mut found) = (ReportOptions::new(&[]), Collected::default());
    let (words, _) = areas::read(&mut source(areas)?, 1, &options, None, &mut found)?;
    let mut words = Words::Screen(words);
    read(&mut source(fixations)?, 0, &options, &mut words, &mut found)?;
    words.finish(1, &mut found)?;
    Ok(found)
}

fn in_characters(fixations: &str, map: &str) -> Result<Collected, ImportError> {
    let (options, mut found) = (ReportOptions::new(&[]), Collected::default());
    let (map, _) = CharacterMap::read(&mut source(map)?, 1, &options, &mut found)?;
    let mut words = Words::Characters(map);
    read(&mut source(fixations)?, 0, &options, &mut words, &mut found)?;
    words.finish(1, &mut found)?;
    Ok(found)
}

fn chars(position: Position) -> (f64, u32) {
    match position {
        Position::Chars { x, line } => ((x * 100.0).round() / 100.0, line),
        _ => (f64::NAN, 0),
    }
}

#[test]
fn fixations_get_lines_characters_and_words() {
    let found = on_screen(FIXATIONS, AREAS).unwrap();
    let seen: Vec<_> =
        found.fixations.iter().map(|(_, f)| (&*f.text, chars(f.position), f.word)).collect();
    assert_eq!(seen[0], ("t", (1.5, 1), Some(1)));
    assert_eq!(seen[1], ("t", (5.0, 1), Some(2)));
    assert_eq!(found.fixations[2].1.position, Position::Missing);
    assert_eq!(seen[3], ("t", (2.0, 2), Some(4)));
    // The second reader saw the words in other lines.
    assert_eq!(seen[4], ("t~2", (0.0, 2), Some(2)));
    let first = &found.fixations[1].1;
    assert_eq!((first.gap, first.eye, first.onset_ms), (true, Some(Eye::Right), Some(250.0)));
}

#[test]
fn the_first_number_of_areas_is_found_and_noted() {
    let found = on_screen(FIXATIONS, AREAS).unwrap();
    let note = found.notes.iter().find(|note| note.starts_with("areas have")).unwrap();
    assert!(note.contains("a number one higher than"), "{note}");
    assert!(note.contains("4 of 4 for a difference of 1"), "{note}");
    let same = FIXATIONS.replace(",10,1,", ",10,0,").replace(",250,2,", ",250,1,");
    let same = same.replace(",700,4,", ",700,3,").replace(",5,2,", ",5,1,");
    let found = on_screen(&same, AREAS).unwrap();
    assert_eq!(found.fixations[1].1.word, Some(2));
    assert!(found.notes.iter().any(|note| note.contains("the same number as")));
}

#[test]
fn rows_are_dropped_with_reason_and_row() {
    let found = on_screen(FIXATIONS, AREAS).unwrap();
    let dropped: Vec<_> = found.dropped.iter().map(|(at, why)| (at.file, at.row, *why)).collect();
    let expected = [
        (1, 10, "repeated_area"),
        (1, 11, "area_without_box"),
        (1, 12, "no_text"),
        (0, 7, "not_a_number"),
        (0, 8, "negative_duration"),
        (0, 9, "no_reader"),
        (0, 10, "ragged"),
    ];
    assert_eq!(dropped, expected);
}

/// Without the columns at these places.
fn without(table: &str, columns: &[usize]) -> String {
    let keep = |line: &str| -> String {
        let cells = line.split(',').enumerate().filter(|(at, _)| !columns.contains(at));
        cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",") + "\n"
    };
    table.replace("\"two,\"", "two").lines().map(keep).collect()
}

fn texts_of_readers(found: &Collected) -> Vec<(&str, &str)> {
    found.fixations.iter().map(|(_, f)| (&*f.reader, &*f.text)).collect()
}

#[test]
fn pages_are_found_by_the_columns_that_areas_have() {
    let expected = [("p1", "t"), ("p1", "t"), ("p1", "t"), ("p1", "t"), ("p2", "t~2")];
    let found = on_screen(FIXATIONS, &without(AREAS, &[1])).unwrap();
    assert_eq!(texts_of_readers(&found), expected);
    let found = on_screen(FIXATIONS, &without(AREAS, &[0])).unwrap();
    assert_eq!(texts_of_readers(&found), expected);
    // A reader with one page saw that, whatever the trial is called.
    let found = on_screen(&FIXATIONS.replace("p2,9,", "p2,12,"), AREAS).unwrap();
    assert_eq!(texts_of_readers(&found), expected);
    let found = on_screen(&without(FIXATIONS, &[1]), AREAS).unwrap();
    assert_eq!(texts_of_readers(&found), expected);
    let error = on_screen(FIXATIONS, &without(AREAS, &[0, 1])).unwrap_err().to_string();
    assert!(error.contains("in another place") && error.contains("`choices` reader="), "{error}");
}

#[test]
fn a_fixation_on_an_unknown_page_is_dropped() {
    let found = on_screen(&FIXATIONS.replace("p2,9,t,100,160,220", "p3,9,t,100,160,220"), AREAS);
    let found = found.unwrap();
    assert_eq!(found.rows(areas::UNKNOWN_PAGE), [6]);
    assert!(found.noted("1 fixations are on texts of several layouts"), "{:?}", found.notes);
    assert_eq!(found.fixations.len(), 4);
    // With one page there is no question.
    let one: String =
        AREAS.lines().filter(|l| !l.starts_with("p2")).map(|l| l.to_owned() + "\n").collect();
    assert_eq!(on_screen(FIXATIONS, &one).unwrap().fixations.len(), 5);
}

#[test]
fn areas_may_come_in_any_order() {
    let expected = on_screen(FIXATIONS, AREAS).unwrap();
    let mut rows: Vec<&str> = AREAS.lines().skip(1).collect();
    rows.sort_by_key(|row| row.split(',').nth(3));
    let sorted = [&[AREAS.lines().next().unwrap()], &rows[..]].concat().join("\n");
    let found = on_screen(FIXATIONS, &sorted).unwrap();
    assert_eq!(found.words, expected.words);
    assert_eq!(found.fixations, expected.fixations);
    assert_eq!(found.rows(areas::REPEATED_AREA).len(), 1);
    let texts: std::collections::HashSet<_> = found.words.iter().map(|word| &word.text).collect();
    assert_eq!(texts.len(), 2);
}

#[test]
fn many_readers_and_layouts_take_no_longer_each() {
    let mut table = String::from("reader,text,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n");
    for id in 0..40 {
        for reader in 0..1000 {
            let (left, top) = (100 + id * 40, 10 * reader);
            let label = "x".repeat(1 + id % 3);
            let right = left + 10 * (1 + id % 3);
            table += &format!("{reader},t,{id},{label},{left},{right},{top},{}\n", top + 40);
        }
    }
    let start = std::time::Instant::now();
    let (options, mut found) = (ReportOptions::new(&[]), Collected::default());
    areas::read(&mut source(&table).unwrap(), 1, &options, None, &mut found).unwrap();
    assert_eq!(found.words.len(), 40_000);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn words_that_look_like_missing_values_stay() {
    let found = on_screen(FIXATIONS, AREAS).unwrap();
    assert!(found.words.iter().any(|word| word.label.as_deref() == Some(".")));
}

#[test]
fn without_words_fixations_stay_in_pixels() {
    let (options, mut found) = (ReportOptions::new(&[]), Collected::default());
    let mut input = source(FIXATIONS).unwrap();
    let shape = read(&mut input, 0, &options, &mut Words::Unknown, &mut found).unwrap();
    assert_eq!(shape.rows, 9);
    assert_eq!(found.fixations[0].1.position, Position::Pixels { x: 115.0, y: 120.0 });
    assert_eq!((found.fixations.len(), found.words.len()), (5, 0));
}

#[test]
fn columns_may_be_chosen_and_missing_ones_are_named() {
    let renamed = FIXATIONS.replace("text_id", "colour");
    let error = on_screen(&renamed, AREAS).unwrap_err().to_string();
    assert!(error.contains("no column for text"), "{error}");
    let mut found = Collected::default();
    let mut read = |choice: &str| {
        let choices = [Choice::parse(choice).unwrap()];
        let options = ReportOptions::new(&choices);
        let mut input = source(&renamed).unwrap();
        read(&mut input, 0, &options, &mut Words::Unknown, &mut found)
    };
    let shape = read("text=Colour").unwrap();
    assert!(shape.mapping.get(ColumnRole::Text).unwrap().is_chosen);
    assert!(read("text=nothing").unwrap_err().to_string().contains("column nothing"));
}

#[test]
fn of_several_texts_the_preferred_one_is_taken_with_the_reason() {
    let both = FIXATIONS.replace("text_id", "page_name").replace("EYE_TRACKED", "text_id");
    let (options, mut found) = (ReportOptions::new(&[]), Collected::default());
    let mut input = source(&both).unwrap();
    let shape = read(&mut input, 0, &options, &mut Words::Unknown, &mut found).unwrap();
    let text = shape.mapping.get(ColumnRole::Text).unwrap();
    assert_eq!(text.column, "page_name");
    assert!(text.reason.to_string().starts_with("before text_id"), "{}", text.reason);
}

#[test]
fn characters_are_grouped_into_words_and_lines() {
    let found = in_characters(CHARACTERS, MAP).unwrap();
    let seen: Vec<_> = found.fixations.iter().map(|(_, f)| (f.position, f.word)).collect();
    assert_eq!(seen[0], (Position::Missing, None));
    assert_eq!(seen[1], (Position::Letter { word: 2, letter: 2.5 }, Some(2)));
    assert_eq!(seen[2], (Position::Letter { word: 1, letter: 1.5 }, Some(1)));
    assert_eq!(seen[3], (Position::Letter { word: 3, letter: 3.5 }, Some(3)));
    assert_eq!(seen[4], (Position::Letter { word: 4, letter: 1.5 }, Some(4)));
    let first = &found.fixations[0].1;
    assert_eq!((&*first.reader, &*first.text), ("P1", "7_-1"));
    assert_eq!(first.duration_ms, Some(191.5));
    let words: Vec<_> = found.words.iter().map(|word| (word.line, word.area)).collect();
    let at = |start, end| Area::Chars { start, end };
    let expected = [(1, at(0, 2)), (1, at(3, 7)), (2, at(0, 8))].map(|(line, at)| (Some(line), at));
    assert_eq!(words[..3], expected);
    assert!(found.notes.iter().any(|note| note.contains("1 texts of the map were not read")));
    let reasons: Vec<_> = found.dropped.iter().map(|(at, why)| (at.row, *why)).collect();
    assert_eq!(reasons, [(6, "contradicting_word"), (8, "word_without_characters")]);
}

/// As the report would count from another number.
fn renumbered(by: i64) -> String {
    let cells = |line: &str| -> String {
        let mut cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        for column in [3, 5, 7] {
            let is_digit = |c: char| c.is_ascii_digit();
            let parts = cells[column].split_inclusive(|c: char| !is_digit(c)).map(|part| {
                let digits = part.trim_end_matches(|c: char| !is_digit(c));
                let number = digits.parse::<i64>().map(|number| (number + by).to_string());
                number.unwrap_or_default() + &part[digits.len()..]
            });
            cells[column] = parts.collect();
        }
        cells.join("\t")
    };
    let (header, rows) = CHARACTERS.split_once('\n').unwrap();
    let rows: Vec<String> = rows.lines().map(cells).collect();
    format!("{header}\n{}\n", rows.join("\n"))
}

#[test]
fn the_first_number_of_characters_is_found_and_noted() {
    let expected = in_characters(CHARACTERS, MAP).unwrap();
    assert!(expected.noted("the same number as in the map of characters"), "{:?}", expected.notes);
    assert!(expected.noted("2 of 3 for a difference of 0"), "{:?}", expected.notes);
    for (by, relation) in [(1, "one higher"), (-1, "one lower")] {
        let found = in_characters(&renumbered(by), MAP).unwrap();
        assert_eq!(found.fixations, expected.fixations);
        assert_eq!(found.words, expected.words);
        assert!(found.noted(relation), "{:?}", found.notes);
    }
    let unlabelled = CHARACTERS.replace("_AREA_LABEL", "_AREA_NAME");
    assert!(in_characters(&unlabelled, MAP).unwrap().noted("there are no labels"));
}

#[test]
fn characters_without_boxes_are_an_error_that_asks_for_them() {
    let bare = CHARACTERS.replace("_AREA_DATA", "_AREA_SHAPE");
    let error = in_characters(&bare, MAP).unwrap_err().to_string();
    assert!(error.contains("CURRENT_FIX_INTEREST_AREA_DATA"), "{error}");
    let unread = CHARACTERS.replace("-1\t7\r", "-1\t9\r");
    assert!(in_characters(&unread, MAP).unwrap().noted("no text of the map was read"));
}

#[test]
fn rows_out_of_order_are_noted() {
    let numbered = FIXATIONS.replace("PREVIOUS_SAC_CONTAINS_BLINK", "CURRENT_FIX_INDEX");
    let numbered = numbered.replace("10,1,Right,.", "10,1,Right,1").replace(",true", ",3");
    let numbered = numbered.replace("500,.,Right,false", "500,.,Right,2");
    // Onsets put them in order, where there are any.
    assert!(!on_screen(&numbered, AREAS).unwrap().noted("lower index"));
    let numbered = numbered.replace("CURRENT_FIX_START", "FIRST_SAMPLE");
    assert!(on_screen(&numbered, AREAS).unwrap().noted("1 rows have a lower index"));
    assert!(!on_screen(FIXATIONS, AREAS).unwrap().noted("lower index"));
}

#[test]
fn a_quotation_mark_without_partner_is_an_error_with_its_row() {
    let broken = FIXATIONS.replacen("p1,4,t,150", "\"p1,4,t,t,150", 1);
    let error = on_screen(&broken, AREAS).unwrap_err();
    assert_eq!(error.at().unwrap().row, 3);
    // Where the row is whole without it, the mark is a character, and that is noted.
    let stray = FIXATIONS.replacen("p1,4,t,150", "\"p1,4,t,150", 1);
    assert!(on_screen(&stray, AREAS).unwrap().noted("first in row 3"));
}

#[test]
fn a_row_without_end_is_an_error_with_its_row() {
    let mut long = FIXATIONS.to_owned();
    long.push_str(&"x".repeat(3 << 20));
    let error = on_screen(&long, AREAS).unwrap_err();
    assert!(matches!(error, ImportError::LongLine { .. }), "{error}");
    assert!(error.at().unwrap().row > 8);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn no_report_panics(input in mutated(&[FIXATIONS, AREAS, CHARACTERS, MAP])) {
        let text = String::from_utf8_lossy(&input);
        let results = [
            on_screen(&text, AREAS),
            on_screen(FIXATIONS, &text),
            in_characters(&text, MAP),
            in_characters(CHARACTERS, &text),
        ];
        for result in results {
            match result {
                Ok(found) => prop_assert!(found.dropped.iter().all(|(at, _)| at.row > 0)),
                Err(error) => prop_assert!(error.at().unwrap().row > 0),
            }
        }
    }

    #[test]
    fn no_bytes_panic(input in mutated(&[FIXATIONS, CHARACTERS])) {
        let (options, mut found) = (ReportOptions::new(&[]), Collected::default());
        let result = source(&input)
            .and_then(|mut input| read(&mut input, 0, &options, &mut Words::Unknown, &mut found));
        if let Err(error) = result {
            prop_assert!(error.at().unwrap().row > 0);
        }
    }
}
