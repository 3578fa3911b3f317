//! What is answered, door by door (`doors`).

pub(crate) mod demo;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod mouse;
pub(crate) mod openapi;
pub(crate) mod page;
pub(crate) mod readers;
pub(crate) mod recognise;
pub(crate) mod session;
pub(crate) mod texts;
pub(crate) mod watch;

use std::sync::Arc;

use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::problem::Problem;

/// What a path names.
pub(crate) struct Named(pub(crate) String);

impl FromRequestParts<Arc<App>> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let Path(name) = Path::<String>::from_request_parts(parts, app)
            .await
            .map_err(|error| Problem::usage(error.body_text()))?;
        let is_fit = (1..=200).contains(&name.len()) && !name.chars().any(char::is_control);
        match is_fit {
            true => Ok(Self(name)),
            false => {
                Err(Problem::usage("expected a name of 1 to 200 bytes without control characters"))
            }
        }
    }
}

/// What is asked in the address.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<App>> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let asked = Query::<T>::from_request_parts(parts, app).await;
        asked.map(|Query(asked)| Self(asked)).map_err(|error| Problem::usage(error.body_text()))
    }
}
