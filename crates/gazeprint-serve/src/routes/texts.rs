//! Texts, and the challenges that are made of them.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Named, check_name};
use crate::access::Caller;
use crate::app::{App, ask};
use crate::body::{JsonBody, ShortBody};
use crate::problem::Problem;
use crate::texts::TextBody;

/// Texts of a challenge, where nobody says how many.
const USUAL_TEXTS: usize = 3;
const MOST_TEXTS: usize = 50;

/// Texts.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Texts {
    texts: Vec<TextBody>,
}

/// How many texts there are now.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TextCount {
    texts: usize,
}

/// What a challenge is asked for with.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChallengeBody {
    /// Who will claim to be read by.
    reader: String,
    /// How many texts, 1 to 50.
    #[serde(default = "usual_texts")]
    texts: usize,
}

fn usual_texts() -> usize {
    USUAL_TEXTS
}

/// A challenge: read these, and verify with its number.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeChallenge {
    challenge: String,
    texts: Vec<TextBody>,
    valid_seconds: u64,
}

/// `GET /v1/texts`
pub(crate) async fn list(State(app): State<Arc<App>>) -> Json<Texts> {
    Json(Texts { texts: app.texts.bodies() })
}

/// `POST /v1/texts`
pub(crate) async fn add(
    State(app): State<Arc<App>>,
    JsonBody(Texts { texts }): JsonBody<Texts>,
) -> Result<Json<TextCount>, Problem> {
    ask(&app, move |app| Ok(Json(TextCount { texts: app.texts.add(texts)? }))).await
}

/// `DELETE /v1/texts/{name}`
pub(crate) async fn remove(
    State(app): State<Arc<App>>,
    Named(name): Named,
) -> Result<Json<TextCount>, Problem> {
    ask(&app, move |app| Ok(Json(TextCount { texts: app.texts.remove(&name)? }))).await
}

/// `POST /v1/challenges`
pub(crate) async fn challenge(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    ShortBody(ChallengeBody { reader, texts }): ShortBody<ChallengeBody>,
) -> Result<Json<MadeChallenge>, Problem> {
    check_name(&reader)?;
    if !(1..=MOST_TEXTS).contains(&texts) {
        return Err(Problem::usage(format!("texts: found {texts}, expected 1 to {MOST_TEXTS}")));
    }
    let drawn = app.texts.draw(texts)?;
    let names = drawn.iter().map(|text| text.text.clone()).collect();
    let challenge = app.challenges.make(&caller.id, &reader, names)?;
    let valid_seconds = app.challenges.valid_for().as_secs();
    Ok(Json(MadeChallenge { challenge, texts: drawn, valid_seconds }))
}
