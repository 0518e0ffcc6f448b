//! Views built again from the logs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use tribunal_kernel::Run;
use tribunal_kernel::loops::LoopFiles;

use crate::error::AppError;
use crate::project::{Project, RunSurvey, UnreadableRun};
use crate::views;

/// What was built.
#[derive(Debug)]
pub struct Reindexed {
    pub runs: usize,
    pub files: usize,
    /// What could not be built, because the log is damaged or a file cannot be written.
    pub unreadable: Vec<UnreadableRun>,
}

/// Writes every view as the logs have it.
pub async fn reindex(project: &Project) -> Result<Reindexed, AppError> {
    let mut runs: Vec<Arc<Run>> = Vec::new();
    let RunSurvey { specs, mut unreadable } = project.survey().await?;
    for spec in specs {
        match project.read(spec.run).await {
            Ok(run) => runs.push(Arc::new(run)),
            Err(why) => unreadable.push(UnreadableRun { run: spec.run, why }),
        }
    }
    // Of several runs on one asset the newest one is what the workspace shows; they come newest first.
    let mut shown = BTreeSet::new();
    let mut reviews: BTreeMap<PathBuf, Vec<Arc<Run>>> = BTreeMap::new();
    let mut files = 0;
    for run in &runs {
        let (spec, kept) = (run.spec(), run.spec().kind().def().files);
        // A fork writes nothing there, and must not stand in for the run that does.
        let is_shared = kept.are_shared() && spec.fork.is_none();
        if !is_shared || shown.insert((project.folder_of(spec), spec.subject().to_owned())) {
            if is_shared && kept == LoopFiles::Workspace {
                reviews.entry(project.folder_of(spec)).or_default().push(run.clone());
            } else {
                match views::write_files(project, run).await {
                    Ok(written) => files += written.len(),
                    Err(why) => unreadable.push(UnreadableRun { run: spec.run, why }),
                }
            }
        }
        if !project.is_driven(spec.run).await? {
            project.store.live().end(spec.run).await?;
        }
        views::write_transcript(&*project.store, &project.artifacts(spec.run), run).await?;
    }
    for (folder, mut runs) in reviews {
        // Oldest first, as they were made.
        runs.reverse();
        let rebuilt = views::rebuild_workspace(project, folder, runs).await?;
        files += rebuilt.changed.len();
        for path in rebuilt.set_aside {
            project.console.say(&format!("a file that could not be read is now {}", path.display()));
        }
        unreadable.extend(rebuilt.failed.into_iter().map(|(run, why)| UnreadableRun { run, why: why.into() }));
    }
    // Last: it knows where the files are.
    let count = runs.len();
    project.store.lists().rebuild(runs).await?;
    Ok(Reindexed { runs: count, files, unreadable })
}
