//! What one client sends does not use up what others need.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use gazeprint_recognition::Location;
use serde_json::json;

use super::fixture::{Fixture, form, read_by, recording, request, texts};
use crate::access::Scope;
use crate::options::ServeOptions;

#[tokio::test]
async fn made_up_methods_were_remembered_one_by_one() {
    let fixture = Fixture::new();
    for i in 0..50 {
        let method = Method::from_bytes(format!("MADEUP{i}").as_bytes()).unwrap();
        let call = fixture.call(request(method, "/v1/readers", None).body(Body::empty()).unwrap());
        assert!(call.await.status.is_client_error());
        assert_eq!(fixture.lines().last().unwrap()["method"], "other");
    }
    let text = fixture.get("/metrics", &fixture.master()).await.text;
    assert!(!text.contains("MADEUP"), "{text}");
    let counted = text.lines().find(|line| line.contains("method=\"other\"")).unwrap();
    assert!(counted.ends_with(" 50"), "{counted}");
}

#[tokio::test]
async fn those_who_log_in_are_few_words_and_count() {
    let fixture = Fixture::with(ServeOptions { requests_per_second: 1.0, ..Default::default() });
    let long = request(Method::POST, "/v1/session", None).body(Body::from(vec![b' '; 5000]));
    let answer = fixture.call(long.unwrap()).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", answer.text);
    assert!(answer.text.contains("4096"), "{}", answer.text);
    let token = fixture.token(&[Scope::Read]);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(fixture.post("/v1/session", &token, &json!({})).await.status.as_u16());
    }
    assert_eq!(statuses, [200, 200, 429, 429]);
}

#[tokio::test]
async fn readiness_waited_for_questions() {
    let fixture = Fixture::new();
    let (go, held) = std::sync::mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    let busy: Vec<_> = (0..64)
        .map(|_| {
            let (app, held) = (Arc::clone(&fixture.app), Arc::clone(&held));
            tokio::spawn(async move { app.workshop.ask(move || held.lock().unwrap().recv()).await })
        })
        .collect();
    let ready = || async {
        let request = request(Method::GET, "/readyz", None).body(Body::empty()).unwrap();
        fixture.call(request).await.status
    };
    assert_eq!(ready().await, StatusCode::OK);
    let Location::File(gallery) = fixture.app.desk.location() else { panic!("a file") };
    fs::remove_file(gallery).unwrap();
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(ready().await, StatusCode::SERVICE_UNAVAILABLE);
    drop(go);
    for busy in busy {
        _ = busy.await.unwrap();
    }
}

#[tokio::test]
async fn who_enrols_does_not_take_away_what_was_there() {
    let fixture = Fixture::new();
    let path = "/v1/readers/r003/recordings";
    let anew = json!({"recording": recording(&read_by(2, 20..40), true), "replace": true});
    let more = json!({"recording": recording(&read_by(2, 30..40), true)});
    let token = fixture.token(&[Scope::Enrol]);
    let answer = fixture.post(path, &token, &anew).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "{}", answer.text);
    assert!(answer.text.contains("administer"), "{}", answer.text);
    for (token, body, recordings) in [(&token, &more, 40), (&fixture.master(), &anew, 20)] {
        let answer = fixture.post(path, token, body).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        assert_eq!(answer.json()["reader"]["recordings"], recordings);
    }
}

#[tokio::test]
async fn short_rows_became_a_hundred_times_as_large() {
    let fixture = Fixture::new();
    let master = fixture.master();
    let rows = vec!["{\"text\":\"s\"}"; 200_001].join(",");
    let body = format!("{{\"reader\":\"r003\",\"recording\":{{\"fixations\":[{rows}]}}}}");
    let answer = fixture.send("/v1/verify", &master, "application/json", body.into_bytes()).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.text);
    assert!(answer.text.contains("200000 rows"), "{}", answer.text);
    for end in ["\n", "\r"] {
        let table =
            format!("text,x_char,duration_ms{end}{}", format!("s,1,2{end}").repeat(200_001));
        let (media_type, body) = form(&[("fixations", table.as_bytes())]);
        let answer = fixture.send("/v1/identify", &master, &media_type, body).await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", answer.text);
        assert!(answer.text.contains("200000 rows"), "{}", answer.text);
    }
}

#[tokio::test]
async fn names_that_are_remembered_are_short() {
    let fixture = Fixture::new();
    let master = fixture.master();
    fixture.post("/v1/texts", &master, &texts(30..40)).await;
    let name = "x".repeat(201);
    for (path, body) in [
        ("/v1/challenges", json!({"reader": name})),
        ("/v1/verify", json!({"reader": name, "recording": recording(&read_by(2, 30..31), true)})),
    ] {
        let answer = fixture.post(path, &master, &body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}: {}", answer.text);
        assert!(answer.text.contains("200 bytes"), "{path}: {}", answer.text);
    }
    let large = json!({"reader": "x".repeat(5000)});
    let answer = fixture.post("/v1/challenges", &master, &large).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", answer.text);
}

#[tokio::test]
async fn logging_out_left_what_was_read_with_the_mouse() {
    let fixture = Fixture::new();
    let link = fixture.app.sessions.new_link().unwrap();
    let page = fixture.app.sessions.open_by_link(&link).unwrap().unwrap();
    let call = |method: Method, path: &str| {
        let request = request(method, path, None)
            .header(header::COOKIE, format!("gazeprint={}", page.secret))
            .header(header::ORIGIN, "http://127.0.0.1:7878");
        fixture.call(request.body(Body::empty()).unwrap())
    };
    let room = call(Method::POST, "/v1/mouse").await.json()["room"].as_str().unwrap().to_owned();
    assert!(fixture.app.rooms.find(&room, "page").is_ok());
    assert_eq!(call(Method::DELETE, "/v1/session").await.status, StatusCode::NO_CONTENT);
    assert!(fixture.app.rooms.find(&room, "page").is_err());
}
