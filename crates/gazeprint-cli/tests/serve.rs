//! `gazeprint serve` and `gazeprint token` as processes.

#![cfg(feature = "serve")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn gazeprint(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("gazeprint"));
    command.current_dir(folder);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    gazeprint(folder).args(arguments).output().unwrap()
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A server that is killed when it is dropped.
struct Served {
    process: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

impl Served {
    fn begin(folder: &Path) -> Self {
        let mut process = gazeprint(folder)
            .args(["serve", "--gallery", "own.gallery", "--listen", "127.0.0.1:0"])
            .args(["--requests-per-second", "0"])
            .stdout(Stdio::piped())
            .stderr(fs::File::create(folder.join("log")).unwrap())
            .spawn()
            .unwrap();
        let mut link = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
        let address = link.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
        Self { process, address }
    }

    /// Status and body of an answer; none where the server is gone.
    fn ask(&self, token: &str, method: &str, path: &str, body: &[u8]) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nConnection: \
             close\r\nContent-Type: multipart/form-data; boundary=xyz\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body).ok()?;
        let mut said = String::new();
        stream.read_to_string(&mut said).ok()?;
        let status = said.split(' ').nth(1)?.parse().ok()?;
        Some((status, said.split_once("\r\n\r\n")?.1.to_owned()))
    }
}

/// A gallery of made-up readers, and tables of others as forms.
fn prepare(folder: &Path) -> Vec<Vec<u8>> {
    done(folder, &["simulate", "--readers", "14", "--texts", "24", "--out", "made"]);
    let rows = fs::read_to_string(folder.join("made/fixations.csv")).unwrap();
    let words = fs::read_to_string(folder.join("made/words.csv")).unwrap();
    let (header, rows) = rows.split_once('\n').unwrap();
    let of = |wanted: &dyn Fn(usize) -> bool| {
        let is_wanted = |row: &&str| wanted(row[1..5].trim_end_matches(',').parse().unwrap());
        let rows: Vec<&str> = rows.lines().filter(is_wanted).collect();
        format!("{header}\n{}\n", rows.join("\n"))
    };
    fs::create_dir(folder.join("first")).unwrap();
    fs::write(folder.join("first/fixations.csv"), of(&|reader| reader <= 6)).unwrap();
    fs::write(folder.join("first/words.csv"), &words).unwrap();
    done(folder, &["enroll", "first", "--gallery", "own.gallery"]);
    let form = |fixations: &str| {
        let part = |name: &str, text: &str| {
            format!(
                "--xyz\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n{text}\r\n"
            )
        };
        format!("{}{}--xyz--\r\n", part("fixations", fixations), part("words", &words)).into_bytes()
    };
    (7..=14).map(|wanted| form(&of(&|reader| reader == wanted))).collect()
}

