//! Names that columns have elsewhere, for all formats: one table.

use super::{ColumnRole, Unit};

use Unit::{
    Characters as Ch, Degrees as Deg, Fractions as Fr, Microseconds as Us, Milliseconds as Ms,
    Nanoseconds as Ns, Pixels as Px, Seconds as S,
};

/// Names with the unit that they imply. Names joined by `+` are one key in several columns.
pub(super) type Rank = &'static [(&'static str, Option<Unit>)];

macro_rules! rank {
    ($($name:literal $(: $unit:expr)?),* $(,)?) => { &[$(($name, rank!(@ $($unit)?))),*] };
    (@ $unit:expr) => { Some($unit) };
    (@) => { None };
}

/// What a format is known to mean by its columns, where several are known names for a role.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Preference {
    pub(super) role: ColumnRole,
    /// Best first.
    pub(super) keys: &'static [&'static str],
    /// Why in this order.
    pub(super) why: &'static str,
    /// Whether no other name will do.
    pub(super) only: bool,
}

/// Reports of Data Viewer: which of their many columns is meant.
pub(crate) const DATA_VIEWER: &[Preference] = &[
    Preference {
        role: ColumnRole::Text,
        keys: &[
            "unique_paragraph_id",
            "page_name",
            "speechid+paragraphid",
            "text_id",
            "text",
            "item_id",
            "item",
            "sentence_id",
            "sentence",
            "stimulus_id",
            "stimulus",
            "passage_id",
            "passage",
            "story",
            "page",
        ],
        why: "it tells more pages apart than others of these; a trial's number is no text",
        only: true,
    },
    Preference {
        role: ColumnRole::Trial,
        keys: &["TRIAL_INDEX", "Trial_Index_", "trial"],
        why: "Data Viewer counts the trials of a recording there",
        only: false,
    },
    Preference {
        role: ColumnRole::Index,
        keys: &["CURRENT_FIX_INDEX"],
        why: "Data Viewer counts the fixations of a trial there",
        only: true,
    },
    Preference {
        role: ColumnRole::Word,
        keys: &["CURRENT_FIX_INTEREST_AREA_ID", "IA_ID"],
        why: "Data Viewer numbers areas there",
        only: false,
    },
    Preference {
        role: ColumnRole::Label,
        keys: &["CURRENT_FIX_INTEREST_AREA_LABEL", "IA_LABEL"],
        why: "Data Viewer has the label of an area there",
        only: false,
    },
];

/// Fixations and letters of popEye, also as MECO has them.
pub(crate) const POP_EYE: &[Preference] = &[
    Preference {
        role: ColumnRole::Reader,
        keys: &["uniform_id", "subid"],
        why: "subid is unique within one laboratory only",
        only: false,
    },
    Preference {
        role: ColumnRole::Text,
        keys: &["lang+itemid", "itemid", "trialid"],
        why: "items of one number differ between languages, and trials are in another order for \
              each reader",
        only: true,
    },
    Preference {
        role: ColumnRole::Trial,
        keys: &["trialid", "trialnum"],
        why: "trial holds the first words of the text",
        only: true,
    },
    Preference {
        role: ColumnRole::X,
        keys: &["xn", "xs", "x"],
        why: "xn is xs with drift corrected",
        only: true,
    },
    Preference {
        role: ColumnRole::Y,
        keys: &["yn", "ys", "y"],
        why: "yn is ys with drift corrected",
        only: true,
    },
    Preference {
        role: ColumnRole::Word,
        keys: &["wordnum", "ianum"],
        why: "areas may be other parts of the text than words",
        only: false,
    },
    Preference {
        role: ColumnRole::Label,
        keys: &["word", "ia"],
        why: "areas may be other parts of the text than words",
        only: false,
    },
];

/// Exports of Tobii: of the recorder's own events and the eye's, these; a stimulus before the file that it
/// was shown from.
pub(crate) const TOBII: &[Preference] = &[
    Preference {
        role: ColumnRole::Kind,
        keys: &["eye_movement_type", "GazeEventType"],
        why: "the other has events of the recorder",
        only: true,
    },
    Preference {
        role: ColumnRole::Event,
        keys: &["eye_movement_type_index", "FixationIndex"],
        why: "saccades are not counted in the other",
        only: true,
    },
    Preference {
        role: ColumnRole::Text,
        keys: &["presented_stimulus_name", "presented_media_name", "MediaName"],
        why: "a stimulus may be shown from files of other names",
        only: false,
    },
];

