//! The stream of a watch: lines in, lines out.

use std::io::{self, BufRead, ErrorKind, Read as _, StdoutLock, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use anyhow::{Context, anyhow, bail};
use gazeprint_recognition::{LineError, Watch, WatchState};
use serde::Serialize;

use crate::signals::on_interrupt;
use crate::words::errors::told;
use crate::words::spelt_out_json;

/// Lines that are read ahead of what was answered.
const AHEAD: usize = 1024;

/// Longest line, in bytes: a page of words takes some ten thousand.
const LONGEST: u64 = 1 << 20;

/// The next line, without its end; none behind the last.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let found = input.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if found as u64 > LONGEST {
        let why = format!("found a line of more than {LONGEST} bytes, expected a fixation");
        return Err(io::Error::new(ErrorKind::InvalidData, why));
    }
    Ok((found > 0).then_some(line))
}

/// What comes in.
enum Incoming {
    /// A line, or why there is none.
    Line(io::Result<Vec<u8>>),
    /// Nothing more.
    End,
}

/// A line that cannot be read.
#[derive(Serialize)]
struct Unreadable {
    error: String,
    line: usize,
}

/// Listens to standard input, until there is no more or the process is asked to end.
pub(super) struct Listener {
    incoming: Receiver<Incoming>,
    /// Whether the process was asked to end.
    interrupted: Arc<AtomicBool>,
    strict: bool,
}

impl Listener {
    pub(super) fn new(strict: bool) -> anyhow::Result<Self> {
        let (sender, incoming) = sync_channel(AHEAD);
        let interrupted = Arc::new(AtomicBool::new(false));
        let (flag, wake) = (Arc::clone(&interrupted), sender.clone());
        on_interrupt(move || {
            flag.store(true, Ordering::Relaxed);
            // Whoever listens is woken; where the channel is full, nobody waits.
            _ = wake.try_send(Incoming::End);
        })?;
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            while let Some(line) = next_line(&mut input).transpose() {
                let failed = line.is_err();
                if sender.send(Incoming::Line(line)).is_err() || failed {
                    return;
                }
            }
            _ = sender.send(Incoming::End);
        });
        Ok(Self { incoming, interrupted, strict })
    }

    /// Answers to what comes in, until there is no more or nobody listens.
    pub(super) fn listen(self, watch: &mut Watch, output: &mut Output) -> anyhow::Result<()> {
        let mut number = 0;
        while let Ok(Incoming::Line(line)) = self.incoming.recv() {
            if self.interrupted.load(Ordering::Relaxed) {
                break;
            }
            let line = line.context("standard input")?;
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let is_heard = match watch.line(&line) {
                Ok(None) => true,
                Ok(Some(step)) => output.answer(step.ended, step.state)?,
                Err(error) => {
                    let error = told(&of_line(error.of_line_alone()?));
                    if self.strict {
                        bail!("standard input, line {number}: {error}")
                    }
                    output.say(&Unreadable { error, line: number })?
                }
            };
            if !is_heard {
                break;
            }
        }
        Ok(())
    }
}

/// A line that cannot be used, as other errors are told.
fn of_line(error: LineError) -> anyhow::Error {
    match error {
        LineError::Watch(error) => error.into(),
        error => anyhow!(error),
    }
}

/// Answers on standard output: one for each fixation, or for each text.
pub(super) struct Output {
    out: StdoutLock<'static>,
    by_text: bool,
    /// Whether anything of the current text counted; none before the first.
    counted: Option<bool>,
}

impl Output {
    pub(super) fn new(by_text: bool) -> Self {
        Self { out: io::stdout().lock(), by_text, counted: None }
    }

    /// What a fixation led to; false where nobody listens any more.
    fn answer(&mut self, ended: Option<WatchState>, state: WatchState) -> io::Result<bool> {
        if !self.by_text {
            return self.say(&state);
        }
        let is_heard = match ended.zip(self.counted.take_if(|_| ended.is_some())) {
            Some((ended, counted)) => self.say(&WatchState { counted, ..ended })?,
            None => true,
        };
        // A text counts if any of its fixations does.
        self.counted = Some(state.counted || self.counted.unwrap_or(false));
        Ok(is_heard)
    }

    /// The last verdict, where it was not told yet.
    pub(super) fn end(&mut self, last: WatchState, is_news: bool) -> io::Result<()> {
        match self.counted {
            Some(counted) => self.say(&WatchState { counted, ..last }).map(drop),
            None if is_news => self.say(&last).map(drop),
            None => Ok(()),
        }
    }

    /// Writes a line; false where nobody listens any more.
    fn say(&mut self, answer: &impl Serialize) -> io::Result<bool> {
        let text = serde_json::to_string(answer)?;
        match writeln!(self.out, "{}", spelt_out_json(&text)).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            result => result.map(|()| true),
        }
    }
}
