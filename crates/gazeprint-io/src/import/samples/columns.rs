//! Which column of a samples table holds what, and in which unit.

use super::super::aliases::{
    Choice, ColumnRole, LEFT_EYE, Mapped, Mapping, RIGHT_EYE, Unit, plain,
};
use super::super::error::{At, ImportError};
use super::super::gaze::{EyeChoice, GazeOptions};
use super::super::recording::{Eye, Position, Reason};
use super::super::setting::{Phrase, Setting, phrase};
use super::super::table::{Numbers, Places};
use super::super::validity::Valid;
use super::super::values::{self, is_missing, is_nowhere, number, pair};
use super::marks::{self, Read};
use crate::table::{Row, Rows};

const ROLES: [ColumnRole; 10] = [
    ColumnRole::Time,
    ColumnRole::Reader,
    ColumnRole::Text,
    ColumnRole::Session,
    ColumnRole::Trial,
    ColumnRole::Eye,
    ColumnRole::Validity,
    ColumnRole::Location,
    ColumnRole::X,
    ColumnRole::Y,
];

/// Columns of GazeBase that tell it from other tables.
const GAZEBASE: [&str; 6] = ["n", "x", "y", "val", "dp", "lab"];

/// Columns of the BioEye 2015 competition that tell it from other tables.
const BIOEYE: [&str; 4] = ["sample", "xdegree", "ydegree", "validity"];

/// Columns that count samples, and do not time them.
const COUNTERS: [&str; 3] = ["sample", "sampleindex", "samplenumber"];

/// Beyond this no position is one.
const LARGEST: f64 = 1e7;

/// The columns of a table, by their place in a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Columns {
    clock: Clock,
    /// What times are in, where the column tells.
    pub(super) time_unit: Option<Unit>,
    place: Place,
    /// Of what positions are parts, where they are parts of the screen.
    parts: Option<Places>,
    /// Pixels or degrees.
    pub(super) unit: Unit,
    /// How that is known.
    pub(super) unit_reason: &'static str,
    pub(super) reader: Option<usize>,
    pub(super) text: Option<usize>,
    pub(super) session: Option<usize>,
    pub(super) trial: Option<usize>,
    /// Marks good samples.
    validity: Option<usize>,
    /// What the column of marks is called.
    pub(super) validity_name: String,
    /// What marks mean, where that is known.
    pub(super) marks: Read,
    /// Whose position it is, where the column's name tells.
    pub(super) eye: Option<Eye>,
    /// Says whose position is in a row.
    eye_of_row: Option<usize>,
    /// What the column of times is called.
    pub(super) time_name: String,
    /// The columns are those of GazeBase.
    pub(super) is_gazebase: bool,
    /// Decimals follow a comma.
    pub(super) comma: bool,
}

/// What tells when a sample was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Clock {
    /// A column of times.
    Times(usize),
    /// A column that counts samples, which come so many milliseconds apart.
    Counts(usize, f64),
    /// The order of the rows, of samples that come so many milliseconds apart.
    Rows(f64),
}

impl Clock {
    fn column(self) -> Option<usize> {
        match self {
            Self::Times(column) | Self::Counts(column, _) => Some(column),
            Self::Rows(_) => None,
        }
    }
}

/// Where the position is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// In a cell each.
    Apart { x: usize, y: usize },
    /// In one cell, as a list.
    Together(usize),
}

/// What a row says.
pub(super) struct Cells {
    pub(super) time: f64,
    /// NaN where it is missing.
    pub(super) x: f64,
    pub(super) y: f64,
    /// The mark of validity, where there is one.
    pub(super) mark: Option<f64>,
}

