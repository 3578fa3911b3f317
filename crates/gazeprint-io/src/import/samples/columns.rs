//! Which column of a samples table holds what.

use csv::StringRecord;

use super::{Roles, Unit};

/// Names of columns that are known, in small letters.
const TIME: [&str; 12] = [
    "time",
    "time_ms",
    "time_s",
    "time_us",
    "timestamp",
    "timestamp_ms",
    "timestamp_us",
    "t",
    "n",
    "recording_time",
    "sample_time",
    "recording timestamp",
];
const READER: [&str; 8] = [
    "reader",
    "reader_id",
    "participant",
    "participant_id",
    "subject",
    "subject_id",
    "subid",
    "recording_session_label",
];
const TEXT: [&str; 8] =
    ["text", "text_id", "item", "item_id", "sentence", "sentence_id", "passage", "passage_id"];
const SESSION: [&str; 2] = ["session", "session_id"];
const TRIAL: [&str; 3] = ["trial", "trial_id", "trial_index"];
const VALIDITY: [&str; 2] = ["val", "validity"];

/// Columns of positions: names of x and y, and their unit where the name tells it. Two names that
/// are the same are a cell with both, such as `[512.3, 384.0]`.
const PLACES: [(&str, &str, Option<Unit>); 18] = [
    ("pixel", "pixel", Some(Unit::Pixels)),
    ("pixel_x", "pixel_y", Some(Unit::Pixels)),
    ("pixel_xa", "pixel_ya", Some(Unit::Pixels)),
    ("pixel_xr", "pixel_yr", Some(Unit::Pixels)),
    ("pixel_xl", "pixel_yl", Some(Unit::Pixels)),
    ("x_pix", "y_pix", Some(Unit::Pixels)),
    ("x_right_pix", "y_right_pix", Some(Unit::Pixels)),
    ("x_left_pix", "y_left_pix", Some(Unit::Pixels)),
    ("x_px", "y_px", Some(Unit::Pixels)),
    ("position", "position", Some(Unit::Degrees)),
    ("position_x", "position_y", Some(Unit::Degrees)),
    ("position_xa", "position_ya", Some(Unit::Degrees)),
    ("position_xr", "position_yr", Some(Unit::Degrees)),
    ("position_xl", "position_yl", Some(Unit::Degrees)),
    ("x_deg", "y_deg", Some(Unit::Degrees)),
    ("x_dva", "y_dva", Some(Unit::Degrees)),
    ("gaze_x", "gaze_y", None),
    ("x", "y", None),
];

/// The columns of a table, by their place in a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    pub(super) time: usize,
    pub(super) x: usize,
    pub(super) y: usize,
    /// What the names tell about positions.
    pub(super) unit: Option<Unit>,
    pub(super) reader: Option<usize>,
    pub(super) text: Option<usize>,
    pub(super) session: Option<usize>,
    pub(super) trial: Option<usize>,
    /// Zero where the sample is good.
    pub(super) validity: Option<usize>,
    /// The columns are those of GazeBase.
    pub(super) is_gazebase: bool,
}

/// What is wrong with the columns: what was found, what was expected, and how to go on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Problem {
    pub(super) found: String,
    pub(super) expected: &'static str,
    pub(super) remedy: String,
}

impl Columns {
    /// Finds the columns in the names, those that were given first.
    pub(super) fn find(header: &StringRecord, given: &Roles) -> Result<Self, Problem> {
        let names: Vec<String> =
            header.iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        let finder = Finder { names: &names, header };
        let is_gazebase =
            ["n", "x", "y", "val", "dp", "lab"].iter().all(|name| finder.index(name).is_some());
        let (x, y, unit) = finder.places(given)?;
        let unit = if is_gazebase && unit.is_none() { Some(Unit::Degrees) } else { unit };
        Ok(Self {
            time: finder.required(given.time.as_deref(), "time", &TIME)?,
            x,
            y,
            unit,
            reader: finder.optional(given.reader.as_deref(), "reader", &READER)?,
            text: finder.optional(given.text.as_deref(), "text", &TEXT)?,
            session: finder.optional(given.session.as_deref(), "session", &SESSION)?,
            trial: finder.optional(given.trial.as_deref(), "trial", &TRIAL)?,
            validity: finder.optional(given.validity.as_deref(), "validity", &VALIDITY)?,
            is_gazebase,
        })
    }
}

struct Finder<'n> {
    names: &'n [String],
    header: &'n StringRecord,
}