#[test]
fn what_was_answered_as_enrolled_survives_a_kill_under_load() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let forms = prepare(place);
    let create = ["token", "create", "--gallery", "own.gallery", "--name", "x", "--scopes"];
    let token = done(place, &[&create[..], &["enrol,read"]].concat());
    let token = token.trim();
    // Killed at one moment and another, while several clients enrol.
    let mut answered: Vec<String> = Vec::new();
    for pause in [30, 120, 300] {
        let mut served = Served::begin(place);
        let said: Vec<Option<String>> = std::thread::scope(|scope| {
            let shared = &served;
            let asked: Vec<_> = forms
                .iter()
                .zip(7..)
                .map(|(form, reader)| {
                    scope.spawn(move || {
                        let name = format!("r{reader:03}");
                        let path = format!("/v1/readers/{name}/recordings");
                        let (status, body) = shared.ask(token, "POST", &path, form)?;
                        assert_eq!(status, 200, "{body}");
                        Some(name)
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(pause));
            kill(served.process.id());
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        _ = served.process.wait();
        answered.extend(said.into_iter().flatten());
        let there: Value = serde_json::from_str(&done(
            place,
            &["gallery", "list", "--gallery", "own.gallery", "--json"],
        ))
        .unwrap();
        let names: Vec<&str> =
            there.as_array().unwrap().iter().map(|reader| reader["id"].as_str().unwrap()).collect();
        for name in &answered {
            assert!(names.contains(&name.as_str()), "{name} was answered as enrolled: {names:?}");
        }
        assert!(done(place, &["gallery", "check", "--gallery", "own.gallery"]).contains("whole"));
    }
    // In the end, all of them are enrolled, as if nothing had happened.
    let served = Served::begin(place);
    for (form, reader) in forms.iter().zip(7..) {
        let path = format!("/v1/readers/r{reader:03}/recordings");
        let (status, body) = served.ask(token, "POST", &path, form).unwrap();
        assert_eq!(status, 200, "{body}");
    }
    let (_, list) = served.ask(token, "GET", "/v1/readers", b"").unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&list).unwrap()["readers"].as_array().unwrap().len(),
        14
    );
}

fn kill(process: u32) {
    let killed = Command::new("kill").args(["-9", &process.to_string()]).status().unwrap();
    assert!(killed.success());
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    prepare(place);
    fn of<'a>(more: &[&'a str]) -> Vec<&'a str> {
        [&["token"], more, &["--gallery", "own.gallery"]].concat()
    }
    let missing = run(place, &["token", "list", "--gallery", "other.gallery"]);
    assert!(String::from_utf8_lossy(&missing.stderr).contains("found no gallery"));
    let wrong = run(place, &of(&["create", "--name", "x", "--scopes", "verify,enroll"]));
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("enrol, verify, identify"));
    let token = done(place, &of(&["create", "--name", "shop", "--scopes", "read", "--days", "1"]));
    let token = token.trim();
    let served = Served::begin(place);
    let status = || served.ask(token, "GET", "/v1/readers", b"").unwrap().0;
    assert_eq!(status(), 200);
    let list = done(place, &of(&["list"]));
    let id = token.split('_').nth(1).unwrap();
    assert!(list.contains(id) && list.contains("shop") && !list.contains(token), "{list}");
    done(place, &of(&["revoke", id]));
    assert_eq!(status(), 401);
    assert!(done(place, &of(&["list"])).contains("revoked"));
    let unknown = run(place, &of(&["revoke", "none"]));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("found no token"));
}

#[test]
fn servers_that_others_could_listen_to_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    prepare(place);
    let serve = ["serve", "--gallery", "own.gallery", "--listen"];
    let open = run(place, &[&serve[..], &["0.0.0.0:0"]].concat());
    assert_eq!(open.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&open.stderr).contains("--tls-cert"));
    let unnamed = run(place, &[&serve[..], &["0.0.0.0:0", "--behind-proxy"]].concat());
    assert_eq!(unnamed.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unnamed.stderr).contains("--name"));
    let missing = run(place, &["serve", "--gallery", "other.gallery"]);
    assert_eq!(missing.status.code(), Some(1));
}

/// The lines of the five minutes of docs/serve.md, as somebody pastes them.
#[test]
#[ignore = "enrols 84 readers"]
fn the_lines_of_the_documentation_work_when_pasted() {
    if Command::new("curl").arg("--version").output().is_err() {
        assert!(std::env::var("CI").is_err(), "curl is needed");
        eprintln!("skipped: there is no curl");
        return;
    }
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/serve.md");
    let document = fs::read_to_string(document).unwrap();
    let (_, own) = document.split_once("With a gallery of your own").unwrap();
    let (own, _) = own.split_once("## What is asked").unwrap();
    let lines: Vec<&str> = own.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    assert!(lines.iter().filter(|line| line.contains("curl")).count() >= 4);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let script = lines
        .join("\n")
        .replace("curl -s", "curl -sS --fail-with-body")
        .replace("7878", &port.to_string());
    let script = script.replace(
        "gazeprint serve --gallery staff.gallery &",
        &format!(
            "gazeprint serve --gallery staff.gallery --listen 127.0.0.1:{port} &\nSERVER=$!\ntrap 'kill \
             $SERVER' EXIT\nfor i in $(seq 100); do curl -s http://127.0.0.1:{port}/readyz && break; sleep .1; done"
        ),
    );
    let folder = tempfile::tempdir().unwrap();
    let bin = assert_cmd::cargo::cargo_bin("gazeprint");
    let path = format!("{}:{}", bin.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-euc", &script])
        .env("PATH", path)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("\"replay\":{\"of\":\"enrolled\""), "{said}");
}
