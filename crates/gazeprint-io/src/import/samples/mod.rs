//! Tables of samples: time and position, a row each.
//!
//! | table | columns |
//! |---|---|
//! | GazeBase | `n, x, y, val, xT, yT, dP, lab`, in degrees |
//! | BioEye 2015 | `SAMPLE, X DEGREE, Y DEGREE, VALIDITY`, in degrees, without times |
//! | pymovements | `time` with `pixel` or `position` as a list, `pixel_x, pixel_y`, or `x_pix, y_pix` |
//! | others | a time, and x and y whose unit is given |
//!
//! A file is one recording, or tells readers and trials apart by columns. Rows of a trial follow
//! each other in order of time. Fixations are found trial by trial by a
//! [`Detector`](super::detect::Detector).

mod columns;
mod marks;
mod names;
mod report;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::sync::Arc;

use super::aliases::{Choice, ColumnRole, Unit};
use super::detect::{
    MeasureTally, Measured, Sample, Scale, ScreenParams, TIME_ORDER, TOO_SHORT, infer_interval,
    ways_to_scale,
};
use super::error::{At, ImportError};
use super::gaze::{EyeChoice, GazeOptions, OTHER_EYE};
use super::recording::{Eye, Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use super::setting::{Phrase, Setting, phrase};
use super::unread::Unread;
use super::validity::{KnownMarks, Marks, Valid};
use super::values::is_nowhere;
use crate::table::{Row, Rows};
use columns::Columns;
use marks::{Read, UnreadMarks};
use names::{ReadingNames, gazebase_name};

/// A trial in which no sample can be used.
const NO_GOOD_SAMPLE: Reason = Reason::aside("no_good_sample");

/// Samples of one trial that are held at most: over half an hour at 2000 Hz.
const MOST_SAMPLES: usize = 1 << 22;

/// No eye looks further to a side, in degrees.
const FARTHEST_DEG: f64 = 60.0;

/// How far the time between samples may be from that of the rate that was given, in parts of it.
const RATE_OFF: f64 = 0.05;

/// The screen of GazeBase, as published with the data.
const GAZEBASE: ScreenParams = ScreenParams {
    width_px: 1680.0,
    height_px: 1050.0,
    width_mm: 474.0,
    height_mm: 297.0,
    distance_mm: 550.0,
};

/// Units of times.
const TIME_UNITS: [Unit; 4] =
    [Unit::Seconds, Unit::Milliseconds, Unit::Microseconds, Unit::Nanoseconds];

/// The unit in which a time between samples is one of 10 Hz to 5000 Hz, which leaves no overlap.
pub(super) fn unit_of_step(step: f64) -> Option<Unit> {
    TIME_UNITS
        .into_iter()
        .find(|unit| unit.milliseconds().is_some_and(|ms| (0.2..=100.0).contains(&(step * ms))))
}

/// What to take from a table.
#[derive(Debug, Clone)]
pub struct SamplesOptions {
    /// The file's name without its extension: the reader, where neither column nor option is.
    pub stem: Arc<str>,
    /// Columns that the user chose.
    pub choices: Vec<Choice>,
    /// Reader, eye, detection.
    pub gaze: GazeOptions,
    /// What is read, where no column tells.
    pub page: Option<Arc<str>>,
    /// Which of reader and text are guesses, so that columns that may say better are told.
    pub guessed: Vec<ColumnRole>,
    /// Whether words are known, which fixations are put on by their pixels.
    pub has_words: bool,
}

impl SamplesOptions {
    /// Options for a file, all as usual.
    pub fn new(stem: impl Into<Arc<str>>) -> Self {
        Self {
            stem: stem.into(),
            choices: Vec::new(),
            gaze: GazeOptions::default(),
            page: None,
            guessed: Vec::new(),
            has_words: false,
        }
    }
}

/// Reads a table.
///
/// # Errors
/// If it is no table of samples, if its units are not known, or if its fixations cannot be found.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &SamplesOptions,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut rows = Rows::open(input, "a row of column names, then one row for each sample")?;
    let gaze = &options.gaze;
    check_rate(gaze.rate_hz)?;
    let (columns, mapping) = Columns::find(&mut rows, &options.choices, gaze)?;
    sink.note(rows.decision.clone());
    if columns.comma {
        sink.note("decimals follow a comma: numbers of the first rows have one".to_owned());
    }
    // Names of files of GazeBase say it all.
    let guessed = if columns.is_gazebase { &[] } else { &options.guessed[..] };
    let mut unread = Unread::new(&rows, &mapping, guessed);
    let mut marks = UnreadMarks::new(&rows.header, &mapping, columns.eye);
    let mut trials = Trials::new(columns, rows.header_row, file, options, sink)?;
    let width = rows.header.len();
    while let Some(row) = rows.next()? {
        unread.see(row);
        marks.see(row);
        trials.row(row, width)?;
    }
    let count = trials.finish(rows.last_row())?;
    unread.warn(sink);
    marks.warn(sink);
    rows.note_quotes(sink);
    Ok(Shape { mapping, rows: count, columns: rows.header, ..Shape::default() })
}

