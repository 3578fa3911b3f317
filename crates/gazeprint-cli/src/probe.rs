//! What `identify` and `verify` share: the recording in question, and how the answer is given.

use std::path::{Path, PathBuf};

use gazeprint::corpus::Corpus;
use gazeprint_io::Notes;
use gazeprint_recognition::ReplayPolicy;

use crate::{CorpusArg, Usage, words};

/// Stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The recording in question.
#[derive(Debug, clap::Args)]
pub(crate) struct ProbeArgs {
    /// Corpus folder, a built-in corpus, or a table of fixations (with --words); `-` reads the table from
    /// standard input
    probe: PathBuf,
    /// Table of words, where the probe is a single file
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
}

/// How an answer is given.
#[derive(Debug, clap::Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) replays: ReplayArgs,
    /// Answer at a rate that too few people stand behind; the answer says so
    #[arg(long)]
    pub(crate) allow_unsupported: bool,
    /// Refuse what no person seems to have read, but a template run forward; takes seconds to learn from
    /// the gallery, and refuses about one in a hundred probes of people
    #[arg(long)]
    pub(crate) liveness: bool,
    /// Say the decision alone, without scores, ratios and thresholds: whoever may ask again and again
    /// learns nothing about how near they came
    #[arg(long)]
    pub(crate) decision_only: bool,
    /// Print the answer as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What to do with recordings that were there before, and will be.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ReplayArgs {
    /// Take recordings that were there before for new ones
    #[arg(long)]
    allow_replay: bool,
    /// Do not remember this probe; it is logged all the same
    #[arg(long)]
    forget: bool,
}

impl From<ReplayArgs> for ReplayPolicy {
    fn from(args: ReplayArgs) -> Self {
        Self { allow: args.allow_replay, forget: args.forget }
    }
}

impl ProbeArgs {
    /// Reads the recording.
    pub(crate) fn read(&self) -> anyhow::Result<Corpus> {
        let is_input = self.probe == Path::new(STANDARD_INPUT);
        let (corpus, notes) = match &self.words {
            Some(words) if is_input => {
                gazeprint_io::read_probe_from(std::io::stdin(), "standard input", words)?
            }
            None if is_input || self.probe.is_file() => {
                let what =
                    if is_input { "standard input".into() } else { self.probe.to_string_lossy() };
                return Err(Usage(format!(
                    "{what} is a file; give the places of its words with --words FILE, or a corpus \
                     folder"
                ))
                .into());
            }
            Some(words) => gazeprint_io::read_probe(&self.probe, Some(words))?,
            None => match CorpusArg::from(self.probe.clone().into_os_string()) {
                CorpusArg::BuiltIn(corpus) => (corpus.corpus(), Notes::default()),
                CorpusArg::Folder(folder) => {
                    crate::refuse_without_words(&folder)?;
                    gazeprint_io::read_probe(&folder, None)?
                }
            },
        };
        notes.messages().iter().for_each(|message| words::note(message));
        Ok(corpus)
    }
}
