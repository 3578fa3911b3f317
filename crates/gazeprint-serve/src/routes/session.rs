//! Pages that log in and out.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::access::{COOKIE, Caller, Unopened};
use crate::app::App;
use crate::body;
use crate::guard::{bearer, by_token};
use crate::problem::Problem;

/// What a page logs in with. With a token in the header `Authorization`, nothing more is needed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenSession {
    /// The secret of the link that the server printed.
    link: Option<String>,
}

/// Who asks.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Session {
    /// The number of the token, or `page`.
    caller: String,
    /// What they may do.
    scopes: Vec<&'static str>,
    /// Whether there are recordings to play.
    demonstration: bool,
    version: &'static str,
}

impl Session {
    fn of(caller: &Caller, app: &App) -> Self {
        Self {
            caller: caller.id.clone(),
            scopes: caller.scopes.iter().map(|scope| scope.name()).collect(),
            demonstration: app.options.demonstration.is_some(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// `GET /v1/session`
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Json<Session> {
    Json(Session::of(&caller, &app))
}

/// `POST /v1/session`
pub(crate) async fn open(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Response, Problem> {
    let session = match bearer(request.headers()) {
        Some(token) => {
            let caller = by_token(&app, token)?;
            app.count(&caller)?;
            app.sessions.open_by_token(caller).map_err(unopened)?
        }
        None => {
            let OpenSession { link } = body::json(&body::short(request).await?)?;
            let opened = app.sessions.open_by_link(&link.unwrap_or_default()).map_err(unopened)?;
            opened.ok_or_else(|| {
                Problem::unauthenticated(
                    "the link is not valid, or was used before; use a token, or start the server anew",
                )
            })?
        }
    };
    let known = app.sessions.caller(&session.secret);
    let (caller, _) = known.ok_or_else(|| Problem::bug("a new session is not there"))?;
    let set = cookie_of(&session.secret, session.lasts.as_secs(), app.options.is_https());
    let mut response = Json(Session::of(&caller, &app)).into_response();
    response.headers_mut().insert(header::SET_COOKIE, set?);
    Ok(response)
}

fn unopened(why: Unopened) -> Problem {
    match why {
        Unopened::Full => Problem::busy(),
        Unopened::Random(error) => Problem::bug(error.to_string()),
    }
}

/// `DELETE /v1/session`
pub(crate) async fn close(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Problem> {
    if let Some(session) = &caller.session {
        app.sessions.close(session);
        app.rooms.leave_all(session);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let gone = cookie_of("", 0, app.options.is_https())?;
    response.headers_mut().insert(header::SET_COOKIE, gone);
    Ok(response)
}

/// A cookie that scripts cannot read, and that only our own page sends.
fn cookie_of(secret: &str, seconds: u64, is_https: bool) -> Result<HeaderValue, Problem> {
    let secure = if is_https { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&cookie).map_err(|error| Problem::bug(error.to_string()))
}
