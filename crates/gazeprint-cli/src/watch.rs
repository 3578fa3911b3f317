//! `gazeprint watch`: is it still this reader?

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use gazeprint::corpus::{Chars, Fixation, Limits, Millis, Text};
use gazeprint::live::LiveReading;
use gazeprint::replay::{KnownReadings, Sketch};
use gazeprint::score::Scorer as _;
use gazeprint_eval::decision::Rules;
use gazeprint_eval::watch::{Decision, Step, WatchParams, Watcher};
use gazeprint_store::{Event, Gallery, Shards};
use serde::{Deserialize, Serialize};

use crate::enroll::{limits_of, unknown_reader};
use crate::inspect::plural;
use crate::opening::GalleryArgs;
use crate::probe::{self, Comparing, ReplayArgs, Replayed, Settling, replayed};
use crate::{Refused, Usage};

/// Watch somebody read, fixation by fixation, and say whether it is still a certain reader.
///
/// Fixations come as JSON lines on standard input, in the order they were made:
/// {"text": "s1", "line": 1, "x_char": 12.4, "duration_ms": 231}; "line" may be left out where a text
/// has one, and "gap": true says that signal was lost before. For every one a line goes out:
/// {"fixations": 7, "seconds": 1.6, "llr": 2.3, "decision": "go-on"}. The first decision rests on
/// everything read so far (Wald's sequential test), later ones on the last fixations (--window), which
/// can also be the first to reject. Recordings that were there before are rejected as replays; what was accepted
/// is remembered.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  tracker | gazeprint watch --reader anna --gallery staff.gallery --words words.csv
  gazeprint watch --reader anna --gallery staff.gallery --words words.csv < fixations.jsonl

decision: go-on, accept, reject. llr: calibrated log-likelihood ratio (nats) of what the decision
rests on. seconds: time spent in fixations. A fixation that does not count (see `inspect`) is
answered with \"counted\": false. \"replay\": true says that what was read was there before; it is
looked for when a text ends, before an accept, and at the end, where it is told in a line more.

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
    #[command(flatten)]
    replays: ReplayArgs,
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
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    replay: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_true(counted: &bool) -> bool {
    *counted
}

/// Somebody who is being watched.
struct Session<'a> {
    id: &'a str,
    comparing: &'a Comparing,
    limits: Limits,
    replays: ReplayArgs,
    watcher: Watcher<'a>,
    /// What the reader was enrolled with, and earlier probes.
    known: [KnownReadings; 2],
    /// The text being read.
    current: Option<LiveReading>,
    /// Texts that were read to their end.
    ended: Vec<Sketch>,
    /// The same, to be compared with.
    own: KnownReadings,
    /// What was remembered of this session.
    remembered: Vec<Sketch>,
    replay: Option<Replayed>,
    /// What was logged last: a decision, and whether it was a replay.
    logged: (Decision, bool),
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
    let comparing = Comparing::load(&mut Shards::from(&mut gallery))?;
    let place = comparing.place_of(&gallery, &args.reader);
    let place = place.ok_or_else(|| unknown_reader(&gallery, &comparing.readers, &args.reader))?;
    let id = &comparing.readers[place];
    let params = WatchParams {
        false_accepts: args.fmr,
        false_rejects: args.fnmr,
        window: args.window as usize,
    };
    let mut session = Session {
        id,
        comparing: &comparing,
        limits,
        replays: args.replays,
        watcher: Watcher::new(&comparing.rules, comparing.templates.len(), place, params),
        known: [
            probe::enrolled(&mut gallery, id)?,
            KnownReadings::new(&gallery.earlier_probes(id)?),
        ],
        current: None,
        ended: Vec::new(),
        own: KnownReadings::default(),
        remembered: Vec::new(),
        replay: None,
        logged: (Decision::GoOn, false),
    };
    for warning in unreachable(&comparing.rules, &session.watcher, args) {
        eprintln!("warning: {warning}");
    }
    let mut out = io::stdout().lock();
    let mut pending: Option<Outgoing> = None;
    let listened = listen(args, &texts, &mut session, &mut gallery, &mut out, &mut pending);
    // Whatever came in is looked at, logged and remembered, also where it ends in something wrong.
    let was_known = session.replay.is_some();
    session.end(&mut gallery)?;
    listened?;
    match pending {
        Some(answer) => _ = say(&mut out, &session.answer(answer.counted))?,
        None if session.replay.is_some() && !was_known => {
            say(&mut out, &session.answer(true))?;
        }
        None => {}
    }
    let Step { fixations, seconds, llr, decision } = session.answer(true).step;
    let why = session.replay.map_or_else(String::new, |r| format!("; {}", r.describe(id)));
    eprintln!(
        "{}: {id} after {}, {seconds:.1} s, llr {llr:+.2} nats{why}",
        decision.name(),
        plural(fixations, "fixation")
    );
    if decision == Decision::Accept { Ok(()) } else { Err(Refused.into()) }
}

