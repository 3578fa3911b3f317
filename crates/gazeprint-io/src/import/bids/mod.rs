//! Recordings of eye trackers in a BIDS data set.
//!
//! A recording is `*_physio.tsv.gz`, one for each eye: samples without column names. A JSON file
//! beside it, or further up, says what the columns are. `*_physioevents.tsv.gz`, also with a JSON
//! file, may have messages, fixations and blinks. [`side_files`] names the files that belong to a
//! recording; whoever opens them hands them over as a [`Side`].
//!
//! Fixations are those of the events, each at the mean of its samples. Without them, they are found
//! in the samples. Messages begin trials as in EyeLink recordings ([`super::TrialPatterns`]).

mod describe;
mod events;
mod eyes;
mod side;
#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

use super::aliases::Choice;
use super::detect::{MeasureTally, Measured, Sample, Scale, TIME_ORDER, TOO_SHORT};
use super::error::{At, ImportError};
use super::gaze::{GazeOptions, OTHER_EYE};
use super::messages::MessageLog;
use super::recording::{Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use super::setting::{Setting, phrase};
use super::trials::{Counter, TrialNames};
use crate::table::{Row, Rows};
use describe::{Clock, Description, factor, no_json};
use events::{Events, Fixation};
use side::entity;

pub use eyes::{Eyes, runs};
pub use side::{Metadata, SideFiles, side_files};

/// Samples of one trial that are held at most: over half an hour at 2000 Hz.
const MOST_SAMPLES: usize = 1 << 22;
/// Fixations at one moment whose samples are summed at most; there should be one.
const MOST_AT_ONCE: usize = 16;

/// What to take from a recording.
#[derive(Debug, Clone)]
pub struct BidsOptions {
    /// The file's name: reader, session and text are parts of it.
    pub name: Arc<str>,
    /// Columns that the user chose.
    pub choices: Vec<Choice>,
    /// Eye, trials, detection.
    pub gaze: GazeOptions,
}

impl BidsOptions {
    /// Options for a file, all as usual.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), choices: Vec::new(), gaze: GazeOptions::default() }
    }
}

/// What stands beside a recording.
#[derive(Default)]
pub struct Side<'s> {
    /// What the samples are: all files of [`SideFiles::samples`] that are there.
    pub samples: Option<Metadata>,
    /// The events, where there are any.
    pub events: Option<EventTable<'s>>,
    /// The screen: all files of [`SideFiles::stimulus`] that are there.
    pub stimulus: Option<Metadata>,
}

/// The events of a recording.
pub struct EventTable<'s> {
    /// Its path, for messages.
    pub path: &'s Path,
    /// The file, unpacked and decoded.
    pub input: &'s mut dyn BufRead,
    /// Index of the input.
    pub file: usize,
    /// What its columns are: all files of [`SideFiles::event_columns`] that are there.
    pub columns: Option<Metadata>,
}

/// Reads a recording.
///
/// # Errors
/// If JSON files are missing or do not say what is needed, or if positions are not on a screen.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &BidsOptions,
    side: Side<'_>,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let metadata = side.samples.ok_or_else(|| no_json("samples", "physio.json"))?;
    let mut rows = Rows::headless(input, metadata.columns("samples")?);
    let events_metadata = side.events.as_ref().and_then(|events| events.columns.as_ref());
    let described = Description::new(
        &mut rows,
        &metadata,
        events_metadata,
        side.stimulus.as_ref(),
        options,
        sink,
    )?;
    let events_file = side.events.as_ref().map_or(file, |events| events.file);
    let events = match side.events {
        Some(table) => {
            let path = table.path;
            Events::read(table, &described.clock, sink).map_err(|error| error.in_file(path))?
        }
        None => Events::default(),
    };
    let event_rows = events.rows;
    let mapping = described.mapping.clone();
    let mut recording = Recording::new(options, described, events, [file, events_file], sink);
    let width = rows.header.len();
    while let Some(row) = rows.next()? {
        recording.row(row, width)?;
    }
    let (count, messages) = recording.finish(rows.last_row())?;
    rows.note_quotes(sink);
    let (rows, columns) = (count + event_rows, rows.header);
    Ok(Shape { mapping, rows, columns, messages: Some(messages), ..Shape::default() })
}

/// Something that happens at a time: a fixation ends, or a message comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    /// Number of the fixation.
    End(usize),
    /// Number of the message.
    Message(usize),
}

/// A recording in the middle of being read.
struct Recording<'r> {
    options: &'r BidsOptions,
    sink: &'r mut dyn Sink,
    described: Description,
    /// Indices of the samples and of the events.
    files: [usize; 2],
    events: Events,
    /// In order of time.
    items: Vec<(f64, Item)>,
    next_item: usize,
    next_fixation: usize,
    /// Fixations that the sample at hand may belong to.
    open: Vec<usize>,
    names: TrialNames,
    log: MessageLog,
    counter: Counter,
    /// Fixations of events that wait for the name of their trial.
    held: Vec<usize>,
    /// Samples of the trial at hand, where fixations are found in them.
    samples: Vec<Sample>,
    last_time: Option<f64>,
    rows: u64,
    tally: Tally,
    measured: MeasureTally,
}

