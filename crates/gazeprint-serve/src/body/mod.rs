//! Recordings as they are sent: JSON, or tables as parts of a form. What is sent is read to its end where everybody waits,
//! and looked at where work is done.

mod arrival;
pub(crate) mod rows;

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::header;
use gazeprint::corpus::{Corpus, Text};
use gazeprint_io::{LooseTable, LooseTables, LooseWords};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

pub(crate) use self::arrival::{Arrived, Held, Memory, short};
use self::rows::{FixationRow, Rows, TrialRow, WordRow, check_count, table};
use crate::app::{App, ask};
use crate::problem::Problem;

/// How packed files begin, and tables that are no text.
const GZIP: [u8; 2] = [0x1f, 0x8b];
const COLUMNAR: [&[u8]; 2] = [b"PAR1", b"ARROW1"];

/// The tables of a recording.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordingBody {
    /// What was fixated, in order.
    #[schema(value_type = Vec<FixationRow>)]
    fixations: Rows<FixationRow>,
    /// Where words are; may be left out where the server has the texts, or fixations have `x_deg, y_deg`.
    #[schema(value_type = Option<Vec<WordRow>>)]
    words: Option<Rows<WordRow>>,
    #[schema(value_type = Option<Vec<TrialRow>>)]
    trials: Option<Rows<TrialRow>>,
}

/// A question or a change with a recording.
pub(crate) trait WithRecording: DeserializeOwned + Send + 'static {
    /// Takes the recording out of what was sent as JSON.
    fn take_recording(&mut self) -> Option<RecordingBody>;
}

/// What was sent: what is asked, and the tables of the recording.
pub(crate) struct Sent<Q> {
    pub(crate) question: Q,
    tables: SentTables,
    /// What it takes of the memory for bodies, until it is read.
    held: Held,
}

struct SentTables {
    fixations: LooseTable,
    words: Option<LooseTable>,
    trials: Option<LooseTable>,
}

impl RecordingBody {
    fn tables(self) -> Result<SentTables, Problem> {
        let Self { fixations: Rows(fixations), words, trials } = self;
        if fixations.is_empty() {
            return Err(Problem::input("found no fixations, expected at least one"));
        }
        Ok(SentTables {
            fixations: table(&fixations),
            words: words.filter(|rows| !rows.0.is_empty()).map(|rows| table(&rows.0)),
            trials: trials.filter(|rows| !rows.0.is_empty()).map(|rows| table(&rows.0)),
        })
    }
}

/// Reads JSON, and says where in it something is wrong.
pub(crate) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let place = error.path().to_string();
        match place.as_str() {
            "." => Problem::usage(format!("the body is not what is expected: {}", error.inner())),
            _ => Problem::usage(format!("{place}: {}", error.inner())),
        }
    })?;
    reader.end().map_err(|error| Problem::usage(format!("after the body: {error}")))?;
    Ok(value)
}

/// A JSON body of which nothing else is expected.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<Arc<App>> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        check_json(&request)?;
        let Arrived { bytes, held } = app.bodies.take(request.into_body()).await?;
        ask(app, move |_| {
            let value = json(&bytes)?;
            drop(held);
            Ok(Self(value))
        })
        .await
    }
}

/// A JSON body of few bytes.
pub(crate) struct ShortBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for ShortBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Arc<App>) -> Result<Self, Problem> {
        check_json(&request)?;
        Ok(Self(json(&short(request).await?)?))
    }
}

fn check_json(request: &Request) -> Result<(), Problem> {
    match media_type(request).as_str() {
        "application/json" => Ok(()),
        other => Err(Problem::media_type(other)),
    }
}

impl<Q: WithRecording> FromRequest<Arc<App>> for Sent<Q> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        let media_type = media_type(&request);
        let is_form = match media_type.as_str() {
            "application/json" => false,
            "multipart/form-data" => true,
            other => return Err(Problem::media_type(other)),
        };
        let (head, body) = request.into_parts();
        let Arrived { bytes, held } = app.bodies.take(body).await?;
        if is_form {
            let form = Request::from_parts(head, Body::from(bytes));
            let form = Multipart::from_request(form, app).await;
            let form = form.map_err(|error| Problem::usage(error.body_text()))?;
            let parts = parts(form, app.options.max_body).await?;
            return ask(app, move |_| of_parts(parts, held)).await;
        }
        ask(app, move |_| {
            let mut question: Q = json(&bytes)?;
            drop(bytes);
            let recording = question.take_recording().ok_or_else(|| {
                Problem::usage(
                    "found no recording, expected {\"recording\": {\"fixations\": [...]}}",
                )
            })?;
            Ok(Self { question, tables: recording.tables()?, held })
        })
        .await
    }
}

