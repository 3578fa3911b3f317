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

/// Longest name of a reader or text, bytes.
pub(crate) const LONGEST_NAME: usize = 200;

/// What a path names.
pub(crate) struct Named(pub(crate) String);

impl FromRequestParts<Arc<App>> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Problem> {
        let Path(name) = Path::<String>::from_request_parts(parts, app)
            .await
            .map_err(|error| Problem::usage(error.body_text()))?;
        check_name(&name)?;
        Ok(Self(name))
    }
}

/// Refuses names that nothing is called by; some are remembered of whoever sends them.
pub(crate) fn check_name(name: &str) -> Result<(), Problem> {
    let is_fit = (1..=LONGEST_NAME).contains(&name.len()) && !name.chars().any(char::is_control);
    match is_fit {
        true => Ok(()),
        false => Err(Problem::usage(format!(
            "expected a name of 1 to {LONGEST_NAME} bytes without control characters"
        ))),
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
