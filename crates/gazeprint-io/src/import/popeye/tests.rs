use proptest::prelude::*;

use super::*;
use crate::import::Area;
use crate::import::testing::{Collected, mutated, source};

/// As R writes it. The text is `The old dog` over `sleeps.`; nobody looks at `old`.
const FIXATIONS: &str = "\"subid\",\"trialid\",\"trialnum\",\"itemid\",\"cond\",\"fixid\",\"start\",\"stop\",\"xs\",\"ys\",\"xn\",\"yn\",\"dur\",\"type\",\"blink\",\"line\",\"line.let\",\"letternum\",\"letter\",\"wordnum\",\"word\",\"ianum\",\"ia\",\"trial\",\"word.land\"
\"s1\",\"3\",2,\"7\",1,2,300,500,210,103,208,101,201,\"in\",0,1,9,9,\"d\",3,\"dog\",3,\"dog\",\"The old dog sleeps.\",1
\"s1\",\"3\",2,\"7\",1,1,10,200,112,99,110,97,190,\"in\",0,1,2,2,\"h\",1,\"The\",1,\"The\",\"The old dog sleeps.\",2
\"s1\",\"3\",2,\"7\",1,3,520,700,900,500,899,498,180,\"out\",1,NA,NA,NA,NA,NA,NA,NA,NA,NA,NA
\"s1\",\"3\",2,\"7\",1,4,720,900,101,150,100,149,170,\"in\",1,2,1,12,\"s\",4,\"sleeps.\",4,\"sleeps.\",\"The old dog sleeps.\",1
\"s2\",\"1\",1,\"7\",1,1,5,100,180,100,180,100,95,\"in\",0,1,8,8,\" \",3,\"dog\",3,\"dog\",\"The old dog sleeps.\",0
\"s2\",\"1\",1,\"7\",1,2,120,300,180,100,180,100,-5,\"in\",0,1,8,8,\" \",3,\"dog\",3,\"dog\",\"The old dog sleeps.\",0
\"s2\",\"1\",1,\"7\",1,3,320,400,180,100,180,100,80,\"in\",0,1,x,8,\" \",3,\"dog\",3,\"dog\",\"The old dog sleeps.\",0
\"s2\",\"1\",1,NA,1,4,420,500,180,100,180,100,80,\"in\",0,1,8,8,\" \",3,\"dog\",3,\"dog\",\"The old dog sleeps.\",0
";

/// A row for each letter of `An ox` over `is`.
const LETTERS: &str = "subid\titemid\tletternum\tletter\twordnum\tword\tline\tletline\tletword
s1\t7\t1\tA\t1\tAn\t1\t1\t1
s1\t7\t2\tn\t1\tAn\t1\t2\t2
s1\t7\t3\t\" \"\t2\tox\t1\t3\t0
s1\t7\t4\to\t2\tox\t1\t4\t1
s1\t7\t5\tx\t2\tox\t1\t5\t2
s1\t7\t6\ti\t3\tis\t2\t1\t1
s1\t7\t7\ts\t3\tis\t2\t2\t2
s2\t7\t7\ts\t3\tis\t1\t9\t2
s2\t7\t7\ts\t3\tis\t1\t0\t2
s2\tNA\t7\ts\t3\tis\t1\t9\t2
";

fn run(report: &str) -> Result<(Collected, Shape), ImportError> {
    let (mut found, mut words) = (Collected::default(), GatheredWords::default());
    let options = PopEyeOptions::default();
    let shape = read(&mut source(report)?, 0, &options, Some(&mut words), &mut found)?;
    words.finish(&mut found)?;
    Ok((found, shape))
}

#[test]
fn letters_of_lines_are_positions_and_rows_are_put_in_order() {
    let (found, shape) = run(FIXATIONS).unwrap();
    let seen: Vec<_> = found.fixations.iter().map(|(_, f)| (f.position, f.word, f.gap)).collect();
    let expected = [
        (Position::Chars { x: 1.5, line: 1 }, Some(1), false),
        (Position::Chars { x: 8.5, line: 1 }, Some(3), false),
        (Position::Missing, None, true),
        (Position::Chars { x: 0.5, line: 2 }, Some(4), true),
        (Position::Chars { x: 7.5, line: 1 }, Some(3), false),
    ];
    assert_eq!(seen, expected);
    let first = &found.fixations[0].1;
    assert_eq!((&*first.reader, &*first.text, first.trial.as_deref()), ("s1", "7", Some("3")));
    assert_eq!((first.duration_ms, first.onset_ms), (Some(190.0), Some(10.0)));
    assert_eq!(found.drops(), [(7, "negative_duration"), (8, "not_a_letter"), (9, "no_text")]);
    assert!(found.noted("1 fixations are off the text") && found.noted("1 readings were put"));
    let x = shape.mapping.get(ColumnRole::X).unwrap();
    assert_eq!(x.column, "xn");
    assert!(x.reason.to_string().contains("drift corrected"), "{}", x.reason);
    assert_eq!(shape.rows, 8);
}

