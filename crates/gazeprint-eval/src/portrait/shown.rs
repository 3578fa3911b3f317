//! The readers that a report shows.

use gazeprint::inference::Engine;
use gazeprint::method::FitError;

use super::{Portrait, SharedDensities};
use crate::study::DividedCorpus;
use crate::traits::ReaderTraits;

/// Readers that are shown, all together.
pub const MOST_SHOWN: usize = 12;

/// The readers that a report shows: one, and others to hold against it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownReaders {
    /// The one that is shown.
    pub shown: Portrait,
    /// Others, from typical to unusual.
    pub others: Vec<Portrait>,
    /// The traits of all readers, over all that they read.
    pub traits: ReaderTraits,
}

impl ShownReaders {
    /// The reader at a place in the first split, and others of that split: evenly from the one nearest
    /// to the mean of all traits to the one farthest from it.
    ///
    /// # Errors
    /// If there is no such reader.
    pub fn of(divided: &DividedCorpus, shown: usize, engine: &Engine) -> Result<Self, FitError> {
        let DividedCorpus { plan, corpus, readings, splits, .. } = divided;
        let split = &splits[0];
        let seed = plan.protocol.seed;
        let traits = ReaderTraits::of(corpus, plan.limits, seed);
        let place = |reader: usize| split.readers.iter().position(|&r| r == reader);
        let by_distance: Vec<usize> = traits
            .from_typical()
            .into_iter()
            .filter_map(|(reader, _)| place(reader))
            .filter(|&place| place != shown)
            .collect();
        let shared = SharedDensities::of(corpus, readings, split, engine, seed)?;
        let others = evenly(&by_distance, MOST_SHOWN - 1);
        Ok(Self {
            shown: shared.portrait(shown)?,
            others: others.into_iter().map(|r| shared.portrait(r)).collect::<Result<_, _>>()?,
            traits,
        })
    }
}

/// So many of all at most, evenly from the first to the last.
fn evenly(all: &[usize], most: usize) -> Vec<usize> {
    if all.len() <= most {
        return all.to_vec();
    }
    (0..most).map(|i| all[i * (all.len() - 1) / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_are_among_the_few() {
        let all: Vec<usize> = (10..60).collect();
        let few = evenly(&all, 11);
        assert_eq!((few.len(), few[0], few[10]), (11, 10, 59));
        assert!(few.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(evenly(&all[..3], 11), [10, 11, 12]);
        assert_eq!(evenly(&[], 11), [0; 0]);
    }
}
