//! Very many readers: those of a corpus, and others drawn from the population.

use anyhow::Context;
use gazeprint::method::{Background, Population, Slopes, Template, Unwatched};
use gazeprint::random::Stream;
use gazeprint::saccade::Reading;
use gazeprint::search::{COMPONENTS, Query, Row, Space};
use gazeprint::template::Probe;
use rayon::prelude::*;

use super::{Bench, timed};

/// Readers drawn at a time.
const BATCH: usize = 128;

/// The population of a corpus.
pub(super) struct Readers {
    population: Population,
    pub(super) background: Background,
    /// The readers of the corpus.
    pub(super) enrolled: Vec<Template>,
}

fn stream(number: usize) -> Stream {
    Stream { seed: 1, index: number as u64 }
}

impl Readers {
    pub(super) fn learn(bench: &Bench) -> anyhow::Result<Self> {
        let readings: Vec<(usize, &Reading)> = bench.train.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(bench.readers, &readings, &Unwatched)?;
        let of = |reader: usize| -> Vec<&Reading> {
            bench.train.iter().filter(|r| r.reader == reader).collect()
        };
        let enrolled =
            (0..bench.readers).into_par_iter().map(|r| population.template(&of(r))).collect();
        Ok(Self { background: population.background(), population, enrolled })
    }

    /// Readers by number: those of the corpus first, then some who might exist.
    pub(super) fn templates(&self, numbers: &[usize]) -> Vec<Template> {
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

/// Readers to be searched.
pub(super) struct Many {
    slopes: Slopes,
    space: Space,
    pub(super) rows: Vec<Row>,
    /// To draw readers and to make their rows.
    pub(super) seconds: f64,
}

impl Many {
    pub(super) fn new(bench: &Bench, readers: &Readers, count: usize) -> anyhow::Result<Self> {
        let slopes = readers.background.slopes();
        let readings: Vec<&Reading> = bench.train.iter().collect();
        let space =
            readers.population.space(&slopes, &readings).context("readers do not differ")?;
        let mut rows = vec![[0.0; COMPONENTS]; count.max(readers.enrolled.len())];
        let ((), seconds) = timed(|| {
            rows.par_chunks_mut(BATCH).enumerate().for_each(|(batch, rows)| {
                let numbers: Vec<usize> = (batch * BATCH..).take(rows.len()).collect();
                rows.copy_from_slice(&slopes.rows(&space, &readers.templates(&numbers)));
            });
        });
        Ok(Self { slopes, space, rows, seconds })
    }

    pub(super) fn query(&self, probe: &Probe) -> Query {
        self.space.queries().query(&self.slopes.slope(probe), probe.fixations())
    }
}
