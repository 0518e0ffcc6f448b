//! What can be typed after `tribunal desk`.

use clap::{Args as ClapArgs, Subcommand};
use std::path::PathBuf;

use super::Limits;

pub(super) const EXAMPLES: &str = "Examples:\n  tribunal desk \"fix the off-by-one in parse_range\"\n  tribunal desk \"add a --json flag\" --check \"npm test\" --yes\n  tribunal desk brainstorm \"a calculator with tests\"\n  tribunal desk run calculator --max-iter 10";

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true, arg_required_else_help = true)]
pub(crate) struct Desk {
    #[command(subcommand)]
    pub(crate) command: Option<DeskCommand>,
    #[command(flatten)]
    pub(crate) objective: DeskObjective,
}

/// A campaign from one sentence.
#[derive(Debug, ClapArgs)]
pub(crate) struct DeskObjective {
    /// What you want done: Tribunal writes the plan, shows it, asks, and starts
    #[arg(value_name = "OBJECTIVE")]
    pub(crate) objective: Option<String>,
    /// A command that tests the work; repeat for several [default: what the project's files show]
    #[arg(long = "check", value_name = "COMMAND")]
    pub(crate) checks: Vec<String>,
    /// Write and start without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Run at most this many iterations
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) root: DeskRoot,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DeskCommand {
    /// Make a plan by answering questions
    #[command(
        after_help = "Examples:\n  tribunal desk brainstorm \"a calculator with tests\"\n  tribunal desk brainstorm --answers plan.toml"
    )]
    Brainstorm(Brainstorm),
    /// Create the files of a campaign: PRD, test spec, prompts, memory
    #[command(after_help = "Example:\n  tribunal desk init calculator \"add and divide, with tests\"")]
    Init(DeskInit),
    /// Work until every story is verified
    #[command(
        after_help = "Examples:\n  tribunal desk run\n  tribunal desk run calculator --max-iter 10 --worker-model opus"
    )]
    Run(DeskRun),
    /// Show the status of campaigns
    #[command(after_help = "Example:\n  tribunal desk status calculator")]
    Status(DeskStatus),
    /// Show the prompts and results of an iteration
    #[command(after_help = "Examples:\n  tribunal desk logs calculator\n  tribunal desk logs calculator 2")]
    Logs(DeskLogs),
    /// Remove sentinels, claims, verdicts and finished work trees, so that the campaign can run again
    #[command(after_help = "Examples:\n  tribunal desk clean calculator\n  tribunal desk clean calculator --discard")]
    Clean(DeskClean),
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
    /// The folder of the desk [default: an existing one, else .tribunal/desk]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Brainstorm {
    /// What you want
    #[arg(value_name = "WISH", default_value = "the work", hide_default_value = true)]
    pub(crate) wish: String,
    /// Read the answers from this TOML file instead of asking
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
    /// Ask the agent in this seat for a proposal first
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
    /// The campaign [default: `desk.slug` of tribunal.toml, or the only plan there is]
    pub(crate) slug: Option<String>,
    /// Run at most this many iterations
    #[arg(long, value_name = "N")]
    pub(crate) max_iter: Option<String>,
    /// The model of the worker, instead of the ladder
    #[arg(long, value_name = "MODEL")]
    pub(crate) worker_model: Option<String>,
    /// The model of the verifier, instead of the ladder
    #[arg(long, value_name = "MODEL")]
    pub(crate) verifier_model: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
    /// Show planned calls, without calling any agent
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
pub(crate) struct DeskClean {
    /// The campaign
    pub(crate) slug: String,
    /// Remove finished work that was never adopted, too
    #[arg(long)]
    pub(crate) discard: bool,
    #[command(flatten)]
    pub(crate) root: DeskRoot,
}
