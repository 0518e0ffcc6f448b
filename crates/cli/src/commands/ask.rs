//! `tribunal ask`: a question to whoever sits in a seat.

use serde_json::json;
use tribunal_app::ask::{self, Answered};
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::{self, Global};

pub(super) async fn ask(project: &Project, global: &Global, args: &args::Ask) -> Result<Exit, AppError> {
    let Answered { run, seat, agent, answer } = ask::ask(project, args.run.as_deref(), &args.seat, &args.text).await?;
    if global.json {
        print_json(&json!({ "run": run, "seat": seat, "agent": agent, "answer": answer }));
    } else {
        crate::out::data(&format!("{answer}\n"));
    }
    Ok(Exit::Pass)
}
