//! Readers whose saccades and durations depend on the situation.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use super::forge::Impersonator;
use super::lanes::{Common, Lanes, parts};
use crate::corpus::{Fixation, Limits, Text};
use crate::glance::Glance;
use crate::kernels::{self, LANES};
use crate::live::LiveStep;
use crate::method::{Forger, LearnedReaders, Surprise};
use crate::random::Stream;
use crate::saccade::Reading;
use crate::score::{Scorer, Tally, TemplateScorer};
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
    /// How many of them, the last, are imagined: the cohort that others are held against.
    pub(super) cohort: usize,
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
    /// What the network makes of it, where that is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding: Option<f64>,
    /// How the eye moved, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oculomotor: Option<f64>,
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
            ..Evidence::default()
        }
    }
}

/// The lanes of a reader, and the one among them.
fn of_reader(reader: usize) -> [usize; 2] {
    [reader / LANES, reader % LANES]
}

/// Parts of what words say: types, amplitudes with first places, durations.
pub(crate) const PARTS: usize = 3;

impl PopulationScorer {
    /// Whether there are imagined readers to hold others against.
    pub fn has_cohort(&self) -> bool {
        self.cohort > 0
    }

    /// What was read says of each reader against the cohort, by part: the ratio of the likelihood to its
    /// mean over imagined readers, nats. Nothing without a cohort.
    pub fn ratios(&self, tally: &Tally) -> Option<Vec<[f64; PARTS]>> {
        let all = self.places.len();
        if self.cohort == 0 {
            return None;
        }
        let sums = tally.scores_of(PARTS * all);
        let nobody: Vec<f64> = sums
            .chunks(all)
            .map(|part| kernels::log_sum_exp(&part[self.len()..]) - (self.cohort as f64).ln())
            .collect();
        let of =
            |reader: usize| std::array::from_fn(|part| sums[part * all + reader] - nobody[part]);
        Some((0..self.len()).map(of).collect())
    }
}

impl Scorer for PopulationScorer {
    fn len(&self) -> usize {
        self.places.len() - self.cohort
    }

    fn probe(&self, reading: &Reading) -> Probe {
        let glances = Glance::all(reading);
        let clamped = glances.iter().map(|s| self.common.clamped(s)).sum();
        self.places.probe(reading).with_glances(glances, clamped)
    }

    fn tally(&self, probe: &Probe) -> Tally {
        self.tally_among(probe, 0..self.readers.len())
    }

    fn tally_of(&self, probe: &Probe, reader: usize) -> Tally {
        let [lanes, _] = of_reader(reader);
        self.tally_among(probe, lanes..lanes + 1)
    }

    fn settle(&self, tally: &Tally) -> Vec<f64> {
        let all = self.places.len();
        let sums = tally.scores_of(PARTS * all);
        let total = |reader: usize| (0..PARTS).map(|part| sums[part * all + reader]).sum();
        (0..self.len()).map(total).collect()
    }

    fn population(&self, probe: &Probe, scores: &[f64]) -> f64 {
        let looks = self.common.looks(probe.glances());
        let parts = &parts(std::slice::from_ref(&self.population), &looks)[0];
        self.places.population(probe, scores) + parts.iter().map(|part| part.0[0]).sum::<f64>()
    }

    fn added(&self, step: &LiveStep<'_>) -> Tally {
        // Nothing is known of words on an unknown page.
        let Some((event, glance)) = step.landed() else { return Tally::sums(1, Vec::new()) };
        let place = self.places.layout().probe_of(std::slice::from_ref(event));
        self.tally(&place.with_glances(vec![glance.clone()], 0))
    }
}

impl PopulationScorer {
    /// What a probe says of the readers of some lanes; sums of others are of first places alone.
    fn tally_among(&self, probe: &Probe, lanes: Range<usize>) -> Tally {
        let all = self.places.len();
        let mut sums = vec![0.0; PARTS * all];
        let (types, rest) = sums.split_at_mut(all);
        let (amplitudes, durations) = rest.split_at_mut(all);
        amplitudes.copy_from_slice(&self.places.scores(probe));
        let looks = self.common.looks(probe.glances());
        let block = BLOCK * LANES;
        let readers = LANES * lanes.start..all.min(LANES * lanes.end);
        let blocks = self.readers[lanes].par_chunks(BLOCK);
        let blocks = blocks.zip(types[readers.clone()].par_chunks_mut(block));
        let blocks = blocks.zip(amplitudes[readers.clone()].par_chunks_mut(block));
        let blocks = blocks.zip(durations[readers].par_chunks_mut(block));
        // One by one: a thread that wakes late finds something left.
        blocks.with_max_len(1).for_each(|(((lanes, types), amplitudes), durations)| {
            for (number, parts) in parts(lanes, &looks).iter().enumerate() {
                for (sums, part) in
                    [&mut *types, &mut *amplitudes, &mut *durations].into_iter().zip(parts)
                {
                    let own = sums.iter_mut().skip(number * LANES).take(LANES);
                    own.zip(part.0).for_each(|(sum, said)| *sum += said);
                }
            }
        });
        Tally::sums(probe.fixations(), sums)
    }
}

impl LearnedReaders for PopulationScorer {
    fn forger(&self) -> Option<&dyn Forger> {
        Some(self)
    }
}

impl Forger for PopulationScorer {
    fn forge(
        &self,
        reader: Option<usize>,
        text: &Text,
        limits: Limits,
        stream: Stream,
    ) -> Option<Vec<Fixation>> {
        Some(self.impersonator(reader)?.read(text, limits, &mut stream.chain(0)))
    }

