//! The tools `steer` and `interrupt`: telling a run something, wherever it is driven.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tribunal_app::interrupt::{self, Stopped};
use tribunal_app::steer::{self, SteerRequest, Steered};
use tribunal_app::{App, AppError};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Steer {
    /// A run id, a unique part of it, or its asset.
    run: String,
    /// What is wanted, in a sentence or two.
    text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Interrupt {
    /// A run id, a unique part of it, or its asset.
    run: String,
}

pub(super) async fn steer(app: &App, args: Steer, by: String) -> Result<Value, AppError> {
    let request = SteerRequest::new(args.run, &args.text, by)?;
    let Steered { run, directive } = steer::steer(&app.load()?, Some(app.pool()), request).await?;
    Ok(json!({ "run": run, "directive": directive }))
}

pub(super) async fn interrupt(app: &App, args: Interrupt, by: &str) -> Result<Value, AppError> {
    let stopped = interrupt::interrupt(&app.load()?, Some(app.pool()), Some(&args.run), by).await?;
    let Stopped { run, was_over } = stopped;
    let status = run.end().map_or("running", |end| end.outcome.as_str());
    Ok(json!({ "run": run.spec().run, "status": status, "was_over": was_over }))
}
