//! Recognition of readers over HTTP, and a page to see it work.
//!
//! A [`Server`] has one [`Recognizer`] and serves it to programs with tokens and to pages with cookies.
//! Everything that is asked goes by a door of one table (`doors`): router, guards, description (OpenAPI)
//! and the tests of who may what are made of it.
//!
//! ```no_run
//! use gazeprint_recognition::{Location, Recognizer};
//! use gazeprint_serve::{Journal, ServeOptions, Server};
//!
//! let desk = Recognizer::open(&Location::File("staff.gallery".into()), None)?;
//! let options = ServeOptions { folder: "staff.gallery.serve".into(), ..Default::default() };
//! let server = Server::bind(desk, options, Journal::new(std::io::stderr()))?;
//! println!("{}", server.link()?);
//! server.run()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | does |
//! |---|---|
//! | `doors` | all doors, in one table |
//! | `guard` | what happens to every request: its number, its sender, its time, its line in the log |
//! | `access` | tokens, sessions, scopes, rates, names of the server |
//! | `routes` | what is answered, door by door |
//! | `body`, `answers`, `problem` | what comes in, what goes out, and what went wrong |
//! | `texts`, `challenges` | texts that the server has, and those that a verification must be of |
//! | `work` | threads that may block, and the one that changes the gallery |
//! | `openapi` | the description of the doors |
//! | `listen` | connections |
//! | `watches` | how many there are, and of whom |
//! | `journal`, `metrics`, `readiness` | what the server says of itself |
//! | `demonstration`, `mouse` | a gallery to try things with, and those of pages that are read with the mouse |

mod access;
mod answers;
mod app;
mod body;
mod challenges;
mod demonstration;
mod doors;
mod guard;
mod journal;
mod listen;
mod metrics;
mod mouse;
mod openapi;
mod options;
mod private_files;
mod problem;
mod readiness;
mod routes;
mod texts;
mod watches;
mod work;

#[cfg(test)]
mod tests;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use gazeprint_recognition::Recognizer;
use thiserror::Error;
use tokio_rustls::TlsAcceptor;

pub use access::{NewToken, Scope, Scopes, TokenEntry, TokenError, TokenFile};
pub use demonstration::demonstration;
pub use journal::Journal;
pub use options::{OptionsError, ServeOptions, TlsFiles};

use app::App;

/// Why there is no server.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// It would not be safe.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// Its tokens cannot be read.
    #[error(transparent)]
    Tokens(#[from] TokenError),
    /// Its texts cannot be read.
    #[error("the texts of the server cannot be read: {0}")]
    Texts(io::Error),
    /// It cannot listen.
    #[error("{at}: {source}; choose another address with --listen")]
    Listen {
        /// Where.
        at: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// Its certificate cannot be used.
    #[error("the certificate cannot be used: {0}")]
    Certificate(String),
    /// It cannot run.
    #[error("the server cannot run: {0}")]
    Runtime(io::Error),
    /// The operating system has no randomness.
    #[error("the operating system has no random numbers: {0}")]
    Random(String),
}

/// A server that listens, and is not run yet.
pub struct Server {
    app: Arc<App>,
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
}

/// Ends a server.
#[derive(Debug, Clone)]
pub struct Stopper(tokio::sync::watch::Sender<bool>);

impl Stopper {
    /// Tells the server to end: requests that it has are answered, and watches get a last verdict.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Listens, and says nothing yet.
    ///
    /// # Errors
    /// If it would not be safe, or cannot listen.
    pub fn bind(
        desk: Recognizer,
        options: ServeOptions,
        journal: Journal,
    ) -> Result<Self, ServeError> {
        options.check()?;
        let tls = options.tls.as_ref().map(listen::acceptor).transpose();
        let tls = tls.map_err(ServeError::Certificate)?;
        let at = options.listen;
        let failed = |source| ServeError::Listen { at, source };
        let listener = TcpListener::bind(at).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let app = Arc::new(App::new(desk, options, journal, address)?);
        Ok(Self { app, listener, address, tls })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page, with what logs one page in. An earlier link is void.
    ///
    /// # Errors
    /// If the operating system has no randomness.
    pub fn link(&self) -> Result<String, ServeError> {
        let secret = self.app.sessions.new_link();
        let secret = secret.map_err(|error| ServeError::Random(error.to_string()))?;
        let options = &self.app.options;
        let scheme = if options.is_https() { "https" } else { "http" };
        let own = self.address.to_string();
        let name = options.names.first().unwrap_or(&own);
        Ok(format!("{scheme}://{name}/#token={secret}"))
    }

    /// What ends it.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.app.stopping.clone())
    }

    /// Serves until it is told to end.
    ///
    /// # Errors
    /// If it cannot run.
    pub fn run(self) -> Result<(), ServeError> {
        let Self { app, listener, address, tls } = self;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(ServeError::Runtime)?;
        app.journal.event("listening", Some(address.to_string()));
        let served = runtime.block_on(listen::serve(Arc::clone(&app), listener, tls));
        // What was waited for long enough is left to itself: what it would write is not there then, as after a kill.
        runtime.shutdown_background();
        app.journal.event("ended", None);
        served.map_err(ServeError::Runtime)
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}
