//! `tribunal reindex`: views built again from the logs.

use serde_json::json;
use tribunal_app::reindex::{self, Reindexed};
use tribunal_app::{AppError, Exit, Project};

use super::print_json;
use crate::args::Global;

pub(super) async fn reindex(project: &Project, global: &Global) -> Result<Exit, AppError> {
    let Reindexed { runs, files } = reindex::reindex(project).await?;
    if global.json {
        print_json(&json!({ "runs": runs, "files": files }));
    } else {
        println!("{runs} runs indexed, {files} files written");
    }
    Ok(Exit::Pass)
}
