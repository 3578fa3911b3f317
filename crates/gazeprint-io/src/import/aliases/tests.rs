use super::*;

const ROLES: [ColumnRole; 6] = [
    ColumnRole::Reader,
    ColumnRole::Text,
    ColumnRole::Trial,
    ColumnRole::X,
    ColumnRole::Y,
    ColumnRole::Duration,
];

fn find(header: &str, choices: &[&str]) -> Result<Vec<(ColumnRole, String)>, ImportError> {
    let header: Vec<String> = header.split(',').map(str::to_owned).collect();
    let choices: Vec<Choice> = choices.iter().map(|c| Choice::parse(c).unwrap()).collect();
    let mapping = Mapping::find(&header, 1, &ROLES, &choices)?;
    Ok(mapping.0.into_iter().map(|m| (m.role, m.column)).collect())
}

#[test]
fn names_of_other_tools_are_known() {
    for header in [
        "participant_id,text_id,x,y,duration",
        "RECORDING_SESSION_LABEL,TRIAL_INDEX,CURRENT_FIX_X,CURRENT_FIX_Y,CURRENT_FIX_DURATION",
        "subid,itemid,xs,ys,dur",
        "Subject ID,Page,x [px],y [px],Duration [ms]",
        "sub,trialid,pixel_x,pixel_y,fixation_duration",
    ] {
        let roles: Vec<ColumnRole> = find(header, &[]).unwrap().into_iter().map(|f| f.0).collect();
        assert_eq!(
            roles,
            [
                ColumnRole::Reader,
                ColumnRole::Text,
                ColumnRole::X,
                ColumnRole::Y,
                ColumnRole::Duration
            ],
            "{header}"
        );
    }
}

#[test]
fn the_better_rank_and_the_exact_spelling_win() {
    let found = find("subject,RECORDING_SESSION_LABEL,TRIAL_INDEX,trial_index", &[]).unwrap();
    assert_eq!(found[0], (ColumnRole::Reader, "subject".to_owned()));
    assert_eq!(found[1], (ColumnRole::Text, "TRIAL_INDEX".to_owned()));
    let found = find("text,TRIAL_INDEX", &[]).unwrap();
    assert_eq!(found[1], (ColumnRole::Trial, "TRIAL_INDEX".to_owned()));
}

#[test]
fn two_of_one_rank_are_an_error_that_names_them() {
    let error = find("subject,participant,text", &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        "input, row 1: the reader may be in subject or in participant; choose one with \
         `choices` reader=subject"
    );
    let found = find("subject,participant,text", &["reader=participant"]).unwrap();
    assert_eq!(found[0].1, "participant");
}

#[test]
fn y_goes_with_x() {
    let header = "reader,text,pixel_xl,pixel_yl,pixel_xr,pixel_yr";
    let error = find(header, &[]).unwrap_err().to_string();
    assert!(error.contains("x may be in pixel_xl or in pixel_xr"), "{error}");
    let found = find(header, &["x=pixel_xr"]).unwrap();
    assert_eq!(found[3], (ColumnRole::Y, "pixel_yr".to_owned()));
    let found = find(header, &["x=pixel_xr", "y=pixel_yl"]).unwrap();
    assert_eq!(found[3], (ColumnRole::Y, "pixel_yl".to_owned()));
}

#[test]
fn choices_are_checked() {
    assert!(Choice::parse("reader").is_err());
    assert!(Choice::parse("colour=blue").is_err());
    assert!(Choice::parse("reader_px=a").is_err());
    assert_eq!(Choice::parse("x_px=a").unwrap().unit, Some(Unit::Pixels));
    let error = find("a,b", &["reader=c"]).unwrap_err().to_string();
    assert!(error.contains("correct `choices` reader=c"), "{error}");
}
