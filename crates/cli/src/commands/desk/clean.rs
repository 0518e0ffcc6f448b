//! `tribunal desk clean`: ready for another run.

use serde_json::json;
use tribunal_app::{AppError, Exit, Project, desk};

use crate::args::{self, Global};
use crate::commands::print_json;

pub(super) fn clean(project: &Project, global: &Global, args: &args::DeskSlug) -> Result<Exit, AppError> {
    let removed = desk::clean(project, &args.slug)?;
    if global.json {
        print_json(&json!({ "slug": args.slug, "removed": removed }));
    } else {
        for path in &removed {
            println!("removed {}", path.display());
        }
        eprintln!("hint: plans, prompts, memory and logs are kept; `tribunal desk run {}` starts again", args.slug);
    }
    Ok(Exit::Pass)
}
