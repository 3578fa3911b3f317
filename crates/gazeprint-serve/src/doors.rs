//! All doors of the server, in one table: what router, description and tests are made of.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse as _;
use axum::routing::{MethodRouter, delete, get, post};
use tower_http::catch_panic::CatchPanicLayer;

use crate::access::Scope;
use crate::app::App;
use crate::guard::{Access, admit, after_panic, attend};
use crate::openapi::{Body, Param, Reply};
use crate::problem::Problem;
use crate::routes::{
    demo, log, metrics, mouse, openapi, page, readers, recognise, session, texts, watch,
};

/// A door: a method of a path.
pub(crate) struct Door {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) handler: MethodRouter<Arc<App>>,
    pub(crate) about: &'static str,
    pub(crate) params: &'static [Param],
    pub(crate) body: Body,
    pub(crate) reply: Reply,
}

impl Door {
    fn new(method: Method, path: &'static str, handler: MethodRouter<Arc<App>>) -> Self {
        Self {
            method,
            path,
            access: Access::Open,
            handler,
            about: "",
            params: &[],
            body: Body::None,
            reply: Reply::Nothing,
        }
    }

    fn with(mut self, access: Access, about: &'static str, body: Body, reply: Reply) -> Self {
        (self.access, self.about, self.body, self.reply) = (access, about, body, reply);
        self
    }

    fn asking(self, params: &'static [Param]) -> Self {
        Self { params, ..self }
    }
}

const fn scope(scope: Scope) -> Access {
    Access::Scope(scope)
}

