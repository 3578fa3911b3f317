use super::*;

const HERE: RowPlace = RowPlace { file: 0, row: 7 };

fn fixation(text: &str, position: Position) -> RawFixation {
    RawFixation {
        reader: "r".into(),
        text: text.into(),
        session: None,
        trial: None,
        position,
        duration_ms: Some(200.0),
        onset_ms: None,
        gap: false,
        eye: None,
        ..RawFixation::default()
    }
}

fn word(index: u32, start: u32, end: u32) -> RawWord {
    let area = Area::Chars { start, end };
    RawWord { text: "s".into(), line: Some(1), index, label: None, area }
}

#[test]
fn words_and_characters_make_a_corpus() {
    let mut recording = Recording::default();
    recording.word(HERE, word(1, 0, 3)).unwrap();
    recording.word(HERE, word(1, 0, 3)).unwrap();
    recording.word(HERE, word(1, 0, 4)).unwrap();
    let on_text = Position::Chars { x: 1.5, line: 1 };
    recording.fixation(HERE, fixation("s", on_text)).unwrap();
    recording.fixation(HERE, fixation("other", on_text)).unwrap();
    recording.fixation(HERE, fixation("s", Position::Missing)).unwrap();
    let Imported::Corpus(corpus) = recording.finish("c", &[], 0).unwrap() else {
        panic!("no corpus")
    };
    assert_eq!((corpus.scanpaths().len(), corpus.fixation_count()), (1, 2));
    assert_eq!(recording.repeated_words, 1);
    let dropped: Vec<_> = recording.dropped.iter().map(|d| (d.reason, d.rows)).collect();
    assert_eq!(dropped, [("contradicting_word", 1), ("text_without_words", 1)]);
}

#[test]
fn without_words_fixations_stay_as_they_are() {
    let mut recording = Recording::default();
    let seen = fixation("s", Position::Pixels { x: 100.0, y: 50.0 });
    recording.fixation(HERE, seen.clone()).unwrap();
    let Imported::Fixations(readings) = recording.finish("c", &[], 0).unwrap() else {
        panic!("no fixations")
    };
    assert_eq!(readings, [RawReading { place: HERE, fixations: vec![seen] }]);
}

#[test]
fn what_cannot_be_built_is_refused_with_its_place() {
    let mut recording = Recording::default();
    assert!(matches!(recording.finish("c", &[], 0), Err(ImportError::Empty { .. })));
    recording.word(HERE, word(1, 0, 3)).unwrap();
    recording.word(RowPlace { file: 0, row: 8 }, word(2, 2, 5)).unwrap();
    recording.fixation(HERE, fixation("s", Position::Missing)).unwrap();
    assert_eq!(recording.finish("c", &[], 0).unwrap_err().at().unwrap().row, 8);
    let mut recording = Recording::default();
    let letter = Position::Letter { word: 1, letter: 2.0 };
    recording.fixation(HERE, fixation("s", letter)).unwrap();
    assert_eq!(recording.finish("c", &[], 0).unwrap_err().at().unwrap().row, 7);
}