/// What is told at the end.
#[derive(Default)]
struct Tally {
    kept: u64,
    named: u64,
    unnamed: u64,
    missing: u64,
    has_header: bool,
}

impl<'r> Recording<'r> {
    fn new(
        options: &'r BidsOptions,
        described: Description,
        mut events: Events,
        files: [usize; 2],
        sink: &'r mut dyn Sink,
    ) -> Self {
        if options.gaze.from_samples {
            events.fixations.clear();
        }
        let ends = events.fixations.iter().enumerate();
        let ends = ends.map(|(i, fixation)| (fixation.onset + fixation.duration, Item::End(i)));
        let messages = events.messages.iter().enumerate();
        let messages = messages.map(|(i, message)| (message.time, Item::Message(i)));
        let mut items: Vec<(f64, Item)> = ends.chain(messages).collect();
        // A fixation that ends with a message belongs to what was before.
        items.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self {
            options,
            sink,
            described,
            files,
            events,
            items,
            next_item: 0,
            next_fixation: 0,
            open: Vec::new(),
            names: TrialNames::default(),
            log: MessageLog::default(),
            counter: Counter::default(),
            held: Vec::new(),
            samples: Vec::new(),
            last_time: None,
            rows: 0,
            tally: Tally::default(),
            measured: MeasureTally::default(),
        }
    }

    fn row(&mut self, row: Row<'_>, width: usize) -> Result<(), ImportError> {
        if self.rows == 0 && self.described.is_header(row) {
            self.tally.has_header = true;
            return Ok(());
        }
        self.rows += 1;
        let place = RowPlace { file: self.files[0], row: row.number };
        if row.len() != width {
            self.sink.dropped(place, Reason::RAGGED, row.line());
            return Ok(());
        }
        let Some((time_ms, x, y)) = self.described.sample(row, self.rows - 1) else {
            self.sink.dropped(place, Reason::NOT_A_NUMBER, row.line());
            return Ok(());
        };
        if self.last_time.is_some_and(|last| last >= time_ms) {
            self.sink.dropped(place, TIME_ORDER, row.line());
            return Ok(());
        }
        self.last_time = Some(time_ms);
        while let Some(&(_, item)) = self.items.get(self.next_item).filter(|item| item.0 <= time_ms)
        {
            self.item(item)?;
        }
        let sample = Sample { time_ms, x, y, row: row.number };
        if self.events.fixations.is_empty() {
            return self.keep(sample);
        }
        self.add(&sample);
        Ok(())
    }

    /// Keeps a sample in which fixations will be looked for.
    fn keep(&mut self, sample: Sample) -> Result<(), ImportError> {
        if self.samples.len() >= MOST_SAMPLES {
            return Err(ImportError::value(
                At::row(sample.row),
                format!("more than {MOST_SAMPLES} samples in one trial"),
                "fewer",
                phrase!["say which messages begin a trial, with ", Setting::Patterns],
            ));
        }
        self.samples.push(sample);
        Ok(())
    }

    /// Adds a sample to the fixation that it is part of.
    fn add(&mut self, sample: &Sample) {
        let fixations = &mut self.events.fixations;
        while fixations.get(self.next_fixation).is_some_and(|f| f.onset <= sample.time_ms) {
            if self.open.len() >= MOST_AT_ONCE {
                self.open.remove(0);
            }
            self.open.push(self.next_fixation);
            self.next_fixation += 1;
        }
        self.open.retain(|&i| fixations[i].onset + fixations[i].duration > sample.time_ms);
        if sample.is_present() {
            for &i in &self.open {
                fixations[i].count += 1.0;
                fixations[i].x += sample.x;
                fixations[i].y += sample.y;
            }
        }
    }

    fn item(&mut self, item: Item) -> Result<(), ImportError> {
        self.next_item += 1;
        match item {
            Item::End(fixation) => self.held.push(fixation),
            Item::Message(i) => {
                let message = &self.events.messages[i];
                let time = message.time;
                let said = self.options.gaze.patterns.read(&message.said);
                self.log.see(&message.said, said.as_ref());
                let Some(said) = said else { return Ok(()) };
                let has_data = !self.held.is_empty() || !self.samples.is_empty();
                if self.names.ends_with(&said, has_data) {
                    self.end_trial()?;
                }
                self.names.take(said, time);
            }
        }
        Ok(())
    }

