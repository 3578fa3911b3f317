//! Somebody is watched while they read, over a WebSocket.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use gazeprint::corpus::Text;
use gazeprint_recognition::{
    Error, LineError, ReplayPolicy, StreamLine, Watch, WatchOptions, WatchStep,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::{Asked, LONGEST_NAME, check_name};
use crate::access::{Caller, Scope};
use crate::answers;
use crate::app::{App, ask, check_administers};
use crate::guard::is_still_let_in;
use crate::openapi::Param;
use crate::problem::Problem;

/// Largest message.
const MOST_BYTES: usize = 256 << 10;
/// Fixations of one message.
const MOST_LINES: usize = 1000;
/// Texts of a watch, and words of them in all: more than anybody reads in hours.
const MOST_TEXTS: usize = 10_000;
const MOST_WORDS: usize = 50_000;
/// How often it is looked whether the caller may still watch.
const CHECK: Duration = Duration::from_secs(2);
/// How often it is asked whether the other side is still there, and how long nothing may be heard of it.
const PING: Duration = Duration::from_secs(20);
const SILENCE: Duration = Duration::from_secs(60);
/// How long a message may take to be taken.
const SLOW: Duration = Duration::from_secs(10);

/// What a watch may be asked with.
pub(crate) const PARAMS: &[Param] = &[
    Param { name: "reader", kind: "string", is_required: true, about: "Who it should be" },
    rate("fmr", "Wanted rate of false accepts, 0.01"),
    rate("fnmr", "Wanted rate of false rejects, 0.01"),
    Param {
        name: "window",
        kind: "integer",
        is_required: false,
        about: "Fixations that decisions are tested on again, 10 to 10000; 100",
    },
    flag("liveness", "Refuse what no person seems to have read"),
    flag("allow_unsupported", "As for verify; takes the scope administer"),
    flag("allow_replay", "As for verify; takes the scope administer"),
    flag("forget", "As for verify; takes the scope administer"),
];

const fn rate(name: &'static str, about: &'static str) -> Param {
    Param { name, kind: "number", is_required: false, about }
}

const fn flag(name: &'static str, about: &'static str) -> Param {
    Param { name, kind: "boolean", is_required: false, about }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WatchQuery {
    reader: String,
    fmr: Option<f64>,
    fnmr: Option<f64>,
    window: Option<usize>,
    #[serde(default)]
    liveness: bool,
    #[serde(default)]
    allow_unsupported: bool,
    #[serde(default)]
    allow_replay: bool,
    #[serde(default)]
    forget: bool,
}

impl WatchQuery {
    fn options(&self) -> Result<WatchOptions, Problem> {
        let usual = WatchOptions::default();
        let window = self.window.unwrap_or(usual.window);
        if !(10..=10_000).contains(&window) {
            return Err(Problem::usage(format!("window: found {window}, expected 10 to 10000")));
        }
        Ok(WatchOptions {
            fmr: self.fmr.unwrap_or(usual.fmr),
            fnmr: self.fnmr.unwrap_or(usual.fnmr),
            window,
            allow_unsupported: self.allow_unsupported,
            replays: ReplayPolicy { allow: self.allow_replay, forget: self.forget },
            liveness: self.liveness,
        })
    }
}

/// `GET /v1/watch`
pub(crate) async fn watch(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Asked(query): Asked<WatchQuery>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let upgrade = upgrade.map_err(|error| Problem::usage(error.body_text()))?;
    check_administers(
        &caller,
        &[
            ("allow_unsupported", query.allow_unsupported),
            ("allow_replay", query.allow_replay),
            ("forget", query.forget),
        ],
    )?;
    check_name(&query.reader)?;
    if app.options.require_challenge {
        return Err(Problem::challenge(
            "this server believes claims with a challenge alone, and a watch has none: verify with POST /v1/verify",
        ));
    }
    app.claim(&query.reader)?;
    let place = app.watches.take(&caller.id)?;
    let watched = ask(&app, move |app| {
        let watch = app.desk.watch(&query.reader, &[], &query.options()?);
        let watch = watch.map_err(|error| app.problem(&error))?;
        Ok(Watched { watch, kept: app.texts.texts(), known: HashMap::new() })
    })
    .await?;
    let with_scores = caller.scopes.have(Scope::Scores);
    let upgrade = upgrade.max_message_size(MOST_BYTES).max_frame_size(MOST_BYTES);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let _open = app.metrics.open_watch();
        let mut sitting = Sitting { app: &app, caller, socket, with_scores, lines: 0 };
        sitting.attend(watched).await;
        drop(place);
    }))
}