impl Finder<'_> {
    fn index(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The column with exactly the name that was given.
    fn given(&self, name: &str) -> Result<usize, Problem> {
        self.index(&name.trim().to_ascii_lowercase()).ok_or_else(|| Problem {
            found: format!("the columns {}", self.listed()),
            expected: "the column that was named",
            remedy: format!("there is no column {name:?}; correct its name"),
        })
    }

    fn optional(
        &self,
        given: Option<&str>,
        role: &'static str,
        known: &[&str],
    ) -> Result<Option<usize>, Problem> {
        if let Some(name) = given {
            return self.given(name).map(Some);
        }
        let found: Vec<usize> =
            (0..self.names.len()).filter(|&i| known.contains(&self.names[i].as_str())).collect();
        match found[..] {
            [] => Ok(None),
            [column] => Ok(Some(column)),
            _ => Err(self.ambiguous(role, &found)),
        }
    }

    fn required(
        &self,
        given: Option<&str>,
        role: &'static str,
        known: &[&str],
    ) -> Result<usize, Problem> {
        self.optional(given, role, known)?.ok_or_else(|| Problem {
            found: format!("the columns {}", self.listed()),
            expected: "a column with times",
            remedy: format!("name it with --map {role}=COLUMN"),
        })
    }

    fn ambiguous(&self, role: &str, found: &[usize]) -> Problem {
        let names: Vec<&str> = found.iter().filter_map(|&i| self.header.get(i)).collect();
        Problem {
            found: format!("several columns that may be the {role}: {}", names.join(", ")),
            expected: "one",
            remedy: format!("choose one with --map {role}=COLUMN"),
        }
    }

    /// Columns of x and y with their unit.
    fn places(&self, given: &Roles) -> Result<(usize, usize, Option<Unit>), Problem> {
        if let (Some(x), Some(y)) = (&given.x, &given.y) {
            let unit = PLACES
                .iter()
                .find(|place| place.0.eq_ignore_ascii_case(x.trim()))
                .and_then(|place| place.2);
            return Ok((self.given(x)?, self.given(y)?, unit));
        }
        if given.x.is_some() || given.y.is_some() {
            return Err(Problem {
                found: "only one of the columns x and y by name".to_owned(),
                expected: "both or none",
                remedy: "name them with --map x=COLUMN and --map y=COLUMN".to_owned(),
            });
        }
        let found: Vec<_> = PLACES
            .iter()
            .filter_map(|(x, y, unit)| Some((self.index(x)?, self.index(y)?, *unit)))
            .collect();
        match found[..] {
            [] => Err(Problem {
                found: format!("the columns {}", self.listed()),
                expected: "columns with positions, such as x_pix and y_pix",
                remedy: "name them with --map x=COLUMN and --map y=COLUMN".to_owned(),
            }),
            [place] => Ok(place),
            _ => {
                let columns: Vec<usize> = found.iter().map(|place| place.0).collect();
                let mut problem = self.ambiguous("x", &columns);
                problem.remedy.push_str(" and --map y=COLUMN");
                Err(problem)
            }
        }
    }

    /// The names, not more than fit into a message.
    fn listed(&self) -> String {
        let mut names: Vec<String> =
            self.header.iter().take(20).map(|name| name.chars().take(40).collect()).collect();
        if self.header.len() > names.len() {
            names.push(format!("and {} more", self.header.len() - names.len()));
        }
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &[&str]) -> Result<Columns, Problem> {
        Columns::find(&StringRecord::from(header), &Roles::default())
    }

    #[test]
    fn known_tables_are_known() {
        let gazebase = find(&["n", "x", "y", "val", "xT", "yT", "dP", "lab"]).unwrap();
        assert!(gazebase.is_gazebase);
        assert_eq!((gazebase.time, gazebase.x, gazebase.y), (0, 1, 2));
        assert_eq!((gazebase.unit, gazebase.validity), (Some(Unit::Degrees), Some(3)));
        let frame = find(&["time", "x_pix", "y_pix", "subject_id"]).unwrap();
        assert_eq!((frame.unit, frame.reader), (Some(Unit::Pixels), Some(3)));
        let nested = find(&["time", "position"]).unwrap();
        assert_eq!((nested.x, nested.y, nested.unit), (1, 1, Some(Unit::Degrees)));
        assert_eq!(find(&["TIME", "X", "Y"]).unwrap().unit, None);
    }

    #[test]
    fn what_is_not_clear_is_asked() {
        let problem = find(&["time", "t", "x", "y"]).unwrap_err();
        assert!(problem.found.ends_with("time, t"), "{problem:?}");
        let problem = find(&["time", "x_px", "y_px", "x_deg", "y_deg"]).unwrap_err();
        assert!(problem.found.ends_with("x_px, x_deg"), "{problem:?}");
        assert!(find(&["x", "y"]).is_err());
        assert!(find(&["time", "x"]).is_err());
    }

    #[test]
    fn what_was_given_counts() {
        let header = StringRecord::from(vec!["clock", "t", "x_px", "y_px", "x_deg", "y_deg"]);
        let name = |name: &str| Some(name.to_owned());
        let given =
            Roles { time: name("clock"), x: name("x_deg"), y: name("y_deg"), ..Roles::default() };
        let columns = Columns::find(&header, &given).unwrap();
        assert_eq!((columns.time, columns.x, columns.unit), (0, 4, Some(Unit::Degrees)));
        let half = Roles { y: None, ..given.clone() };
        assert!(Columns::find(&header, &half).is_err());
        let wrong = Roles { time: name("when"), ..given };
        assert!(Columns::find(&header, &wrong).is_err());
    }
}
