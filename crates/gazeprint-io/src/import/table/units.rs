//! What the numbers of a table are in, by the names of their columns or by the first rows.

use super::{TableOptions, coordinate};
use crate::import::aliases::{ColumnRole, Mapped, Mapping, Unit, plain};
use crate::import::error::{At, ImportError};
use crate::import::recording::{Position, Reason, Sink};
use crate::import::setting::{Phrase, Setting, phrase};
use crate::import::values::{number, number_or_missing};
use crate::table::{Row, Rows};

/// Below this, the median of durations is in seconds: nobody fixates for less than 10 ms.
const SECONDS: f64 = 10.0;
/// Beyond this, it is in microseconds: nobody fixates for 10 s.
const MICROSECONDS: f64 = 10_000.0;
/// Beyond this, positions are pixels: no line has so many characters.
const PIXELS: f64 = 250.0;
/// Up to this, positions may be parts of a screen: eyes do not look much further to a side.
const FRACTIONS: f64 = 2.0;

/// What is known of the numbers of a column by its first rows.
#[derive(Default)]
struct Column {
    values: Vec<f64>,
    commas: usize,
    /// Those whose comma may be for thousands.
    thousands: usize,
    points: usize,
}

impl Column {
    fn take(&mut self, cell: &str) -> Option<f64> {
        let value = number(cell, true)?;
        self.values.push(value);
        self.commas += usize::from(cell.contains(','));
        self.thousands += usize::from(may_be_thousands(cell));
        self.points += usize::from(cell.contains('.'));
        Some(value)
    }

    fn of(values: impl Iterator<Item = f64>) -> Self {
        Self { values: values.collect(), ..Self::default() }
    }

    /// Whether decimals follow a comma. Where numbers with one are all as thousands are, and others have
    /// none, they are such: decimals differ in how many there are, or all numbers have them.
    fn has_decimal_commas(&self) -> bool {
        self.commas > 0 && (self.thousands < self.commas || self.commas == self.values.len())
    }

    fn median(&mut self) -> Option<f64> {
        self.values.sort_by(f64::total_cmp);
        self.values.get(self.values.len() / 2).copied()
    }

    /// The median of what later values are above the one before.
    fn median_step(&self) -> Option<f64> {
        let steps = self.values.windows(2).map(|pair| pair[1] - pair[0]);
        Self::of(steps.filter(|step| *step > 0.0)).median()
    }

    fn largest(&self) -> Option<f64> {
        self.values.iter().copied().max_by(f64::total_cmp)
    }
}

/// Whether the comma of a number stands where thousands have theirs.
fn may_be_thousands(cell: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    cell.trim_start_matches('-').split_once(',').is_some_and(|(whole, rest)| {
        let has_thousands = whole.len() <= 3 && !whole.starts_with('0');
        has_thousands && rest.len() == 3 && is_number(whole) && is_number(rest)
    })
}

/// The numbers of the first rows.
#[derive(Default)]
pub(in crate::import) struct Numbers {
    x: Column,
    y: Column,
    duration: Column,
    onset: Column,
    end: Column,
    /// From onset to end.
    span: Column,
}

impl Numbers {
    /// Looks at the first rows.
    pub(in crate::import) fn of(
        rows: &mut Rows<'_>,
        mapping: &Mapping,
    ) -> Result<Self, ImportError> {
        let mut numbers = Self::default();
        let roles = [
            ColumnRole::X,
            ColumnRole::Y,
            ColumnRole::Duration,
            ColumnRole::Onset,
            ColumnRole::Offset,
        ];
        let [x, y, duration, onset, end] = roles.map(|role| mapping.index(role));
        rows.sample(|row| {
            let cell = |column: Option<usize>| column.map_or("", |column| row.cell(column));
            numbers.x.take(coordinate(cell(x), 0));
            numbers.y.take(coordinate(cell(y), 1));
            numbers.duration.take(cell(duration));
            let (onset, end) = (numbers.onset.take(cell(onset)), numbers.end.take(cell(end)));
            numbers.span.values.extend(onset.zip(end).map(|(onset, end)| end - onset));
        })?;
        Ok(numbers)
    }

