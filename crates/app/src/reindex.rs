//! Views built again from the logs.

use std::collections::BTreeSet;
use std::sync::Arc;
use tribunal_kernel::Run;

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
    let mut runs: Vec<Arc<Run>> = Vec::new();
    for spec in project.specs().await? {
        runs.push(Arc::new(project.read(spec.run).await?));
    }
    // Of several runs on one asset the newest one is what the workspace shows; they come newest first.
    let mut shown = BTreeSet::new();
    let mut files = 0;
    for run in &runs {
        let spec = run.spec();
        // A fork writes nothing there, and must not stand in for the run that does.
        let is_shared = spec.kind().def().files.are_shared() && spec.fork.is_none();
        if !is_shared || shown.insert((project.folder_of(spec), spec.subject().to_owned())) {
            files += views::write_files(project, run).await?.len();
        }
        if !project.is_driven(spec.run).await? {
            project.store.live().end(spec.run).await?;
        }
        views::write_transcript(&*project.store, &project.artifacts(spec.run), run).await?;
    }
    // Last: it knows where the files are.
    let count = runs.len();
    project.store.lists().rebuild(runs).await?;
    Ok(Reindexed { runs: count, files })
}
