//! What `tribunal judge` is told.

use clap::Args as ClapArgs;
use std::path::PathBuf;

use super::{IntegratedAgent, Limits};

#[derive(Debug, ClapArgs)]
pub(crate) struct Judge {
    /// A branch, `A..B` or `A...B` [default: what is not committed with what the branch has of its own]
    #[arg(value_name = "RANGE")]
    pub(crate) range: Option<String>,
    /// A command that proves the change; repeat it for more [default: what the project's files show]
    #[arg(long = "check", value_name = "COMMAND")]
    pub(crate) checks: Vec<String>,
    /// A file that says what the change has to do: verifiers vote on each of its items [default: the commit messages]
    #[arg(long, value_name = "FILE")]
    pub(crate) spec: Option<PathBuf>,
    /// Ask this agent whether the change does what it is asked to; repeat it for more [default: nobody]
    #[arg(long = "verifier", value_name = "AGENT")]
    pub(crate) verifiers: Vec<String>,
    /// A test, or a file that steers tests, that the change may alter; repeat it for more. `tests/…` is all below a folder
    #[arg(long = "may-change", value_name = "PATH")]
    pub(crate) may_change: Vec<String>,
    /// Break this many changed lines, one at a time, to see whether the checks notice
    #[arg(long, value_name = "N")]
    pub(crate) mutants: Option<u32>,
    /// Take tribunal.toml as the change leaves it, and run the programs that it names [default: as it was before the change]
    #[arg(long)]
    pub(crate) use_changed_config: bool,
    /// Try it once more, although it was judged already
    #[arg(long)]
    pub(crate) again: bool,
    /// The output format
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: JudgeFormat,
    /// Write the result to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Also write a comment for a pull request to this file: Markdown with a marker by which CI finds its last comment
    #[arg(long, value_name = "FILE")]
    pub(crate) comment_file: Option<PathBuf>,
    /// Write a signed proof of the judgement to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) prove: Option<PathBuf>,
    /// Sign the proof with this SSH key [default: `proof.key`]
    #[arg(long, value_name = "FILE", requires = "prove")]
    pub(crate) key: Option<PathBuf>,
    /// Answer as the stop hook of an agent, which writes its event to stdin; `tribunal integrate AGENT --stop-hook` sets it up
    #[arg(long, value_name = "AGENT", value_enum, conflicts_with_all = ["range", "may_change", "use_changed_config", "again", "format", "output", "comment_file", "prove", "let_go"])]
    pub(crate) stop_hook: Option<IntegratedAgent>,
    /// Note what an agent's work will be held against, as the hook that it asks when a session begins
    #[arg(long, value_name = "AGENT", value_enum, conflicts_with_all = ["stop_hook", "range", "checks", "spec", "verifiers", "may_change", "mutants", "use_changed_config", "again", "format", "output", "comment_file", "prove", "let_go"])]
    pub(crate) session_start: Option<IntegratedAgent>,
    /// Let an agent stop once, whatever its change amounts to, and record why
    #[arg(long, value_name = "WHY", conflicts_with_all = ["range", "checks", "spec", "verifiers", "may_change", "mutants", "use_changed_config", "again", "format", "output", "comment_file", "prove"])]
    pub(crate) let_go: Option<String>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// How a judgement is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum JudgeFormat {
    /// For people
    Text,
    /// One object with the whole evidence
    Json,
    /// For code hosts, which show it beside the lines
    Sarif,
    /// For build servers: a suite for every command, a case for every finding
    Junit,
    /// Annotations of GitHub Actions
    Github,
    /// For a comment on a pull request
    Markdown,
}