/// Refuses what is no rate of samples.
fn check_rate(rate_hz: Option<f64>) -> Result<(), ImportError> {
    match rate_hz {
        Some(rate) if !(10.0..=5000.0).contains(&rate) => Err(ImportError::value(
            Box::default(),
            phrase![Setting::Rate, format!(" {rate}")],
            "samples at 10 to 5000 Hz",
            "correct it",
        )),
        _ => Ok(()),
    }
}

/// A sample with its mark of validity.
#[derive(Clone, Copy)]
struct Marked {
    sample: Sample,
    mark: Option<f64>,
}

/// A table in the middle of being read.
struct Trials<'t> {
    options: &'t SamplesOptions,
    sink: &'t mut dyn Sink,
    file: usize,
    columns: Columns,
    /// Whether the samples' unit is degrees, or how it relates to them.
    scale: Option<Scale>,
    /// How degrees become pixels.
    screen: Option<Scale>,
    time_unit: Option<Unit>,
    default: ReadingNames,
    names: ReadingNames,
    /// Times still in the unit of the file.
    samples: Vec<Marked>,
    /// Which of them are good, once the first trial has told.
    valid: Option<Valid>,
    marks: Marks,
    /// A sample that is earlier than the last one: the clock restarts, or the row is out of order.
    earlier: Option<(Marked, String)>,
    /// Which part of its names the trial at hand is, from 1, where the clock has restarted.
    part: Option<u64>,
    parts: HashMap<ReadingNames, u64>,
    seen: HashSet<(ReadingNames, Option<u64>)>,
    intervals: Vec<f64>,
    kept: u64,
    rows: u64,
    invalid: u64,
    missing: u64,
    /// Samples at a place that stands for none.
    nowhere: u64,
    /// Whose samples are taken of a reading that has those of both eyes.
    eye: Option<Eye>,
    resumed: u64,
    measured: MeasureTally,
}

impl<'t> Trials<'t> {
    fn new(
        columns: Columns,
        header_row: u64,
        file: usize,
        options: &'t SamplesOptions,
        sink: &'t mut dyn Sink,
    ) -> Result<Self, ImportError> {
        let gazebase = columns.is_gazebase.then(|| gazebase_name(&options.stem)).flatten();
        let default = ReadingNames::new(options, gazebase);
        let published = || Scale::screen(GAZEBASE).ok().filter(|_| columns.is_gazebase);
        let screen = options.gaze.scale.or_else(published);
        if columns.unit == Unit::Degrees && screen.is_none() && options.has_words {
            return Err(degrees_without_screen(header_row));
        }
        let scale = match columns.unit {
            Unit::Degrees => Some(Scale::DEGREES),
            _ => options.gaze.scale,
        };
        Ok(Self {
            options,
            sink,
            file,
            scale,
            screen,
            time_unit: columns.time_unit,
            columns,
            names: default.clone(),
            default,
            samples: Vec::new(),
            valid: None,
            marks: Marks::default(),
            earlier: None,
            part: None,
            parts: HashMap::new(),
            seen: HashSet::new(),
            intervals: Vec::new(),
            kept: 0,
            rows: 0,
            invalid: 0,
            missing: 0,
            nowhere: 0,
            eye: None,
            resumed: 0,
            measured: MeasureTally::default(),
        })
    }

