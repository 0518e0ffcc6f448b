//! The tools `start_run` and `judge`: trials in processes of their own, which go on when the client leaves.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tribunal_app::input::Fence;
use tribunal_app::opened::Settled;
use tribunal_app::start::{RequestOrigin, StartRequest};
use tribunal_app::{App, AppError, summary};
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::{LoopKind, judge};

use super::drivers::Drivers;

/// What to start. Nothing said: what is configured.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Start {
    /// The loop to run, instead of the configured one.
    r#loop: Option<LoopKind>,
    /// What is wanted: the text itself, or a file inside the project.
    brief: Option<String>,
    /// Files inside the project to show along with the brief, instead of those that are configured: images (PNG, JPEG, GIF,
    /// WebP) and texts.
    attachments: Vec<String>,
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
        let Start { r#loop, brief, attachments, asset, mut assets, anchor, again } = args;
        assets.extend(asset);
        let origin = RequestOrigin::Remote;
        Self { r#loop, brief, attachments, subjects: assets, anchor, again, origin, ..Self::default() }
    }
}

/// Which change to judge. Nothing said: what is in the work tree, as tribunal.toml configures it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Judge {
    /// The commits of the change, such as `main..HEAD`.
    range: Option<String>,
    /// A file inside the project that says what the change has to do, one item a line.
    spec: Option<String>,
    /// Whether to judge again what was judged already.
    again: bool,
}

/// Judges a change. Its checks are those that are configured, or found: nobody names commands over the protocol.
pub(super) async fn judge(app: &App, drivers: &Drivers, args: Judge) -> Result<Value, AppError> {
    let Judge { range, spec, again } = args;
    let mut settings = Vec::new();
    if let Some(range) = range {
        if range.starts_with('-') {
            return Err(AppError::invalid(format!("`{range}` is not a range of commits"), "use `main..HEAD`"));
        }
        settings.push(("judge.range".to_owned(), range));
    }
    if let Some(spec) = spec {
        let file = Fence::of(&app.load()?).file(&spec)?;
        settings.push(("judge.spec".to_owned(), file.display().to_string()));
    }
    let kind = Some(<judge::Settings as RegisteredLoop>::KIND);
    let request =
        StartRequest { r#loop: kind, again, settings, origin: RequestOrigin::Remote, ..StartRequest::default() };
    Box::pin(begin(app, drivers, request)).await
}

pub(super) async fn start(app: &App, drivers: &Drivers, args: Start) -> Result<Value, AppError> {
    Box::pin(begin(app, drivers, args.into())).await
}

async fn begin(app: &App, drivers: &Drivers, request: StartRequest) -> Result<Value, AppError> {
    drivers.has_room()?;
    let begun = Box::pin(app.open(request)).await?;
    for run in &begun.opened {
        // One that another process drives goes on there.
        if !begun.project.is_driven(run.spec().run).await? {
            drivers.drive(&begun.project, run.spec().run).await?;
        }
    }
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
