//! The description says what is answered.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::fixture::{Fixture, read_by, recording, texts};
use crate::doors::doors;
use crate::openapi::{document, path_names};

/// Every reference below a value.
fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_str().filter(|_| name == "$ref") {
                    Some(reference) => found.push(reference),
                    None => references(field, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let document = document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 20);
    for reference in found {
        let place = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{reference}");
    }
}

#[test]
fn every_door_is_described_under_a_name_of_its_own() {
    let document = document();
    let mut names = Vec::new();
    for door in doors() {
        let method = door.method.as_str().to_lowercase();
        let operation = &document["paths"][door.path][method];
        assert!(operation["summary"].as_str().is_some_and(|about| about.ends_with(['.', '?'])));
        names.push(operation["operationId"].as_str().unwrap().to_owned());
        let params = operation["parameters"].as_array().unwrap().len();
        assert_eq!(params, path_names(door.path).count() + door.params.len());
    }
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// Holds what was answered against the description.
fn check(path: &str, method: &str, status: StatusCode, answer: &Value) {
    let document = document();
    let responses = &document["paths"][path][method]["responses"];
    let (response, media_type) = match responses.get(status.as_str()) {
        Some(response) => (response, "application/json"),
        None => (&responses["default"], "application/problem+json"),
    };
    let mut schema = response["content"][media_type]["schema"].clone();
    schema["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(answer).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{method} {path}: {wrong:?} of {answer}");
}

#[tokio::test]
async fn answers_are_as_described() {
    let fixture = Fixture::new();
    let master = fixture.master();
    let own = recording(&read_by(2, 30..40), true);
    for (path, real, body) in [
        ("/v1/texts", "/v1/texts", texts(30..40)),
        ("/v1/challenges", "/v1/challenges", json!({"reader": "r003"})),
        ("/v1/verify", "/v1/verify", json!({"reader": "r003", "recording": own})),
        ("/v1/verify", "/v1/verify", json!({"reader": "r003", "recording": own})),
        ("/v1/verify", "/v1/verify", json!({"reader": "r003", "recording": own, "liveness": true})),
        ("/v1/identify", "/v1/identify", json!({"recording": own})),
        ("/v1/readers/{name}/recordings", "/v1/readers/new/recordings", json!({"recording": own})),
        ("/v1/session", "/v1/session", json!({})),
    ] {
        let answer = fixture.post(real, &master, &body).await;
        check(path, "post", answer.status, &answer.json());
    }
    for (path, real) in [
        ("/v1/readers", "/v1/readers"),
        ("/v1/readers/{name}", "/v1/readers/r003"),
        ("/v1/readers/{name}", "/v1/readers/nobody"),
        ("/v1/texts", "/v1/texts"),
        ("/v1/log", "/v1/log?limit=5"),
        ("/v1/session", "/v1/session"),
        ("/openapi.json", "/openapi.json"),
    ] {
        let answer = fixture.get(real, &master).await;
        check(path, "get", answer.status, &answer.json());
    }
    let answer = fixture.delete("/v1/readers/r001", &master).await;
    check("/v1/readers/{name}", "delete", answer.status, &answer.json());
}

#[tokio::test]
async fn metrics_count_what_was_asked() {
    let fixture = Fixture::new();
    let master = fixture.master();
    let body = json!({"reader": "r003", "recording": recording(&read_by(2, 30..40), true)});
    fixture.post("/v1/verify", &master, &body).await;
    fixture.get("/v1/readers/anna", &master).await;
    let text = fixture.get("/metrics", &master).await.text;
    for line in [
        "gazeprint_requests_total{method=\"POST\",path=\"/v1/verify\",status=\"200\"} 1",
        "gazeprint_requests_total{method=\"GET\",path=\"/v1/readers/{name}\",status=\"404\"} 1",
        "gazeprint_request_seconds_count{path=\"/v1/verify\"} 1",
        "gazeprint_request_seconds_bucket{path=\"/v1/verify\",le=\"+Inf\"} 1",
        "gazeprint_decisions_total{question=\"verify\",decision=\"accepted\"} 1",
        "gazeprint_watches 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("anna") && !text.contains("r003"));
}
