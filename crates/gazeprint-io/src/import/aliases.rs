//! What columns are called elsewhere, and which of them a table has.
//!
//! Names are compared without case, blanks, underscores, brackets and other signs: `duration [ms]`
//! is `duration_ms`. Names of one role stand in ranks. A column of a better rank wins; among those of
//! one rank, the one spelt exactly as listed; where two are left, that is an error, not a guess.

use serde::Serialize;

use super::error::{At, ImportError};

/// What a column may be for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Who reads.
    Reader,
    /// What is read.
    Text,
    /// The session.
    Session,
    /// The trial, beside a text.
    Trial,
    /// Place in the order of reading.
    Index,
    /// Horizontal position.
    X,
    /// Vertical position.
    Y,
    /// Line of the text.
    Line,
    /// Duration of a fixation.
    Duration,
    /// Start of a fixation.
    Onset,
    /// Loss of signal before a fixation.
    Gap,
    /// Which eye.
    Eye,
    /// The kind of event: fixation, saccade, blink.
    Kind,
    /// Number of a word.
    Word,
    /// The word itself.
    Label,
    /// First character of a word.
    Start,
    /// One past the last character of a word.
    End,
    /// Left edge of a word, pixels.
    Left,
    /// Right edge of a word, pixels.
    Right,
    /// Upper edge of a word, pixels.
    Top,
    /// Lower edge of a word, pixels.
    Bottom,
    /// Place of a reading in the order of readings.
    Order,
    /// Group of a text.
    Group,
}

/// What numbers of a column are in, where its name says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Characters of the text.
    Characters,
    /// Pixels of the screen.
    Pixels,
    /// Milliseconds.
    Milliseconds,
    /// Seconds.
    Seconds,
}

use Unit::{Characters as Ch, Milliseconds as Ms, Pixels as Px, Seconds as S};

/// Names with the unit that they imply.
type Rank = &'static [(&'static str, Option<Unit>)];

macro_rules! rank {
    ($($name:literal $(: $unit:expr)?),* $(,)?) => { &[$(($name, rank!(@ $($unit)?))),*] };
    (@ $unit:expr) => { Some($unit) };
    (@) => { None };
}

impl Role {
    const ALL: [Self; 23] = [
        Self::Reader,
        Self::Text,
        Self::Session,
        Self::Trial,
        Self::Index,
        Self::X,
        Self::Y,
        Self::Line,
        Self::Duration,
        Self::Onset,
        Self::Gap,
        Self::Eye,
        Self::Kind,
        Self::Word,
        Self::Label,
        Self::Start,
        Self::End,
        Self::Left,
        Self::Right,
        Self::Top,
        Self::Bottom,
        Self::Order,
        Self::Group,
    ];

