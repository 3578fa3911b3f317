//! Recordings for the page to play, where the server has some.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use gazeprint::corpus::{Corpus, Fixation, Scanpath};
use serde::Serialize;
use utoipa::ToSchema;

use super::Named;
use crate::app::App;
use crate::problem::Problem;
use crate::texts::TextWord;

/// Recordings that can be played.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Demonstration {
    /// Where they come from.
    corpus: String,
    readers: Vec<String>,
}

/// What a reader read.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayableReader {
    reader: String,
    readings: Vec<PlayableReading>,
}

/// A text that was read, in order.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayableReading {
    text: String,
    words: Vec<TextWord>,
    fixations: Vec<PlayableFixation>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayableFixation {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    x_char: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    gap: bool,
}

fn demonstration(app: &App) -> Result<&Corpus, Problem> {
    let missing = || Problem::not_found("there is nothing to play; start the server with --demo");
    app.options.demonstration.as_ref().ok_or_else(missing)
}

/// `GET /v1/demo`
pub(crate) async fn list(State(app): State<Arc<App>>) -> Result<Json<Demonstration>, Problem> {
    let corpus = demonstration(&app)?;
    let (name, readers) = (corpus.name().to_owned(), corpus.readers().to_vec());
    Ok(Json(Demonstration { corpus: name, readers }))
}

/// `GET /v1/demo/{name}`
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Named(name): Named,
) -> Result<Json<PlayableReader>, Problem> {
    let corpus = demonstration(&app)?;
    let reader = corpus.readers().iter().position(|reader| *reader == name);
    let reader = reader.ok_or_else(|| Problem::not_found("there is no such reader"))?;
    let own = corpus.scanpaths().iter().filter(|path| path.reader == reader);
    let readings = own.map(|path| reading(corpus, path)).collect();
    Ok(Json(PlayableReader { reader: name, readings }))
}

fn reading(corpus: &Corpus, path: &Scanpath) -> PlayableReading {
    let text = &corpus.texts()[path.text];
    let words = text.lines().iter().flat_map(|line| {
        let number = line.number();
        line.words().iter().map(move |word| TextWord {
            line: number,
            char_start: word.start,
            char_end: word.end,
        })
    });
    let fixation = |fixation: &Fixation| PlayableFixation {
        line: fixation.line,
        x_char: fixation.x.map(|x| x.0),
        duration_ms: fixation.duration.map(|duration| duration.0),
        gap: fixation.gap,
    };
    PlayableReading {
        text: text.id().to_owned(),
        words: words.collect(),
        fixations: path.fixations.iter().map(fixation).collect(),
    }
}