/// Columns of tables that mark fixations. Gazepoint has 1 in a fixation, Pupil Labs `True` on the surface that
/// positions are parts of; the others are those of people who looked at fixations one by one.
pub(crate) const MARKS: &[&str] = &[
    "FPOGV",
    "on_surf",
    "validity",
    "valid",
    "is_valid",
    "included",
    "is_included",
    "excluded",
    "is_excluded",
    "exclude",
    "artifact",
    "is_artifact",
    "artefact",
    "is_artefact",
    "outlier",
    "is_outlier",
    "discarded",
    "is_discarded",
    "rejected",
    "is_rejected",
    "invalid",
    "is_invalid",
    "is_bad",
];

/// Tables of fixations: only these marks.
pub(crate) const TABLE: &[Preference] =
    &[Preference { role: ColumnRole::Validity, keys: MARKS, why: "each marks them", only: true }];

/// Samples of both eyes, of which the left one is asked for.
pub(crate) const LEFT_EYE: &[Preference] = &[Preference {
    role: ColumnRole::X,
    keys: &["pixel_xl", "x_left_pix", "position_xl", "x_left", "left_x", "gaze_left_x"],
    why: "pixels before degrees, of the left eye, as asked for",
    only: false,
}];

/// As [`LEFT_EYE`], of the right one.
pub(crate) const RIGHT_EYE: &[Preference] = &[Preference {
    role: ColumnRole::X,
    keys: &["pixel_xr", "x_right_pix", "position_xr", "x_right", "right_x", "gaze_right_x"],
    why: "pixels before degrees, of the right eye, as asked for",
    only: false,
}];

impl ColumnRole {
    /// Known names, best rank first.
    pub(super) fn ranks(self) -> &'static [Rank] {
        match self {
            Self::Reader => READER,
            Self::Text => TEXT,
            Self::Session => &[rank!["session", "session_id", "SESSION_LABEL", "visit", "round"]],
            Self::Trial => &[
                rank!["trial"],
                rank!["TRIAL_INDEX"],
                rank![
                    "unique_trial_id",
                    "trial_id",
                    "trialid",
                    "trial_nr",
                    "trialnum",
                    "trial_number",
                    "trialno",
                    "trialn",
                ],
                rank!["recording_name"],
            ],
            Self::Index => &[
                rank!["fix_index"],
                rank![
                    "CURRENT_FIX_INDEX",
                    "fixation_index",
                    "fixid",
                    "fix_id",
                    "fixation_id",
                    "fixation_number",
                    "fixation_nr",
                    "fixnum",
                    "FPOGID",
                ],
            ],
            Self::Time => TIME,
            Self::X => X,
            Self::Y => Y,
            Self::Location => &[rank!["location"], rank!["pixel": Px], rank!["position": Deg]],
            Self::Line => &[
                rank!["line"],
                rank!["line_number", "linenum", "line_num", "line_id", "line_nr", "line_idx"],
            ],
            Self::Letter => &[rank!["line.let": Ch, "letline": Ch]],
            Self::Landing => &[rank!["word.land": Ch, "letword": Ch]],
            Self::Character => &[rank!["letter"], rank!["char", "character"]],
            Self::Duration => DURATION,
            Self::Onset => ONSET,
            Self::Offset => &[
                rank!["offset_ms": Ms, "CURRENT_FIX_END": Ms, "offset_s": S],
                rank![
                    "end_ms": Ms, "end_time_ms": Ms, "Event End Trial Time [ms]": Ms, "end_s": S,
                    "end_time_s": S, "end timestamp [ns]": Ns,
                ],
                rank![
                    "offset",
                    "stop",
                    "end",
                    "end_time",
                    "etime",
                    "fixation_end",
                    "fix_end",
                    "t_end"
                ],
            ],
            Self::Gap => &[
                rank!["gap"],
                rank!["PREVIOUS_SAC_CONTAINS_BLINK", "blink_before", "after_blink"],
                rank!["CURRENT_FIX_BLINK_AROUND", "blink"],
            ],
            Self::Eye => &[rank!["eye", "EYE_USED", "EYE_TRACKED", "eye_recorded", "Eye L/R"]],
            Self::Kind => &[
                rank!["event_type", "eye_movement_type", "GazeEventType", "event"],
                rank!["name", "kind", "type"],
                rank!["category"],
            ],
            Self::Event => &[rank!["eye_movement_type_index"]],
            Self::Validity => &[rank!["validity", "val"]],
            Self::Word => &[
                rank!["word_index"],
                rank![
                    "word_id",
                    "wordid",
                    "wordnum",
                    "word_nr",
                    "word_number",
                    "word_idx",
                    "ia_id",
                    "aoi_id",
                    "aoi_idx",
                    "aoi_index",
                    "CURRENT_FIX_INTEREST_AREA_ID",
                ],
            ],
            Self::Label => &[
                rank!["word"],
                rank![
                    "label",
                    "IA_LABEL",
                    "aoi_label",
                    "aoi",
                    "token",
                    "content",
                    "CURRENT_FIX_INTEREST_AREA_LABEL",
                ],
            ],
            Self::Areas => &[rank!["CURRENT_FIX_INTEREST_AREAS"]],
            Self::Box => &[rank!["CURRENT_FIX_INTEREST_AREA_DATA"]],
            Self::Nearest => &[rank!["CURRENT_FIX_NEAREST_INTEREST_AREA"]],
            Self::Distance => &[rank!["CURRENT_FIX_NEAREST_INTEREST_AREA_DISTANCE": Deg]],
            Self::Characters => &[rank!["char_IA_ids"]],
            Self::Start => &[rank!["char_start": Ch], rank!["start_char": Ch, "first_char": Ch]],
            Self::End => &[rank!["char_end": Ch], rank!["end_char": Ch]],
            Self::Left => &[
                rank!["IA_LEFT": Px, "left": Px, "x_left": Px, "start_x": Px, "xmin": Px],
                rank!["top_left_x": Px],
            ],
            Self::Right => {
                &[rank!["IA_RIGHT": Px, "right": Px, "x_right": Px, "end_x": Px, "xmax": Px]]
            }
            Self::Top => &[
                rank!["IA_TOP": Px, "top": Px, "y_top": Px, "start_y": Px, "ymin": Px],
                rank!["top_left_y": Px],
            ],
            Self::Bottom => {
                &[rank!["IA_BOTTOM": Px, "bottom": Px, "y_bottom": Px, "end_y": Px, "ymax": Px]]
            }
            Self::Width => &[rank!["width": Px]],
            Self::Height => &[rank!["height": Px]],
            Self::Order => &[rank!["trial_order"], rank!["order", "presentation_order"]],
            Self::Group => &[rank!["group"]],
        }
    }
}

