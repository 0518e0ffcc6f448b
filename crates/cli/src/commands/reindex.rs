//! `tribunal reindex`: views built anew from the logs.

use serde_json::json;
use std::collections::BTreeSet;
use tribunal_kernel::{LoopKind, Run};
use tribunal_store::artifacts;
use tribunal_store::index::Index;

use super::print_json;
use crate::args::Global;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::project::Project;
use crate::views;

pub(super) async fn reindex(project: &Project, global: &Global) -> Result<Exit, Failure> {
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
        let is_shared = spec.kind() == LoopKind::Review && spec.fork.is_none();
        if !is_shared || shown.insert((spec.workspace.clone(), spec.subject().to_owned())) {
            files += views::write_files(project.layout(), run)?.len();
        }
        artifacts::rebuild(project.layout(), run)?;
    }
    // Last: it knows where the files are.
    Index::recreate(&project.layout().index())?.rebuild(&runs)?;
    if global.json {
        print_json(&json!({ "runs": runs.len(), "files": files }));
    } else {
        println!("{} runs indexed, {files} files written", runs.len());
    }
    Ok(Exit::Pass)
}
