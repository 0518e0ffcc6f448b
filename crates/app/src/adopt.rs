//! Taking over what a run made: the work of a desk into the user's checkout, the page of a theater to where it came from.

use std::fs;
use std::path::{Path, PathBuf};
use tribunal_engine::tree::Adopted;
use tribunal_kernel::desk::desk_of;
use tribunal_kernel::theater::{self, Settings};
use tribunal_kernel::{Digest, Outcome, Run, RunId};

use crate::error::AppError;
use crate::in_place::{self, Replaced};
use crate::project::Project;
use crate::proof::anchor::{self, AnchorMoment};
use crate::seating::desk_folder;

/// How a run is adopted.
#[derive(Debug, Clone, Copy, Default)]
pub struct AdoptRequest<'r> {
    pub run: Option<&'r str>,
    /// Also what is not complete, or did not pass.
    pub takes_unfinished: bool,
    /// Also over a page that changed since the run began.
    pub force: bool,
}

/// What was taken over.
#[derive(Debug)]
pub enum AdoptedWork {
    Desk(Adopted),
    /// The page is in place.
    Page(Replaced),
    /// The page was in place already.
    PageAlready(PathBuf),
}

/// Takes over what a run made; what passed alone, unless what did not is wanted, too.
pub async fn adopt(project: &Project, request: AdoptRequest<'_>) -> Result<(RunId, AdoptedWork), AppError> {
    let run = project.read(project.find(request.run).await?).await?;
    let id = run.spec().run;
    if theater::stage_of(run.spec()).is_some() {
        let adopted = page(project, &run, request).await?;
        anchor::tell(project, &run, AnchorMoment::Adopted).await;
        return Ok((id, adopted));
    }
    let Some(settings) = desk_of(run.spec()) else {
        return Err(AppError::conflict(
            format!("run {id} is a {}, which does not change your files", run.spec().kind()),
            "`tribunal export` writes its results to a folder",
        ));
    };
    let is_complete = run.end().is_some_and(|end| end.outcome == Outcome::Converged);
    if !is_complete && !request.takes_unfinished {
        return Err(AppError::conflict(
            format!("run {id} is not complete"),
            "`--unfinished` merges what there is, verified or not",
        ));
    }
    let folder = desk_folder(project, run.spec(), settings).await?;
    let adopted = folder.trees().lock().await.adopt().await;
    let adopted = adopted.map_err(|error| AppError::conflict(error.to_string(), error.hint()))?;
    anchor::tell(project, &run, AnchorMoment::Adopted).await;
    Ok((id, AdoptedWork::Desk(adopted)))
}

/// The page that a theater can put where it came from, if it handed over another one.
pub async fn offered(project: &Project, run: &Run) -> Option<PathBuf> {
    let ship = run.end()?.ship.as_deref()?;
    let (path, given) = source(project, run).await?;
    let is_there = || fs::read(&path).is_ok_and(|now| Digest::of(&now) == ship.draft.content);
    (ship.draft.content != given && path.is_file() && !is_there()).then_some(path)
}

/// Puts what a theater handed over where it came from.
async fn page(project: &Project, run: &Run, request: AdoptRequest<'_>) -> Result<AdoptedWork, AppError> {
    let id = run.spec().run;
    let Some((path, given)) = source(project, run).await else {
        return Err(AppError::conflict(
            format!("run {id} did not start from a file"),
            "`tribunal export` writes its results to a folder",
        ));
    };
    let ship = run.end().and_then(|end| Some((end.outcome, end.ship.as_deref()?)));
    let Some((outcome, ship)) = ship else {
        return Err(AppError::conflict(
            format!("run {id} has handed nothing over"),
            "`tribunal status RUN` shows where it stands",
        ));
    };
    if !outcome.is_pass() && !request.takes_unfinished {
        return Err(AppError::conflict(
            format!("run {id} did not pass: {outcome}"),
            "`--unfinished` takes what it handed over all the same",
        ));
    }
    let text = project.text(ship.draft.content).await.ok_or_else(|| {
        AppError::environment("the artifact is missing", "`tribunal verify` shows details".to_owned())
    })?;
    let root = path.parent().unwrap_or(Path::new("/"));
    if let Some(why) = in_place::refusal(&path, root) {
        return Err(AppError::conflict(
            format!("{} is not replaced: {why}", path.display()),
            "`tribunal export` writes the page to a folder",
        ));
    }
    let old = fs::read(&path)
        .map_err(|error| AppError::environment(format!("cannot read {}: {error}", path.display()), None))?;
    if old == text.as_bytes() {
        return Ok(AdoptedWork::PageAlready(path));
    }
    if Digest::of(&old) != given && !request.force {
        return Err(AppError::conflict(
            format!("{} changed since run {id} began", path.display()),
            "`tribunal run` starts from the page as it is now; `--force` replaces it, and keeps its text beside it",
        ));
    }
    Ok(AdoptedWork::Page(in_place::replace(&path, &old, text.as_bytes())?))
}

/// No chain of reruns is longer.
const MAX_RERUNS: usize = 100;

/// The file that a theater started from, and its text then. A rerun started where the first run did.
async fn source(project: &Project, run: &Run) -> Option<(PathBuf, Digest)> {
    let mut run = run.clone();
    for _ in 0..MAX_RERUNS {
        let Settings { given, .. } = theater::stage_of(run.spec())?;
        if let Some(earlier) = given.rerun_of {
            run = project.read(earlier).await.ok()?;
            continue;
        }
        let workspace = project.folder_of(run.spec());
        let folder = given.folder.as_ref().map_or_else(|| workspace.clone(), |folder| workspace.join(folder));
        return Some((folder.join(given.file.as_ref()?), given.prior.as_ref()?.content));
    }
    None
}
