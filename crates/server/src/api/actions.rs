//! Changing runs: everything here goes to the app.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use std::sync::Arc;
use tribunal_app::reopen::ReopenRequest;
use tribunal_app::service::person;
use tribunal_app::start::{RequestOrigin, StartRequest};
use tribunal_app::steer::SteerRequest;
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::{RunId, theater};

use super::asked::{Given, InProject, Named, OfArtifact, OfRun};
use super::blocking;
use super::problem::Refused;
use super::types::{
    Accepted, GivenAnswer, NewSetting, Nothing, Reopening, Rerun, Selection, Settings, Start, Started, Steering,
};
use crate::server::Desk;

type Desked = State<Arc<Desk>>;
type Done = Result<(StatusCode, Json<Accepted>), Refused>;

/// A run that is there.
#[derive(Debug)]
pub(super) struct Known(RunId);

impl FromRequestParts<Arc<Desk>> for Known {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, desk: &Arc<Desk>) -> Result<Self, Refused> {
        let Named(OfRun { run }) = Named::from_request_parts(parts, desk).await?;
        let desk = desk.clone();
        blocking(move || Ok(desk.archive.run(run).map(|_| Self(run))?)).await
    }
}

fn accepted(run_id: RunId) -> (StatusCode, Json<Accepted>) {
    (StatusCode::ACCEPTED, Json(Accepted { run_id, accepted: true }))
}

pub(super) async fn start(
    State(desk): Desked,
    InProject: InProject,
    Given(Start { brief, attachments, assets, source, again }): Given<Start>,
) -> Result<(StatusCode, Json<Started>), Refused> {
    let subjects = assets.into_iter().chain(source).collect();
    let origin = RequestOrigin::Remote;
    let request = StartRequest { brief, attachments, subjects, again, origin, ..StartRequest::default() };
    let runs = desk.app.start(request).await?;
    Ok((StatusCode::ACCEPTED, Json(Started { runs })))
}

pub(super) async fn interrupt(State(desk): Desked, Known(run): Known, Given(_): Given<Nothing>) -> Done {
    desk.app.interrupt(run).await?;
    Ok(accepted(run))
}

pub(super) async fn resume(State(desk): Desked, Known(run): Known, Given(_): Given<Nothing>) -> Done {
    desk.app.resume(run).await?;
    Ok(accepted(run))
}

pub(super) async fn steer(State(desk): Desked, Known(run): Known, Given(Steering { text }): Given<Steering>) -> Done {
    desk.app.steer(SteerRequest::new(run.to_string(), &text, person())?).await?;
    Ok(accepted(run))
}

pub(super) async fn reopen(
    State(desk): Desked,
    Known(run): Known,
    Given(Reopening { why, rounds }): Given<Reopening>,
) -> Done {
    desk.app.reopen(ReopenRequest::new(run, person(), why, rounds)?).await?;
    Ok(accepted(run))
}

pub(super) async fn select(
    State(desk): Desked,
    Known(run): Known,
    Given(Selection { round }): Given<Selection>,
) -> Done {
    desk.app.select(run, round).await?;
    Ok(accepted(run))
}

pub(super) async fn answer(
    State(desk): Desked,
    Known(run): Known,
    Given(GivenAnswer { turn, answer }): Given<GivenAnswer>,
) -> Done {
    desk.app.answer(run, turn, answer).await?;
    Ok(accepted(run))
}

/// Tries again what the newest run made of this artifact.
pub(super) async fn rerun(
    State(desk): Desked,
    Named(OfArtifact { artifact }): Named<OfArtifact>,
    Given(Rerun { brief }): Given<Rerun>,
) -> Done {
    let archive = desk.clone();
    let run = blocking(move || {
        let filter = tribunal_store::index::RunFilter {
            kind: Some(<theater::Settings as RegisteredLoop>::KIND),
            subject: Some(artifact.clone()),
            limit: 1,
            ..tribunal_store::index::RunFilter::default()
        };
        let found = archive.archive.find(filter).map_err(|error| Refused::broken(error.to_string()))?;
        found.first().copied().ok_or_else(|| Refused::unknown(format!("there is no artifact `{artifact}`")))
    });
    Ok(accepted(desk.app.rerun(run.await?, brief).await?))
}

pub(super) async fn settings(State(desk): Desked, InProject: InProject) -> Result<Json<Settings>, Refused> {
    Ok(Json(Settings { values: desk.app.settings().await? }))
}

pub(super) async fn set(
    State(desk): Desked,
    InProject: InProject,
    Given(NewSetting { key, value }): Given<NewSetting>,
) -> Result<Json<Settings>, Refused> {
    desk.app.set(key, value).await?;
    Ok(Json(Settings { values: desk.app.settings().await? }))
}
