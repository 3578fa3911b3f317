//! The server on a real socket: watches, slow and half-closed clients, certificates, and its end.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::LazyLock;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use gazeprint::corpus::{Corpus, Scanpath, Text};
use gazeprint::method::Unwatched;
use gazeprint::simulate::SimulationParams;
use gazeprint_recognition::{EnrollOptions, FoundingOptions, Location, Recognizer};
use gazeprint_serve::{
    Journal, Scope, Scopes, ServeError, ServeOptions, Server, Stopper, TlsFiles, TokenFile,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

struct Served {
    address: SocketAddr,
    token: String,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    all: Corpus,
    folder: TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.unwrap().unwrap();
        }
    }
}

/// A gallery that is made once, and what its readers read.
struct Template {
    folder: TempDir,
    all: Corpus,
}

static TEMPLATE: LazyLock<Template> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let people = SimulationParams {
        readers: 24,
        texts: 70,
        coverage: 1.0,
        individuality: 2.0,
        ..Default::default()
    };
    let all = people.build().unwrap().run();
    let known = all.scanpaths().iter().filter(|path| path.text < 30).cloned().collect();
    let known = Corpus::new("known", all.readers().to_vec(), all.texts().to_vec(), known).unwrap();
    let at = Location::File(folder.path().join("own.gallery"));
    let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
    let (desk, _) =
        Recognizer::open_or_create(&at, None, &founding, &known, &enroll, &Unwatched).unwrap();
    desk.enroll(&known, &enroll, &Unwatched).unwrap();
    Template { folder, all }
});

/// A copy of the gallery in a folder.
fn gallery(folder: &Path) -> (Recognizer, Corpus) {
    let file = folder.join("own.gallery");
    std::fs::copy(TEMPLATE.folder.path().join("own.gallery"), &file).unwrap();
    (Recognizer::open(&Location::File(file), None).unwrap(), TEMPLATE.all.clone())
}

fn served(change: impl FnOnce(&mut ServeOptions, &Path)) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let (desk, all) = gallery(folder.path());
    let place = folder.path().join("own.serve");
    let token = TokenFile::of(&place).create("test", Scopes::all(), None).unwrap().token;
    let listen = "127.0.0.1:0".parse().unwrap();
    let mut options = ServeOptions {
        listen,
        folder: place,
        grace: Duration::from_secs(10),
        requests_per_second: 0.0,
        claims_per_minute: 0.0,
        ..Default::default()
    };
    change(&mut options, folder.path());
    let server = Server::bind(desk, options, Journal::new(std::io::sink())).unwrap();
    let (address, stopper) = (server.address(), server.stopper());
    let thread = std::thread::spawn(move || server.run().unwrap());
    Served { address, token, stopper, thread: Some(thread), all, folder }
}

type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

impl Served {
    /// A request as bytes.
    fn request(&self, method: &str, path: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        )
    }

    async fn watch(&self, query: &str) -> Result<Socket, SocketError> {
        let address = format!("ws://{}/v1/watch?{query}", self.address);
        let mut request = address.into_client_request().unwrap();
        let bearer = format!("Bearer {}", self.token).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        Ok(connect_async(request).await?.0)
    }

    /// What a reader read of the texts from 30 on, as lines of a watch.
    fn lines(&self, reader: usize) -> Vec<String> {
        let own = |path: &&Scanpath| path.reader == reader && path.text >= 30;
        self.all.scanpaths().iter().filter(own).flat_map(|path| self.lines_of(path)).collect()
    }

    fn lines_of(&self, path: &Scanpath) -> Vec<String> {
        let text: &Text = &self.all.texts()[path.text];
        let words = text.lines().iter().flat_map(|line| {
            let number = line.number();
            line.words().iter().map(
                move |word| json!({"line": number, "char_start": word.start, "char_end": word.end}),
            )
        });
        let announced = json!({"text": text.id(), "words": words.collect::<Vec<_>>()});
        let fixations = path.fixations.iter().map(|fixation| {
            json!({"text": text.id(), "line": fixation.line, "x_char": fixation.x.map(|x| x.0),
                   "duration_ms": fixation.duration.map(|duration| duration.0), "gap": fixation.gap})
        });
        [announced].into_iter().chain(fixations).map(|line| line.to_string()).collect()
    }
}

