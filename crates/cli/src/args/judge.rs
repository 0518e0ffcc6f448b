//! What `tribunal judge` is told.

use clap::Args as ClapArgs;

use super::Limits;

#[derive(Debug, ClapArgs)]
pub(crate) struct Judge {
    /// A branch, `A..B` or `A...B` [default: what is not committed, or else the branch against the main one]
    #[arg(value_name = "RANGE")]
    pub(crate) range: Option<String>,
    /// A command that proves the change; repeat it for more [default: what the project's files show]
    #[arg(long = "check", value_name = "COMMAND")]
    pub(crate) checks: Vec<String>,
    /// Break this many changed lines, one at a time, to see whether the checks notice
    #[arg(long, value_name = "N")]
    pub(crate) mutants: Option<u32>,
    /// Try it once more, although it was judged already
    #[arg(long)]
    pub(crate) again: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
}
