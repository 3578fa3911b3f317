//! What a recording is, as its JSON files describe it.

use super::super::aliases::{ColumnRole, Mapping, Unit};
use super::super::detect::Scale;
use super::super::error::{At, ImportError};
use super::super::recording::{Eye, Position, Sink};
use super::super::samples::{degrees_without_screen, in_pixels};
use super::super::setting::{Phrase, phrase};
use super::super::values::{is_missing, number};
use super::{BidsOptions, Metadata};
use crate::table::{Row, Rows};

/// Beyond this no position is one.
const LARGEST: f64 = 1e7;
/// Beyond this no time is one. It keeps differences finite.
const LATEST: f64 = 1e16;

/// What makes milliseconds of a time in these units.
pub(super) fn factor(units: &str, interval: f64) -> Option<f64> {
    match units.to_lowercase().as_str() {
        "s" | "sec" | "second" | "seconds" => Some(1000.0),
        "ms" | "msec" | "millisecond" | "milliseconds" => Some(1.0),
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => Some(1e-3),
        "ns" | "nanosecond" | "nanoseconds" => Some(1e-6),
        "sample" | "samples" => Some(interval),
        _ => None,
    }
}

/// The error about a JSON file that is not there.
pub(super) fn no_json(what: &str, suffix: &str) -> ImportError {
    ImportError::value(
        At::row(1),
        format!("{what} without a JSON file"),
        format!("a file that ends with {suffix} beside it or further up, since it has no header"),
        "copy it from the data set to the same folder",
    )
}

/// When things happen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    /// The time between samples, in milliseconds.
    pub(super) interval: f64,
    /// What makes milliseconds of a time of this clock.
    pub(super) factor: f64,
    /// What is added, in milliseconds.
    start: f64,
    /// Column of the times; without one, rows are counted from 0.
    column: Option<usize>,
}

impl Clock {
    pub(super) fn millis(&self, time: f64) -> f64 {
        self.start + time * self.factor
    }
}

/// From where positions count.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Origin {
    /// The left end of the screen, and whether x counts to the right.
    x: (f64, f64),
    /// The upper end of the screen, and whether y counts downwards.
    y: (f64, f64),
}

const TOP_LEFT: Origin = Origin { x: (0.0, 1.0), y: (0.0, 1.0) };

/// What a recording is.
#[derive(Debug, Clone)]
pub(super) struct Description {
    pub(super) mapping: Mapping,
    pub(super) clock: Clock,
    x: usize,
    y: usize,
    x_name: String,
    unit: Unit,
    origin: Origin,
    /// How the samples' unit relates to degrees.
    pub(super) scale: Option<Scale>,
    /// How degrees become pixels.
    screen: Option<Scale>,
    pub(super) eye: Option<Eye>,
}

impl Description {
    pub(super) fn new(
        rows: &mut Rows<'_>,
        metadata: &Metadata,
        events: Option<&Metadata>,
        stimulus: Option<&Metadata>,
        options: &BidsOptions,
        sink: &mut dyn Sink,
    ) -> Result<Self, ImportError> {
        check_type(metadata, sink)?;
        let header = rows.header.clone();
        let roles = [ColumnRole::Time, ColumnRole::X, ColumnRole::Y];
        let mut mapping = Mapping::find(&header, 1, &roles, &options.choices)?;
        mapping.require(&header, 1, &[ColumnRole::X, ColumnRole::Y])?;
        let unit = unit(&mut mapping, metadata)?;
        let clock = clock(rows, &mapping, metadata, events, sink)?;
        let told = stimulus.and_then(Metadata::screen);
        let screen = options.gaze.scale.or(told);
        if unit == Unit::Degrees && screen.is_none() {
            return Err(degrees_without_screen(1));
        }
        if let Some(screen) = &screen {
            let whose = if options.gaze.scale.is_some() { "as given" } else { "by events.json" };
            sink.note(format!("scale, {whose}: {}", screen.describe()));
        }
        let origin = match unit {
            Unit::Degrees => TOP_LEFT,
            _ => origin(metadata, stimulus, sink)?,
        };
        let place = |role| mapping.get(role).map_or(usize::MAX, |mapped| mapped.index);
        let (x, y) = (place(ColumnRole::X), place(ColumnRole::Y));
        Ok(Self {
            clock,
            x,
            y,
            x_name: header.get(x).cloned().unwrap_or_default(),
            unit,
            origin,
            scale: if unit == Unit::Degrees { Some(Scale::DEGREES) } else { screen },
            screen,
            eye: eye(metadata, sink),
            mapping,
        })
    }

    /// Whether a row has names in place of numbers: some tools write a header all the same.
    pub(super) fn is_header(&self, row: Row<'_>) -> bool {
        row.cell(self.x) == self.x_name
    }

