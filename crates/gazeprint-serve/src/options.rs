//! How a server is run.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use gazeprint::corpus::Corpus;
use thiserror::Error;

/// The files of a certificate.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate with those that vouch for it, as PEM.
    pub cert: PathBuf,
    /// Its key, as PEM.
    pub key: PathBuf,
}

/// How a server is run.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Its certificate; without one, it speaks HTTP.
    pub tls: Option<TlsFiles>,
    /// Whether a proxy stands before it that speaks https.
    pub behind_proxy: bool,
    /// What clients call it: `HOST` or `HOST:PORT`. On a loopback address it has its usual names besides.
    pub names: Vec<String>,
    /// Where tokens and texts are kept.
    pub folder: PathBuf,
    /// Largest body, bytes.
    pub max_body: usize,
    /// How long a request may take.
    pub timeout: Duration,
    /// How long requests and watches are waited for in the end.
    pub grace: Duration,
    /// Requests a second of one caller; 0 is no limit.
    pub requests_per_second: f64,
    /// Claims to be one reader, a minute; 0 is no limit.
    pub claims_per_minute: f64,
    /// Connections at once.
    pub max_connections: usize,
    /// Watches at once.
    pub max_watches: usize,
    /// Watches of one caller at once.
    pub watches_of_one: usize,
    /// How long a challenge is valid.
    pub challenge_for: Duration,
    /// Whether claims are looked at with a challenge alone.
    pub require_challenge: bool,
    /// Recordings for the page to play.
    pub demonstration: Option<Corpus>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7878),
            tls: None,
            behind_proxy: false,
            names: Vec::new(),
            folder: PathBuf::from("gazeprint.serve"),
            max_body: 16 << 20,
            timeout: Duration::from_secs(60),
            grace: Duration::from_secs(30),
            requests_per_second: 100.0,
            claims_per_minute: 60.0,
            max_connections: 2048,
            max_watches: 1024,
            watches_of_one: 256,
            challenge_for: Duration::from_secs(300),
            require_challenge: false,
            demonstration: None,
        }
    }
}

/// What is wrong with options.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionsError {
    /// Others could listen on the way.
    #[error(
        "{0} can be reached from other machines: give a certificate (--tls-cert, --tls-key), or say that a \
         proxy speaks https for it (--behind-proxy)"
    )]
    Exposed(SocketAddr),
    /// Nobody knows by which names it may be asked.
    #[error("found no --name, expected what clients call the server, such as gaze.example.org")]
    NoName,
}

impl ServeOptions {
    /// Refuses what would be unsafe.
    ///
    /// # Errors
    /// If recordings would pass a network unsealed, or the server does not know its names.
    pub fn check(&self) -> Result<(), OptionsError> {
        let is_local = self.listen.ip().is_loopback();
        if !is_local && self.tls.is_none() && !self.behind_proxy {
            return Err(OptionsError::Exposed(self.listen));
        }
        if (!is_local || self.behind_proxy) && self.names.is_empty() {
            return Err(OptionsError::NoName);
        }
        Ok(())
    }

    /// Whether clients speak https.
    pub(crate) fn is_https(&self) -> bool {
        self.tls.is_some() || self.behind_proxy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_could_listen_to_is_refused() {
        let local = ServeOptions::default();
        assert_eq!(local.check(), Ok(()));
        let listen = "0.0.0.0:80".parse().unwrap();
        let open = ServeOptions { listen, ..local.clone() };
        assert_eq!(open.check(), Err(OptionsError::Exposed(listen)));
        let proxied = ServeOptions { behind_proxy: true, ..open };
        assert_eq!(proxied.check(), Err(OptionsError::NoName));
        let named = ServeOptions { names: vec!["gaze.example.org".to_owned()], ..proxied };
        assert_eq!(named.check(), Ok(()));
    }
}
