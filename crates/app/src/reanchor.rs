//! Judging a run's drafts by another anchor from now on.

use std::path::PathBuf;
use tribunal_anchors::{Anchor, AnchorKind};
use tribunal_kernel::rules::RULES;
use tribunal_kernel::{Run, RunId, SeatName, consult, joust};
use tribunal_store::backend::RunRequest;

use crate::consult::Consultant;
use crate::error::AppError;
use crate::loops::{check_anchor, read_anchor};
use crate::pool::RunPool;
use crate::project::Project;
use crate::tell::tell;

/// Another anchor for a run.
#[derive(Debug, Clone)]
pub struct ReanchorRequest {
    /// A run's id, a part of it, or its subject.
    pub run: String,
    /// A file, or the kind of the anchor that the main seat shall write.
    pub anchor: PathBuf,
    pub by: String,
}

/// The run, and the kind of its new anchor.
#[derive(Debug, Clone, Copy)]
pub struct ReanchoredRun {
    pub run: RunId,
    pub kind: AnchorKind,
}

/// Puts another anchor in its place, wherever the run is driven.
pub async fn reanchor(
    project: &Project,
    pool: Option<&RunPool>,
    request: ReanchorRequest,
) -> Result<ReanchoredRun, AppError> {
    let id = project.find(Some(&request.run)).await?;
    let run = project.read(id).await?;
    if let Some(end) = run.end().filter(|end| end.outcome.is_sticky()) {
        return Err(AppError::conflict(
            format!("run {id} is over: {}", end.outcome),
            "`tribunal reopen` lifts its decision; then you can change its anchor",
        ));
    }
    if !run.spec().seats.contains_key(&SeatName::new(RULES)) {
        return Err(AppError::conflict(
            format!("run {id} was started without an anchor"),
            "`tribunal run --anchor FILE` starts a run with an anchor; `tribunal steer` gives any run an instruction",
        ));
    }
    let path = project.root().join(&request.anchor);
    let kind = AnchorKind::from_word(&request.anchor.to_string_lossy()).filter(|_| !path.exists());
    let anchor = match kind {
        Some(kind) => written(project, &run, kind).await?,
        None => read_anchor(&path)?,
    };
    check_anchor(run.spec(), &anchor)?;
    let (kind, anchor) = (anchor.kind(), Box::new(anchor));
    let told = RunRequest::Reanchor { by: request.by, anchor: anchor.clone() };
    tell(project, pool, id, told, |run| run.reanchored() == Some(&*anchor)).await?;
    Ok(ReanchoredRun { run: id, kind })
}

/// An anchor of this kind, by the seat that begins drafts.
async fn written(project: &Project, run: &Run, kind: AnchorKind) -> Result<Anchor, AppError> {
    let main = SeatName::new(joust::MAIN);
    let Some(binding) = run.spec().seats.get(&main) else {
        return Err(AppError::conflict(
            format!("a {} has no seat that writes anchors", run.spec().kind()),
            "write the anchor to a file and pass that; docs/anchors.md describes every kind",
        ));
    };
    let author = Consultant::new(project, main, binding.clone(), "reanchor");
    let (anchor, why) = author.ask(consult::anchor(run, kind), |answer| consult::read_anchor(answer, kind)).await?;
    if let Some(why) = why {
        project.console.note(&why);
    }
    Ok(anchor)
}