/// A watch, and the texts that may be read.
struct Watched {
    watch: Watch,
    /// Those of the server when the watch began, by name.
    kept: Arc<Vec<Text>>,
    /// Words of those that the watch knows: that were announced, or are the server's and were read.
    known: HashMap<String, usize>,
}

/// Why nothing comes of a line.
enum Unheard {
    /// It cannot be used.
    Line(String),
    /// The watch cannot go on.
    Watch(Error),
}

impl From<LineError> for Unheard {
    fn from(error: LineError) -> Self {
        match error.of_line_alone() {
            Ok(line) => Self::Line(line.to_string()),
            Err(error) => Self::Watch(error),
        }
    }
}

impl Watched {
    /// Does what a line says. One that cannot be used is a loss of signal.
    fn hear(&mut self, line: &[u8]) -> Result<Option<WatchStep>, Unheard> {
        let heard = self.take(line);
        if heard.is_err() {
            self.watch.lose();
        }
        heard
    }

    fn take(&mut self, line: &[u8]) -> Result<Option<WatchStep>, Unheard> {
        match StreamLine::read(line)? {
            StreamLine::Announcement(text) => {
                self.announce(text)?;
                Ok(None)
            }
            StreamLine::Fixation(fixation) => {
                let name = fixation.text.as_str();
                let is_known = self.known.contains_key(name);
                if !is_known && let Ok(place) = self.kept.binary_search_by(|t| t.id().cmp(name)) {
                    self.announce(self.kept[place].clone())?;
                }
                Ok(Some(self.watch.fixation(&fixation).map_err(LineError::from)?))
            }
        }
    }

    /// A text that may be read from now on.
    fn announce(&mut self, text: Text) -> Result<(), Unheard> {
        let words: usize = text.lines().iter().map(|line| line.words().len()).sum();
        let before = self.known.get(text.id());
        let others = self.known.values().sum::<usize>() - before.unwrap_or(&0);
        let is_full = before.is_none() && self.known.len() >= MOST_TEXTS;
        if is_full || others + words > MOST_WORDS || text.id().len() > LONGEST_NAME {
            return Err(Unheard::Line(format!(
                "a watch knows {MOST_TEXTS} texts of {MOST_WORDS} words in all at most, with names of \
                 {LONGEST_NAME} bytes; begin another, or announce texts under names that were read"
            )));
        }
        self.known.insert(text.id().to_owned(), words);
        self.watch.announce(text);
        Ok(())
    }
}

/// A watch over a socket.
struct Sitting<'a> {
    app: &'a Arc<App>,
    caller: Caller,
    socket: WebSocket,
    with_scores: bool,
    /// Lines so far.
    lines: usize,
}

/// Why a watch ends.
enum Ending {
    /// The other side says so.
    Asked,
    /// The other side is gone.
    Gone,
    /// The server ends.
    Stopping,
    /// The token was revoked, or the page logged out.
    Unwelcome,
    /// It cannot go on.
    Failed(Value),
}

/// Nobody takes what is sent.
struct Gone;

