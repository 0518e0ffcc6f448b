//! `tribunal reanchor`: judge a run's drafts by another anchor from now on, wherever it is driven.

use serde_json::json;
use tribunal_app::reanchor::{self, ReanchorRequest, ReanchoredRun};
use tribunal_app::service::decider;
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn reanchor(project: &Project, global: &Global, args: &args::Reanchor) -> Result<Exit, AppError> {
    let request = ReanchorRequest { run: args.run.clone(), anchor: args.anchor.clone(), by: decider()? };
    let ReanchoredRun { run, kind } = reanchor::reanchor(project, None, request).await?;
    let kind = kind.as_str();
    if global.json {
        print_json(&json!({ "run": run, "anchor": kind }));
    } else {
        println!("run {run}: drafts are now judged against an anchor of kind `{kind}`; the old one stays in the log");
    }
    Ok(Exit::Pass)
}
