//! Bodies that are not what they should be: refused with what is wrong and where, and nothing breaks.

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use serde_json::json;

use super::fixture::{Fixture, csv, form, read_by, recording, request};
use crate::options::ServeOptions;

#[tokio::test]
async fn what_is_wrong_is_said_with_its_place() {
    let fixture = Fixture::with(ServeOptions {
        requests_per_second: 0.0,
        claims_per_minute: 0.0,
        ..Default::default()
    });
    let master = fixture.master();
    let own = recording(&read_by(2, 30..31), true);
    let mut misspelt = own.clone();
    misspelt["fixations"][3]["x_chr"] = json!(1);
    let mut text = own.clone();
    text["fixations"][2]["text"] = json!("unheard of");
    let mut twice = own.clone();
    twice["words"][1] = twice["words"][0].clone();
    let mut broken = own.clone();
    broken["fixations"][1]["text"] = json!("s\n031");
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = |recording: &serde_json::Value| {
        json!({"reader": "r003", "recording": recording}).to_string()
    };
    for (what, body, status, kind, told) in [
        ("nothing", String::new(), 400, "usage", "EOF"),
        ("no JSON", "{".to_owned(), 400, "usage", "EOF"),
        ("deep JSON", deep, 400, "usage", ""),
        ("more", "{\"reader\": \"r003\"} {}".to_owned(), 400, "usage", "trailing"),
        ("a list", "[]".to_owned(), 400, "usage", "struct"),
        ("no reader", json!({"recording": own}).to_string(), 400, "usage", "reader"),
        ("no recording", json!({"reader": "r003"}).to_string(), 400, "usage", "recording"),
        ("a misspelt option", json!({"reader": "r003", "frm": 1}).to_string(), 400, "usage", "frm"),
        ("a misspelt column", body(&misspelt), 400, "usage", "recording.fixations[3]"),
        ("no fixations", body(&json!({"fixations": []})), 422, "input", "no fixations"),
        ("an unknown text", body(&text), 422, "input", "unheard of"),
        ("a word twice", body(&twice), 422, "input", "word"),
        ("a broken name", body(&broken), 422, "input", "line break"),
        (
            "a wild rate",
            json!({"reader": "r003", "fmr": 7, "recording": own}).to_string(),
            400,
            "usage",
            "fmr",
        ),
        ("a null", "null".to_owned(), 400, "usage", ""),
        ("bytes", "\u{0}\u{1}".to_owned(), 400, "usage", ""),
    ] {
        let answer =
            fixture.send("/v1/verify", &master, "application/json", body.into_bytes()).await;
        assert_eq!(
            (answer.status.as_u16(), answer.kind().as_str()),
            (status, kind),
            "{what}: {}",
            answer.text
        );
        assert!(
            answer.json()["detail"].as_str().unwrap().contains(told),
            "{what}: {}",
            answer.text
        );
        assert_eq!(answer.headers[header::CONTENT_TYPE], "application/problem+json");
        let id = answer.json()["request_id"].as_str().unwrap().to_owned();
        assert_eq!(answer.headers["x-request-id"], id.as_str());
        assert_eq!(fixture.lines().last().unwrap()["request"], id.as_str());
    }
}

#[tokio::test]
async fn forms_that_are_none_are_refused() {
    let fixture = Fixture::new();
    let master = fixture.master();
    let (fixations, words) = csv(&read_by(2, 30..31));
    let question = b"{\"reader\": \"r003\"}".as_slice();
    let packed = [0x1f, 0x8b, 8, 0];
    for (parts, status, told) in [
        (vec![], 400, ""),
        (vec![("question", question)], 400, "fixations"),
        (vec![("what", question)], 400, "what"),
        (vec![("question", question), ("question", question)], 400, "twice"),
        (vec![("question", question), ("fixations", packed.as_slice())], 422, "packed"),
        (vec![("question", question), ("fixations", b"%PDF-1.7".as_slice())], 422, "PDF"),
        (vec![("question", question), ("fixations", fixations.as_slice())], 422, "words"),
        (
            vec![
                ("question", question),
                ("fixations", words.as_slice()),
                ("words", words.as_slice()),
            ],
            422,
            "x_char",
        ),
    ] {
        let (media_type, body) = form(&parts);
        let answer = fixture.send("/v1/verify", &master, &media_type, body).await;
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text);
        assert!(answer.json()["detail"].as_str().unwrap().contains(told), "{}", answer.text);
    }
    let answer = fixture.send("/v1/verify", &master, "multipart/form-data", Vec::new()).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let answer = fixture.send("/v1/verify", &master, "text/plain", question.to_vec()).await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn bodies_that_are_too_large_are_refused() {
    let fixture = Fixture::with(ServeOptions { max_body: 1000, ..Default::default() });
    let master = fixture.master();
    let large = vec![b' '; 1001];
    for media_type in ["application/json", "multipart/form-data; boundary=x"] {
        let answer = fixture.send("/v1/verify", &master, media_type, large.clone()).await;
        let expected = if media_type.starts_with("multi") { [413, 400] } else { [413, 413] };
        assert!(expected.contains(&answer.status.as_u16()), "{media_type}: {}", answer.text);
    }
    let (media_type, body) = form(&[("fixations", &large)]);
    let answer = fixture.send("/v1/verify", &master, &media_type, body).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", answer.text);
}

#[tokio::test]
async fn paths_and_questions_that_make_no_sense_are_refused() {
    let fixture = Fixture::new();
    let master = fixture.master();
    let long = format!("/v1/readers/{}", "x".repeat(300));
    for (path, status) in [
        ("/v1/nothing", 404),
        ("/v1/readers/%ff", 400),
        ("/v1/readers/%0a", 400),
        (long.as_str(), 400),
        ("/v1/readers/nobody", 404),
        ("/v1/log?after=-1", 400),
        ("/v1/log?before=1", 400),
        ("/v1/watch", 400),
        ("/v1/watch?reader=r001", 400),
        ("/v1/demo", 404),
    ] {
        let answer = fixture.get(path, &master).await;
        assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.text);
        assert!(answer.json()["kind"].is_string());
    }
    let wrong = request(Method::PUT, "/v1/readers", Some(&master)).body(Body::empty()).unwrap();
    let answer = fixture.call(wrong).await;
    assert_eq!((answer.status.as_u16(), answer.kind().as_str()), (405, "usage"));
}
