//! Load: how many questions and watches a server answers, beside the library in the same run.
//!
//!     cargo run --release -p gazeprint-serve --example load
//!
//! Needs `wrk`, which Debian's packages have. The server is a process of its own, and client and server share the
//! cores. Gallery: 251 simulated readers, 72 sentences each. Probes: 5 sentences.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]
#![allow(clippy::print_stdout, reason = "results are printed")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use gazeprint::corpus::{Corpus, Scanpath};
use gazeprint::method::Unwatched;
use gazeprint_io::BuiltIn;
use gazeprint_recognition::{
    EnrollOptions, FoundingOptions, IdentifyOptions, Location, Recognizer, ReplayPolicy,
    VerifyOptions,
};
use gazeprint_serve::{Journal, Scopes, ServeOptions, Server, TokenFile};
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

const ENROLLED_TEXTS: usize = 72;
const PROBE_TEXTS: usize = 5;
const PROBES: usize = 40;
const CONNECTIONS: [usize; 3] = [1, 16, 128];
/// Seconds of a run of `wrk`.
const SECONDS: u64 = 10;
/// Questions that the library is asked.
const ASKED: usize = 300;
const WATCHES: usize = 1000;
const WATCHED_FIXATIONS: usize = 60;
const PACE: Duration = Duration::from_millis(250);
const FORGET: ReplayPolicy = ReplayPolicy { allow: false, forget: true };

/// What is asked, by the number of a probe.
type Question<'a> = &'a (dyn Fn(usize) + Sync);

fn part(all: &Corpus, is_wanted: impl Fn(&Scanpath) -> bool) -> Corpus {
    let paths = all.scanpaths().iter().filter(|path| is_wanted(path)).cloned().collect();
    Corpus::new("part", all.readers().to_vec(), all.texts().to_vec(), paths).unwrap()
}

/// What a reader read of some texts that were not enrolled.
fn probe(all: &Corpus, reader: usize) -> Corpus {
    let own = all.scanpaths().iter().filter(|p| p.reader == reader && p.text >= ENROLLED_TEXTS);
    let texts: Vec<usize> = own.map(|path| path.text).take(PROBE_TEXTS).collect();
    part(all, |path| path.reader == reader && texts.contains(&path.text)).of_readers(&[reader])
}

fn words_of(all: &Corpus, text: usize) -> Vec<Value> {
    let text = &all.texts()[text];
    let lines = text.lines().iter();
    lines
        .flat_map(|line| {
            let number = line.number();
            line.words().iter().map(move |word| {
                json!({"text": text.id(), "line": number, "word_index": word.index,
                       "char_start": word.start, "char_end": word.end})
            })
        })
        .collect()
}

fn body(probe: &Corpus, reader: Option<&str>) -> String {
    let mut words = Vec::new();
    let mut fixations = Vec::new();
    for path in probe.scanpaths() {
        words.extend(words_of(probe, path.text));
        fixations.extend(path.fixations.iter().map(|fixation| {
            json!({"text": probe.texts()[path.text].id(), "line": fixation.line,
                   "x_char": fixation.x.map(|x| x.0),
                   "duration_ms": fixation.duration.map(|duration| duration.0)})
        }));
    }
    let recording = json!({"fixations": fixations, "words": words});
    match reader {
        Some(reader) => json!({"reader": reader, "forget": true, "recording": recording}),
        None => json!({"forget": true, "recording": recording}),
    }
    .to_string()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn quantile(times: &[Duration], part: f64) -> Duration {
    times[((times.len() - 1) as f64 * part) as usize]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The library: the median with one thread, and questions a second with two.
fn library(ask: Question<'_>) -> (Duration, f64) {
    (0..PROBES).for_each(ask);
    let timed = |i| {
        let begun = Instant::now();
        ask(i);
        begun.elapsed()
    };
    let median = median((0..ASKED).map(timed).collect());
    let (next, begun) = (AtomicUsize::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let i = next.fetch_add(1, Ordering::Relaxed)
                    && i < 2 * ASKED
                {
                    ask(i);
                }
            });
        }
    });
    (median, 2.0 * ASKED as f64 / begun.elapsed().as_secs_f64())
}

/// What a run of `wrk` found.
struct Run {
    /// Its own words on latency and errors.
    said: String,
    median: Duration,
    rate: f64,
}

