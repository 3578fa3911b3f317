//! `gazeprint watch`: is it still this reader?

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use gazeprint::corpus::{Chars, Corpus, Fixation, Limits, Millis, Scanpath, Text};
use gazeprint::gallery::Gallery as _;
use gazeprint::saccade::{Reading, readings};
use gazeprint_eval::decision::Rules;
use gazeprint_eval::watch::{Decision, Step, WatchParams, Watcher};
use gazeprint_store::Event;
use serde::{Deserialize, Serialize};

use crate::enroll::{limits_of, unknown_reader};
use crate::inspect::plural;
use crate::opening::GalleryArgs;
use crate::probe::Comparing;
use crate::{Refused, Usage};

/// Watch somebody read, fixation by fixation, and say whether it is still a certain reader.
///
/// Fixations come as JSON lines on standard input, in the order they were made:
/// {"text": "s1", "line": 1, "x_char": 12.4, "duration_ms": 231}; "line" may be left out where a text
/// has one, and "gap": true says that signal was lost before. For every one a line goes out:
/// {"fixations": 7, "seconds": 1.6, "llr": 2.3, "decision": "go-on"}. The first decision rests on
/// everything read so far (Wald's sequential test), later ones on the last fixations (--window).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tracker | gazeprint watch --reader anna --gallery staff.gallery --words words.csv
  gazeprint watch --reader anna --gallery staff.gallery --words words.csv < fixations.jsonl

decision: go-on, accept, reject. llr: calibrated log-likelihood ratio (nats) of what the decision
rests on. seconds: time spent in fixations. A fixation that does not count (see `inspect`) is
answered with \"counted\": false.

Exit codes: 0 last decision was accept, 1 failed, 2 wrong usage, 3 reject or none.")]
pub(crate) struct Args {
    /// Who it should be
    #[arg(long, value_name = "ID")]
    reader: String,
    #[command(flatten)]
    gallery: GalleryArgs,
    /// Table of the words of the texts that are read
    #[arg(long, value_name = "FILE")]
    words: PathBuf,
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
}

/// A fixation as it comes in.
#[derive(Deserialize)]
struct Incoming {
    text: String,
    line: Option<i32>,
    x_char: Option<f64>,
    duration_ms: Option<f64>,
    #[serde(default)]
    gap: bool,
}

