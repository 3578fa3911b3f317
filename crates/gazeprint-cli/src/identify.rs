//! `gazeprint identify`: who is reading?

use gazeprint_recognition::{CANDIDATES, IdentifyOptions};

use crate::exit::Exit;
use crate::opening::GalleryArgs;
use crate::probe::{AnswerArgs, ProbeArgs};
use crate::words::{answers, warnings};
use crate::{print, print_json};

/// Say who of a gallery reads in a recording, or that it is nobody known.
///
/// Readers are listed with what speaks for them, the best first. The answer is a name where, of people who
/// are not enrolled, no more than a chosen part is given one (--fpir). It is likely somebody where the best
/// has at least 0.95 of the posterior and would be named at a rate of 0.2; then it says how much more
/// reading a name takes, about. Else it is nobody known. Every answer is logged, and what was recognised is remembered:
/// nobody reads twice in the same way, so that the same recording is a replay when it comes again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint identify unknown --gallery staff.gallery
  gazeprint identify fixations.csv --words words.csv \\
      --gallery staff.gallery --top 3
  gazeprint identify unknown --gallery staff.gallery --fpir 0.05 --json
  gazeprint identify unknown --gallery staff.gallery --closed
  export-fixations | \\
      gazeprint identify - --words words.csv --gallery staff.gallery

llr: calibrated log-likelihood ratio (nats) that it is the reader; 0 says nothing.
posterior: given that it is one of them. types, amplitudes, durations: what moves, landings and \
times say against an average reader (nats, not calibrated).

Exit codes: 0 somebody known, 1 failed, 2 wrong usage, 3 nobody known, 4 likely somebody, 5 a replay, \
6 locked, 7 damaged.")]
pub(crate) struct Args {
    #[command(flatten)]
    probe: ProbeArgs,
    #[command(flatten)]
    gallery: GalleryArgs,
    /// Readers to list
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,
    /// Readers to score in full where a large gallery is searched
    #[arg(long, value_name = "N", default_value_t = CANDIDATES as u32,
          value_parser = clap::value_parser!(u32).range(1..))]
    candidates: u32,
    /// Part of people who are not enrolled that may be taken for somebody, 0.0001 to 0.2 [default: 0.01, or the
    /// lowest that people stand behind]
    #[arg(long, value_name = "RATE")]
    fpir: Option<f64>,
    /// It is one of the enrolled: think of nobody else, and name who has at least 0.95 of the posterior
    #[arg(long)]
    closed: bool,
    #[command(flatten)]
    answer: AnswerArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let desk = args.gallery.open()?;
    let options = IdentifyOptions {
        fpir: args.fpir,
        closed: args.closed,
        allow_unsupported: args.answer.allow_unsupported,
        top: args.top as usize,
        candidates: args.candidates as usize,
        replays: args.answer.replays.into(),
        liveness: args.answer.liveness,
    };
    let answer = desk.identify(&args.probe.read()?, &options)?;
    match (args.answer.decision_only, args.answer.json) {
        (true, true) => print_json(&answer.decision_only())?,
        (true, false) => print(&format!("{}\n", answer.decision_only().decision))?,
        (false, json) => {
            warnings::say(&answer.warnings, desk.location());
            if json { print_json(&answer) } else { print(&answers::identification(&answer)) }?;
        }
    }
    Ok(match () {
        () if answer.is_known() => Exit::Done,
        () if answer.likely.is_some() => Exit::Undecided,
        () if answer.replay.is_some() && !options.replays.allow => Exit::Replay,
        () => Exit::Refused,
    })
}
