//! Who is it, and is it who it should be?

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use gazeprint_recognition::{IdentifyOptions, ReplayPolicy, VerifyOptions};
use serde::Deserialize;
use utoipa::ToSchema;

use super::check_name;
use crate::access::{Caller, Scope};
use crate::answers::{Identified, Verified};
use crate::app::{App, ask, check_administers};
use crate::body::{RecordingBody, Sent, WithRecording};
use crate::challenges::check_texts;
use crate::problem::Problem;

/// Readers of a ranking, at most.
const LONGEST_RANKING: usize = 100;

/// A claim.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VerifyBody {
    /// Who it is said to be: name or pseudonym.
    reader: String,
    recording: Option<RecordingBody>,
    /// Part of false claims that may be accepted, 0.0001 to 0.2; else 0.01, or the lowest that people stand
    /// behind.
    fmr: Option<f64>,
    /// The challenge that this answers.
    challenge: Option<String>,
    /// Refuse what no person seems to have read.
    #[serde(default)]
    liveness: bool,
    /// Answer at a rate that too few people stand behind. Takes the scope `administer`, as those below.
    #[serde(default)]
    allow_unsupported: bool,
    /// Take recordings that were there before for new ones.
    #[serde(default)]
    allow_replay: bool,
    /// Do not remember this recording.
    #[serde(default)]
    forget: bool,
}

/// A recording of somebody unknown.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IdentifyBody {
    recording: Option<RecordingBody>,
    /// Part of strangers who may be taken for somebody, 0.0001 to 0.2.
    fpir: Option<f64>,
    /// Readers of the ranking, 1 to 100.
    #[serde(default = "usual_top")]
    top: usize,
    /// It is one of the enrolled. Takes the scope `administer`, as those below `liveness`.
    #[serde(default)]
    closed: bool,
    #[serde(default)]
    liveness: bool,
    #[serde(default)]
    allow_unsupported: bool,
    #[serde(default)]
    allow_replay: bool,
    #[serde(default)]
    forget: bool,
}

fn usual_top() -> usize {
    5
}

impl WithRecording for VerifyBody {
    fn take_recording(&mut self) -> Option<RecordingBody> {
        self.recording.take()
    }
}

impl WithRecording for IdentifyBody {
    fn take_recording(&mut self) -> Option<RecordingBody> {
        self.recording.take()
    }
}

/// `POST /v1/verify`
pub(crate) async fn verify(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    sent: Sent<VerifyBody>,
) -> Result<Json<Verified>, Problem> {
    let asked = &sent.question;
    check_name(&asked.reader)?;
    app.claim(&asked.reader)?;
    check_administers(
        &caller,
        &[
            ("allow_unsupported", asked.allow_unsupported),
            ("allow_replay", asked.allow_replay),
            ("forget", asked.forget),
        ],
    )?;
    let challenge = match &asked.challenge {
        Some(id) => Some(app.challenges.answer(id, &caller.id, &asked.reader)?),
        None if app.options.require_challenge => {
            return Err(Problem::challenge(
                "found no challenge, expected one: ask for it with POST /v1/challenges",
            ));
        }
        None => None,
    };
    let with_scores = caller.scopes.have(Scope::Scores);
    let answer = ask(&app, move |app| {
        let (asked, recording) = sent.read(&app.texts.texts(), challenge.is_some())?;
        challenge.map_or(Ok(()), |names| check_texts(&names, &recording))?;
        let options = VerifyOptions {
            fmr: asked.fmr,
            allow_unsupported: asked.allow_unsupported,
            replays: ReplayPolicy { allow: asked.allow_replay, forget: asked.forget },
            liveness: asked.liveness,
        };
        let answer = app.desk.verify(&recording, &asked.reader, &options);
        let answer = answer.map_err(|error| app.problem(&error))?;
        Ok(Verified::of(answer, with_scores))
    })
    .await?;
    app.metrics.decision("verify", answer.decision());
    Ok(Json(answer))
}

/// `POST /v1/identify`
pub(crate) async fn identify(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    sent: Sent<IdentifyBody>,
) -> Result<Json<Identified>, Problem> {
    let asked = &sent.question;
    check_administers(
        &caller,
        &[
            ("closed", asked.closed),
            ("allow_unsupported", asked.allow_unsupported),
            ("allow_replay", asked.allow_replay),
            ("forget", asked.forget),
        ],
    )?;
    if !(1..=LONGEST_RANKING).contains(&asked.top) {
        return Err(Problem::usage(format!("top: found {}, expected 1 to 100", asked.top)));
    }
    let with_scores = caller.scopes.have(Scope::Scores);
    let answer = ask(&app, move |app| {
        let (asked, recording) = sent.read(&app.texts.texts(), false)?;
        let options = IdentifyOptions {
            fpir: asked.fpir,
            top: asked.top,
            closed: asked.closed,
            allow_unsupported: asked.allow_unsupported,
            replays: ReplayPolicy { allow: asked.allow_replay, forget: asked.forget },
            liveness: asked.liveness,
            ..Default::default()
        };
        let answer = app.desk.identify(&recording, &options);
        let answer = answer.map_err(|error| app.problem(&error))?;
        Ok(Identified::of(answer, with_scores))
    })
    .await?;
    app.metrics.decision("identify", answer.kind());
    Ok(Json(answer))
}