impl Sitting<'_> {
    async fn attend(&mut self, watched: Watched) {
        let watch = &watched.watch;
        let mut opening = json!({"reader": watch.reader(), "warnings": watch.warnings()});
        if self.with_scores {
            opening["thresholds"] = json!(watch.thresholds());
        }
        let mut watched = Some(watched);
        let ending = match self.say(&opening).await {
            Ok(()) => self.listen(&mut watched).await,
            Err(Gone) => Ending::Gone,
        };
        // Whatever came in is looked at, logged and remembered, however it ended.
        let last = self.last_verdict(watched).await;
        let (said, code) = match ending {
            Ending::Gone => return,
            Ending::Unwelcome => {
                let error = "the token was revoked or is over, or the page is logged out";
                (Some(json!({"error": error, "kind": "unauthenticated"})), close_code::POLICY)
            }
            Ending::Failed(error) => (Some(error), close_code::ERROR),
            Ending::Stopping => (last, close_code::AWAY),
            Ending::Asked => (last, close_code::NORMAL),
        };
        if let Some(said) = said {
            _ = self.say(&said).await;
        }
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static("") };
        _ = timeout(SLOW, self.socket.send(Message::Close(Some(frame)))).await;
    }

    /// Answers to what comes in, until the end.
    async fn listen(&mut self, watched: &mut Option<Watched>) -> Ending {
        let mut heard = Instant::now();
        let mut checks = tokio::time::interval_at(Instant::now() + CHECK, CHECK);
        let mut pings = tokio::time::interval_at(Instant::now() + PING, PING);
        loop {
            let message = tokio::select! {
                () = self.app.stopped() => return Ending::Stopping,
                _ = checks.tick() => match is_still_let_in(self.app, &self.caller) {
                    true => continue,
                    false => return Ending::Unwelcome,
                },
                _ = pings.tick() => {
                    if heard.elapsed() > SILENCE || self.send(Message::Ping(Default::default())).await.is_err() {
                        return Ending::Gone;
                    }
                    continue;
                }
                message = self.socket.recv() => message,
            };
            heard = Instant::now();
            let text = match message {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Binary(_))) => {
                    return Ending::Failed(json!({"error": "found bytes, expected lines of JSON"}));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Ending::Gone,
            };
            if is_end(&text) {
                return Ending::Asked;
            }
            let Some(taken) = watched.take() else { return Ending::Gone };
            match self.hear(taken, text).await {
                Ok((going_on, answers)) => {
                    *watched = Some(going_on);
                    for answer in answers {
                        let is_over = answer.is_err();
                        let (Ok(line) | Err(line)) = answer;
                        if is_over {
                            return Ending::Failed(line);
                        }
                        if self.say(&line).await.is_err() {
                            return Ending::Gone;
                        }
                    }
                }
                Err(problem) => {
                    let Problem { kind, detail, cause, .. } = problem;
                    self.app.journal.event("watch failed", cause);
                    return Ending::Failed(json!({"error": detail, "kind": kind}));
                }
            }
        }
    }

    /// What comes of the lines of a message, and whether the watch can go on after each.
    async fn hear(
        &mut self,
        mut watched: Watched,
        text: Utf8Bytes,
    ) -> Result<(Watched, Vec<Result<Value, Value>>), Problem> {
        let (shared, with_scores, first) = (Arc::clone(self.app), self.with_scores, self.lines);
        let lines = text.lines().count();
        if lines > MOST_LINES {
            return Err(Problem::usage(format!(
                "found {lines} lines in a message, expected {MOST_LINES} at most"
            )));
        }
        self.lines += lines;
        let step = move || {
            let mut answers = Vec::new();
            for (number, line) in (first + 1..).zip(text.lines()) {
                if line.trim_ascii().is_empty() {
                    continue;
                }
                match watched.hear(line.as_bytes()) {
                    Ok(None) => {}
                    Ok(Some(step)) => {
                        shared.metrics.fixation();
                        answers.push(Ok(answers::line(&step.state, with_scores)));
                    }
                    Err(Unheard::Line(error)) => {
                        answers.push(Ok(json!({"error": error, "line": number})));
                    }
                    Err(Unheard::Watch(error)) => {
                        answers.push(Err(told(&shared, &error)));
                        break;
                    }
                }
            }
            (watched, answers)
        };
        self.app.workshop.step(step).await
    }

    /// The last verdict, which is logged.
    async fn last_verdict(&mut self, watched: Option<Watched>) -> Option<Value> {
        let mut watch = watched?.watch;
        let (shared, with_scores) = (Arc::clone(self.app), self.with_scores);
        let verdict = self.app.workshop.step(move || match watch.end() {
            Ok(last) => {
                let decision = if last.replay { "replay" } else { last.step.decision.name() };
                shared.metrics.decision("watch", decision);
                let mut line = answers::line(&last, with_scores);
                line["last"] = Value::Bool(true);
                line
            }
            Err(error) => told(&shared, &error),
        });
        verdict.await.ok()
    }

    async fn say(&mut self, line: &Value) -> Result<(), Gone> {
        self.send(Message::Text(line.to_string().into())).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Gone> {
        match timeout(SLOW, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }
}

/// Whether the other side asks for the last verdict.
fn is_end(text: &str) -> bool {
    text.len() < 64
        && serde_json::from_str::<Value>(text).is_ok_and(|line| line == json!({"end": true}))
}

/// Why the watch cannot go on.
fn told(app: &App, error: &Error) -> Value {
    let Problem { kind, detail, cause, .. } = app.problem(error);
    app.journal.event("watch ended", cause);
    json!({"error": detail, "kind": kind})
}