/// The next line of a watch, or the code that it was closed with.
async fn next(socket: &mut Socket) -> Result<Value, CloseCode> {
    loop {
        match socket.next().await.unwrap().unwrap() {
            Message::Text(text) => return Ok(serde_json::from_str(&text).unwrap()),
            Message::Close(frame) => return Err(frame.unwrap().code),
            _ => {}
        }
    }
}

async fn say(socket: &mut Socket, line: &str) {
    socket.send(Message::text(line)).await.unwrap();
}

fn exchange(stream: &mut TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    answer(stream)
}

/// One answer with a body of the length that it says.
fn answer(stream: &mut TcpStream) -> String {
    let (mut text, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut part).unwrap();
        text.extend(&part[..read]);
        let said = String::from_utf8_lossy(&text).into_owned();
        let head = said.split_once("\r\n\r\n");
        let length = said.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.map_or(0, |length| length.parse::<usize>().unwrap());
        if read == 0 || head.is_some_and(|(head, _)| text.len() >= head.len() + 4 + length) {
            return said;
        }
    }
}

#[tokio::test]
async fn a_watch_decides_notices_a_swap_and_gives_a_last_verdict() {
    let served = served(|_, _| {});
    let mut socket = served.watch("reader=r003&fmr=0.2&fnmr=0.05").await.unwrap();
    let opening = next(&mut socket).await.unwrap();
    assert_eq!(opening["reader"], "r003");
    assert_eq!(opening["thresholds"].as_array().unwrap().len(), 2);
    let mut decisions = Vec::new();
    let mut batch = String::new();
    for (reader, line) in [2, 5]
        .into_iter()
        .flat_map(|reader| served.lines(reader).into_iter().map(move |l| (reader, l)))
    {
        if line.contains("words") {
            say(&mut socket, &line).await;
            continue;
        }
        say(&mut socket, &line).await;
        let state = next(&mut socket).await.unwrap();
        decisions.push((reader, state["decision"].as_str().unwrap().to_owned()));
        batch = line;
    }
    let at =
        |reader, decision| decisions.iter().position(|d| *d == (reader, String::from(decision)));
    assert!(at(2, "accept").is_some() && at(5, "reject").is_some(), "{decisions:?}");
    assert_eq!(decisions.last().unwrap().1, "reject");
    // Several lines of one message, and lines that cannot be used.
    say(&mut socket, &format!("{batch}\nno JSON\n\n{{\"text\": \"unheard of\"}}")).await;
    assert!(next(&mut socket).await.unwrap()["decision"].is_string());
    for _ in 0..2 {
        assert!(next(&mut socket).await.unwrap()["error"].is_string());
    }
    say(&mut socket, "{\"end\": true}").await;
    let last = next(&mut socket).await.unwrap();
    assert_eq!((&last["last"], &last["decision"]), (&json!(true), &json!("reject")));
    assert_eq!(next(&mut socket).await, Err(CloseCode::Normal));
}

