//! Tables of samples: time and position, a row each.
//!
//! | table | columns |
//! |---|---|
//! | GazeBase | `n, x, y, val, xT, yT, dP, lab`, in degrees |
//! | pymovements | `time` with `pixel` or `position` as a list, `pixel_x, pixel_y`, or `x_pix, y_pix` |
//! | others | a time, and x and y whose unit is given |
//!
//! A file is one recording, or tells readers and trials apart by columns. Rows of a trial follow
//! each other in order of time. Fixations are found trial by trial by a [`Detector`].

mod columns;
mod table;
#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::sync::Arc;

use csv::StringRecord;

use super::detect::{Detector, Sample, Scale, ScreenParams, infer_interval};
use super::error::{ImportError, Reason};
use super::recording::{Eye, Position, RawFixation, RowPlace, Sink};
use columns::Columns;
use table::{Names, gazebase_name, position};

/// Samples of one trial that are held at most: over half an hour at 2000 Hz.
const MOST_SAMPLES: usize = 1 << 22;

/// Above this time between samples a saccade is not more than a few of them.
const SLOW_MS: f64 = 5.0;

/// The screen of GazeBase, as published with the data.
const GAZEBASE: ScreenParams = ScreenParams {
    width_px: 1680.0,
    height_px: 1050.0,
    width_mm: 474.0,
    height_mm: 297.0,
    distance_mm: 550.0,
};

/// What positions are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Pixels of the screen.
    Pixels,
    /// Degrees of visual angle from straight ahead.
    Degrees,
}

/// What times are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
}

impl TimeUnit {
    fn millis(self) -> f64 {
        match self {
            Self::Seconds => 1000.0,
            Self::Millis => 1.0,
            Self::Micros => 0.001,
        }
    }

    /// What a time between samples can be: from 10 Hz to 5000 Hz, which leaves no overlap.
    fn of_step(step: f64) -> Option<Self> {
        [Self::Seconds, Self::Millis, Self::Micros]
            .into_iter()
            .find(|unit| (0.2..=100.0).contains(&(step * unit.millis())))
    }
}

/// Names of columns that are given, not guessed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roles {
    /// Time.
    pub time: Option<String>,
    /// Horizontal position.
    pub x: Option<String>,
    /// Vertical position.
    pub y: Option<String>,
    /// Who reads.
    pub reader: Option<String>,
    /// What is read.
    pub text: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The trial.
    pub trial: Option<String>,
    /// Zero for good samples.
    pub validity: Option<String>,
}

/// What to take from a table.
#[derive(Debug, Clone)]
pub struct SamplesOptions {
    /// The file's name without its extension: the reader, where neither column nor option is.
    pub stem: Arc<str>,
    /// Who reads, where no column tells.
    pub reader: Option<Arc<str>>,
    /// The text, where no column tells.
    pub text: Option<Arc<str>>,
    /// The session, where no column tells.
    pub session: Option<Arc<str>>,
    /// Columns that are given.
    pub roles: Roles,
    /// The delimiter; `None` takes the first of tab, semicolon and comma in the row of names.
    pub delimiter: Option<u8>,
    /// Unit of positions, where the columns do not tell.
    pub unit: Option<Unit>,
    /// Unit of times; `None` takes the one in which samples come at 10 to 5000 Hz.
    pub time_unit: Option<TimeUnit>,
    /// How fixations are found.
    pub detector: Detector,
    /// Pixels and degrees.
    pub scale: Option<Scale>,
    /// Degrees count upwards. Pixels always count downwards.
    pub y_up: bool,
    /// Which eye it is.
    pub eye: Option<Eye>,
}

impl SamplesOptions {
    /// Options for a file, all as usual.
    pub fn new(stem: impl Into<Arc<str>>) -> Self {
        Self {
            stem: stem.into(),
            reader: None,
            text: None,
            session: None,
            roles: Roles::default(),
            delimiter: None,
            unit: None,
            time_unit: None,
            detector: Detector::default(),
            scale: None,
            y_up: false,
            eye: None,
        }
    }
}

/// Reads a table.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &SamplesOptions,
    sink: &mut dyn Sink,
) -> Result<(), ImportError> {
    let mut rows = table::Rows::new(input, file, options.delimiter)?;
    let mut trials = Trials::new(rows.header(), rows.place(), options, sink)?;
    let mut record = StringRecord::new();
    while let Some(place) = rows.next(&mut record)? {
        trials.row(place, &record)?;
    }
    trials.finish(rows.place())
}