    /// Time and position of a row, the position NaN where it is missing; `None` where cells are not
    /// what they should be.
    pub(super) fn sample(&self, row: Row<'_>, index: u64) -> Option<(f64, f64, f64)> {
        let time = match self.clock.column {
            Some(column) => number(row.cell(column), false).filter(|time| time.abs() <= LATEST)?,
            None => index as f64,
        };
        let coordinate = |column: usize| {
            let cell = row.cell(column);
            match number(cell, false) {
                Some(value) => Some(value).filter(|value| value.abs() <= LARGEST),
                None => is_missing(cell).then_some(f64::NAN),
            }
        };
        Some((self.clock.millis(time), coordinate(self.x)?, coordinate(self.y)?))
    }

    /// The position of a mean of samples.
    pub(super) fn position(&self, x: f64, y: f64, y_up: bool) -> Position {
        if self.unit == Unit::Degrees {
            return in_pixels(self.screen, y_up, x, y);
        }
        let Origin { x: (left, right), y: (top, down) } = self.origin;
        Position::Pixels { x: left + right * x, y: top + down * y }
    }
}

/// Checks that these are positions on a screen.
fn check_type(metadata: &Metadata, sink: &mut dyn Sink) -> Result<(), ImportError> {
    let refused = |found: String, expected: &'static str, remedy: &'static str| {
        Err(ImportError::value(At::row(1), found, expected, remedy))
    };
    match metadata.text("PhysioType") {
        Some("eyetrack") => {}
        None | Some("generic") => {
            sink.note("PhysioType is not eyetrack; the columns are taken for those of eyes".into());
        }
        Some(other) => {
            return refused(
                format!("PhysioType {other} in the JSON file"),
                "eyetrack",
                "import the recording of the eye tracker",
            );
        }
    }
    match metadata.text("SampleCoordinateSystem") {
        Some("gaze-on-screen") => Ok(()),
        None => {
            sink.note(
                "SampleCoordinateSystem is not told; positions are taken as on screen".into(),
            );
            Ok(())
        }
        Some(other) => refused(
            format!("SampleCoordinateSystem {other} in the JSON file"),
            "gaze-on-screen",
            "texts are read on a screen; map the gaze to it first",
        ),
    }
}

/// What positions are in: as chosen, as the column is described, or as it is called.
fn unit(mapping: &mut Mapping, metadata: &Metadata) -> Result<Unit, ImportError> {
    let chosen = mapping.get(ColumnRole::X).filter(|x| x.is_chosen).and_then(|x| x.unit);
    let column = mapping.get(ColumnRole::X).map_or_else(String::new, |x| x.column.clone());
    let stated = metadata
        .units(&column)
        .or_else(|| metadata.text("SampleCoordinateUnits"))
        .or_else(|| metadata.text("SampleCoordinateUnit"));
    let read = stated.map(str::to_lowercase).and_then(|units| match units.as_str() {
        "pixel" | "pixels" | "px" => Some(Unit::Pixels),
        "dva" | "°" => Some(Unit::Degrees),
        degrees if degrees.starts_with("deg") || degrees.contains("visual angle") => {
            Some(Unit::Degrees)
        }
        _ => None,
    });
    let called = || mapping.get(ColumnRole::X).and_then(|x| x.unit).filter(|_| stated.is_none());
    let usable = |unit: &Unit| matches!(unit, Unit::Pixels | Unit::Degrees);
    let Some(unit) = chosen.or(read).or_else(called).filter(usable) else {
        return Err(ImportError::value(
            At::cell(1, column.as_str()),
            match stated {
                Some(units) => format!("positions in {units}, as the JSON file has it"),
                None => "positions without Units in the JSON file".to_owned(),
            },
            "pixel or degrees",
            phrase![
                "say which of the two, with ",
                Phrase::choice("x_px", &column),
                " or ",
                Phrase::choice("x_deg", &column)
            ],
        ));
    };
    for mapped in mapping.0.iter_mut().filter(|m| matches!(m.role, ColumnRole::X | ColumnRole::Y)) {
        mapped.unit = Some(unit);
    }
    Ok(unit)
}

