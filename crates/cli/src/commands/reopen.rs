//! `tribunal reopen`: lift the lock of a decision.

use serde_json::json;
use tribunal_app::reopen::{self, ReopenRequest};
use tribunal_app::service::decider;
use tribunal_app::{AppError, Exit, Project, desk, status};

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn reopen(project: &Project, global: &Global, args: &args::Reopen) -> Result<Exit, AppError> {
    let id = match project.find(args.run.as_deref()).await {
        Ok(id) => id,
        Err(error) => return Err(without_run(project, args.run.as_deref()).await?.unwrap_or(error)),
    };
    let request = ReopenRequest::new(id, decider()?, args.why.clone(), args.rounds)?;
    let session = reopen::reopen(project, request).await?;
    if global.json {
        print_json(&json!({ "run": id, "status": "running", "rounds": args.rounds }));
    } else {
        println!("run {id} is open again for {} more rounds", args.rounds);
        eprintln!("hint: `tribunal resume {}` continues it", session.run().spec().subject());
    }
    Ok(Exit::Pass)
}

/// Why there is nothing to reopen, where something is decided that no run of ours decided.
async fn without_run(project: &Project, name: Option<&str>) -> Result<Option<AppError>, AppError> {
    let decided = status::decided(project).await?;
    if let Some((asset, _)) = decided.iter().find(|(asset, _)| name.is_none_or(|name| name == asset)) {
        return Ok(Some(AppError::not_found(
            format!("`{asset}` is decided in the workspace, and there is no run of it here"),
            "`tribunal run --again` starts a new run",
        )));
    }
    let left = desk::status(project, name).await.map(|status| status.left).unwrap_or_default();
    let sentinel = left.into_iter().find(|campaign| campaign.sentinel.is_some());
    Ok(sentinel.map(|campaign| {
        AppError::not_found(
            format!("`{}` has a sentinel, and there is no run of it here", campaign.slug),
            format!("`tribunal desk clean {}` removes it", campaign.slug),
        )
    }))
}