fn media_type(request: &Request) -> String {
    let value = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let value = value.unwrap_or_default().split(';').next().unwrap_or_default();
    value.trim().to_ascii_lowercase()
}

/// What is asked in a form, and the tables in it, by place in `PARTS`.
type Parts = [Option<Bytes>; PARTS.len()];
const PARTS: [&str; 4] = ["question", "fixations", "words", "trials"];

/// Takes a form apart that is in memory.
async fn parts(mut form: Multipart, most: usize) -> Result<Parts, Problem> {
    let mut found = Parts::default();
    let wrong = |error: axum::extract::multipart::MultipartError| match error.status().as_u16() {
        413 => Problem::too_large(most),
        _ => Problem::usage(error.body_text()),
    };
    while let Some(part) = form.next_field().await.map_err(wrong)? {
        let name = part.name().unwrap_or_default().to_owned();
        let place = PARTS.iter().position(|known| *known == name).ok_or_else(|| {
            Problem::usage(format!("found a part {name:?}, expected one of {}", PARTS.join(", ")))
        })?;
        let bytes = part.bytes().await.map_err(wrong)?;
        // Nobody knows how large it is unpacked.
        if bytes.starts_with(&GZIP) {
            return Err(Problem::input(format!(
                "found a packed part {name:?}, expected it unpacked"
            )));
        }
        if found[place].replace(bytes).is_some() {
            return Err(Problem::usage(format!("found the part {name:?} twice")));
        }
    }
    Ok(found)
}

fn of_parts<Q: WithRecording>(parts: Parts, held: Held) -> Result<Sent<Q>, Problem> {
    let [question, fixations, words, trials] = parts;
    let mut question: Q = json(question.as_deref().unwrap_or(b"{}"))?;
    if question.take_recording().is_some() {
        return Err(Problem::usage("found a recording in the part question, expected tables"));
    }
    let fixations = fixations
        .ok_or_else(|| Problem::usage("found no part fixations, expected a table of fixations"))?;
    let optional = |name, bytes: Option<Bytes>| bytes.map(|bytes| loose(name, bytes)).transpose();
    let tables = SentTables {
        fixations: loose("fixations", fixations)?,
        words: optional("words", words)?,
        trials: optional("trials", trials)?,
    };
    Ok(Sent { question, tables, held })
}

/// A table as it was sent, of no more rows than may be; how many Parquet has is not known before it is unpacked.
fn loose(name: &str, bytes: Bytes) -> Result<LooseTable, Problem> {
    if !COLUMNAR.iter().any(|mark| bytes.starts_with(mark)) {
        // Rows end in one or the other, or both.
        let ends = |end: u8| bytes.iter().filter(|byte| **byte == end).count();
        check_count(ends(b'\n').max(ends(b'\r')).saturating_sub(1)).map_err(Problem::input)?;
    }
    Ok(LooseTable { name: name.to_owned(), bytes: bytes.into() })
}

impl<Q> Sent<Q> {
    /// What is asked, and the recording of one person. Words that were not sent are those of texts that the
    /// server has; `only_known` says that none may be sent.
    pub(crate) fn read(self, known: &[Text], only_known: bool) -> Result<(Q, Corpus), Problem> {
        let Self { question, tables: SentTables { fixations, words, trials }, held } = self;
        let words = match words {
            Some(_) if only_known => {
                return Err(Problem::usage(
                    "found words, expected none: the server has those of its texts",
                ));
            }
            Some(words) => LooseWords::Table(words),
            None if known.is_empty() => LooseWords::Unknown,
            None => LooseWords::Known(known.to_vec()),
        };
        let tables = LooseTables { fixations, words, trials };
        let (corpus, _) =
            tables.read("recording", true).map_err(|error| Problem::input(error.to_string()))?;
        drop(held);
        Ok((question, corpus))
    }
}
