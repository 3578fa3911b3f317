//! Very many readers: those of a corpus, and others drawn from the population.

use gazeprint::method::{Background, DayShares, Population, Slopes, Template, Unwatched};
use gazeprint::random::Stream;
use gazeprint::saccade::Reading;
use gazeprint::search::{COMPONENTS, Query, Row, Space};
use gazeprint::template::Probe;
use rayon::prelude::*;

use crate::BenchError;
use crate::clock::timed;
use crate::halves::Halves;

/// Readers drawn at a time.
const BATCH: usize = 128;

/// The population of a corpus.
pub(crate) struct Readers {
    population: Population,
    pub(crate) background: Background,
    /// The readers of the corpus.
    pub(crate) enrolled: Vec<Template>,
}

fn stream(number: usize) -> Stream {
    Stream { seed: 1, index: number as u64 }
}

impl Readers {
    pub(crate) fn learn(halves: &Halves) -> Result<Self, BenchError> {
        let readings: Vec<(usize, &Reading)> = halves.train.iter().map(|r| (r.reader, r)).collect();
        let population =
            Population::learn(halves.readers, &readings, &DayShares::default(), &Unwatched)?;
        let of = |reader: usize| -> Vec<&Reading> {
            halves.train.iter().filter(|r| r.reader == reader).collect()
        };
        let enrolled =
            (0..halves.readers).into_par_iter().map(|r| population.template(&of(r))).collect();
        Ok(Self { background: population.background(), population, enrolled })
    }

    /// Readers by number: those of the corpus first, then some who might exist.
    pub(crate) fn templates(&self, numbers: &[usize]) -> Vec<Template> {
        let is_drawn = |number: &usize| *number >= self.enrolled.len();
        let drawn: Vec<usize> = numbers.iter().copied().filter(is_drawn).collect();
        let drawn = drawn.par_chunks(BATCH).flat_map_iter(|numbers| {
            let streams: Vec<Stream> = numbers.iter().map(|number| stream(*number)).collect();
            self.population.imagined(&streams)
        });
        let mut drawn = drawn.collect::<Vec<_>>().into_iter();
        let enrolled = |number: usize| self.enrolled.get(number).cloned();
        numbers.iter().filter_map(|number| enrolled(*number).or_else(|| drawn.next())).collect()
    }
}

/// Readers to be searched, a row each.
pub(crate) struct SearchRows {
    slopes: Slopes,
    space: Space,
    pub(crate) rows: Vec<Row>,
    /// To draw readers and to make their rows.
    pub(crate) seconds: f64,
}

impl SearchRows {
    pub(crate) fn new(
        halves: &Halves,
        readers: &Readers,
        count: usize,
    ) -> Result<Self, BenchError> {
        let slopes = readers.background.slopes();
        let readings: Vec<&Reading> = halves.train.iter().collect();
        let space = readers.population.space(&slopes, &readings).ok_or(BenchError::Indistinct)?;
        let mut rows = vec![[0.0; COMPONENTS]; count.max(readers.enrolled.len())];
        let ((), seconds) = timed(|| {
            rows.par_chunks_mut(BATCH).enumerate().for_each(|(batch, rows)| {
                let numbers: Vec<usize> = (batch * BATCH..).take(rows.len()).collect();
                rows.copy_from_slice(&slopes.rows(&space, &readers.templates(&numbers)));
            });
        });
        Ok(Self { slopes, space, rows, seconds })
    }

    pub(crate) fn query(&self, probe: &Probe) -> Query {
        self.space.queries().query(&self.slopes.slope(probe), probe.fixations())
    }
}
