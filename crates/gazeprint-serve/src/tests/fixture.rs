//! A server over a small gallery, and somebody who asks it.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use gazeprint::corpus::Corpus;
use gazeprint::method::Unwatched;
use gazeprint::simulate::SimulationParams;
use gazeprint_recognition::{EnrollOptions, FoundingOptions, Location, Recognizer};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::access::{Scope, Scopes};
use crate::app::App;
use crate::doors::router;
use crate::journal::Journal;
use crate::options::ServeOptions;

/// Texts that readers were enrolled with; others are for probes.
pub(super) const ENROLLED_TEXTS: usize = 30;
const HOST: &str = "127.0.0.1:7878";

/// A gallery that is made once, and what its readers read.
struct Template {
    folder: TempDir,
    all: Corpus,
}

static TEMPLATE: LazyLock<Template> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let people = SimulationParams {
        readers: 8,
        texts: 40,
        coverage: 1.0,
        individuality: 2.0,
        ..Default::default()
    };
    let all = people.build().unwrap().run();
    let known = part(&all, |_, text| text < ENROLLED_TEXTS);
    let at = Location::File(folder.path().join("own.gallery"));
    let (founding, enroll) = (FoundingOptions::default(), EnrollOptions::default());
    let (desk, _) =
        Recognizer::open_or_create(&at, None, &founding, &known, &enroll, &Unwatched).unwrap();
    desk.enroll(&known, &enroll, &Unwatched).unwrap();
    Template { folder, all }
});

/// Readings that are wanted, by reader and text.
pub(super) fn part(all: &Corpus, is_wanted: impl Fn(usize, usize) -> bool) -> Corpus {
    let paths = all.scanpaths().iter().filter(|path| is_wanted(path.reader, path.text));
    let (readers, texts) = (all.readers().to_vec(), all.texts().to_vec());
    Corpus::new("part", readers, texts, paths.cloned().collect()).unwrap()
}

/// What the server wrote.
#[derive(Clone, Default)]
pub(super) struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A server, and what it was made with.
pub(super) struct Fixture {
    pub(super) app: Arc<App>,
    router: Router,
    written: Written,
    pub(super) folder: TempDir,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {}", self.text))
    }

    /// The kind of a problem.
    pub(super) fn kind(&self) -> String {
        self.json()["kind"].as_str().unwrap_or_default().to_owned()
    }
}

impl Fixture {
    pub(super) fn new() -> Self {
        Self::with(ServeOptions::default())
    }

    pub(super) fn with(options: ServeOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let gallery: PathBuf = folder.path().join("own.gallery");
        fs::copy(TEMPLATE.folder.path().join("own.gallery"), &gallery).unwrap();
        let desk = Recognizer::open(&Location::File(gallery), None).unwrap();
        let written = Written::default();
        let options = ServeOptions { folder: folder.path().join("own.serve"), ..options };
        let journal = Journal::new(written.clone());
        let app = App::new(desk, options, journal, HOST.parse().unwrap()).unwrap();
        let app = Arc::new(app);
        Self { router: router(&app), app, written, folder }
    }

    /// A token for these.
    pub(super) fn token(&self, scopes: &[Scope]) -> String {
        self.app.tokens.create("test", Scopes::of(scopes.to_vec()), None).unwrap().token
    }

    /// Everything that a token can do.
    pub(super) fn master(&self) -> String {
        self.token(&Scope::ALL)
    }

    pub(super) async fn call(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Answer { status: parts.status, headers: parts.headers, text }
    }

    pub(super) async fn get(&self, path: &str, token: &str) -> Answer {
        self.call(request(Method::GET, path, Some(token)).body(Body::empty()).unwrap()).await
    }

    pub(super) async fn delete(&self, path: &str, token: &str) -> Answer {
        self.call(request(Method::DELETE, path, Some(token)).body(Body::empty()).unwrap()).await
    }

    pub(super) async fn post(&self, path: &str, token: &str, body: &Value) -> Answer {
        self.send(path, token, "application/json", body.to_string().into_bytes()).await
    }

    pub(super) async fn send(
        &self,
        path: &str,
        token: &str,
        media_type: &str,
        body: Vec<u8>,
    ) -> Answer {
        let request = request(Method::POST, path, Some(token));
        let request = request.header(header::CONTENT_TYPE, media_type).body(Body::from(body));
        self.call(request.unwrap()).await
    }