impl Columns {
    /// Finds the columns, those that were chosen first, and of both eyes those of the one asked for.
    pub(super) fn find(
        rows: &mut Rows<'_>,
        choices: &[Choice],
        gaze: &GazeOptions,
    ) -> Result<(Self, Mapping), ImportError> {
        let (asked, rate_hz) = (gaze.eye, gaze.rate_hz);
        let (header, row) = (&rows.header, rows.header_row);
        let preferences = match asked {
            EyeChoice::Left => LEFT_EYE,
            EyeChoice::Right => RIGHT_EYE,
            EyeChoice::Best => &[],
        };
        let mut mapping = Mapping::find_preferring(header, row, &ROLES, choices, preferences)?;
        settle_position(&mut mapping, row)?;
        let eye = eye(&mapping, asked, row)?;
        let together = mapping.get(ColumnRole::Location).map(|mapped| mapped.index);
        let place: &[ColumnRole] = match together {
            Some(_) => &[],
            None => &[ColumnRole::X, ColumnRole::Y],
        };
        // Where the rate is given, the order of the rows will do.
        let time: &[ColumnRole] = if rate_hz.is_some() { &[] } else { &[ColumnRole::Time] };
        mapping.require(header, row, &[time, place].concat())?;
        let has = |name: &&str| header.iter().any(|column| plain(column) == **name);
        let is_gazebase = GAZEBASE.iter().all(has);
        let documented = match is_gazebase {
            true => Some((0.0, "as published for GazeBase")),
            false => BIOEYE.iter().all(has).then_some((1.0, "as published for BioEye 2015")),
        };
        let mut marks = marks::find(rows, &mut mapping, eye, gaze.valid)?;
        marks.documented = documented.or(marks.documented);
        let (unit, unit_reason) = unit(&mapping, is_gazebase, row)?;
        let parts = match mapping.get(ColumnRole::X) {
            Some(x) if x.unit == Some(Unit::Fractions) => {
                let numbers = Numbers::of(rows, &mapping)?;
                Some(Places::fractions(x, row, &numbers, gaze.screen_px, gaze.y_up)?)
            }
            _ => None,
        };
        let place = |role| mapping.get(role).map(|mapped| mapped.index);
        let required = |role| place(role).unwrap_or(usize::MAX);
        let clock = clock(&mapping, rate_hz.filter(|_| !is_gazebase), row)?;
        let mut columns = Self {
            clock,
            time_unit: match clock {
                Clock::Times(_) => mapping.get(ColumnRole::Time).and_then(|time| time.unit),
                Clock::Counts(..) | Clock::Rows(_) => Some(Unit::Milliseconds),
            },
            place: match together {
                Some(column) => Place::Together(column),
                None => Place::Apart { x: required(ColumnRole::X), y: required(ColumnRole::Y) },
            },
            parts,
            unit,
            unit_reason,
            reader: place(ColumnRole::Reader),
            text: place(ColumnRole::Text),
            session: place(ColumnRole::Session),
            trial: place(ColumnRole::Trial),
            validity: place(ColumnRole::Validity),
            validity_name: mapping
                .get(ColumnRole::Validity)
                .map_or_else(String::new, |mapped| mapped.column.clone()),
            marks,
            eye,
            eye_of_row: place(ColumnRole::Eye),
            time_name: mapping
                .get(ColumnRole::Time)
                .map_or_else(String::new, |mapped| mapped.column.clone()),
            is_gazebase,
            comma: false,
        };
        columns.comma = columns.has_commas(rows)?;
        Ok((columns, mapping))
    }

    /// Whether numbers of the first rows have a comma.
    fn has_commas(&self, rows: &mut Rows<'_>) -> Result<bool, ImportError> {
        let mut has = false;
        let Place::Apart { x, y } = self.place else { return Ok(false) };
        rows.sample(|row| {
            has |= self.clock.column().into_iter().chain([x, y]).any(|column| {
                let cell = row.cell(column);
                cell.contains(',') && number(cell, true).is_some()
            });
        })?;
        Ok(has)
    }

    /// Where samples are good, in words.
    pub(super) fn good_where(&self, valid: &Valid) -> String {
        let (column, Valid { mark, reason, .. }) = (&self.validity_name, valid);
        match self.marks.least {
            Some(least) => format!("good where {column} is {least} or more, {reason}"),
            None => format!("good where {column} is {mark}: {reason}"),
        }
    }

    /// Whether times follow from a rate that was given.
    pub(super) fn is_counted(&self) -> bool {
        !matches!(self.clock, Clock::Times(_))
    }

