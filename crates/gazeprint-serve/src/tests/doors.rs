//! Every door, and everybody who may not come in by it. The doors come from the table that the router is made
//! of: one that is added is tested.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, StatusCode, header};
use serde_json::{Value, json};

use super::fixture::{Fixture, read_by, recording, request, texts};
use crate::access::{Scope, Scopes};
use crate::doors::{Door, doors};
use crate::guard::Access;
use crate::options::ServeOptions;

fn path_of(door: &Door) -> String {
    door.path.replace("{name}", "r001")
}

/// All scopes but one.
fn all_but(missing: Scope) -> Vec<Scope> {
    Scope::ALL.into_iter().filter(|scope| *scope != missing).collect()
}

/// Refused with a status, and written down as such.
fn check_refused(fixture: &Fixture, door: &Door, what: &str, status: StatusCode, is: StatusCode) {
    let name = format!("{} {} with {what}", door.method, door.path);
    assert_eq!(status, is, "{name}");
    let lines = fixture.lines();
    let line = lines.last().unwrap();
    let written = (&line["status"], &line["path"], &line["method"]);
    assert_eq!(
        written,
        (&json!(is.as_u16()), &json!(door.path), &json!(door.method.as_str())),
        "{name}"
    );
    assert!(line["problem"].is_string(), "{name}: {line}");
}

#[tokio::test]
async fn nobody_comes_in_who_may_not() {
    let fixture = Fixture::with(ServeOptions { requests_per_second: 0.0, ..Default::default() });
    let master = fixture.master();
    let revoked = fixture.master();
    fixture.app.tokens.revoke(&revoked).unwrap();
    let expired = fixture.app.tokens.create("old", Scopes::all(), Some(0)).unwrap().token;
    let other_secret = format!("{}_{}", &revoked[..22], "0".repeat(64));
    let closed: Vec<Door> =
        doors().into_iter().filter(|door| door.access != Access::Open).collect();
    assert!(closed.len() > 10);
    for door in &closed {
        let path = path_of(door);
        let call = |token: Option<String>| {
            let request = request(door.method.clone(), &path, token.as_deref());
            fixture.call(request.body(Body::empty()).unwrap())
        };
        for (what, token) in [
            ("no token", None),
            ("no sense", Some("x".to_owned())),
            ("a revoked token", Some(revoked.clone())),
            ("an expired token", Some(expired.clone())),
            ("another secret", Some(other_secret.clone())),
            ("half a token", Some(master[..40].to_owned())),
        ] {
            let answer = call(token).await;
            check_refused(&fixture, door, what, answer.status, StatusCode::UNAUTHORIZED);
            assert_eq!(answer.headers[header::WWW_AUTHENTICATE], "Bearer");
        }
        if let Access::Scope(scope) = door.access {
            let answer = call(Some(fixture.token(&all_but(scope)))).await;
            check_refused(&fixture, door, "another scope", answer.status, StatusCode::FORBIDDEN);
            assert!(answer.json()["detail"].as_str().unwrap().contains(scope.name()));
        }
    }
}

#[tokio::test]
async fn those_who_may_come_in() {
    for door in doors() {
        let fixture = Fixture::new();
        let token = match door.access {
            Access::Scope(scope) => Some(fixture.token(&[scope])),
            _ => Some(fixture.token(&[])),
        };
        let request = request(door.method.clone(), &path_of(&door), token.as_deref());
        let status = fixture.call(request.body(Body::empty()).unwrap()).await.status;
        let is_in = ![401, 403, 421, 429, 500].contains(&status.as_u16());
        assert!(is_in, "{} {}: {status}", door.method, door.path);
    }
}

#[tokio::test]
async fn other_names_and_pages_are_kept_out_of_every_door() {
    let fixture = Fixture::with(ServeOptions { requests_per_second: 0.0, ..Default::default() });
    let master = fixture.master();
    for door in doors() {
        let is_probe = ["/healthz", "/readyz"].contains(&door.path);
        let path = path_of(&door);
        for (what, name, value, status) in [
            ("another host", header::HOST, "evil.example", StatusCode::MISDIRECTED_REQUEST),
            ("another origin", header::ORIGIN, "http://evil.example", StatusCode::FORBIDDEN),
            ("a null origin", header::ORIGIN, "null", StatusCode::FORBIDDEN),
        ] {
            let mut request = request(door.method.clone(), &path, Some(&master));
            request.headers_mut().unwrap().insert(name, value.parse().unwrap());
            let answer = fixture.call(request.body(Body::empty()).unwrap()).await;
            match is_probe {
                true => assert_eq!(answer.status, StatusCode::OK),
                false => check_refused(&fixture, &door, what, answer.status, status),
            }
        }
    }
}

