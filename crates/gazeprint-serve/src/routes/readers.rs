//! Readers: enrolled, listed, shown, removed.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use gazeprint::corpus::Corpus;
use gazeprint::method::Monitor;
use gazeprint_recognition::{EnrollOptions, Entry, Erasure, Error, RecognitionMonitor, Warning};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Named;
use crate::access::Caller;
use crate::app::{App, ask, check_administers};
use crate::body::{RecordingBody, Sent, WithRecording};
use crate::problem::Problem;

/// Recordings of one reader.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnrolBody {
    recording: Option<RecordingBody>,
    /// Start the reader anew, where there is one already. Takes the scope `administer`.
    #[serde(default)]
    replace: bool,
}

impl WithRecording for EnrolBody {
    fn take_recording(&mut self) -> Option<RecordingBody> {
        self.recording.take()
    }
}

/// A reader of the gallery.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReaderEntry {
    /// Name or pseudonym.
    id: String,
    recordings: usize,
    /// Fixations that count.
    fixations: usize,
    /// First enrolled, in seconds since 1970.
    enrolled: u64,
    changed: u64,
    /// Rises with each change.
    revision: u64,
}

/// The readers of the gallery.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Readers {
    readers: Vec<ReaderEntry>,
}

/// A reader with what is remembered of them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ShownReader {
    #[serde(flatten)]
    reader: ReaderEntry,
    /// Readings of earlier recordings that are remembered, to know them again.
    remembered: usize,
}

/// A reader who was enrolled.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Enrolled {
    reader: ReaderEntry,
    #[schema(value_type = Vec<Object>)]
    warnings: Vec<Warning>,
}

/// A reader who was removed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Removed {
    reader: String,
    /// Whether everything that was kept of them is overwritten; else the next change does it.
    is_erased: bool,
}

impl From<Entry> for ReaderEntry {
    fn from(entry: Entry) -> Self {
        let Entry { id, recordings, fixations, enrolled, changed, revision } = entry;
        Self { id, recordings, fixations, enrolled, changed, revision }
    }
}

/// Stops learning when the server ends and waits no longer.
struct UntilTheEnd<'a>(&'a App);

impl Monitor for UntilTheEnd<'_> {
    fn expect(&self, _: u64) {}
    fn advance(&self, _: u64) {}
    fn stop(&self) -> bool {
        self.0.is_over()
    }
}

impl RecognitionMonitor for UntilTheEnd<'_> {}

/// `POST /v1/readers/{name}/recordings`
pub(crate) async fn enrol(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Named(name): Named,
    sent: Sent<EnrolBody>,
) -> Result<Json<Enrolled>, Problem> {
    // Whoever starts a reader anew takes away what was there.
    check_administers(&caller, &[("replace", sent.question.replace)])?;
    // Tables are read where questions are answered; only the change itself waits for others.
    let (asked, corpus) = ask(&app, move |app| {
        let (asked, recording) = sent.read(&app.texts.texts(), false)?;
        Ok((asked, of_reader(recording, &name)?))
    })
    .await?;
    let shared = Arc::clone(&app);
    let enrolled = app.workshop.change(move || enrolled(&shared, &corpus, asked.replace)).await??;
    app.metrics.decision("enrol", "enrolled");
    Ok(Json(enrolled))
}

fn enrolled(app: &App, corpus: &Corpus, replace: bool) -> Result<Enrolled, Problem> {
    let options = EnrollOptions { replace, strict: true, ..Default::default() };
    let enrolled = app.desk.enroll(corpus, &options, &UntilTheEnd(app));
    let enrolled = match enrolled {
        // The same came twice: perhaps whoever sent it did not hear the first answer.
        Err(Error::AllEnrolled { readers, .. }) => {
            let (id, warnings) = (readers.into_iter().next().unwrap_or_default(), Vec::new());
            let (reader, _) = app.desk.show(&id).map_err(|error| app.problem(&error))?;
            return Ok(Enrolled { reader: reader.into(), warnings });
        }
        enrolled => enrolled.map_err(|error| app.problem(&error))?,
    };
    let standing = enrolled.standing.into_iter().flat_map(|standing| standing.warnings);
    let warnings = enrolled.warnings.into_iter().chain(standing).collect();
    let reader = match enrolled.readers.into_iter().next() {
        Some(reader) => reader,
        // Another enrolled the same meanwhile.
        None => app.desk.show(&corpus.readers()[0]).map_err(|error| app.problem(&error))?.0,
    };
    Ok(Enrolled { reader: reader.into(), warnings })
}

/// The recordings of one reader, whom the tables need not name, but not name otherwise.
pub(crate) fn of_reader(recording: Corpus, name: &str) -> Result<Corpus, Problem> {
    let unnamed = gazeprint_io::UNNAMED_READER;
    match recording.readers() {
        [reader] if reader == name || reader == unnamed => {}
        [reader] => {
            return Err(Problem::input(format!(
                "found recordings of {reader:?}, expected those of {name:?}"
            )));
        }
        readers => {
            return Err(Problem::input(format!(
                "found recordings of {} readers, expected those of one",
                readers.len()
            )));
        }
    }
    let (texts, paths) = (recording.texts().to_vec(), recording.scanpaths().to_vec());
    let named = Corpus::new("recording", vec![name.to_owned()], texts, paths);
    named.map_err(|error| Problem::input(error.to_string()))
}

/// `GET /v1/readers`
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Readers>, Problem> {
    ask(&app, |app| {
        let readers = app.desk.list().map_err(|error| app.problem(&error))?;
        Ok(Json(Readers { readers: readers.into_iter().map(ReaderEntry::from).collect() }))
    })
    .await
}

/// `GET /v1/readers/{name}`
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Named(name): Named,
) -> Result<Json<ShownReader>, Problem> {
    ask(&app, move |app| {
        let (reader, remembered) = app.desk.show(&name).map_err(|error| app.problem(&error))?;
        Ok(Json(ShownReader { reader: reader.into(), remembered }))
    })
    .await
}

/// `DELETE /v1/readers/{name}`
pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    Named(name): Named,
) -> Result<Json<Removed>, Problem> {
    let shared = Arc::clone(&app);
    app.workshop
        .change(move || {
            let removal = shared.desk.remove(&name, &UntilTheEnd(&shared));
            let removal = removal.map_err(|error| shared.problem(&error))?;
            let is_erased = matches!(removal.erasure, Erasure::Done);
            Ok(Json(Removed { reader: removal.reader, is_erased }))
        })
        .await?
}
