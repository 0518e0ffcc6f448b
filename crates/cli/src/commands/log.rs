//! `tribunal log` and `tribunal watch`: the events of a run, as they are or as they come.

use serde_json::json;
use std::time::Duration;
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::Run;
use tribunal_store::Follower;

use super::run::point_to_stage;
use crate::args::{self, Global};
use crate::render;

/// How often a followed log is read again.
const LOOK_EVERY: Duration = Duration::from_millis(200);

pub(super) async fn log(project: &Project, global: &Global, args: &args::Log) -> Result<Exit, AppError> {
    let id = project.find(args.run.as_deref()).await?;
    if args.follow {
        point_to_stage(project, id);
    }
    let mut run: Option<Run> = None;
    let mut follower = Follower::new(project.layout(), id);
    loop {
        let entries = follower.more(usize::MAX)?;
        for entry in &entries {
            let run = match &mut run {
                Some(run) => {
                    run.apply(entry).map_err(tribunal_engine::DriveError::from)?;
                    run
                }
                none => none.insert(Run::open(entry).map_err(tribunal_engine::DriveError::from)?),
            };
            if global.json {
                println!("{}", json!({ "seq": entry.seq, "time": entry.time, "event": entry.event }));
            } else {
                println!("{} {:>4}  {}", entry.time, entry.seq.0, render::entry(run, entry));
            }
        }
        let is_over = run.as_ref().is_some_and(|run| run.end().is_some());
        if !args.follow || is_over {
            let exit = if args.follow { Exit::of(run.iter()) } else { Exit::Pass };
            return Ok(exit);
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