#[tokio::test]
async fn a_cookie_does_nothing_for_other_pages() {
    let fixture = Fixture::with(ServeOptions { requests_per_second: 0.0, ..Default::default() });
    let link = fixture.app.sessions.new_link().unwrap();
    let page = fixture.app.sessions.open_by_link(&link).unwrap().unwrap();
    for door in doors().into_iter().filter(|door| door.access != Access::Open) {
        let path = path_of(&door);
        let call = |origin: Option<&str>, is_upgrade: bool| {
            let mut request = request(door.method.clone(), &path, None)
                .header(header::COOKIE, format!("other=1; gazeprint={}", page.secret));
            if let Some(origin) = origin {
                request = request.header(header::ORIGIN, origin);
            }
            if is_upgrade {
                request = request.header(header::UPGRADE, "websocket");
            }
            fixture.call(request.body(Body::empty()).unwrap())
        };
        if door.method == Method::GET {
            let answer = call(None, true).await;
            check_refused(&fixture, &door, "no origin", answer.status, StatusCode::FORBIDDEN);
        } else {
            let answer = call(None, false).await;
            check_refused(&fixture, &door, "no origin", answer.status, StatusCode::FORBIDDEN);
        }
        let is_closing = door.path == "/v1/session" && door.method == Method::DELETE;
        if !is_closing {
            let status = call(Some("http://127.0.0.1:7878"), false).await.status.as_u16();
            assert!(![401, 403, 421].contains(&status), "{} {}: {status}", door.method, door.path);
        }
    }
}

