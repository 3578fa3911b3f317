//! The columns of kinematics, in every table of fixations.

use gazeprint::kinematics::Kinematics;

use crate::cell::CorpusRow;
use crate::corpus_table::{Column, CorpusTable};
use crate::error::ReadError;
use crate::frame::Frame;

/// Where the eye is on the page.
pub(crate) const PLACE: [&str; 2] = ["x_deg", "y_deg"];

/// The values of [`Kinematics`], in their order.
pub(crate) const KINEMATICS: [&str; 9] = [
    "sac_dx_deg",
    "sac_dy_deg",
    "sac_duration_ms",
    "sac_peak_velocity",
    "sac_skew",
    "fix_sd_x_deg",
    "fix_sd_y_deg",
    "fix_drift_x",
    "fix_drift_y",
];

/// What was measured of a fixation.
pub(crate) type Measures = (Option<[f32; 2]>, Kinematics);

/// The columns of kinematics that a table has.
pub(crate) struct MeasureColumns {
    place: Option<[Column; 2]>,
    values: [Option<Column>; KINEMATICS.len()],
}

impl MeasureColumns {
    pub(crate) fn of(table: &CorpusTable) -> Result<Self, ReadError> {
        let mut values = [None; KINEMATICS.len()];
        for (value, name) in values.iter_mut().zip(KINEMATICS) {
            *value = table.optional(name)?;
        }
        let [x, y] = PLACE;
        let place = match (table.optional(x)?, table.optional(y)?) {
            (None, None) => None,
            _ => Some([table.required(x)?, table.required(y)?]),
        };
        Ok(Self { place, values })
    }

    /// Whether fixations have places on pages whose words are unknown.
    pub(crate) fn has_places(&self) -> bool {
        self.place.is_some()
    }

    pub(crate) fn read(&self, row: &CorpusRow<'_>) -> Result<Measures, ReadError> {
        let number = |column: Column| Ok(row.number(column)?.map(narrowed));
        let place = match self.place {
            Some([x, y]) => number(x)?.zip(number(y)?).map(|(x, y)| [x, y]),
            None => None,
        };
        let mut values = [None; KINEMATICS.len()];
        for (value, column) in values.iter_mut().zip(self.values) {
            *value = column.map_or(Ok(None), number)?;
        }
        Ok((place, Kinematics::from(values)))
    }
}

/// The nearest of the smaller numbers. What is beyond them stays a number, if an absurd one.
fn narrowed(value: f64) -> f32 {
    value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
}

/// The number whose text is the shortest that gives the smaller one back.
fn widened(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| f64::from(value))
}

impl Frame<'_> {
    /// Adds the columns of kinematics that have something to say, and places where they must be there.
    pub(crate) fn measures<I: Iterator<Item = Measures>>(
        &mut self,
        needs_places: bool,
        rows: impl Fn() -> I,
    ) {
        if needs_places || rows().any(|(place, _)| place.is_some()) {
            for (axis, name) in PLACE.into_iter().enumerate() {
                self.numbers(
                    name,
                    rows().map(|(place, _)| place.map(|place| widened(place[axis]))),
                );
            }
        }
        for (value, name) in KINEMATICS.into_iter().enumerate() {
            let of = |(_, kinematics): Measures| kinematics.values()[value];
            if rows().any(|row| of(row).is_some()) {
                self.numbers(name, rows().map(|row| of(row).map(widened)));
            }
        }
    }
}

/// Whether tables can hold it: all numbers are finite.
pub(crate) fn is_writable((place, kinematics): &Measures) -> bool {
    let values = kinematics.values();
    place.iter().flatten().chain(values.iter().flatten()).all(|value| value.is_finite())
}
