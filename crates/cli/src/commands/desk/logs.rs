//! `tribunal desk logs`: what an iteration was told, and what was seen of it.

use serde_json::json;
use tribunal_app::{AppError, Exit, Project, desk};

use crate::args::{self, Global};
use crate::commands::print_json;

pub(super) fn logs(project: &Project, global: &Global, args: &args::DeskLogs) -> Result<Exit, AppError> {
    let logs = desk::logs(project, &args.slug, args.iteration)?;
    if global.json {
        let files: Vec<_> = logs.files.iter().map(|(path, text)| json!({ "file": path, "text": text })).collect();
        print_json(&json!({ "slug": args.slug, "iteration": logs.iteration, "files": files }));
        return Ok(Exit::Pass);
    }
    for (path, text) in logs.files {
        if let Some(text) = text {
            println!("==> {} <==\n{}", path.display(), text.trim_end());
        }
    }
    Ok(Exit::Pass)
}
