//! The gallery's log.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use gazeprint_recognition::Logged;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Asked;
use crate::app::{App, ask};
use crate::openapi::Param;
use crate::problem::Problem;

/// Entries of an answer, at most.
const MOST: usize = 1000;

/// What the log may be asked with.
pub(crate) const PARAMS: &[Param] = &[
    Param { name: "after", kind: "integer", is_required: false, about: "Entries to leave out" },
    Param { name: "limit", kind: "integer", is_required: false, about: "Entries at most, to 1000" },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogQuery {
    after: Option<usize>,
    limit: Option<usize>,
}

/// A part of the log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Log {
    /// Entries in all.
    entries: usize,
    /// What was done, oldest first.
    #[schema(value_type = Vec<Object>)]
    log: Vec<Logged>,
}

/// `GET /v1/log`
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Asked(LogQuery { after, limit }): Asked<LogQuery>,
) -> Result<Json<Log>, Problem> {
    let limit = limit.unwrap_or(MOST).min(MOST);
    ask(&app, move |app| {
        let log = app.desk.log().map_err(|error| app.problem(&error))?;
        let entries = log.len();
        let log = log.into_iter().skip(after.unwrap_or(0)).take(limit).collect();
        Ok(Json(Log { entries, log }))
    })
    .await
}