    /// Whether decimals follow a comma.
    pub(super) fn note_commas(&self, sink: &mut dyn Sink) -> bool {
        let all = [&self.x, &self.y, &self.duration, &self.onset, &self.end];
        let commas = all.iter().any(|column| column.commas > 0);
        let decimal = all.iter().any(|column| column.has_decimal_commas());
        let points = all.iter().any(|column| column.points > 0);
        if commas && !points && !decimal {
            sink.note(
                "commas stand before three digits each, in some numbers of the first rows: such numbers \
                 are not taken, since the comma is for thousands"
                    .to_owned(),
            );
        } else if commas && !points {
            sink.note("decimals follow a comma: numbers of the first rows have one".to_owned());
        } else if commas {
            sink.note(
                "decimals follow a point: numbers of the first rows have one; those with a comma are \
                 not taken for numbers, since it may be for thousands"
                    .to_owned(),
            );
        }
        decimal && !points
    }
}

/// What positions are in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::import) enum Places {
    Characters,
    Pixels,
    /// Parts of a screen of this size, in pixels.
    Fractions {
        screen: (f64, f64),
        /// Whether they count from the lower edge.
        is_up: bool,
    },
}

/// Columns that count from the lower edge of the screen: Pupil Labs does.
const UPWARDS: [&str; 1] = ["normposx"];

impl Places {
    /// Decides, and notes why.
    pub(in crate::import) fn decide(
        mapping: &Mapping,
        row: u64,
        numbers: &Numbers,
        options: &TableOptions,
        sink: &mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let Some(x) = mapping.get(ColumnRole::X) else { return Ok(Self::Characters) };
        let has = |role| mapping.get(role).is_some();
        let (places, why) = match x.unit {
            Some(Unit::Degrees) => return Err(degrees(row, x)),
            Some(Unit::Fractions) => {
                (Self::fractions(x, row, numbers, options.screen_px, options.y_up)?, named(x))
            }
            Some(Unit::Pixels) => (Self::Pixels, named(x)),
            Some(_) => (Self::Characters, named(x)),
            None => Self::guess(mapping, x, row, numbers)?,
        };
        let unit = match places {
            Self::Characters => "characters",
            Self::Pixels => "pixels",
            Self::Fractions { is_up: false, .. } => "parts of the screen",
            Self::Fractions { is_up: true, .. } => "parts of the screen, counted upwards",
        };
        sink.note(format!("{} is in {unit}: {why}", x.column));
        if places != Self::Characters && !has(ColumnRole::Y) {
            sink.note("there is no column for y: all y are 0".to_owned());
        }
        if places == Self::Characters && !has(ColumnRole::Line) {
            sink.note("there is no column for the line: all fixations are on line 1".to_owned());
        }
        Ok(places)
    }

    /// Goes by what else there is, and by the values.
    fn guess(
        mapping: &Mapping,
        x: &Mapped,
        row: u64,
        numbers: &Numbers,
    ) -> Result<(Self, String), ImportError> {
        let has = |role| mapping.get(role).is_some();
        let largest = numbers.x.largest();
        Ok(match largest {
            Some(largest) if has(ColumnRole::Line) && has(ColumnRole::Y) => {
                if largest <= PIXELS {
                    return Err(unclear(row, x, largest));
                }
                let why = format!("there is y beside it, and {largest} is beyond any line of text");
                (Self::Pixels, why)
            }
            _ if has(ColumnRole::Line) => {
                (Self::Characters, "there is a column for the line".to_owned())
            }
            _ if has(ColumnRole::Y) => {
                let all = || numbers.x.values.iter().chain(&numbers.y.values);
                let is_part = |value: &f64| value.abs() <= FRACTIONS;
                if all().all(is_part) && all().filter(|value| value.fract() != 0.0).count() > 2 {
                    return Err(small(row, x));
                }
                (Self::Pixels, "there is y beside it and no line".to_owned())
            }
            Some(largest) if largest > PIXELS => {
                let why = format!("{largest} is among its values, beyond any line of text");
                (Self::Pixels, why)
            }
            Some(largest) => {
                (Self::Characters, format!("none of its first values is above {largest}"))
            }
            None => (Self::Characters, "it has no values to go by".to_owned()),
        })
    }