#[derive(Serialize)]
struct Outgoing {
    #[serde(flatten)]
    step: Step,
    #[serde(skip_serializing_if = "is_true")]
    counted: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_true(counted: &bool) -> bool {
    *counted
}

/// The text being read, with what was made of it.
struct Current {
    text: Text,
    fixations: Vec<Fixation>,
    /// Scores of what counted so far.
    scores: Vec<f64>,
    counted: usize,
}

fn check(option: &str, rate: f64) -> anyhow::Result<()> {
    match rate > 0.0 && rate < 0.5 {
        true => Ok(()),
        false => {
            Err(Usage(format!("{option}: found {rate}, expected a rate between 0 and 0.5")).into())
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    check("--fmr", args.fmr)?;
    check("--fnmr", args.fnmr)?;
    let texts = gazeprint_io::read_texts(&args.words)?;
    let mut gallery = args.gallery.open()?;
    let limits = limits_of(gallery.founding())?;
    let comparing = Comparing::load(&mut gallery)?;
    let place = comparing.place_of(&gallery, &args.reader);
    let place = place.ok_or_else(|| unknown_reader(&gallery, &comparing.readers, &args.reader))?;
    let id = comparing.readers[place].id.clone();
    let readers = comparing.templates.len();
    let params = WatchParams {
        false_accepts: args.fmr,
        false_rejects: args.fnmr,
        window: args.window as usize,
    };
    let mut watcher = Watcher::new(&comparing.rules, readers, place, params);
    for warning in unreachable(&comparing.rules, &watcher, args) {
        eprintln!("warning: {warning}");
    }
    let mut current: Option<Current> = None;
    let mut out = io::stdout().lock();
    let mut pending: Option<Outgoing> = None;
    for (number, line) in io::stdin().lock().lines().enumerate() {
        let line = line.context("standard input")?;
        if line.trim().is_empty() {
            continue;
        }
        let at = || format!("standard input, line {}", number + 1);
        let incoming: Incoming = serde_json::from_str(&line).with_context(|| {
            format!(
                "{}: expected {{\"text\", \"line\", \"x_char\", \"duration_ms\"}} as JSON",
                at()
            )
        })?;
        if current.as_ref().is_none_or(|c| c.text.id() != incoming.text) {
            let Some(text) = texts.iter().find(|t| t.id() == incoming.text) else {
                bail!(
                    "{}: found text {:?}, expected one of {}",
                    at(),
                    incoming.text,
                    args.words.display()
                );
            };
            if let Some(answer) = pending.take().filter(|_| args.by_text)
                && !say(&mut out, &answer)?
            {
                break;
            }
            current = Some(Current {
                text: text.clone(),
                fixations: Vec::new(),
                scores: vec![0.0; readers],
                counted: 0,
            });
        }
        let Some(reading) = current.as_mut() else { continue };
        let before = watcher.last().decision;
        let answer = step(reading, incoming, &comparing, limits, &mut watcher).with_context(at)?;
        if answer.step.decision != before {
            let Step { llr, fixations, decision, .. } = answer.step;
            let (reader, decision) = (id.clone(), decision.name().to_owned());
            gallery.note(Event::Watched { reader, decision, llr, fixations }, None)?;
        }
        if args.by_text {
            // A text counts if any of its fixations does.
            let counted = answer.counted || pending.is_some_and(|before| before.counted);
            pending = Some(Outgoing { counted, ..answer });
        } else if !say(&mut out, &answer)? {
            break;
        }
    }
    if let Some(answer) = pending {
        say(&mut out, &answer)?;
    }
    let Step { fixations, seconds, llr, decision } = watcher.last();
    let name = decision.name();
    if decision == Decision::GoOn {
        // Decisions were logged when they were made.
        let (reader, decision) = (id.clone(), name.to_owned());
        gallery.note(Event::Watched { reader, decision, llr, fixations }, None)?;
    }
    eprintln!(
        "{name}: {id} after {}, {seconds:.1} s, llr {llr:+.2} nats",
        plural(fixations, "fixation")
    );
    if decision == Decision::Accept { Ok(()) } else { Err(Refused.into()) }
}

/// What to say where the gallery is too small for decisions at the wanted rates.
fn unreachable(rules: &Rules, watcher: &Watcher<'_>, args: &Args) -> Vec<String> {
    let [lowest, highest] = rules.bounds(args.window as usize);
    let [reject, accept] = watcher.thresholds();
    let mut warnings = Vec::new();
    let mut warn = |what, option, rate| {
        warnings.push(format!(
            "the gallery is too small to {what} at {option} {rate} from {} fixations; ask for a \
             higher rate, or enrol more",
            args.window
        ));
    };
    if highest < accept {
        warn("accept", "--fmr", args.fmr);
    }
    if lowest > reject {
        warn("reject", "--fnmr", args.fnmr);
    }
    warnings
}

/// Writes an answer; false where nobody listens any more.
fn say(out: &mut impl Write, answer: &Outgoing) -> anyhow::Result<bool> {
    let text = serde_json::to_string(answer)?;
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        result => Ok(result.map(|()| true)?),
    }
}

fn step(
    current: &mut Current,
    incoming: Incoming,
    comparing: &Comparing,
    limits: Limits,
    watcher: &mut Watcher<'_>,
) -> anyhow::Result<Outgoing> {
    let only = (current.text.lines().len() == 1).then(|| current.text.lines()[0].number());
    current.fixations.push(Fixation {
        line: incoming.line.or(only),
        x: incoming.x_char.filter(|x| x.is_finite()).map(Chars),
        duration: incoming.duration_ms.filter(|d| d.is_finite()).map(Millis),
        onset: None,
        gap: incoming.gap,
    });
    let Some(reading) = read_so_far(current, limits)? else {
        return Ok(Outgoing { step: watcher.last(), counted: false });
    };
    if reading.events.len() == current.counted {
        return Ok(Outgoing { step: watcher.last(), counted: false });
    }
    current.counted = reading.events.len();
    let duration = reading.events.last().map_or(0.0, |event| event.duration);
    let scores = comparing.templates.scores(&comparing.templates.probe(&reading));
    let added = scores.iter().zip(&current.scores).map(|(now, before)| now - before).collect();
    current.scores = scores;
    Ok(Outgoing { step: watcher.next(duration, added), counted: true })
}

/// The reading as far as it was seen; none while nothing counts.
fn read_so_far(current: &Current, limits: Limits) -> anyhow::Result<Option<Reading>> {
    let path = Scanpath {
        reader: 0,
        text: 0,
        session: String::new(),
        trial: String::new(),
        order: None,
        fixations: current.fixations.clone(),
    };
    let corpus = Corpus::new("watch", vec![String::new()], vec![current.text.clone()], vec![path])?;
    let reading = readings(&corpus, limits).0.pop();
    Ok(reading.map(|reading| Reading { complete: false, ..reading }))
}
