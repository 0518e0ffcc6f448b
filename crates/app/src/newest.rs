//! The newest run on every asset, found with one look at the lists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use tribunal_kernel::{Entry, Event, RunId, RunSpec};
use tribunal_store::index::RunFilter;

use crate::error::AppError;
use crate::project::Project;

/// What is known of the runs on assets. It spares us the logs of all the others: what a run is about never changes. What
/// is found is still verified, and what the lists do not know is read.
#[derive(Debug)]
pub struct NewestRuns<'a> {
    project: &'a Project,
    workspace: PathBuf,
    /// Newest first.
    by_subject: BTreeMap<String, Vec<RunId>>,
}

impl<'a> NewestRuns<'a> {
    /// Looks once, for however many assets.
    pub async fn of(project: &'a Project) -> Result<Self, AppError> {
        let runs: BTreeSet<RunId> = project.store.logs().runs().await?.into_iter().collect();
        let all = RunFilter { limit: u32::MAX, ..RunFilter::default() };
        // Lists that cannot be read know nothing.
        let listed = project.store.lists().runs(all).await.unwrap_or_default();
        let mut found: BTreeMap<RunId, String> =
            listed.into_iter().filter(|row| runs.contains(&row.run)).map(|row| (row.run, row.subject)).collect();
        let unlisted: Vec<RunId> = runs.iter().filter(|run| !found.contains_key(run)).copied().collect();
        for run in unlisted {
            found.extend(spec_of(project, run).await.map(|spec| (run, spec.subject().to_owned())));
        }
        let mut by_subject: BTreeMap<String, Vec<RunId>> = BTreeMap::new();
        for (run, subject) in found.into_iter().rev() {
            by_subject.entry(subject).or_default().push(run);
        }
        Ok(Self { project, workspace: project.workspace(), by_subject })
    }

    /// The newest run on an asset of this workspace. Forks are variations, and nobody goes on with them unasked.
    pub async fn on(&self, asset: &str) -> Option<RunId> {
        for run in self.by_subject.get(asset).into_iter().flatten() {
            let spec = spec_of(self.project, *run).await;
            let fits = |spec: &RunSpec| {
                spec.subject() == asset && spec.fork.is_none() && self.project.folder_of(spec) == self.workspace
            };
            if spec.as_ref().is_some_and(fits) {
                return Some(*run);
            }
        }
        None
    }
}

/// What a run was given. A log that cannot be read is skipped with a note.
async fn spec_of(project: &Project, run: RunId) -> Option<RunSpec> {
    match project.store.logs().first(run).await {
        Ok(Some(Entry { event: Event::RunOpened { spec }, .. })) => Some(*spec),
        Ok(_) => None,
        Err(error) => {
            project.console.note(&error.to_string());
            None
        }
    }
}
