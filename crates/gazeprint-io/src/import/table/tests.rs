use super::*;
use crate::import::{Area, Recording, Source};

/// A table as a recording.
fn recorded(text: &[u8], choices: &[&str]) -> Result<Recording, ImportError> {
    let mut recording = Recording::default();
    let choices = choices.iter().map(|c| Choice::parse(c).unwrap()).collect();
    let options = TableOptions { choices, reader: Some("file".into()), ..TableOptions::default() };
    read(&mut Source::new(text)?, 0, &options, &mut recording)?;
    Ok(recording)
}

fn fixations(recording: &Recording) -> Vec<&RawFixation> {
    recording.readings.iter().flat_map(|reading| &reading.fixations).collect()
}

fn reasons(recording: &Recording) -> Vec<(&'static str, u64)> {
    recording.dropped.iter().map(|d| (d.reason, d.rows)).collect()
}

#[test]
fn a_report_with_marks_commas_and_quotes_is_read() {
    let text = "\u{feff}\"RECORDING_SESSION_LABEL\"\t\"TRIAL_INDEX\"\tCURRENT_FIX_DURATION\t\
                CURRENT_FIX_X\tCURRENT_FIX_Y\tLIST\r\n\
                \"P1\"\t1\t191\t12,5\t400\t[ 7]\r\n\
                \"P1\"\t1\t.\t13,25\t400,5\t[ ]\r\n";
    let recording = recorded(text.as_bytes(), &[]).unwrap();
    let found = fixations(&recording);
    assert_eq!((&*found[0].reader, &*found[0].text), ("P1", "1"));
    assert_eq!(found[1].position, Position::Pixels { x: 13.25, y: 400.5 });
    assert_eq!((found[0].duration_ms, found[1].duration_ms), (Some(191.0), None));
    assert!(
        recording
            .remarks
            .iter()
            .any(|remark| remark.to_string().starts_with("decimals follow a comma"))
    );
}

#[test]
fn every_row_goes_on_or_is_counted() {
    let text = "subject,text,line,x_char,dur\n\
                a,s1,1,2.5,200\n\
                ,s1,1,2.5,200\n\
                a,NA,1,2.5,200\n\
                a,s1,1,2.5\n\
                a,s1,1,far,200\n\
                a,s1,1,2.5,-3\n\
                a,s1,1.5,2.5,200\n\
                a,s1,1,UNDEFINEDnull,.\n";
    let recording = recorded(text.as_bytes(), &[]).unwrap();
    assert_eq!(fixations(&recording).len(), 2);
    assert_eq!(fixations(&recording)[1].position, Position::Missing);
    let wanted = [
        ("negative_duration", 1),
        ("no_reader", 1),
        ("no_text", 1),
        ("not_a_line", 1),
        ("not_a_number", 1),
        ("ragged", 1),
    ];
    assert_eq!(reasons(&recording), wanted);
    let ragged = recording.dropped.iter().find(|d| d.reason == "ragged").unwrap();
    assert_eq!((ragged.examples[0].row, ragged.examples[0].content.as_str()), (5, "a,s1,1,2.5"));
}

#[test]
fn units_are_decided_by_name_by_neighbours_or_by_values() {
    let position = |text: &str, choices: &[&str]| {
        let recording = recorded(text.as_bytes(), choices).unwrap();
        fixations(&recording)[0].position
    };
    let chars = Position::Chars { x: 30.0, line: 1 };
    assert_eq!(position("subject,text,x,dur\na,s,30,200\n", &[]), chars);
    assert_eq!(position("subject,text,x,line,dur\na,s,30,1,200\n", &[]), chars);
    let both = "subject,text,x,line,y,dur\na,s,30,1,9,200\n";
    let unclear = recorded(both.as_bytes(), &[]).unwrap_err().to_string();
    assert!(unclear.contains("`choices` x_px=x or `choices` x_char=x"), "{unclear}");
    assert_eq!(position(both, &["x_char=x"]), chars);
    let pixels = |y| Position::Pixels { x: 30.0, y };
    assert_eq!(position("subject,text,x,y,dur\na,s,30,9,200\n", &[]), pixels(9.0));
    assert_eq!(position("subject,text,x,dur\na,s,30,200\na,s,900,200\n", &[]), pixels(0.0));
    assert_eq!(
        position("subject,text,x,line,y,dur\na,s,900,1,9,200\n", &[]),
        Position::Pixels { x: 900.0, y: 9.0 }
    );
    assert_eq!(position("subject,text,x,y,dur\na,s,30,9,200\n", &["x_char=x"]), chars);
}

