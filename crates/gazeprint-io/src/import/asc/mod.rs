//! EyeLink recordings as `edf2asc` writes them.
//!
//! Fixations are the lines `EFIX`. They last from their first to their last sample, and one sample
//! more: the end that the file gives is the time of the last sample. A blink marks the next
//! fixation of its eye with a gap. Kinematics of saccades are those of the lines `ESACC`. A file that has samples and no events is left to a
//! [`Detector`](super::detect::Detector).
//!
//! Trials are named by messages that a pattern knows ([`TrialPatterns`](super::TrialPatterns)):
//! `parts` says which. Without such messages, each block from `START` to `END` is a trial, and the
//! text is called `block-1` and so on. A fixation belongs to the trial in which it ends. Of two eyes,
//! one is taken for each trial ([`EyeChoice`](super::EyeChoice)).

mod line;
mod parts;
mod saccades;
mod samples;
mod tally;
#[cfg(test)]
mod tests;

use std::io::BufRead;
use std::sync::Arc;

use gazeprint::kinematics::Kinematics;

use super::detect::MeasureTally;
use super::error::{At, ImportError};
use super::gaze::{GazeOptions, OTHER_EYE};
use super::messages::MessageLog;
use super::recording::{Eye, Position, RawFixation, Reason, RowPlace, Sink};
use super::report::Shape;
use super::setting::{Setting, phrase, quoted};
use super::trials::{Counter, Side, is_trial_id};
use crate::table::Lines;
use line::{Config, Coordinates, Eyes, Fixation, Line};
use parts::{Data, Decided, Part, Said, Trial, trials};
use saccades::Saccades;
use samples::Buffer;
use tally::{Source, Tally};

/// A line that the format does not have.
const NOT_UNDERSTOOD: Reason = Reason::new("not_understood");
/// A line of the format with cells missing, or with cells that are no numbers.
const MALFORMED: Reason = Reason::new("malformed");
/// Samples in which no fixations can be looked for.
const UNDETECTED: Reason = Reason::new("undetected");

/// Fixations of one trial that are held at most. Nobody fixates that often.
const MOST_FIXATIONS: usize = 1 << 20;

/// What to take from a file.
#[derive(Debug, Clone)]
pub struct AscOptions {
    /// The file's name without its extension: who reads, where no option tells. The file does not
    /// say.
    pub stem: Arc<str>,
    /// Eye, trials, detection. Without a scale, it is the resolution that blocks end with.
    pub gaze: GazeOptions,
}

impl AscOptions {
    /// Options for a file, all as usual.
    pub fn new(stem: impl Into<Arc<str>>) -> Self {
        Self { stem: stem.into(), gaze: GazeOptions::default() }
    }
}

/// Reads a file.
pub fn read(
    input: &mut dyn BufRead,
    file: usize,
    options: &AscOptions,
    sink: &mut dyn Sink,
) -> Result<Shape, ImportError> {
    let mut lines = Lines::new(input);
    let mut recording = Recording::new(options, sink);
    let mut line = String::new();
    while lines.next(&mut line)? {
        recording.line(RowPlace { file, row: lines.number() }, &line)?;
        line.clear();
    }
    let place = RowPlace { file, row: lines.number().max(1) };
    let shape = recording.finish(place)?;
    Ok(Shape { rows: lines.number(), ..shape })
}

/// A fixation that waits for the name of its trial.
#[derive(Debug, Clone, Copy, Default)]
struct EventFixation {
    row: u64,
    onset_ms: f64,
    duration_ms: f64,
    place: Option<(f64, f64)>,
    gap: bool,
    /// The place in degrees, and the kinematics.
    measured: (Option<[f32; 2]>, Kinematics),
}

/// What is known about the block at hand.
#[derive(Debug, Default)]
struct Block {
    is_open: bool,
    eyes: Eyes,
    events: Option<Config>,
    samples: Option<Config>,
    /// Where the samples were described.
    described: u64,
    resolution: Option<(f64, f64)>,
}

impl Block {
    /// The eyes whose samples are in a line.
    fn sampled(&self) -> Eyes {
        self.samples.map(|config| config.eyes).filter(|eyes| eyes.any()).unwrap_or(self.eyes)
    }
}