/// A time as `wrk` writes it, such as `1.25ms`.
fn time(text: &str) -> Duration {
    let (number, unit) = text.split_at(text.find(char::is_alphabetic).unwrap());
    let of_unit = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        unit => panic!("a time in {unit}"),
    };
    Duration::from_secs_f64(number.parse::<f64>().unwrap() * of_unit)
}

fn wrk(script: &Path, address: &str, connections: usize) -> Run {
    let threads = connections.min(2).to_string();
    let output = Command::new("wrk")
        .args(["--latency", "--timeout", "30s", "-t", &threads, "-c", &connections.to_string()])
        .args(["-d", &format!("{SECONDS}s"), "-s"])
        .arg(script)
        .arg(format!("http://{address}"))
        .output()
        .expect("wrk is needed: apt-get install wrk");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let field = |name: &str| {
        let line = said.lines().find(|line| line.trim_start().starts_with(name));
        line.and_then(|line| line.split_whitespace().last()).unwrap_or("?").to_owned()
    };
    let errors: Vec<&str> =
        said.lines().filter(|l| l.contains("Non-2xx") || l.contains("Socket errors")).collect();
    let errors = if errors.is_empty() { "no error".to_owned() } else { errors.join("; ") };
    Run {
        said: format!("p50 {:>9}, p99 {:>9}, {errors}", field("50%"), field("99%")),
        median: time(&field("50%")),
        rate: field("Requests/sec:").parse().unwrap(),
    }
}

/// What `wrk` sends, one body after the other.
fn script(
    folder: &Path,
    name: &str,
    path: &str,
    token: &str,
    bodies: &[String],
) -> std::path::PathBuf {
    let mut lua = String::from("local bodies = {\n");
    for body in bodies {
        _ = writeln!(lua, "[==[{body}]==],");
    }
    _ = write!(
        lua,
        "}}\nlocal n = 0\nlocal headers = {{[\"Content-Type\"] = \"application/json\", [\"Authorization\"] = \
         \"Bearer {token}\"}}\nrequest = function()\n  n = n % #bodies + 1\n  return \
         wrk.format(\"POST\", \"{path}\", headers, bodies[n])\nend\n"
    );
    let file = folder.join(format!("{name}.lua"));
    std::fs::write(&file, lua).unwrap();
    file
}

/// Memory of a process that is not shared with files, KiB.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

