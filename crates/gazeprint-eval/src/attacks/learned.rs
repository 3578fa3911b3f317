//! Liveness, learned from the training texts of a split.

use gazeprint::liveness::{KnownWords, Liveness, Statistics, Words, statistics, threshold};
use gazeprint::method::{LearnedReaders, Surprise};
use gazeprint::saccade::Reading;
use rayon::prelude::*;

use super::make::{Making, Source, Substitute};
use super::{Target, by_reader, cut, sizes};

/// Liveness, with thresholds by size of probes.
pub(super) struct Learned<'a> {
    pub(super) liveness: Liveness,
    pub(super) thresholds: Vec<Option<f64>>,
    words: KnownWords<'a>,
}

/// Readings that a fold held out, in the order given, with what people and forgeries do there.
struct Fold {
    held_out: Vec<(usize, usize)>,
    people: Vec<Vec<Surprise>>,
    forged: Vec<(Reading, Vec<Surprise>)>,
}

impl<'a> Learned<'a> {
    /// Learns from people and forgeries among the training texts, each held against readers learned
    /// without them. None where templates cannot be run forward.
    pub(super) fn of(target: &Target<'_>, making: &Making<'_>, words: &'a Words) -> Option<Self> {
        let Target { divided, number, fitted, .. } = *target;
        let split = &divided.splits[number];
        let reading = |i: usize| &divided.readings[i];
        let mut folds = Vec::with_capacity(fitted.folds.len());
        for fold in &fitted.folds {
            let held_out = fold.held_out.iter().map(|&i| split.train[i]);
            let held_out: Vec<_> = held_out.filter(|(reader, _)| fold.learned[*reader]).collect();
            folds.push(Fold::of(fold.scorer.as_ref(), making, held_out)?);
        }
        let words = KnownWords::learn(
            words,
            folds.iter().flat_map(|fold| {
                let read = fold.held_out.iter().map(|(_, i)| reading(*i));
                read.zip(fold.people.iter().map(Vec::as_slice))
            }),
        );
        let (mut people, mut forgeries) = (Vec::new(), Vec::new());
        let mut by_place = vec![None; divided.readings.len()];
        for fold in &folds {
            for (&(_, i), surprises) in fold.held_out.iter().zip(&fold.people) {
                people.push(statistics(reading(i), surprises, Some(&words)));
                by_place[i] = people.last().copied();
            }
            forgeries.extend(fold.forged.iter().map(|(r, s)| statistics(r, s, Some(&words))));
        }
        let liveness = Liveness::learn(&people, &forgeries)?;
        let thresholds = sizes(&divided.plan.probe_sentences).into_iter().map(|sentences| {
            let mut scores = Vec::new();
            for fold in &folds {
                let by_reader = by_reader(split, &fold.held_out);
                for (readings, &reader) in by_reader.iter().zip(&split.readers) {
                    for probe in cut(&divided.plan.protocol, number, reader, readings, sentences) {
                        let held = probe.iter().filter_map(|&i| by_place[i].as_ref());
                        scores.push(liveness.score(held));
                    }
                }
            }
            threshold(scores)
        });
        Some(Self { thresholds: thresholds.collect(), liveness, words })
    }

    /// A reading in numbers, held against a reader.
    pub(super) fn look(
        &self,
        readers: &dyn LearnedReaders,
        reader: usize,
        reading: &Reading,
    ) -> Option<Statistics> {
        Some(statistics(reading, &readers.forger()?.surprises(reader, reading)?, Some(&self.words)))
    }
}

impl Fold {
    fn of(
        readers: &dyn LearnedReaders,
        making: &Making<'_>,
        held_out: Vec<(usize, usize)>,
    ) -> Option<Self> {
        let forged = making.readings(readers, Source::Target, &held_out)?;
        let readings = &making.divided.readings;
        let people: Option<Vec<Vec<Surprise>>> = held_out
            .par_iter()
            .map(|&(r, i)| readers.forger()?.surprises(r, &readings[i]))
            .collect();
        let forged: Option<Vec<(Reading, Vec<Surprise>)>> = held_out
            .par_iter()
            .zip(forged)
            .filter_map(|(&(reader, _), made)| match made {
                Substitute::Other(forged) => Some((reader, forged)),
                Substitute::Itself | Substitute::Nothing => None,
            })
            .map(|(reader, forged)| {
                let surprises = readers.forger()?.surprises(reader, &forged)?;
                Some((forged, surprises))
            })
            .collect();
        Some(Self { held_out, people: people?, forged: forged? })
    }
}
