//! `tribunal desk "…"`: from one sentence to work that is verified.

use serde_json::json;
use std::io::IsTerminal as _;
use tribunal_app::desk::{PlannedFile, SentencePlan};
use tribunal_app::start::StartRequest;
use tribunal_app::{AppError, Exit};
use tribunal_kernel::desk;
use tribunal_kernel::loops::RegisteredLoop as _;

use super::brainstorm::ask;
use crate::args::{DeskObjective, Global};
use crate::commands::{print_json, project, run};

/// Shows what would be written, asks once, writes it and starts.
pub(super) async fn start(global: &Global, args: &DeskObjective) -> Result<Exit, AppError> {
    let root: Vec<_> = args.root.root.iter().map(|root| ("desk.root".to_owned(), root.clone())).collect();
    let plan = SentencePlan::new(
        &project(global, root.clone())?,
        args.objective.as_deref().unwrap_or_default(),
        &args.checks,
    )?;
    let is_agreed = args.yes || (std::io::stdin().is_terminal() && !global.json && agreed(global, &plan)?);
    if !is_agreed {
        return refused(global, &plan);
    }
    if args.yes {
        show(global, &plan);
    }
    plan.write()?;
    let mut settings = args.limits.settings();
    settings.extend(root);
    settings.push(("desk.slug".to_owned(), plan.slug));
    settings.extend(args.max_iter.clone().map(|most| ("desk.max_iter".to_owned(), most)));
    let request = StartRequest { r#loop: Some(desk::Settings::KIND), settings, ..StartRequest::default() };
    run::start(global, request, false, None).await
}

fn agreed(global: &Global, plan: &SentencePlan) -> Result<bool, AppError> {
    show(global, plan);
    Ok(ask("Write these files and start?", "yes")?.to_lowercase().starts_with('y'))
}

/// What the plan is, and who would do it. On stderr: nothing of it is a result.
fn show(global: &Global, plan: &SentencePlan) {
    for file in &plan.files {
        let PlannedFile { path, text, is_added, is_plan } = file;
        let how = if *is_added { "adds to" } else { "writes" };
        eprintln!("{how} {}", path.display());
        if *is_plan || global.verbose {
            for line in text.trim_end().lines() {
                eprintln!("  {line}");
            }
        }
    }
    if plan.is_guess {
        eprintln!("note: no file of the project shows how it is tested; the command is a guess from your words");
    }
    if let Some(seats) = plan.seats.told() {
        eprintln!("note: using {seats}, with the accounts that they are logged in with");
    }
    eprintln!("starts `tribunal desk run {}`", plan.slug);
}

/// Nobody agreed: nothing is written.
fn refused(global: &Global, plan: &SentencePlan) -> Result<Exit, AppError> {
    if std::io::stdin().is_terminal() && !global.json {
        eprintln!("note: nothing was written");
        return Ok(Exit::Pass);
    }
    if global.json {
        let files =
            plan.files.iter().map(|file| json!({ "file": file.path, "text": file.text, "added": file.is_added }));
        print_json(&json!({
            "slug": plan.slug, "files": files.collect::<Vec<_>>(), "seats": plan.seats.settings(), "written": false,
        }));
    } else {
        show(global, plan);
    }
    Err(AppError::invalid("nothing was written: there is nobody to ask", "`--yes` writes these files and starts"))
}
