//! Changing runs: everything here goes to the office.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use std::sync::Arc;
use tribunal_kernel::RunId;

use super::asked::{Given, InProject, Named, OfArtifact, OfRun};
use super::blocking;
use super::problem::Refused;
use super::types::{
    Accepted, GivenAnswer, NewSetting, Nothing, Reopening, Rerun, Selection, Settings, Start, Started, Steering,
};
use crate::server::Desk;

/// A directive goes into every prompt from now on.
const MAX_DIRECTIVE: usize = 16 * 1024;
/// Nobody wants more rounds than this.
const MAX_ROUNDS: u32 = 100;

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
    Given(wish): Given<Start>,
) -> Result<(StatusCode, Json<Started>), Refused> {
    let runs = desk.office.start(wish).await?;
    Ok((StatusCode::ACCEPTED, Json(Started { runs })))
}

pub(super) async fn interrupt(State(desk): Desked, Known(run): Known, Given(_): Given<Nothing>) -> Done {
    desk.office.interrupt(run).await?;
    Ok(accepted(run))
}

pub(super) async fn resume(State(desk): Desked, Known(run): Known, Given(_): Given<Nothing>) -> Done {
    desk.office.resume(run).await?;
    Ok(accepted(run))
}

pub(super) async fn steer(State(desk): Desked, Known(run): Known, Given(Steering { text }): Given<Steering>) -> Done {
    if text.trim().is_empty() || text.len() > MAX_DIRECTIVE {
        return Err(Refused::invalid(format!("a directive has 1 to {MAX_DIRECTIVE} bytes")));
    }
    desk.office.steer(run, text).await?;
    Ok(accepted(run))
}

pub(super) async fn reopen(
    State(desk): Desked,
    Known(run): Known,
    Given(Reopening { why, rounds }): Given<Reopening>,
) -> Done {
    if why.trim().is_empty() {
        return Err(Refused::invalid("say why"));
    }
    if !(1..=MAX_ROUNDS).contains(&rounds) {
        return Err(Refused::invalid(format!("`rounds` is {rounds}, and may be 1 to {MAX_ROUNDS}")));
    }
    desk.office.reopen(run, why, rounds).await?;
    Ok(accepted(run))
}

pub(super) async fn select(
    State(desk): Desked,
    Known(run): Known,
    Given(Selection { round }): Given<Selection>,
) -> Done {
    desk.office.select(run, round).await?;
    Ok(accepted(run))
}

pub(super) async fn answer(
    State(desk): Desked,
    Known(run): Known,
    Given(GivenAnswer { turn, answer }): Given<GivenAnswer>,
) -> Done {
    desk.office.answer(run, turn, answer).await?;
    Ok(accepted(run))
}

/// Tries the newest run that made this artifact anew.
pub(super) async fn rerun(
    State(desk): Desked,
    Named(OfArtifact { artifact }): Named<OfArtifact>,
    Given(Rerun { brief }): Given<Rerun>,
) -> Done {
    let archive = desk.clone();
    let run = blocking(move || {
        let filter = tribunal_store::index::RunFilter {
            kind: Some(tribunal_kernel::LoopKind::Theater),
            subject: Some(artifact.clone()),
            limit: 1,
            ..tribunal_store::index::RunFilter::default()
        };
        let found = archive.archive.find(&filter).map_err(Refused::broken)?;
        found.first().copied().ok_or_else(|| Refused::unknown(format!("there is no artifact `{artifact}`")))
    });
    Ok(accepted(desk.office.rerun(run.await?, brief).await?))
}

pub(super) async fn settings(State(desk): Desked, InProject: InProject) -> Result<Json<Settings>, Refused> {
    Ok(Json(Settings { values: desk.office.settings().await? }))
}

pub(super) async fn set(
    State(desk): Desked,
    InProject: InProject,
    Given(NewSetting { key, value }): Given<NewSetting>,
) -> Result<Json<Settings>, Refused> {
    desk.office.set(key, value).await?;
    Ok(Json(Settings { values: desk.office.settings().await? }))
}