/// All doors but those of the page's own files.
pub(crate) fn doors() -> Vec<Door> {
    use Scope::{Administer, Enrol, Identify, Read, Verify};
    let get_at = |path, handler| Door::new(Method::GET, path, handler);
    let post_at = |path, handler| Door::new(Method::POST, path, handler);
    let delete_at = |path, handler| Door::new(Method::DELETE, path, handler);
    vec![
        post_at("/v1/readers/{name}/recordings", post(readers::enrol)).with(
            scope(Enrol),
            "Enrols a reader, or adds recordings to one. What is answered is on the disk.",
            Body::Recording("EnrolBody"),
            Reply::Json("Enrolled"),
        ),
        get_at("/v1/readers", get(readers::list)).with(
            scope(Read),
            "The readers, by name.",
            Body::None,
            Reply::Json("Readers"),
        ),
        get_at("/v1/readers/{name}", get(readers::show)).with(
            scope(Read),
            "A reader.",
            Body::None,
            Reply::Json("ShownReader"),
        ),
        delete_at("/v1/readers/{name}", delete(readers::remove)).with(
            scope(Administer),
            "Removes a reader, and overwrites what was kept of them.",
            Body::None,
            Reply::Json("Removed"),
        ),
        post_at("/v1/identify", post(recognise::identify)).with(
            scope(Identify),
            "Who made a recording?",
            Body::Recording("IdentifyBody"),
            Reply::Json("Identified"),
        ),
        post_at("/v1/verify", post(recognise::verify)).with(
            scope(Verify),
            "Is a recording of a certain reader?",
            Body::Recording("VerifyBody"),
            Reply::Json("Verified"),
        ),
        post_at("/v1/challenges", post(texts::challenge)).with(
            scope(Verify),
            "Draws texts at random that the next verification must be of.",
            Body::Json("ChallengeBody"),
            Reply::Json("MadeChallenge"),
        ),
        get_at("/v1/watch", get(watch::watch))
            .with(
                scope(Verify),
                "A WebSocket: fixations and texts in, as lines of JSON; after each fixation what is thought \
                 of the claim.",
                Body::None,
                Reply::Socket,
            )
            .asking(watch::PARAMS),
        get_at("/v1/texts", get(texts::list)).with(
            scope(Read),
            "The texts that the server has.",
            Body::None,
            Reply::Json("Texts"),
        ),
        post_at("/v1/texts", post(texts::add)).with(
            scope(Administer),
            "Adds texts: recordings of them need not bring their words, and challenges are made of them.",
            Body::Json("Texts"),
            Reply::Json("TextCount"),
        ),
        delete_at("/v1/texts/{name}", delete(texts::remove)).with(
            scope(Administer),
            "Removes a text.",
            Body::None,
            Reply::Json("TextCount"),
        ),
        get_at("/v1/log", get(log::show))
            .with(
                scope(Administer),
                "The gallery's log, oldest first.",
                Body::None,
                Reply::Json("Log"),
            )
            .asking(log::PARAMS),
        get_at("/v1/demo", get(demo::list)).with(
            scope(Read),
            "Recordings that can be played.",
            Body::None,
            Reply::Json("Demonstration"),
        ),
        get_at("/v1/demo/{name}", get(demo::show)).with(
            scope(Read),
            "What a reader of the demonstration read, fixation by fixation.",
            Body::None,
            Reply::Json("PlayableReader"),
        ),
        post_at("/v1/mouse", post(mouse::make)).with(
            Access::Known,
            "A gallery of one page, for reading with the mouse; gone within the hour.",
            Body::None,
            Reply::Json("MadeRoom"),
        ),
        post_at("/v1/mouse/{name}/readers", post(mouse::enrol)).with(
            Access::Known,
            "Enrols somebody who read with the mouse.",
            Body::Recording("MouseBody"),
            Reply::Json("ReaderEntry"),
        ),
        post_at("/v1/mouse/{name}/verify", post(mouse::verify)).with(
            Access::Known,
            "Is it somebody who read with the mouse before?",
            Body::Recording("MouseBody"),
            Reply::Json("Verified"),
        ),
        get_at("/v1/mouse/{name}", get(mouse::save)).with(
            Access::Known,
            "The gallery of the page, to be kept.",
            Body::None,
            Reply::File,
        ),
        delete_at("/v1/mouse/{name}", delete(mouse::leave)).with(
            Access::Known,
            "Leaves the gallery of the page, which is gone then.",
            Body::None,
            Reply::Nothing,
        ),
        get_at("/v1/session", get(session::show)).with(
            Access::Known,
            "Who asks, and what they may do.",
            Body::None,
            Reply::Json("Session"),
        ),
        post_at("/v1/session", post(session::open)).with(
            Access::Open,
            "Exchanges the secret of the link, or a token, for the cookie of a page.",
            Body::Json("OpenSession"),
            Reply::Json("Session"),
        ),
        delete_at("/v1/session", delete(session::close)).with(
            Access::Known,
            "Logs a page out.",
            Body::None,
            Reply::Nothing,
        ),
        get_at("/metrics", get(metrics::metrics)).with(
            scope(Read),
            "Numbers for Prometheus.",
            Body::None,
            Reply::Text,
        ),
        get_at("/healthz", get(metrics::health)).with(
            Access::Open,
            "Whether the server answers at all.",
            Body::None,
            Reply::Text,
        ),
        get_at("/readyz", get(metrics::ready)).with(
            Access::Open,
            "Whether the server can answer: its gallery is there, and it does not end.",
            Body::None,
            Reply::Text,
        ),
        get_at("/openapi.json", get(openapi::show)).with(
            Access::Open,
            "This description.",
            Body::None,
            Reply::Json("Object"),
        ),
    ]
}

/// The router with all doors, each with its guard.
pub(crate) fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for Door { path, access, handler, .. } in doors() {
        let guard = from_fn_with_state((Arc::clone(app), access), admit);
        router = router.route(path, handler.route_layer(guard));
    }
    router
        .merge(page::router())
        .fallback(|| async { Problem::not_found("there is no such path").into_response() })
        .method_not_allowed_fallback(|| async { Problem::method().into_response() })
        .layer(DefaultBodyLimit::max(app.options.max_body))
        .layer(CatchPanicLayer::custom(after_panic))
        .layer(from_fn_with_state(Arc::clone(app), attend))
        .with_state(Arc::clone(app))
}
