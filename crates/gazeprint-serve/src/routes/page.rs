//! The page: files that are part of the program.

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::app::App;

/// A file of the page.
struct Asset {
    path: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
}

macro_rules! asset {
    ($path:literal, $file:literal, $media_type:literal) => {
        Asset {
            path: $path,
            media_type: $media_type,
            bytes: include_bytes!(concat!("../../page/built/", $file)),
        }
    };
}

/// What `npm run build` makes in `page/`.
const ASSETS: [Asset; 4] = [
    asset!("/", "index.html", "text/html; charset=utf-8"),
    asset!("/page.js", "page.js", "text/javascript; charset=utf-8"),
    asset!("/page.css", "page.css", "text/css; charset=utf-8"),
    asset!("/icon.svg", "icon.svg", "image/svg+xml"),
];

/// The doors of the page's own files.
pub(crate) fn router() -> Router<Arc<App>> {
    ASSETS.iter().fold(Router::new(), |router, asset| {
        router.route(asset.path, get(move || async move { asset.response() }))
    })
}

impl Asset {
    fn response(&'static self) -> Response {
        // Asked anew each time: another version of the server has another page.
        let headers =
            [(header::CONTENT_TYPE, self.media_type), (header::CACHE_CONTROL, "no-cache")];
        (headers, self.bytes).into_response()
    }
}