    fn row(&mut self, row: Row<'_>, width: usize) -> Result<(), ImportError> {
        self.rows += 1;
        let place = RowPlace { file: self.file, row: row.number };
        if row.len() != width {
            self.sink.dropped(place, Reason::RAGGED, row.line());
            return Ok(());
        }
        if !self.names.are_of(row, &self.columns, &self.default) {
            self.end_trial()?;
            self.names = self.default.with(row, &self.columns);
            self.part = None;
            self.eye = None;
        }
        if !self.is_of_eye(row) {
            self.sink.dropped(place, OTHER_EYE, row.line());
            return Ok(());
        }
        let cells = match self.columns.read(row, self.rows - 1) {
            Ok(cells) => cells,
            Err(reason) => {
                self.sink.dropped(place, reason, row.line());
                return Ok(());
            }
        };
        let sample = Sample { time_ms: cells.time, x: cells.x, y: cells.y, row: place.row };
        let sample = Marked { sample, mark: cells.mark };
        if !self.is_in_time(sample, row)? {
            return Ok(());
        }
        if self.samples.len() >= MOST_SAMPLES {
            return Err(ImportError::value(
                At::row(place.row),
                format!("more than {MOST_SAMPLES} samples in one trial"),
                "fewer",
                phrase![
                    "name a column that tells trials apart, with ",
                    Phrase::choice("trial", "COLUMN")
                ],
            ));
        }
        self.samples.push(sample);
        Ok(())
    }

    /// Whether a row is of the eye that is asked for, or else of the one that comes first in the reading.
    fn is_of_eye(&mut self, row: Row<'_>) -> bool {
        let Some(seen) = self.columns.eye_in(row) else { return true };
        match self.options.gaze.eye {
            EyeChoice::Best => *self.eye.get_or_insert(seen) == seen,
            asked => {
                self.eye = Some(seen);
                asked.allows(seen)
            }
        }
    }

    /// Whether a sample goes on with the trial at hand. Two in a row that are earlier than the last
    /// one, where no column tells trials apart, mean that the clock has restarted: they begin
    /// another trial.
    fn is_in_time(&mut self, marked: Marked, row: Row<'_>) -> Result<bool, ImportError> {
        let last = self.samples.last().map(|last| last.sample.time_ms);
        let (Some(last), sample) = (last, marked.sample) else { return Ok(true) };
        if sample.time_ms > last {
            self.drop_earlier();
            return Ok(true);
        }
        let place = RowPlace { file: self.file, row: sample.row };
        if self.columns.trial.is_some() || sample.time_ms >= last {
            self.sink.dropped(place, TIME_ORDER, row.line());
            return Ok(false);
        }
        match self.earlier.take_if(|(earlier, _)| earlier.sample.time_ms < sample.time_ms) {
            Some((first, _)) => {
                self.end_trial()?;
                let parts = self.parts.entry(self.names.clone()).or_insert(1);
                *parts += 1;
                self.part = Some(*parts);
                self.samples.push(first);
                Ok(true)
            }
            None => {
                self.drop_earlier();
                self.earlier = Some((marked, row.line().to_owned()));
                Ok(false)
            }
        }
    }

    /// Drops the row that was out of order, if there is one.
    fn drop_earlier(&mut self) {
        if let Some((Marked { sample, .. }, line)) = self.earlier.take() {
            self.sink.dropped(RowPlace { file: self.file, row: sample.row }, TIME_ORDER, &line);
        }
    }