/// A table in the middle of being read.
struct Trials<'t> {
    options: &'t SamplesOptions,
    sink: &'t mut dyn Sink,
    columns: Columns,
    unit: Unit,
    /// Whether the samples' unit is degrees, or how it relates to them.
    scale: Option<Scale>,
    /// How degrees become pixels.
    screen: Option<Scale>,
    time_unit: Option<TimeUnit>,
    default: Names,
    names: Names,
    /// Times still in the unit of the file.
    samples: Vec<Sample>,
    seen: std::collections::HashSet<Names>,
    intervals: Vec<f64>,
    kept: u64,
    rows: u64,
    invalid: u64,
    resumed: u64,
}

impl<'t> Trials<'t> {
    fn new(
        header: &StringRecord,
        place: RowPlace,
        options: &'t SamplesOptions,
        sink: &'t mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let columns = Columns::find(header, &options.roles).map_err(|problem| {
            ImportError::refused(place, problem.found, problem.expected, problem.remedy)
        })?;
        let unit = options.unit.or(columns.unit).ok_or_else(|| {
            ImportError::refused(
                place,
                "positions without a unit",
                "pixels or degrees",
                "say which of the two they are",
            )
        })?;
        let gazebase = columns.is_gazebase.then(|| gazebase_name(&options.stem)).flatten();
        let default = Names::new(options, gazebase);
        let published = || Scale::screen(GAZEBASE).ok().filter(|_| columns.is_gazebase);
        let screen = options.scale.or_else(published);
        if unit == Unit::Degrees && screen.is_none() {
            return Err(ImportError::refused(
                place,
                "positions in degrees",
                "a way to turn them into pixels, which fixations are in",
                "give size and distance of the screen, or the pixels per degree",
            ));
        }
        let scale = if unit == Unit::Degrees { Some(Scale::DEGREES) } else { options.scale };
        let name = |column: Option<usize>| {
            column.and_then(|column| header.get(column)).unwrap_or("none").to_owned()
        };
        sink.note(format!(
            "columns: time {}, x {}, y {}, reader {}, text {}, session {}, trial {}, validity {}",
            name(Some(columns.time)),
            name(Some(columns.x)),
            name(Some(columns.y)),
            name(columns.reader),
            name(columns.text),
            name(columns.session),
            name(columns.trial),
            name(columns.validity)
        ));
        Ok(Self {
            options,
            sink,
            columns,
            unit,
            scale,
            screen,
            time_unit: options.time_unit,
            names: default.clone(),
            default,
            samples: Vec::new(),
            seen: std::collections::HashSet::new(),
            intervals: Vec::new(),
            kept: 0,
            rows: 0,
            invalid: 0,
            resumed: 0,
        })
    }

    fn row(&mut self, place: RowPlace, record: &StringRecord) -> Result<(), ImportError> {
        self.rows += 1;
        if !self.names.are_of(record, &self.columns, &self.default) {
            self.end_trial(place.file)?;
            self.names = self.default.with(record, &self.columns);
        }
        let Some(sample) = self.sample(place.row, record) else {
            self.sink.dropped(place, Reason::Malformed, &shown(record));
            return Ok(());
        };
        if self.samples.last().is_some_and(|last| last.time_ms >= sample.time_ms) {
            self.sink.dropped(place, Reason::TimeOrder, &shown(record));
            return Ok(());
        }
        if self.samples.len() >= MOST_SAMPLES {
            return Err(ImportError::refused(
                place,
                format!("more than {MOST_SAMPLES} samples in one trial"),
                "fewer",
                "name a column that tells trials apart, with --map trial=COLUMN",
            ));
        }
        self.samples.push(sample);
        Ok(())
    }

    /// The sample of a row; `None` where its cells are not what they should be.
    fn sample(&mut self, row: u64, record: &StringRecord) -> Option<Sample> {
        let time: f64 = record.get(self.columns.time)?.trim().parse().ok()?;
        // A quarter of a million years, in milliseconds: it keeps differences finite.
        let time_ms = Some(time).filter(|time| time.abs() <= 1e16)?;
        let (x, y) = position(record, self.columns.x, self.columns.y)?;
        let is_valid = match self.columns.validity.and_then(|column| record.get(column)) {
            Some(cell) => cell.trim().parse::<f64>().ok()? == 0.0,
            None => true,
        };
        self.invalid += u64::from(!is_valid);
        let (x, y) = if is_valid { (x, y) } else { (f64::NAN, f64::NAN) };
        Some(Sample { time_ms, x, y, row })
    }

    /// Finds the fixations of the trial at hand.
    fn end_trial(&mut self, file: usize) -> Result<(), ImportError> {
        let mut samples = std::mem::take(&mut self.samples);
        let Some(first) = samples.first().map(|sample| RowPlace { file, row: sample.row }) else {
            return Ok(());
        };
        if !self.seen.insert(self.names.clone()) {
            self.resumed += 1;
        }
        let Some(step) = infer_interval(&samples) else {
            self.sink.dropped(first, Reason::TooShort, "a sample alone");
            return Ok(());
        };
        let unit = self.time_unit(first, step)?;
        samples.iter_mut().for_each(|sample| sample.time_ms *= unit.millis());
        let interval = step * unit.millis();
        if self.intervals.len() < 8 && !self.intervals.contains(&interval) {
            self.intervals.push(interval);
        }
        let found = self.options.detector.detect(&samples, interval, self.scale.as_ref()).map_err(
            |error| {
                ImportError::refused(
                    first,
                    "samples that need a detection of fixations",
                    "all that it needs",
                    error.to_string(),
                )
            },
        )?;
        for short in &found.short {
            let example = format!("{} ms at {} ms", short.duration_ms, short.onset_ms);
            self.sink.dropped(RowPlace { file, row: short.row }, Reason::TooShort, &example);
        }
        for fixation in &found.fixations {
            let raw = RawFixation {
                reader: self.names.reader.clone(),
                text: self.names.text.clone(),
                session: self.names.session.clone(),
                trial: self.names.trial.clone(),
                position: self.place(fixation.x, fixation.y),
                duration_ms: Some(fixation.duration_ms),
                onset_ms: Some(fixation.onset_ms),
                gap: fixation.gap,
                eye: self.options.eye,
                word: None,
            };
            self.kept += 1;
            self.sink.fixation(RowPlace { file, row: fixation.row }, raw)?;
        }
        Ok(())
    }

    /// The unit of times, from the first trial on the same for all.
    fn time_unit(&mut self, place: RowPlace, step: f64) -> Result<TimeUnit, ImportError> {
        let unit = self.time_unit.or_else(|| TimeUnit::of_step(step)).ok_or_else(|| {
            ImportError::refused(
                place,
                format!("times {step} apart"),
                "samples at 10 to 5000 Hz, in seconds, milliseconds or microseconds",
                "say which unit times have",
            )
        })?;
        self.time_unit = Some(unit);
        Ok(unit)
    }

    fn place(&self, x: f64, y: f64) -> Position {
        if self.unit == Unit::Pixels {
            return Position::Pixels { x, y };
        }
        let y = if self.options.y_up { -y } else { y };
        self.screen
            .and_then(|screen| screen.pixels(x, y))
            .map_or(Position::Missing, |(x, y)| Position::Pixels { x, y })
    }

    fn finish(mut self, place: RowPlace) -> Result<(), ImportError> {
        self.end_trial(place.file)?;
        if self.rows == 0 {
            return Err(ImportError::refused(
                place,
                "no row after the names of columns",
                "a row for each sample",
                "check that the file is complete",
            ));
        }
        self.report();
        Ok(())
    }

    fn report(&mut self) {
        let sink = &mut *self.sink;
        sink.note(format!(
            "{} fixations found in {} samples: {}",
            self.kept,
            self.rows,
            self.options.detector.describe()
        ));
        let unit = match self.unit {
            Unit::Pixels => "pixels",
            Unit::Degrees => "degrees",
        };
        let why = if self.options.unit.is_some() { "as given" } else { "by their columns" };
        sink.note(format!("positions are in {unit}, {why}"));
        if let Some(screen) = &self.screen {
            let up = if self.options.y_up { "upwards" } else { "downwards" };
            let why = match (self.options.scale, self.unit) {
                (None, _) => format!(", as published for GazeBase; degrees count {up}"),
                (Some(_), Unit::Degrees) => format!("; degrees count {up}"),
                (Some(_), Unit::Pixels) => String::new(),
            };
            sink.note(format!("scale: {}{why}", screen.describe()));
        }
        for interval in &self.intervals {
            sink.note(format!(
                "durations are end - start + {interval} ms, the median time between samples"
            ));
        }
        if self.intervals.iter().any(|interval| *interval > SLOW_MS) {
            sink.note(
                "samples come at less than 200 Hz, where the velocities of both methods are \
                 coarse; look at the durations"
                    .to_owned(),
            );
        }
        if let Some(unit) = self.time_unit {
            let why = if self.options.time_unit.is_some() { "as given" } else { "by their steps" };
            sink.note(format!("times are in {}, {why}", format!("{unit:?}").to_lowercase()));
        }
        if self.invalid > 0 {
            sink.note(format!("{} samples are missing by their validity", self.invalid));
        }
        if self.resumed > 0 {
            sink.note(format!(
                "{} times a trial goes on after others; its parts were read on their own",
                self.resumed
            ));
        }
    }
}

/// The start of a row, for an example.
fn shown(record: &StringRecord) -> String {
    record.iter().take(8).collect::<Vec<_>>().join(",").chars().take(100).collect()
}