    /// The name for `--map`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Text => "text",
            Self::Session => "session",
            Self::Trial => "trial",
            Self::Index => "index",
            Self::X => "x",
            Self::Y => "y",
            Self::Line => "line",
            Self::Duration => "duration",
            Self::Onset => "onset",
            Self::Gap => "gap",
            Self::Eye => "eye",
            Self::Kind => "kind",
            Self::Word => "word",
            Self::Label => "label",
            Self::Start => "start",
            Self::End => "end",
            Self::Left => "left",
            Self::Right => "right",
            Self::Top => "top",
            Self::Bottom => "bottom",
            Self::Order => "order",
            Self::Group => "group",
        }
    }

    /// Known names, best rank first.
    fn ranks(self) -> &'static [Rank] {
        match self {
            Self::Reader => &[
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
                rank!["RECORDING_SESSION_LABEL", "recording_name"],
                rank!["Session_Name_"],
            ],
            Self::Text => &[
                rank!["text", "text_id", "textname", "text_name"],
                rank![
                    "unique_paragraph_id",
                    "page_name",
                    "stimulus",
                    "stimulus_id",
                    "stimulus_name",
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
                rank!["paragraph_id", "paragraph", "page", "page_id", "screen_id"],
                rank!["TRIAL_INDEX", "trial_id", "trialid", "TRIAL_LABEL", "trial", "trial_nr"],
            ],
            Self::Session => &[rank!["session", "session_id", "SESSION_LABEL", "visit", "round"]],
            Self::Trial => &[
                rank!["trial"],
                rank!["TRIAL_INDEX"],
                rank!["unique_trial_id", "trial_id", "trialid", "trial_nr"],
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
            Self::X => &[
                rank!["x_char": Ch, "char_x": Ch, "x [char]": Ch],
                rank![
                    "CURRENT_FIX_X": Px, "x_px": Px, "px_x": Px, "pixel_x": Px, "x_pixel": Px,
                    "xpix": Px, "x [px]": Px, "fixation_position_x": Px, "fixation_point_x": Px,
                    "Fixation point X [DACS px]": Px, "fixation_x": Px, "fix_x": Px, "axp": Px,
                ],
                rank!["x", "xs", "xn", "xpos", "x_pos", "pos_x", "location_x", "mean_x", "gaze_x"],
            ],
            Self::Y => &[
                rank![
                    "CURRENT_FIX_Y": Px, "y_px": Px, "px_y": Px, "pixel_y": Px, "y_pixel": Px,
                    "ypix": Px, "y [px]": Px, "fixation_position_y": Px, "fixation_point_y": Px,
                    "Fixation point Y [DACS px]": Px, "fixation_y": Px, "fix_y": Px, "ayp": Px,
                ],
                rank!["y", "ys", "yn", "ypos", "y_pos", "pos_y", "location_y", "mean_y", "gaze_y"],
            ],
            Self::Line => &[
                rank!["line"],
                rank!["line_number", "linenum", "line_num", "line_id", "line_nr", "line_idx"],
            ],
            Self::Duration => &[
                rank!["duration_ms": Ms, "CURRENT_FIX_DURATION": Ms],
                rank![
                    "fixation_duration_ms": Ms, "dur_ms": Ms, "fix_duration_ms": Ms,
                    "gaze_event_duration_ms": Ms, "fix_dur_ms": Ms, "duration_s": S,
                    "duration_sec": S, "duration [seconds]": S, "fixation_duration_s": S,
                ],
                rank!["dur", "duration", "fixation_duration", "fix_duration", "fix_dur", "fixdur"],
            ],
            Self::Onset => &[
                rank!["onset_ms": Ms, "CURRENT_FIX_START": Ms],
                rank![
                    "start_ms": Ms, "start_time_ms": Ms, "fixation_start_ms": Ms, "onset_s": S,
                    "start_s": S, "start_time_s": S, "onset_sec": S,
                ],
                rank![
                    "onset",
                    "start",
                    "start_time",
                    "fixation_start",
                    "fix_start",
                    "stime",
                    "t_start",
                ],
            ],
            Self::Gap => {
                &[rank!["gap"], rank!["PREVIOUS_SAC_CONTAINS_BLINK", "blink_before", "after_blink"]]
            }
            Self::Eye => &[rank!["eye", "EYE_USED", "EYE_TRACKED", "eye_recorded"]],
            Self::Kind => {
                &[rank!["event_type", "eye_movement_type", "event"], rank!["name", "kind", "type"]]
            }
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
                    "CURRENT_FIX_INTEREST_AREA_ID",
                ],
            ],
            Self::Label => {
                &[rank!["word"], rank!["label", "IA_LABEL", "aoi_label", "aoi", "token"]]
            }
            Self::Start => &[rank!["char_start": Ch], rank!["start_char": Ch, "first_char": Ch]],
            Self::End => &[rank!["char_end": Ch], rank!["end_char": Ch]],
            Self::Left => {
                &[rank!["IA_LEFT": Px, "left": Px, "x_left": Px, "start_x": Px, "xmin": Px]]
            }
            Self::Right => {
                &[rank!["IA_RIGHT": Px, "right": Px, "x_right": Px, "end_x": Px, "xmax": Px]]
            }
            Self::Top => &[rank!["IA_TOP": Px, "top": Px, "y_top": Px, "start_y": Px, "ymin": Px]],
            Self::Bottom => {
                &[rank!["IA_BOTTOM": Px, "bottom": Px, "y_bottom": Px, "end_y": Px, "ymax": Px]]
            }
            Self::Order => &[rank!["trial_order"], rank!["order", "presentation_order"]],
            Self::Group => &[rank!["group"]],
        }
    }
}

/// A choice of the user: a role, perhaps with its unit, and the column for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What for.
    pub role: Role,
    /// What its numbers are in, where the user said so.
    pub unit: Option<Unit>,
    /// The column's name.
    pub column: String,
}

