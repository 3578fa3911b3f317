//! How many readers a probe is compared with in a second.

use std::hint::black_box;

use gazeprint::method::{Method, Unwatched, landwehr};
use gazeprint::score::Scorer;
use gazeprint::template::Probe;
use serde::Serialize;

use super::readers::Readers;
use super::{Bench, in_turns};

const TIMES: usize = 51;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    readers: usize,
    /// Of the probe.
    fixations: usize,
    /// `population`: everything by situation.
    by_situation: Row,
    /// What is an inner product with a row of tables (`landwehr`, `semiparametric`).
    tabulated: Row,
}

#[derive(Debug, Serialize)]
struct Row {
    seconds: f64,
    readers_per_second: f64,
}

impl Row {
    fn new(readers: usize, seconds: f64) -> Self {
        Self { seconds, readers_per_second: readers as f64 / seconds }
    }
}

pub(super) fn measure(bench: &Bench, readers: &Readers) -> anyhow::Result<Report> {
    let population = readers.background.scorer(&readers.enrolled)?;
    let fitted = landwehr().fit(&bench.training(bench.readers, 1)?, 1, &Unwatched)?;
    let probe_for = |gallery: &dyn Scorer| {
        let probes: Vec<Probe> = bench.of(0).map(|r| gallery.probe(r)).collect();
        Probe::merged(&probes)
    };
    let tables = fitted.scorer.as_ref();
    let (probe, sparse) = (probe_for(&population), probe_for(tables));
    let [by_situation, tabulated] = in_turns(
        TIMES,
        [&mut || drop(black_box(population.scores(&probe))), &mut || {
            drop(black_box(tables.scores(&sparse)))
        }],
    );
    Ok(Report {
        readers: bench.readers,
        fixations: probe.fixations(),
        by_situation: Row::new(bench.readers, by_situation),
        tabulated: Row::new(bench.readers, tabulated),
    })
}

impl Report {
    pub(super) fn text(&self) -> String {
        let line = |name: &str, row: &Row| {
            format!(
                "{name:<26} {:>8.3} ms {:>12.0} readers a second\n",
                1e3 * row.seconds,
                row.readers_per_second
            )
        };
        format!(
            "comparing a probe of {} fixations with {} readers\n{}{}",
            self.fixations,
            self.readers,
            line("population, by situation", &self.by_situation),
            line("tables, an inner product", &self.tabulated)
        )
    }
}