/// A recording in the middle of being read.
struct Recording<'r> {
    options: &'r AscOptions,
    sink: &'r mut dyn Sink,
    /// What came before the block at hand, or before the last message.
    parts: Vec<Part>,
    log: MessageLog,
    counter: Counter,
    block: Block,
    /// For the left and the right eye.
    held: [Vec<EventFixation>; 2],
    /// Whether nothing of the block was put aside yet.
    starts_block: bool,
    buffer: Buffer,
    /// Start of a blink that no fixation came after yet.
    blink: [Option<f64>; 2],
    /// The last saccade of each eye.
    saccades: Saccades,
    measured: MeasureTally,
    eye: Option<Eye>,
    has_events: bool,
    /// Why samples could not be used, where events were announced and may still come.
    unusable: Option<ImportError>,
    in_calibration: bool,
    tally: Tally,
}

/// Both eyes, in the order of every pair.
const EYES: [Eye; 2] = [Eye::Left, Eye::Right];

fn index(eye: Eye) -> usize {
    match eye {
        Eye::Left => 0,
        Eye::Right => 1,
    }
}

impl<'r> Recording<'r> {
    fn new(options: &'r AscOptions, sink: &'r mut dyn Sink) -> Self {
        Self {
            options,
            sink,
            parts: Vec::new(),
            log: MessageLog::default(),
            counter: Counter::default(),
            block: Block::default(),
            held: Default::default(),
            starts_block: true,
            buffer: Buffer::default(),
            blink: [None; 2],
            saccades: Saccades::default(),
            measured: MeasureTally::default(),
            eye: None,
            has_events: false,
            unusable: None,
            in_calibration: false,
            tally: Tally::default(),
        }
    }

    fn line(&mut self, place: RowPlace, line: &str) -> Result<(), ImportError> {
        match line::parse(line) {
            Line::Unneeded => {}
            Line::Indented if self.in_calibration => {}
            Line::Indented | Line::Unknown => {
                self.sink.dropped(place, NOT_UNDERSTOOD, line);
            }
            Line::Malformed => self.sink.dropped(place, MALFORMED, line),
            Line::Message { time, said } => self.message(place, time, said)?,
            Line::Start { eyes } => self.start(place, eyes)?,
            Line::End { resolution } => {
                self.block.is_open = false;
                self.block.resolution = resolution;
            }
            Line::Events(config) => self.events(place, config)?,
            Line::Samples(config) => {
                self.tally.described = true;
                self.block.samples = Some(config);
                self.block.described = place.row;
            }
            Line::Event => self.event(),
            Line::Saccade(saccade) => {
                self.event();
                self.saccades.see(saccade);
            }
            Line::Fixation(fixation) => self.fixation(place, line, fixation)?,
            Line::Blink { eye, start, is_over } => {
                self.event();
                self.tally.blinks[index(eye)] += u64::from(is_over);
                if !self.options.gaze.from_samples {
                    self.blink[index(eye)].get_or_insert(start);
                }
            }
            Line::Sample { time, cells } => self.sample(place, line, time, cells)?,
        }
        Ok(())
    }

    fn message(&mut self, place: RowPlace, time: f64, said: &str) -> Result<(), ImportError> {
        self.in_calibration = said.starts_with("!CAL");
        self.tally.message(said);
        let found = self.options.gaze.patterns.read(said);
        self.log.see(said, found.as_ref());
        let part = match found {
            Some(message) => {
                let block = self.block.is_open.then_some(self.tally.blocks);
                Part::Named(Said { message, time, block })
            }
            None if is_trial_id(said) => Part::Begin,
            None => return Ok(()),
        };
        // Variables come before or after the block that they belong to: samples go on.
        let goes_on = matches!(&part, Part::Named(said) if said.message.adds) && self.block.is_open;
        if !goes_on || !self.buffer.has_samples() {
            self.put_aside(place)?;
        }
        self.parts.push(part);
        Ok(())
    }

    fn start(&mut self, place: RowPlace, eyes: Eyes) -> Result<(), ImportError> {
        self.tally.without_end += u64::from(self.block.is_open);
        self.put_aside(place)?;
        self.starts_block = true;
        // A clock may start anew with a block: nothing is right before it.
        self.blink = [None; 2];
        self.saccades.lose();
        self.in_calibration = false;
        self.tally.blocks += 1;
        self.block = Block { is_open: true, eyes, ..Block::default() };
        self.buffer.begin_block();
        Ok(())
    }