    /// Parts of the screen, whose size must be known.
    ///
    /// # Errors
    /// If it is not, or if positions are beyond any screen.
    pub(in crate::import) fn fractions(
        x: &Mapped,
        row: u64,
        numbers: &Numbers,
        screen: Option<(f64, f64)>,
        y_up: bool,
    ) -> Result<Self, ImportError> {
        /// Far beyond the edge of any screen.
        const BEYOND: f64 = 10.0;
        if let Some(largest) = numbers.x.largest().filter(|largest| *largest > BEYOND) {
            return Err(ImportError::value(
                At::cell(row, x.column.as_str()),
                format!("positions up to {largest}"),
                "parts of the screen, from 0 to 1, by the column's name",
                phrase!["add ", Phrase::choice("x_px", &x.column), " if they are pixels"],
            ));
        }
        let Some(screen) = screen else {
            return Err(ImportError::value(
                At::cell(row, x.column.as_str()),
                "positions in parts of the screen",
                "the size of the screen as well",
                phrase!["give it in pixels with ", Setting::ScreenPixels, " WIDTHxHEIGHT"],
            ));
        };
        let is_up = y_up || UPWARDS.contains(&plain(&x.column).as_str());
        Ok(Self::Fractions { screen, is_up })
    }

    /// A place of the screen.
    pub(in crate::import) fn pixels(self, x: f64, y: f64) -> Position {
        match self {
            Self::Characters | Self::Pixels => Position::Pixels { x, y },
            Self::Fractions { screen: (width, height), is_up } => {
                let y = if is_up { 1.0 - y } else { y };
                Position::Pixels { x: x * width, y: y * height }
            }
        }
    }
}

/// Why a column with a unit has it.
fn named(column: &Mapped) -> String {
    let chosen = if column.is_chosen { "chosen so, or " } else { "" };
    format!("{chosen}its name says so")
}

/// Characters do not follow from degrees without the screen and its distance.
fn degrees(row: u64, x: &Mapped) -> ImportError {
    ImportError::value(
        At::cell(row, x.column.as_str()),
        "fixations in degrees, by the column's name",
        "characters or pixels",
        phrase![
            "convert them to pixels, or name another column with ",
            Phrase::choice("x", "COLUMN")
        ],
    )
}

fn unclear(row: u64, x: &Mapped, largest: f64) -> ImportError {
    ImportError::value(
        At::cell(row, x.column.as_str()),
        format!("positions up to {largest}, with y and a line beside them"),
        "to know whether they are pixels or characters",
        phrase![
            "add ",
            Phrase::choice("x_px", &x.column),
            " or ",
            Phrase::choice("x_char", &x.column)
        ],
    )
}

fn small(row: u64, x: &Mapped) -> ImportError {
    ImportError::value(
        At::cell(row, x.column.as_str()),
        format!("no position beyond {FRACTIONS}"),
        "pixels; these look like parts of the screen",
        phrase![
            "add ",
            Phrase::choice("x_norm", &x.column),
            " and the size of the screen with ",
            Setting::ScreenPixels,
            " WIDTHxHEIGHT, or ",
            Phrase::choice("x_px", &x.column),
            " if they are pixels"
        ],
    )
}

/// Units of times, those first that tables of fixations have most.
const TIME_UNITS: [Unit; 4] =
    [Unit::Milliseconds, Unit::Seconds, Unit::Microseconds, Unit::Nanoseconds];

/// The unit of onsets that rise by a step where fixations last so many milliseconds: this one, if it can be.
pub(in crate::import) fn unit_beside(step: f64, lasts_ms: f64, like: Unit) -> Option<Unit> {
    // Nobody fixates twenty times within one fixation, or waits for two hundred.
    let fits = |unit: &Unit| {
        let ms = unit.milliseconds().unwrap_or(f64::NAN);
        (lasts_ms / 20.0..=200.0 * lasts_ms).contains(&(step * ms))
    };
    std::iter::once(like).chain(TIME_UNITS).find(fits)
}

