//! The tool `start_run`: the configured trial, in the background of this process.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tribunal_app::start::{RequestOrigin, Settled, StartRequest};
use tribunal_app::{App, AppError, summary};
use tribunal_config::Loop;

/// What to start. Nothing said: what is configured.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Start {
    /// The shape of the trial instead of the configured one: `review`, `joust`, `desk` or `theater`.
    r#loop: Option<LoopWord>,
    /// What is wanted: the text itself, or a file inside of the project.
    brief: Option<String>,
    /// What to work on instead of what is configured: an asset of a review, an HTML or Markdown file for the house
    /// panel, the slug of a desk.
    asset: Option<String>,
    /// Several of them.
    assets: Vec<String>,
    /// A file inside of the project with what drafts are judged against, besides the brief.
    anchor: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LoopWord {
    Review,
    Joust,
    Desk,
    Theater,
}

impl From<LoopWord> for Loop {
    fn from(word: LoopWord) -> Self {
        match word {
            LoopWord::Review => Self::Review,
            LoopWord::Joust => Self::Joust,
            LoopWord::Desk => Self::Desk,
            LoopWord::Theater => Self::Theater,
        }
    }
}

impl From<Start> for StartRequest {
    fn from(args: Start) -> Self {
        let Start { r#loop, brief, asset, mut assets, anchor } = args;
        assets.extend(asset);
        Self {
            r#loop: r#loop.map(Loop::from),
            brief,
            subjects: assets,
            anchor,
            origin: RequestOrigin::Remote,
            ..Self::default()
        }
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
        "Everything is decided: nothing was started, nobody was called."
    } else {
        "Call `wait` with the run's id."
    };
    let settled: Vec<Value> = begun.settled.iter().map(settled).collect();
    Ok(json!({ "runs": opened, "settled": settled, "next": next }))
}
