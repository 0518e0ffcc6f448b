//! `tribunal log` and `tribunal watch`: the events of a run, as they are or as they come.

use serde_json::json;
use std::time::Duration;
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::{Run, RunId, Seq};

use super::run::point_to_stage;
use crate::args::{self, Global};
use crate::live_lines::LiveLines;
use crate::render;

/// How often a followed log is read again.
const LOOK_EVERY: Duration = Duration::from_millis(200);

pub(super) async fn log(project: &Project, global: &Global, args: &args::Log) -> Result<Exit, AppError> {
    let id = project.find(args.run.as_deref()).await?;
    if args.follow {
        point_to_stage(project, id).await;
    }
    print(project, global, id, args.follow, None).await
}

/// The same as it comes, with what turns say before they end.
pub(super) async fn watch(project: &Project, global: &Global, args: &args::OneRun) -> Result<Exit, AppError> {
    let id = project.find(args.run.as_deref()).await?;
    point_to_stage(project, id).await;
    if project.read(id).await?.end().is_none() && !project.is_driven(id).await? {
        project.console.say(&format!("run {id} is stopped; `tribunal resume {id}` continues it"));
    }
    print(project, global, id, true, Some(LiveLines::default())).await
}

async fn print(
    project: &Project,
    global: &Global,
    id: RunId,
    follows: bool,
    mut live: Option<LiveLines>,
) -> Result<Exit, AppError> {
    let mut run: Option<Run> = None;
    let mut follower = project.store.logs().follow(id, Seq(0)).await?;
    let mut listener = project.store.live().listen(id).await?;
    loop {
        let entries = follower.next(usize::MAX).await?;
        for (entry, hash) in entries.iter().zip(follower.hashes()) {
            let run = match &mut run {
                Some(run) => {
                    run.apply(entry).map_err(tribunal_engine::DriveError::from)?;
                    run
                }
                none => none.insert(Run::open(entry).map_err(tribunal_engine::DriveError::from)?),
            };
            if let Some(live) = &mut live {
                live.rest(run).iter().for_each(|line| println!("{line}"));
            }
            if global.json {
                let told = json!({ "seq": entry.seq, "time": entry.time, "event": entry.event, "hash": hash });
                crate::out::json(&told.to_string());
            } else {
                println!("{} {:>4}  {}", entry.time, entry.seq.0, render::entry(run, entry));
            }
        }
        let is_over = run.as_ref().is_some_and(|run| run.end().is_some());
        if !follows || is_over {
            return Ok(if follows { Exit::of(run.iter()) } else { Exit::Pass });
        }
        if let (Some(live), Some(run)) = (&mut live, &run) {
            let heard = listener.next().await?;
            // A leader that was killed leaves what it told behind; nobody says it now.
            let heard = if heard.is_empty() || project.is_driven(id).await? { heard } else { Vec::new() };
            for frame in heard {
                if global.json {
                    crate::out::json(&json!({ "live": frame }).to_string());
                } else {
                    live.take(run, frame).iter().for_each(|line| println!("{line}"));
                }
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
