//! The tools `steer` and `interrupt`: telling a run something, wherever it is driven.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::commands;
use crate::failure::Failure;
use crate::fence::bounded;
use crate::project::Project;

/// A directive goes into every prompt from now on.
const MAX_DIRECTIVE: usize = 16 * 1024;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Steer {
    /// A run's id, a unique part of it, or its asset.
    run: String,
    /// What is wanted, in a sentence or two.
    text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Interrupt {
    /// A run's id, a unique part of it, or its asset.
    run: String,
}

pub(super) async fn steer(project: &Project, args: Steer, by: String) -> Result<Value, Failure> {
    bounded("the directive", &args.text, MAX_DIRECTIVE)?;
    let (run, directive) = commands::steer::give(project, &args.run, &args.text, by).await?;
    Ok(json!({ "run": run, "directive": directive }))
}

pub(super) async fn interrupt(project: &Project, args: Interrupt, by: &str) -> Result<Value, Failure> {
    let id = project.find(Some(&args.run)).await?;
    let was_over = project.read(id).await?.end().is_some();
    if !was_over {
        commands::interrupt::stop(project, id, by).await?;
    }
    let run = project.read(id).await?;
    let status = run.end().map_or("running", |end| end.outcome.as_str());
    Ok(json!({ "run": id, "status": status, "was_over": was_over }))
}
