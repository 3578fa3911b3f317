//! How many readers a probe is compared with in a second.

use std::hint::black_box;

use gazeprint::method::{Method, Unwatched, landwehr};
use gazeprint::score::Scorer;
use gazeprint::template::Probe;
use serde::Serialize;

use super::readers::Readers;
use super::{Bench, in_turns, read_once};

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
    /// Of that, the part of the time that a plain sum over as many bytes takes.
    bandwidth: f64,
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
    // Rows are doubles: two single ones each.
    let bytes = vec![1.0; 2 * sparse.entries().len() * tables.len()];
    let [by_situation, tabulated, sum] = in_turns(
        TIMES,
        [
            &mut || drop(black_box(population.scores(&probe))),
            &mut || drop(black_box(tables.scores(&sparse))),
            &mut || read_once(&bytes),
        ],
    );
    Ok(Report {
        readers: bench.readers,
        fixations: probe.fixations(),
        by_situation: Row::new(bench.readers, by_situation),
        tabulated: Row::new(bench.readers, tabulated),
        bandwidth: sum / tabulated,
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
            "comparing a probe of {} fixations with {} readers\n{}{}{:<26} {:>8.2} of the time is \
             that of a plain sum over the same bytes\n",
            self.fixations,
            self.readers,
            line("population, by situation", &self.by_situation),
            line("tables, an inner product", &self.tabulated),
            "",
            self.bandwidth
        )
    }
}
