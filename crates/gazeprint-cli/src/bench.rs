//! `gazeprint bench`: how fast it is on this machine.

mod words;

use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gazeprint_bench::{Alone, InstructionRecord, Measured, Options, Part, Suite};

use crate::{CorpusArg, print, print_json};

/// Measure how fast gazeprint is on this machine.
///
/// Everything is measured in one run on simulated readers, so that ratios can be trusted where times
/// cannot. Nothing is read or written but what is named, and temporary files.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint bench  the usual parts, some minutes
  # with under 2 GB of memory
  gazeprint bench --only search --search-readers 1000000
  # do engines agree on your own readers?
  gazeprint bench --only engines --corpus my-corpus
  gazeprint bench --only kernels,vault --json > bench.json

Exit codes: 0 done, 1 failed (also where a kernel takes more instructions than recorded), 2 wrong usage.")]
pub(crate) struct Args {
    /// Parts to run, separated by commas [default: all but instructions, engines and peer]
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = parts())]
    only: Vec<Part>,
    /// Readers of the simulated corpus
    #[arg(long, value_name = "N", default_value_t = 251,
          value_parser = clap::value_parser!(u32).range(8..=9999))]
    readers: u32,
    /// Readers to search among
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1000..=4_000_000))]
    search_readers: u32,
    /// Corpus whose readers' densities `engines` infers: a folder, or provo [default: the simulated one]
    #[arg(long, value_name = "CORPUS")]
    corpus: Option<CorpusArg>,
    /// Readers whose densities `peer` infers: places in the simulated corpus, from 0
    #[arg(long, value_name = "PLACES", value_delimiter = ',', default_value = "0")]
    peer_readers: Vec<usize>,
    /// Write the densities of `peer` to this file, then answer a program that asks for them line by
    /// line (see benches/peers)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["only", "json", "recorded"])]
    problems: Option<PathBuf>,
    /// What `instructions` counted before; over 5 % more is a failure
    #[arg(long, value_name = "FILE")]
    recorded: Option<PathBuf>,
    /// Record what `instructions` counts now instead
    #[arg(long, requires = "recorded")]
    record: bool,
    /// Run this kernel once, to be counted
    #[arg(long, hide = true, requires = "learned")]
    kernel: Option<String>,
    /// What kernels are made of
    #[arg(long, hide = true)]
    learned: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Parts by name.
fn parts() -> impl TypedValueParser<Value = Part> {
    let value = |part: &Part| PossibleValue::new(part.name()).help(part.measures());
    PossibleValuesParser::new(Part::ALL.iter().map(value))
        .try_map(|name| Part::named(&name).ok_or_else(|| format!("no part is called {name}")))
}

/// How this program runs a kernel alone.
fn alone(kernel: &str, learned: &Path) -> Vec<OsString> {
    let learned = learned.as_os_str();
    ["bench".as_ref(), "--kernel".as_ref(), kernel.as_ref(), "--learned".as_ref(), learned]
        .map(OsString::from)
        .to_vec()
}

impl Args {
    fn options(&self) -> anyhow::Result<Options> {
        let recorded = match &self.recorded {
            // What is not there yet is about to be.
            Some(file) if !self.record || file.exists() => InstructionRecord::read(file)?,
            _ => InstructionRecord::default(),
        };
        Ok(Options {
            readers: self.readers as usize,
            search_readers: self.search_readers as usize,
            corpus: self.corpus.as_ref().map(CorpusArg::read).transpose()?,
            peer_readers: self.peer_readers.clone(),
            alone: Alone { program: std::env::current_exe()?, arguments: alone },
            recorded,
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let (Some(kernel), Some(learned)) = (&args.kernel, &args.learned) {
        return Ok(gazeprint_bench::run_kernel(kernel, learned)?);
    }
    let watch = |stage: gazeprint_bench::Stage<'_>| eprintln!("{} ...", words::stage(stage));
    let suite = Suite::new(args.options()?, &watch);
    if let Some(file) = &args.problems {
        return converse(&suite, file);
    }
    let parts = if args.only.is_empty() { Part::usual().collect() } else { args.only.clone() };
    let measurements = suite.run(&parts)?;
    match args.json {
        true => print_json(&measurements)?,
        false => print(&words::measurements(&measurements))?,
    }
    for (_, measured) in &measurements.parts {
        if let (Measured::Instructions(counts), Some(file)) = (measured, &args.recorded) {
            if args.record {
                counts.record().write(file)?;
            } else if !counts.are_as_recorded() {
                anyhow::bail!(
                    "instructions rose by more than 5 %, or a kernel is not in {}; if that is wanted, \
                     add --record",
                    file.display()
                );
            }
        }
    }
    Ok(())
}

/// Writes the problems to a file, and answers whoever asks for them.
fn converse(suite: &Suite<'_>, file: &Path) -> anyhow::Result<()> {
    let problems = suite.problems()?;
    let out =
        File::create(file).with_context(|| format!("{} cannot be written", file.display()))?;
    problems.write(BufWriter::new(out))?;
    Ok(problems.converse(std::io::stdin().lock(), std::io::stdout().lock())?)
}
