//! What was found in a table of samples, and how, in words.

use super::super::detect::LONGEST_INTERVAL_MS;
use super::super::setting::{Setting, phrase};
use super::super::validity::Valid;
use super::{Trials, Unit};

/// Beyond this, saccades fall between samples, in ms.
const COARSE_MS: f64 = 25.0;

impl Trials<'_> {
    /// Notes everything once the last trial is there.
    pub(super) fn report(&mut self) {
        let sink = &mut *self.sink;
        sink.note(format!(
            "{} fixations found in {} samples: {}",
            self.kept,
            self.rows,
            self.options.gaze.detector.describe()
        ));
        let is_degrees = self.columns.unit == Unit::Degrees;
        let unit = if is_degrees { "degrees" } else { "pixels" };
        sink.note(format!("positions are in {unit}, {}", self.columns.unit_reason));
        if let Some(screen) = &self.screen {
            let up = if self.options.gaze.y_up { "upwards" } else { "downwards" };
            let why = match (self.options.gaze.scale, is_degrees) {
                (None, _) => format!(", as published for GazeBase; degrees count {up}"),
                (Some(_), true) => format!("; degrees count {up}"),
                (Some(_), false) => String::new(),
            };
            sink.note(format!("scale: {}{why}", screen.describe()));
        }
        for interval in &self.intervals {
            sink.note(format!(
                "durations are end - start + {interval} ms, the median time between samples"
            ));
        }
        self.measured.note(sink);
        if let Some(interval) = self.intervals.iter().find(|interval| **interval > COARSE_MS) {
            sink.warn(
                format!(
                    "samples come every {interval:.1} ms, while saccades of reading take 20 to 40 ms: fixations \
                     that follow each other closely are found as one, and durations are as exact as that"
                )
                .into(),
            );
        }
        if self.intervals.iter().any(|interval| *interval > LONGEST_INTERVAL_MS) {
            sink.note(
                "samples come at less than 200 Hz, where the velocities of both methods are \
                 coarse; look at the durations"
                    .to_owned(),
            );
        }
        match self.time_unit {
            Some(_) if self.columns.is_counted() => {
                let rate = self.options.gaze.rate_hz.unwrap_or_default();
                sink.note(format!("samples are counted, and come at {rate} Hz, as given"));
            }
            Some(unit) => {
                let why = match self.columns.time_unit {
                    Some(_) => "as chosen, or by their column",
                    None => "by their steps",
                };
                sink.note(format!("times are in {}, {why}", format!("{unit:?}").to_lowercase()));
            }
            None => {}
        }
        if let Some(valid @ Valid { mark, reason, is_given }) = &self.valid {
            let (column, left) = (&self.columns.validity_name, self.marks.describe());
            let least = self.columns.marks.least;
            let good = self.columns.good_where(valid);
            sink.note(match least {
                Some(_) => format!("samples are {good}"),
                None => format!("samples are {good}; samples with such a place: {left}"),
            });
            if let Some(better) = self.marks.better(*mark)
                && !(*is_given && self.options.gaze.valid.is_some())
                && least.is_none()
            {
                sink.warn(phrase![
                    format!(
                        "samples are taken to be good where {column} is {mark}, {reason}, but {better} \
                         would leave more ({left}): choose with "
                    ),
                    Setting::Valid,
                    format!(" {better} or "),
                    Setting::Valid,
                    format!(" {mark}"),
                ]);
            }
        }
        if self.invalid > 0 {
            sink.note(format!("{} samples are missing by their validity", self.invalid));
        }
        if self.nowhere > 0 {
            sink.note(format!(
                "{} samples are missing: x and y are the same number, 0 or below, several times in a row",
                self.nowhere
            ));
        }
        if 2 * self.missing > self.rows {
            let missing = format!(
                "{} of {} samples are missing, more than half: was this eye recorded, and which \
                 mark do good samples have?",
                self.missing, self.rows
            );
            sink.note(missing.clone());
            sink.warn(missing.into());
        }
        let restarts: u64 = self.parts.values().map(|parts| parts - 1).sum();
        if restarts > 0 {
            sink.note(format!(
                "the clock restarts {restarts} times, and no column tells trials apart: each restart \
                 begins another trial, numbered from 2"
            ));
        }
        if self.resumed > 0 {
            sink.note(format!(
                "{} times a trial goes on after others; its parts were read on their own",
                self.resumed
            ));
        }
    }
}
