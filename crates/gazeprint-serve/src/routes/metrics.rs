//! For those who watch over the server.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::problem::Problem;

/// `GET /metrics`
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let text = app.metrics.text(app.workshop.waiting());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// `GET /healthz`
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// `GET /readyz`
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Result<&'static str, Problem> {
    if app.is_stopping() {
        return Err(Problem::stopping());
    }
    app.readiness.check(&app).await?;
    Ok("ready\n")
}
