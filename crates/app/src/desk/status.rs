//! How campaigns stand.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use tribunal_kernel::Run;
use tribunal_kernel::desk::{Campaign, IterationEnd, desk_of};

use super::left::{LeftCampaign, left};
use crate::error::AppError;
use crate::people::People;
use crate::project::Project;
use crate::summary;

/// A campaign, and whether somebody works on it.
#[derive(Debug)]
pub struct CampaignStatus {
    pub run: Run,
    pub is_driven: bool,
    /// In a sentence: how it ended, or what it does or waits for.
    pub standing: String,
}

/// How campaigns stand: those that have run here, and what others left.
#[derive(Debug)]
pub struct DeskStatus {
    pub campaigns: Vec<CampaignStatus>,
    pub left: Vec<LeftCampaign>,
}

/// Campaigns that have run here, newest first, and those that others ran; the newest run of one if it is named.
pub async fn status(project: &Project, slug: Option<&str>) -> Result<DeskStatus, AppError> {
    let people = People::of(project.config());
    let mut campaigns = Vec::new();
    for spec in project.specs().await? {
        if desk_of(&spec).is_none() || slug.is_some_and(|slug| slug != spec.subject()) {
            continue;
        }
        let Some(run) = project.read_one_of(spec.run).await else { continue };
        let is_driven = project.is_driven(spec.run).await?;
        let standing = match run.end() {
            Some(end) => format!("{}: {}", end.outcome, end.reason),
            None => summary::standing_of(&run, &people, is_driven),
        };
        campaigns.push(CampaignStatus { run, is_driven, standing });
        if slug.is_some() {
            break;
        }
    }
    let ours: BTreeSet<String> = campaigns.iter().map(|it| it.run.spec().subject().to_owned()).collect();
    let left = left(project, slug, &ours)?;
    if campaigns.is_empty() && left.is_empty() {
        let what = slug.map_or("no campaign has run here".to_owned(), |slug| format!("`{slug}` has not run here"));
        return Err(AppError::not_found(what, "`tribunal desk run SLUG` starts one"));
    }
    Ok(DeskStatus { campaigns, left })
}

impl CampaignStatus {
    /// For programs.
    pub fn object(&self) -> Value {
        let campaign = Campaign::of(&self.run);
        let iterations: Vec<Value> = campaign
            .history()
            .iter()
            .map(|(iteration, ending)| {
                json!({
                    "iteration": iteration.round, "result": told(ending).trim(),
                    "worker_model": iteration.worker.and_then(|turn| turn.routed.as_deref()),
                    "verifier_model": iteration.verifier.and_then(|turn| turn.routed.as_deref()),
                    "receipts": iteration.receipts,
                })
            })
            .collect();
        let mut object = summary::summary(&self.run);
        object["slug"] = json!(desk_of(self.run.spec()).map(|settings| &settings.slug));
        object["stories"] = json!(campaign.plan().map(|plan| &plan.stories));
        object["verified"] = json!(campaign.verified().keys().collect::<Vec<_>>());
        object["iterations"] = json!(iterations);
        object["next"] = json!(campaign.contract());
        object["driven"] = json!(self.is_driven);
        object
    }
}

/// How an iteration ended, in a line; the word is eight columns wide.
pub fn told(ending: &IterationEnd) -> String {
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