    /// What the row of that number says, which is counted from 0.
    pub(super) fn read(&self, row: Row<'_>, number: u64) -> Result<Cells, Reason> {
        let time = match self.clock {
            Clock::Times(column) => self.number(row, column),
            Clock::Counts(column, step) => self.number(row, column).map(|count| step * count),
            Clock::Rows(step) => Some(step * number as f64),
        };
        // Hundreds of years, in nanoseconds: it keeps differences finite.
        let time = time.filter(|time| time.abs() <= 1e19).ok_or(Reason::NOT_A_NUMBER)?;
        let (x, y) = self.position(row).ok_or(Reason::NOT_A_NUMBER)?;
        let mark = match self.validity {
            Some(column) => {
                let mark = self.marks.mark(row.cell(column), self.comma);
                mark.map_err(|()| Reason::NOT_A_NUMBER)?
            }
            None => None,
        };
        Ok(Cells { time, x, y, mark })
    }

    /// Whose position is in a row, where a column says so.
    pub(super) fn eye_in(&self, row: Row<'_>) -> Option<Eye> {
        values::eye(row.cell(self.eye_of_row?))
    }

    fn number(&self, row: Row<'_>, column: usize) -> Option<f64> {
        number(row.cell(column), self.comma)
    }

    /// The position of a row, NaN where it is missing; `None` where cells are not what they should
    /// be.
    fn position(&self, row: Row<'_>) -> Option<(f64, f64)> {
        let (x, y) = match self.place {
            Place::Apart { x, y } => (row.cell(x), row.cell(y)),
            Place::Together(column) => {
                let cell = row.cell(column);
                if is_missing(cell) {
                    return Some((f64::NAN, f64::NAN));
                }
                // A list of more than two has both eyes, and does not say which to take.
                let [x, y] = pair(cell)?;
                (x, y)
            }
        };
        let coordinate = |cell: &str| match number(cell, self.comma) {
            Some(value) => Some(value).filter(|value| value.abs() <= LARGEST),
            None => is_missing(cell).then_some(f64::NAN),
        };
        let (x, y) = (coordinate(x)?, coordinate(y)?);
        let parts = self.parts.filter(|_| !is_nowhere(x, y));
        let (x, y) = match parts.map(|parts| parts.pixels(x, y)) {
            Some(Position::Pixels { x, y }) => (x, y),
            _ => (x, y),
        };
        Some(if x.is_nan() || y.is_nan() { (f64::NAN, f64::NAN) } else { (x, y) })
    }
}

/// What tells the time. Where samples are counted alone, it needs the rate.
fn clock(mapping: &Mapping, rate_hz: Option<f64>, row: u64) -> Result<Clock, ImportError> {
    let step = rate_hz.map(|rate| 1000.0 / rate);
    let Some(time) = mapping.get(ColumnRole::Time) else {
        return Ok(Clock::Rows(step.unwrap_or(1.0)));
    };
    let name = plain(&time.column);
    let is_counter = COUNTERS.contains(&name.as_str()) && time.unit.is_none();
    match step {
        Some(step) if is_counter || name == "n" => Ok(Clock::Counts(time.index, step)),
        None if is_counter => Err(ImportError::value(
            At::cell(row, &time.column),
            "a count of samples, and no times",
            "how many samples there are a second",
            phrase![
                "say it with ",
                Setting::Rate,
                " N, or name the column of times with ",
                Phrase::choice("time", "COLUMN")
            ],
        )),
        _ => Ok(Clock::Times(time.index)),
    }
}

/// Keeps the list of both coordinates, or a column for each: what was chosen, or what there is.
fn settle_position(mapping: &mut Mapping, row: u64) -> Result<(), ImportError> {
    let (list, x) = (mapping.get(ColumnRole::Location), mapping.get(ColumnRole::X));
    let drop_list = match (list, x) {
        (Some(list), Some(x)) if list.is_chosen == x.is_chosen => {
            let candidates = vec![x.column.clone(), list.column.clone()];
            return Err(ImportError::ambiguous(At::row(row), ColumnRole::X.name(), candidates));
        }
        (Some(_), Some(x)) => x.is_chosen,
        _ => return Ok(()),
    };
    let is_kept = |mapped: &Mapped| match mapped.role {
        ColumnRole::Location => !drop_list,
        ColumnRole::X | ColumnRole::Y => drop_list,
        _ => true,
    };
    mapping.0.retain(is_kept);
    Ok(())
}

