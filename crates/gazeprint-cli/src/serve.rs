//! `gazeprint serve`: recognition over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use gazeprint::corpus::Corpus;
use gazeprint_recognition::{Anchor, Location, Recognizer};
use gazeprint_serve::{Journal, ServeOptions, Server, TlsFiles, demonstration};

use crate::opening::{GalleryArgs, SecretArgs};
use crate::signals::on_interrupt;
use crate::{Usage, print, words};

/// Serve a gallery over HTTP: enrol, identify, verify and watch by programs, and a page to see it work.
///
/// Listens on this machine alone unless told otherwise, and prints a link that logs one page in. Programs
/// need a token (see `gazeprint token`). Other addresses need a certificate (--tls-cert, --tls-key), or a
/// proxy that has one (--behind-proxy), and the name that clients use (--name). The API describes itself
/// under /openapi.json; docs/serve.md has the rest.
///
/// What the server does is written to standard error, a JSON object a line. Ctrl-C and SIGTERM end it:
/// requests that it has are answered, watches get a last verdict, enrolments are made, within 30 seconds;
/// a second one ends it at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  gazeprint serve --demo  readers that are built in, to try
  gazeprint serve --gallery staff.gallery
  gazeprint serve --gallery staff.gallery --listen 0.0.0.0:443 \\
      --tls-cert cert.pem --tls-key key.pem --name gaze.example.org
  gazeprint serve --gallery staff.gallery --behind-proxy \\
      --name gaze.example.org

Exit codes: 0 ended as it was told to, 1 failed, 2 wrong usage, 6 locked, 7 damaged.")]
pub(crate) struct Args {
    /// The gallery: a file, or postgres://USER@HOST/DATABASE
    #[arg(long, value_name = "G", required_unless_present = "demo", conflicts_with = "demo")]
    gallery: Option<String>,
    #[command(flatten)]
    secret: SecretArgs,
    /// What `gazeprint gallery anchor` printed: refuse an older state of the gallery
    #[arg(long, value_name = "ANCHOR", conflicts_with = "demo")]
    anchor: Option<Anchor>,
    /// Serve a gallery of 40 readers that are built in, and let the page play what they read then; gone
    /// when the server ends
    #[arg(long)]
    demo: bool,
    /// Where tokens and texts are kept [default: the gallery's name with .serve]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Where to listen
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7878")]
    listen: SocketAddr,
    /// What clients call the server: HOST or HOST:PORT
    #[arg(long = "name", value_name = "HOST")]
    names: Vec<String>,
    /// Certificate, with those that vouch for it (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its key (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// A proxy on the way speaks https with clients
    #[arg(long, conflicts_with = "tls_cert")]
    behind_proxy: bool,
    /// Verify with a challenge alone: texts that the server draws. Watches are refused then
    #[arg(long)]
    require_challenge: bool,
    /// Minutes that a challenge is valid
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60))]
    challenge_minutes: u64,
    /// Requests a second of one token, on average; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 100)]
    requests_per_second: u32,
    /// Claims to be one reader, a minute; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 60)]
    claims_per_minute: u32,
    /// Watches at once
    #[arg(long, value_name = "N", default_value_t = 1024)]
    max_watches: u32,
    /// Watches of one token at once
    #[arg(long, value_name = "N", default_value_t = 256)]
    watches_per_token: u32,
    /// Largest body, MiB
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    max_body: u16,
    /// Seconds that a request may take
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Print no link for the page
    #[arg(long)]
    no_link: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    // Kept until the end: the demonstration is in it.
    let temporary = tempfile::tempdir().context("no temporary folder")?;
    let (desk, played) = match &args.gallery {
        Some(gallery) => {
            let (secret, anchor) = (args.secret.clone(), args.anchor.clone());
            (GalleryArgs::of(gallery.clone(), secret, anchor).open()?, None)
        }
        None => {
            words::note("enrolling 40 readers of provo (Luke & Christianson, 2018; CC BY 4.0)");
            let (desk, played) = demonstration(temporary.path())?;
            (desk, Some(played))
        }
    };
    let folder = folder(args.folder.clone(), desk.location())?;
    let server = Server::bind(desk, options(args, folder, played), Journal::new(std::io::stderr()))
        .map_err(|error| match error {
            gazeprint_serve::ServeError::Options(error) => Usage(error.to_string()).into(),
            error => anyhow::Error::from(error),
        })?;
    let stopper = server.stopper();
    on_interrupt(move || stopper.stop())?;
    if !args.no_link {
        print(&format!("{}\n", server.link()?))?;
    }
    Ok(server.run()?)
}

fn options(args: &Args, folder: PathBuf, demonstration: Option<Corpus>) -> ServeOptions {
    let files = args.tls_cert.clone().zip(args.tls_key.clone());
    ServeOptions {
        listen: args.listen,
        tls: files.map(|(cert, key)| TlsFiles { cert, key }),
        behind_proxy: args.behind_proxy,
        names: args.names.clone(),
        folder,
        max_body: usize::from(args.max_body) << 20,
        timeout: Duration::from_secs(args.timeout),
        requests_per_second: f64::from(args.requests_per_second),
        claims_per_minute: f64::from(args.claims_per_minute),
        max_watches: args.max_watches as usize,
        watches_of_one: args.watches_per_token as usize,
        challenge_for: Duration::from_mins(args.challenge_minutes),
        require_challenge: args.require_challenge,
        demonstration,
        ..Default::default()
    }
}

/// Where the tokens and texts of a gallery are kept.
pub(crate) fn folder(given: Option<PathBuf>, at: &Location) -> anyhow::Result<PathBuf> {
    match (given, at) {
        (Some(folder), _) => Ok(folder),
        (None, Location::File(gallery)) => {
            let mut name = gallery.clone().into_os_string();
            name.push(".serve");
            Ok(name.into())
        }
        (None, Location::Postgres(_)) => Err(Usage(
            "say where tokens and texts of a gallery on a server are kept, with --folder DIR"
                .to_owned(),
        )
        .into()),
    }
}

/// Checks that there is a gallery, for commands that do not open it.
pub(crate) fn check_there(at: &Location) -> anyhow::Result<()> {
    match Recognizer::exists(at)? {
        true => Ok(()),
        false => anyhow::bail!("{at}: found no gallery; `gazeprint enroll` makes one"),
    }
}