const READER: &[Rank] = &[
    rank!["reader", "reader_id"],
    rank![
        "participant_id",
        "participant",
        "participant_name",
        "subject_id",
        "subject",
        "subid",
        "sub_id",
        "sub",
        "subj",
        "subj_id",
        "ppid",
        "pp",
        "uniform_id",
    ],
    rank![
        "user",
        "user_id",
        "observer",
        "observer_id",
        "person",
        "vp",
        "vpn",
        "proband",
        "pid",
        "subject_nr",
        "subject_number",
        "participant_nr",
        "participant_number",
    ],
    rank!["RECORDING_SESSION_LABEL", "recording_name", "recording id"],
    rank!["Session_Name_"],
];

const TEXT: &[Rank] = &[
    rank!["text", "text_id", "textname", "text_name"],
    rank![
        "unique_paragraph_id",
        "page_name",
        "stimulus",
        "stimulus_id",
        "stimulus_name",
        "presented_stimulus_name",
        "presented_media_name",
        "media_name",
        "stimuli_name",
        "item",
        "item_id",
        "itemid",
        "sentence_id",
        "sentence",
        "sentnum",
        "passage",
        "passage_id",
        "story",
    ],
    rank!["speechid+paragraphid"],
    rank!["paragraph_id", "paragraph", "page", "page_id", "screen_id", "media_id"],
    rank![
        "TRIAL_INDEX",
        "trial_id",
        "trialid",
        "TRIAL_LABEL",
        "trial",
        "trial_nr",
        "trialnum",
        "trial_number",
        "trialno",
        "trialn",
    ],
];

const TIME: &[Rank] = &[
    rank!["time_ms": Ms, "timestamp_ms": Ms, "recording timestamp [ms]": Ms],
    rank![
        "time_us": Us, "timestamp_us": Us, "recording timestamp [us]": Us,
        "recording timestamp [μs]": Us, "recording timestamp [µs]": Us, "time_s": S, "gaze_timestamp": S, "time_ns": Ns,
        "timestamp [ns]": Ns,
    ],
    rank!["time", "timestamp", "recording_time", "sample_time", "recording timestamp", "t"],
    rank!["n"],
    rank!["sample", "sample_index", "sample_number"],
];