    /// Finds the fixations of the trial at hand.
    fn end_trial(&mut self) -> Result<(), ImportError> {
        self.drop_earlier();
        let file = self.file;
        let marked = std::mem::take(&mut self.samples);
        let Some(first) = marked.first().map(|first| RowPlace { file, row: first.sample.row })
        else {
            return Ok(());
        };
        let mut samples = self.good(first.row, &marked)?;
        if let Some(valid) = &self.valid
            && !samples.iter().any(Sample::is_present)
        {
            let good = self.columns.good_where(valid);
            let example = format!("{} samples, which are {good}", samples.len());
            self.sink.dropped(first, NO_GOOD_SAMPLE, &example);
        }
        if !self.seen.insert((self.names.clone(), self.part)) {
            self.resumed += 1;
        }
        let Some(step) = infer_interval(&samples) else {
            self.sink.dropped(first, TOO_SHORT, "a sample alone");
            return Ok(());
        };
        let factor = self.time_unit(first, step)?.milliseconds().unwrap_or(1.0);
        samples.iter_mut().for_each(|sample| sample.time_ms *= factor);
        let interval = step * factor;
        self.check_interval(first.row, interval)?;
        if self.intervals.len() < 8 && !self.intervals.contains(&interval) {
            self.intervals.push(interval);
        }
        let detector = &self.options.gaze.detector;
        let found = detector
            .detect(&samples, interval, self.scale.as_ref())
            .map_err(|error| error.at_row(first.row))?;
        for short in &found.short {
            let example = format!("{} ms at {} ms", short.duration_ms, short.onset_ms);
            self.sink.dropped(RowPlace { file, row: short.row }, TOO_SHORT, &example);
        }
        let y_up = self.options.gaze.y_up && self.columns.unit == Unit::Degrees;
        let measured = Measured::of(&found, &samples, interval, self.scale.as_ref(), y_up);
        self.measured.add(&measured, self.scale.is_some());
        let part = self.part.map(|part| part.to_string().into());
        let trial = part.or_else(|| self.names.trial.clone());
        for (fixation, (place, kinematics)) in found.fixations.iter().zip(measured.fixations) {
            let raw = RawFixation {
                reader: self.names.reader.clone(),
                text: self.names.text.clone(),
                session: self.names.session.clone(),
                trial: trial.clone(),
                position: self.place(fixation.x, fixation.y),
                duration_ms: Some(fixation.duration_ms),
                onset_ms: Some(fixation.onset_ms),
                gap: fixation.gap,
                eye: self.eye.or(self.columns.eye),
                place,
                kinematics,
                ..RawFixation::default()
            };
            self.kept += 1;
            self.sink.fixation(RowPlace { file, row: fixation.row }, raw)?;
        }
        Ok(())
    }

    /// The samples of a trial; those that are marked as bad are missing.
    fn good(&mut self, row: u64, marked: &[Marked]) -> Result<Vec<Sample>, ImportError> {
        let farthest = match self.columns.unit {
            Unit::Degrees => FARTHEST_DEG,
            _ => f64::INFINITY,
        };
        let is_seen = |s: &Sample| s.x.abs() <= farthest && s.y.abs() <= farthest;
        // An eye is never at rest to the last digit: a place that stays is what a tracker repeats.
        let moves = |at: usize| {
            let place = |at: usize| marked.get(at).map(|m| (m.sample.x, m.sample.y));
            at > 0 && place(at) != place(at - 1)
        };
        let marks = marked.iter().enumerate();
        let marks = marks.filter_map(|(at, m)| Some((m.mark?, is_seen(&m.sample) && moves(at))));
        marks.clone().for_each(|(mark, is_seen)| self.marks.see(mark, is_seen));
        let is_marked = marks.clone().next().is_some();
        if self.valid.is_none() && is_marked {
            let Read { least, documented } = self.columns.marks;
            // What is given of confidences is the least of them.
            let given = self.options.gaze.valid.filter(|_| least.is_none());
            let known = KnownMarks { given, documented };
            self.valid = known.decide(row, &self.columns.validity_name, marks)?;
        }
        // Marks that nothing is known of are not taken for good.
        let valid = self.valid.as_ref().map(|valid| valid.mark);
        let mut samples = Vec::with_capacity(marked.len());
        for Marked { sample, mark } in marked {
            let is_valid = *mark == valid || (valid.is_none() && !is_marked);
            self.invalid += u64::from(!is_valid);
            let (x, y) = if is_valid { (sample.x, sample.y) } else { (f64::NAN, f64::NAN) };
            let sample = Sample { x, y, ..*sample };
            samples.push(sample);
        }
        self.lose_nowhere(&mut samples);
        self.missing += samples.iter().filter(|sample| !sample.is_present()).count() as u64;
        Ok(samples)
    }

