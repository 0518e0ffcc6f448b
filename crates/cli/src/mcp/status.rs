//! The tool `status`: how runs stand.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tribunal_app::people::People;
use tribunal_app::pool::RunPool;
use tribunal_app::{AppError, Project, summary};
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
        let run = project.read(project.find(Some(name)).await?).await?;
        return Ok(if args.turns {
            merged(summary::detail(&run, &People::of(project.config())), driven(project, pool, &run).await?)
        } else {
            of(project, pool, &run).await?
        });
    }
    let specs = project.specs().await?;
    let mut runs = Vec::new();
    for spec in specs.iter().take(MAX_RUNS) {
        match project.read(spec.run).await {
            Ok(run) => runs.push(merged(summary::summary(&run), driven(project, pool, &run).await?)),
            Err(failure) => runs.push(json!({ "run": spec.run, "unreadable": failure.to_string() })),
        }
    }
    Ok(json!({ "runs": runs, "left_out": specs.len().saturating_sub(MAX_RUNS) }))
}

/// How a run stands, without its turns.
pub(super) async fn of(project: &Project, pool: &RunPool, run: &Run) -> Result<Value, AppError> {
    let people = People::of(project.config());
    let mut object = merged(summary::summary(run), summary::standing_object(run, &people));
    object["standing"] = json!(summary::standing_of(run, &people, project.is_driven(run.spec().run).await?));
    Ok(merged(object, driven(project, pool, run).await?))
}

/// Whether somebody works on it, and if not, why not.
async fn driven(project: &Project, pool: &RunPool, run: &Run) -> Result<Value, AppError> {
    let id = run.spec().run;
    Ok(json!({ "driven": project.is_driven(id).await?, "trouble": pool.trouble(id) }))
}

fn merged(mut object: Value, more: Value) -> Value {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    object
}