    /// The lines that the server wrote.
    pub(super) fn lines(&self) -> Vec<Value> {
        let written = self.written.0.lock().unwrap();
        let lines = written.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
    }
}

pub(super) fn request(
    method: Method,
    path: &str,
    token: Option<&str>,
) -> axum::http::request::Builder {
    let request = Request::builder().method(method).uri(path).header(header::HOST, HOST);
    match token {
        Some(token) => request.header(header::AUTHORIZATION, format!("Bearer {token}")),
        None => request,
    }
}

/// What a reader, by place, read of some texts.
pub(super) fn read_by(reader: usize, texts: std::ops::Range<usize>) -> Corpus {
    part(&TEMPLATE.all, |_, text| texts.contains(&text)).of_readers(&[reader])
}

/// A recording as JSON; with words if wanted.
pub(super) fn recording(corpus: &Corpus, with_words: bool) -> Value {
    let mut fixations = Vec::new();
    let mut read: Vec<usize> = Vec::new();
    for path in corpus.scanpaths() {
        read.push(path.text);
        for fixation in &path.fixations {
            let mut row = json!({
                "text": corpus.texts()[path.text].id(),
                "x_char": fixation.x.map(|x| x.0),
                "duration_ms": fixation.duration.map(|duration| duration.0),
                "onset_ms": fixation.onset.map(|onset| onset.0),
                "gap": fixation.gap,
            });
            row["line"] = json!(fixation.line);
            fixations.push(row);
        }
    }
    let words: Vec<Value> = read.into_iter().flat_map(|text| words(corpus, text)).collect();
    match with_words {
        true => json!({"fixations": fixations, "words": words}),
        false => json!({"fixations": fixations}),
    }
}

fn words(corpus: &Corpus, text: usize) -> Vec<Value> {
    let text = &corpus.texts()[text];
    let of_line = |line: &gazeprint::corpus::Line| {
        let number = line.number();
        let word = move |word: &gazeprint::corpus::Word| {
            json!({"text": text.id(), "line": number, "word_index": word.index,
                   "char_start": word.start, "char_end": word.end})
        };
        line.words().iter().map(word).collect::<Vec<_>>()
    };
    text.lines().iter().flat_map(of_line).collect()
}

/// Texts as the server takes them.
pub(super) fn texts(range: std::ops::Range<usize>) -> Value {
    let all: Vec<Value> = range
        .map(|text| {
            let words = words(&TEMPLATE.all, text).into_iter().map(|mut word| {
                let fields = word.as_object_mut().unwrap();
                fields
                    .retain(|name, _| ["line", "char_start", "char_end"].contains(&name.as_str()));
                word
            });
            json!({"text": TEMPLATE.all.texts()[text].id(), "words": words.collect::<Vec<_>>()})
        })
        .collect();
    json!({"texts": all})
}

/// The same recording as a table with another delimiter than JSON's.
pub(super) fn csv(corpus: &Corpus) -> (Vec<u8>, Vec<u8>) {
    let recording = recording(corpus, true);
    let table = |rows: &Value, columns: &[&str]| {
        let mut text = columns.join("\t") + "\n";
        for row in rows.as_array().unwrap() {
            let cells = columns.iter().map(|column| match &row[*column] {
                Value::Null => String::new(),
                Value::String(cell) => cell.clone(),
                Value::Bool(cell) => u8::from(*cell).to_string(),
                cell => cell.to_string(),
            });
            text += &(cells.collect::<Vec<_>>().join("\t") + "\n");
        }
        text.into_bytes()
    };
    let fixations = ["text", "line", "x_char", "duration_ms", "onset_ms", "gap"];
    let words = ["text", "line", "word_index", "char_start", "char_end"];
    (table(&recording["fixations"], &fixations), table(&recording["words"], &words))
}

/// A form with parts.
pub(super) fn form(parts: &[(&str, &[u8])]) -> (String, Vec<u8>) {
    let boundary = "between-the-parts";
    let mut body = Vec::new();
    for (name, bytes) in parts {
        body.extend(format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n"
        )
        .bytes());
        body.extend(*bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{boundary}--\r\n").bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}
