//! The tool `start_run`: the configured trial, in the background of this process.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tribunal_app::start::{RequestOrigin, Settled, StartRequest};
use tribunal_app::{App, AppError, summary};
use tribunal_kernel::LoopKind;

/// What to start. Nothing said: what is configured.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Start {
    /// The loop to run, instead of the configured one.
    r#loop: Option<LoopKind>,
    /// What is wanted: the text itself, or a file inside the project.
    brief: Option<String>,
    /// What to work on instead of what is configured: an asset of a review, an HTML or Markdown file for the house
    /// panel, the slug of a desk.
    asset: Option<String>,
    /// Several of them.
    assets: Vec<String>,
    /// A file inside the project with the anchor to judge drafts against, besides the brief.
    anchor: Option<String>,
    /// Whether to start a new run of what is decided already. Without it, what is decided stays as it is, and what
    /// changed since is refused with the kind `stale`.
    again: bool,
}

impl From<Start> for StartRequest {
    fn from(args: Start) -> Self {
        let Start { r#loop, brief, asset, mut assets, anchor, again } = args;
        assets.extend(asset);
        Self { r#loop, brief, subjects: assets, anchor, again, origin: RequestOrigin::Remote, ..Self::default() }
    }
}

pub(super) async fn start(app: &App, args: Start) -> Result<Value, AppError> {
    let begun = app.begin(args.into()).await?;
    let opened: Vec<Value> = begun.opened.iter().map(summary::summary).collect();
    let settled = |settled: &Settled| match &settled.run {
        Some(run) => summary::result(&begun.project, run),
        None => summary::decided(&settled.subject, &settled.decision),
    };
    let next = if opened.is_empty() {
        "Everything is decided already: no run was started and no agent was called."
    } else {
        "Call `wait` with the run's id."
    };
    let settled: Vec<Value> = begun.settled.iter().map(settled).collect();
    Ok(json!({ "runs": opened, "settled": settled, "next": next }))
}
