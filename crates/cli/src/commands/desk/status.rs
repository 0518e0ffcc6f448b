//! `tribunal desk status`: how a campaign stands.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tribunal_app::desk::{self, CampaignStatus};
use tribunal_app::{AppError, Exit, Project};
use tribunal_kernel::desk::Campaign;

use crate::args::{self, Global};
use crate::commands::print_json;

pub(super) async fn status(project: &Project, global: &Global, args: &args::DeskStatus) -> Result<Exit, AppError> {
    let campaigns = desk::status(project, args.slug.as_deref()).await?;
    if global.json {
        let campaigns: Vec<Value> = campaigns.iter().map(CampaignStatus::object).collect();
        print_json(&json!({ "campaigns": campaigns }));
    } else {
        for campaign in &campaigns {
            print!("{}", text(campaign));
        }
    }
    Ok(Exit::Pass)
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