#[test]
fn thousands_are_no_decimals() {
    let text = "subject\ttext\tx_char\tdur\na\ts\t14.5\t1,250\na\ts\t15.5\t250\n";
    let recording = recorded(text.as_bytes(), &[]).unwrap();
    assert_eq!((fixations(&recording).len(), reasons(&recording)), (1, vec![("not_a_number", 1)]));
    assert!(
        recording
            .remarks
            .iter()
            .any(|remark| remark.to_string().starts_with("decimals follow a point"))
    );
}

#[test]
fn onsets_may_be_in_seconds_beside_durations_in_milliseconds() {
    let text = "subject,text,x_char,onset,duration\na,s,3,1.0,184\na,s,4,1.2,200\na,s,5,1.5,190\n";
    let recording = recorded(text.as_bytes(), &[]).unwrap();
    let onsets: Vec<_> = fixations(&recording).iter().map(|f| f.onset_ms.unwrap()).collect();
    assert_eq!(onsets, [1000.0, 1200.0, 1500.0]);
}

#[test]
fn seconds_become_milliseconds() {
    let text = "subject,text,x,onset,duration\na,s,3,1.5,0.25\na,s,4,1.8,0.2\n";
    let recording = recorded(text.as_bytes(), &[]).unwrap();
    let first = fixations(&recording)[0];
    assert_eq!((first.onset_ms, first.duration_ms), (Some(1500.0), Some(250.0)));
    assert!(
        recording
            .remarks
            .iter()
            .any(|remark| remark.to_string().starts_with("duration is in seconds"))
    );
}

#[test]
fn fixations_are_ordered_by_index_within_a_reading() {
    let text = "subject,text,fix_index,x_char,dur\na,s,2,20,200\na,s,1,10,200\nb,s,1,5,200\n";
    let recording = recorded(text.as_bytes(), &[]).unwrap();
    let xs: Vec<Position> = fixations(&recording).iter().map(|f| f.position).collect();
    assert_eq!(xs[0], Position::Chars { x: 10.0, line: 1 });
    assert_eq!(xs[2], Position::Chars { x: 5.0, line: 1 });
    assert!(
        recording.remarks.iter().any(|remark| remark.to_string().contains("put in order by index"))
    );
}

#[test]
fn other_events_are_dropped_as_such() {
    let text = "subject,text,name,x_char,duration\n\
                a,s,fixation,2,200\na,s,saccade,,20\na,s,Blink,,90\n";
    let recording = recorded(text.as_bytes(), &[]).unwrap();
    assert_eq!(
        (fixations(&recording).len(), reasons(&recording)),
        (1, vec![("not_a_fixation", 2)])
    );
}

#[test]
fn a_table_without_readers_is_of_the_one_that_its_file_is_called_after() {
    let recording = recorded(b"text,x_char,dur\ns,2,200\n", &[]).unwrap();
    assert_eq!(&*fixations(&recording)[0].reader, "file");
}

#[test]
fn what_is_no_table_of_fixations_is_refused_with_its_place() {
    let error = recorded(b"\na;b\n1;2\n", &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        "input, row 2: no column for text, x, duration among a, b; name it with `choices` text=COLUMN"
    );
    assert!(matches!(recorded(b"", &[]), Err(ImportError::Empty { .. })));
}

#[test]
fn words_come_in_characters_or_pixels() {
    let area = |text: &str| {
        let mut recording = Recording::default();
        let mut input = text.as_bytes();
        read_words(&mut input, 0, &TableOptions::default(), &mut recording).unwrap();
        recording.texts[0].words[0].1.clone()
    };
    let word = area("text,line,word_index,word,char_start,char_end\ns,2,1,NA,0,2\n");
    assert_eq!(word.area, Area::Chars { start: 0, end: 2 });
    assert_eq!((word.line, word.label.as_deref()), (Some(2), Some("NA")));
    let word = area(
        "TRIAL_INDEX,IA_ID,IA_LABEL,IA_LEFT,IA_RIGHT,IA_TOP,IA_BOTTOM\n1,1,Who,10,50.5,0,20\n",
    );
    assert_eq!(word.area, Area::Pixels { left: 10.0, right: 50.5, top: 0.0, bottom: 20.0 });
}
