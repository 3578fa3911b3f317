//! `gazeprint inspect`: what is in a corpus, and what looks wrong with it; what is in a population.

mod population;
mod summary;
mod without_words;
mod words;

use std::path::{Path, PathBuf};

use gazeprint::corpus::{Limits, Millis};
use gazeprint_eval::summary::Summary;
use gazeprint_io::PopulationError;
use gazeprint_io::import::WithoutWords;

pub(crate) use self::population::json as population_json;
pub(crate) use self::words::{plural, spoken, visible, wrapped};
use crate::{Usage, corpus_or_default, print};

/// Show what is in a corpus, and what looks wrong with it; or what is in a population.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint inspect                 the built-in simulated corpus
  gazeprint inspect my-corpus
  gazeprint inspect my-corpus --json
  gazeprint inspect people.json     what `gazeprint population` learned")]
pub(crate) struct Args {
    /// Corpus folder, or file of a population [default: the built-in simulated corpus]
    #[arg(value_name = "CORPUS|POPULATION")]
    corpus: Option<PathBuf>,
    /// Shortest duration of a fixation that counts, ms [default: 50]
    #[arg(long, value_name = "MS")]
    min_duration: Option<f64>,
    /// Longest duration of a fixation that counts, ms [default: 1500]
    #[arg(long, value_name = "MS")]
    max_duration: Option<f64>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What is printed as JSON.
#[derive(serde::Serialize)]
struct Inspection<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    notes: &'a [String],
}

impl Args {
    /// Shortest and longest duration of a fixation that counts, ms.
    fn limits(&self) -> [f64; 2] {
        [self.min_duration.unwrap_or(50.0), self.max_duration.unwrap_or(1500.0)]
    }
}

/// A corpus is a folder, so any file is taken for a population.
fn inspect_population(file: &Path, args: &Args) -> anyhow::Result<()> {
    let limits = [("--min-duration", args.min_duration), ("--max-duration", args.max_duration)];
    if let Some((option, _)) = limits.iter().find(|(_, limit)| limit.is_some()) {
        let why = "its fixations were chosen when it was learned";
        return Err(Usage(format!("{option} does nothing with a population: {why}")).into());
    }
    let stored = gazeprint_io::read_population(file).map_err(|error| match error {
        error @ PopulationError::NotAPopulation { .. } => {
            anyhow::anyhow!("{error}, or the folder of a corpus")
        }
        error => error.into(),
    })?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    print(&if args.json { population_json(&stored)? } else { population::table(&name, &stored)? })
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(file) = args.corpus.as_deref().filter(|path| path.is_file()) {
        return inspect_population(file, &args);
    }
    if let Some(folder) = &args.corpus
        && !gazeprint_io::has_pages_without_words(folder)
        && let Ok(Some(recording)) = WithoutWords::read(folder)
    {
        return print(&without_words::described(folder, &recording, args.json)?);
    }
    let [shortest, longest] = args.limits();
    let limits =
        Limits::new(Millis(shortest), Millis(longest)).map_err(|error| Usage(error.to_string()))?;
    let (corpus, notes) = corpus_or_default(args.corpus.as_deref())?;
    let summary = Summary::of(&corpus, limits);
    let mut messages = notes.messages();
    if notes.in_row_order && summary.has_odd_rates() {
        messages.push(
            "rates are odd and there is no fix_index; are rows in the order of reading?".to_owned(),
        );
    }
    let text = if args.json {
        serde_json::to_string_pretty(&Inspection { summary: &summary, notes: &messages })? + "\n"
    } else {
        summary::table(&summary, args.limits(), &messages)?
    };
    print(&text)
}
