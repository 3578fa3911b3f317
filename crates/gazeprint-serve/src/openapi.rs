//! The description of the doors, as OpenAPI has it.

use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::access::Scope;
use crate::doors::{Door, doors};
use crate::guard::Access;
use crate::routes::{demo, log, mouse, readers, recognise, session, texts};
use crate::{answers, body, problem};

/// What a door may be asked with.
pub(crate) struct Param {
    pub(crate) name: &'static str,
    /// The type, as JSON schemas have it.
    pub(crate) kind: &'static str,
    pub(crate) is_required: bool,
    pub(crate) about: &'static str,
}

/// What a door takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    None,
    /// JSON of a schema.
    Json(&'static str),
    /// JSON of a schema with a recording, or a form with tables.
    Recording(&'static str),
}

/// What a door answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    Nothing,
    Text,
    /// JSON of a schema.
    Json(&'static str),
    /// Bytes.
    File,
    Socket,
}

type Schemas = BTreeMap<String, Value>;

/// Adds a schema with those that it names.
fn add<T: ToSchema + PartialSchema>(schemas: &mut Schemas) {
    let mut named: Vec<(String, RefOr<Schema>)> = Vec::new();
    T::schemas(&mut named);
    named.push((T::name().into_owned(), T::schema()));
    for (name, schema) in named {
        schemas.insert(name, serde_json::to_value(schema).unwrap_or_default());
    }
}

fn schemas() -> Schemas {
    let mut all = Schemas::new();
    add::<problem::ProblemDetails<'_>>(&mut all);
    add::<answers::Verified>(&mut all);
    add::<answers::Identified>(&mut all);
    add::<body::RecordingBody>(&mut all);
    add::<recognise::VerifyBody>(&mut all);
    add::<recognise::IdentifyBody>(&mut all);
    add::<readers::EnrolBody>(&mut all);
    add::<readers::Enrolled>(&mut all);
    add::<readers::Readers>(&mut all);
    add::<readers::ShownReader>(&mut all);
    add::<readers::Removed>(&mut all);
    add::<texts::Texts>(&mut all);
    add::<texts::TextCount>(&mut all);
    add::<texts::ChallengeBody>(&mut all);
    add::<texts::MadeChallenge>(&mut all);
    add::<log::Log>(&mut all);
    add::<demo::Demonstration>(&mut all);
    add::<demo::PlayableReader>(&mut all);
    add::<mouse::MadeRoom>(&mut all);
    add::<mouse::MouseBody>(&mut all);
    add::<readers::ReaderEntry>(&mut all);
    add::<session::OpenSession>(&mut all);
    add::<session::Session>(&mut all);
    all.insert("Object".to_owned(), json!({"type": "object"}));
    all
}

fn reference(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

/// The names in braces of a path.
pub(crate) fn path_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}

fn operation(door: &Door) -> Value {
    let in_path = path_names(door.path).map(|name| {
        json!({"name": name, "in": "path", "required": true,
               "schema": {"type": "string", "minLength": 1}})
    });
    let in_query = door.params.iter().map(|param| {
        json!({"name": param.name, "in": "query", "required": param.is_required,
               "description": param.about, "schema": {"type": param.kind}})
    });
    let mut operation = json!({
        "operationId": operation_id(door),
        "summary": door.about,
        "parameters": in_path.chain(in_query).collect::<Vec<_>>(),
        "responses": responses(door),
        "security": security(door.access),
    });
    if let Some(body) = request_body(door.body) {
        operation["requestBody"] = body;
    }
    operation
}

fn operation_id(door: &Door) -> String {
    let path = door.path.replace(['{', '}'], "");
    let words: Vec<&str> = path.split(['/', '.']).filter(|w| !w.is_empty() && *w != "v1").collect();
    format!("{}_{}", door.method.as_str().to_lowercase(), words.join("_"))
}

fn responses(door: &Door) -> Value {
    let (status, content) = match door.reply {
        Reply::Nothing => ("204", None),
        Reply::Socket => ("101", None),
        Reply::Text => ("200", Some(json!({"text/plain": {"schema": {"type": "string"}}}))),
        Reply::File => ("200", Some(json!({"application/octet-stream": {}}))),
        Reply::Json(name) => {
            ("200", Some(json!({"application/json": {"schema": reference(name)}})))
        }
    };
    let mut done = json!({"description": "Done"});
    if let Some(content) = content {
        done["content"] = content;
    }
    json!({
        status: done,
        "default": {
            "description": "A problem",
            "content": {"application/problem+json": {"schema": reference("ProblemDetails")}},
        },
    })
}

/// Tokens and cookies, with the scope that is needed.
fn security(access: Access) -> Value {
    let scopes: Vec<&str> = match access {
        Access::Open => return json!([]),
        Access::Known => Vec::new(),
        Access::Scope(scope) => vec![Scope::name(scope)],
    };
    json!([{"token": scopes}, {"page": scopes}])
}

fn request_body(body: Body) -> Option<Value> {
    let content = match body {
        Body::None => return None,
        Body::Json(name) => json!({"application/json": {"schema": reference(name)}}),
        Body::Recording(name) => json!({
            "application/json": {"schema": reference(name)},
            "multipart/form-data": {"schema": {
                "type": "object",
                "required": ["fixations"],
                "properties": {
                    "question": {
                        "type": "string",
                        "contentMediaType": "application/json",
                        "description": format!("{name} without recording, as JSON"),
                    },
                    "fixations": {"type": "string", "format": "binary", "description": "CSV or Parquet"},
                    "words": {"type": "string", "format": "binary"},
                    "trials": {"type": "string", "format": "binary"},
                },
            }},
        }),
    };
    Some(json!({"required": true, "content": content}))
}

/// The whole description.
pub(crate) fn document() -> Value {
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for door in doors() {
        let methods = paths.entry(door.path).or_default();
        methods.insert(door.method.as_str().to_lowercase(), operation(&door));
        debug_assert!(door.method != Method::GET || door.body == Body::None);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "gazeprint",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Recognises people by how their eyes move over text.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "page": {"type": "apiKey", "in": "cookie", "name": crate::access::COOKIE},
            },
        },
    })
}
