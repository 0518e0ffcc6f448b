//! `tribunal desk init`: the files of a campaign.

use serde_json::json;
use std::path::PathBuf;
use tribunal_app::loops::desk;
use tribunal_app::{AppError, Exit, Project};

use super::answers::Answers;
use super::files::files;
use crate::args::{self, Global};
use crate::commands::print_json;

pub(super) fn init(project: &Project, global: &Global, args: &args::DeskInit) -> Result<Exit, AppError> {
    if !desk::is_slug(&args.slug) {
        return Err(AppError::invalid(
            format!("`{}` cannot be a slug", args.slug),
            "use letters, digits, `-` and `_`: `tribunal desk init calculator`",
        ));
    }
    let wish = args.objective.clone().unwrap_or_else(|| args.slug.replace('-', " "));
    let answers = Answers { slug: args.slug.clone(), ..Answers::guess(&wish, &project.workspace()) };
    write(project, global, &answers)
}

/// Writes what is not there yet. What is there is the user's.
pub(super) fn write(project: &Project, global: &Global, answers: &Answers) -> Result<Exit, AppError> {
    let desk = desk::files(project, &answers.slug)?;
    let (mut written, mut kept): (Vec<PathBuf>, Vec<PathBuf>) = Default::default();
    for (name, text) in files(&desk, answers) {
        let path = desk.path(&name);
        if path.exists() {
            kept.push(path);
            continue;
        }
        tribunal_store::atomic::write(&path, text.as_bytes())?;
        written.push(path);
    }
    let settings = answers.settings();
    let toml = project.root().join(tribunal_config::FILE_NAME);
    let has_own = toml.exists();
    if !has_own && !settings.is_empty() {
        tribunal_store::atomic::write(&toml, format!("[run]\nloop = \"desk\"\n\n[desk]\n{settings}").as_bytes())?;
        written.push(toml);
    }
    if global.json {
        print_json(&json!({ "slug": answers.slug, "written": written, "kept": kept, "settings": settings }));
    } else {
        for path in &written {
            println!("{}", path.display());
        }
        for path in &kept {
            eprintln!("note: {} already exists and is not changed", path.display());
        }
        eprintln!("hint: edit {} and the test spec next to it, then `tribunal desk run {}`", desk.prd(), answers.slug);
        if has_own && !settings.is_empty() {
            eprintln!("hint: add your models and limits under `[desk]` in tribunal.toml:\n{settings}");
        }
        let seats = &project.config().seats;
        if !seats.contains_key("worker") || !seats.contains_key("verifier") {
            eprintln!("hint: tribunal.toml needs `[seats.worker]` and `[seats.verifier]`, each with an agent");
        }
    }
    Ok(Exit::Pass)
}