#[tokio::test]
async fn a_watch_that_cannot_be_is_refused_before_it_begins() {
    let served = served(|options, _| options.max_watches = 1);
    for (query, status) in [
        ("reader=nobody", 404),
        ("reader=r001&fmr=3", 400),
        ("reader=r001&window=3", 400),
        ("reader=r001&what=3", 400),
        ("", 400),
    ] {
        match served.watch(query).await {
            Err(SocketError::Http(response)) => assert_eq!(response.status().as_u16(), status),
            other => panic!("{query}: {other:?}"),
        }
    }
    let mut first = served.watch("reader=r001").await.unwrap();
    next(&mut first).await.unwrap();
    let strict = crate::served(|options, _| options.require_challenge = true);
    let SocketError::Http(response) = strict.watch("reader=r001").await.unwrap_err() else {
        panic!("expected an answer")
    };
    let said = String::from_utf8(response.body().clone().unwrap()).unwrap();
    assert!(response.status() == 403 && said.contains("\"challenge\""), "{said}");
    match served.watch("reader=r001").await {
        Err(SocketError::Http(response)) => assert_eq!(response.status().as_u16(), 503),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_end_of_the_server_gives_watches_their_last_verdict() {
    let mut served = served(|_, _| {});
    let mut socket = served.watch("reader=r003").await.unwrap();
    next(&mut socket).await.unwrap();
    let lines: Vec<String> = served.lines(2).into_iter().take(10).collect();
    let fixations = lines.iter().filter(|line| !line.contains("words")).count();
    for line in &lines {
        say(&mut socket, line).await;
    }
    for _ in 0..fixations {
        next(&mut socket).await.unwrap();
    }
    served.stopper.stop();
    let last = next(&mut socket).await.unwrap();
    assert_eq!((&last["last"], &last["decision"]), (&json!(true), &json!("go-on")));
    assert_eq!(next(&mut socket).await, Err(CloseCode::Away));
    drop(socket);
    served.thread.take().unwrap().join().unwrap();
    served.thread = Some(std::thread::spawn(|| {}));
    let at = Location::File(served.folder.path().join("own.gallery"));
    let log = Recognizer::open(&at, None).unwrap().log().unwrap();
    let last = serde_json::to_value(log.last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["reader"]), (&json!("watched"), &json!("r003")));
}

#[tokio::test]
async fn a_revoked_token_went_on_watching() {
    let served = served(|_, _| {});
    let mut socket = served.watch("reader=r003").await.unwrap();
    next(&mut socket).await.unwrap();
    let tokens = TokenFile::of(&served.folder.path().join("own.serve"));
    tokens.revoke(&served.token).unwrap();
    let last = next(&mut socket).await.unwrap();
    assert_eq!(last["kind"], "unauthenticated");
    assert_eq!(next(&mut socket).await, Err(CloseCode::Policy));
}

#[tokio::test]
async fn texts_were_announced_without_end() {
    let served = served(|_, _| {});
    let mut socket = served.watch("reader=r003").await.unwrap();
    next(&mut socket).await.unwrap();
    let text = |name: &str, words: usize| {
        let words = (0..words).map(|i| json!({"char_start": 2 * i, "char_end": 2 * i + 1}));
        json!({"text": name, "words": words.collect::<Vec<_>>()}).to_string()
    };
    for i in 0..10 {
        say(&mut socket, &text(&format!("t{}", i % 5), 5000)).await;
        say(&mut socket, &text(&format!("u{}", i % 5), 5000)).await;
    }
    for (name, words) in [("one more", 1), (&*"x".repeat(201), 1)] {
        say(&mut socket, &text(name, words)).await;
        let said = next(&mut socket).await.unwrap();
        assert!(said["error"].as_str().unwrap().contains("50000 words"), "{said}");
    }
    // A text of a name that is there takes its place.
    say(&mut socket, &text("t0", 4999)).await;
    say(&mut socket, &text("one more", 1)).await;
    say(&mut socket, "{\"end\": true}").await;
    assert_eq!(next(&mut socket).await.unwrap()["last"], true);
}

/// The request to enrol somebody new by what a reader read of the texts from 30 on.
fn enrolment(served: &Served, reader: usize) -> String {
    let (mut fixations, mut words) = (Vec::new(), Vec::new());
    for path in served.all.scanpaths().iter().filter(|p| p.reader == reader && p.text >= 30) {
        let text = &served.all.texts()[path.text];
        fixations.extend(path.fixations.iter().map(|fixation| {
            json!({"text": text.id(), "line": fixation.line, "x_char": fixation.x.map(|x| x.0),
                   "duration_ms": fixation.duration.map(|duration| duration.0)})
        }));
        words.extend(text.lines().iter().flat_map(|line| {
            line.words().iter().map(|word| {
                json!({"text": text.id(), "line": line.number(), "word_index": word.index,
                       "char_start": word.start, "char_end": word.end})
            })
        }));
    }
    let body = json!({"recording": {"fixations": fixations, "words": words}}).to_string();
    served.request("POST", &format!("/v1/readers/new{reader}/recordings"), &body)
}

#[test]
fn the_end_dropped_enrolments_that_were_taken_on() {
    let mut served = served(|options, _| options.grace = Duration::from_secs(300));
    // One is learned, the others wait.
    let mut asked: Vec<TcpStream> = Vec::new();
    for reader in 0..3 {
        let mut stream = TcpStream::connect(served.address).unwrap();
        stream.write_all(enrolment(&served, reader).as_bytes()).unwrap();
        asked.push(stream);
    }
    std::thread::sleep(Duration::from_millis(100));
    served.stopper.stop();
    for stream in &mut asked {
        let said = answer(stream);
        assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    }
    drop(asked);
    served.thread.take().unwrap().join().unwrap();
    served.thread = Some(std::thread::spawn(|| {}));
    let at = Location::File(served.folder.path().join("own.gallery"));
    let there = Recognizer::open(&at, None).unwrap().list().unwrap();
    assert_eq!(there.iter().filter(|entry| entry.id.starts_with("new")).count(), 3);
}

#[test]
fn slow_uploads_kept_other_recordings_waiting() {
    let served = served(|_, _| {});
    let request = enrolment(&served, 0);
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(served.address).unwrap();
            stream.write_all(&request.as_bytes()[..request.len() / 2]).unwrap();
            stream
        })
        .collect();
    std::thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    let mut stream = TcpStream::connect(served.address).unwrap();
    let body = json!({"reader": "r001", "recording": {"fixations": []}}).to_string();
    let said = exchange(&mut stream, &served.request("POST", "/v1/verify", &body));
    assert!(said.starts_with("HTTP/1.1 422"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    drop(slow);
}

#[test]
fn requests_that_are_under_way_are_answered_at_the_end() {
    let served = served(|_, _| {});
    let mut stream = TcpStream::connect(served.address).unwrap();
    let body = json!({"reader": "nobody", "recording": {"fixations": [
        {"text": "s", "x_deg": 1.0, "y_deg": 1.0, "duration_ms": 200}]}});
    let request = served.request("POST", "/v1/verify", &body.to_string());
    let (first, rest) = request.split_at(request.len() - 20);
    stream.write_all(first.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    served.stopper.stop();
    std::thread::sleep(Duration::from_millis(200));
    let said = exchange(&mut stream, rest);
    assert!(said.starts_with("HTTP/1.1 404") || said.starts_with("HTTP/1.1 422"), "{said}");
    assert!(TcpStream::connect(served.address).is_err());
}

#[test]
fn slow_and_half_closed_clients_keep_nobody_waiting() {
    let served = served(|options, _| options.timeout = Duration::from_secs(1));
    let mut idle: Vec<TcpStream> = Vec::new();
    for i in 0..100 {
        let mut stream = TcpStream::connect(served.address).unwrap();
        let request = served.request("POST", "/v1/verify", "{\"reader\": \"r001\"}");
        // Part of a head, or of a body, and nothing more.
        let part = if i % 2 == 0 { 30 } else { request.len() - 5 };
        stream.write_all(&request.as_bytes()[..part]).unwrap();
        if i % 4 == 0 {
            stream.shutdown(Shutdown::Write).unwrap();
        }
        idle.push(stream);
    }
    let begun = Instant::now();
    let mut stream = TcpStream::connect(served.address).unwrap();
    for _ in 0..20 {
        let said = exchange(&mut stream, &served.request("GET", "/v1/readers", ""));
        assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    }
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // Who does not end a body is answered all the same.
    let said = answer(&mut idle[1]);
    assert!(said.starts_with("HTTP/1.1 503"), "{said}");
}

#[test]
fn what_is_no_http_is_dropped() {
    let served = served(|_, _| {});
    for bytes in [b"\x16\x03\x01\x02\x00\x01\x00".as_slice(), b"\0\0\0\0\r\n\r\n", &[b'x'; 200_000]]
    {
        let mut stream = TcpStream::connect(served.address).unwrap();
        _ = stream.write_all(bytes);
        _ = stream.shutdown(Shutdown::Write);
        let mut said = Vec::new();
        _ = stream.read_to_end(&mut said);
        let said = String::from_utf8_lossy(&said);
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 4"), "{said}");
    }
    let mut stream = TcpStream::connect(served.address).unwrap();
    assert!(exchange(&mut stream, &served.request("GET", "/healthz", "")).ends_with("ok\n"));
}

#[test]
fn certificates_are_used_and_keys_that_all_may_read_are_not() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let write = |folder: &Path| {
        let files = TlsFiles { cert: folder.join("cert.pem"), key: folder.join("key.pem") };
        std::fs::write(&files.cert, &cert).unwrap();
        std::fs::write(&files.key, &key).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&files.key, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        files
    };
    let served = served(|options, folder| options.tls = Some(write(folder)));
    let mut roots = rustls::RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let mut session = rustls::ClientConnection::new(std::sync::Arc::new(config), name).unwrap();
    let mut socket = TcpStream::connect(served.address).unwrap();
    let mut stream = rustls::Stream::new(&mut session, &mut socket);
    let host = format!("localhost:{}", served.address.port());
    let request =
        served.request("GET", "/v1/session", "").replace(&served.address.to_string(), &host);
    stream.write_all(request.as_bytes()).unwrap();
    let mut said = [0; 4096];
    let read = stream.read(&mut said).unwrap();
    let said = String::from_utf8_lossy(&said[..read]);
    assert!(
        said.starts_with("HTTP/1.1 200") && said.contains("strict-transport-security"),
        "{said}"
    );
    // In the open, nothing is answered.
    let mut plain = TcpStream::connect(served.address).unwrap();
    plain.write_all(served.request("GET", "/healthz", "").as_bytes()).unwrap();
    let mut said = Vec::new();
    _ = plain.read_to_end(&mut said);
    assert!(!said.starts_with(b"HTTP"));

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (desk, _) = gallery(folder.path());
        let files = write(folder.path());
        std::fs::set_permissions(&files.key, std::fs::Permissions::from_mode(0o604)).unwrap();
        let options = ServeOptions {
            listen: "127.0.0.1:0".parse().unwrap(),
            folder: folder.path().to_owned(),
            tls: Some(files),
            ..Default::default()
        };
        let refused = Server::bind(desk, options, Journal::new(std::io::sink()));
        assert!(matches!(refused, Err(ServeError::Certificate(why)) if why.contains("chmod")));
    }
}

#[test]
fn what_would_be_open_to_others_is_not_served() {
    let folder = tempfile::tempdir().unwrap();
    let (desk, _) = gallery(folder.path());
    let options = ServeOptions {
        listen: "0.0.0.0:0".parse().unwrap(),
        folder: folder.path().to_owned(),
        ..Default::default()
    };
    let refused = Server::bind(desk, options, Journal::new(std::io::sink()));
    assert!(matches!(refused, Err(ServeError::Options(_))));
}

/// A scope is a word of the documentation.
#[test]
fn scopes_are_read_as_they_are_written() {
    for scope in Scope::ALL {
        assert_eq!(scope.name().parse(), Ok(scope));
    }
    assert!("enroll".parse::<Scope>().unwrap_err().contains("enrol"));
}
