//! What was decided about a recording, and why.

use super::super::detect::Scale;
use super::super::gaze::{EyeChoice, GazeOptions};
use super::super::recording::{Eye, Sink};
use super::index;
use super::parts::{Decided, Way, Why};
use crate::import::setting::{Setting, phrase};

/// Different intervals that are told apart in the report.
const MOST_INTERVALS: usize = 8;

/// Where the time between samples comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Events,
    Samples,
    Steps,
    Message,
    Durations,
    Detection,
    Unknown,
}

impl Source {
    fn describe(self) -> &'static str {
        match self {
            Self::Events => "from RATE of the lines EVENTS",
            Self::Samples => "from RATE of the lines SAMPLES",
            Self::Steps => "from the times of samples",
            Self::Message => "from the message RECCFG",
            Self::Durations => "from the durations in the lines EFIX",
            Self::Detection => "from RATE of the lines SAMPLES, or else from the times of samples",
            Self::Unknown => "not known, so that durations are one sample too short",
        }
    }
}

/// Counts of one recording.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) blocks: u64,
    pub(super) without_end: u64,
    /// What messages name, once that is known.
    pub(super) decided: Option<Decided>,
    /// Blocks without a message of their own, in the middle of a trial.
    pub(super) continued: u64,
    pub(super) samples: u64,
    /// There was a line EVENTS or SAMPLES.
    pub(super) described: bool,
    /// For the left and the right eye.
    pub(super) fixation_lines: [u64; 2],
    pub(super) kept: [u64; 2],
    pub(super) blinks: [u64; 2],
    /// Trials with a name and without fixations.
    pub(super) empty: u64,
    /// Fixations that began before their trial.
    pub(super) straddling: u64,
    /// The rate that the tracker was set to.
    pub(super) message_rate: Option<f64>,
    trials: [u64; 2],
    switches: u64,
    named: u64,
    display: Option<String>,
    intervals: Vec<(Source, f64)>,
    odd_durations: u64,
    detected: u64,
    scale: Option<Scale>,
}

impl Decided {
    /// What messages were taken to name, unless every trial begins with its own.
    fn describe(self) -> Option<String> {
        let how = match (self.way, self.why) {
            (Way::Within, _) => {
                return Some(
                    "trials go from one TRIALID to the next, and have the names that messages give \
                     them in between"
                        .to_owned(),
                );
            }
            (_, Why::Marked) => return None,
            (_, Why::Told) => "as a pattern says",
            (Way::Trail, Why::Ends) => {
                "there are fixations before the first, and none after the last"
            }
            (_, Why::Ends) => "there are no fixations before the first",
            (Way::Trail, Why::Blocks) => "they stand at the ends of their blocks",
            (_, Why::Blocks) => "they stand at the beginnings of their blocks",
        };
        let side = if self.way == Way::Trail { "after" } else { "before" };
        Some(format!("messages come {side} what they name: {how}"))
    }
}

impl Tally {
    /// Takes what the tracker and its programs tell about the set-up.
    pub(super) fn message(&mut self, said: &str) {
        let mut words = said.split_ascii_whitespace();
        match words.next() {
            Some("DISPLAY_COORDS" | "GAZE_COORDS") if self.display.is_none() => {
                let corners: Vec<&str> = words.take(4).collect();
                self.display = Some(corners.join(" "));
            }
            Some("RECCFG") => {
                let rate = words.nth(1).and_then(|cell| cell.parse().ok());
                self.message_rate = rate.filter(|rate| (1.0..=1e6).contains(rate));
            }
            _ => {}
        }
    }

    /// Width and height of the display in pixels, whose corners are the first and the last of them.
    pub(super) fn screen_px(&self) -> Option<(f64, f64)> {
        let corners = self.display.as_ref()?.split(' ').map(str::parse);
        let corners: Vec<f64> = corners.collect::<Result<_, _>>().ok()?;
        let [left, top, right, bottom] = corners[..] else { return None };
        let size = (right - left + 1.0, bottom - top + 1.0);
        (left == 0.0 && top == 0.0 && size.0 > 1.0 && size.1 > 1.0).then_some(size)
    }

    /// Takes the interval that a duration was computed with.
    pub(super) fn interval(&mut self, source: Source, interval: f64) {
        let pair = (source, interval);
        if self.intervals.len() < MOST_INTERVALS && !self.intervals.contains(&pair) {
            self.intervals.push(pair);
        }
    }

