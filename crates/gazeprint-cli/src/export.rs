//! `gazeprint export`: a corpus for other tools.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use gazeprint::corpus::{Limits, Millis};
use gazeprint_io::{FRAMES, Origin, SACCADES, TableFormat, WriteError};

use crate::inspect::{cited, plural};
use crate::{CorpusArg, Tables, Usage, explain, print, words};

/// Write a corpus in a form that other tools read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint export my-corpus --to csv --out tables
  gazeprint export my-corpus --to parquet --out columns
  gazeprint export my-corpus --to pymovements --out frames
  gazeprint export provo --to csv --out provo-tables  a built-in corpus
  gazeprint export my-corpus --to saccades --out saccades
  gazeprint import frames/events.csv --words frames/aois.csv --out again

csv: fixations.csv, words.csv and, where orders or groups are known, trials.csv.
parquet: the same tables with types, packed; in builds with --features columnar.
pymovements: events.csv (name, onset, offset, duration, location_x, location_y)
and aois.csv (start_x, end_x, start_y, end_y); places are in characters and
lines.
saccades: saccades.csv, a row for each fixation as the models see it: type,
amplitude and the interval that words confine it to, launch, landing, the words
around; or why it does not count.
inputs: NAME.safetensors, for training/train.py of the repository.
With recordings that are built in go README.md, whom to cite and what was
changed, and LICENSE.")]
pub(crate) struct Args {
    /// Corpus folder, or a built-in corpus: provo, simulated
    corpus: CorpusArg,
    /// What to write
    #[arg(long, value_enum)]
    to: Target,
    /// Folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace files that are there already
    #[arg(long)]
    overwrite: bool,
    /// saccades: how the table is written [default: csv]
    #[arg(long, value_enum)]
    format: Option<Tables>,
    /// saccades, inputs: shortest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    min_duration: f64,
    /// saccades, inputs: longest duration of a fixation that counts, ms
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
    /// A row for each fixation, as the models see it
    Saccades,
    /// What the network is told of each fixation, to train another one
    Inputs,
}

impl Target {
    /// Checks that it could be written, before the corpus is read.
    fn check(
        self,
        corpus: &CorpusArg,
        out: &Path,
        format: TableFormat,
        overwrite: bool,
    ) -> Result<(), WriteError> {
        let tables: &[&str] = match self {
            Self::Csv | Self::Parquet => {
                // Columns that a corpus does not know would be lost.
                gazeprint_io::import::check_out(out, overwrite, corpus.folder())?;
                &[]
            }
            Self::Pymovements => &FRAMES,
            Self::Saccades => &[SACCADES],
            // Its name is that of the corpus.
            Self::Inputs => &[],
        };
        gazeprint_io::check_tables(out, tables.iter().copied(), format, overwrite)
    }
}

/// Files that go with recordings that others made, as far as they are not there already.
fn terms(corpus: &str, origin: &Origin, out: &Path) -> Vec<(String, Vec<u8>)> {
    let version = env!("CARGO_PKG_VERSION");
    let readme = format!(
        "# {corpus}\n\nMade of the recordings that are built into gazeprint {version}. The text of their \
         licence is in LICENSE.\n\n{}",
        cited(origin)
    );
    let files = [("README.md", readme), ("LICENSE", origin.licence_text.to_owned())]
        .map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let is_new = |(name, text): &(String, Vec<u8>)| {
        fs::read(out.join(name)).map_or(true, |there| there != *text)
    };
    files.into_iter().filter(is_new).collect()
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if args.format.is_some() && !matches!(args.to, Target::Saccades) {
        let why = "what is asked for with --to has a format of its own";
        return Err(Usage(format!("--format is of --to saccades; {why}")).into());
    }
    let format = match args.to {
        Target::Parquet => TableFormat::Parquet,
        _ => args.format.unwrap_or(Tables::Csv).into(),
    };
    let limits = Limits::new(Millis(args.min_duration), Millis(args.max_duration))
        .map_err(|error| Usage(error.to_string()))?;
    args.to.check(&args.corpus, &args.out, format, args.overwrite).map_err(explain)?;
    let corpus = args.corpus.read()?;
    let terms = args.corpus.origin().map_or_else(Vec::new, |origin| {
        words::note(&format!(
            "{} is under {}: name its authors where you pass it on, as README.md does",
            corpus.name(),
            origin.licence
        ));
        terms(corpus.name(), &origin, &args.out)
    });
    let names = terms.iter().map(|(name, _)| name.as_str());
    gazeprint_io::check_files(&args.out, names, args.overwrite).map_err(explain)?;
    let written = match args.to {
        Target::Csv | Target::Parquet => {
            gazeprint_io::write_corpus_as(&corpus, &args.out, format, args.overwrite)
        }
        Target::Pymovements => gazeprint_io::write_frames(&corpus, &args.out, args.overwrite),
        Target::Saccades => {
            gazeprint_io::write_saccades(&corpus, limits, &args.out, format, args.overwrite)
        }
        Target::Inputs => gazeprint_io::write_inputs(&corpus, limits, &args.out, args.overwrite),
    };
    written.map_err(explain)?;
    gazeprint_io::put_files(&args.out, &terms, &[], args.overwrite).map_err(explain)?;
    print(&format!(
        "{}: {}, {}, {}\n",
        args.out.display(),
        plural(corpus.readers().len(), "reader"),
        plural(corpus.texts().len(), "text"),
        plural(corpus.fixation_count(), "fixation"),
    ))
}
