//! What is done at a desk besides driving it: plans are made, campaigns looked at and cleaned.
//!
//! | file | noun |
//! |---|---|
//! | `answers` | what a plan is made of |
//! | `files` | the texts that a campaign begins with |
//! | `proposal` | a plan as an agent would make it |
//! | `status` | how campaigns stand |

mod answers;
mod files;
mod proposal;
mod status;

pub use answers::{CommandAnswer, PlanAnswers, StoryAnswer, test_commands};
pub use proposal::propose;
pub use status::{CampaignStatus, status, told};

use std::path::PathBuf;

use crate::error::AppError;
use crate::loops::desk;
use crate::project::Project;

/// More iterations than any run may have.
const MAX_ITERATIONS: u32 = 100_000;

/// What became of the files of a new campaign.
#[derive(Debug)]
pub struct NewCampaign {
    pub written: Vec<PathBuf>,
    /// Were there already: they are the user's.
    pub kept: Vec<PathBuf>,
    /// Where the plan is to be read and edited.
    pub prd: String,
    /// Lines for `[desk]` that the user has to add, because tribunal.toml is theirs.
    pub to_add: Option<String>,
    /// The models and limits that were asked for, as lines of `[desk]`.
    pub settings: String,
}

/// A plan of one story, guessed from an objective.
pub fn guess(project: &Project, slug: &str, objective: Option<&str>) -> Result<PlanAnswers, AppError> {
    if !desk::is_slug(slug) {
        return Err(AppError::invalid(
            format!("`{slug}` cannot be a slug"),
            "use letters, digits, `-` and `_`: `tribunal desk init calculator`",
        ));
    }
    let wish = objective.map_or_else(|| slug.replace('-', " "), str::to_owned);
    Ok(PlanAnswers { slug: slug.to_owned(), ..PlanAnswers::guess(&wish, &project.workspace()) })
}

/// Writes the files of a campaign that are not there yet.
pub fn create(project: &Project, answers: &PlanAnswers) -> Result<NewCampaign, AppError> {
    let desk = desk::files(project, &answers.slug)?;
    let (mut written, mut kept): (Vec<PathBuf>, Vec<PathBuf>) = Default::default();
    for (name, text) in files::files(&desk, answers) {
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
    let to_add = Some(settings.clone()).filter(|settings| has_own && !settings.is_empty());
    Ok(NewCampaign { written, kept, prd: desk.prd(), to_add, settings })
}

/// Removes what keeps a campaign from running again; gives what was removed.
pub fn clean(project: &Project, slug: &str) -> Result<Vec<PathBuf>, AppError> {
    let desk = desk::files(project, slug)?;
    if !desk.path(&desk.prd()).exists() {
        return Err(AppError::invalid(
            format!("no campaign `{slug}` in {}", desk.path(desk.root()).display()),
            "`tribunal desk status` lists those that have run",
        ));
    }
    Ok(tribunal_store::desk::clean(&desk)?)
}

/// What is kept of an iteration for people to read.
#[derive(Debug)]
pub struct IterationLogs {
    pub iteration: u32,
    /// A file, and its text if it is there.
    pub files: Vec<(PathBuf, Option<String>)>,
}

/// What an iteration was told, and what was seen of it; the newest one if none is named.
pub fn logs(project: &Project, slug: &str, iteration: Option<u32>) -> Result<IterationLogs, AppError> {
    let desk = desk::files(project, slug)?;
    let has = |number: u32| desk.path(&desk.of_iteration(number, "worker-prompt.md")).exists();
    let newest = (1..=MAX_ITERATIONS).take_while(|number| has(*number)).last();
    let Some(iteration) = iteration.or(newest) else {
        return Err(AppError::invalid(
            format!("{} has no logs", desk.path(&desk.logs()).display()),
            format!("`tribunal desk run {slug}` creates them"),
        ));
    };
    let files = ["worker-prompt.md", "evidence.json", "verifier-prompt.md"].map(|what| {
        let path = desk.path(&desk.of_iteration(iteration, what));
        let text = std::fs::read_to_string(&path).ok();
        (path, text)
    });
    if files.iter().all(|(_, text)| text.is_none()) {
        let newest = newest.map_or(String::new(), |newest| format!("; the newest is {newest}"));
        return Err(AppError::invalid(format!("no iteration {iteration}{newest}"), "omit the number for the newest"));
    }
    Ok(IterationLogs { iteration, files: files.into() })
}
