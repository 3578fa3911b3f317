//! `gazeprint simulate`: a made-up corpus as a folder of tables.

use std::path::PathBuf;

use gazeprint::simulate::SimulationParams;

use crate::inspect::plural;
use crate::{Usage, explain, print, words};

/// The corpus `simulated`, which the defaults of the arguments make.
const BUILT_IN: SimulationParams = SimulationParams::built_in();

/// Simulate people who read, and write the corpus to a folder.
///
/// The same arguments make the same corpus. Reader r007 is the same however many readers there
/// are.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint simulate --out demo  251 readers, 144 sentences
  # people change between sessions
  gazeprint simulate --sessions 2 --drift 0.3 --out two
  # running text of four lines
  gazeprint simulate --lines 4 --texts 40 --out pages")]
pub(crate) struct Args {
    /// Number of readers, 1 to 9999
    #[arg(long, value_name = "N", default_value_t = BUILT_IN.readers)]
    readers: usize,
    /// Number of texts, 1 to 9999; everyone reads about 70 to 100 % of them
    #[arg(long, value_name = "N", default_value_t = BUILT_IN.texts)]
    texts: usize,
    /// Number of sessions, 1 to the number of texts, each with its own part of the texts
    #[arg(long, value_name = "K", default_value_t = BUILT_IN.sessions)]
    sessions: usize,
    /// How far people change from session to session, in between-person standard deviations, 0 to 2
    #[arg(long, value_name = "X", default_value_t = BUILT_IN.drift)]
    drift: f64,
    /// Lines of each text, 1 to 9999
    #[arg(long, value_name = "N", default_value_t = BUILT_IN.lines)]
    lines: usize,
    /// How much people differ, 0 to 2: 0 not at all, 1 as in the corpus simulated
    #[arg(long, value_name = "X", default_value_t = BUILT_IN.individuality)]
    individuality: f64,
    /// Seed of all randomness, a whole number from 0
    #[arg(long, value_name = "S", default_value_t = BUILT_IN.seed)]
    seed: u64,
    /// Folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace a corpus that is there already
    #[arg(long)]
    overwrite: bool,
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let simulation = SimulationParams {
        readers: args.readers,
        texts: args.texts,
        sessions: args.sessions,
        drift: args.drift,
        lines: args.lines,
        individuality: args.individuality,
        seed: args.seed,
        ..BUILT_IN
    }
    .build()
    .map_err(|error| Usage(error.to_string()))?;
    if args.sessions == 1 && args.drift > 0.0 {
        words::note("--drift has no effect in one session; ask for more with --sessions");
    }
    let corpus = simulation.run();
    gazeprint_io::write_corpus(&corpus, &args.out, args.overwrite).map_err(explain)?;
    print(&format!(
        "{}: {}, {}, {}\n",
        args.out.display(),
        plural(corpus.readers().len(), "reader"),
        plural(corpus.texts().len(), "text"),
        plural(corpus.fixation_count(), "fixation"),
    ))
}
