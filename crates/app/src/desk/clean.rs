//! A campaign that can run again: what keeps it from that is removed, and so is what is finished and taken over.

use std::path::PathBuf;
use tribunal_engine::tree::TreeError;
use tribunal_kernel::desk::desk_of;
use tribunal_kernel::{RunId, RunSpec};
use tribunal_store::backend::ScratchFolder;

use crate::error::AppError;
use crate::loops::desk;
use crate::project::Project;
use crate::seating::desk_folder;

/// What became of a campaign's runtime files and work trees.
#[derive(Debug, Default)]
pub struct CleanedDesk {
    pub removed: Vec<PathBuf>,
    /// Branches of finished runs whose work is in the checkout, or was given up.
    pub branches: Vec<String>,
    /// Work that nobody took over, by its branch (or its run, where there is no git): it stays.
    pub kept: Vec<String>,
}

/// The name of a run's work tree, if its work is in the checkout: nobody needs it any more.
pub(crate) async fn adopted_tree(project: &Project, spec: &RunSpec) -> Result<Option<String>, AppError> {
    let Some(settings) = desk_of(spec) else { return Ok(None) };
    let folder = desk_folder(project, spec, settings).await?;
    let trees = folder.trees().lock().await;
    let name = trees.branch().map_or_else(|| spec.run.to_string(), str::to_owned);
    Ok(trees.is_adopted().await.map_err(|error| failed(&error))?.then_some(name))
}

/// Removes the work tree of a run, if nobody needs it any more; whether that was so.
pub(crate) async fn remove_tree(project: &Project, run: RunId) -> Result<bool, AppError> {
    let run = project.read(run).await?;
    let Some(settings) = desk_of(run.spec()) else { return Ok(false) };
    let folder = desk_folder(project, run.spec(), settings).await?;
    let is_adopted = folder.trees().lock().await.is_adopted().await.map_err(|error| failed(&error))?;
    if is_adopted { folder.remove().await.map_err(|error| failed(&error)) } else { Ok(false) }
}

fn failed(error: &TreeError) -> AppError {
    AppError::environment(error.to_string(), Some(error.hint()))
}

/// Removes what keeps a campaign from running again, and the work trees of its finished runs. Work that is not in the
/// checkout stays, unless it is to be discarded.
pub async fn clean(project: &Project, slug: &str, discards: bool) -> Result<CleanedDesk, AppError> {
    let files = desk::files(project, slug)?;
    if !files.path(&files.prd()).exists() {
        return Err(AppError::invalid(
            format!("no campaign `{slug}` in {}", files.path(files.root()).display()),
            "`tribunal desk status` lists those that have run",
        ));
    }
    let mut specs = Vec::new();
    for spec in project.specs().await? {
        if desk_of(&spec).is_some_and(|settings| settings.slug == slug) {
            if project.is_driven(spec.run).await? {
                return Err(AppError::conflict(
                    format!("somebody is working on `{slug}`"),
                    format!("`tribunal interrupt {}` stops the run", spec.run),
                ));
            }
            specs.push(spec);
        }
    }
    let mut cleaned = CleanedDesk { removed: tribunal_store::desk::clean(&files)?, ..CleanedDesk::default() };
    for spec in specs {
        let Some(settings) = desk_of(&spec) else { continue };
        let is_over = project.read(spec.run).await?.end().is_some_and(|end| end.outcome.is_sticky());
        if !is_over || !project.store.scratch().path(&ScratchFolder::Trees(spec.run)).exists() {
            continue;
        }
        let folder = desk_folder(project, &spec, settings).await?;
        let (name, is_adopted) = {
            let trees = folder.trees().lock().await;
            let name = trees.branch().map_or_else(|| spec.run.to_string(), str::to_owned);
            (name, discards || trees.is_adopted().await.map_err(|error| failed(&error))?)
        };
        if is_adopted && folder.remove().await.map_err(|error| failed(&error))? {
            cleaned.branches.push(name);
        } else {
            cleaned.kept.push(name);
        }
    }
    Ok(cleaned)
}