impl Choice {
    /// Reads `role=COLUMN`; the role may have a unit: `x_px`, `x_char`, `duration_s`, `onset_ms`.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let Some((name, column)) = text.split_once('=') else {
            return Err(format!("found {text:?}, expected role=COLUMN, such as reader=subject"));
        };
        let name = name.trim().to_lowercase();
        let units = [("_px", Px), ("_char", Ch), ("_ms", Ms), ("_s", S)];
        let (stem, unit) = units
            .into_iter()
            .find_map(|(end, unit)| Some((name.strip_suffix(end)?, Some(unit))))
            .unwrap_or((&name, None));
        let role = Role::ALL.into_iter().find(|role| role.name() == stem);
        let fits = |role: Role| match unit {
            None => true,
            Some(Ch | Px) => role == Role::X,
            Some(Ms | S) => matches!(role, Role::Duration | Role::Onset),
        };
        match role.filter(|&role| fits(role)) {
            Some(role) => Ok(Self { role, unit, column: column.trim().to_owned() }),
            None => Err(format!(
                "there is no role {name:?}; roles are {}, and x_char, x_px, duration_ms, \
                 duration_s, onset_ms and onset_s to say the unit as well",
                Role::ALL.map(Role::name).join(", ")
            )),
        }
    }
}

/// A column that was found for a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mapped {
    /// What it is for.
    pub role: Role,
    /// Its name.
    pub column: String,
    /// Its place, from 0.
    #[serde(skip)]
    pub index: usize,
    /// What its numbers are in, where that is known from its name.
    pub unit: Option<Unit>,
    /// Why this one.
    pub reason: String,
}

/// The reason of a column that the user chose.
const CHOSEN: &str = "chosen with --map";

impl Mapped {
    /// Whether the user chose it.
    pub fn is_chosen(&self) -> bool {
        self.reason == CHOSEN
    }
}

/// The columns of a table, by role.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Mapping(pub Vec<Mapped>);

impl Mapping {
    /// The column of a role.
    pub fn get(&self, role: Role) -> Option<&Mapped> {
        self.0.iter().find(|mapped| mapped.role == role)
    }

    /// As [`Mapping::find`], for a table beside the fixations: choices may be for other tables.
    ///
    /// # Errors
    /// If several columns may be meant.
    pub fn find_beside(
        header: &[String],
        row: u64,
        roles: &[Role],
        choices: &[Choice],
    ) -> Result<Self, ImportError> {
        let is_here =
            |choice: &&Choice| header.iter().any(|name| plain(name) == plain(&choice.column));
        let choices: Vec<Choice> = choices.iter().filter(is_here).cloned().collect();
        Self::find(header, row, roles, &choices)
    }

    /// Finds columns for roles; a column is used once, by the first role that takes it.
    ///
    /// # Errors
    /// If several columns may be meant, or one that the user chose is not there.
    pub fn find(
        header: &[String],
        row: u64,
        roles: &[Role],
        choices: &[Choice],
    ) -> Result<Self, ImportError> {
        let mut found = Self::default();
        // What the user chose is not to be taken by a role that comes first.
        for choice in choices.iter().filter(|choice| roles.contains(&choice.role)) {
            found.choose(header, row, choice)?;
        }
        for &role in roles {
            if found.get(role).is_none() {
                found.search(header, row, role)?;
            }
        }
        found.0.sort_by_key(|mapped| mapped.role);
        Ok(found)
    }

    fn choose(&mut self, header: &[String], row: u64, choice: &Choice) -> Result<(), ImportError> {
        let exact = |name: &&String| **name == choice.column;
        let alike = |name: &&String| plain(name) == plain(&choice.column);
        let candidates: Vec<usize> = match header.iter().position(|name| exact(&name)) {
            Some(index) => vec![index],
            None => (0..header.len()).filter(|&i| alike(&&header[i])).collect(),
        };
        let [index] = candidates[..] else {
            return Err(ImportError::Value {
                at: At::row(row),
                found: match candidates.len() {
                    0 => format!("the columns {}", header.join(", ")),
                    _ => format!("several columns like {}", choice.column),
                },
                expected: format!("one column {}", choice.column).into(),
                remedy: format!("correct --map {}={}", choice.role.name(), choice.column).into(),
            });
        };
        let column = header[index].clone();
        let reason = CHOSEN.to_owned();
        let unit = choice.unit.or_else(|| implied(choice.role, &column));
        self.0.push(Mapped { role: choice.role, column, index, unit, reason });
        Ok(())
    }

