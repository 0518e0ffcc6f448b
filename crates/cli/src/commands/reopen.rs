//! `tribunal reopen`: lift the lock of a decision.

use serde_json::json;
use tribunal_app::reopen::{self, ReopenRequest};
use tribunal_app::service::decider;
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn reopen(project: &Project, global: &Global, args: &args::Reopen) -> Result<Exit, AppError> {
    let id = project.find(args.run.as_deref()).await?;
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
