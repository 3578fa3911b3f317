//! `gazeprint watch`: is it still this reader?

mod stream;

use std::path::PathBuf;

use gazeprint_recognition::{Decision, Step, Watch, WatchOptions, WatchState};

use self::stream::{Listener, Output};
use crate::exit::Exit;
use crate::inspect::{plural, visible};
use crate::opening::GalleryArgs;
use crate::probe::ReplayArgs;
use crate::words::{answers, warnings};

/// Watch somebody read, fixation by fixation, and say whether it is still a certain reader.
///
/// Fixations come as JSON lines on standard input, in the order they were made:
/// {"text": "s1", "line": 1, "x_char": 12.4, "duration_ms": 231}; "line" may be left out where a text
/// has one, and "gap": true says that signal was lost before. A text that --words does not have is
/// announced before it is read: {"text": "s9", "words": [{"line": 1, "char_start": 0, "char_end": 3},
/// ...]}. For every fixation a line goes out: {"fixations": 7, "seconds": 1.6, "llr": 2.3, "decision":
/// "go-on"}. The first decision rests on everything read so far (Wald's sequential test), later ones on
/// the last fixations (--window), which can also be the first to reject. Recordings that were there
/// before are rejected as replays; what was accepted is remembered.
///
/// A line that cannot be read is answered with {"error", "line"} and counts as a loss of signal; the
/// watch goes on, unless --strict. Ctrl-C, SIGTERM and the end of the input give a last verdict, which
/// is logged.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tracker | \\
      gazeprint watch --reader anna --gallery staff.gallery --words words.csv
  gazeprint watch --reader anna --gallery staff.gallery \\
      --words words.csv < fixations.jsonl

decision: go-on, accept, reject. llr: calibrated log-likelihood ratio (nats) of what the decision \
rests on. seconds: time spent in fixations. A fixation that does not count (see `inspect`) is \
answered with \"counted\": false. \"replay\": true says that what was read was there before; it is \
looked for when a text ends, before an accept, and at the end, where it is told in a line more.

Exit codes: 0 last decision was accept, 1 failed (also where the reader was removed), 2 wrong usage, \
3 reject, 4 none, 5 a replay, 6 locked, 7 damaged.")]
pub(crate) struct Args {
    /// Who it should be
    #[arg(long, value_name = "ID")]
    reader: String,
    #[command(flatten)]
    gallery: GalleryArgs,
    /// Table of the words of the texts that are read; others are announced in the stream
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// Wanted rate of false accepts
    #[arg(long, value_name = "RATE", default_value_t = 0.01)]
    fmr: f64,
    /// Wanted rate of false rejects
    #[arg(long, value_name = "RATE", default_value_t = 0.01)]
    fnmr: f64,
    /// Fixations that decisions are tested on again
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(10..=10_000))]
    window: u32,
    /// Answer after every text instead of every fixation
    #[arg(long)]
    by_text: bool,
    /// Stop at a line that cannot be read
    #[arg(long)]
    strict: bool,
    /// Print errors as JSON too; answers always are
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    replays: ReplayArgs,
    /// Watch at a rate of false accepts that too few people stand behind
    #[arg(long)]
    allow_unsupported: bool,
    /// Refuse what no person seems to have read, but a template run forward; looked at when a text ends
    #[arg(long)]
    liveness: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let texts = args.words.as_deref().map(gazeprint_io::read_texts).transpose()?;
    let desk = args.gallery.open()?;
    let options = WatchOptions {
        fmr: args.fmr,
        fnmr: args.fnmr,
        window: args.window as usize,
        allow_unsupported: args.allow_unsupported,
        replays: args.replays.into(),
        liveness: args.liveness,
    };
    let mut watch = desk.watch(&args.reader, &texts.unwrap_or_default(), &options)?;
    warnings::say(watch.warnings(), desk.location());
    let mut output = Output::new(args.by_text);
    let listened = Listener::new(args.strict)?.listen(&mut watch, &mut output);
    // Whatever came in is looked at, logged and remembered, also where it ends in something wrong.
    let was_known = watch.replay().is_some();
    let last = watch.end()?;
    listened?;
    output.end(last, last.replay && !was_known)?;
    say(&watch, last);
    Ok(match (last.step.decision, last.replay) {
        (Decision::Accept, _) => Exit::Done,
        (_, true) if !options.replays.allow => Exit::Replay,
        (Decision::Reject, _) => Exit::Refused,
        (Decision::GoOn, _) => Exit::Undecided,
    })
}

/// The last verdict, for people.
fn say(watch: &Watch, last: WatchState) {
    let Step { fixations, seconds, llr, decision } = last.step;
    let (id, name) = (watch.reader(), visible(watch.reader()));
    let replay = watch.replay().map(|replay| format!("; {}", answers::replay(replay, id)));
    let why = replay.or_else(|| watch.liveness().and_then(|found| answers::lifeless(&found)));
    eprintln!(
        "{}: {name} after {}, {seconds:.1} s, llr {llr:+.2} nats{}",
        decision.name(),
        plural(fixations, "fixation"),
        why.unwrap_or_default()
    );
}