    fn search(&mut self, header: &[String], row: u64, role: Role) -> Result<(), ImportError> {
        let is_free = |index: &usize| self.0.iter().all(|mapped| mapped.index != *index);
        for rank in role.ranks() {
            let alike = |index: &usize| {
                let name = plain(&header[*index]);
                !name.is_empty() && rank.iter().any(|(known, _)| plain(known) == name)
            };
            let all: Vec<usize> = (0..header.len()).filter(is_free).filter(alike).collect();
            let is_exact = |i: &usize| rank.iter().any(|(known, _)| *known == header[*i]);
            let exact: Vec<usize> = all.iter().copied().filter(is_exact).collect();
            let index = match (&all[..], &exact[..]) {
                ([], _) => continue,
                ([index], _) | (_, [index]) => *index,
                _ => {
                    return Err(ImportError::AmbiguousColumn {
                        at: At::row(row),
                        role: role.name(),
                        candidates: all.iter().map(|&i| header[i].clone()).collect(),
                    });
                }
            };
            let column = header[index].clone();
            let reason = match all.len() {
                1 => format!("{column} is a known name for it"),
                _ => format!("{column} is spelt exactly like a known name for it"),
            };
            let unit = implied(role, &column);
            self.0.push(Mapped { role, column, index, unit, reason });
            return Ok(());
        }
        Ok(())
    }

    /// Checks that columns were found for roles.
    ///
    /// # Errors
    /// If not for all.
    pub fn require(&self, header: &[String], row: u64, roles: &[Role]) -> Result<(), ImportError> {
        let lacking = roles.iter().filter(|&&role| self.get(role).is_none());
        let roles: Vec<&'static str> = lacking.map(|role| role.name()).collect();
        if roles.is_empty() {
            return Ok(());
        }
        /// Columns that a message names.
        const NAMED: usize = 40;
        let mut found: Vec<String> = header.iter().take(NAMED).cloned().collect();
        if header.len() > NAMED {
            found.push(format!("{} more", header.len() - NAMED));
        }
        Err(ImportError::MissingColumns { at: At::row(row), roles, found })
    }
}

/// The unit that a column's name implies.
fn implied(role: Role, column: &str) -> Option<Unit> {
    let plain_column = plain(column);
    let mut known = role.ranks().iter().flat_map(|rank| rank.iter());
    known.find(|(name, _)| plain(name) == plain_column).and_then(|(_, unit)| *unit)
}

/// A name without case and signs.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 6] =
        [Role::Reader, Role::Text, Role::Trial, Role::X, Role::Y, Role::Duration];

    fn find(header: &str, choices: &[&str]) -> Result<Vec<(Role, String)>, ImportError> {
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
            let roles: Vec<Role> = find(header, &[]).unwrap().into_iter().map(|f| f.0).collect();
            assert_eq!(
                roles,
                [Role::Reader, Role::Text, Role::X, Role::Y, Role::Duration],
                "{header}"
            );
        }
    }

    #[test]
    fn the_better_rank_and_the_exact_spelling_win() {
        let found = find("subject,RECORDING_SESSION_LABEL,TRIAL_INDEX,trial_index", &[]).unwrap();
        assert_eq!(found[0], (Role::Reader, "subject".to_owned()));
        assert_eq!(found[1], (Role::Text, "TRIAL_INDEX".to_owned()));
        let found = find("text,TRIAL_INDEX", &[]).unwrap();
        assert_eq!(found[1], (Role::Trial, "TRIAL_INDEX".to_owned()));
    }

    #[test]
    fn two_of_one_rank_are_an_error_that_names_them() {
        let error = find("subject,participant,text", &[]).unwrap_err().to_string();
        assert_eq!(
            error,
            "input, row 1: the reader may be in subject or in participant; choose one with --map \
             reader=subject"
        );
        let found = find("subject,participant,text", &["reader=participant"]).unwrap();
        assert_eq!(found[0].1, "participant");
    }

    #[test]
    fn choices_are_checked() {
        assert!(Choice::parse("reader").is_err());
        assert!(Choice::parse("colour=blue").is_err());
        assert!(Choice::parse("reader_px=a").is_err());
        assert_eq!(Choice::parse("x_px=a").unwrap().unit, Some(Unit::Pixels));
        let error = find("a,b", &["reader=c"]).unwrap_err().to_string();
        assert!(error.contains("correct --map reader=c"), "{error}");
    }
}