    fn events(&mut self, place: RowPlace, config: Config) -> Result<(), ImportError> {
        self.tally.described = true;
        if config.coordinates != Coordinates::Gaze && !self.options.gaze.from_samples {
            return Err(samples::not_gaze(place, "EVENTS", config.coordinates));
        }
        self.block.events = Some(config);
        Ok(())
    }

    /// The tracker has looked for events itself: samples are not needed.
    fn event(&mut self) {
        if !self.has_events {
            self.has_events = true;
            if !self.options.gaze.from_samples {
                self.buffer.clear();
            }
        }
    }

    fn fixation(
        &mut self,
        place: RowPlace,
        line: &str,
        fixation: Fixation,
    ) -> Result<(), ImportError> {
        self.event();
        let eye = index(fixation.eye);
        self.tally.fixation_lines[eye] += 1;
        if self.options.gaze.from_samples {
            return Ok(());
        }
        if fixation.end < fixation.start {
            self.sink.dropped(place, Reason::NEGATIVE_DURATION, line);
            return Ok(());
        }
        let interval = self.interval(&fixation);
        let duration_ms = fixation.end - fixation.start + interval;
        self.tally.compare(duration_ms, fixation.duration);
        let gap = self.blink[eye].is_some_and(|blink| fixation.start >= blink);
        if gap {
            self.blink[eye] = None;
        }
        let scale = self.options.gaze.scale;
        let kinematics = self.saccades.before(&fixation, interval, scale);
        self.hold(
            place,
            fixation.eye,
            EventFixation {
                row: place.row,
                onset_ms: fixation.start,
                duration_ms,
                place: fixation.place,
                gap,
                measured: (scale.zip(fixation.place).map(samples::in_degrees), kinematics),
            },
        )
    }

    /// The time between samples, in milliseconds, from whatever tells it best.
    fn interval(&mut self, fixation: &Fixation) -> f64 {
        let rate = |config: Option<Config>| config.and_then(|config| config.rate_hz);
        let from_rate = |rate: f64| 1000.0 / rate;
        let span = fixation.end - fixation.start;
        let (source, interval) = None
            .or_else(|| Some((Source::Events, from_rate(rate(self.block.events)?))))
            .or_else(|| Some((Source::Samples, from_rate(rate(self.block.samples)?))))
            .or_else(|| Some((Source::Steps, self.buffer.smallest_step()?)))
            .or_else(|| Some((Source::Message, from_rate(self.tally.message_rate?))))
            .or_else(|| {
                let interval = fixation.duration? - span;
                // No EyeLink is slower than this; more would be another meaning of the column.
                (0.0..=8.0).contains(&interval).then_some((Source::Durations, interval))
            })
            .unwrap_or((Source::Unknown, 0.0));
        self.tally.interval(source, interval);
        interval
    }

    fn hold(&mut self, place: RowPlace, eye: Eye, held: EventFixation) -> Result<(), ImportError> {
        let fixations = &mut self.held[index(eye)];
        if fixations.len() >= MOST_FIXATIONS {
            return Err(ImportError::value(
                At::row(place.row),
                format!("more than {MOST_FIXATIONS} fixations in one trial"),
                "fewer",
                phrase!["say which messages begin a trial, with ", Setting::Patterns],
            ));
        }
        fixations.push(held);
        Ok(())
    }

    /// Puts the fixations found so far aside, until all messages are known.
    fn put_aside(&mut self, place: RowPlace) -> Result<(), ImportError> {
        self.settle(place)?;
        let held = std::mem::take(&mut self.held);
        if held.iter().any(|held| !held.is_empty()) {
            let starts_block = std::mem::take(&mut self.starts_block);
            self.parts.push(Part::Data(Data {
                held,
                block: self.tally.blocks.max(1),
                starts_block,
            }));
        }
        Ok(())
    }

