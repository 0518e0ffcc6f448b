//! `tribunal steer`: tell a run what is wanted, wherever it is driven.

use serde_json::json;
use tribunal_kernel::{Event, RunId};
use tribunal_store::backend::RunRequest;

use super::asking::tell;
use super::{person, print_json};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;

pub(super) async fn steer(project: &Project, global: &Global, args: &args::Steer) -> Result<Exit, Failure> {
    let (id, directive) = give(project, &args.run, &args.text, person()).await?;
    if global.json {
        print_json(&json!({ "run": id, "directive": directive }));
    } else {
        println!("run {id}: noted; every turn that starts from now on is told");
    }
    Ok(Exit::Pass)
}

/// Notes a directive down. Gives the run, and the directive's number.
pub(crate) async fn give(project: &Project, run: &str, text: &str, by: String) -> Result<(RunId, usize), Failure> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Failure::usage("there is nothing to say", "tribunal steer RUN \"Keep it under 200 words.\""));
    }
    let id = project.find(Some(run)).await?;
    let run = project.read(id).await?;
    if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
        return Err(Failure::usage(
            format!("run {id} is over: {}", end.outcome),
            "`tribunal reopen` lifts its decision; then it can be steered",
        ));
    }
    let before = run.directives().len();
    let text = text.to_owned();
    let event = Event::DirectiveGiven { by: by.clone(), text: text.clone() };
    tell(project, id, event, RunRequest::Steer { by, text }, |run| run.directives().len() > before).await?;
    Ok((id, before + 1))
}
