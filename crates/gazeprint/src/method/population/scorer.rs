//! Readers whose saccades and durations depend on the situation.

use rayon::prelude::*;
use serde::Serialize;

use super::forge::Forger;
use super::lanes::{Common, Lanes, parts};
use super::surprise::Surprise;
use crate::corpus::{Fixation, Limits, Text};
use crate::glance::{Gaze, Glance};
use crate::kernels::{LANES, Pack};
use crate::random::Stream;
use crate::saccade::Reading;
use crate::score::{Scorer, TemplateScorer};
use crate::template::Probe;

/// Lanes that are computed by one thread at once.
const BLOCK: usize = 2;

/// Readers around a population: first places on a line as rows, the rest by situation.
#[derive(Debug, Clone)]
pub struct PopulationScorer {
    pub(super) places: TemplateScorer,
    pub(super) common: Common,
    /// Some readers at a time, so that what is computed of them stays close to the processor.
    pub(super) readers: Vec<Lanes>,
    pub(super) population: Lanes,
}

/// The evidence of a probe by what it comes from, in nats.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Evidence {
    /// Which moves the eye made.
    pub types: f64,
    /// Where it landed.
    pub amplitudes: f64,
    /// How long it rested.
    pub durations: f64,
}

impl PopulationScorer {
    /// What each part of a probe says for a reader, given by place, against the population. Their sum
    /// is the score less that of the population.
    pub fn evidence(&self, probe: &Probe, reader: usize) -> Evidence {
        let looks = self.common.looks(probe.glances());
        let of = |lanes: &Lanes, lane: usize| {
            parts(std::slice::from_ref(lanes), &looks)[0].map(|part| part.0[lane])
        };
        let ([lanes, lane], population) = (of_reader(reader), of(&self.population, 0));
        let (places, place) = (self.places.scores(probe), self.places.population(probe, &[]));
        let [types, amplitudes, durations] = of(&self.readers[lanes], lane);
        Evidence {
            types: types - population[0],
            amplitudes: amplitudes - population[1] + places[reader] - place,
            durations: durations - population[2],
        }
    }
}

/// The lanes of a reader, and the one among them.
fn of_reader(reader: usize) -> [usize; 2] {
    [reader / LANES, reader % LANES]
}

/// The sum of the parts of the evidence.
fn sum([types, amplitudes, durations]: &[Pack; 3], lane: usize) -> f64 {
    types.0[lane] + amplitudes.0[lane] + durations.0[lane]
}

impl Scorer for PopulationScorer {
    fn len(&self) -> usize {
        self.places.len()
    }

    fn probe(&self, reading: &Reading) -> Probe {
        let seen = Glance::all(reading);
        let clamped = seen.iter().map(|s| self.common.clamped(s)).sum();
        self.places.probe(reading).with_glances(seen, clamped)
    }

    fn scores(&self, probe: &Probe) -> Vec<f64> {
        let mut scores = self.places.scores(probe);
        let looks = self.common.looks(probe.glances());
        let blocks = self.readers.par_chunks(BLOCK).zip(scores.par_chunks_mut(BLOCK * LANES));
        // One by one: a thread that wakes late finds something left.
        let blocks = blocks.with_max_len(1);
        blocks.for_each(|(lanes, scores)| {
            for (parts, scores) in parts(lanes, &looks).iter().zip(scores.chunks_mut(LANES)) {
                scores.iter_mut().enumerate().for_each(|(lane, s)| *s += sum(parts, lane));
            }
        });
        scores
    }

    fn population(&self, probe: &Probe, scores: &[f64]) -> f64 {
        let looks = self.common.looks(probe.glances());
        let parts = parts(std::slice::from_ref(&self.population), &looks);
        self.places.population(probe, scores) + sum(&parts[0], 0)
    }

    fn is_additive(&self) -> bool {
        true
    }

    fn added(&self, reading: &Reading) -> Vec<f64> {
        let events = reading.events.last().cloned().into_iter().collect();
        let last = Reading { events, ..reading.clone() };
        let mut gaze = Gaze::new(&reading.bounds);
        let seen = reading.events.iter().map(|event| gaze.see(&reading.bounds, event));
        let seen = seen.last().into_iter().collect();
        self.scores(&self.places.probe(&last).with_glances(seen, 0))
    }

    fn forge(
        &self,
        reader: Option<usize>,
        text: &Text,
        limits: Limits,
        stream: Stream,
    ) -> Option<Vec<Fixation>> {
        Some(self.forger(reader)?.read(text, limits, &mut stream.chain(0)))
    }

    fn surprises(&self, reader: usize, reading: &Reading) -> Option<Vec<Surprise>> {
        let forger = self.forger(Some(reader))?;
        Some(Glance::all(reading).iter().map(|seen| forger.surprise(seen)).collect())
    }
}

impl PopulationScorer {
    /// A reader's template, to be run forward; that of nobody in particular without a reader.
    pub(super) fn forger(&self, reader: Option<usize>) -> Option<Forger<'_>> {
        let layout = self.places.layout();
        match reader {
            Some(reader) if reader >= self.len() => None,
            Some(reader) => {
                let row: Vec<f64> = self.places.row(reader).collect();
                let [lanes, lane] = of_reader(reader);
                Forger::new(&self.common, &self.readers[lanes], lane, layout, &row)
            }
            None => {
                let row = self.places.population_row();
                Forger::new(&self.common, &self.population, 0, layout, row)
            }
        }
    }
}
