//! `gazeprint verify`: is it really this reader?

use gazeprint_store::{Event, Gallery, Shards};
use serde::Serialize;

use crate::enroll::unknown_reader;
use crate::identify::{check_rate, unsupported};
use crate::opening::GalleryArgs;
use crate::probe::{self, AnswerArgs, Comparing, ProbeArgs, Replayed, Settling, Wanted};
use crate::{Refused, print};

/// Accept or reject the claim that a recording is of a certain reader.
///
/// The threshold is such that of the claims of people who are not enrolled, a chosen part is accepted
/// (--fmr). It is learned from the gallery, by the number of fixations. Every answer is logged, and
/// what was accepted is remembered: nobody reads twice in the same way, so that the same recording is
/// a replay when it comes again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint verify probe --reader anna --gallery staff.gallery
  gazeprint verify fixations.csv --words words.csv --reader anna --gallery staff.gallery --fmr 0.001
  gazeprint verify probe --reader anna --gallery staff.gallery --json

llr: calibrated log-likelihood ratio (nats) of the claim; 0 says nothing.

Exit codes: 0 accepted, 1 failed, 2 wrong usage, 3 rejected, or a replay.")]
pub(crate) struct Args {
    #[command(flatten)]
    probe: ProbeArgs,
    /// Who it is said to be
    #[arg(long, value_name = "ID")]
    reader: String,
    #[command(flatten)]
    gallery: GalleryArgs,
    /// Part of false claims that may be accepted, 0.0001 to 0.2
    #[arg(long, value_name = "RATE", default_value_t = 0.01)]
    fmr: f64,
    #[command(flatten)]
    answer: AnswerArgs,
}

#[derive(Serialize)]
struct Answer<'a> {
    decision: &'static str,
    reader: &'a str,
    llr: f64,
    ratio: f64,
    threshold: f64,
    fmr: f64,
    supported: bool,
    comparisons: usize,
    readers: usize,
    fixations: usize,
    replay: Option<Replayed>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    check_rate("--fmr", args.fmr)?;
    let mut gallery = args.gallery.open()?;
    let readings = probe::read(gallery.founding(), &args.probe)?;
    let place_in = |comparing: &Comparing, gallery: &Gallery| {
        let place = comparing.place_of(gallery, &args.reader);
        place.ok_or_else(|| unknown_reader(gallery, &comparing.readers, &args.reader))
    };
    let (comparing, compared) =
        probe::compare(&mut Shards::from(&mut gallery), &readings, |comparing, galleries| {
            Ok(Wanted::One(place_in(comparing, galleries.gallery(0))?))
        })?;
    let place = place_in(&comparing, &gallery)?;
    let id = &comparing.readers[place];
    let threshold = comparing.rules.for_claim(args.fmr, compared.fixations);
    let (llr, fixations) = (compared.llrs[place], compared.fixations);
    let settling = Settling {
        id,
        enrolled: &probe::enrolled(&mut gallery, id)?,
        own: &[],
        is_enough: threshold.is_reached(compared.ratios[place]),
        sketches: &probe::sketches(&readings),
        replays: args.answer.replays,
    };
    let (accepted, replay) = settling.settle(&mut gallery, |accepted, replay| Event::Verified {
        reader: id.clone(),
        accepted,
        llr,
        fixations,
        replay,
    })?;
    let answer = Answer {
        decision: if accepted { "accepted" } else { "rejected" },
        reader: id,
        llr,
        ratio: compared.ratios[place],
        threshold: threshold.ratio,
        fmr: args.fmr,
        supported: threshold.supported,
        comparisons: threshold.comparisons,
        readers: threshold.readers,
        fixations,
        replay,
    };
    if let Some(warning) = unsupported(args.fmr, threshold, "false claims") {
        eprintln!("warning: {warning}");
    }
    if args.answer.json {
        print(&format!("{}\n", serde_json::to_string_pretty(&answer)?))?;
    } else {
        let why = match &answer.replay {
            Some(replay) => format!("; {}", replay.describe(id)),
            None => String::new(),
        };
        print(&format!(
            "{}: {id}{why}\nllr {:+.2} nats from {}; ratio {:.2}, threshold {:.2} for a false match \
             rate of {}\n",
            answer.decision,
            answer.llr,
            crate::inspect::plural(answer.fixations, "fixation"),
            answer.ratio,
            answer.threshold,
            answer.fmr
        ))?;
    }
    if accepted { Ok(()) } else { Err(Refused.into()) }
}
