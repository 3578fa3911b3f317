//! Recordings as they are sent: JSON, or tables as parts of a form.

pub(crate) mod rows;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::header;
use gazeprint::corpus::{Corpus, Text};
use gazeprint_io::{LooseTable, LooseTables, LooseWords};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use self::rows::{FixationRow, TrialRow, WordRow, table};
use crate::app::App;
use crate::problem::Problem;

/// How packed files begin.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The tables of a recording.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordingBody {
    /// What was fixated, in order.
    fixations: Vec<FixationRow>,
    /// Where words are; may be left out where the server has the texts, or fixations have `x_deg, y_deg`.
    words: Option<Vec<WordRow>>,
    trials: Option<Vec<TrialRow>>,
}

/// A question or a change with a recording.
pub(crate) trait WithRecording: DeserializeOwned {
    /// Takes the recording out of what was sent as JSON.
    fn take_recording(&mut self) -> Option<RecordingBody>;
}

/// What was sent: what is asked, and the tables of the recording.
pub(crate) struct Sent<Q> {
    pub(crate) question: Q,
    tables: SentTables,
}

struct SentTables {
    fixations: LooseTable,
    words: Option<LooseTable>,
    trials: Option<LooseTable>,
}

impl RecordingBody {
    fn tables(self) -> Result<SentTables, Problem> {
        if self.fixations.is_empty() {
            return Err(Problem::input("found no fixations, expected at least one"));
        }
        let rows = |rows: Option<Vec<WordRow>>| rows.filter(|rows| !rows.is_empty());
        Ok(SentTables {
            fixations: table(&self.fixations),
            words: rows(self.words).map(|rows| table(&rows)),
            trials: self.trials.filter(|rows| !rows.is_empty()).map(|rows| table(&rows)),
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

/// The body, no larger than may be.
pub(crate) async fn bytes(request: Request, app: &App) -> Result<Bytes, Problem> {
    let most = app.options.max_body;
    let body = axum::body::to_bytes(request.into_body(), most).await;
    body.map_err(|error| of_reading(&error, most))
}

fn of_reading(error: &dyn std::error::Error, most: usize) -> Problem {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.to_string().contains("length limit exceeded") {
            return Problem::too_large(most);
        }
        cause = error.source();
    }
    Problem::usage("the body cannot be read to its end")
}

/// A JSON body of which nothing else is expected.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        match media_type(&request).as_str() {
            "application/json" => Ok(Self(json(&bytes(request, app).await?)?)),
            other => Err(Problem::media_type(other)),
        }
    }
}

impl<Q: WithRecording> FromRequest<Arc<App>> for Sent<Q> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        // So many bodies are held in memory at once.
        let _held = app.bodies.acquire().await.map_err(|_| Problem::stopping())?;
        match media_type(&request).as_str() {
            "application/json" => {
                let mut question: Q = json(&bytes(request, app).await?)?;
                let recording = question.take_recording().ok_or_else(|| {
                    Problem::usage(
                        "found no recording, expected {\"recording\": {\"fixations\": [...]}}",
                    )
                })?;
                Ok(Self { question, tables: recording.tables()? })
            }
            "multipart/form-data" => {
                let form = Multipart::from_request(request, app).await;
                let form = form.map_err(|error| Problem::usage(error.body_text()))?;
                parts(form, app.options.max_body).await
            }
            other => Err(Problem::media_type(other)),
        }
    }
}

fn media_type(request: &Request) -> String {
    let value = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let value = value.unwrap_or_default().split(';').next().unwrap_or_default();
    value.trim().to_ascii_lowercase()
}

/// Tables as parts of a form, with what is asked in the part `question`.
async fn parts<Q: WithRecording>(mut form: Multipart, most: usize) -> Result<Sent<Q>, Problem> {
    let mut found: [Option<Bytes>; 4] = Default::default();
    let names = ["question", "fixations", "words", "trials"];
    let wrong = |error: axum::extract::multipart::MultipartError| match error.status().as_u16() {
        413 => Problem::too_large(most),
        _ => Problem::usage(error.body_text()),
    };
    while let Some(part) = form.next_field().await.map_err(wrong)? {
        let name = part.name().unwrap_or_default().to_owned();
        let place = names.iter().position(|known| *known == name).ok_or_else(|| {
            Problem::usage(format!("found a part {name:?}, expected one of {}", names.join(", ")))
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
    let [question, fixations, words, trials] = found;
    let question: Q = json(question.as_deref().unwrap_or(b"{}"))?;
    let loose =
        |name: &str, bytes: Bytes| LooseTable { name: name.to_owned(), bytes: bytes.to_vec() };
    let fixations = fixations
        .ok_or_else(|| Problem::usage("found no part fixations, expected a table of fixations"))?;
    Ok(Sent {
        question,
        tables: SentTables {
            fixations: loose("fixations", fixations),
            words: words.map(|bytes| loose("words", bytes)),
            trials: trials.map(|bytes| loose("trials", bytes)),
        },
    })
}

impl<Q> Sent<Q> {
    /// What is asked, and the recording of one person. Words that were not sent are those of texts that the
    /// server has; `only_known` says that none may be sent.
    pub(crate) fn read(self, known: &[Text], only_known: bool) -> Result<(Q, Corpus), Problem> {
        let SentTables { fixations, words, trials } = self.tables;
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
        Ok((self.question, corpus))
    }
}
