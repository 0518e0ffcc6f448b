//! The tool `status`: how runs stand.

use crate::commands::unreadable_run;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tribunal_app::pool::RunPool;
use tribunal_app::status::{self, RunStanding};
use tribunal_app::{AppError, Project, forecast};
use tribunal_kernel::Run;

/// A list has at most so many runs.
const MAX_RUNS: usize = 50;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Status {
    /// A run id, a unique part of it, or its asset. Default: all runs, newest first.
    run: Option<String>,
    /// With `run`: also every turn in detail. This can be long.
    turns: bool,
}

pub(super) async fn status(project: &Project, pool: &RunPool, args: Status) -> Result<Value, AppError> {
    if let Some(name) = &args.run {
        let status = status::one(project, Some(name)).await?;
        let mut object = if args.turns { status.detail() } else { status.standing_object() };
        let earlier = forecast::earlier_runs(project, &status.run).await?;
        object["forecast"] = json!(forecast::of(&status.run, &earlier).map(|forecast| forecast.to_string()));
        return Ok(with_trouble(object, pool, &status.run));
    }
    let list = status::list(project, None, MAX_RUNS).await?;
    let runs = list.runs.iter().map(|status| with_trouble(status.object(), pool, &status.run));
    let damaged = list.damaged.iter().map(unreadable_run);
    Ok(json!({ "runs": runs.chain(damaged).collect::<Vec<_>>(), "left_out": list.left_out }))
}

/// How a run stands, without its turns.
pub(super) async fn of(project: &Project, pool: &RunPool, run: &Run) -> Result<Value, AppError> {
    let status = RunStanding::of(project, Arc::new(run.clone())).await?;
    Ok(with_trouble(status.standing_object(), pool, run))
}

/// If nobody works on it: why not.
fn with_trouble(mut object: Value, pool: &RunPool, run: &Run) -> Value {
    object["trouble"] = json!(pool.trouble(run.spec().run));
    object
}
