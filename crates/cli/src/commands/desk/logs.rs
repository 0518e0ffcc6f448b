//! `tribunal desk logs`: what an iteration was told, and what was seen of it.

use serde_json::json;
use std::fs;
use tribunal_app::loops::desk;
use tribunal_app::{AppError, Exit, Project};

use crate::args::{self, Global};
use crate::commands::print_json;

/// More iterations than any run may have.
const MOST: u32 = 100_000;

pub(super) fn logs(project: &Project, global: &Global, args: &args::DeskLogs) -> Result<Exit, AppError> {
    let desk = desk::files(project, &args.slug)?;
    let has = |number: u32| desk.path(&desk.of_iteration(number, "worker-prompt.md")).exists();
    let newest = (1..=MOST).take_while(|number| has(*number)).last();
    let Some(number) = args.iteration.or(newest) else {
        return Err(AppError::invalid(
            format!("{} has no logs", desk.path(&desk.logs()).display()),
            format!("`tribunal desk run {}` creates them", args.slug),
        ));
    };
    let parts = ["worker-prompt.md", "evidence.json", "verifier-prompt.md"].map(|what| {
        let path = desk.path(&desk.of_iteration(number, what));
        let text = fs::read_to_string(&path).ok();
        (path, text)
    });
    if parts.iter().all(|(_, text)| text.is_none()) {
        let newest = newest.map_or(String::new(), |newest| format!("; the newest is {newest}"));
        return Err(AppError::invalid(format!("no iteration {number}{newest}"), "omit the number for the newest"));
    }
    if global.json {
        let files: Vec<_> = parts.iter().map(|(path, text)| json!({ "file": path, "text": text })).collect();
        print_json(&json!({ "slug": args.slug, "iteration": number, "files": files }));
        return Ok(Exit::Pass);
    }
    for (path, text) in parts {
        if let Some(text) = text {
            println!("==> {} <==\n{}", path.display(), text.trim_end());
        }
    }
    Ok(Exit::Pass)
}
