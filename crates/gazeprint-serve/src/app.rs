//! What all requests share.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gazeprint_recognition::{Error, Recognizer};
use tokio::sync::watch;

use crate::ServeError;
use crate::access::{Caller, Hosts, Rates, Scope, Sessions, TokenFile};
use crate::body::Memory;
use crate::challenges::Challenges;
use crate::journal::Journal;
use crate::metrics::Metrics;
use crate::mouse::Rooms;
use crate::options::ServeOptions;
use crate::problem::Problem;
use crate::readiness::Readiness;
use crate::texts::TextShelf;
use crate::watches::Places;
use crate::work::Workshop;

/// Seconds of requests, or of claims, that may come at once.
const BURST: f64 = 2.0;
const BURST_OF_CLAIMS: f64 = 20.0;

/// What all requests share.
pub(crate) struct App {
    pub(crate) desk: Recognizer,
    pub(crate) options: ServeOptions,
    pub(crate) hosts: Hosts,
    pub(crate) tokens: TokenFile,
    pub(crate) sessions: Sessions,
    pub(crate) rates: Rates,
    pub(crate) claims: Rates,
    pub(crate) texts: TextShelf,
    pub(crate) challenges: Challenges,
    pub(crate) rooms: Rooms,
    pub(crate) workshop: Workshop,
    pub(crate) metrics: Metrics,
    pub(crate) journal: Journal,
    pub(crate) bodies: Memory,
    pub(crate) watches: Places,
    /// Whether the server ends.
    pub(crate) stopping: watch::Sender<bool>,
    /// Whether it has waited long enough for what was begun.
    over: AtomicBool,
    pub(crate) readiness: Readiness,
}

impl App {
    /// Of a server that listens at an address.
    pub(crate) fn new(
        desk: Recognizer,
        options: ServeOptions,
        journal: Journal,
        address: SocketAddr,
    ) -> Result<Self, ServeError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let per_second = options.requests_per_second;
        let claims = options.claims_per_minute / 60.0;
        let tokens = TokenFile::of(&options.folder);
        tokens.list()?;
        Ok(Self {
            hosts: Hosts::new(address, &options.names, options.tls.is_some()),
            tokens,
            sessions: Sessions::default(),
            rates: Rates::new(per_second, BURST * per_second),
            claims: Rates::new(claims, BURST_OF_CLAIMS),
            texts: TextShelf::open(&options.folder).map_err(ServeError::Texts)?,
            challenges: Challenges::new(options.challenge_for),
            rooms: Rooms::default(),
            workshop: Workshop::new(cores).map_err(ServeError::Runtime)?,
            metrics: Metrics::default(),
            journal,
            bodies: Memory::new(options.max_body),
            watches: Places::new(options.max_watches, options.watches_of_one),
            stopping: watch::channel(false).0,
            over: AtomicBool::new(false),
            readiness: Readiness::default(),
            desk,
            options,
        })
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Whether the server ends, and waits no longer for what was begun.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Stops what was begun and is not done.
    pub(crate) fn give_up(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Waits until the server is told to end.
    pub(crate) async fn stopped(&self) {
        // The sender is here: it cannot be gone.
        _ = self.stopping.subscribe().wait_for(|is_stopping| *is_stopping).await;
    }

    /// What the library said, as clients are told it.
    pub(crate) fn problem(&self, error: &Error) -> Problem {
        Problem::of(error, self.desk.location())
    }

    /// Counts a request of a caller; too many are refused.
    pub(crate) fn count(&self, caller: &Caller) -> Result<(), Problem> {
        let rate = self.rates.take(&caller.id);
        rate.map_err(|seconds| Problem::too_many("too many requests; wait", seconds))
    }

    /// Counts a claim to be a reader; too many are refused, whoever makes them.
    pub(crate) fn claim(&self, reader: &str) -> Result<(), Problem> {
        self.claims.take(reader).map_err(|seconds| {
            Problem::too_many("too many claims to be this reader; wait", seconds)
        })
    }
}

/// Refuses what makes an answer worth less, or takes a reader's place, but to those who administer.
pub(crate) fn check_administers(caller: &Caller, asked: &[(&str, bool)]) -> Result<(), Problem> {
    let refused = asked.iter().find(|(_, is_asked)| *is_asked);
    match refused {
        Some((what, _)) if !caller.scopes.have(Scope::Administer) => {
            Err(Problem::forbidden(format!("{what} takes the scope administer")))
        }
        _ => Ok(()),
    }
}

/// What comes of a question, away from those who only wait.
pub(crate) async fn ask<T: Send + 'static>(
    app: &Arc<App>,
    question: impl FnOnce(&App) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let shared = Arc::clone(app);
    app.workshop.ask(move || question(&shared)).await?
}
