//! `gazeprint verify`: is it really this reader?

use gazeprint_recognition::{Verdict, VerifyOptions};

use crate::exit::Exit;
use crate::opening::GalleryArgs;
use crate::probe::{AnswerArgs, ProbeArgs};
use crate::words::{answers, warnings};
use crate::{print, print_json};

/// Accept or reject the claim that a recording is of a certain reader.
///
/// The threshold is such that of the claims of people who are not enrolled, a chosen part is accepted
/// (--fmr). A claim that would be accepted at a rate of 0.2 is undecided: read on. Thresholds come, by the
/// number of fixations, from the people that the gallery was made with or, for pages without words, from its own readers. Every answer is logged, and
/// what was accepted is remembered: nobody reads twice in the same way, so that the same recording is
/// a replay when it comes again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint verify probe --reader anna --gallery staff.gallery
  gazeprint verify fixations.csv --words words.csv --reader anna \\
      --gallery staff.gallery --fmr 0.001
  gazeprint verify probe --reader anna --gallery staff.gallery --json

llr: calibrated log-likelihood ratio (nats) of the claim; 0 says nothing.

Exit codes: 0 accepted, 1 failed, 2 wrong usage, 3 rejected, 4 undecided, 5 a replay, 6 locked, \
7 damaged.")]
pub(crate) struct Args {
    #[command(flatten)]
    probe: ProbeArgs,
    /// Who it is said to be
    #[arg(long, value_name = "ID")]
    reader: String,
    #[command(flatten)]
    gallery: GalleryArgs,
    /// Part of false claims that may be accepted, 0.0001 to 0.2 [default: 0.01, or the lowest that people stand
    /// behind]
    #[arg(long, value_name = "RATE")]
    fmr: Option<f64>,
    #[command(flatten)]
    answer: AnswerArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let desk = args.gallery.open()?;
    let options = VerifyOptions {
        fmr: args.fmr,
        allow_unsupported: args.answer.allow_unsupported,
        replays: args.answer.replays.into(),
        liveness: args.answer.liveness,
    };
    let answer = desk.verify(&args.probe.read()?, &args.reader, &options)?;
    match (args.answer.decision_only, args.answer.json) {
        (true, true) => print_json(&answer.decision_only())?,
        (true, false) => print(&format!("{}\n", answer.decision_only().decision))?,
        (false, json) => {
            warnings::say(&answer.warnings, desk.location());
            if json { print_json(&answer) } else { print(&answers::verification(&answer)) }?;
        }
    }
    Ok(match answer.decision {
        Verdict::Accepted => Exit::Done,
        Verdict::Undecided => Exit::Undecided,
        Verdict::Rejected if answer.replay.is_some() && !options.replays.allow => Exit::Replay,
        Verdict::Rejected => Exit::Refused,
    })
}
