//! What can be typed after `tribunal demo`.

use clap::{Args as ClapArgs, ValueEnum};
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "Examples:\n  tribunal demo\n  tribunal demo liar\n  tribunal demo page --in ~/try";

#[derive(Debug, ClapArgs)]
pub(crate) struct Demo {
    /// Play only these
    #[arg(value_enum, value_name = "SCENE")]
    pub(crate) scenes: Vec<SceneName>,
    /// The folder to do it in; a new one [default: in the folder for temporary files]
    #[arg(long = "in", value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// What can be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SceneName {
    /// A worker says that the tests pass, after it has rewritten them
    Liar,
    /// A page and its style sheet are measured and fixed in place
    Page,
    /// A change whose tests prove nothing is refused; the repaired one holds
    PullRequest,
}
