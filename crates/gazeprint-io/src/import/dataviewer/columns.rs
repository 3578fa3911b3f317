//! Which column of a report says what.

use std::collections::BTreeMap;

use crate::import::error::{At, ImportError};

/// What a column is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Who reads.
    Reader,
    /// What is read; may be several columns, whose cells are joined with `_`.
    Text,
    /// The session.
    Session,
    /// The trial.
    Trial,
    /// Pixels from the left.
    X,
    /// Pixels from the top.
    Y,
    /// How long a fixation takes, in ms.
    Duration,
    /// When it starts, in ms.
    Onset,
    /// Which eye.
    Eye,
    /// Whether there was a blink before.
    Blink,
    /// The number of the area of a fixation.
    Area,
    /// The numbers of all its areas, as a list.
    Areas,
    /// The box of its area.
    AreaBox,
    /// The label of its area.
    Label,
    /// The area that is nearest, where it is in none.
    Nearest,
    /// How far that is, in degrees.
    Distance,
    /// The number of an area, in the interest-area report.
    WordArea,
    /// Its label.
    WordLabel,
    /// Its edges.
    Left,
    /// The right edge.
    Right,
    /// The top edge.
    Top,
    /// The bottom edge.
    Bottom,
    /// The width of an area, where the report has no right edge.
    Width,
    /// The height of an area, where the report has no bottom edge.
    Height,
    /// A word of a map from characters to words.
    Word,
    /// The numbers of its characters' areas, as a list.
    Characters,
}

/// Columns that a person chose, or an earlier stage, by role.
pub type Chosen = BTreeMap<Role, Vec<String>>;

impl Role {
    /// The name used in messages and in `--map`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Text => "text",
            Self::Session => "session",
            Self::Trial => "trial",
            Self::X => "x",
            Self::Y => "y",
            Self::Duration => "duration",
            Self::Onset => "onset",
            Self::Eye => "eye",
            Self::Blink => "blink",
            Self::Area => "area",
            Self::Areas => "areas",
            Self::AreaBox => "area_box",
            Self::Label => "area_label",
            Self::Nearest => "nearest_area",
            Self::Distance => "nearest_distance",
            Self::WordArea => "word_area",
            Self::WordLabel => "word_label",
            Self::Left => "left",
            Self::Right => "right",
            Self::Top => "top",
            Self::Bottom => "bottom",
            Self::Width => "width",
            Self::Height => "height",
            Self::Word => "word",
            Self::Characters => "characters",
        }
    }

    /// The usual columns, best first. Several names with `+` are one key.
    const fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Reader => &[
                "participant_id",
                "RECORDING_SESSION_LABEL",
                "subject_id",
                "subject",
                "participant",
            ],
            Self::Text => &[
                "unique_paragraph_id",
                "page_name",
                "speechid+paragraphid",
                "text_id",
                "text",
                "item_id",
                "item",
                "sentence_id",
                "story",
                "page",
            ],
            Self::Session => &["session", "session_id"],
            Self::Trial => &["TRIAL_INDEX", "Trial_Index_", "trial"],
            Self::X => &["CURRENT_FIX_X"],
            Self::Y => &["CURRENT_FIX_Y"],
            Self::Duration => &["CURRENT_FIX_DURATION"],
            Self::Onset => &["CURRENT_FIX_START"],
            Self::Eye => &["EYE_USED", "EYE_TRACKED"],
            Self::Blink => &["PREVIOUS_SAC_CONTAINS_BLINK", "CURRENT_FIX_BLINK_AROUND"],
            Self::Area => &["CURRENT_FIX_INTEREST_AREA_ID"],
            Self::Areas => &["CURRENT_FIX_INTEREST_AREAS"],
            Self::AreaBox => &["CURRENT_FIX_INTEREST_AREA_DATA"],
            Self::Label => &["CURRENT_FIX_INTEREST_AREA_LABEL"],
            Self::Nearest => &["CURRENT_FIX_NEAREST_INTEREST_AREA"],
            Self::Distance => &["CURRENT_FIX_NEAREST_INTEREST_AREA_DISTANCE"],
            Self::WordArea => &["IA_ID", "word_idx", "word_index", "aoi_idx", "aoi_index"],
            Self::WordLabel => &["IA_LABEL", "word", "label", "content", "aoi"],
            Self::Left => &["IA_LEFT", "start_x", "top_left_x", "x_min"],
            Self::Right => &["IA_RIGHT", "end_x", "x_max"],
            Self::Top => &["IA_TOP", "start_y", "top_left_y", "y_min"],
            Self::Bottom => &["IA_BOTTOM", "end_y", "y_max"],
            Self::Width => &["width"],
            Self::Height => &["height"],
            Self::Word => &["word"],
            Self::Characters => &["char_IA_ids"],
        }
    }
}

/// The columns of a header.
pub(in crate::import) struct Finder<'h> {
    header: &'h [String],
    chosen: &'h Chosen,
    missing: Vec<&'static str>,
    used: Vec<String>,
}

impl<'h> Finder<'h> {
    pub(in crate::import) fn new(header: &'h [String], chosen: &'h Chosen) -> Self {
        Self { header, chosen, missing: Vec::new(), used: Vec::new() }
    }

    /// The columns of a role, none where there are none.
    pub(in crate::import) fn all(&mut self, role: Role) -> Result<Vec<usize>, ImportError> {
        let found = match self.chosen.get(&role) {
            Some(names) => self.named(role, names)?,
            None => self.usual(role),
        };
        if !found.is_empty() {
            let names: Vec<_> = found.iter().map(|&at| self.header[at].as_str()).collect();
            self.used.push(format!("{} from {}", role.name(), names.join(" and ")));
        }
        Ok(found)
    }

    /// The column of a role.
    pub(in crate::import) fn one(&mut self, role: Role) -> Result<Option<usize>, ImportError> {
        Ok(self.all(role)?.first().copied())
    }

    /// The column of a role that must be there; [`Self::done`] then says what is missing.
    pub(in crate::import) fn required(&mut self, role: Role) -> Result<usize, ImportError> {
        let found = self.one(role)?;
        if found.is_none() {
            self.missing.push(role.name());
        }
        Ok(found.unwrap_or(usize::MAX))
    }

    /// Says which columns are used, or which are missing.
    pub(in crate::import) fn done(self) -> Result<String, ImportError> {
        if self.missing.is_empty() {
            return Ok(self.used.join(", "));
        }
        let found = self.header.to_vec();
        Err(ImportError::MissingColumns { at: At::row(1), roles: self.missing, found })
    }

    /// Counts a role as missing.
    pub(in crate::import) fn lacks(&mut self, role: Role) {
        self.missing.push(role.name());
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column.trim().eq_ignore_ascii_case(name.trim()))
    }

    fn named(&self, role: Role, names: &[String]) -> Result<Vec<usize>, ImportError> {
        let positions = names.iter().map(|name| {
            self.position(name).ok_or_else(|| ImportError::Value {
                at: At::cell(1, name.as_str()),
                found: format!("no such column, but {}", self.header.join(", ")),
                expected: format!("a column for the {}", role.name()).into(),
                remedy: "correct the name".into(),
            })
        });
        positions.collect()
    }

    fn usual(&self, role: Role) -> Vec<usize> {
        let keys = role.usual().iter().map(|key| {
            key.split('+').map(|name| self.position(name)).collect::<Option<Vec<usize>>>()
        });
        keys.flatten().next().unwrap_or_default()
    }
}