/// When a fixation began, and how long it lasted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lasting {
    /// The column, and milliseconds in its unit.
    onset: Option<(usize, f64)>,
    /// Of the duration, or else of the end.
    last: (usize, f64),
    is_end: bool,
}

impl Lasting {
    /// Decides on units, and notes why.
    pub(super) fn decide(mapping: &Mapping, mut numbers: Numbers, sink: &mut dyn Sink) -> Self {
        let (onset, end) = (mapping.get(ColumnRole::Onset), mapping.get(ColumnRole::Offset));
        let duration = mapping.get(ColumnRole::Duration);
        if let (None, Some(onset), Some(end)) = (duration, onset, end) {
            let columns = format!("{} to {}", onset.column, end.column);
            sink.note(format!("there is no column for durations: they last from {columns}"));
            let named = onset.unit.or(end.unit);
            let factor = factor(&columns, named, numbers.span.median(), None, sink);
            let of = |column: &Mapped| {
                let own = column.unit.and_then(Unit::milliseconds);
                (column.index, own.unwrap_or(factor))
            };
            return Self { onset: Some(of(onset)), last: of(end), is_end: true };
        }
        let Some(duration) = duration else {
            return Self { onset: None, last: (usize::MAX, 1.0), is_end: false };
        };
        let median = numbers.duration.median();
        let lasts = factor(&duration.column, duration.unit, median, None, sink);
        let onset = onset.map(|onset| {
            let like = match (numbers.onset.median_step(), median.map(|median| median * lasts)) {
                (Some(step), Some(ms)) => {
                    let like = TIME_UNITS.into_iter().find(|it| it.milliseconds() == Some(lasts));
                    let unit = unit_beside(step, ms, like.unwrap_or(Unit::Milliseconds));
                    match unit.and_then(Unit::milliseconds) {
                        Some(unit) if unit != lasts => {
                            (unit, format!("they rise by {step} where durations are {ms} ms"))
                        }
                        _ => (lasts, "as durations are".to_owned()),
                    }
                }
                _ => (lasts, "as durations are".to_owned()),
            };
            (onset.index, factor(&onset.column, onset.unit, None, Some(like), sink))
        });
        Self { onset, last: (duration.index, lasts), is_end: false }
    }

    /// Onset and duration of a row, in milliseconds.
    pub(super) fn of(
        &self,
        row: Row<'_>,
        comma: bool,
    ) -> Result<(Option<f64>, Option<f64>), Reason> {
        let time = |(column, factor): (usize, f64)| {
            let time = number_or_missing(row.cell(column), comma)?.map(|time| time * factor);
            Ok(time.filter(|time| time.is_finite()))
        };
        let last = time(self.last)?;
        let onset = self.onset.map_or(Ok(None), time)?;
        let duration = match self.is_end {
            true => last.zip(onset).map(|(end, onset)| end - onset).filter(|d| d.is_finite()),
            false => last,
        };
        Ok((onset, duration))
    }
}

/// What makes milliseconds of a column, or of several.
fn factor(
    column: &str,
    unit: Option<Unit>,
    median: Option<f64>,
    like: Option<(f64, String)>,
    sink: &mut dyn Sink,
) -> f64 {
    let named = unit.and_then(Unit::milliseconds);
    let seen = |median| format!("the median of the first rows is {median}");
    let (factor, why) = match (named, like, median) {
        (Some(factor), ..) => (factor, "its name says so".to_owned()),
        (None, Some(like), _) => like,
        (None, None, Some(median)) if median < SECONDS => (1e3, seen(median)),
        (None, None, Some(median)) if median > MICROSECONDS => (1e-3, seen(median)),
        (None, None, Some(median)) => (1.0, seen(median)),
        (None, None, None) => (1.0, "it has no values to go by".to_owned()),
    };
    let unit = match factor {
        1.0 => "ms",
        1e-3 => "microseconds",
        1e-6 => "nanoseconds",
        _ => "seconds",
    };
    sink.note(format!("{column} is in {unit}: {why}"));
    factor
}