async fn make_challenge(fixture: &Fixture, token: &str) -> Value {
    let body = json!({"reader": "r003", "texts": 4});
    let answer = fixture.post("/v1/challenges", token, &body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    answer.json()
}

/// The claim to be `r003`, by reading the texts of a challenge, or others.
fn claim(challenge: &Value, is_right: bool) -> Value {
    let of_challenge: Vec<&str> = challenge["texts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text["text"].as_str().unwrap())
        .collect();
    let mut recording = recording(&read_by(2, 30..40), false);
    let fixations = recording["fixations"].as_array_mut().unwrap();
    fixations.retain(|row| of_challenge.contains(&row["text"].as_str().unwrap()) == is_right);
    json!({"reader": "r003", "challenge": challenge["challenge"], "recording": recording})
}

#[tokio::test]
async fn challenges_are_answered_once_soon_and_with_their_texts() {
    let fixture = Fixture::with(ServeOptions { require_challenge: true, ..Default::default() });
    let (token, other) = (fixture.token(&[Scope::Verify]), fixture.token(&[Scope::Verify]));
    let added = fixture.post("/v1/texts", &fixture.master(), &texts(30..40)).await;
    assert_eq!(added.json(), json!({"texts": 10}));
    let verify = async |token: &str, body: &Value| {
        let answer = fixture.post("/v1/verify", token, body).await;
        let line = fixture.lines().pop().unwrap();
        assert_eq!(line["status"], answer.status.as_u16(), "{line}");
        (answer.status.as_u16(), answer.kind(), answer.text)
    };
    let refused = |answer: (u16, String, String), why: &str| {
        assert_eq!((answer.0, answer.1.as_str()), (403, "challenge"), "{}", answer.2);
        assert!(answer.2.contains(why), "{}", answer.2);
    };

    let challenge = make_challenge(&fixture, &token).await;
    assert_eq!(challenge["texts"].as_array().unwrap().len(), 4);
    refused(verify(&other, &claim(&challenge, true)).await, "no such");
    let answered = verify(&token, &claim(&challenge, true)).await;
    assert_eq!(answered.0, 200, "{}", answered.2);
    refused(verify(&token, &claim(&challenge, true)).await, "answered before");

    let challenge = make_challenge(&fixture, &token).await;
    refused(verify(&token, &claim(&challenge, false)).await, "");
    refused(verify(&token, &claim(&challenge, true)).await, "answered before");

    let mut body = claim(&make_challenge(&fixture, &token).await, true);
    body["recording"]["words"] = recording(&read_by(2, 30..31), true)["words"].clone();
    assert_eq!(verify(&token, &body).await.0, 400);

    // A recording of something else under the right names.
    type Change = fn(&mut Vec<Value>);
    let changes: [(&str, Change); 4] = [
        ("degrees", |rows| {
            let fields = rows[0].as_object_mut().unwrap();
            fields.extend([("x_deg".to_owned(), json!(1)), ("y_deg".to_owned(), json!(1))]);
        }),
        ("degrees", |rows| {
            for row in rows {
                let fields = row.as_object_mut().unwrap();
                fields.remove("x_char");
                fields.extend([("x_deg".to_owned(), json!(1)), ("y_deg".to_owned(), json!(1))]);
            }
        }),
        ("three in four", |rows| {
            let off =
                |row: &mut Value| row["x_char"] = json!(row["x_char"].as_f64().unwrap() + 500.0);
            rows.iter_mut().step_by(3).for_each(off);
        }),
        ("one for every three words", |rows| {
            let mut seen = std::collections::BTreeMap::<String, usize>::new();
            rows.retain(|row| {
                let seen = seen.entry(row["text"].to_string()).or_default();
                *seen += 1;
                *seen <= 2
            });
        }),
    ];
    for (why, change) in changes {
        let mut body = claim(&make_challenge(&fixture, &token).await, true);
        change(body["recording"]["fixations"].as_array_mut().unwrap());
        refused(verify(&token, &body).await, why);
    }
    // Each once: what is there twice may be two halves of something else.
    let mut body = claim(&make_challenge(&fixture, &token).await, true);
    let rows = body["recording"]["fixations"].as_array_mut().unwrap();
    for (place, row) in rows.iter_mut().enumerate() {
        row["trial"] = json!((place % 2).to_string());
    }
    refused(verify(&token, &body).await, "each once");

    let mut without = claim(&challenge, true);
    without.as_object_mut().unwrap().remove("challenge");
    refused(verify(&token, &without).await, "found no challenge");

    let late = Fixture::with(ServeOptions { challenge_for: Duration::ZERO, ..Default::default() });
    let master = late.master();
    late.post("/v1/texts", &master, &texts(30..40)).await;
    let challenge = make_challenge(&late, &master).await;
    let answer = late.post("/v1/verify", &master, &claim(&challenge, true)).await;
    assert_eq!((answer.status.as_u16(), answer.kind().as_str()), (403, "challenge"));
    assert_eq!(late.lines().last().unwrap()["problem"], "challenge");
}

#[tokio::test]
async fn who_asks_too_often_waits() {
    let fixture = Fixture::with(ServeOptions {
        requests_per_second: 2.0,
        claims_per_minute: 1.0,
        ..Default::default()
    });
    let token = fixture.token(&[Scope::Read]);
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(fixture.get("/v1/session", &token).await.status.as_u16());
    }
    assert_eq!(statuses, [200, 200, 200, 200, 429, 429]);
    // Another caller is not kept waiting, but claims count whoever makes them.
    assert_eq!(fixture.get("/v1/session", &fixture.token(&[])).await.status.as_u16(), 200);
    let mut last = None;
    for _ in 0..21 {
        let claim = json!({"reader": "r001", "recording": recording(&read_by(0, 30..31), true)});
        let token = fixture.token(&[Scope::Verify]);
        last = Some(fixture.post("/v1/verify", &token, &claim).await);
    }
    let last = last.unwrap();
    assert_eq!((last.status.as_u16(), last.kind().as_str()), (429, "rate"));
    assert!(last.headers.contains_key(header::RETRY_AFTER));
}

#[tokio::test]
async fn weaker_answers_take_more_than_questions() {
    let fixture = Fixture::new();
    let token = fixture.token(&[Scope::Verify, Scope::Identify]);
    let own = recording(&read_by(2, 30..40), true);
    for weaker in ["allow_unsupported", "allow_replay", "forget"] {
        for (path, mut body) in [
            ("/v1/verify", json!({"reader": "r003", "recording": own})),
            ("/v1/identify", json!({"recording": own})),
        ] {
            body[weaker] = json!(true);
            let answer = fixture.post(path, &token, &body).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path} {weaker}");
            assert_eq!(fixture.post(path, &fixture.master(), &body).await.status, StatusCode::OK);
        }
    }
}
