//! What `tribunal fix` is told.

use clap::Args as ClapArgs;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub(crate) struct Fix {
    /// HTML or Markdown files, or folders with such files
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) diff: bool,
    /// Ask before each edit
    #[arg(short, long, conflicts_with = "diff")]
    pub(crate) interactive: bool,
    /// Make suggested edits, too: they may change words and looks
    #[arg(long = "unsafe")]
    pub(crate) takes_suggestions: bool,
    /// The design file with the colours, fonts and distances to keep to
    #[arg(long, value_name = "FILE")]
    pub(crate) design: Option<PathBuf>,
    /// Read and change nothing outside of this folder [default: the git repository]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}
