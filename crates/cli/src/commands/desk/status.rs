//! `tribunal desk status`: how a campaign stands.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_app::desk::{self, CampaignStatus, DeskStatus, LeftCampaign};
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::desk::Campaign;

use crate::args::{self, Global};
use crate::commands::print_json;

pub(super) async fn status(project: &Project, global: &Global, args: &args::DeskStatus) -> Result<Exit, AppError> {
    let DeskStatus { campaigns, left } = desk::status(project, args.slug.as_deref()).await?;
    if global.json {
        let campaigns: Vec<Value> = campaigns.iter().map(CampaignStatus::object).collect();
        let left: Vec<Value> = left.iter().map(LeftCampaign::object).collect();
        print_json(&json!({ "campaigns": campaigns, "left": left }));
        return Ok(Exit::Pass);
    }
    for campaign in &campaigns {
        print!("{}", text(campaign));
    }
    for campaign in &left {
        print!("{}", text_left(campaign));
    }
    for LeftCampaign { slug, .. } in left.iter().filter(|campaign| campaign.sentinel.is_some()) {
        eprintln!("hint: `tribunal desk clean {slug}` removes the sentinel, so that it can run again");
    }
    Ok(Exit::Pass)
}

/// What another program wrote down. Nothing of it is in a log of ours.
fn text_left(campaign: &LeftCampaign) -> String {
    let says = |field: &str| campaign.says(field);
    let standing = campaign.sentinel.as_ref().map(|(kind, _)| (*kind).to_owned()).or_else(|| says("phase"));
    let standing = standing.unwrap_or_else(|| "unknown".into());
    let mut text = format!("{} — {standing}\n  run by another program: there is no run of it here\n", campaign.slug);
    if let Some(iteration) = says("iteration") {
        let limit = says("max_iter").map(|limit| format!(" of {limit}")).unwrap_or_default();
        let _ = writeln!(text, "  iteration {iteration}{limit}");
    }
    for (what, said) in [
        ("verified", campaign.verified()),
        ("last result", says("last_result")),
        ("worker", says("worker_model")),
        ("verifier", says("verifier_model")),
        ("updated", says("updated_at_utc")),
    ] {
        if let Some(said) = said {
            let _ = writeln!(text, "  {what}: {said}");
        }
    }
    let verdict = campaign.verdict.as_ref();
    if let Some(word) = verdict.and_then(|verdict| verdict["verdict"].as_str()) {
        let summary = verdict.and_then(|verdict| verdict["summary"].as_str()).unwrap_or_default();
        let _ = writeln!(text, "  verdict: {word}. {summary}");
    }
    text
}

fn text(CampaignStatus { run, standing, .. }: &CampaignStatus) -> String {
    let campaign = Campaign::of(run);
    let mut text = String::new();
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
        let _ = writeln!(text, "  {:>3}  {}", iteration.round, desk::told(ending));
    }
    if let Some(contract) = campaign.contract().filter(|_| run.end().is_none()) {
        let _ = writeln!(text, "  next: {}", contract.lines().next().unwrap_or_default());
    }
    for note in campaign.survey().map(|survey| survey.notes.as_slice()).unwrap_or_default() {
        let _ = writeln!(text, "  note: {note}");
    }
    text
}
