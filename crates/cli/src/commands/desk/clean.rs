//! `tribunal desk clean`: ready for another run.

use serde_json::json;
use tribunal_app::desk::{self, CleanedDesk};
use tribunal_app::{AppError, Exit, Project};

use crate::args::{self, Global};
use crate::commands::print_json;

pub(super) async fn clean(project: &Project, global: &Global, args: &args::DeskClean) -> Result<Exit, AppError> {
    let CleanedDesk { removed, branches, kept } = desk::clean(project, &args.slug, args.discard).await?;
    if global.json {
        print_json(&json!({ "slug": args.slug, "removed": removed, "branches": branches, "kept": kept }));
        return Ok(Exit::Pass);
    }
    for path in &removed {
        println!("removed {}", path.display());
    }
    for branch in &branches {
        println!("removed the work tree and branch {branch}");
    }
    for branch in &kept {
        eprintln!(
            "note: {branch} is kept: its work is not in your checkout (`tribunal adopt` merges it, `--discard` removes it)"
        );
    }
    eprintln!("hint: plans, prompts, memory and logs are kept; `tribunal desk run {}` starts again", args.slug);
    Ok(Exit::Pass)
}
