//! Reading with the mouse, for those who try the page.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Named;
use super::readers::{ReaderEntry, of_reader};
use crate::access::Caller;
use crate::answers::Verified;
use crate::app::{App, ask};
use crate::body::{RecordingBody, Sent, WithRecording};
use crate::mouse;
use crate::problem::Problem;
use crate::texts::TextBody;

/// A gallery of one page, and what is read there.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeRoom {
    room: String,
    texts: Vec<TextBody>,
    /// The rate of false accepts.
    fmr: f64,
}

/// Somebody who read with the mouse.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MouseBody {
    reader: String,
    recording: Option<RecordingBody>,
}

impl WithRecording for MouseBody {
    fn take_recording(&mut self) -> Option<RecordingBody> {
        self.recording.take()
    }
}

/// `POST /v1/mouse`
pub(crate) async fn make(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<MadeRoom>, Problem> {
    let room = app.rooms.make(&caller)?;
    Ok(Json(MadeRoom { room, texts: mouse::texts(), fmr: mouse::RATE }))
}

/// `POST /v1/mouse/{name}/readers`
pub(crate) async fn enrol(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Named(room): Named,
    sent: Sent<MouseBody>,
) -> Result<Json<ReaderEntry>, Problem> {
    let room = app.rooms.find(&room, &caller.id)?;
    ask(&app, move |_| {
        let (asked, recording) = sent.read(&mouse::known_texts()?, true)?;
        Ok(Json(room.enrol(&of_reader(recording, &asked.reader)?)?.into()))
    })
    .await
}

/// `POST /v1/mouse/{name}/verify`
pub(crate) async fn verify(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Named(room): Named,
    sent: Sent<MouseBody>,
) -> Result<Json<Verified>, Problem> {
    let room = app.rooms.find(&room, &caller.id)?;
    ask(&app, move |_| {
        let (asked, recording) = sent.read(&mouse::known_texts()?, true)?;
        // Who tries it is shown how it comes about.
        Ok(Json(Verified::of(room.verify(&recording, &asked.reader)?, true)))
    })
    .await
}

/// `GET /v1/mouse/{name}`
pub(crate) async fn save(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Named(room): Named,
) -> Result<Response, Problem> {
    let room = app.rooms.find(&room, &caller.id)?;
    let bytes = ask(&app, move |_| room.saved()).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"mouse.gallery\""),
    ];
    Ok((headers, bytes).into_response())
}

/// `DELETE /v1/mouse/{name}`
pub(crate) async fn leave(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Named(room): Named,
) -> Result<StatusCode, Problem> {
    app.rooms.leave(&room, &caller.id)?;
    Ok(StatusCode::NO_CONTENT)
}
