//! A review of an asset.

use tribunal_engine::Session;
use tribunal_kernel::review::{CREATOR, REVIEWER, Settings};
use tribunal_kernel::rules::RULES;
use tribunal_kernel::spec::{LoopSettings, RunSpec};
use tribunal_kernel::{Digest, RunId, SeatName};
use tribunal_store::{FileStore, workspace};
use uuid::Uuid;

use super::{Opening, allowance, anchor, brief};
use crate::failure::Failure;
use crate::project::Project;
use crate::seating::{bindings, rules};

/// Finds out what there is to do. Changes nothing.
pub(crate) async fn find(project: &Project, asset: &str) -> Result<Opening, Failure> {
    if let Some(id) = project.newest_on(asset).await? {
        let run = project.read(id).await?;
        return Ok(match run.end() {
            Some(end) if end.outcome.is_sticky() => {
                Opening::Settled { decision: run.decision().clone(), run: Some(Box::new(run)) }
            }
            Some(_) | None => Opening::Continue(Box::new(run)),
        });
    }
    if let Some(decision) = workspace::settled(&project.workspace(), asset)? {
        return Ok(Opening::Settled { decision, run: None });
    }
    let (spec, texts) = spec(project, asset)?;
    Ok(Opening::New { spec: Box::new(spec), texts })
}

/// Creates a run for an asset that has none. Under the workspace's lock, because two runs of one asset would both
/// number its iterations.
pub(crate) async fn create(project: &Project, asset: &str) -> Result<Session<FileStore>, Failure> {
    // Whoever holds it awaits, too: if its waiters blocked the threads that drive tasks, it could not go on.
    let root = project.workspace();
    let lock = tokio::task::spawn_blocking(move || workspace::lock(&root));
    let _lock = lock.await.map_err(|error| Failure::environment(format!("a bug: {error}"), None))??;
    let (store, clock) = (project.store.clone(), project.clock.clone());
    match find(project, asset).await? {
        Opening::New { spec, texts } => Ok(Session::create(store, clock, *spec, &texts).await?),
        Opening::Continue(run) => Ok(Session::open(store, clock, run.spec().run).await?),
        Opening::Settled { .. } => Err(Failure::usage(
            format!("`{asset}` was decided a moment ago by another process"),
            "`tribunal status` shows how it stands",
        )),
    }
}

/// The spec of a new run.
pub(crate) fn spec(project: &Project, asset: &str) -> Result<(RunSpec, Vec<String>), Failure> {
    let config = project.config();
    let workspace = project.workspace();
    let found = workspace::read(&workspace, asset)?;
    let brief = brief(config.run.brief.as_ref())?;
    let mut texts = found.texts;
    let anchor = anchor(config)?;
    let mut seats = bindings(config, &[CREATOR, REVIEWER])?;
    seats.extend(anchor.iter().map(|_| (SeatName::new(RULES), rules())));
    let spec = RunSpec {
        seats,
        max_retries: config.run.max_retries,
        anchor,
        ..RunSpec::new(
            RunId(Uuid::now_v7()),
            workspace.display().to_string(),
            Digest::of(&brief),
            LoopSettings::Review {
                review: Box::new(Settings {
                    asset: asset.to_owned(),
                    max_iterations: config.review.max_iterations,
                    stop_on_needs_human: config.review.stop_on_needs_human,
                    locked: config.review.locked_assets.iter().any(|locked| locked == asset),
                    given: found.given,
                }),
            },
        )
    };
    texts.push(brief);
    Ok((allowance::grant(project, spec)?, texts))
}
