//! `gazeprint enroll`: readers into a gallery.

use std::path::PathBuf;
use std::str::FromStr;

use gazeprint_recognition::{EnrollOptions, Error, FoundingOptions, Recognizer, Shard, Warning};

use crate::opening::{Asking, GalleryArgs};
use crate::progress::Progress;
use crate::words::{answers, warnings};
use crate::{CorpusArg, print, print_json};

/// Learn readers from their recordings and add them to a gallery.
///
/// The first time, the gallery is made: what readers have in common is learned from the corpus, or
/// taken from the people that are given, and stays as it is. Readers that are there already get the new recordings on top: in two
/// steps or at once makes no difference. Readers with too little reading are skipped and named. What
/// was reported as enrolled is on the disk. Last, the thresholds of decisions are learned, anew where the
/// gallery has grown by half since. After an interruption, the same command goes on where it was.
///
/// Several machines can share the work (--shard): each enrols a part of the readers into a gallery of
/// its own. `gazeprint gallery merge` makes one gallery of these, the same as if it had been enrolled
/// at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint enroll my-corpus --gallery staff.gallery
  gazeprint enroll newcomer --gallery staff.gallery  one more reader
  gazeprint enroll newcomer --gallery own.gallery --people my.people
  gazeprint gallery key secret.key
  gazeprint enroll my-corpus --gallery staff.gallery \\
      --key-file secret.key --pseudonyms
  # with --features postgres
  gazeprint enroll my-corpus --gallery postgres://localhost/lab
  gazeprint enroll my-corpus --gallery part2.gallery \\
      --people my.people --shard 2/3

Exit codes: 0 done (also where readers were skipped), 1 failed, 2 wrong usage, 6 locked, 7 damaged, \
130 interrupted (what was reported is enrolled).")]
pub(crate) struct Args {
    /// Corpus folder, or a built-in corpus: provo, simulated [default: provo]
    corpus: Option<CorpusArg>,
    #[command(flatten)]
    gallery: GalleryArgs,
    /// The method
    #[arg(long, default_value = "fusion", value_parser = ["fusion"])]
    method: String,
    /// People to make the gallery with (see `gazeprint people`) [default: those that ship]
    #[arg(long, value_name = "FILE", alias = "population")]
    people: Option<PathBuf>,
    /// Enrol a part of the readers: of all in the corpus, the I-th and every N-th after it
    #[arg(long, value_name = "I/N")]
    shard: Option<ShardArg>,
    /// Start readers anew that are enrolled already
    #[arg(long)]
    replace: bool,
    /// Enrol nobody where somebody read too little
    #[arg(long)]
    strict: bool,
    /// Add recordings to a reader also where they read like somebody else's
    #[arg(long, conflicts_with = "replace")]
    force: bool,
    /// Make a gallery that keeps readers under pseudonyms
    #[arg(long)]
    pseudonyms: bool,
    /// Shortest duration of a fixation that counts, ms, in a new gallery [default: 50, or that of
    /// the population]
    #[arg(long, value_name = "MS")]
    min_duration: Option<f64>,
    /// Longest duration of a fixation that counts, ms, in a new gallery [default: 1500, or that of
    /// the population]
    #[arg(long, value_name = "MS")]
    max_duration: Option<f64>,
    /// Print what was enrolled as JSON
    #[arg(long)]
    json: bool,
    /// Threads [default: one per core]; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
}

/// A part of the readers of a corpus, as it is written.
#[derive(Debug, Clone, Copy)]
struct ShardArg(Shard);

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').map(|(number, of)| (number.parse(), of.parse()));
        match numbers {
            Some((Ok(number), Ok(of))) if (1..=of).contains(&number) => {
                Ok(Self(Shard { number, of }))
            }
            _ => Err(format!("found {text:?}, expected I/N with I from 1 to N, such as 2/3")),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some(threads) = args.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    let progress = Progress::new()?;
    if !args.json {
        progress.tell_readers();
    }
    let corpus = args.corpus.clone().unwrap_or_default().read()?;
    let people = args.people.as_deref().map(gazeprint_io::read_people).transpose()?;
    let founding = FoundingOptions {
        people,
        shortest_ms: args.min_duration,
        longest_ms: args.max_duration,
        pseudonyms: args.pseudonyms,
    };
    let shard = args.shard.map(|ShardArg(shard)| shard);
    let options =
        EnrollOptions { replace: args.replace, shard, strict: args.strict, only_same: !args.force };
    let at = args.gallery.location();
    let asking = match Recognizer::exists(&at)? {
        true => Asking::Once,
        false => {
            args.gallery.check_may_make()?;
            Asking::Twice
        }
    };
    let secret = args.gallery.secret(asking)?;
    let (desk, said) =
        Recognizer::open_or_create(&at, secret.as_ref(), &founding, &corpus, &options, &progress)?;
    args.gallery.hold_against_anchor(&desk)?;
    warnings::say(&said, &at);
    let enrolled = desk.enroll(&corpus, &options, &progress);
    if let Err(Error::AllEnrolled { readers, .. }) = &enrolled {
        let there = |reader: &String| Warning::AlreadyEnrolled { reader: reader.clone() };
        warnings::say(&readers.iter().map(there).collect::<Vec<_>>(), &at);
    }
    let enrolled = enrolled?;
    progress.clear();
    warnings::say(&enrolled.warnings, &at);
    if args.json {
        return print_json(&enrolled);
    }
    let rest = match (&enrolled.standing, shard) {
        (Some(standing), _) => answers::standing(&at, standing),
        // Thresholds are learned from all readers, which are not here.
        (None, shard) => format!(
            "{at}: {}{}; once all shards are enrolled, make one gallery of them (`gazeprint gallery \
             merge`)\n",
            crate::inspect::plural(desk.list()?.len(), "reader"),
            shard.map_or_else(String::new, |Shard { number, of }| format!(", shard {number}/{of}"))
        ),
    };
    print(&format!("{}{rest}", answers::skipped(&enrolled.skipped)))
}
