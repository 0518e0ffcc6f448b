//! `tribunal reindex`: views built again from the logs.

use serde_json::{Value, json};
use tribunal_app::reindex::{self, Reindexed};
use tribunal_app::{AppError, Exit, Project};

use super::{print_json, unreadable_run, warn_of};
use crate::args::Global;

pub(super) async fn reindex(project: &Project, global: &Global) -> Result<Exit, AppError> {
    let Reindexed { runs, files, unreadable } = reindex::reindex(project).await?;
    if global.json {
        let unreadable: Vec<Value> = unreadable.iter().map(unreadable_run).collect();
        print_json(&json!({ "runs": runs, "files": files, "unreadable": unreadable }));
    } else {
        unreadable.iter().for_each(warn_of);
        println!("{runs} runs indexed, {files} files written");
    }
    Ok(if unreadable.is_empty() { Exit::Pass } else { Exit::Failed })
}
