//! `gazeprint export`: a corpus for other tools.

use std::path::PathBuf;

use clap::ValueEnum;
use gazeprint::corpus::{Limits, Millis};
use gazeprint_io::TableFormat;

use crate::inspect::plural;
use crate::{Usage, corpus_or_default, explain, print};

/// Write a corpus in a form that other tools read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint export my-corpus --to csv --out tables
  gazeprint export my-corpus --to parquet --out columns
  gazeprint export my-corpus --to pymovements --out frames
  gazeprint import frames/events.csv --words frames/aois.csv --out again

csv: fixations.csv, words.csv and, where orders or groups are known, trials.csv.
parquet: the same tables with types, packed; in builds with --features columnar.
pymovements: events.csv (name, onset, offset, duration, location_x, location_y) and aois.csv
(start_x, end_x, start_y, end_y); places are in characters and lines.
inputs: NAME.safetensors, for training/train.py of the repository.")]
pub(crate) struct Args {
    /// Corpus folder
    corpus: PathBuf,
    /// What to write
    #[arg(long, value_enum)]
    to: Target,
    /// Folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace files that are there already
    #[arg(long)]
    overwrite: bool,
    /// inputs: shortest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    min_duration: f64,
    /// inputs: longest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 1500.0)]
    max_duration: f64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Target {
    /// The tables of a corpus folder
    Csv,
    /// The tables of a corpus folder, as Parquet
    Parquet,
    /// Frames of events and areas, as pymovements has them
    Pymovements,
    /// What the network is told of each fixation, to train another one
    Inputs,
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let (corpus, notes) = corpus_or_default(Some(&args.corpus))?;
    for message in notes.messages() {
        eprintln!("note: {message}");
    }
    let limits = Limits::new(Millis(args.min_duration), Millis(args.max_duration))
        .map_err(|error| Usage(error.to_string()))?;
    let tables = |format| gazeprint_io::write_corpus_as(&corpus, &args.out, format, args.overwrite);
    let written = match args.to {
        Target::Csv => tables(TableFormat::Csv),
        Target::Parquet => tables(TableFormat::Parquet),
        Target::Pymovements => gazeprint_io::write_frames(&corpus, &args.out, args.overwrite),
        Target::Inputs => gazeprint_io::write_inputs(&corpus, limits, &args.out, args.overwrite),
    };
    written.map_err(explain)?;
    print(&format!(
        "{}: {}, {}, {}\n",
        args.out.display(),
        plural(corpus.readers().len(), "reader"),
        plural(corpus.texts().len(), "text"),
        plural(corpus.fixation_count(), "fixation"),
    ))
}
