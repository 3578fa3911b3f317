//! The page: its files, and how it logs in.

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use serde_json::json;

use super::fixture::{Fixture, request};
use crate::access::Scope;

const ORIGIN: &str = "http://127.0.0.1:7878";

async fn log_in(fixture: &Fixture, link: &str) -> super::fixture::Answer {
    let request = request(Method::POST, "/v1/session", None).header(header::ORIGIN, ORIGIN);
    let body = Body::from(json!({"link": link}).to_string());
    fixture.call(request.body(body).unwrap()).await
}

fn cookie(answer: &super::fixture::Answer) -> String {
    let set = answer.headers[header::SET_COOKIE].to_str().unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    set.split(';').next().unwrap().to_owned()
}

async fn status_with(fixture: &Fixture, method: Method, cookie: &str) -> StatusCode {
    let request = request(method, "/v1/session", None).header(header::ORIGIN, ORIGIN);
    let request = request.header(header::COOKIE, cookie).body(Body::empty()).unwrap();
    fixture.call(request).await.status
}

#[tokio::test]
async fn a_page_logs_in_by_the_link_once_and_out() {
    let fixture = Fixture::new();
    let link = fixture.app.sessions.new_link().unwrap();
    assert_eq!(log_in(&fixture, "").await.status, StatusCode::UNAUTHORIZED);
    let answer = log_in(&fixture, &link).await;
    assert_eq!(answer.json()["scopes"].as_array().unwrap().len(), Scope::ALL.len());
    let cookie = cookie(&answer);
    assert_eq!(log_in(&fixture, &link).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(status_with(&fixture, Method::GET, &cookie).await, StatusCode::OK);
    assert_eq!(status_with(&fixture, Method::DELETE, &cookie).await, StatusCode::NO_CONTENT);
    assert_eq!(status_with(&fixture, Method::GET, &cookie).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_page_that_logged_in_with_a_token_can_do_as_much_and_as_long_as_it() {
    let fixture = Fixture::new();
    let token = fixture.token(&[Scope::Read]);
    let answer = fixture.post("/v1/session", &token, &json!({})).await;
    assert_eq!(answer.json()["scopes"], json!(["read"]));
    let cookie = cookie(&answer);
    assert_eq!(status_with(&fixture, Method::GET, &cookie).await, StatusCode::OK);
    fixture.app.tokens.revoke(&token).unwrap();
    assert_eq!(status_with(&fixture, Method::GET, &cookie).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_page_loads_nothing_from_elsewhere() {
    let fixture = Fixture::new();
    for path in ["/", "/page.js", "/page.css", "/icon.svg"] {
        let request = request(Method::GET, path, None).body(Body::empty()).unwrap();
        let answer = fixture.call(request).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        let policy = answer.headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
        assert_eq!(answer.headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }
}
