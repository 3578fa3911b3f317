//! Samples of a recording: for the time between two, and for fixations where there are no events.

use super::super::detect::{Measured, Sample, Scale, TIME_ORDER, TOO_SHORT, infer_interval};
use super::super::error::{At, ImportError};
use super::super::recording::{Eye, RowPlace};
use super::super::setting::{Setting, phrase};
use super::line::{Coordinates, coordinate};
use super::{EYES, EventFixation, MALFORMED, Recording, UNDETECTED, index};

/// Samples of one block that are held at most: over half an hour at 2000 Hz.
const MOST_SAMPLES: usize = 1 << 22;

/// Samples of the block at hand.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// For the left and the right eye.
    samples: [Vec<Sample>; 2],
    /// Time of the last sample as the file has it, and whether it was the second with that time.
    last: Option<(f64, bool)>,
    smallest_step: Option<f64>,
}

impl Buffer {
    pub(super) fn begin_block(&mut self) {
        self.last = None;
        self.smallest_step = None;
    }

    pub(super) fn clear(&mut self) {
        self.samples = Default::default();
    }

    pub(super) fn has_samples(&self) -> bool {
        self.samples.iter().any(|samples| !samples.is_empty())
    }

    /// The smallest time between samples, in milliseconds.
    pub(super) fn smallest_step(&self) -> Option<f64> {
        self.smallest_step
    }

    /// When a sample was taken; `None` where it is not later than the one before.
    ///
    /// At 2000 Hz, two samples share a time unless it has decimals. The second one is half a
    /// millisecond later.
    fn time(&mut self, time: f64) -> Option<f64> {
        let Some((last, is_second)) = self.last else {
            self.last = Some((time, false));
            return Some(time);
        };
        if time < last || (time == last && is_second) {
            return None;
        }
        let is_second = time == last;
        self.last = Some((time, is_second));
        let step = if is_second { 0.5 } else { time - last };
        self.smallest_step = Some(self.smallest_step.map_or(step, |smallest| smallest.min(step)));
        Some(if is_second { time + 0.5 } else { time })
    }
}

/// The error about coordinates that are not on the screen.
pub(super) fn not_gaze(place: RowPlace, line: &str, coordinates: Coordinates) -> ImportError {
    let (found, why) = match coordinates {
        Coordinates::Href => ("HREF", "angles of the head do not say where on the screen it is"),
        _ => ("raw pupil", "places in the camera's image do not say where on the screen it is"),
    };
    ImportError::value(
        At::row(place.row),
        format!("{found} coordinates in the line {line}"),
        "GAZE coordinates, in pixels",
        format!("{why}; convert the EDF file with edf2asc -sg"),
    )
}

impl Recording<'_> {
    pub(super) fn sample(
        &mut self,
        place: RowPlace,
        line: &str,
        time: f64,
        cells: &str,
    ) -> Result<(), ImportError> {
        self.tally.samples += 1;
        let is_needed = self.options.gaze.from_samples || !self.has_events;
        let Some(time_ms) = self.buffer.time(time) else {
            // Where events say it all, nothing is lost with a sample.
            if is_needed {
                self.sink.dropped(place, TIME_ORDER, line);
            }
            return Ok(());
        };
        if !is_needed {
            return Ok(());
        }
        let eyes = self.block.sampled();
        let recorded = EYES.into_iter().filter(|eye| match eye {
            Eye::Left => eyes.left,
            Eye::Right => eyes.right,
        });
        let mut cells = cells.split_ascii_whitespace();
        let mut is_read = false;
        for eye in recorded {
            let Some((x, y)) = gaze(&mut cells) else {
                is_read = false;
                break;
            };
            is_read = true;
            if !self.options.gaze.eye.allows(eye) {
                continue;
            }
            let samples = &mut self.buffer.samples[index(eye)];
            if samples.len() >= MOST_SAMPLES {
                return Err(ImportError::value(
                    At::row(place.row),
                    format!("more than {MOST_SAMPLES} samples in one trial"),
                    "fewer",
                    phrase![
                        "say which messages begin a trial, with ",
                        Setting::Patterns,
                        ", or convert the EDF file with its events"
                    ],
                ));
            }
            samples.push(Sample { time_ms, x, y, row: place.row });
        }
        if !is_read {
            self.sink.dropped(place, MALFORMED, line);
        }
        Ok(())
    }

    /// Finds the fixations in the samples at hand.
    pub(super) fn settle(&mut self, place: RowPlace) -> Result<(), ImportError> {
        let samples = std::mem::take(&mut self.buffer.samples);
        for (eye, samples) in EYES.into_iter().zip(samples) {
            let Some(first) = samples.first() else { continue };
            let Err(error) = self.detect(place, eye, &samples) else { continue };
            if self.options.gaze.from_samples || self.block.events.is_none() {
                return Err(error);
            }
            // A trial broken off early has no events where later ones have.
            let first = RowPlace { file: place.file, row: first.row };
            let example = format!("{} samples without events", samples.len());
            self.sink.dropped(first, UNDETECTED, &example);
            self.unusable.get_or_insert(error);
        }
        Ok(())
    }

    fn detect(&mut self, place: RowPlace, eye: Eye, samples: &[Sample]) -> Result<(), ImportError> {
        let at = |row: u64| RowPlace { file: place.file, row };
        if let Some(config) = self.block.samples
            && config.coordinates != Coordinates::Gaze
        {
            return Err(not_gaze(at(self.block.described), "SAMPLES", config.coordinates));
        }
        let rate = self.block.samples.and_then(|config| config.rate_hz);
        let Some(interval) = rate.map(|rate| 1000.0 / rate).or_else(|| infer_interval(samples))
        else {
            self.sink.dropped(at(samples[0].row), TOO_SHORT, "a sample alone");
            return Ok(());
        };
        let scale = self.options.gaze.scale.or_else(|| {
            let (x, y) = self.block.resolution?;
            Scale::pixels_per_degree(x, y).ok()
        });
        let found = self
            .options
            .gaze
            .detector
            .detect(samples, interval, scale.as_ref())
            .map_err(|error| error.at_row(samples[0].row))?;
        self.tally.detected(interval, scale);
        for short in &found.short {
            let example = format!("{} ms at {} ms", short.duration_ms, short.onset_ms);
            self.sink.dropped(at(short.row), TOO_SHORT, &example);
        }
        let measured = Measured::of(&found, samples, interval, scale.as_ref(), false);
        self.measured.add(&measured, scale.is_some());
        let fixations = found.fixations.iter().zip(measured.fixations);
        for (fixation, measured) in fixations {
            let held = EventFixation {
                row: fixation.row,
                onset_ms: fixation.onset_ms,
                duration_ms: fixation.duration_ms,
                place: Some((fixation.x, fixation.y)),
                gap: fixation.gap,
                measured,
            };
            self.hold(at(fixation.row), eye, held)?;
        }
        Ok(())
    }
}

/// A place on the screen in degrees.
pub(super) fn in_degrees((scale, (x, y)): (Scale, (f64, f64))) -> [f32; 2] {
    let (x, y) = scale.degrees(x, y);
    [x as f32, y as f32]
}

/// Position of one eye, NaN where it is missing; `None` where cells are not what they should be.
fn gaze<'l>(cells: &mut impl Iterator<Item = &'l str>) -> Option<(f64, f64)> {
    let x = coordinate(cells.next()?).ok()?;
    let y = coordinate(cells.next()?).ok()?;
    // The size of the pupil is not used, but must be there to find the other eye behind it.
    cells.next()?;
    x.zip(y).or(Some((f64::NAN, f64::NAN)))
}