    /// Compares a duration with that of the file, whose times may be whole milliseconds.
    pub(super) fn compare(&mut self, duration: f64, stated: Option<f64>) {
        self.odd_durations += u64::from(stated.is_some_and(|it| (it - duration).abs() > 1.0));
    }

    pub(super) fn detected(&mut self, interval: f64, scale: Option<Scale>) {
        self.detected += 1;
        self.scale = scale;
        self.interval(Source::Detection, interval);
    }

    pub(super) fn trial(&mut self, eye: Eye, before: Option<Eye>, is_named: bool) {
        self.trials[index(eye)] += 1;
        self.switches += u64::from(before.is_some_and(|before| before != eye));
        self.named += u64::from(is_named);
    }

    /// Whether there was anything that only a recording has.
    pub(super) fn is_recording(&self) -> bool {
        self.described || self.blocks > 0 || self.samples > 0 || self.fixation_lines != [0, 0]
    }

    /// Tells the sink.
    pub(super) fn report(&self, options: &GazeOptions, has_events: bool, sink: &mut dyn Sink) {
        let trials: u64 = self.trials.iter().sum();
        sink.note(format!(
            "{} trials with fixations: {} named by messages, {} numbered by block",
            trials,
            self.named,
            trials - self.named
        ));
        if let Some(how) = self.decided.filter(|_| self.named > 0).and_then(Decided::describe) {
            sink.note(how);
        }
        if self.named > 0 && self.named < trials {
            let unnamed = trials - self.named;
            sink.warn(phrase![
                format!(
                    "{unnamed} of {trials} trials have no message that names them, and are called \
                     after their blocks (block-1 and so on): leave them out, or name them with "
                ),
                Setting::Patterns,
            ]);
        }
        if self.detected > 0 {
            self.report_detection(options, has_events, sink);
        } else if self.samples > 0 {
            sink.note(format!(
                "fixations are events of the file; {} samples not used",
                self.samples
            ));
        }
        for (source, interval) in &self.intervals {
            let source = source.describe();
            sink.note(format!(
                "durations are end - start + {interval} ms, since the end is the last sample; the \
                 {interval} ms are {source}"
            ));
        }
        sink.note(format!(
            "lines EFIX: {} left, {} right; blinks: {} left, {} right; a blink marks the next \
             fixation with a gap",
            self.fixation_lines[0], self.fixation_lines[1], self.blinks[0], self.blinks[1]
        ));
        self.report_eyes(options, sink);
        match &self.display {
            Some(corners) => sink.note(format!("positions are pixels of the display {corners}")),
            None => sink.note("positions are pixels; the file does not tell the display".into()),
        }
        for (count, what) in [
            (self.without_end, "blocks without END"),
            (
                self.continued,
                "blocks without a message of their own, taken as part of the trial before",
            ),
            (self.empty, "trials named by messages have no fixations"),
            (self.straddling, "fixations began before the message of their trial"),
            (self.odd_durations, "durations differ from those in the file by more than 1 ms"),
        ] {
            if count > 0 {
                sink.note(format!("{count} {what}"));
            }
        }
    }

    fn report_detection(&self, options: &GazeOptions, has_events: bool, sink: &mut dyn Sink) {
        let why = match (options.from_samples, has_events) {
            (true, _) => "as asked for",
            (false, false) => "since the file has no events",
            (false, true) => "for what comes before the first event of the file",
        };
        sink.note(format!("fixations found in samples, {why}: {}", options.detector.describe()));
        if let Some(scale) = &self.scale {
            sink.note(format!("scale of the samples: {}", scale.describe()));
        }
    }

    fn report_eyes(&self, options: &GazeOptions, sink: &mut dyn Sink) {
        let [left, right] = self.trials;
        sink.note(match options.eye {
            EyeChoice::Left => "the left eye, as asked for".to_owned(),
            EyeChoice::Right => "the right eye, as asked for".to_owned(),
            EyeChoice::Best => format!(
                "the eye with more fixations: left in {left} trials, right in {right}, with {} \
                 changes",
                self.switches
            ),
        });
        if self.kept == [0, 0] {
            sink.note("no fixation was kept".to_owned());
        }
    }
}
