//! What went wrong, as clients are told it: problem details (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gazeprint_recognition::{Error, ErrorKind, Location, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

/// What went wrong.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) kind: &'static str,
    pub(crate) detail: String,
    /// Seconds after which to try again.
    pub(crate) retry_after: Option<u64>,
    /// What only the server's log says: where galleries are, and what the operating system told.
    pub(crate) cause: Option<String>,
}

/// A problem as it is sent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDetails<'a> {
    /// What kind of problem it is, as a name of its own.
    #[serde(rename = "type")]
    kind_uri: String,
    /// The kind, in short: the kinds of the command's errors, and those of the server.
    kind: &'a str,
    /// The words of the status.
    title: &'a str,
    /// The status once more.
    status: u16,
    /// What was found, what was expected, and how to go on.
    detail: &'a str,
    /// The number of the request, which the server's log has too.
    request_id: &'a str,
}

/// The status of each kind of the library's errors.
pub(crate) fn status_of(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Usage => StatusCode::BAD_REQUEST,
        ErrorKind::Input | ErrorKind::Unsupported => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Damaged => StatusCode::INTERNAL_SERVER_ERROR,
        // What may be mended while the server runs: a disk, a database, a key.
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}

impl Problem {
    /// Seconds until what is busy may be free again.
    const SOON: u64 = 1;

    fn new(status: StatusCode, kind: &'static str, detail: impl Into<String>) -> Self {
        Self { status, kind, detail: detail.into(), retry_after: None, cause: None }
    }

    /// A request that makes no sense.
    pub(crate) fn usage(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "usage", detail)
    }

    /// Recordings or texts that cannot be used.
    pub(crate) fn input(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "input", detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    pub(crate) fn conflict(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", detail)
    }

    pub(crate) fn method() -> Self {
        let detail = "this path does not have the method; /openapi.json lists what there is";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "usage", detail)
    }

    /// Nobody that is known.
    pub(crate) fn unauthenticated(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", detail)
    }

    /// Somebody who may not.
    pub(crate) fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// A challenge that is not to be answered, or not so.
    pub(crate) fn challenge(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "challenge", detail)
    }

    /// A name or an origin that is not this server's.
    pub(crate) fn misdirected(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::MISDIRECTED_REQUEST, "forbidden", detail)
    }

    /// Too many requests of one caller.
    pub(crate) fn too_many(detail: impl Into<String>, seconds: u64) -> Self {
        let problem = Self::new(StatusCode::TOO_MANY_REQUESTS, "rate", detail);
        Self { retry_after: Some(seconds.max(1)), ..problem }
    }

    pub(crate) fn too_large(most: usize) -> Self {
        let detail = format!("the body is larger than {most} bytes; send less at once");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "input", detail)
    }

    pub(crate) fn media_type(found: &str) -> Self {
        let detail = format!(
            "found a body of type {found:?}, expected application/json, or multipart/form-data with \
             parts fixations, words and trials as CSV or Parquet"
        );
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "usage", detail)
    }

    /// Work that took too long.
    pub(crate) fn late(seconds: u64) -> Self {
        let detail = format!("no answer within {seconds} s; what was begun may still be done");
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail);
        Self { retry_after: Some(Self::SOON), ..problem }
    }

    /// More work than the server takes on.
    pub(crate) fn busy() -> Self {
        let detail = "more is asked for than is done meanwhile; try again in a second";
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail);
        Self { retry_after: Some(Self::SOON), ..problem }
    }

    /// A file of the server that cannot be written.
    pub(crate) fn unwritable() -> Self {
        let detail = "nothing can be kept; the server's log says why";
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "io", detail);
        Self { retry_after: Some(Self::SOON), ..problem }
    }

    /// The server ends.
    pub(crate) fn stopping() -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "the server is stopping");
        Self { retry_after: Some(Self::SOON), ..problem }
    }

    /// A mistake of the server's own.
    pub(crate) fn bug(cause: impl Into<String>) -> Self {
        let detail = "the server made a mistake; its log has the request by its number";
        let problem = Self::new(StatusCode::INTERNAL_SERVER_ERROR, "bug", detail);
        Self { cause: Some(cause.into()), ..problem }
    }

    /// What the library said, without what clients need not know: where the gallery is, what the
    /// operating system told, and who else is enrolled.
    pub(crate) fn of(error: &Error, at: &Location) -> Self {
        let kind = error.kind();
        let cause = error.to_string();
        let detail = match kind {
            ErrorKind::NotFound => "there is no such reader".to_owned(),
            ErrorKind::Damaged | ErrorKind::Locked | ErrorKind::Io => {
                "the gallery cannot be read or written; the server's log says why".to_owned()
            }
            ErrorKind::Interrupted => "the server is stopping".to_owned(),
            _ => match error {
                Error::Fit { source, .. } => format!("{error}: {source}"),
                _ => cause.replace(&at.to_string(), "the gallery"),
            },
        };
        let status = status_of(kind);
        let is_passing = status == StatusCode::SERVICE_UNAVAILABLE || is_contended(error);
        Self {
            status,
            kind: kind.name(),
            detail,
            retry_after: is_passing.then_some(Self::SOON),
            cause: Some(cause),
        }
    }

    /// The problem with the number of its request.
    pub(crate) fn told(&self, request_id: &str) -> Response {
        let title = self.status.canonical_reason().unwrap_or("Problem");
        let body = ProblemDetails {
            kind_uri: format!("urn:gazeprint:problem:{}", self.kind),
            kind: self.kind,
            title,
            status: self.status.as_u16(),
            detail: &self.detail,
            request_id,
        };
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        let media = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, media);
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Whether the gallery was busy for others, which passes.
fn is_contended(error: &Error) -> bool {
    use gazeprint_recognition::Error as E;
    match error {
        E::Gallery(error) => std::error::Error::source(error)
            .and_then(|source| source.downcast_ref::<StoreError>())
            .is_some_and(|error| matches!(error, StoreError::Busy { .. })),
        _ => false,
    }
}

/// Whoever attends to the request tells it, for only they know its number.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_status() {
        use ErrorKind::{
            Conflict, Damaged, Input, Interrupted, Io, Locked, NotFound, Unsupported, Usage,
        };
        for (kind, status) in [
            (Usage, 400),
            (Input, 422),
            (NotFound, 404),
            (Locked, 503),
            (Damaged, 500),
            (Conflict, 409),
            (Unsupported, 422),
            (Io, 503),
            (Interrupted, 503),
        ] {
            assert_eq!(status_of(kind).as_u16(), status, "{}", kind.name());
        }
    }

    #[test]
    fn clients_are_not_told_where_the_gallery_is() {
        let at = Location::File("/secret/place/staff.gallery".into());
        for error in
            [Error::FewReaders { at: at.clone(), readers: 1 }, Error::NoWords { at: at.clone() }]
        {
            let problem = Problem::of(&error, &at);
            assert!(!problem.detail.contains("secret"), "{}", problem.detail);
            assert!(problem.cause.is_some_and(|cause| cause.contains("secret")));
        }
    }
}