#[test]
fn words_are_gathered_from_fixations_on_them() {
    let (found, _) = run(FIXATIONS).unwrap();
    let words: Vec<_> =
        found.words.iter().map(|w| (w.index, w.line, w.area, w.label.as_deref())).collect();
    let at = |start, end| Area::Chars { start, end };
    let expected = [
        (1, Some(1), at(0, 3), Some("The")),
        (3, Some(1), at(8, 11), Some("dog")),
        (4, Some(2), at(0, 7), Some("sleeps.")),
    ];
    assert_eq!(words, expected);
    assert!(found.noted("3 words of 1 texts; at least 1 more were looked at by nobody"));
}

#[test]
fn without_landings_words_are_asked_for() {
    let error = run(&FIXATIONS.replace("word.land", "other")).unwrap_err().to_string();
    assert!(error.contains("no column word.land") && error.contains("`words`"), "{error}");
    let mut found = Collected::default();
    let bare = FIXATIONS.replace("word.land", "other");
    let options = PopEyeOptions::default();
    read(&mut source(&bare).unwrap(), 0, &options, None, &mut found).unwrap();
    assert_eq!((found.fixations.len(), found.words.len()), (5, 0));
}

#[test]
fn without_letters_positions_are_pixels() {
    let (found, _) = run(&FIXATIONS.replace("line.let", "other")).unwrap();
    assert_eq!(found.fixations[0].1.position, Position::Pixels { x: 110.0, y: 97.0 });
    assert!(found.words.is_empty() && found.noted("positions are pixels, by xn and yn"));
    let bare = FIXATIONS.replace("line.let", "other").replace("\"y", "\"z");
    let error = run(&bare).unwrap_err().to_string();
    assert!(error.contains("no column for letter"), "{error}");
}

#[test]
fn readers_and_texts_of_several_languages_are_told_apart() {
    let joint = FIXATIONS.replace("\"cond\"", "\"lang\"").replace("\"ianum\"", "\"uniform_id\"");
    let (found, shape) = run(&joint.replace("\"7\",1,", "\"7\",en,")).unwrap();
    assert_eq!(&*found.fixations[0].1.text, "en_7");
    assert_eq!(shape.mapping.get(ColumnRole::Text).unwrap().column, "lang+itemid");
    assert_eq!(shape.mapping.get(ColumnRole::Reader).unwrap().column, "uniform_id");
}

#[test]
fn letters_make_words() {
    let mut found = Collected::default();
    let options = PopEyeOptions::default();
    let shape = read_words(&mut source(LETTERS).unwrap(), 1, &options, &mut found).unwrap();
    let words: Vec<_> = found.words.iter().map(|w| (w.index, w.line, w.area)).collect();
    let at = |start, end| Area::Chars { start, end };
    assert_eq!(words, [(1, Some(1), at(0, 2)), (2, Some(1), at(3, 5)), (3, Some(2), at(0, 2))]);
    assert_eq!(found.drops(), [(9, "contradicting_word"), (10, "not_a_letter"), (11, "no_text")]);
    assert_eq!(shape.rows, 10);
    let error = read_words(&mut source("itemid\n7\n").unwrap(), 1, &options, &mut found);
    assert!(error.unwrap_err().to_string().contains("no column for line, letter, word"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn no_input_panics(input in mutated(&[FIXATIONS, LETTERS])) {
        let (mut found, mut words) = (Collected::default(), GatheredWords::default());
        let options = PopEyeOptions::default();
        let result = source(&input).and_then(|mut input| {
            read(&mut input, 0, &options, Some(&mut words), &mut found)?;
            words.finish(&mut found)
        });
        if let Err(error) = result {
            prop_assert!(error.at().unwrap().row > 0);
        }
        let result =
            source(&input).and_then(|mut input| read_words(&mut input, 0, &options, &mut found));
        if let Err(error) = result {
            prop_assert!(error.at().unwrap().row > 0);
        }
        prop_assert!(found.dropped.iter().all(|(at, _)| at.row > 0));
    }
}
