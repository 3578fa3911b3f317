//! Readers whose saccades and durations depend on the situation.

use rayon::prelude::*;
use serde::Serialize;

use super::aims::Aim;
use super::durations::Stay;
use super::features;
use super::forge::Forger;
use super::lanes::{Common, Lanes, parts};
use super::surprise::Surprise;
use super::types::{BACK, Choice, LEAVE};
use crate::corpus::{Fixation, Limits, Text};
use crate::kernels::{LANES, Pack};
use crate::random::Stream;
use crate::saccade::{DensityId, Event, Reading};
use crate::score::{Scorer, TemplateScorer};
use crate::template::Probe;

/// A fixation as this scorer looks at it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// What the eye did next; none where signal was lost.
    pub(super) choice: Option<Choice>,
    pub(super) stay: Stay,
    /// The saccade that led here, if any.
    pub(super) aim: Option<Aim>,
}

impl Seen {
    /// The fixations of a reading.
    pub(super) fn of(reading: &Reading) -> Vec<Self> {
        let mut visited = Visited::none(reading);
        let next = reading.events.iter().skip(1).map(Some).chain([None]);
        let fixations = reading.with_previous().zip(next);
        fixations
            .map(|((previous, event), next)| Self {
                choice: choice(reading, event, next),
                stay: stay(previous, event),
                aim: visited.aim(reading, previous, event),
            })
            .collect()
    }

    /// The last fixation of a reading that goes on, with the move that led to it instead of the one
    /// that will follow.
    fn last(reading: &Reading) -> Option<Self> {
        let (previous, event) = reading.with_previous().last()?;
        let mut visited = Visited::none(reading);
        let (_, before) = reading.events.split_last()?;
        before.iter().for_each(|event| visited.mark(event));
        Some(Self {
            choice: before.last().and_then(|before| choice(reading, before, Some(event))),
            stay: stay(previous, event),
            aim: visited.aim(reading, previous, event),
        })
    }
}

/// What the eye did after a fixation, where that is known.
fn choice(reading: &Reading, event: &Event, next: Option<&Event>) -> Option<Choice> {
    let chosen = match next {
        Some(Event { density: DensityId::Alpha1Bar, .. }) => BACK,
        Some(Event { kind: Some(kind), .. }) => *kind as usize,
        // Signal was lost.
        Some(next) if next.line == event.line => return None,
        Some(_) => LEAVE,
        None if reading.complete => LEAVE,
        None => return None,
    };
    Some(Choice { features: features::of_type(event), possible: features::possible(event), chosen })
}

fn stay(previous: Option<&Event>, event: &Event) -> Stay {
    Stay {
        features: features::of_duration(previous, event),
        kind: event.kind.map_or(0, |kind| kind as usize + 1),
        duration: event.duration,
    }
}

/// The words that were fixated, by line.
struct Visited(Vec<Vec<bool>>);

impl Visited {
    fn none(reading: &Reading) -> Self {
        Self(reading.bounds.iter().map(|bounds| vec![false; bounds.len() - 1]).collect())
    }

    fn mark(&mut self, event: &Event) {
        self.0[event.line][event.word] = true;
    }

    /// The saccade that led to a fixation, which is marked.
    fn aim(&mut self, reading: &Reading, previous: Option<&Event>, event: &Event) -> Option<Aim> {
        let bounds = &reading.bounds[event.line];
        let aim = previous.and_then(|from| Aim::new(bounds, &self.0[event.line], from, event));
        self.mark(event);
        aim
    }
}

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
        let looks = self.common.looks(probe.seen());
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
        let seen = Seen::of(reading);
        let clamped = seen.iter().map(|s| self.common.clamped(s)).sum();
        self.places.probe(reading).with_seen(seen, clamped)
    }

    fn scores(&self, probe: &Probe) -> Vec<f64> {
        let mut scores = self.places.scores(probe);
        let looks = self.common.looks(probe.seen());
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
        let looks = self.common.looks(probe.seen());
        let parts = parts(std::slice::from_ref(&self.population), &looks);
        self.places.population(probe, scores) + sum(&parts[0], 0)
    }

    fn is_additive(&self) -> bool {
        true
    }

    fn added(&self, reading: &Reading) -> Vec<f64> {
        let events = reading.events.last().cloned().into_iter().collect();
        let last = Reading { events, ..reading.clone() };
        let seen = Seen::last(reading).into_iter().collect();
        self.scores(&self.places.probe(&last).with_seen(seen, 0))
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
        Some(Seen::of(reading).iter().map(|seen| forger.surprise(seen)).collect())
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
