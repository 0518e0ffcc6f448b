//! Views built again from the logs.

use std::collections::BTreeSet;
use tribunal_kernel::Run;
use tribunal_store::artifacts;

use crate::error::AppError;
use crate::project::Project;
use crate::views;

/// What was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reindexed {
    pub runs: usize,
    pub files: usize,
}

/// Writes every view as the logs have it.
pub async fn reindex(project: &Project) -> Result<Reindexed, AppError> {
    let mut runs: Vec<Run> = Vec::new();
    for spec in project.specs().await? {
        runs.push(project.read(spec.run).await?);
    }
    // Of several runs on one asset the newest one is what the workspace shows; they come newest first.
    let mut shown = BTreeSet::new();
    let mut files = 0;
    for run in &runs {
        let spec = run.spec();
        // A fork writes nothing there, and must not stand in for the run that does.
        let is_shared = spec.kind().def().files.are_shared() && spec.fork.is_none();
        if !is_shared || shown.insert((project.folder_of(spec), spec.subject().to_owned())) {
            files += views::write_files(project, run)?.len();
        }
        artifacts::rebuild(project.layout(), run)?;
    }
    // Last: it knows where the files are.
    project.store.index().rebuild(&runs)?;
    Ok(Reindexed { runs: runs.len(), files })
}
