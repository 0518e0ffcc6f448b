//! What can be typed after `tribunal desk`.

use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;

use super::Limits;

#[derive(Debug, Subcommand)]
pub(crate) enum DeskCommand {
    /// From a wish to a plan, by questions
    #[command(
        after_help = "Examples:\n  tribunal desk brainstorm \"a calculator with tests\"\n  tribunal desk brainstorm --answers plan.toml"
    )]
    Brainstorm(Brainstorm),
    /// Write the files of a campaign: PRD, test spec, prompts, memory
    #[command(after_help = "Example:\n  tribunal desk init calculator \"add and divide, with tests\"")]
    Init(DeskInit),
    /// Work until every story is verified
    #[command(
        after_help = "Examples:\n  tribunal desk run calculator\n  tribunal desk run calculator --max-iter 10 --worker-model opus"
    )]
    Run(DeskRun),
    /// How campaigns stand
    #[command(after_help = "Example:\n  tribunal desk status calculator")]
    Status(DeskStatus),
    /// What an iteration was told, and what was seen of it
    #[command(after_help = "Examples:\n  tribunal desk logs calculator\n  tribunal desk logs calculator 2")]
    Logs(DeskLogs),
    /// Remove sentinels, claims and verdicts, so that it can run again
    #[command(after_help = "Example:\n  tribunal desk clean calculator")]
    Clean(DeskSlug),
}

impl DeskCommand {
    /// The desk's folder, where it is given.
    pub(crate) fn root(&self) -> Option<&str> {
        let root = match self {
            Self::Brainstorm(args) => &args.root,
            Self::Init(args) => &args.root,
            Self::Run(args) => &args.root,
            Self::Status(_) => return None,
            Self::Logs(args) => &args.root,
            Self::Clean(args) => &args.root,
        };
        root.root.as_deref()
    }
}

/// Where the desk's files are.
#[derive(Debug, ClapArgs)]
pub(crate) struct DeskRoot {
    /// The desk's folder [default: the one that is there, else .tribunal/desk]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Brainstorm {
    /// What you want
    #[arg(value_name = "WISH", default_value = "the work", hide_default_value = true)]
    pub(crate) wish: String,
    /// The answers, instead of questions: a TOML file
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// Ask whoever sits in this seat for a proposal first
    #[arg(long, value_name = "SEAT")]
    pub(crate) ask: Option<String>,
    #[command(flatten)]
    pub(crate) root: DeskRoot,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DeskInit {
    /// A short name for the campaign
    pub(crate) slug: String,
    /// What you want
    pub(crate) objective: Option<String>,
    #[command(flatten)]
    pub(crate) root: DeskRoot,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DeskRun {
    /// The campaign
    pub(crate) slug: String,
    /// At most so many iterations
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<String>,
    /// The worker's model, whatever the ladder says
    #[arg(long, value_name = "MODEL")]
    pub(crate) worker_model: Option<String>,
    /// The verifier's model, whatever the ladder says
    #[arg(long, value_name = "MODEL")]
    pub(crate) verifier_model: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Show what would be called, and call nobody
    #[arg(long = "dry-run")]
    pub(crate) plan_only: bool,
    #[command(flatten)]
    pub(crate) root: DeskRoot,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DeskStatus {
    /// The campaign [default: all of them]
    pub(crate) slug: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DeskLogs {
    /// The campaign
    pub(crate) slug: String,
    /// The iteration [default: the newest]
    pub(crate) iteration: Option<u32>,
    #[command(flatten)]
    pub(crate) root: DeskRoot,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DeskSlug {
    /// The campaign
    pub(crate) slug: String,
    #[command(flatten)]
    pub(crate) root: DeskRoot,
}
