//! What is done at a desk besides driving it: plans are made, campaigns looked at and cleaned.
//!
//! | file | noun |
//! |---|---|
//! | `answers` | what a plan is made of |
//! | `commands` | what proves work on a project |
//! | `files` | the texts that a campaign begins with |
//! | `sentence` | a campaign from one sentence |
//! | `planned` | the campaigns that there are plans of |
//! | `proposal` | a plan as an agent would make it |
//! | `left` | what another program left of a campaign |
//! | `logs` | what is kept of an iteration |
//! | `clean` | a campaign that can run again |
//! | `status` | how campaigns stand |

mod answers;
mod clean;
mod commands;
mod files;
mod left;
mod logs;
mod planned;
mod proposal;
mod sentence;
mod status;

pub use answers::{CommandAnswer, PlanAnswers, StoryAnswer};
pub use clean::{CleanedDesk, clean};
pub(crate) use clean::{adopted_tree, remove_tree};
pub use commands::checks;
pub(crate) use commands::test_commands;
pub use left::LeftCampaign;
pub use logs::{IterationLogs, logs};
pub(crate) use planned::only_plan;
pub use proposal::propose;
pub use sentence::{PlannedFile, SentencePlan};
pub use status::{CampaignStatus, DeskStatus, status, told};

use std::path::PathBuf;
use tribunal_kernel::desk::{Settings, VERIFIER, WORKER};
use tribunal_kernel::loops::RegisteredLoop;

use crate::error::AppError;
use crate::logins;
use crate::loops::desk;
use crate::project::Project;
use crate::seat_proposal::SeatProposal;

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

/// Who could take the seats of a desk that nobody has, if it is one and somebody is logged in.
pub(crate) fn unseated(project: &Project) -> Option<SeatProposal> {
    let config = project.config();
    let is_desk = config.run.r#loop == <Settings as RegisteredLoop>::KIND;
    let has_both = [WORKER, VERIFIER].iter().all(|seat| config.agent_in(seat).is_some());
    if !is_desk || has_both {
        return None;
    }
    let proposal = SeatProposal::missing(config, WORKER, VERIFIER, &logins::usable());
    (!proposal.is_empty()).then_some(proposal)
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