    /// Hands the fixations of the trial at hand to the sink, and begins another one.
    fn end_trial(&mut self) -> Result<(), ImportError> {
        let names = std::mem::take(&mut self.names);
        self.names = names.following();
        let held = std::mem::take(&mut self.held);
        let samples = std::mem::take(&mut self.samples);
        if held.is_empty() && samples.is_empty() {
            return Ok(());
        }
        self.log.named(&names);
        let naming = self.naming(&names);
        for i in held {
            let Fixation { row, onset, duration, gap, count, x, y } = self.events.fixations[i];
            let mean = (count > 0.0).then(|| (x / count, y / count));
            let place = RowPlace { file: self.files[1], row };
            let own = RawFixation { gap, ..naming.clone() };
            self.hand_over(place, own, mean, (onset, duration))?;
        }
        let Some(first) = samples.first() else { return Ok(()) };
        let (clock, scale) = (&self.described.clock, self.described.scale);
        let found = self.options.gaze.detector.detect(&samples, clock.interval, scale.as_ref());
        let found = found.map_err(|error| error.at_row(first.row))?;
        for short in &found.short {
            let example = format!("{} ms at {} ms", short.duration_ms, short.onset_ms);
            let place = RowPlace { file: self.files[0], row: short.row };
            self.sink.dropped(place, TOO_SHORT, &example);
        }
        let y_up = self.options.gaze.y_up && scale == Some(Scale::DEGREES);
        let measured = Measured::of(&found, &samples, clock.interval, scale.as_ref(), y_up);
        self.measured.add(&measured, scale.is_some());
        for (fixation, (place, kinematics)) in found.fixations.iter().zip(measured.fixations) {
            let own = RawFixation { gap: fixation.gap, place, kinematics, ..naming.clone() };
            let place = RowPlace { file: self.files[0], row: fixation.row };
            let times = (fixation.onset_ms, fixation.duration_ms);
            let mean = Some((fixation.x, fixation.y));
            self.hand_over(place, own, mean, times)?;
        }
        Ok(())
    }

    /// Whose reading of what the trial at hand is, in a fixation without its own values.
    fn naming(&mut self, names: &TrialNames) -> RawFixation {
        let Self { options, counter, tally, .. } = self;
        let part = |key| entity(&options.name, key);
        let unnamed = || match (part("task"), part("run")) {
            (Some(task), Some(run)) => Arc::from(format!("{task}-{run}")),
            (Some(only), None) | (None, Some(only)) => Arc::from(only),
            (None, None) => Arc::from("1"),
        };
        let (text, trial) = if names.is_named() {
            tally.named += 1;
            let (text, trial) = counter.name(names, unnamed);
            (text, Some(trial))
        } else {
            tally.unnamed += 1;
            (unnamed(), None)
        };
        let session = names.session().or_else(|| options.gaze.session.clone());
        let reader = options.gaze.reader.clone().or_else(|| part("sub").map(Arc::from));
        RawFixation {
            reader: reader.unwrap_or_else(|| options.name.clone()),
            text,
            session: session.or_else(|| part("ses").map(Arc::from)),
            trial,
            position: Position::Missing,
            duration_ms: None,
            onset_ms: None,
            gap: false,
            eye: self.described.eye,
            ..RawFixation::default()
        }
    }

    fn hand_over(
        &mut self,
        place: RowPlace,
        own: RawFixation,
        mean: Option<(f64, f64)>,
        (onset, duration): (f64, f64),
    ) -> Result<(), ImportError> {
        if let Some(eye) = own.eye.filter(|eye| !self.options.gaze.eye.allows(*eye)) {
            self.sink.dropped(place, OTHER_EYE, &format!("{eye:?} eye at {onset} ms"));
            return Ok(());
        }
        self.tally.kept += 1;
        self.tally.missing += u64::from(mean.is_none());
        let position = match mean {
            Some((x, y)) => self.described.position(x, y, self.options.gaze.y_up),
            None => Position::Missing,
        };
        let fixation =
            RawFixation { position, duration_ms: Some(duration), onset_ms: Some(onset), ..own };
        self.sink.fixation(place, fixation)
    }

    /// Ends with the number of samples, and what messages said.
    fn finish(mut self, row: u64) -> Result<(u64, MessageLog), ImportError> {
        while let Some(&(_, item)) = self.items.get(self.next_item) {
            self.item(item)?;
        }
        self.end_trial()?;
        if self.rows == 0 {
            return Err(ImportError::Empty { at: At::row(row), expected: "a row for each sample" });
        }
        self.log.check(&self.options.gaze.patterns, row, self.sink)?;
        self.report();
        Ok((self.rows, self.log))
    }

    fn report(&mut self) {
        let Tally { kept, named, unnamed, missing, has_header } = self.tally;
        let sink = &mut *self.sink;
        self.measured.note(sink);
        let (messages, blinks) = (self.events.messages.len(), self.events.blinks);
        sink.note(match self.events.fixations.len() {
            0 => format!(
                "{kept} fixations found in {} samples, since {}: {}",
                self.rows,
                if self.options.gaze.from_samples {
                    "that was asked for"
                } else {
                    "no events have any"
                },
                self.options.gaze.detector.describe()
            ),
            events => format!(
                "{kept} of {events} fixations of the events, each at the mean of its samples; \
                 {blinks} blinks, which mark the next fixation with a gap"
            ),
        });
        sink.note(format!(
            "{messages} messages name {named} trials; {unnamed} are named after the file"
        ));
        for (count, what) in [
            (missing, "fixations have no samples, and so no position"),
            (u64::from(has_header), "row has the names of the columns; it is left out"),
        ] {
            if count > 0 {
                sink.note(format!("{count} {what}"));
            }
        }
    }
}
