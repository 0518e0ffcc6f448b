//! `tribunal steer`: tell a run what is wanted, wherever it is driven.

use serde_json::json;
use std::time::Duration;
use tribunal_engine::{DriveError, Session};
use tribunal_kernel::{Event, RunId};
use tribunal_store::StoreError;
use tribunal_store::inbox::Request;

use super::asking::ask;
use super::{person, print_json};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;

/// How long whoever drives the run may take to note it down.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn steer(project: &Project, global: &Global, args: &args::Steer) -> Result<Exit, Failure> {
    let text = args.text.trim();
    if text.is_empty() {
        return Err(Failure::usage("there is nothing to say", "tribunal steer RUN \"Keep it under 200 words.\""));
    }
    let id = project.find(Some(&args.run)).await?;
    let run = project.read(id).await?;
    if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
        return Err(Failure::usage(
            format!("run {id} is over: {}", end.outcome),
            "`tribunal reopen` lifts its decision; then it can be steered",
        ));
    }
    let before = run.directives().len();
    tell(project, id, text, before).await?;
    if global.json {
        print_json(&json!({ "run": id, "directive": before + 1 }));
    } else {
        println!("run {id}: noted; every turn that starts from now on is told");
    }
    Ok(Exit::Pass)
}

async fn tell(project: &Project, id: RunId, text: &str, before: usize) -> Result<(), Failure> {
    match Session::open(project.store.clone(), project.clock.clone(), id).await {
        // Nobody drives it: we note it down ourselves.
        Ok(mut session) => {
            session.record(Event::DirectiveGiven { by: person(), text: text.to_owned() }, &[]).await?;
            Ok(())
        }
        Err(DriveError::Store(StoreError::Held { .. })) => {
            let request = Request::Steer { by: person(), text: text.to_owned() };
            let hint = "it is in the run's inbox and will be taken up when the run is driven again";
            ask(project, id, &request, PATIENCE, hint, |run| run.directives().len() > before).await
        }
        Err(error) => Err(error.into()),
    }
}
