//! `tribunal desk init`: the files of a campaign.

use serde_json::json;
use tribunal_app::desk::{self, NewCampaign, PlanAnswers};
use tribunal_app::{AppError, Exit, Project};

use crate::args::{self, Global};
use crate::commands::print_json;

pub(super) fn init(project: &Project, global: &Global, args: &args::DeskInit) -> Result<Exit, AppError> {
    write(project, global, &desk::guess(project, &args.slug, args.objective.as_deref())?)
}

/// Writes what is not there yet, and says what to do next.
pub(super) fn write(project: &Project, global: &Global, answers: &PlanAnswers) -> Result<Exit, AppError> {
    let NewCampaign { written, kept, prd, to_add, settings } = desk::create(project, answers)?;
    if global.json {
        print_json(&json!({ "slug": answers.slug, "written": written, "kept": kept, "settings": settings }));
        return Ok(Exit::Pass);
    }
    for path in &written {
        println!("{}", path.display());
    }
    for path in &kept {
        eprintln!("note: {} already exists and is not changed", path.display());
    }
    eprintln!("hint: edit {prd} and the test spec next to it, then `tribunal desk run {}`", answers.slug);
    if let Some(lines) = to_add {
        eprintln!("hint: add your models and limits under `[desk]` in tribunal.toml:\n{lines}");
    }
    let seats = &project.config().seats;
    if !seats.contains_key("worker") || !seats.contains_key("verifier") {
        eprintln!("hint: tribunal.toml needs `[seats.worker]` and `[seats.verifier]`, each with an agent");
    }
    Ok(Exit::Pass)
}
