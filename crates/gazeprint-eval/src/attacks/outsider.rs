//! Whoever has no template of the target, but some recording of them, and knows how other people read.

use gazeprint::decision::FEWEST_READERS;
use gazeprint::method::{DayShares, Population, PopulationScorer, Unwatched};
use gazeprint::saccade::Reading;
use rayon::prelude::*;

use super::make::{Making, Source, Substitute};

/// Forges from recordings that nobody was enrolled with.
///
/// Readers are halved. The population that those of one half are learned around is that of the other half, by its training
/// texts. What is known of a target are every second of their test texts; the others are forged.
pub(super) struct Outsider {
    /// By half of the readers.
    scorers: [PopulationScorer; 2],
    /// What is forged, by target.
    pub(super) by_reader: Vec<Vec<usize>>,
}

fn half(reader: usize) -> usize {
    reader % 2
}

impl Outsider {
    /// Nothing where readers are too few to learn a population from half of them.
    pub(super) fn learn(making: &Making<'_>) -> Option<Self> {
        let split = &making.divided.splits[making.number];
        if split.readers.len() < 2 * FEWEST_READERS {
            return None;
        }
        let test = split.test_by_reader();
        let every_second = |own: &Vec<usize>, from: usize| -> Vec<usize> {
            own.iter().skip(from).step_by(2).copied().collect()
        };
        let scorer = |number: usize| {
            let readings = &making.divided.readings;
            let others = split.train.iter().filter(|(reader, _)| half(*reader) != number);
            let others: Vec<(usize, &Reading)> =
                others.map(|&(reader, i)| (reader / 2, &readings[i])).collect();
            let count = split.readers.len().div_ceil(2) - (1 - number) * (split.readers.len() % 2);
            let population =
                Population::learn(count, &others, &DayShares::default(), &Unwatched).ok()?;
            let templates: Vec<_> = test
                .par_iter()
                .enumerate()
                .map(|(reader, own)| {
                    let known =
                        if half(reader) == number { every_second(own, 0) } else { Vec::new() };
                    let known: Vec<&Reading> = known.into_iter().map(|i| &readings[i]).collect();
                    population.template(&known)
                })
                .collect();
            population.background().scorer(&templates).ok()
        };
        let by_reader = test.iter().map(|own| every_second(own, 1)).collect();
        Some(Self { scorers: [scorer(0)?, scorer(1)?], by_reader })
    }

    /// What is forged, each with its target.
    pub(super) fn targets(&self) -> Vec<(usize, usize)> {
        let by_reader = self.by_reader.iter().enumerate();
        by_reader.flat_map(|(reader, own)| own.iter().map(move |&i| (reader, i))).collect()
    }

    /// The forgeries, in that order.
    pub(super) fn readings(&self, making: &Making<'_>) -> Option<Vec<Substitute>> {
        let forge = |(reader, i): (usize, usize)| {
            making.reading(&self.scorers[half(reader)], Source::Outsider, reader, i)
        };
        self.targets().into_par_iter().map(forge).collect()
    }
}