/// Answers to what comes in, until there is no more or nobody listens.
fn listen(
    args: &Args,
    texts: &[Text],
    session: &mut Session<'_>,
    gallery: &mut Gallery,
    out: &mut impl Write,
    pending: &mut Option<Outgoing>,
) -> anyhow::Result<()> {
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
        if session.current.as_ref().is_none_or(|c| c.text().id() != incoming.text) {
            let Some(text) = texts.iter().find(|t| t.id() == incoming.text) else {
                bail!(
                    "{}: found text {:?}, expected one of {}",
                    at(),
                    incoming.text,
                    args.words.display()
                );
            };
            session.begin(text);
            if let Some(answer) = pending.take() {
                session.settle(gallery)?;
                if !say(out, &session.answer(answer.counted))? {
                    break;
                }
            }
        }
        let counted = session.step(&incoming);
        session.settle(gallery)?;
        let answer = session.answer(counted);
        if args.by_text {
            // A text counts if any of its fixations does.
            let counted = answer.counted || pending.as_ref().is_some_and(|before| before.counted);
            *pending = Some(Outgoing { counted, ..answer });
        } else if !say(out, &answer)? {
            break;
        }
    }
    Ok(())
}

impl Session<'_> {
    /// Another text begins. That before it is looked at as a whole.
    fn begin(&mut self, text: &Text) {
        let next = LiveReading::new(Arc::new(text.clone()), self.limits);
        let before = self.current.replace(next);
        if let Some(reading) = before.as_ref().and_then(LiveReading::reading) {
            let ended = Sketch::of(reading);
            self.look_at(std::slice::from_ref(&ended));
            // Who takes over may play back what was read in this very session.
            let earlier = KnownReadings::default();
            let own = replayed(&earlier, &self.own, std::slice::from_ref(&ended));
            self.replay = self.replay.take().or(own);
            self.own.add(&ended);
            self.ended.push(ended);
        }
    }

    /// Looks for what was there before.
    fn look_at(&mut self, read: &[Sketch]) {
        if self.replay.is_none() {
            let [enrolled, earlier] = &self.known;
            self.replay = replayed(enrolled, earlier, read);
        }
    }

    /// Everything that was read.
    fn read(&self) -> Vec<Sketch> {
        let current = self.current.as_ref().and_then(LiveReading::reading);
        self.ended.iter().cloned().chain(current.map(Sketch::of)).collect()
    }

    /// What is thought: of a replay, no evidence counts.
    fn decision(&self) -> Decision {
        match self.replay {
            Some(_) if !self.replays.allow_replay => Decision::Reject,
            _ => self.watcher.last().decision,
        }
    }

    fn answer(&self, counted: bool) -> Outgoing {
        let step = Step { decision: self.decision(), ..self.watcher.last() };
        Outgoing { step, counted, replay: self.replay.is_some() }
    }

    /// Logs what is thought now, if that is not what was thought before. Before somebody is
    /// accepted, everything is looked at.
    fn settle(&mut self, gallery: &mut Gallery) -> anyhow::Result<()> {
        if (self.decision(), self.replay.is_some()) != self.logged {
            self.note(gallery)?;
            self.logged = (self.decision(), self.replay.is_some());
        }
        Ok(())
    }

    /// Logs what is thought now, and remembers what was read where it is accepted.
    fn note(&mut self, gallery: &mut Gallery) -> anyhow::Result<()> {
        let Step { fixations, llr, .. } = self.watcher.last();
        let (reader, decision) = (self.id.to_owned(), self.decision());
        let event = |decision: &str| Event::Watched {
            reader: reader.clone(),
            decision: decision.to_owned(),
            llr,
            fixations,
        };
        if decision != Decision::Accept {
            let told = if self.replay.is_some() { "replay" } else { decision.name() };
            return Ok(gallery.note(event(told), None)?);
        }
        let sketches = self.read();
        let settling = Settling {
            id: self.id,
            enrolled: &self.known[0],
            own: &self.remembered,
            is_enough: true,
            sketches: &sketches,
            replays: self.replays,
        };
        let (accepted, replay) = settling.settle(gallery, |accepted, replay| {
            event(match (accepted, replay) {
                (true, false) => decision.name(),
                (true, true) => "accept a replay",
                (false, _) => "replay",
            })
        })?;
        if accepted {
            self.remembered.extend(sketches);
        }
        self.replay = self.replay.take().or(replay);
        Ok(())
    }

    /// Everything was read.
    fn end(&mut self, gallery: &mut Gallery) -> anyhow::Result<()> {
        self.look_at(&self.read());
        let before = self.logged;
        self.settle(gallery)?;
        match self.logged {
            // What was accepted has gone on since, and is remembered as a whole.
            (Decision::Accept, _) if before == self.logged => self.note(gallery),
            // Other decisions were logged when they were made.
            (Decision::GoOn, false) => self.note(gallery),
            _ => Ok(()),
        }
    }

    /// Looks at a fixation; false where it does not count.
    fn step(&mut self, incoming: &Incoming) -> bool {
        let Some(current) = self.current.as_mut() else { return false };
        let lines = current.text().lines();
        let only = (lines.len() == 1).then(|| lines[0].number());
        let fixation = Fixation {
            line: incoming.line.or(only),
            x: incoming.x_char.filter(|x| x.is_finite()).map(Chars),
            duration: incoming.duration_ms.filter(|d| d.is_finite()).map(Millis),
            onset: None,
            gap: incoming.gap,
        };
        let Ok(step) = current.see(&fixation) else { return false };
        self.watcher.next(step.event().duration, self.comparing.templates.added(&step));
        true
    }
}

/// What to say where the gallery is too small for decisions at the wanted rates.
fn unreachable(rules: &Rules, watcher: &Watcher<'_>, args: &Args) -> Vec<String> {
    let window = args.window as usize;
    let [lowest, _] = rules.bounds(window);
    // The first decision may rest on any number of fixations.
    let highest = rules.highest();
    let [reject, accept] = watcher.thresholds();
    let mut warnings = Vec::new();
    let mut warn = |what, option, rate, then| {
        warnings.push(format!(
            "the gallery is too small to {what} at {option} {rate} from {window} fixations: {then}; \
             ask for a higher rate, or enrol more"
        ));
    };
    if highest < accept {
        warn("accept", "--fmr", args.fmr, "nobody is accepted".to_owned());
    }
    if lowest > reject {
        let then = match watcher.rejects_at(window) > reject {
            true => format!(
                "it rejects at a rate of false rejects of {:.2}, the lowest that it can show",
                watcher.false_rejects(window)
            ),
            false => "nobody is rejected".to_owned(),
        };
        warn("reject", "--fnmr", args.fnmr, then);
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
