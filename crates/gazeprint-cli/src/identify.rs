//! `gazeprint identify`: who is reading?

use std::fmt::Write;

use gazeprint::method::Evidence;
use gazeprint_eval::decision::Threshold;
use gazeprint_store::Event;
use serde::Serialize;

use crate::calibrate::least_rate;
use crate::opening::{GalleriesArgs, shards};
use crate::probe::{self, AnswerArgs, ProbeArgs, Replayed, Settling, Wanted};
use crate::{Refused, Usage, print};

/// Say who of a gallery reads in a recording, or that it is nobody known.
///
/// Readers are listed with what speaks for them, the best first. Where that is too little even for the
/// best, it is nobody known. The threshold is such that of people who are not enrolled, a chosen part
/// is taken for somebody (--fpir). Every answer is logged, and what was recognised is remembered:
/// nobody reads twice in the same way, so that the same recording is a replay when it comes again.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint identify unknown --gallery staff.gallery
  gazeprint identify fixations.csv --words words.csv --gallery staff.gallery --top 3
  gazeprint identify unknown --gallery staff.gallery --fpir 0.001 --json
  gazeprint identify unknown --gallery part1.gallery --gallery part2.gallery     shards of one

llr: calibrated log-likelihood ratio (nats) of the reader against the others; 0 says nothing.
posterior: given that it is one of them. types, amplitudes, durations: what moves, landings and
times say against an average reader (nats, not calibrated).

Exit codes: 0 somebody known, 1 failed, 2 wrong usage, 3 nobody known, or a replay.")]
pub(crate) struct Args {
    #[command(flatten)]
    probe: ProbeArgs,
    #[command(flatten)]
    gallery: GalleriesArgs,
    /// Readers to list
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,
    /// Readers to score in full where a large gallery is searched
    #[arg(long, value_name = "N", default_value_t = probe::CANDIDATES,
          value_parser = clap::value_parser!(u32).range(1..))]
    candidates: u32,
    /// Part of people who are not enrolled that may be taken for somebody, 0.0001 to 0.2
    #[arg(long, value_name = "RATE", default_value_t = 0.01)]
    fpir: f64,
    #[command(flatten)]
    answer: AnswerArgs,
}

#[derive(Serialize)]
struct Answer {
    /// A reader, or `unknown`.
    decision: String,
    fixations: usize,
    fpir: f64,
    threshold: f64,
    supported: bool,
    replay: Option<Replayed>,
    ranking: Vec<Ranked>,
}

#[derive(Serialize)]
struct Ranked {
    reader: String,
    score: f64,
    posterior: f64,
    ratio: f64,
    llr: f64,
    parts: Evidence,
}

/// A rate that thresholds are learned for.
pub(crate) fn check_rate(option: &str, rate: f64) -> anyhow::Result<()> {
    use gazeprint_eval::decision::GRID;
    let (most, least) = (GRID[0], GRID[GRID.len() - 1]);
    if (least..=most).contains(&rate) {
        return Ok(());
    }
    Err(Usage(format!("{option}: found {rate}, expected a rate from {least} to {most}")).into())
}

/// What to say of a rate that the gallery is too small for; `what` are the comparisons.
pub(crate) fn unsupported(rate: f64, threshold: Threshold, what: &str) -> Option<String> {
    let Threshold { comparisons, readers, supported, .. } = threshold;
    (!supported).then(|| {
        format!(
            "the gallery is too small to promise a rate of {rate}: it has {comparisons} {what} of \
             {readers} readers of such a length, which show rates down to {} at best (rule of three)",
            least_rate(comparisons)
        )
    })
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    check_rate("--fpir", args.fpir)?;
    let mut galleries = args.gallery.open()?;
    let mut galleries = shards(&mut galleries)?;
    let readings = probe::read(galleries.founding(), &args.probe)?;
    let wanted = Wanted::Best(args.top.max(args.candidates));
    let (comparing, compared) = probe::compare(&mut galleries, &readings, |_, _| Ok(wanted))?;
    let threshold = {
        let rate = comparing.rules.rate_among(args.fpir, comparing.readers.len() - 1);
        comparing.rules.for_stranger(rate, compared.fixations)
    };
    let order = comparing.ranking(&compared);
    let best = order[0];
    let id = &comparing.readers[best];
    // What is known of the best, and what will be, is where they are enrolled.
    let gallery = galleries.gallery(comparing.holders[best]);
    let (llr, fixations) = (compared.llrs[best], compared.fixations);
    let settling = Settling {
        id,
        enrolled: &probe::enrolled(gallery, id)?,
        own: &[],
        is_enough: threshold.is_reached(compared.ratios[best]),
        sketches: &probe::sketches(&readings),
        replays: args.answer.replays,
    };
    let (is_known, replay) = settling.settle(gallery, |is_known, replay| {
        let reader = is_known.then(|| id.clone());
        Event::Identified { reader, llr, fixations, replay }
    })?;
    let ranking = order.iter().take(args.top as usize).map(|&place| Ranked {
        reader: comparing.readers[place].clone(),
        score: compared.scores[place],
        posterior: compared.posterior[place],
        ratio: compared.ratios[place],
        llr: compared.llrs[place],
        parts: comparing.evidence(&compared, place),
    });
    let answer = Answer {
        decision: if is_known { id.clone() } else { "unknown".to_owned() },
        fixations,
        fpir: args.fpir,
        threshold: threshold.ratio,
        supported: threshold.supported,
        replay,
        ranking: ranking.collect(),
    };
    if let Some(warning) = unsupported(args.fpir, threshold, "probes") {
        eprintln!("warning: {warning}");
    }
    print(&if args.answer.json {
        format!("{}\n", serde_json::to_string_pretty(&answer)?)
    } else {
        table(&answer, readings.len())
    })?;
    if is_known { Ok(()) } else { Err(Refused.into()) }
}

fn table(answer: &Answer, readings: usize) -> String {
    let mut text = String::new();
    let best = &answer.ranking[0];
    let decision = match (&answer.replay, answer.decision.as_str()) {
        (Some(replay), "unknown") => format!("unknown: {}", replay.describe(&best.reader)),
        (None, "unknown") => "unknown".to_owned(),
        (_, reader) => reader.to_owned(),
    };
    _ = writeln!(
        text,
        "{decision}\n\nfrom {} in {}; ratio {:.2}, threshold {:.2} for a false-alarm rate of {}\n",
        crate::inspect::plural(answer.fixations, "fixation"),
        crate::inspect::plural(readings, "reading"),
        best.ratio,
        answer.threshold,
        answer.fpir
    );
    let width = answer.ranking.iter().map(|r| r.reader.chars().count()).max().unwrap_or(0).max(6);
    _ = writeln!(
        text,
        "rank  {:<width$}  {:>9}  {:>8}  {:>12}  {:>8}  {:>10}  {:>9}",
        "reader", "posterior", "llr", "score", "types", "amplitudes", "durations"
    );
    for (rank, r) in answer.ranking.iter().enumerate() {
        let Evidence { types, amplitudes, durations } = r.parts;
        _ = writeln!(
            text,
            "{:>4}  {:<width$}  {:>9.4}  {:>+8.2}  {:>12.2}  {types:>+8.2}  {amplitudes:>+10.2}  \
             {durations:>+9.2}",
            rank + 1,
            r.reader,
            r.posterior,
            r.llr,
            r.score,
        );
    }
    text
}
