//! The space in which readers of a population are searched.

use rayon::prelude::*;

use super::Population;
use super::slope::Slopes;
use super::template::Template;
use crate::random::Stream;
use crate::saccade::Reading;
use crate::score::Scorer;
use crate::search::{Row, Space};

/// Readers drawn, and fixations, that a space is learned from.
const READERS: u64 = 1024;
const FIXATIONS: usize = 4096;
/// Readers that rows are made of at once.
const BATCH: usize = 128;

impl Population {
    /// The space of rows that tell readers apart, learned from readers who might exist and from
    /// fixations of `readings`, evenly chosen. `None` where they say nothing.
    pub fn space(&self, slopes: &Slopes, readings: &[&Reading]) -> Option<Space> {
        let nobody = self.background().side_by_side(&[], &[]);
        let fixations: usize = readings.iter().map(|r| r.events.len()).sum();
        let step = fixations.div_ceil(FIXATIONS).max(1);
        let fixations = readings.iter().flat_map(|r| slopes.slopes(&nobody.probe(r)));
        let fixations: Vec<Vec<f64>> = fixations.step_by(step).collect();
        // Streams that nobody else is drawn from.
        let streams: Vec<Stream> =
            (0..READERS).map(|number| Stream { seed: 1, index: u64::MAX - number }).collect();
        let vectors = |streams: &[Stream]| -> Vec<Vec<f64>> {
            self.imagined(streams).iter().map(|template| slopes.vector(template)).collect()
        };
        let readers: Vec<Vec<f64>> = streams.par_chunks(BATCH).flat_map_iter(vectors).collect();
        Space::learn(&readers, &fixations)
    }
}

impl Slopes {
    /// The rows of readers in a space.
    pub fn rows(&self, space: &Space, readers: &[Template]) -> Vec<Row> {
        let batches = readers.par_chunks(BATCH).flat_map_iter(|readers| {
            let vectors: Vec<Vec<f64>> = readers.iter().map(|reader| self.vector(reader)).collect();
            space.rows(&vectors)
        });
        batches.collect()
    }
}
