//! `tribunal reopen`: lift the lock of a decision.

use serde_json::json;
use tribunal_engine::Session;
use tribunal_kernel::{Event, RunId};
use tribunal_store::FileStore;

use super::{person, print_json};
use crate::args::{self, Global};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::views;

pub(super) async fn reopen(project: &Project, global: &Global, args: &args::Reopen) -> Result<Exit, Failure> {
    let id = project.find(args.run.as_deref()).await?;
    let session = lift(project, id, person(), args.why.clone(), args.rounds).await?;
    if global.json {
        print_json(&json!({ "run": id, "status": "running", "rounds": args.rounds }));
    } else {
        println!("run {id} is open again for {} more rounds", args.rounds);
        eprintln!("hint: `tribunal resume {}` goes on", session.run().spec().subject());
    }
    Ok(Exit::Pass)
}

/// Lifts the lock of a decision.
pub(crate) async fn lift(
    project: &Project,
    id: RunId,
    by: String,
    why: String,
    rounds: u32,
) -> Result<Session<FileStore>, Failure> {
    let mut session = Session::open(project.store.clone(), project.clock.clone(), id).await?;
    if !session.run().end().is_some_and(|end| end.outcome.is_sticky()) {
        return Err(Failure::usage(
            format!("run {id} is not decided, so there is nothing to reopen"),
            "`tribunal resume` goes on with a run that is not over",
        ));
    }
    let event = Event::DecisionReopened { by, why, rounds };
    session.record(event, &[]).await?;
    views::write_files(project.layout(), session.run())?;
    if project.index.with(|_| Ok(())).is_ok() {
        project.index.with(|index| index.update(session.run()))?;
    }
    Ok(session)
}
