//! `gazeprint population`: what readers of a corpus have in common, as a file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::bail;
use gazeprint::corpus::{Limits, Millis};
use gazeprint::method::People;
use gazeprint::saccade::{Reading, readings_of_words};
use gazeprint_io::{PopulationFile, Provenance};
use gazeprint_recognition::learn_population;

use crate::inspect::{plural, population_json};
use crate::progress::Progress;
use crate::{CorpusArg, Usage, explain, print, words};

/// Fewest readers: one alone does not tell how readers differ.
const MIN_READERS: usize = 2;
/// Under this many, averages and covariances come close to single readers.
const FEW_READERS: usize = 20;

/// Learn what readers have in common and how they differ, and write it to a file.
///
/// A new reader can then be enrolled without the recordings of the others. The file holds no names
/// and no readings. The same corpus gives the same file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint population my-corpus --out people.json
  gazeprint inspect people.json                        what was learned
  gazeprint population provo --out provo.json          from a built-in corpus
  gazeprint population my-corpus --out people.json --overwrite --json

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.")]
pub(crate) struct Args {
    /// Corpus folder, or a built-in corpus: provo, simulated [default: provo]
    corpus: Option<CorpusArg>,
    /// File to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace a file that is there already
    #[arg(long)]
    overwrite: bool,
    /// Shortest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 50.0)]
    min_duration: f64,
    /// Longest duration of a fixation that counts, ms
    #[arg(long, value_name = "MS", default_value_t = 1500.0)]
    max_duration: f64,
    /// Print what was learned as JSON, as `inspect FILE --json` does
    #[arg(long)]
    json: bool,
    /// Threads [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let limits = Limits::new(Millis(args.min_duration), Millis(args.max_duration))
        .map_err(|error| Usage(error.to_string()))?;
    // Whatever can be known to fail is made to fail before the computing starts.
    gazeprint_io::check_population_path(&args.out, args.overwrite).map_err(explain)?;
    let progress = Progress::new()?;
    let corpus = args.corpus.clone().unwrap_or_default().read()?;
    let (readings, _) = readings_of_words(&corpus, limits);
    let distinct =
        |of: fn(&Reading) -> usize| readings.iter().map(of).collect::<HashSet<_>>().len();
    let readers = distinct(|r| r.reader);
    if readers < MIN_READERS {
        bail!(
            "{}: found {} with fixations that count, expected at least {MIN_READERS}: one alone \
             does not tell how readers differ; `gazeprint inspect` tells what was dropped",
            corpus.name(),
            plural(readers, "reader")
        );
    }
    let provenance = Provenance {
        gazeprint: env!("CARGO_PKG_VERSION").to_owned(),
        readers,
        texts: distinct(|r| r.text),
        fixations: readings.iter().map(|r| r.events.len()).sum(),
        durations_ms: [args.min_duration, args.max_duration],
        corpus_sha256: gazeprint_eval::fingerprint(&corpus),
    };
    if readers < FEW_READERS {
        words::note(&format!(
            "learned from {} alone, the file says much about each of them: treat it like \
             their recordings",
            plural(readers, "reader")
        ));
    }
    let population = learn_population(
        corpus.readers().len(),
        &readings,
        People::shipped().day_shares(),
        &progress,
    )?;
    progress.clear();
    let stored = PopulationFile { provenance, population };
    gazeprint_io::write_population(&stored, &args.out, args.overwrite).map_err(explain)?;
    print(&if args.json { population_json(&stored)? } else { summary(&stored, &args.out) })
}

fn summary(stored: &PopulationFile, file: &Path) -> String {
    let p = &stored.provenance;
    format!(
        "{}: learned from {}, {}, {}\nlook at it: gazeprint inspect {0}\n",
        file.display(),
        plural(p.readers, "reader"),
        plural(p.texts, "text"),
        plural(p.fixations, "fixation"),
    )
}
