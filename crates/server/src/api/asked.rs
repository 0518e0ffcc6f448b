//! What a request names in its address, asks behind the question mark, and brings. What cannot be read is refused in
//! the form that all refusals have.

use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tribunal_kernel::{Digest, RunId};

use super::problem::Refused;
use crate::server::Desk;

/// The project in the path is ours.
#[derive(Debug, Clone, Copy)]
pub(super) struct InProject;

/// What the path names besides a project that is ours.
#[derive(Debug)]
pub(super) struct Named<T>(pub(super) T);

#[derive(Debug, Deserialize)]
pub(super) struct OfRun {
    #[serde(deserialize_with = "run_id")]
    pub(super) run: RunId,
}

#[derive(Debug, Deserialize)]
pub(super) struct OfRound {
    #[serde(deserialize_with = "run_id")]
    pub(super) run: RunId,
    /// A number, or `shipped`.
    pub(super) round: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct OfBlob {
    #[serde(deserialize_with = "run_id")]
    pub(super) run: RunId,
    pub(super) digest: Digest,
}

#[derive(Debug, Deserialize)]
pub(super) struct OfArtifact {
    pub(super) artifact: String,
}

impl FromRequestParts<Arc<Desk>> for InProject {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, desk: &Arc<Desk>) -> Result<Self, Refused> {
        let path: BTreeMap<String, String> = path(parts).await?;
        match path.get("project") {
            Some(project) if *project == desk.project.id => Ok(Self),
            Some(project) => Err(Refused::unknown(format!("there is no project `{project}`"))
                .hint(format!("this server has the project `{}`", desk.project.id))),
            None => Err(Refused::unknown("no project is named")),
        }
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Desk>> for Named<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, desk: &Arc<Desk>) -> Result<Self, Refused> {
        InProject::from_request_parts(parts, desk).await?;
        path(parts).await.map(Self)
    }
}

async fn path<T: DeserializeOwned + Send>(parts: &mut Parts) -> Result<T, Refused> {
    let read = Path::from_request_parts(parts, &()).await;
    let Path(named) = read.map_err(|error| Refused::invalid(format!("the path cannot be read: {error}")))?;
    Ok(named)
}

/// A run's id. Only the form that we write counts, so nothing else ever reaches a file's name.
fn run_id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<RunId, D::Error> {
    let text = String::deserialize(deserializer)?;
    RunId::parse(&text).ok_or_else(|| serde::de::Error::custom("this is not a run id"))
}

/// What stands behind the question mark.
#[derive(Debug)]
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Desk>> for Params<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, desk: &Arc<Desk>) -> Result<Self, Refused> {
        let Query(params) = Query::from_request_parts(parts, desk).await?;
        Ok(Self(params))
    }
}

/// What was sent: JSON, or nothing at all where nothing needs to be said.
#[derive(Debug)]
pub(super) struct Given<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Arc<Desk>> for Given<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, desk: &Arc<Desk>) -> Result<Self, Refused> {
        let is_empty = request.headers().get(header::CONTENT_TYPE).is_none()
            && request.headers().get(header::CONTENT_LENGTH).is_none_or(|length| length == "0");
        if is_empty {
            let nothing = T::deserialize(serde_json::json!({})).map_err(|error| Refused::invalid(error.to_string()));
            return nothing.map(Self);
        }
        let Json(given): Json<Value> = Json::from_request(request, desk).await?;
        // A list would be taken for an object's fields, in their order.
        if !given.is_object() {
            return Err(Refused::invalid("the body is not a JSON object"));
        }
        let unusable = |error: serde_json::Error| {
            let what = format!("the body cannot be used: {error}");
            Refused::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", what)
        };
        let given = T::deserialize(given).map_err(unusable)?;
        Ok(Self(given))
    }
}
