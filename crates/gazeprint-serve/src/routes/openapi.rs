//! The description of the server.

use std::sync::OnceLock;

use axum::Json;
use serde_json::Value;

use crate::openapi::document;

/// `GET /openapi.json`
pub(crate) async fn show() -> Json<&'static Value> {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    Json(DOCUMENT.get_or_init(document))
}
