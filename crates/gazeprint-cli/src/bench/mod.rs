//! `gazeprint bench`: how fast it is on this machine.

mod draws;
mod machine;
mod readers;
mod scaling;
mod scoring;
mod search;
mod training;

use std::time::Instant;

use clap::ValueEnum;
use gazeprint::corpus::Limits;
use gazeprint::method::Training;
use gazeprint::saccade::{Reading, readings};
use gazeprint::simulate::SimulationParams;
use serde::Serialize;

use self::machine::Machine;
use self::readers::{Many, Readers};
use crate::print;

/// Measure how fast training, comparing and searching are on this machine.
///
/// Everything is measured in one run on simulated readers, so that ratios can be trusted where times
/// cannot. Nothing is read or written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint bench                                             all parts, some minutes
  gazeprint bench --only search --search-readers 1000000      with under 2 GB of memory
  gazeprint bench --json > bench.json

Exit codes: 0 done, 1 failed, 2 wrong usage.")]
pub(crate) struct Args {
    /// Parts to run, separated by commas [default: all]
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    only: Vec<Part>,
    /// Readers of the simulated corpus
    #[arg(long, value_name = "N", default_value_t = 251,
          value_parser = clap::value_parser!(u32).range(8..=9999))]
    readers: u32,
    /// Readers to search among
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1000..=4_000_000))]
    search_readers: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A part of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Methods and engines, against `metropolis`
    Training,
    /// What the draws of engines are worth
    Draws,
    /// Comparisons of probes with readers
    Scoring,
    /// Search among very many readers
    Search,
    /// Cost by readers, fixations and threads
    Scaling,
}

/// What was measured.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    machine: Machine,
    #[serde(skip_serializing_if = "Option::is_none")]
    training: Option<training::Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    draws: Option<draws::Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scoring: Option<scoring::Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<search::Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaling: Option<scaling::Report>,
    /// Peak memory of the whole run, MiB; none where the system does not tell.
    peak_mib: Option<f64>,
}

/// A simulated corpus, every other text to learn from.
struct Bench {
    readers: usize,
    train: Vec<Reading>,
    test: Vec<Reading>,
}

impl Bench {
    /// Readers differ from seed to seed.
    fn new(readers: usize, seed: u64) -> anyhow::Result<Self> {
        let params = SimulationParams { readers, seed, ..SimulationParams::default() };
        let (all, _) = readings(&params.build()?.run(), Limits::default());
        let (train, test) = all.into_iter().partition(|r| r.text.is_multiple_of(2));
        Ok(Self { readers, train, test })
    }

    /// What the first of the readers read to be learned from: one text of so many.
    fn some(&self, readers: usize, part: usize) -> impl Iterator<Item = &Reading> {
        self.train.iter().filter(move |r| r.reader < readers && (r.text / 2).is_multiple_of(part))
    }

    fn training(&self, readers: usize, part: usize) -> anyhow::Result<Training<'_>> {
        let readings = self.some(readers, part).map(|r| (r.reader, r)).collect();
        Ok(Training::new(readers, readings)?)
    }

    /// What a reader read to be tested with.
    fn of(&self, reader: usize) -> impl Iterator<Item = &Reading> {
        self.test.iter().filter(move |r| r.reader == reader)
    }

    fn fixations(&self) -> usize {
        self.train.iter().map(|r| r.events.len()).sum()
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let wanted = |part: Part| args.only.is_empty() || args.only.contains(&part);
    let bench = Bench::new(args.readers as usize, SimulationParams::default().seed)?;
    let say = |what: &str| eprintln!("{what} ...");
    let mut report = Report {
        version: env!("CARGO_PKG_VERSION"),
        machine: Machine::this(),
        training: None,
        draws: None,
        scoring: None,
        search: None,
        scaling: None,
        peak_mib: None,
    };
    if wanted(Part::Training) {
        report.training = Some(training::measure(&bench, say)?);
    }
    if wanted(Part::Draws) {
        say("drawing from posteriors");
        report.draws = Some(draws::measure(&bench)?);
    }
    let is_many = wanted(Part::Search) || wanted(Part::Scaling);
    if wanted(Part::Scoring) || is_many {
        say("learning the population");
        let readers = Readers::learn(&bench)?;
        if wanted(Part::Scoring) {
            say("scoring");
            report.scoring = Some(scoring::measure(&bench, &readers)?);
        }
        if is_many {
            say(&format!("drawing {} readers", args.search_readers));
            let many = Many::new(&bench, &readers, args.search_readers as usize)?;
            if wanted(Part::Search) {
                report.search = Some(search::measure(&bench, &readers, &many, say)?);
            }
            if wanted(Part::Scaling) {
                report.scaling = Some(scaling::measure(&bench, &readers, &many, say)?);
            }
        }
    }
    report.peak_mib = machine::peak_mib();
    if args.json {
        return print(&(serde_json::to_string_pretty(&report)? + "\n"));
    }
    print(&report.text())
}

impl Report {
    fn text(&self) -> String {
        let mut out = format!("gazeprint {}, {}\n", self.version, self.machine);
        let parts = [
            self.training.as_ref().map(training::Report::text),
            self.draws.as_ref().map(draws::Report::text),
            self.scoring.as_ref().map(scoring::Report::text),
            self.search.as_ref().map(search::Report::text),
            self.scaling.as_ref().map(scaling::Report::text),
        ];
        for part in parts.into_iter().flatten() {
            out += "\n";
            out += &part;
        }
        if let Some(peak) = self.peak_mib {
            out += &format!("\npeak memory {peak:.0} MiB\n");
        }
        out
    }
}

/// Seconds that something took, with what it gave.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let result = work();
    (result, begun.elapsed().as_secs_f64())
}

/// The median of seconds that something took, several times.
fn median_seconds<T>(times: usize, mut work: impl FnMut() -> T) -> f64 {
    in_turns(times, [&mut || drop(std::hint::black_box(work()))])[0]
}

/// The same of several things in turns, so that whatever else the machine does slows all of them.
fn in_turns<const N: usize>(times: usize, mut works: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut seconds = [(); N].map(|()| Vec::with_capacity(times));
    for _ in 0..times.max(1) {
        for (work, seconds) in works.iter_mut().zip(&mut seconds) {
            seconds.push(timed(&mut *work).1);
        }
    }
    seconds.map(|mut seconds| {
        seconds.sort_by(f64::total_cmp);
        seconds[seconds.len() / 2]
    })
}
