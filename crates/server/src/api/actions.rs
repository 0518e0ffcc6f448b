//! Changing runs: everything here goes to the office.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use std::sync::Arc;
use tribunal_kernel::{Round, RunId};

use super::problem::Refused;
use super::runs::RunName;
use super::types::{
    Accepted, GivenAnswer, NewSetting, Nothing, Reopening, Rerun, Selection, Settings, Start, Started, Steering,
};
use super::{Given, InProject, blocking};
use crate::server::Desk;

/// A directive goes into every prompt from now on.
const MAX_DIRECTIVE: usize = 16 * 1024;
/// Nobody wants more rounds than this.
const MAX_ROUNDS: u32 = 100;

type Desked = State<Arc<Desk>>;
type OfRun = Path<(String, RunName)>;
type Done = Result<(StatusCode, Json<Accepted>), Refused>;

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

pub(super) async fn interrupt(
    State(desk): Desked,
    InProject: InProject,
    Path((_, run)): OfRun,
    Given(_): Given<Nothing>,
) -> Done {
    known(&desk, run.0).await?;
    desk.office.interrupt(run.0).await?;
    Ok(accepted(run.0))
}

pub(super) async fn resume(
    State(desk): Desked,
    InProject: InProject,
    Path((_, run)): OfRun,
    Given(_): Given<Nothing>,
) -> Done {
    known(&desk, run.0).await?;
    desk.office.resume(run.0).await?;
    Ok(accepted(run.0))
}

pub(super) async fn steer(
    State(desk): Desked,
    InProject: InProject,
    Path((_, run)): OfRun,
    Given(Steering { text }): Given<Steering>,
) -> Done {
    if text.trim().is_empty() || text.len() > MAX_DIRECTIVE {
        return Err(Refused::invalid(format!("a directive has 1 to {MAX_DIRECTIVE} bytes")));
    }
    known(&desk, run.0).await?;
    desk.office.steer(run.0, text).await?;
    Ok(accepted(run.0))
}

pub(super) async fn reopen(
    State(desk): Desked,
    InProject: InProject,
    Path((_, run)): OfRun,
    Given(Reopening { why, rounds }): Given<Reopening>,
) -> Done {
    if why.trim().is_empty() {
        return Err(Refused::invalid("say why"));
    }
    if !(1..=MAX_ROUNDS).contains(&rounds) {
        return Err(Refused::invalid(format!("`rounds` is {rounds}, and may be 1 to {MAX_ROUNDS}")));
    }
    known(&desk, run.0).await?;
    desk.office.reopen(run.0, why, rounds).await?;
    Ok(accepted(run.0))
}

pub(super) async fn select(
    State(desk): Desked,
    InProject: InProject,
    Path((_, run)): OfRun,
    Given(Selection { round: Round(round) }): Given<Selection>,
) -> Done {
    known(&desk, run.0).await?;
    desk.office.select(run.0, Round(round)).await?;
    Ok(accepted(run.0))
}

pub(super) async fn answer(
    State(desk): Desked,
    InProject: InProject,
    Path((_, run)): OfRun,
    Given(GivenAnswer { turn, answer }): Given<GivenAnswer>,
) -> Done {
    known(&desk, run.0).await?;
    desk.office.answer(run.0, turn, answer).await?;
    Ok(accepted(run.0))
}

/// Tries the newest run that made this artifact anew.
pub(super) async fn rerun(
    State(desk): Desked,
    InProject: InProject,
    Path((_, artifact)): Path<(String, String)>,
    Given(Rerun { brief }): Given<Rerun>,
) -> Done {
    let archive = desk.clone();
    let run = blocking(move || {
        let filter = tribunal_store::index::Filter {
            kind: Some(tribunal_kernel::LoopKind::Theater),
            subject: Some(artifact.clone()),
            limit: 1,
            ..tribunal_store::index::Filter::default()
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

/// Refuses a run that is not there.
async fn known(desk: &Arc<Desk>, run: RunId) -> Result<(), Refused> {
    let desk = desk.clone();
    blocking(move || Ok(desk.archive.run(run).map(drop)?)).await
}