async fn watches(address: &str, token: &str, all: &Arc<Corpus>, server: u32) {
    let before = memory(server);
    let mut sockets = Vec::new();
    for i in 0..WATCHES {
        let reader = &all.readers()[i % 100];
        let uri = format!("ws://{address}/v1/watch?reader={reader}&forget=true");
        let mut request = uri.into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        let (mut socket, _) = connect_async(request).await.unwrap();
        socket.next().await.unwrap().unwrap();
        sockets.push(socket);
    }
    let opened = memory(server);
    let mut tasks = Vec::new();
    for (i, mut socket) in sockets.into_iter().enumerate() {
        let all = Arc::clone(all);
        tasks.push(tokio::spawn(async move {
            // Each begins at a moment of its own.
            tokio::time::sleep(PACE * i as u32 / WATCHES as u32).await;
            let mut pace = tokio::time::interval(PACE);
            let own = all.scanpaths().iter().filter(|p| p.reader == i % 100 && p.text >= ENROLLED_TEXTS);
            let (mut times, mut left) = (Vec::new(), WATCHED_FIXATIONS);
            'reading: for path in own {
                let text = all.texts()[path.text].id();
                let announced = json!({"text": text, "words": words_of(&all, path.text).iter().map(|word| {
                    json!({"line": word["line"], "char_start": word["char_start"], "char_end": word["char_end"]})
                }).collect::<Vec<_>>()});
                socket.send(Message::text(announced.to_string())).await.unwrap();
                for fixation in &path.fixations {
                    pace.tick().await;
                    let line = json!({"text": text, "line": fixation.line, "x_char": fixation.x.map(|x| x.0),
                                      "duration_ms": fixation.duration.map(|duration| duration.0)});
                    let begun = Instant::now();
                    socket.send(Message::text(line.to_string())).await.unwrap();
                    let answer = loop {
                        if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
                            break text;
                        }
                    };
                    times.push(begun.elapsed());
                    assert!(answer.contains("decision"), "{answer}");
                    left -= 1;
                    if left == 0 {
                        break 'reading;
                    }
                }
            }
            times
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    times.sort_unstable();
    let kib = |after: u64| (after.saturating_sub(before)) as f64 / WATCHES as f64;
    println!(
        "{WATCHES} watches, {} verdicts: p50 {:.1} ms, p99 {:.1} ms (wanted below 50), most {:.1} ms; memory a watch {:.0} KiB, {:.0} KiB after {WATCHED_FIXATIONS} fixations",
        times.len(),
        ms(quantile(&times, 0.5)),
        ms(quantile(&times, 0.99)),
        ms(quantile(&times, 1.0)),
        kib(opened),
        kib(memory(server)),
    );
}

/// The server, in a process of its own.
fn serve(folder: &Path) {
    let desk = Recognizer::open(&Location::File(folder.join("load.gallery")), None).unwrap();
    let options = ServeOptions {
        listen: "127.0.0.1:0".parse().unwrap(),
        folder: folder.join("serve"),
        requests_per_second: 0.0,
        claims_per_minute: 0.0,
        watches_of_one: WATCHES,
        ..Default::default()
    };
    let server = Server::bind(desk, options, Journal::new(std::io::sink())).unwrap();
    println!("{}", server.address());
    server.run().unwrap();
}

struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn main() {
    if let Some(folder) = std::env::args().nth(1) {
        return serve(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let all = Arc::new(BuiltIn::Simulated.corpus());
    let known = part(&all, |path| path.text < ENROLLED_TEXTS);
    let at = Location::File(folder.path().join("load.gallery"));
    let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
    let (desk, _) =
        Recognizer::open_or_create(&at, None, &founding, &known, &enroll, &Unwatched).unwrap();
    desk.enroll(&known, &enroll, &Unwatched).unwrap();
    println!("gallery: {} readers", desk.list().unwrap().len());
    let token = TokenFile::of(&folder.path().join("serve"))
        .create("load", Scopes::all(), None)
        .unwrap()
        .token;
    let probes: Vec<Corpus> = (0..PROBES).map(|reader| probe(&all, reader)).collect();
    let name = |i: usize| all.readers()[i % PROBES].as_str();
    let verify = VerifyOptions { replays: FORGET, ..Default::default() };
    let identify = IdentifyOptions { replays: FORGET, ..Default::default() };
    let bodies = |is_claim: bool| -> Vec<String> {
        (0..PROBES).map(|i| body(&probes[i], is_claim.then(|| name(i)))).collect()
    };
    let mut child = Command::new(std::env::current_exe().unwrap())
        .arg(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let (address, served) = (address.trim().to_owned(), Served(child));
    let ask_verify = |i: usize| _ = desk.verify(&probes[i % PROBES], name(i), &verify).unwrap();
    let ask_identify = |i: usize| _ = desk.identify(&probes[i % PROBES], &identify).unwrap();
    let questions: [(&str, Question<'_>, bool); 2] =
        [("verify", &ask_verify, true), ("identify", &ask_identify, false)];
    let mut ratios = Vec::new();
    for (what, ask, is_claim) in questions {
        let (median, rate) = library(ask);
        println!("{what}, library: p50 {:.2} ms, {rate:.0} a second on two threads", ms(median));
        let path = format!("/v1/{what}");
        let script = script(folder.path(), what, &path, &token, &bodies(is_claim));
        let runs = CONNECTIONS.map(|connections| {
            let run = wrk(&script, &address, connections);
            println!(
                "{what}, {connections:>3} connections: {:>7.0} a second, {}",
                run.rate, run.said
            );
            run
        });
        ratios.push(format!(
            "{what}: p50 at 1 connection is {:.2} of the library's (wanted below 1.5); a second at {} connections, {:.2} of \
             two threads of the library (wanted above 0.7)",
            runs[0].median.as_secs_f64() / median.as_secs_f64(),
            CONNECTIONS[1],
            runs[1].rate / rate,
        ));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(watches(&address, &token, &all, served.0.id()));
    ratios.iter().for_each(|ratio| println!("{ratio}"));
}
