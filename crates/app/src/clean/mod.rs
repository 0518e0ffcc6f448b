//! Room that is made free: old runs, work trees that were taken over, blobs that nobody cites.
//!
//! | file | noun |
//! |---|---|
//! | `needed` | why a run stays |
//! | `plan` | what would go, and what stays |
//!
//! # What holds
//! - Nothing is removed that somebody works on, that is not finished, or that a run which stays, a fork, a proof or an anchor
//!   cites; nor the newest run on an asset: it is what the asset stands at.
//! - Work that nobody took over stays, and its run with it.
//! - A log that cannot be read keeps every run and every blob: nobody knows what it cites.
//! - Blobs that were put since the oldest run that is not finished was opened stay: what it hands over may cite them
//!   where no event does yet.

mod needed;
mod plan;

use std::collections::BTreeMap;
use std::time::Duration;
use tribunal_kernel::RunId;
use tribunal_store::StoreError;
use tribunal_store::backend::{RemovedBlobs, Space};

use crate::desk;
use crate::error::AppError;
use crate::project::Project;
pub use needed::KeptBecause;
pub use plan::{CleanPlan, OldRun, OldTree};

/// What is old enough to go.
#[derive(Debug, Clone, Copy)]
pub struct CleanRequest {
    /// Runs that ended before this.
    pub older_than: Duration,
}

/// What was made free.
#[derive(Debug, Default)]
pub struct Cleaned {
    pub runs: Vec<OldRun>,
    pub trees: Vec<OldTree>,
    pub blobs: RemovedBlobs,
    /// What stays, and why.
    pub kept: BTreeMap<RunId, KeptBecause>,
}

impl CleanRequest {
    /// What would go. Nothing is removed.
    pub async fn plan(&self, project: &Project) -> Result<CleanPlan, AppError> {
        plan::plan(project, space(project)?, self.older_than).await
    }
}

impl CleanPlan {
    /// Removes it. What somebody took up meanwhile stays.
    pub async fn carry_out(self, project: &Project) -> Result<Cleaned, AppError> {
        let space = space(project)?;
        project.store.sweep().await?;
        let mut cleaned = Cleaned { kept: self.kept, ..Cleaned::default() };
        for tree in self.trees {
            // Of a run that goes on by now, the tree does, too.
            if project.is_driven(tree.run).await? {
                cleaned.kept.insert(tree.run, KeptBecause::Driven);
            } else if desk::remove_tree(project, tree.run).await? {
                cleaned.trees.push(tree);
            }
        }
        for old in self.runs {
            match space.remove_run(old.run).await {
                Ok(bytes) => cleaned.runs.push(OldRun { bytes, ..old }),
                Err(StoreError::Held { .. }) => drop(cleaned.kept.insert(old.run, KeptBecause::Driven)),
                // Somebody else was faster.
                Err(StoreError::NoRun { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // By what is there now, and not by the plan: a run may have come or stayed.
        if let Some(uncited) = plan::uncited(project, space, |_| true).await? {
            let blobs = uncited.blobs.iter().map(|blob| blob.digest).collect();
            cleaned.blobs = space.remove_blobs(blobs, uncited.before).await?;
        }
        Ok(cleaned)
    }
}

impl Cleaned {
    /// All of it.
    pub fn bytes(&self) -> u64 {
        plan::bytes(&self.runs, &self.trees) + self.blobs.bytes
    }
}

/// What takes room here.
pub fn space(project: &Project) -> Result<&dyn Space, AppError> {
    project.store.space().ok_or_else(|| {
        AppError::invalid(
            format!("the store `{}` keeps nothing on this machine", project.store.name()),
            "free space where it keeps its data",
        )
    })
}
