//! `tribunal interrupt`: stop a run, wherever it is driven.

use serde_json::json;
use std::time::Duration;
use tribunal_engine::projection::NoView;
use tribunal_engine::{DriveError, Seating, Session};
use tribunal_kernel::{Event, RunId};
use tribunal_store::StoreError;
use tribunal_store::backend::RunRequest;

use super::asking::ask;
use super::{person, print_json};
use crate::args::{Global, OneRun};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;

/// How long whoever drives the run may take: ending its agents takes their grace time.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn interrupt(project: &Project, global: &Global, args: &OneRun) -> Result<Exit, Failure> {
    let id = project.find(args.run.as_deref()).await?;
    let run = project.read(id).await?;
    let is_over = run.end().is_some();
    if !is_over {
        stop(project, id, &person()).await?;
    }
    let run = project.read(id).await?;
    let status = run.end().map_or("running", |end| end.outcome.as_str());
    if global.json {
        print_json(&json!({ "run": id, "status": status, "was_over": is_over }));
    } else if is_over {
        println!("run {id} was over already: {status}");
    } else {
        println!("run {id}: {status}");
    }
    Ok(Exit::Pass)
}

/// Stops a run that is not over, whoever drives it.
pub(crate) async fn stop(project: &Project, id: RunId, by: &str) -> Result<(), Failure> {
    match Session::open(project.store.clone(), project.clock.clone(), id).await {
        // Nobody drives it: we close it ourselves.
        Ok(mut session) => {
            if !session.run().is_interrupted() {
                session.record(Event::InterruptRequested { by: by.to_owned() }, &[]).await?;
            }
            session.drive(&Seating::default(), &mut NoView).await?;
            Ok(())
        }
        Err(DriveError::Store(StoreError::Held { .. })) => {
            let hint = "look at the process that `tribunal resume` names as its holder";
            let request = RunRequest::Interrupt { by: by.to_owned() };
            ask(project, id, &request, PATIENCE, hint, |run| run.end().is_some()).await
        }
        Err(error) => Err(error.into()),
    }
}