    /// Takes out places that stand for none. In degrees, and by chance, one sample may be there.
    fn lose_nowhere(&mut self, samples: &mut [Sample]) {
        let is_nowhere = |sample: &Sample| is_nowhere(sample.x, sample.y);
        for run in samples.chunk_by_mut(|a, b| a.x == b.x && a.y == b.y) {
            if run.len() > 1 && run.iter().all(is_nowhere) {
                self.nowhere += run.len() as u64;
                run.iter_mut().for_each(|sample| (sample.x, sample.y) = (f64::NAN, f64::NAN));
            }
        }
    }

    /// Refuses times that contradict the rate that was given.
    fn check_interval(&self, row: u64, interval: f64) -> Result<(), ImportError> {
        let Some(rate) = self.options.gaze.rate_hz else { return Ok(()) };
        let wanted = 1000.0 / rate;
        if self.columns.is_counted() || (interval - wanted).abs() <= RATE_OFF * wanted {
            return Ok(());
        }
        Err(ImportError::value(
            At::row(row),
            format!("samples every {interval} ms, as their times say"),
            phrase![Setting::Rate, format!(" {rate}: one every {wanted} ms")],
            "leave the rate out, or correct it",
        ))
    }

    /// The unit of times, from the first trial on the same for all.
    fn time_unit(&mut self, place: RowPlace, step: f64) -> Result<Unit, ImportError> {
        let unit = self.time_unit.or_else(|| unit_of_step(step)).ok_or_else(|| {
            ImportError::value(
                At::row(place.row),
                format!("times {step} apart"),
                "samples at 10 to 5000 Hz, in a unit from seconds to nanoseconds",
                phrase![
                    "say which unit times have, as in ",
                    Phrase::choice("time_s", &self.columns.time_name),
                    ", or time_ms, time_us or time_ns in its place"
                ],
            )
        })?;
        self.time_unit = Some(unit);
        Ok(unit)
    }

    fn place(&self, x: f64, y: f64) -> Position {
        if self.columns.unit == Unit::Pixels {
            return Position::Pixels { x, y };
        }
        in_pixels(self.screen, self.options.gaze.y_up, x, y)
    }

    /// Ends with the number of rows.
    fn finish(mut self, row: u64) -> Result<u64, ImportError> {
        self.end_trial()?;
        if self.rows == 0 {
            return Err(ImportError::Empty { at: At::row(row), expected: "a row for each sample" });
        }
        self.report();
        Ok(self.rows)
    }
}

/// The error about degrees that cannot become pixels.
pub(super) fn degrees_without_screen(row: u64) -> ImportError {
    ImportError::value(
        At::row(row),
        "positions in degrees",
        "a way to turn them into pixels, which fixations are in",
        phrase![
            "give size and distance of the screen, or the pixels per degree: ",
            ways_to_scale()
        ],
    )
}

/// Pixels of a place in degrees.
pub(super) fn in_pixels(screen: Option<Scale>, y_up: bool, x: f64, y: f64) -> Position {
    let y = if y_up { -y } else { y };
    screen
        .and_then(|screen| screen.pixels(x, y))
        .map_or(Position::Missing, |(x, y)| Position::Pixels { x, y })
}