/// The clock of samples and events.
fn clock(
    rows: &mut Rows<'_>,
    mapping: &Mapping,
    metadata: &Metadata,
    events: Option<&Metadata>,
    sink: &mut dyn Sink,
) -> Result<Clock, ImportError> {
    let rate = metadata.number("SamplingFrequency").filter(|rate| (1.0..=1e6).contains(rate));
    let rate = rate.ok_or_else(|| {
        ImportError::value(
            At::row(1),
            "a JSON file of the samples without a rate",
            "SamplingFrequency, from 1 to 1000000 Hz",
            "add it to the JSON file",
        )
    })?;
    let interval = 1000.0 / rate;
    sink.note(format!("samples are {interval} ms apart, by SamplingFrequency {rate}"));
    let source = events.and_then(|events| events.text("OnsetSource"));
    let time = mapping.get(ColumnRole::Time).filter(|_| source != Some("n/a"));
    let Some(time) = time else {
        let start = metadata.number("StartTime").unwrap_or(0.0).clamp(-LATEST, LATEST) * 1000.0;
        sink.note(format!(
            "times are rows, {interval} ms each, from {start} ms on, as StartTime is"
        ));
        return Ok(Clock { interval, factor: interval, start, column: None });
    };
    if let Some(source) = source.filter(|source| *source != time.column) {
        return Err(ImportError::value(
            At::row(1),
            format!("times in {}, and onsets of events that are those of {source}", time.column),
            "the same clock for both",
            phrase!["choose it with ", Phrase::choice("time", source)],
        ));
    }
    let mut steps = Steps::default();
    let column = time.index;
    rows.sample(|row| steps.take(number(row.cell(column), false)))?;
    let step = steps.median();
    let chosen = time.unit.filter(|_| time.is_chosen).and_then(Unit::milliseconds);
    let stated = metadata.units(&time.column).and_then(|units| factor(units, interval));
    let fits =
        |factor: f64| step.is_none_or(|step| (0.5..2.0).contains(&(step * factor / interval)));
    let by_steps = [1000.0, 1.0, 1e-3, 1e-6, interval].into_iter().find(|&factor| fits(factor));
    let (factor, why) = match (chosen, stated, by_steps) {
        (Some(factor), ..) => (factor, "as chosen"),
        (None, Some(factor), _) => (factor, "as the JSON file has it"),
        (None, None, Some(factor)) if step.is_some() => (factor, "by their steps"),
        _ => {
            return Err(ImportError::value(
                At::cell(1, time.column.as_str()),
                "times without Units in the JSON file",
                "s, ms, us or ns",
                phrase![
                    "add Units to the JSON file, or choose with ",
                    Phrase::choice("time_s", "COLUMN or time_ms")
                ],
            ));
        }
    };
    sink.note(format!("{} is multiplied by {factor} for milliseconds, {why}", time.column));
    if !fits(factor) {
        sink.note(format!(
            "the first samples are {} ms apart by {}, and {interval} ms by SamplingFrequency",
            step.unwrap_or_default() * factor,
            time.column
        ));
    }
    Ok(Clock { interval, factor, start: 0.0, column: Some(column) })
}

/// Steps between times.
#[derive(Default)]
struct Steps {
    last: Option<f64>,
    steps: Vec<f64>,
}

impl Steps {
    fn take(&mut self, time: Option<f64>) {
        let step = time.zip(self.last).map(|(time, last)| time - last);
        self.steps.extend(step.filter(|step| step.is_finite() && *step > 0.0));
        self.last = time.or(self.last);
    }

    fn median(&mut self) -> Option<f64> {
        self.steps.sort_by(f64::total_cmp);
        self.steps.get(self.steps.len() / 2).copied()
    }
}

/// From where positions count, so that they can count from the upper left.
fn origin(
    metadata: &Metadata,
    stimulus: Option<&Metadata>,
    sink: &mut dyn Sink,
) -> Result<Origin, ImportError> {
    let named = metadata.text("EnvironmentCoordinates").map(|words| words.split('-').collect());
    let Some(words) = stimulus.and_then(Metadata::origin).or(named) else {
        sink.note("positions count from the upper left: no ScreenOrigin tells otherwise".into());
        return Ok(TOP_LEFT);
    };
    let has = |word: &str| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    if has("top") && has("left") {
        return Ok(TOP_LEFT);
    }
    let resolution = stimulus.and_then(Metadata::resolution);
    let Some((width, height)) = resolution else {
        return Err(ImportError::value(
            At::row(1),
            format!("positions that count from {}", words.join(" ")),
            "from the upper left, or a ScreenResolution to turn them",
            "add StimulusPresentation with ScreenResolution to events.json",
        ));
    };
    let axis = |far: &str, near: &str, size: f64| match (has(far), has(near)) {
        (true, _) => (size, -1.0),
        (false, true) => (0.0, 1.0),
        (false, false) => (size / 2.0, 1.0),
    };
    sink.note(format!(
        "positions count from {}, and are turned to the upper left of {width} by {height} pixels",
        words.join(" ")
    ));
    Ok(Origin { x: axis("right", "left", width), y: axis("bottom", "top", height) })
}

fn eye(metadata: &Metadata, sink: &mut dyn Sink) -> Option<Eye> {
    match metadata.text("RecordedEye") {
        Some("left") => Some(Eye::Left),
        Some("right") => Some(Eye::Right),
        other => {
            sink.note(format!("the eye is {}", other.unwrap_or("not told by RecordedEye")));
            None
        }
    }
}
