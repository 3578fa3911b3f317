//! How a corpus is divided into training and test (section 8 of the model).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gazeprint::corpus::Corpus;
use gazeprint::random::{Stream, stream};
use gazeprint::saccade::Reading;
use rand::seq::SliceRandom;
use serde::Serialize;
use thiserror::Error;

/// Why a corpus cannot be divided as asked.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The training part must be a part.
    #[error("the training fraction must lie between 0 and 1, both excluded, not {0}")]
    TrainFraction(f64),
    /// No split asked for.
    #[error("at least one split is needed")]
    NoSplits,
    /// Too few texts.
    #[error(
        "training and test need different texts, but only {texts} were read, in {units} group(s) that stay together"
    )]
    TooFewTexts {
        /// Texts that were read.
        texts: usize,
        /// Groups that must stay together.
        units: usize,
    },
    /// Too few readers.
    #[error(
        "identification needs two readers with both training and test texts; in one split there are only {0}"
    )]
    TooFewReaders(usize),
    /// A probe of no sentences.
    #[error("a probe needs at least one sentence")]
    EmptyProbe,
}

/// The random protocol: the same part of the texts trains for all readers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Protocol {
    /// Repetitions.
    pub splits: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Part of the texts that trains.
    pub train_fraction: f64,
}

impl Default for Protocol {
    fn default() -> Self {
        Self { splits: 10, seed: 1, train_fraction: 0.5 }
    }
}

/// One division of the readings.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The readers that take part, as indices into the corpus.
    pub readers: Vec<usize>,
    /// Training readings (indices), with the reader's place in `readers`.
    pub train: Vec<(usize, usize)>,
    /// Test readings (indices), with the reader's place in `readers`.
    pub test: Vec<(usize, usize)>,
    /// Readers without training or without test texts.
    pub excluded: Vec<usize>,
}

impl Protocol {
    /// All splits of a corpus.
    ///
    /// # Errors
    /// If the request makes no sense or the corpus is too small for it.
    pub fn splits(
        &self,
        corpus: &Corpus,
        readings: &[Reading],
    ) -> Result<Vec<Split>, ProtocolError> {
        if !(self.train_fraction > 0.0 && self.train_fraction < 1.0) {
            return Err(ProtocolError::TrainFraction(self.train_fraction));
        }
        if self.splits == 0 {
            return Err(ProtocolError::NoSplits);
        }
        (0..self.splits).map(|split| self.split(split, corpus, readings)).collect()
    }

    fn split(
        &self,
        split: usize,
        corpus: &Corpus,
        readings: &[Reading],
    ) -> Result<Split, ProtocolError> {
        let mut units = units(readings);
        let texts: usize = units.iter().map(|(_, texts)| texts.len()).sum();
        if units.len() < 2 {
            return Err(ProtocolError::TooFewTexts { texts, units: units.len() });
        }
        let index = stream::SPLITS + split as u64;
        units.shuffle(&mut Stream { seed: self.seed, index }.chain(0));
        let wanted = (self.train_fraction * texts as f64).round().max(1.0) as usize;
        let mut trains = HashSet::new();
        let mut taken = 0;
        for unit in &units[..units.len() - 1] {
            if taken >= wanted {
                break;
            }
            trains.insert(unit.0);
            taken += unit.1.len();
        }
        Split::of(corpus, readings, |reading| trains.contains(&reading.unit))
    }

    /// The seed of everything a method draws in split number `split`.
    pub fn seed_of(&self, split: usize) -> u64 {
        self.seed.wrapping_add((split as u64) << 32)
    }

    /// The test readings of a reader in split number `split`, cut into disjoint probes of `m`
    /// readings; the rest is dropped, unless there are fewer than `m` in all.
    pub fn probes(&self, split: usize, reader: usize, test: &[usize], m: usize) -> Vec<Vec<usize>> {
        let mut order = test.to_vec();
        let index = stream::PROBES + ((split as u64) << 24) + reader as u64;
        order.shuffle(&mut Stream { seed: self.seed, index }.chain(0));
        let size = m.min(order.len()).max(1);
        order.chunks_exact(size).map(<[usize]>::to_vec).collect()
    }
}

impl Split {
    /// The readers that have both training and test readings, and these.
    fn of(
        corpus: &Corpus,
        readings: &[Reading],
        trains: impl Fn(&Reading) -> bool,
    ) -> Result<Self, ProtocolError> {
        let mut has = vec![[false; 2]; corpus.readers().len()];
        for reading in readings {
            has[reading.reader][usize::from(trains(reading))] = true;
        }
        let (readers, excluded): (Vec<usize>, Vec<usize>) =
            (0..has.len()).partition(|&r| has[r] == [true, true]);
        if readers.len() < 2 {
            return Err(ProtocolError::TooFewReaders(readers.len()));
        }
        let mut place = vec![None; has.len()];
        readers.iter().enumerate().for_each(|(i, &r)| place[r] = Some(i));
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (i, reading) in readings.iter().enumerate() {
            if let Some(reader) = place[reading.reader] {
                if trains(reading) { &mut train } else { &mut test }.push((reader, i));
            }
        }
        Ok(Self { readers, train, test, excluded })
    }

    /// Test readings by reader.
    pub fn test_by_reader(&self) -> Vec<Vec<usize>> {
        let mut by_reader = vec![Vec::new(); self.readers.len()];
        for &(reader, reading) in &self.test {
            by_reader[reader].push(reading);
        }
        by_reader
    }
}

/// Units of texts that stay together, in order, with the texts of each that somebody read.
fn units(readings: &[Reading]) -> Vec<(usize, BTreeSet<usize>)> {
    let mut units: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for reading in readings {
        units.entry(reading.unit).or_default().insert(reading.text);
    }
    units.into_iter().collect()
}
