//! `tribunal desk status`: how a campaign stands.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_app::people::People;
use tribunal_app::{AppError, Exit, Project, summary};
use tribunal_kernel::Run;
use tribunal_kernel::desk::{Campaign, IterationEnd, desk_of};

use crate::args::{self, Global};
use crate::commands::print_json;

pub(super) async fn status(project: &Project, global: &Global, args: &args::DeskStatus) -> Result<Exit, AppError> {
    let mut runs = Vec::new();
    for spec in project.specs().await? {
        let is_meant = args.slug.as_deref().is_none_or(|slug| slug == spec.subject());
        if desk_of(&spec).is_some() && is_meant {
            runs.push(project.read(spec.run).await?);
        }
    }
    if runs.is_empty() {
        let what = args
            .slug
            .as_deref()
            .map_or("no campaign has run here".to_owned(), |slug| format!("`{slug}` has not run here"));
        return Err(AppError::not_found(what, "`tribunal desk run SLUG` starts one"));
    }
    if args.slug.is_some() {
        runs.truncate(1);
    }
    if global.json {
        let mut campaigns = Vec::new();
        for run in &runs {
            let mut campaign = object(run);
            campaign["driven"] = json!(project.is_driven(run.spec().run).await?);
            campaigns.push(campaign);
        }
        print_json(&json!({ "campaigns": campaigns }));
    } else {
        for run in &runs {
            print!("{}", told(run, &People::of(project.config()), project.is_driven(run.spec().run).await?));
        }
    }
    Ok(Exit::Pass)
}

fn told(run: &Run, people: &People, is_driven: bool) -> String {
    let campaign = Campaign::of(run);
    let mut text = String::new();
    let standing = match run.end() {
        Some(end) => format!("{}: {}", end.outcome, end.reason),
        None => summary::standing_of(run, people, is_driven),
    };
    let limit = run.limits().rounds.map(|limit| format!(" of {limit}")).unwrap_or_default();
    let _ = writeln!(
        text,
        "{} — {standing}\n  run {}, iteration {}{limit}",
        run.spec().subject(),
        run.spec().run,
        run.rounds().len()
    );
    let verified = campaign.verified();
    for story in campaign.plan().map(|plan| plan.stories.as_slice()).unwrap_or_default() {
        let mark = if verified.contains_key(&story.id) { "✓" } else { " " };
        let _ = writeln!(text, "  {mark} {} {}", story.id, story.title);
    }
    for (iteration, ending) in campaign.history() {
        let _ = writeln!(text, "  {:>3}  {}", iteration.round, line(ending));
    }
    if let Some(contract) = campaign.contract().filter(|_| run.end().is_none()) {
        let _ = writeln!(text, "  next: {}", contract.lines().next().unwrap_or_default());
    }
    for note in campaign.survey().map(|survey| survey.notes.as_slice()).unwrap_or_default() {
        let _ = writeln!(text, "  note: {note}");
    }
    text
}

fn line(ending: &IterationEnd) -> String {
    match ending {
        IterationEnd::Continue => "continue".into(),
        IterationEnd::Pass { stories, .. } => {
            let stories: Vec<&str> = stories.iter().map(tribunal_kernel::desk::StoryId::as_str).collect();
            format!("pass     {}", stories.join(", "))
        }
        IterationEnd::Fail(trouble) => {
            format!("fail     {}: {}", trouble.code, trouble.text.lines().next().unwrap_or_default())
        }
        IterationEnd::Blocked(trouble) => {
            format!("blocked  {}: {}", trouble.code, trouble.text.lines().next().unwrap_or_default())
        }
    }
}

fn object(run: &Run) -> Value {
    let campaign = Campaign::of(run);
    let mut object = summary::summary(run);
    object["slug"] = json!(desk_of(run.spec()).map(|settings| &settings.slug));
    object["stories"] = json!(campaign.plan().map(|plan| &plan.stories));
    object["verified"] = json!(campaign.verified().keys().collect::<Vec<_>>());
    object["iterations"] = json!(
        campaign
            .history()
            .iter()
            .map(|(iteration, ending)| json!({
                "iteration": iteration.round, "result": line(ending).trim(),
                "worker_model": iteration.worker.and_then(|turn| turn.routed.as_deref()),
                "verifier_model": iteration.verifier.and_then(|turn| turn.routed.as_deref()),
                "receipts": iteration.receipts,
            }))
            .collect::<Vec<_>>()
    );
    object["next"] = json!(campaign.contract());
    object
}
