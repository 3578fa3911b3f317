//! The samples of a recording, which fixations wait for until their kinematics are measured.

use super::super::aliases::plain;
use super::super::detect::{
    Detected, Detection, MeasureTally, Measured, Sample, Scale, infer_interval,
};
use super::super::error::ImportError;
use super::super::recording::{Position, RawFixation, RowPlace, Sink};
use super::super::values::number;
use crate::table::Row;

/// Samples of one recording that are held at most: hours at 1200 Hz.
const MOST_SAMPLES: usize = 1 << 23;

/// Columns of the gaze on the screen.
const COLUMNS: [[&str; 2]; 2] =
    [["gazepointxdacspx", "gazepointydacspx"], ["gazepointx", "gazepointy"]];

/// Fixations of the recording at hand, with its samples.
#[derive(Debug, Default)]
pub(super) struct Gaze {
    /// Columns of x and y, where kinematics can be measured.
    columns: Option<[usize; 2]>,
    scale: Option<Scale>,
    samples: Vec<Sample>,
    /// Fixations with the places of their samples.
    waiting: Vec<(RowPlace, RawFixation, [usize; 2])>,
    /// Whether the last of them goes on.
    is_open: bool,
    tally: MeasureTally,
}

impl Gaze {
    pub(super) fn new(header: &[String], scale: Option<Scale>) -> Self {
        let find = |name: &str| header.iter().position(|column| plain(column) == name);
        let columns = COLUMNS.iter().find_map(|[x, y]| Some([find(x)?, find(y)?]));
        Self { columns, scale, ..Self::default() }
    }

    fn is_measured(&self) -> bool {
        self.columns.is_some() && self.scale.is_some()
    }

    /// The next sample. It is of the last fixation, as long as that goes on.
    pub(super) fn sample(&mut self, row: Row<'_>, time_ms: Option<f64>) {
        let (Some([x, y]), Some(time_ms)) = (self.columns.filter(|_| self.is_measured()), time_ms)
        else {
            return;
        };
        let is_later = self.samples.last().is_none_or(|last| time_ms > last.time_ms);
        if !is_later || self.samples.len() >= MOST_SAMPLES {
            return;
        }
        let [x, y] = [x, y].map(|column| number(row.cell(column), true).unwrap_or(f64::NAN));
        self.samples.push(Sample { time_ms, x, y, row: row.number });
        if let Some((.., samples)) = self.waiting.last_mut().filter(|_| self.is_open) {
            samples[1] = self.samples.len();
        }
    }

    /// A fixation begins with the next sample.
    pub(super) fn fixation(
        &mut self,
        place: RowPlace,
        fixation: RawFixation,
        sink: &mut dyn Sink,
    ) -> Result<(), ImportError> {
        if !self.is_measured() {
            return sink.fixation(place, fixation);
        }
        let first = self.samples.len();
        self.waiting.push((place, fixation, [first, first]));
        self.is_open = true;
        Ok(())
    }

    /// Whatever comes next is no part of the last fixation.
    pub(super) fn close(&mut self) {
        self.is_open = false;
    }

    /// The recording is over: measures its fixations, and hands them over.
    pub(super) fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), ImportError> {
        self.is_open = false;
        let samples = std::mem::take(&mut self.samples);
        let waiting = std::mem::take(&mut self.waiting);
        let measured = infer_interval(&samples).map(|interval| {
            let fixations = waiting.iter().filter_map(detected).collect();
            let found = Detection { fixations, short: Vec::new() };
            Measured::of(&found, &samples, interval, self.scale.as_ref(), false)
        });
        if let Some(measured) = &measured {
            self.tally.add(measured, true);
        }
        let mut measured = measured.unwrap_or_default().fixations.into_iter();
        for (place, mut fixation, samples) in waiting {
            if samples[0] < samples[1] {
                let (place, kinematics) = measured.next().unwrap_or_default();
                (fixation.place, fixation.kinematics) = (place, kinematics);
            }
            sink.fixation(place, fixation)?;
        }
        Ok(())
    }

    pub(super) fn note(&self, sink: &mut dyn Sink) {
        match self.columns {
            None => {}
            Some(_) if self.scale.is_none() => sink.note(
                "kinematics are not measured: how pixels relate to degrees is not known".to_owned(),
            ),
            Some(_) => self.tally.note(sink),
        }
    }
}

/// A fixation as a detector would have found it, if it has samples.
fn detected((place, fixation, samples): &(RowPlace, RawFixation, [usize; 2])) -> Option<Detected> {
    let (x, y) = match fixation.position {
        Position::Pixels { x, y } => (x, y),
        _ => (f64::NAN, f64::NAN),
    };
    (samples[0] < samples[1]).then(|| Detected {
        row: place.row,
        onset_ms: fixation.onset_ms.unwrap_or_default(),
        duration_ms: fixation.duration_ms.unwrap_or_default(),
        x,
        y,
        gap: fixation.gap,
        samples: *samples,
    })
}
