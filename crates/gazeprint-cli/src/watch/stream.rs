//! The stream of a watch: lines in, lines out.

use std::collections::BTreeMap;
use std::io::{self, BufRead, ErrorKind, StdoutLock, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use anyhow::{Context, bail};
use gazeprint::corpus::{Line, Text, Word};
use gazeprint_recognition::{Error, Watch, WatchState, WatchStep, WatchedFixation};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::signals::on_interrupt;

/// What a line should be.
const FIXATION: &str = "{\"text\", \"line\", \"x_char\", \"duration_ms\"}";
const ANNOUNCEMENT: &str = "{\"text\", \"words\": [{\"line\", \"char_start\", \"char_end\"}, ...]}";
/// Lines that are read ahead of what was answered.
const AHEAD: usize = 1024;

/// What comes in.
enum Incoming {
    /// A line, or why there is none.
    Line(io::Result<Vec<u8>>),
    /// Nothing more.
    End,
}

/// A text that is announced.
#[derive(Deserialize)]
struct Announcement {
    text: String,
    words: Vec<AnnouncedWord>,
}

/// A word of a text that is announced.
#[derive(Deserialize)]
struct AnnouncedWord {
    line: Option<i32>,
    char_start: i32,
    char_end: i32,
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
            for line in io::stdin().lock().split(b'\n') {
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
            let is_heard = match answer(watch, &line) {
                Ok(None) => true,
                Ok(Some(step)) => output.answer(step.ended, step.state)?,
                Err(error) if is_final(&error) => return Err(error),
                Err(error) if self.strict => {
                    bail!("standard input, line {number}: {}", crate::words::errors::told(&error))
                }
                Err(error) => {
                    watch.lose();
                    let error = crate::words::errors::told(&error);
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

/// Whether it is not the line's fault.
fn is_final(error: &anyhow::Error) -> bool {
    let recognition = error.downcast_ref::<Error>();
    recognition.is_some_and(|error| !matches!(error, Error::UnknownText { .. }))
}

/// Does what a line says.
fn answer(watch: &mut Watch, line: &[u8]) -> anyhow::Result<Option<WatchStep>> {
    let message: Value =
        serde_json::from_slice(line).map_err(|error| unreadable(FIXATION, &error))?;
    if message.get("words").is_some() {
        let Announcement { text, words } =
            serde_json::from_value(message).map_err(|error| unreadable(ANNOUNCEMENT, &error))?;
        watch.announce(announced(text, words)?);
        return Ok(None);
    }
    let fixation: WatchedFixation =
        serde_json::from_value(message).map_err(|error| unreadable(FIXATION, &error))?;
    Ok(Some(watch.fixation(&fixation)?))
}

fn unreadable(expected: &str, error: &serde_json::Error) -> anyhow::Error {
    anyhow::anyhow!("expected {expected} as JSON: {error}")
}

/// The text of its words.
fn announced(id: String, words: Vec<AnnouncedWord>) -> anyhow::Result<Text> {
    let mut lines: BTreeMap<i32, Vec<Word>> = BTreeMap::new();
    for (index, word) in (1..).zip(words) {
        let AnnouncedWord { line, char_start: start, char_end: end } = word;
        lines.entry(line.unwrap_or(1)).or_default().push(Word { index, form: None, start, end });
    }
    let lines = lines.into_iter().map(|(number, words)| Line::new(number, words));
    Ok(Text::new(id, lines.collect::<Result<_, _>>()?)?)
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
        match writeln!(self.out, "{text}").and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
            result => result.map(|()| true),
        }
    }
}
