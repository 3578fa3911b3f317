use proptest::prelude::*;

use super::*;
use crate::import::dataviewer::{ReportOptions, areas};
use crate::import::testing::{Collected, mutated, source};

const EVENTS: &str = "subject_id,text_id,name,onset,offset,duration,location
1,a,fixation_ivt,100,300,200,\"[512.5, 300.0]\"
1,a,saccade,300,330,30,\"[0, 0]\"
1,a,fixation_ivt,330,500,,\"[600.0, null]\"
1,a,fixation_ivt,600,500,,\"[600.0, 1.0]\"
1,a,fixation_ivt,600,500,4,here
1,.,fixation,600,500,4,\"[600.0, 1.0]\"
1,a
";

const AOIS: &str = "page,word_idx,word,top_left_x,top_left_y,width,height
a,1,One,95,100,40,50
a,2,three,135,100,60,50
";

fn run(frame: &str) -> Result<Collected, ImportError> {
    let mut found = Collected::default();
    read(&mut source(frame)?, 0, &FrameOptions::default(), &mut found)?;
    Ok(found)
}

#[test]
fn events_become_fixations() {
    let found = run(EVENTS).unwrap();
    let seen: Vec<_> = found.fixations.iter().map(|(_, f)| (f.position, f.duration_ms)).collect();
    let first = (Position::Pixels { x: 512.5, y: 300.0 }, Some(200.0));
    assert_eq!(seen, [first, (Position::Missing, Some(170.0))]);
    let dropped: Vec<_> = found.dropped.iter().map(|(at, why)| (at.row, *why)).collect();
    let expected = [
        (3, "not_a_fixation"),
        (5, "negative_duration"),
        (6, "not_a_number"),
        (7, "no_text"),
        (8, "ragged"),
    ];
    assert_eq!(dropped, expected);
}

#[test]
fn locations_may_stand_in_two_columns() {
    let apart =
        "subject_id,text_id,name,onset,offset,location_x,location_y\n1,a,fixation,0,9,5,6\n";
    let found = run(apart).unwrap();
    assert_eq!(found.fixations[0].1.position, Position::Pixels { x: 5.0, y: 6.0 });
    assert!(run(&apart.replace("location_x", "where")).is_err());
    assert!(run(&apart.replace("name", "what")).is_err());
}

#[test]
fn areas_may_have_widths_and_heights() {
    let (mut found, options) = (Collected::default(), ReportOptions::new(&[]));
    let (_, shape) =
        areas::read(&mut source(AOIS).unwrap(), 0, &options, None, &mut found).unwrap();
    assert_eq!(shape.mapping.get(ColumnRole::Width).unwrap().column, "width");
    assert_eq!(found.words[1].area, crate::import::Area::Chars { start: 4, end: 9 });
    let without = AOIS.replace("width", "w");
    assert!(areas::read(&mut source(&without).unwrap(), 0, &options, None, &mut found).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn no_input_panics(input in mutated(&[EVENTS, AOIS])) {
        let (mut found, options) = (Collected::default(), FrameOptions::default());
        let result =
            source(&input).and_then(|mut input| read(&mut input, 0, &options, &mut found));
        if let Err(error) = result {
            prop_assert!(error.at().unwrap().row > 0);
        }
        let options = ReportOptions::new(&[]);
        let result = source(&input)
            .and_then(|mut input| areas::read(&mut input, 0, &options, None, &mut found));
        if let Err(error) = result {
            prop_assert!(error.at().unwrap().row > 0);
        }
    }
}