const X: &[Rank] = &[
    rank!["x_char": Ch, "char_x": Ch, "x [char]": Ch],
    rank![
        "CURRENT_FIX_X": Px, "x_px": Px, "px_x": Px, "pixel_x": Px, "x_pixel": Px, "x_pix": Px,
        "x [px]": Px, "fixation_position_x": Px, "Fixation Position X [px]": Px,
        "Visual Intake Position X [px]": Px, "fixation_point_x": Px, "MappedFixationPointX": Px,
        "fixation x [px]": Px, "gaze x [px]": Px, "Fixation point X [DACS px]": Px, "Fixation point X [MCS px]": Px, "fixation_x": Px,
        "fix_x": Px, "axp": Px,
    ],
    // Whose eye is for the user to say.
    rank!["pixel_xa": Px, "pixel_xr": Px, "x_right_pix": Px, "pixel_xl": Px, "x_left_pix": Px],
    rank!["x_left", "x_right", "left_x", "right_x", "gaze_left_x", "gaze_right_x"],
    rank![
        "FPOGX": Fr, "norm_pos_x": Fr, "x_norm": Fr, "norm_x": Fr,
        "Fixation point X [MCS norm]": Fr,
    ],
    rank!["x_deg": Deg, "x_dva": Deg, "x_degree": Deg, "x_degrees": Deg, "position_x": Deg],
    rank!["position_xa": Deg, "position_xr": Deg, "position_xl": Deg],
    rank![
        "x",
        "xs",
        "xn",
        "xpos",
        "x_pos",
        "pos_x",
        "location_x",
        "mean_x",
        "gaze_x",
        "x_coordinate"
    ],
];

const Y: &[Rank] = &[
    rank![
        "CURRENT_FIX_Y": Px, "y_px": Px, "px_y": Px, "pixel_y": Px, "y_pixel": Px, "y_pix": Px,
        "y [px]": Px, "fixation_position_y": Px, "Fixation Position Y [px]": Px,
        "Visual Intake Position Y [px]": Px, "fixation_point_y": Px, "MappedFixationPointY": Px,
        "fixation y [px]": Px, "gaze y [px]": Px, "Fixation point Y [DACS px]": Px, "Fixation point Y [MCS px]": Px, "fixation_y": Px,
        "fix_y": Px, "ayp": Px,
    ],
    rank!["pixel_ya": Px, "pixel_yr": Px, "y_right_pix": Px, "pixel_yl": Px, "y_left_pix": Px],
    rank![
        "FPOGY": Fr, "norm_pos_y": Fr, "y_norm": Fr, "norm_y": Fr,
        "Fixation point Y [MCS norm]": Fr,
    ],
    rank!["y_deg": Deg, "y_dva": Deg, "y_degree": Deg, "y_degrees": Deg, "position_y": Deg],
    rank!["position_ya": Deg, "position_yr": Deg, "position_yl": Deg],
    rank![
        "y",
        "ys",
        "yn",
        "ypos",
        "y_pos",
        "pos_y",
        "location_y",
        "mean_y",
        "gaze_y",
        "y_coordinate"
    ],
];

const DURATION: &[Rank] = &[
    rank!["duration_ms": Ms, "CURRENT_FIX_DURATION": Ms],
    rank![
        "fixation_duration_ms": Ms, "dur_ms": Ms, "fix_duration_ms": Ms,
        "gaze_event_duration_ms": Ms, "Event Duration [ms]": Ms, "fix_dur_ms": Ms, "FPOGD": S, "duration_s": S, "duration_sec": S,
        "duration [seconds]": S, "fixation_duration_s": S, "gaze event duration [us]": Us,
        "gaze event duration [μs]": Us, "gaze event duration [µs]": Us,
        "eye movement event duration [ms]": Ms, "eye movement event duration [us]": Us,
        "eye movement event duration [μs]": Us, "eye movement event duration [µs]": Us,
    ],
    rank![
        "dur",
        "duration",
        "fixation_duration",
        "fix_duration",
        "fix_dur",
        "fixdur",
        "gaze_event_duration",
        "eye_movement_event_duration",
    ],
];

const ONSET: &[Rank] = &[
    rank!["onset_ms": Ms, "CURRENT_FIX_START": Ms],
    rank![
        "start_ms": Ms, "start_time_ms": Ms, "fixation_start_ms": Ms, "onset_s": S, "start_s": S,
        "start_time_s": S, "onset_sec": S, "FPOGS": S, "start_timestamp": S,
        "Event Start Trial Time [ms]": Ms, "start timestamp [ns]": Ns,
    ],
    rank!["onset", "start", "start_time", "fixation_start", "fix_start", "stime", "t_start"],
];