/// Whose position it is, where the column's name tells. It must be the eye that is asked for, unless
/// the user chose the column as well.
fn eye(mapping: &Mapping, asked: EyeChoice, row: u64) -> Result<Option<Eye>, ImportError> {
    let column = mapping.get(ColumnRole::Location).or_else(|| mapping.get(ColumnRole::X));
    let Some(column) = column else { return Ok(None) };
    let name = plain(&column.column);
    let eye = match (name.contains("left"), name.contains("right")) {
        (true, false) => Some(Eye::Left),
        (false, true) => Some(Eye::Right),
        _ if name.ends_with("xl") => Some(Eye::Left),
        _ if name.ends_with("xr") => Some(Eye::Right),
        _ => None,
    };
    match eye {
        Some(eye) if !asked.allows(eye) && !column.is_chosen => Err(ImportError::value(
            At::cell(row, &column.column),
            format!("positions of the {} eye only", format!("{eye:?}").to_lowercase()),
            phrase!["those of the eye that ", Setting::Eye, " asks for"],
            phrase!["ask for this eye, or name the column with ", Phrase::choice("x", "COLUMN")],
        )),
        eye => Ok(eye),
    }
}

/// What positions are in, and how that is known.
fn unit(
    mapping: &Mapping,
    is_gazebase: bool,
    row: u64,
) -> Result<(Unit, &'static str), ImportError> {
    let column = mapping.get(ColumnRole::Location).or_else(|| mapping.get(ColumnRole::X));
    match column.and_then(|column| column.unit) {
        Some(unit @ (Unit::Pixels | Unit::Degrees)) => Ok((unit, "by their columns")),
        Some(Unit::Fractions) => Ok((Unit::Pixels, "from parts of the screen, by their columns")),
        None if is_gazebase => Ok((Unit::Degrees, "by their columns, which are those of GazeBase")),
        _ => {
            let (role, name) = match column {
                Some(column) => (column.role.name(), column.column.as_str()),
                None => (ColumnRole::X.name(), "COLUMN"),
            };
            let advice = phrase![
                "say which with ",
                Phrase::choice(format!("{role}_px"), name),
                " or ",
                Phrase::choice(format!("{role}_deg"), name)
            ];
            let parts = phrase![
                "; for parts of the screen, give its size as well: ",
                Phrase::choice("x_norm", name),
                " ",
                Setting::ScreenPixels,
                " WIDTHxHEIGHT"
            ];
            let is_x = role == ColumnRole::X.name();
            Err(ImportError::value(
                At::cell(row, name),
                "positions without a unit",
                "pixels or degrees",
                if is_x { advice.and(parts) } else { advice },
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &[&str], choices: &[&str]) -> Result<Columns, String> {
        find_eye(header, choices, EyeChoice::Best)
    }

    fn find_eye(header: &[&str], choices: &[&str], eye: EyeChoice) -> Result<Columns, String> {
        let text = header.join(";") + "\n";
        let mut input = text.as_bytes();
        let mut rows = Rows::open(&mut input, "rows").unwrap();
        let choices: Vec<Choice> = choices.iter().map(|c| Choice::parse(c).unwrap()).collect();
        let gaze = GazeOptions { eye, ..GazeOptions::default() };
        let found = Columns::find(&mut rows, &choices, &gaze);
        found.map(|found| found.0).map_err(|error| error.to_string())
    }

    #[test]
    fn known_tables_are_known() {
        let gazebase = find(&["n", "x", "y", "val", "xT", "yT", "dP", "lab"], &[]).unwrap();
        assert!(gazebase.is_gazebase);
        let expected = (Clock::Times(0), Place::Apart { x: 1, y: 2 });
        assert_eq!((gazebase.clock, gazebase.place), expected);
        assert_eq!((gazebase.unit, gazebase.validity), (Unit::Degrees, Some(3)));
        let frame = find(&["time", "x_pix", "y_pix", "subject_id"], &[]).unwrap();
        assert_eq!((frame.unit, frame.reader), (Unit::Pixels, Some(3)));
        let nested = find(&["time", "position"], &[]).unwrap();
        assert_eq!((nested.place, nested.unit), (Place::Together(1), Unit::Degrees));
        let error = find(&["TIME", "X", "Y"], &[]).unwrap_err();
        assert!(error.contains("`choices` x_px=X or `choices` x_deg=X"), "{error}");
    }

    #[test]
    fn what_is_not_clear_is_asked() {
        let problem = find(&["time", "t", "x_px", "y_px"], &[]).unwrap_err();
        assert!(problem.contains("time or in t"), "{problem}");
        let problem = find(&["time", "pixel_xl", "pixel_yl", "pixel_xr"], &[]).unwrap_err();
        assert!(problem.contains("pixel_xl or in pixel_xr"), "{problem}");
        // Fixations are in pixels.
        let pixels = find(&["time", "x_px", "y_px", "x_deg", "y_deg"], &[]).unwrap();
        assert_eq!((pixels.unit, pixels.place), (Unit::Pixels, Place::Apart { x: 1, y: 2 }));
        let problem = find(&["time", "x_px", "y_px", "position"], &[]).unwrap_err();
        assert!(problem.contains("x_px or in position"), "{problem}");
        assert!(find(&["x_px", "y_px"], &[]).is_err());
        assert!(find(&["time", "x_px"], &[]).is_err());
    }

    #[test]
    fn of_both_eyes_the_one_asked_for_is_taken() {
        let (left, right) = (EyeChoice::Left, EyeChoice::Right);
        for header in [
            ["time", "pixel_xl", "pixel_yl", "pixel_xr", "pixel_yr"],
            ["time", "x_left_pix", "y_left_pix", "x_right_pix", "y_right_pix"],
            ["time", "position_xl", "position_yl", "position_xr", "position_yr"],
        ] {
            let found = find_eye(&header, &[], left).unwrap();
            assert_eq!((found.place, found.eye), (Place::Apart { x: 1, y: 2 }, Some(Eye::Left)));
            let found = find_eye(&header, &[], right).unwrap();
            assert_eq!((found.place, found.eye), (Place::Apart { x: 3, y: 4 }, Some(Eye::Right)));
            assert!(find(&header, &[]).is_err());
            let problem = find_eye(&header[..3], &[], right).unwrap_err();
            assert!(problem.contains("of the left eye only"), "{problem}");
            assert_eq!(find(&header[..3], &[]).unwrap().eye, Some(Eye::Left));
            let choice = format!("x={}", header[1]);
            assert_eq!(find_eye(&header, &[&choice], right).unwrap().eye, Some(Eye::Left));
        }
        // A name that does not tell leaves the eye open.
        assert_eq!(find_eye(&["time", "x_px", "y_px"], &[], left).unwrap().eye, None);
    }

    #[test]
    fn what_was_given_counts() {
        let header = ["clock", "t", "x_px", "y_px", "x_deg", "y_deg"];
        let columns = find(&header, &["time=clock", "x=x_deg", "y=y_deg"]).unwrap();
        assert_eq!((columns.clock, columns.unit), (Clock::Times(0), Unit::Degrees));
        assert_eq!(columns.place, Place::Apart { x: 4, y: 5 });
        // Y goes with x.
        let half = find(&header, &["time=clock", "x=x_deg"]).unwrap();
        assert_eq!(half.place, Place::Apart { x: 4, y: 5 });
        let lone = ["clock", "t", "x_px", "y_px", "left"];
        assert!(find(&lone, &["y=left", "x=clock", "time=t"]).is_err());
        assert!(find(&header, &["time=when"]).is_err());
        let list = find(&["time", "x_px", "y_px", "position"], &["location=position"]).unwrap();
        assert_eq!(list.place, Place::Together(3));
    }
}
