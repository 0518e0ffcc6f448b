//! A review of an asset.

use tribunal_engine::Session;
use tribunal_kernel::RunSpec;
use tribunal_kernel::last_look::LAST_LOOK;
use tribunal_kernel::loops::RegisteredLoop;
use tribunal_kernel::review::{CREATOR, REVIEWER, ReviewGiven, Settings};
use tribunal_kernel::rules::RULES;
use tribunal_kernel::{Digest, LoopKind, Run, RunId, SeatName};
use tribunal_store::workspace::{self, RunGiven};

use super::{Later, Opener, Opening, SpecFor, Wanted, anchor};
use crate::error::AppError;
use crate::newest::NewestRuns;
use crate::project::Project;
use crate::seating::{house, rules};
use crate::stale::ComparedSettings;

/// Opens reviews.
#[derive(Debug)]
pub struct Review;

impl Opener for Review {
    fn kind(&self) -> LoopKind {
        <Settings as RegisteredLoop>::KIND
    }

    fn find<'a>(&'a self, project: &'a Project, wanted: Wanted<'a>) -> Later<'a, Vec<(String, Opening)>> {
        Box::pin(async move {
            let assets = &project.config().review.assets;
            if assets.is_empty() {
                return Err(AppError::misconfigured(
                    "there is no asset to work on",
                    "pass one: `tribunal run description`, or set `asset = \"description\"` under `[review]`; or pass a \
                     page: `tribunal run page.html`",
                ));
            }
            let mut openings = Vec::new();
            let newest = NewestRuns::of(project).await?;
            for asset in assets {
                let found = find(project, newest.on(asset).await, asset, wanted.again).await;
                openings.push((asset.clone(), Opening::one_of(assets.len(), found)?));
            }
            Ok(openings)
        })
    }

    /// What the workspace holds may have changed since: it is looked at again, under its lock.
    fn create<'a>(&'a self, project: &'a Project, spec: RunSpec, _: &'a [Vec<u8>], again: bool) -> Later<'a, Session> {
        Box::pin(async move { create(project, spec.subject(), again).await })
    }

    fn configured<'a>(&'a self, project: &'a Project, old: &'a Run) -> Later<'a, RunSpec> {
        Box::pin(async move { Ok(spec(project, old.spec().subject(), SpecFor::Run).await?.0) })
    }

    fn compared(&self) -> ComparedSettings {
        ComparedSettings {
            keys: &[("locked", "review.locked_assets")],
            left_out: &["stop_in_circles", "stop_on_needs_human", "locked"],
        }
    }

    fn level(&self, was: &mut RunSpec, is: &RunSpec, _: bool) {
        if let (Some(was), Some(is)) = (was.settings_of_mut::<Settings>(), is.settings_of::<Settings>()) {
            was.max_iterations = is.max_iterations;
            // What the workspace held: nobody configured it.
            was.given = is.given.clone();
        }
    }
}

/// Finds out what there is to do. Changes nothing.
async fn find(project: &Project, newest: Option<RunId>, asset: &str, again: bool) -> Result<Opening, AppError> {
    if let Some(id) = newest {
        let run = project.read(id).await?;
        if !run.end().is_some_and(|end| end.outcome.is_sticky()) {
            return Ok(Opening::Continue(Box::new(run)));
        }
        if !again {
            let (now, _) = spec(project, asset, SpecFor::Comparison).await?;
            return Ok(Opening::settled(run, &now));
        }
    } else if !again && let Some(decision) = workspace::settled(&project.workspace(), asset)? {
        return Ok(Opening::Settled { decision, run: None, changes: Vec::new() });
    }
    let (spec, cited) = spec(project, asset, SpecFor::run(again)).await?;
    Ok(Opening::New { spec: Box::new(spec), cited })
}

/// Creates a run for an asset that has none: whoever opens runs does so alone. Under the workspace's lock, because what
/// is there may have been changed by other programs since it was looked at.
async fn create(project: &Project, asset: &str, again: bool) -> Result<Session, AppError> {
    // Whoever holds it awaits, too: if its waiters blocked the threads that drive tasks, it could not go on.
    let root = project.workspace();
    let lock = tokio::task::spawn_blocking(move || workspace::lock(&root));
    let _lock = lock.await.map_err(|error| AppError::environment(format!("a bug: {error}"), None))??;
    if !again && workspace::settled(&project.workspace(), asset)?.is_some() {
        return Err(AppError::conflict(
            format!("`{asset}` was decided a moment ago by another process"),
            "`tribunal status` shows how it stands",
        ));
    }
    let (spec, cited) = spec(project, asset, SpecFor::run(again)).await?;
    super::create(project, spec, &cited).await
}

/// The spec of a new run.
pub async fn spec(project: &Project, asset: &str, purpose: SpecFor) -> Result<(RunSpec, Vec<Vec<u8>>), AppError> {
    let config = project.config();
    let brief = purpose.brief(config)?;
    let attached = purpose.attached(project)?;
    let mut given = ReviewGiven::default();
    let mut texts = Vec::new();
    if purpose != SpecFor::Comparison {
        RunGiven { given, texts } = workspace::read(&project.workspace(), asset)?;
    }
    let mut max_iterations = config.review.max_iterations;
    if purpose == SpecFor::Again {
        // It counts on from where the decision was made, and has as many iterations as a first run.
        given.decision = None;
        max_iterations = max_iterations.saturating_add(given.prior.as_ref().map_or(0, |prior| prior.iterations.0));
    }
    let anchor = anchor(config)?;
    let mut seats = purpose.bindings(config, &[CREATOR, REVIEWER])?;
    seats.extend(anchor.iter().map(|_| (SeatName::new(RULES), rules())));
    seats.insert(SeatName::new(LAST_LOOK), house());
    let spec = RunSpec {
        seats,
        attachments: attached.list.clone(),
        max_retries: config.run.max_retries,
        anchor,
        ..RunSpec::new(
            RunId(tribunal_store::new_id()),
            project.workspace_name(),
            Digest::of(&brief),
            Settings {
                asset: asset.to_owned(),
                max_iterations,
                stop_in_circles: config.review.stop_in_circles,
                stop_on_needs_human: config.review.stop_on_needs_human,
                locked: config.review.locked_assets.iter().any(|locked| locked == asset),
                given,
            },
        )
    };
    texts.push(brief);
    Ok((purpose.grant(project, spec).await?, super::cited(texts, attached)))
}
