//! What happens to every request before and after it is answered.

use std::any::Any;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::access::{COOKIE, Caller, Scope, random_hex};
use crate::app::App;
use crate::journal::RequestLine;
use crate::problem::Problem;

/// Who may come in by a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anybody.
    Open,
    /// Whoever is known.
    Known,
    /// Who may do this.
    Scope(Scope),
}

/// The number of a request, and who made it.
#[derive(Debug, Clone)]
pub(crate) struct Visit {
    pub(crate) id: Arc<str>,
    caller: Arc<OnceLock<String>>,
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest number of a request that is taken from a client.
const LONGEST_ID: usize = 64;

/// What the page may load, and from where.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

impl Visit {
    fn of(headers: &HeaderMap) -> Self {
        let is_fit = |id: &&str| {
            (1..=LONGEST_ID).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(is_fit);
        let id = given.map_or_else(|| random_hex::<8>().unwrap_or_default(), str::to_owned);
        Self { id: id.into(), caller: Arc::default() }
    }
}

/// Numbers a request, checks whom it was meant for, has it answered in time, and writes it down.
pub(crate) async fn attend(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let visit = Visit::of(request.headers());
    request.extensions_mut().insert(visit.clone());
    let method = method_name(request.method());
    let path = request.extensions().get::<MatchedPath>().cloned();
    let path = path.as_ref().map_or("other", MatchedPath::as_str);
    let mut response = match check_sender(&app, &request, path) {
        Err(problem) => problem.into_response(),
        Ok(()) => match tokio::time::timeout(app.options.timeout, next.run(request)).await {
            Ok(response) => response,
            Err(_) => Problem::late(app.options.timeout.as_secs()).into_response(),
        },
    };
    let problem = response.extensions_mut().remove::<Problem>();
    if let Some(problem) = &problem {
        response = problem.told(&visit.id);
    }
    finish(&mut response, &visit, app.options.is_https());
    let took = begun.elapsed();
    let status = response.status().as_u16();
    app.metrics.request(method, path, status, took);
    app.journal.say(&RequestLine {
        event: "request",
        request: &visit.id,
        caller: visit.caller.get().map(String::as_str),
        method,
        path,
        status,
        ms: (took.as_secs_f64() * 1e4).round() / 10.0,
        problem: problem.as_ref().map(|problem| problem.kind),
        cause: problem.as_ref().and_then(|problem| problem.cause.as_deref()),
    });
    response
}

/// What a method is counted and written down as. Anybody may make up names of methods, and send as many as they like.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Those who look whether the server is alive call it by any name.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

fn check_sender(app: &App, request: &Request, path: &str) -> Result<(), Problem> {
    if PROBES.contains(&path) {
        return Ok(());
    }
    app.hosts.check_host(request.headers())?;
    app.hosts.check_origin(request.headers(), false)
}

/// Headers that all answers have.
fn finish(response: &mut Response, visit: &Visit, is_https: bool) {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&visit.id) {
        headers.insert(REQUEST_ID, id);
    }
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if is_https {
        let always = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, always);
    }
}

/// Lets those in who may.
pub(crate) async fn admit(
    State((app, access)): State<(Arc<App>, Access)>,
    mut request: Request,
    next: Next,
) -> Response {
    match admitted(&app, access, &request) {
        Ok(caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    }
}

fn admitted(app: &App, access: Access, request: &Request) -> Result<Option<Caller>, Problem> {
    if access == Access::Open {
        return Ok(None);
    }
    let caller = caller(app, request)?;
    if let Some(visit) = request.extensions().get::<Visit>() {
        _ = visit.caller.set(caller.id.clone());
    }
    if let Access::Scope(scope) = access
        && !caller.scopes.have(scope)
    {
        return Err(Problem::forbidden(format!("this takes the scope {scope}")));
    }
    app.count(&caller)?;
    Ok(Some(caller))
}

/// Who makes a request: by a token, or a page by its cookie.
fn caller(app: &App, request: &Request) -> Result<Caller, Problem> {
    let headers = request.headers();
    if let Some(token) = bearer(headers) {
        return by_token(app, token);
    }
    let secret = cookie(headers).ok_or_else(|| {
        Problem::unauthenticated("expected a token, as in Authorization: Bearer TOKEN")
    })?;
    // A browser sends the cookie whoever's page asks; what does something must come from ours.
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_upgrade = headers.contains_key(header::UPGRADE);
    app.hosts.check_origin(headers, !is_reading || is_upgrade)?;
    let page = app.sessions.caller(secret);
    let (caller, token) =
        page.ok_or_else(|| Problem::unauthenticated("the page is logged out; log in anew"))?;
    match token.map_or(Ok(true), |id| app.tokens.is_valid(&id)) {
        Ok(true) => Ok(caller),
        Ok(false) => Err(Problem::unauthenticated("the token was revoked, or is over")),
        Err(error) => Err(Problem { cause: Some(error.to_string()), ..Problem::unwritable() }),
    }
}

/// Whether somebody who came in before would still come in: the page is logged in, and the token valid.
pub(crate) fn is_still_let_in(app: &App, caller: &Caller) -> bool {
    let token = match &caller.session {
        None => Some(caller.id.clone()),
        Some(session) => match app.sessions.by_hash(session) {
            Some((_, token)) => token,
            None => return false,
        },
    };
    token.is_none_or(|id| app.tokens.is_valid(&id).unwrap_or(false))
}

/// Who has a token.
pub(crate) fn by_token(app: &App, token: &str) -> Result<Caller, Problem> {
    match app.tokens.caller(token) {
        Ok(Some(caller)) => Ok(caller),
        Ok(None) => {
            Err(Problem::unauthenticated("the token is not known, was revoked, or is over"))
        }
        Err(error) => Err(Problem { cause: Some(error.to_string()), ..Problem::unwritable() }),
    }
}

/// The token of a request.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The secret of the page's cookie.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(name, _)| name.trim() == COOKIE).map(|(_, secret)| secret.trim())
}

/// What a panic is answered with.
pub(crate) fn after_panic(panic: Box<dyn Any + Send>) -> Response {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
    Problem::bug(format!("panicked: {said}")).into_response()
}