    /// Hands the fixations of a trial to the sink.
    fn hand_over(&mut self, file: usize, trial: Trial) -> Result<(), ImportError> {
        let counts = trial.counts();
        let Trial { names, data: Data { held, block, .. } } = trial;
        let Some(eye) = self.choose(counts) else {
            self.tally.empty += u64::from(names.is_named());
            return Ok(());
        };
        self.tally.trial(eye, self.eye, names.is_named());
        self.eye = Some(eye);
        let is_before = |held: &&EventFixation| names.since.is_some_and(|at| held.onset_ms < at);
        self.tally.straddling += held.iter().flatten().filter(is_before).count() as u64;
        self.log.named(&names);
        let (text, trial) = self.counter.name(&names, || Arc::from(format!("block-{block}")));
        let session = names.session().or_else(|| self.options.gaze.session.clone());
        let reader = self.options.gaze.reader.as_ref().unwrap_or(&self.options.stem);
        for side in EYES {
            for held in &held[index(side)] {
                let place = RowPlace { file, row: held.row };
                if side != eye {
                    let example = format!("{side:?} eye at {} ms", held.onset_ms);
                    self.sink.dropped(place, OTHER_EYE, &example);
                    continue;
                }
                self.tally.kept[index(eye)] += 1;
                let position =
                    held.place.map_or(Position::Missing, |(x, y)| Position::Pixels { x, y });
                let (place_deg, kinematics) = held.measured;
                self.sink.fixation(
                    place,
                    RawFixation {
                        reader: reader.clone(),
                        text: text.clone(),
                        session: session.clone(),
                        trial: Some(trial.clone()),
                        position,
                        duration_ms: Some(held.duration_ms),
                        onset_ms: Some(held.onset_ms),
                        gap: held.gap,
                        eye: Some(eye),
                        place: place_deg,
                        kinematics,
                        ..RawFixation::default()
                    },
                )?;
            }
        }
        Ok(())
    }

    /// Which eye to take, from the number of fixations of each.
    fn choose(&self, counts: [usize; 2]) -> Option<Eye> {
        let [left, right] = counts;
        (counts != [0, 0]).then(|| self.options.gaze.eye.choose(left, right, self.eye))
    }

    /// What it is refused with where messages may name either of two blocks.
    fn undecided(&self, row: u64) -> ImportError {
        let patterns = &self.options.gaze.patterns;
        let given = patterns.written().next().filter(|_| patterns.are_given()).map(str::to_owned);
        let said = self.parts.iter().find_map(Part::names).map(|said| &said.message);
        let known = said.map(|message| {
            let group = if message.text.is_some() { "text" } else { "trial" };
            regex::escape(&message.source.says) + &format!(r"(?P<{group}>\S.*)")
        });
        let pattern = given.or(known).unwrap_or_default();
        let saying = |side: Side| quoted(&format!("(?P<{}>){pattern}", side.group()));
        ImportError::value(
            At::row(row),
            "fixations before the first message that names trials and after the last, and messages \
             between blocks: each may be about the block before it or the one after",
            "messages that come before what they name, or after it",
            phrase![
                "say that they come before it with ",
                Setting::Patterns,
                format!(" {}, or after it with ", saying(Side::Before)),
                Setting::Patterns,
                format!(" {}", saying(Side::After))
            ],
        )
    }

    /// Hands everything over, and gives what messages said.
    /// What messages said, and the screen.
    fn finish(mut self, place: RowPlace) -> Result<Shape, ImportError> {
        self.tally.without_end += u64::from(self.block.is_open);
        self.put_aside(place)?;
        if self.tally.without_end > 0 {
            // Nobody knows where these blocks ended.
            let said = self.parts.iter_mut().filter_map(Part::said_mut);
            said.for_each(|said| said.block = None);
        }
        let Some(decided) = Decided::of(&self.parts, self.options.gaze.patterns.side()) else {
            return Err(self.undecided(place.row));
        };
        let (trials, continued) = trials(std::mem::take(&mut self.parts), decided.way);
        self.tally.decided = Some(decided);
        self.tally.continued = continued;
        for trial in trials {
            self.hand_over(place.file, trial)?;
        }
        if !self.tally.is_recording() {
            return Err(ImportError::value(
                At::row(place.row),
                "no block, fixation or sample up to the end of the file",
                "an EyeLink recording with lines such as START, EFIX and END",
                "convert the EDF file with edf2asc, or name the format of this one",
            ));
        }
        if let Some(error) = self.unusable
            && !self.has_events
        {
            return Err(error);
        }
        self.log.check(&self.options.gaze.patterns, place.row, self.sink)?;
        self.tally.report(&self.options.gaze, self.has_events, self.sink);
        self.measured.note(self.sink);
        self.saccades.note(self.sink);
        let screen_px = self.tally.screen_px();
        Ok(Shape { messages: Some(self.log), screen_px, ..Shape::default() })
    }
}
