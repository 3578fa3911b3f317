//! How many readers a probe is compared with in a second.

use std::hint::black_box;

use gazeprint::method::{Method, Unwatched, landwehr};
use gazeprint::score::Scorer;
use serde::Serialize;

use crate::clock::in_turns;
use crate::{BenchError, Suite};

const TIMES: usize = 51;

/// One probe, compared with all readers.
#[derive(Debug, Serialize)]
pub struct ScoringTimes {
    /// How many.
    pub readers: usize,
    /// Of the probe.
    pub fixations: usize,
    /// `population`: everything by situation.
    pub by_situation: Speed,
    /// What is an inner product with a row of tables (`landwehr`, `semiparametric`).
    pub tabulated: Speed,
}

/// How fast readers are compared with a probe.
#[derive(Debug, Serialize)]
pub struct Speed {
    /// For all of them.
    pub seconds: f64,
    /// How many are done in one.
    pub readers_per_second: f64,
}

impl Speed {
    fn new(readers: usize, seconds: f64) -> Self {
        Self { seconds, readers_per_second: readers as f64 / seconds }
    }
}

pub(crate) fn measure(suite: &Suite<'_>) -> Result<ScoringTimes, BenchError> {
    let (halves, readers) = (suite.halves()?, suite.readers()?);
    let population = readers.background.scorer(&readers.enrolled)?;
    let fitted = landwehr().fit(&halves.all()?, 1, &Unwatched)?;
    let tables = fitted.scorer.as_ref();
    let (probe, sparse) = (halves.probe(0, &population), halves.probe(0, tables));
    let [by_situation, tabulated] = in_turns(
        TIMES,
        [&mut || drop(black_box(population.scores(&probe))), &mut || {
            drop(black_box(tables.scores(&sparse)))
        }],
    );
    Ok(ScoringTimes {
        readers: halves.readers,
        fixations: probe.fixations(),
        by_situation: Speed::new(halves.readers, by_situation),
        tabulated: Speed::new(halves.readers, tabulated),
    })
}
