//! Connections: accepted, unsealed, served, and brought to an end.

use std::fs::File;
use std::io;
use std::net::TcpListener as StdListener;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsAcceptor;

use crate::app::App;
use crate::doors::router;
use crate::options::TlsFiles;

/// How long a client may take to say who it is, and what it wants.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How often rooms are looked for whose time is over.
const SWEEP: Duration = Duration::from_secs(30);
/// How long to wait where the operating system has no room for another connection.
const REST: Duration = Duration::from_millis(50);

/// What unseals connections.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, String> {
    let told = |file: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let certs = CertificateDer::pem_file_iter(&files.cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| told(&files.cert, &error))?;
    check_private(&files.key).map_err(|error| told(&files.key, &error))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|error| told(&files.key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(certs, key)
        .map_err(|error| told(&files.cert, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Refuses a key that everybody may read.
fn check_private(file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = File::open(file)?.metadata()?.permissions().mode();
        if mode & 0o007 != 0 {
            return Err(io::Error::other(
                "everybody may read this key; take that away (chmod 640)",
            ));
        }
    }
    #[cfg(not(unix))]
    File::open(file)?;
    Ok(())
}

/// Serves until the server is told to end, and all that was begun is done or waited for long enough.
pub(crate) async fn serve(
    app: Arc<App>,
    listener: StdListener,
    tls: Option<TlsAcceptor>,
) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let service = router(&app);
    let places = Arc::new(Semaphore::new(app.options.max_connections));
    let sweeping = tokio::spawn(sweep(Arc::clone(&app)));
    loop {
        let place = tokio::select! {
            () = app.stopped() => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let Ok(place) = place else { break };
        let stream = tokio::select! {
            () = app.stopped() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = stream else {
            tokio::time::sleep(REST).await;
            continue;
        };
        _ = stream.set_nodelay(true);
        let (app, service, tls) = (Arc::clone(&app), service.clone(), tls.clone());
        tokio::spawn(async move {
            if let Some(stream) = unsealed(stream, tls).await {
                match stream {
                    Stream::Plain(stream) => attend(&app, stream, service).await,
                    Stream::Tls(stream) => attend(&app, *stream, service).await,
                }
            }
            drop(place);
        });
    }
    let until = Instant::now() + app.options.grace;
    drop(listener);
    finish(&app, &places, until).await;
    sweeping.abort();
    app.rooms.close();
    Ok(())
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<tokio_rustls::server::TlsStream<TcpStream>>),
}

async fn unsealed(stream: TcpStream, tls: Option<TlsAcceptor>) -> Option<Stream> {
    let Some(tls) = tls else { return Some(Stream::Plain(stream)) };
    let stream = tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await.ok()?.ok()?;
    Some(Stream::Tls(Box::new(stream)))
}

async fn attend(
    app: &App,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    service: Router,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HANDSHAKE)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .with_upgrades();
    let mut connection = pin!(connection);
    // What goes wrong here is the other side's: it is gone, or speaks something else.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = app.stopped() => {
            connection.as_mut().graceful_shutdown();
            _ = connection.await;
        }
    }
}

/// Has rooms go when their time is over, whether or not somebody asks.
async fn sweep(app: Arc<App>) {
    let mut times = tokio::time::interval(SWEEP);
    loop {
        times.tick().await;
        let shared = Arc::clone(&app);
        _ = tokio::task::spawn_blocking(move || shared.rooms.sweep(std::time::Instant::now()))
            .await;
    }
}

/// Waits for requests and watches that are under way, then for changes that were taken on, but not for ever.
async fn finish(app: &Arc<App>, places: &Semaphore, until: Instant) {
    let all = u32::try_from(app.options.max_connections).unwrap_or(u32::MAX);
    let shared = Arc::clone(app);
    let under_way = async {
        _ = places.acquire_many(all).await;
        app.watches.all_free().await;
        _ = tokio::task::spawn_blocking(move || shared.workshop.finish()).await;
    };
    if timeout_at(until, under_way).await.is_err() {
        app.give_up();
        app.journal.event("gave up waiting", None);
    }
}
