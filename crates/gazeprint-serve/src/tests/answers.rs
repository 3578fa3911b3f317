//! Answers are those of the library, less what the caller may not see.

use axum::http::StatusCode;
use gazeprint_recognition::{IdentifyOptions, ReplayPolicy, VerifyOptions};
use serde_json::{Value, json};

use super::fixture::{Fixture, csv, form, read_by, recording, texts};
use crate::access::Scope;

const FORGET: ReplayPolicy = ReplayPolicy { allow: false, forget: true };

#[tokio::test]
async fn verify_answers_as_the_library_does() {
    let fixture = Fixture::new();
    let probe = read_by(2, 30..40);
    let options = VerifyOptions { replays: FORGET, ..Default::default() };
    let library = fixture.app.desk.verify(&probe, "r003", &options).unwrap();
    let body = json!({"reader": "r003", "recording": recording(&probe, true), "forget": true});
    let answer = fixture.post("/v1/verify", &fixture.master(), &body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(answer.json(), serde_json::to_value(library).unwrap());
    assert_eq!(answer.json()["decision"], "accepted");
}

#[tokio::test]
async fn identify_answers_as_the_library_does() {
    let fixture = Fixture::new();
    let probe = read_by(4, 30..40);
    let options = IdentifyOptions { replays: FORGET, ..Default::default() };
    let library = fixture.app.desk.identify(&probe, &options).unwrap();
    let body = json!({"recording": recording(&probe, true), "forget": true});
    let answer = fixture.post("/v1/identify", &fixture.master(), &body).await;
    assert_eq!(answer.json(), serde_json::to_value(library).unwrap());
    assert_eq!(answer.json()["ranking"][0]["reader"], "r005");
}

#[tokio::test]
async fn decisions_come_without_scores() {
    let fixture = Fixture::new();
    let own = recording(&read_by(2, 30..40), true);
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let verify = json!({"reader": "r003", "recording": own});
    let answer = fixture.post("/v1/verify", &fixture.token(&[Scope::Verify]), &verify).await;
    let expected = [
        "decision",
        "fixations",
        "fmr",
        "more_sentences",
        "reader",
        "replay",
        "supported",
        "warnings",
    ];
    assert_eq!(names(&answer.json()), expected);
    // The same again is a replay, of which only that is told.
    let again = fixture.post("/v1/verify", &fixture.token(&[Scope::Verify]), &verify).await;
    assert_eq!(again.json()["decision"], "rejected");
    assert_eq!(again.json()["replay"], json!({"of": "earlier probe"}));
    let with_scores = fixture.token(&[Scope::Verify, Scope::Scores]);
    let again = fixture.post("/v1/verify", &with_scores, &verify).await;
    assert_eq!(names(&again.json()["replay"]), ["of", "pieces", "readings", "share"]);
    let token = fixture.token(&[Scope::Identify]);
    let answer = fixture.post("/v1/identify", &token, &json!({"recording": own})).await;
    assert_eq!(
        names(&answer.json()),
        [
            "closed",
            "decision",
            "fixations",
            "fpir",
            "likely",
            "more_sentences",
            "readings",
            "replay",
            "supported",
            "warnings"
        ]
    );
}

#[tokio::test]
async fn tables_and_json_are_the_same() {
    let fixture = Fixture::new();
    let (master, probe) = (fixture.master(), read_by(2, 30..40));
    let question = json!({"reader": "r003", "forget": true});
    let body = json!({"reader": "r003", "forget": true, "recording": recording(&probe, true)});
    let from_json = fixture.post("/v1/verify", &master, &body).await.json();
    let (fixations, words) = csv(&probe);
    let question = question.to_string();
    let (media_type, body) =
        form(&[("question", question.as_bytes()), ("fixations", &fixations), ("words", &words)]);
    let answer = fixture.send("/v1/verify", &master, &media_type, body).await;
    assert_eq!(answer.json(), from_json);
    // Texts that the server has need not be sent.
    fixture.post("/v1/texts", &master, &texts(0..40)).await;
    let body = json!({"reader": "r003", "forget": true, "recording": recording(&probe, false)});
    assert_eq!(fixture.post("/v1/verify", &master, &body).await.json(), from_json);
}

#[tokio::test]
async fn readers_are_enrolled_and_removed() {
    let fixture = Fixture::new();
    let master = fixture.master();
    let path = "/v1/readers/new%20one/recordings";
    let body = json!({"recording": recording(&read_by(1, 30..40), true)});
    let few = json!({"recording": recording(&read_by(1, 30..32), true)});
    let answer = fixture.post(path, &master, &few).await;
    assert_eq!((answer.status.as_u16(), answer.kind().as_str()), (422, "input"));
    let answer = fixture.post(path, &master, &body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(answer.json()["reader"]["recordings"], 10);
    // The same again changes nothing.
    let again = fixture.post(path, &master, &body).await.json();
    assert_eq!(again["reader"], answer.json()["reader"]);
    let list = fixture.get("/v1/readers", &master).await.json();
    assert_eq!(list["readers"].as_array().unwrap().len(), 9);
    let shown = fixture.get("/v1/readers/new%20one", &master).await.json();
    assert_eq!((&shown["id"], &shown["remembered"]), (&json!("new one"), &json!(0)));
    let removed = fixture.delete("/v1/readers/new%20one", &master).await;
    assert_eq!(removed.json(), json!({"reader": "new one", "is_erased": true}));
    let gone = fixture.delete("/v1/readers/new%20one", &master).await;
    assert_eq!((gone.status.as_u16(), gone.kind().as_str()), (404, "not_found"));
    let log = fixture.get("/v1/log?after=1", &master).await.json();
    let events: Vec<&str> = log["log"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["event"].as_str().unwrap())
        .collect();
    assert_eq!(events[events.len() - 2..], ["enrolled", "removed"]);
    assert_eq!(log["entries"], events.len() + 1);
}

#[tokio::test]
async fn those_who_verify_do_not_learn_who_else_there_is() {
    let fixture = Fixture::new();
    let body = json!({"reader": "r0033", "recording": recording(&read_by(2, 30..40), true)});
    let answer = fixture.post("/v1/verify", &fixture.token(&[Scope::Verify]), &body).await;
    assert_eq!((answer.status.as_u16(), answer.kind().as_str()), (404, "not_found"));
    assert!(!answer.text.contains("r003\""), "{}", answer.text);
    let place = fixture.folder.path().to_string_lossy().into_owned();
    assert!(!answer.text.contains(&place));
    // The log of the server says what was wrong, but names nobody who is enrolled by their own path.
    assert!(fixture.lines().last().unwrap()["cause"].as_str().unwrap().contains("r0033"));
}

#[tokio::test]
async fn what_another_process_changes_is_seen() {
    let fixture = Fixture::new();
    let master = fixture.master();
    let at = fixture.app.desk.location().clone();
    let other = gazeprint_recognition::Recognizer::open(&at, None).unwrap();
    other.remove("r003", &gazeprint::method::Unwatched).unwrap();
    let body = json!({"reader": "r003", "recording": recording(&read_by(2, 30..40), true)});
    assert_eq!(fixture.post("/v1/verify", &master, &body).await.status, StatusCode::NOT_FOUND);
}