    fn surprises(&self, reader: usize, reading: &Reading) -> Option<Vec<Surprise>> {
        let template = self.impersonator(Some(reader))?;
        Some(Glance::all(reading).iter().map(|glance| template.surprise(glance)).collect())
    }
}

impl PopulationScorer {
    /// A reader's template, to be run forward; that of nobody in particular without a reader.
    pub(super) fn impersonator(&self, reader: Option<usize>) -> Option<Impersonator<'_>> {
        let layout = self.places.layout();
        match reader {
            Some(reader) if reader >= self.len() => None,
            Some(reader) => {
                let row: Vec<f64> = self.places.row(reader).collect();
                let [lanes, lane] = of_reader(reader);
                Impersonator::new(&self.common, &self.readers[lanes], lane, layout, &row)
            }
            None => {
                let row = self.places.population_row();
                Impersonator::new(&self.common, &self.population, 0, layout, row)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::{Chars, Millis};
    use crate::glance::{Aim, Choice, Stay};
    use crate::live::{LiveReading, steps};
    use crate::method::{DayShares, Population, Template, Unwatched};
    use crate::saccade::{Event, readings};
    use crate::simulate::SimulationParams;

    /// What the last fixation of a reading shows, found anew from all of them.
    fn last(reading: &Reading) -> Glance {
        let (event, before) = reading.events.split_last().unwrap();
        let previous = before.last().filter(|_| event.kind.is_some());
        let mut visited = vec![false; reading.bounds[event.line].len() - 1];
        let on_line = before.iter().filter(|before| before.line == event.line);
        on_line.for_each(|before| visited[before.word] = true);
        let bounds = &reading.bounds[event.line];
        let left = |from: &Event| event.kind.is_some() || from.line != event.line;
        let choice = before.last().filter(|from| left(from));
        // Of two fixations, the first shows the move between them.
        let pair = |from: &Event| {
            let pair = Reading { events: vec![*from, *event], complete: false, ..reading.until(0) };
            Glance::all(&pair).remove(0).choice
        };
        let choice: Option<Choice> = choice.and_then(pair);
        Glance {
            choice,
            stay: Stay::new(previous, event),
            aim: previous.and_then(|from| Aim::new(bounds, &visited, from, event)),
        }
    }

    /// To the last bit, whatever was dropped or lost on the way.
    #[test]
    fn fixations_one_by_one_add_what_the_whole_reading_says_of_the_last() {
        let params = SimulationParams { readers: 5, texts: 10, lines: 2, ..Default::default() };
        let corpus = params.build().unwrap().run();
        let limits = Limits::default();
        let (readings, _) = readings(&corpus, limits);
        let all: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(5, &all, &DayShares::default(), &Unwatched).unwrap();
        let own = |reader| readings.iter().filter(move |r| r.reader == reader).collect::<Vec<_>>();
        let templates: Vec<Template> =
            (0..5).map(|reader| population.template(&own(reader))).collect();
        let scorer = population.background().scorer(&templates).unwrap();
        let bits = |scores: &[f64]| -> Vec<u64> { scores.iter().map(|s| s.to_bits()).collect() };
        let (mut counted, mut lost) = (0, 0);
        for (number, path) in corpus.scanpaths().iter().enumerate() {
            let text = Arc::new(corpus.texts()[path.text].clone());
            let mut live = LiveReading::new(text, limits);
            let mut found = Vec::new();
            for (i, fixation) in path.fixations.iter().enumerate() {
                let mut fixation = *fixation;
                match (7 * i + 3 * number) % 11 {
                    0 => fixation.gap = true,
                    1 => fixation.duration = Some(Millis(3.0)),
                    2 => (fixation.gap, fixation.x) = (true, Some(Chars(-90.0))),
                    3 => fixation.line = fixation.line.map(|line| 3 - line),
                    _ => {}
                }
                let Ok(step) = live.see(&fixation) else { continue };
                let added = scorer.settle(&scorer.added(&step));
                let until = step.after();
                let events = vec![*step.event().unwrap()];
                let place = scorer.places.probe(&Reading { events, ..until.until(0) });
                let glance = last(&until);
                lost += usize::from(glance.choice.is_none() && until.events.len() > 1);
                let expected = scorer.scores(&place.with_glances(vec![glance], 0));
                assert_eq!(bits(&added), bits(&expected), "{number} {i}");
                found.push(added);
            }
            counted += found.len();
            let Some(reading) = live.reading() else { continue };
            let walked: Vec<Vec<f64>> =
                steps(reading).map(|step| scorer.settle(&scorer.added(&step))).collect();
            assert_eq!(walked, found);
        }
        assert!(counted > 200 && lost > 10, "{counted} {lost}");
    }

    #[test]
    fn a_tally_of_one_reader_scores_them_as_that_of_all_does() {
        let params = SimulationParams { readers: 19, texts: 6, ..Default::default() };
        let (readings, _) = readings(&params.build().unwrap().run(), Limits::default());
        let all: Vec<(usize, &Reading)> = readings.iter().map(|r| (r.reader, r)).collect();
        let population = Population::learn(19, &all, &DayShares::default(), &Unwatched).unwrap();
        let own = |reader| readings.iter().filter(move |r| r.reader == reader).collect::<Vec<_>>();
        let templates: Vec<Template> =
            (0..19).map(|reader| population.template(&own(reader))).collect();
        let scorer = population.background().side_by_side(&templates, &population.cohort());
        for reading in readings.iter().step_by(7) {
            let probe = scorer.probe(reading);
            let scores = scorer.scores(&probe);
            for (reader, score) in scores.iter().enumerate() {
                let own = scorer.settle(&scorer.tally_of(&probe, reader))[reader];
                assert_eq!(own.to_bits(), score.to_bits(), "{reader}");
            }
        }
    }
}
